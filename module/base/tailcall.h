/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KMT_TAILCALL_H
#define KMT_TAILCALL_H

/* A function is traced less than so many bytes after its start. */
#define KMT_ENTRY_MAX 16

/**
 * kmt_tail_caller() - find the function that made a tail call
 * @ip: return address of the current function
 * @entry: address where the current function is traced, less than
 *	KMT_ENTRY_MAX bytes after its start
 *
 * The compiler may replace a call at the end of a function by a jump (a tail call). The
 * function at the target of the jump then returns to the caller of the function that
 * jumped. The call instruction before @ip has the address of the function that jumped.
 *
 * Context: any.
 * Return: the start of the function that the call before @ip calls; 0 if that is the
 * current function, or if it is unknown, for example for an indirect call.
 */
unsigned long kmt_tail_caller(unsigned long ip, unsigned long entry);

#endif /* KMT_TAILCALL_H */
