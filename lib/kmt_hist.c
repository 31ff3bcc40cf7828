// SPDX-License-Identifier: GPL-2.0-only
#include "kmt_filter_term.h"
#include "kmt_hist.h"

const char *const kmt_hist_form_names[KMT_HIST_FORMS] = {
	[KMT_HIST_HEX] = "hex",
	[KMT_HIST_SYM] = "sym",
	[KMT_HIST_SYM_OFFSET] = "sym-offset",
	[KMT_HIST_LOG2] = "log2",
	[KMT_HIST_EXECNAME] = "execname",
	[KMT_HIST_PATH] = "path",
	[KMT_HIST_BUCKETS] = "buckets",
	[KMT_HIST_PERCENT] = "percent",
	[KMT_HIST_GRAPH] = "graph",
};

#define VALUE_FORMS \
	(1u << KMT_HIST_HEX | 1u << KMT_HIST_PERCENT | 1u << KMT_HIST_GRAPH)
#define KEY_FORMS                                                              \
	(1u << KMT_HIST_HEX | 1u << KMT_HIST_SYM | 1u << KMT_HIST_SYM_OFFSET | \
	 1u << KMT_HIST_LOG2 | 1u << KMT_HIST_BUCKETS |                        \
	 1u << KMT_HIST_EXECNAME | 1u << KMT_HIST_PATH)

static const char *const texts[KMT_HIST_ERRORS] = {
	[KMT_HIST_OK] = "No error",
	[KMT_HIST_NO_KEY] =
		"Expecting keys=FIELD, for example hist:keys=call_site.sym:vals=bytes_alloc",
	[KMT_HIST_BAD_ATTRIBUTE] =
		"Expecting keys=, vals=, sort=, size=, pause, continue, clear or nohitcount",
	[KMT_HIST_TWICE] = "This attribute was given before",
	[KMT_HIST_NO_FIELD] = "Field not found: the file format has the fields",
	[KMT_HIST_BAD_FORM] =
		"Invalid field modifier: numbers as keys have hex, sym, sym-offset, log2 and buckets=WIDTH, common_pid also execname, cgroup also path; values have hex, percent and graph",
	[KMT_HIST_NO_NUMBER] = "Only a number can be a value",
	[KMT_HIST_NOT_LIVE] =
		"Only allocations are live: live and live_count need an event such as kmalloc",
	[KMT_HIST_TOO_MANY] = "Too many: at most 4 keys, 5 values and 2 sorts",
	[KMT_HIST_BAD_SIZE] = "Invalid size: expecting 1 to 131072 entries",
	[KMT_HIST_BAD_SORT] =
		"Invalid sort: expecting a key or value of this histogram, and .ascending or .descending",
	[KMT_HIST_NO_VALUE] = "nohitcount needs another value: vals=FIELD",
};

const char *kmt_hist_text(enum kmt_hist_error error)
{
	return texts[error];
}

/**
 * struct hist_parser - state of the parser
 * @spec: the histogram so far
 * @kind: of the event
 * @error: the error
 * @seen: mask of the attributes that were read
 * @sort: the text of the attribute sort, which is read last; NULL: none
 * @sort_end: its end
 */
struct hist_parser {
	struct kmt_hist_spec *spec;
	unsigned int kind;
	enum kmt_hist_error error;
	unsigned int seen;
	const char *sort;
	const char *sort_end;
};

enum attribute { KEYS, VALUES, SORT, SIZE, PAUSE, CONTINUE, CLEAR, NO_HITS };

static const struct {
	const char *name;
	enum attribute attribute;
	bool assigned;
} attributes[] = {
	{"keys", KEYS, true},	       {"key", KEYS, true},
	{"values", VALUES, true},      {"vals", VALUES, true},
	{"val", VALUES, true},	       {"sort", SORT, true},
	{"size", SIZE, true},	       {"pause", PAUSE, false},
	{"continue", CONTINUE, false}, {"cont", CONTINUE, false},
	{"clear", CLEAR, false},       {"nohitcount", NO_HITS, false},
	{"NOHC", NO_HITS, false},
};

static const char *fail(struct hist_parser *p, enum kmt_hist_error error,
			const char *at)
{
	p->error = error;
	return at;
}

/* Return: the first @c from @at on; @end if there is none. */
static const char *find(const char *at, const char *end, char c)
{
	while (at < end && *at != c)
		at++;
	return at;
}

/* Parse "buckets=WIDTH", or as in event tracing "bucket=WIDTH". */
static bool read_buckets(const char *at, const char *end, u64 *width)
{
	const char *equals = find(at, end, '=');

	if (equals == end || (!kmt_is_word(at, equals - at, "buckets") &&
			      !kmt_is_word(at, equals - at, "bucket")))
		return false;
	at = equals + 1;
	return at < end && kmt_read_digits(at, end, width) == end && *width;
}

static bool read_form(const char *at, const char *end, struct kmt_hist_field *f)
{
	if (read_buckets(at, end, &f->width)) {
		f->form = KMT_HIST_BUCKETS;
		return true;
	}
	for (f->form = 1; f->form < KMT_HIST_FORMS; f->form++)
		if (kmt_is_word(at, end - at, kmt_hist_form_names[f->form]))
			return f->form != KMT_HIST_BUCKETS;
	return false;
}

/* The fields of an event that do not come from the table of fields. */
static bool read_special(const char *at, const char *end, bool is_key,
			 struct kmt_hist_field *f)
{
	static const struct {
		const char *name;
		u8 source;
	} specials[] = {
		{"hitcount", KMT_HIST_HITS},
		{"live", KMT_HIST_LIVE},
		{"live_count", KMT_HIST_LIVE_COUNT},
	};
	unsigned int i;

	if (is_key)
		return false;
	for (i = 0; i < sizeof(specials) / sizeof(specials[0]); i++)
		if (kmt_is_word(at, end - at, specials[i].name)) {
			f->name = specials[i].name;
			f->source = specials[i].source;
			return true;
		}
	return false;
}

static bool read_name(struct hist_parser *p, const char *at, const char *end,
		      struct kmt_hist_field *f)
{
	f->source = KMT_HIST_FIELD;
	if (kmt_is_word(at, end - at, "common_stacktrace") ||
	    kmt_is_word(at, end - at, "stacktrace")) {
		f->field = kmt_field_find("stack", 5, KMT_FEATURE_STACK);
		f->name = "common_stacktrace";
		return true;
	}
	f->field = kmt_field_find(at, end - at, kmt_kind_groups(p->kind));
	if (f->field)
		f->name = f->field->name;
	return f->field;
}

static bool is_number(const struct kmt_hist_field *f)
{
	return f->source != KMT_HIST_FIELD ||
	       (!kmt_field_is_string(f->field) &&
		f->field->kind != KMT_FIELD_STACK);
}

/* Return: whether a key or value can have its form. */
static bool has_form(const struct kmt_hist_field *f, bool is_key)
{
	if (f->form == KMT_HIST_PLAIN)
		return true;
	if (!((is_key ? KEY_FORMS : VALUE_FORMS) & 1u << f->form) ||
	    !is_number(f))
		return false;
	if (f->form == KMT_HIST_PATH)
		return !strcmp(f->name, "cgroup");
	return f->form != KMT_HIST_EXECNAME || !strcmp(f->name, "common_pid") ||
	       !strcmp(f->name, "pid");
}

static u16 size_in_key(const struct kmt_field *f)
{
	switch (f->kind) {
	case KMT_FIELD_CHARS:
		return KMT_COMM_LEN;
	case KMT_FIELD_STRING:
		return KMT_HIST_STRING;
	case KMT_FIELD_STACK:
		return KMT_HIST_STACK;
	default:
		return sizeof(u64);
	}
}

static const char *add_key(struct hist_parser *p,
			   const struct kmt_hist_field *f, const char *at)
{
	struct kmt_hist_spec *spec = p->spec;
	struct kmt_hist_field *key = &spec->keys[spec->nr_keys];

	if (spec->nr_keys == KMT_HIST_KEYS)
		return fail(p, KMT_HIST_TOO_MANY, at);
	*key = *f;
	key->size = size_in_key(f->field);
	key->offset = spec->key_size;
	spec->key_size += key->size;
	spec->nr_keys++;
	return NULL;
}

static const char *add_value(struct hist_parser *p,
			     const struct kmt_hist_field *f, const char *at)
{
	struct kmt_hist_spec *spec = p->spec;

	if (!is_number(f))
		return fail(p, KMT_HIST_NO_NUMBER, at);
	if (f->source == KMT_HIST_LIVE || f->source == KMT_HIST_LIVE_COUNT) {
		if (p->kind & 1) /* KMEMTRACE_EVENT_FREE */
			return fail(p, KMT_HIST_NOT_LIVE, at);
		spec->live = true;
	}
	/* it is always the first value; here it may get another form */
	if (f->source == KMT_HIST_HITS && f->form == KMT_HIST_PLAIN)
		return NULL;
	if (spec->nr_values == KMT_HIST_VALUES)
		return fail(p, KMT_HIST_TOO_MANY, at);
	spec->values[spec->nr_values++] = *f;
	return NULL;
}

/* Parse "name" or "name.form". */
static const char *read_field(struct hist_parser *p, const char *at,
			      const char *end, bool is_key)
{
	const char *dot = find(at, end, '.');
	struct kmt_hist_field f;

	memset(&f, 0, sizeof(f));
	if (!read_special(at, dot, is_key, &f) && !read_name(p, at, dot, &f))
		return fail(p, KMT_HIST_NO_FIELD, at);
	if (dot < end && !read_form(dot + 1, end, &f))
		return fail(p, KMT_HIST_BAD_FORM, dot + 1);
	if (!has_form(&f, is_key))
		return fail(p, KMT_HIST_BAD_FORM, dot + 1);
	if (f.field)
		p->spec->groups |= f.field->group;
	return is_key ? add_key(p, &f, at) : add_value(p, &f, at);
}

static const char *read_fields(struct hist_parser *p, const char *at,
			       const char *end, bool are_keys)
{
	const char *comma, *wrong = NULL;

	for (; !wrong; at = comma + 1) {
		comma = find(at, end, ',');
		wrong = read_field(p, at, comma, are_keys);
		if (comma == end)
			break;
	}
	return wrong;
}

static bool find_sort(const struct kmt_hist_field *fields, unsigned int n,
		      const char *at, const char *end, u8 *index)
{
	for (*index = 0; *index < n; (*index)++)
		if (kmt_is_word(at, end - at, fields[*index].name))
			return true;
	return false;
}

/* The file shows the form of a field also here. Return: the text behind the form. */
static const char *skip_form(const struct kmt_hist_field *f, const char *dot,
			     const char *end)
{
	const char *next = dot < end ? find(dot + 1, end, '.') : end;
	struct kmt_hist_field same = { .form = KMT_HIST_PLAIN };

	if (dot < end && f->form != KMT_HIST_PLAIN &&
	    read_form(dot + 1, next, &same) && same.form == f->form &&
	    same.width == f->width)
		return next;
	return dot;
}

static const char *read_sort(struct hist_parser *p, const char *at,
			     const char *end)
{
	const char *dot = find(at, end, '.');
	struct kmt_hist_spec *spec = p->spec;
	struct kmt_hist_sort *sort = &spec->sorts[spec->nr_sorts];
	const struct kmt_hist_field *f;

	if (spec->nr_sorts == KMT_HIST_SORTS)
		return fail(p, KMT_HIST_TOO_MANY, at);
	if (!find_sort(spec->values, spec->nr_values, at, dot, &sort->index)) {
		sort->is_key = find_sort(spec->keys, spec->nr_keys, at, dot,
					 &sort->index);
		if (!sort->is_key)
			return fail(p, KMT_HIST_BAD_SORT, at);
	}
	f = sort->is_key ? &spec->keys[sort->index] : &spec->values[sort->index];
	dot = skip_form(f, dot, end);
	if (dot < end) {
		dot++;
		sort->descending = kmt_is_word(dot, end - dot, "descending");
		if (!sort->descending &&
		    !kmt_is_word(dot, end - dot, "ascending"))
			return fail(p, KMT_HIST_BAD_SORT, dot);
	}
	spec->nr_sorts++;
	return NULL;
}

/* The keys and values that it names may stand behind it. */
static const char *read_sorts(struct hist_parser *p)
{
	const char *at = p->sort, *comma, *wrong = NULL;

	if (!at) {
		p->spec->nr_sorts = 1; /* by hitcount, ascending */
		return NULL;
	}
	for (; !wrong; at = comma + 1) {
		comma = find(at, p->sort_end, ',');
		wrong = read_sort(p, at, comma);
		if (comma == p->sort_end)
			break;
	}
	return wrong;
}

static const char *read_size(struct hist_parser *p, const char *at,
			     const char *end)
{
	u64 size;

	if (at == end || kmt_read_digits(at, end, &size) != end || !size ||
	    size > KMT_HIST_SIZE_MAX)
		return fail(p, KMT_HIST_BAD_SIZE, at);
	p->spec->size = KMT_HIST_SIZE_MIN;
	while (p->spec->size < size)
		p->spec->size *= 2;
	return NULL;
}

/* @at: behind the "=" of an attribute that has one */
static const char *read_value_of(struct hist_parser *p,
				 enum attribute attribute, const char *at,
				 const char *end)
{
	switch (attribute) {
	case KEYS:
	case VALUES:
		return read_fields(p, at, end, attribute == KEYS);
	case SIZE:
		return read_size(p, at, end);
	case SORT:
		p->sort = at;
		p->sort_end = end;
		break;
	case PAUSE:
		p->spec->pause = true;
		break;
	case CONTINUE:
		p->spec->resume = true;
		break;
	case CLEAR:
		p->spec->clear = true;
		break;
	case NO_HITS:
		p->spec->no_hits = true;
	}
	return NULL;
}

static const char *read_attribute(struct hist_parser *p, const char *at,
				  const char *end)
{
	const char *equals = find(at, end, '=');
	unsigned int i;

	for (i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (kmt_is_word(at, equals - at, attributes[i].name) &&
		    attributes[i].assigned == (equals < end))
			break;
	if (i == sizeof(attributes) / sizeof(attributes[0]))
		return fail(p, KMT_HIST_BAD_ATTRIBUTE, at);
	if (p->seen & 1u << attributes[i].attribute)
		return fail(p, KMT_HIST_TWICE, at);
	p->seen |= 1u << attributes[i].attribute;
	return read_value_of(p, attributes[i].attribute,
			     equals + (equals < end), end);
}

const char *kmt_hist_parse(const char *text, size_t len, unsigned int kind,
			   struct kmt_hist_spec *spec,
			   enum kmt_hist_error *error)
{
	struct hist_parser p = {.spec = spec, .kind = kind};
	const char *at = text, *end = text + len, *colon, *wrong = NULL;

	memset(spec, 0, sizeof(*spec));
	spec->size = KMT_HIST_SIZE_DEFAULT;
	spec->values[0].name = "hitcount";
	spec->values[0].source = KMT_HIST_HITS;
	spec->nr_values = 1;
	for (; at < end && !wrong; at = colon + 1) {
		colon = find(at, end, ':');
		wrong = read_attribute(&p, at, colon);
	}
	if (!wrong && !spec->nr_keys)
		wrong = fail(&p, KMT_HIST_NO_KEY, text);
	if (!wrong && spec->no_hits && spec->nr_values == 1)
		wrong = fail(&p, KMT_HIST_NO_VALUE, text);
	if (!wrong)
		wrong = read_sorts(&p);
	*error = p.error;
	return wrong;
}

static bool same_fields(const struct kmt_hist_field *a,
			const struct kmt_hist_field *b, unsigned int n)
{
	for (; n; n--, a++, b++)
		if (a->field != b->field || a->source != b->source ||
		    a->form != b->form || a->width != b->width)
			return false;
	return true;
}

static bool same_sorts(const struct kmt_hist_spec *a,
		       const struct kmt_hist_spec *b)
{
	unsigned int i;

	for (i = 0; i < a->nr_sorts; i++)
		if (a->sorts[i].is_key != b->sorts[i].is_key ||
		    a->sorts[i].index != b->sorts[i].index ||
		    a->sorts[i].descending != b->sorts[i].descending)
			return false;
	return true;
}

bool kmt_hist_same(const struct kmt_hist_spec *a, const struct kmt_hist_spec *b)
{
	return a->nr_keys == b->nr_keys && a->nr_values == b->nr_values &&
	       a->nr_sorts == b->nr_sorts && a->no_hits == b->no_hits &&
	       same_fields(a->keys, b->keys, a->nr_keys) &&
	       same_fields(a->values, b->values, a->nr_values) &&
	       same_sorts(a, b);
}

u64 kmt_hist_form_of(const struct kmt_hist_field *f, u64 value)
{
	if (f->form == KMT_HIST_BUCKETS)
		return value - value % f->width;
	if (f->form != KMT_HIST_LOG2)
		return value;
	return value > 1 ? 64 - __builtin_clzll(value - 1) : 0;
}
