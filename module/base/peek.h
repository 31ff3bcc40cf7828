/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads memory of the kernel that may not exist.
 */
#ifndef KMT_PEEK_H
#define KMT_PEEK_H

#include <linux/mm.h>
#include <linux/uaccess.h>

/**
 * kmt_peek() - copy_from_kernel_nofault() of any word that may be an address
 * @to: gets the bytes
 * @from: address, which may be wrong
 * @size: number of bytes
 *
 * If the CPU could have 57 bits for addresses, copy_from_kernel_nofault() reads all that these
 * can have. If the kernel was booted with no5lvl, most of them raise a general protection
 * fault, of which the kernel warns. So this function only reads from the direct map on: all
 * higher addresses are canonical.
 *
 * Context: any.
 * Return: 0, or -EFAULT or -ERANGE.
 */
static inline long kmt_peek(void *to, const void *from, size_t size)
{
	if ((unsigned long)from < PAGE_OFFSET)
		return -ERANGE;
	return copy_from_kernel_nofault(to, from, size);
}

#endif /* KMT_PEEK_H */
