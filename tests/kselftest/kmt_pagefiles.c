// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files pages, objects, vmalloc and vmalloc_starts follow their ABI, and agree with
 * /proc/kpageflags, /proc/vmallocinfo and the file tags.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/kmemtrace_pages.h>

#include "kmt_test.h"

#define PAGE 4096ul
#define KPF_SLAB 7
#define KPF_BUDDY 10
#define KPF_NOPAGE 20
#define TAGS_MAX 65536
#define TRIES 20

static struct kmemtrace_page *pages;
static size_t nr_pages;
static struct kmemtrace_object *objects;
static size_t nr_objects;
static uint64_t *flags;
static size_t nr_flags;

static int open_file(const char *name)
{
	char path[128];

	if (*name == '/')
		return open(name, O_RDONLY);
	snprintf(path, sizeof(path), KMT_DIR "%s", name);
	return open(path, O_RDONLY);
}

/* bytes; enough for each file in a guest of 4 GiB */
#define ROOM (32 << 20)

/*
 * Read a whole file, @batch bytes at a time. The buffer is kept, so that reading again
 * allocates nothing. Return: number of bytes; -1.
 */
static ssize_t slurp(const char *name, size_t batch, void **to)
{
	int fd = open_file(name);
	size_t done = 0;
	ssize_t n = -1;

	if (!*to)
		*to = malloc(ROOM);
	while (fd >= 0 && *to && done + batch <= ROOM) {
		n = read(fd, (char *)*to + done, batch);
		if (n <= 0)
			break;
		done += n;
	}
	close(fd);
	return n ? -1 : (ssize_t)done;
}

static bool read_pages(size_t batch)
{
	ssize_t n = slurp("pages", batch * sizeof(*pages), (void **)&pages);

	nr_pages = n / sizeof(*pages);
	return n > 0 && n % sizeof(*pages) == 0;
}

static bool read_objects(size_t batch)
{
	ssize_t n = slurp("objects", batch, (void **)&objects);

	nr_objects = n / sizeof(*objects);
	return n >= 0 && n % sizeof(*objects) == 0;
}

static bool read_flags(void)
{
	ssize_t n = slurp("/proc/kpageflags", 1 << 20, (void **)&flags);

	nr_flags = n / sizeof(*flags);
	return n > 0;
}

/* --- access --------------------------------------------------------------- */

static int read_error(const char *name, size_t count, off_t offset)
{
	static char buf[64];
	int fd = open_file(name), err;

	err = pread(fd, buf, count, offset) < 0 ? errno : 0;
	close(fd);
	return err;
}

static void check_access(void)
{
	static const char *const names[] = { "pages", "objects", "vmalloc",
					     "vmalloc_starts" };
	struct stat st;
	char path[128];
	bool ok = true;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), KMT_DIR "%s", names[i]);
		ok &= !stat(path, &st) && (st.st_mode & 07777) == 0400 &&
		      st.st_uid == 0;
	}
	test_result(ok, "only root can read the files, and no user can write them");
	test_result(control_get("pages_version") == KMEMTRACE_PAGES_VERSION,
		    "pages_version is that of the ABI");
	test_result(read_error("pages", 8, 0) == EINVAL &&
			    read_error("pages", 16, 8) == EINVAL &&
			    read_error("pages", 17, 0) == EINVAL &&
			    !read_error("pages", 16, 16),
		    "pages: a read that is not aligned is refused");
	test_result(read_error("vmalloc", 4, 0) == EINVAL &&
			    read_error("vmalloc", 8, 4) == EINVAL &&
			    !read_error("vmalloc", 8, 0),
		    "vmalloc: a read that is not aligned is refused");
	test_result(read_error("objects", 23, 0) == EINVAL &&
			    !read_error("objects", 24, 0),
		    "objects: a read without room for an object is refused");
}

/* --- pages ---------------------------------------------------------------- */

static void check_frames(void)
{
	size_t i, wrong = 0, free_with_tag = 0, known = 0, order = 0;

	if (!read_pages(4096) || !read_flags()) {
		test_result(false, "pages can be read");
		return;
	}
	for (i = 0; i < nr_pages && i < nr_flags; i++) {
		bool exists = pages[i].flags & KMEMTRACE_PAGE_EXISTS;

		wrong += exists == !!(flags[i] >> KPF_NOPAGE & 1);
		wrong += exists && (pages[i].node || pages[i].zone > 4);
		free_with_tag += pages[i].tag && (flags[i] >> KPF_BUDDY & 1);
		known += !!pages[i].tag;
		order += pages[i].order > 10;
	}
	test_note("%zu frames, %zu flags, %zu known", nr_pages, nr_flags, known);
	test_result(nr_pages && nr_pages <= nr_flags && !wrong && !order,
		    "pages: it has an entry for each frame of kpageflags");
	/* between the two reads, some are allocated or freed */
	test_note("%zu free frames have a tag", free_with_tag);
	test_result(known > 100 && free_with_tag < 64,
		    "pages: free frames have no tag");
}

/* Read the file again, into a buffer that the next reading does not change. */
static struct kmemtrace_page *keep_pages(size_t batch, size_t *n)
{
	struct kmemtrace_page *kept;

	read_pages(batch);
	kept = pages;
	*n = nr_pages;
	pages = NULL;
	return kept;
}

static bool same_page(const struct kmemtrace_page *a,
		      const struct kmemtrace_page *b)
{
	return a->tag == b->tag && a->flags == b->flags && a->order == b->order;
}

/* Entries that are the same before and after must be the same in between. */
static void check_batches(void)
{
	size_t n[3], i, stable = 0, other = 0;
	struct kmemtrace_page *before = keep_pages(65536, &n[0]);
	struct kmemtrace_page *little = keep_pages(1000, &n[1]);
	struct kmemtrace_page *after = keep_pages(65536, &n[2]);

	for (i = 0; i < n[0] && n[0] == n[1] && n[1] == n[2]; i++) {
		if (!same_page(&before[i], &after[i]))
			continue;
		stable++;
		other += !same_page(&before[i], &little[i]);
	}
	test_note("%zu of %zu entries stable, %zu not in between", stable, n[0],
		  other);
	test_result(stable > n[0] / 2 && other < stable / 1000,
		    "pages: entries do not depend on the size of reads");
	free(before);
	free(little);
	free(after);
}

/* --- agreement with the file tags ------------------------------------------- */

struct sums {
	long long bytes[TAGS_MAX];
	long long count[TAGS_MAX];
};

static struct sums tags, found;

/* tag of open files, which are freed some time after they are closed */
static int file_tag;

static bool is_one_of(const char *location, const char *const *sites)
{
	const char *func = strstr(location, " func:");

	for (; *sites; sites++)
		if (func && !strncmp(func + 6, *sites, strlen(*sites)))
			return true;
	return false;
}

/*
 * Memory that is allocated only while the file tags is read. open() allocates the name of
 * the file, on newer kernels in do_getname().
 */
static bool of_reading(const char *location)
{
	static const char *const sites[] = { "take_snapshot", "tags_open",
					     "getname_flags", "do_getname",
					     NULL };

	return is_one_of(location, sites);
}

static bool of_files(const char *location)
{
	static const char *const sites[] = { "__alloc_file",
					     "alloc_empty_file", NULL };

	return is_one_of(location, sites);
}

static void read_tags(const char *want)
{
	const char *line = control_text("tags");
	long long bytes, count;
	unsigned int id;
	char kind[16];
	int at;

	memset(&tags, 0, sizeof(tags));
	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%15s %lld %lld %*s %*s %*s %*s %*s %*s %u %n",
			   kind, &bytes, &count, &id, &at) == 4 &&
		    !strcmp(kind, want) && id && id < TAGS_MAX &&
		    !of_reading(line + at)) {
			tags.bytes[id] = bytes;
			tags.count[id] = count;
			if (of_files(line + at))
				file_tag = id;
		}
	}
}

static void note_row(int tag)
{
	const char *line = control_text("tags");
	int id;

	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %d",
			   &id) == 1 &&
		    id == tag)
			test_note("%.*s", (int)strcspn(line, "\n"), line);
	}
}

static void sum_pages(void)
{
	size_t i;

	memset(&found, 0, sizeof(found));
	for (i = 0; i < nr_pages; i++) {
		found.bytes[pages[i].tag] += PAGE;
		found.count[pages[i].tag] +=
			!!(pages[i].flags & KMEMTRACE_PAGE_HEAD);
	}
	found.bytes[0] = found.count[0] = 0;
}

static void sum_objects(void)
{
	size_t i;

	memset(&found, 0, sizeof(found));
	for (i = 0; i < nr_objects; i++) {
		found.bytes[objects[i].tag] += objects[i].bytes;
		found.count[objects[i].tag]++;
	}
}

/* Return: number of tags whose sums differ. */
static int differences(void)
{
	int i, n = 0;

	for (i = 1; i < TAGS_MAX; i++)
		n += tags.bytes[i] != found.bytes[i] ||
		     tags.count[i] != found.count[i];
	return n;
}

/* Read the tags again, and skip those that changed. Return: number of these. */
static int changed_by_now(const char *kind)
{
	static struct sums before;
	int i, n = 0;

	before = tags;
	read_tags(kind);
	for (i = 1; i < TAGS_MAX; i++) {
		if (before.bytes[i] == tags.bytes[i] &&
		    before.count[i] == tags.count[i] && i != file_tag)
			continue;
		n++;
		tags.bytes[i] = found.bytes[i];
		tags.count[i] = found.count[i];
	}
	return n;
}

static void check_sums(const char *kind, bool (*read_all)(size_t batch),
		       size_t batch, void (*sum)(void), const char *name)
{
	int try, changed = 0, wrong = -1, live = 0, i;
	bool read = true;

	/* a frame may be allocated and freed during one try: hence several tries */
	for (try = 0; try < TRIES && read && (wrong || live - changed < 3);
	     try++) {
		read_tags(kind);
		read = read_all(batch);
		sum();
		changed = changed_by_now(kind);
		wrong = differences();
		for (live = 0, i = 1; i < TAGS_MAX; i++)
			live += !!found.count[i];
	}
	for (i = 1; i < TAGS_MAX; i++) {
		if (!wrong || (tags.bytes[i] == found.bytes[i] &&
			       tags.count[i] == found.count[i]))
			continue;
		test_note("tag %d: %lld bytes in %lld, found %lld in %lld", i,
			  tags.bytes[i], tags.count[i], found.bytes[i],
			  found.count[i]);
		note_row(i);
	}
	test_note("%d tries, %d tags live, %d changed meanwhile", try, live,
		  changed);
	test_result(read && !wrong && live - changed >= 3, "%s", name);
}

/* --- objects --------------------------------------------------------------- */

#define OBJECTS 1000
#define OBJECT_SIZE 100

static unsigned int tag_of(const char *function, const char *want)
{
	const char *line = control_text("tags");
	char kind[16], func[128];
	unsigned int id;

	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line,
			   "%15s %*s %*s %*s %*s %*s %*s %*s %*s %u %*[^\n ] [kmt_client] func:%127s",
			   kind, &id, func) == 3 &&
		    !strcmp(kind, want) && !strcmp(func, function))
			return id;
	}
	return 0;
}

struct list {
	uint64_t *address;
	size_t count;
	long long bytes;
	bool ordered;
	bool right;
};

static struct list list_of(unsigned int tag)
{
	struct list l = { .ordered = true, .right = true };
	size_t i;

	l.address = malloc((nr_objects + 1) * sizeof(*l.address));
	for (i = 0; i < nr_objects; i++) {
		if (i && objects[i].address <= objects[i - 1].address)
			l.ordered = false;
		if (objects[i].tag != tag)
			continue;
		l.address[l.count++] = objects[i].address;
		l.bytes += objects[i].bytes;
		l.right &= objects[i].bytes >= 128 &&
			   objects[i].requested == OBJECT_SIZE &&
			   objects[i].age < 100 * 60 * 10;
	}
	return l;
}

static bool same_list(const struct list *a, const struct list *b)
{
	return a->count == b->count && a->ordered && b->ordered &&
	       !memcmp(a->address, b->address, a->count * sizeof(*a->address));
}

/* Seek to the frame of the object at @address, and read until that object. */
static bool seeks(uint64_t address)
{
	struct kmemtrace_object o;
	int fd = open_file("objects");
	off_t at = address / PAGE * PAGE, now;
	bool ok = lseek(fd, at, SEEK_SET) == at;

	do {
		ok &= read(fd, &o, sizeof(o)) == sizeof(o) && o.address >= (uint64_t)at;
		now = lseek(fd, 0, SEEK_CUR);
		ok &= now > (off_t)o.address;
	} while (ok && o.address < address);
	close(fd);
	return ok && o.address == address;
}

/* Return: number of objects whose frame has the flag of kmalloc(). */
static size_t of_kmalloc(const struct list *l)
{
	size_t i, n = 0;

	read_pages(65536);
	for (i = 0; i < l->count; i++)
		n += l->address[i] / PAGE < nr_pages &&
		     (pages[l->address[i] / PAGE].flags & KMEMTRACE_PAGE_KMALLOC);
	return n;
}

static void check_objects(void)
{
	struct list whole, small, none;
	unsigned int tag;
	size_t i, slab = 0;

	client_run("hold kmalloc %d %d", OBJECT_SIZE, OBJECTS);
	tag = tag_of("client_kmalloc_alloc", "slab");
	read_objects(1 << 20);
	whole = list_of(tag);
	read_objects(24 * 7 + 5);
	small = list_of(tag);
	test_note("tag %u: %zu, %zu of %zu objects", tag, whole.count,
		  small.count, nr_objects);
	test_result(tag && whole.count == OBJECTS && whole.right &&
			    whole.bytes == tag_get("client_kmalloc_alloc").bytes,
		    "objects: it has each live object with its sizes");
	test_result(same_list(&whole, &small) && small.right,
		    "objects: the list does not depend on the size of reads");
	test_result(whole.count && seeks(whole.address[whole.count - 1]),
		    "objects: lseek() seeks to a frame");
	read_flags();
	for (i = 0; i < whole.count; i++)
		slab += whole.address[i] / PAGE < nr_flags &&
			(flags[whole.address[i] / PAGE] >> KPF_SLAB & 1);
	test_result(whole.count && slab == whole.count,
		    "objects: their frames are slabs in kpageflags");
	test_result(whole.count && of_kmalloc(&whole) == whole.count,
		    "pages: their frames are slabs of kmalloc()");
	client_run("drop kmalloc %d %d", OBJECT_SIZE, OBJECTS);
	read_objects(1 << 20);
	none = list_of(tag);
	test_result(!none.count && none.ordered, "objects: it has no freed object");
	free(whole.address);
	free(small.address);
	free(none.address);
}

/* --- pages of the client ----------------------------------------------------- */

struct held {
	size_t pages;
	size_t heads;
	size_t large;
	bool right;
};

static struct held held_by(const char *function, unsigned int order)
{
	struct held h = { .right = true };
	unsigned int tag = tag_of(function, "page");
	size_t i;

	read_pages(65536);
	for (i = 0; tag && i < nr_pages; i++) {
		const struct kmemtrace_page *p = &pages[i];

		if (p->tag != tag)
			continue;
		h.pages++;
		h.heads += !!(p->flags & KMEMTRACE_PAGE_HEAD);
		h.large += !!(p->flags & KMEMTRACE_PAGE_LARGE);
		h.right &= p->order == order && p->refs <= 1 &&
			   p->age < 100 * 60 * 10 && p->migratetype < 3;
	}
	return h;
}

static void check_held(void)
{
	struct held h;

	client_run("hold pages 3 100");
	h = held_by("client_pages_alloc", 3);
	client_run("drop pages 3 100");
	test_note("%zu pages, %zu heads", h.pages, h.heads);
	test_result(h.pages == 800 && h.heads == 100 && !h.large && h.right,
		    "pages: it has 100 blocks of 8 pages");
	h = held_by("client_pages_alloc", 3);
	test_result(!h.pages, "pages: freed pages have no tag");
	client_run("hold kmalloc 20000 50");
	h = held_by("client_kmalloc_alloc", 3);
	client_run("drop kmalloc 20000 50");
	test_note("%zu pages, %zu heads", h.pages, h.heads);
	test_result(h.large == 400 && h.heads == 50 && h.right,
		    "pages: it has the pages of 50 large kmalloc()");
}

/* --- vmalloc ----------------------------------------------------------------- */

/* The frames of an area; -1 if one of its pages is not mapped. */
static int frames_of(uint64_t start, int count, unsigned int *tag)
{
	uint64_t entry[64];
	int fd = open_file("vmalloc"), i, n = 0;

	if (pread(fd, entry, count * 8, (off_t)(start / PAGE * 8)) != count * 8)
		count = n = -1;
	close(fd);
	for (i = 0; i < count; i++) {
		uint64_t pfn = entry[i] & ((1ull << 55) - 1);

		if (!(entry[i] >> 63) || pfn >= nr_pages)
			return -1;
		*tag = pages[pfn].tag;
		n += pages[pfn].tag == *tag && pages[pfn].refs == 1;
	}
	return n;
}

/* The start, according to vmalloc_starts, of an area that vmallocinfo shows as @shown. */
static uint64_t real_start(const char *starts, const char *shown)
{
	char row[40];
	unsigned long long real;
	const char *at;

	snprintf(row, sizeof(row), " %s ", shown);
	at = strstr(starts, row);
	while (at && at > starts && at[-1] != '\n')
		at--;
	return at && sscanf(at, "%llx", &real) == 1 ? real : 0;
}

#define AREAS 20

static void check_vmalloc(void)
{
	static char info[1 << 20];
	char *line, *save, shown[32], *starts;
	unsigned int tag = 0;
	int areas = 0, right = 0;

	client_run("hold vmalloc 40000 %d", AREAS);
	snprintf(info, sizeof(info), "%s", file_text("/proc/vmallocinfo"));
	starts = strdup(control_text("vmalloc_starts"));
	read_pages(65536);
	for (line = strtok_r(info, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!strstr(line, "client_vmalloc_alloc") ||
		    sscanf(line, "0x%31[0-9a-f]-", shown) != 1)
			continue;
		areas++;
		right += frames_of(real_start(starts, shown), 10, &tag) == 10;
	}
	test_note("%d areas, %d found, tag %u", areas, right, tag);
	test_result(areas == AREAS && right == AREAS &&
			    tag == tag_of("client_vmalloc_alloc", "page"),
		    "vmalloc: the frames of each area have the tag of its caller");
	client_run("drop vmalloc 40000 %d", AREAS);
	free(starts);
}

/* --- under load --------------------------------------------------------------- */

#define STORM 300000

/* Read the files over and over, until killed. */
static pid_t read_forever(const char *name)
{
	static char buf[1 << 16];
	pid_t pid = fork();
	int fd;

	while (!pid) {
		fd = open_file(name);
		while (read(fd, buf, sizeof(buf)) > 0)
			;
		close(fd);
	}
	return pid;
}

/* Allocate and free areas of vmalloc(), and so their page tables. */
static pid_t map_forever(void)
{
	pid_t pid = fork();

	while (!pid) {
		client_run("vmalloc 40000 20");
		client_run("kvmalloc %d 2", 8 << 20);
	}
	return pid;
}

static void check_load(void)
{
	static const char *const names[] = { "pages", "objects",
					     "vmalloc_starts", "tags" };
	pid_t pids[5];
	int i, alive = 0;

	for (i = 0; i < 4; i++)
		pids[i] = read_forever(names[i]);
	pids[4] = map_forever();
	test_result(!client_run("storm 0 %d", STORM),
		    "the storm ends while all files are read");
	for (i = 0; i < 5; i++) {
		alive += pids[i] > 0 && !waitpid(pids[i], NULL, WNOHANG);
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	test_result(alive == 5, "... no reader has died");
}

int main(void)
{
	test_plan(23);
	if (module_load("") || client_load()) {
		test_note("the modules cannot be loaded");
		return 1;
	}
	check_access();
	check_frames();
	check_batches();
	/* let the client and this test allocate in advance */
	client_run("kmalloc 64 10");
	check_sums("page", read_pages, 65536, sum_pages,
		   "pages: the frames of each tag agree with the file tags");
	check_sums("slab", read_objects, 1 << 20, sum_objects,
		   "objects: the objects of each tag agree with the file tags");
	check_objects();
	check_held();
	check_vmalloc();
	check_load();
	client_unload();
	test_result(!module_unload(), "the module unloads");
	return test_exit();
}
