// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <unistd.h>

#include "export/database.h"
#include "unit.h"

/* Opens a database in a new file. */
static void begin(struct database *d, char *path)
{
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert(database_open(d, path, "name"));
	ck_assert(database_run(d, "CREATE TABLE t (a, b, c, d, e, f)"));
}

/* Compares the value of a query with one row and one column. */
static void check(const char *path, const char *sql, const char *expected)
{
	sqlite3_stmt *s;
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(s), SQLITE_ROW);
	ck_assert_str_eq((const char *)sqlite3_column_text(s, 0), expected);
	ck_assert_int_eq(sqlite3_finalize(s), SQLITE_OK);
	sqlite3_close(db);
}

START_TEST(values)
{
	char path[] = "/tmp/test_database.XXXXXX";
	struct database d;
	struct insert i;

	begin(&d, path);
	insert_begin(&i, &d, "t", "a,b,c,d,e,f");
	insert_number(&i, INT64_MAX);
	insert_number(&i, 1ull << 63);
	insert_signed(&i, -1);
	insert_hex(&i, 0);
	insert_text(&i, "a'b\"; DROP TABLE t");
	insert_text(&i, NULL);
	ck_assert(insert_row(&i));
	/* the next row has nothing of the previous one */
	insert_real(&i, 0.5);
	insert_null(&i);
	insert_null(&i);
	insert_null(&i);
	insert_null(&i);
	insert_null(&i);
	ck_assert(insert_row(&i));
	insert_end(&i);
	ck_assert(database_close(&d));
	check(path, "SELECT count(*) FROM t", "2");
	check(path, "SELECT a || ' ' || typeof(a) FROM t",
	      "9223372036854775807 integer");
	check(path, "SELECT b || ' ' || typeof(b) FROM t",
	      "0x8000000000000000 text");
	check(path, "SELECT c || ' ' || d FROM t", "-1 0x0");
	check(path, "SELECT e || ' ' || typeof(f) FROM t",
	      "a'b\"; DROP TABLE t null");
	check(path, "SELECT a || typeof(e) FROM t WHERE b IS NULL", "0.5null");
	unlink(path);
}
END_TEST

/* After an error, nothing more is written, and database_close() fails. */
START_TEST(errors)
{
	char path[] = "/tmp/test_database.XXXXXX";
	struct database d;
	struct insert i;

	begin(&d, path);
	insert_begin(&i, &d, "nowhere", "a");
	ck_assert(d.failed);
	insert_number(&i, 1);
	insert_real(&i, 1);
	insert_text(&i, "a");
	ck_assert(!insert_row(&i));
	insert_end(&i);
	ck_assert(!database_run(&d, "CREATE TABLE u (a)"));
	ck_assert(!database_close(&d));
	unlink(path);
	ck_assert(!database_open(&d, "/nowhere/database", "name"));
	ck_assert(!database_close(&d));
}
END_TEST

/* A constraint that a row violates is an error of insert_row(). */
START_TEST(constraint)
{
	char path[] = "/tmp/test_database.XXXXXX";
	struct database d;
	struct insert i;

	begin(&d, path);
	ck_assert(database_run(&d, "CREATE TABLE u (a PRIMARY KEY)"));
	insert_begin(&i, &d, "u", "a");
	insert_number(&i, 1);
	ck_assert(insert_row(&i));
	insert_number(&i, 1);
	ck_assert(!insert_row(&i));
	insert_end(&i);
	ck_assert(!database_close(&d));
	unlink(path);
}
END_TEST

UNIT_MAIN("database", values, errors, constraint)
