/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a stream of the Common Trace Format (CTF) 1.8: packets of events. All numbers have
 * the byte order of this machine and are aligned to bytes.
 */
#ifndef PACKETS_H
#define PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* bytes of a packet, and of the largest event */
#define PACKETS_SIZE  (1 << 20)
#define PACKETS_EVENT (1 << 17)

/* a stream */
struct packets {
	FILE *out;		/* the file */
	uint8_t *data;		/* the current packet */
	size_t used;		/* bytes of @data; 0: no packet is begun */
	uint64_t begin;		/* time of the first event of the packet */
	uint64_t time;		/* time of the last event */
	uint64_t discarded;	/* number of lost events, up to the last event of the packet */
	uint64_t lost;		/* losses since the last event */
	uint64_t count;		/* number of packets that were written */
};

/* the declarations of what packets_begin() and packets_event() write, for the metadata */
extern const char packets_metadata[];

/** packets_init() - begin a stream */
void packets_init(struct packets *p, FILE *out);

/** packets_exit() - undo packets_init() */
void packets_exit(struct packets *p);

/** packets_lose() - note events that were lost before the next event, or before the end */
void packets_lose(struct packets *p, uint64_t events);

/**
 * packets_event() - begin an event
 * @p: the stream
 * @id: number of its class
 * @time: its time, in ns. An earlier time than that of the last event becomes the latter,
 *	because readers refuse it
 *
 * The functions below then add its fields, of PACKETS_EVENT bytes at most.
 */
void packets_event(struct packets *p, uint16_t id, uint64_t time);

/** packets_number() - add a number of 1, 2, 4 or 8 bytes */
void packets_number(struct packets *p, uint64_t n, size_t size);

/** packets_text() - add a string without a 0 */
void packets_text(struct packets *p, const char *text, size_t len);

/** packets_finish() - write the last packet; the caller checks the file for errors */
void packets_finish(struct packets *p);

#endif /* PACKETS_H */
