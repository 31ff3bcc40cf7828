/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The document of a state of accounting: of the module, or of a file of allocinfo --save.
 * It has the figures of allocinfo, and neither times nor stacks.
 */
#ifndef STATE_HTML_H
#define STATE_HTML_H

#include "trace/anonymize.h"

struct json_t;

/**
 * state_document() - read a state, and make its document
 * @path: the file; NULL: the module, and the machine
 * @seconds: time to observe for leaks; 0: do not
 * @how: what to leave out: addresses, names of processes
 * @ret: set to the document
 *
 * Return: EXIT_DONE; EXIT_FAILED, after a message: with a document, this lacks some parts.
 */
int state_document(const char *path, double seconds, const struct anonymize *how,
		   struct json_t **ret);

#endif /* STATE_HTML_H */
