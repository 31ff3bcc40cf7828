// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/process_setup.h"
#include "record/child.h"

/* time for the command to end after SIGTERM, and after SIGKILL, in ms */
#define TERM_MS 2000
#define KILL_MS 1000

static void child_run(char **command, bool no_output, int failed)
{
	sigset_t none;
	int err;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	process_setup_undo();
	if (no_output)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(command[0], command);
	err = errno;
	_exit(write(failed, &err, sizeof(err)) < 0 ? 126 : 127);
}

int child_start(struct child *c, char **command, bool no_output)
{
	int failed[2], err = 0;

	if (!command)
		return EXIT_DONE;
	/* execvp() closes the pipe, unless it fails */
	if (pipe2(failed, O_CLOEXEC))
		return msg_error("cannot make a pipe: %s", strerror(errno));
	c->pid = fork();
	if (!c->pid)
		child_run(command, no_output, failed[1]);
	if (c->pid < 0)
		err = errno;
	close(failed[1]);
	if (!err && read(failed[0], &err, sizeof(err)) != sizeof(err))
		err = 0;
	close(failed[0]);
	if (!err)
		return EXIT_DONE;
	if (c->pid > 0)
		waitpid(c->pid, NULL, 0);
	c->pid = 0;
	return msg_error("cannot run %s: %s", command[0], strerror(err));
}

bool child_ended(struct child *c)
{
	if (!c->pid || waitpid(c->pid, &c->status, WNOHANG) <= 0)
		return false;
	c->pid = 0;
	return true;
}

bool child_interrupted(int signals)
{
	struct signalfd_siginfo info;
	bool any = false;

	while (read(signals, &info, sizeof(info)) == sizeof(info))
		any |= info.ssi_signo != SIGCHLD;
	return any;
}

static int elapsed_ms(const struct timespec *since)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - since->tv_sec) * 1000 +
	       (now.tv_nsec - since->tv_nsec) / 1000000;
}

/* SIGCHLD wakes poll(). */
static bool ends_within(struct child *c, int signals, int ms)
{
	struct pollfd pfd = { .fd = signals, .events = POLLIN };
	struct timespec start;
	int left = ms;

	clock_gettime(CLOCK_MONOTONIC, &start);
	while (!child_ended(c)) {
		if (left <= 0 || child_interrupted(signals))
			return false;
		poll(&pfd, 1, left);
		left = ms - elapsed_ms(&start);
	}
	return true;
}

void child_stop(struct child *c, int signals)
{
	if (!c->pid || child_ended(c))
		return;
	kill(c->pid, SIGTERM);
	if (ends_within(c, signals, TERM_MS))
		return;
	msg_note("the command did not end on SIGTERM; it is killed");
	kill(c->pid, SIGKILL);
	if (!ends_within(c, signals, KILL_MS))
		msg_note("the command (process %d) does not end; it is left alone",
			 (int)c->pid);
	c->pid = 0;
}

int child_exit_code(const struct child *c)
{
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) :
					WEXITSTATUS(c->status);
}
