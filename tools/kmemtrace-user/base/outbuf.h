/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output of many lines: a buffer, and numbers written without printf(), which
 * would take longer than all the rest.
 */
#ifndef OUTBUF_H
#define OUTBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* room that any number takes as text, its 0 included */
#define OUTBUF_NUMBER 24

/**
 * struct outbuf - a buffer in front of a file
 * @fd: the file
 * @error: errno of the first write that failed; from then on nothing is
 *	written
 * @used: bytes in @data
 * @data: what is not written yet
 */
struct outbuf {
	int fd;
	int error;
	size_t used;
	char data[64 * 1024];
};

/** outbuf_init() - begin to write to a file */
void outbuf_init(struct outbuf *o, int fd);

/** outbuf_flush() - write what is there; whether all went well so far */
bool outbuf_flush(struct outbuf *o);

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
 * outbuf_padded() - append a text, filled up with blanks
 * @o: the buffer
 * @text: the text
 * @len: bytes in it
 * @width: to be filled: to the left of @text; to the right if it is negative
 */
void outbuf_padded(struct outbuf *o, const char *text, size_t len, int width);

/**
 * outbuf_decimal() - a number as text
 * @to: OUTBUF_NUMBER bytes
 * @n: the number
 * @is_signed: it may be negative
 * @digits: write at least so many, up to 20
 *
 * Return: bytes written.
 */
size_t outbuf_decimal(char *to, uint64_t n, bool is_signed,
		      unsigned int digits);

/**
 * outbuf_hex() - a number as hexadecimal text
 * @to: OUTBUF_NUMBER bytes
 * @n: the number
 *
 * Return: bytes written.
 */
size_t outbuf_hex(char *to, uint64_t n);

#endif /* OUTBUF_H */
