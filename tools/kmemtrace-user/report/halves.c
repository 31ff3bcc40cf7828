// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>

#include "report/halves.h"

/**
 * struct half - what the other thread does
 * @a: its analysis
 * @in: the input
 * @ok: memory was enough
 */
struct half {
	struct analysis *a;
	struct input *in;
	bool ok;
};

/* Goes on without memory: the input ends only if both threads read it to its end. */
static void *add_half(void *arg)
{
	struct half *h = arg;
	const struct window *w;

	while ((w = input_next_too(h->in)))
		h->ok = h->ok && analysis_add_window(h->a, w);
	return NULL;
}

/* Adds both halves in this thread. It learns of the end as the second reader first. */
static bool add_in_turn(struct analysis *a, struct analysis *second,
			struct input *in)
{
	const struct window *w;
	bool ok = true;

	while ((w = input_next_too(in))) {
		ok = ok && analysis_add_window(second, w);
		w = input_next(in);
		ok = ok && analysis_add_window(a, w);
	}
	input_next(in);
	return ok;
}

/* Return: as halves_add() */
static bool add_both(struct analysis *a, struct analysis *second,
		     struct input *in)
{
	struct half other = { .a = second, .in = in, .ok = true };
	const struct window *w;
	pthread_t thread;
	bool ok = true;

	if (pthread_create(&thread, NULL, add_half, &other))
		return add_in_turn(a, second, in);
	while ((w = input_next(in)))
		ok = ok && analysis_add_window(a, w);
	pthread_join(thread, NULL);
	return ok && other.ok;
}

bool halves_add(struct analysis *a, struct input *in)
{
	struct analysis second;
	bool ok;

	analysis_split(a, &second);
	ok = add_both(a, &second, in);
	if (ok) {
		analysis_end(a, merge_stats(in->merge)->missing);
		analysis_end(&second, merge_stats(in->merge)->missing);
		analysis_join(a, &second);
	}
	analysis_exit(&second);
	return ok;
}
