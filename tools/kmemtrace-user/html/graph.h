/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks of a profile as JSON, for the graph of the page.
 */
#ifndef GRAPH_HTML_H
#define GRAPH_HTML_H

#include "html/content.h"

struct json_t;

/**
 * graph_json() - make the stacks with their figures, and with their flows
 * @s: the content
 *
 * The first stacks of ranking_make() have rows. The others are one row for each kind of
 * memory.
 *
 * Return: an object.
 */
struct json_t *graph_json(const struct content *s);

#endif /* GRAPH_HTML_H */
