// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints the CPU time of a command in seconds, its elapsed time in seconds, and its
 * maximum memory in MiB. Each is the lowest value of several runs:
 *
 *   used TIMES COMMAND [ARGUMENT]...
 *
 * The output of the command is discarded.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct used {
	double own;
	double passed;
	double memory;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static double seconds(const struct timeval *t)
{
	return t->tv_sec + t->tv_usec / 1e6;
}

static struct used run(char **argv)
{
	double start = now();
	struct rusage usage;
	int status, null;
	pid_t child = fork();

	if (!child) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execvp(argv[0], argv);
		_exit(127);
	}
	/* kmemtrace-user exits with 3 if it succeeded, but events were lost */
	if (child < 0 || wait4(child, &status, 0, &usage) < 0 ||
	    !WIFEXITED(status) || (WEXITSTATUS(status) && WEXITSTATUS(status) != 3)) {
		fprintf(stderr, "used: %s has failed\n", argv[0]);
		exit(1);
	}
	return (struct used){
		seconds(&usage.ru_utime) + seconds(&usage.ru_stime),
		now() - start,
		usage.ru_maxrss / 1024.0,
	};
}

static double least(double a, double b)
{
	return b < a ? b : a;
}

int main(int argc, char **argv)
{
	int times = argc > 2 ? atoi(argv[1]) : 0;
	struct used u, all;

	if (times < 1)
		return 2;
	all = run(argv + 2);
	while (--times) {
		u = run(argv + 2);
		all.own = least(all.own, u.own);
		all.passed = least(all.passed, u.passed);
		all.memory = least(all.memory, u.memory);
	}
	printf("%.4f %.4f %.1f\n", all.own, all.passed, all.memory);
	return 0;
}
