// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event tracing exports a function that finds an event by its name. It keeps the module of
 * the event loaded, but not if the module's initialisation fails. It also finds synthetic
 * events and events of user space, whose tracepoints can be freed at any time. Only
 * tracepoints that belong to the kernel, or to a module in a list here, are therefore used.
 *
 * Notes on locking: owners_mutex guards the list. The kernel calls the notifier under its
 * mutex for modules with tracepoints. So no module loads while the notifier waits: it takes
 * kmt_event_lock(), which may be held for long, only if an event of the module has had
 * triggers. So no function here takes the kernel's mutex under kmt_event_lock(), nor the mutex
 * of event tracing, which takes the kernel's mutex under its own.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "base/compat.h"
#include "steer/event.h"
#include "steer/tracepoints.h"

/* --- modules -------------------------------------------------------------- */

/**
 * struct owner - a module with tracepoints
 * @node: in owners
 * @module: the module; not referenced
 * @used: __kmt_tracepoint_owner() has returned it
 */
struct owner {
	struct list_head node;
	struct module *module;
	bool used;
};

static DEFINE_MUTEX(owners_mutex); /* also taken under kmt_event_lock() */
static LIST_HEAD(owners);
static void (*on_going)(const struct module *module);

static void come(struct module *module)
{
	struct owner *o = kzalloc(sizeof(*o), GFP_KERNEL);

	if (!o) {
		pr_warn("no memory: triggers on events of the module %s are refused\n",
			module->name);
		return;
	}
	o->module = module;
	mutex_lock(&owners_mutex);
	list_add(&o->node, &owners);
	mutex_unlock(&owners_mutex);
}

static struct owner *take(const struct module *module)
{
	struct owner *o, *found = NULL;

	mutex_lock(&owners_mutex);
	list_for_each_entry(o, &owners, node)
		if (o->module == module)
			found = o;
	if (found)
		list_del(&found->node);
	mutex_unlock(&owners_mutex);
	return found;
}

static void go(const struct module *module)
{
	struct owner *o = take(module);

	if (o && o->used) {
		kmt_event_lock();
		on_going(module);
		kmt_event_unlock();
	}
	kfree(o);
}

static int notify(struct notifier_block *block, unsigned long state, void *data)
{
	struct tp_module *m = data;

	if (m->mod == THIS_MODULE)
		return NOTIFY_OK;
	if (state == MODULE_STATE_COMING)
		come(m->mod);
	else if (state == MODULE_STATE_GOING)
		go(m->mod);
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = notify };

/* Registering calls the notifier for each module that is loaded. */
int __init kmt_tracepoints_init(void (*going)(const struct module *module))
{
	on_going = going;
	return register_tracepoint_module_notifier(&notifier);
}

/* This calls the notifier for each of them again. */
void kmt_tracepoints_exit(void)
{
	unregister_tracepoint_module_notifier(&notifier);
}

/* --- tracepoints ---------------------------------------------------------- */

/**
 * struct wanted - a tracepoint to search
 * @name: its name; or NULL
 * @tp: itself; or NULL
 * @found: the tracepoint, if it was found
 */
struct wanted {
	const char *name;
	const struct tracepoint *tp;
	struct tracepoint *found;
};

static void match(struct tracepoint *tp, void *arg)
{
	struct wanted *w = arg;

	if (w->name ? !strcmp(tp->name, w->name) : tp == w->tp)
		w->found = tp;
}

/* Search a module, or the kernel if it is NULL. */
static bool is_in(const struct module *module, struct wanted *w)
{
	unsigned int i;

	w->found = NULL;
	if (!module)
		for_each_kernel_tracepoint(match, w);
	for (i = 0; module && i < module->num_tracepoints; i++)
		match(tracepoint_ptr_deref(&module->tracepoints_ptrs[i]), w);
	return w->found;
}

/* Under owners_mutex. Return: the module that has it, or NULL. */
static struct owner *search(struct wanted *w)
{
	struct owner *o;

	if (is_in(NULL, w))
		return NULL;
	list_for_each_entry(o, &owners, node)
		if (is_in(o->module, w))
			return o;
	return NULL;
}

bool __kmt_tracepoint_owner(const struct tracepoint *tp, struct module **owner)
{
	struct wanted w = { .tp = tp };
	struct owner *o;

	mutex_lock(&owners_mutex);
	o = search(&w);
	if (o)
		o->used = true;
	*owner = o ? o->module : NULL;
	mutex_unlock(&owners_mutex);
	return w.found;
}

static struct tracepoint *find_by_name(const char *name)
{
	struct wanted w = { .name = name };

	mutex_lock(&owners_mutex);
	search(&w);
	mutex_unlock(&owners_mutex);
	return w.found;
}

/* --- system calls --------------------------------------------------------- */

/* The header has the kernel's table of system calls, whose numbers never change. */
#define __SYSCALL(nr, name)	     [nr] = #name,
#define __SYSCALL_NORETURN(nr, name) [nr] = #name,
static const char *const syscalls[] = {
#include <asm/syscalls_64.h>
};
#undef __SYSCALL
#undef __SYSCALL_NORETURN

static bool find_syscall(const char *event, struct kmt_tracepoint *t)
{
	static const char enter[] = "sys_enter_", exit[] = "sys_exit_";
	bool enters = !strncmp(event, enter, sizeof(enter) - 1);
	int nr;

	if (!enters && strncmp(event, exit, sizeof(exit) - 1))
		return false;
	event += (enters ? sizeof(enter) : sizeof(exit)) - 1;
	for (nr = 0; nr < ARRAY_SIZE(syscalls); nr++)
		if (syscalls[nr] && !strncmp(syscalls[nr], "sys_", 4) &&
		    !strcmp(syscalls[nr] + 4, event))
			break;
	if (nr == ARRAY_SIZE(syscalls))
		return false;
	t->tp = find_by_name(enters ? "sys_enter" : "sys_exit");
	t->type = enters ? KMT_TRACEPOINT_SYS_ENTER : KMT_TRACEPOINT_SYS_EXIT;
	t->syscall = nr;
	return t->tp;
}

/* --- events --------------------------------------------------------------- */

#if defined(CONFIG_CFI) || defined(CONFIG_CFI_CLANG)
#define CHECKS_CALLS true
#else
#define CHECKS_CALLS false
#endif

static const char *find(const char *system, const char *event,
			struct kmt_tracepoint *t)
{
	if (!strcmp(system, "kmemtrace"))
		return "Events of the system kmemtrace happen inside of probes, where no trigger fires";
	if (!strcmp(system, "syscalls"))
		return find_syscall(event, t) ? NULL :
		       "There is no such system call; see syscalls: in /sys/kernel/tracing/available_events";
	if (CHECKS_CALLS)
		return "This kernel checks the types of calls (CONFIG_CFI): only events of the system syscalls can have triggers";
	if (!strcmp(system, "tracepoints")) {
		t->tp = find_by_name(event);
		return t->tp ? NULL :
		       "There is no such tracepoint, or its module is not loaded";
	}
	t->file = trace_get_event_file(NULL, system, event);
	if (IS_ERR(t->file)) {
		t->file = NULL;
		return "There is no such event, or its module is not loaded; see /sys/kernel/tracing/available_events";
	}
	if (!(t->file->event_call->flags & TRACE_EVENT_FL_TRACEPOINT))
		return "This event has no tracepoint";
	t->tp = t->file->event_call->tp;
	return NULL;
}

int kmt_tracepoint_get(const char *name, struct kmt_tracepoint *t,
		       const char **why)
{
	char *system = kstrdup(name, GFP_KERNEL), *colon;

	if (!system)
		return -ENOMEM;
	*t = (struct kmt_tracepoint){ .type = KMT_TRACEPOINT_ANY,
				      .syscall = -1 };
	colon = strchr(system, ':');
	*colon = '\0';
	*why = find(system, colon + 1, t);
	kfree(system);
	if (!*why)
		return 0;
	kmt_tracepoint_put(t);
	return -EINVAL;
}

void kmt_tracepoint_put(const struct kmt_tracepoint *t)
{
	if (t->file)
		trace_put_event_file(t->file);
}
