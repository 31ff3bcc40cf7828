// SPDX-License-Identifier: GPL-2.0-only
/*
 * The format files describe the records correctly: libtraceevent decodes every record to
 * the same values as kmt_record_decode(), with any features.
 */
#include <errno.h>
#include <event-parse.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <trace-seq.h>
#include <unistd.h>

#include "kmt_test.h"

#define EVENTS	 8
#define READ_MAX (1 << 20)

/* The first two bytes of a record, event_id and type_id, as a number. */
static int common_type(uint8_t event_id, uint8_t type_id)
{
	uint8_t bytes[2] = { event_id, type_id };
	uint16_t type;

	memcpy(&type, bytes, sizeof(type));
	return type;
}

#define A KMEMTRACE_EVENT_ALLOC
#define F KMEMTRACE_EVENT_FREE

static const struct name {
	const char *system, *name;
	uint8_t event_id, type_id;
} names[EVENTS] = {
	{ "kmem", "kmalloc", A, KMEMTRACE_TYPE_KMALLOC },
	{ "kmem", "kfree", F, KMEMTRACE_TYPE_KMALLOC },
	{ "kmem", "kmem_cache_alloc", A, KMEMTRACE_TYPE_CACHE },
	{ "kmem", "kmem_cache_free", F, KMEMTRACE_TYPE_CACHE },
	{ "kmem", "mm_page_alloc", A, KMEMTRACE_TYPE_PAGES },
	{ "kmem", "mm_page_free", F, KMEMTRACE_TYPE_PAGES },
	{ "percpu", "percpu_alloc_percpu", A, KMEMTRACE_TYPE_PERCPU },
	{ "percpu", "percpu_free_percpu", F, KMEMTRACE_TYPE_PERCPU },
};

/**
 * struct field - a field of a format, and the member that has the same value
 * @name: name of the field
 * @offset: offset of the member of struct kmt_event
 * @size: size of both in bytes
 * @at: offset in the record; -1: it depends on the features
 * @alloc_only: records of frees do not have the field
 * @type_id: only records of this type have the field; -1: all types
 * @feature: only records with this feature have the field; 0: all records
 */
struct field {
	const char *name;
	size_t offset;
	int size;
	int at;
	bool alloc_only;
	int type_id;
	uint32_t feature;
};

/* @size: bytes in the record; the member may be larger */
#define MEMBER(m, size) offsetof(struct kmt_event, m), size

static const struct field fields[] = {
	{ "call_site", MEMBER(call_site, 8), 8, false, -1, 0 },
	{ "ptr", MEMBER(ptr, 8), 16, false, -1, 0 },
	{ "bytes_req", MEMBER(bytes_req, 8), 24, true, -1, 0 },
	{ "bytes_alloc", MEMBER(bytes_alloc, 8), 32, true, -1, 0 },
	{ "gfp_flags", MEMBER(gfp_flags, 4), 40, true, -1, 0 },
	{ "node", MEMBER(node, 4), 44, true, -1, 0 },
	{ "time", MEMBER(time, 8), -1, false, -1, KMT_FEATURE_TIME },
	{ "cache_id", MEMBER(cache, 2), -1, false, KMEMTRACE_TYPE_CACHE,
	  KMT_FEATURE_CACHE },
	{ "order", MEMBER(order, 1), -1, false, KMEMTRACE_TYPE_PAGES,
	  KMT_FEATURE_PAGE },
	{ "migratetype", MEMBER(migratetype, 1), -1, false, KMEMTRACE_TYPE_PAGES,
	  KMT_FEATURE_PAGE },
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

/* Return: whether records of an event have a field, with these features. */
static bool has_field(const struct field *f, uint8_t event_id, uint8_t type_id,
		      uint32_t features)
{
	return (!f->alloc_only || event_id == KMEMTRACE_EVENT_ALLOC) &&
	       (f->type_id < 0 || f->type_id == type_id) &&
	       (!f->feature || (features & f->feature));
}

/* --- libtraceevent ----------------------------------------------------------- */

static struct tep_handle *tep_new(void)
{
	static const uint16_t one = 1;
	struct tep_handle *tep = tep_alloc();

	if (!tep)
		abort();
	tep_set_long_size(tep, sizeof(long));
	tep_set_page_size(tep, sysconf(_SC_PAGESIZE));
	tep_set_file_bigendian(tep, *(const uint8_t *)&one ? TEP_LITTLE_ENDIAN :
							     TEP_BIG_ENDIAN);
	return tep;
}

/* Set @name to the directory of the file, and @system to the parent of that. */
static void path_names(const char *path, char *system, char *name)
{
	const char *end = strrchr(path, '/'), *slash;

	*system = *name = '\0';
	for (slash = end - 1; *slash != '/'; slash--)
		;
	snprintf(name, 64, "%.*s", (int)(end - slash - 1), slash + 1);
	end = slash;
	for (slash = end - 1; *slash != '/'; slash--)
		;
	snprintf(system, 64, "%.*s", (int)(end - slash - 1), slash + 1);
}

static bool same_number(const struct kmt_event *ev, const struct field *f,
			unsigned long long value)
{
	uint64_t want, mask = f->size < 8 ? (1ull << f->size * 8) - 1 : ~0ull;

	/* little-endian; libtraceevent extends no sign */
	memcpy(&want, (const char *)ev + f->offset, sizeof(want));
	return (want & mask) == (value & mask);
}

static bool common_is(struct tep_event *event, struct tep_record *rec,
		      const char *name, unsigned long long want)
{
	unsigned long long value;

	if (!tep_get_common_field_val(NULL, event, name, rec, &value, 0) &&
	    value == want)
		return true;
	test_note("%s: wrong %s", event->name, name);
	return false;
}

/* Each field of the record has the right value, and no other field is found. */
static bool decodes(struct tep_handle *tep, void *data, int size,
		    const struct kmt_event *ev)
{
	struct tep_record rec = { .data = data, .size = size };
	struct tep_event *event = tep_find_event_by_record(tep, &rec);
	bool good;
	size_t i;

	if (!event) {
		test_note("no format has the ID %d",
			  common_type(ev->event_id, ev->type_id));
		return false;
	}
	good = common_is(event, &rec, "common_type",
			 common_type(ev->event_id, ev->type_id)) &&
	       common_is(event, &rec, "common_size", size) &&
	       common_is(event, &rec, "common_seq", ev->seq);
	for (i = 0; i < FIELDS; i++) {
		const struct field *f = &fields[i];
		bool has = has_field(f, ev->event_id, ev->type_id, ev->features);
		unsigned long long value;

		if (tep_get_field_val(NULL, event, f->name, &rec, &value, 0)) {
			if (has)
				test_note("%s: no field %s", event->name, f->name);
			good = good && !has;
		} else if (!has || !same_number(ev, f, value)) {
			test_note("%s, record %u: %s is %llu", event->name,
				  ev->seq, f->name, value);
			good = false;
		}
	}
	return good;
}

/* libtraceevent prints the record; the text of an allocation has its size. */
static bool prints(struct tep_handle *tep, void *data, int size,
		   const struct kmt_event *ev)
{
	struct tep_record rec = { .data = data, .size = size };
	char want[64];
	struct trace_seq s;
	bool good;

	trace_seq_init(&s);
	tep_print_event(tep, &s, &rec, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&s);
	snprintf(want, sizeof(want), "bytes_req=%llu",
		 (unsigned long long)ev->bytes_req);
	good = s.len && s.state == TRACE_SEQ__GOOD &&
	       !strstr(s.buffer, "[UNKNOWN") && !strstr(s.buffer, "[FAILED") &&
	       (ev->event_id != KMEMTRACE_EVENT_ALLOC || strstr(s.buffer, want));
	if (!good)
		test_note("record %u prints as '%s'", ev->seq, s.buffer);
	trace_seq_destroy(&s);
	return good;
}

/* --- an artificial format ------------------------------------------------------- */

static const char synthetic[] =
	"name: mm_page_alloc\n"
	"ID: 512\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned short common_size;\toffset:2;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_seq;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:size_t bytes_req;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:size_t bytes_alloc;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int gfp_flags;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:int node;\toffset:44;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 time;\toffset:51;\tsize:8;\tsigned:0;\n"
	"\tfield:u8 order;\toffset:62;\tsize:1;\tsigned:0;\n"
	"\tfield:s8 migratetype;\toffset:63;\tsize:1;\tsigned:1;\n"
	"\n"
	"print fmt: \"call_site=%pS ptr=%p bytes_req=%zu bytes_alloc=%zu gfp_flags=0x%x node=%d\", "
	"(void *)REC->call_site, REC->ptr, REC->bytes_req, REC->bytes_alloc, REC->gfp_flags, REC->node\n";

static const struct kmt_event made_up = {
	.call_site = 0xffffffff81234567, .ptr = 0xffff888012345000,
	.bytes_req = 32768, .bytes_alloc = 32769, .gfp_flags = 0xcc0,
	.node = -1, .seq = 0xfffffffe, .time = 123456789012345,
	.order = 3, .migratetype = -1,
	.event_id = KMEMTRACE_EVENT_ALLOC, .type_id = KMEMTRACE_TYPE_PAGES,
	.features = KMT_FEATURE_TIME | KMT_FEATURE_PAGE,
};

/* Checks this test itself: decoding must fail for wrong formats. */
static void check_synthetic(void)
{
	static const char *const wrong[][2] = {
		{ "offset:51", "offset:52" }, { "size:4;\tsigned:1", "size:2;\tsigned:1" },
		{ "ID: 512", "ID: 2" },	      { "s8 migratetype", "s8 migratetypo" },
	};
	uint8_t rec[KMT_RECORD_MAX] __attribute__((aligned(8)));
	size_t size = kmt_record_size(&made_up, made_up.features), i;
	struct tep_handle *tep = tep_new();
	int missed = 0;

	kmt_record_encode(rec, size, &made_up, made_up.features);
	test_result(!tep_parse_event(tep, synthetic, strlen(synthetic), "kmem"),
		    "libtraceevent parses an artificial format");
	test_result(decodes(tep, rec, size, &made_up), "... it decodes a record");
	test_result(prints(tep, rec, size, &made_up), "... it prints the record");
	tep_free(tep);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[sizeof(synthetic) + 8];
		const char *at = strstr(synthetic, wrong[i][0]);

		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - synthetic),
			 synthetic, wrong[i][1], at + strlen(wrong[i][0]));
		tep = tep_new();
		test_note("now %s is wrong", wrong[i][1]);
		missed += !tep_parse_event(tep, text, strlen(text), "kmem") &&
			  decodes(tep, rec, size, &made_up);
		tep_free(tep);
	}
	test_result(!missed, "... the test detects wrong formats");
}

/* --- files ------------------------------------------------------------------------ */

/*
 * Parse all files that match, and set @files to their number. Return: the number that
 * libtraceevent parsed without an error, "print fmt" included.
 */
static int parse_files(struct tep_handle *tep, const char *pattern, int *files)
{
	glob_t found;
	size_t i;
	int parsed = 0;

	*files = 0;
	if (glob(pattern, 0, NULL, &found))
		return 0;
	for (i = 0; i < found.gl_pathc; i++) {
		char system[64], name[64], why[128] = "";
		const char *text = file_text(found.gl_pathv[i]);
		enum tep_errno err;

		path_names(found.gl_pathv[i], system, name);
		err = tep_parse_event(tep, text, strlen(text), system);
		(*files)++;
		parsed += !err && tep_find_event_by_name(tep, system, name);
		tep_strerror(tep, err, why, sizeof(why));
		if (err)
			test_note("%s: %s", found.gl_pathv[i], why);
	}
	globfree(&found);
	return parsed;
}

/* Checks this test itself with the files of ftrace. */
static void check_ftrace(void)
{
	struct tep_handle *tep = tep_new();
	int files, parsed;
	struct tep_event *event;
	struct tep_format_field *field;

	parsed = parse_files(tep, "/sys/kernel/tracing/events/kmem/*/format", &files);
	event = tep_find_event_by_name(tep, "kmem", "kmalloc");
	field = event ? tep_find_field(event, "bytes_req") : NULL;
	test_result(files >= 6 && parsed == files,
		    "libtraceevent parses %d formats of ftrace", files);
	test_result(field && field->size == 8 &&
			    tep_find_common_field(event, "common_pid"),
		    "... it finds their fields");
	tep_free(tep);
}

static bool field_is(struct tep_event *event, const char *name, bool common,
		     int offset, int size, bool is_signed)
{
	struct tep_format_field *f = common ? tep_find_common_field(event, name) :
					      tep_find_field(event, name);

	if (f && f->offset == offset && f->size == size &&
	    !!(f->flags & TEP_FIELD_IS_SIGNED) == is_signed)
		return true;
	test_note("%s: field %s: offset %d, size %d, flags %lx", event->name,
		  name, f ? f->offset : -1, f ? f->size : -1, f ? f->flags : 0);
	return false;
}

/* A field that is said not to be in the record is not there under its other name either. */
static bool others_are_right(struct tep_event *event, const char *path)
{
	const char *at = strstr(file_text(path), "that are not in the record:\n");
	char help[64];
	bool good = at;

	while (at && (at = strchr(at, '\n')) && !strncmp(at, "\n#\t", 3)) {
		at++;
		if (sscanf(at, "#\t%*[^:]: %63[^\n]", help) != 1 ||
		    tep_find_field(event, help)) {
			test_note("%s: %.*s", path, (int)strcspn(at, "\n"), at);
			good = false;
		}
	}
	return good;
}

/* The ID of the event, and the offsets of its fields. */
static bool layout_is_right(struct tep_handle *tep, const struct name *n)
{
	struct tep_event *event = tep_find_event_by_name(tep, n->system, n->name);
	char path[128];
	bool good;
	size_t i;

	if (!event) {
		test_note("there is no format of %s", n->name);
		return false;
	}
	snprintf(path, sizeof(path), KMT_DIR "events/%s/%s/id", n->system, n->name);
	good = event->id == common_type(n->event_id, n->type_id) &&
	       atoi(file_text(path)) == event->id && *file_text(path) &&
	       event->format.nr_common == 3 &&
	       field_is(event, "common_type", true, 0, 2, false) &&
	       field_is(event, "common_size", true, 2, 2, false) &&
	       field_is(event, "common_seq", true, 4, 4, true);
	if (!good)
		test_note("%s: ID %d, file id %s", n->name, event->id, file_text(path));
	snprintf(path, sizeof(path), KMT_DIR "events/%s/%s/format", n->system, n->name);
	good &= others_are_right(event, path);
	for (i = 0; i < FIELDS; i++)
		if (fields[i].at >= 0 &&
		    has_field(&fields[i], n->event_id, n->type_id, 0))
			good &= field_is(event, fields[i].name, false,
					 fields[i].at, fields[i].size,
					 !strcmp(fields[i].name, "node"));
	return good;
}

/* --- records ------------------------------------------------------------------------ */

/**
 * struct tally - numbers of records
 * @seen: records of each event of names[]
 * @wrong: libtraceevent decoded them to other values
 * @unprinted: libtraceevent could not print them
 * @task_wrong: made by this task, but with another pid, tgid or comm
 * @task: made by this task, with the feature task
 * @broken: could not be decoded at all
 */
struct tally {
	int seen[EVENTS];
	int wrong, unprinted, task_wrong, task, broken;
};

/* The client allocates in this task, so its records must have our pid, tgid and comm. */
static void take_task(struct tep_handle *tep, void *data, int size,
		      const struct kmt_event *ev, struct tally *t)
{
	struct tep_record rec = { .data = data, .size = size };
	struct tep_event *event = tep_find_event_by_record(tep, &rec);
	unsigned long long pid, tgid;
	const char *comm;
	int len;

	if (!event || strncmp(symbol_name(ev->call_site), "client_", 7) ||
	    tep_get_field_val(NULL, event, "pid", &rec, &pid, 0))
		return;
	t->task++;
	comm = tep_get_field_raw(NULL, event, "comm", &rec, &len, 0);
	if ((pid_t)pid != syscall(SYS_gettid) ||
	    tep_get_field_val(NULL, event, "tgid", &rec, &tgid, 0) ||
	    (pid_t)tgid != getpid() || !comm || len > 16 ||
	    strncmp(comm, "kmt_format", len))
		t->task_wrong++;
}

static void take_bytes(struct tep_handle *tep, const uint8_t *bytes, size_t size,
		       struct tally *t)
{
	static uint8_t rec[UINT16_MAX] __attribute__((aligned(8)));
	struct kmt_decoded dec;
	struct kmt_event ev;
	size_t pos = 0, i;
	int n;

	for (; pos < size; pos += n) {
		n = kmt_record_decode(bytes + pos, size - pos, false, &ev, &dec);
		if (n <= 0 || dec.unknown_id) {
			t->broken++;
			return;
		}
		memcpy(rec, bytes + pos, n);
		if (t->wrong < 5)
			t->wrong += !decodes(tep, rec, n, &ev);
		if (t->unprinted < 5)
			t->unprinted += !prints(tep, rec, n, &ev);
		take_task(tep, rec, n, &ev, t);
		for (i = 0; i < EVENTS; i++)
			t->seen[i] += names[i].event_id == ev.event_id &&
				      names[i].type_id == ev.type_id;
	}
}

/* Recording is off, so this CPU may read the streams of all CPUs. */
static void take_cpus(struct tep_handle *tep, struct tally *t)
{
	uint8_t *bytes = malloc(READ_MAX);
	ssize_t n;
	int cpu, fd;

	for (cpu = 0; bytes && cpu < test_cpus(); cpu++) {
		fd = stream_open(cpu);
		t->broken += fd < 0;
		while (fd >= 0 && (n = read(fd, bytes, READ_MAX)) != 0) {
			if (n < 0) {
				t->broken++;
				break;
			}
			take_bytes(tep, bytes, n, t);
		}
		if (fd >= 0)
			close(fd);
	}
	free(bytes);
}

static void check_records(const char *features)
{
	struct tep_handle *tep = tep_new();
	struct tally t = { 0 };
	int files, parsed, layouts = 0, missing = 0;
	size_t i;

	control_set("features", features);
	parsed = parse_files(tep, KMT_DIR "events/*/*/format", &files);
	for (i = 0; i < EVENTS; i++)
		layouts += layout_is_right(tep, &names[i]);
	control_set("enabled", "1");
	client_run("kmalloc 137 23");
	client_run("cache 0 23");
	client_run("pages 2 23");
	client_run("percpu 24 23");
	control_set("enabled", "0");
	take_cpus(tep, &t);
	for (i = 0; i < EVENTS; i++) {
		if (t.seen[i] < 23)
			test_note("%d records of %s", t.seen[i], names[i].name);
		missing += t.seen[i] < 23;
	}
	test_result(files == EVENTS && parsed == EVENTS,
		    "features %s: libtraceevent parses all formats", features);
	test_result(layouts == EVENTS, "features %s: offsets of fields are right",
		    features);
	test_result(!missing && !t.broken, "features %s: all events are recorded",
		    features);
	test_result(!missing && !t.wrong,
		    "features %s: libtraceevent decodes the same values", features);
	test_result(!missing && !t.unprinted,
		    "features %s: libtraceevent prints the records", features);
	if (t.task)
		test_result(!t.task_wrong,
			    "features %s: pid, tgid and comm are right", features);
	else
		test_skip("pid, tgid and comm are right", "the feature task is off");
	tep_free(tep);
}

int main(void)
{
	test_plan(4 + 2 + 1 + 5 * 6 + 1);
	check_synthetic();
	check_ftrace();
	test_result(!module_load("") && !client_load(), "modules load");
	check_records("none");
	check_records("time");
	check_records("cache page");
	check_records("time cache page");
	check_records("all");
	test_result(!client_unload() && !module_unload(), "modules unload");
	return test_exit();
}
