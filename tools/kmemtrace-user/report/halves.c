// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>

#include "report/halves.h"

/* what the other thread does */
struct half {
	struct analysis *a;	/* its analysis */
	struct input *in;	/* the input */
};

static void *add_half(void *arg)
{
	struct half *h = arg;
	const struct window *w;

	while ((w = input_next_too(h->in)))
		analysis_add_window(h->a, w);
	return NULL;
}

/* Adds both halves in this thread. It learns of the end as the second reader first. */
static void add_in_turn(struct analysis *a, struct analysis *second,
			struct input *in)
{
	const struct window *w;

	while ((w = input_next_too(in))) {
		analysis_add_window(second, w);
		analysis_add_window(a, input_next(in));
	}
	input_next(in);
}

static void add_both(struct analysis *a, struct analysis *second,
		     struct input *in)
{
	struct half other = { .a = second, .in = in };
	const struct window *w;
	pthread_t thread;

	if (pthread_create(&thread, NULL, add_half, &other)) {
		add_in_turn(a, second, in);
		return;
	}
	while ((w = input_next(in)))
		analysis_add_window(a, w);
	pthread_join(thread, NULL);
}

void halves_add(struct analysis *a, struct input *in)
{
	struct analysis second;

	analysis_split(a, &second);
	add_both(a, &second, in);
	analysis_end(a, merge_stats(in->merge)->missing);
	analysis_end(&second, merge_stats(in->merge)->missing);
	analysis_join(a, &second);
	analysis_exit(&second);
}
