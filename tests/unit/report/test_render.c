// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text of records is complete, and their JSON is valid. tests/cli checks the layout.
 */
#include <jansson.h>
#include <stdio.h>

#include "base/msg.h"
#include "report/render.h"
#include "trace/input.h"
#include "unit.h"

static struct input in;
static struct render r;
static FILE *file;

static void start(enum render_format format, const char *fields)
{
	in = (struct input){ .names = names_create() };
	names_add_kallsyms(in.names, "ffffffff81000000 T al\"pha\\\n");
	names_add_caches(in.names, "1 8 8 \"quoted\" \xc3\xa4\n");
	names_add_gfp(in.names, "0xcc0 GFP_KERNEL\n");
	file = tmpfile();
	render_init(&r, format, in.names);
	r.out.fd = fileno(file);
	if (fields)
		ck_assert_int_eq(render_choose(&r, fields), EXIT_DONE);
	render_head(&r);
}

/* Return: the whole output; the caller frees it. */
static char *stop(void)
{
	char *text = calloc(1, 1 << 16);

	ck_assert(outbuf_flush(&r.out));
	rewind(file);
	ck_assert_uint_lt(fread(text, 1, (1 << 16) - 1, file), (1 << 16) - 1);
	fclose(file);
	render_exit(&r);
	names_destroy(in.names);
	return text;
}

static void render(struct kmt_event *made, const struct kmt_extra *x,
		   u32 features, uint32_t cpu)
{
	uint8_t rec[KMT_RECORD_MAX];
	struct kmt_event ev;
	struct extra e;

	unit_record(rec, made, x, features, &ev);
	memset(&e, 0xee, sizeof(e));
	extra_init(&e, &in);
	extra_take(&e, &(struct merged){ .ev = ev, .cpu = cpu });
	render_record(&r, &ev, &e);
}

static struct kmt_event cache_alloc(void)
{
	struct kmt_event ev = unit_alloc(5, KMEMTRACE_TYPE_CACHE,
					 0xffff888000000000, 24);

	ev.time = 12000000034;
	ev.cache = 1;
	return ev;
}

static const struct kmt_extra extra = {
	.pid = -3,
	.tgid = 2,
	.context = 0x95,
	.preempt_count = 3,
	.comm = "x\"\\\n\xff",
	.cgroup = 1ull << 40,
	.depth = 2,
	.stack = { 0xffffffff81000020, 0x77 },
};

static void check_number(json_t *o, const char *key, json_int_t n)
{
	ck_assert_msg(json_is_integer(json_object_get(o, key)), "%s", key);
	ck_assert_int_eq(json_integer_value(json_object_get(o, key)), n);
}

static void check_string(json_t *o, const char *key, const char *s)
{
	ck_assert_msg(json_is_string(json_object_get(o, key)), "%s", key);
	ck_assert_str_eq(json_string_value(json_object_get(o, key)), s);
}

START_TEST(json)
{
	struct kmt_event ev = cache_alloc();
	char *text;
	json_t *o, *stack;

	start(RENDER_JSON, NULL);
	render(&ev, &extra, KMT_FEATURES_ALL, 9);
	text = stop();
	ck_assert_int_eq(strncmp(text, "{\"version\":1}\n", 14), 0);
	o = json_loads(text + 14, 0, NULL);
	ck_assert_ptr_nonnull(o);
	check_string(o, "event", "kmem:kmem_cache_alloc");
	check_number(o, "common_seq", 5);
	check_number(o, "cpu", 9);
	check_number(o, "time", 12000000034);
	check_string(o, "call_site", "0xffffffff81000010");
	check_string(o, "function", "al\"pha\\+0x10");
	check_string(o, "ptr", "0xffff888000000000");
	check_number(o, "bytes_req", 24);
	check_number(o, "gfp_flags", 0xcc0);
	check_string(o, "gfp_names", "GFP_KERNEL");
	check_number(o, "node", -1);
	check_number(o, "cache_id", 1);
	check_string(o, "cache", "\"quoted\" \u00e4");
	check_number(o, "pid", -3);
	check_number(o, "context", 0x95);
	check_string(o, "comm", "x\"\\\\x0a\\xff");
	check_number(o, "cgroup", 1ll << 40);
	stack = json_object_get(o, "stack");
	ck_assert_uint_eq(json_array_size(stack), 2);
	ck_assert_str_eq(json_string_value(json_array_get(stack, 0)),
			 "al\"pha\\+0x20");
	ck_assert_ptr_null(json_object_get(o, "order"));
	json_decref(o);
	free(text);
}
END_TEST

/* Fields that a record does not have are left out; the output is still valid JSON. */
START_TEST(json_of_little)
{
	struct kmt_event ev = unit_free(5, KMEMTRACE_TYPE_KMALLOC, 1);
	char *text, *line, *save;
	int n = 0;
	json_t *o;

	start(RENDER_JSON, "pid,time,bytes_req");
	render(&ev, &extra, 0, 0);
	render(&ev, &extra, KMT_FEATURE_TASK, 0);
	render_lost(&r, 1ull << 33);
	text = stop();
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		o = json_loads(line, 0, NULL);
		ck_assert_msg(json_is_object(o), "%s", line);
		/* line 2 is the record without any of the fields */
		ck_assert_uint_eq(json_object_size(o), n++ == 1 ? 0 : 1);
		json_decref(o);
	}
	ck_assert_int_eq(n, 4);
	free(text);
}
END_TEST

/* Every field can be chosen, also together with its alias. */
START_TEST(every_field)
{
	struct kmt_event ev = cache_alloc();
	char fields[1024] = "event", *text, *line;
	const struct kmt_field *f;
	int n = 0;

	for (f = kmt_fields; f->name; f++)
		if (!(f->group & ~EXTRA_GROUPS))
			sprintf(fields + strlen(fields), ",%s", f->name);
	start(RENDER_TRACE, fields);
	render(&ev, &extra, KMT_FEATURES_ALL, 0);
	ev = unit_free(6, KMEMTRACE_TYPE_PAGES, 4096);
	render(&ev, &extra, KMT_FEATURE_PAGE, 0);
	text = stop();
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		n++;
	ck_assert_int_eq(n, 5); /* titles, record, two stack entries, record */
	free(text);
}
END_TEST

START_TEST(wrong_fields)
{
	static const char *const wrong[] = { "", ",", "pid,", ",pid", "pid,,cpu",
					     "moon", "age", "pi", "pidd" };
	char many[1024] = "pid";
	size_t i;

	if (!getenv("KMEMTRACE_LOUD"))
		ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
	start(RENDER_JSON, NULL);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(render_choose(&r, wrong[i]) == EXIT_USAGE, "%s",
			      wrong[i]);
	for (i = 1; i < RENDER_COLUMNS_MAX; i++)
		strcat(many, ",pid");
	ck_assert_int_eq(render_choose(&r, many), EXIT_DONE);
	strcat(many, ",pid");
	ck_assert_int_eq(render_choose(&r, many), EXIT_USAGE);
	free(stop());
}
END_TEST

/* A very long symbol, which is not kept for the next record. */
START_TEST(long_names)
{
	struct kmt_event ev = cache_alloc();
	char symbol[600], *text;

	start(RENDER_TRACE, "call_site,pid");
	snprintf(symbol, sizeof(symbol), "ffffffff81000000 T %0511d\n", 7);
	names_destroy(in.names);
	render_exit(&r);
	in.names = names_create();
	names_add_kallsyms(in.names, symbol);
	render_init(&r, RENDER_TRACE, in.names);
	r.out.fd = fileno(file);
	render(&ev, &extra, 0, 0);
	text = stop();
	ck_assert_ptr_nonnull(strstr(text, "0007+0x10 "));
	ck_assert_uint_gt(strlen(text), 511);
	free(text);
}
END_TEST

UNIT_MAIN("render", json, json_of_little, every_field, wrong_fields,
	  long_names)
