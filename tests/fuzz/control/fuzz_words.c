// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as a list of CPUs, as a list of features and as the name of an event.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "control/cpulist.h"
#include "control/eventfiles.h"
#include "fuzz.h"

/* Simple reference of cpulist_contains(). Return: true if @cpu is in @list. */
static bool has_cpu(const char *list, long cpu)
{
	char *copy = strdup(list), *rest = copy, *range, *end;
	bool found = false;

	FUZZ_MUST(copy);
	while ((range = strsep(&rest, ","))) {
		long first = strtol(range, &end, 10);
		long last = *end == '-' ? strtol(end + 1, &end, 10) : first;

		FUZZ_MUST(!*end && first >= 0 && first <= last);
		found |= first <= cpu && cpu <= last;
	}
	free(copy);
	return found;
}

static bool check_cpus(const char *text)
{
	int cpu;

	if (!cpulist_valid(text)) {
		cpulist_contains(text, 3);
		return false;
	}
	FUZZ_MUST(strspn(text, "0123456789-,") == strlen(text));
	for (cpu = 0; cpu < 20; cpu++)
		FUZZ_MUST(cpulist_contains(text, cpu) == has_cpu(text, cpu));
	return true;
}

static bool check_features(const char *text)
{
	u32 before = strlen(text) % 2 ? KMT_FEATURE_TIME : 0, mask = before;
	const char *wrong = kmt_features_parse(text, &mask);
	u32 again;

	FUZZ_MUST(!(mask & ~KMT_FEATURES_ALL));
	if (wrong) {
		FUZZ_MUST(wrong >= text && wrong < text + strlen(text));
		FUZZ_MUST(mask == before);
		return false;
	}
	/* without + and - the result does not depend on the old features */
	if (!strpbrk(text, "+-") && text[strspn(text, " \t\n,")]) {
		again = KMT_FEATURES_ALL;
		FUZZ_MUST(!kmt_features_parse(text, &again) && again == mask);
	}
	return true;
}

static bool check_event(const char *text)
{
	u32 kinds = eventfiles_find(text, strlen(text));
	unsigned int one = eventfiles_one(kinds);

	FUZZ_MUST(!(kinds & ~EVENTFILES_ALL));
	if (one < KMT_EVENT_KINDS)
		FUZZ_MUST(strstr(text, kmt_kind_names[one].event));
	else
		FUZZ_MUST(!kinds || kmt_system_find(text) >= 0);
	return kinds;
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	bool good = check_cpus(text);

	good |= check_features(text);
	good |= check_event(text);
	free(text);
	return good;
}
