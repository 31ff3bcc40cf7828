/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a database of SQLite: a new file, in one transaction.
 */
#ifndef DATABASE_H
#define DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* a file that is being written */
struct database {
	sqlite3 *db;		/* the connection */
	const char *name;	/* name of the file for messages */
	bool failed;		/* an error was reported; nothing more is written */
};

/* a statement that inserts rows */
struct insert {
	struct database *d;		/* the database */
	sqlite3_stmt *statement;	/* the statement; NULL after an error */
	int next;			/* number of the next column, from 1 on */
};

/**
 * database_open() - open an empty file, and begin the transaction
 * @d: set; the caller calls database_close() later, also after a failure
 * @path: the file
 * @name: its name for messages
 *
 * Return: false, with a message, on failure.
 */
bool database_open(struct database *d, const char *path, const char *name);

/**
 * database_close() - end the transaction, and close the file
 * @d: the database; all statements were finished
 *
 * Return: whether everything was written; otherwise a message was printed.
 */
bool database_close(struct database *d);

/** database_run() - run statements; false, with a message, on failure */
bool database_run(struct database *d, const char *sql);

/**
 * insert_begin() - prepare to insert rows
 * @i: set; the caller calls insert_end() later
 * @d: the database
 * @table: name of the table
 * @columns: names of the columns, separated by commas
 *
 * Each function below sets the next column of the row. insert_row() then adds the row. After
 * an error, they do nothing.
 */
void insert_begin(struct insert *i, struct database *d, const char *table,
		  const char *columns);

/** insert_number() - set a column to a number; above 63 bits to a text "0x..." */
void insert_number(struct insert *i, uint64_t n);

/** insert_signed() - set a column to a number that may be negative */
void insert_signed(struct insert *i, int64_t n);

/** insert_real() - set a column to a real number */
void insert_real(struct insert *i, double n);

/** insert_hex() - set a column to a text "0x..." */
void insert_hex(struct insert *i, uint64_t n);

/** insert_text() - set a column to a text; NULL: as insert_null() */
void insert_text(struct insert *i, const char *text);

/** insert_null() - set a column to NULL */
void insert_null(struct insert *i);

/** insert_row() - add the row, and begin the next one; false after an error */
bool insert_row(struct insert *i);

/** insert_end() - undo insert_begin(); all zeros are allowed */
void insert_end(struct insert *i);

#endif /* DATABASE_H */
