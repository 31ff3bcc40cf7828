// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/die.h"
#include "control/control.h"
#include "record/recorder.h"
#include "report/livefeed.h"

/*
 * Ctrl-C must reach the recorder once only, because it gives up its backlog at a second signal.
 * So it has a process group of its own, and trace/reader.c passes the signal on. If this process
 * is killed, the recorder ends.
 */
static int record(int to, pid_t parent, const char *features)
{
	const struct recorder_options options = {
		.file = "-",
		.quiet = true,
		.settings.features = features,
	};
	int ret;

	undo_forget();
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || dup2(to, STDOUT_FILENO) < 0)
		return EXIT_FAILED;
	close(to);
	ret = recorder_run(&options);
	if (ret == EXIT_FAILED)
		control_explain();
	return ret;
}

static void run_recorder(int to, pid_t parent, const char *features)
{
	int ret = record(to, parent, features);

	fflush(stderr);
	_exit(ret);
}

static int fork_recorder(struct livefeed *f, const char *features)
{
	pid_t parent = getpid();
	int fds[2], ret = EXIT_DONE;

	if (pipe2(fds, O_CLOEXEC))
		return msg_error("cannot make a pipe: %s", strerror(errno));
	fflush(stdout);
	f->pid = fork();
	if (!f->pid) {
		close(fds[0]);
		run_recorder(fds[1], parent, features);
	}
	if (f->pid < 0 || dup2(fds[0], STDIN_FILENO) < 0)
		ret = msg_error("cannot start to record: %s", strerror(errno));
	close(fds[0]);
	close(fds[1]);
	return ret;
}

int livefeed_start(struct livefeed *f, const char *features)
{
	struct pollfd pfd = { .fd = STDIN_FILENO, .events = POLLIN };

	if (fork_recorder(f, features))
		return EXIT_FAILED;
	while (poll(&pfd, 1, -1) < 0 && errno == EINTR)
		;
	if (pfd.revents & POLLIN)
		return EXIT_DONE;
	livefeed_end(f);
	return EXIT_FAILED;
}

/* Without a reader, the recorder ends at its next write, but an idle one does not write. */
int livefeed_end(struct livefeed *f)
{
	int status = EXIT_FAILED << 8, null;

	if (f->pid <= 0)
		return EXIT_DONE;
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0)
		close(STDIN_FILENO);
	else
		dup2(null, STDIN_FILENO);
	if (null > STDIN_FILENO)
		close(null);
	if (waitpid(f->pid, &status, WNOHANG) == 0) {
		kill(f->pid, SIGTERM);
		while (waitpid(f->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	f->pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}
