// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/msg.h"
#include "control/control.h"
#include "leaks/agefile.h"

#define TAG_SIZE sizeof(struct kmemtrace_ages_tag)
/* more than the module has: it guards against a damaged header */
#define TAGS_MAX (1u << 20)
#define PART_MAX 4096u

int agefile_open(struct agefile *f)
{
	*f = (struct agefile){ .fd = control_open_file("ages") };
	return f->fd < 0 ? -1 : 0;
}

/* Return: bytes read, fewer than @size at the end; -errno. */
static ssize_t read_at(int fd, char *to, size_t size, off_t at)
{
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = pread(fd, to + done, size - done, at + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += n;
	}
	return done;
}

static bool is_valid(const struct kmemtrace_ages *head)
{
	return head->version == KMEMTRACE_AGES_VERSION && head->size >= sizeof(*head) &&
	       head->size <= PART_MAX && head->tag_size >= TAG_SIZE &&
	       head->tag_size <= PART_MAX && head->tags <= TAGS_MAX &&
	       head->buckets == KMEMTRACE_AGES_BUCKETS && head->tick_ns;
}

static int agefile_failed(ssize_t err)
{
	if (err < 0)
		control_cannot_read("ages", -err);
	else
		msg_error("the module's file ages is not of version %d: use the tool that came with the module",
			  KMEMTRACE_AGES_VERSION);
	return -1;
}

/* The read at 0 makes the module walk; the others return the rest of its result. */
int agefile_read(struct agefile *f)
{
	ssize_t n = read_at(f->fd, (char *)&f->head, sizeof(f->head), 0);
	size_t size;

	if (n < (ssize_t)sizeof(f->head) || !is_valid(&f->head))
		return agefile_failed(n);
	size = (size_t)f->head.tags * f->head.tag_size;
	array_fit(f->data, f->room, size + 1);
	n = read_at(f->fd, f->data, size, f->head.size);
	return n < (ssize_t)size ? agefile_failed(n) : 0;
}

const struct kmemtrace_ages_tag *agefile_tag(const struct agefile *f, size_t i)
{
	return (const void *)(f->data + i * f->head.tag_size);
}

struct kmemtrace_ages_sum agefile_older(const struct kmemtrace_ages_tag *t,
					unsigned int bits)
{
	struct kmemtrace_ages_sum sum = { 0 };
	unsigned int i;

	for (i = bits + 1; i < KMEMTRACE_AGES_BUCKETS; i++) {
		sum.objects += t->age[i].objects;
		sum.bytes += t->age[i].bytes;
	}
	return sum;
}

void agefile_add(struct kmemtrace_ages_sum *age, uint64_t ticks, uint64_t bytes)
{
	unsigned int bucket = ticks ? 64 - __builtin_clzll(ticks) : 0;

	if (bucket >= KMEMTRACE_AGES_BUCKETS)
		bucket = KMEMTRACE_AGES_BUCKETS - 1;
	age[bucket].objects++;
	age[bucket].bytes += bytes;
}

struct kmemtrace_ages_sum agefile_all(const struct kmemtrace_ages_tag *t)
{
	struct kmemtrace_ages_sum sum = agefile_older(t, 0);

	sum.objects += t->age[0].objects;
	sum.bytes += t->age[0].bytes;
	return sum;
}

void agefile_close(struct agefile *f)
{
	if (f->fd >= 0)
		close(f->fd);
	free(f->data);
}
