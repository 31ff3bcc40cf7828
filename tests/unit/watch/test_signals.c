// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "unit.h"
#include "watch/signals.h"

#define LONG_TIME 20.0

/**
 * struct terminal - a pseudoterminal
 * @master: the end that the user has
 * @slave: the end that the program has
 */
struct terminal {
	int master;
	int slave;
};

static void begin(struct terminal *t, struct signals *s)
{
	t->master = posix_openpt(O_RDWR | O_NOCTTY);
	ck_assert_int_ge(t->master, 0);
	ck_assert_int_eq(grantpt(t->master), 0);
	ck_assert_int_eq(unlockpt(t->master), 0);
	t->slave = open(ptsname(t->master), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(t->slave, 0);
	ck_assert(signals_open(s));
}

static void end(struct terminal *t, struct signals *s)
{
	signals_close(s);
	close(t->slave);
	close(t->master);
}

START_TEST(input)
{
	struct signals s;
	struct terminal t;

	begin(&t, &s);
	ck_assert_uint_eq(signals_wait(&s, t.slave, 0.01), 0);
	ck_assert_int_eq(write(t.master, "x\n", 2), 2);
	ck_assert_uint_eq(signals_wait(&s, t.slave, LONG_TIME), SIGNALS_INPUT);
	end(&t, &s);
}
END_TEST

/* It can be read as well: each read says that it ended. */
START_TEST(hung_up)
{
	struct signals s;
	struct terminal t;

	begin(&t, &s);
	close(t.master);
	t.master = -1;
	ck_assert_uint_eq(signals_wait(&s, t.slave, LONG_TIME), SIGNALS_END);
	end(&t, &s);
}
END_TEST

START_TEST(by_signal)
{
	static const int ends[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	struct signals s;
	struct terminal t;
	size_t i;

	/* the tests may run under nohup */
	signal(SIGHUP, SIG_DFL);
	begin(&t, &s);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		ck_assert_int_eq(raise(ends[i]), 0);
		ck_assert_uint_eq(signals_wait(&s, t.slave, LONG_TIME), SIGNALS_END);
	}
	ck_assert_int_eq(raise(SIGWINCH), 0);
	ck_assert_uint_eq(signals_wait(&s, t.slave, LONG_TIME), SIGNALS_RESIZE);
	end(&t, &s);
}
END_TEST

UNIT_MAIN("signals", input, hung_up, by_signal)
