/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes messages in the encoding of Protocol Buffers, into memory. A field is a number, or
 * a block of bytes: a string, a message, or an array of numbers.
 */
#ifndef PROTOBUF_H
#define PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* a message; all zeros are an empty one */
struct protobuf {
	uint8_t *data;	/* the encoded fields */
	size_t size;	/* bytes of @data */
	size_t room;	/* bytes allocated for @data */
};

/** protobuf_exit() - free the memory */
void protobuf_exit(struct protobuf *b);

/** protobuf_clear() - remove all fields, but keep the memory */
void protobuf_clear(struct protobuf *b);

/** protobuf_number() - add a number, of a type that is encoded as varint */
void protobuf_number(struct protobuf *b, unsigned int field, uint64_t n);

/** protobuf_bytes() - add a block of bytes */
void protobuf_bytes(struct protobuf *b, unsigned int field, const void *data,
		    size_t size);

/** protobuf_text() - add a string */
void protobuf_text(struct protobuf *b, unsigned int field, const char *text);

/** protobuf_message() - add a message */
void protobuf_message(struct protobuf *b, unsigned int field,
		      const struct protobuf *message);

/** protobuf_numbers() - add an array of numbers: a repeated field that is packed */
void protobuf_numbers(struct protobuf *b, unsigned int field, const uint64_t *n,
		      size_t count);

#endif /* PROTOBUF_H */
