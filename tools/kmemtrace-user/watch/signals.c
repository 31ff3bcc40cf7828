// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "watch/signals.h"
#include "watch/view.h"

bool signals_open(struct signals *s)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGWINCH);
	/* under nohup, SIGHUP is ignored, but a signalfd would still receive it */
	if (sigaction(SIGHUP, NULL, &hangup) || hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &s->old);
	s->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (s->fd >= 0)
		return true;
	sigprocmask(SIG_SETMASK, &s->old, NULL);
	return false;
}

void signals_close(struct signals *s)
{
	close(s->fd);
	sigprocmask(SIG_SETMASK, &s->old, NULL);
}

static unsigned int read_signals(const struct signals *s)
{
	struct signalfd_siginfo info;
	unsigned int happened = 0;

	while (read(s->fd, &info, sizeof(info)) == sizeof(info))
		happened |= info.ssi_signo == SIGWINCH ? SIGNALS_RESIZE :
							 SIGNALS_END;
	return happened;
}

unsigned int signals_wait(struct signals *s, int input, double seconds)
{
	struct pollfd fds[2] = {
		{ .fd = s->fd, .events = POLLIN },
		{ .fd = input, .events = POLLIN },
	};
	unsigned int happened = 0;
	struct timespec ts = top_timespec(seconds);

	/* the time is not exact if a signal other than these interrupts it */
	if (ppoll(fds, 2, &ts, NULL) <= 0)
		return 0;
	if (fds[0].revents)
		happened |= read_signals(s);
	/* a terminal that is gone can be read as well, again and again */
	if (fds[1].revents & (POLLHUP | POLLERR | POLLNVAL))
		happened |= SIGNALS_END;
	else if (fds[1].revents)
		happened |= SIGNALS_INPUT;
	return happened;
}
