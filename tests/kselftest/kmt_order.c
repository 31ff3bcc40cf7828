// SPDX-License-Identifier: GPL-2.0-only
/*
 * Order across CPUs: over a million events, while CPUs free objects and pages of other
 * CPUs. The free of an address has a lower sequence number than its next allocation. Each
 * event is recorded or lost. The sequence numbers wrap meanwhile.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kmt_test.h"

#define EVENTS 1000003

/* A million events start a quarter million below the wrap. */
#define SEQ_START (UINT32_MAX - 250000u)

struct object {
	uint64_t ptr;
	bool live;
};

static struct object *table;
static size_t mask;

static struct object *find(uint64_t ptr)
{
	size_t i = (ptr * 0x9e3779b97f4a7c15ull >> 32) & mask;

	while (table[i].ptr && table[i].ptr != ptr)
		i = (i + 1) & mask;
	table[i].ptr = ptr;
	return &table[i];
}

/* Allocations and frees of an address by the client must alternate. */
static uint64_t count_violations(const struct records *r, int type,
				 uint64_t *events, uint64_t *left)
{
	uint64_t violations = 0;
	size_t i;

	mask = (1 << 21) - 1;
	table = calloc(mask + 1, sizeof(*table));
	*events = 0;
	for (i = 0; table && i < r->count; i++) {
		const struct kmt_event *ev = &r->rec[i].ev;
		struct object *o;

		if (ev->type_id != type ||
		    strncmp(symbol_name(ev->call_site), "client_", 7))
			continue;
		o = find(ev->ptr);
		/*
		 * If the number of a free is too high, the next allocation finds the
		 * address live. Only frees of objects are checked as well: kfree() may
		 * free the pages of a slab by a tail call, and then the call site of that
		 * free is the client.
		 */
		if (ev->event_id == KMEMTRACE_EVENT_ALLOC)
			violations += o->live;
		else if (type == KMEMTRACE_TYPE_KMALLOC)
			violations += !o->live;
		o->live = ev->event_id == KMEMTRACE_EVENT_ALLOC;
		(*events)++;
	}
	for (i = 0; table && i <= mask; i++)
		*left += table[i].live;
	free(table);
	return violations;
}

int main(void)
{
	uint64_t lost, missing, slab, pages, bad_slab, bad_pages, left = 0;
	char params[64];
	struct records r;
	uint32_t end;
	int cpus = test_cpus();

	test_plan(8);
	snprintf(params, sizeof(params), "seq_start=%u subbufs=32 subbuf_size=1048576",
		 SEQ_START);
	test_result(!module_load(params) && !client_load(), "modules load");
	readers_start();
	control_set("enabled", "1");
	client_run("storm 0 %d", EVENTS / 2 / cpus + 1);
	control_set("enabled", "0");
	r = readers_stop();
	records_sort(&r);
	end = control_get("sequence");
	lost = stat_get("lost_events");
	missing = records_missing(&r, SEQ_START, end);
	bad_slab = count_violations(&r, KMEMTRACE_TYPE_KMALLOC, &slab, &left);
	bad_pages = count_violations(&r, KMEMTRACE_TYPE_PAGES, &pages, &left);

	test_note("%zu records, %lu lost, %lu missing; of the client %lu slab, %lu pages; violations %lu, %lu; left %lu",
		  r.count, lost, missing, slab, pages, bad_slab, bad_pages,
		  left);
	test_result(r.count + lost >= EVENTS, "there are over a million events");
	test_result(end < SEQ_START && control_get("sequence") - SEQ_START ==
					       stat_get("events"),
		    "the numbers of records have wrapped, those of the module have not");
	test_result(!r.broken && !r.disorder,
		    "the sequence numbers of each CPU increase");
	test_result(r.count + lost == (uint32_t)(end - SEQ_START),
		    "events made = records + lost");
	test_result(missing == lost, "each missing number is a lost event");
	/* one of the lost events may be a free */
	if (lost)
		test_skip("each free has a lower number than the next allocation",
			  "events were lost");
	else
		test_result(!bad_slab && !bad_pages && !left && slab > EVENTS / 2,
			    "each free has a lower number than the next allocation");
	records_free(&r);
	test_result(!client_unload() && !module_unload(), "modules unload");
	return test_exit();
}
