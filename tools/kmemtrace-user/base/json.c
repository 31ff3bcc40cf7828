// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "base/die.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "base/table.h"

void json_prepare(void)
{
	json_set_alloc_funcs(xmalloc, free);
}

static void dump(json_t *members, FILE *out)
{
	const size_t flags = JSON_INDENT(1) | JSON_REAL_PRECISION(15);
	json_t *root = json_pack("{s:i}", "version", JSON_VERSION);

	json_object_update(root, members);
	json_dumpf(root, out, flags);
	putc('\n', out);
	json_decref(members);
	json_decref(root);
}

int json_print(json_t *members)
{
	dump(members, stdout);
	return EXIT_DONE;
}

int json_save(json_t *members, const char *path)
{
	struct outfile *out;

	if (outfile_create(path, "{\n \"version\": ", &out)) {
		json_decref(members);
		return EXIT_FAILED;
	}
	dump(members, outfile_stream(out));
	return outfile_finish(out, 0, false) ? EXIT_FAILED : EXIT_DONE;
}

bool json_text(const json_t *object, const char *key, char *to, size_t size)
{
	const char *text = json_string_value(json_object_get(object, key));

	snprintf(to, size, "%s", text ? text : "");
	table_clean(to);
	return text;
}

bool json_take_bytes(const json_t *object, const char *key, uint64_t *to)
{
	const json_t *value = json_object_get(object, key);

	*to = json_integer_value(value);
	return json_is_integer(value) && *to <= JSON_BYTES_MAX;
}
