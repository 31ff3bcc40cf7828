/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A cache of texts that are expensive to make, by number: the symbols of call sites.
 */
#ifndef MEMO_H
#define MEMO_H

#include <stddef.h>
#include <stdint.h>

/* bytes of a text, with the 0; a longer text is truncated */
#define MEMO_TEXT_MAX 1024

struct memo;

/**
 * typedef memo_make - make the text of a number
 * @arg: argument of memo_create()
 * @key: the number
 * @to: set to the text
 * @size: bytes of @to
 */
typedef void (*memo_make)(void *arg, uint64_t key, char *to, size_t size);

/**
 * memo_create() - make an empty cache
 * @make: makes a text
 * @arg: argument of @make
 *
 * Return: the cache, of up to 4 MiB.
 */
struct memo *memo_create(memo_make make, void *arg);

/** memo_destroy() - free a cache; does nothing for NULL */
void memo_destroy(struct memo *m);

/**
 * memo_get() - get the text of a number
 * @m: the cache
 * @key: the number
 * @len: set to the bytes in the text
 *
 * Return: the text, printable, terminated by a 0, valid until the next call.
 */
const char *memo_get(struct memo *m, uint64_t key, size_t *len);

#endif /* MEMO_H */
