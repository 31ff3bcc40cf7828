// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/textfile.h"
#include "codetags/codecache.h"
#include "unit.h"

#define BUILD "0123456789abcdef"

static char dir[64];
static struct allocators allocators, others;
static struct codesites sites, got;
static bool is_same;

static void setup(void)
{
	strcpy(dir, "/tmp/test_codecache.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	allocators_init(&allocators, NULL);
	allocators_init(&others, "my_alloc\n");
}

static void teardown(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/" BUILD, dir);
	unlink(path);
	rmdir(dir);
	allocators_exit(&allocators);
	allocators_exit(&others);
	codesites_clear(&sites);
	codesites_clear(&got);
}

static void add(const char *section, uint64_t offset, const char *file)
{
	struct codesite site = {
		.address = 0xffffffff81000000 + offset,
		.offset = offset,
		.section = codesites_section(&sites, section),
		.line = 7,
		.file = (char *)file,
		.function = "f",
	};

	codesites_add(&sites, &site);
}

static void write_sites(void)
{
	add(".text", 0x12, "a.c");
	add(".text.unlikely", 0x4, "b.c");
	add(".text", 0x1234, "c.c");
	ck_assert_int_eq(codecache_write(dir, BUILD, &allocators, &sites), 0);
}

START_TEST(what_was_written_is_read)
{
	size_t i;

	setup();
	write_sites();
	ck_assert(codecache_read(dir, BUILD, &allocators, &got, &is_same));
	ck_assert(is_same);
	ck_assert_uint_eq(got.count, sites.count);
	for (i = 0; i < got.count; i++) {
		ck_assert_uint_eq(got.site[i].offset, sites.site[i].offset);
		ck_assert_uint_eq(got.site[i].address, 0);
		ck_assert_int_eq(got.site[i].line, 7);
		ck_assert_str_eq(got.site[i].file, sites.site[i].file);
		ck_assert_str_eq(got.site[i].function, "f");
		ck_assert_str_eq(got.section[got.site[i].section],
				 sites.section[sites.site[i].section]);
	}
	teardown();
}
END_TEST

START_TEST(a_build_without_calls)
{
	setup();
	ck_assert_int_eq(codecache_write(dir, BUILD, &allocators, &sites), 0);
	ck_assert(codecache_read(dir, BUILD, &allocators, &got, &is_same));
	ck_assert_uint_eq(got.count, 0);
	teardown();
}
END_TEST

START_TEST(other_functions)
{
	setup();
	write_sites();
	ck_assert(codecache_read(dir, BUILD, &others, &got, &is_same));
	ck_assert(!is_same);
	ck_assert_uint_eq(got.count, sites.count);
	teardown();
}
END_TEST

START_TEST(names_twice_are_the_same_functions)
{
	struct allocators twice;

	setup();
	allocators_init(&twice,
			"my_alloc\nkmem_cache_alloc_noprof\nmy_alloc\n");
	ck_assert_uint_eq(twice.id, others.id);
	ck_assert_uint_ne(twice.id, allocators.id);
	allocators_exit(&twice);
	teardown();
}
END_TEST

START_TEST(no_file_and_no_build_id)
{
	char path[600];

	setup();
	ck_assert(!codecache_read(dir, BUILD, &allocators, &got, &is_same));
	ck_assert(!codecache_read(NULL, BUILD, &allocators, &got, &is_same));
	ck_assert(!codecache_read(dir, "../" BUILD, &allocators, &got, &is_same));
	ck_assert_int_eq(codecache_write(dir, "../" BUILD, &allocators, &sites), 0);
	ck_assert_int_eq(codecache_write(dir, "", &allocators, &sites), 0);
	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	ck_assert_int_eq(codecache_write(path, BUILD, &allocators, &sites), -ENAMETOOLONG);
	teardown();
}
END_TEST

START_TEST(the_directory_and_its_parent_are_made)
{
	char deep[128], path[192];

	setup();
	snprintf(deep, sizeof(deep), "%s/one/two", dir);
	ck_assert_int_eq(codecache_write(deep, BUILD, &allocators, &sites), 0);
	ck_assert(codecache_read(deep, BUILD, &allocators, &got, &is_same));
	snprintf(path, sizeof(path), "%s/" BUILD, deep);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(rmdir(deep), 0);
	*strrchr(deep, '/') = '\0';
	ck_assert_int_eq(rmdir(deep), 0);
	snprintf(deep, sizeof(deep), "%s/one/two/three", dir);
	ck_assert_int_lt(codecache_write(deep, BUILD, &allocators, &sites), 0);
	teardown();
}
END_TEST

/* A copy that was cut off is refused, and never read beyond its end. */
START_TEST(files_that_end_early)
{
	char path[128], *text;
	size_t size, i;
	int fd;

	setup();
	write_sites();
	snprintf(path, sizeof(path), "%s/" BUILD, dir);
	text = textfile_read(AT_FDCWD, path, &size);
	ck_assert_ptr_nonnull(text);
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr)); /* one message each */
	for (i = 0; i < size; i++) {
		fd = open(path, O_WRONLY | O_TRUNC);
		ck_assert_int_eq(write(fd, text, i), (ssize_t)i);
		close(fd);
		ck_assert(!codecache_read(dir, BUILD, &allocators, &got, &is_same));
		codesites_clear(&got);
	}
	free(text);
	teardown();
}
END_TEST

UNIT_MAIN("codecache", what_was_written_is_read, a_build_without_calls, other_functions,
	  names_twice_are_the_same_functions, no_file_and_no_build_id,
	  the_directory_and_its_parent_are_made, files_that_end_early)
