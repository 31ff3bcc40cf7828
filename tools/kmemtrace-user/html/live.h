/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the page shows of the present state of the machine, besides the tags: caches,
 * processes, waste, all memory, and leaks.
 */
#ifndef LIVE_HTML_H
#define LIVE_HTML_H

struct json_t;

/**
 * live_leaks() - observe live memory, and make the document of leaks
 * @document: gets the member "leaks"
 * @seconds: duration of the observation; 0: the member says how to get the verdicts
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int live_leaks(struct json_t *document, double seconds);

/**
 * live_add() - read the other parts
 * @document: gets the members "caches", "processes", "waste" and "memory". A part that
 *	cannot be read is an object with the member "why" alone
 *
 * Return: EXIT_DONE; EXIT_FAILED, after a message, if a part is missing.
 */
int live_add(struct json_t *document);

#endif /* LIVE_HTML_H */
