/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module tests itself. It allocates and frees in each way for which the kernel has
 * no tracepoint, and checks that accounting has seen it. If so, this hole is closed on
 * this kernel.
 */
#ifndef KMT_SELFTEST_H
#define KMT_SELFTEST_H

struct seq_file;

/**
 * kmt_selftest_start() - test all holes, if accounting is on
 *
 * The test of kfree_rcu() ends up to 20 s later. If accounting is off, all holes stay
 * untested.
 *
 * Context: may sleep.
 */
void kmt_selftest_start(void);

/**
 * kmt_selftest_exit() - cancel the test of kfree_rcu() if it still runs
 *
 * Context: may sleep.
 */
void kmt_selftest_exit(void);

/**
 * kmt_selftest_show() - print "hole NAME closed|open|testing|untested" for each hole
 * @m: the file to print to
 *
 * Context: may sleep.
 */
void kmt_selftest_show(struct seq_file *m);

#endif /* KMT_SELFTEST_H */
