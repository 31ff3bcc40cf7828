// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/progress.h"

#define FIRST_MS 1000
#define AGAIN_MS 200

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

void progress_start(struct progress *p, const char *what, uint64_t total)
{
	*p = (struct progress){
		.what = what,
		.total = total,
		.on = isatty(STDERR_FILENO),
	};
	if (p->on)
		p->next = now_ms() + FIRST_MS;
}

void progress_step(struct progress *p, uint64_t done)
{
	uint64_t now;

	if (!p->on)
		return;
	now = now_ms();
	if (now < p->next)
		return;
	p->next = now + AGAIN_MS;
	p->shown = true;
	if (p->total)
		fprintf(stderr, "\r%3.0f %% of %" PRIu64 " %s\033[K",
			done * 100.0 / p->total, p->total, p->what);
	else
		fprintf(stderr, "\r%" PRIu64 " %s\033[K", done, p->what);
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
