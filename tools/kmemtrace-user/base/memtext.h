/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A text that is printed into memory. open_memstream() is not used: if memory runs out,
 * it drops a part of the text, and no later call reports this.
 */
#ifndef MEMTEXT_H
#define MEMTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/**
 * struct memtext - a text that is being printed
 * @out: stream to print to; NULL: memory ran out
 * @text: the text so far, not terminated by a 0
 * @size: bytes of the text so far
 * @room: bytes allocated for @text
 * @failed: memory ran out
 */
struct memtext {
	FILE *out;
	char *text;
	size_t size;
	size_t room;
	bool failed;
};

/**
 * memtext_open() - begin a text
 * @m: the text; it must not move until memtext_close()
 *
 * Return: stream to print to; NULL if memory ran out: then memtext_close() must not be
 * called.
 */
FILE *memtext_open(struct memtext *m);

/**
 * memtext_close() - end a text
 * @m: the text
 * @size: set to the bytes of the text, without the 0 at its end; may be NULL
 *
 * Return: the text, terminated by a 0, which the caller frees; NULL if memory ran out:
 * then msg_no_memory() has been called.
 */
char *memtext_close(struct memtext *m, size_t *size);

#endif /* MEMTEXT_H */
