// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command repeatedly. In each run, one allocation of the command fails:
 *
 *   fail_each LIBRARY STEP COMMAND [ARGUMENT]...
 *
 * LIBRARY is fail_malloc.so. With a STEP of N, every Nth allocation fails in one of the
 * runs. A run with a failed allocation must either exit with 1 and print a message, or
 * have the same output as a run without one. The times of pages --page-owner may differ.
 * Prints a line for each run that does neither, and the number of failed allocations.
 * Exits with 1 if there was such a run, or if no allocation failed.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_MAX (1 << 20)

/* the result of a run: exit status, standard output and standard error */
struct run {
	int status;
	bool failed; /* an allocation failed */
	char out[OUTPUT_MAX];
	size_t size; /* of the output, which may be binary */
	char err[OUTPUT_MAX];
};

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(2);
}

static void child(char **command, const char *library, long which, int out,
		  int err, int told)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", which);
	setenv("FAIL_MALLOC", text, 1);
	snprintf(text, sizeof(text), "%d", told);
	setenv("FAIL_TOLD", text, 1);
	setenv("LD_PRELOAD", library, 1);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	execv(command[0], command);
	_exit(98);
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

/* @which: number of the allocation that fails; 0: none */
static void run(struct run *r, char **command, const char *library, long which)
{
	int out = memfd_create("out", MFD_CLOEXEC);
	int err = memfd_create("err", MFD_CLOEXEC);
	int told = memfd_create("told", 0);
	pid_t pid;

	check(out >= 0 && err >= 0 && told >= 0, "memfd_create");
	pid = fork();
	check(pid >= 0, "fork");
	if (!pid)
		child(command, library, which, out, err, told);
	check(waitpid(pid, &r->status, 0) == pid, "waitpid");
	r->failed = lseek(told, 0, SEEK_END) > 0;
	close(told);
	r->size = take(out, r->out);
	take(err, r->err);
}

/* Return: text of the violation; NULL: none. */
static const char *judge(const struct run *r, const struct run *good)
{
	if (!WIFEXITED(r->status))
		return "it was killed by a signal";
	if (WEXITSTATUS(r->status) == 1)
		return *r->err ? NULL : "it failed without a message";
	if (r->status != good->status)
		return "its exit status is neither 1 nor that without a failure";
	if (r->size != good->size || memcmp(r->out, good->out, r->size))
		return "it succeeded with another output";
	return NULL;
}

int main(int argc, char **argv)
{
	static struct run good, now;
	const char *library = argv[1], *wrong;
	long i, step, failed = 0, bad = 0;

	check(argc > 3, "usage: fail_each LIBRARY STEP COMMAND [ARGUMENT]...");
	step = atol(argv[2]);
	run(&good, argv + 3, library, 0);
	/* exit status 3: events were lost */
	check(WIFEXITED(good.status) && (!WEXITSTATUS(good.status) ||
					 WEXITSTATUS(good.status) == 3),
	      "the command");
	for (i = 1;; i += step) {
		run(&now, argv + 3, library, i);
		if (!now.failed)
			break;
		failed++;
		wrong = judge(&now, &good);
		if (!wrong)
			continue;
		bad++;
		printf("allocation %ld: %s (status 0x%x): %s\n", i, wrong,
		       now.status, now.err);
	}
	printf("%ld allocations failed\n", failed);
	return bad || !failed;
}
