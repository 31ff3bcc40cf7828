// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/color.h"
#include "base/table.h"
#include "report/calltree.h"
#include "report/report.h"

/* Lines are wrapped here. A single long name may be longer. */
#define LINE 80
/* columns in front of the tree: a value, a percentage and the number of objects */
#define FRONT 24
/* indentation of each level */
#define STEP 2
#define LEVELS_MAX KMT_STACK_MAX

/* the columns that --sort takes with --tree */
static const struct {
	enum column column;
	enum calltree_figure figure;
} figures[] = {
	{ COL_LIVE, CALLTREE_LIVE },	 { COL_OBJECTS, CALLTREE_OBJECTS },
	{ COL_ALLOC, CALLTREE_ALLOC },	 { COL_ALLOCS, CALLTREE_ALLOCS },
	{ COL_PEAK, CALLTREE_PEAK },
};

#define FIGURES (sizeof(figures) / sizeof(figures[0]))

/* Return: the index in @figures; FIGURES if the tree has no such figure. */
static size_t find_figure(enum column column)
{
	size_t i;

	for (i = 0; i < FIGURES; i++)
		if (figures[i].column == column)
			break;
	return i;
}

bool report_tree_sorts(enum column column)
{
	return find_figure(column) < FIGURES;
}

/* a tree that is printed */
struct tree {
	struct report *r;			/* the report */
	struct calltree t;			/* the tree */
	enum calltree_figure figure;		/* the figure that percentages are of */
	uint64_t total;				/* the figure of the root */
	/* characters in front of the names of a level, in place of blanks */
	char guides[STEP * LEVELS_MAX + 1];
};

/* Return: tenths of a percent of the figure of the root. */
static uint64_t tenths(const struct tree *tree, uint64_t value)
{
	return tree->total ? 1000.0 * value / tree->total + 0.5 : 0;
}

static bool is_shown(const struct tree *tree, const struct calltree_node *n)
{
	if (!tree->total)
		return !tree->r->min_tenths;
	return 1000.0 * n->figure[tree->figure] >=
	       (double)tree->r->min_tenths * tree->total;
}

static void name_of(const struct tree *tree, const struct calltree_node *n,
		    char *to, size_t size)
{
	if (n->no_stack)
		snprintf(to, size, "(no stack)");
	else
		keys_symbol(&tree->r->keys, n->address, n->place, to, size);
}

/* --- text ----------------------------------------------------------------- */

static void print_figures(const struct tree *tree, uint64_t value,
			  uint64_t objects)
{
	bool bytes = tree->figure != CALLTREE_OBJECTS &&
		     tree->figure != CALLTREE_ALLOCS;
	uint64_t percent = tenths(tree, value);
	char a[16], b[16];

	printf("%8s %s%5" PRIu64 ".%" PRIu64 "%%%s %7s ",
	       table_human(a, sizeof(a), value, bytes),
	       percent >= 500 ? color_red(stdout) : "", percent / 10,
	       percent % 10, percent >= 500 ? color_end(stdout) : "",
	       tree->r->no_live ? "-" :
				  table_human(b, sizeof(b), objects, false));
}

/* the line that is being printed */
struct line {
	int level;	/* level of the node */
	int used;	/* characters in the line */
};

static void begin_line(const struct tree *tree, struct line *line,
		       const char *branch)
{
	int indent = STEP * line->level;

	printf("%.*s%s", indent, tree->guides, branch);
	line->used = FRONT + indent + strlen(branch);
}

/* Wraps the line before a text that does not fit. */
static void print_piece(const struct tree *tree, struct line *line,
			const char *before, const char *text, int len)
{
	if (*before && line->used + (int)strlen(before) + len > LINE) {
		printf("\n%*s", FRONT, "");
		begin_line(tree, line, "  ");
		before++; /* the blank */
	}
	line->used += printf("%s%.*s", before, len, text);
}

/* Lines of inlined functions follow a name, each after a comma. */
static void print_name(const struct tree *tree, struct line *line,
		       const char *arrow, const char *name)
{
	const char *comma = strstr(name, ", ");

	for (; comma; comma = strstr(name, ", ")) {
		print_piece(tree, line, arrow, name, comma + 1 - name);
		arrow = " ";
		name = comma + 2;
	}
	print_piece(tree, line, arrow, name, strlen(name));
}

/*
 * Return: the node below that is printed in the paragraph of a node, because it has the
 * same figures; NULL if there is none.
 */
static const struct calltree_node *folded(const struct tree *tree,
					  const struct calltree_node *n)
{
	const struct calltree_node *below = calltree_at(&tree->t, n->child);

	if (!tree->r->min_tenths)
		return calltree_only_child(&tree->t, n);
	/* the others have nothing, and --min excludes them */
	return below &&
			       below->figure[tree->figure] ==
				       n->figure[tree->figure] &&
			       below->figure[CALLTREE_OBJECTS] ==
				       n->figure[CALLTREE_OBJECTS] ?
		       below :
		       NULL;
}

/*
 * Prints the functions that all stacks of a node have in common in one paragraph. Return:
 * the last one; @depth is raised by the number of the others.
 */
static const struct calltree_node *
print_chain(const struct tree *tree, struct line *line,
	    const struct calltree_node *n, size_t *depth)
{
	const char *arrow = tree->r->callees ? " <- " : " -> ";
	const struct calltree_node *below;
	char name[MEMO_TEXT_MAX];

	name_of(tree, n, name, sizeof(name));
	print_name(tree, line, "", name);
	while ((below = folded(tree, n)) &&
	       (!tree->r->depth || *depth < tree->r->depth)) {
		n = below;
		++*depth;
		name_of(tree, n, name, sizeof(name));
		print_name(tree, line, arrow, name);
	}
	if (n->child != CALLTREE_NONE && *depth == tree->r->depth)
		print_name(tree, line, arrow, "...");
	putchar('\n');
	return n;
}

/* Prints one line for all nodes that --min excludes. */
static void print_hidden(const struct tree *tree, struct line *line,
			 const struct calltree_node *n)
{
	uint64_t value = 0, objects = 0, count = 0;

	for (; n; n = calltree_at(&tree->t, n->next)) {
		value += n->figure[tree->figure];
		objects += n->figure[CALLTREE_OBJECTS];
		count++;
	}
	if (!value)
		return;
	print_figures(tree, value, objects);
	begin_line(tree, line, "`-");
	printf("(%" PRIu64 " more)\n", count);
}

/* Return: whether a line follows for the nodes behind @n. */
static bool has_more(const struct tree *tree, const struct calltree_node *n)
{
	const struct calltree_node *next = calltree_at(&tree->t, n->next);

	return next && (is_shown(tree, next) || next->figure[tree->figure]);
}

static void print_children(struct tree *tree, const struct calltree_node *n,
			   int level, size_t depth)
{
	const struct calltree_node *child = calltree_at(&tree->t, n->child);
	const struct calltree_node *last;
	struct line line = { .level = level };
	size_t below;
	bool more;

	if (tree->r->depth && depth >= tree->r->depth)
		return;
	for (; child; child = calltree_at(&tree->t, child->next)) {
		if (!is_shown(tree, child)) {
			print_hidden(tree, &line, child);
			return;
		}
		print_figures(tree, child->figure[tree->figure],
			      child->figure[CALLTREE_OBJECTS]);
		more = has_more(tree, child);
		begin_line(tree, &line, more ? "|-" : "`-");
		tree->guides[STEP * level] = more ? '|' : ' ';
		line.level = level + 1;
		below = depth + 1;
		last = print_chain(tree, &line, child, &below);
		line.level = level;
		print_children(tree, last, level + 1, below);
		tree->guides[STEP * level] = ' ';
	}
}

/* Return: the trees of the classes, those of --at first; NULL: there is none, or no more. */
static const struct calltree_node *root_at(struct tree *tree, int *i, enum site_kind *class)
{
	const struct calltree_node *root;

	for (; *i < 2 * SITE_KINDS; ++*i) {
		*class = *i % SITE_KINDS;
		root = calltree_at(&tree->t, tree->t.roots[*class]);
		if (root && report_is_behind(tree->r, *class) == *i / SITE_KINDS)
			return root;
	}
	return NULL;
}

static void report_tree_print_text(struct tree *tree)
{
	const struct report *r = tree->r;
	const struct calltree_node *root;
	enum site_kind class;
	int i;

	printf("%s%8s %7s %7s CALL TREE, %s first%s\n", color_bold(stdout),
	       report_columns[r->sort].title, "%", "OBJECTS",
	       r->callees ? "callees" : "callers", color_end(stdout));
	for (i = 0; (root = root_at(tree, &i, &class)); i++) {
		tree->total = root->figure[tree->figure];
		print_figures(tree, tree->total, root->figure[CALLTREE_OBJECTS]);
		printf("%s%s%s\n", color_bold(stdout), site_total_names[class],
		       color_end(stdout));
		print_children(tree, root, 0, 0);
	}
	if (tree->figure == CALLTREE_PEAK)
		puts("\nPEAK is the sum of the peaks of the stacks, which may be at different times.");
}

/* --- JSON ----------------------------------------------------------------- */

static json_t *json_children(const struct tree *tree,
			     const struct calltree_node *n, size_t depth);

static void set_figures(const struct tree *tree, json_t *object,
			const struct calltree_node *n, size_t depth)
{
	size_t i;

	for (i = 0; i < FIGURES; i++) {
		enum column column = figures[i].column;
		bool unknown = tree->r->no_live && column != COL_ALLOC &&
			       column != COL_ALLOCS;

		json_object_set_new(
			object, report_columns[column].key,
			unknown ? json_null() :
				  json_integer(n->figure[figures[i].figure]));
	}
	json_object_set_new(
		object, "percent",
		json_real(tenths(tree, n->figure[tree->figure]) / 10.0));
	json_object_set_new(object, "children", json_children(tree, n, depth));
}

static json_t *json_node(const struct tree *tree, const struct calltree_node *n,
			 size_t depth)
{
	json_t *object = json_object();
	char name[MEMO_TEXT_MAX];

	name_of(tree, n, name, sizeof(name));
	json_object_set_new(object, "function", json_string(name));
	json_object_set_new(object, "address", table_json_address(n->address));
	set_figures(tree, object, n, depth);
	return object;
}

static json_t *json_children(const struct tree *tree,
			     const struct calltree_node *n, size_t depth)
{
	const struct calltree_node *child = calltree_at(&tree->t, n->child);
	json_t *all = json_array();

	if (tree->r->depth && depth >= tree->r->depth)
		return all;
	for (; child && is_shown(tree, child);
	     child = calltree_at(&tree->t, child->next))
		json_array_append_new(all, json_node(tree, child, depth + 1));
	return all;
}

static json_t *json_roots(struct tree *tree)
{
	json_t *all = json_array(), *object;
	const struct calltree_node *root;
	enum site_kind class;
	int i;

	for (i = 0; (root = root_at(tree, &i, &class)); i++) {
		tree->total = root->figure[tree->figure];
		object = json_object();
		json_object_set_new(object, "class",
				    json_string(site_total_names[class]));
		set_figures(tree, object, root, 0);
		json_array_append_new(all, object);
	}
	return all;
}

/* --- either --------------------------------------------------------------- */

static void report_tree_make(struct tree *tree, struct report *r)
{
	const struct analysis *a = &r->a;
	struct keys_frames f;
	size_t i;

	*tree = (struct tree){ .r = r, .figure = figures[find_figure(r->sort)].figure };
	memset(tree->guides, ' ', sizeof(tree->guides) - 1);
	calltree_init(&tree->t);
	for (i = 0; i < a->groups.count; i++) {
		const struct group *g = &a->groups.groups[i];
		const uint64_t sums[CALLTREE_FIGURES] = {
			[CALLTREE_LIVE] = group_live(g),
			[CALLTREE_OBJECTS] = group_objects(g),
			[CALLTREE_ALLOC] = g->alloc,
			[CALLTREE_ALLOCS] = g->allocs,
			[CALLTREE_PEAK] = r->wants_peaks ? peaks_of(&r->peaks, i) : 0,
		};

		keys_frames(&r->keys, g, 0, &f);
		calltree_add(&tree->t, analysis_kind_of(g->type), sums, f.callers, f.places,
			     f.depth, r->callees);
	}
	calltree_sort(&tree->t, tree->figure);
}

void report_print_tree(struct report *r)
{
	struct tree tree;

	report_tree_make(&tree, r);
	report_tree_print_text(&tree);
	calltree_free(&tree.t);
}

struct json_t *report_json_tree(struct report *r)
{
	struct tree tree;
	json_t *roots;

	report_tree_make(&tree, r);
	roots = json_roots(&tree);
	calltree_free(&tree.t);
	return roots;
}
