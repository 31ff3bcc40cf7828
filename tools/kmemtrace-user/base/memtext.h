/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A text that is printed into memory. open_memstream() is not used: where memory runs
 * out, it drops a part of the text, and no later call says so.
 */
#ifndef MEMTEXT_H
#define MEMTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/**
 * struct memtext - a text that is being printed
 * @out: where to print; NULL: out of memory
 * @text: what was printed so far, without a 0
 * @size: bytes of it
 * @room: bytes that @text has room for
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
 * @m: the text; it must stay where it is until memtext_close()
 *
 * Return: where to print; NULL: out of memory, and there is nothing to close.
 */
FILE *memtext_open(struct memtext *m);

/**
 * memtext_close() - end a text
 * @m: the text
 * @size: set to its size, without the 0 at its end; may be NULL
 *
 * Return: all of it, to be freed; NULL: out of memory, which msg_no_memory() was told.
 */
char *memtext_close(struct memtext *m, size_t *size);

#endif /* MEMTEXT_H */
