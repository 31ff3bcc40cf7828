// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the change of live bytes between two snapshots, as counted by mainline and by
 * kmemtrace, for each site, and the totals of a third one:
 *
 *   compare REASONS DIR CPUS
 *
 * DIR has the files that tests/oracle/snapshot.c wrote before and after a workload:
 * NAME.1 and NAME.2 (mainline's allocinfo, read just before and just after the tags),
 * NAME.tags (kmemtrace's tags), NAME.stats, NAME.slabs. The third one is total, with kmemtrace's
 * survey, and the text of vmstat and meminfo.
 *
 * Sites. Mainline and kmemtrace use the same names for a site. Only the line may differ,
 * if a call spans several lines. A tag is therefore compared with mainline's site of the
 * same module, file and function that has the nearest line. Tags in modules have no
 * lines. Such a tag is compared with the site of the same function that has the nearest
 * number of bytes.
 *
 * Kinds. Mainline does not distinguish slab and pages. A site has the kind that kmemtrace
 * counted most bytes of. A site that only mainline counted has the kind page, if its
 * bytes are a multiple of the page size for each call, else slab.
 *
 * Mainline is read twice. Any value between its two values is correct.
 *
 * Reasons. A line of REASONS is "RULE|PATTERN|TEXT". PATTERN is an extended regular
 * expression for "KIND FILE FUNCTION". Each rule limits the difference that it explains:
 *
 *   vectors  slabobj_ext vectors that mainline does not count. The difference must match
 *            the number of slabs, within 5 % and a page.
 *   chunk    per-CPU memory in the first chunk, which mainline does not count. The sum is
 *            limited by the size of this chunk.
 *   never    sites that mainline does not count at all. Its value must be 0 there.
 *   moved    bytes that kmemtrace counts at the caller. Mainline has more at this site,
 *            and at least as much less at other sites.
 *   caller   such a caller. The sum is limited by the moved bytes, plus a page.
 *
 * One reason has no line in REASONS: memory that was allocated before kmemtrace was
 * loaded, and freed since. Mainline's value then decreases, kmemtrace's does not. The sum
 * is limited by the objects and pages that kmemtrace counted as unmatched.
 *
 * Differences that "vectors", "chunk" and "never" explain are left out when the totals
 * are compared, and are printed; and so is the memory that kmemtrace itself allocated before
 * it counted. All other differences are part of the totals.
 *
 * Totals. Mainline's total lies between its two values. kmemtrace's may have more by the memory
 * that mainline does not count: vectors and caches of caches as above, the part of page_ext that
 * it does not count, and pages that were allocated before page_ext existed (at most EARLY). It may have less by per-CPU memory from
 * before its load, which the survey does not find (at most all per-CPU memory).
 *
 * Mainline (6.12: lib/alloc_tag.c, include/linux/pgalloc_tag.h, mm/slub.c, mm/percpu.c)
 * counts an object with the size of its cache, as kmemtrace does. It counts pages at the
 * caller of the page allocator, including pages of slabs and of large kmallocs. It counts
 * per-CPU memory for all CPUs, with the memory that memory cgroups need for it.
 */
#include <err.h>
#include <limits.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE	    4096
#define TOTAL_OFF   0.1	 /* maximum difference of totals, in % */
#define SAME_SITE   99.0 /* minimum share of bytes at the same site, in % */
#define VECTORS_OFF 5.0 /* maximum error of the bytes of vectors, in % */
/* PERCPU_DYNAMIC_RESERVE, rounded up to pages, for one CPU */
#define FIRST_CHUNK 32768
/* maximum of the pages that are allocated before page_ext */
#define EARLY (1 << 20)
/* struct slabobj_ext: two pointers */
#define VECTOR_ENTRY 16

enum kind { SLAB, PAGES, PERCPU, KINDS };
static const char *const kind_names[KINDS] = { "slab", "page", "percpu" };

struct count {
	long long bytes, objects;
};

struct site {
	char module[64], file[256], func[128];
	int line;
	struct count mainline[4]; /* before.1, before.2, after.1, after.2 */
	struct count ours[KINDS];
	/* changes: of mainline, of kmemtrace; kmemtrace's less mainline's */
	long long theirs, mine, diff, objects;
	enum kind kind;
	struct reason *reason;
};

struct reason {
	char *rule;
	regex_t pattern;
	char *text;
	long long bytes;  /* sum of the differences to explain */
	long long theirs; /* sum of mainline's changes at these sites */
	bool holds;	  /* the differences are within the limit of the rule */
};

static struct site *sites;
static size_t site_count;
static struct reason reasons[64];
static size_t reason_count;
static const char *directory;
static long long vectors, noise;
static int cpus;

static FILE *open_part(const char *name, const char *suffix)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.%s", directory, name, suffix);
	f = fopen(path, "re");
	if (!f)
		err(2, "%s", path);
	return f;
}

/* --- sites ---------------------------------------------------------------- */

/* "FILE:LINE [MODULE] func:FUNCTION"; tags may have "FUNCTION:OFFSET" for FILE:LINE. */
static bool parse_place(char *text, struct site *s)
{
	char *func = strstr(text, " func:"), *module = strstr(text, " [");
	char *colon, *end;

	memset(s, 0, sizeof(*s));
	if (!func)
		return false;
	*func = '\0';
	func += strlen(" func:");
	func[strcspn(func, " \n.")] = '\0'; /* FUNCTION.isra.0 */
	if (module) {
		*module = '\0';
		end = strchr(module + 2, ']');
		if (!end)
			return false;
		*end = '\0';
		snprintf(s->module, sizeof(s->module), "%s", module + 2);
	}
	colon = strrchr(text, ':');
	if (!colon)
		return false;
	*colon = '\0';
	s->line = atoi(colon + 1);
	snprintf(s->file, sizeof(s->file), "%s", strchr(text, '/') ? text : "");
	snprintf(s->func, sizeof(s->func), "%s", func);
	return true;
}

static struct site *add_site(const struct site *s)
{
	if (site_count % 1024 == 0) {
		sites = realloc(sites, (site_count + 1024) * sizeof(*sites));
		if (!sites)
			err(2, "no memory");
	}
	sites[site_count] = *s;
	return &sites[site_count++];
}

static bool same_function(const struct site *a, const struct site *b)
{
	return !strcmp(a->func, b->func) && !strcmp(a->module, b->module) &&
	       (!*a->file || !*b->file || !strcmp(a->file, b->file));
}

static void read_mainline(const char *name, const char *suffix, int which)
{
	FILE *f = open_part(name, suffix);
	char line[1024];
	struct site s;
	int rows = 0;

	while (fgets(line, sizeof(line), f)) {
		long long bytes, calls;
		size_t i;
		int at;

		if (sscanf(line, "%lld %lld %n", &bytes, &calls, &at) != 2 ||
		    !parse_place(line + at, &s))
			continue;
		rows++;
		for (i = 0; i < site_count; i++)
			if (sites[i].line == s.line &&
			    same_function(&sites[i], &s))
				break;
		if (i == site_count)
			add_site(&s);
		sites[i].mainline[which].bytes += bytes;
		sites[i].mainline[which].objects += calls;
	}
	fclose(f);
	if (rows < 1000)
		errx(2, "%s.%s: only %d sites: is this allocinfo?", name,
		     suffix, rows);
}

/* Return: the change of mainline that is nearest to @mine, within its pairs of values. */
static long long mainline_change(const struct site *s, long long mine)
{
	const struct count *m = s->mainline;
	long long low = m[2].bytes, high = m[3].bytes, swap;
	long long before_low = m[0].bytes, before_high = m[1].bytes;

	if (low > high)
		swap = low, low = high, high = swap;
	if (before_low > before_high)
		swap = before_low, before_low = before_high, before_high = swap;
	low -= before_high;
	high -= before_low;
	return mine < low ? low : mine > high ? high : mine;
}

/* --- kmemtrace's tags ------------------------------------------------------- */

/* Sum of the tags of one place and kind, after less before. */
struct row {
	struct site place;
	enum kind kind;
	struct count change;
};

static struct row *rows;
static size_t row_count;

static void add_row(const struct site *place, enum kind kind, long long bytes,
		    long long objects)
{
	size_t i;

	for (i = 0; i < row_count; i++)
		if (rows[i].kind == kind && rows[i].place.line == place->line &&
		    !strcmp(rows[i].place.file, place->file) &&
		    same_function(&rows[i].place, place))
			break;
	if (i == row_count) {
		if (row_count % 1024 == 0) {
			rows = realloc(rows,
				       (row_count + 1024) * sizeof(*rows));
			if (!rows)
				err(2, "no memory");
		}
		rows[row_count] = (struct row) {.place = *place, .kind = kind};
		row_count++;
	}
	rows[i].change.bytes += bytes;
	rows[i].change.objects += objects;
}

/* "KIND BYTES OBJECTS REQUESTED ALLOCS FREES PEAK OLDEST ADDRESS ID PLACE" */
static void read_tags(const char *name, int sign)
{
	FILE *f = open_part(name, "tags");
	char line[1024], word[16];
	struct site s;
	int read = 0;

	while (fgets(line, sizeof(line), f)) {
		long long bytes, objects;
		int kind, at;

		if (sscanf(line, "%15s %lld %lld %*s %*s %*s %*s %*s %*s %*s %n",
			   word, &bytes, &objects, &at) != 3 ||
		    !parse_place(line + at, &s))
			continue;
		for (kind = 0; kind < KINDS; kind++)
			if (!strcmp(word, kind_names[kind]))
				break;
		if (kind == KINDS)
			errx(2, "%s.tags: unknown kind %s", name, word);
		read++;
		add_row(&s, kind, sign * bytes, sign * objects);
	}
	fclose(f);
	if (!read)
		errx(2, "%s.tags: no tags", name);
}

static size_t distance(const struct site *s, const struct row *r)
{
	long long d = s->line - r->place.line;

	if (!*r->place.file)
		d = mainline_change(s, r->change.bytes) - r->change.bytes;
	return llabs(d);
}

static void place_rows(void)
{
	size_t i, k;

	for (i = 0; i < row_count; i++) {
		struct row *r = &rows[i];
		struct site *best = NULL;

		for (k = 0; k < site_count; k++)
			if (same_function(&sites[k], &r->place) &&
			    (!best ||
			     distance(&sites[k], r) < distance(best, r)))
				best = &sites[k];
		if (!best && !r->change.bytes)
			continue;
		if (!best)
			best = add_site(&r->place);
		best->ours[r->kind].bytes += r->change.bytes;
		best->ours[r->kind].objects += r->change.objects;
	}
}

static void compare_site(struct site *s)
{
	long long calls = s->mainline[2].objects - s->mainline[0].objects;
	long long low, high, most = 0;
	int k;

	s->kind = KINDS;
	for (k = 0; k < KINDS; k++) {
		s->mine += s->ours[k].bytes;
		s->objects += s->ours[k].objects;
		if (llabs(s->ours[k].bytes) > most) {
			most = llabs(s->ours[k].bytes);
			s->kind = k;
		}
	}
	s->objects -= calls;
	s->theirs = mainline_change(s, s->mine);
	s->diff = s->mine - s->theirs;
	low = mainline_change(s, LLONG_MIN / 2);
	high = mainline_change(s, LLONG_MAX / 2);
	noise += high - low;
	if (s->kind == KINDS)
		s->kind = calls && s->theirs % (calls * PAGE) == 0 ? PAGES
								   : SLAB;
}

/* --- reasons ---------------------------------------------------------------- */

static void read_reasons(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[512];

	if (!f)
		err(2, "%s", path);
	while (fgets(line, sizeof(line), f)) {
		struct reason *r = &reasons[reason_count];
		char *pattern, *text;

		line[strcspn(line, "\n")] = '\0';
		if (*line == '#' || !*line)
			continue;
		pattern = strchr(line, '|');
		text = strrchr(line, '|'); /* the pattern may contain '|' */
		if (!pattern || text == pattern ||
		    reason_count == sizeof(reasons) / sizeof(*reasons))
			errx(2, "%s: %s", path, line);
		*pattern++ = '\0';
		*text++ = '\0';
		r->rule = strdup(line);
		if (regcomp(&r->pattern, pattern, REG_EXTENDED | REG_NOSUB))
			errx(2, "%s: bad pattern %s", path, pattern);
		r->text = strdup(text);
		reason_count++;
	}
	fclose(f);
}

static struct reason *reason_of(const struct site *s)
{
	char text[512];
	size_t i;

	snprintf(text, sizeof(text), "%s %s %s", kind_names[s->kind], s->file,
		 s->func);
	for (i = 0; i < reason_count; i++)
		if (!regexec(&reasons[i].pattern, text, 0, NULL, 0))
			return &reasons[i];
	return NULL;
}

/* Return: change of a counter between the snapshots. */
static long long stat_change(const char *counter)
{
	static const char *const names[] = { "before", "after" };
	long long value[2] = { -1, -1 };
	char line[256], word[128];
	int i;

	for (i = 0; i < 2; i++) {
		FILE *f = open_part(names[i], "stats");
		long long v;

		while (fgets(line, sizeof(line), f))
			if (sscanf(line, "%127s %lld", word, &v) == 2 &&
			    !strcmp(word, counter))
				value[i] = v;
		fclose(f);
		if (value[i] < 0)
			errx(2, "stats: no %s", counter);
	}
	return value[1] - value[0];
}

/*
 * Return: bytes of the vectors of kmalloc's slabs, from lines "CACHE SLABS OBJECTS".
 * OBJECTS is the number for each slab. A vector is itself allocated with kmalloc().
 */
static long long vector_bytes(const char *name)
{
	static const int more[] = { 96, 192 };
	FILE *f = open_part(name, "slabs");
	long long sum = 0, slabs, per_slab;
	char line[256];

	while (fgets(line, sizeof(line), f)) {
		long long need, size = 8;
		int i;

		if (sscanf(line, "%*s %lld %lld", &slabs, &per_slab) != 2)
			errx(2, "%s.slabs: %s", name, line);
		need = per_slab * VECTOR_ENTRY;
		while (size < need)
			size *= 2;
		for (i = 0; i < 2; i++)
			if (need <= more[i] && more[i] < size)
				size = more[i];
		sum += slabs * size;
	}
	fclose(f);
	return sum;
}

/* --- the verdict ---------------------------------------------------------- */

/*
 * Differences at sites without a reason. Objects of which mainline saw the free, but
 * kmemtrace did not, must have been allocated before kmemtrace was loaded.
 */
static struct {
	long long more[KINDS]; /* bytes at sites where kmemtrace has more */
	long long old[KINDS];  /* objects or pages that kmemtrace has more in total */
	long long unmatched[KINDS]; /* frees or pages that kmemtrace did not match */
	bool holds[KINDS];
} left;

static long long bytes_of(const char *rule)
{
	long long sum = 0;
	size_t i;

	for (i = 0; i < reason_count; i++)
		if (!strcmp(reasons[i].rule, rule))
			sum += reasons[i].bytes;
	return sum;
}

static bool reason_holds(const struct reason *r)
{
	/* memory cgroups need two more bytes for each byte of one CPU */
	long long room = FIRST_CHUNK * (cpus + 2);

	if (!strcmp(r->rule, "vectors")) {
		printf("slabobj_ext vectors: mainline did not count %lld bytes; the number of kmalloc's slabs says %lld\n",
		       r->bytes, vectors);
		return llabs(r->bytes - vectors) <=
		       VECTORS_OFF / 100 * llabs(vectors) + PAGE;
	}
	if (!strcmp(r->rule, "chunk")) {
		printf("first per-CPU chunk: mainline did not count %lld bytes; it has room for %lld\n",
		       r->bytes, room);
		return r->bytes >= 0 && r->bytes <= room;
	}
	if (!strcmp(r->rule, "never")) {
		printf("never counted by mainline: %lld bytes\n", r->bytes);
		return r->bytes >= 0 && !r->theirs;
	}
	if (!strcmp(r->rule, "moved")) {
		printf("counted at the caller: kmemtrace has %lld bytes less there, %lld more elsewhere\n",
		       -r->bytes, left.more[SLAB] + bytes_of("caller"));
		return r->bytes <= 0 &&
		       -r->bytes <= left.more[SLAB] + bytes_of("caller");
	}
	if (!strcmp(r->rule, "caller")) {
		printf("callers: kmemtrace has %lld bytes more there, %lld less where they are allocated\n",
		       r->bytes, -bytes_of("moved"));
		return r->bytes >= 0 && r->bytes <= PAGE - bytes_of("moved");
	}
	errx(2, "no such rule: %s", r->rule);
}

static bool is_excluded(const struct reason *r)
{
	return r && strcmp(r->rule, "moved") && strcmp(r->rule, "caller");
}

/* Sums up the differences of each reason, and those without a reason. */
static void sum_up(void)
{
	size_t i;
	int k;

	for (i = 0; i < site_count; i++) {
		struct site *s = &sites[i];

		compare_site(s);
		s->reason = s->diff ? reason_of(s) : NULL;
		if (s->reason) {
			s->reason->bytes += s->diff;
			s->reason->theirs += llabs(s->theirs);
		} else if (s->diff > 0) {
			left.more[s->kind] += s->diff;
		}
		if (!is_excluded(s->reason))
			left.old[s->kind] += s->kind == PAGES ? s->diff / PAGE
							      : s->objects;
	}
	left.unmatched[SLAB] = stat_change("unmatched_frees");
	left.unmatched[PAGES] = stat_change("unmatched_pages");
	for (k = SLAB; k <= PAGES; k++) {
		left.holds[k] = left.old[k] >= 0 &&
				left.old[k] <= left.unmatched[k];
		printf("older than kmemtrace: %lld %s freed by mainline's count; kmemtrace saw %lld frees that it could not match\n",
		       left.old[k], k == PAGES ? "pages" : "objects",
		       left.unmatched[k]);
	}
}

static int by_difference(const void *a, const void *b)
{
	long long x = llabs(((const struct site *)a)->diff);
	long long y = llabs(((const struct site *)b)->diff);

	return x < y ? 1 : x > y ? -1 : 0;
}

static bool is_older(const struct site *s)
{
	return !s->reason && s->diff > 0 && s->objects > 0 && s->kind != PERCPU &&
	       left.holds[s->kind];
}

/* kmemtrace allocates its tables before it counts, and gives back what it does not need later. */
static bool is_left_out(const struct site *s)
{
	return (is_excluded(s->reason) && s->reason->holds) ||
	       (is_older(s) && !strcmp(s->module, "kmemtrace"));
}

static const char *text_of(const struct site *s)
{
	if (s->reason)
		return s->reason->holds ? s->reason->text : NULL;
	return is_older(s) ? "freed since, allocated before kmemtrace was loaded" : NULL;
}

/* Return: number of differences of more than a page without a reason. */
static int show_sites(void)
{
	int missing = 0;
	size_t i;

	qsort(sites, site_count, sizeof(*sites), by_difference);
	printf("\n%10s %12s %12s %7s %-6s  site: reason\n", "difference",
	       "mainline", "kmemtrace", "objects", "kind");
	for (i = 0; i < site_count && sites[i].diff; i++) {
		const struct site *s = &sites[i];
		const char *text = text_of(s);

		if (!text && llabs(s->diff) > PAGE)
			missing++;
		printf("%+10lld %12lld %12lld %+7lld %-6s  %s:%d%s%s%s %s: %s\n",
		       s->diff, s->theirs, s->mine, s->objects,
		       kind_names[s->kind], s->file, s->line,
		       *s->module ? " [" : "", s->module, *s->module ? "]" : "",
		       s->func,
		       text		       ? text
		       : llabs(s->diff) > PAGE ? "NO REASON"
					       : "no more than a page");
	}
	return missing;
}

/* Return: whether the totals of a kind agree. */
static bool show_total(enum kind kind)
{
	long long mine = 0, theirs = 0, explained = 0;
	double off;
	size_t i;

	for (i = 0; i < site_count; i++) {
		const struct site *s = &sites[i];

		if (s->kind != kind)
			continue;
		mine += s->mine;
		theirs += s->theirs;
		if (is_left_out(s))
			explained += s->diff;
	}
	off = theirs + explained ? 100.0 * llabs(mine - theirs - explained) /
					   llabs(theirs + explained)
	      : mine != 0 ? 100
			  : 0;
	printf("%-6s  mainline %+12lld  kmemtrace %+12lld  left out %8lld  apart %.4f %%%s\n",
	       kind_names[kind], theirs, mine, explained, off,
	       off > TOTAL_OFF ? "  TOO FAR" : "");
	return off <= TOTAL_OFF;
}

/* Return: whether enough of the bytes are at the same site. */
static bool show_share(void)
{
	long long bytes = 0, same = 0;
	double share;
	size_t i;

	for (i = 0; i < site_count; i++) {
		long long x = sites[i].mine, y = sites[i].theirs;
		long long most = llabs(x) > llabs(y) ? llabs(x) : llabs(y);

		bytes += most;
		if (llabs(x - y) < most)
			same += most - llabs(x - y);
	}
	if (!bytes)
		errx(2, "nothing changed between the snapshots");
	share = 100.0 * same / bytes;
	printf("%.3f %% of %lld bytes are at the same site; mainline itself moved by %lld while it was read\n",
	       share, bytes, noise);
	return share >= SAME_SITE;
}

/* --- totals --------------------------------------------------------------- */

static long long number_after(const char *suffix, const char *key)
{
	FILE *f = open_part("total", suffix);
	char line[256], word[128];
	long long n = -1, v;

	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%127s %lld", word, &v) == 2 && !strcmp(word, key))
			n = v;
	fclose(f);
	if (n < 0)
		errx(2, "total.%s: no %s", suffix, key);
	return n;
}

/* Sets *page_ext to what mainline counts of page_ext. Return: its sum of all sites. */
static long long total_of_mainline(const char *suffix, long long *page_ext)
{
	FILE *f = open_part("total", suffix);
	long long bytes, sum = 0;
	char line[1024];

	*page_ext = 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lld", &bytes) != 1)
			continue;
		sum += bytes;
		if (strstr(line, " mm/page_ext.c:"))
			*page_ext += bytes;
	}
	fclose(f);
	return sum;
}

static bool is_never(const char *function)
{
	static const char *const names[] = {
		"kmem_cache", "kmem_cache_node", /* the survey's rows of these caches */
		"create_cache", "init_kmem_cache_nodes",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], function))
			return true;
	return false;
}

/* Sets *never to the bytes that mainline does not count at all. Return: the sum of all tags. */
static long long total_of_tags(long long *never)
{
	FILE *f = open_part("total", "tags");
	long long bytes, sum = 0;
	char line[1024];
	struct site s;
	int at;

	*never = 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*s %lld %*s %*s %*s %*s %*s %*s %*s %*s %n", &bytes,
			   &at) != 1 ||
		    !parse_place(line + at, &s))
			continue;
		sum += bytes;
		if (is_never(s.func))
			*never += bytes;
	}
	fclose(f);
	if (!sum)
		errx(2, "total.tags: no tags");
	return sum;
}

/* Return: whether the totals of all memory agree. */
static bool show_absolute(void)
{
	long long counted, never;
	long long first = total_of_mainline("1", &counted);
	long long second = total_of_mainline("2", &counted);
	long long low = first < second ? first : second, high = first + second - low;
	long long ours = total_of_tags(&never), vectors_now = vector_bytes("total");
	long long page_ext = number_after("vmstat", "nr_memmap_pages") * PAGE - counted;
	long long percpu = number_after("meminfo", "Percpu:") * 1024 + FIRST_CHUNK * (cpus + 2);
	long long known = vectors_now + never + page_ext;
	bool good = ours >= low + known - percpu && ours <= high + known + EARLY;

	printf("all memory: mainline %lld to %lld, kmemtrace %lld\n", low, high, ours);
	printf("  not counted by mainline: vectors %lld, caches of caches %lld, a part of page_ext %lld\n",
	       vectors_now, never, page_ext);
	printf("  left: kmemtrace has %+lld to %+lld; by pages before page_ext, at most %+d; by per-CPU memory before kmemtrace, at least %+lld%s\n",
	       ours - known - high, ours - known - low, EARLY, -percpu,
	       good ? "" : "  TOO FAR");
	return good;
}

int main(int argc, char **argv)
{
	bool good = true;
	size_t i;
	int k, missing;

	if (argc != 4)
		errx(2, "compare REASONS DIR CPUS");
	read_reasons(argv[1]);
	directory = argv[2];
	cpus = atoi(argv[3]);
	read_mainline("before", "1", 0);
	read_mainline("before", "2", 1);
	read_mainline("after", "1", 2);
	read_mainline("after", "2", 3);
	read_tags("before", -1);
	read_tags("after", 1);
	vectors = vector_bytes("after") - vector_bytes("before");
	place_rows();
	sum_up();
	for (i = 0; i < reason_count; i++)
		reasons[i].holds = reason_holds(&reasons[i]);
	missing = show_sites();
	puts("");
	for (k = 0; k < KINDS; k++)
		good &= show_total(k);
	good &= show_share();
	good &= show_absolute();
	printf("%d sites differ by more than a page without a reason\n",
	       missing);
	return good && !missing ? 0 : 1;
}
