/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All memory of this machine, for the tree map: the lines of the command memory, and the
 * sites that have allocated it. The sum is MemTotal.
 */
#ifndef MACHINE_HTML_H
#define MACHINE_HTML_H

struct json_t;

/**
 * machine_document() - count the frames, and make the document
 * @ret: set to the document
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int machine_document(struct json_t **ret);

#endif /* MACHINE_HTML_H */
