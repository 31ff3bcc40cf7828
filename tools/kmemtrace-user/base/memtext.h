/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A text that is printed into memory. open_memstream() is not used: if memory runs out,
 * it drops a part of the text, and no later call reports this.
 */
#ifndef MEMTEXT_H
#define MEMTEXT_H

#include <stddef.h>
#include <stdio.h>

/**
 * struct memtext - a text that is being printed
 * @out: stream to print to
 * @text: the text so far, not terminated by a 0
 * @size: bytes of the text so far
 * @room: bytes allocated for @text
 */
struct memtext {
	FILE *out;
	char *text;
	size_t size;
	size_t room;
};

/**
 * memtext_open() - begin a text
 * @m: the text; it must not move until memtext_close()
 *
 * Return: stream to print to.
 */
FILE *memtext_open(struct memtext *m);

/**
 * memtext_close() - end a text
 * @m: the text
 * @size: set to the bytes of the text, without the 0 at its end; may be NULL
 *
 * Return: the text, terminated by a 0, which the caller frees.
 */
char *memtext_close(struct memtext *m, size_t *size);

#endif /* MEMTEXT_H */
