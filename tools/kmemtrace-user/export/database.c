// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/msg.h"
#include "base/outbuf.h"
#include "export/database.h"

/* Prints the message of the first error. */
static void fail(struct database *d, int err)
{
	if (d->failed)
		return;
	d->failed = true;
	if (err == SQLITE_NOMEM || !d->db)
		die();
	msg_error("cannot write %s: %s", d->name, sqlite3_errmsg(d->db));
}

static bool database_check(struct database *d, int err)
{
	if (err != SQLITE_OK)
		fail(d, err);
	return !d->failed;
}

/*
 * The file has a temporary name and no readers, so SQLite locks nothing, keeps no journal,
 * and leaves it to the caller to flush the file to the disk. "unix-none" is the name of the
 * interface to files without locks.
 */
bool database_open(struct database *d, const char *path, const char *name)
{
	*d = (struct database){ .name = name };
	return database_check(d, sqlite3_open_v2(path, &d->db,
						 SQLITE_OPEN_READWRITE |
						SQLITE_OPEN_NOMUTEX,
					"unix-none")) &&
	       database_run(
		       d, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
			  "PRAGMA locking_mode = EXCLUSIVE; BEGIN");
}

bool database_close(struct database *d)
{
	if (!d->failed)
		database_run(d, "COMMIT");
	database_check(d, sqlite3_close(d->db));
	return !d->failed;
}

bool database_run(struct database *d, const char *sql)
{
	return !d->failed &&
	       database_check(d, sqlite3_exec(d->db, sql, NULL, NULL, NULL));
}

static size_t count_columns(const char *columns)
{
	size_t count = 1;

	for (; *columns; columns++)
		count += *columns == ',';
	return count;
}

void insert_begin(struct insert *i, struct database *d, const char *table,
		  const char *columns)
{
	size_t count = count_columns(columns), len;
	char sql[1024];

	*i = (struct insert){ .d = d, .next = 1 };
	if (d->failed)
		return;
	len = snprintf(sql, sizeof(sql), "INSERT INTO %s (%s) VALUES (", table,
		       columns);
	while (count-- && len < sizeof(sql))
		len += snprintf(sql + len, sizeof(sql) - len, "?%c",
				count ? ',' : ')');
	database_check(d, sqlite3_prepare_v2(d->db, sql, -1, &i->statement, NULL));
}

void insert_signed(struct insert *i, int64_t n)
{
	if (!i->d->failed)
		database_check(i->d, sqlite3_bind_int64(i->statement, i->next++, n));
}

void insert_number(struct insert *i, uint64_t n)
{
	if (n > INT64_MAX)
		insert_hex(i, n);
	else
		insert_signed(i, n);
}

void insert_real(struct insert *i, double n)
{
	if (!i->d->failed)
		database_check(i->d, sqlite3_bind_double(i->statement, i->next++, n));
}

static void database_put_text(struct insert *i, const char *text, size_t len)
{
	if (!i->d->failed)
		database_check(i->d, sqlite3_bind_text(i->statement, i->next++, text,
						       len, SQLITE_TRANSIENT));
}

void insert_hex(struct insert *i, uint64_t n)
{
	char text[OUTBUF_NUMBER];

	database_put_text(i, text, outbuf_hex(text, n));
}

void insert_text(struct insert *i, const char *text)
{
	if (text)
		database_put_text(i, text, strlen(text));
	else
		insert_null(i);
}

void insert_null(struct insert *i)
{
	if (!i->d->failed)
		database_check(i->d, sqlite3_bind_null(i->statement, i->next++));
}

bool insert_row(struct insert *i)
{
	i->next = 1;
	if (i->d->failed)
		return false;
	if (sqlite3_step(i->statement) != SQLITE_DONE)
		fail(i->d, sqlite3_errcode(i->d->db));
	/* repeats the error of sqlite3_step() */
	sqlite3_reset(i->statement);
	return !i->d->failed;
}

void insert_end(struct insert *i)
{
	sqlite3_finalize(i->statement);
	i->statement = NULL;
}
