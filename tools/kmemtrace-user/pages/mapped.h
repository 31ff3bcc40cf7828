/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pages that a process has mapped, joined with their allocation sites.
 */
#ifndef MAPPED_H
#define MAPPED_H

#include "pages/survey.h"
#include "process/pagescan.h"
#include "process/process.h"

/**
 * typedef mapped_visit - function that is called for each page
 * @arg: as passed to mapped_walk()
 * @page: the page
 *
 * Return: 0; another value ends the walk.
 */
typedef int (*mapped_visit)(void *arg, const struct page *page);

/**
 * struct mapped - state and buffers of a walk
 * @survey: has the kinds and sites; must be at its end
 * @scan: the walk over the pagemap entries of a process
 * @heads: flags of the heads of compound pages
 * @pfn: frame numbers of a chunk
 * @head: for each frame in @pfn, the index of its head in @heads, plus 1; 0: the frame
 *	does not need the flags of a head
 * @head_pfn: frame numbers of the heads in @heads
 * @zeros_once: visit each frame of a zero page once for each process, not at each place
 */
struct mapped {
	struct survey *survey;
	struct pagescan *scan;
	struct frames heads;
	uint64_t *pfn;
	uint32_t *head;
	uint64_t *head_pfn;
	bool zeros_once;
};

/**
 * mapped_open() - prepare for walks
 * @m: set; must be closed with mapped_close(), also after an error
 * @survey: must be at its end; its buffers are overwritten
 * @zeros_once: see struct mapped
 *
 * Return: 0; -1 after a message.
 */
int mapped_open(struct mapped *m, struct survey *survey, bool zeros_once);

/**
 * mapped_walk() - visit the pages of a process
 * @m: from mapped_open()
 * @p: the process
 * @visit: called for each mapped page, once for each place where it is mapped
 * @arg: passed to @visit
 *
 * If the process ends during the walk, only the pages read before that are visited.
 *
 * Return: 0; -1 after a message; the value from @visit, if not 0.
 */
int mapped_walk(struct mapped *m, const struct process *p, mapped_visit visit,
		void *arg);

/**
 * mapped_walk_all() - visit the pages of several processes
 * @survey: must be at its end; its buffers are overwritten
 * @zeros_once: see struct mapped
 * @what: selects the processes, see process_list()
 * @begin: called for each process before its pages
 * @visit: called for each page
 * @arg: passed to @begin and @visit
 *
 * Skips a process that cannot be opened.
 *
 * Return: 0; -1 after a message, also if there is no such process; the value from @visit,
 * if not 0.
 */
int mapped_walk_all(struct survey *survey, bool zeros_once, const char *what,
		    void (*begin)(void *arg, const struct process *p),
		    mapped_visit visit, void *arg);

/** mapped_close() - undo mapped_open() */
void mapped_close(struct mapped *m);

#endif /* MAPPED_H */
