// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>

#include "export/profile.h"
#include "report/report.h"

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

	fputs(site_total_names[row->class], out);
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

static void folded_write_rows(const struct profile *p, enum profile_value value,
			      FILE *out)
{
	size_t i;

	for (i = 0; i < p->count; i++) {
		uint64_t n = p->rows[i].value[value];

		if (!n)
			continue;
		write_stack(p, &p->rows[i], out);
		fprintf(out, " %" PRIu64 "\n", n);
	}
}

int folded_write(const struct export *e)
{
	enum profile_value value;
	struct profile p;
	int ret = profile_read_value(&p, e, &value);

	if (!ret) {
		folded_write_rows(&p, value, e->out);
		profile_print_notes(&p);
		ret = profile_exit(&p);
	}
	profile_free(&p);
	return ret;
}
