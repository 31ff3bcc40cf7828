// SPDX-License-Identifier: GPL-2.0-only
/*
 * Permissions. Only root can use the files; root of a user namespace cannot, even if
 * debugfs is accessible for all. Only CAP_SYS_ADMIN allows switching accounting. Files
 * that others can read contain no kernel address.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kmt_test.h"

#define NOBODY	  65534
#define FILES_MAX 1000
#define SYSCTL	  "/proc/sys/vm/mem_profiling"
#define MODULE	  "/sys/module/kmemtrace"

static char *files[FILES_MAX];
static int count, wrong;

/* --- the files -------------------------------------------------------------- */

static void check_owner(const char *path, const struct stat *st)
{
	mode_t mode = st->st_mode & 07777;

	if ((mode == 0400 || mode == 0600 || mode == 0200) && !st->st_uid && !st->st_gid)
		return;
	test_note("%s: mode %o, of %u:%u", path, mode, st->st_uid, st->st_gid);
	wrong++;
}

static int add_file(const char *path, const struct stat *st, int type,
		    struct FTW *ftw)
{
	(void)ftw;
	if (type != FTW_F || count == FILES_MAX)
		return 0;
	check_owner(path, st);
	files[count++] = strdup(path);
	return 0;
}

static void find_files(void)
{
	struct stat st;

	nftw(KMT_DIR, add_file, 16, FTW_PHYS);
	if (!stat("/proc/allocinfo", &st))
		add_file("/proc/allocinfo", &st, FTW_F, NULL);
	test_result(count > 60 && count < FILES_MAX && !wrong,
		    "%d files are for root only", count);
}

/* --- users ------------------------------------------------------------------ */

static bool become_nobody(void)
{
	return !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	       !setresuid(NOBODY, NOBODY, NOBODY);
}

static bool become_root_of_namespace(void)
{
	/* else a process that has changed its user does not own its files in /proc */
	return become_nobody() && !prctl(PR_SET_DUMPABLE, 1) &&
	       !unshare(CLONE_NEWUSER) &&
	       !file_set("/proc/self/uid_map", "0 65534 1") && !getuid();
}

static bool lose_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct none[2] = { 0 };

	return !syscall(SYS_capset, &header, none);
}

/* Run it as another user. Return: its result, up to 254; 255 on an error. */
static int as(bool (*become)(void), int (*run)(int), int arg)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(become() ? run(arg) : 255);
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 255;
	return WEXITSTATUS(status);
}

/* --- attempts --------------------------------------------------------------- */

static int open_all(int how)
{
	struct stat st;
	int i, opened = 0;

	for (i = 0; i < count && opened < 254; i++) {
		/* the directories must be accessible: the modes of files are tested */
		if (stat(files[i], &st)) {
			test_note("%s cannot be reached", files[i]);
			opened++;
		}
		if (open(files[i], how) >= 0) {
			test_note("%s can be opened", files[i]);
			opened++;
		}
	}
	return opened;
}

static int open_sysctl(int how)
{
	return open(SYSCTL, how) >= 0;
}

static int write_sysctl(int unused)
{
	(void)unused;
	return -file_set(SYSCTL, "0");
}

/* --- addresses -------------------------------------------------------------- */

/* 16 hexadecimal digits that begin with ff are an address of the kernel. */
static bool has_address(const char *text)
{
	const char *p = text;

	while ((p = strstr(p, "ff"))) {
		if (strspn(p, "0123456789abcdef") >= 16)
			return true;
		p += strspn(p, "f");
	}
	return false;
}

static int leaks;

static int look_for_address(const char *path, const struct stat *st, int type,
			    struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type == FTW_F && has_address(file_text(path))) {
		test_note("an address in %s", path);
		leaks++;
	}
	return 0;
}

static int look_everywhere(int unused)
{
	struct stat st;

	(void)unused;
	nftw(MODULE, look_for_address, 16, FTW_PHYS);
	look_for_address(SYSCTL, &st, FTW_F, NULL);
	return leaks;
}

static bool log_has_address(void)
{
	static char log[1 << 20];
	int len = klogctl(3, log, sizeof(log) - 1), said = 0;
	char *line, *rest = log;

	log[len > 0 ? len : 0] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		if (!strstr(line, "kmemtrace: "))
			continue;
		said++;
		if (has_address(line)) {
			test_note("%s", line);
			return true;
		}
	}
	return !said;
}

/* --- the test --------------------------------------------------------------- */

static void test_files(const char *who, bool (*become)(void))
{
	test_result(!as(become, open_all, O_RDONLY), "%s can read no file", who);
	test_result(!as(become, open_all, O_WRONLY), "%s can write no file", who);
	test_result(as(become, open_sysctl, O_RDONLY) == 1 &&
			    !as(become, open_sysctl, O_WRONLY),
		    "%s can read mem_profiling and cannot write it", who);
}

static void test_namespace(void)
{
	static const char who[] = "root of a user namespace";
	int i;

	if (!access("/proc/self/ns/user", F_OK)) {
		test_files(who, become_root_of_namespace);
		return;
	}
	for (i = 0; i < 3; i++)
		test_skip(who, "this kernel has no user namespaces");
}

int main(void)
{
	test_plan(13);
	test_result(!module_load("debug=1"), "the module loads");
	client_load();
	client_run("kmalloc 100 10");
	/* as on some machines; the modes of the files must suffice */
	mount(NULL, "/sys/kernel/debug", NULL, MS_REMOUNT, "mode=755");
	find_files();
	test_files("nobody", become_nobody);
	test_namespace();
	test_result(as(lose_capabilities, write_sysctl, 0) == EPERM &&
			    !strcmp(file_text(SYSCTL), "1\n"),
		    "root without CAP_SYS_ADMIN cannot switch accounting");
	test_result(!as(become_nobody, look_everywhere, 0),
		    "files that others can read have no kernel address");
	test_result(has_address("at ff303f73425b3240\n") &&
			    !has_address("off 0xfff, ffffffff"),
		    "the test detects an address");
	test_result(!log_has_address(), "the kernel log has no kernel address");
	client_unload();
	test_result(!module_unload(), "the module unloads");
	mount(NULL, "/sys/kernel/debug", NULL, MS_REMOUNT, "mode=700");
	return test_exit();
}
