// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/textfile.h"
#include "control/control.h"
#include "frames/ram.h"

/* "00001000-0009fbff : System RAM"; "System RAM (kmem)" is memory that was plugged in. */
void ram_parse(struct ram *r, const char *iomem, uint64_t page_size)
{
	const char *line;

	for (line = iomem; line && *line; line = textfile_next_line(line)) {
		uint64_t first, last;
		int used = 0;

		if (textfile_scan(line,
				  "%" SCNx64 "-%" SCNx64 " : System RAM%n",
				  &first, &last, &used) != 2 ||
		    !used || last <= first)
			continue;
		*array_add(r->range, r->count) =
			(struct ram_range){ first / page_size, last / page_size + 1 };
	}
}

/* --- offline memory --------------------------------------------------------------- */

static bool is_offline(int dir, uint64_t block)
{
	char name[40], *state;
	bool offline;

	snprintf(name, sizeof(name), "memory%" PRIu64 "/state", block);
	state = control_read(dir, name, NULL);
	offline = state && !strncmp(state, "offline", 7);
	free(state);
	return offline;
}

static void read_offline(struct ram *r, int dir, uint64_t page_size)
{
	char *text = control_read(dir, "block_size_bytes", NULL);
	uint64_t pages = text ? strtoull(text, NULL, 16) / page_size : 0, block;
	size_t i;

	free(text);
	for (i = 0; i < r->count && pages; i++) {
		block = r->range[i].first / pages;
		for (; block * pages < r->range[i].end; block++) {
			if (is_offline(dir, block))
				*array_add(r->offline, r->nr_offline) =
					(struct ram_range){ block * pages, (block + 1) * pages };
		}
	}
}

/* --- all memory ------------------------------------------------------------------- */

void ram_read(struct ram *r, uint64_t page_size)
{
	char *iomem = textfile_read_proc("iomem", NULL);
	char path[PATH_MAX];
	int dir;

	memset(r, 0, sizeof(*r));
	ram_parse(r, iomem, page_size);
	free(iomem);
	textfile_sys_path(path, sizeof(path), "devices/system/memory");
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0) {
		read_offline(r, dir, page_size);
		close(dir);
	}
}

static bool is_in(const struct ram_range *range, size_t count, uint64_t pfn)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (pfn >= range[i].first && pfn < range[i].end)
			return true;
	return false;
}

bool ram_has(const struct ram *r, uint64_t pfn)
{
	return !r->count || (is_in(r->range, r->count, pfn) &&
			     !is_in(r->offline, r->nr_offline, pfn));
}

void ram_free(struct ram *r)
{
	free(r->range);
	free(r->offline);
	memset(r, 0, sizeof(*r));
}
