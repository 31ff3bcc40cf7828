/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Texts that take long to make, kept for the numbers that come again and again:
 * the symbols of call sites.
 */
#ifndef MEMO_H
#define MEMO_H

#include <stddef.h>
#include <stdint.h>

/* texts longer than this are cut */
#define MEMO_TEXT_MAX 1024

struct memo;

/**
 * typedef memo_make - make the text of a number
 * @arg: what memo_create() was given
 * @key: the number
 * @to: gets the text
 * @size: of @to
 */
typedef void (*memo_make)(void *arg, uint64_t key, char *to, size_t size);

/**
 * memo_create() - know no text yet
 * @make: makes them
 * @arg: for @make
 *
 * Return: the memo, of up to 4 MiB; NULL if memory ran out.
 */
struct memo *memo_create(memo_make make, void *arg);

/** memo_destroy() - free; NULL is fine */
void memo_destroy(struct memo *m);

/**
 * memo_get() - the text of a number
 * @m: the memo
 * @key: the number
 * @len: set to the bytes in the text
 *
 * Return: the text, ended by a 0, printable, valid until the next call.
 */
const char *memo_get(struct memo *m, uint64_t key, size_t *len);

#endif /* MEMO_H */
