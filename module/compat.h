/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that differs between kernels. The floor is 6.1. Each entry names the
 * change that made the difference.
 */
#ifndef KMT_COMPAT_H
#define KMT_COMPAT_H

#include <linux/version.h>

/*
 * rchan_callbacks.subbuf_start lost its last argument, prev_padding, with
 * Linux commit 2489e958129f ("relayfs: abolish prev_padding") (in v6.17).
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define KMT_SUBBUF_START_ARGS                                                  \
	struct rchan_buf *buf, void *subbuf, void *prev_subbuf
#else
#define KMT_SUBBUF_START_ARGS                                                  \
	struct rchan_buf *buf, void *subbuf, void *prev_subbuf,                \
		size_t prev_padding
#endif

/* sparse 0.6.4 does not know this builtin of gcc and clang. */
#ifdef __CHECKER__
#define __builtin_dwarf_cfa() ((void *)0)
#endif

#endif /* KMT_COMPAT_H */
