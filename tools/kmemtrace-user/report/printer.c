// SPDX-License-Identifier: GPL-2.0-only
/*
 * With two threads, each prints every second window of records. The second thread prints
 * into memory, and the first one writes its text between its own.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/msg.h"
#include "control/cpulist.h"
#include "report/printer.h"
#include "trace/feed.h"

/* windows that the second thread may be ahead of the first, each in its own text */
#define TEXTS 8

/* with two CPUs, the thread that merges takes what a second one for the lines would save */
#define CPUS 3

/*
 * The second thread is at most 2 * TEXTS windows ahead. If the first one stops, so many
 * must be there, or feed_stop() would wait without end: the thread that merges may wait
 * until half of the windows are free.
 */
static_assert(2 * TEXTS < INPUT_WINDOWS / 2 + 1, "");

/**
 * struct side - what a thread needs to print records
 * @render: prints a record
 * @extra: further values of the current record
 * @lost: losses that were not printed yet
 * @known: all losses before the current record
 */
struct side {
	struct render render;
	struct extra extra;
	uint64_t lost;
	uint64_t known;
};

/**
 * struct second - the second thread
 * @job: what to print
 * @side: its own
 * @feed: the thread, which makes @text
 * @text: the lines of a window
 */
struct second {
	const struct printer_job *job;
	struct side side;
	struct feed *feed;
	struct outbuf text[TEXTS];
};

/* --- records -------------------------------------------------------------- */

static void print_losses(const struct printer_job *job, struct side *s)
{
	if (s->lost && input_gaps_are_losses(job->in))
		render_lost(&s->render, s->lost);
	s->lost = 0;
}

static bool is_wanted(const struct printer_job *job, struct side *s,
		      const struct merged *record, struct kmt_event *ev)
{
	if (!cpulist_contains(job->cpus, record->cpu))
		return false;
	extra_take(&s->extra, record);
	return !job->filter || event_filter_match(job->filter, ev, &s->extra);
}

/* Losses are printed before the next record that is printed. */
static void print_record(const struct printer_job *job, struct side *s,
			 const struct merged *record)
{
	struct kmt_event ev = record->ev;

	s->lost += record->lost;
	s->known += record->lost;
	if (!is_wanted(job, s, record, &ev))
		return;
	print_losses(job, s);
	render_record(&s->render, &ev, &s->extra);
}

static void print_window(const struct printer_job *job, struct side *s,
			 const struct window *w)
{
	size_t i;

	for (i = 0; i < w->count && !s->render.out->error; i++)
		print_record(job, s, &w->events[i]);
}

/* --- a second thread ------------------------------------------------------ */

/* Prints the second of the next two windows. A feed_fill. */
static bool print_text(void *arg, unsigned int slot)
{
	struct second *s = arg;
	const struct window *w = input_next_too(s->job->in);

	if (w)
		w = input_next_too(s->job->in);
	if (!w)
		return false;
	s->side.render.out = &s->text[slot];
	print_window(s->job, &s->side, w);
	return true;
}

static void second_destroy(struct second *s)
{
	size_t i;

	if (!s)
		return;
	feed_stop(s->feed);
	for (i = 0; i < TEXTS; i++)
		outbuf_exit(&s->text[i]);
	render_exit(&s->side.render);
	free(s);
}

static struct second *second_create(const struct printer_job *job)
{
	struct second *s = calloc(1, sizeof(*s));
	size_t i;

	if (!s)
		return NULL;
	s->job = job;
	for (i = 0; i < TEXTS; i++)
		outbuf_init(&s->text[i], OUTBUF_MEMORY);
	extra_init(&s->side.extra, job->in);
	if (render_copy(&s->side.render, job->render))
		s->feed = feed_start(print_text, s, TEXTS, 1);
	if (s->feed)
		return s;
	second_destroy(s);
	return NULL;
}

/* --- all records ---------------------------------------------------------- */

static void print_alone(const struct printer_job *job, struct side *s)
{
	bool stream = input_is_stream(job->in);
	const struct window *w;

	do {
		/* the next records of a stream may come much later */
		if (stream)
			outbuf_flush(s->render.out);
		w = s->render.out->error ? NULL : input_next(job->in);
		if (w)
			print_window(job, s, w);
	} while (w);
}

/* As print_alone(), if the second thread cannot be created: nobody else reads. */
static void print_as_both(const struct printer_job *job, struct side *s)
{
	while (!s->render.out->error && input_next_too(job->in))
		print_window(job, s, input_next(job->in));
	if (!s->render.out->error)
		input_next(job->in);
}

static void print_in_turn(const struct printer_job *job, struct side *s)
{
	struct second *second = second_create(job);
	struct outbuf *out = s->render.out;
	const struct window *w;
	bool own = true;

	if (!second) {
		print_as_both(job, s);
		return;
	}
	while (!out->error && (w = input_next(job->in))) {
		if (own)
			print_window(job, s, w);
		else
			outbuf_pass(out, &second->text[feed_next(second->feed, 0)]);
		own = !own;
	}
	/* after an error, the thread may still be busy */
	feed_stop(second->feed);
	second->feed = NULL;
	s->known += second->side.known;
	second_destroy(second);
}

int printer_print(const struct printer_job *job)
{
	struct side s = { .render = *job->render };
	int ret;

	/* what is lost before a record that is not printed is printed later */
	job->in->readers = job->alone || job->filter || job->cpus ?
				   1 :
				   input_readers(job->in, CPUS);
	ret = input_begin(job->in, true);
	if (ret)
		return ret;
	extra_init(&s.extra, job->in);
	render_head(&s.render);
	if (job->in->readers < 2)
		print_alone(job, &s);
	else
		print_in_turn(job, &s);
	if (!job->in->err && !s.render.out->error) {
		/* the losses after the last record */
		s.lost += merge_stats(job->in->merge)->missing - s.known;
		print_losses(job, &s);
	}
	outbuf_flush(s.render.out);
	return job->in->err ? EXIT_FAILED : EXIT_DONE;
}
