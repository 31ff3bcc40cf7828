/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs `kmemtrace-user pagemap`, and parses its output and the kernel's smaps.
 */
#ifndef PAGEMAP_RUN_H
#define PAGEMAP_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PAGEMAP_ROWS 512

/**
 * struct run - one run
 * @hidden: run it without CAP_SYS_ADMIN and CAP_CHECKPOINT_RESTORE
 * @nobody: run it as the user nobody
 * @status: set to its exit code
 * @error: set to its output on stderr
 */
struct run {
	bool hidden;
	bool nobody;
	int status;
	char error[4096];
};

/**
 * run_words() - run the tool
 * @r: how to run it; its results are set
 * @word: options, ended by NULL
 *
 * Return: its output on stdout, in static memory.
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

/* names of the columns in CSV */
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
 * @row: the mappings
 * @count: number of mappings
 */
struct table {
	struct row row[PAGEMAP_ROWS];
	int count;
};

/** table_parse() - read the CSV of processes; no name in it has a comma */
void table_parse(struct table *t, char *text);

/** table_find() - the mapping at an address, or a row of invalid values */
const struct row *table_find(const struct table *t, uint64_t start);

/**
 * struct smaps - a row of smaps or smaps_rollup, in KiB
 * @start: its address
 * @value: values by column; SOFT_DIRTY, EXCLUSIVE and LOCKED stay 0
 */
struct smaps {
	uint64_t start;
	int64_t value[COLUMNS];
};

/**
 * smaps_read() - read rows of smaps or smaps_rollup
 * @pid: the process
 * @file: "smaps" or "smaps_rollup"
 * @s: set to the rows; has room for PAGEMAP_ROWS
 *
 * Return: number of rows.
 */
int smaps_read(pid_t pid, const char *file, struct smaps *s);

#endif /* PAGEMAP_RUN_H */
