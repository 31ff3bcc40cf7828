// SPDX-License-Identifier: GPL-2.0-only
/*
 * The format is that of kernel/trace/trace_events_hist.c in Linux 6.12. Behind the totals,
 * a histogram of live memory has a line with what it does not know.
 */
#include <linux/cgroup.h>
#include <linux/ctype.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "steer/histfile.h"

#define BAR_WIDTH 20

/**
 * struct row - an entry, and its sums when it was read
 * @entry: the entry
 * @sums: the sums
 */
struct row {
	struct kmt_hist_entry *entry;
	u64 sums[KMT_HIST_VALUES];
};

/**
 * struct rows - what is printed
 * @h: the histogram
 * @row: the rows
 * @n: number of rows
 * @total: sum of each value over all rows
 * @max: maximum of each value
 */
struct rows {
	const struct kmt_hist *h;
	struct row *row;
	u32 n;
	u64 total[KMT_HIST_VALUES];
	u64 max[KMT_HIST_VALUES];
};

/* --- as a trigger --------------------------------------------------------- */

static void show_field(const struct kmt_hist_field *f, struct seq_file *m)
{
	seq_puts(m, f->name);
	if (f->form)
		seq_printf(m, ".%s", kmt_hist_form_names[f->form]);
	if (f->form == KMT_HIST_BUCKETS)
		seq_printf(m, "=%llu", f->width);
}

static void show_fields(const struct kmt_hist_field *f, unsigned int n,
			struct seq_file *m)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (i)
			seq_putc(m, ',');
		show_field(&f[i], m);
	}
}

static void show_sorts(const struct kmt_hist_spec *spec, struct seq_file *m)
{
	const struct kmt_hist_sort *sort = spec->sorts;
	unsigned int i;

	for (i = 0; i < spec->nr_sorts; i++, sort++) {
		if (i)
			seq_putc(m, ',');
		show_fields(sort->is_key ? &spec->keys[sort->index]
					 : &spec->values[sort->index],
			    1, m);
		if (sort->descending)
			seq_puts(m, ".descending");
	}
}

void kmt_histfile_show_trigger(const struct kmt_hist *h, const char *condition,
			       struct seq_file *m)
{
	const struct kmt_hist_spec *spec = &h->spec;

	seq_puts(m, "hist:keys=");
	show_fields(spec->keys, spec->nr_keys, m);
	seq_puts(m, ":vals=");
	show_fields(spec->values + spec->no_hits,
		    spec->nr_values - spec->no_hits, m);
	seq_puts(m, ":sort=");
	show_sorts(spec, m);
	seq_printf(m, ":size=%u", spec->size);
	if (spec->no_hits)
		seq_puts(m, ":nohitcount");
	if (condition)
		seq_printf(m, " if %s", condition);
	seq_puts(m, h->paused ? " [paused]" : " [active]");
}

/* --- keys and values ------------------------------------------------------ */

static void show_stack(const u64 *stack, struct seq_file *m)
{
	unsigned int i;

	for (i = 0; i < KMT_HIST_DEPTH && stack[i]; i++)
		seq_printf(m, "%9c%pS\n", ' ', (void *)(unsigned long)stack[i]);
}

#ifdef CONFIG_CGROUPS
/* Return: the path of a cgroup, to be freed with kfree(); NULL if it is gone. */
static char *path_of(u64 id)
{
	struct cgroup *cgroup = cgroup_get_from_id(id);
	char *path, *at;

	if (IS_ERR_OR_NULL(cgroup))
		return NULL;
	path = kmalloc(PATH_MAX, GFP_KERNEL);
	if (path && cgroup_path(cgroup, path, PATH_MAX) < 0)
		path[0] = '\0';
	cgroup_put(cgroup);
	/* a name can have any character but a newline */
	for (at = path; at && *at; at++)
		if (!isprint(*at))
			*at = '?';
	return path;
}
#else
static char *path_of(u64 id)
{
	return NULL;
}
#endif

static void show_cgroup(u64 id, struct seq_file *m)
{
	char *path = path_of(id);

	seq_printf(m, "%-50s[%10llu]", path ?: "(gone)", id);
	kfree(path);
}

static void show_number(const struct kmt_hist_field *key, u64 value,
			const struct kmt_hist_entry *e, struct seq_file *m)
{
	void *code = (void *)(unsigned long)value;

	switch (key->form) {
	case KMT_HIST_HEX:
		seq_printf(m, "%llx", value);
		break;
	case KMT_HIST_SYM:
		seq_printf(m, "[%llx] %-45ps", value, code);
		break;
	case KMT_HIST_SYM_OFFSET:
		seq_printf(m, "[%llx] %-55pS", value, code);
		break;
	case KMT_HIST_LOG2:
		seq_printf(m, "~ 2^%-2llu", value);
		break;
	case KMT_HIST_BUCKETS:
		seq_printf(m, "~ %llu-%llu", value, value + key->width - 1);
		break;
	case KMT_HIST_PATH:
		show_cgroup(value, m);
		break;
	case KMT_HIST_EXECNAME:
		seq_printf(m, "%-16s[%10llu]", e->comm, value);
		break;
	default:
		seq_printf(m, "%10llu", value);
	}
}

/* Return: whether it has several lines. */
static bool show_key(const struct kmt_hist_field *key,
		     const struct kmt_hist_entry *e, struct seq_file *m)
{
	const u64 *at = e->key + key->offset / sizeof(u64);

	if (key->field->kind == KMT_FIELD_STACK) {
		seq_printf(m, "%s:\n", key->name);
		show_stack(at, m);
		return true;
	}
	seq_printf(m, "%s: ", key->name);
	if (kmt_field_is_string(key->field))
		seq_printf(m, "%-50s", (const char *)at);
	else
		show_number(key, *at, e, m);
	return false;
}

static void show_keys(const struct kmt_hist_spec *spec,
		      const struct kmt_hist_entry *e, struct seq_file *m)
{
	bool lines = false;
	unsigned int i;

	seq_puts(m, "{ ");
	for (i = 0; i < spec->nr_keys; i++) {
		if (i)
			seq_puts(m, ", ");
		lines |= show_key(&spec->keys[i], e, m);
	}
	seq_puts(m, lines ? "}" : " }");
}

/*
 * Sums of numbers that may be negative are what ftrace makes of them: @value may be larger
 * than @total.
 *
 * Return: hundredths of a percent; U32_MAX if there are none.
 */
static u32 percentage(u64 value, u64 total)
{
	if (value >= U64_MAX / 10000) {
		total /= 10000;
		return total ? min_t(u64, value / total, U32_MAX) : U32_MAX;
	}
	if (!total)
		return value ? U32_MAX : 0;
	return min_t(u64, value * 10000 / total, U32_MAX);
}

static void show_bar(u64 value, u64 max, struct seq_file *m)
{
	u64 n = (u64)percentage(value, max) * BAR_WIDTH / 10000;
	u32 i;

	for (i = 0; i < BAR_WIDTH; i++)
		seq_putc(m, i < n ? '#' : ' ');
}

static void show_value(const struct rows *rows, const struct row *row,
		       unsigned int i, struct seq_file *m)
{
	const struct kmt_hist_field *v = &rows->h->spec.values[i];
	u64 value = row->sums[i];
	u32 part;

	switch (v->form) {
	case KMT_HIST_PERCENT:
		part = percentage(value, rows->total[i]);
		if (part == U32_MAX) {
			seq_printf(m, " %s (%%):[ERROR]", v->name);
			break;
		}
		seq_printf(m, " %s (%%): %3u.%02u", v->name, part / 100,
			   part % 100);
		break;
	case KMT_HIST_GRAPH:
		seq_printf(m, " %s: ", v->name);
		show_bar(value, rows->max[i], m);
		break;
	case KMT_HIST_HEX:
		seq_printf(m, " %s: %10llx", v->name, value);
		break;
	default:
		seq_printf(m, " %s: %10llu", v->name, value);
	}
}

static void show_row(const struct rows *rows, const struct row *row,
		     struct seq_file *m)
{
	const struct kmt_hist_spec *spec = &rows->h->spec;
	unsigned int i;

	show_keys(spec, row->entry, m);
	for (i = spec->no_hits; i < spec->nr_values; i++) {
		if (i)
			seq_putc(m, ' ');
		show_value(rows, row, i, m);
	}
	seq_putc(m, '\n');
}

/* --- all rows ------------------------------------------------------------- */

static void read_row(struct rows *rows, struct kmt_hist_entry *e)
{
	struct row *row = &rows->row[rows->n++];
	unsigned int i;

	row->entry = e;
	for (i = 0; i < rows->h->spec.nr_values; i++) {
		row->sums[i] = atomic64_read(&kmt_hist_sums(rows->h, e)[i]);
		rows->total[i] += row->sums[i];
		rows->max[i] = max(rows->max[i], row->sums[i]);
	}
}

static int compare_numbers(u64 a, u64 b, bool is_signed)
{
	if (is_signed)
		return (s64)a < (s64)b ? -1 : (s64)a > (s64)b;
	return a < b ? -1 : a > b;
}

static int compare_keys(const struct kmt_hist_field *key, const struct row *a,
			const struct row *b)
{
	const u64 *x = a->entry->key + key->offset / sizeof(u64);
	const u64 *y = b->entry->key + key->offset / sizeof(u64);

	if (kmt_field_is_string(key->field))
		return strcmp((const char *)x, (const char *)y);
	if (key->field->kind == KMT_FIELD_STACK)
		return memcmp(x, y, key->size);
	return compare_numbers(
		*x, *y, key->field->is_signed && key->form != KMT_HIST_LOG2);
}

static int compare(const void *a, const void *b, const void *rows)
{
	const struct kmt_hist_spec *spec =
		&((const struct rows *)rows)->h->spec;
	const struct kmt_hist_sort *sort = spec->sorts;
	const struct row *x = a, *y = b;
	unsigned int i;
	int order;

	for (i = 0; i < spec->nr_sorts; i++, sort++) {
		order = sort->is_key
				? compare_keys(&spec->keys[sort->index], x, y)
				: compare_numbers(x->sums[sort->index],
						  y->sums[sort->index], false);
		if (order)
			return sort->descending ? -order : order;
	}
	return 0;
}

static int read_rows(struct rows *rows, const struct kmt_hist *h)
{
	u32 n = kmt_hist_entries(h), i;
	struct kmt_hist_entry *e;

	memset(rows, 0, sizeof(*rows));
	rows->h = h;
	rows->row = kvmalloc_array(max(n, 1u), sizeof(*rows->row), GFP_KERNEL);
	if (!rows->row)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		e = kmt_hist_entry(h, i);
		if (e)
			read_row(rows, e);
	}
	sort_r(rows->row, rows->n, sizeof(*rows->row), compare, NULL, rows);
	return 0;
}

static void show_unknown(const struct kmt_hist *h, struct seq_file *m)
{
	seq_printf(
		m,
		"    Not known whether live: %llu bytes in %llu allocations, for lack of space; %llu frees not seen\n",
		(u64)atomic64_read(&h->untracked_bytes),
		(u64)atomic64_read(&h->untracked),
		(u64)atomic64_read(&h->unfreed));
}

int kmt_histfile_show_entries(const struct kmt_hist *h, struct seq_file *m)
{
	struct rows rows;
	u32 i;
	int err = read_rows(&rows, h);

	if (err)
		return err;
	for (i = 0; i < rows.n && !seq_has_overflowed(m); i++)
		show_row(&rows, &rows.row[i], m);
	seq_printf(
		m,
		"\nTotals:\n    Hits: %llu\n    Entries: %u\n    Dropped: %llu\n",
		(u64)atomic64_read(&h->hits), rows.n,
		(u64)atomic64_read(&h->dropped));
	if (h->spec.live)
		show_unknown(h, m);
	kvfree(rows.row);
	return 0;
}

int kmt_histfile_show(const struct kmt_hist *h, const char *condition,
		      struct seq_file *m)
{
	seq_puts(m, "# event histogram\n#\n# trigger info: ");
	kmt_histfile_show_trigger(h, condition, m);
	seq_puts(m, "\n#\n\n");
	return kmt_histfile_show_entries(h, m);
}
