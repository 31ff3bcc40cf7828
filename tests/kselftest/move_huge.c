// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moves a huge page to another NUMA node:
 *
 *   move_huge BYTES
 *
 * The pools of the nodes 0 and 1 have a free huge page of this size each. Exits with 4 if the
 * kernel does not move the page.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOVE  2 /* MPOL_MF_MOVE */
#define SHIFT 26 /* MAP_HUGE_SHIFT */

/* Without @to, only finds where the page is. Return: its node, or -errno. */
static int move(void *page, const int *to)
{
	int status = -1;

	if (syscall(SYS_move_pages, 0, 1ul, &page, to, &status, MOVE)) {
		perror("move_pages");
		exit(1);
	}
	return status;
}

int main(int argc, char **argv)
{
	size_t bytes = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	int from, to, now;
	char *p;

	if (!bytes)
		return 2;
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | __builtin_ctzl(bytes) << SHIFT, -1, 0);
	if (p == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	memset(p, 1, 4096);
	memset(p + bytes - 4096, 2, 4096);
	from = move(p, NULL);
	to = !from;
	now = move(p, &to);
	printf("from node %d: %d\n", from, now);
	if (from >= 0 && now < 0)
		return 4;
	return !(move(p, NULL) == to && p[0] == 1 && p[bytes - 1] == 2);
}
