/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * With the parameter debug=1, the kernel log gets a line about memory that could not be
 * accounted, once for each site and reason.
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
 * __kmt_debuglog() - kmt_debuglog(), if debug=1
 * @reason: as there
 * @site: as there
 *
 * Context: as kmt_debuglog(); takes log_lock.
 */
void __kmt_debuglog(enum kmt_debuglog_reason reason, unsigned long site);

/**
 * kmt_debuglog() - log an allocation or free that could not be accounted
 * @reason: why it could not be accounted
 * @site: the caller that allocated or freed; 0 if it is not known
 *
 * An interrupt prints the line later.
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
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
