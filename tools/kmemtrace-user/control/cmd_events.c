// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cmdline.h"
#include "base/die.h"
#include "base/figures.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/table.h"
#include "command.h"
#include "control/control.h"
#include "control/eventfiles.h"
#include "control/fieldlist.h"

/* --- list ----------------------------------------------------------------- */

/**
 * struct event_state - contents of the files of an event
 * @enabled: 0, 1, 0* or 1*
 * @filter: the filter in force, or "none"
 * @triggers: text of the file trigger
 */
struct event_state {
	char *enabled;
	char *filter;
	char *triggers;
};

/* Users wrote these texts: they may contain control characters. */
static char *clean(char *text)
{
	if (text)
		table_clean_lines(text);
	return text;
}

static void free_state(struct event_state *s)
{
	free(s->enabled);
	free(s->filter);
	free(s->triggers);
}

static int read_state(int dir, unsigned int kind, struct event_state *s)
{
	int err;

	s->enabled = clean(eventfiles_read(dir, kind, "enable"));
	s->filter = clean(eventfiles_filter(dir, kind));
	s->triggers = clean(eventfiles_read(dir, kind, "trigger"));
	if (s->enabled && s->filter && s->triggers) {
		s->enabled[strcspn(s->enabled, "\n")] = '\0';
		return EXIT_DONE;
	}
	err = errno;
	free_state(s);
	return msg_error("cannot read the module's files events/%s/%s: %s",
			 kmt_kind_names[kind].system, kmt_kind_names[kind].event,
			 strerror(err));
}

/**
 * struct events - all events
 * @state: state of each event, by kind
 * @foreign: triggers of other events; each of these events is a row behind the kinds
 * @line: the remaining triggers of the row that is being printed
 */
struct events {
	struct event_state state[KMT_EVENT_KINDS];
	struct foreign foreign;
	char *line;
};

/* Return: index of the next trigger of another event. */
static size_t next_foreign(const struct foreign *f, size_t i)
{
	const char *event = f->trigger[i].event;

	while (i < f->count && !strcmp(f->trigger[i].event, event))
		i++;
	return i;
}

/* Return: index of the first trigger of the event in @row. */
static size_t foreign_of_row(const struct foreign *f, size_t row)
{
	size_t i = 0;

	for (row -= KMT_EVENT_KINDS; row; row--)
		i = next_foreign(f, i);
	return i;
}

static size_t count_rows(const struct foreign *f)
{
	size_t rows = KMT_EVENT_KINDS, i;

	for (i = 0; i < f->count; i = next_foreign(f, i))
		rows++;
	return rows;
}

static const struct table_column list_columns[] = {
	FIGURE_EVENT, FIGURE_ENABLED, FIGURE_FILTER,
};

static void events_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct events *e = arg;

	if (i >= KMT_EVENT_KINDS) {
		row_text(cell, e->foreign.trigger[foreign_of_row(&e->foreign, i)].event);
		row_text(cell, "-");
		row_text(cell, "-");
		return;
	}
	row_format(cell, "%s:%s", kmt_kind_names[i].system, kmt_kind_names[i].event);
	row_text(cell, e->state[i].enabled);
	/* it may have several lines */
	if (row_wants(cell))
		snprintf(cell->string, sizeof(cell->string), "%s", e->state[i].filter);
}

static bool next_trigger(void *arg, size_t row, size_t i, const char **line)
{
	struct events *e = arg;
	size_t first;

	if (row >= KMT_EVENT_KINDS) {
		first = foreign_of_row(&e->foreign, row);
		if (first + i == next_foreign(&e->foreign, first))
			return false;
		*line = e->foreign.trigger[first + i].trigger;
		return true;
	}
	if (!i)
		e->line = e->state[row].triggers;
	*line = eventfiles_next_trigger(&e->line);
	return *line;
}

static json_t *json_event(const struct event_state *s, unsigned int kind)
{
	json_t *triggers = json_array();
	char *at = s->triggers, *line;

	while ((line = eventfiles_next_trigger(&at)))
		json_array_append_new(triggers, json_string(line));
	return json_pack("{s:s,s:s,s:b,s:b,s:s?,s:o}", "system",
			 kmt_kind_names[kind].system, "event",
			 kmt_kind_names[kind].event, "enabled",
			 *s->enabled == '1', "soft", s->enabled[1] == '*',
			 "filter", strcmp(s->filter, "none") ? s->filter : NULL,
			 "triggers", triggers);
}

/* @i: index of the first trigger of the event; set to that of the next event */
static json_t *json_foreign(const struct foreign *f, size_t *i)
{
	const char *event = f->trigger[*i].event, *colon = strchr(event, ':');
	json_t *triggers = json_array();
	size_t end = next_foreign(f, *i);

	for (; *i < end; ++*i)
		json_array_append_new(triggers,
				      json_string(f->trigger[*i].trigger));
	return json_pack("{s:s%,s:s,s:o}", "system", event,
			 (size_t)(colon - event), "event", colon + 1, "triggers",
			 triggers);
}

static int print_events_json(const struct events *e)
{
	json_t *root = json_object(), *all = json_array();
	json_t *other = json_array();
	unsigned int kind;
	size_t i = 0;

	for (kind = 0; kind < KMT_EVENT_KINDS; kind++)
		json_array_append_new(all, json_event(&e->state[kind], kind));
	json_object_set_new(root, "events", all);
	while (i < e->foreign.count)
		json_array_append_new(other, json_foreign(&e->foreign, &i));
	json_object_set_new(root, "other_events", other);
	return json_print(root);
}

static int list(int dir, bool json)
{
	struct events e;
	unsigned int kind, read = 0;
	int ret = foreign_read(dir, &e.foreign);

	while (!ret && read < KMT_EVENT_KINDS) {
		ret = read_state(dir, read, &e.state[read]);
		read += !ret;
	}
	if (!ret && json)
		ret = print_events_json(&e);
	else if (!ret)
		table_print_tree(list_columns, TABLE_COLUMNS(list_columns),
				 count_rows(&e.foreign), events_cell, next_trigger, &e);
	for (kind = 0; kind < read; kind++)
		free_state(&e.state[kind]);
	foreign_free(&e.foreign);
	return ret;
}

/* --- enable, disable ------------------------------------------------------ */

static int no_event(const char *name)
{
	return msg_usage("events",
			 "there is no event '%s'; kmemtrace-user events lists them",
			 name);
}

static int set_events(int dir, char **patterns, bool on)
{
	char *word;
	int err;

	for (; *patterns; patterns++) {
		word = xasprintf("%s%s", on ? "" : "!", *patterns);
		err = control_write(dir, "set_event", word);
		free(word);
		if (err == -EINVAL)
			return no_event(*patterns);
		if (err)
			return msg_error(
				"cannot write the module's file set_event: %s",
				strerror(-err));
	}
	return EXIT_DONE;
}

/* --- filter, trigger ------------------------------------------------------ */

static int show_filters(int dir, u32 kinds)
{
	unsigned int kind, one = eventfiles_one(kinds);

	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		char *text;

		if (!(kinds & 1u << kind))
			continue;
		text = clean(eventfiles_filter(dir, kind));
		if (!text)
			return msg_error("cannot read the filter of %s: %s",
					 kmt_kind_names[kind].event,
					 strerror(errno));
		if (one == KMT_EVENT_KINDS)
			printf("%s:%s: ", kmt_kind_names[kind].system,
			       kmt_kind_names[kind].event);
		puts(text);
		free(text);
	}
	return EXIT_DONE;
}

static bool clears(const char *text)
{
	return !strcmp(text + strspn(text, " \t"), "0");
}

/* Events of a system that lack a field of the filter keep their filters. */
static int set_filters(int dir, u32 kinds, const char *text)
{
	unsigned int kind;
	u32 able = kinds;
	int ret = EXIT_DONE;

	if (!clears(text))
		ret = eventfiles_check_filter("filter", text, kinds, &able);
	for (kind = 0; !ret && kind < KMT_EVENT_KINDS; kind++)
		if (able & 1u << kind)
			ret = eventfiles_set_filter(dir, kind, text);
	return ret;
}

static int filter(int dir, char **args)
{
	u32 kinds;

	if (!args[0])
		return msg_usage("events", "filter needs an event");
	if (args[1] && args[2])
		return msg_usage("events", "put the expression in quotes");
	kinds = eventfiles_find(args[0], strlen(args[0]));
	if (!kinds)
		return no_event(args[0]);
	return args[1] ? set_filters(dir, kinds, args[1])
		       : show_filters(dir, kinds);
}

static int show_triggers(int dir, unsigned int kind)
{
	char *text = clean(eventfiles_read(dir, kind, "trigger")), *at, *line;

	if (!text)
		return msg_error("cannot read the triggers of %s: %s",
				 kmt_kind_names[kind].event, strerror(errno));
	at = text;
	while ((line = eventfiles_next_trigger(&at)))
		puts(line);
	free(text);
	return EXIT_DONE;
}

static int show_foreign(int dir, const char *event)
{
	struct foreign f;
	size_t i;
	int ret = foreign_read(dir, &f);

	if (ret)
		return ret;
	for (i = 0; i < f.count; i++)
		if (!strcmp(f.trigger[i].event, event))
			puts(f.trigger[i].trigger);
	foreign_free(&f);
	return EXIT_DONE;
}

/* An event that kmemtrace does not record. */
static int set_foreign(int dir, const char *event, const char *trigger)
{
	bool remove = *trigger == '!';
	char *text;
	int ret;

	text = xasprintf("%s%s:%s", remove ? "!" : "", event, trigger + remove);
	ret = eventfiles_check_trigger("trigger", text, KMT_FOREIGN);
	if (!ret)
		ret = eventfiles_set_trigger(dir, KMT_FOREIGN, text);
	free(text);
	return ret;
}

/* @what: of one event, for the message. Return: EXIT_DONE, or the exit status. */
static int find_one(const char *name, const char *what, unsigned int *kind)
{
	u32 kinds = eventfiles_find(name, strlen(name));

	if (!kinds)
		return no_event(name);
	*kind = eventfiles_one(kinds);
	if (*kind == KMT_EVENT_KINDS)
		return msg_usage("events", "%s is a system: %s are of one event",
				 name, what);
	return EXIT_DONE;
}

static int trigger(int dir, char **args)
{
	unsigned int kind;
	int ret;

	if (!args[0])
		return msg_usage("events", "trigger needs an event");
	if (args[1] && args[2])
		return msg_usage("events", "put the trigger in quotes");
	if (!eventfiles_find(args[0], strlen(args[0])) && foreign_name(args[0]))
		return args[1] ? set_foreign(dir, args[0], args[1]) :
				 show_foreign(dir, args[0]);
	ret = find_one(args[0], "triggers", &kind);
	if (ret)
		return ret;
	if (!args[1])
		return show_triggers(dir, kind);
	ret = eventfiles_check_trigger("trigger", args[1], kind);
	return ret ? ret : eventfiles_set_trigger(dir, kind, args[1]);
}

/* --- hist ----------------------------------------------------------------- */

static int hist(int dir, char **args)
{
	unsigned int kind;
	char *text;
	int ret;

	if (!args[0])
		return msg_usage("events", "hist needs an event");
	if (args[1])
		return msg_usage(
			"events",
			"hist only shows histograms; to make one: kmemtrace-user events trigger EVENT 'hist:keys=FIELD'");
	ret = find_one(args[0], "histograms", &kind);
	if (ret)
		return ret;
	text = eventfiles_read(dir, kind, "hist");
	if (!text)
		return msg_error("cannot read the histograms of %s: %s",
				 kmt_kind_names[kind].event, strerror(errno));
	table_clean_lines(text);
	fputs(text, stdout);
	free(text);
	return EXIT_DONE;
}

/* --- fields --------------------------------------------------------------- */

static bool has_field(const struct kmt_field *f, void *groups)
{
	return !f->alias && kmt_field_is_in(f, *(u32 *)groups);
}

/* Works without the module. */
static int fields(char **args, bool json)
{
	u32 kinds = EVENTFILES_ALL, groups;

	if (args[0] && args[1])
		return msg_usage("events", "fields takes one event at most");
	if (args[0])
		kinds = eventfiles_find(args[0], strlen(args[0]));
	if (!kinds)
		return no_event(args[0]);
	groups = eventfiles_groups(kinds);
	return fieldlist_print(NULL, has_field, &groups, json);
}

/* -------------------------------------------------------------------------- */

static int events_run(const char *what, char **args, bool json)
{
	const char *why;
	int dir, ret;

	if (!strcmp(what, "fields"))
		return fields(args, json);
	dir = control_open(&why);
	if (dir < 0)
		return msg_error("%s", why);
	if (!strcmp(what, "list"))
		ret = list(dir, json);
	else if (!strcmp(what, "filter"))
		ret = filter(dir, args);
	else if (!strcmp(what, "trigger"))
		ret = trigger(dir, args);
	else if (!strcmp(what, "hist"))
		ret = hist(dir, args);
	else
		ret = set_events(dir, args, !strcmp(what, "enable"));
	close(dir);
	return ret;
}

static const char *const words[] = {
	"list", "enable", "disable", "filter", "trigger", "hist", "fields", NULL,
};

static int check_words(const char *what, char **args, bool json)
{
	const char *const *word;

	for (word = words; *word && strcmp(what, *word); word++)
		;
	if (!*word)
		return msg_usage("events", "there is no '%s'", what);
	if (!strcmp(what, "list") && *args)
		return msg_usage("events", "list takes no argument");
	if (json && strcmp(what, "list") && strcmp(what, "fields"))
		return msg_usage("events", "--json is for list and fields");
	if (!*args && strstr("enable disable", what))
		return msg_usage("events", "%s which events?", what);
	return EXIT_DONE;
}

const struct options cmd_events_options = {
	.command = "events",
	.synopsis = (const char *const[]){
		"[list] [--json]",
		"enable|disable PATTERN...",
		"filter EVENT|SYSTEM [EXPRESSION]",
		"trigger EVENT [TRIGGER]",
		"hist EVENT",
		"fields [--json] [EVENT]",
		NULL,
	},
	.about = "Shows and sets which events are recorded, their filters and their triggers. EVENT is, for example, kmalloc or kmem:kmalloc; SYSTEM is, for example, kmem.\n\n"
		 "  list     list the events: whether they are enabled, filters, triggers\n"
		 "  enable   record these events; PATTERN is, for example, kmalloc, kmem,\n"
		 "           kmem:* or *:*\n"
		 "  disable  do not record these events\n"
		 "  filter   show the filter, or set it; 0 removes it\n"
		 "  trigger  list the triggers, or add one; a leading ! removes one, for\n"
		 "           example '!stacktrace'. EVENT may be any event of the kernel, for\n"
		 "           example syscalls:sys_enter_read\n"
		 "  hist     show the histograms, which triggers such as\n"
		 "           'hist:keys=call_site.sym:vals=live' make\n"
		 "  fields   list the fields that filters can use",
	.rows = option_json_rows,
	.words = words,
	.operands = "@events",
};

int cmd_events(int argc, char **argv)
{
	bool json = false;
	struct cmdline line = cmdline_parse(&cmd_events_options, argc, argv, &json);
	const char *what = "list";
	char **args = line.words;
	int ret;

	if (line.is_over)
		return line.ret;
	if (line.count)
		what = *args++;
	ret = check_words(what, args, json);
	return ret ? ret : events_run(what, args, json);
}
