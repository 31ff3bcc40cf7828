/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pages that a process has mapped, joined with their allocation sites.
 */
#ifndef MAPPED_H
#define MAPPED_H

#include "pages/survey.h"
#include "process/process.h"

/**
 * typedef mapped_visit - function that is called for each page
 * @arg: as passed to mapped_walk_all()
 * @page: the page
 *
 * Return: 0; another value ends the walk.
 */
typedef int (*mapped_visit)(void *arg, const struct page *page);

/**
 * mapped_walk_all() - visit the pages of several processes
 * @survey: must be at its end; its buffers are overwritten
 * @zeros_once: visit each frame of a zero page once for each process, not at each place
 * @what: selects the processes, see process_list()
 * @begin: called for each process before its pages; may be NULL
 * @visit: called for each mapped page, once for each place where it is mapped
 * @arg: passed to @begin and @visit
 *
 * Skips a process that cannot be opened. If one ends during the walk, only its pages read before
 * that are visited.
 *
 * Return: 0; -1 after a message, also if there is no such process; the value from @visit,
 * if not 0.
 */
int mapped_walk_all(struct survey *survey, bool zeros_once, const char *what,
		    void (*begin)(void *arg, const struct process *p),
		    mapped_visit visit, void *arg);

#endif /* MAPPED_H */
