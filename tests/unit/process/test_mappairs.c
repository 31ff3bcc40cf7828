// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "process/mappairs.h"
#include "unit.h"

#define MAPS 16

/**
 * struct side - a process
 * @map: its mappings, by address
 * @row: their rows
 * @footprint: the process
 */
struct side {
	struct mapping map[MAPS];
	struct footprint_row row[MAPS];
	struct footprint footprint;
};

static struct side a, b;

/* Add a mapping: addresses, permissions, inode, offset and path. */
static void add(struct side *s, uint64_t start, uint64_t end, const char *perms,
		uint64_t inode, uint64_t offset, const char *path)
{
	size_t i = s->footprint.rows++;
	struct mapping *m = &s->map[i];

	*m = (struct mapping){ .start = start, .end = end, .inode = inode,
			       .offset = offset, .path = (char *)path };
	snprintf(m->perms, sizeof(m->perms), "%s", perms);
	s->row[i] = (struct footprint_row){ .map = m, .start = start, .end = end };
	s->footprint.row = s->row;
}

/* Check the pairs: lines "A-START B-START", 0 for none. */
static void expect(const char *lines)
{
	struct mappair *pair;
	char text[1024] = "";
	size_t n, i, at = 0;

	mappairs_make(&a.footprint, &b.footprint, &pair, &n);
	for (i = 0; i < n; i++)
		at += sprintf(text + at, "%lx %lx\n",
			      pair[i].side[0] ? pair[i].side[0]->start : 0,
			      pair[i].side[1] ? pair[i].side[1]->start : 0);
	free(pair);
	ck_assert_str_eq(text, lines);
}

/* The same addresses; a heap that grew; memory that only one of them has. */
START_TEST(forked)
{
	add(&a, 0x1000, 0x3000, "r-xp", 7, 0, "/bin/x");
	add(&b, 0x1000, 0x3000, "r-xp", 7, 0, "/bin/x");
	add(&a, 0x5000, 0x6000, "rw-p", 0, 0, "[heap]");
	add(&b, 0x5000, 0x9000, "rw-p", 0, 0, "[heap]");
	add(&a, 0x10000, 0x20000, "rw-p", 0, 0, "");
	add(&b, 0x18000, 0x28000, "rw-p", 0, 0, "");
	add(&a, 0x30000, 0x31000, "rw-p", 0, 0, "");
	add(&b, 0x40000, 0x41000, "rw-p", 0, 0, "");
	expect("1000 1000\n5000 5000\n10000 18000\n30000 0\n0 40000\n");
}
END_TEST

/* Other addresses: files by offset, names by name, other memory not at all. */
START_TEST(executed)
{
	add(&a, 0x1000, 0x3000, "r--p", 7, 0, "/lib");
	add(&a, 0x3000, 0x5000, "r-xp", 7, 0x2000, "/lib");
	add(&a, 0x5000, 0x6000, "rw-p", 0, 0, "");
	add(&a, 0x7000, 0x8000, "rw-p", 0, 0, "[stack]");
	add(&a, 0x8000, 0x9000, "r--p", 8, 0, "/other");
	add(&b, 0x21000, 0x23000, "r--p", 7, 0, "/lib");
	add(&b, 0x23000, 0x25000, "r-xp", 7, 0x2000, "/lib");
	add(&b, 0x25000, 0x26000, "rw-p", 0, 0, "");
	add(&b, 0x27000, 0x2b000, "rw-p", 0, 0, "[stack]");
	add(&b, 0x2c000, 0x2d000, "r--p", 9, 0, "/another");
	expect("1000 21000\n3000 23000\n5000 0\n7000 27000\n8000 0\n"
	       "0 25000\n0 2c000\n");
}
END_TEST

/* A part of a file, several times: at the same address first, then in order. */
START_TEST(repeated)
{
	add(&a, 0x1000, 0x2000, "rw-s", 7, 0, "/f");
	add(&a, 0x3000, 0x4000, "rw-s", 7, 0, "/f");
	add(&a, 0x5000, 0x6000, "rw-s", 7, 0, "/f");
	add(&b, 0x3000, 0x4000, "rw-s", 7, 0, "/f");
	add(&b, 0x9000, 0xa000, "rw-s", 7, 0, "/f");
	expect("1000 9000\n3000 3000\n5000 0\n");
}
END_TEST

/* Parts of a file that differ: the same permissions come before others. */
START_TEST(parts)
{
	add(&a, 0x1000, 0x5000, "r--p", 7, 0, "/f");
	add(&a, 0x6000, 0x8000, "rw-p", 7, 0x3000, "/f");
	add(&a, 0x9000, 0xa000, "r--p", 7, 0x9000, "/f");
	add(&b, 0x21000, 0x24000, "rw-p", 7, 0x2000, "/f");
	add(&b, 0x26000, 0x28000, "r--p", 7, 0x3000, "/f");
	add(&b, 0x29000, 0x2a000, "r-xp", 7, 0x9000, "/f");
	expect("1000 26000\n6000 21000\n9000 29000\n");
}
END_TEST

START_TEST(none)
{
	expect("");
	add(&b, 0x1000, 0x2000, "rw-p", 0, 0, "");
	expect("0 1000\n");
}
END_TEST

UNIT_MAIN("mappairs", forked, executed, repeated, parts, none)
