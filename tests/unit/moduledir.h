/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A temporary directory of plain files that stand for the files of the module, for tests
 * of the recorder.
 */
#ifndef MODULEDIR_H
#define MODULEDIR_H

#include "kmt_field.h"
#include "tempdir.h"

/**
 * moduledir_begin() - create the directory, as tempdir_begin()
 * @sequence: content of the file sequence
 * @features: content of the file features
 * @set_event: content of the file set_event
 *
 * The files cpu<n> are missing.
 */
static inline void moduledir_begin(const char *sequence, const char *features,
				   const char *set_event)
{
	const char *const files[][2] = {
		{ "enabled", "0\n" },	    { "sequence", sequence },
		{ "overwrite", "0\n" },	    { "features", features },
		{ "set_event", set_event }, { "stats", "events 1\n" },
		{ "lost_events", "0\n" },   { "caches", "1 8 8 one\n" },
		{ "gfp_flags", "0x1 A\n" },    { "triggers", "" },
	};
	char trigger[64];
	size_t i;

	tempdir_begin();
	for (i = 0; i < KMT_EVENT_KINDS; i++) {
		snprintf(trigger, sizeof(trigger), "events/%s/%s/trigger",
			 kmt_kind_names[i].system, kmt_kind_names[i].event);
		tempdir_put_text(trigger, "");
	}
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		tempdir_put_text(files[i][0], files[i][1]);
	/* to write "1" has the same effect */
	tempdir_link("session", "enabled");
}

#endif /* MODULEDIR_H */
