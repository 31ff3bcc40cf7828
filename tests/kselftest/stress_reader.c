// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers that may be killed at any moment. Each event is counted once nevertheless,
 * because their state is in shared memory, which stays when they are killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kmt_test.h"
#include "stress.h"

static uint64_t mask_of(uint32_t bit)
{
	return 1ull << bit % 64;
}

static bool set_bit(struct bitmap *map, uint32_t bit)
{
	uint64_t old = __atomic_fetch_or(&map->word[bit / 64], mask_of(bit),
					 __ATOMIC_SEQ_CST);

	return old & mask_of(bit);
}

static bool has_bit(const struct bitmap *map, uint32_t bit)
{
	return map->word[bit / 64] & mask_of(bit);
}

static void count(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
}

uint64_t bitmap_count(const struct bitmap *map, uint64_t end)
{
	uint64_t i, n = 0;

	if (end > STRESS_EVENTS)
		end = STRESS_EVENTS;
	for (i = 0; i < end / 64; i++)
		n += __builtin_popcountll(map->word[i]);
	if (end % 64)
		n += __builtin_popcountll(map->word[i] & (mask_of(end) - 1));
	return n;
}

static void take_record(struct reader *r, const struct kmt_event *ev,
			bool salvage)
{
	uint32_t bit = ev->seq - shared->start;
	bool known;

	if (bit >= STRESS_EVENTS) {
		count(&shared->beyond);
		return;
	}
	if (is_client_free(ev))
		set_bit(&shared->frees, bit);
	if (salvage)
		set_bit(&shared->salvaged, bit);
	known = set_bit(&shared->seen, bit);
	if (salvage)
		return;
	/* part of a read that a signal interrupted may be read again */
	if (known && !has_bit(&shared->salvaged, bit))
		count(&shared->twice);
	if (!known && r->seen && (int32_t)(ev->seq - r->last) <= 0)
		count(&shared->disorder);
	r->seen = true;
	r->last = ev->seq;
}

/* Return: whether the data are complete records. */
static bool take_bytes(struct reader *r, size_t size, bool salvage)
{
	struct kmt_event ev;
	struct kmt_decoded dec;
	size_t pos = 0;
	int n;

	while (pos < size) {
		n = kmt_record_decode(r->bytes + pos, size - pos, false, &ev,
				      &dec);
		if (n <= 0)
			return false;
		take_record(r, &ev, salvage);
		pos += n;
	}
	return true;
}

static void set_busy(struct reader *r, int busy)
{
	__atomic_store_n(&r->busy, busy, __ATOMIC_SEQ_CST);
}

/* Return: the result of read(). */
static ssize_t read_once(struct reader *r, int fd)
{
	ssize_t n;

	memset(r->bytes, 0, sizeof(r->bytes));
	set_busy(r, 1);
	n = read(fd, r->bytes, sizeof(r->bytes));
	if (n > 0 && !take_bytes(r, n, false))
		count(&shared->broken);
	set_busy(r, 0);
	r->reads++;
	return n;
}

static void drain(struct reader *r, int fd, int cpu)
{
	int tries = 1000;
	ssize_t n;

	while ((n = read_once(r, fd)) > 0 ||
	       (n < 0 && errno == EXDEV && tries--))
		if (n < 0) {
			pin_to(cpu); /* again: the CPU was offline meanwhile */
			usleep(1000);
		}
	if (n < 0) {
		test_note("reading CPU %d: %s", cpu, strerror(errno));
		count(&shared->unexpected);
	}
}

static int open_cpu(int cpu)
{
	int fd, tries = 100;

	do {
		/* EBUSY: a reader that was just killed may still have the file open */
		fd = stream_open(cpu);
		if (fd < 0)
			usleep(10000);
	} while (fd == -EBUSY && tries--);
	return fd;
}

void reader_run(int cpu)
{
	struct reader *r = &shared->reader[cpu];
	struct pollfd pfd = { .fd = open_cpu(cpu), .events = POLLIN };
	bool last;

	if (pfd.fd < 0) {
		test_note("opening CPU %d: %s", cpu, strerror(-pfd.fd));
		count(&shared->unexpected);
		return;
	}
	pin_to(cpu);
	do {
		last = __atomic_load_n(&shared->stop_readers, __ATOMIC_SEQ_CST);
		if (!last)
			poll(&pfd, 1, 20);
		drain(r, pfd.fd, cpu);
	} while (!last);
	close(pfd.fd);
}

void reader_salvage(int cpu)
{
	struct reader *r = &shared->reader[cpu];

	if (r->busy)
		take_bytes(r, sizeof(r->bytes), true);
	r->busy = 0;
}

void reader_begin(uint32_t start, int cpus)
{
	int cpu;

	shared->start = start;
	shared->stop_readers = 0;
	memset(&shared->seen, 0, sizeof(shared->seen));
	memset(&shared->salvaged, 0, sizeof(shared->salvaged));
	memset(&shared->frees, 0, sizeof(shared->frees));
	for (cpu = 0; cpu < cpus; cpu++) {
		shared->reader[cpu].busy = 0;
		shared->reader[cpu].seen = false;
	}
}
