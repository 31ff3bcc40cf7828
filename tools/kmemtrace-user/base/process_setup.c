// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/process_setup.h"

static struct rlimit files_before;
static bool files_raised;

/* Opens them in the wrong mode, so that their use fails, as if they were closed. */
static void open_standard(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY :
							   O_RDONLY) < 0)
			return;
}

static void raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &files_before) ||
	    files_before.rlim_cur == files_before.rlim_max)
		return;
	limit = files_before;
	limit.rlim_cur = limit.rlim_max;
	files_raised = !setrlimit(RLIMIT_NOFILE, &limit);
}

void process_setup(void)
{
	open_standard();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	raise_files();
}

void process_setup_undo(void)
{
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (files_raised)
		setrlimit(RLIMIT_NOFILE, &files_before);
}
