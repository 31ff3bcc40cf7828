// SPDX-License-Identifier: GPL-2.0-only
#include <sched.h>
#include <unistd.h>

#include "record/memory.h"

#define KIB 1024ull
#define MIB (1024 * KIB)

#define DEFAULT (128 * MIB)
/* the program, its libraries, and texts such as the symbols of the kernel */
#define FIXED (24 * MIB)
/* a thread that reads a CPU: its stack, what the C library keeps of it, ORDER_PUT_MAX */
#define EACH_CPU (48 * KIB)
/* a thread that packs: its tables and columns, without buffers */
#define EACH_THREAD (5 * MIB)
/* buffers of a thread that packs, and packed chunks that wait for the disk */
#define BUFFERS_EACH_THREAD 2
#define BUFFERS_OTHER	    8
#define THREADS_MAX 16
/* limits of a buffer: larger chunks compress better */
#define BUFFER_MAX (512 * KIB)
#define BUFFER_MIN (16 * KIB)
/* an address of a stack, with its share of the tables of stacks */
#define EACH_CALLER 12
#define CALLERS_MAX (1u << 22)

/* A CPU has a buffer that is being filled, and one with gathered records. */
static uint64_t buffers_minimum(unsigned int cpus, unsigned int threads)
{
	return 2 * cpus + BUFFERS_EACH_THREAD * threads + BUFFERS_OTHER;
}

uint64_t memory_minimum(unsigned int cpus)
{
	uint64_t bytes = FIXED + EACH_THREAD + cpus * EACH_CPU +
			 buffers_minimum(cpus, 1) * BUFFER_MIN;

	/* a quarter is for stacks */
	return (bytes + bytes / 3 + MIB - 1) / MIB * MIB;
}

uint64_t memory_default(unsigned int cpus)
{
	uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	uint64_t bytes = machine / 8 < DEFAULT ? machine / 8 : DEFAULT;

	return bytes < memory_minimum(cpus) ? memory_minimum(cpus) : bytes;
}

unsigned int memory_threads(void)
{
	cpu_set_t set;
	long n;

	/* fails if the machine has more CPUs than the set */
	n = sched_getaffinity(0, sizeof(set), &set) ? sysconf(_SC_NPROCESSORS_ONLN) :
						      CPU_COUNT(&set);
	return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : n;
}

/* Return: bytes for buffers with this number of threads; 0: too many threads. */
static uint64_t for_buffers(uint64_t bytes, unsigned int cpus, unsigned int threads)
{
	uint64_t others = FIXED + cpus * EACH_CPU + threads * EACH_THREAD;

	return bytes < others ? 0 : bytes - others;
}

/* A quarter is for buffers, even if they are the smallest ones. @room: bytes for buffers */
static bool are_enough(uint64_t room, uint64_t bytes, unsigned int cpus,
		       unsigned int threads)
{
	return room >= bytes / 4 &&
	       room / BUFFER_MIN >= buffers_minimum(cpus, threads);
}

void memory_divide(uint64_t bytes, unsigned int cpus, unsigned int threads,
		   bool stacks, struct memory *to)
{
	uint64_t callers = bytes / 4 / EACH_CALLER, room;

	if (stacks)
		bytes -= bytes / 4;
	while (threads > 1 && !are_enough(for_buffers(bytes, cpus, threads), bytes, cpus,
					  threads))
		threads--;
	room = for_buffers(bytes, cpus, threads);
	to->threads = threads;
	to->stack_callers = callers < CALLERS_MAX ? callers : CALLERS_MAX;
	to->buffer = BUFFER_MAX;
	while (to->buffer > BUFFER_MIN &&
	       room / to->buffer < 2 * buffers_minimum(cpus, threads))
		to->buffer /= 2;
	to->buffers = room / to->buffer - BUFFERS_EACH_THREAD * threads - BUFFERS_OTHER;
}
