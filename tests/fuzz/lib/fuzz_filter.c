// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as a filter. It is refused with a position in the text. Or it is a program
 * that only jumps forward, and that needs no more memory than kmt_filter_room() says. A !
 * in front inverts its result.
 */
#include <stdio.h>
#include <stdlib.h>

#include "filter_check.h"
#include "fuzz.h"

/* Many names are functions; some of these have size 0. */
static bool find_function(void *arg, const char *name, size_t len, u64 address,
			  u64 *start, u64 *size)
{
	if (fv_find_function(arg, name, len, address, start, size))
		return true;
	*start = name ? len << 60 : address & ~0xfffull;
	*size = name ? len % 3 : 0x1000;
	return !name || len % 4;
}

static const struct kmt_filter_env env = {
	.groups = ~0u,
	.nr_cpus = FV_NR_CPUS,
	.function = find_function,
};

/* Compile in exactly kmt_filter_room() bytes. Return: the filter; NULL: malformed. */
static struct kmt_filter *compile(const char *text)
{
	size_t len = strlen(text);
	struct kmt_filter *f = malloc(kmt_filter_room(len)), *copy;
	struct kmt_filter_error error;
	const char *wrong;

	FUZZ_MUST(f);
	if (!kmt_filter_compile(f, text, &env, &error)) {
		FUZZ_MUST(error.code > KMT_FILTER_OK);
		FUZZ_MUST(error.code < KMT_FILTER_ERRORS);
		FUZZ_MUST(error.column >= 1 && error.column <= len + 1);
		free(f);
		return NULL;
	}
	wrong = fv_check_shape(f, len);
	if (wrong)
		fprintf(stderr, "the program %s\n", wrong);
	FUZZ_MUST(!wrong);
	copy = malloc(f->size);
	FUZZ_MUST(copy);
	memcpy(copy, f, f->size);
	free(f);
	return copy;
}

/* Match each sample, with only its own groups known. */
static void match_some_known(const struct kmt_filter *f)
{
	u8 *visited = calloc(f->nr_terms, 1);
	struct fv_event e;
	size_t i;
	bool match;

	FUZZ_MUST(visited);
	for (i = 0; i < FV_RECORDS; i++) {
		memset(visited, 0, f->nr_terms);
		fv_event_set(&e, &fv_records[i]);
		match = kmt_filter_match_noting(f, &e.ev, &e.x, fv_fetch,
						visited);
		FUZZ_MUST(visited[0] == 1);
		FUZZ_MUST(!e.again);
		FUZZ_MUST(e.asked ==
			  fv_groups_missing(f, visited, fv_records[i].x.have));
		fv_event_set(&e, &fv_records[i]);
		FUZZ_MUST(kmt_filter_match(f, &e.ev, &e.x, fv_fetch) == match);
	}
	free(visited);
}

/* Match each sample, with all groups known. Return: the results, one bit each. */
static unsigned int match_all_known(const struct kmt_filter *f)
{
	unsigned int matches = 0;
	struct fv_event e;
	size_t i;

	for (i = 0; i < FV_RECORDS; i++) {
		fv_event_set(&e, &fv_records[i]);
		e.x.have = ~0u;
		if (!e.x.cache_name)
			e.x.cache_name = "kmt_cache";
		matches |= kmt_filter_match(f, &e.ev, &e.x, NULL) << i;
	}
	return matches;
}

static unsigned int meaning(const char *before, const char *text,
			    const char *behind)
{
	char *all = malloc(strlen(before) + strlen(text) + strlen(behind) + 1);
	struct kmt_filter *f;
	unsigned int matches;

	FUZZ_MUST(all);
	strcat(strcat(strcpy(all, before), text), behind);
	f = compile(all);
	FUZZ_MUST(f);
	matches = match_all_known(f);
	free(f);
	free(all);
	return matches;
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	const unsigned int all = (1u << FV_RECORDS) - 1;
	char *text = fuzz_text(data, size);
	struct kmt_filter *f = compile(text);
	bool is_filter = f;
	unsigned int matches;

	if (f) {
		match_some_known(f);
		matches = match_all_known(f);
		if (strlen(text) + 5 < KMT_FILTER_TEXT_MAX) {
			FUZZ_MUST(meaning("(", text, " )") == matches);
			FUZZ_MUST(meaning("!(", text, " )") == (all ^ matches));
		}
	}
	free(f);
	free(text);
	return is_filter;
}
