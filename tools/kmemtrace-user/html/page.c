// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <string.h>

#include "html/assets.h"
#include "html/page.h"

/* "<" occurs in strings only. */
static int write_escaped(const char *text, size_t size, void *arg)
{
	FILE *out = arg;
	const char *less;

	while ((less = memchr(text, '<', size))) {
		fwrite(text, 1, less - text, out);
		fputs("\\u003c", out);
		size -= less + 1 - text;
		text = less + 1;
	}
	fwrite(text, 1, size, out);
	return 0;
}

static void write_data(FILE *out, const json_t *document)
{
	const size_t flags = JSON_COMPACT | JSON_ENSURE_ASCII |
			     JSON_REAL_PRECISION(15);

	json_dump_callback(document, write_escaped, out, flags);
}

static void write_style(FILE *out, const json_t *document)
{
	(void)document;
	fputs(asset_style, out);
}

static void write_script(FILE *out, const json_t *document)
{
	const char *const *part;

	(void)document;
	for (part = asset_scripts; *part; part++)
		fputs(*part, out);
}

/* The words of page.html in whose place something is written. */
static const struct {
	const char *word;
	void (*write)(FILE *out, const json_t *document);
} places[] = {
	{ "@STYLE@", write_style },
	{ "@DATA@", write_data },
	{ "@SCRIPT@", write_script },
};

void page_write(FILE *out, const json_t *document)
{
	const char *text = asset_page;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const char *place = strstr(text, places[i].word);

		fwrite(text, 1, place - text, out);
		places[i].write(out, document);
		text = place + strlen(places[i].word);
	}
	fputs(text, out);
}
