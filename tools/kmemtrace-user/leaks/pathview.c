// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/plural.h"
#include "base/table.h"
#include "leaks/pathview.h"
#include "leaks/witness.h"

/* call paths and places that free, of one site, in text */
#define PATHS 3
#define FREED 3

static bool is_system_call(const struct path *p, const struct witness *w)
{
	static const char *const functions[] = { "do_syscall_", "entry_SYSCALL_", "invoke_syscall" };
	size_t i, k;

	for (i = 0; i < p->depth; i++)
		for (k = 0; k < sizeof(functions) / sizeof(*functions); k++)
			if (!strncmp(witness_name(w, p->stack[i]), functions[k], strlen(functions[k])))
				return true;
	return false;
}

bool pathview_of_system_calls(const struct pathview *v, const struct path_task **task)
{
	const struct paths *p = &v->w->paths;
	bool found = false;
	size_t i;

	*task = NULL;
	for (i = 0; i < p->count; i++) {
		const struct path_task *first = p->path[i].task;
		bool is_alone = !first[1].count && !p->path[i].others;

		if (!v->is_at(v->arg, p->path[i].site))
			continue;
		if (!first->count || first->tgid <= 0 || !is_system_call(&p->path[i], v->w))
			return false;
		if (!found && is_alone)
			*task = first;
		else if (!is_alone || (*task && (*task)->tgid != first->tgid))
			*task = NULL;
		found = true;
	}
	return found;
}

/* --- text -------------------------------------------------------------------------- */

static void print_tasks(FILE *out, const struct path *p)
{
	const struct path_task *t = p->task;
	int i;

	for (i = 0; i < PATHS_TASKS && t[i].count; i++) {
		fprintf(out, "%s%s", i ? ", " : "    by ", t[i].comm);
		if (t[i].tgid != PATHS_INTERRUPT)
			fprintf(out, "-%d", t[i].tgid);
		fprintf(out, " (%llu)", (unsigned long long)t[i].count);
	}
	if (p->others)
		fprintf(out, ", others (%llu)", (unsigned long long)p->others);
	if (i)
		fputc('\n', out);
}

static void print_path(FILE *out, const struct path *p, const struct witness *w)
{
	char b[20];
	unsigned int i;

	fprintf(out, "  %llu allocated (%s), %llu freed; %.3g %% live longer than %.1f s; %llu to %llu bytes requested\n",
		(unsigned long long)p->allocs, table_human(b, sizeof(b), p->bytes, 1),
		(unsigned long long)p->frees, 100 * p->kept, w->paths.kept_age / 1e9,
		(unsigned long long)p->size_min, (unsigned long long)p->size_max);
	print_tasks(out, p);
	for (i = 0; i < p->depth; i++)
		fprintf(out, "    %s\n", witness_name(w, p->stack[i]));
	if (!p->depth)
		fputs("    (no stack was recorded)\n", out);
}

static void print_freed(FILE *out, const struct pathview *v)
{
	const struct paths *p = &v->w->paths;
	unsigned long long rest = 0;
	size_t i, shown = 0;

	for (i = 0; i < p->nr_freed; i++) {
		if (!v->is_at(v->arg, p->freed[i].site))
			continue;
		if (shown++ >= FREED)
			rest += p->freed[i].count;
		else
			fprintf(out, "%s%s (%llu)",
				shown > 1 ? ", " : "Objects of this site are freed at ",
				witness_name(v->w, p->freed[i].addr),
				(unsigned long long)p->freed[i].count);
	}
	if (shown > FREED)
		fprintf(out, ", and %zu more place%s (%llu)", shown - FREED,
			plural(shown - FREED), rest);
	fputs(shown ? ".\n" : "No object that was allocated in this time was freed.\n", out);
}

static void print_rest(FILE *out, size_t count, const struct path *sum)
{
	char b[20];

	fprintf(out, "  %zu more path%s: %llu allocated (%s), %llu freed\n", count, plural(count),
		(unsigned long long)sum->allocs, table_human(b, sizeof(b), sum->bytes, 1),
		(unsigned long long)sum->frees);
}

void pathview_print(FILE *out, const struct pathview *v)
{
	const struct paths *p = &v->w->paths;
	struct path rest = { 0 };
	size_t i, shown = 0;

	for (i = 0; i < p->count; i++) {
		if (!v->is_at(v->arg, p->path[i].site))
			continue;
		if (!shown++)
			fprintf(out, "Call paths in %.1f s, the one that keeps the largest share of its objects first:\n",
				v->w->seconds);
		if (shown <= PATHS) {
			print_path(out, &p->path[i], v->w);
			continue;
		}
		rest.allocs += p->path[i].allocs;
		rest.bytes += p->path[i].bytes;
		rest.frees += p->path[i].frees;
	}
	if (shown > PATHS)
		print_rest(out, shown - PATHS, &rest);
	if (shown)
		print_freed(out, v);
	else
		fprintf(out, "It allocated nothing in %.1f s of recording.\n", v->w->seconds);
	if (v->w->lost)
		fprintf(out, "LOST %llu event%s of this recording.\n",
			(unsigned long long)v->w->lost, plural(v->w->lost));
}

/* --- JSON -------------------------------------------------------------------------- */

static json_t *json_path(const struct witness *w, size_t n)
{
	json_t *stack = json_array(), *tasks = json_array();
	const struct path *p = &w->paths.path[n];
	unsigned int i;

	for (i = 0; i < p->depth; i++)
		json_array_append_new(stack, json_string(witness_name(w, p->stack[i])));
	for (i = 0; i < PATHS_TASKS && p->task[i].count; i++)
		json_array_append_new(tasks,
				      json_pack("{s:s,s:o,s:I}", "comm", p->task[i].comm,
						"tgid", p->task[i].tgid == PATHS_INTERRUPT ?
								json_null() :
								json_integer(p->task[i].tgid),
						"allocs", (json_int_t)p->task[i].count));
	return json_pack("{s:I,s:I,s:I,s:f,s:I,s:I,s:s?,s:o,s:o}", "allocs",
			 (json_int_t)p->allocs, "bytes", (json_int_t)p->bytes, "frees",
			 (json_int_t)p->frees, "kept_percent",
			 round(1000 * p->kept) / 10, "size_min",
			 (json_int_t)p->size_min, "size_max", (json_int_t)p->size_max,
			 "cache", w->cache[n], "stack", stack, "tasks", tasks);
}

void pathview_json(json_t *to, const struct pathview *v)
{
	json_t *paths = json_array(), *freed = json_array();
	const struct paths *p = &v->w->paths;
	size_t i;

	for (i = 0; i < p->count; i++)
		if (v->is_at(v->arg, p->path[i].site))
			json_array_append_new(paths, json_path(v->w, i));
	for (i = 0; i < p->nr_freed; i++)
		if (v->is_at(v->arg, p->freed[i].site))
			json_array_append_new(freed, json_pack("{s:s,s:I}", "site",
				witness_name(v->w, p->freed[i].addr), "frees",
				(json_int_t)p->freed[i].count));
	json_object_set_new(to, "paths", paths);
	json_object_set_new(to, "freed_at", freed);
}
