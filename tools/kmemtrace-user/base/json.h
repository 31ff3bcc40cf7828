/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output of a JSON document. Lists that may be longer than memory (script,
 * page-types --list) are not documents: outbuf.h writes them row by row.
 */
#ifndef JSON_H
#define JSON_H

#include <jansson.h>

/* of all documents; raised when a key changes its meaning or goes away */
#define JSON_VERSION 1

/**
 * json_prepare() - make jansson's allocations known to msg_no_memory()
 *
 * json_object_set_new() and others leave out what there is no memory for. Call this
 * before any of jansson's functions, so that msg_status() reports it.
 */
void json_prepare(void);

/**
 * json_print() - print a document: "version", and what is given
 * @members: the other members, freed; NULL: memory ran out
 *
 * A failed write is no error here: main.c reports it.
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message: memory ran out.
 */
int json_print(json_t *members);

#endif /* JSON_H */
