// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/die.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "frames/pageflags.h"
#include "process/footprint.h"
#include "process/process.h"

/* maximum number of attempts to read a process that executes new programs meanwhile */
#define TRIES 3

/* --- the file of a mapping ------------------------------------------------------ */

/* since 6.5 */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

/*
 * Opening the file of a device may have side effects. So the file is first opened with
 * O_PATH, which has none, to check its type.
 */
static int shmswap_open(const struct process *p, const struct mapping *m)
{
	char path[64];
	struct statfs fs;
	struct stat st;
	int look, fd = -ENOENT;

	snprintf(path, sizeof(path), "map_files/%" PRIx64 "-%" PRIx64, m->start,
		 m->end);
	look = openat(p->dir, path, O_PATH | O_CLOEXEC);
	if (look < 0)
		return errno == ESRCH ? -ENOENT : -errno;
	if (fstatfs(look, &fs) || fs.f_type != TMPFS_MAGIC) {
		fd = -ENXIO;
	} else if (!fstat(look, &st) && S_ISREG(st.st_mode)) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", look);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
	}
	close(look);
	return fd;
}

/* For tmpfs, the evicted pages are those in swap. */
static int64_t count_evicted(int fd, uint64_t offset, uint64_t size)
{
	struct {
		uint64_t offset;
		uint64_t size;
	} range = { offset, size };
	struct {
		uint64_t cache;
		uint64_t dirty;
		uint64_t writeback;
		uint64_t evicted;
		uint64_t recently_evicted;
	} stat;

	if (syscall(SYS_cachestat, fd, &range, &stat, 0))
		return -errno;
	return stat.evicted;
}

/* Return: bytes after "Swap:" for the mapping of this process at @start, or -errno. */
static int64_t find_swap(const char *smaps, uintptr_t start)
{
	char key[32];
	size_t len = snprintf(key, sizeof(key), "%" PRIxPTR "-", start);
	const char *line = smaps;

	while (line && strncmp(line, key, len))
		line = textfile_next_line(line);
	line = textfile_value(line, "Swap", 4, ':');
	return line ? strtoll(line, NULL, 10) * 1024 : -ENODATA;
}

/* Maps the file here: smaps then shows how much of the file is in swap. */
static int64_t count_mapped(int fd, uint64_t offset, uint64_t size)
{
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, offset);
	int64_t bytes = -errno;
	char *smaps;

	if (map == MAP_FAILED)
		return bytes;
	smaps = textfile_read(AT_FDCWD, "/proc/self/smaps", NULL);
	bytes = smaps ? find_swap(smaps, (uintptr_t)map) : -errno;
	free(smaps);
	munmap(map, size);
	return bytes;
}

static int64_t shmswap_count(int fd, uint64_t first, uint64_t n)
{
	uint64_t page_size = sysconf(_SC_PAGESIZE);
	int64_t swapped;

	swapped = count_evicted(fd, first * page_size, n * page_size);
	if (swapped != -ENOSYS)
		return swapped;
	swapped = count_mapped(fd, first * page_size, n * page_size);
	return swapped < 0 ? swapped : swapped / (int64_t)page_size;
}

int footprint_start(struct footprint_reader *r, struct progress *progress)
{
	uint64_t own = process_own_entry(), pfn = PM_PFN(own);
	char *swaps = textfile_read_proc("swaps", NULL);

	*r = (struct footprint_reader){
		.sees_frames = (own & PM_PRESENT) && pfn,
		.sees_soft_dirty = own & PM_SOFT_DIRTY,
		/* a line of titles, then a line for each area */
		.has_swap = swaps && textfile_next_line(swaps),
		.page_size = sysconf(_SC_PAGESIZE),
		.progress = progress,
	};
	free(swaps);
	if (r->sees_frames && (frames_open(&r->frames, FRAMES_FLAGS | FRAMES_COUNT, NULL) ||
			       frames_gather(&r->frames, &pfn, 1)))
		return -1;
	/*
	 * KSM is very unlikely to have merged a page that this process has just written. If
	 * the kernel shows the page as merged, its KSM flag cannot be trusted.
	 */
	r->sees_ksm = r->sees_frames && !(*r->frames.flags & PAGEFLAG(KSM));
	r->scan = pagescan_create();
	r->pfn = xcalloc(FRAMES_BATCH, sizeof(*r->pfn));
	r->entry = xcalloc(FRAMES_BATCH, sizeof(*r->entry));
	r->row = xcalloc(FRAMES_BATCH, sizeof(*r->row));
	return 0;
}

void footprint_stop(struct footprint_reader *r)
{
	if (r->sees_frames)
		frames_close(&r->frames);
	free(r->scan);
	free(r->pfn);
	free(r->entry);
	free(r->row);
}

const char *footprint_name(const struct mapping *m)
{
	return *m->path ? m->path : "[anon]";
}

/* --- pages ------------------------------------------------------------------------ */

/*
 * Adds a page that is in swap, or whose frame was looked up. The other process has it as well
 * if it has one of its marks.
 */
static void add_page(struct footprint_reader *r, struct footprint_row *row, uint64_t entry,
		     uint64_t flags, uint64_t count)
{
	struct usage page, *to = &row->usage;

	if (r->other) {
		page = (struct usage){ 0 };
		to = &page;
	}
	if (entry & PM_SWAPPED)
		usage_add_absent(to, entry, r->page_size);
	else
		usage_add_page(to, entry, flags, count, r->page_size);
	if (!r->other)
		return;
	usage_add(&row->usage, &page);
	if ((page.rss || page.hugetlb || page.swap) &&
	    pageset_mark(r->other->pages, entry, r->other->mark) & r->other->theirs)
		usage_add(&row->both, &page);
}

/*
 * Looks up the pending frames. Before 6.12, only the head of a huge page has the flag
 * MLOCKED. A tail takes the flag from its head, which comes before its tails.
 */
static int footprint_look_up(struct footprint_reader *r, struct footprint *f)
{
	uint64_t head = 0, next = 0, flags;
	size_t i;

	if (r->pending && frames_gather(&r->frames, r->pfn, r->pending))
		return FOOTPRINT_BROKEN;
	for (i = 0; i < r->pending; i++) {
		flags = r->frames.flags[i];
		if (!(flags & PAGEFLAG(COMPOUND_TAIL)))
			head = flags;
		else if (r->pfn[i] == next)
			flags |= head & PAGEFLAG(MLOCKED);
		else
			head = 0;
		next = r->pfn[i] + 1;
		if ((flags & PAGEFLAG(ZERO_PAGE)) && !(flags & PAGEFLAG(HUGE)))
			zeropages_add(&r->scan->zeros, r->pfn[i]);
		add_page(r, &f->row[r->row[i]], r->entry[i], flags, r->frames.count[i]);
	}
	r->pending = 0;
	return 0;
}

/* All frames of a chunk are looked up together, so that tails come after their head. */
static int add_chunk(struct footprint_reader *r, struct footprint *f, size_t row, size_t n)
{
	size_t i;

	if (r->pending + n > FRAMES_BATCH && footprint_look_up(r, f))
		return FOOTPRINT_BROKEN;
	for (i = 0; i < n; i++) {
		uint64_t entry = r->scan->entry[i];

		if (entry & PM_SWAPPED) {
			add_page(r, &f->row[row], entry, 0, 0);
		} else if (!(entry & PM_PRESENT) ||
			   zeropages_has(&r->scan->zeros, PM_PFN(entry))) {
			continue;
		} else if (r->sees_frames) {
			r->pfn[r->pending] = PM_PFN(entry);
			r->entry[r->pending] = entry;
			r->row[r->pending++] = row;
		} else {
			usage_add_entry(&f->row[row].usage, entry, r->page_size);
		}
	}
	return 0;
}

/* --- shared memory in swap ------------------------------------------------------- */

/**
 * struct shm - the file of a mapping of shared memory
 * @fd: file descriptor; -1: not shared memory, or its holes need not be counted
 * @holes: count only pages that are not mapped, because mapped pages may be copies
 * @first: page of the file that corresponds to address 0
 * @hole: page number after the last mapped page of the process so far
 * @map: the mapping
 * @pages: number of pages in swap
 * @both: number of these pages that the other process maps as well
 */
struct shm {
	int fd;
	bool holes;
	uint64_t first;
	uint64_t hole;
	const struct mapping *map;
	uint64_t pages;
	uint64_t both;
};

/* @page, @end: pages of the file */
static uint64_t in_swap(struct footprint_reader *r, int fd, uint64_t page,
			uint64_t end)
{
	int64_t n = shmswap_count(fd, page, end - page);

	r->misses_shmswap |= n < 0;
	return n < 0 ? 0 : n;
}

/* @page, @end: pages of the process. Return: whether some of them are in swap. */
static bool shm_add(struct footprint_reader *r, struct shm *s, uint64_t page,
		    uint64_t end)
{
	uint64_t n = in_swap(r, s->fd, s->first + page, s->first + end);
	uint64_t both = 0, stop;

	s->pages += n;
	if (!n || !r->other)
		return n;
	page += s->first;
	end += s->first;
	for (; filespans_next(&r->other->files, s->map, &page, end, &stop);
	     page = stop)
		both += in_swap(r, s->fd, page, stop);
	/* more pages may be in swap now */
	s->both += both < n ? both : n;
	return true;
}

/* Like smaps, counts each hole of a writable private mapping separately. */
static struct shm shm_open_row(struct footprint_reader *r, struct footprint *f,
			       const struct footprint_row *row)
{
	const struct mapping *m = row->map;
	struct shm s = { .fd = -1, .hole = row->start / r->page_size, .map = m };
	uint64_t device = filespan_device(m);
	bool any;

	if (!r->has_swap || !m->inode || device == r->not_shm)
		return s;
	s.fd = shmswap_open(&f->process, m);
	if (s.fd == -ENXIO)
		r->not_shm = device;
	else if (s.fd < 0)
		r->misses_shmswap |= s.fd != -ENOENT;
	if (s.fd < 0)
		return s;
	s.holes = m->perms[3] == 'p' && m->perms[1] == 'w';
	s.first = m->offset / r->page_size - m->start / r->page_size;
	any = shm_add(r, &s, s.hole, row->end / r->page_size);
	if (s.holes)
		s.pages = s.both = 0;
	if (!any || !s.holes) {
		close(s.fd);
		s.fd = -1;
	}
	return s;
}

static void shm_mapped(struct footprint_reader *r, struct shm *s, uint64_t page)
{
	if (page > s->hole)
		shm_add(r, s, s->hole, page);
	s->hole = page + 1;
}

static void shm_chunk(struct footprint_reader *r, struct shm *s, uint64_t first,
		      size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (r->scan->entry[i] & (PM_PRESENT | PM_SWAPPED))
			shm_mapped(r, s, first + i);
}

static void shm_close(struct footprint_reader *r, struct shm *s, uint64_t end,
		      struct footprint_row *row)
{
	if (s->fd >= 0) {
		shm_mapped(r, s, end);
		close(s->fd);
	}
	row->usage.swap += s->pages * r->page_size;
	row->both.swap += s->both * r->page_size;
}

/* --- mappings ---------------------------------------------------------------------- */

static int read_row(struct footprint_reader *r, struct footprint *f, size_t i)
{
	struct footprint_row *row = &f->row[i];
	uint64_t end = row->end / r->page_size, first;
	struct shm shm;
	ssize_t n;
	int err = 0;

	row->usage.size = row->end - row->start;
	/*
	 * [vvar] is data of the kernel for the vDSO, not memory of the process. If frame numbers
	 * are visible, the flags of its frames show this.
	 */
	if (!r->sees_frames && !strncmp(row->map->path, "[vvar", 5))
		return 0;
	shm = shm_open_row(r, f, row);
	/* if frame numbers are hidden, asking is the only way to recognise zero pages */
	pagescan_start(r->scan, row->map, row->start / r->page_size, end, !r->sees_frames);
	while (!err && (n = pagescan_next(r->scan, &first)) != 0) {
		if (n < 0) {
			err = n;
			break;
		}
		if (shm.fd >= 0)
			shm_chunk(r, &shm, first, n);
		err = add_chunk(r, f, i, n);
		r->done += n;
		if (r->progress)
			progress_step(r->progress, r->done);
	}
	shm_close(r, &shm, end, row);
	return err;
}

static void footprint_choose(const struct footprint_reader *r, struct footprint *f,
		  const struct footprint_choice *c)
{
	uint64_t start = c->start - c->start % r->page_size, end = c->end;
	size_t i;

	/* round up to the end of the page */
	if (end <= UINT64_MAX - r->page_size)
		end = (end + r->page_size - 1) / r->page_size * r->page_size;
	f->row = xcalloc(f->process.nr_maps + 1, sizeof(*f->row));
	for (i = 0; i < f->process.nr_maps; i++) {
		const struct mapping *m = &f->process.map[i];

		if (m->end <= start || m->start >= end)
			continue;
		if (c->name && !strstr(footprint_name(m), c->name))
			continue;
		f->row[f->rows++] = (struct footprint_row){
			.map = m,
			.start = m->start > start ? m->start : start,
			.end = m->end < end ? m->end : end,
		};
	}
}

static int footprint_read_once(struct footprint_reader *r, struct footprint *f, int pid,
			       const struct footprint_choice *choice)
{
	size_t i;
	int err;

	*f = (struct footprint){ 0 };
	err = process_open(&f->process, pid);
	if (err)
		return err;
	footprint_choose(r, f, choice);
	pagescan_process(r->scan, &f->process);
	r->pending = 0;
	for (i = 0; i < f->rows && !err; i++)
		err = read_row(r, f, i);
	if (!err)
		err = footprint_look_up(r, f);
	for (i = 0; i < f->rows; i++) {
		usage_add(&f->total, &f->row[i].usage);
		usage_add(&f->both, &f->row[i].both);
	}
	close(f->process.pagemap);
	close(f->process.dir);
	f->process.pagemap = f->process.dir = -1;
	return err;
}

int footprint_read(struct footprint_reader *r, struct footprint *f, int pid,
		   const struct footprint_choice *choice)
{
	int tries = TRIES, err;

	for (;;) {
		err = footprint_read_once(r, f, pid, choice);
		/* -ESRCH after mappings were read: the process may run a new program */
		if (err != -ESRCH || !f->process.nr_maps || !--tries)
			return err;
		footprint_free(f);
		if (r->other)
			pageset_forget(r->other->pages, r->other->mark);
	}
}

int footprint_error(const struct process *p, int err)
{
	switch (err) {
	case FOOTPRINT_BROKEN:
		return EXIT_FAILED;
	case -ESRCH:
		return msg_error("process %d has ended", p->pid);
	case -EACCES:
		return msg_error("process %d (%s) could not be read; %s", p->pid,
				 p->name, footprint_advice());
	default:
		return msg_error("process %d (%s) cannot be read: %s", p->pid,
				 p->name, strerror(-err));
	}
}

const char *footprint_advice(void)
{
	return geteuid() ? "run as root" : "root lacks the permission here";
}

void footprint_free(struct footprint *f)
{
	process_close(&f->process);
	free(f->row);
	*f = (struct footprint){ .process = { .dir = -1, .pagemap = -1 } };
}

void footprint_keep_total(struct footprint *f)
{
	struct footprint kept = *f;

	footprint_free(f);
	f->process.pid = kept.process.pid;
	memcpy(f->process.name, kept.process.name, sizeof(f->process.name));
	f->total = kept.total;
}
