// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "export/packets.h"

#define MAGIC 0xC1FC1FC1u

/* packets are multiples of 8 bytes */
#define ALIGN 8

/* See packets_metadata. */
struct head {
	uint32_t magic;
	uint32_t stream_id;
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t content_size;
	uint64_t packet_size;
	uint64_t packet_seq_num;
	uint64_t events_discarded;
} __attribute__((packed));

const char packets_metadata[] =
	"	packet.header := struct {\n"
	"		uint32_t magic;\n"
	"		uint32_t stream_id;\n"
	"	};\n"
	"};\n"
	"\n"
	"stream {\n"
	"	id = 0;\n"
	"	packet.context := struct {\n"
	"		uint64_clock_t timestamp_begin;\n"
	"		uint64_clock_t timestamp_end;\n"
	"		uint64_t content_size;\n"
	"		uint64_t packet_size;\n"
	"		uint64_t packet_seq_num;\n"
	"		uint64_t events_discarded;\n"
	"	};\n"
	"	event.header := struct {\n"
	"		uint16_t id;\n"
	"		uint64_clock_t timestamp;\n"
	"	};\n"
	"};\n";

void packets_init(struct packets *p, FILE *out)
{
	*p = (struct packets){ .out = out, .data = xmalloc(PACKETS_SIZE) };
}

void packets_exit(struct packets *p)
{
	free(p->data);
}

static void begin_packet(struct packets *p)
{
	p->used = sizeof(struct head);
	p->begin = p->time;
}

static void end_packet(struct packets *p)
{
	size_t size = (p->used + ALIGN - 1) / ALIGN * ALIGN;
	const struct head head = {
		.magic = MAGIC,
		.timestamp_begin = p->begin,
		.timestamp_end = p->time,
		.content_size = 8 * p->used,
		.packet_size = 8 * size,
		.packet_seq_num = p->count,
		.events_discarded = p->discarded,
	};

	memset(p->data + p->used, 0, size - p->used);
	memcpy(p->data, &head, sizeof(head));
	fwrite(p->data, 1, size, p->out);
	p->used = 0;
	p->count++;
}

void packets_lose(struct packets *p, uint64_t events)
{
	p->lost += events;
}

/*
 * The next packet counts the losses since the previous one. Readers do not know how many these
 * are in the first packet, so an empty one comes before it.
 */
static void count_losses(struct packets *p)
{
	if (!p->lost)
		return;
	if (!p->used && !p->count)
		begin_packet(p);
	if (p->used)
		end_packet(p);
	p->discarded += p->lost;
	p->lost = 0;
	begin_packet(p);
}

static void packets_put(struct packets *p, const void *data, size_t size)
{
	memcpy(p->data + p->used, data, size);
	p->used += size;
}

void packets_event(struct packets *p, uint16_t id, uint64_t time)
{
	/* a damaged recording; readers have 63 bits */
	if (time > INT64_MAX)
		time = 0;
	if (!p->used && !p->count)
		p->time = time;
	count_losses(p);
	if (p->used > PACKETS_SIZE - PACKETS_EVENT - ALIGN)
		end_packet(p);
	if (time > p->time)
		p->time = time;
	if (p->used <= sizeof(struct head))
		begin_packet(p);
	packets_number(p, id, sizeof(id));
	packets_number(p, p->time, sizeof(p->time));
}

void packets_number(struct packets *p, uint64_t n, size_t size)
{
	const uint8_t n8 = n;
	const uint16_t n16 = n;
	const uint32_t n32 = n;

	switch (size) {
	case 1:
		packets_put(p, &n8, size);
		break;
	case 2:
		packets_put(p, &n16, size);
		break;
	case 4:
		packets_put(p, &n32, size);
		break;
	default:
		packets_put(p, &n, sizeof(n));
	}
}

void packets_text(struct packets *p, const char *text, size_t len)
{
	packets_put(p, text, len);
	packets_put(p, "", 1);
}

/* A stream has at least one packet. */
void packets_finish(struct packets *p)
{
	count_losses(p);
	if (!p->used && !p->count)
		begin_packet(p);
	if (p->used)
		end_packet(p);
}
