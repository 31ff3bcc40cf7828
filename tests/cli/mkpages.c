// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the binary files that `kmemtrace-user pages` and `why` read, in the current
 * directory. It reads a description from stdin. A row describes N equal frames, an
 * object, or a page; frames must be in order:
 *
 *   frames N FLAGS MAPS tag AGE ORDER OWNER-FLAGS TYPE REFS
 *   object ADDRESS TAG AGE BYTES REQUESTED
 *   vmalloc PAGE FRAME
 *   map PID PAGE FRAME [file]
 *   swap PID PAGE
 *   cgroup FRAME INODE
 *   charged FRAME INODE [removed]
 *   seek ADDRESS
 *   age TAG BUCKET OBJECTS BYTES
 *   kcore ADDRESS PHYSICAL BYTES
 *
 * "seek" places the next objects where a read from ADDRESS on finds them; without it, the
 * objects are where a read from the beginning finds them. "age" rows make the file ages,
 * those of a tag follow each other. "kcore" makes a range of the file kcore; PHYSICAL is
 * -1 where the kernel has none.
 *
 * FLAGS are those of kpageflags, with 0x. MAPS is the number of mappings. AGE is in units
 * of 10 ms; -1: not known. KMEMTRACE_PAGE_EXISTS is added to OWNER-FLAGS. Lines that
 * begin with # are comments.
 */
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <linux/kmemtrace_ages.h>
#include <linux/kmemtrace_pages.h>

#define NOPAGE (1ull << 20)

static FILE *flags_file, *count_file, *pages_file, *objects_file, *vmalloc_file;

static void put(FILE *to, const void *entry, size_t size)
{
	if (fwrite(entry, size, 1, to) != 1)
		exit(1);
}

static int put_frames(const char *line)
{
	unsigned long long n, flags, count;
	unsigned int tag, order, owner, type, refs;
	struct kmemtrace_page page = { 0 };
	int age;

	if (sscanf(line, "frames %llu %lli %llu %u %d %u %i %u %u", &n,
		   (long long *)&flags, &count, &tag, &age, &order,
		   (int *)&owner, &type, &refs) != 9)
		return -1;
	if (!(flags & NOPAGE))
		page = (struct kmemtrace_page){
			.tag = tag,
			.age = age,
			.order = order,
			.flags = owner | KMEMTRACE_PAGE_EXISTS,
			.migratetype = type,
			.zone = type == 0,
			.refs = refs,
		};
	while (n--) {
		put(flags_file, &flags, sizeof(flags));
		put(count_file, &count, sizeof(count));
		put(pages_file, &page, sizeof(page));
	}
	return 0;
}

static int put_object(const char *line)
{
	struct kmemtrace_object o = { 0 };
	long long address;
	int age;

	if (sscanf(line, "object %lli %u %d %u %u", &address, &o.tag, &age,
		   &o.bytes, &o.requested) != 5)
		return -1;
	o.address = address;
	o.age = age;
	put(objects_file, &o, sizeof(o));
	return 0;
}

static int put_vmalloc(const char *line)
{
	unsigned long long page, frame;

	if (sscanf(line, "vmalloc %llu %llu", &page, &frame) != 2 ||
	    fseek(vmalloc_file, page * sizeof(frame), SEEK_SET))
		return -1;
	frame |= 1ull << 63;
	put(vmalloc_file, &frame, sizeof(frame));
	return 0;
}

/* Writes to PID/pagemap. The file ends after its last page. */
static int put_entry(const char *line)
{
	unsigned long long page, frame = 0;
	char pid[16], path[32];
	FILE *file;
	int map;

	map = sscanf(line, "map %15s %llu %llu", pid, &page, &frame) == 3;
	if (!map && sscanf(line, "swap %15s %llu", pid, &page) != 2)
		return -1;
	frame |= 1ull << (map ? 63 : 62);
	if (strstr(line, " file"))
		frame |= 1ull << 61;
	mkdir(pid, 0700);
	snprintf(path, sizeof(path), "%s/pagemap", pid);
	file = fopen(path, "r+");
	if (!file)
		file = fopen(path, "w");
	if (!file || fseek(file, page * sizeof(frame), SEEK_SET))
		return -1;
	put(file, &frame, sizeof(frame));
	return fclose(file);
}

/* Writes to kpagecgroup, or for the module to page_cgroups. */
static int put_cgroup(const char *line)
{
	bool charged = !strncmp(line, "charged ", 8);
	const char *name = charged ? "page_cgroups" : "kpagecgroup";
	unsigned long long frame, inode;
	FILE *file;

	if ((!charged && strncmp(line, "cgroup ", 7)) ||
	    sscanf(line, "%*s %llu %llu", &frame, &inode) != 2)
		return -1;
	if (charged && strstr(line, " removed"))
		inode |= KMEMTRACE_CGROUP_REMOVED;
	file = fopen(name, "r+");
	if (!file)
		file = fopen(name, "w");
	if (!file || fseek(file, frame * sizeof(inode), SEEK_SET))
		return -1;
	put(file, &inode, sizeof(inode));
	return fclose(file);
}

static int seek_objects(const char *line)
{
	long long address;

	return sscanf(line, "seek %lli", &address) == 1 ?
		       fseek(objects_file, address, SEEK_SET) : -1;
}

/* --- ages and kcore ---------------------------------------------------------------- */

static struct kmemtrace_ages_tag ages[64];
static Elf64_Phdr ranges[64];
static unsigned int nr_ages, nr_ranges;

static int put_age(const char *line)
{
	unsigned int tag, bucket;
	unsigned long long objects, bytes;

	if (sscanf(line, "age %u %u %llu %llu", &tag, &bucket, &objects, &bytes) != 4)
		return -1;
	if (!nr_ages || ages[nr_ages - 1].tag != tag)
		ages[nr_ages++].tag = tag;
	ages[nr_ages - 1].age[bucket] = (struct kmemtrace_ages_sum){ objects, bytes };
	return 0;
}

static int put_range(const char *line)
{
	long long address, physical, bytes;

	if (sscanf(line, "kcore %lli %lli %lli", &address, &physical, &bytes) != 3)
		return -1;
	/* sscanf() does not read an address above the half of a long long */
	ranges[nr_ranges++] = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_vaddr = strtoull(line + strlen("kcore "), NULL, 0),
		.p_paddr = physical,
		.p_memsz = bytes,
	};
	return 0;
}

static int write_ages(void)
{
	struct kmemtrace_ages head = {
		.size = sizeof(head),
		.version = KMEMTRACE_AGES_VERSION,
		.tag_size = sizeof(ages[0]),
		.tags = nr_ages,
		.buckets = KMEMTRACE_AGES_BUCKETS,
		.tick_ns = 64000000,
	};
	FILE *file = fopen("ages", "w");

	put(file, &head, sizeof(head));
	if (nr_ages)
		put(file, ages, nr_ages * sizeof(ages[0]));
	return fclose(file);
}

static int write_kcore(void)
{
	Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB },
		.e_phoff = sizeof(head),
		.e_phentsize = sizeof(ranges[0]),
		.e_phnum = nr_ranges + 1,
	};
	static const Elf64_Phdr note = { .p_type = PT_NOTE };
	FILE *file = fopen("kcore", "w");

	put(file, &head, sizeof(head));
	put(file, &note, sizeof(note));
	put(file, ranges, nr_ranges * sizeof(ranges[0]));
	return fclose(file);
}

int main(void)
{
	char line[256];

	flags_file = fopen("kpageflags", "w");
	count_file = fopen("kpagecount", "w");
	pages_file = fopen("pages", "w");
	objects_file = fopen("objects", "w");
	vmalloc_file = fopen("vmalloc", "w");
	while (fgets(line, sizeof(line), stdin)) {
		if (*line == '#' || *line == '\n')
			continue;
		if (put_frames(line) && put_object(line) && put_vmalloc(line) &&
		    put_entry(line) && put_cgroup(line) && seek_objects(line) &&
		    put_age(line) && put_range(line)) {
			fprintf(stderr, "mkpages: %s", line);
			return 1;
		}
	}
	return (nr_ages && write_ages()) || (nr_ranges && write_kcore()) ||
	       fclose(flags_file) || fclose(count_file) ||
	       fclose(pages_file) || fclose(objects_file) ||
	       fclose(vmalloc_file);
}
