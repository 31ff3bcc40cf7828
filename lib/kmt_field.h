/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of all fields of an event. Filters, the format files, the columns and the
 * JSON of the tool, and the manual page use it.
 */
#ifndef KMT_FIELD_H
#define KMT_FIELD_H

#include "kmt_event.h"

/* struct that stores a field */
enum kmt_field_base {
	KMT_IN_EVENT,	/* struct kmt_event */
	KMT_IN_EXTRA,	/* struct kmt_extra */
	KMT_BASES
};

enum kmt_field_kind {
	KMT_FIELD_NUMBER,
	KMT_FIELD_HEX,		/* a number, printed in hexadecimal */
	KMT_FIELD_CPU,		/* the number of a CPU */
	KMT_FIELD_NS,		/* a number of nanoseconds */
	KMT_FIELD_CHARS,	/* an array of char, ended by a 0 */
	KMT_FIELD_STRING,	/* a pointer to a string */
	KMT_FIELD_STACK,	/* return addresses; a term compares each of them */
};

/* kmt_field.at of a field that is in no record */
#define KMT_NOT_RECORDED	(-1)

/**
 * struct kmt_field - one field
 * @name: name in filters and in format files
 * @type: C type, for format files
 * @help: short description; of an alias: the name of the field
 * @group: the field is known if the event has this group; 0: each event of kmemtrace has
 *	it
 * @base: the struct that stores the field, enum kmt_field_base
 * @kind: enum kmt_field_kind
 * @is_signed: the number may be negative
 * @common: format files list it among the common fields
 * @alias: another name of a field above; not listed again
 * @size: bytes of a number in @base
 * @at_size: bytes of the field in the record
 * @offset: offset in @base, in bytes
 * @at: offset in the record, in bytes: from the start of the record, or of the feature
 *	@group; or KMT_NOT_RECORDED
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

/* In the order of listings. The last element has no name. */
extern const struct kmt_field kmt_fields[];

/* in place of a kind: an event of the kernel that kmemtrace does not record */
#define KMT_FOREIGN	(-1)

/* in place of groups: those of any event of the kernel, which has no other fields */
#define KMT_FOREIGN_GROUPS                                                     \
	(KMT_FEATURE_TIME | KMT_FEATURE_TASK | KMT_FEATURE_CGROUP | KMT_GROUP_CPU)

/**
 * kmt_field_is_in() - check whether events have a field
 * @f: the field
 * @groups: mask of the groups that the events have; or KMT_FOREIGN_GROUPS
 *
 * Context: any.
 */
static inline bool kmt_field_is_in(const struct kmt_field *f, u32 groups)
{
	return !(f->group & ~groups) &&
	       (f->group || groups != KMT_FOREIGN_GROUPS);
}

/**
 * kmt_field_find() - find a field by its name
 * @name: the name; need not end in a 0
 * @len: bytes of @name
 * @groups: mask of the groups that can be known; or KMT_FOREIGN_GROUPS
 *
 * Context: any.
 * Return: the field; NULL if no field of @groups has this name.
 */
const struct kmt_field *kmt_field_find(const char *name, size_t len,
				       u32 groups);

/**
 * kmt_field_number() - get the value of a number
 * @f: a field that is not a string
 * @ev: the event
 * @x: the rest of the event
 *
 * Context: any.
 * Return: the value, sign-extended to 64 bits if the field is signed.
 */
u64 kmt_field_number(const struct kmt_field *f, const struct kmt_event *ev,
		     const struct kmt_extra *x);

/**
 * kmt_field_string() - get the value of a string
 * @f: a field that is a string
 * @x: the rest of the event; the group of @f is known
 *
 * Context: any.
 * Return: the string, in @x or with the lifetime of x->cache_name.
 */
const char *kmt_field_string(const struct kmt_field *f,
			     const struct kmt_extra *x);

/** kmt_field_is_string() - check whether a field is a string; context: any */
static inline bool kmt_field_is_string(const struct kmt_field *f)
{
	return f->kind == KMT_FIELD_CHARS || f->kind == KMT_FIELD_STRING;
}

/**
 * kmt_kind_groups() - get the groups that events of a kind can have
 * @kind: KMT_EVENT_KIND()
 *
 * Context: any.
 * Return: mask of the groups of this kind and of those that all kinds can have; the same
 * on every machine.
 */
u32 kmt_kind_groups(unsigned int kind);

/** struct kmt_kind_name - the names of a kind of event in event tracing */
struct kmt_kind_name {
	const char *system;
	const char *event;
};

extern const struct kmt_kind_name kmt_kind_names[KMT_EVENT_KINDS];

/**
 * kmt_is_word() - check whether a word is a name
 * @word: the word; need not end in a 0
 * @len: bytes of @word
 * @name: the name
 *
 * Context: any.
 */
static inline bool kmt_is_word(const char *word, size_t len, const char *name)
{
	return !strncmp(word, name, len) && !name[len];
}

/**
 * kmt_system_find() - find the first kind of event of a system
 * @system: name of the system
 *
 * Context: any.
 * Return: KMT_EVENT_KIND(); -1 if no kind has this system.
 */
int kmt_system_find(const char *system);

/**
 * kmt_kind_find() - find a kind of event by its name
 * @name: "system:event" or "event"; need not end in a 0
 * @len: bytes of @name
 *
 * Context: any.
 * Return: KMT_EVENT_KIND(); -1 if no kind has this name.
 */
int kmt_kind_find(const char *name, size_t len);

/** struct kmt_feature_name - the name of a feature */
struct kmt_feature_name {
	const char *name;
	u32 mask;
};

/* In the order of their ids. The last element has no name. */
extern const struct kmt_feature_name kmt_feature_names[];

/**
 * kmt_features_parse() - parse a list of features
 * @text: words, separated by blanks, newlines or commas: the name of a feature, "all" or
 *	"none". A word with "+" adds to the features that are on, one with "-" removes
 *	from them. If a word has neither, the list replaces the features that are on
 * @features: mask of KMT_FEATURE_* that are on; set to the new mask
 *
 * Context: any.
 * Return: NULL; on error, the word that names no feature, and @features is unchanged.
 */
const char *kmt_features_parse(const char *text, u32 *features);

#endif /* KMT_FIELD_H */
