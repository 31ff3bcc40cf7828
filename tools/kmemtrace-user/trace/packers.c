// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/die.h"
#include "base/thread.h"
#include "trace/packers.h"
#include "trace/sink.h"

/* --- the temporary file --------------------------------------------------- */

/*
 * A temporary file without a name, for records that come faster than they can be
 * compressed. They are stored in the file, and fetched later. Space of fetched records is
 * freed. The file disappears with the process, also if the process is killed.
 */

/**
 * struct spill - one such file; one thread stores, others fetch
 * @dir: descriptor of the file's directory; -1: do not make a file
 * @fd: descriptor of the file; -1 until the first store
 * @end: bytes stored so far; atomic
 * @fetched: bytes fetched so far; atomic
 * @reserve: bytes of the file system that must stay free
 */
struct spill {
	int dir;
	int fd;
	uint64_t end;
	uint64_t fetched;
	uint64_t reserve;
};

static bool spill_is_possible(const struct spill *spill)
{
	return spill->dir >= 0;
}

/* Return: bytes that were stored but not fetched yet. Any thread. */
static uint64_t spill_left(const struct spill *spill)
{
	uint64_t fetched = __atomic_load_n(&spill->fetched, __ATOMIC_ACQUIRE);

	return __atomic_load_n(&spill->end, __ATOMIC_RELAXED) - fetched;
}

static uint64_t free_bytes(int fd)
{
	struct statvfs fs;

	return fstatvfs(fd, &fs) ? 0 : (uint64_t)fs.f_bavail * fs.f_frsize;
}

/* Sets up without a file. Half of the space that is free now must stay free. */
static void spill_init(struct spill *spill, int dir)
{
	*spill = (struct spill){
		.dir = dir,
		.fd = -1,
		.reserve = dir < 0 ? 0 : free_bytes(dir) / 2,
	};
}

static void spill_exit(struct spill *spill)
{
	if (spill->fd >= 0)
		close(spill->fd);
}

static int put_all(int fd, const uint8_t *data, size_t size, uint64_t at)
{
	while (size) {
		ssize_t n = pwrite(fd, data, size, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		data += n;
		size -= n;
		at += n;
	}
	return 0;
}

/*
 * Stores bytes at the end of the file. Return: 0; -ENOSPC if less than the reserve would stay
 * free; another -errno: then spill_is_possible() returns false from now on.
 */
static int spill_put(struct spill *spill, const void *data, size_t size, uint64_t *at)
{
	int err = 0;

	if (free_bytes(spill->dir) < spill->reserve + size)
		return -ENOSPC;
	if (spill->fd < 0)
		spill->fd = openat(spill->dir, ".",
				   O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (spill->fd < 0)
		err = -errno;
	else
		err = put_all(spill->fd, data, size, spill->end);
	if (err) {
		spill->dir = -1;
		return err;
	}
	*at = spill->end;
	__atomic_store_n(&spill->end, spill->end + size, __ATOMIC_RELAXED);
	return 0;
}

/* Reads bytes, and frees their space in the file. Return: 0 or -errno. */
static int spill_fetch(struct spill *spill, void *data, size_t size, uint64_t at)
{
	uint8_t *to = data;
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(spill->fd, to + done, size - done, at + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		done += n;
	}
	__atomic_fetch_add(&spill->fetched, size, __ATOMIC_RELEASE);
	/* a file system may not support this: it then frees the space at the end */
	fallocate(spill->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at,
		  size);
	return 0;
}

/* --- packers -------------------------------------------------------------- */

/* chunks that may be packed, but not written, besides one for each thread */
#define AHEAD 8
/* part of the buffers that may wait before chunks are compressed less */
#define BACKLOG_PART 8

/**
 * struct packers - the threads and their chunks
 * @buffers: pool of the chunks' buffers
 * @sink: the file
 * @lock: protects the members below, and the states of chunks
 * @to_pack: a chunk can be packed
 * @to_write: the first chunk may be done
 * @to_spill: buffers may be scarce
 * @head: all chunks, in the order of the file; the first one is the next to write
 * @tail: where the next one is linked
 * @next: the first chunk that no thread has packed or has begun to pack
 * @spill_next: the next chunk that may be moved to the temporary file
 * @added: number of chunks added
 * @written: number of chunks written
 * @is_ended: no chunk will be added
 * @is_cut: chunks are discarded
 * @is_behind: so many chunks wait that they are compressed less
 * @spill: the temporary file
 * @writer: the thread that writes
 * @spiller: the thread that moves records; if @has_spiller is set
 * @count: number of elements of @thread
 * @joined: number of threads that have been joined
 * @thread: the threads that pack
 */
struct packers {
	struct buffers *buffers;
	struct sink *sink;
	pthread_mutex_t lock;
	pthread_cond_t to_pack;
	pthread_cond_t to_write;
	pthread_cond_t to_spill;
	struct chunk *head;
	struct chunk **tail;
	struct chunk *next;
	struct chunk *spill_next;
	uint64_t added;
	uint64_t written;
	bool is_ended;
	bool is_cut;
	bool is_behind;
	bool has_spiller;
	struct spill spill;
	pthread_t writer;
	pthread_t spiller;
	unsigned int count;
	unsigned int joined;
	pthread_t thread[];
};

static void free_contents(struct packers *p, struct chunk *c)
{
	if (c->buffer)
		buffers_put(p->buffers, c->buffer);
	free(c->copy);
	c->buffer = NULL;
	c->copy = NULL;
	c->data = NULL;
}

/* Leaves nothing to write. */
static void discard(struct packers *p, struct chunk *c)
{
	free_contents(p, c);
	c->kind = CHUNK_FLUSH;
}

/* --- the threads that pack ------------------------------------------------- */

/* What may be moved to the temporary file is never before the next chunk to pack. */
static void pass_next(struct packers *p)
{
	if (p->spill_next == p->next)
		p->spill_next = p->next->next;
	p->next = p->next->next;
}

/* Skips chunks without records: the thread that writes packs texts. */
static void find_next(struct packers *p)
{
	while (p->next && (p->next->kind != CHUNK_RECORDS || !p->next->head.raw_size)) {
		p->next->state = CHUNK_DONE;
		pass_next(p);
	}
}

/* Sets whether a chunk is compressed less. Once it is, so it is until hardly any wait. */
static void packers_choose(struct packers *p, struct chunk *c)
{
	uint64_t waiting = p->added - c->number - 1;

	if (waiting > buffers_max(p->buffers) / BACKLOG_PART + 2 * p->count)
		p->is_behind = true;
	else if (waiting <= p->count)
		p->is_behind = false;
	c->quick = p->is_behind;
}

/* Return: the next chunk to pack; NULL if there are no more. */
static struct chunk *packers_take(struct packers *p)
{
	struct chunk *c;

	for (;;) {
		find_next(p);
		pthread_cond_signal(&p->to_write);
		c = p->next;
		if (c && c->state == CHUNK_WAITS &&
		    c->number < p->written + p->count + AHEAD)
			break;
		if (!c && p->is_ended)
			return NULL;
		pthread_cond_wait(&p->to_pack, &p->lock);
	}
	c->state = CHUNK_IS_PACKED;
	packers_choose(p, c);
	pass_next(p);
	return c;
}

/* Return: 0 or -errno. */
static int fetch(struct packers *p, struct chunk *c, uint8_t *room)
{
	int err;

	if (!c->is_spilled)
		return 0;
	err = spill_fetch(&p->spill, room, c->head.raw_size, c->at);
	c->data = room;
	return err;
}

/* Moves the packed contents out of the packer's memory. */
static void keep(struct packers *p, struct chunk *c, size_t size)
{
	void *copy;

	if (c->buffer && c->data == c->buffer->data)
		return;
	copy = xmalloc(size);
	memcpy(copy, c->data, size);
	free_contents(p, c);
	c->copy = copy;
	c->data = copy;
}

static void pack(struct packers *p, struct packer *packer, struct chunk *c,
		 uint8_t *room)
{
	int err = fetch(p, c, room);

	if (!err) {
		keep(p, c, packer_pack(packer, c));
		return;
	}
	sink_fail(p->sink, err);
	discard(p, c);
}

static void *pack_chunks(void *arg)
{
	struct packers *p = arg;
	struct packer packer;
	uint8_t *room = xmalloc(p->buffers->room);
	struct chunk *c;

	packer_init(&packer, true);
	pthread_mutex_lock(&p->lock);
	while ((c = packers_take(p))) {
		bool is_cut = p->is_cut;

		pthread_mutex_unlock(&p->lock);
		if (is_cut)
			discard(p, c);
		else
			pack(p, &packer, c, room);
		pthread_mutex_lock(&p->lock);
		c->state = CHUNK_DONE;
		pthread_cond_signal(&p->to_write);
	}
	pthread_mutex_unlock(&p->lock);
	packer_exit(&packer);
	free(room);
	return NULL;
}

/* --- the thread that writes ------------------------------------------------- */

/* Return: the next chunk to write; NULL if there are no more. */
static struct chunk *take_first(struct packers *p)
{
	struct chunk *c;

	for (;;) {
		c = p->head;
		if (c && c->state == CHUNK_DONE)
			break;
		if (!c && p->is_ended)
			return NULL;
		pthread_cond_wait(&p->to_write, &p->lock);
	}
	p->head = c->next;
	if (!p->head)
		p->tail = &p->head;
	return c;
}

static void *write_chunks(void *arg)
{
	struct packers *p = arg;
	struct chunk *c;

	pthread_mutex_lock(&p->lock);
	while ((c = take_first(p))) {
		bool is_cut = p->is_cut;

		pthread_mutex_unlock(&p->lock);
		if (!is_cut)
			sink_write(p->sink, c);
		free_contents(p, c);
		free(c);
		pthread_mutex_lock(&p->lock);
		p->written++;
		pthread_cond_broadcast(&p->to_pack);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* --- the temporary file ------------------------------------------------------ */

static bool is_scarce(struct packers *p)
{
	return buffers_left(p->buffers) < buffers_max(p->buffers) / 4;
}

/* Return: a chunk to move; NULL if there is none. Those that are packed soon stay. */
static struct chunk *find_spill(struct packers *p)
{
	struct chunk *c = p->spill_next;
	uint64_t soon = p->written + 2 * (p->count + AHEAD);

	while (c && (c->number < soon || !c->buffer || c->state != CHUNK_WAITS))
		c = c->next;
	p->spill_next = c;
	return c;
}

/* Return: 0 or -errno. */
static int move(struct packers *p, struct chunk *c)
{
	int err;

	c->state = CHUNK_MOVES;
	p->spill_next = c->next;
	pthread_mutex_unlock(&p->lock);
	err = spill_put(&p->spill, c->data, c->head.raw_size, &c->at);
	if (!err) {
		free_contents(p, c);
		c->is_spilled = true;
	}
	pthread_mutex_lock(&p->lock);
	c->state = CHUNK_WAITS;
	pthread_cond_broadcast(&p->to_pack);
	return err;
}

static void *spill_chunks(void *arg)
{
	struct packers *p = arg;
	struct chunk *c;

	pthread_mutex_lock(&p->lock);
	while (!p->is_ended) {
		c = is_scarce(p) && !p->is_cut ? find_spill(p) : NULL;
		/* in move(), the lock is released: see packers_end() */
		if ((!c || move(p, c)) && !p->is_ended)
			pthread_cond_wait(&p->to_spill, &p->lock);
		if (!spill_is_possible(&p->spill))
			break;
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* --- the thread that adds ------------------------------------------------------ */

void packers_add(struct packers *p, struct chunk *c)
{
	pthread_mutex_lock(&p->lock);
	c->next = NULL;
	c->state = CHUNK_WAITS;
	c->number = p->added++;
	*p->tail = c;
	p->tail = &c->next;
	if (!p->next)
		p->next = c;
	if (!p->spill_next)
		p->spill_next = c;
	pthread_cond_signal(&p->to_pack);
	if (p->has_spiller && is_scarce(p))
		pthread_cond_signal(&p->to_spill);
	pthread_mutex_unlock(&p->lock);
}

void packers_cut(struct packers *p)
{
	pthread_mutex_lock(&p->lock);
	p->is_cut = true;
	pthread_mutex_unlock(&p->lock);
}

void packers_end(struct packers *p)
{
	pthread_mutex_lock(&p->lock);
	p->is_ended = true;
	pthread_cond_broadcast(&p->to_pack);
	pthread_cond_signal(&p->to_write);
	pthread_cond_signal(&p->to_spill);
	pthread_mutex_unlock(&p->lock);
}

uint64_t packers_backlog(struct packers *p)
{
	return spill_left(&p->spill);
}

/* --- start and end -------------------------------------------------------------- */

static bool join_next(struct packers *p, pthread_t thread)
{
	if (pthread_tryjoin_np(thread, NULL))
		return false;
	p->joined++;
	return true;
}

bool packers_joined(struct packers *p)
{
	while (p->joined < p->count)
		if (!join_next(p, p->thread[p->joined]))
			return false;
	if (p->joined == p->count && !join_next(p, p->writer))
		return false;
	return p->joined > p->count + 1 || !p->has_spiller || join_next(p, p->spiller);
}

void packers_free(struct packers *p)
{
	spill_exit(&p->spill);
	pthread_cond_destroy(&p->to_spill);
	pthread_cond_destroy(&p->to_write);
	pthread_cond_destroy(&p->to_pack);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* Return: 0 or -errno. A thread that packs is needed, the others are not. */
static int start_packers(struct packers *p, unsigned int threads)
{
	int err = 0;

	pthread_mutex_lock(&p->lock);
	while (!err && p->count < threads) {
		err = thread_start(&p->thread[p->count], pack_chunks, p);
		if (!err)
			p->count++;
	}
	pthread_mutex_unlock(&p->lock);
	return p->count ? 0 : err;
}

static int start(struct packers *p, unsigned int threads)
{
	int err = thread_start(&p->writer, write_chunks, p);

	if (err)
		return err;
	err = start_packers(p, threads);
	if (err) {
		packers_end(p);
		pthread_join(p->writer, NULL);
		return err;
	}
	if (spill_is_possible(&p->spill))
		p->has_spiller = !thread_start(&p->spiller, spill_chunks, p);
	return 0;
}

int packers_start(unsigned int threads, struct buffers *buffers, int spill_dir, struct sink *sink,
		  struct packers **ret)
{
	struct packers *p = xcalloc(1, sizeof(*p) + threads * sizeof(p->thread[0]));
	int err;

	p->buffers = buffers;
	p->sink = sink;
	p->tail = &p->head;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->to_pack, NULL);
	pthread_cond_init(&p->to_write, NULL);
	pthread_cond_init(&p->to_spill, NULL);
	spill_init(&p->spill, spill_dir);
	err = start(p, threads);
	if (err)
		packers_free(p);
	else
		*ret = p;
	return err;
}
