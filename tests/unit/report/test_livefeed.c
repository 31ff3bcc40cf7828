// SPDX-License-Identifier: GPL-2.0-only
/*
 * script --follow without a file: records from a directory of plain files instead of the
 * files of the module, shows the events, and restores the settings.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "command.h"
#include "report/livefeed.h"
#include "moduledir.h"

#define EVENTS 50

static void begin(void)
{
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	moduledir_begin("1000\n", "time\n", "kmem:kfree\n");
	/* records that exist before the recording are dropped */
	tempdir_put("cpu0", "", 0);
}

/* Add records as soon as recording is on. */
static void make_events(void)
{
	uint8_t buf[EVENTS * KMT_RECORD_MAX], *end = buf;
	char on[2] = "0";
	uint32_t i;
	int fd;

	for (i = 0; i < EVENTS; i++) {
		struct kmt_event ev = unit_free(1000 + i, 0, 0x1000 + 64 * i);

		end = unit_put(end, &ev, 0);
	}
	while (on[0] != '1') {
		usleep(10000);
		fd = open(tempdir_path("enabled"), O_RDONLY);
		ck_assert_int_eq(read(fd, on, 1), 1);
		close(fd);
	}
	fd = open(tempdir_path("cpu0"), O_WRONLY | O_APPEND);
	ck_assert_int_eq(write(fd, buf, end - buf), end - buf);
	close(fd);
	fd = open(tempdir_path("sequence"), O_WRONLY);
	ck_assert_int_eq(write(fd, "1050\n", 5), 5);
	close(fd);
}

/* Run the command in a child. Return: the end of its output to read from. */
static int follow(pid_t *pid)
{
	const char *args[] = { "script", "--follow", "--fields", "common_seq,ptr", NULL };
	int fds[2], ret;

	ck_assert_int_eq(pipe(fds), 0);
	*pid = fork();
	if (!*pid) {
		/* that of Check kills the group, also of the test */
		signal(SIGTERM, SIG_DFL);
		signal(SIGPIPE, SIG_IGN);
		dup2(fds[1], STDOUT_FILENO);
		close(fds[0]);
		close(fds[1]);
		ret = cmd_script(4, (char **)args);
		_exit(ret);
	}
	close(fds[1]);
	return fds[0];
}

/* A write does not truncate a plain file, so only its first line is compared. */
static void is_unchanged(const char *name, const char *line)
{
	char now[64] = "";
	FILE *in = fopen(tempdir_path(name), "r");

	ck_assert_ptr_nonnull(in);
	ck_assert_ptr_nonnull(fgets(now, sizeof(now), in));
	fclose(in);
	ck_assert_str_eq(now, line);
}

/* Return: the exit status of the command; above 128: the signal that ended it. */
static int end_of(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	while (wait(NULL) > 0) /* its recorder may still restore the settings */
		;
	is_unchanged("features", "time\n");
	is_unchanged("enabled", "0\n");
	tempdir_end();
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The events are shown before the recording ends. SIGTERM ends it. */
START_TEST(events_are_shown_as_they_come)
{
	unsigned int seq, n = 0;
	char line[256];
	FILE *out;
	pid_t pid;

	begin();
	out = fdopen(follow(&pid), "r");
	make_events();
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), out)); /* names of columns */
	while (n < EVENTS && fgets(line, sizeof(line), out)) {
		ck_assert_int_eq(sscanf(line, " %u", &seq), 1);
		ck_assert_uint_eq(seq, 1000 + n++);
	}
	ck_assert_uint_eq(n, EVENTS);
	ck_assert_int_eq(kill(pid, SIGTERM), 0);
	ck_assert_ptr_null(fgets(line, sizeof(line), out));
	fclose(out);
	ck_assert_int_eq(end_of(pid), EXIT_DONE);
}
END_TEST

/* As with "| head": without a reader, the recording ends, and the settings are restored. */
START_TEST(it_ends_without_a_reader)
{
	char byte;
	pid_t pid;
	int fd;

	begin();
	fd = follow(&pid);
	make_events();
	ck_assert_int_eq(read(fd, &byte, 1), 1);
	close(fd);
	/* the command notices it when it has more to write, or is ended by the signal */
	tempdir_put_text("sequence", "1050\n");
	ck_assert_int_eq(kill(pid, SIGTERM), 0);
	ck_assert_int_ne(end_of(pid), EXIT_USAGE);
}
END_TEST

START_TEST(no_module)
{
	pid_t pid;
	int fd, status;
	char byte;

	setenv("KMEMTRACE_DIR", "/nowhere", 1);
	fd = follow(&pid);
	ck_assert_int_eq(read(fd, &byte, 1), 0);
	close(fd);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WEXITSTATUS(status), EXIT_FAILED);
}
END_TEST

UNIT_MAIN("livefeed", events_are_shown_as_they_come, it_ends_without_a_reader,
	  no_module)
