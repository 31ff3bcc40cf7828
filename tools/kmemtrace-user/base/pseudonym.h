/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hashes that replace names. With the same key, a name always has the same hash. Who does
 * not know the key cannot test whether a hash is that of a name.
 */
#ifndef PSEUDONYM_H
#define PSEUDONYM_H

struct pseudonyms;

/* bytes of a hash, with the 0 at its end; it fits into the name of a thread */
#define PSEUDONYM_SIZE 13

/* the most bytes of a key, without the 0 at its end */
#define PSEUDONYM_KEY_MAX 256

/**
 * pseudonyms_create() - begin with a key
 * @key: the key, of at most PSEUDONYM_KEY_MAX bytes
 * @ret: set to the hashes; NULL on failure
 *
 * Return: EXIT_DONE; EXIT_FAILED, with a message, if the system's
 * crypt() refuses SHA-256.
 */
int pseudonyms_create(const char *key, struct pseudonyms **ret);

/** pseudonyms_destroy() - free; NULL is allowed */
void pseudonyms_destroy(struct pseudonyms *p);

/**
 * pseudonym() - get the hash of a name
 * @p: the hashes so far
 * @name: the name; "" remains ""
 *
 * Takes about 1 ms for a new name.
 *
 * Return: the hash, valid until the next call.
 */
const char *pseudonym(struct pseudonyms *p, const char *name);

#endif /* PSEUDONYM_H */
