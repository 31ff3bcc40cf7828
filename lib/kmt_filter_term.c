// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses one term of a filter: "field operator value".
 *
 * The position of the caret is the same as in event tracing: usually one byte behind the
 * error, even if the start of the word would be more useful. So errors here are reported
 * with "+ 1".
 */
#include "kmt_filter_term.h"

/* 0xfeedfacedeadbeef and a sign fit */
#define NUMBER_MAX 24

enum operator { GLOB, NE, EQ, LE, LT, GE, GT, AND, OPERATORS };

/* an operator that another one starts with comes behind it */
static const char *const operators[OPERATORS] = {
	[GLOB] = "~", [NE] = "!=", [EQ] = "==", [LE] = "<=",
	[LT] = "<",   [GE] = ">=", [GT] = ">",	[AND] = "&",
};

static bool fail_behind(struct kmt_parser *p, enum kmt_filter_error_code code,
			const char *where)
{
	return kmt_parse_fail(p, code, where + 1);
}

static bool skip_prefix(const char **at, const char *prefix)
{
	if (strncmp(*at, prefix, strlen(prefix)))
		return false;
	*at += strlen(prefix);
	return true;
}

static const char *skip_alnum(const char *at)
{
	while (kmt_is_alnum(*at))
		at++;
	return at;
}

/* --- numbers -------------------------------------------------------------- */

const char *kmt_read_digits(const char *at, const char *end, u64 *value)
{
	unsigned int base = 10;

	if (at < end && *at == '0') {
		base = 8;
		if (end - at > 2 && (at[1] == 'x' || at[1] == 'X') &&
		    kmt_digit_value(at[2]) < 16) {
			base = 16;
			at += 2;
		}
	}
	for (*value = 0; at < end && kmt_digit_value(*at) < base; at++)
		if (__builtin_mul_overflow(*value, (u64)base, value) ||
		    __builtin_add_overflow(*value, (u64)kmt_digit_value(*at),
					   value))
			return NULL;
	return at;
}

u64 kmt_unit_value(const char *unit, size_t len, bool is_time)
{
	static const struct {
		const char *name;
		u64 value;
		bool is_time;
	} units[] = {
		{ "", 1, false },	     { "", 1, true },
		{ "K", 1ull << 10, false },  { "M", 1ull << 20, false },
		{ "G", 1ull << 30, false },  { "T", 1ull << 40, false },
		{ "ns", 1, true },	     { "us", 1000, true },
		{ "ms", 1000000, true },     { "s", 1000000000, true },
		{ "min", 60000000000, true }, { "h", 3600000000000, true },
	};
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (units[i].is_time == is_time &&
		    kmt_is_word(unit, len, units[i].name))
			return units[i].value;
	return 0;
}

static bool read_number(const char *at, const char *end,
			const struct kmt_field *field, u64 *value)
{
	bool negative = *at == '-';
	const char *digits = at + negative;
	u64 unit;

	if (negative && !field->is_signed)
		return false;
	at = kmt_read_digits(digits, end, value);
	if (!at || at == digits)
		return false;
	unit = kmt_unit_value(at, end - at, field->kind == KMT_FIELD_NS);
	if (!unit || __builtin_mul_overflow(*value, unit, value))
		return false;
	if (field->is_signed && *value > (1ull << 63) - !negative)
		return false;
	if (negative)
		*value = -*value;
	return true;
}

/* --- terms on numbers ----------------------------------------------------- */

static u64 width_mask(const struct kmt_field *field)
{
	return field->size == 8 ? ~0ull : (1ull << field->size * 8) - 1;
}

/* Store a comparison as a range, modulo the width of the field. */
static void set_range(struct kmt_filter_term *t, const struct kmt_field *field,
		      enum operator op, u64 value, bool *invert)
{
	u64 mask = width_mask(field);
	u64 min = field->is_signed ? mask / 2 + 1 : 0;
	u64 max = min - 1;

	t->op = KMT_OP_NUMBER;
	t->mask = mask;
	t->low = value & mask;
	switch (op) {
	case NE:
	case EQ:
		t->span = 0;
		break;
	case LE:
	case GT:
		t->low = min;
		t->span = (value - min) & mask;
		break;
	case GE:
	case LT:
		t->span = (max - value) & mask;
		break;
	default: /* AND: check whether all bits are 0, and invert */
		t->mask = value & mask;
		t->low = t->span = 0;
	}
	*invert = op == NE || op == GT || op == LT || op == AND;
}

static bool read_number_term(struct kmt_parser *p, struct kmt_filter_term *t,
			     const struct kmt_field *field, enum operator op,
			     bool *invert)
{
	const char *start = p->at, *end = skip_alnum(start + (*start == '-'));
	u64 value;

	if (kmt_field_is_string(field))
		return fail_behind(p, KMT_FILTER_EXPECT_STRING, start);
	if (op == GLOB)
		return fail_behind(p, KMT_FILTER_ILLEGAL_FIELD_OP, start);
	if (end - start >= NUMBER_MAX)
		return fail_behind(p, KMT_FILTER_OPERAND_TOO_LONG, end);
	if (!read_number(start, end, field, &value))
		return fail_behind(p, KMT_FILTER_ILLEGAL_INTVAL, start);
	set_range(t, field, op, value, invert);
	p->at = end;
	return true;
}

/* --- terms on functions --------------------------------------------------- */

static bool read_function_term(struct kmt_parser *p, struct kmt_filter_term *t,
			       const struct kmt_field *field, enum operator op,
			       bool *invert)
{
	const struct kmt_filter_env *env = p->env;
	const char *start = p->at, *end = start, *name = NULL;
	u64 address = 0, low, size;

	if (field->size != sizeof(u64) || kmt_field_is_string(field))
		return fail_behind(p, KMT_FILTER_ILLEGAL_FIELD_OP, start);
	if (op != EQ && op != NE)
		return fail_behind(p, KMT_FILTER_INVALID_OP, start);
	if (kmt_is_digit(*start)) {
		end = skip_alnum(start);
		if (end - start >= NUMBER_MAX)
			return fail_behind(p, KMT_FILTER_OPERAND_TOO_LONG, end);
		if (kmt_read_digits(start, end, &address) != end)
			return fail_behind(p, KMT_FILTER_INVALID_VALUE, end);
	} else {
		name = start;
		while (*end && !kmt_is_space(*end))
			end++;
	}
	if (!env->function || end == start ||
	    !env->function(env->arg, name, end - start, address, &low,
			   &size) ||
	    !size)
		return fail_behind(p, KMT_FILTER_NO_FUNCTION, end);
	set_range(t, field, op, 0, invert);
	t->low = low;
	t->span = size - 1;
	p->at = end;
	return true;
}

/* --- terms on lists of CPUs ----------------------------------------------- */

static bool ends_region(const char *at, const char *end)
{
	return at == end || kmt_is_space(*at) || *at == ',';
}

static bool read_cpu(const char **at, const char *end, u32 nr, u64 *value)
{
	const char *start = *at;

	if (start < end && *start == 'N') {
		*value = nr - 1;
		++*at;
		return true;
	}
	for (*value = 0; *at < end && kmt_is_digit(**at); ++*at)
		if (*value <= 0xffffffff)
			*value = *value * 10 + (**at - '0');
	return *at > start && *value <= 0xffffffff;
}

static bool is_all(const char *at, const char *end)
{
	return end - at >= 3 && (at[0] | 0x20) == 'a' &&
	       (at[1] | 0x20) == 'l' && (at[2] | 0x20) == 'l';
}

/* "first", "first-last", "first-last:used/group", "all", "all:used/group" */
static bool read_region(const char **at, const char *end, u32 nr,
			struct kmt_cpu_region *r)
{
	u64 first = 0, last = nr - 1, used, group;

	if (is_all(*at, end)) {
		*at += 3;
	} else {
		if (!read_cpu(at, end, nr, &first))
			return false;
		last = first;
		if (!ends_region(*at, end) &&
		    (*(*at)++ != '-' || !read_cpu(at, end, nr, &last)))
			return false;
	}
	used = group = last + 1;
	if (!ends_region(*at, end) &&
	    (*(*at)++ != ':' || !read_cpu(at, end, nr, &used) || *at == end ||
	     *(*at)++ != '/' || !read_cpu(at, end, nr, &group)))
		return false;
	if (first > last || !group || used > group || last >= nr)
		return false;
	r->first = first;
	r->last = last;
	/* numbers above that of the last CPU have the same effect */
	r->group = group > 0xffff ? 0xffff : group;
	r->used = used > 0xffff ? 0xffff : used;
	return true;
}

static bool read_cpus(struct kmt_cpus *list, const char *at, const char *end,
		      u32 nr)
{
	list->nr_regions = 0;
	for (;;) {
		while (at < end && ends_region(at, end))
			at++;
		if (at == end)
			return true;
		if (!read_region(&at, end, nr,
				 &list->region[list->nr_regions++]))
			return false;
		/* the list ends with the line; the rest is ignored */
		if (at < end && *at == '\n')
			return true;
	}
}

/* Return: the only CPU of a list; -1 if it has several CPUs, or none. */
static s64 only_cpu(const struct kmt_cpus *list, u32 nr)
{
	s64 only = -1;
	u32 cpu;

	for (cpu = 0; cpu < nr; cpu++) {
		if (!kmt_filter_in_cpus(list, cpu))
			continue;
		if (only >= 0)
			return -1;
		only = cpu;
	}
	return only;
}

/* The number of a CPU is never equal to a list of several CPUs. */
static void set_cpus(struct kmt_parser *p, struct kmt_filter_term *t,
		     const struct kmt_field *field, enum operator op,
		     struct kmt_cpus *list, bool *invert)
{
	s64 only = only_cpu(list, p->env->nr_cpus);
	u64 mask = width_mask(field);

	if (only >= 0) {
		set_range(t, field, op == NE ? NE : EQ, only, invert);
	} else if (op == EQ) {
		set_range(t, field, AND, 0, invert);
	} else if (op == NE) {
		set_range(t, field, EQ, 0, invert);
		*invert = false;
		t->mask = mask > 0xffffffff ? 0xffffffff : mask;
		t->span = p->env->nr_cpus - 1;
	} else {
		t->op = KMT_OP_CPUS;
		t->mask = mask > 0xffffffff ? 0xffffffff : mask;
		t->data = p->data_size;
		p->data_size += sizeof(*list) +
				list->nr_regions * sizeof(list->region[0]);
		*invert = false;
	}
}

static bool read_cpus_term(struct kmt_parser *p, struct kmt_filter_term *t,
			   const struct kmt_field *field, enum operator op,
			   bool *invert)
{
	struct kmt_cpus *list;
	const char *at = p->at, *end;

	if (kmt_field_is_string(field) || (op != EQ && op != NE && op != AND))
		return fail_behind(p, KMT_FILTER_ILLEGAL_FIELD_OP, at);
	at += strlen("CPUS");
	if (*at++ != '{')
		return fail_behind(p, KMT_FILTER_MISSING_BRACE_OPEN, at);
	for (end = at; *end && *end != '}';)
		end++;
	if (!*end)
		return fail_behind(p, KMT_FILTER_MISSING_BRACE_CLOSE, end);
	p->data_size = (p->data_size + 3) & ~3u;
	list = (void *)(p->data + p->data_size);
	if (at == end || !read_cpus(list, at, end, p->env->nr_cpus))
		return fail_behind(p, KMT_FILTER_INVALID_CPULIST, end);
	set_cpus(p, t, field, op, list, invert);
	p->at = end + 1;
	return true;
}

/* --- terms on strings ----------------------------------------------------- */

static int hex_digit(char c)
{
	return kmt_is_digit(c) ? c - '0' :
	       c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Return: the byte of "\xNN", as the tool prints it; 0: it is something else. */
static char escaped_byte(const char *at, const char *end)
{
	int high, low;

	if (end - at < 4 || at[0] != '\\' || at[1] != 'x')
		return 0;
	high = hex_digit(at[2]);
	low = hex_digit(at[3]);
	return high < 0 || low < 0 ? 0 : high << 4 | low;
}

/* Copies a string with its 0. In a pattern, an escaped byte stands for itself only. */
static void add_string(struct kmt_parser *p, const char *at, const char *end, bool pattern)
{
	char c;

	for (; at < end; at++) {
		c = escaped_byte(at, end);
		if (c && pattern)
			p->data[p->data_size++] = '\\';
		p->data[p->data_size++] = c ? c : *at;
		at += c ? 3 : 0;
	}
	p->data[p->data_size++] = 0;
}

static bool read_string_term(struct kmt_parser *p, struct kmt_filter_term *t,
			     const struct kmt_field *field, enum operator op,
			     bool *invert)
{
	const char *start = p->at + 1, *end = start;
	bool inline_chars = field->kind == KMT_FIELD_CHARS;

	if (op != EQ && op != NE && op != GLOB)
		return fail_behind(p, KMT_FILTER_ILLEGAL_FIELD_OP, p->at);
	if (!kmt_field_is_string(field))
		return fail_behind(p, KMT_FILTER_EXPECT_DIGIT, p->at);
	while (*end && *end != *p->at)
		end++;
	if (!*end)
		return fail_behind(p, KMT_FILTER_MISSING_QUOTE, end);
	if (end - start >= KMT_FILTER_STRING_MAX)
		return fail_behind(p, KMT_FILTER_OPERAND_TOO_LONG, end);
	p->at = end + 1;
	*invert = op == NE;
	if (op == GLOB) {
		t->op = inline_chars ? KMT_OP_CHARS_GLOB : KMT_OP_STRING_GLOB;
		*invert = *start == '!';
		start += *invert;
	} else {
		t->op = inline_chars ? KMT_OP_CHARS_EQUAL : KMT_OP_STRING_EQUAL;
	}
	t->data = p->data_size;
	add_string(p, start, end, op == GLOB);
	return true;
}

/* -------------------------------------------------------------------------- */

static u8 shift_of(const struct kmt_field *field)
{
	if (!KMT_BIG_ENDIAN || kmt_field_is_string(field))
		return 0;
	return (sizeof(u64) - field->size) * 8;
}

static bool read_operand(struct kmt_parser *p, struct kmt_filter_term *t,
			 const struct kmt_field *field, enum operator op,
			 bool *invert)
{
	const char *at = p->at;

	if (p->is_function)
		return read_function_term(p, t, field, op, invert);
	if (!strncmp(at, "CPUS", 4))
		return read_cpus_term(p, t, field, op, invert);
	if (*at == '\'' || *at == '"')
		return read_string_term(p, t, field, op, invert);
	if (kmt_is_digit(*at) || *at == '-')
		return read_number_term(p, t, field, op, invert);
	return fail_behind(p, KMT_FILTER_INVALID_VALUE, at);
}

bool kmt_parse_term(struct kmt_parser *p, struct kmt_filter_term *t,
		    bool *invert)
{
	const char *start = p->at, *at = start;
	const struct kmt_field *field;
	enum operator op;

	while (kmt_is_alnum(*at) || *at == '_')
		at++;
	field = kmt_field_find(start, at - start, p->env->groups);
	if (at == start || !field)
		return fail_behind(p, KMT_FILTER_FIELD_NOT_FOUND, at);
	skip_prefix(&at, ".ustring");
	p->is_function = skip_prefix(&at, ".function");
	while (kmt_is_space(*at))
		at++;
	for (op = 0; op < OPERATORS; op++)
		if (skip_prefix(&at, operators[op]))
			break;
	if (op == OPERATORS)
		return fail_behind(p, KMT_FILTER_INVALID_OP, at);
	while (kmt_is_space(*at))
		at++;
	if (field->kind == KMT_FIELD_STACK && op != EQ && op != NE)
		return fail_behind(p, KMT_FILTER_ILLEGAL_FIELD_OP, at);

	memset(t, 0, sizeof(*t));
	t->need = field->group;
	t->base = field->base;
	t->offset = field->offset;
	t->shift = shift_of(field);
	p->at = at;
	if (!read_operand(p, t, field, op, invert))
		return false;
	if (field->kind == KMT_FIELD_STACK)
		t->op = KMT_OP_STACK;
	if (t->op != KMT_OP_NUMBER)
		t->need |= KMT_GROUP_NONE;
	return true;
}
