/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions for the tests in the guest: KTAP, the modules, the control files, and
 * reading the records of all CPUs.
 */
#ifndef KMT_TEST_H
#define KMT_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "kmt_record.h"

#define KMT_DIR "/sys/kernel/debug/kmemtrace/"

/** test_plan() - start KTAP with a plan of @n results */
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

/** test_quick() - whether the test is to be short (QUICK=1), for make check */
bool test_quick(void);

/** test_seconds() - the time of CLOCK_MONOTONIC in seconds */
double test_seconds(void);

/**
 * test_scaled() - reduce the number of repetitions on a slow machine
 * @count: the number for a fast machine
 * @done: repetitions done as a measurement
 * @since: test_seconds() when these began
 * @seconds: time limit in seconds
 *
 * Return: @count, or, with a note, the number that fits into @seconds, but at least 1/20 of
 * @count.
 */
int test_scaled(int count, int done, double since, double seconds);

/** test_cpus() - number of CPUs that are online */
int test_cpus(void);

/** survey_wait() - wait until the survey has ended, if there is one */
void survey_wait(void);

/** module_load_now() - load kmemtrace.ko with parameters; 0 or -errno */
int module_load_now(const char *params);

/** module_load() - module_load_now() and survey_wait() */
int module_load(const char *params);

/** module_load_debug() - the same for the build with KMT_DEBUG (Kbuild) */
int module_load_debug(const char *params);

/** module_unload() - unload kmemtrace; 0 or -errno */
int module_unload(void);

/** client_load() - load the client module; 0 or -errno */
int client_load(void);

/** client_unload() - unload the client module; 0 or -errno */
int client_unload(void);

/** client_run() - write a command to the client module; 0 or -errno */
int client_run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** control_set() - write a control file; 0 or -errno */
int control_set(const char *name, const char *value);

/** control_get() - read a control file that holds a number */
uint64_t control_get(const char *name);

/** control_text() - read a control file into static memory; "" on an error */
const char *control_text(const char *name);

/** file_set() - write any file; 0 or -errno */
int file_set(const char *path, const char *text);

/** file_text() - as control_text(), for any file; uses the same static memory */
const char *file_text(const char *path);

/** files_each() - visit each file of a directory and its subdirectories */
void files_each(const char *dir, void (*visit)(const char *path));

/**
 * kmalloc_bytes() - bytes that a kmalloc() takes, according to the kernel
 * @size: requested bytes
 *
 * Return: the distance of two objects in the slabs of its cache, which includes red
 * zones; or whole pages, if no cache has so large objects.
 */
long kmalloc_bytes(size_t size);

/** cache_bytes() - distance of two objects in a cache; 0 if there is no such cache */
long cache_bytes(const char *cache);

/**
 * struct tag - the sum of the rows of a function in the file tags
 * @rows: number of rows
 * @bytes: live bytes
 * @objects: live objects
 * @requested: requested bytes of the live objects
 * @allocs: allocations since the start
 * @frees: frees since the start
 * @peak: sum of the peaks in bytes
 * @oldest_ms: age of the oldest live object of the last row, in ms
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

/** tag_get() - read the figures of a function in the file tags */
struct tag tag_get(const char *function);

/** tags_load() - load the module with tags of its own; 0 or -errno */
int tags_load(void);

/** tags_unload() - unload it; 0 or -errno */
int tags_unload(void);

/** tags_run() - write a command to it; 0 or -errno */
int tags_run(const char *what);

/** fire_load() - load the module that fires events; 0 or -errno */
int fire_load(void);

/** fire_unload() - unload it; 0 or -errno */
int fire_unload(void);

/** nmi_load() - load the module that fires events in NMIs; 0 or -errno */
int nmi_load(void);

/** nmi_unload() - unload it; 0 or -errno */
int nmi_unload(void);

/** stat_get() - a counter of the file stats */
uint64_t stat_get(const char *name);

/**
 * struct record - one decoded record
 * @ev: the event
 * @dec: the other results of decoding
 * @cpu: CPU that it is from
 * @size: size of the record in bytes
 * @depth: number of return addresses in its stack
 * @first: the innermost return address
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
 * struct records - the records that were read
 * @rec: the records in the order of reading; records_sort() sorts them
 * @count: number of records
 * @room: number of records that there is memory for
 * @broken: number of streams that could not be decoded
 * @disorder: number of records with a lower number than the one before on their CPU
 */
struct records {
	struct record *rec;
	size_t count;
	size_t room;
	int broken;
	int disorder;
};

/**
 * stream_open() - open cpu<n>
 * @cpu: number of the CPU
 *
 * Return: a file descriptor, or -errno.
 */
int stream_open(int cpu);

/** readers_start() - start a thread for each CPU, pinned to it, that reads its stream */
void readers_start(void);

/** readers_stop() - read the rest and end the threads; call it when recording is off */
struct records readers_stop(void);

/** records_sort() - sort by sequence number, which may wrap */
void records_sort(struct records *r);

/** records_free() - free the records */
void records_free(struct records *r);

/** records_missing() - count numbers from @from to before @to that no record has */
uint64_t records_missing(const struct records *r, uint32_t from, uint32_t to);

/** symbol_name() - function of kmt_client that an address is in, or "" */
const char *symbol_name(uint64_t addr);

/** is_client_alloc() - whether an event is from client_kmalloc_alloc() */
bool is_client_alloc(const struct kmt_event *ev);

/** is_client_free() - whether an event is from client_kmalloc_free() */
bool is_client_free(const struct kmt_event *ev);

/** symbols_forget() - call it when the client was loaded again, at other addresses */
void symbols_forget(void);

/** pin_to() - pin this thread to a CPU; false on an error */
bool pin_to(int cpu);

/** cpu_set_online() - take a CPU online or offline; 0 or -errno */
int cpu_set_online(int cpu, bool online);

/** cpu_is_online() - whether a CPU is online */
bool cpu_is_online(int cpu);

/** kernel_memory_kb() - slabs, vmalloc and per-CPU memory of the kernel, in KiB */
long kernel_memory_kb(void);

#endif /* KMT_TEST_H */
