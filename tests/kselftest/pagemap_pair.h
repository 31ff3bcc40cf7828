/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests of `kmemtrace-user pagemap --compare`.
 */
#ifndef PAGEMAP_PAIR_H
#define PAGEMAP_PAIR_H

#include <sys/types.h>

/* number of results of all tests */
#define PAIR_TESTS 8

/** pair_tests() - compare the process with the layout, @parent, with its first child */
void pair_tests(pid_t parent);

/** pair_test_changes() - compare a process with another one that changes all the time */
void pair_test_changes(void);

#endif /* PAGEMAP_PAIR_H */
