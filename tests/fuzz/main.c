// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drives a fuzz target:
 *
 *   fuzz_X [-s SEED] [-t SECONDS | -n INPUTS]
 *   fuzz_X FILE...
 *
 * The first feeds it texts made of the target's seeds, changed by bytes and by
 * tokens, and of what came of them; the same texts for the same SEED. A child
 * does that, so that the parent can tell of a death, and of an input that takes
 * for ever: it says so in KTAP, and leaves the text in fuzz_X.input. The second
 * feeds it files.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define INPUT_MAX	6000	/* more than a filter may have */
#define POOL		1024
/* seconds that one input may take */
#define STUCK		20

/**
 * struct shared - what the child leaves to the parent
 * @inputs: how many there were
 * @accepted: how many of them the target took for good
 * @size: of the last one
 * @data: the last one
 */
struct shared {
	unsigned long inputs;
	unsigned long accepted;
	size_t size;
	uint8_t data[INPUT_MAX];
};

static struct shared *shared;

/**
 * struct text - one text of the pool
 * @size: bytes in it
 * @data: the text
 */
struct text {
	size_t size;
	uint8_t *data;
};

static struct text pool[POOL];
static size_t pool_size, nr_tokens;

/* --- chance, the same for the same seed ----------------------------------- */

static uint64_t state;

static uint32_t chance(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 20) % n;
}

/* A place in the text, or its end. */
static size_t anywhere(size_t size)
{
	return chance(size + 1);
}

/* --- changing a text ------------------------------------------------------ */

/* Replace @old bytes at @at by @size of @data; too long a text stays as it is. */
static void replace(struct shared *t, size_t at, size_t old, const void *data,
		    size_t size)
{
	if (t->size - old + size > INPUT_MAX)
		return;
	memmove(t->data + at + size, t->data + at + old, t->size - at - old);
	memcpy(t->data + at, data, size);
	t->size += size - old;
}

static void insert(struct shared *t, size_t at, const char *token)
{
	replace(t, at, 0, token, strlen(token));
}

static const char *any_token(void)
{
	return fuzz_token(chance(nr_tokens));
}

static bool in_word(uint8_t c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c | 0x20) >= 'a';
}

/* A word, or one other character. Return: its size; @at: where it starts. */
static size_t any_word(const struct shared *t, size_t *at)
{
	size_t end;

	*at = anywhere(t->size);
	if (*at == t->size)
		return 0;
	end = *at + 1;
	if (in_word(t->data[*at])) {
		while (*at && in_word(t->data[*at - 1]))
			--*at;
		while (end < t->size && in_word(t->data[end]))
			end++;
	}
	return end - *at;
}

/* Part of a text of the pool, which may be all of it. */
static void splice(struct shared *t, size_t at, size_t old)
{
	const struct text *other = &pool[chance(pool_size)];
	size_t from = chance(2) ? 0 : anywhere(other->size);
	size_t size = chance(2) ? other->size - from :
				  anywhere(other->size - from);

	replace(t, at, old, other->data + from, size);
}

static void change_bytes(struct shared *t)
{
	size_t at = anywhere(t->size), n;
	uint8_t byte = chance(256);

	switch (chance(5)) {
	case 0:
		replace(t, at, at < t->size, &byte, 1);
		break;
	case 1:
		replace(t, at, 0, &byte, 1);
		break;
	case 2:
		if (at < t->size)
			t->data[at] ^= 1 << chance(8);
		break;
	case 3:
		n = chance(t->size - at + 1);
		replace(t, at, n, "", 0);
		break;
	case 4:
		t->size = at; /* cut */
	}
}

static void change_tokens(struct shared *t)
{
	const char *token = any_token();
	size_t at, n;

	switch (chance(6)) {
	case 0:
		insert(t, anywhere(t->size), token);
		break;
	case 1:
		n = any_word(t, &at);
		replace(t, at, n, token, strlen(token));
		break;
	case 2:
		n = any_word(t, &at);
		replace(t, at, n, "", 0);
		break;
	case 3:
		n = any_word(t, &at);
		splice(t, at, n);
		break;
	case 4: /* the same again and again */
		at = anywhere(t->size);
		for (n = 1u << chance(10); n; n--)
			insert(t, at, token);
		break;
	case 5:
		insert(t, 0, any_token());
		insert(t, t->size, token);
		splice(t, t->size, 0);
	}
}

static void make_input(struct shared *t)
{
	const struct text *from = &pool[chance(pool_size)];
	uint32_t n = chance(6);

	t->size = from->size;
	memcpy(t->data, from->data, from->size);
	while (n--) {
		if (chance(3))
			change_tokens(t);
		else
			change_bytes(t);
	}
}

/* --- the child ------------------------------------------------------------ */

static void add_to_pool(const void *data, size_t size)
{
	/* those that it starts with stay */
	size_t i = pool_size < POOL ? pool_size++ :
				      POOL / 2 + chance(POOL / 2);

	free(pool[i].data);
	pool[i].data = malloc(size ? size : 1);
	FUZZ_MUST(pool[i].data);
	memcpy(pool[i].data, data, size);
	pool[i].size = size;
}

static void fill_pool(void)
{
	const char *seed;
	size_t i;

	while (fuzz_token(nr_tokens))
		nr_tokens++;
	for (i = 0; (seed = fuzz_seed(i)) && i < POOL; i++)
		add_to_pool(seed, strlen(seed));
}

static void run_input(void)
{
	unsigned long accepted = fuzz_accepted;

	shared->inputs++;
	LLVMFuzzerTestOneInput(shared->data, shared->size);
	shared->accepted = fuzz_accepted;
	/* what is good is a good start, but not if there is only that */
	if (fuzz_accepted != accepted && shared->size < 1000 && !chance(16))
		add_to_pool(shared->data, shared->size);
}

static void run_child(unsigned long seconds, unsigned long inputs)
{
	struct timespec now;
	time_t end;
	size_t i;

	fill_pool();
	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + seconds;
	/* first of all, as they are */
	for (i = 0; i < pool_size; i++) {
		memcpy(shared->data, pool[i].data, pool[i].size);
		shared->size = pool[i].size;
		shared->inputs++;
		LLVMFuzzerTestOneInput(shared->data, shared->size);
	}
	while (inputs ? shared->inputs < inputs : now.tv_sec < end) {
		make_input(shared);
		run_input();
		if (shared->inputs % 64 == 0)
			clock_gettime(CLOCK_MONOTONIC, &now);
	}
	for (i = 0; i < pool_size; i++)
		free(pool[i].data);
	exit(0);
}

/* --- the parent ----------------------------------------------------------- */

/* Return: the child's status; it is killed if it is stuck. */
static int wait_for(pid_t child)
{
	unsigned long seen = 0;
	int status, quiet = 0;

	while (!waitpid(child, &status, WNOHANG)) {
		usleep(100000);
		quiet = shared->inputs == seen ? quiet + 1 : 0;
		seen = shared->inputs;
		if (quiet > STUCK * 10) {
			kill(child, SIGKILL);
			printf("# input %lu takes more than %d s\n", seen,
			       STUCK);
			quiet = 0;
		}
	}
	return status;
}

static void keep_input(const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s.input", name);
	f = fopen(path, "w");
	if (!f || fwrite(shared->data, 1, shared->size, f) != shared->size ||
	    fclose(f))
		printf("# cannot write %s: %s\n", path, strerror(errno));
	else
		printf("# input %lu is in %s\n", shared->inputs, path);
}

static int run(const char *path, unsigned long seconds, unsigned long inputs)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	bool good;
	pid_t child;

	printf("KTAP version 1\n1..1\n");
	fflush(stdout);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	FUZZ_MUST(shared != MAP_FAILED);
	child = fork();
	FUZZ_MUST(child >= 0);
	if (!child)
		run_child(seconds, inputs);
	good = !wait_for(child);
	if (!good)
		keep_input(path);
	/* or else nothing was tested */
	good &= shared->accepted > 0 && shared->accepted < shared->inputs;
	printf("%sok 1 %s: %lu inputs, of which %lu are good\n",
	       good ? "" : "not ", name, shared->inputs, shared->accepted);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_file(const char *path)
{
	static uint8_t data[1 << 20];
	FILE *f = fopen(path, "r");
	size_t size;

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return EXIT_FAILURE;
	}
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	LLVMFuzzerTestOneInput(data, size);
	printf("%s: %s\n", path, fuzz_accepted ? "good" : "refused");
	fuzz_accepted = 0;
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	unsigned long seed = 1, seconds = 5, inputs = 0;
	int option, status = EXIT_SUCCESS;

	while ((option = getopt(argc, argv, "s:t:n:")) != -1) {
		switch (option) {
		case 's':
			seed = strtoul(optarg, NULL, 0);
			break;
		case 't':
			seconds = strtoul(optarg, NULL, 0);
			break;
		case 'n':
			inputs = strtoul(optarg, NULL, 0);
			break;
		default:
			return 2;
		}
	}
	/* a state of 0 would stay 0; small seeds differ in few bits */
	state = seed * 0x9e3779b97f4a7c15ull | 1;
	if (optind == argc)
		return run(argv[0], seconds, inputs);
	for (; optind < argc; optind++)
		if (run_file(argv[optind]))
			status = EXIT_FAILURE;
	return status;
}
