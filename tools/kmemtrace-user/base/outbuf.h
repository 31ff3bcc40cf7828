/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output of many lines: a buffer, and a fast conversion of numbers. printf() would take
 * more time than the rest of the command.
 */
#ifndef OUTBUF_H
#define OUTBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* bytes of the longest number as text, with the 0 at its end */
#define OUTBUF_NUMBER 24

/**
 * struct outbuf - a buffer in front of a file
 * @fd: the file
 * @error: errno of the first write that failed; nothing is written after it
 * @used: bytes in @data
 * @data: data that are not written yet
 */
struct outbuf {
	int fd;
	int error;
	size_t used;
	char data[64 * 1024];
};

/** outbuf_init() - set up an empty buffer for a file */
void outbuf_init(struct outbuf *o, int fd);

/** outbuf_flush() - write the data; return false if this or an earlier write failed */
bool outbuf_flush(struct outbuf *o);

/**
 * outbuf_room() - get room in the buffer
 * @o: the buffer
 * @size: bytes, at most half of the buffer
 *
 * Return: the room. outbuf_use() appends what was written there.
 */
static inline char *outbuf_room(struct outbuf *o, size_t size)
{
	if (sizeof(o->data) - o->used < size)
		outbuf_flush(o);
	return o->data + o->used;
}

/** outbuf_use() - append the first bytes of outbuf_room() */
static inline void outbuf_use(struct outbuf *o, size_t size)
{
	o->used += size;
}

/** outbuf_bytes() - append bytes */
void outbuf_bytes(struct outbuf *o, const char *data, size_t size);

/** outbuf_text() - append a text */
static inline void outbuf_text(struct outbuf *o, const char *text)
{
	outbuf_bytes(o, text, strlen(text));
}

/** outbuf_char() - append a character */
static inline void outbuf_char(struct outbuf *o, char c)
{
	if (o->used == sizeof(o->data))
		outbuf_flush(o);
	o->data[o->used++] = c;
}

/**
 * outbuf_padded() - append a text, padded with blanks
 * @o: the buffer
 * @text: the text
 * @len: bytes in @text
 * @width: the least number of characters to append; blanks go in front of @text; behind
 *	it if @width is negative
 */
void outbuf_padded(struct outbuf *o, const char *text, size_t len, int width);

/**
 * outbuf_decimal() - convert a number to decimal text
 * @to: buffer of OUTBUF_NUMBER bytes
 * @n: the number
 * @is_signed: @n is an int64_t
 * @digits: the least number of digits, up to 20
 *
 * Return: bytes written, without the 0 at the end.
 */
size_t outbuf_decimal(char *to, uint64_t n, bool is_signed,
		      unsigned int digits);

/**
 * outbuf_hex() - convert a number to hexadecimal text, with "0x"
 * @to: buffer of OUTBUF_NUMBER bytes
 * @n: the number
 *
 * Return: bytes written, without the 0 at the end.
 */
size_t outbuf_hex(char *to, uint64_t n);

#endif /* OUTBUF_H */
