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
 * @where: the file, or the part of it; must stay
 * @what: the error; must stay
 * @text: what was written; it is copied without the white space at its end
 * @column: where in it, counted from 1; 0: nowhere in particular
 *
 * Without memory for the copy, nothing is noted.
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
 * kmt_errlog_clear() - forget them, and free the memory
 *
 * Context: may sleep.
 */
void kmt_errlog_clear(void);

#endif /* KMT_ERRLOG_H */
