// SPDX-License-Identifier: GPL-2.0-only
#include "frames/pageflags.h"
#include "tempdir.h"
#include "why/frame.h"

#define FRAMES 1500u
#define HEAD   PAGEFLAG(COMPOUND_HEAD)
#define TAIL   PAGEFLAG(COMPOUND_TAIL)

static uint64_t flags[FRAMES], counts[FRAMES], cgroups[FRAMES];
static struct kmemtrace_page owners[FRAMES];
static struct survey survey;

/* Frame 3 alone; 8 to 11 a slab; 12 and 13 another block; 16 to 1415 a huge one. */
static void make(void)
{
	size_t i;

	for (i = 0; i < FRAMES; i++)
		owners[i] = (struct kmemtrace_page){ .flags = KMEMTRACE_PAGE_EXISTS };
	flags[3] = PAGEFLAG(ANON);
	counts[3] = 2;
	owners[3].tag = 7;
	flags[8] = HEAD | PAGEFLAG(SLAB);
	flags[9] = flags[10] = flags[11] = TAIL;
	owners[8].flags |= KMEMTRACE_PAGE_KMALLOC;
	for (i = 8; i < 12; i++) {
		owners[i].tag = 5;
		owners[i].order = 2;
	}
	flags[12] = HEAD | PAGEFLAG(ANON);
	flags[13] = TAIL;
	flags[16] = HEAD | PAGEFLAG(HUGE);
	for (i = 17; i < 1416; i++)
		flags[i] = TAIL | PAGEFLAG(HUGE);
	owners[1420].tag = 9;
	owners[1420].order = 3;
	cgroups[3] = 1;
}

static void begin(void)
{
	struct page_filter all = PAGE_FILTER_NONE;

	tempdir_begin();
	make();
	tempdir_put("kpageflags", flags, sizeof(flags));
	tempdir_put("kpagecount", counts, sizeof(counts));
	tempdir_put("pages", owners, sizeof(owners));
	tempdir_put_text("pages_version", "1\n");
	tempdir_put_text("tags", "kmemtrace tags - version: 1\n");
	tempdir_link("tags_quick", "tags");
	tempdir_put_text("stats", "accounting 1\n");
	tempdir_put_text("zoneinfo", "Node 0, zone DMA\n  managed 1\n");
	ck_assert_int_eq(survey_open(&survey, &all), 0);
}

static void end(void)
{
	survey_close(&survey);
	tempdir_end();
}

static struct frame get(uint64_t pfn)
{
	struct frame f;

	ck_assert_int_eq(frame_read(&f, &survey, pfn), 0);
	ck_assert_uint_eq(f.pfn, pfn);
	return f;
}

START_TEST(compound_pages)
{
	struct frame f;
	uint64_t pfn;

	begin();
	for (pfn = 8; pfn < 12; pfn++) {
		f = get(pfn);
		ck_assert_uint_eq(f.head, 8);
		ck_assert_uint_eq(f.pages, 4);
		ck_assert(f.is_compound);
		ck_assert_int_eq(f.kind, KIND_SLAB);
		ck_assert(f.first.flags & KMEMTRACE_PAGE_KMALLOC);
	}
	f = get(13); /* without a tag: its size is that of the flags */
	ck_assert_uint_eq(f.head, 12);
	ck_assert_uint_eq(f.pages, 2);
	ck_assert_int_eq(f.kind, KIND_ANON);
	for (pfn = 16; pfn < 1416; pfn += 233) { /* several reads */
		f = get(pfn);
		ck_assert_uint_eq(f.head, 16);
		ck_assert_uint_eq(f.pages, 1400);
		ck_assert_int_eq(f.kind, KIND_HUGETLB);
	}
	end();
}
END_TEST

START_TEST(other_pages)
{
	struct frame f;

	begin();
	f = get(3);
	ck_assert(!f.is_compound);
	ck_assert_uint_eq(f.head, 3);
	ck_assert_uint_eq(f.pages, 1);
	ck_assert_uint_eq(f.count, 2);
	ck_assert_uint_eq(f.owner.tag, 7);
	ck_assert_int_eq(f.kind, KIND_ANON);
	f = get(1420); /* a block that is no compound page */
	ck_assert(!f.is_compound);
	ck_assert_uint_eq(f.head, 1420);
	ck_assert_uint_eq(f.pages, 8);
	f = get(FRAMES - 1);
	ck_assert_int_eq(f.kind, KIND_UNKNOWN);
	ck_assert_int_eq(frame_read(&f, &survey, FRAMES), -1);
	ck_assert_int_eq(frame_read(&f, &survey, UINT64_MAX), -1);
	end();
}
END_TEST

START_TEST(cgroups_have_a_directory)
{
	uint64_t inode = 5;
	char path[256];
	struct stat st;

	begin();
	ck_assert_int_eq(frame_cgroup(3, path, sizeof(path), &inode), 0); /* no file */
	tempdir_put_text("fs/cgroup/a.slice/b.service/procs", "");
	ck_assert_int_eq(stat(tempdir_path("fs/cgroup/a.slice/b.service"), &st), 0);
	cgroups[4] = st.st_ino;
	ck_assert_int_eq(stat(tempdir_path("fs/cgroup"), &st), 0);
	cgroups[5] = st.st_ino;
	tempdir_put("kpagecgroup", cgroups, sizeof(cgroups));
	ck_assert_int_eq(frame_cgroup(0, path, sizeof(path), &inode), 1);
	ck_assert_uint_eq(inode, 0);
	ck_assert_int_eq(frame_cgroup(3, path, sizeof(path), &inode), 1);
	ck_assert_uint_eq(inode, 1); /* it is gone */
	ck_assert_str_eq(path, "");
	ck_assert_int_eq(frame_cgroup(4, path, sizeof(path), &inode), 1);
	ck_assert_str_eq(path, "/a.slice/b.service");
	ck_assert_int_eq(frame_cgroup(5, path, sizeof(path), &inode), 1);
	ck_assert_str_eq(path, "/");
	end();
}
END_TEST

UNIT_MAIN("frame", compound_pages, other_pages, cgroups_have_a_directory)
