/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gives the events (event.h) their probes and hooks.
 */
#ifndef KMT_ATTACH_H
#define KMT_ATTACH_H

struct module;

/**
 * kmt_attach_init() - give the events their probes and hooks
 *
 * Context: may sleep; kmt_cache_init() was called.
 * Return: as kmt_event_init().
 */
int kmt_attach_init(void);

/**
 * kmt_attach_module() - hook functions in a module that was loaded
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_attach_module(void);

/**
 * kmt_attach_forget_module() - detach hooks from a module that is unloaded
 * @module: the module
 *
 * Context: may sleep.
 */
void kmt_attach_forget_module(const struct module *module);

#endif /* KMT_ATTACH_H */
