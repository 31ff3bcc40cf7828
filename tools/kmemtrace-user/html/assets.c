// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>

#include "base/asset.h"
#include "html/assets.h"

ASSET(asset_page, "html/page.html");
ASSET(asset_style, "html/style.css");
ASSET(asset_base, "html/base.js");
ASSET(asset_data, "html/data.js");
ASSET(asset_words, "html/words.js");
ASSET(asset_summary, "html/summary.js");
ASSET(asset_timeline, "html/timeline.js");
ASSET(asset_graph, "html/graph.js");
ASSET(asset_table, "html/table.js");
ASSET(asset_details, "html/details.js");
ASSET(asset_treemap, "html/treemap.js");
ASSET(asset_conclusions, "html/conclusions.js");
ASSET(asset_main, "html/main.js");

const char *const asset_scripts[] = {
	asset_base,    asset_data,    asset_words,   asset_summary,	asset_timeline,
	asset_graph,   asset_table,   asset_details, asset_treemap,	asset_conclusions,
	asset_main,    NULL,
};
