// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter_random.h"

#define DEPTH 3 /* maximum nesting of parentheses */

const char *const filter_comms[] = {
	"kmt_fire", "kmt_random", "sh", "kworker/0:1", "a", "0123456789abcde",
	"fifteen letters", "two words", "[b]racket", "9lives", "it's", "*", "",
};
const int filter_nr_comms = sizeof(filter_comms) / sizeof(filter_comms[0]);

/* A filter being made. */
struct maker {
	unsigned long long *state;
	const struct filter_world *world;
	char *text;
	size_t size;
	size_t len;
};

static unsigned int below(struct maker *m, unsigned int n)
{
	return fire_random(m->state) % n;
}

static __attribute__((format(printf, 2, 3))) void put(struct maker *m,
						      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	m->len += vsnprintf(m->text + m->len, m->size - m->len, format, args);
	va_end(args);
	if (m->len >= m->size)
		abort();
}

static void put_blank(struct maker *m)
{
	static const char *const blanks[] = {
		" ", " ", " ", " ", "", "", "  ", "\t",
	};

	put(m, "%s", blanks[below(m, 8)]);
}

static const struct fired *some_event(struct maker *m)
{
	return &m->world->events[below(m, m->world->count)];
}

/* --- numbers ------------------------------------------------------------------- */

enum { CALL_SITE, PTR, BYTES_REQ, BYTES_ALLOC, GFP_FLAGS, NODE, PID, CPU };

static const struct {
	const char *name;
	int what;
	bool is_signed; /* signed fields have 32 bits, the others 64 */
} numbers[] = {
	{ "call_site", CALL_SITE, false },
	{ "ptr", PTR, false },
	{ "bytes_req", BYTES_REQ, false },
	{ "bytes_req", BYTES_REQ, false },
	{ "bytes_alloc", BYTES_ALLOC, false },
	{ "bytes_alloc", BYTES_ALLOC, false },
	{ "gfp_flags", GFP_FLAGS, false },
	{ "gfp_flags", GFP_FLAGS, false },
	{ "node", NODE, true },
	{ "node", NODE, true },
	{ "common_pid", PID, true },
	{ "CPU", CPU, true },
	{ "cpu", CPU, true },
	{ "common_cpu", CPU, true },
};

#define NR_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static unsigned long long value_of(const struct fired *f, int what)
{
	switch (what) {
	case CALL_SITE:
		return f->ev.call_site;
	case PTR:
		return f->ev.ptr;
	case BYTES_REQ:
		return f->ev.bytes_req;
	case BYTES_ALLOC:
		return f->ev.bytes_alloc;
	case GFP_FLAGS:
		return f->ev.gfp_flags;
	case NODE:
		return f->ev.node;
	case PID:
		return f->pid;
	default:
		return f->cpu;
	}
}

static void put_signed(struct maker *m, long long n)
{
	/* ftrace accepts numbers of 64 bits and uses the low 32 bits */
	if (!below(m, 12))
		n += below(m, 2) ? 1ll << 32 : -(1ll << 32);
	else if (n < 0 && !below(m, 4))
		n &= 0xffffffff;
	if (n < 0)
		put(m, below(m, 4) ? "-%lld" : "-0x%llx", -n);
	else
		put(m, below(m, 4) ? "%lld" : "0x%llx", n);
}

static void put_unsigned(struct maker *m, unsigned long long n)
{
	switch (below(m, 7)) {
	case 3:
		put(m, "0x%llx", n);
		break;
	case 4:
		put(m, "0X%llX", n);
		break;
	case 5:
		put(m, "0%llo", n);
		break;
	default:
		put(m, "%llu", n);
	}
}

/* A mask of one or more bits; mostly bits that an event has. */
static unsigned long long some_mask(struct maker *m, unsigned long long n)
{
	switch (below(m, 4)) {
	case 0:
		return n;
	case 1:
		return 1ull << below(m, 16);
	case 2:
		return fire_random(m->state) >> below(m, 64);
	default:
		return n & fire_random(m->state);
	}
}

static void put_number(struct maker *m)
{
	static const char *const ops[] = {
		"==", "!=", "<", "<=", ">", ">=", "&",
	};
	unsigned int field = below(m, NR_NUMBERS);
	/* known difference: ftrace accepts & for a CPU, and the result is never true */
	unsigned int op = below(m, numbers[field].what == CPU ? 6 : 7);
	unsigned long long n = value_of(some_event(m), numbers[field].what);

	put(m, "%s", numbers[field].name);
	put_blank(m);
	put(m, "%s", ops[op]);
	put_blank(m);
	if (op == 6)
		n = some_mask(m, n);
	else if (!below(m, 4))
		n += below(m, 2) ? 1 : -1ull;
	else if (!below(m, 16))
		n = value_of(some_event(m), below(m, CPU + 1));
	if (numbers[field].is_signed)
		put_signed(m, (int)n);
	else
		put_unsigned(m, n);
}

/* --- strings --------------------------------------------------------------------- */

/* Put a class in place of one character, which it may or may not contain. */
static void put_class(struct maker *m, char c)
{
	/* glob_match() of 6.1 lets [!x] match the NUL at the end of the name */
	if (m->world->later && !below(m, 3))
		put(m, "[!%c]", below(m, 2) ? 'x' : c);
	else if (below(m, 2))
		put(m, "[%c-%c]", c - below(m, 2), c + below(m, 2));
	else
		put(m, "[%c%c]", c, 'a' + below(m, 26));
}

/*
 * Avoids known differences: ftrace compares a pattern that begins with a digit
 * literally. It compares a pattern whose only star is the first character with the end of
 * the 16 bytes of the field.
 */
static void put_glob(struct maker *m, const char *name)
{
	int len = strlen(name), i;
	int from = below(m, len + 1), to = from + below(m, len - from + 1);
	bool digit = *name >= '0' && *name <= '9';

	if (!below(m, 4))
		put(m, "!");
	switch (digit ? 2 : below(m, 7)) {
	case 0:
		put(m, "%.*s*", to, name);
		break;
	case 1:
		put(m, "?*%s", name + from);
		break;
	case 2:
		put(m, "*%.*s*", to - from, name + from);
		break;
	case 3:
		put(m, "%s%.*s*%s", from ? "" : "?", from, name, name + to);
		break;
	case 4:
		put(m, "%s", name);
		break;
	case 5:
		for (i = 0; i < len; i++)
			put(m, below(m, 3) ? "%c" : "?", name[i]);
		break;
	default:
		put(m, "%.*s", from, name);
		if (from < len && strchr("]![-\\", name[from]))
			put(m, "\\%c", name[from]);
		else if (from < len)
			put_class(m, name[from]);
		put(m, "%s", below(m, 2) && from < len ? name + from + 1 : "*");
	}
}

static void put_comm(struct maker *m)
{
	const char *name = filter_comms[below(m, filter_nr_comms)];
	unsigned int op = below(m, 4);
	char quote;

	if (below(m, 4))
		name = some_event(m)->comm;
	/* neither a name nor a class in a pattern contains a " */
	quote = strchr(name, '\'') || below(m, 2) ? '"' : '\'';
	put(m, "%s", below(m, 4) ? "comm" : "COMM");
	put_blank(m);
	put(m, "%s", op == 0 ? "==" : op == 1 ? "!=" : "~");
	put_blank(m);
	put(m, "%c", quote);
	if (op < 2)
		put(m, "%s", name);
	else
		put_glob(m, name);
	put(m, "%c", quote);
}

/* --- CPUs and functions ------------------------------------------------------------ */

static void put_cpus(struct maker *m)
{
	static const char *const fields[] = {
		"CPU", "cpu", "common_cpu", "node", "node", "common_pid",
		"bytes_req", "bytes_alloc", "gfp_flags", "call_site",
	};
	static const char *const ops[] = { "==", "!=", "&" };
	int last = m->world->last_cpu, from = below(m, last + 1);
	int to = from + below(m, last - from + 1);

	put(m, "%s", fields[below(m, 10)]);
	put_blank(m);
	put(m, "%s", ops[below(m, 3)]);
	put_blank(m);
	switch (below(m, 8)) {
	case 0:
		put(m, "CPUS{%d}", from);
		break;
	case 1:
		put(m, "CPUS{%d-%d}", from, to);
		break;
	case 2:
		put(m, "CPUS{%d,%d}", to, from);
		break;
	case 3:
		put(m, "CPUS{ %d , %d-%d,}", to, from, to);
		break;
	case 4:
		put(m, "CPUS{%d-%d:1/2}", from, to);
		break;
	case 5:
		put(m, "CPUS{all}");
		break;
	case 6:
		put(m, "CPUS{%d-N}", from);
		break;
	default:
		put(m, "CPUS{ }");
	}
}

static void put_function(struct maker *m)
{
	unsigned int n = below(m, FIRE_SITES);
	const struct fire_site *site = &m->world->sites[n];

	/* .function works with any field of the size of an address */
	put(m, "%s.function",
	    below(m, 8) ? "call_site" : below(m, 2) ? "ptr" : "bytes_req");
	put_blank(m);
	put(m, "%s", below(m, 2) ? "==" : "!=");
	put_blank(m);
	switch (below(m, 4)) {
	case 0:
		put_unsigned(m, site->start + below(m, site->size));
		break;
	case 1: /* the last two functions are in the module kmt_fire */
		put(m, "%s%s", n < FIRE_SITES - 2 ? "" : "kmt_fire:",
		    site->name);
		break;
	default:
		put(m, "%s", site->name);
	}
	put(m, " "); /* only a blank ends a name */
}

/* --- the grammar ---------------------------------------------------------------------- */

/* True with a probability of @n in @of, until a quarter of the room is used. */
static bool one_more(struct maker *m, unsigned int n, unsigned int of)
{
	return m->len < m->size / 4 && below(m, of) < n;
}

static void put_expression(struct maker *m, int depth);

static void put_predicate(struct maker *m)
{
	unsigned int kind = below(m, 16);

	if (kind < 4)
		put_comm(m);
	else if (kind < 6 && m->world->later)
		put_cpus(m);
	else if (kind < 8 && m->world->later)
		put_function(m);
	else
		put_number(m);
}

static void put_unary(struct maker *m, int depth)
{
	while (one_more(m, 1, 4)) {
		put(m, "!");
		put_blank(m);
	}
	if (depth && one_more(m, 2, 5)) {
		put(m, "(");
		put_blank(m);
		put_expression(m, depth - 1);
		put_blank(m);
		put(m, ")");
	} else {
		put_predicate(m);
	}
}

static void put_and(struct maker *m, int depth)
{
	put_unary(m, depth);
	while (one_more(m, 1, 3)) {
		put_blank(m);
		put(m, "&&");
		put_blank(m);
		put_unary(m, depth);
	}
}

static void put_expression(struct maker *m, int depth)
{
	put_and(m, depth);
	while (one_more(m, 1, 3)) {
		put_blank(m);
		put(m, "||");
		put_blank(m);
		put_and(m, depth);
	}
}

void filter_random(unsigned long long *state, const struct filter_world *world,
		   char *text, size_t size)
{
	struct maker m = {
		.state = state,
		.world = world,
		.text = text,
		.size = size,
	};

	put_blank(&m);
	put_expression(&m, DEPTH);
}
