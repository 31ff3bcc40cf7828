/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files `format`: where each field lies in the records of an event, in
 * event tracing's notation, which libtraceevent and others read.
 */
#ifndef KMT_FORMAT_H
#define KMT_FORMAT_H

struct seq_file;

/**
 * kmt_format_id() - the first two bytes of an event's records, as a number
 * @kind: KMT_EVENT_KIND()
 *
 * Context: any.
 */
unsigned int kmt_format_id(unsigned int kind);

/**
 * kmt_format_show() - describe the records that are written now
 * @kind: KMT_EVENT_KIND()
 * @m: where to; features that are not switched on are left out
 *
 * Context: may sleep.
 */
void kmt_format_show(unsigned int kind, struct seq_file *m);

#endif /* KMT_FORMAT_H */
