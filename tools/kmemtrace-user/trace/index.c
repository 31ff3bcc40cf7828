// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memtext.h"
#include "trace/index.h"
#include "trace/trace_format.h"

void trace_sync_add_times(struct trace_sync *sync, uint64_t first,
			  uint64_t last)
{
	if (!last)
		return;
	if (!sync->time_last || first < sync->time_first)
		sync->time_first = first;
	if (last > sync->time_last)
		sync->time_last = last;
}

void trace_index_exit(struct trace_index *x)
{
	free(x->texts);
	free(x->starts);
	free(x->syncs);
	free(x->stacks);
	memset(x, 0, sizeof(*x));
}

void trace_index_add_text(struct trace_index *x, uint64_t offset)
{
	*array_add(x->texts, x->nr_texts) = offset;
}

void trace_index_add_start(struct trace_index *x, uint32_t cpu, uint32_t seq)
{
	size_t i;

	for (i = 0; i < x->nr_starts; i++)
		if (x->starts[i].cpu == cpu)
			return;
	*array_add(x->starts, x->nr_starts) = (struct trace_start){ cpu, seq };
}

void trace_index_add_sync(struct trace_index *x, const struct trace_sync *sync)
{
	*array_add(x->syncs, x->nr_syncs) = *sync;
}

void trace_index_add_stacks(struct trace_index *x, uint64_t offset,
			    uint32_t generation)
{
	*array_add(x->stacks, x->nr_stacks) = (struct trace_stacks){ offset, generation };
}

/* --- the text ------------------------------------------------------------- */

char *trace_index_print(const struct trace_index *x, size_t *size)
{
	struct memtext text;
	FILE *out = memtext_open(&text);
	size_t i;

	for (i = 0; i < x->nr_texts; i++)
		fprintf(out, "text=%" PRIu64 "\n", x->texts[i]);
	for (i = 0; i < x->nr_starts; i++)
		fprintf(out, "cpu=%" PRIu32 " %" PRIu32 "\n", x->starts[i].cpu,
			x->starts[i].seq);
	for (i = 0; i < x->nr_syncs; i++)
		fprintf(out,
			"sync=%" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIu64
			" %" PRIu64 "\n",
			x->syncs[i].offset, x->syncs[i].low, x->syncs[i].whole,
			x->syncs[i].time_first, x->syncs[i].time_last);
	for (i = 0; i < x->nr_stacks; i++)
		fprintf(out, "stacks=%" PRIu64 " %" PRIu32 "\n",
			x->stacks[i].offset, x->stacks[i].generation);
	return memtext_close(&text, size);
}

#define NUMBERS_MAX 5

/* Return: the count of numbers in a line, separated by blanks; -1 for any other line. */
static int get_numbers(const char *at, uint64_t numbers[NUMBERS_MAX])
{
	char *end;
	int n;

	for (n = 0; n < NUMBERS_MAX && *at >= '0' && *at <= '9'; n++) {
		numbers[n] = strtoull(at, &end, 10);
		at = *end == ' ' ? end + 1 : end;
	}
	return *at == '\n' || !*at ? n : -1;
}

static bool add_parsed_sync(struct trace_index *x, const uint64_t *n)
{
	const struct trace_sync sync = { n[0], n[1], n[2], n[3], n[4] };

	if (x->nr_syncs && sync.offset < x->syncs[x->nr_syncs - 1].offset)
		return false;
	trace_index_add_sync(x, &sync);
	return true;
}

static bool add_parsed_stacks(struct trace_index *x, const uint64_t *n)
{
	if (x->nr_stacks && n[0] < x->stacks[x->nr_stacks - 1].offset)
		return false;
	trace_index_add_stacks(x, n[0], n[1]);
	return true;
}

static bool parse_line(struct trace_index *x, const char *line)
{
	uint64_t n[NUMBERS_MAX];

	if (!strncmp(line, "text=", 5)) {
		if (!(get_numbers(line + 5, n) == 1))
		       return false;
		trace_index_add_text(x, n[0]);
		return true;
	}
	if (!strncmp(line, "cpu=", 4)) {
		if (!(get_numbers(line + 4, n) == 2 && n[0] < TRACE_CPUS_MAX))
		       return false;
		trace_index_add_start(x, n[0], n[1]);
		return true;
	}
	if (!strncmp(line, "sync=", 5))
		return get_numbers(line + 5, n) == 5 &&
		       add_parsed_sync(x, n);
	if (!strncmp(line, "stacks=", 7))
		return get_numbers(line + 7, n) == 2 &&
		       add_parsed_stacks(x, n);
	return true;
}

bool trace_index_parse(struct trace_index *x, const char *text)
{
	while (*text) {
		if (!parse_line(x, text))
			return false;
		text = strchrnul(text, '\n');
		text += *text == '\n';
	}
	return true;
}

/* --- lookup --------------------------------------------------------------- */

/* Return: whether sequence number @x is before @y. Sequence numbers wrap. */
static bool is_before(uint32_t x, uint32_t y)
{
	return (int32_t)(x - y) < 0;
}

/*
 * Finds the last sync that has only records with earlier times before it. This sync may
 * be too late: if the clocks or the readers of the CPUs differ, a record after the sync
 * may have a smaller number than a record before it. All records from the sync's `low` on
 * are needed to determine the losses. So the function returns the last sync up to there
 * that has all these records after it.
 */
const struct trace_sync *trace_index_before(const struct trace_index *x,
					    uint64_t time)
{
	size_t i, n = 0;
	uint32_t low;

	while (n < x->nr_syncs && x->syncs[n].time_last < time)
		n++;
	if (!n)
		return NULL;
	low = x->syncs[n - 1].low;
	for (i = n; i > 0; i--)
		if (!is_before(low, x->syncs[i - 1].whole))
			return &x->syncs[i - 1];
	return NULL;
}

/*
 * Finds the first sync that has no wanted times after it. Records after this sync may
 * have smaller numbers than records before it, and would look lost. So the function
 * returns the first sync from there on that has no such records after it.
 */
const struct trace_sync *trace_index_behind(const struct trace_index *x,
					    uint64_t time)
{
	size_t i = x->nr_syncs;
	uint32_t whole;

	while (i > 0 && (x->syncs[i - 1].time_first > time ||
			 !x->syncs[i - 1].time_last))
		i--;
	if (!i)
		return x->nr_syncs ? &x->syncs[0] : NULL;
	whole = x->syncs[i - 1].whole;
	for (i--; i < x->nr_syncs; i++)
		if (!is_before(x->syncs[i].low, whole))
			return &x->syncs[i];
	return NULL;
}

const struct trace_stacks *trace_index_stacks(const struct trace_index *x,
					      uint64_t offset, size_t *count)
{
	size_t end = 0, first;

	while (end < x->nr_stacks && x->stacks[end].offset < offset)
		end++;
	first = end;
	while (first &&
	       x->stacks[first - 1].generation == x->stacks[end - 1].generation)
		first--;
	*count = end - first;
	return *count ? x->stacks + first : NULL;
}

bool trace_index_span(const struct trace_index *x, uint64_t *first,
		      uint64_t *last)
{
	size_t i;

	*first = UINT64_MAX;
	*last = 0;
	for (i = 0; i < x->nr_syncs; i++) {
		if (!x->syncs[i].time_last)
			continue;
		if (x->syncs[i].time_first < *first)
			*first = x->syncs[i].time_first;
		if (x->syncs[i].time_last > *last)
			*last = x->syncs[i].time_last;
	}
	return *last != 0;
}
