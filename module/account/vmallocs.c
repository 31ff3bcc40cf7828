// SPDX-License-Identifier: GPL-2.0-only
/*
 * By default, vmallocinfo has a hash instead of an address. The kernel prints the same for
 * the same address, so an address is found by what is printed for it.
 */
#include <linux/bsearch.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "account/vmallocs.h"
#include "base/procfile.h"

/* some 600,000 areas */
#define TEXT_MAX SZ_64M

/*
 * A line is "0xSTART-0xEND SIZE CALLER [MODULE] pages=N ...". An area of vm_map_ram() has
 * this name instead of the caller. The name of a function may have a suffix of the compiler,
 * such as .constprop.0 or .llvm.1234.
 *
 * Return: false if it has no address.
 */
static bool parse(const char *line, struct kmt_vmalloc *area)
{
	char name[64], module[MODULE_NAME_LEN + 1]; /* and the bracket */
	int n;

	static_assert(sizeof(module) >= 57);
	n = sscanf(line, "0x%llx-0x%*x %lu %63s [%56s", &area->shown, &area->size,
		   name, module);
	if (n < 2 || !area->shown)
		return false;
	name[n < 3 ? 0 : strcspn(name, "+=.")] = '\0';
	if (n == 4)
		snprintf(area->caller, sizeof(area->caller), "[%.*s] func:%s",
			 (int)strcspn(module, "]"), module, name);
	else
		snprintf(area->caller, sizeof(area->caller), "%s%s",
			 *name ? "func:" : "", name);
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct kmt_vmalloc *x = a, *y = b;

	return x->shown < y->shown ? -1 : x->shown > y->shown;
}

static unsigned int count_lines(const char *text)
{
	unsigned int n = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

void kmt_vmallocs_read(struct kmt_vmallocs *v)
{
	char *text = kmt_procfile_read("/proc/vmallocinfo", TEXT_MAX), *rest, *line;

	*v = (struct kmt_vmallocs){ 0 };
	if (IS_ERR(text))
		return;
	v->area = kvmalloc_array(count_lines(text) + 1, sizeof(*v->area),
				 GFP_KERNEL);
	rest = text;
	while (v->area && (line = strsep(&rest, "\n")))
		v->count += parse(line, &v->area[v->count]);
	kvfree(text);
	sort(v->area, v->count, sizeof(*v->area), compare, NULL);
}

static const struct kmt_vmalloc *find_shown(const struct kmt_vmallocs *v,
					    const char *shown)
{
	struct kmt_vmalloc key;

	if (!v->count || kstrtou64(shown, 16, &key.shown))
		return NULL;
	return bsearch(&key, v->area, v->count, sizeof(*v->area), compare);
}

const struct kmt_vmalloc *kmt_vmallocs_find(const struct kmt_vmallocs *v,
					    unsigned long addr)
{
	const struct kmt_vmalloc *area;
	char shown[20];

	snprintf(shown, sizeof(shown), "%pK", (void *)addr);
	area = find_shown(v, shown);
	if (area)
		return area;
	/* newer kernels print this */
	snprintf(shown, sizeof(shown), "%p", (void *)addr);
	return find_shown(v, shown);
}

void kmt_vmallocs_free(struct kmt_vmallocs *v)
{
	kvfree(v->area);
	*v = (struct kmt_vmallocs){ 0 };
}
