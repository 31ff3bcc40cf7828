// SPDX-License-Identifier: GPL-2.0-only
#include <linux/seq_file.h>
#include <trace/events/kmemtrace.h>

#include "base/guard.h"
#include "record/channel.h"
#include "record/wake.h"
#include "record/number.h"

struct kmt_channel *kmt_channel;
struct kmt_buffer __percpu *kmt_channel_buffers;
unsigned long kmt_channel_subbufs;
unsigned long kmt_channel_subbuf_size;
bool kmt_channel_overwrite;
struct kmt_channel *kmt_channel_other;
enum kmt_channel_state kmt_channel_other_state;
arch_spinlock_t kmt_channel_lock = __ARCH_SPIN_LOCK_UNLOCKED;
DEFINE_MUTEX(kmt_control_mutex);
DECLARE_RWSEM(kmt_channel_sem);
DEFINE_PER_CPU(struct kmt_channel_cpu, kmt_channel_cpu);

/*
 * Number of files that are open, or being opened. CLAIMED: the channels are being
 * replaced, or the module is being loaded.
 */
#define CLAIMED -1
static atomic_t users = ATOMIC_INIT(CLAIMED);

struct kmt_buffer *kmt_channel_readable(struct kmt_channel *channel, bool snapshot,
					int cpu)
{
	struct kmt_buffer *buf = kmt_channel_buffer(channel, cpu);
	bool is_old = buf && !snapshot && READ_ONCE(buf->offset) == KMT_BUFFER_SEALED;

	return is_old ? NULL : buf;
}

bool kmt_channel_has_records(const struct kmt_buffer *buf, bool partly)
{
	size_t offset;

	if (READ_ONCE(buf->filled) != READ_ONCE(buf->consumed))
		return true;
	offset = READ_ONCE(buf->offset);
	return partly && offset <= buf->size && offset > kmt_channel_read_bytes(buf);
}

/* The buffer may be written to meanwhile. Its sub-buffers keep their places. */
static u64 start_of_oldest(const struct kmt_buffer *buf)
{
	return READ_ONCE(kmt_channel_subbuf(buf, READ_ONCE(buf->consumed))->start_number);
}

void kmt_channel_show_starts(struct kmt_channel *const *channel, struct seq_file *m)
{
	struct kmt_channel *of_one_moment;
	const struct kmt_buffer *buf;
	int cpu;

	rcu_read_lock(); /* keeps the channel from being freed meanwhile */
	of_one_moment = READ_ONCE(*channel);
	for_each_possible_cpu(cpu) {
		buf = kmt_channel_readable(of_one_moment, channel == &kmt_channel_other, cpu);
		if (buf && kmt_channel_has_records(buf, true))
			seq_printf(m, "start_number.cpu%d %llu\n", cpu,
				   start_of_oldest(buf));
	}
	rcu_read_unlock();
}

bool kmt_channel_get(void)
{
	return atomic_inc_unless_negative(&users);
}

void kmt_channel_put(void)
{
	atomic_dec(&users);
}

bool kmt_channel_claim(void)
{
	return atomic_cmpxchg(&users, 0, CLAIMED) == 0;
}

void kmt_channel_release(void)
{
	atomic_set_release(&users, 0);
}

void kmt_channel_lose(size_t size)
{
	/* an NMI may come in between and count as well */
	this_cpu_inc(kmt_channel_cpu.lost_events);
	this_cpu_add(kmt_channel_cpu.lost_bytes, size);
}

/* If a probe of the tracepoint allocates, kmt_channel_lose() counts these events. */
void kmt_channel_drop(size_t size)
{
	this_cpu_add(kmt_channel_cpu.dropped_bytes, size);
	kmt_channel_lose(size);
	if (trace_kmemtrace_overrun_enabled())
		trace_kmemtrace_overrun(
			size, this_cpu_read(kmt_channel_cpu.lost_events),
			this_cpu_read(kmt_channel_cpu.lost_bytes));
}

void kmt_channel_swap(struct kmt_channels *c)
{
	struct kmt_channels old;
	unsigned long flags;

	down_write(&kmt_channel_sem); /* wait for readers, and for kmt_channel_seal() */
	flags = kmt_guard_spin_lock(&kmt_channel_lock);
	old = (struct kmt_channels){ kmt_channel, kmt_channel_other };
	/* a probe that sees the channel sees it initialised */
	smp_store_release(&kmt_channel_buffers, c->record ? c->record->buffers : NULL);
	WRITE_ONCE(kmt_channel, c->record);
	WRITE_ONCE(kmt_channel_other, c->snapshot);
	kmt_channel_other_state = KMT_CHANNEL_EMPTY;
	kmt_guard_spin_unlock(&kmt_channel_lock, flags);
	up_write(&kmt_channel_sem);
	*c = old;
}

/* The next record begins the first sub-buffer. */
static void empty(struct kmt_buffer *buf)
{
	buf->offset = KMT_BUFFER_UNBEGUN;
	buf->filled = 0;
	buf->consumed = 0;
	buf->read = 0;
}

static void end_subbuf(struct kmt_buffer *buf)
{
	kmt_channel_subbuf(buf, buf->filled)->end = buf->offset;
	WRITE_ONCE(buf->filled, buf->filled + 1);
	WRITE_ONCE(buf->offset, KMT_BUFFER_UNBEGUN);
}

static void begin_subbuf(struct kmt_buffer *buf)
{
	struct kmt_subbuf *subbuf = kmt_channel_subbuf(buf, buf->filled);

	WRITE_ONCE(subbuf->start_number, kmt_number_next());
	buf->data = (char *)subbuf;
	WRITE_ONCE(buf->offset, sizeof(*subbuf));
}

/* No reader is in the buffer, because records are written to it. */
static void overwrite_oldest(struct kmt_buffer *buf)
{
	this_cpu_add(kmt_channel_cpu.overwritten_bytes,
		     kmt_channel_subbuf(buf, buf->consumed)->end -
			     kmt_channel_read_bytes(buf));
	WRITE_ONCE(buf->consumed, buf->consumed + 1);
	WRITE_ONCE(buf->read, 0);
}

/* Return: whether a sub-buffer can be begun. */
static bool make_free(struct kmt_buffer *buf)
{
	bool full = buf->filled - buf->consumed >= kmt_channel_subbufs;

	if (!kmt_channel_overwrite)
		kmt_wake(smp_processor_id());
	else if (full)
		overwrite_oldest(buf);
	return !full || kmt_channel_overwrite;
}

bool kmt_channel_make_room(struct kmt_buffer *buf, size_t size)
{
	/* a worker may find memory at any time */
	if (unlikely(!smp_load_acquire(&buf->start)) || size > buf->size - sizeof(struct kmt_subbuf))
		return false;
	if (unlikely(buf->offset == KMT_BUFFER_SEALED))
		empty(buf);
	else if (buf->offset != KMT_BUFFER_UNBEGUN)
		end_subbuf(buf);
	if (!make_free(buf))
		return false;
	begin_subbuf(buf);
	return true;
}

void kmt_channel_exchange(void)
{
	struct kmt_channel *full = kmt_channel;

	smp_store_release(&kmt_channel_buffers, kmt_channel_other->buffers);
	WRITE_ONCE(kmt_channel, kmt_channel_other);
	WRITE_ONCE(kmt_channel_other, full);
}

/* End the last sub-buffer. If the buffer is still sealed, its CPU has recorded nothing. */
static void seal(struct kmt_buffer *buf)
{
	if (buf->offset == KMT_BUFFER_SEALED || !kmt_channel_has_records(buf, true))
		empty(buf);
	else if (buf->offset != KMT_BUFFER_UNBEGUN)
		end_subbuf(buf);
	WRITE_ONCE(buf->offset, KMT_BUFFER_SEALED);
}

void kmt_channel_seal(void)
{
	struct kmt_buffer *buf;
	int cpu;

	for_each_possible_cpu(cpu) {
		buf = kmt_channel_buffer(kmt_channel_other, cpu);
		if (buf)
			seal(buf);
		cond_resched();
	}
}

void kmt_channel_reset_lost(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&kmt_channel_cpu, cpu), 0,
		       sizeof(struct kmt_channel_cpu));
}

void kmt_channel_lost(struct kmt_channel_cpu *lost)
{
	int cpu;

	memset(lost, 0, sizeof(*lost));
	for_each_possible_cpu(cpu) {
		struct kmt_channel_cpu *c = per_cpu_ptr(&kmt_channel_cpu, cpu);

		lost->lost_events += READ_ONCE(c->lost_events);
		lost->lost_bytes += READ_ONCE(c->lost_bytes);
		lost->dropped_bytes += READ_ONCE(c->dropped_bytes);
		lost->overwritten_bytes += READ_ONCE(c->overwritten_bytes);
	}
}
