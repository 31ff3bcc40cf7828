// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/duration.h"
#include "base/msg.h"
#include "report/when.h"

#define SECOND UINT64_C(1000000000)

static const char not_a_time[] =
	"takes a time such as 12.5, 500ms, +5s, -10s, 25% or 15:04:05";

#define PERCENT_MAX 1000000

/* Return: NULL, or a text that describes the error. */
static const char *parse_duration(const struct when *w, const char *text,
				  uint64_t *ns)
{
	struct duration_number n;

	if (!duration_parse(text, ns)) {
		if (!duration_number(&text, &n) || strcmp(text, "%"))
			return not_a_time;
		*ns = n.whole > PERCENT_MAX ?
			      UINT64_MAX :
			      duration_ns(&n, w->last - w->first) / 100;
	}
	return *ns > UINT64_MAX / 2 ? "is further away than any record" : NULL;
}

/*
 * Parses "2026-11-21 15:04:05.5", "15:04:05" or "15:04". A time without a date is on the
 * day of the first record.
 */
static const char *parse_clock(const struct when *w, const char *text,
			       uint64_t *ns)
{
	static const char *const formats[] = { "%Y-%m-%d %H:%M:%S",
					       "%Y-%m-%dT%H:%M:%S",
					       "%Y-%m-%d %H:%M", "%H:%M:%S",
					       "%H:%M" };
	time_t begin = (w->real + (w->first - w->clock)) / SECOND, seconds;
	struct duration_number fraction = { 0 };
	const char *rest = NULL;
	struct tm tm;
	size_t i;

	if (!w->has_clock)
		return "is a time of day, which the recording does not have";
	for (i = 0; !rest && i < sizeof(formats) / sizeof(formats[0]); i++) {
		localtime_r(&begin, &tm);
		tm.tm_sec = 0;
		tm.tm_isdst = -1;
		rest = strptime(text, formats[i], &tm);
		if (rest && *rest && *rest != '.')
			rest = NULL;
	}
	if (!rest)
		return not_a_time;
	if (*rest && strcmp(rest, ".") &&
	    (!duration_number(&rest, &fraction) || *rest))
		return not_a_time;
	seconds = mktime(&tm);
	*ns = w->clock + (seconds * SECOND + fraction.billionths - w->real);
	/* the time is before the boot of the machine */
	if ((int64_t)*ns < 0)
		*ns = 0;
	return NULL;
}

const char *when_parse(const struct when *w, const char *text, uint64_t *ns)
{
	const char *wrong;

	if (strchr(text, ':'))
		return parse_clock(w, text, ns);
	wrong = parse_duration(w, text + (*text == '+' || *text == '-'), ns);
	if (wrong)
		return wrong;
	if (*text == '-')
		*ns = *ns < w->last ? w->last - *ns : 0;
	else if (*text == '+' || text[strlen(text) - 1] == '%')
		*ns += w->first;
	return NULL;
}

static bool find_clock(const char *text, struct when *w)
{
	w->has_clock = input_number(text, "clock_ns", &w->clock) &&
		       input_number(text, "realtime_ns", &w->real);
	return w->has_clock;
}

int when_no_times(const struct input *in)
{
	uint32_t features;

	if (input_features(in, &features) && (features & KMT_FEATURE_TIME))
		return msg_error(in->end ? "no record is in this part of the recording" :
					   "the recording is cut short, and has no record in this part");
	return msg_error("the recording has no times: record with --features time");
}

int when_check_records(const struct input *in)
{
	return in->timed && !merge_stats(in->merge)->events ? when_no_times(in) : EXIT_DONE;
}

/* Return: whether a time can be found without the first and the last record. */
static bool is_absolute(const char *text)
{
	return !text || (*text != '+' && *text != '-' && !strchr(text, '%'));
}

/* The times of a stream are not known yet. It begins at the time of META. */
static int find_times(const struct input *in, const char *command,
		      const char *since, const char *until, struct when *w)
{
	if (!find_clock(in->meta, w))
		find_clock(in->end, w);
	if (!input_is_stream(in))
		return input_span(in, &w->first, &w->last) ? EXIT_DONE :
			when_no_times(in);
	if (!is_absolute(since) || !is_absolute(until))
		return msg_usage(command, "a time as +5s, -5s or 25%% needs the first and the last record, which a pipe does not have yet: save the recording to a file");
	w->first = w->has_clock ? w->clock : 0;
	w->last = w->first;
	return EXIT_DONE;
}

static int parse_option(const struct when *w, const char *command,
			const char *option, const char *text, uint64_t *ns)
{
	const char *wrong = text ? when_parse(w, text, ns) : NULL;

	return wrong ? msg_usage(command, "%s %s: '%s'", option, wrong, text) :
		       EXIT_DONE;
}

static int outside(const char *option, const char *text, const char *where, uint64_t ns)
{
	return msg_error("%s %s is %s record, which is at %" PRIu64 ".%09" PRIu64, option,
			 text, where, ns / SECOND, ns % SECOND);
}

/* A part without records would be shown as an empty table. --at also needs a known moment. */
static int check_part(const struct when *w, uint64_t first, const char *since, uint64_t last,
		      const char *until_option, const char *until)
{
	if (first > w->last)
		return outside("--since", since, "after the last", w->last);
	if (last < w->first)
		return outside(until_option, until, "before the first", w->first);
	if (until && last > w->last && !strcmp(until_option, "--at"))
		return outside(until_option, until, "after the last", w->last);
	return EXIT_DONE;
}

int when_limit(struct input *in, const char *command, const char *since,
	       const char *until_option, const char *until)
{
	uint64_t first = 0, last = UINT64_MAX;
	struct when w = { 0 };
	int ret;

	if (!since && !until)
		return EXIT_DONE;
	ret = find_times(in, command, since, until, &w);
	if (!ret)
		ret = parse_option(&w, command, "--since", since, &first);
	if (!ret)
		ret = parse_option(&w, command, until_option, until, &last);
	if (!ret && first > last)
		ret = msg_usage(command, "%s is before --since", until_option);
	if (!ret && !input_is_stream(in))
		ret = check_part(&w, first, since, last, until_option, until);
	if (!ret)
		input_limit(in, first, last);
	return ret;
}
