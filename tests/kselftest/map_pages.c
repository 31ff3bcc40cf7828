// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps pages of the module kmt_pages, prints "mapped", and waits until it is killed:
 *
 *   map_pages N
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t bytes = argc == 2 ? strtoul(argv[1], NULL, 10) * 4096 : 0;
	int fd = open("/dev/kmt_pages", O_RDWR);

	if (fd < 0 || mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   0) == MAP_FAILED) {
		perror("map_pages");
		return 1;
	}
	puts("mapped");
	fflush(stdout);
	for (;;)
		pause();
}
