// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "export/profile.h"
#include "report/report.h"

static int by_stack(const void *x, const void *y)
{
	const struct profile_row *a = x, *b = y;

	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return a->stack == b->stack ? 0 : a->stack < b->stack ? -1 : 1;
}

/* A semicolon separates functions, and a blank precedes the value. */
static void write_name(FILE *out, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';' ? ',' : *name, out);
}

static void write_stack(const struct profile *p, const struct profile_row *row,
			FILE *out)
{
	size_t depth;
	const uint64_t *frames = stacks_at(&p->stacks, row->stack, &depth);

	fputs(report_classes[row->class], out);
	while (depth--) {
		const struct profile_frame *f = &p->frames[frames[depth]];

		fputc(';', out);
		write_name(out, f->name);
		if (!f->source)
			continue;
		fputc(' ', out);
		write_name(out, f->source);
	}
}

/* Rows that differ only by their labels are one line. */
static void write_rows(const struct profile *p, enum profile_value value,
		       FILE *out)
{
	uint64_t sum = 0;
	size_t i;

	qsort(p->rows, p->count, sizeof(*p->rows), by_stack);
	for (i = 0; i < p->count; i++) {
		sum += p->rows[i].value[value];
		if (i + 1 < p->count && !by_stack(&p->rows[i], &p->rows[i + 1]))
			continue;
		if (sum) {
			write_stack(p, &p->rows[i], out);
			fprintf(out, " %" PRIu64 "\n", sum);
		}
		sum = 0;
	}
}

static int explain(const struct profile *p, const struct export *e,
		   const char *value)
{
	if (p->no_live)
		return msg_error("%s is not known: %s; use --value alloc", value,
				 p->no_live);
	if (e->input == EXPORT_STATE)
		return msg_error("accounting does not have %s: use --value live, objects or allocs, or export a recording",
				 value);
	return msg_error("--value %s reads the recording twice, and a pipe can be read only once: save the recording to a file",
			 value);
}

int folded_write(const struct export *e)
{
	int value = e->value ? profile_find(e->value) : PROFILE_LIVE_BYTES;
	struct profile p;
	int ret = profile_read(&p, e, PROFILE_BIT(value), false);

	if (!ret && !(p.have & PROFILE_BIT(value)))
		ret = explain(&p, e, profile_names[value]);
	if (!ret) {
		write_rows(&p, value, e->out);
		profile_print_notes(&p);
		ret = profile_exit(&p);
	}
	profile_free(&p);
	return ret;
}
