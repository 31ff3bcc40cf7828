/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of this folder that are not C, as texts in the tool.
 */
#ifndef ASSETS_HTML_H
#define ASSETS_HTML_H

/* page.html and style.css */
extern const char asset_page[];
extern const char asset_style[];

/* the scripts, in the order in which they run; the last element is NULL */
extern const char *const asset_scripts[];

#endif /* ASSETS_HTML_H */
