// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints records in the layout of ftrace's file `trace`, for ftrace's own
 * selftests (kmt_ftrace.sh):
 *
 *	ftrace_trace FILE...	such as /sys/kernel/debug/kmemtrace/cpu0
 *
 * The records of each file are printed in their order. Records must have the
 * features time and task.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kmt_field.h"
#include "kmt_record.h"

struct symbol {
	uint64_t addr;
	char name[64];
};

static struct symbol *symbols;
static size_t nr_symbols;

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* A line of /proc/kallsyms: address, type, name. */
static void add_symbol(const char *line)
{
	struct symbol *s;
	char *end;

	if ((nr_symbols & (nr_symbols - 1)) == 0) {
		size_t room = nr_symbols ? 2 * nr_symbols : 1;

		symbols = realloc(symbols, room * sizeof(*symbols));
		if (!symbols)
			exit(1);
	}
	s = &symbols[nr_symbols];
	s->addr = strtoull(line, &end, 16);
	if (*end != ' ' || tolower(end[1]) != 't' || end[2] != ' ')
		return; /* no function */
	snprintf(s->name, sizeof(s->name), "%.*s",
		 (int)strcspn(end + 3, "\t\n"), end + 3);
	nr_symbols++;
}

static void load_symbols(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[1024];

	while (f && fgets(line, sizeof(line), f))
		add_symbol(line);
	if (f)
		fclose(f);
	qsort(symbols, nr_symbols, sizeof(*symbols), by_address);
}

/* As %pS prints it; the size of the function is not known. */
static void print_symbol(uint64_t addr)
{
	size_t low = 0, high = nr_symbols;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (symbols[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low)
		printf("%s+0x%llx", symbols[low - 1].name,
		       (unsigned long long)(addr - symbols[low - 1].addr));
	else
		printf("0x%llx", (unsigned long long)addr);
}

static void print_record(int cpu, const struct kmt_event *ev)
{
	struct kmt_extra extra;
	int i;

	memset(&extra, 0, sizeof(extra));
	kmt_record_decode_extra(ev, false, &extra);
	printf("%16s-%-7d [%03d] ..... %llu.%06llu: %s: call_site=", extra.comm,
	       extra.pid, cpu, (unsigned long long)ev->time / 1000000000,
	       (unsigned long long)ev->time / 1000 % 1000000,
	       kmt_kind_names[kmt_event_kind(ev)].event);
	print_symbol(ev->call_site);
	printf(" ptr=0x%llx\n", (unsigned long long)ev->ptr);
	if (extra.depth)
		printf("%16s-%-7d [%03d] ..... <stack trace>\n", extra.comm,
		       extra.pid, cpu);
	for (i = 0; i < extra.depth; i++) {
		printf(" => ");
		print_symbol(extra.stack[i]);
		putchar('\n');
	}
}

/* Return: whether all of it could be decoded. */
static bool print_stream(int cpu, const char *data, size_t size)
{
	struct kmt_decoded dec;
	struct kmt_event ev;
	size_t done = 0;
	int len;

	while (done < size) {
		len = kmt_record_decode(data + done, size - done, false, &ev,
					&dec);
		if (len <= 0 || dec.unknown_id)
			return false;
		print_record(cpu, &ev);
		done += len;
	}
	return true;
}

/* Return: 0 or an errno. */
static int print_file(const char *path)
{
	static char piece[1 << 20];
	int cpu = atoi(path + strcspn(path, "0123456789"));
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	ssize_t n;

	if (fd < 0)
		return errno;
	/* each read() returns whole records */
	while (!err && (n = read(fd, piece, sizeof(piece))) != 0)
		if (n < 0)
			err = errno;
		else if (!print_stream(cpu, piece, n))
			err = EBADMSG;
	close(fd);
	return err;
}

int main(int argc, char **argv)
{
	int i, err, status = 0;

	load_symbols();
	for (i = 1; i < argc; i++) {
		err = print_file(argv[i]);
		if (err) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(err));
			status = 1;
		}
	}
	return status;
}
