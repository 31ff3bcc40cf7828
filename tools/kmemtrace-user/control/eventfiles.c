// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/msg.h"
#include "base/table.h"
#include "control/control.h"
#include "control/eventfiles.h"
#include "kmt_field.h"
#include "kmt_hist.h"

/* --- errors in filters ---------------------------------------------------- */

#define COLUMNS 79

/* Print the names of the fields of these groups. */
static void list_fields(u32 groups)
{
	const struct kmt_field *f;
	int at;

	at = fprintf(stderr, "  fields:");
	for (f = kmt_fields; f->name; f++) {
		if (f->common || f->alias || !kmt_field_is_in(f, groups))
			continue;
		if (at + 1 + strlen(f->name) > COLUMNS)
			at = fprintf(stderr, "\n ") - 1;
		at += fprintf(stderr, " %s", f->name);
	}
	fputc('\n', stderr);
}

void filter_error_draw(const char *option, const char *text,
		       const struct kmt_filter_error *error, u32 groups)
{
	const char *at;

	msg_error("%s: %s", option, kmt_filter_text(error->code));
	fputs("  ", stderr);
	for (at = text; *at; at++) {
		if (isspace((unsigned char)*at))
			fputc(' ', stderr);
		else
			fputc(*at < ' ' || *at > '~' ? '?' : *at, stderr);
	}
	fprintf(stderr, "\n  %*s\n", (int)error->column, "^");
	if (error->code == KMT_FILTER_FIELD_NOT_FOUND)
		list_fields(groups);
}

/* --- eventfiles ----------------------------------------------------------- */

/* --- triggers of events that the module does not record ------------------- */

/* Split "SYSTEM:EVENT:TRIGGER". Return: false if the line has another form. */
static bool split(char *line, struct foreign_trigger *t)
{
	char *colon = strchr(line, ':');

	colon = colon ? strchr(colon + 1, ':') : NULL;
	if (!colon)
		return false;
	*colon = '\0';
	t->event = line;
	t->trigger = colon + 1;
	return true;
}

static size_t count_lines(const char *text)
{
	size_t n = 1;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

int foreign_try(int dir, struct foreign *f)
{
	char *at, *line;

	*f = (struct foreign){ .text = control_read(dir, "triggers", NULL) };
	if (!f->text)
		return -errno;
	table_clean_lines(f->text);
	f->trigger = xcalloc(count_lines(f->text), sizeof(*f->trigger));
	at = f->text;
	while ((line = eventfiles_next_trigger(&at)))
		f->count += split(line, &f->trigger[f->count]);
	return 0;
}

int foreign_read(int dir, struct foreign *f)
{
	int err = foreign_try(dir, f);

	return err ? control_cannot_read("triggers", -err) :
		     EXIT_DONE;
}

void foreign_free(struct foreign *f)
{
	free(f->text);
	free(f->trigger);
	*f = (struct foreign){ 0 };
}

bool foreign_name(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && colon > text && colon[1] && !strchr(colon + 1, ':') &&
	       !text[strcspn(text, " \t\n")];
}

/* --- eventfiles ----------------------------------------------------------- */

/* --- names ---------------------------------------------------------------- */

u32 eventfiles_find(const char *name, size_t len)
{
	int kind = kmt_kind_find(name, len);
	u32 kinds = 0;
	unsigned int i;

	if (kind >= 0)
		return 1u << kind;
	for (i = 0; i < KMT_EVENT_KINDS; i++)
		if (kmt_is_word(name, len, kmt_kind_names[i].system))
			kinds |= 1u << i;
	return kinds;
}

unsigned int eventfiles_one(u32 kinds)
{
	unsigned int i;

	for (i = 0; i < KMT_EVENT_KINDS; i++)
		if (kinds == 1u << i)
			break;
	return i;
}

u32 eventfiles_groups(u32 kinds)
{
	unsigned int i;
	u32 groups = 0;

	for (i = 0; i < KMT_EVENT_KINDS; i++)
		if (kinds & 1u << i)
			groups |= kmt_kind_groups(i);
	return groups;
}

static void file_name(char *to, size_t size, unsigned int kind,
		      const char *name)
{
	snprintf(to, size, "events/%s/%s/%s", kmt_kind_names[kind].system,
		 kmt_kind_names[kind].event, name);
}

/* --- reading -------------------------------------------------------------- */

char *eventfiles_read(int dir, unsigned int kind, const char *name)
{
	char path[128];

	file_name(path, sizeof(path), kind, name);
	return control_read(dir, path, NULL);
}

static void cut_end(char *text)
{
	size_t len = strlen(text);

	while (len && text[len - 1] == '\n')
		len--;
	text[len] = '\0';
}

/* After a refused filter, the file begins with that filter and the error. */
char *eventfiles_filter(int dir, unsigned int kind)
{
	static const char in_force[] = "\nfilter in force: ";
	char *text = eventfiles_read(dir, kind, "filter"), *at;

	if (!text)
		return NULL;
	at = strstr(text, in_force);
	if (at) {
		at += strlen(in_force);
		memmove(text, at, strlen(at) + 1);
	}
	cut_end(text);
	return text;
}

char *eventfiles_next_trigger(char **text)
{
	char *line;

	do {
		line = *text;
		if (!*line)
			return NULL;
		*text += strcspn(line, "\n");
		if (**text)
			*(*text)++ = '\0';
	} while (!*line || *line == '#');
	return line;
}

/* --- checking ------------------------------------------------------------- */

/* Only the module knows the functions, so each name is accepted. */
static bool any_function(void *arg, const char *name, size_t len, u64 address,
			 u64 *start, u64 *size)
{
	(void)arg;
	(void)name;
	(void)len;
	*start = address;
	*size = 1;
	return true;
}

bool eventfiles_compile(struct kmt_filter *room, const char *text, u32 groups,
			struct kmt_filter_error *error)
{
	const struct kmt_filter_env env = {
		.groups = groups,
		.nr_cpus = FILTER_CPUS_MAX,
		.function = any_function,
	};

	return kmt_filter_compile(room, text, &env, error);
}

/* If no event can have the filter, the error furthest to the right is printed. */
int eventfiles_check_filter(const char *option, const char *text, u32 kinds,
			    u32 *able)
{
	struct kmt_filter *room = xmalloc(kmt_filter_room(strlen(text)));
	struct kmt_filter_error error, worst = {0};
	unsigned int i;

	*able = 0;
	for (i = 0; i < KMT_EVENT_KINDS; i++) {
		if (!(kinds & 1u << i))
			continue;
		if (eventfiles_compile(room, text, kmt_kind_groups(i), &error))
			*able |= 1u << i;
		else if (!worst.code || error.column > worst.column)
			worst = error;
	}
	free(room);
	if (*able)
		return EXIT_DONE;
	filter_error_draw(option, text, &worst, eventfiles_groups(kinds));
	return EXIT_USAGE;
}

static int check_foreign_filter(const char *option, const char *text)
{
	struct kmt_filter *room = xmalloc(kmt_filter_room(strlen(text)));
	struct kmt_filter_error error;
	bool valid;

	valid = eventfiles_compile(room, text, KMT_FOREIGN_GROUPS, &error);
	free(room);
	if (valid)
		return EXIT_DONE;
	filter_error_draw(option, text, &error, KMT_FOREIGN_GROUPS);
	return EXIT_USAGE;
}

static int refuse_trigger(const char *option, const char *text,
			  const char *why, size_t column)
{
	msg_error("%s: %s", option, why);
	fprintf(stderr, "  %s\n  %*s\n", text, (int)column, "^");
	return EXIT_USAGE;
}

static int check_hist(const char *option, const char *text,
		      const struct kmt_trigger_spec *spec, int kind)
{
	struct kmt_hist_spec hist;
	enum kmt_hist_error error;
	const char *wrong = kmt_hist_parse(spec->hist, spec->hist_len, kind,
					   &hist, &error);

	return wrong ? refuse_trigger(option, text, kmt_hist_text(error),
				      wrong - text + 1) :
		       EXIT_DONE;
}

static int check_condition(const char *option,
			   const struct kmt_trigger_spec *spec, int kind)
{
	char *filter = xstrndup(spec->filter, spec->filter_len);
	u32 able;
	int ret;

	ret = kind == KMT_FOREIGN ?
		      check_foreign_filter(option, filter) :
		      eventfiles_check_filter(option, filter, 1u << kind, &able);
	free(filter);
	return ret;
}

int eventfiles_check_trigger(const char *option, const char *text, int kind)
{
	struct kmt_trigger_event event;
	struct kmt_trigger_spec spec;
	int ret = EXIT_DONE;
	bool valid;

	valid = kind == KMT_FOREIGN ?
			kmt_trigger_parse_named(text, &event, &spec) :
			kmt_trigger_parse(text, &spec);
	if (!valid)
		return refuse_trigger(option, text, kmt_trigger_text(spec.error),
				      spec.column);
	if (spec.command == KMT_TRIGGER_HIST)
		ret = check_hist(option, text, &spec, kind);
	/* of a trigger to remove, the filter need not be valid */
	if (ret || !spec.filter || spec.remove)
		return ret;
	return check_condition(option, &spec, kind);
}

/* --- writing -------------------------------------------------------------- */

static void indent(char *text, size_t len)
{
	size_t n;

	table_clean_lines(text);
	for (; len; text += n, len -= n) {
		n = strcspn(text, "\n");
		if (n > len)
			n = len;
		fprintf(stderr, "  %.*s\n", (int)n, text);
		n += n < len;
	}
}

int eventfiles_set_filter(int dir, unsigned int kind, const char *text)
{
	const struct kmt_kind_name *k = &kmt_kind_names[kind];
	char path[128], *said, *end;
	int err;

	file_name(path, sizeof(path), kind, "filter");
	err = control_write(dir, path, text);
	if (!err)
		return EXIT_DONE;
	if (err != -EINVAL)
		return msg_error("cannot write the module's file %s: %s", path,
				 strerror(-err));
	msg_error(
		"the module refuses this filter of %s:%s; nothing has changed",
		k->system, k->event);
	said = control_read(dir, path, NULL);
	end = said ? strstr(said, "\nfilter in force: ") : NULL;
	if (end)
		indent(said, end - said);
	free(said);
	return EXIT_FAILED;
}

static void show_last_error(int dir)
{
	char *text = control_read(dir, "error_log", NULL), *at, *last;

	for (at = last = text; at && *at; at++)
		if (*at == '[' && (at == text || at[-1] == '\n'))
			last = at;
	if (last)
		indent(last, strlen(last));
	free(text);
}

static int set_own(int dir, unsigned int kind, const char *text)
{
	const struct kmt_kind_name *k = &kmt_kind_names[kind];
	char path[128];
	int err;

	file_name(path, sizeof(path), kind, "trigger");
	err = control_write(dir, path, text);
	if (!err)
		return EXIT_DONE;
	if (err == -EEXIST)
		return msg_error(
			"%s:%s has a trigger of this kind already. To see it: kmemtrace-user events trigger %s. To remove it: the same, with '!' and the trigger",
			k->system, k->event, k->event);
	/* ENOENT: no such histogram */
	if (err != -EINVAL && err != -ENOENT)
		return msg_error("cannot write the module's file %s: %s", path,
				 strerror(-err));
	msg_error("the module refuses this trigger of %s:%s", k->system,
		  k->event);
	show_last_error(dir);
	return EXIT_FAILED;
}

/* @text: SYSTEM:EVENT:TRIGGER, or the same after a '!' */
static int set_foreign(int dir, const char *text)
{
	int err = control_write(dir, "triggers", text);

	if (!err)
		return EXIT_DONE;
	if (err == -EEXIST)
		return msg_error(
			"the event has a trigger of this kind already. To see it: kmemtrace-user events trigger EVENT. To remove it: the same, with '!' and the trigger");
	if (err != -EINVAL)
		return msg_error("cannot write the module's file triggers: %s",
				 strerror(-err));
	msg_error("the module refuses this trigger");
	show_last_error(dir);
	return EXIT_FAILED;
}

int eventfiles_set_trigger(int dir, int kind, const char *text)
{
	if (kind == KMT_FOREIGN)
		return set_foreign(dir, text);
	return set_own(dir, kind, text);
}
