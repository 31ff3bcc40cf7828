/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the module's file ages (linux/kmemtrace_ages.h).
 */
#ifndef AGEFILE_H
#define AGEFILE_H

#include <stddef.h>
#include <stdint.h>
#include <linux/kmemtrace_ages.h>

/* the file, and what was read last */
struct agefile {
	int fd;				/* descriptor of the file */
	char *data;			/* the bytes that were read */
	size_t room;			/* bytes that fit into @data */
	struct kmemtrace_ages head;	/* the header */
};

/**
 * agefile_open() - open the file
 * @f: set up; the caller calls agefile_close() later, also after a failure
 *
 * Return: 0; -1, with a message.
 */
int agefile_open(struct agefile *f);

/** agefile_read() - read the ages of this moment. Return: 0; -1, with a message. */
int agefile_read(struct agefile *f);

/**
 * agefile_tag() - get an entry of what was read
 * @f: the file
 * @i: number of the entry; below @f->head.tags
 *
 * Return: the entry, valid until the next agefile_read().
 */
const struct kmemtrace_ages_tag *agefile_tag(const struct agefile *f, size_t i);

/**
 * agefile_older() - sum up the memory of a tag that is at least 1 << @bits ticks old
 * @t: the entry
 * @bits: below KMEMTRACE_AGES_BUCKETS
 */
struct kmemtrace_ages_sum agefile_older(const struct kmemtrace_ages_tag *t,
					unsigned int bits);

/**
 * agefile_add() - add an object to the buckets of ages, as the module does
 * @age: KMEMTRACE_AGES_BUCKETS buckets
 * @ticks: age of the object
 * @bytes: its bytes
 */
void agefile_add(struct kmemtrace_ages_sum *age, uint64_t ticks, uint64_t bytes);

/** agefile_all() - sum up all memory of a tag */
struct kmemtrace_ages_sum agefile_all(const struct kmemtrace_ages_tag *t);

/** agefile_close() - undo agefile_open() */
void agefile_close(struct agefile *f);

#endif /* AGEFILE_H */
