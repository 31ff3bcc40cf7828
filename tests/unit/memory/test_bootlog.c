// SPDX-License-Identifier: GPL-2.0-only
#include "memory/meminfo.h"
#include "unit.h"

/* boot log of 6.12, shortened */
#define EARLY                                                                                                  \
	"<6>[    0.053756] Dentry cache hash table entries: 262144 (order: 9, 2097152 bytes, linear)\n"         \
	"<6>[    0.102329] ftrace: allocating 42567 entries in 168 pages\n"
#define MEMORY                                                                                                 \
	"<6>[    0.533474] Memory: 969772K/1048056K available (16384K kernel code, 2507K rwdata)\n"
#define LATE                                                                                                   \
	"<6>[    0.480556] Mount-cache hash table entries: 4096 (order: 3, 32768 bytes, linear)\n"              \
	"<6>[    1.497223] VFS: Dquot-cache hash table entries: 512 (order 0, 4096 bytes)\n"                    \
	"<6>[    1.594605] TCP bind hash table entries: 16384 (order: 7, 524288 bytes, vmalloc)\n"              \
	"<6>[    1.596538] MPTCP token hash table entries: 2048 (order: 4, 49160 bytes, linear)\n"              \
	"<6>[    1.597070] TCP: Hash tables configured (established 16384 bind 16384)\n"

START_TEST(tables_of_the_allocator_are_counted)
{
	ck_assert_uint_eq(bootlog_hash_bytes(EARLY MEMORY LATE, 4096),
			  32768 + 49152 + 4096);
	ck_assert_uint_eq(bootlog_hash_bytes(EARLY MEMORY, 4096), 0);
}
END_TEST

START_TEST(a_log_without_its_start_is_ignored)
{
	static const char *const logs[] = {
		"",
		"\n",
		LATE,
		"Memory: \n" LATE,
		MEMORY " hash table entries: ",
		MEMORY " hash table entries: x (order: 1, 8192 bytes, linear)",
		MEMORY " hash table entries: 1 (order: 1, 8192 bytes, lin",
	};
	size_t i;

	for (i = 0; i < sizeof(logs) / sizeof(*logs); i++)
		ck_assert_msg(!bootlog_hash_bytes(logs[i], 4096), "%zu", i);
}
END_TEST

UNIT_MAIN("bootlog", tables_of_the_allocator_are_counted,
	  a_log_without_its_start_is_ignored)
