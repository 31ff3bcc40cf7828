// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/textfile.h"
#include "why/directmap.h"

/* a range for each piece of memory, and few others; guards against a damaged file */
#define HEADERS_MAX 65534

static bool read_at(int fd, void *to, size_t size, uint64_t at)
{
	return pread(fd, to, size, at) == (ssize_t)size;
}

/* Ranges without a physical address are those of vmalloc() and of modules. */
static void add_range(struct directmap *d, const Elf64_Phdr *p)
{
	struct directmap_range *r;

	if (p->p_type != PT_LOAD || p->p_paddr == UINT64_MAX || !p->p_memsz ||
	    p->p_vaddr + p->p_memsz < p->p_vaddr)
		return;
	r = array_add(d->range, d->count);
	*r = (struct directmap_range){ p->p_vaddr, p->p_vaddr + p->p_memsz, p->p_paddr };
}

static const char *read_headers(struct directmap *d, int fd)
{
	Elf64_Phdr p;
	Elf64_Ehdr e;
	unsigned int i;

	if (!read_at(fd, &e, sizeof(e), 0))
		return "/proc/kcore cannot be read";
	if (memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS64 ||
	    e.e_phentsize != sizeof(p) || e.e_phnum > HEADERS_MAX)
		return "/proc/kcore is not the ELF file that was expected";
	for (i = 0; i < e.e_phnum; i++) {
		if (!read_at(fd, &p, sizeof(p), e.e_phoff + i * sizeof(p)))
			return "/proc/kcore ends in its headers";
		add_range(d, &p);
	}
	return d->count ? NULL : "/proc/kcore has no physical addresses";
}

void directmap_read(struct directmap *d)
{
	char path[PATH_MAX];
	int fd;

	*d = (struct directmap){ 0 };
	textfile_proc_path(path, sizeof(path), "kcore");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		d->why = errno == ENOENT ?
				 "this kernel has no /proc/kcore (CONFIG_PROC_KCORE)" :
				 "/proc/kcore cannot be opened: this needs CAP_SYS_RAWIO, and a kernel that is not locked down";
		return;
	}
	d->why = read_headers(d, fd);
	close(fd);
}

bool directmap_physical(const struct directmap *d, uint64_t address, uint64_t *physical)
{
	size_t i;

	for (i = 0; i < d->count; i++) {
		const struct directmap_range *r = &d->range[i];

		if (address < r->start || address >= r->end)
			continue;
		*physical = r->physical + (address - r->start);
		return true;
	}
	return false;
}

void directmap_free(struct directmap *d)
{
	free(d->range);
}
