// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel sends an event "add@/module/NAME" when the init function of a module has ended
 * (do_init_module() in its kernel/module/main.c).
 */
#include <errno.h>
#include <linux/netlink.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/msg.h"
#include "codetags/codeload.h"
#include "control/control.h"

/* Modules are loaded in groups: wait until none has been loaded for this time, in ms. */
#define QUIET_MS 500
/* but not longer than this, in seconds */
#define WAIT_MAX 5
/* seconds to the next attempt if the kernel is not known, at first and at most */
#define RETRY_MIN 60
#define RETRY_MAX 3600
#define ADDED	 "add@/module/"
#define OWN	 "kmemtrace"

/**
 * struct news - modules that were loaded since the last look
 * @count: number of modules
 * @name: name of the last one
 * @all: look at all modules: kmemtrace itself was loaded, or events were lost
 */
struct news {
	unsigned int count;
	char name[128];
	bool all;
};

static int open_events(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && !bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	msg_error("cannot wait for modules: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

static void note_module(struct news *news, const char *name)
{
	if (!strcmp(name, OWN))
		news->all = true;
	news->count++;
	snprintf(news->name, sizeof(news->name), "%.100s", name);
}

/* Return: 0 or -errno. */
static int receive(int fd, struct news *news)
{
	struct sockaddr_nl from = { 0 };
	socklen_t size = sizeof(from);
	char text[8192];
	ssize_t n = recvfrom(fd, text, sizeof(text) - 1, 0, (struct sockaddr *)&from, &size);

	if (n < 0 && errno == ENOBUFS)
		news->all = true;
	else if (n < 0 && errno != EINTR)
		return -errno;
	/* other programs may send to the socket, too; the kernel has no port */
	if (n <= 0 || from.nl_pid)
		return 0;
	text[n] = '\0';
	if (!strncmp(text, ADDED, strlen(ADDED)))
		note_module(news, text + strlen(ADDED));
	return 0;
}

/*
 * Wait for modules, and until no more come; or for @retry seconds, if it is not 0.
 * Return: 0 or -errno.
 */
static int wait_for_modules(int fd, struct news *news, int retry)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	double start = 0;
	int err = 0, n;

	*news = (struct news){ 0 };
	while (!err) {
		bool any = news->count || news->all;

		if (any && !start)
			start = clock_now();
		if (any && clock_now() - start > WAIT_MAX)
			break;
		n = poll(&pfd, 1, any ? QUIET_MS : retry ? retry * 1000 : -1);
		if (n < 0 && errno != EINTR)
			err = -errno;
		else if (!n)
			break;
		else if (n > 0)
			err = receive(fd, news);
	}
	return err;
}

/**
 * struct follower - what was done so far
 * @source: what to search
 * @is_loaded: all modules have been looked at, and the kernel is known
 * @retry: seconds to the next look if it is not
 * @told: why there is no module; or NULL
 */
struct follower {
	const struct codelive_source *source;
	bool is_loaded;
	int retry;
	const char *told;
};

/* Return: whether the module is there; else says once why not. */
static bool is_there(struct follower *f)
{
	const char *why;
	int dir = control_open(&why);

	if (dir >= 0) {
		close(dir);
		f->told = NULL;
		return true;
	}
	if (f->told != why)
		msg_note("waiting: %s", why);
	f->told = why;
	return false;
}

/*
 * Debug information may come later: with the network, or with a package. So all modules are
 * looked at again until the kernel is known: after a minute, and then less often.
 */
static void codefollow_load(struct follower *f, const struct news *news)
{
	struct codelive_source from = *f->source;
	struct codelive_found found;
	bool is_done;

	if (!is_there(f))
		return; /* its own event comes when it is loaded */
	if (f->is_loaded && !news->all && news->count == 1)
		from.only = news->name;
	is_done = codeload(&from, true, &found) == EXIT_DONE;
	if (!from.only)
		f->is_loaded = is_done && found.kernel;
	if (is_done && !from.only)
		codeload_tell(&found);
	f->retry = f->is_loaded ? 0 : f->retry ? MIN(f->retry * 2, RETRY_MAX) : RETRY_MIN;
	/* debug information takes hundreds of MiB, and may not be needed again for days */
	malloc_trim(0);
}

int codeload_follow(const struct codelive_source *source)
{
	struct follower f = { .source = source };
	struct news news = { .all = true };
	int fd = open_events(), err = 0;

	if (fd < 0)
		return EXIT_FAILED;
	while (!err) {
		codefollow_load(&f, &news);
		err = wait_for_modules(fd, &news, f.retry);
	}
	close(fd);
	return msg_error("cannot wait for modules: %s", strerror(-err));
}
