// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/kallsyms.h"
#include "base/memtext.h"
#include "base/textfile.h"
#include "control/cpulist.h"
#include "control/system.h"

/* --- mounts --------------------------------------------------------------- */

void mounts_unescape(char *path)
{
	char *to = path;

	for (; *path; to++)
		if (*path == '\\' && strspn(path + 1, "01234567") >= 3) {
			*to = (path[1] - '0') << 6 | (path[2] - '0') << 3 | (path[3] - '0');
			path += 4;
		} else {
			*to = *path++;
		}
	*to = '\0';
}

/* Only version 2 of cgroups has this file in its root. */
static bool is_cgroup2(const char *root)
{
	char file[PATH_MAX];

	return (size_t)snprintf(file, sizeof(file), "%s/cgroup.controllers", root) < sizeof(file) &&
	       !access(file, F_OK);
}

bool mounts_cgroup2(char root[PATH_MAX])
{
	static const char *const usual[] = { "fs/cgroup", "fs/cgroup/unified" };
	const char *line, *type;
	bool found = false;
	char *mounts;
	size_t i;

	for (i = 0; i < sizeof(usual) / sizeof(*usual); i++) {
		textfile_sys_path(root, PATH_MAX, usual[i]);
		if (is_cgroup2(root))
			return true;
	}
	mounts = textfile_read_proc("self/mountinfo", NULL);
	for (line = mounts; line && !found; line = textfile_next_line(line)) {
		type = strstr(line, " - ");
		if (!type || strncmp(type, " - cgroup2 ", 11) ||
		    textfile_scan(line, "%*s %*s %*s %*s %4095s", root) != 1)
			continue;
		mounts_unescape(root);
		found = is_cgroup2(root);
	}
	free(mounts);
	return found;
}

/* --- system --------------------------------------------------------------- */

static bool is_build_id(const GElf_Nhdr *head, const char *name)
{
	return head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4 &&
	       !memcmp(name, "GNU", 4) && head->n_descsz;
}

bool system_build_id(const char *path, char *hex, size_t room)
{
	Elf_Data notes = { .d_type = ELF_T_NHDR, .d_version = EV_CURRENT };
	char *text = textfile_read(AT_FDCWD, path, &notes.d_size);
	size_t i, name, desc, pos = 0;
	bool found = false;
	GElf_Nhdr head;

	notes.d_buf = text;
	while (text && !found &&
	       (pos = gelf_getnote(&notes, pos, &head, &name, &desc)) > 0) {
		if (!is_build_id(&head, text + name) ||
		    head.n_descsz * 2ul + 1 > room)
			continue;
		for (i = 0; i < head.n_descsz; i++)
			sprintf(hex + 2 * i, "%02x",
				(unsigned char)text[desc + i]);
		found = true;
	}
	free(text);
	return found;
}

/* The file has a list such as "0-1,4", in ascending order. */
static unsigned long count_nodes(void)
{
	char path[PATH_MAX], *nodes;
	const char *at;
	unsigned long last = 0;
	char *end;

	textfile_sys_path(path, sizeof(path), "devices/system/node/possible");
	at = nodes = textfile_read(AT_FDCWD, path, NULL);
	while (at && *at) {
		last = strtoul(at, &end, 10);
		at = end == at ? "" : *end ? end + 1 : end;
	}
	free(nodes);
	return last + 1;
}

void system_write_nodes(FILE *out)
{
	unsigned long node, nodes = count_nodes();
	char path[PATH_MAX], name[64], *cpus;

	for (node = 0; node < nodes; node++) {
		snprintf(name, sizeof(name), "devices/system/node/node%lu/cpulist", node);
		textfile_sys_path(path, sizeof(path), name);
		cpus = textfile_read(AT_FDCWD, path, NULL);
		if (cpus)
			fprintf(out, "cpus_of_node%lu=%.*s\n", node,
				(int)strcspn(cpus, "\n"), cpus);
		free(cpus);
	}
}

char *system_boot_id(void)
{
	char *id = textfile_read(AT_FDCWD, "/proc/sys/kernel/random/boot_id",
				 NULL);

	if (id)
		id[strcspn(id, "\n")] = '\0';
	return id;
}

unsigned int system_cpus_present(void)
{
	char path[PATH_MAX], *present;
	unsigned int cpus;

	textfile_sys_path(path, sizeof(path), "devices/system/cpu/present");
	present = textfile_read(AT_FDCWD, path, NULL);
	cpus = present ? cpulist_count(present) : 0;
	free(present);
	return cpus ? cpus : sysconf(_SC_NPROCESSORS_CONF);
}

/* Return: the number in a file of a cache in /sys; 0 if it cannot be read. */
static uint64_t slab_number(int slabs, const char *cache, const char *file)
{
	char path[PATH_MAX], *text;
	uint64_t n;

	snprintf(path, sizeof(path), "%s/%s", cache, file);
	text = textfile_read(slabs, path, NULL);
	n = text ? strtoull(text, NULL, 10) : 0;
	free(text);
	return n;
}

/*
 * Other caches than those of kmalloc() may align their objects, so that their size alone
 * does not tell.
 */
static bool is_padded(int slabs, const char *cache)
{
	if (!strncmp(cache, "kmalloc-", strlen("kmalloc-")))
		return slab_number(slabs, cache, "slab_size") >
		       slab_number(slabs, cache, "object_size");
	return slab_number(slabs, cache, "red_zone") ||
	       slab_number(slabs, cache, "store_user") ||
	       slab_number(slabs, cache, "poison");
}

bool system_slabs_padded(void)
{
	char path[PATH_MAX];
	struct dirent *entry;
	bool padded = false;
	DIR *dir;

	textfile_sys_path(path, sizeof(path), "kernel/slab");
	dir = textfile_list(AT_FDCWD, path);
	while (dir && !padded && (entry = readdir(dir)))
		padded = entry->d_name[0] != '.' &&
			 is_padded(dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
	return padded;
}

static bool count_unpurged(uint64_t *count)
{
	char *info = textfile_read_proc("vmallocinfo", NULL), *at = info;

	for (*count = 0; at && (at = strstr(at, " unpurged vm_area")); at++)
		++*count;
	free(info);
	return info;
}

bool system_unpurged_areas(uint64_t *count)
{
	bool is_read;
	int tries = 8;

	/*
	 * The kernel lists them after the last other area, in one piece. If an area is
	 * freed while it makes room for this piece, it lists none of them.
	 */
	do
		is_read = count_unpurged(count);
	while (is_read && !*count && --tries);
	return is_read;
}

/* The figure is in KiB, the key in bytes. */
static void write_mem_total(FILE *out)
{
	static const char name[] = "MemTotal";
	char *info = textfile_read_proc("meminfo", NULL);
	const char *at = textfile_value(info, name, strlen(name), ':');
	uint64_t kib;

	if (at && textfile_scan(at, "%" SCNu64 " kB", &kib) == 1)
		fprintf(out, "mem_total=%" PRIu64 "\n", kib * 1024);
	free(info);
}

void system_write_meta(FILE *out)
{
	char hex[128], *boot = system_boot_id();
	struct utsname uts;

	if (!uname(&uts))
		fprintf(out, "release=%s\nversion=%s\nmachine=%s\nhostname=%s\n",
			uts.release, uts.version, uts.machine, uts.nodename);
	if (system_build_id("/sys/kernel/notes", hex, sizeof(hex)))
		fprintf(out, "build_id=%s\n", hex);
	fprintf(out, "page_size=%ld\ncpus=%ld\ncpus_present=%u\nnodes=%lu\n",
		sysconf(_SC_PAGESIZE), sysconf(_SC_NPROCESSORS_CONF),
		system_cpus_present(), count_nodes());
	if (system_slabs_padded())
		fprintf(out, "slabs_padded=1\n");
	write_mem_total(out);
	system_write_nodes(out);
	fprintf(out, "realtime_ns=%llu\n", system_realtime_ns());
	if (boot)
		fprintf(out, "boot_id=%s\n", boot);
	free(boot);
}

/* a line is "name size uses users state address" */
bool system_parse_module(const char *line, struct system_module *m)
{
	return textfile_scan(line, "%127s %" SCNu64 " %*s %*s %*s %" SCNx64,
			     m->name, &m->size, &m->address) == 3;
}

bool system_module_build_id(const char *module, char *hex, size_t room)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module);
	return system_build_id(path, hex, room);
}

static void write_module(FILE *out, const struct system_module *m)
{
	char hex[128];

	if (!system_module_build_id(m->name, hex, sizeof(hex)))
		strcpy(hex, "-");
	fprintf(out, "%s %" PRIu64 " 0x%" PRIx64 " %s\n", m->name, m->size,
		m->address, hex);
}

char *system_modules(void)
{
	char *list = textfile_read_proc("modules", NULL);
	char *line, *save = NULL;
	struct system_module module;
	struct memtext text;
	FILE *out = memtext_open(&text);

	for (line = list ? strtok_r(list, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		if (system_parse_module(line, &module))
			write_module(out, &module);
	free(list);
	return memtext_close(&text, NULL);
}

/* --- symbols of freed code --------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
	const struct system_module *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int by_name(const void *a, const void *b)
{
	const struct system_module *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/*
 * From Linux 6.4 on, the size of a module also counts memory that is elsewhere. But the code
 * of two modules does not mix: a module ends where the next one starts.
 */
static void cut_sizes(struct system_module *m, size_t count)
{
	size_t i;

	for (i = 0; i + 1 < count; i++) {
		uint64_t distance = m[i + 1].address - m[i].address;

		if (distance && distance < m[i].size)
			m[i].size = distance;
	}
}

/* Return: the modules that have an address, by name; their number is in @count. */
static struct system_module *read_modules(const char *text, size_t *count)
{
	struct system_module *list = NULL, m, *new;
	const char *line;

	*count = 0;
	for (line = text; line; line = textfile_next_line(line)) {
		if (!system_parse_module(line, &m) || !m.address)
			continue;
		new = array_add(list, *count);
		*new = m;
	}
	if (!*count)
		return list;
	qsort(list, *count, sizeof(*list), by_address);
	cut_sizes(list, *count);
	qsort(list, *count, sizeof(*list), by_name);
	return list;
}

static int has_name(const void *symbol, const void *module)
{
	const struct symbol *s = symbol;
	const struct system_module *m = module;
	int order = strncmp(s->module, m->name, s->module_len);

	return order ? order : -(unsigned char)m->name[s->module_len];
}

static bool is_gone(const char *line, const char *end,
		    const struct system_module *list, size_t count)
{
	const struct system_module *m;
	struct symbol s;

	if (!count || !kallsyms_parse(line, end, &s) || !s.module ||
	    s.module_len >= sizeof(m->name))
		return false;
	m = bsearch(&s, list, count, sizeof(*list), has_name);
	return m && s.addr - m->address >= m->size;
}

void system_drop_gone(char *kallsyms, const char *modules)
{
	char *line = kallsyms, *to = kallsyms, *end;
	struct system_module *list;
	size_t count;
	bool gone;

	list = read_modules(modules, &count);
	for (; *line; line = end) {
		end = strchrnul(line, '\n');
		gone = is_gone(line, end, list, count);
		end += *end == '\n';
		if (gone)
			continue;
		memmove(to, line, end - line);
		to += end - line;
	}
	*to = '\0';
	free(list);
}

static bool has_address(const char *kallsyms)
{
	const char *line;

	for (line = kallsyms; line; line = textfile_next_line(line))
		if (line[strspn(line, "0")] != ' ')
			return *line;
	return false;
}

char *system_kallsyms(bool *hidden)
{
	char *text = textfile_read_proc("kallsyms", NULL);
	char *modules = text ? textfile_read_proc("modules", NULL) : NULL;

	if (hidden)
		*hidden = !has_address(text);
	if (modules)
		system_drop_gone(text, modules);
	free(modules);
	return text;
}

unsigned long long system_realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}
