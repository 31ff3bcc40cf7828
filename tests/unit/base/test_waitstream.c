// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/outfile.h"
#include "tempdir.h"

#define BYTES	(1 << 20)
#define WAIT_MS 100

static struct waitstream stream;
static FILE *out;
static int ends[2];
static unsigned int asked;

static bool never(void *arg, unsigned int ms)
{
	(void)ms;
	__atomic_add_fetch((unsigned int *)arg, 1, __ATOMIC_RELAXED);
	return false;
}

static bool after_a_while(void *arg, unsigned int ms)
{
	++*(unsigned int *)arg;
	return ms >= WAIT_MS;
}

static void begin(bool (*gives_up)(void *arg, unsigned int ms))
{
	ck_assert_int_eq(pipe(ends), 0);
	stream = (struct waitstream){ .fd = ends[1] };
	out = waitstream_open(&stream);
	ck_assert_ptr_nonnull(out);
	stream.gives_up = gives_up;
	stream.arg = &asked;
	asked = 0;
}

static void *read_later(void *arg)
{
	size_t *sum = arg;
	uint8_t data[5000];
	ssize_t n, i;

	while (__atomic_load_n(&asked, __ATOMIC_RELAXED) < 2)
		usleep(1000);
	while ((n = read(ends[0], data, sizeof(data))) > 0)
		for (i = 0; i < n; i++)
			sum[data[i]]++;
	return NULL;
}

START_TEST(a_slow_reader_gets_all)
{
	static uint8_t data[BYTES];
	size_t sum[256] = { 0 };
	pthread_t reader;
	int i;

	for (i = 0; i < BYTES; i++)
		data[i] = i;
	begin(never);
	ck_assert_int_eq(pthread_create(&reader, NULL, read_later, sum), 0);
	ck_assert_uint_eq(fwrite(data, 1, BYTES, out), BYTES);
	ck_assert_int_eq(fclose(out), 0);
	/* the descriptor is still open */
	ck_assert_int_eq(close(ends[1]), 0);
	pthread_join(reader, NULL);
	for (i = 0; i < 256; i++)
		ck_assert_uint_eq(sum[i], BYTES / 256);
	ck_assert_uint_gt(asked, 1);
}
END_TEST

START_TEST(a_reader_that_stopped_is_given_up)
{
	static const uint8_t data[BYTES];

	begin(after_a_while);
	errno = 0;
	ck_assert_uint_ne(fwrite(data, 1, BYTES, out), BYTES);
	ck_assert_int_eq(errno, ECANCELED);
	ck_assert(stream.has_given_up);
	ck_assert_uint_ge(asked, 2);
	/* even if there is room again, and without a further question */
	asked = 0;
	ck_assert_int_gt(read(ends[0], (uint8_t[9000]){ 0 }, 9000), 0);
	ck_assert(fputc(1, out) == EOF || fflush(out));
	ck_assert_int_eq(errno, ECANCELED);
	ck_assert_uint_eq(asked, 0);
	fclose(out);
}
END_TEST

START_TEST(a_reader_that_has_ended_is_an_error)
{
	begin(never);
	signal(SIGPIPE, SIG_IGN);
	close(ends[0]);
	errno = 0;
	fputc(1, out);
	ck_assert_int_eq(fclose(out), EOF);
	ck_assert_int_eq(errno, EPIPE);
}
END_TEST

START_TEST(a_plain_file_never_waits)
{
	FILE *file;

	tempdir_begin();
	file = fopen(tempdir_path("plain"), "w");
	ck_assert_ptr_nonnull(file);
	ck_assert(!waitstream_is_needed(fileno(file)));
	fclose(file);
	tempdir_end();
	begin(never);
	ck_assert(waitstream_is_needed(ends[1]));
	fclose(out);
}
END_TEST

UNIT_MAIN("waitstream", a_slow_reader_gets_all, a_reader_that_stopped_is_given_up,
	  a_reader_that_has_ended_is_an_error, a_plain_file_never_waits)
