/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests in the guest share: KTAP, the modules, the control files,
 * and reading every CPU's records.
 */
#ifndef KMT_TEST_H
#define KMT_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "kmt_record.h"

#define KMT_DIR "/sys/kernel/debug/kmemtrace/"

/** test_plan() - start KTAP; @n tests are to come */
void test_plan(int n);

/** test_result() - "ok" or "not ok", with a name */
void test_result(bool ok, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** test_skip() - "ok N name # SKIP why" */
void test_skip(const char *name, const char *why);

/** test_note() - a line of diagnostics */
void test_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** test_exit() - exit code: 0, or 1 if a test failed or the plan was not kept */
int test_exit(void);

/** test_seconds() - on a clock of its own */
double test_seconds(void);

/**
 * test_scaled() - how many of something a slow machine is to do
 * @count: how many there should be
 * @done: so many were done
 * @since: from this moment of test_seconds() on
 * @seconds: that all may take
 *
 * Return: @count, or as many as there is time for; that is said.
 */
int test_scaled(int count, int done, double since, double seconds);

/** test_cpus() - CPUs that are online */
int test_cpus(void);

/** module_load() - load kmemtrace.ko with parameters; 0 or -errno */
int module_load(const char *params);

/** module_load_debug() - the same for the build with KMT_DEBUG (Kbuild) */
int module_load_debug(const char *params);

/** module_unload() - 0 or -errno */
int module_unload(void);

/** client_load() - load the client module; 0 or -errno */
int client_load(void);

/** client_unload() - 0 or -errno */
int client_unload(void);

/** client_run() - tell the client what to do; 0 or -errno */
int client_run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** control_set() - write a control file; 0 or -errno */
int control_set(const char *name, const char *value);

/** control_get() - read a control file that holds a number */
uint64_t control_get(const char *name);

/** control_text() - read a control file; static memory; "" if it fails */
const char *control_text(const char *name);

/** file_set() - write any file; 0 or -errno */
int file_set(const char *path, const char *text);

/** file_text() - the same for any file; the same static memory */
const char *file_text(const char *path);

/** files_each() - visit each file of a directory, and of those in it */
void files_each(const char *dir, void (*visit)(const char *path));

/**
 * kmalloc_bytes() - what a kmalloc() takes, as the kernel says
 * @size: bytes that are requested
 *
 * Return: the distance of two objects in the slabs of its cache, which debugging
 * makes larger than the object; or whole pages, if no cache is as large.
 */
long kmalloc_bytes(size_t size);

/** cache_bytes() - the same distance in a cache; 0 if there is no such cache */
long cache_bytes(const char *cache);

/**
 * struct tag - rows of the file tags
 * @rows: how many there are for a function; all below is summed over them
 * @bytes: live
 * @objects: live
 * @requested: bytes live, as requested
 * @allocs: since the start
 * @frees: since the start
 * @peak: bytes
 * @oldest_ms: age of the oldest live object of the last row
 */
struct tag {
	int rows;
	long long bytes;
	long long objects;
	long long requested;
	unsigned long long allocs;
	unsigned long long frees;
	unsigned long long peak;
	unsigned long long oldest_ms;
};

/** tag_get() - what is accounted for a function */
struct tag tag_get(const char *function);

/** tags_load() - load the module with tags of its own; 0 or -errno */
int tags_load(void);

/** tags_unload() - 0 or -errno */
int tags_unload(void);

/** tags_run() - tell it what to do; 0 or -errno */
int tags_run(const char *what);

/** fire_load() - load the module that fires events; 0 or -errno */
int fire_load(void);

/** fire_unload() - 0 or -errno */
int fire_unload(void);

/** nmi_load() - load the module that fires events in NMIs; 0 or -errno */
int nmi_load(void);

/** nmi_unload() - 0 or -errno */
int nmi_unload(void);

/** stat_get() - a counter of the file stats */
uint64_t stat_get(const char *name);

/**
 * struct record - one record of some CPU
 * @ev: decoded
 * @dec: what else was found
 * @cpu: whose
 * @size: bytes
 * @depth: return addresses in its stack
 * @first: the innermost of them
 */
struct record {
	struct kmt_event ev;
	struct kmt_decoded dec;
	int cpu;
	int size;
	int depth;
	uint64_t first;
};

/**
 * struct records - what was read
 * @rec: in the order of reading; records_sort() orders them by number
 * @count: how many
 * @room: for how many there is memory
 * @broken: streams that could not be decoded
 * @disorder: records that did not come after the one before on their CPU
 */
struct records {
	struct record *rec;
	size_t count;
	size_t room;
	int broken;
	int disorder;
};

/**
 * stream_open() - open the records of a CPU
 * @cpu: whose
 *
 * Return: a descriptor to read from, or -errno.
 */
int stream_open(int cpu);

/** readers_start() - a pinned thread for each CPU that reads all the time */
void readers_start(void);

/** readers_stop() - read what is left; recording is off; gives the records */
struct records readers_stop(void);

/** records_sort() - by sequence number, which may wrap */
void records_sort(struct records *r);

/** records_free() - free */
void records_free(struct records *r);

/** records_missing() - numbers missing from @from up to @to, sorted records */
uint64_t records_missing(const struct records *r, uint32_t from, uint32_t to);

/** symbol_name() - function of kmt_client that an address is in, or "" */
const char *symbol_name(uint64_t addr);

/** is_client_alloc() - whether a record is of what kmt_client's "kmalloc" allocates */
bool is_client_alloc(const struct kmt_event *ev);

/** is_client_free() - whether a record is of what it frees with kfree() */
bool is_client_free(const struct kmt_event *ev);

/** symbols_forget() - the client was loaded anew, and may lie elsewhere */
void symbols_forget(void);

/** pin_to() - run on one CPU; false if that cannot be */
bool pin_to(int cpu);

/** cpu_set_online() - take a CPU offline, or back; 0 or -errno */
int cpu_set_online(int cpu, bool online);

/** cpu_is_online() - whether it is just then */
bool cpu_is_online(int cpu);

/** kernel_memory_kb() - slabs, vmalloc and percpu memory of the whole kernel */
long kernel_memory_kb(void);

#endif /* KMT_TEST_H */
