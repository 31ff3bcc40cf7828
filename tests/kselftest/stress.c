// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random actions at the same time, for STRESS_SECONDS (default 60), with the seed
 * STRESS_SEED (default: the time); both are in the environment.
 *
 * The test runs in rounds. In each round, it loads the modules. For a few seconds, all
 * actors (stress_actor.c) act on all CPUs while this program or the tool reads the
 * records; readers and recorders are killed at any moment. Then each event must be read
 * or lost, live figures must be exact, and the modules must unload completely.
 *
 * The same seed gives the same choices; the order in time depends on the machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kmt_test.h"
#include "stress.h"

#define SYSCTL	  "/proc/sys/vm/mem_profiling"
#define FILE_NAME "/tmp/stress.kmt"
#define ROUNDS	  4096
#define SESSIONS  5

struct shared *shared;

static uint64_t seed, random_state;
static int cpus;
static pid_t *reader_pid, actor_pid[STRESS_ACTORS];
static int reader_nice; /* decides whether readers keep up */

/* Results of all rounds. */
static struct {
	int rounds, sessions[SESSIONS];
	uint64_t made, seen, lost, newest, frees, salvaged;
	int readers_killed, recorders_killed, recordings, unloads;
	unsigned int victims;
	int uncounted, frees_missing, not_zero, not_held, bad_files, not_unloaded,
		loud, hanging;
	long memory[ROUNDS];
} total;

static unsigned int chance(unsigned int n)
{
	return pick(&random_state, n);
}

static uint64_t new_seed(void)
{
	return (uint64_t)chance(1u << 31) << 31 | chance(1u << 31);
}

/* --- processes ------------------------------------------------------------------- */

static pid_t start(void (*run)(int n, int when, uint64_t s), int n, int when,
		   int nice)
{
	uint64_t s = new_seed();
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		setpriority(PRIO_PROCESS, 0, nice);
		run(n, when, s);
		fflush(stdout);
		_exit(0);
	}
	return pid;
}

static void run_reader(int cpu, int when, uint64_t s)
{
	(void)when;
	(void)s;
	reader_run(cpu);
}

static void start_readers(void)
{
	int cpu;

	for (cpu = 0; cpu < cpus; cpu++)
		reader_pid[cpu] = start(run_reader, cpu, 0, reader_nice);
}

static void start_actors(int when)
{
	int i;

	shared->stop_actors = 0;
	for (i = 0; i < nr_actors; i++)
		actor_pid[i] = actors[i].when & when ?
				       start(actor_run, i, when, 0) :
				       0;
}

/* Wait for processes. A process that does not end within a minute hangs. */
static void join(pid_t *pids, int n, const char *what)
{
	double end = test_seconds() + 60;
	int i;

	for (i = 0; i < n; i++) {
		while (pids[i] > 0 && !waitpid(pids[i], NULL, WNOHANG)) {
			if (test_seconds() > end) {
				test_note("%s %d hangs", what, i);
				total.hanging++;
				break;
			}
			usleep(5000);
		}
		pids[i] = 0;
	}
}

static void stop_actors(void)
{
	__atomic_store_n(&shared->stop_actors, 1, __ATOMIC_SEQ_CST);
	join(actor_pid, nr_actors, "actor");
}

static void stop_readers(void)
{
	__atomic_store_n(&shared->stop_readers, 1, __ATOMIC_SEQ_CST);
	join(reader_pid, cpus, "reader");
}

static void kill_reader(int cpu)
{
	if (reader_pid[cpu] <= 0)
		return;
	kill(reader_pid[cpu], SIGKILL);
	waitpid(reader_pid[cpu], NULL, 0);
	reader_salvage(cpu);
	reader_pid[cpu] = start(run_reader, cpu, 0, reader_nice);
	total.readers_killed++;
}

static void kill_actor(int i, int when)
{
	if (actor_pid[i] <= 0 || !actors[i].killable)
		return;
	kill(actor_pid[i], SIGKILL);
	waitpid(actor_pid[i], NULL, 0);
	actor_pid[i] = start(actor_run, i, when, 0);
}

/* Let the actors act for @seconds, and kill some readers and actors meanwhile. */
static void supervise(int when, double seconds)
{
	uint32_t first = control_get("sequence");
	double end = test_seconds() + seconds;

	while (test_seconds() < end) {
		usleep(chance(100000));
		if (when & (WHEN_STRICT | WHEN_LOOSE))
			kill_reader(chance(cpus));
		kill_actor(chance(nr_actors), when);
		if ((uint32_t)(control_get("sequence") - first) >
		    STRESS_EVENTS / 2)
			break;
	}
}

/* --- the modules -------------------------------------------------------------------- */

static void make_params(char *params, size_t size, int when)
{
	static const char *const profiling[] = { "1", "1", "1,compressed" };
	static const char *const features[] = { "none", "time", "all",
						"time,cache,page" };

	snprintf(params, size,
		 "subbufs=%u subbuf_size=%u seq_start=%u overwrite=%d mem_profiling=%s features=%s debug=%u",
		 4 + chance(12), 16384u << chance(6), chance(2) ? ~0u - 1000 : 0,
		 when == WHEN_OVERWRITE, profiling[chance(3)],
		 features[chance(4)], chance(2));
}

/* An open file or a queued work item may hold the module for a moment. */
static bool unload_module(void)
{
	double end = test_seconds() + 30;
	int err;

	do {
		err = module_unload();
		if (err)
			usleep(10000);
	} while (err && test_seconds() < end);
	total.unloads += !err;
	total.not_unloaded += !!err;
	if (err)
		test_note("unloading: %s", strerror(-err));
	return !err;
}

static void load_modules(const char *params)
{
	int err = module_load(params);

	if (err == -ENOMEM) {
		sleep(2); /* the kernel is still freeing the memory of the hog */
		err = module_load(params);
	}
	if (err || client_load()) {
		test_note("loading with %s: %s", params, strerror(-err));
		total.not_unloaded++;
	}
	symbols_forget();
}

static void unload_modules(void)
{
	if (client_unload() || !unload_module())
		test_note("a module cannot be unloaded");
	if (!access(KMT_DIR, F_OK) || !access("/sys/module/kmemtrace", F_OK)) {
		test_note("files of the module are left");
		total.not_unloaded++;
	}
}

/* --- sessions ----------------------------------------------------------------------- */

/* Frees of the allocations that the client frees in client_kmalloc_free(). */
static uint64_t client_frees(void)
{
	return tag_get("client_kmalloc_alloc").frees +
	       tag_get("client_wrapped_alloc").frees +
	       tag_get("client_wrapper").frees;
}

/* Counters of the module that explain a difference between records and accounts. */
static const char *const why_names[] = {
	"untracked_objects",	"implicit_frees",    "reaped_objects",
	"unmatched_frees",	"unmatched_pages",   "unseen_nested",
	"forgotten_objects",	"accounting_starts", "missed_calls",
	"call_site_mismatches", "classes_refused",
};

#define WHYS (sizeof(why_names) / sizeof(why_names[0]))

static void why_read(uint64_t *values)
{
	size_t i;

	for (i = 0; i < WHYS; i++)
		values[i] = stat_get(why_names[i]);
}

/* Print the counters that changed since @before, and the tags of the client. */
static void why_note(const uint64_t *before)
{
	uint64_t now[WHYS];
	const char *line;
	size_t i;

	why_read(now);
	for (i = 0; i < WHYS; i++)
		test_note("%s +%lu (%lu)", why_names[i], now[i] - before[i],
			  now[i]);
	for (line = control_text("tags"); line && *line;
	     line = strchr(line, '\n')) {
		line += *line == '\n';
		if (memmem(line, strcspn(line, "\n"), "client_", 7))
			test_note("%.*s", (int)strcspn(line, "\n"), line);
	}
}

static bool check_counts(uint64_t made, uint64_t lost, uint64_t frees, bool strict)
{
	uint64_t seen = bitmap_count(&shared->seen, made);
	uint64_t all = bitmap_count(&shared->seen, STRESS_EVENTS);
	uint64_t found = bitmap_count(&shared->frees, made);
	bool bad = seen + lost != made || seen != all;
	bool missing = strict && (found > frees || frees - found > lost);

	test_note("events %lu = read %lu + lost %lu%s; of the client's frees %lu of %lu%s",
		  made, seen, lost, bad ? ": NO" : "", found, frees,
		  missing ? ": NO" : "");
	total.made += made;
	total.seen += seen;
	total.lost += lost;
	total.frees += found;
	total.salvaged += bitmap_count(&shared->salvaged, made);
	total.uncounted += bad;
	total.frees_missing += missing;
	return !missing;
}

/* Remove triggers that could switch recording on again. */
static void remove_switches(void)
{
	control_set("events/kmem/kfree/trigger", "!traceoff");
	control_set("events/kmem/mm_page_alloc/trigger", "!traceon");
}

static void session_of_readers(int when, double seconds)
{
	uint32_t first = control_get("sequence");
	uint64_t frees, lost, why[WHYS];

	reader_begin(first, cpus);
	why_read(why);
	reader_nice = chance(2) ? -10 : 0;
	start_readers();
	control_set("enabled", "1");
	frees = client_frees();
	start_actors(when);
	supervise(when, seconds);
	stop_actors();
	frees = client_frees() - frees;
	remove_switches();
	control_set("enabled", "0");
	lost = stat_get("lost_events");
	stop_readers();
	if (!check_counts((uint32_t)(control_get("sequence") - first), lost, frees,
			  when == WHEN_STRICT))
		why_note(why);
}

static int run(const char *command)
{
	int status = system(command);

	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static pid_t start_recorder(void)
{
	static const char *const features[] = { "none", "time", "all",
						"time,cache,page" };
	const char *f = features[chance(4)];
	const char *filter = chance(2) ? NULL : "-f"; /* NULL ends the arguments */
	pid_t pid;

	unlink(FILE_NAME);
	unlink(FILE_NAME ".part");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 1);
		dup2(null, 2);
		execlp("kmemtrace-user", "kmemtrace-user", "record", "-o",
		       FILE_NAME, "-F", f, filter, "bytes_req != 100", NULL);
		_exit(127);
	}
	return pid;
}

/* The tool exits with 3 if events were lost. */
static bool is_done(int code)
{
	return !code || code == 3;
}

/* The tool's recording is complete; if the tool was killed, its file can be read. */
static void session_of_recorder(int when, double seconds)
{
	bool killed = chance(2);
	pid_t pid = start_recorder();
	double end = test_seconds() + 20;
	int status, code;

	while (!stat_get("recording") && test_seconds() < end)
		usleep(10000);
	start_actors(when);
	supervise(when, seconds);
	if (killed)
		kill(pid, SIGKILL);
	stop_actors();
	kill(pid, SIGINT);
	waitpid(pid, &status, 0);
	control_set("enabled", "0");
	code = run(killed ? "kmemtrace-user check " FILE_NAME ".part >/tmp/stress.out 2>&1" :
			    "kmemtrace-user check " FILE_NAME " >/tmp/stress.out 2>&1");
	total.recordings += !killed;
	total.recorders_killed += killed;
	if (killed ? code == 1 || is_done(code) :
		     is_done(code) && WIFEXITED(status) && is_done(WEXITSTATUS(status)))
		return;
	test_note("the recorder (%s, status %x) left a file that check refuses (%d): %s",
		  killed ? "killed" : "interrupted", status, code,
		  file_text("/tmp/stress.out"));
	total.bad_files++;
}

/* With overwrite=1, the buffers keep the newest records, whatever the actors do. */
static void session_of_overwriting(int when, double seconds)
{
	uint32_t first = control_get("sequence"), before, end;
	uint64_t newest, lost;
	bool bad;

	control_set("enabled", "1");
	start_actors(when);
	supervise(when, seconds);
	stop_actors();
	remove_switches();
	control_set("events/kmem/mm_page_alloc/trigger", "!disable_event:kmem:kmalloc");
	control_set("events/kmem/kmalloc/filter", "0");
	control_set("events/kmem/kmalloc/enable", "1");
	if (control_set("enabled", "1") == -ENOMEM)
		return; /* the last resizing failed for lack of memory and left no buffers */
	before = control_get("sequence");
	client_run("kmalloc 100 101");
	control_set("enabled", "0");
	/* read the rest: the newest records, complete and in order */
	reader_begin(first, cpus);
	shared->stop_readers = 1;
	start_readers();
	stop_readers();
	end = control_get("sequence");
	lost = stat_get("lost_events");
	newest = bitmap_count(&shared->seen, STRESS_EVENTS);
	/* bad if the last event was not read */
	bad = end - before < 101 ||
	      (!lost && newest == bitmap_count(&shared->seen, end - 1 - first));
	test_note("%lu of %u events kept, %u made at the end, %lu lost%s", newest,
		  end - first, end - before, lost, bad ? ": NO" : "");
	total.newest += newest;
	total.uncounted += bad;
}

/* The module is unloaded and loaded under load, with filters and triggers in force. */
static void session_of_unloading(int when, double seconds)
{
	static const char force[] =
		" enable=yes subbufs=8 subbuf_size=65536"
		" filter=\"kmem.call_site != 0 && ptr != 1\""
		" trigger=\"kmalloc.traceoff:50 if bytes_req < 300; mm_page_alloc.traceon:50;"
		" kfree.stacktrace:100; kmem_cache_alloc.disable_event:kmem:kfree:10\"";
	double end = test_seconds() + seconds;
	char params[512];
	int err;

	start_actors(when);
	while (test_seconds() < end && unload_module()) {
		snprintf(params, sizeof(params), "overwrite=%u%s", chance(2), force);
		usleep(chance(50000));
		do {
			err = module_load(params);
		} while (err == -ENOMEM && test_seconds() < end + 10);
		if (err) {
			test_note("loading: %s", strerror(-err));
			total.not_unloaded++;
			break;
		}
		usleep(chance(500000));
		kill_actor(chance(nr_actors), when);
	}
	stop_actors();
	control_set("enabled", "0");
}

/* --- checks after each session ------------------------------------------------------ */

/* Print whether the frees are only late, and the module's counters of missed events. */
static void note_why(const char *function)
{
	uint64_t none[WHYS] = { 0 };

	sleep(60);
	test_note("%lld after another minute", tag_get(function).objects);
	why_note(none);
}

static void check_zero(void)
{
	static const char *const functions[] = {
		"client_kmalloc_alloc", "client_cache_alloc", "client_pages_alloc",
		"client_percpu_alloc",	"client_rcu_alloc",   "client_vmalloc_alloc",
		"client_kvmalloc_alloc", "client_exact_alloc", "client_krealloc_alloc",
		"client_wrapped_alloc", "client_wrapper",
	};
	double end = test_seconds() + 30;
	struct tag t;
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		/* kfree_rcu() frees some seconds later */
		while ((t = tag_get(functions[i])).objects && test_seconds() < end)
			usleep(200000);
		if (!t.objects && !t.bytes && !t.requested)
			continue;
		test_note("%s: %lld objects, %lld bytes are shown as live",
			  functions[i], t.objects, t.bytes);
		note_why(functions[i]);
		total.not_zero++;
	}
}

static void check_held(const char *kind, size_t size, long bytes)
{
	char function[64];
	struct tag t;

	snprintf(function, sizeof(function), "client_%s_alloc", kind);
	client_run("hold %s %zu 300", kind, size);
	t = tag_get(function);
	if (t.objects != 300 || t.bytes != 300 * bytes) {
		test_note("%s: %lld objects, %lld bytes instead of 300 of %ld", function,
			  t.objects, t.bytes, bytes);
		total.not_held++;
	}
	client_run("drop %s %zu", kind, size);
}

static void check_live(void)
{
	file_set(SYSCTL, "1");
	if (strstr(control_text("stats"), " open\n")) {
		test_note("a hole is open");
		total.not_held++;
	}
	check_held("kmalloc", 200, kmalloc_bytes(200));
	check_held("pages", 1, 8192);
	check_held("cache", 0, cache_bytes("kmt_client"));
	check_zero();
}

static void check_log(void)
{
	static const char *const signs[] = {
		"WARNING:", "BUG:", "Oops", "possible recursive locking",
		"possible circular locking", "inconsistent lock state",
		"suspicious RCU usage", "INFO: task ", "hole ",
	};
	static char log[1 << 20];
	int n = klogctl(3, log, sizeof(log) - 1);
	size_t i;

	log[n > 0 ? n : 0] = '\0';
	klogctl(5, NULL, 0);
	for (i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		const char *at = strstr(log, signs[i]);

		if (!at)
			continue;
		test_note("the kernel log has: %.*s", (int)strcspn(at, "\n"), at);
		total.loud++;
	}
}

static long memory_now(void)
{
	sync();
	file_set("/proc/sys/vm/drop_caches", "3");
	usleep(500000);
	return kernel_memory_kb();
}

/*
 * Compare the maximum of the first third of rounds with the minimum of the last third.
 * The first rounds do not count, because in them the kernel allocates memory that it
 * keeps.
 */
static bool memory_grows(void)
{
	int n = total.rounds, part = (n - SESSIONS + 1) / 3, i;
	long most = 0, least = LONG_MAX;

	for (i = SESSIONS; i < SESSIONS + part; i++)
		most = total.memory[i] > most ? total.memory[i] : most;
	for (i = n - part; i < n; i++)
		least = total.memory[i] < least ? total.memory[i] : least;
	if (part > 0)
		test_note("memory of the kernel: at most %ld KiB in the first third of rounds, at least %ld KiB in the last",
			  most, least);
	return part > 0 && least - most > 1024;
}

/* --- rounds ------------------------------------------------------------------------- */

static const struct session {
	const char *name;
	int when;
	void (*run)(int when, double seconds);
} sessions[SESSIONS] = {
	{ "readers are killed", WHEN_STRICT, session_of_readers },
	{ "all settings are changed", WHEN_LOOSE, session_of_readers },
	{ "the tool records", WHEN_RECORDER, session_of_recorder },
	{ "snapshots are taken", WHEN_OVERWRITE, session_of_overwriting },
	{ "the module is unloaded under load", WHEN_UNLOADING, session_of_unloading },
};

static void bring_back_cpus(void)
{
	int cpu;

	for (cpu = 1; cpu < cpus; cpu++) {
		cpu_set_online(cpu, true);
		if (cpu_is_online(cpu))
			continue;
		test_note("CPU %d does not come back online", cpu);
		shared->unexpected++;
	}
}

/* Also to the kernel's log, which is what is left of a guest that does not end. */
static void announce(const struct session *s, const char *params)
{
	char line[400];

	snprintf(line, sizeof(line), "<4>stress: round %d: %s; %s", total.rounds + 1,
		 s->name, params);
	test_note("%s", strstr(line, "round"));
	file_set("/dev/kmsg", line);
}

static void round_of(const struct session *s)
{
	char params[256];

	total.victims += victims_refill();
	make_params(params, sizeof(params), s->when);
	announce(s, params);
	load_modules(params);
	s->run(s->when, 2 + chance(4));
	bring_back_cpus();
	check_live();
	unload_modules();
	check_log();
	total.memory[total.rounds++] = memory_now();
	total.sessions[s - sessions]++;
}

static bool goes_on(double end)
{
	return !total.hanging && total.rounds < ROUNDS &&
	       (test_seconds() < end || total.rounds < 2 * SESSIONS);
}

/* Run each kind of session in turn, in a random order; each at least twice. */
static void rounds(double seconds)
{
	int order[SESSIONS] = { 0, 1, 2, 3, 4 }, i, other, swap;
	double end = test_seconds() + seconds;

	while (goes_on(end)) {
		for (i = SESSIONS - 1; i > 0; i--) {
			other = chance(i + 1);
			swap = order[i];
			order[i] = order[other];
			order[other] = swap;
		}
		for (i = 0; i < SESSIONS && goes_on(end); i++)
			round_of(&sessions[order[i]]);
	}
}

static void set_up(void)
{
	cpus = test_cpus();
	reader_pid = calloc(cpus, sizeof(*reader_pid));
	shared = mmap(NULL, sizeof(*shared) + cpus * sizeof(*shared->reader),
		      PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (!reader_pid || shared == MAP_FAILED)
		abort();
	/* this process must run although the actors use all CPUs */
	setpriority(PRIO_PROCESS, 0, -19);
	/* the OOM killer must kill the hog, not this process */
	file_set("/proc/self/oom_score_adj", "-1000");
	mount("none", "/sys/fs/cgroup", "cgroup2", 0, NULL);
	file_set("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	mkdir("/sys/fs/cgroup/stress", 0700);
	file_set("/sys/fs/cgroup/stress/memory.max", "24M");
	klogctl(5, NULL, 0);
}

static uint64_t oom_kills(void)
{
	const char *line = strstr(file_text("/proc/vmstat"), "oom_kill ");

	return line ? strtoull(line + 9, NULL, 10) : 0;
}

static bool all_acted(void)
{
	bool all = true;
	int i;

	for (i = 0; i < nr_actors; i++) {
		test_note("%s: %lu times", actors[i].name, shared->actions[i]);
		all &= shared->actions[i] > 0;
	}
	for (i = 0; i < SESSIONS; i++)
		all &= total.sessions[i] > 0;
	test_note("%d readers and %d recorders killed, %d recordings, %d times unloaded, %lu OOM kills, %u of them while a hog was ending",
		  total.readers_killed, total.recorders_killed, total.recordings,
		  total.unloads, oom_kills(), total.victims);
	return all && total.readers_killed && oom_kills();
}

static void report(void)
{
	bool strange = shared->broken || shared->disorder || shared->twice ||
		       shared->beyond;

	test_note("%d rounds: %lu events, %lu read (%lu by readers just before they were killed), %lu lost; %lu frees of the client; %lu kept with overwrite=1",
		  total.rounds, total.made, total.seen, total.salvaged,
		  total.lost, total.frees, total.newest);
	if (strange)
		test_note("%lu broken, %lu in disorder, %lu read twice, %lu of another session",
			  shared->broken, shared->disorder, shared->twice,
			  shared->beyond);
	test_result(!total.hanging, "no process hangs");
	test_result(!total.uncounted && total.made, "events made = read + lost");
	test_result(!total.frees_missing && total.frees,
		    "each free of the client is recorded or lost");
	test_result(!strange, "records are complete, in order, and read once");
	test_result(!total.bad_files,
		    "recordings are complete; those of killed recorders can be read");
	test_result(!total.not_held, "live figures are exact after each session");
	test_result(!total.not_zero, "live figures return to zero");
	test_result(!total.not_unloaded, "modules load and unload");
	test_result(!shared->unexpected, "no call returned an unexpected result");
	test_result(!memory_grows(), "the kernel's memory does not grow");
	test_result(!total.loud, "the kernel log has no error report");
	test_result(all_acted(), "all actors and sessions ran");
}

int main(void)
{
	const char *text = getenv("STRESS_SECONDS");
	double seconds = text ? atof(text) : 60;

	text = getenv("STRESS_SEED");
	seed = text ? strtoull(text, NULL, 0) : (uint64_t)time(NULL);
	random_state = seed;
	test_plan(12);
	test_note("seed %lu, %g seconds", seed, seconds);
	set_up();
	rounds(seconds);
	report();
	return test_exit();
}
