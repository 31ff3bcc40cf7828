/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The page: HTML, style, script and data in one text that loads nothing.
 */
#ifndef PAGE_HTML_H
#define PAGE_HTML_H

#include <stdio.h>

struct json_t;

/* how each page begins */
#define PAGE_BEGINS                                                            \
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" \
	"<meta http-equiv=\"Content-Security-Policy\""

/**
 * page_write() - write the page
 * @out: stream to write to
 * @document: the data
 *
 * In the data, "<" and all characters that are not ASCII are escaped. So no text can end
 * the element that the data are in.
 */
void page_write(FILE *out, const struct json_t *document);

#endif /* PAGE_HTML_H */
