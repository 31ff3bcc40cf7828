/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debugfs/kmemtrace/error_log: what was wrong with what was last written to
 * other files, as tracing/error_log.
 */
#ifndef KMT_ERRLOG_H
#define KMT_ERRLOG_H

struct seq_file;

/**
 * kmt_errlog_add() - note what is wrong
 * @where: which file, or what of it
 * @what: the error
 * @text: what was written; cut if it is long
 * @column: where in it, counted from 1; 0: nowhere in particular
 *
 * Context: may sleep.
 */
void kmt_errlog_add(const char *where, const char *what, const char *text,
		    unsigned int column);

/**
 * kmt_errlog_show() - list the last errors, the oldest first
 * @m: where to
 *
 * Context: may sleep.
 */
void kmt_errlog_show(struct seq_file *m);

/**
 * kmt_errlog_clear() - forget them
 *
 * Context: may sleep.
 */
void kmt_errlog_clear(void);

#endif /* KMT_ERRLOG_H */
