// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading and unloading under load, with open files, in every state, and with a failure
 * in each step of loading.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <unistd.h>

#include "kmt_test.h"

#define STEPS  30 /* the module has more */

static bool stop;

static void *load(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		client_run("kmalloc 100 101");
		client_run("pages 0 101");
		client_run("percpu 8 3");
	}
	return NULL;
}

static void check_rounds(void)
{
	int i, fd, held, err = 0, in_use = 0, rounds = test_quick() ? 8 : 50;

	for (i = 0; i < rounds && !err; i++) {
		char buf[4096];

		err = module_load_now(i % 2 ? "enable=yes" : "");
		if (!(i % 2))
			control_set("enabled", "1");
		usleep(1000 * (i % 7));
		fd = open(KMT_DIR "cpu0", O_RDONLY);
		if (fd >= 0) {
			pin_to(0);
			if (read(fd, buf, sizeof(buf)) < 0)
				err = err ? err : -errno;
			held = module_unload();
			in_use += held == -EAGAIN || held == -EBUSY;
			close(fd);
		}
		err = err ? err : module_unload();
	}
	if (err)
		test_note("round %d: %s", i, strerror(-err));
	test_result(!err, "loaded and unloaded %d times under load", rounds);
	test_result(in_use == rounds,
		    "the module cannot be unloaded while a file is open");
}

static void check_files(void)
{
	struct pollfd pfd = { .events = POLLIN };
	int first, second, other, cpu = test_cpus() - 1;
	uint8_t buf[4096];
	ssize_t n;

	module_load("");
	first = open(KMT_DIR "cpu0", O_RDONLY);
	second = open(KMT_DIR "cpu0", O_RDONLY);
	test_result(first >= 0 && second < 0 && errno == EBUSY,
		    "a second reader is refused");
	control_set("enabled", "1");
	test_result(control_set("buffer_size_kb", "512") == -EBUSY,
		    "buffers cannot be resized while recording is on");
	pin_to(0);
	while (read(first, buf, sizeof(buf)) > 0)
		;
	client_run("kmalloc 100 1");
	pfd.fd = first;
	n = poll(&pfd, 1, 0);
	test_result(n == 0 && read(first, buf, sizeof(buf)) >= 24 + 48,
		    "a record can be read although poll() does not report it yet");
	client_run("kmalloc 100 1");
	test_result(read(first, buf, 8) == -1 && errno == EINVAL,
		    "a read too small for a record is refused");
	if (cpu) {
		pin_to(cpu);
		n = read(first, buf, sizeof(buf));
		test_result(n < 0 && errno == EXDEV, "reading on another CPU is refused");
	} else {
		test_skip("reading on another CPU is refused", "there is only one CPU");
	}
	control_set("enabled", "0");
	test_result(read(first, buf, sizeof(buf)) >= 0,
		    "... it works when recording is off");
	close(first);
	test_result(!control_set("buffer_size_kb", "512") &&
			    control_get("buffer_size_kb") == 512,
		    "buffers can be resized");
	other = open(KMT_DIR "cpu0", O_RDONLY);
	test_result(other >= 0, "... cpu0 can be opened again");
	close(other);
	module_unload();
}

/* Try to open a file of the module. */
static void *open_file(void *arg)
{
	int *opened = arg, fd;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		fd = open(KMT_DIR "stats", O_RDONLY);
		if (fd < 0)
			continue;
		(*opened)++;
		usleep(100000);
		close(fd); /* if the module is gone, the kernel crashes here */
	}
	return NULL;
}

/* The files exist before the last step of loading fails. */
static void check_no_file(int last)
{
	int i, opened = 0, failed = 0;
	pthread_t thread;
	char params[32];

	snprintf(params, sizeof(params), "fail_step=%d", last);
	__atomic_store_n(&stop, false, __ATOMIC_RELAXED);
	pthread_create(&thread, NULL, open_file, &opened);
	for (i = 0; i < 10; i++)
		failed += module_load_debug(params) == -EINTR;
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	test_result(failed == 10 && !opened, "... no file can be opened meanwhile");
}

/*
 * Let each step fail, until there is no step with the number. No file may be left, and the
 * module must load afterwards.
 */
static void check_steps(void)
{
	int step, err, wrong = 0;
	char params[32];

	if (test_quick()) {
		test_skip("each step fails and is undone", "it takes minutes");
		test_skip("... no file can be opened meanwhile", "no step fails");
		return;
	}
	for (step = 1;; step++) {
		snprintf(params, sizeof(params), "fail_step=%d", step);
		err = module_load_debug(params);
		if (err != -EINTR)
			break;
		if (!access(KMT_DIR, F_OK) || module_load_now("") || module_unload()) {
			test_note("after step %d", step);
			wrong++;
		}
	}
	test_note("step %d: %s", step, err ? strerror(-err) : "there is none");
	test_result(!err && !module_unload() && !wrong && step > STEPS,
		    "each of %d steps or more fails and is undone", STEPS);
	check_no_file(step - 1);
}

static void check_parameters(void)
{
	static const char *const absurd[] = {
		"subbufs=1",
		"subbufs=4000000000",
		"subbuf_size=1",
		"subbuf_size=99999999999",
		"subbufs=60000 subbuf_size=1048576",
		"subbufs=-1",
		"enable=perhaps",
	};
	size_t i;
	int err;

	for (i = 0; i < sizeof(absurd) / sizeof(absurd[0]); i++) {
		static char log[1 << 18];
		char name[16] = "";
		int n;

		klogctl(5, NULL, 0); /* clear */
		err = module_load(absurd[i]);
		n = klogctl(3, log, sizeof(log) - 1);
		log[n > 0 ? n : 0] = '\0';
		sscanf(absurd[i], "%15[^=]", name);
		test_result(err < 0 && access(KMT_DIR, F_OK) && strstr(log, name),
			    "refused, with a line in the log: %s", absurd[i]);
		if (!err)
			module_unload();
	}
}

static void check_bad_writes(void)
{
	static const struct {
		const char *file, *text;
	} bad[] = {
		{ "enabled", "perhaps" },     { "features", "bogus" },
		{ "set_event", "nosuch" },    { "buffer_size_kb", "many" },
		{ "buffer_size_kb", "0" },    { "buffer_size_kb", "99999999999" },
		{ "set_event", "kmem:nosuch" }, { "features", "+" },
	};
	size_t i;
	int err;

	module_load("");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err = control_set(bad[i].file, bad[i].text);
		test_result(err == -EINVAL, "%s refuses '%s'", bad[i].file,
			    bad[i].text);
	}
	module_unload();
}

int main(void)
{
	pthread_t thread;

	test_plan(1 + 2 + 8 + 2 + 7 + 8 + 1);
	test_result(!client_load(), "the client loads");
	pthread_create(&thread, NULL, load, NULL);
	check_rounds();
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	check_files();
	check_steps();
	check_parameters();
	check_bad_writes();
	test_result(!client_unload(), "the client unloads");
	return test_exit();
}
