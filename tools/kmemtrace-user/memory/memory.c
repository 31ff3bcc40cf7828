// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "account/trust.h"
#include "base/array.h"
#include "base/die.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "control/control.h"
#include "frames/frames.h"
#include "memory/meminfo.h"
#include "memory/memory.h"

/* --- counts from other files ----------------------------------------------------- */

/* Reads a number from a file of debugfs; @name is relative to the module's directory. */
static uint64_t read_beside(int dir, const char *name, const char *format)
{
	char *text = control_read(dir, name, NULL);
	uint64_t n;

	if (!text || sscanf(text, format, &n) != 1)
		n = 0;
	free(text);
	return n;
}

/* Return: whether the kernel has a function. Its BTF has the names of all functions. */
static bool has_function(int dir, const char *name)
{
	size_t size, len = strlen(name) + 1;
	char *btf = control_read(dir, "../../btf/vmlinux", &size);
	bool found = btf && memmem(btf, size, name, len);

	free(btf);
	return found;
}

/*
 * At boot, a kernel with bio_integrity_alloc_buf() allocates a pool for it:
 * BIO_POOL_SIZE buffers of BLK_INTEGRITY_MAX_SIZE bytes. No file has this count.
 */
#define INTEGRITY_POOL_BYTES (2 * (2 << 20))

static void read_counts(struct balance_input *in)
{
	static const char *const pools[] = {
		"../dma_pools/pool_size_dma",
		"../dma_pools/pool_size_dma32",
		"../dma_pools/pool_size_kernel",
	};
	char *log = bootlog_read();
	const char *why;
	int dir = control_open(&why);
	size_t i;

	if (log)
		in->hash_bytes = bootlog_hash_bytes(log, in->page_size);
	free(log);
	if (dir < 0)
		return;
	in->ftrace_pages = read_beside(dir, "../tracing/dyn_ftrace_total_info",
				       "%*u pages:%" SCNu64);
	for (i = 0; i < sizeof(pools) / sizeof(*pools); i++)
		in->dma_pool_bytes += read_beside(dir, pools[i], "%" SCNu64);
	if (has_function(dir, "bio_integrity_alloc_buf"))
		in->integrity_pool_bytes = INTEGRITY_POOL_BYTES;
	close(dir);
}

/* --- the frames -------------------------------------------------------------------- */

/* Reads the figures before and after the frames, because memory changes meanwhile. */
static int count_frames(struct memory *m, struct frames *f,
			struct balance_input *in, char *meminfo[2])
{
	struct zones zones;

	meminfo[0] = meminfo_read();
	if (!meminfo[0] || zones_read(&m->zones) ||
	    tally_walk(&m->tally, f, &m->vmallocs, &m->ram) || zones_read(&zones))
		return -1;
	meminfo[1] = meminfo_read();
	in->before = meminfo[0];
	in->after = meminfo[1];
	in->per_cpu_pages = (m->zones.per_cpu_pages + zones.per_cpu_pages) / 2;
	in->unaccepted_pages = zones.unaccepted_pages;
	return meminfo[1] ? 0 : -1;
}

static int read_frames(struct memory *m)
{
	struct balance_input in = {
		.tally = &m->tally,
		.page_size = m->page_size,
		.knows_vmalloc = !m->vmallocs.why,
	};
	unsigned int files = FRAMES_FLAGS | (m->no_module ? 0 : FRAMES_OWNER);
	char *meminfo[2] = { NULL, NULL };
	struct frames f;
	int err = -1;

	if (frames_open(&f, files, NULL) || tally_warm(&f) ||
	    count_frames(m, &f, &in, meminfo))
		goto out;
	if (!m->no_module) {
		if (tags_read(&m->tags, NULL))
			goto out;
		in.tags = &m->tags;
	}
	read_counts(&in);
	balance_make(&m->balance, &in);
	err = 0;
out:
	frames_close(&f);
	free(meminfo[0]);
	free(meminfo[1]);
	return err;
}

/* --- the sites --------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
	const struct site_row *x = a, *y = b;

	if (x->f.bytes != y->f.bytes)
		return x->f.bytes < y->f.bytes ? 1 : -1;
	if (!*x->location || !*y->location)
		return !*x->location - !*y->location;
	return strcmp(x->location, y->location);
}

void memory_sort_sites(struct memory *m)
{
	if (m->sites.count)
		qsort(m->sites.row, m->sites.count, sizeof(*m->sites.row), by_size);
}

static void find_sites(struct memory *m)
{
	static const struct site_row unknown = { .location = "" };
	size_t i, nr = m->tally.nr_sites;
	const struct site_row **by_id = xcalloc(nr + 1, sizeof(*by_id));
	struct site_row *row;

	for (i = 0; i < m->tags.rows.count; i++)
		if (m->tags.rows.row[i].id && m->tags.rows.row[i].id < nr)
			by_id[m->tags.rows.row[i].id] = &m->tags.rows.row[i];
	for (i = 0; i < nr; i++) {
		const struct site_row *tag = by_id[i] ? by_id[i] : &unknown;

		if (!m->tally.site[i].kind[KIND_KERNEL])
			continue;
		row = site_rows_add(&m->sites, SITE_PAGE, xstrdup(tag->location));
		row->id = tag->id;
		row->address = tag->address;
		row->f.bytes = m->tally.site[i].kind[KIND_KERNEL] * m->page_size;
	}
	free(by_id);
	memory_sort_sites(m);
}

/* --- the owners -------------------------------------------------------------------- */

static void find_owners(struct memory *m)
{
	char *modules = m->no_module ? NULL : textfile_read_proc("modules", NULL);
	const struct owners_input in = { &m->balance, &m->tally, &m->tags, modules,
					 m->page_size };

	if (!m->no_module)
		owners_make(&m->owners, &in);
	free(modules);
}

/* --- zones of unexplained frames ---------------------------------------------------- */

#define ANY_NODE SIZE_MAX

/* Return: whether memory of a line that is known by count can be in a place. */
static bool can_be_at(enum balance_id id, size_t node, const struct memory_place *place)
{
	if (node != ANY_NODE && node != place->node)
		return false;
	switch (id) {
	case LINE_CPU_LISTS:
	case LINE_UNACCEPTED:
		return place->order < 0;
	case LINE_LARGE_BEFORE:
		return place->order > 0;
	default:
		return true;
	}
}

/*
 * Takes bytes out of the places that they can be in, in proportion to the size of these.
 * Return: the bytes that are in no place.
 */
static uint64_t leave_out(struct memory *m, enum balance_id id, size_t node, uint64_t bytes)
{
	uint64_t pages = bytes / m->page_size, all = 0, size, part;
	struct memory_place *place;
	size_t i;

	for (i = 0; i < m->nr_places; i++)
		if (can_be_at(id, node, &m->place[i]))
			all += m->place[i].bytes / m->page_size;
	for (i = 0; i < m->nr_places && pages; i++) {
		place = &m->place[i];
		size = place->bytes / m->page_size;
		if (!size || !can_be_at(id, node, place))
			continue;
		part = size < all ? (double)pages * size / all : pages;
		if (part > size)
			part = size;
		place->bytes -= part * m->page_size;
		pages -= part;
		all -= size;
	}
	return pages * m->page_size;
}

/* The kernel counts the free pages in the lists of CPUs for each node. */
static uint64_t leave_out_lists(struct memory *m)
{
	uint64_t bytes = m->balance.line[LINE_CPU_LISTS].bytes, rest = 0;
	size_t node;

	for (node = 0; node < NODES_MAX && m->zones.per_cpu_pages; node++)
		if (m->zones.per_cpu_of_node[node])
			rest += leave_out(m, LINE_CPU_LISTS, node,
					  (double)bytes * m->zones.per_cpu_of_node[node] /
						  m->zones.per_cpu_pages);
	return rest;
}

/* Leaves the places of unexplained memory, without memory that is known by count. */
static void leave_unexplained(struct memory *m)
{
	const struct balance_line *line = m->balance.line;
	size_t i, n = 0;
	uint64_t rest = 0;
	int id;

	for (id = 0; id < LINES; id++)
		if (id == LINE_CPU_LISTS)
			rest += leave_out_lists(m);
		else if (line[id].by_count)
			rest += leave_out(m, id, ANY_NODE, line[id].bytes);
	leave_out(m, LINE_UNEXPLAINED, ANY_NODE, rest);
	for (i = 0; i < m->nr_places; i++)
		if (m->place[i].bytes)
			m->place[n++] = m->place[i];
	m->nr_places = n;
}

static void find_places(struct memory *m)
{
	const struct tally_node *n;
	uint64_t frames;
	size_t node;
	int zone, order;

	for (node = 0; node < m->tally.nr_nodes; node++)
		for (zone = 0; zone < ZONES_MAX; zone++)
			for (order = -1; order < TALLY_ORDERS; order++) {
				n = &m->tally.node[node];
				frames = order < 0 ? n->idle[zone] : n->unknown[zone][order];
				if (frames)
					*array_add(m->place, m->nr_places) = (struct memory_place){
						frames * m->page_size, node, zone, order };
			}
	leave_unexplained(m);
}

/* --- all data -------------------------------------------------------------------- */

int memory_read(struct memory *m)
{
	int dir;

	memset(m, 0, sizeof(*m));
	/* khugepaged must not replace pages of this process while frames are counted */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	m->page_size = sysconf(_SC_PAGESIZE);
	dir = control_open(&m->no_module);
	if (dir >= 0) {
		m->no_module = NULL;
		close(dir);
	}
	if (vmallocs_read(&m->vmallocs))
		return -1;
	if (m->no_module)
		ram_read(&m->ram, m->page_size);
	if (read_frames(m))
		return -1;
	find_sites(m);
	find_owners(m);
	find_places(m);
	return 0;
}

double memory_since(const struct memory *m)
{
	return m->no_module ? -1 : trust_seconds_on(&m->tags);
}

void memory_free(struct memory *m)
{
	owners_free(&m->owners);
	free(m->place);
	site_rows_free(&m->sites);
	tags_free(&m->tags);
	tally_free(&m->tally);
	ram_free(&m->ram);
	vmallocs_free(&m->vmallocs);
}
