// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/table.h"
#include "base/textfile.h"
#include "frames/zones.h"

/* pageblocks of 4 GiB with pages of 4 KiB; no machine has larger ones */
#define BLOCK_ORDER_MAX 20

/* All nodes have the same zones, in the same order. */
static void add_zone(struct zones *z, char *name)
{
	int i;

	table_clean(name);
	for (i = 0; i < ZONES_MAX; i++) {
		if (!strcmp(z->zone[i], name))
			return;
		if (!*z->zone[i]) {
			strcpy(z->zone[i], name);
			return;
		}
	}
}

static void parse_migratetypes(struct zones *z, const char *text)
{
	static const char title[] = "Number of blocks type";
	const char *line = strstr(text, title);
	int i, used;

	if (!line)
		return;
	line += strlen(title);
	for (i = 0; i < MIGRATETYPES_MAX && *line != '\n'; i++, line += used) {
		used = 0;
		if (textfile_scan(line, " %15s%n", z->migratetype[i], &used) !=
		    1)
			return;
		table_clean(z->migratetype[i]);
		used += strspn(line + used, " ");
	}
}

int zones_parse(struct zones *z, const char *zoneinfo, const char *pagetypeinfo)
{
	const char *line;
	char name[16];
	unsigned int node = 0;
	uint64_t n;

	memset(z, 0, sizeof(*z));
	for (line = zoneinfo; line; line = textfile_next_line(line)) {
		if (textfile_scan(line, "Node %u, zone %15s", &node, name) == 2) {
			add_zone(z, name);
			if (node >= z->nr_nodes)
				z->nr_nodes = node + 1;
		} else if (textfile_scan(line, " count: %" SCNu64, &n) == 1) {
			z->per_cpu_pages += n;
			if (node < NODES_MAX)
				z->per_cpu_of_node[node] += n;
		}
	}
	if (textfile_scan(pagetypeinfo, "Page block order: %d",
			  &z->block_order) != 1 ||
	    z->block_order < 0 || z->block_order > BLOCK_ORDER_MAX)
		z->block_order = -1;
	parse_migratetypes(z, pagetypeinfo);
	return *z->zone[0] ? 0 : -1;
}

static uint64_t read_unaccepted(void)
{
	static const char name[] = "Unaccepted";
	char *meminfo = textfile_read_proc("meminfo", NULL);
	const char *at = textfile_value(meminfo, name, strlen(name), ':');
	uint64_t kb = at ? strtoull(at, NULL, 10) : 0;

	free(meminfo);
	return kb * 1024 / sysconf(_SC_PAGESIZE);
}

int zones_read(struct zones *z)
{
	char *zoneinfo = textfile_read_proc("zoneinfo", NULL), *types;
	int err = -1;

	if (!zoneinfo) {
		msg_error("cannot read /proc/zoneinfo: %s", strerror(errno));
		return -1;
	}
	types = textfile_read_proc("pagetypeinfo", NULL);
	if (zones_parse(z, zoneinfo, types ? types : ""))
		msg_error("/proc/zoneinfo names no zone");
	else
		err = 0;
	z->unaccepted_pages = read_unaccepted();
	free(zoneinfo);
	free(types);
	return err;
}
