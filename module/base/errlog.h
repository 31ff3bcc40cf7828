/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debugfs/kmemtrace/error_log: the last errors in texts that were written to other
 * files, in the format of tracing/error_log.
 */
#ifndef KMT_ERRLOG_H
#define KMT_ERRLOG_H

struct seq_file;

/**
 * kmt_errlog_add() - log an error
 * @where: the file, or the part of it; not copied, must stay valid
 * @what: the error; not copied, must stay valid
 * @text: the text that was written; copied without white space at its end
 * @column: position of the error in @text, counted from 1; 0: no position
 *
 * The log keeps the last 8 errors. If there is no memory for the copy, the error is
 * not logged.
 *
 * Context: may sleep.
 */
void kmt_errlog_add(const char *where, const char *what, const char *text,
		    unsigned int column);

/**
 * kmt_errlog_show() - print the last errors, the oldest first
 * @m: file to print to
 *
 * Context: may sleep.
 */
void kmt_errlog_show(struct seq_file *m);

/**
 * kmt_errlog_newest() - get the newest error
 *
 * Context: may sleep.
 * Return: what was passed to kmt_errlog_add(); "" if there is no error.
 */
const char *kmt_errlog_newest(void);

/**
 * kmt_errlog_clear() - remove all errors, and free their memory
 *
 * Context: may sleep.
 */
void kmt_errlog_clear(void);

#endif /* KMT_ERRLOG_H */
