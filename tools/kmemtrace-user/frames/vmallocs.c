// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/die.h"
#include "base/msg.h"
#include "base/table.h"
#include "base/textfile.h"
#include "control/control.h"
#include "frames/vmallocs.h"

#define MAPPED	 (1ull << 63)
#define PFN_MASK ((1ull << 55) - 1)
/* bytes of the address space with 5 levels of page tables; no area is larger */
#define AREA_MAX (1ull << 57)
/* maximum number of entries in one read */
#ifndef RUN
#define RUN 8192
#endif

/* Areas of per-CPU memory begin at multiples of this, but need not be mapped there. */
#define BOUNDARY (2ull << 20)

/* From this address on, x86-64 places modules, eBPF programs and trampolines. */
#define MODULE_SPACE 0xffffffff80000000ull

/* --- callers of vmalloc() ---------------------------------------------------------- */

/* Inlining by the compiler decides which of these functions is shown as the caller. */
static const struct {
	const char *function; /* with '*' at the end: a prefix */
	enum vmalloc_kind kind;
} callers[] = {
	{ "kernel_clone", VMALLOC_STACK },
	{ "fork_idle", VMALLOC_STACK },
	{ "create_io_thread", VMALLOC_STACK },
	{ "vhost_task_create", VMALLOC_STACK },
	{ "copy_process", VMALLOC_STACK },
	{ "dup_task_struct", VMALLOC_STACK },
	{ "alloc_thread_stack_node", VMALLOC_STACK },
	{ "init_irq_stacks", VMALLOC_STACK },
	{ "pcpu_get_vm_areas", VMALLOC_PERCPU },
	{ "load_module", VMALLOC_MODULE },
	{ "layout_and_allocate", VMALLOC_MODULE },
	{ "move_module", VMALLOC_MODULE },
	{ "module_alloc", VMALLOC_MODULE },
	{ "execmem_*", VMALLOC_MODULE },
	{ "alloc_insn_page", VMALLOC_MODULE },
	{ "arch_ftrace_update_trampoline", VMALLOC_MODULE },
	{ "bpf_prog_*", VMALLOC_MODULE },
	{ "bpf_jit_*", VMALLOC_MODULE },
};

static bool is_called(const char *caller, const char *function)
{
	size_t len = strcspn(function, "*");

	if (strncmp(caller, function, len))
		return false;
	/* "name+0x12/0x34", "name.part.0+..." */
	return function[len] || strchr("+. ", caller[len]);
}

static enum vmalloc_kind kind_of(const struct vmalloc_area *area)
{
	size_t i;

	if (area->start >= MODULE_SPACE)
		return VMALLOC_MODULE;
	for (i = 0; i < sizeof(callers) / sizeof(*callers); i++)
		if (is_called(area->caller, callers[i].function))
			return callers[i].kind;
	return VMALLOC_OTHER;
}

/*
 * Return: index of the first element with a key of at least @key. Each element is a
 * structure that begins with its key.
 */
static size_t lower_bound(const void *array, size_t count, size_t size,
			  uint64_t key)
{
	size_t low = 0, mid;
	uint64_t found;

	while (low < count) {
		mid = low + (count - low) / 2;
		memcpy(&found, (const char *)array + mid * size, sizeof(found));
		if (found < key)
			low = mid + 1;
		else
			count = mid;
	}
	return low;
}

/* --- real addresses ----------------------------------------------------------------- */

struct start {
	uint64_t shown;
	uint64_t real;
};

struct starts {
	struct start *start;
	size_t count;
};

static int by_shown(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	return x->shown != y->shown ? (x->shown < y->shown ? -1 : 1)
	       : x->real != y->real ? (x->real < y->real ? -1 : 1)
				    : 0;
}

/*
 * Rows "ADDRESS SHOWN BOUNDARY" (kmemtrace_pages.h). vmallocinfo shows ADDRESS as SHOWN,
 * and the boundary at or before ADDRESS as BOUNDARY.
 */
static void read_starts(struct starts *s, const char *text)
{
	uint64_t real, shown, boundary;
	const char *line;

	memset(s, 0, sizeof(*s));
	for (line = text; line; line = textfile_next_line(line)) {
		if (textfile_scan(line, "%" SCNx64 " %" SCNx64 " %" SCNx64,
				  &real, &shown, &boundary) != 3)
			continue;
		*array_add(s->start, s->count) = (struct start){ shown, real };
		*array_add(s->start, s->count) =
			(struct start){ boundary, real & ~(BOUNDARY - 1) };
	}
	if (s->count)
		qsort(s->start, s->count, sizeof(*s->start), by_shown);
}

/*
 * Return: false if no address, or more than one, is shown like this. The kernel shows 0
 * for all addresses if it hides them.
 */
static bool find_real(const struct starts *s, uint64_t shown, uint64_t *real)
{
	size_t low = lower_bound(s->start, s->count, sizeof(*s->start), shown);

	if (!shown || low == s->count || s->start[low].shown != shown)
		return false;
	*real = s->start[low].real;
	for (; low < s->count && s->start[low].shown == shown; low++)
		if (s->start[low].real != *real)
			return false;
	return true;
}

/* --- the areas ----------------------------------------------------------------------- */

/* Return: length of "function+0x12/0x34 [module]"; 0 if the text has none. */
static size_t caller_length(const char *text)
{
	size_t len = strcspn(text, " \n");

	if (!memchr(text, '+', len) && strncmp(text, "0x", 2))
		return 0;
	if (!strncmp(text + len, " [", 2))
		len += strcspn(text + len, "]\n") + 1;
	return len;
}

/* Return: whether a word of the line begins with @word. */
static bool has_word(const char *line, const char *word)
{
	size_t len = strlen(word);

	for (; *line && *line != '\n'; line += strcspn(line, " \n")) {
		line += strspn(line, " ");
		if (!strncmp(line, word, len))
			return true;
	}
	return false;
}

/* Return: 1 if the line describes a known area; 0 if not. */
static int parse_area(struct vmalloc_area *area, const char *line,
		      const struct starts *starts)
{
	uint64_t shown, size;
	int used = 0;
	size_t len;

	if (textfile_scan(line, "0x%" SCNx64 "-0x%*x %" SCNu64 " %n", &shown,
			  &size, &used) != 2 ||
	    !used || size > AREA_MAX || !find_real(starts, shown, &area->start))
		return 0;
	line += used;
	len = caller_length(line);
	if (has_word(line + len, "ioremap") || has_word(line, "unpurged"))
		return 0;
	area->end = area->start + size;
	area->owned = has_word(line + len, "vmalloc") ||
		      has_word(line + len, "pages=");
	area->caller = xstrndup(line, len);
	table_clean(area->caller);
	area->kind = kind_of(area);
	return 1;
}

static int by_address(const void *a, const void *b)
{
	const struct vmalloc_area *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

void vmallocs_parse(struct vmallocs *v, const char *info, const char *text)
{
	struct vmalloc_area area;
	struct starts starts;
	const char *line;

	memset(v, 0, sizeof(*v));
	read_starts(&starts, text);
	for (line = info; line; line = textfile_next_line(line))
		if (parse_area(&area, line, &starts))
			*array_add(v->area, v->nr_areas) = area;
	if (v->nr_areas)
		qsort(v->area, v->nr_areas, sizeof(*v->area), by_address);
	free(starts.start);
}

/* --- frames of the areas ------------------------------------------------------------ */

static int map_area(struct vmallocs *v, size_t area, int fd)
{
	uint64_t page = v->area[area].start / sysconf(_SC_PAGESIZE);
	uint64_t end = v->area[area].end / sysconf(_SC_PAGESIZE);
	uint64_t entry[RUN];
	ssize_t n, i;

	for (; page < end; page += n) {
		size_t want = end - page < RUN ? end - page : RUN;

		n = pread(fd, entry, want * sizeof(*entry),
			  page * sizeof(*entry));
		if (n < 0)
			return -errno;
		n /= (ssize_t)sizeof(*entry);
		if (!n)
			return 0;
		for (i = 0; i < n; i++)
			if (entry[i] & MAPPED)
				*array_add(v->frame, v->nr_frames) =
					(struct vmalloc_frame){ entry[i] & PFN_MASK, area };
	}
	return 0;
}

static int by_pfn(const void *a, const void *b, void *arg)
{
	const struct vmalloc_frame *x = a, *y = b;
	const struct vmallocs *v = arg;

	if (x->pfn != y->pfn)
		return x->pfn < y->pfn ? -1 : 1;
	return v->area[y->area].owned - v->area[x->area].owned;
}

int vmallocs_map(struct vmallocs *v, int fd)
{
	size_t i;
	int err = 0;

	for (i = 0; i < v->nr_areas && !err; i++)
		err = map_area(v, i, fd);
	if (v->nr_frames)
		qsort_r(v->frame, v->nr_frames, sizeof(*v->frame), by_pfn, v);
	return err;
}

const struct vmalloc_area *vmallocs_find(const struct vmallocs *v, uint64_t pfn)
{
	size_t low = lower_bound(v->frame, v->nr_frames, sizeof(*v->frame), pfn);

	if (low == v->nr_frames || v->frame[low].pfn != pfn)
		return NULL;
	return &v->area[v->frame[low].area];
}

const struct vmalloc_area *vmallocs_area(const struct vmallocs *v, uint64_t address)
{
	size_t n = lower_bound(v->area, v->nr_areas, sizeof(*v->area), address);

	if (n < v->nr_areas && v->area[n].start == address)
		return &v->area[n];
	return n && address < v->area[n - 1].end ? &v->area[n - 1] : NULL;
}

int vmallocs_frame(uint64_t address, uint64_t *pfn)
{
	uint64_t entry = 0;
	int fd = control_open_file("vmalloc"), err = 0;
	ssize_t n;

	if (fd < 0)
		return -1;
	n = pread(fd, &entry, sizeof(entry),
		  address / sysconf(_SC_PAGESIZE) * sizeof(entry));
	if (n < 0)
		err = control_cannot_read("vmalloc", errno);
	close(fd);
	*pfn = entry & PFN_MASK;
	return err ? -1 : n == sizeof(entry) && entry & MAPPED;
}

/* --- the files ----------------------------------------------------------------------- */

int vmallocs_read(struct vmallocs *v)
{
	const char *why;
	char *info = NULL, *starts = NULL;
	int dir = control_open(&why), fd = -1, err = 0;

	memset(v, 0, sizeof(*v));
	if (dir < 0) {
		v->why = why;
		return 0;
	}
	info = textfile_read_proc("vmallocinfo", NULL);
	starts = control_read(dir, "vmalloc_starts", NULL);
	fd = openat(dir, "vmalloc", O_RDONLY | O_CLOEXEC);
	close(dir);
	if (info && starts && fd >= 0)
		vmallocs_parse(v, info, starts);
	if (!info)
		v->why = "/proc/vmallocinfo cannot be read";
	else if (!starts || fd < 0)
		v->why = "the module's files vmalloc and vmalloc_starts cannot be read";
	else if (!v->nr_areas && !strncmp(info, "0x0000000000000000-", 19)) /* kptr_restrict is 2 */
		v->why = "the kernel hides the addresses in /proc/vmallocinfo: sysctl kernel.kptr_restrict=1 shows them to root";
	else if (!v->nr_areas)
		v->why = "no area of /proc/vmallocinfo could be found in memory";
	else if ((err = vmallocs_map(v, fd)))
		control_cannot_read("vmalloc", -err);
	if (fd >= 0)
		close(fd);
	free(starts);
	free(info);
	return err ? -1 : 0;
}

void vmallocs_free(struct vmallocs *v)
{
	size_t i;

	for (i = 0; i < v->nr_areas; i++)
		free(v->area[i].caller);
	free(v->area);
	free(v->frame);
	memset(v, 0, sizeof(*v));
}
