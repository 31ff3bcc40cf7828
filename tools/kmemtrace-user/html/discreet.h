/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The document of the present state, without addresses of code and names of processes.
 */
#ifndef DISCREET_H
#define DISCREET_H

#include "trace/anonymize.h"

struct json_t;

/**
 * discreet_document() - remove addresses and names from a document
 * @document: the document, of state_document()
 * @how: what to remove
 *
 * Return: EXIT_DONE; EXIT_FAILED after a message.
 */
int discreet_document(struct json_t *document, const struct anonymize *how);

#endif /* DISCREET_H */
