// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps pages of the module kmt_pages, prints "mapped", and waits until it is killed:
 *
 *   map_pages N
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The module does not wait for other users of its pages, but fails with EBUSY. */
static int map(int fd, size_t bytes)
{
	int tries = 0;

	while (mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED) {
		if (errno != EBUSY || ++tries == 1000)
			return -1;
		usleep(10000);
	}
	return 0;
}

int main(int argc, char **argv)
{
	size_t bytes = argc == 2 ? strtoul(argv[1], NULL, 10) * 4096 : 0;
	int fd = open("/dev/kmt_pages", O_RDWR);

	if (fd < 0 || map(fd, bytes)) {
		perror("map_pages");
		return 1;
	}
	puts("mapped");
	fflush(stdout);
	for (;;)
		pause();
}
