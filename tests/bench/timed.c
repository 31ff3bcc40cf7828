// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints the shortest time that a command takes in several runs, in nanoseconds:
 *
 *   timed TIMES COMMAND [ARGUMENT]...
 *
 * The output of the command is discarded. With QEMU's -icount shift=0, a nanosecond is
 * one instruction, and another measurement has the same result.
 */
#include <fcntl.h>
#include <inttypes.h>
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
	int status, null;
	pid_t child = vfork();

	if (!child) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 || status) {
		fprintf(stderr, "timed: %s has failed\n", argv[0]);
		exit(1);
	}
	return now() - start;
}

int main(int argc, char **argv)
{
	uint64_t least = UINT64_MAX, ns;
	int times = argc > 2 ? atoi(argv[1]) : 0;

	while (times--) {
		ns = run(argv + 2);
		if (ns < least)
			least = ns;
	}
	if (least == UINT64_MAX)
		return 2;
	printf("%" PRIu64 "\n", least);
	return 0;
}
