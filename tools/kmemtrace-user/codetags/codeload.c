// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/memtext.h"
#include "base/msg.h"
#include "base/plural.h"
#include "codetags/codeload.h"
#include "control/control.h"

/* limit of the bytes of one write; the module accepts whole lines, below 4096 bytes */
#define CHUNK 4000

char *codeload_text(const struct codesites *sites)
{
	struct memtext text;
	FILE *out = memtext_open(&text);
	size_t i;

	for (i = 0; i < sites->count; i++) {
		const struct codesite *s = &sites->site[i];

		if (s->address)
			fprintf(out, "0x%" PRIx64 " %s:%d %s\n", s->address,
				s->file, s->line, s->function);
	}
	return memtext_close(&text, NULL);
}

/**
 * struct target - the module's file codetags
 * @dir: the module's directory
 * @add: keep the rows that the module has
 */
struct target {
	int dir;
	bool add;
};

static int codeload_put_text(const struct target *t, const char *text)
{
	int fd = openat(t->dir, "codetags", O_WRONLY | O_CLOEXEC | (t->add ? 0 : O_TRUNC));

	if (fd < 0)
		return msg_error("cannot write the module's file codetags: %s",
				 strerror(errno));
	while (*text) {
		size_t len = strlen(text), n = len;

		if (n > CHUNK)
			for (n = CHUNK; n > 1 && text[n - 1] != '\n'; n--)
				;
		if (write(fd, text, n) != (ssize_t)n) {
			int err = errno;

			close(fd);
			return msg_error("the module refused a code tag: %s, at %.*s",
					 strerror(err),
					 (int)strcspn(text, "\n"), text);
		}
		text += n;
	}
	close(fd);
	return EXIT_DONE;
}

/* codelive_source.put */
static bool put_rows(void *arg, const struct codesites *sites)
{
	struct target *t = arg;
	char *text = codeload_text(sites);
	int ret = *text ? codeload_put_text(t, text) : EXIT_DONE;

	t->add = t->add || *text;
	free(text);
	return ret == EXIT_DONE;
}

int codeload_nothing(const struct codelive_source *source, const char *why)
{
	struct utsname u = { 0 };

	if (source->vmlinux || source->modules)
		return msg_error("%s: %s",
				 source->vmlinux ? source->vmlinux :
						   source->modules[0],
				 why ? why :
				       "it has no debug information (DWARF) about calls of allocators");
	if (why)
		return msg_error("%s", why);
	uname(&u);
	return msg_error(
		"no debug information was found: install linux-image-%s-dbg, name a file with --vmlinux, or set DEBUGINFOD_URLS",
		u.release);
}

void codeload_tell(const struct codelive_found *found)
{
	char known[64] = "";

	if (found->cached)
		snprintf(known, sizeof(known), " (%u from the cache)", found->cached);
	msg_note("%zu call site%s, of the kernel and its modules: %u with debug information%s, %u without",
		 found->count, plural(found->count), found->known, known, found->bare);
}

int codeload(const struct codelive_source *source, bool add, struct codelive_found *found)
{
	struct codelive_source from = *source;
	struct target target = { .add = add };
	const char *why = NULL;
	char *wrappers;
	int err;

	*found = (struct codelive_found){ 0 };
	target.dir = control_open(&why);
	if (target.dir < 0)
		return msg_error("%s", why);
	wrappers = control_read(target.dir, "wrappers", NULL);
	from.wrappers = wrappers;
	from.live = true;
	from.put = put_rows;
	from.arg = &target;
	err = codelive_find(&from, found, &why);
	free(wrappers);
	close(target.dir);
	if (err && !why)
		return EXIT_FAILED; /* put_rows() has printed a message */
	if (err || (!found->count && !source->only))
		return codeload_nothing(source, err ? why : NULL);
	return EXIT_DONE;
}
