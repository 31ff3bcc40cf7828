// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/msg.h"
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

static void write_rows(const struct profile *p, enum profile_value value,
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

static int explain(const struct profile *p, const struct export *e,
		   const char *value)
{
	bool counts = strstr(value, "objects");

	if (p->no_live)
		return msg_error("the value %s is not known: %s; use --value %s",
				 value, p->no_live, counts ? "allocs" : "alloc");
	if (e->input == EXPORT_STATE && !strncmp(value, "peak", strlen("peak")))
		return msg_error("accounting has no peak of all rows together: use --value live, objects or allocs, or export a recording");
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
