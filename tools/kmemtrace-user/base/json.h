/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output of a JSON document. Lists that may be larger than memory (script,
 * page-types --list) are not documents: they are written row by row (jsonstream.h).
 */
#ifndef JSON_H
#define JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* version of all documents; raised when a key is removed or changes its meaning */
#define JSON_VERSION 1

/**
 * json_prepare() - let a lack of memory in jansson end the tool, as by die()
 *
 * Context: before any function of jansson.
 */
void json_prepare(void);

/**
 * json_print() - print a document: "version", and the given members
 * @members: the other members, which are freed
 *
 * Does not report a failed write, because main.c does.
 *
 * Return: EXIT_DONE.
 */
int json_print(json_t *members);

/**
 * json_save() - write a document to a file, as json_print() prints it; see outfile.h
 * @members: as for json_print()
 * @path: path of the file
 *
 * Return: EXIT_DONE; EXIT_FAILED with a message.
 */
int json_save(json_t *members, const char *path);

/**
 * json_text() - copy a member that is a string, as printable ASCII
 * @object: the object
 * @key: name of the member
 * @to: set to the string; "" if there is none
 * @size: bytes of @to; a longer string is cut
 *
 * Return: false if there is no such string.
 */
bool json_text(const json_t *object, const char *key, char *to, size_t size);

/* the most bytes that a document is believed to have, so that no sum exceeds 64 bits */
#define JSON_BYTES_MAX (1ll << 56)

/**
 * json_take_bytes() - read a member that is a number of bytes
 * @object: the object
 * @key: name of the member
 * @to: set to the number; 0 if there is none
 *
 * Return: false if there is no such number, or it is negative or above JSON_BYTES_MAX.
 */
bool json_take_bytes(const json_t *object, const char *key, uint64_t *to);

#endif /* JSON_H */
