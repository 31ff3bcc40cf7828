/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The conclusions of other commands from a recording: the waste with its remedies (waste),
 * and the sites that leak (leaks).
 */
#ifndef VERDICTS_HTML_H
#define VERDICTS_HTML_H

#include "html/content.h"

struct json_t;

/**
 * verdicts_cut_waste() - keep the rows of the command waste that the page has
 * @waste: the document; NULL: there is none
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
void verdicts_cut_waste(struct json_t *waste);

/** verdicts_cut_leaks() - the same of the command leaks */
void verdicts_cut_leaks(struct json_t *leaks);

/**
 * verdicts_add() - add the documents of waste and leaks to a document
 * @document: gets the members "waste" and "leaks". Each may be an object with the member
 *	"why" alone: the reason why there is none
 * @s: the content; @s->leaks is set if the verdicts are known
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int verdicts_add(struct json_t *document, struct content *s);

#endif /* VERDICTS_HTML_H */
