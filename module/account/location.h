/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The locations of tags, kept between two reads of a file. Finding a symbol takes longer
 * than the rest of a row.
 */
#ifndef KMT_LOCATION_H
#define KMT_LOCATION_H

#include <linux/types.h>

/**
 * kmt_location_get() - get the location of a site
 * @tag: its tag; 0 if it has none
 * @site: its address. If its code is gone, the text is that of the code that is now at
 *	this address
 * @text: set as by kmt_codetag_describe()
 * @size: size of @text; KMT_CODETAG_TEXT is enough
 *
 * Context: may sleep.
 */
void kmt_location_get(u32 tag, unsigned long site, char *text, size_t size);

/** kmt_location_memory() - bytes that are kept */
u64 kmt_location_memory(void);

/** kmt_location_exit() - free what is kept; no file is open any more */
void kmt_location_exit(void);

#endif /* KMT_LOCATION_H */
