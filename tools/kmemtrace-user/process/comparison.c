// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/plural.h"
#include "base/progress.h"
#include "process/comparison.h"

/* marks of the readings, in their order */
#define FIRST_A	 (1u << 0)
#define FIRST_B	 (1u << 1)
#define SECOND_A (1u << 2)
#define SECOND_B (1u << 3)

/* --- the processes ------------------------------------------------------------------ */

static int open_process(struct process *p, int pid)
{
	int err = process_open(p, pid);

	if (err)
		return footprint_error(p, err);
	if (p->nr_maps)
		return EXIT_DONE;
	return msg_error(process_is_kthread(p) ?
				 "process %d (%s) is a kernel thread: it has no memory to compare" :
				 "process %d (%s) has no memory to compare: it has ended, but its parent did not wait for it",
			 p->pid, p->name);
}

static int check_differ(const struct process *a, const struct process *b)
{
	int leader = process_leader(a);

	if (a->pid == b->pid)
		return msg_error("A and B are the same process, %d: give two",
				 a->pid);
	if (leader == process_leader(b))
		return msg_error("%d and %d are threads of the same process, %d: they have the same memory",
				 a->pid, b->pid, leader);
	return EXIT_DONE;
}

/* --- readings ----------------------------------------------------------------------- */

/* Sets @f to the process, and @other->files to its files for the next reading. */
static int read_one(struct comparison *c, struct footprint_reader *r, int side,
		    struct footprint *f)
{
	static const struct footprint_choice all = { .end = UINT64_MAX };
	int err = footprint_read(r, f, c->opened[side].pid, &all);

	if (!err && !f->process.nr_maps)
		err = -ESRCH;
	if (err)
		return footprint_error(&c->opened[side], err);
	filespans_free(&r->other->files);
	filespans_make(&r->other->files, &f->process, r->page_size);
	return EXIT_DONE;
}

static int comparison_read_all(struct comparison *c, struct footprint_reader *r)
{
	static const struct {
		int side;
		unsigned int mark, theirs;
		bool keep;
	} reading[] = {
		{ COMPARISON_A, FIRST_A, 0, false },
		{ COMPARISON_B, FIRST_B, FIRST_A, true },
		{ COMPARISON_A, SECOND_A, FIRST_B, true },
		{ COMPARISON_B, SECOND_B, SECOND_A, false },
	};
	struct footprint_other other = { .pages = &c->pages };
	struct footprint f;
	size_t i;
	int ret = EXIT_DONE;

	r->other = &other;
	for (i = 0; i < sizeof(reading) / sizeof(*reading) && !ret; i++) {
		other.mark = reading[i].mark;
		other.theirs = reading[i].theirs;
		ret = read_one(c, r, reading[i].side, &f);
		if (reading[i].keep && !ret)
			c->side[reading[i].side] = f;
		else
			footprint_free(&f);
	}
	r->other = NULL;
	filespans_free(&other.files);
	return ret;
}

/* --- results ------------------------------------------------------------------------ */

static bool differ(unsigned int marks, unsigned int x, unsigned int y)
{
	return !(marks & x) != !(marks & y);
}

/* @marks: marks of @bytes in memory, or in swap */
static void add_error(struct comparison *c, unsigned int marks, uint64_t bytes,
		      uint64_t uncertain[COMPARISON_SIDES])
{
	bool a_changed = differ(marks, FIRST_A, SECOND_A);
	bool b_changed = differ(marks, FIRST_B, SECOND_B);

	if (a_changed)
		c->changed[COMPARISON_A] += bytes;
	if (b_changed)
		c->changed[COMPARISON_B] += bytes;
	if ((marks & SECOND_A) && b_changed)
		uncertain[COMPARISON_A] += bytes;
	if ((marks & FIRST_B) && a_changed)
		uncertain[COMPARISON_B] += bytes;
}

static void add_up(struct comparison *c, uint64_t page_size)
{
	struct pageset_counts counts;
	unsigned int marks;

	pageset_count(&c->pages, &counts);
	for (marks = 1; marks < PAGESET_COMBINATIONS; marks++) {
		uint64_t bytes = counts.frames[marks] * page_size;
		bool a = marks & SECOND_A, b = marks & FIRST_B;

		if (a && b)
			c->once.both += bytes;
		else if (a || b)
			c->once.only[a ? COMPARISON_A : COMPARISON_B] += bytes;
		add_error(c, marks, bytes, c->uncertain);
		add_error(c, marks, counts.places[marks] * page_size,
			  c->uncertain_swap);
	}
}

static int comparison_compare(struct comparison *c, struct footprint_reader *r)
{
	int i, ret;

	pageset_init(&c->pages);
	ret = comparison_read_all(c, r);
	for (i = 0; i < COMPARISON_SIDES && !ret; i++)
		if (process_is_gone(&c->opened[i]))
			ret = footprint_error(&c->opened[i], -ESRCH);
	if (ret)
		return ret;
	c->misses_shmswap = r->misses_shmswap;
	add_up(c, r->page_size);
	mappairs_make(&c->side[COMPARISON_A], &c->side[COMPARISON_B], &c->pair,
		      &c->pairs);
	return EXIT_DONE;
}

int comparison_read(struct comparison *c, const int pid[COMPARISON_SIDES])
{
	static const struct process none = { .dir = -1, .pagemap = -1 };
	struct footprint_reader r;
	struct progress progress;
	int i, ret;

	*c = (struct comparison){ 0 };
	for (i = 0; i < COMPARISON_SIDES; i++)
		c->opened[i] = c->side[i].process = none;
	for (i = ret = 0; i < COMPARISON_SIDES && !ret; i++)
		ret = open_process(&c->opened[i], pid[i]);
	if (!ret)
		ret = check_differ(&c->opened[COMPARISON_A], &c->opened[COMPARISON_B]);
	if (ret)
		return ret;
	progress_start(&progress, "pages", 0);
	ret = footprint_start(&r, &progress) ? EXIT_FAILED : EXIT_DONE;
	if (!ret && !r.sees_frames)
		ret = msg_error("--compare needs CAP_SYS_ADMIN: the kernel hides the frames of processes; run as root");
	if (!ret)
		ret = comparison_compare(c, &r);
	progress_end(&progress);
	footprint_stop(&r);
	return ret;
}

void comparison_free(struct comparison *c)
{
	int i;

	for (i = 0; i < COMPARISON_SIDES; i++) {
		footprint_free(&c->side[i]);
		process_close(&c->opened[i]);
	}
	free(c->pair);
	pageset_exit(&c->pages);
}

/* --- columns ------------------------------------------------------------------------ */

/* values of both processes */
enum value {
	SIZE,
	RSS,
	BOTH,
	ONLY,
	ANON_BOTH,
	THP_BOTH,
	SWAP,
	SWAP_BOTH,
	SWAP_ONLY,
	HUGETLB,
	HUGETLB_BOTH,
	HUGETLB_ONLY,
	SUMS, /* the values up to here are sums */
	START = SUMS,
	END,
	PERMS,
	VALUES,
};

#define SIDED(value, side) ((value) * COMPARISON_SIDES + (side))
#define A(value)	   SIDED(value, COMPARISON_A)
#define B(value)	   SIDED(value, COMPARISON_B)

enum column {
	SIDED_SUMS = A(SUMS), /* the columns up to here are sums */
	SIDED_ALL = A(VALUES), /* the columns up to here are of one process */
	FIRST_START = SIDED_ALL,
	FIRST_PERMS,
	DEVICE,
	INODE,
	KIND,
	MAPPING,
	COLUMNS,
};

#define BYTES(value, title, key)                                               \
	[A(value)] = { title "-A", key "_a", TABLE_BYTES, 6, NULL },                 \
	[B(value)] = { title "-B", key "_b", TABLE_BYTES, 6, NULL }

static const struct table_column columns[COLUMNS] = {
	BYTES(SIZE, "SIZE", "size"),
	BYTES(RSS, "RSS", "rss"),
	BYTES(BOTH, "BOTH", "both"),
	BYTES(ONLY, "ONLY", "only"),
	BYTES(ANON_BOTH, "ANONBOTH", "anon_both"),
	BYTES(THP_BOTH, "THPBOTH", "thp_both"),
	BYTES(SWAP, "SWAP", "swap"),
	BYTES(SWAP_BOTH, "SWAPBOTH", "swap_both"),
	BYTES(SWAP_ONLY, "SWAPONLY", "swap_only"),
	BYTES(HUGETLB, "HUGETLB", "hugetlb"),
	BYTES(HUGETLB_BOTH, "HUGEBOTH", "hugetlb_both"),
	BYTES(HUGETLB_ONLY, "HUGEONLY", "hugetlb_only"),
	[A(START)] = { "START-A", "start_a", TABLE_ADDRESS, 12, NULL },
	[B(START)] = { "START-B", "start_b", TABLE_ADDRESS, 12, NULL },
	[A(END)] = { "END-A", "end_a", TABLE_ADDRESS, 12, NULL },
	[B(END)] = { "END-B", "end_b", TABLE_ADDRESS, 12, NULL },
	[A(PERMS)] = { "PERM-A", "perms_a", TABLE_STRING, 6, NULL },
	[B(PERMS)] = { "PERM-B", "perms_b", TABLE_STRING, 6, NULL },
	[FIRST_START] = { "START", "start", TABLE_ADDRESS, 12, NULL },
	[FIRST_PERMS] = { "PERM", "perms", TABLE_STRING, 4, NULL },
	[DEVICE] = { "DEV", "device", TABLE_STRING, 5, NULL },
	[INODE] = { "INODE", "inode", TABLE_NUMBER, 8, NULL },
	[KIND] = { "KIND", "kind", TABLE_STRING, 4, NULL },
	[MAPPING] = { "MAPPING", "mapping", TABLE_STRING, 0, NULL },
};

#define SIDES(value) A(value), B(value)
/* clang-format off */
#define ALL_SUMS \
	SIDES(SIZE), SIDES(RSS), SIDES(BOTH), SIDES(ONLY), SIDES(ANON_BOTH), \
	SIDES(THP_BOTH), SIDES(SWAP), SIDES(SWAP_BOTH), SIDES(SWAP_ONLY), \
	SIDES(HUGETLB), SIDES(HUGETLB_BOTH), SIDES(HUGETLB_ONLY)

static const int narrow[] = {
	FIRST_START, FIRST_PERMS, SIDES(BOTH), SIDES(ONLY), SIDES(SWAP), MAPPING,
	COLUMNS
};
static const int wide[] = {
	SIDES(START), SIDES(PERMS), KIND, ALL_SUMS, MAPPING, COLUMNS
};
static const int full[] = {
	SIDES(START), SIDES(END), SIDES(PERMS), DEVICE, INODE, KIND, ALL_SUMS,
	MAPPING, COLUMNS
};
static const int sums[] = { ALL_SUMS, COLUMNS };
/* clang-format on */

static uint64_t get_sum(const struct usage *u, const struct usage *both,
			enum value sum)
{
	const uint64_t sums[SUMS] = {
		[SIZE] = u->size,
		[RSS] = u->rss,
		[BOTH] = both->rss,
		[ONLY] = u->rss - both->rss,
		[ANON_BOTH] = both->anon,
		[THP_BOTH] = both->thp,
		[SWAP] = u->swap,
		[SWAP_BOTH] = both->swap,
		[SWAP_ONLY] = u->swap - both->swap,
		[HUGETLB] = u->hugetlb,
		[HUGETLB_BOTH] = both->hugetlb,
		[HUGETLB_ONLY] = u->hugetlb - both->hugetlb,
	};

	return sums[sum];
}

/* The process of a key: the character after its last '_', or 0 for both. */
static char side_of(const char *key, size_t *len)
{
	*len = strlen(key);
	if (*len < 2 || key[*len - 2] != '_' ||
	    (key[*len - 1] != 'a' && key[*len - 1] != 'b'))
		return 0;
	*len -= 2;
	return key[*len + 1];
}

/* Keys of both processes follow after the columns. */
int comparison_find_key(const char *key)
{
	size_t len, column_len;
	char side = side_of(key, &len);
	int i;

	for (i = 0; i < SUMS; i++) {
		side_of(columns[A(i)].key, &column_len);
		if (column_len != len || memcmp(columns[A(i)].key, key, len))
			continue;
		if (!side)
			return COLUMNS + i;
		return SIDED(i, side - 'a');
	}
	return -1;
}

int comparison_no_key(const char *key)
{
	char list[256] = "";
	size_t len, at = 0;
	int i;

	for (i = 0; i < SUMS; i++) {
		side_of(columns[A(i)].key, &len);
		at += snprintf(list + at, sizeof(list) - at, "%s%.*s",
			       i ? ", " : "", (int)len, columns[A(i)].key);
	}
	return msg_usage("pagemap", "--compare has no column '%s' to sort by; the columns are %s, each also with _a or _b",
			 key, list);
}

/* --- rows --------------------------------------------------------------------------- */

/**
 * struct total - sums of both processes
 * @usage: of each process
 * @both: the parts that the other process has as well
 */
struct total {
	struct usage usage[COMPARISON_SIDES];
	struct usage both[COMPARISON_SIDES];
};

/**
 * struct rows - a table
 * @column: the columns; COLUMNS ends the list
 * @row: the rows
 * @count: number of rows; a total follows after the last
 * @of: number of rows before --top; the total includes all of them
 * @total: the total
 */
struct rows {
	const int *column;
	const struct mappair **row;
	size_t count;
	size_t of;
	struct total total;
};

/* Return: the column of pagemap without --compare that has the same value. */
static enum usage_column usual(int column)
{
	static const enum usage_column columns[COLUMNS] = {
		[A(START)] = USAGE_START, [B(START)] = USAGE_START, [FIRST_START] = USAGE_START,
		[A(END)] = USAGE_END, [B(END)] = USAGE_END,
		[A(PERMS)] = USAGE_PERMS, [B(PERMS)] = USAGE_PERMS, [FIRST_PERMS] = USAGE_PERMS,
		[DEVICE] = USAGE_DEVICE, [INODE] = USAGE_INODE, [KIND] = USAGE_KIND,
		[MAPPING] = USAGE_MAPPING,
	};

	return columns[column];
}

static void get_total(const struct rows *rows, int column,
		      struct table_cell *cell)
{
	int side = column % COMPARISON_SIDES;

	if (column < SIDED_SUMS)
		cell->number = get_sum(&rows->total.usage[side],
				       &rows->total.both[side],
				       column / COMPARISON_SIDES);
	else if (column == MAPPING)
		snprintf(cell->string, sizeof(cell->string), "total of %zu mapping%s",
			 rows->of, plural(rows->of));
	else
		cell->blank = columns[column].kind != TABLE_STRING;
}

static void comparison_get(void *arg, size_t i, struct table_cell *cell)
{
	const struct rows *rows = arg;
	int column = rows->column[cell->before];
	const struct footprint_row *row;

	if (i == rows->count) {
		get_total(rows, column, cell);
		return;
	}
	row = column < SIDED_ALL ?
		      rows->row[i]->side[column % COMPARISON_SIDES] :
		      mappair_first(rows->row[i]);
	cell->blank = !row;
	if (!row)
		return;
	if (column < SIDED_SUMS) {
		cell->number = get_sum(&row->usage, &row->both, column / COMPARISON_SIDES);
		return;
	}
	cell->before = usual(column) - USAGE_START;
	usage_rows_mapping(cell, row);
}

static uint64_t sort_value(const struct mappair *pair, int key)
{
	bool is_sided = key < COLUMNS;
	int sum = is_sided ? key / COMPARISON_SIDES : key - COLUMNS, i;
	uint64_t value = 0;

	for (i = 0; i < COMPARISON_SIDES; i++)
		if (pair->side[i] && (!is_sided || key % COMPARISON_SIDES == i))
			value += get_sum(&pair->side[i]->usage,
					 &pair->side[i]->both, sum);
	return value;
}

static int by_value(const void *a, const void *b, void *arg)
{
	const struct mappair *x = *(const struct mappair *const *)a;
	const struct mappair *y = *(const struct mappair *const *)b;
	int key = *(const int *)arg;
	uint64_t m = sort_value(x, key), n = sort_value(y, key);

	if (m != n)
		return m < n ? 1 : -1;
	return x < y ? -1 : x > y;
}

static void add_total(struct total *t, const struct mappair *pair)
{
	int i;

	for (i = 0; i < COMPARISON_SIDES; i++) {
		if (!pair->side[i])
			continue;
		usage_add(&t->usage[i], &pair->side[i]->usage);
		usage_add(&t->both[i], &pair->side[i]->both);
	}
}

static void rows_make(struct rows *rows, const struct comparison *c, const struct usage_view *v,
		      const char *name)
{
	int sort = v->sort;
	size_t i;

	*rows = (struct rows){ .row = xcalloc(c->pairs + 1, sizeof(*rows->row)) };
	for (i = 0; i < c->pairs; i++) {
		const struct mapping *m = mappair_first(&c->pair[i])->map;

		if (name && !strstr(footprint_name(m), name))
			continue;
		rows->row[rows->of++] = &c->pair[i];
		add_total(&rows->total, &c->pair[i]);
	}
	if (sort != USAGE_ROWS_UNSORTED)
		qsort_r(rows->row, rows->of, sizeof(*rows->row), by_value, &sort);
	rows->count = v->top && v->top < rows->of ? v->top : rows->of;
}

static size_t rows_columns(const struct rows *rows,
			   struct table_column to[COLUMNS])
{
	size_t n;

	for (n = 0; rows->column[n] != COLUMNS; n++)
		to[n] = columns[rows->column[n]];
	return n;
}

/* --- text --------------------------------------------------------------------------- */

#define HUMAN 16

static const char *human(char to[HUMAN], uint64_t bytes)
{
	return table_human(to, HUMAN, bytes, 1);
}

/* Prints nothing if neither process has such memory. */
static void print_common(const char *what, const struct total *t, enum value sum,
			 enum value both)
{
	char text[COMPARISON_SIDES][2][HUMAN];
	uint64_t all = 0, n;
	int i;

	for (i = 0; i < COMPARISON_SIDES; i++) {
		n = get_sum(&t->usage[i], &t->both[i], sum);
		all += n;
		human(text[i][0], get_sum(&t->usage[i], &t->both[i], both));
		human(text[i][1], n);
	}
	if (all)
		printf("in both, of %s: %s of A's %s, %s of B's %s\n", what,
		       text[0][0], text[0][1], text[1][0], text[1][1]);
}

/* Return: whether it printed the line. */
static bool print_uncertain(const char *where, const uint64_t bytes[COMPARISON_SIDES])
{
	char a[HUMAN], b[HUMAN];

	if (!bytes[0] && !bytes[1])
		return false;
	printf("uncertain%s: %s of A and %s of B: only one of two readings of the other process found these pages\n",
	       where, human(a, bytes[0]), human(b, bytes[1]));
	return true;
}

static void print_error(const struct comparison *c)
{
	bool is_uncertain = print_uncertain("", c->uncertain);
	char a[HUMAN], b[HUMAN];

	if (print_uncertain(" in swap", c->uncertain_swap) || is_uncertain)
		return;
	if (c->changed[0] || c->changed[1])
		printf("exact: between two readings, %s of A and %s of B changed, but no page in both\n",
		       human(a, c->changed[0]), human(b, c->changed[1]));
	else
		puts("exact: no page changed between two readings of A and of B");
}

static void comparison_print_text(const struct comparison *c, struct rows *rows)
{
	struct table_column column[COLUMNS];
	size_t n = rows_columns(rows, column);
	char b[3][HUMAN];
	int i;

	for (i = 0; i < COMPARISON_SIDES; i++)
		printf("%c: %d %s\n", 'A' + i, c->opened[i].pid,
		       c->opened[i].name);
	table_print_text(column, n, rows->count + 1, comparison_get, rows);
	table_print_left_out(rows->of - rows->count);
	putchar('\n');
	print_common("RSS", &rows->total, RSS, BOTH);
	print_common("hugetlb", &rows->total, HUGETLB, HUGETLB_BOTH);
	print_common("swap", &rows->total, SWAP, SWAP_BOTH);
	printf("all mappings, each page once: %s in both, %s only in A, %s only in B\n",
	       human(b[0], c->once.both), human(b[1], c->once.only[0]),
	       human(b[2], c->once.only[1]));
	print_error(c);
}

/* --- JSON --------------------------------------------------------------------------- */

static json_t *json_total(struct rows *rows)
{
	struct rows alone = { .column = sums, .of = rows->of,
			      .total = rows->total };
	struct table_column column[COLUMNS];
	json_t *table, *object;

	table = table_json(column, rows_columns(&alone, column), 1, comparison_get, &alone);
	object = json_incref(json_array_get(table, 0));
	json_decref(table);
	return object;
}

static int comparison_print_json(const struct comparison *c, struct rows *rows)
{
	struct table_column column[COLUMNS];
	size_t n = rows_columns(rows, column);

	return json_print(json_pack(
		"{s:{s:i,s:s},s:{s:i,s:s},s:o,s:o,s:{s:I,s:I,s:I},s:{s:I,s:I,s:I,s:I},s:{s:I,s:I}}",
		"a", "pid", c->opened[0].pid, "name", c->opened[0].name, "b", "pid",
		c->opened[1].pid, "name", c->opened[1].name, "mappings",
		table_json(column, n, rows->count, comparison_get, rows), "total",
		json_total(rows), "once", "both", (json_int_t)c->once.both, "only_a",
		(json_int_t)c->once.only[0], "only_b", (json_int_t)c->once.only[1],
		"uncertain", "memory_a", (json_int_t)c->uncertain[0], "memory_b",
		(json_int_t)c->uncertain[1], "swap_a", (json_int_t)c->uncertain_swap[0],
		"swap_b", (json_int_t)c->uncertain_swap[1], "changed", "a",
		(json_int_t)c->changed[0], "b", (json_int_t)c->changed[1]));
}

int comparison_print(const struct comparison *c, const struct usage_view *v, const char *name,
		     enum table_format format)
{
	struct table_column column[COLUMNS];
	struct rows rows;
	int ret = EXIT_DONE;

	rows_make(&rows, c, v, name);
	rows.column = format != TABLE_TEXT ? full : v->wide ? wide : narrow;
	if (format == TABLE_JSON)
		ret = comparison_print_json(c, &rows);
	else if (format == TABLE_CSV)
		table_print_csv(column, rows_columns(&rows, column), rows.count,
				comparison_get, &rows);
	else
		comparison_print_text(c, &rows);
	free(rows.row);
	return ret;
}
