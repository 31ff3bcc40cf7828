/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KMT_TAILCALL_H
#define KMT_TAILCALL_H

/**
 * kmt_tail_caller() - the function that made a tail call
 * @ip: return address of the function that was called last
 * @entry: where that function is traced, up to 16 bytes from its start on
 *
 * A function that ends in a call may be compiled to jump instead. The function that
 * it jumps to then returns to the caller of the first one. The call instruction
 * before the return address names the first one.
 *
 * Context: any.
 * Return: the start of the function that @ip's caller called; 0 if that is the
 * function at @entry itself, or not known, as for an indirect call.
 */
unsigned long kmt_tail_caller(unsigned long ip, unsigned long entry);

#endif /* KMT_TAILCALL_H */
