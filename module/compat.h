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

/*
 * Handlers of sysctls get a const table since Linux commit 78eb4ea25cd5
 * ("sysctl: treewide: constify the ctl_table argument of proc_handlers")
 * (in v6.11).
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define KMT_CTL_TABLE const struct ctl_table
#else
#define KMT_CTL_TABLE struct ctl_table
#endif

/*
 * register_sysctl() became a macro that knows how long a table is, and takes
 * an empty entry at its end for an error (v6.6, v6.11); as a function it needs
 * one.
 */
#ifdef register_sysctl
#define KMT_SYSCTL_END
#else
#define KMT_SYSCTL_END { }
#endif

/* sparse 0.6.4 does not know this builtin of gcc and clang. */
#ifdef __CHECKER__
#define __builtin_dwarf_cfa() ((void *)0)
#endif

#endif /* KMT_COMPAT_H */
