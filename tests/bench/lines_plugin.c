// SPDX-License-Identifier: GPL-2.0-only
/*
 * A TCG plugin for QEMU. It counts what the events of kmt_lines.c do: instructions, cache
 * lines, and locked instructions. The guest marks the begin and the end of an event
 * (lines.h).
 *
 *   qemu-system-x86_64 -accel tcg,thread=single -plugin file=lines_plugin.so,out=FILE
 *   qemu-system-x86_64 -accel tcg,thread=multi -plugin file=lines_plugin.so,out=FILE,times=1
 *
 * Writes a line to FILE for each row that the guest asks for: the number of the row; the
 * number of events; for each figure its median, 99.9th percentile and maximum, in the order
 * of enum figure; and the number of events that do not count, because something else ran
 * meanwhile.
 *
 * With times=1, a line has the number of the row, the longest time for which the module of
 * LINES_TEXT disabled interrupts, in instructions, and the address at which it did.
 *
 * With a single thread, all CPUs execute the same translated blocks, and QEMU 10.0 tells the
 * plugin the CPU that has translated a block instead of the one that executes it. The guest
 * therefore tells which CPU has its turn, and all that is executed until the next turn counts
 * for that CPU. The CPUs that wait for their turns write nothing but in interrupts.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lines.h"
#include "qemu_plugin.h"

#define MOST_CPUS  64 /* bits of holders[] */
#define LINE_SHIFT 6
/* physical addresses up to 128 GiB */
#define NR_LINES   (1ull << (37 - LINE_SHIFT))
#define EVENT_LINES 4096 /* maximum number of lines of one event */
#define KERNEL	   (1ull << 63) /* addresses of the kernel are not below this one */

enum figure {
	INSTRUCTIONS,
	LOCKED,
	TOUCHED, /* distinct lines that were read or written */
	WRITTEN,
	SHARED_STORES, /* distinct lines that were written while another CPU held them */
	SHARED_LOADS, /* distinct lines that were only read, and held by others alone */
	FIGURES,
};

#define MOST (1 << 20) /* values from this one on are counted as this one */

/* a cache line of an event */
struct line {
	uint64_t number;
	bool written;
	bool shared; /* as in SHARED_STORES and SHARED_LOADS */
};

/* an instruction that the plugin looks at when it is executed */
struct point {
	int marker;
	uint64_t address;
	uint64_t rest; /* number of instructions from here to the end of its block */
};

int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static FILE *out;
static unsigned int row;
static bool counting;
static bool times; /* instead of events */

/* The event. */
static bool in_event, disturbed;
static uint64_t instructions, began, locked;
static struct line lines[EVENT_LINES];
static uint32_t nr_lines;

/* Addresses that the guest tells by its next loads: where to store them, and how many. */
static uint64_t *told;
static int to_tell;
static uint64_t first_cpu, this_cpu; /* of LINES_ROW, of LINES_TURN */
static uint64_t code[2]; /* of LINES_TEXT */

/* The row. */
/*
 * By line: the CPUs in whose caches it would be, if nothing was ever evicted: the one that
 * wrote it last, and those that have read it since in an event.
 */
static uint64_t *holders;
static uint32_t (*histogram)[MOST + 1];
static uint64_t events, dropped;

/* With times=1: the time with interrupts disabled, by CPU. */
static struct {
	uint64_t instructions;
	uint64_t disabled; /* their number when they were disabled, or 0 */
	uint64_t address; /* where they were */
	bool by_module;
} cpus[MOST_CPUS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of these */
static uint64_t longest, longest_at;

/* Which number of instructions was executed before @at, if @all includes its block. */
static uint64_t executed(uint64_t all, const struct point *at)
{
	return all - at->rest;
}

/* --- memory ----------------------------------------------------------------------- */

static struct line *line_of(uint64_t number)
{
	uint32_t i;

	for (i = 0; i < nr_lines; i++)
		if (lines[i].number == number)
			return &lines[i];
	if (nr_lines == EVENT_LINES)
		return NULL;
	lines[nr_lines] = (struct line){ .number = number };
	return &lines[nr_lines++];
}

static void access_line(uint64_t number, bool store)
{
	uint64_t me = 1ull << ((this_cpu - first_cpu) % MOST_CPUS);
	struct line *l;
	bool shared;

	if (number >= NR_LINES)
		return;
	shared = store ? holders[number] & ~me : holders[number] && !(holders[number] & me);
	holders[number] = store ? me : holders[number] | me;
	l = in_event ? line_of(number) : NULL;
	if (!l)
		return;
	/* a line that is read and then written is moved once */
	l->shared |= shared;
	l->written |= store;
}

/* Return: whether the guest tells an address. */
static bool is_told(uint64_t address)
{
	if (!to_tell)
		return false;
	*told++ = address;
	to_tell--;
	return true;
}

static void on_access(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address,
		      void *data)
{
	struct qemu_plugin_hwaddr *hw;
	uint64_t first, size;
	bool store;

	(void)cpu;
	(void)data;
	if (is_told(address))
		return;
	store = qemu_plugin_mem_is_store(info);
	if (!counting || address < KERNEL || (!store && !in_event))
		return;
	hw = qemu_plugin_get_hwaddr(info, address);
	if (!hw || qemu_plugin_hwaddr_is_io(hw))
		return;
	first = qemu_plugin_hwaddr_phys_addr(hw);
	size = 1ull << qemu_plugin_mem_size_shift(info);
	access_line(first >> LINE_SHIFT, store);
	if ((first + size - 1) >> LINE_SHIFT != first >> LINE_SHIFT)
		access_line((first + size - 1) >> LINE_SHIFT, store);
}

/* --- instructions ----------------------------------------------------------------- */

static void on_block(unsigned int cpu, void *n)
{
	(void)cpu;
	instructions += (uintptr_t)n;
}

static void on_locked(unsigned int cpu, void *point)
{
	(void)cpu;
	(void)point;
	locked++;
}

/* A CPU waits for its turn, or returns from an interrupt. */
static void on_other(unsigned int cpu, void *point)
{
	(void)cpu;
	(void)point;
	disturbed = true;
}

static void count(enum figure f, uint64_t n)
{
	histogram[f][n < MOST ? n : MOST]++;
}

static void end_event(const struct point *p)
{
	uint32_t i, written = 0, stores = 0, loads = 0;

	if (!in_event)
		return;
	in_event = false;
	if (disturbed) {
		dropped++;
		return;
	}
	for (i = 0; i < nr_lines; i++) {
		written += lines[i].written;
		stores += lines[i].written && lines[i].shared;
		loads += !lines[i].written && lines[i].shared;
	}
	/* without the marker at the begin */
	count(INSTRUCTIONS, executed(instructions, p) - began - 1);
	count(LOCKED, locked);
	count(TOUCHED, nr_lines);
	count(WRITTEN, written);
	count(SHARED_STORES, stores);
	count(SHARED_LOADS, loads);
	events++;
}

/* The smallest value that is not exceeded by @share of the events. */
static uint32_t quantile(enum figure f, double share)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < MOST; i++) {
		sum += histogram[f][i];
		if (sum && sum >= share * events)
			break;
	}
	return i;
}

static void print_row(void)
{
	int f;

	fprintf(out, "%u %lu", row++, events);
	for (f = 0; f < FIGURES; f++)
		fprintf(out, " %u %u %u", quantile(f, .5), quantile(f, .999),
			quantile(f, 1));
	fprintf(out, " %lu\n", dropped);
	fflush(out);
}

static void tell(uint64_t *to, int n)
{
	told = to;
	to_tell = n;
}

static void on_marker(unsigned int cpu, void *point)
{
	const struct point *p = point;

	(void)cpu;
	switch (p->marker) {
	case LINES_ROW:
		memset(histogram, 0, sizeof(*histogram) * FIGURES);
		events = dropped = 0;
		counting = true;
		tell(&first_cpu, 1);
		break;
	case LINES_TURN:
		tell(&this_cpu, 1);
		break;
	case LINES_BEGIN:
		in_event = counting;
		disturbed = false;
		began = executed(instructions, p);
		locked = nr_lines = 0;
		break;
	case LINES_END:
		end_event(p);
		break;
	case LINES_PRINT:
		counting = false;
		print_row();
		break;
	}
}

/* --- times with interrupts disabled -------------------------------------------------- */

static void on_block_of(unsigned int cpu, void *n)
{
	if (cpu < MOST_CPUS)
		cpus[cpu].instructions += (uintptr_t)n;
}

static void on_disable(unsigned int cpu, void *point)
{
	const struct point *p = point;

	if (cpu >= MOST_CPUS || cpus[cpu].disabled)
		return;
	cpus[cpu].disabled = executed(cpus[cpu].instructions, p);
	cpus[cpu].address = p->address;
	cpus[cpu].by_module = p->address >= code[0] && p->address < code[1];
}

static void on_enable(unsigned int cpu, void *point)
{
	uint64_t n;

	if (cpu >= MOST_CPUS || !cpus[cpu].disabled)
		return;
	n = executed(cpus[cpu].instructions, point) - cpus[cpu].disabled;
	cpus[cpu].disabled = 0;
	if (!counting || !cpus[cpu].by_module ||
	    n <= __atomic_load_n(&longest, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&lock);
	if (n > longest) {
		longest_at = cpus[cpu].address;
		__atomic_store_n(&longest, n, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&lock);
}

static unsigned int teller; /* the CPU of the last marker */

/* The loads after a marker are of the same CPU. */
static void on_told(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address,
		    void *data)
{
	(void)info;
	(void)data;
	if (cpu == teller)
		is_told(address);
}

static void on_time_marker(unsigned int cpu, void *point)
{
	const struct point *p = point;

	if (p->marker == LINES_TEXT) {
		teller = cpu;
		tell(code, 2);
		longest = 0;
		counting = true;
	} else if (p->marker == LINES_PRINT) {
		counting = false;
		fprintf(out, "%u %lu %lx\n", row++, longest, longest_at);
		fflush(out);
	}
}

/* --- translation -------------------------------------------------------------------- */

struct code {
	uint8_t byte[16];
	size_t size;
};

/* The number of the marker, or -1: nopl LINES_MAGIC + n(%rax). */
static int marker(const struct code *c)
{
	static const uint8_t nopl[] = { 0x0f, 0x1f, 0x80 };
	uint32_t n;

	if (c->size != 7 || memcmp(c->byte, nopl, sizeof(nopl)))
		return -1;
	memcpy(&n, c->byte + 3, 4);
	n -= LINES_MAGIC;
	return n < LINES_NR ? (int)n : -1;
}

/* With the prefix lock, or an exchange with memory, which is locked without it. */
static bool is_locked(const struct code *c)
{
	static const uint8_t prefixes[] = { 0x66, 0x67, 0x2e, 0x36, 0x3e,
					    0x26, 0x64, 0x65, 0xf2, 0xf3 };
	size_t i = 0;

	while (i < c->size && memchr(prefixes, c->byte[i], sizeof(prefixes)))
		i++;
	if (i < c->size && c->byte[i] == 0xf0)
		return true;
	if (i < c->size && (c->byte[i] & 0xf0) == 0x40)
		i++;
	return i + 1 < c->size && (c->byte[i] & 0xfe) == 0x86 && c->byte[i + 1] < 0xc0;
}

/* Which function to call when an instruction is executed, or NULL. */
static qemu_plugin_exec_cb looks_at(const struct code *c, int n)
{
	bool sti_popf = c->byte[0] == 0xfb || c->byte[0] == 0x9d;
	bool iretq = c->size == 2 && c->byte[0] == 0x48 && c->byte[1] == 0xcf;
	bool pause = c->size == 2 && c->byte[0] == 0xf3 && c->byte[1] == 0x90;

	if (times) {
		if (n >= 0)
			return on_time_marker;
		if (c->byte[0] == 0xfa) /* cli */
			return on_disable;
		return sti_popf || iretq ? on_enable : NULL;
	}
	if (n >= 0)
		return on_marker;
	if (iretq || pause)
		return on_other;
	return is_locked(c) ? on_locked : NULL;
}

static void translate_insn(struct qemu_plugin_insn *insn, size_t rest)
{
	qemu_plugin_exec_cb look;
	struct point *p;
	struct code c;
	int n;

	c.size = qemu_plugin_insn_data(insn, c.byte, sizeof(c.byte));
	if (!c.size)
		return;
	n = marker(&c);
	look = looks_at(&c, n);
	if (look) {
		/* never freed: QEMU does not tell when it forgets a translation */
		p = malloc(sizeof(*p));
		if (!p)
			abort();
		*p = (struct point){ n, qemu_plugin_insn_vaddr(insn), rest };
		qemu_plugin_register_vcpu_insn_exec_cb(insn, look, QEMU_PLUGIN_CB_NO_REGS,
						       p);
	}
	qemu_plugin_register_vcpu_mem_cb(insn, times ? on_told : on_access,
					 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), i;

	(void)id;
	if (qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)) < KERNEL)
		return;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, times ? on_block_of : on_block,
					     QEMU_PLUGIN_CB_NO_REGS, (void *)n);
	for (i = 0; i < n; i++)
		translate_insn(qemu_plugin_tb_get_insn(tb, i), n - i);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	times = argc == 2 && !strcmp(argv[1], "times=1");
	if (strcmp(info->target_name, "x86_64") != 0 || argc != 1 + times ||
	    strncmp(argv[0], "out=", 4) != 0) {
		fprintf(stderr,
			"lines_plugin: wants a guest of x86_64, and out=FILE[,times=1]\n");
		return 1;
	}
	out = fopen(argv[0] + 4, "w");
	holders = mmap(NULL, NR_LINES * sizeof(*holders), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	histogram = calloc(FIGURES, sizeof(*histogram));
	if (!out || holders == MAP_FAILED || !histogram) {
		perror("lines_plugin");
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
