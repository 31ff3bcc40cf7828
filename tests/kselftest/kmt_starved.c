// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task of a high real-time priority uses all of CPU 1, and makes events there. So the
 * recorder does not read this CPU, and says so.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kmt_test.h"

/* Without the limit, a real-time task may use all of a CPU. */
#define LIMIT	"/proc/sys/kernel/sched_rt_runtime_us"
#define LOG	"/tmp/kmt_starved.log"
#define FILE_	"/tmp/kmt_starved.kmt"
/* seconds in which CPU 1 is busy; the recorder waits for two of them */
#define BUSY	6

/* Return: 0 if the task had its priority, and made events. */
static int be_busy(void)
{
	struct sched_param high = { .sched_priority = 50 };
	double end = test_seconds() + BUSY;
	int err = !pin_to(1) || sched_setscheduler(0, SCHED_FIFO, &high);

	while (!err && test_seconds() < end)
		err = client_run("kmalloc 100 1000");
	return err;
}

/* Return: status of the recorder; -1: it could not be started, or was killed. */
static int record(const char *self, const char *order)
{
	pid_t pid = fork();
	cpu_set_t others;
	int status, cpu;

	if (!pid) {
		/* only the reader of CPU 1 runs there */
		CPU_ZERO(&others);
		for (cpu = 0; cpu < test_cpus(); cpu++)
			if (cpu != 1)
				CPU_SET(cpu, &others);
		sched_setaffinity(0, sizeof(others), &others);
		if (!freopen(LOG, "w", stderr))
			_exit(1);
		execlp("kmemtrace-user", "kmemtrace-user", "record", "-o", FILE_,
		       "--buffer-size", "64K", "--order", order, "--",
		       self, "busy", NULL);
		_exit(1);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
		       WEXITSTATUS(status) : -1;
}

static int count(const char *text, const char *what)
{
	int n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static void check(const char *self, const char *order)
{
	int status = record(self, order);
	const char *log = file_text(LOG);

	test_note("%s: %s", order, log);
	test_result(status == 3, "--order %s: events are lost", order);
	test_result(count(log, "records are not read on cpu1 (") == 1,
		    "... one message names the CPU that is not read");
	test_result(count(log, "kept the recorder from reading on cpu1 (") == 1,
		    "... the summary names it as well");
}

int main(int argc, char **argv)
{
	char limit[32];

	if (argc > 1 && !strcmp(argv[1], "busy"))
		return be_busy();
	test_plan(8);
	if (test_cpus() < 2) {
		int i;

		for (i = 0; i < 8; i++)
			test_skip("a CPU that is not read", "there is one CPU");
		return test_exit();
	}
	snprintf(limit, sizeof(limit), "%s", file_text(LIMIT));
	test_result(!module_load("") && !client_load() && !file_set(LIMIT, "-1"),
		    "modules load, and a real-time task may use all of a CPU");
	check(argv[0], "time");
	check(argv[0], "sequence");
	test_result(!file_set(LIMIT, limit) && !client_unload() && !module_unload(),
		    "modules unload");
	unlink(LOG);
	unlink(FILE_);
	return test_exit();
}
