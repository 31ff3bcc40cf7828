// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "export/protobuf.h"

/* types of fields */
enum { TYPE_VARINT = 0, TYPE_BYTES = 2 };

/* bytes of the longest varint */
#define VARINT_MAX 10

void protobuf_exit(struct protobuf *b)
{
	free(b->data);
}

void protobuf_clear(struct protobuf *b)
{
	b->size = 0;
}

static void make_room(struct protobuf *b, size_t size)
{
	size_t room = b->room ? b->room : 256;

	while (room < b->size + size)
		room *= 2;
	array_fit(b->data, b->room, room);
}

static size_t varint_size(uint64_t n)
{
	size_t size = 1;

	while (n >>= 7)
		size++;
	return size;
}

static void put_varint(struct protobuf *b, uint64_t n)
{
	make_room(b, VARINT_MAX);
	for (; n >= 0x80; n >>= 7)
		b->data[b->size++] = n | 0x80;
	b->data[b->size++] = n;
}

static void put_key(struct protobuf *b, unsigned int field, unsigned int type)
{
	put_varint(b, (uint64_t)field << 3 | type);
}

void protobuf_number(struct protobuf *b, unsigned int field, uint64_t n)
{
	put_key(b, field, TYPE_VARINT);
	put_varint(b, n);
}

void protobuf_bytes(struct protobuf *b, unsigned int field, const void *data,
		    size_t size)
{
	put_key(b, field, TYPE_BYTES);
	put_varint(b, size);
	if (!size)
		return;
	make_room(b, size);
	memcpy(b->data + b->size, data, size);
	b->size += size;
}

void protobuf_text(struct protobuf *b, unsigned int field, const char *text)
{
	protobuf_bytes(b, field, text, strlen(text));
}

void protobuf_message(struct protobuf *b, unsigned int field,
		      const struct protobuf *message)
{
	protobuf_bytes(b, field, message->data, message->size);
}

void protobuf_numbers(struct protobuf *b, unsigned int field, const uint64_t *n,
		      size_t count)
{
	size_t size = 0, i;

	for (i = 0; i < count; i++)
		size += varint_size(n[i]);
	put_key(b, field, TYPE_BYTES);
	put_varint(b, size);
	for (i = 0; i < count; i++)
		put_varint(b, n[i]);
}
