// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code tags of another module: they are listed before they are used; the innermost hook
 * is in effect, in tasks and interrupts; memory that the module leaks is reported.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kmt_test.h"

#define SIZE 200 /* of an object; see tests/kmod/kmt_tags.c */

static long object; /* bytes that an object takes */

static bool is(const char *function, int objects)
{
	struct tag t = tag_get(function);

	if (t.objects == objects && t.bytes == objects * object &&
	    t.requested == objects * SIZE)
		return true;
	test_note("%s: %lld objects, %lld bytes, not %d", function, t.objects,
		  t.bytes, objects);
	return false;
}

int main(void)
{
	const char *info;
	char leak[64];
	double end;

	test_plan(18);
	object = kmalloc_bytes(SIZE);
	test_result(!module_load(""), "the module loads");
	test_result(!tags_load(), "a module with tags loads");
	info = file_text("/proc/allocinfo");
	test_result(strstr(info, "[kmt_tags] func:tags_unused \n") &&
			    strstr(info, "[kmt_tags] func:tags_simple \n"),
		    "its tags are listed before they are used");
	tags_run("simple 100");
	test_result(is("tags_simple", 100) && is("tags_make", 0),
		    "a hook is charged with the allocations of its call");
	tags_run("nested 50");
	test_result(is("tags_outer", 50) && is("tags_inner", 50),
		    "the innermost hook is in effect");
	tags_run("record");
	tags_run("charge 70");
	test_result(is("tags_record", 70) && is("tags_charge", 0),
		    "a tag is kept and charged later");
	tags_run("irq 40");
	test_result(is("tags_irq", 40), "a hook works in an interrupt");
	test_result(is("tags_interrupted", 0) && is("tags_make", 40),
		    "... the hook of the interrupted task is not charged");
	tags_run("migrate 200");
	test_result(is("tags_migrate", 200), "a hook moves with its task");
	tags_run("pages 30");
	test_result(tag_get("tags_pages").bytes == 30 * 4096, "a hook is charged with pages");
	/* since v6.18, the first object of a cache makes the kernel allocate a sheaf */
	tags_run("cache 30");
	test_result(tag_get("tags_cache").objects == 30,
		    "a hook is not charged with what the allocator needs for itself");
	tags_run("free");
	test_result(is("tags_simple", 0) && is("tags_outer", 0) &&
			    is("tags_inner", 0) && is("tags_record", 0) &&
			    is("tags_irq", 0) && is("tags_migrate", 0) &&
			    is("tags_make", 0) && is("tags_pages", 0) &&
			    is("tags_cache", 0),
		    "live figures of all tags return to zero");

	tags_run("simple 10");
	tags_run("pages 2");
	test_result(module_unload() != 0,
		    "kmemtrace cannot be unloaded while a module uses it");
	file_set("/sys/module/kmt_tags/parameters/leak", "1");
	test_result(!tags_unload(), "a module that leaks is unloaded");
	/* the leaks are reported some seconds later */
	end = test_seconds() + 60;
	while (stat_get("unload_leaks") < 2 && test_seconds() < end)
		usleep(100000);
	test_result(stat_get("unload_leaks") == 2 &&
			    stat_get("unload_leaked_bytes") ==
				    10ul * object + 2 * 4096,
		    "... stats count its leaks");
	snprintf(leak, sizeof(leak),
		 "\nunload_leak %ld bytes 10 objects oldest_s ", 10 * object);
	test_result(strstr(control_text("stats"), leak) &&
			    strstr(control_text("stats"),
				   "[kmt_tags] func:tags_pages\n"),
		    "... stats list each leak with its tag");
	test_result(is("tags_simple (unloaded) #1", 10),
		    "... the leaked objects stay in the file tags");
	test_result(!module_unload(), "the module unloads");
	return test_exit();
}
