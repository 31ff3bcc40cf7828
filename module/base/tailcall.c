// SPDX-License-Identifier: GPL-2.0-only
#include <linux/string.h>
#include <linux/uaccess.h>

#include "base/tailcall.h"

#define CALL_OPCODE 0xe8
#define CALL_SIZE   5
#define ENDBR_SIZE  4
/* a function that is called lies so close before where it is traced */
#define ENTRY_MAX   16
/* of __x86_indirect_thunk_reg: RETPOLINE_THUNK_SIZE in arch/x86/include/asm/nospec-branch.h */
#define THUNK_SIZE  32

/*
 * A function begins with ENDBR, or what it was overwritten with, if it may be called
 * indirectly, and then with a place for ftrace: a NOP, a call, or a breakpoint while
 * that is patched. A thunk for indirect calls has no such place; with retpolines it
 * begins with a call, but of a place in itself.
 */
static bool is_call_of_tracer(const u8 *code)
{
	s32 distance;

	memcpy(&distance, code + 1, sizeof(distance));
	return code[0] == CALL_OPCODE &&
	       (distance < 0 || distance >= THUNK_SIZE);
}

static bool is_function(unsigned long addr)
{
	static const u8 nop[CALL_SIZE] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	u8 code[CALL_SIZE];
	int i;

	for (i = 0; i < 2; i++, addr += ENDBR_SIZE) {
		if (copy_from_kernel_nofault(code, (void *)addr, CALL_SIZE))
			return false;
		if (is_call_of_tracer(code) || code[0] == 0xcc ||
		    !memcmp(code, nop, CALL_SIZE))
			return true;
	}
	return false;
}

unsigned long kmt_tail_caller(unsigned long ip, unsigned long entry)
{
	u8 code[CALL_SIZE];
	unsigned long target;
	s32 distance;

	if (copy_from_kernel_nofault(code, (void *)(ip - CALL_SIZE), CALL_SIZE) ||
	    code[0] != CALL_OPCODE)
		return 0;
	memcpy(&distance, code + 1, sizeof(distance));
	target = ip + distance;
	if (entry - target < ENTRY_MAX || !is_function(target))
		return 0;
	return target;
}
