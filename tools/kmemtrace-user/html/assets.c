// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>

#include "html/assets.h"

/*
 * The assembler includes the file, from the directory that make runs in. The Makefile has
 * the dependencies.
 */
#define ASSET(symbol, file)                                                    \
	__asm__(".pushsection .rodata\n"                                       \
		".global " #symbol "\n"                                        \
		#symbol ":\n"                                                  \
		".incbin \"tools/kmemtrace-user/html/" file "\"\n"             \
		".byte 0\n"                                                    \
		".popsection\n");                                              \
	extern const char symbol[]

ASSET(asset_page, "page.html");
ASSET(asset_style, "style.css");
ASSET(asset_base, "base.js");
ASSET(asset_data, "data.js");
ASSET(asset_summary, "summary.js");
ASSET(asset_timeline, "timeline.js");
ASSET(asset_graph, "graph.js");
ASSET(asset_table, "table.js");
ASSET(asset_details, "details.js");
ASSET(asset_treemap, "treemap.js");
ASSET(asset_conclusions, "conclusions.js");
ASSET(asset_main, "main.js");

const char *const asset_scripts[] = {
	asset_base,	   asset_data,	  asset_summary, asset_timeline,
	asset_graph,	   asset_table,	  asset_details, asset_treemap,
	asset_conclusions, asset_main,	  NULL,
};
