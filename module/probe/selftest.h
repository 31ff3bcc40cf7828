/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module tests itself: it allocates and frees in each way that has no
 * tracepoint, and looks whether accounting saw it. If it did, this hole is closed on
 * this kernel.
 */
#ifndef KMT_SELFTEST_H
#define KMT_SELFTEST_H

struct seq_file;

/**
 * kmt_selftest_start() - test, if accounting is on
 *
 * The test of kfree_rcu() comes to its end some seconds later.
 *
 * Context: may sleep.
 */
void kmt_selftest_start(void);

/**
 * kmt_selftest_exit() - give up what still runs
 *
 * Context: may sleep.
 */
void kmt_selftest_exit(void);

/**
 * kmt_selftest_show() - print "hole NAME closed|open|testing|untested"
 * @m: where to
 *
 * Context: may sleep.
 */
void kmt_selftest_show(struct seq_file *m);

#endif /* KMT_SELFTEST_H */
