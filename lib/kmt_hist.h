/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The syntax of histograms, which is a part of that of event tracing (the kernel's
 * Documentation/trace/histogram.rst):
 *
 *	hist := attribute { ":" attribute }
 *	attribute := ( "keys" | "key" ) "=" key { "," key }
 *		   | ( "values" | "vals" | "val" ) "=" value { "," value }
 *		   | "sort" "=" sort { "," sort }
 *		   | "size" "=" number
 *		   | "pause" | "continue" | "cont" | "clear" | "nohitcount" | "NOHC"
 *	key   := field [ "." form ] | "common_stacktrace" | "stacktrace"
 *	value := ( field | "hitcount" | "live" | "live_count" ) [ "." form ]
 *	sort  := name of a value or key [ "." its form ]
 *		 [ "." ( "ascending" | "descending" ) ]
 *
 * Event tracing does not have the values live and live_count: the bytes and the number of
 * the allocations that were counted and are not freed yet. Neither does it have the form
 * path, of the field cgroup.
 */
#ifndef KMT_HIST_H
#define KMT_HIST_H

#include "kmt_field.h"

/* limits of the numbers of fields; event tracing allows 3 keys, 3 values and 2 sorts */
#define KMT_HIST_KEYS	4
#define KMT_HIST_VALUES 6 /* with hitcount, which is always the first */
#define KMT_HIST_SORTS	2

/* the limits of event tracing for the number of entries, a power of two */
#define KMT_HIST_SIZE_MIN     128
#define KMT_HIST_SIZE_DEFAULT 2048
#define KMT_HIST_SIZE_MAX     131072

/* bytes of a key's part for a string, and for a stack */
#define KMT_HIST_STRING 48
#define KMT_HIST_DEPTH	16
#define KMT_HIST_STACK	(KMT_HIST_DEPTH * sizeof(u64))
/* bytes of a whole key, at most */
#define KMT_HIST_KEY_MAX (KMT_HIST_KEYS * KMT_HIST_STACK)

/* how a key or a value is printed, and which values of a key are the same */
enum kmt_hist_form {
	KMT_HIST_PLAIN,
	KMT_HIST_HEX,
	KMT_HIST_SYM,
	KMT_HIST_SYM_OFFSET,
	KMT_HIST_LOG2,
	KMT_HIST_EXECNAME,
	KMT_HIST_PATH, /* of a cgroup */
	KMT_HIST_BUCKETS,
	KMT_HIST_PERCENT,
	KMT_HIST_GRAPH,
	KMT_HIST_FORMS
};

/* names of the forms, by enum kmt_hist_form; the first one is NULL */
extern const char *const kmt_hist_form_names[KMT_HIST_FORMS];

enum kmt_hist_source {
	KMT_HIST_FIELD,	     /* a field of the event */
	KMT_HIST_HITS,	     /* the number of events */
	KMT_HIST_LIVE,	     /* bytes that are live */
	KMT_HIST_LIVE_COUNT, /* allocations that are live */
};

/**
 * struct kmt_hist_field - a key or a value
 * @name: its name, as it is printed
 * @field: the field; NULL if @source is not KMT_HIST_FIELD
 * @source: enum kmt_hist_source
 * @form: enum kmt_hist_form
 * @offset: of a key: its offset in the whole key, a multiple of 8
 * @size: of a key: its bytes in the whole key, a multiple of 8
 * @width: with KMT_HIST_BUCKETS: the width of a bucket
 */
struct kmt_hist_field {
	const char *name;
	const struct kmt_field *field;
	u8 source;
	u8 form;
	u16 offset;
	u16 size;
	u64 width;
};

/**
 * struct kmt_hist_sort - what entries are sorted by
 * @is_key: by a key, else by a value
 * @index: number of the key or value
 * @descending: the largest first
 */
struct kmt_hist_sort {
	bool is_key;
	bool descending;
	u8 index;
};

/**
 * struct kmt_hist_spec - a parsed histogram
 * @keys: the keys
 * @values: the values; the first is hitcount
 * @sorts: what entries are sorted by
 * @nr_keys: number of keys, at least 1
 * @nr_values: number of values, at least 1
 * @nr_sorts: number of sorts, at least 1
 * @key_size: bytes of a whole key
 * @size: number of entries, a power of two
 * @groups: groups of fields that the keys and values need
 * @live: a value is live or live_count
 * @no_hits: hitcount is not printed
 * @pause: begin paused; of a histogram that exists: pause it
 * @resume: of a histogram that exists: continue
 * @clear: of a histogram that exists: remove its entries
 */
struct kmt_hist_spec {
	struct kmt_hist_field keys[KMT_HIST_KEYS];
	struct kmt_hist_field values[KMT_HIST_VALUES];
	struct kmt_hist_sort sorts[KMT_HIST_SORTS];
	u8 nr_keys;
	u8 nr_values;
	u8 nr_sorts;
	u16 key_size;
	u32 size;
	u32 groups;
	bool live;
	bool no_hits;
	bool pause;
	bool resume;
	bool clear;
};

enum kmt_hist_error {
	KMT_HIST_OK,
	KMT_HIST_NO_KEY,
	KMT_HIST_BAD_ATTRIBUTE,
	KMT_HIST_TWICE,
	KMT_HIST_NO_FIELD,
	KMT_HIST_BAD_FORM,
	KMT_HIST_NO_NUMBER,
	KMT_HIST_NOT_LIVE,
	KMT_HIST_TOO_MANY,
	KMT_HIST_BAD_SIZE,
	KMT_HIST_BAD_SORT,
	KMT_HIST_NO_VALUE,
	KMT_HIST_ERRORS
};

/**
 * kmt_hist_parse() - parse a histogram
 * @text: the text behind "hist:"
 * @len: bytes of @text
 * @kind: KMT_EVENT_KIND() of the event
 * @spec: set to the histogram
 * @error: set to the error
 *
 * Context: any.
 * Return: NULL; on error, the position of the error in @text.
 */
const char *kmt_hist_parse(const char *text, size_t len, unsigned int kind,
			   struct kmt_hist_spec *spec,
			   enum kmt_hist_error *error);

/**
 * kmt_hist_text() - get the message of an error
 * @error: KMT_HIST_*
 *
 * Context: any.
 */
const char *kmt_hist_text(enum kmt_hist_error error);

/**
 * kmt_hist_same() - check whether two histograms count and print the same
 * @a: a histogram
 * @b: another one; its size, and what it does to one that exists, do not matter
 *
 * Context: any.
 */
bool kmt_hist_same(const struct kmt_hist_spec *a, const struct kmt_hist_spec *b);

/**
 * kmt_hist_form_of() - get the value of a number in a form
 * @f: the key
 * @value: the number
 *
 * With KMT_HIST_LOG2, the exponent of the smallest power of two that is not less than the
 * number; 0 for 0. With KMT_HIST_BUCKETS, the start of its bucket.
 *
 * Context: any.
 */
u64 kmt_hist_form_of(const struct kmt_hist_field *f, u64 value);

#endif /* KMT_HIST_H */
