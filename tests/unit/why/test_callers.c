// SPDX-License-Identifier: GPL-2.0-only
#include "tempdir.h"
#include "why/callers.h"

static struct site_row tag[] = {
	{ .address = 0xffffffff81000110, .location = "second+0x10 func:second" },
	{ .address = 0, .location = "static.c:1 func:second" },
	{ .address = 0xffffffff81000020, .location = "first+0x20 func:first" },
};
static const struct site_row *const tags[] = { &tag[0], &tag[1], &tag[2] };
static const struct match second = { .location = "second", .tag = (const struct site_row **)tags,
				     .count = 2 };
static const struct match first = { .location = "first", .tag = (const struct site_row **)tags + 2,
				    .count = 1 };

/* note a call site of a recording, whose kernel was loaded at another address */
static void see(struct callers *c, uint64_t address, uint16_t place, uint32_t symbol)
{
	uint32_t n = pairs_get(&c->seen, address, place);

	c->of = pairs_fit(&c->seen, c->of, &c->room, sizeof(*c->of));
	ck_assert_ptr_nonnull(c->of);
	c->of[n] = symbol;
}

START_TEST(sites_by_their_symbols)
{
	struct callers c = { 0 };
	struct callers_site a = { .callers = &c, .match = &first };
	struct callers_site b = { .callers = &c, .match = &second };
	struct code code;

	tempdir_begin();
	tempdir_put_text("kallsyms", "ffffffff81000000 T first\nffffffff81000100 T second\n");
	ck_assert_int_eq(code_open(&code, NULL), 0);
	a.code = b.code = &code;
	words_init(&c.symbols);
	pairs_init(&c.seen);
	ck_assert_uint_eq(words_get(&c.symbols, "first+0x20"), 0);
	ck_assert_uint_eq(words_get(&c.symbols, "second+0x10"), 1);
	see(&c, 0xffffffff91000020, 0, 1);
	see(&c, 0xffffffff91000110, 0, 2);
	see(&c, 0xffffffff91000500, 0, 0);
	/* two modules at one address, one after the other */
	see(&c, 0xffffffffc0000010, 1, 0);
	see(&c, 0xffffffffc0000010, 2, 2);
	ck_assert(callers_is_at(&a, 0xffffffff91000020));
	ck_assert(!callers_is_at(&b, 0xffffffff91000020));
	ck_assert(callers_is_at(&b, 0xffffffff91000110));
	ck_assert(!callers_is_at(&a, 0xffffffff91000110));
	ck_assert(!callers_is_at(&a, 0xffffffff91000500));
	ck_assert(callers_is_at(&b, 0xffffffffc0000010));
	ck_assert(!callers_is_at(&a, 0xffffffffc0000010));
	/* an address of this boot is none of the recording */
	ck_assert(!callers_is_at(&a, 0xffffffff81000020));
	callers_free(&c);
	code_close(&code);
	tempdir_end();
}
END_TEST

START_TEST(a_site_without_an_address_has_no_callers)
{
	const struct callers_source source = { .file = "/nowhere" };
	struct match m = { .location = "static", .tag = (const struct site_row **)tags + 1,
			   .count = 1 };
	const struct matches all = { .match = &m, .count = 1 };
	const struct tags list = { .rows = { tag, 3 } };
	struct callers c = { 0 };
	struct code code;

	tempdir_begin();
	ck_assert_int_eq(code_open(&code, NULL), 0);
	ck_assert_int_ne(callers_read(&c, &source, &list, &all, 1, &code), 0);
	ck_assert(!c.is_known);
	callers_free(&c);
	code_close(&code);
	tempdir_end();
}
END_TEST

UNIT_MAIN("callers", sites_by_their_symbols, a_site_without_an_address_has_no_callers)
