// SPDX-License-Identifier: GPL-2.0-only
#include <linux/string.h>

#include "base/peek.h"
#include "base/tailcall.h"

#define CALL_OPCODE 0xe8
#define CALL_SIZE   5
#define ENDBR_SIZE  4
/* bytes of one __x86_indirect_thunk_REG: RETPOLINE_THUNK_SIZE in asm/nospec-branch.h */
#define THUNK_SIZE  32

/*
 * A function that may be called indirectly begins with ENDBR, or with the instruction
 * that replaced it. Then follows the place for ftrace: a NOP, a call, or a breakpoint
 * while the kernel patches it. A thunk for indirect calls has no such place. With
 * retpolines, a thunk begins with a call to an address in the thunk itself.
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
		if (kmt_peek(code, (void *)addr, CALL_SIZE))
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

	if (kmt_peek(code, (void *)(ip - CALL_SIZE), CALL_SIZE) ||
	    code[0] != CALL_OPCODE)
		return 0;
	memcpy(&distance, code + 1, sizeof(distance));
	target = ip + distance;
	if (entry - target < KMT_ENTRY_MAX || !is_function(target))
		return 0;
	return target;
}
