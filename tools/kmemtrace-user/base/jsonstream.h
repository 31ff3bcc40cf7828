/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes JSON piece by piece, for output that may be larger than memory: records and
 * lists of pages. All other JSON is built with jansson and printed by json_print().
 */
#ifndef JSONSTREAM_H
#define JSONSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_t;
struct outbuf;

/**
 * struct jsonstream - JSON that is being written
 * @out: the buffer in front of the file
 * @follows: the next key, or the next element of an array, follows another one
 */
struct jsonstream {
	struct outbuf *out;
	bool follows;
};

/** jsonstream_open() - begin an object ('{') or an array ('[') */
void jsonstream_open(struct jsonstream *s, char bracket);

/** jsonstream_open_line() - begin an object at the beginning of a line */
void jsonstream_open_line(struct jsonstream *s);

/** jsonstream_close() - end an object ('}') or an array (']') */
void jsonstream_close(struct jsonstream *s, char bracket);

/** jsonstream_end_line() - end a line; the next document may follow */
void jsonstream_end_line(struct jsonstream *s);

/**
 * jsonstream_key() - write the key of the next value
 * @s: the stream, in an object
 * @key: printable ASCII
 */
void jsonstream_key(struct jsonstream *s, const char *key);

/**
 * jsonstream_number() - write a number
 * @s: the stream
 * @n: the number
 * @is_signed: @n is an int64_t
 */
void jsonstream_number(struct jsonstream *s, uint64_t n, bool is_signed);

/** jsonstream_member() - write a key and a number that is not negative */
void jsonstream_member(struct jsonstream *s, const char *key, uint64_t n);

/** jsonstream_hex() - write a number as the string "0x..." */
void jsonstream_hex(struct jsonstream *s, uint64_t n);

/**
 * jsonstream_text() - write a string
 * @s: the stream
 * @text: printable ASCII
 * @len: bytes in @text
 */
void jsonstream_text(struct jsonstream *s, const char *text, size_t len);

/**
 * jsonstream_value() - write a value of jansson, and release it
 * @s: the stream
 * @value: the value; NULL, after memory has run out, is written as null
 */
void jsonstream_value(struct jsonstream *s, struct json_t *value);

#endif /* JSONSTREAM_H */
