// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "base/table.h"

/*
 * If jansson's parser cannot enlarge its buffer for a string, it writes beyond the buffer
 * (2.14: lex_save() ignores the error). So the first failed allocation gets this memory.
 * msg_status() reports the failure anyway.
 */
#define RESERVE 65536

static void *reserve;

static void *allocate(size_t size)
{
	void *to = malloc(size);

	if (to)
		return to;
	msg_no_memory();
	free(__atomic_exchange_n(&reserve, NULL, __ATOMIC_RELAXED));
	return malloc(size);
}

void json_prepare(void)
{
	free(reserve);
	reserve = malloc(RESERVE);
	json_set_alloc_funcs(allocate, free);
}

/* Return: false if memory ran out, or a write failed. */
static bool dump(json_t *members, FILE *out)
{
	const size_t flags = JSON_INDENT(1) | JSON_REAL_PRECISION(15);
	json_t *root = json_pack("{s:i}", "version", JSON_VERSION);
	bool done = members && !json_object_update(root, members) &&
		    !json_dumpf(root, out, flags);

	putc('\n', out);
	json_decref(members);
	json_decref(root);
	return done;
}

int json_print(json_t *members)
{
	return dump(members, stdout) || ferror(stdout) ? EXIT_DONE : msg_oom();
}

int json_save(json_t *members, const char *path)
{
	struct outfile *out;
	int err = 0;

	if (outfile_create(path, "{\n \"version\": ", &out)) {
		json_decref(members);
		return EXIT_FAILED;
	}
	if (!dump(members, outfile_stream(out)) && !ferror(outfile_stream(out)))
		err = -ENOMEM;
	if (!err && msg_status(EXIT_DONE)) {
		outfile_discard(out);
		return EXIT_FAILED;
	}
	return outfile_finish(out, err, false) ? EXIT_FAILED : EXIT_DONE;
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
