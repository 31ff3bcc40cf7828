// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads mainline's allocinfo, kmemtrace's tags, mainline's allocinfo again, and then the
 * data that compare.c needs to check differences. All is read by one process into memory
 * that is already present, so that reading changes the counts very little.
 *
 *   snapshot NAME    writes /o/NAME.1, /o/NAME.tags, /o/NAME.2, /o/NAME.stats
 *                    and /o/NAME.slabs ("CACHE SLABS OBJECTS" of kmalloc)
 */
#include <err.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROOM  (2 << 20)
#define LOOKS 4

static const char *const from[LOOKS] = {
	"/proc/allocinfo",
	"/sys/kernel/debug/kmemtrace/tags",
	"/proc/allocinfo",
	"/sys/kernel/debug/kmemtrace/stats",
};
static const char *const suffix[LOOKS] = { "1", "tags", "2", "stats" };
static char text[LOOKS][ROOM];
static size_t length[LOOKS];

static void look(int i)
{
	int fd = open(from[i], O_RDONLY);
	ssize_t n = 1;

	if (fd < 0)
		err(1, "%s", from[i]);
	length[i] = 0;
	while (n > 0 && length[i] < ROOM) {
		n = read(fd, text[i] + length[i], ROOM - length[i]);
		if (n > 0)
			length[i] += n;
	}
	if (n)
		errx(1, "%s: could not read it to its end", from[i]);
	close(fd);
}

static void save(const char *name, int i)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/o/%s.%s", name, suffix[i]);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, text[i], length[i]) != (ssize_t)length[i])
		err(1, "%s", path);
	close(fd);
}

static long number_in(const char *dir, const char *name)
{
	char path[128];
	long n = -1;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%ld", &n) != 1)
		err(1, "%s", path);
	fclose(f);
	return n;
}

static void save_slabs(const char *name)
{
	char path[64];
	glob_t caches;
	size_t i;
	FILE *f;

	snprintf(path, sizeof(path), "/o/%s.slabs", name);
	f = fopen(path, "w");
	/* not kmalloc-cg-* and kmalloc-rcl-* */
	if (!f || glob("/sys/kernel/slab/kmalloc-[0-9]*", 0, NULL, &caches))
		err(1, "%s", path);
	for (i = 0; i < caches.gl_pathc; i++) {
		const char *cache = caches.gl_pathv[i];

		fprintf(f, "%s %ld %ld\n", strrchr(cache, '/') + 1,
			number_in(cache, "slabs"),
			number_in(cache, "objs_per_slab"));
	}
	if (fclose(f))
		err(1, "%s", path);
}

int main(int argc, char **argv)
{
	int i;

	if (argc != 2)
		return 2;
	memset(text, 1, sizeof(text));
	for (i = 0; i < LOOKS; i++)
		look(i); /* so that one-time allocations are made now */
	sleep(8);	 /* wait for pending kfree_rcu() */
	look(1); /* so that the module has the locations of all tags */
	for (i = 0; i < LOOKS; i++)
		look(i);
	save_slabs(argv[1]);
	for (i = 0; i < LOOKS; i++)
		save(argv[1], i);
	return 0;
}
