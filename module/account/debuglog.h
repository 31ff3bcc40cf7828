/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * With the parameter debug=1: a line in the kernel's log, once for each site
 * and reason, for what could not be accounted.
 */
#ifndef KMT_DEBUGLOG_H
#define KMT_DEBUGLOG_H

#include <linux/types.h>

enum kmt_debuglog_reason {
	KMT_DEBUGLOG_NO_ROOM,
	KMT_DEBUGLOG_IMPLICIT,
	KMT_DEBUGLOG_REAPED,
	KMT_DEBUGLOG_UNMATCHED,
	KMT_DEBUGLOG_UNMATCHED_PAGE,
	KMT_DEBUGLOG_REASONS
};

extern bool kmt_debug;

/**
 * __kmt_debuglog() - kmt_debuglog() when it is switched on
 * @reason: see there
 * @site: see there
 */
void __kmt_debuglog(enum kmt_debuglog_reason reason, unsigned long site);

/**
 * kmt_debuglog() - something could not be accounted
 * @reason: why
 * @site: the caller that allocated or freed it
 *
 * Context: a probe. It is printed later, from an interrupt.
 */
static inline void kmt_debuglog(enum kmt_debuglog_reason reason,
				unsigned long site)
{
	if (unlikely(READ_ONCE(kmt_debug)))
		__kmt_debuglog(reason, site);
}

/**
 * kmt_debuglog_exit() - wait until the last line is printed
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_debuglog_exit(void);

#endif /* KMT_DEBUGLOG_H */
