/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pages that a process has mapped, joined with who allocated them.
 */
#ifndef MAPPED_H
#define MAPPED_H

#include "pages/survey.h"
#include "process/pagescan.h"
#include "process/process.h"

/**
 * typedef mapped_visit - what is done with a page
 * @arg: as passed to mapped_walk()
 * @page: the page
 *
 * Return: 0; another value ends the walk.
 */
typedef int (*mapped_visit)(void *arg, const struct page *page);

/**
 * struct mapped - what is needed to walk
 * @survey: knows kinds and sites; it is at its end
 * @scan: the walk over a process's entries
 * @heads: flags of the heads of compound pages
 * @pfn: frames of a chunk
 * @head: for each, where its head is in @heads plus 1; 0: it is needed of none
 * @head_pfn: frames of these
 */
struct mapped {
	struct survey *survey;
	struct pagescan *scan;
	struct frames heads;
	uint64_t *pfn;
	uint32_t *head;
	uint64_t *head_pfn;
};

/**
 * mapped_open() - get ready
 * @m: set; to be closed with mapped_close(), also after an error
 * @survey: at its end; its buffers are used
 *
 * Return: 0; -1 after a message.
 */
int mapped_open(struct mapped *m, struct survey *survey);

/**
 * mapped_walk() - look at the pages of a process
 * @m: from mapped_open()
 * @p: the process
 * @visit: called for each page that is mapped, as often as it is
 * @arg: passed to @visit
 *
 * Of a process that ends meanwhile, the pages until then.
 *
 * Return: 0; -1 after a message; what @visit returned.
 */
int mapped_walk(struct mapped *m, const struct process *p, mapped_visit visit,
		void *arg);

/**
 * mapped_walk_all() - look at the pages of several processes
 * @survey: at its end; its buffers are used
 * @what: which processes, see process_list()
 * @begin: called for each process before its pages
 * @visit: called for each page
 * @arg: passed to both
 *
 * A process that may not be looked at is left out.
 *
 * Return: 0; -1 after a message, also if there is none; what @visit returned.
 */
int mapped_walk_all(struct survey *survey, const char *what,
		    void (*begin)(void *arg, const struct process *p),
		    mapped_visit visit, void *arg);

/** mapped_close() - close it */
void mapped_close(struct mapped *m);

#endif /* MAPPED_H */
