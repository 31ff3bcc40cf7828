// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "report/matrix.h"

static uint32_t place_of(const struct matrix *m, uint32_t cpu)
{
	/* live entries have so many bits of the number of the CPU */
	cpu &= (1u << LIVE_CPU_BITS) - 1;
	if (!m->nodes)
		return cpu;
	return cpu < m->nr_nodes && m->nodes[cpu] ? m->nodes[cpu] - 1 : MATRIX_UNKNOWN;
}

/* A free counts once, when the beginning of its block is freed. */
static void matrix_add_free(void *arg, const struct analysis_change *c)
{
	struct matrix *m = arg;
	uint32_t i;

	if (c->implicit)
		return;
	i = pairs_get(&m->pairs, place_of(m, c->from), place_of(m, c->cpu));
	m->cells = pairs_fit(&m->pairs, m->cells, &m->room, sizeof(*m->cells));
	m->cells[i].frees += c->whole;
	m->cells[i].bytes += c->bytes;
}

void matrix_init(struct matrix *m, struct analysis *a)
{
	*m = (struct matrix){
		.watch = { .free = matrix_add_free, .arg = m },
	};
	analysis_watch(a, &m->watch);
	pairs_init(&m->pairs);
}

void matrix_exit(struct matrix *m)
{
	pairs_exit(&m->pairs);
	free(m->cells);
	free(m->nodes);
}
