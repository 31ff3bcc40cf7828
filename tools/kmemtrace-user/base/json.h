/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output of a JSON document. Lists that may be larger than memory (script,
 * page-types --list) are not documents: they are written row by row (jsonstream.h).
 */
#ifndef JSON_H
#define JSON_H

#include <jansson.h>

/* version of all documents; raised when a key is removed or changes its meaning */
#define JSON_VERSION 1

/**
 * json_prepare() - report failed allocations of jansson to msg_no_memory()
 *
 * If memory runs out, json_object_set_new() and others omit the member. msg_status()
 * then reports that the output is incomplete.
 *
 * Context: before any function of jansson.
 */
void json_prepare(void);

/**
 * json_print() - print a document: "version", and the given members
 * @members: the other members, which are freed; NULL: memory ran out
 *
 * Does not report a failed write, because main.c does.
 *
 * Return: EXIT_DONE; EXIT_FAILED if memory ran out, with a message.
 */
int json_print(json_t *members);

#endif /* JSON_H */
