// SPDX-License-Identifier: GPL-2.0-only
/*
 * The grammar of filters. Every expression of filters.txt is written to ftrace's filter
 * of kmem:kmalloc and to kmemtrace's. Both must give the same answer: accept or refuse
 * it, and show the same text when read, caret included.
 *
 * KMT_FILTER_SELF=1 in the environment compares ftrace with another instance of itself,
 * to check the table. KMT_FILTER_DUMP=FILE writes ftrace's answers to FILE: errno, column
 * of the caret, error, and the row.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "filter_table.h"
#include "kmt_test.h"

#define TRACING	 "/sys/kernel/tracing"
#define INSTANCE TRACING "/instances/kmt_filter"
#define FILTER	 "events/kmem/kmalloc/filter"
#define GROUP	 20
#define NEEDED	 200
#define ERROR	 "\nparse_error: "

/* The answer of a filter file to an expression. */
struct answer {
	int err;
	char text[4 * 4096];
	size_t len;
};

enum verdict { TAKES, REFUSES, EITHER };

/* The kernels that a known difference applies to, and both verdicts there. */
static const struct {
	bool on_6_1;
	bool later;
	enum verdict ftrace;
	enum verdict kmemtrace;
} known[FILTER_MARKS] = {
	{ true, true, REFUSES, REFUSES }, /* errno */
	{ true, true, REFUSES, TAKES }, /* suffix */
	{ true, true, REFUSES, TAKES }, /* field */
	{ false, true, TAKES, REFUSES }, /* data */
	{ false, true, EITHER, REFUSES }, /* stacktrace */
	{ true, false, REFUSES, EITHER }, /* function-6.1 */
	{ true, false, REFUSES, EITHER }, /* cpus-6.1 */
};

static const char *peer = KMT_DIR FILTER;
static bool is_6_1, self;
static FILE *dump;
static int compared, bare, differing[FILTER_MARKS], alike[FILTER_MARKS];

/* --- asking ----------------------------------------------------------------- */

static int put(const char *path, const char *text, size_t len)
{
	/* with the flags of a shell's > */
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, len) < 0)
		err = errno;
	close(fd);
	return err;
}

static void get(const char *path, struct answer *a)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	a->len = 0;
	while (fd >= 0 && a->len < sizeof(a->text) - 1) {
		n = read(fd, a->text + a->len, sizeof(a->text) - 1 - a->len);
		if (n <= 0)
			break;
		a->len += n;
	}
	if (fd >= 0)
		close(fd);
	a->text[a->len] = '\0';
}

static void ask(const char *path, const struct filter_row *row,
		struct answer *a)
{
	static char text[3 * 4096];
	size_t len = row->len < sizeof(text) ? row->len : sizeof(text) - 1;

	memcpy(text, row->text, len);
	text[len] = '\n';
	a->err = put(path, text, len + 1);
	get(path, a);
	put(path, "0\n", 2);
}

/* --- comparing ---------------------------------------------------------------- */

/*
 * Name the difference of two answers, or NULL. After an error, ftrace's text ends in an
 * empty line; in its place, kmemtrace has a line with the filter in force.
 */
static const char *difference(const struct answer *f, const struct answer *k)
{
	size_t len = f->len - 1;

	if (!f->err != !k->err)
		return "verdict";
	if (!f->err)
		return strcmp(f->text, k->text) ? "text" : NULL;
	if (!strstr(f->text, ERROR))
		return NULL;
	if (k->len <= len || memcmp(f->text, k->text, len))
		return "text";
	if (strchr(k->text + len, '\n') != k->text + k->len - 1)
		return "line with the filter in force";
	return NULL;
}

static void show(const char *who, const struct answer *a)
{
	const char *p = a->text, *end;

	test_note("  %s: %s", who, a->err ? strerror(a->err) : "accepted");
	for (; *p; p = end + (*end == '\n')) {
		end = p + strcspn(p, "\n");
		if (end - p > 200)
			test_note("    |%.40s...%.120s| (%d characters)", p,
				  end - 120, (int)(end - p));
		else
			test_note("    |%.*s|", (int)(end - p), p);
	}
}

static void complain(const struct filter_row *row, const char *what,
		     const struct answer *f, const struct answer *k)
{
	test_note("line %d, %s: %.300s", row->line, what, row->source);
	show("ftrace", f);
	show(self ? "instance" : "kmemtrace", k);
}

/* The marks of a row that apply to the running kernel. */
static unsigned int marks_here(const struct filter_row *row)
{
	unsigned int marks = 0;
	int i;

	for (i = 0; i < FILTER_MARKS && !self; i++)
		if (is_6_1 ? known[i].on_6_1 : known[i].later)
			marks |= row->marks & 1u << i;
	return marks;
}

static bool does(enum verdict what, const struct answer *a)
{
	return what == EITHER || (what == TAKES) == !a->err;
}

/* For a row with a mark other than @errno: the answers must differ as described. */
static bool differs_as_known(const struct filter_row *row, int mark,
			     const struct answer *f, const struct answer *k)
{
	bool ok = difference(f, k) && does(known[mark].ftrace, f) &&
		  does(known[mark].kmemtrace, k) &&
		  (!k->err || k->err == EINVAL);

	differing[mark] += ok;
	alike[mark] += !ok;
	if (!ok)
		complain(row, "the known difference is not as described", f, k);
	return ok;
}

static bool same_errno(const struct filter_row *row, unsigned int marks,
		       const struct answer *f, const struct answer *k)
{
	bool ok = self ? f->err == k->err : !k->err || k->err == EINVAL;

	if (marks & FILTER_ERRNO) {
		bool other = f->err && f->err != EINVAL;

		differing[0] += other;
		alike[0] += !other;
		ok = ok && other;
	} else if (!self) {
		ok = ok && f->err == k->err;
	}
	if (!ok)
		complain(row, "errno", f, k);
	return ok;
}

static void write_down(const struct filter_row *row, const struct answer *f)
{
	const char *error = strstr(f->text, ERROR), *line = error;
	int column = 0;

	if (error) {
		while (line[-1] != '\n')
			line--;
		column = error - line;
		error += strlen(ERROR);
	} else {
		error = f->err ? f->text : "-";
		if (strstr(error, "\nError: "))
			error = strstr(error, "\nError: ") + 1;
	}
	fprintf(dump, "%d\t%d\t%.*s\t%s\n", f->err, column,
		(int)strcspn(error, "\n"), error, row->source);
}

static bool check_row(const struct filter_row *row)
{
	static struct answer f, k;
	unsigned int marks = marks_here(row), mark;
	const char *what;

	ask(TRACING "/" FILTER, row, &f);
	ask(peer, row, &k);
	if (dump)
		write_down(row, &f);
	for (mark = 1; mark < FILTER_MARKS; mark++)
		if (marks & 1u << mark)
			return differs_as_known(row, mark, &f, &k);
	compared++;
	bare += f.err && !strstr(f.text, ERROR);
	what = difference(&f, &k);
	if (!what)
		return same_errno(row, marks, &f, &k);
	complain(row, what, &f, &k);
	return false;
}

/* --- the test ------------------------------------------------------------------- */

static void check_group(const struct filter_row *row, int n)
{
	bool ok = true;
	int i;

	for (i = 0; i < n; i++)
		ok &= check_row(&row[i]);
	test_result(ok, "filters.txt, lines %d to %d: the answers are as expected",
		    row[0].line, row[n - 1].line);
}

static void check_known(void)
{
	bool ok = true;
	int i;

	if (self) {
		test_skip("known differences are as described", "self");
		return;
	}
	for (i = 0; i < FILTER_MARKS; i++) {
		bool here = is_6_1 ? known[i].on_6_1 : known[i].later;

		test_note("known difference %s: %d rows, %d not as described%s",
			  filter_marks[i], differing[i], alike[i],
			  here ? "" : " (not on this kernel)");
		ok = ok && !alike[i] && !differing[i] == !here;
	}
	test_result(ok, "known differences are as described");
}

/* After an error, ftrace does not filter; kmemtrace keeps the filter in force. */
static void check_in_force(void)
{
	static const char name[] = "a refused filter does not replace the one in force";
	static const char first[] = "bytes_req > 77", second[] = "bytes_req =";
	static struct answer k;
	const char *line;

	if (self) {
		test_skip(name, "self");
		return;
	}
	put(peer, first, strlen(first));
	k.err = put(peer, second, strlen(second));
	get(peer, &k);
	line = strstr(k.text, ERROR);
	line = line ? strchr(line + 1, '\n') : NULL;
	if (!line || !strstr(line, first))
		show("kmemtrace", &k);
	test_result(k.err && line && strstr(line, first), "%s", name);
	put(peer, "0\n", 2);
}

static bool start(void)
{
	const char *to = getenv("KMT_FILTER_DUMP");
	struct utsname u;

	uname(&u);
	is_6_1 = !strncmp(u.release, "6.1.", 4);
	if (access(TRACING "/events", F_OK))
		mount("tracefs", TRACING, "tracefs", 0, NULL);
	if (to)
		dump = fopen(to, "w");
	self = getenv("KMT_FILTER_SELF");
	if (!self)
		return !module_load("") && !access(peer, R_OK | W_OK);
	peer = INSTANCE "/" FILTER;
	return !mkdir(INSTANCE, 0700);
}

int main(void)
{
	struct filter_row *rows;
	int i, n;
	bool ok;

	n = filter_table_read("filters.txt", &rows);
	test_plan(5 + (n + GROUP - 1) / GROUP);
	ok = n > 0 && start();
	test_result(ok, "filters.txt has %d rows, and the module loads", n);
	if (!ok)
		return test_exit();
	for (i = 0; i < n; i += GROUP)
		check_group(rows + i, n - i < GROUP ? n - i : GROUP);
	test_result(compared >= NEEDED,
		    "%d rows without a known difference, %d of them without a caret",
		    compared, bare);
	check_known();
	check_in_force();
	test_result(self ? !rmdir(INSTANCE) : !module_unload(),
		    "the module unloads");
	filter_table_free(rows, n);
	if (dump)
		fclose(dump);
	return test_exit();
}
