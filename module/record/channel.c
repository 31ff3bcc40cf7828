// SPDX-License-Identifier: GPL-2.0-only
#include <linux/seq_file.h>
#include <trace/events/kmemtrace.h>

#include "base/guard.h"
#include "record/channel.h"

struct rchan *kmt_channel;
struct rchan_buf *__percpu *kmt_channel_bufs;
unsigned long kmt_channel_subbuf_size;
bool kmt_channel_overwrite;
struct rchan *kmt_channel_other;
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

bool kmt_channel_has_records(const struct rchan_buf *buf, bool partly)
{
	size_t offset;

	if (READ_ONCE(buf->subbufs_produced) != READ_ONCE(buf->subbufs_consumed))
		return true;
	offset = READ_ONCE(buf->offset);
	return partly && offset <= buf->chan->subbuf_size &&
	       offset > kmt_channel_consumed(buf);
}

/* The buffer may be written to meanwhile. Its sub-buffers keep their places. */
static u64 start_of_oldest(const struct rchan_buf *buf)
{
	size_t index = READ_ONCE(buf->subbufs_consumed) % buf->chan->n_subbufs;

	return READ_ONCE(*(u64 *)(buf->start + index * buf->chan->subbuf_size));
}

void kmt_channel_show_starts(struct rchan *const *channel, struct seq_file *m)
{
	const struct rchan *c;
	const struct rchan_buf *buf;
	int cpu;

	rcu_read_lock(); /* keeps the channel from being freed meanwhile */
	c = READ_ONCE(*channel);
	for_each_possible_cpu(cpu) {
		buf = c ? READ_ONCE(*per_cpu_ptr(c->buf, cpu)) : NULL;
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
	smp_store_release(&kmt_channel_bufs, c->record ? c->record->buf : NULL);
	WRITE_ONCE(kmt_channel, c->record);
	WRITE_ONCE(kmt_channel_other, c->snapshot);
	kmt_channel_other_state = KMT_CHANNEL_EMPTY;
	kmt_guard_spin_unlock(&kmt_channel_lock, flags);
	up_write(&kmt_channel_sem);
	*c = old;
}

/*
 * Does what is needed here of relay_reset(), which cannot be called in all contexts. The next
 * record begins the first sub-buffer.
 */
static void empty(struct rchan_buf *buf)
{
	buf->data = buf->start;
	buf->offset = buf->chan->subbuf_size + 1;
	buf->subbufs_produced = 0;
	buf->subbufs_consumed = 0;
	buf->bytes_consumed = 0;
	buf->padding[0] = 0;
}

bool kmt_channel_make_room(struct rchan_buf *buf, size_t size)
{
	if (unlikely(buf->offset == KMT_CHANNEL_SEALED))
		empty(buf);
	return relay_switch_subbuf(buf, size);
}

void kmt_channel_exchange(void)
{
	struct rchan *full = kmt_channel;

	smp_store_release(&kmt_channel_bufs, kmt_channel_other->buf);
	WRITE_ONCE(kmt_channel, kmt_channel_other);
	WRITE_ONCE(kmt_channel_other, full);
}

/* End the last sub-buffer. If the buffer is still sealed, its CPU has recorded nothing. */
static void seal(struct rchan_buf *buf)
{
	size_t size = buf->chan->subbuf_size;

	if (buf->offset == KMT_CHANNEL_SEALED ||
	    !kmt_channel_has_records(buf, true)) {
		empty(buf);
	} else if (buf->offset <= size) {
		buf->padding[buf->subbufs_produced % buf->chan->n_subbufs] =
			size - buf->offset;
		buf->subbufs_produced++;
	}
	buf->offset = KMT_CHANNEL_SEALED;
}

void kmt_channel_seal(void)
{
	struct rchan_buf *buf;
	int cpu;

	for_each_possible_cpu(cpu) {
		buf = READ_ONCE(*per_cpu_ptr(kmt_channel_other->buf, cpu));
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
