// SPDX-License-Identifier: GPL-2.0-only
#include <unistd.h>
#include <linux/kmemtrace_pages.h>

#include "frames/pageflags.h"
#include "pages/parts.h"
#include "unit.h"

static const char *locations[] = {
	"drivers/d.c:10 [d] func:d_alloc",
	"skb_page_frag_refill+0x41 func:skb_page_frag_refill",
};
static const struct sites sites = { .location = locations, .count = 2 };

static struct partwalk walk;
static struct kmemtrace_page owner;
static struct page page;

static void begin(void)
{
	parts_init(&walk, &sites);
	page = (struct page){ .owner = &owner, .kind = KIND_KERNEL };
	owner = (struct kmemtrace_page){ .order = 3, .age = 100 };
}

/* The next block of the site, of 8 pages. */
static void add_block(uint32_t site, uint16_t refs)
{
	int i;

	page.site = site;
	owner.refs = refs;
	for (i = 0; i < 8; i++, page.pfn++) {
		owner.flags = i ? 0 : KMEMTRACE_PAGE_HEAD;
		page.flags = PAGEFLAG(COMPOUND_TAIL);
		if (!i)
			page.flags = PAGEFLAG(COMPOUND_HEAD);
		parts_add(&walk, &page, true);
	}
}

static const struct parts *end(uint32_t site)
{
	parts_end(&walk);
	return &walk.of[site * PARTS_ORDERS + 3];
}

static uint64_t block_bytes(void)
{
	return 8 * sysconf(_SC_PAGESIZE);
}

START_TEST(a_reference_is_a_part_of_the_block)
{
	const struct parts *p;
	int i;

	begin();
	add_block(0, 16);
	for (i = 0; i < 30; i++)
		add_block(0, 1);
	add_block(0, 16);
	p = end(0);
	ck_assert_uint_eq(p->blocks, 32);
	ck_assert_uint_eq(p->refs, 62);
	ck_assert_uint_eq(p->oldest, 100);
	ck_assert_uint_eq(parts_held(p, 3), 32 * block_bytes());
	ck_assert_uint_eq(parts_used(p, 3), 62 * block_bytes() / 16);
	parts_exit(&walk);
}
END_TEST

START_TEST(one_block_alone_says_nothing_about_the_others)
{
	const struct parts *p;

	begin();
	add_block(0, 1);
	add_block(0, 90);
	add_block(0, 1);
	p = end(0);
	ck_assert_uint_eq(parts_used(p, 3), 3 * block_bytes());
	add_block(0, 4);
	add_block(0, 4);
	p = end(0);
	/* the block with 90 is full; 1, 1, 4 and 4 are of 4 */
	ck_assert_uint_eq(parts_used(p, 3), (4 + 1 + 1 + 4 + 4) * block_bytes() / 4);
	parts_exit(&walk);
}
END_TEST

START_TEST(two_references_are_no_parts)
{
	const struct parts *p;

	begin();
	add_block(0, 2);
	add_block(0, 2);
	add_block(0, 1);
	p = end(0);
	ck_assert_uint_eq(parts_used(p, 3), 3 * block_bytes());
	parts_exit(&walk);
}
END_TEST

START_TEST(references_in_advance_are_not_counted)
{
	const struct parts *p;

	begin();
	add_block(0, 16);
	add_block(0, 32768);
	add_block(0, 0xffff);
	add_block(0, 16);
	add_block(0, 8);
	p = end(0);
	ck_assert_uint_eq(p->filling, 2);
	ck_assert_uint_eq(p->blocks, 3);
	ck_assert_uint_eq(parts_held(p, 3), 5 * block_bytes());
	ck_assert_uint_eq(parts_used(p, 3), 9 * block_bytes() / 2);
	parts_exit(&walk);
}
END_TEST

START_TEST(some_blocks_are_left_out)
{
	begin();
	add_block(1, 5); /* parts of any size */
	page.count = 1;
	add_block(0, 5); /* mapped */
	page.count = 0;
	page.kind = KIND_LARGE;
	add_block(0, 5);
	page.kind = KIND_KERNEL;
	owner.order = PARTS_ORDERS;
	add_block(0, 5);
	owner.order = 0; /* a compound page of this order does not exist */
	add_block(0, 5);
	owner.order = 3;
	add_block(0, 0); /* is being freed */
	ck_assert_uint_eq(end(0)->blocks, 0);
	ck_assert_uint_eq(end(1)->blocks, 0);
	parts_exit(&walk);
}
END_TEST

START_TEST(a_block_with_one_mapped_page_is_left_out)
{
	begin();
	add_block(0, 5);
	page.pfn -= 3;
	page.count = 1;
	owner.flags = 0;
	page.flags = PAGEFLAG(COMPOUND_TAIL);
	parts_add(&walk, &page, true);
	ck_assert_uint_eq(end(0)->blocks, 0);
	parts_exit(&walk);
}
END_TEST

START_TEST(single_pages_need_four_parts)
{
	const struct parts *p;
	int i;

	begin();
	p = &walk.of[0];
	owner.order = 0;
	owner.flags = KMEMTRACE_PAGE_HEAD;
	for (i = 0; i < 9; i++, page.pfn++) {
		/* 64 and 63 references were taken in advance; 3 may be of packets */
		static const uint16_t refs[] = { 64, 63, 2, 2, 1, 3, 3, 1, 1 };

		owner.refs = refs[i];
		parts_add(&walk, &page, true);
	}
	parts_end(&walk);
	ck_assert_uint_eq(p->filling, 2);
	ck_assert_uint_eq(p->blocks, 7);
	ck_assert_uint_eq(parts_used(p, 0), parts_held(p, 0));
	for (owner.refs = 4; owner.refs < 6; owner.refs++, page.pfn++)
		parts_add(&walk, &page, true);
	parts_end(&walk);
	ck_assert_uint_eq(parts_used(p, 0), (2 * 4 + 13 + 2 * 4) * parts_held(p, 0) / 11 / 4);
	parts_exit(&walk);
}
END_TEST

START_TEST(all_blocks_tell_the_number_of_parts)
{
	const struct parts *p;
	int i;

	begin();
	for (i = 0; i < 4; i++) {
		owner.refs = i ? 16 : 20;
		owner.flags = KMEMTRACE_PAGE_HEAD;
		page.flags = PAGEFLAG(COMPOUND_HEAD);
		parts_add(&walk, &page, false);
		page.pfn += 8;
	}
	add_block(0, 1);
	p = end(0);
	ck_assert_uint_eq(p->blocks, 1);
	ck_assert_uint_eq(parts_held(p, 3), block_bytes());
	ck_assert_uint_eq(parts_used(p, 3), block_bytes() / 16);
	parts_exit(&walk);
}
END_TEST

UNIT_MAIN("parts", a_reference_is_a_part_of_the_block,
	  one_block_alone_says_nothing_about_the_others, two_references_are_no_parts,
	  references_in_advance_are_not_counted, some_blocks_are_left_out,
	  a_block_with_one_mapped_page_is_left_out, single_pages_need_four_parts,
	  all_blocks_tell_the_number_of_parts)
