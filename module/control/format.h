/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files `format`: the position of each field in the records of an event, in the
 * notation of event tracing, which libtraceevent can read.
 */
#ifndef KMT_FORMAT_H
#define KMT_FORMAT_H

struct seq_file;

/**
 * kmt_format_id() - the ID of an event: the first two bytes of its records, as a number
 * @kind: KMT_EVENT_KIND()
 *
 * Context: any.
 */
unsigned int kmt_format_id(unsigned int kind);

/**
 * kmt_format_show() - print the format of an event's records
 * @kind: KMT_EVENT_KIND()
 * @m: the file to print to
 *
 * A record has only the features that are switched on now. Fields of other features
 * are listed in comments, like all fields that only filters know.
 *
 * Context: may sleep.
 */
void kmt_format_show(unsigned int kind, struct seq_file *m);

#endif /* KMT_FORMAT_H */
