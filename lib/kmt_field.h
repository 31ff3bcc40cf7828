/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one table of what can be known about an event. Filters, the files
 * `format`, the columns and the JSON of the tool, and the manual page all come
 * from it.
 */
#ifndef KMT_FIELD_H
#define KMT_FIELD_H

#include "kmt_event.h"

/* where a field is kept */
enum kmt_field_base {
	KMT_IN_EVENT,	/* in struct kmt_event */
	KMT_IN_EXTRA,	/* in struct kmt_extra */
	KMT_BASES
};

enum kmt_field_kind {
	KMT_FIELD_NUMBER,
	KMT_FIELD_HEX,		/* a number, printed in hexadecimal */
	KMT_FIELD_CPU,		/* a number that is a CPU's */
	KMT_FIELD_NS,		/* a number of nanoseconds */
	KMT_FIELD_CHARS,	/* an array of char, ended by a 0 */
	KMT_FIELD_STRING,	/* a pointer to a string */
	KMT_FIELD_STACK,	/* return addresses; compared each */
};

/* kmt_field.at of a field that records do not hold */
#define KMT_NOT_RECORDED	(-1)

/**
 * struct kmt_field - one field
 * @name: as in filters and in `format`
 * @type: in C, as in `format`
 * @help: what it is, in a few words
 * @group: it is known if the event has this group; 0: always
 * @base: where it is kept
 * @kind: what it is
 * @is_signed: a number that may be negative
 * @common: `format` lists it among the common fields
 * @alias: another name of a field above: not listed again
 * @size: bytes of a number where it is kept
 * @at_size: bytes of it in the record
 * @offset: where it is kept
 * @at: bytes from the start of the record, or of the feature @group, where it
 *	is kept there; KMT_NOT_RECORDED
 */
struct kmt_field {
	const char *name;
	const char *type;
	const char *help;
	u32 group;
	u8 base;
	u8 kind;
	bool is_signed;
	bool common;
	bool alias;
	u8 size;
	u8 at_size;
	u16 offset;
	s16 at;
};

/* In the order in which they are listed; the last one has no name. */
extern const struct kmt_field kmt_fields[];

/**
 * kmt_field_find() - look a field up by its name
 * @name: not ended by a 0
 * @len: bytes in it
 * @groups: mask of the groups that can be known
 *
 * Context: any.
 * Return: the field, or NULL if there is none of that name among @groups.
 */
const struct kmt_field *kmt_field_find(const char *name, size_t len,
				       u32 groups);

/**
 * kmt_field_number() - read a number
 * @f: a field that is no string
 * @ev: the event
 * @x: the rest of it
 *
 * Context: any.
 * Return: it, extended to 64 bits by its sign.
 */
u64 kmt_field_number(const struct kmt_field *f, const struct kmt_event *ev,
		     const struct kmt_extra *x);

/**
 * kmt_field_string() - read a string
 * @f: a field that is a string
 * @x: the rest of the event; it has the field's group
 *
 * Context: any.
 * Return: the string.
 */
const char *kmt_field_string(const struct kmt_field *f,
			     const struct kmt_extra *x);

/** kmt_field_is_string() - whether a field is a string; context: any */
static inline bool kmt_field_is_string(const struct kmt_field *f)
{
	return f->kind == KMT_FIELD_CHARS || f->kind == KMT_FIELD_STRING;
}

/**
 * kmt_kind_groups() - the groups that events of a kind have, on any machine
 * @kind: KMT_EVENT_KIND()
 *
 * Context: any.
 * Return: those that follow from the kind, and all that every kind can have.
 */
u32 kmt_kind_groups(unsigned int kind);

/** struct kmt_kind_name - how event tracing calls a kind of event */
struct kmt_kind_name {
	const char *system;
	const char *event;
};

extern const struct kmt_kind_name kmt_kind_names[KMT_EVENT_KINDS];

/**
 * kmt_is_word() - whether a word is a name
 * @word: not ended by a 0
 * @len: bytes in it
 * @name: the name
 *
 * Context: any.
 */
static inline bool kmt_is_word(const char *word, size_t len, const char *name)
{
	return !strncmp(word, name, len) && !name[len];
}

/**
 * kmt_system_find() - the first kind of event of a system
 * @system: its name
 *
 * Context: any.
 * Return: KMT_EVENT_KIND(), or -1.
 */
int kmt_system_find(const char *system);

/**
 * kmt_kind_find() - the kind of event of a name
 * @name: "system:event" or "event", not ended by a 0
 * @len: bytes in it
 *
 * Context: any.
 * Return: KMT_EVENT_KIND(), or -1.
 */
int kmt_kind_find(const char *name, size_t len);

/** struct kmt_feature_name - how a feature is called */
struct kmt_feature_name {
	const char *name;
	u32 mask;
};

/* In the order of their ids; the last one has no name. */
extern const struct kmt_feature_name kmt_feature_names[];

/**
 * kmt_features_parse() - read a list of features
 * @text: names, "all" or "none", separated by blanks or commas; those with a
 *	"+" or "-" in front are added to what is on, or taken away
 * @features: mask of KMT_FEATURE_* that are on; set to those that shall be
 *
 * Context: any.
 * Return: NULL; or the word that names no feature, and @features is as before.
 */
const char *kmt_features_parse(const char *text, u32 *features);

#endif /* KMT_FIELD_H */
