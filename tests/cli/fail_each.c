// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command repeatedly, as a part of fail_each.so. In each run, one allocation of
 * the command fails:
 *
 *   FAIL_EACH=N [FAIL_AFTER=SCRIPT] LD_PRELOAD=fail_each.so COMMAND [ARGUMENT]...
 *
 * A run without a failure notes the call path of each allocation. For each path, one run
 * lets its first allocation fail, and another run its last one; only every Nth
 * of these runs is made. The process forks
 * for each run when its libraries are loaded and main() has not begun: this takes less
 * time than to start the command.
 *
 * A run with a failed allocation must either exit with 1 and say that memory ran out, or
 * have the same output as a run without one. The times of pages --page-owner may differ. No
 * further *.part may be left in the current directory, and SCRIPT must succeed after each run; it
 * has the exit status of the run in $status. Prints a line for each run that does not meet
 * this, and the number of failed allocations. Exits with 1 if there was such a run, or if no
 * allocation failed.
 */
#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail_malloc.h"

#define OUTPUT_MAX (1 << 20)

/* the result of a run: exit status, standard output and standard error */
struct run {
	int status;
	bool failed; /* an allocation failed */
	char out[OUTPUT_MAX];
	size_t size; /* of the output, which may be binary */
	char err[OUTPUT_MAX];
};

static const char *after; /* SCRIPT */
static size_t parts;	  /* unfinished files before the first run */

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	_exit(2);
}

/* "ts 2552075908015 ns", the time of an allocation, depends on the time of the run. */
static void hide_times(char *text, size_t size)
{
	static const char key[] = " ts ";
	char *at = text;

	while ((at = memmem(at, text + size - at, key, strlen(key)))) {
		at += strlen(key);
		while (*at >= '0' && *at <= '9')
			*at++ = 'T';
	}
}

/* Return: the number of bytes. */
static size_t take(int fd, char *to)
{
	ssize_t n = pread(fd, to, OUTPUT_MAX - 1, 0);

	check(n >= 0 && n < OUTPUT_MAX - 1, "the output");
	to[n] = '\0';
	hide_times(to, n);
	close(fd);
	return n;
}

/*
 * @which: number of the allocation that fails; 0: none, and their paths are noted
 *
 * Return: true in the process that is to be the command.
 */
static bool run(struct run *r, long which)
{
	int out = memfd_create("out", MFD_CLOEXEC);
	int err = memfd_create("err", MFD_CLOEXEC);
	int told = memfd_create("told", MFD_CLOEXEC);
	pid_t pid;

	check(out >= 0 && err >= 0 && told >= 0, "memfd_create");
	pid = fork();
	check(pid >= 0, "fork");
	if (!pid) {
		dup2(out, STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		fail_malloc(which, told);
		return true;
	}
	check(waitpid(pid, &r->status, 0) == pid, "waitpid");
	r->failed = lseek(told, 0, SEEK_END) > 0;
	close(told);
	r->size = take(out, r->out);
	take(err, r->err);
	return false;
}

/* Return: the number of unfinished files; there may be some from before. */
static size_t count_parts(void)
{
	glob_t files;
	size_t n;

	if (glob("*.part", 0, NULL, &files))
		return 0;
	n = files.gl_pathc;
	globfree(&files);
	return n;
}

/* Return: whether nothing is left behind. */
static bool is_clean(int status, const char *script)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", WEXITSTATUS(status));
	setenv("status", text, 1);
	return count_parts() == parts && (!script || !system(script));
}

/* pthread_create() reports a lack of memory as EAGAIN. */
static bool says_why(const char *text)
{
	return strstr(text, "out of memory") || strstr(text, strerror(ENOMEM)) ||
	       strstr(text, "cannot start a thread");
}

/* Return: text of the violation; NULL: none. */
static const char *judge(const struct run *r, const struct run *good)
{
	if (!WIFEXITED(r->status))
		return "it was killed by a signal";
	if (!is_clean(r->status, after))
		return "it has left something behind";
	if (WEXITSTATUS(r->status) == 1)
		return says_why(r->err) ? NULL : "it does not say that memory ran out";
	if (r->status != good->status)
		return "its exit status is neither 1 nor that without a failure";
	if (r->size != good->size || memcmp(r->out, good->out, r->size))
		return "it succeeded with another output";
	return NULL;
}

/* Return: whether @i is the first or the last of the allocations with its path. */
static bool ends(const struct paths *p, long i)
{
	bool first = true, last = true;
	long j;

	for (j = 0; j < p->n; j++) {
		if (p->hash[j] != p->hash[i])
			continue;
		first &= j >= i;
		last &= j <= i;
	}
	return first || last;
}

void fail_each(long step, const char *script)
{
	static struct run good, now;
	long i, failed = 0, bad = 0, ends_seen = 0;
	struct paths *paths;
	const char *wrong;

	after = script;
	parts = count_parts();
	paths = mmap(NULL, sizeof(*paths), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(paths != MAP_FAILED, "mmap");
	note_paths(paths);
	if (run(&good, 0))
		return;
	note_paths(NULL);
	check(paths->n <= PATHS_MAX, "more allocations than expected");
	/* exit status 3: events were lost */
	check(WIFEXITED(good.status) && (!WEXITSTATUS(good.status) ||
					 WEXITSTATUS(good.status) == 3),
	      "the command");
	check(is_clean(good.status, after), "the script");
	for (i = 0; i < paths->n; i++) {
		if (!ends(paths, i) || ends_seen++ % step)
			continue;
		if (run(&now, i + 1))
			return;
		/* with threads, the number of allocations differs from run to run */
		if (!now.failed)
			continue;
		failed++;
		wrong = judge(&now, &good);
		if (!wrong)
			continue;
		bad++;
		printf("allocation %ld: %s (status 0x%x): %s\n", i + 1, wrong,
		       now.status, now.err);
		fflush(stdout); /* the next run has a copy of what is not written */
	}
	printf("%ld of %ld allocations failed\n", failed, paths->n);
	fflush(stdout);
	_exit(bad || !failed);
}
