/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Running `kmemtrace-user pagemap`, and what it and the kernel's smaps say.
 */
#ifndef PAGEMAP_RUN_H
#define PAGEMAP_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PAGEMAP_ROWS 512

/**
 * struct run - how to run it
 * @hidden: without CAP_SYS_ADMIN and CAP_CHECKPOINT_RESTORE
 * @nobody: as nobody
 * @status: its exit code is put here
 * @error: what it wrote to stderr
 */
struct run {
	bool hidden;
	bool nobody;
	int status;
	char error[4096];
};

/**
 * run_words() - run it
 * @r: how; set to how it ended
 * @word: options, ended by NULL
 *
 * Return: what it printed, in static memory.
 */
char *run_words(struct run *r, const char *const *word);

#define RUN(r, ...) run_words(r, (const char *const[]){ __VA_ARGS__, NULL })

enum column {
	SIZE,
	RSS,
	USS,
	PSS,
	SHARED,
	SWAP,
	ANON,
	SOFT_DIRTY,
	EXCLUSIVE,
	THP,
	HUGETLB,
	LOCKED,
	KSM,
	COLUMNS,
};

/* what they are called */
extern const char *const column_keys[COLUMNS];

#define UNKNOWN -1

/**
 * struct row - a mapping
 * @start: its address
 * @value: bytes, or UNKNOWN
 */
struct row {
	uint64_t start;
	int64_t value[COLUMNS];
};

/**
 * struct table - mappings
 * @row: them
 * @count: how many
 */
struct table {
	struct row row[PAGEMAP_ROWS];
	int count;
};

/** table_parse() - read the CSV of processes; no name in it has a comma */
void table_parse(struct table *t, char *text);

/** table_find() - the mapping at an address, or one with nonsense in it */
const struct row *table_find(const struct table *t, uint64_t start);

/**
 * struct smaps - a row of smaps or smaps_rollup, in KiB
 * @start: its address
 * @value: by column; SOFT_DIRTY, EXCLUSIVE and LOCKED are not there
 */
struct smaps {
	uint64_t start;
	int64_t value[COLUMNS];
};

/**
 * smaps_read() - read rows of smaps or smaps_rollup
 * @pid: of which process
 * @file: which of the two
 * @s: room for PAGEMAP_ROWS rows
 *
 * Return: how many there are.
 */
int smaps_read(pid_t pid, const char *file, struct smaps *s);

#endif /* PAGEMAP_RUN_H */
