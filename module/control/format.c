// SPDX-License-Identifier: GPL-2.0-only
#include <linux/seq_file.h>
#include <linux/string.h>

#include "control/format.h"
#include "kmt_record.h"
#include "record/mode.h"

unsigned int kmt_format_id(unsigned int kind)
{
	const u8 bytes[2] = { kind % 2, kind / 2 }; /* event_id, type_id */
	u16 id;

	memcpy(&id, bytes, sizeof(id));
	return id;
}

/* Offset of a feature in a record: the features with lower ids come before it. */
static size_t feature_start(unsigned int kind, u32 features, u32 feature)
{
	const struct kmt_event ev = { .event_id = kind % 2, .type_id = kind / 2 };
	const struct kmt_extra x = { .depth = 0 };
	u32 before = features & (feature - 1);

	return kmt_record_size(&ev, before) + kmt_record_extra_size(&x, before);
}

static bool is_recorded(const struct kmt_field *f, u32 groups)
{
	return f->at != KMT_NOT_RECORDED && !(f->group & ~groups);
}

static bool in_record(const struct kmt_field *f, u32 groups)
{
	return is_recorded(f, groups) && !f->alias;
}

static bool is_printed(const struct kmt_field *f, u32 groups)
{
	return in_record(f, groups) && !f->common && f->kind != KMT_FIELD_STACK;
}

/* As in C: the type "char[16]" of the field comm gives "char comm[16]". */
static void show_type(struct seq_file *m, const struct kmt_field *f)
{
	const char *bracket = strchrnul(f->type, '[');

	seq_printf(m, "%.*s %s%s", (int)(bracket - f->type), f->type, f->name,
		   bracket);
}

static void show_field(struct seq_file *m, const struct kmt_field *f,
		       unsigned int kind, u32 features)
{
	size_t at = f->at;

	if (f->group & KMT_FEATURES_ALL)
		at += feature_start(kind, features, f->group);
	seq_puts(m, "\tfield:");
	show_type(m, f);
	seq_printf(m, ";\toffset:%zu;\tsize:%u;\tsigned:%d;\n", at, f->at_size,
		   f->is_signed);
}

static void show_conversion(struct seq_file *m, const struct kmt_field *f)
{
	const char *length = f->at_size == 8 ? "l" : "";

	if (f->kind == KMT_FIELD_CHARS)
		seq_printf(m, "%s=%%s", f->name);
	else if (f->kind == KMT_FIELD_HEX)
		seq_printf(m, "%s=0x%%%sx", f->name, length);
	else
		seq_printf(m, "%s=%%%s%c", f->name, length,
			   f->is_signed ? 'd' : 'u');
}

static void show_print_fmt(struct seq_file *m, u32 groups)
{
	const struct kmt_field *f;
	const char *blank = "";

	seq_puts(m, "\nprint fmt: \"");
	for (f = kmt_fields; f->name; f++) {
		if (!is_printed(f, groups))
			continue;
		seq_puts(m, blank);
		show_conversion(m, f);
		blank = " ";
	}
	seq_puts(m, "\"");
	for (f = kmt_fields; f->name; f++)
		if (is_printed(f, groups))
			seq_printf(m, ", REC->%s", f->name);
	seq_puts(m, "\n");
}

static void show_fields(struct seq_file *m, unsigned int kind, u32 features,
			u32 groups, bool common)
{
	const struct kmt_field *f;

	for (f = kmt_fields; f->name; f++)
		if (in_record(f, groups) && f->common == common)
			show_field(m, f, kind, features);
}

/* List what filters can use besides the fields above: fields, or names of @recorded fields. */
static void show_others(struct seq_file *m, unsigned int kind, u32 groups, bool recorded)
{
	const struct kmt_field *f;

	for (f = kmt_fields; f->name; f++) {
		if (in_record(f, groups) || is_recorded(f, groups) != recorded ||
		    (f->group & ~kmt_kind_groups(kind)))
			continue;
		seq_puts(m, "#\t");
		show_type(m, f);
		seq_printf(m, ": %s\n", f->help);
	}
}

void kmt_format_show(unsigned int kind, struct seq_file *m)
{
	u32 features = kmt_mode_features();
	u32 groups = kmt_kind_groups(kind) & ~(KMT_FEATURES_ALL & ~features);

	seq_printf(m, "name: %s\nID: %u\nformat:\n", kmt_kind_names[kind].event,
		   kmt_format_id(kind));
	show_fields(m, kind, features, groups, true);
	seq_puts(m, "\n");
	show_fields(m, kind, features, groups, false);
	show_print_fmt(m, groups);
	/* libtraceevent ignores all text after "print fmt" */
	seq_puts(m, "\n# fields for filters that are not in the record:\n");
	show_others(m, kind, groups, false);
	seq_puts(m, "\n# other names for filters of fields that are in the record:\n");
	show_others(m, kind, groups, true);
}
