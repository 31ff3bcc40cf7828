// SPDX-License-Identifier: GPL-2.0-only
/* Notes on locking: codetag_sem guards the tree, the count and the size. */
#include <linux/atomic.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/rbtree.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/kmemtrace_tag.h>

#include "account/codetag.h"
#include "account/earlier.h"
#include "kmt_place.h"

/**
 * struct place - the location of one site
 * @node: in the tree
 * @site: address of the site
 * @client: a static tag of a module; else a row that was written
 * @line: line number
 * @module: name of the module of a static tag; "" in a row, where the symbol has the
 *	module
 * @function: name of the function
 * @file: name of the file
 * @text: contains the three strings
 */
struct place {
	struct rb_node node;
	unsigned long site;
	bool client;
	unsigned int line;
	const char *module;
	const char *function;
	const char *file;
	char text[];
};

static DECLARE_RWSEM(codetag_sem);
static struct rb_root tree = RB_ROOT;
static unsigned int count;
static atomic_t changes;
static size_t rows_size; /*
 * bytes of all rows in the file codetags, at most; static tags are included
 */

/* Return: the first place at or above the address. */
static struct place *__lower_bound(unsigned long site)
{
	struct rb_node *node = tree.rb_node;
	struct place *found = NULL;

	while (node) {
		struct place *tag = rb_entry(node, struct place, node);

		if (tag->site >= site) {
			found = tag;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

static struct place *__find(unsigned long site)
{
	struct place *tag = __lower_bound(site);

	return tag && tag->site == site ? tag : NULL;
}

/* Return: upper limit of the bytes of a row "0xaddress file:line function". */
static size_t row_size(const struct place *tag)
{
	return strlen(tag->file) + strlen(tag->function) + 32;
}

static void __remove(struct place *tag)
{
	rb_erase(&tag->node, &tree);
	count--;
	rows_size -= row_size(tag);
	kfree(tag);
}

static void __insert(struct place *new)
{
	struct rb_node **link, *parent = NULL;
	struct place *old = __find(new->site);

	if (old)
		__remove(old);
	link = &tree.rb_node;
	while (*link) {
		parent = *link;
		link = new->site < rb_entry(parent, struct place, node)->site ?
			       &parent->rb_left :
			       &parent->rb_right;
	}
	rb_link_node(&new->node, parent, link);
	rb_insert_color(&new->node, &tree);
	count++;
	rows_size += row_size(new);
}

static char *put_string(char **at, const char *from)
{
	char *to = *at;

	strcpy(to, from);
	*at += strlen(from) + 1;
	return to;
}

static struct place *create(unsigned long site, const char *file,
			      unsigned int line, const char *function,
			      const char *module)
{
	size_t size = strlen(file) + strlen(function) + strlen(module) + 3;
	struct place *tag;
	char *at;

	tag = kmalloc(struct_size(tag, text, size), GFP_KERNEL);
	if (!tag)
		return NULL;
	at = tag->text;
	tag->site = site;
	tag->line = line;
	tag->client = *module;
	tag->file = put_string(&at, file);
	tag->function = put_string(&at, function);
	tag->module = put_string(&at, module);
	return tag;
}

/* @tag: from create(), may be NULL */
static int add(struct place *tag)
{
	if (!tag)
		return -ENOMEM;
	down_write(&codetag_sem);
	__insert(tag);
	up_write(&codetag_sem);
	return 0;
}

void kmt_codetag_changed(void)
{
	/* the change before its number; pairs with kmt_codetag_changes() */
	smp_mb__before_atomic();
	atomic_inc(&changes);
}

unsigned int kmt_codetag_changes(void)
{
	return atomic_read_acquire(&changes);
}

int kmt_codetag_add_client(const struct kmt_alloc_tag *from)
{
	return add(create((unsigned long)from, from->file, from->line,
			  from->function, from->module));
}

bool kmt_codetag_is_client(unsigned long site)
{
	struct place *tag;
	bool is;

	down_read(&codetag_sem);
	tag = __find(site);
	is = tag && tag->client;
	up_read(&codetag_sem);
	return is;
}

void kmt_codetag_remove(bool (*contains)(unsigned long site, const void *arg),
			const void *arg)
{
	struct rb_node *node, *next;

	down_write(&codetag_sem);
	for (node = rb_first(&tree); node; node = next) {
		struct place *tag = rb_entry(node, struct place, node);

		next = rb_next(node);
		if (contains(tag->site, arg))
			__remove(tag);
	}
	up_write(&codetag_sem);
}

/* --- the text of a site --------------------------------------------------- */

/*
 * Split "name+0xoffset/0xsize [module]". A call that does not return may be the last
 * instruction of its function. Then the address after it belongs to the next function.
 *
 * @symbol: set to the name; also holds the name of the module
 * @offset: set to the offset
 * Return: the name of the module; NULL if the site is in none.
 */
static const char *look_up(unsigned long site, char *symbol,
			   unsigned long *offset)
{
	char *module, *plus;

	*offset = 0;
	sprint_symbol(symbol, site - 1);
	module = strchr(symbol, '[');
	if (module) {
		module[-1] = '\0';
		module++;
		module[strcspn(module, "]")] = '\0';
	}
	plus = strchr(symbol, '+');
	if (plus) {
		*plus++ = '\0';
		plus[strcspn(plus, "/")] = '\0';
		if (kstrtoul(plus, 16, offset))
			*offset = 0;
		++*offset;
	}
	return module;
}

void kmt_codetag_describe(unsigned long site, char *text, size_t size)
{
	char symbol[KSYM_SYMBOL_LEN];
	const char *module, *file = symbol, *function = symbol;
	unsigned long line;
	struct place *tag;

	if (kmt_earlier_describe(site, text, size))
		return;
	down_read(&codetag_sem);
	tag = __find(site);
	module = tag && tag->client ? tag->module :
				      look_up(site, symbol, &line);
	if (tag) {
		file = tag->file;
		line = tag->line;
		function = tag->function;
	}
	/*
	 * "function+offset:0" cannot be mistaken for a file and a line: lines begin at
	 * 1
	 */
	snprintf(text, size, tag ? "%s:%lu%s%s%s func:%s" :
				   "%s+0x%lx:0%s%s%s func:%s",
		 file, line, module ? " [" : "", module ? module : "",
		 module ? "]" : "", function);
	up_read(&codetag_sem);
}

unsigned long kmt_codetag_next(unsigned long site)
{
	struct place *tag;

	down_read(&codetag_sem);
	tag = __lower_bound(site + 1);
	site = tag ? tag->site : 0;
	up_read(&codetag_sem);
	return site;
}

unsigned int kmt_codetag_count(void)
{
	return READ_ONCE(count);
}

/* --- the file ------------------------------------------------------------- */

static int write_place(const struct kmt_place *from)
{
	return add(create(from->site, from->file, from->line, from->function,
			  ""));
}

int kmt_codetag_write(char *text)
{
	enum kmt_place_result result;
	struct kmt_place place;
	int err = 0;

	while (!err && (result = kmt_place_next(&text, &place)))
		err = result == KMT_PLACE_ROW ? write_place(&place) : -EINVAL;
	kmt_codetag_changed();
	return err;
}

static bool is_written(unsigned long site, const void *arg)
{
	return !__find(site)->client;
}

void kmt_codetag_clear(void)
{
	kmt_codetag_remove(is_written, NULL);
	kmt_codetag_changed();
}

void kmt_codetag_show(struct seq_file *m)
{
	struct rb_node *node;

	down_read(&codetag_sem);
	for (node = rb_first(&tree); node; node = rb_next(node)) {
		const struct place *tag =
			rb_entry(node, struct place, node);

		if (!tag->client)
			seq_printf(m, "0x%lx %s:%u %s\n", tag->site, tag->file,
				   tag->line, tag->function);
	}
	up_read(&codetag_sem);
}

size_t kmt_codetag_show_size(void)
{
	return READ_ONCE(rows_size);
}

static bool is_any(unsigned long site, const void *arg)
{
	return true;
}

void kmt_codetag_exit(void)
{
	kmt_codetag_remove(is_any, NULL);
}
