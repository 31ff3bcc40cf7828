// SPDX-License-Identifier: GPL-2.0-only
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/msg.h"
#include "record/child.h"
#include "unit.h"

static int catch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static struct child start(const char *script)
{
	char *command[] = { "sh", "-c", (char *)script, NULL };
	struct child c = { 0 };

	ck_assert_int_eq(child_start(&c, command, false), EXIT_DONE);
	ck_assert_int_gt(c.pid, 0);
	return c;
}

static int code_of(const char *script)
{
	struct child c = start(script);

	while (!child_ended(&c))
		usleep(1000);
	ck_assert(!child_ended(&c));
	return child_exit_code(&c);
}

START_TEST(its_status)
{
	ck_assert_int_eq(code_of("exit 0"), 0);
	ck_assert_int_eq(code_of("exit 7"), 7);
	ck_assert_int_eq(code_of("kill -TERM $$"), 128 + SIGTERM);
}
END_TEST

START_TEST(a_command_that_cannot_be_run)
{
	char *command[] = { "/nowhere/command", NULL };
	struct child c = { 0 };

	ck_assert_int_eq(child_start(&c, command, false), EXIT_FAILED);
	ck_assert_int_eq(c.pid, 0);
	ck_assert_int_eq(child_start(&c, NULL, false), EXIT_DONE);
	ck_assert(!child_ended(&c));
	child_stop(&c, -1);
}
END_TEST

/* Start a command and wait for its first byte: it has then set its signal handlers. */
static struct child start_and_wait(const char *script)
{
	struct child c;
	int to[2], old = dup(STDOUT_FILENO);
	char byte;

	ck_assert_int_eq(pipe(to), 0);
	dup2(to[1], STDOUT_FILENO);
	c = start(script);
	dup2(old, STDOUT_FILENO);
	ck_assert_int_eq(read(to[0], &byte, 1), 1);
	return c;
}

START_TEST(is_stopped)
{
	int signals = catch_signals();
	struct child c = start_and_wait("echo; exec sleep 1000");

	child_stop(&c, signals);
	ck_assert_int_eq(c.pid, 0);
	ck_assert_int_eq(child_exit_code(&c), 128 + SIGTERM);
}
END_TEST

START_TEST(is_killed_if_it_ignores_sigterm)
{
	int signals = catch_signals();
	struct child c = start_and_wait("trap '' TERM; echo; exec sleep 1000");

	child_stop(&c, signals);
	ck_assert_int_eq(c.pid, 0);
	ck_assert_int_eq(child_exit_code(&c), 128 + SIGKILL);
}
END_TEST

START_TEST(a_signal_kills_it_at_once)
{
	int signals = catch_signals();
	struct child c = start_and_wait("trap '' TERM; echo; exec sleep 1000");

	kill(getpid(), SIGINT);
	child_stop(&c, signals);
	ck_assert_int_eq(child_exit_code(&c), 128 + SIGKILL);
	ck_assert(!child_interrupted(signals));
	kill(getpid(), SIGINT);
	ck_assert(child_interrupted(signals));
}
END_TEST

START_TEST(its_output_can_go_elsewhere)
{
	char *command[] = { "echo", "text", NULL };
	struct child c = { 0 };
	char text[8] = "";
	int to[2], old;

	ck_assert_int_eq(pipe(to), 0);
	old = dup(STDERR_FILENO);
	dup2(to[1], STDERR_FILENO);
	ck_assert_int_eq(child_start(&c, command, true), EXIT_DONE);
	ck_assert_int_eq(read(to[0], text, sizeof(text)), 5);
	dup2(old, STDERR_FILENO);
	ck_assert_str_eq(text, "text\n");
	while (!child_ended(&c))
		usleep(1000);
}
END_TEST

UNIT_MAIN("child", its_status, a_command_that_cannot_be_run, is_stopped,
	  is_killed_if_it_ignores_sigterm, a_signal_kills_it_at_once,
	  its_output_can_go_elsewhere)
