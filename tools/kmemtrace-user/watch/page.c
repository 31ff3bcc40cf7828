// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/trust.h"
#include "base/chart.h"
#include "base/die.h"
#include "base/memtext.h"
#include "base/table.h"
#include "base/textfile.h"
#include "watch/page.h"
#include "watch/watch.h"

/* lines of the head above the titles, if the terminal is high enough */
#define HEAD_LINES   4
#define HEAD_HEIGHT  10
#define SMALL_HEIGHT 5

/* columns of a sparkline in a terminal of 80 columns, and of the name at least */
#define TREND_MIN 8
#define NAME_MIN  18

void page_init(struct page *p, size_t width, size_t height, bool utf8)
{
	*p = (struct page){
		.width = width < PAGE_WIDTH_MAX ? width : PAGE_WIDTH_MAX,
		.height = height < PAGE_HEIGHT_MAX ? height : PAGE_HEIGHT_MAX,
		.utf8 = utf8,
	};
	p->line = xcalloc(p->height, sizeof(*p->line));
}

void page_exit(struct page *p)
{
	free(p->line);
}

static size_t head_lines(const struct page *p)
{
	if (p->height >= HEAD_HEIGHT)
		return HEAD_LINES;
	return p->height >= SMALL_HEIGHT ? 1 : 0;
}

size_t page_rows(const struct page *p, enum ui_mode mode)
{
	size_t used = 1 + (mode == UI_TABLE ? head_lines(p) + 1 : 0);

	return p->height > used ? p->height - used : 1;
}

/* Write a line of ASCII; what is too wide is cut off. */
__attribute__((format(printf, 4, 5))) static void
put(struct page *p, size_t line, enum page_style style, const char *format, ...)
{
	va_list args;

	if (line >= p->height)
		return;
	p->line[line].style = style;
	va_start(args, format);
	vsnprintf(p->line[line].text, p->width + 1, format, args);
	va_end(args);
}

/* Copy at most @width characters. Bytes that continue a character have no width. */
static void copy_line(char *to, size_t size, const char *from, size_t len,
		      size_t shift, size_t width)
{
	size_t column = 0, used = 0, i;

	for (i = 0; i < len && used + 1 < size; i++) {
		bool begins = (from[i] & 0xc0) != 0x80;

		column += begins;
		if (column > shift + width)
			break;
		if (column > shift)
			to[used++] = from[i];
	}
	to[used] = '\0';
}

/* --- head ----------------------------------------------------------------------- */

static const char *seconds(char to[16], uint64_t ns)
{
	return table_age(to, 16, ns / 1000000);
}

static void put_totals(struct page *p, size_t line, const struct watch *w)
{
	int64_t bytes[SITE_KINDS] = { 0 };
	char b[SITE_KINDS][20];
	size_t i;

	for (i = 0; i < w->count; i++)
		bytes[w->tag[i].now.kind] += w->tag[i].now.f.bytes;
	for (i = 0; i < SITE_KINDS; i++)
		table_human(b[i], sizeof(b[i]), bytes[i] < 0 ? 0 : bytes[i], true);
	if (w->by == WATCH_CACHE)
		put(p, line, PAGE_PLAIN, "live: %s in slab caches", b[SITE_SLAB]);
	else
		put(p, line, PAGE_PLAIN,
		    "live: slab %s, page %s, percpu %s; pages include those of slabs",
		    b[SITE_SLAB], b[SITE_PAGE], b[SITE_PERCPU]);
}

/* Return: the line about the error of the figures, which the caller frees; or NULL. */
static char *trust_line(const struct watch *w)
{
	struct memtext text;
	FILE *out = memtext_open(&text);
	char *line;

	trust_write(&w->stats, out);
	line = memtext_close(&text, NULL);
	line[strcspn(line, "\n")] = '\0'; /* there is no room for the rows earlier/ */
	return line;
}

static void put_trust(struct page *p, size_t line, const struct watch *w)
{
	char *text = trust_line(w);

	put(p, line, trust_is_exact(&w->stats) ? PAGE_PLAIN : PAGE_WARNING, "%s",
	    text);
	free(text);
}

static void put_settings(struct page *p, size_t line, const struct ui *u)
{
	const struct watch *w = u->view.watch;
	const char *filter = u->view.filter;
	char age[16];

	seconds(age, w->ns - (w->mark_ns ? w->mark_ns : w->start_ns));
	put(p, line, PAGE_PLAIN, "by %s, %s%s%s%s%s; %s since the %s, %s ago",
	    watch_by_names[w->by],
	    w->by == WATCH_CACHE ? "from the file caches_live" :
	    u->kind < 0		 ? "all kinds" :
				   site_kind_names[u->kind],
	    *filter ? ", with \"" : "", filter, *filter ? "\"" : "",
	    u->view.reverse ? ", reversed" : "",
	    w->mark_ns ? "+MARK: net growth" : "+START: change",
	    w->mark_ns ? "mark" : "start", age);
}

static void put_head(struct page *p, const struct ui *u)
{
	const struct watch *w = u->view.watch;
	bool on = trust_counter(&w->stats, "accounting");
	size_t lines = head_lines(p);

	if (lines == 1)
		put_trust(p, 0, w);
	if (lines < HEAD_LINES)
		return;
	put(p, 0, on ? PAGE_BOLD : PAGE_WARNING,
	    "kmemtrace-user top: %zu of %zu rows, every %g s%s%s",
	    u->view.list.shown, w->rows, u->delay, u->paused ? ", PAUSED" : "",
	    on ? "" : ", accounting is OFF");
	put_totals(p, 1, w);
	put_trust(p, 2, w);
	put_settings(p, 3, u);
}

/* --- table ---------------------------------------------------------------------- */

/* Columns before the sparkline, with their widths on the screen. */
static const struct {
	enum view_column column;
	int width;
} cells[] = {
	{ VIEW_BYTES, 6 },  { VIEW_RATE, 7 },  { VIEW_CHANGE, 7 }, { VIEW_ALLOCS, 7 },
	{ VIEW_FREES, 6 },  { VIEW_WASTE, 6 }, { VIEW_OLDEST, 6 },
};

#define CELLS (sizeof(cells) / sizeof(*cells))

/* If the terminal is narrow, these columns are left out, in this order. */
static const enum view_column optional[] = { VIEW_WASTE, VIEW_OLDEST, VIEW_FREES,
					     VIEW_ALLOCS, VIEW_CHANGE, VIEW_RATE };

#define OPTIONAL (sizeof(optional) / sizeof(*optional))

/* columns that fit into the terminal */
struct widths {
	bool shown[CELLS];	/* whether each column of @cells is shown */
	size_t trend;		/* width of the sparkline; 0: there is none */
	size_t name;		/* width of the name */
};

static size_t cells_width(const struct widths *w)
{
	size_t sum = 0, i;

	for (i = 0; i < CELLS; i++)
		if (w->shown[i])
			sum += cells[i].width + 1;
	return sum;
}

static struct widths find_widths(const struct page *p)
{
	struct widths w = { .trend = TREND_MIN };
	size_t i, k, used;

	for (i = 0; i < CELLS; i++)
		w.shown[i] = true;
	for (k = 0; k < OPTIONAL; k++) {
		if (cells_width(&w) + w.trend + 1 + NAME_MIN <= p->width)
			break;
		for (i = 0; i < CELLS; i++)
			if (cells[i].column == optional[k])
				w.shown[i] = false;
	}
	used = cells_width(&w) + w.trend + 1;
	if (used + NAME_MIN > p->width) {
		used -= w.trend + 1;
		w.trend = 0;
	}
	w.name = p->width > used ? p->width - used : 0;
	/* a wide terminal has a longer sparkline, and longer names */
	for (; w.trend && w.trend < HISTORY_SLOTS && w.name > 48; w.name--)
		w.trend++;
	return w;
}

/* Shorten "12.3MiB" to "12.3M": the titles of this table leave no doubt. */
static void shorten(char *text)
{
	size_t len = strlen(text);

	if (len > 3 && !strcmp(text + len - 2, "iB"))
		text[len - 2] = '\0';
}

static void put_titles(struct page *p, size_t line, const struct ui *u,
		       const struct widths *w)
{
	const struct watch *watch = u->view.watch;
	char text[PAGE_WIDTH_MAX] = "";
	size_t used = 0, i;

	for (i = 0; i < CELLS; i++) {
		bool change = cells[i].column == VIEW_CHANGE;
		bool sorted = cells[i].column == u->view.sort;

		if (w->shown[i])
			used += snprintf(text + used, sizeof(text) - used, "%*s%c",
					 cells[i].width,
					 change && watch->mark_ns ? "+MARK" :
								    view_columns[cells[i].column].title,
					 sorted ? '*' : ' ');
	}
	put(p, line, PAGE_TITLES, "%s%-*s%s%s%*s", text,
	    (int)(w->trend ? w->trend + 1 : 0), w->trend ? "HISTORY" : "",
	    watch_by_names[watch->by], u->view.sort == VIEW_NAME ? "*" : "",
	    (int)p->width, "");
}

static void page_put_row(struct page *p, size_t line, const struct ui *u,
			 const struct widths *w, size_t position)
{
	const struct listing *l = &u->view.list;
	const struct watch *watch = u->view.watch;
	uint32_t row = view_row(&u->view, position);
	const char *name = watch->row[row].name;
	char text[PAGE_WIDTH_MAX + HISTORY_SLOTS * CHART_CHARACTER + 1] = "";
	char number[TABLE_CELL_TEXT];
	int64_t value[HISTORY_SLOTS];
	struct table_cell cell;
	size_t used = 0, i;

	for (i = 0; i < CELLS; i++) {
		if (!w->shown[i])
			continue;
		table_get_cell(l->get, l->arg, l->row[position], cells[i].column, &cell);
		snprintf(number, sizeof(number), "%s",
			 table_cell_text(&view_columns[cells[i].column], &cell,
					 (char[TABLE_CELL_TEXT]){ 0 }));
		shorten(number);
		used += snprintf(text + used, sizeof(text) - used, "%*.*s ",
				 cells[i].width, cells[i].width, number);
	}
	if (w->trend) {
		watch_history(watch, row, value);
		chart_sparkline(text + used, value, history_known(&watch->clock),
				w->trend, p->utf8);
		used += strlen(text + used);
		text[used++] = ' ';
	}
	i = strlen(name);
	snprintf(text + used, sizeof(text) - used, "%-*.*s", (int)w->name,
		 (int)w->name, name + (u->shift < i ? u->shift : i));
	copy_line(p->line[line].text, sizeof(p->line->text), text, strlen(text), 0,
		  p->width);
}

static void put_table(struct page *p, const struct ui *u)
{
	size_t top = head_lines(p), rows = page_rows(p, UI_TABLE), i;
	size_t selected = ui_selected(u);
	struct widths w = find_widths(p);

	put_head(p, u);
	if (top + 1 < p->height)
		put_titles(p, top++, u, &w);
	for (i = 0; i < rows && u->first + i < u->view.list.shown &&
		    top + i + 1 < p->height; i++) {
		page_put_row(p, top + i, u, &w, u->first + i);
		p->line[top + i].style = u->first + i == selected ? PAGE_SELECTED :
								    PAGE_PLAIN;
	}
	if (!u->view.list.shown)
		put(p, top, PAGE_PLAIN, "%s",
		    u->view.watch->rows ? "no name contains the text of the filter" :
					  "nothing is accounted");
}

/* --- details of a row ----------------------------------------------------------- */

/* bytes of a number as text */
#define NUMBER 24

static const char *page_human(char to[NUMBER], int64_t n, enum table_kind kind)
{
	const struct table_column column = { .kind = kind };
	struct table_cell cell;
	char text[TABLE_CELL_TEXT];

	cell.number = n;
	cell.unknown = kind == TABLE_AGE && n < 0;
	cell.blank = false;
	snprintf(to, NUMBER, "%.*s", NUMBER - 1,
		 table_cell_text(&column, &cell, text));
	return to;
}

static const char *page_rate(char to[NUMBER], const struct watch *w, int64_t n,
			     enum table_kind kind)
{
	if (!w->step_ns)
		return "-";
	return page_human(to, n * 1e9 / w->step_ns, kind);
}

static void write_figures(const struct watch *w, const struct watch_row *r,
			  FILE *out)
{
	char a[NUMBER], b[NUMBER], c[NUMBER];

	fprintf(out, "live         %s in %s objects",
		page_human(a, r->now.bytes, TABLE_BYTES),
		page_human(b, r->now.objects, TABLE_COUNT));
	if (r->now.objects > 0)
		fprintf(out, ", %s each on average",
			page_human(a, r->now.bytes / r->now.objects, TABLE_BYTES));
	fputc('\n', out);
	if (watch_counts(w)) {
		fprintf(out, "requested    %s, so %s is waste\n",
			page_human(a, r->now.requested, TABLE_BYTES),
			page_human(b, figures_waste(&r->now), TABLE_BYTES));
		fprintf(out, "allocations  %s, %s/s\n",
			page_human(a, r->now.allocs, TABLE_COUNT),
			page_rate(b, w, r->step.allocs, TABLE_COUNT));
		fprintf(out, "frees        %s, %s/s\n",
			page_human(a, r->now.frees, TABLE_COUNT),
			page_rate(b, w, r->step.frees, TABLE_COUNT));
		fprintf(out, "oldest       %s\n",
			page_human(a, r->now.oldest_ms, TABLE_AGE));
	} else {
		fputs("The module counts neither allocations, frees and waste nor ages by cache.\n",
		      out);
	}
	fprintf(out, "change       %s/s, %s in the %s since the %s, %s objects\n",
		page_rate(a, w, r->step.bytes, TABLE_BYTES_CHANGE),
		page_human(b, r->change.bytes, TABLE_BYTES_CHANGE),
		page_human(c, (w->ns - (w->mark_ns ? w->mark_ns : w->start_ns)) / 1000000,
			   TABLE_AGE),
		w->mark_ns ? "mark" : "start",
		page_human((char[NUMBER]){ 0 }, r->change.objects, TABLE_COUNT_CHANGE));
}

static void write_mark(const struct watch *w, uint32_t row, FILE *out)
{
	struct figures b;
	char low[NUMBER], high[NUMBER];

	if (!w->mark_ns || !watch_counts(w))
		return;
	b = watch_since_mark(w, row);
	page_human(low, b.low, TABLE_BYTES);
	page_human(high, b.high, TABLE_BYTES);
	if (b.low == b.high)
		fprintf(out, "since mark   %s of the live bytes are newer than the mark\n",
			low);
	else
		fprintf(out, "since mark   %s to %s of the live bytes are newer than the mark;\n"
			"             the counters do not show which objects were freed\n",
			low, high);
}

static void write_history(const struct watch *w, uint32_t row, bool utf8, FILE *out)
{
	size_t known = history_known(&w->clock), i;
	char line[HISTORY_SLOTS * CHART_CHARACTER + 1];
	int64_t value[HISTORY_SLOTS], least, most;
	char a[NUMBER], b[NUMBER], c[NUMBER];

	watch_history(w, row, value);
	least = most = value[0];
	for (i = 0; i < known; i++) {
		least = value[i] < least ? value[i] : least;
		most = value[i] > most ? value[i] : most;
	}
	chart_sparkline(line, value, known, known, utf8);
	fprintf(out, "history      %s\n", line);
	fprintf(out, "             the last %s, %s to %s\n",
		page_human(a, known * (HISTORY_SLOT_NS / 1000000), TABLE_AGE),
		page_human(b, least, TABLE_BYTES), page_human(c, most, TABLE_BYTES));
}

static int by_bytes(const void *a, const void *b)
{
	const struct watch_tag *const *x = a, *const *y = b;

	if ((*x)->now.f.bytes != (*y)->now.f.bytes)
		return (*x)->now.f.bytes < (*y)->now.f.bytes ? 1 : -1;
	return *x < *y ? -1 : *x > *y;
}

static void write_tag(const struct site_row *t, FILE *out)
{
	char b[7][NUMBER];

	fprintf(out, "%8s %7s %8s %7s %7s %8s %6s %s\n",
		page_human(b[0], t->f.bytes, TABLE_BYTES),
		page_human(b[1], t->f.objects, TABLE_COUNT),
		page_human(b[2], t->f.requested, TABLE_BYTES),
		page_human(b[3], t->f.allocs, TABLE_COUNT),
		page_human(b[4], t->f.frees, TABLE_COUNT),
		page_human(b[5], t->f.peak, TABLE_BYTES),
		page_human(b[6], t->f.oldest_ms, TABLE_AGE), site_kind_names[t->kind]);
	fprintf(out, "  %s\n", t->location);
	if (t->id || t->address)
		fprintf(out, "  tag %" PRIu32 ", address 0x%" PRIx64 "\n", t->id,
			t->address);
}

static void write_tags(const struct watch *w, uint32_t row, FILE *out)
{
	size_t n = w->row[row].tags, i;
	const struct watch_tag **sorted = xcalloc(n, sizeof(*sorted));

	for (i = 0; i < n; i++)
		sorted[i] = watch_tag(w, row, i);
	qsort(sorted, n, sizeof(*sorted), by_bytes);
	fprintf(out, "\n%8s %7s %8s %7s %7s %8s %6s %s\n", "LIVE", "OBJECTS",
		"REQ", "ALLOCS", "FREES", "PEAK", "OLDEST", "KIND");
	for (i = 0; i < n; i++)
		write_tag(&sorted[i]->now, out);
	free(sorted);
}

static void details_write(const struct watch *w, uint32_t row, bool utf8, FILE *out)
{
	const struct watch_row *r = &w->row[row];

	fprintf(out, "%s\n\n", r->name);
	write_figures(w, r, out);
	write_mark(w, row, out);
	write_history(w, row, utf8, out);
	if (watch_counts(w))
		write_tags(w, row, out);
	fputc('\n', out);
	trust_write(&w->stats, out);
	if (*w->stats.stats)
		trust_write_reasons(&w->stats, out);
}

/* --- text ----------------------------------------------------------------------- */

static const char help[] =
	"Each row is live kernel memory of one site, function, module, cache or kind.\n"
	"\n"
	"LIVE     live bytes; K, M, G are powers of 1024\n"
	"+/s      change of LIVE per second, since the last refresh\n"
	"+START   change of LIVE since top was started, or accounting restarted\n"
	"+MARK    with a mark: net growth since the mark. Frees of older objects are\n"
	"         subtracted; Enter shows how much of LIVE can be newer than the mark\n"
	"ALLOC/s  allocations per second; FREE/s  frees per second\n"
	"WASTE    bytes that were allocated, but not requested\n"
	"OLDEST   age of the oldest live object\n"
	"HISTORY  LIVE of the last minutes, 5 seconds a character, lowest to highest\n"
	"\n"
	"s S > <     sort by the next, the previous column (* in the titles)\n"
	"R           reverse the order\n"
	"b B         group by the next, the previous key: site, function, module, ...\n"
	"k           kind of memory: all, slab, page, percpu\n"
	"f /         filter: show only names that contain a text\n"
	"m M         set the mark, remove it\n"
	"p           pause and continue\n"
	"Space       refresh now\n"
	"d           time between two refreshes\n"
	"Up Down PgUp PgDn Home End   select a row; it stays selected when it moves\n"
	"Left Right  shift the names\n"
	"Enter       details of the row\n"
	"Esc         select no row; leave details, help and prompts\n"
	"h ?         this help\n"
	"q           leave details and help; quit\n";

static void page_put_text(struct page *p, struct ui *u, const char *text)
{
	size_t rows = page_rows(p, u->mode), lines = 0, i;
	const char *line;

	for (line = text; line; line = textfile_next_line(line))
		lines++;
	if (u->scroll > (lines > rows ? lines - rows : 0))
		u->scroll = lines > rows ? lines - rows : 0;
	for (i = 0, line = text; line && i < u->scroll + rows; i++) {
		if (i >= u->scroll && i - u->scroll < p->height)
			copy_line(p->line[i - u->scroll].text,
				  sizeof(p->line->text), line, strcspn(line, "\n"),
				  u->shift, p->width);
		line = textfile_next_line(line);
	}
}

static void put_details(struct page *p, struct ui *u)
{
	uint32_t row = watch_find(u->view.watch, u->selected);
	struct memtext text;
	FILE *out;
	char *lines;

	if (row == WATCH_NONE) {
		put(p, 0, PAGE_PLAIN, "%s does not exist any more", u->selected);
		return;
	}
	out = memtext_open(&text);
	details_write(u->view.watch, row, p->utf8, out);
	lines = memtext_close(&text, NULL);
	page_put_text(p, u, lines);
	free(lines);
	p->line[0].style = u->scroll ? PAGE_PLAIN : PAGE_BOLD;
}

/* --- last line ------------------------------------------------------------------ */

static void put_last(struct page *p, const struct ui *u)
{
	static const char *const keys[] = {
		[UI_TABLE] = "h help  s sort  b group  f filter  m mark  p pause  Enter details  q quit",
		[UI_DETAILS] = "q back  Up Down Left Right scroll  m mark  p pause",
		[UI_HELP] = "q back  Up Down scroll",
	};
	size_t line = p->height - 1;

	p->cursor = -1;
	if (u->prompt == UI_FILTER)
		put(p, line, PAGE_BOLD, "show names that contain: %s", u->input);
	else if (u->prompt == UI_DELAY)
		put(p, line, PAGE_BOLD, "time between two refreshes (now %gs): %s",
		    u->delay, u->input);
	else if (*u->notice)
		put(p, line, PAGE_BOLD, "%s", u->notice);
	else
		put(p, line, PAGE_PLAIN, "%s", keys[u->mode]);
	if (u->prompt != UI_NO_PROMPT)
		p->cursor = strlen(p->line[line].text);
}

void page_draw(struct page *p, struct ui *u)
{
	size_t i;

	for (i = 0; i < p->height; i++) {
		p->line[i].style = PAGE_PLAIN;
		*p->line[i].text = '\0';
	}
	if (u->mode == UI_TABLE)
		put_table(p, u);
	else if (u->mode == UI_HELP)
		page_put_text(p, u, help);
	else
		put_details(p, u);
	put_last(p, u);
}
