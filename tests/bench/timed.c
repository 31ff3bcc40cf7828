// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long a command takes: timed N COMMAND [ARGUMENT]... runs it N times, its
 * output thrown away, and prints the least time in nanoseconds.
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint64_t run(char **argv)
{
	uint64_t start = now();
	pid_t pid = fork();
	int status, null;

	if (!pid) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		errx(1, "%s failed", argv[0]);
	return now() - start;
}

int main(int argc, char **argv)
{
	uint64_t least = UINT64_MAX, t;
	int i;

	if (argc < 3)
		errx(2, "timed N COMMAND [ARGUMENT]...");
	for (i = atoi(argv[1]); i > 0; i--) {
		t = run(argv + 2);
		if (t < least)
			least = t;
	}
	printf("%llu\n", (unsigned long long)least);
	return 0;
}
