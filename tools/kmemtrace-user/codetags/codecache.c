// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/outfile.h"
#include "base/textfile.h"
#include "codetags/codecache.h"
#include "kmt_place.h"

#define HEAD_SIZE 256
#define SECTION	  "section "
/* kmt_place_next() skips the line */
#define END	  "# end %zu\n"

/* Return: 1; 0 if there is no directory, or a name of a file could not be a build id; -errno. */
static int make_path(char *path, size_t size, const char *dir, const char *build_id)
{
	if (!dir || !*build_id || build_id[strspn(build_id, "0123456789abcdef")])
		return 0;
	return snprintf(path, size, "%s/%s", dir, build_id) < (int)size ? 1 : -ENAMETOOLONG;
}

/* Make the lines before the first section. Return: bytes before those about @allocators. */
static int make_head(char *head, const char *build_id, const struct allocators *allocators)
{
	int len = snprintf(head, HEAD_SIZE, "kmemtrace-codetags 1\nbuild_id %.128s\n",
			   build_id);

	snprintf(head + len, HEAD_SIZE - len, "allocators %016" PRIx64 "\n", allocators->id);
	return len;
}

/* --- reading ------------------------------------------------------------------- */

/* Return: 0; -EBADMSG if the lines are damaged. @text: rows of one section */
static int read_rows(struct codesites *sites, char *text, int section)
{
	enum kmt_place_result result;
	struct kmt_place place;

	while ((result = kmt_place_next(&text, &place)) == KMT_PLACE_ROW) {
		struct codesite site = {
			.offset = place.site,
			.section = section,
			.line = place.line,
			.file = (char *)place.file,
			.function = (char *)place.function,
		};

		codesites_add(sites, &site);
	}
	return result == KMT_PLACE_NONE ? 0 : -EBADMSG;
}

/* Return: the next line that begins a section, or the end of the text. */
static char *next_section(char *text)
{
	char *at;

	if (!strncmp(text, SECTION, strlen(SECTION)))
		return text;
	at = strstr(text, "\n" SECTION);
	return at ? at + 1 : text + strlen(text);
}

/* Return: as read_rows() */
static int read_sections(struct codesites *sites, char *text)
{
	int err = 0;

	while (!err && *text) {
		char *name = text + strlen(SECTION), *rows = strchr(text, '\n'), *next;
		int section;

		if (strncmp(text, SECTION, strlen(SECTION)) || !rows)
			return -EBADMSG;
		*rows++ = '\0';
		next = next_section(rows);
		section = codesites_section(sites, name);
		if (next > rows) {
			next[-1] = '\0';
			err = read_rows(sites, rows, section);
		}
		text = next;
	}
	return err;
}

/* Set the number in the last line. Return: false if there is none. */
static bool has_end(const char *text, size_t *count)
{
	const char *line = strstr(text, "\n# end ");
	int len = 0;

	return line && sscanf(line + 1, END "%n", count, &len) == 1 && len &&
	       strchr(line + 1, '\n') && !strchr(line + 1, '\n')[1];
}

bool codecache_read(const char *dir, const char *build_id,
		    const struct allocators *allocators, struct codesites *sites,
		    bool *is_same)
{
	char path[512], head[HEAD_SIZE], *text;
	int of_build, err;
	bool is_whole;
	size_t count;

	if (make_path(path, sizeof(path), dir, build_id) <= 0)
		return false;
	text = textfile_read(AT_FDCWD, path, NULL);
	of_build = make_head(head, build_id, allocators);
	if (!text || strncmp(text, head, of_build)) {
		free(text);
		return false;
	}
	*is_same = !strncmp(text, head, strlen(head));
	is_whole = has_end(text, &count);
	err = read_sections(sites, next_section(text + of_build));
	if (!err && !(is_whole && count == sites->count))
		err = -EBADMSG;
	if (err) {
		codesites_clear(sites);
		msg_note("%s is damaged: it is made again", path);
	}
	free(text);
	return !err;
}

/* --- writing ------------------------------------------------------------------- */

/* Without the parent, the caller would make directories at a path with a typo. */
static int make_dir(const char *dir)
{
	char parent[512];
	char *slash;

	if (!mkdir(dir, 0755) || errno == EEXIST)
		return 0;
	if (errno != ENOENT)
		return -errno;
	snprintf(parent, sizeof(parent), "%s", dir); /* it fits, see make_path() */
	slash = strrchr(parent, '/');
	if (!slash || slash == parent)
		return -ENOENT;
	*slash = '\0';
	if ((mkdir(parent, 0755) && errno != EEXIST) || mkdir(dir, 0755))
		return -errno;
	return 0;
}

static void put_rows(FILE *out, const struct codesites *sites)
{
	const char *section = NULL;
	size_t i;

	for (i = 0; i < sites->count; i++) {
		const struct codesite *s = &sites->site[i];

		if (section != sites->section[s->section]) {
			section = sites->section[s->section];
			fprintf(out, SECTION "%s\n", section);
		}
		fprintf(out, "0x%" PRIx64 " %s:%d %s\n", s->offset, s->file, s->line,
			s->function);
	}
	fprintf(out, END, sites->count);
}

/* A reader sees the old file or the new one. */
static int put_file(const char *path, const char *head, const struct codesites *sites)
{
	char part[530];
	FILE *out;
	int fd, err;

	snprintf(part, sizeof(part), "%s.XXXXXX", path);
	fd = mkostemp(part, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	out = fdopen(fd, "w");
	if (!out) {
		err = -errno;
		close(fd);
	} else {
		fchmod(fd, 0644);
		fputs(head, out);
		put_rows(out, sites);
		err = outfile_flush(out);
		fclose(out);
	}
	if (!err && rename(part, path))
		err = -errno;
	if (err)
		unlink(part);
	return err;
}

int codecache_write(const char *dir, const char *build_id,
		    const struct allocators *allocators, const struct codesites *sites)
{
	char path[512], head[HEAD_SIZE];
	static bool told;
	int err = make_path(path, sizeof(path), dir, build_id);

	if (!err)
		return 0;
	make_head(head, build_id, allocators);
	if (err > 0)
		err = make_dir(dir);
	if (!err)
		err = put_file(path, head, sites);
	if (err && !told)
		msg_note("cannot keep what was found in %s: %s", dir, strerror(-err));
	told = told || err;
	return err;
}
