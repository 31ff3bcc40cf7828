/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connects the events (event.h) to their probes and hooks.
 */
#ifndef KMT_ATTACH_H
#define KMT_ATTACH_H

struct module;

/**
 * kmt_attach_init() - connect the events to their probes and hooks
 *
 * Nothing is attached yet.
 *
 * Context: may sleep; kmt_cache_init() was called.
 * Return: see kmt_event_init().
 */
int kmt_attach_init(void);

/**
 * kmt_attach_module() - attach hooks to functions of a module that was loaded
 *
 * Context: may sleep; takes kmt_event_lock().
 * Return: 0 or -ENOMEM.
 */
int kmt_attach_module(void);

/**
 * kmt_attach_forget_module() - detach hooks from a module that is being unloaded
 * @module: the module
 *
 * Context: may sleep; takes kmt_event_lock().
 */
void kmt_attach_forget_module(const struct module *module);

#endif /* KMT_ATTACH_H */
