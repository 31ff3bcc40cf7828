// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/die.h"
#include "base/msg.h"
#include "unit.h"

static char done[16]; /* what was undone */

static void note(void *arg)
{
	strcat(done, arg);
}

START_TEST(the_last_entry_is_undone_first)
{
	struct undo a, b, c, d, none = { 0 };

	undo_push(&a, note, "a");
	undo_push(&b, note, "b");
	undo_push(&c, note, "c");
	undo_push(&d, note, "d");
	undo_drop(&b);
	undo_drop(&b);
	undo_now(&none);
	ck_assert_str_eq(done, "");
	undo_now(&c);
	undo_now(&c);
	ck_assert_str_eq(done, "c");
	undo_all();
	ck_assert_str_eq(done, "cda");
	undo_all();
	ck_assert_str_eq(done, "cda");
	undo_push(&a, note, "a");
	undo_forget();
	undo_all();
	ck_assert_str_eq(done, "cda");
}
END_TEST

/* --- the end of a process ------------------------------------------------- */

static int told; /* a pipe */

static void tell(void *arg)
{
	ck_assert_int_eq(write(told, arg, 1), 1);
}

static void die_again(void *arg)
{
	tell(arg);
	die();
}

static void *run_out(void *arg)
{
	(void)arg;
	die();
}

/* Memory runs out in two threads at once, and again while the list is undone. */
static void die_in_threads(void)
{
	struct undo a, b, c;
	pthread_t threads[2];

	undo_push(&a, tell, "a");
	undo_push(&b, die_again, "b");
	undo_push(&c, tell, "c");
	pthread_create(&threads[0], NULL, run_out, NULL);
	pthread_create(&threads[1], NULL, run_out, NULL);
	pthread_join(threads[0], NULL);
}

/* The signal waits until undo_release(). */
static void get_signal(int number)
{
	struct undo a;

	undo_hold();
	undo_hold();
	raise(number);
	undo_release();
	undo_push(&a, tell, "a");
	tell("-");
	undo_release();
	tell("?");
}

/* Runs a function in a process. Return: its status, with what it told and its messages. */
static int run(void (*function)(void), int number, char *text, size_t size)
{
	int fds[2], status;
	ssize_t n, at = 0;
	pid_t pid;

	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		signal(number ? number : SIGHUP, SIG_DFL);
		told = fds[1];
		dup2(told, STDERR_FILENO);
		if (function)
			function();
		else
			get_signal(number);
		_exit(0);
	}
	close(fds[1]);
	while ((n = read(fds[0], text + at, size - 1 - at)) > 0)
		at += n;
	text[at] = '\0';
	close(fds[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

START_TEST(out_of_memory_undoes_once)
{
	char text[256];
	int status = run(die_in_threads, 0, text, sizeof(text));

	ck_assert_int_eq(WEXITSTATUS(status), EXIT_FAILED);
	ck_assert_str_eq(text, "cbakmemtrace-user: out of memory\n");
}
END_TEST

START_TEST(a_signal_undoes)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGTERM };
	char text[256];
	size_t i;

	for (i = 0; i < 3; i++) {
		int status = run(NULL, numbers[i], text, sizeof(text));

		ck_assert(WIFSIGNALED(status));
		ck_assert_int_eq(WTERMSIG(status), numbers[i]);
		ck_assert_str_eq(text, "-a");
	}
}
END_TEST

UNIT_MAIN("undo", the_last_entry_is_undone_first, out_of_memory_undoes_once,
	  a_signal_undoes)
