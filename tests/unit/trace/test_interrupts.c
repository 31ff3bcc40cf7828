// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "trace/symtab.h"
#include "trace/stacks.h"
#include "unit.h"

static const char kallsyms[] = "ffffffff81000000 T vfs_write\n"
			       "ffffffff81000100 T dev_alloc_skb\n"
			       "ffffffff81000200 T __softirqentry_text_start\n"
			       "ffffffff81000200 t handle_softirqs.isra.0\n"
			       "ffffffff81000300 T asm_sysvec_apic_timer_interrupt\n"
			       "ffffffff81000400 T asm_exc_page_fault\n"
			       "ffffffff81000500 T common_interrupted\n"
			       "ffffffff81000600 T common_interrupt\n"
			       "ffffffffc0000000 t common_interrupt\t[driver]\n"
			       "ffffffffc0000100 t end\t[driver]\n";

#define IN(n, offset) (0xffffffff81000000ull + (n) * 0x100 + (offset))

static struct symtab symbols;
static struct interrupts interrupts;

static void set_up(const char *text)
{
	symtab_init(&symbols, text, strlen(text));
	interrupts_init(&interrupts, &symbols);
}

static void tear_down(void)
{
	interrupts_exit(&interrupts);
	symtab_exit(&symbols);
}

START_TEST(a_stack_ends_at_the_entry)
{
	static const struct {
		uint64_t stack[3];
		size_t depth;
	} rows[] = {
		{ { IN(1, 8), IN(2, 8), IN(0, 8) }, 2 },
		{ { IN(1, 8), IN(3, 8), IN(0, 8) }, 2 },
		{ { IN(2, 8), IN(3, 8), IN(0, 8) }, 1 }, /* the innermost entry */
		{ { IN(1, 8), IN(4, 8), IN(0, 8) }, 3 }, /* caused by the task */
		{ { IN(1, 8), IN(5, 8), IN(0, 8) }, 3 }, /* another name */
		{ { IN(1, 8), IN(6, 8), IN(0, 8) }, 2 },
		{ { IN(1, 8), 0xffffffffc0000008, IN(0, 8) }, 3 }, /* another function */
		/* of a call that does not return, the address is behind the function */
		{ { IN(1, 8), IN(2, 0), IN(0, 8) }, 3 },
		{ { IN(1, 8), IN(4, 0), IN(0, 8) }, 2 },
		{ { 0, UINT64_MAX, 1 }, 3 },
	};
	size_t i;

	set_up(kallsyms);
	ck_assert_uint_eq(interrupts.count, 3);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ck_assert_uint_eq(interrupts_depth(&interrupts, rows[i].stack, 3),
				  rows[i].depth);
		ck_assert_uint_eq(interrupts_depth(&interrupts, rows[i].stack, 1), 1);
		ck_assert_uint_eq(interrupts_depth(NULL, rows[i].stack, 3), 3);
	}
	tear_down();
}
END_TEST

START_TEST(the_last_function_has_no_end)
{
	static const uint64_t stack[] = { 5, UINT64_MAX, 6 };

	set_up("fffffffffffffff0 T common_interrupt\n");
	ck_assert_uint_eq(interrupts_depth(&interrupts, stack, 3), 2);
	tear_down();
}
END_TEST

/* Whatever an interrupt interrupts, its stack has one number. */
START_TEST(one_number)
{
	uint64_t stack[3] = { IN(1, 8), IN(2, 8), 0 };
	struct stacks s;
	size_t depth;
	uint32_t number;

	set_up(kallsyms);
	stacks_init(&s);
	s.interrupts = &interrupts;
	number = stacks_get(&s, stack, 3);
	for (stack[2] = 1; stack[2] < 100; stack[2]++)
		ck_assert_uint_eq(stacks_get(&s, stack, 3), number);
	stacks_at(&s, number, &depth);
	ck_assert_uint_eq(depth, 2);
	stacks_exit(&s);
	tear_down();
}
END_TEST

UNIT_MAIN("interrupts", a_stack_ends_at_the_entry, the_last_function_has_no_end, one_number)
