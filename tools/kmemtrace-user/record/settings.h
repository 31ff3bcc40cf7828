/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's settings during a recording, and the restoring of the previous ones.
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kmt_env.h"

/*
 * The features of a recording, in the syntax of --features.
 */

/* features that are recorded without --features */
#define FEATURES_DEFAULT "time cache page"

/* bytes of the names of all features, with the 0 at the end */
#define FEATURES_TEXT 128

/**
 * features_change() - change a set of features by a list
 * @text: the list: names replace the set; "+name" adds to it, "-name" removes from it
 * @features: the set, KMT_FEATURE_*; unchanged if the list is wrong
 * @wrong: if the list is wrong: set to the word that is not a feature; set to NULL if
 *	the list mixes names with and without a sign
 *
 * Return: false if the list is wrong.
 */
bool features_change(const char *text, u32 *features, const char **wrong);

/**
 * features_text() - make a text from a set, in the format of the module's file features
 * @features: the set
 * @text: set to the names, or to "none"
 */
void features_text(u32 features, char text[FEATURES_TEXT]);

#define SETTINGS_MAX 5

/**
 * struct settings_wanted - the settings for a recording
 * @buffer_kb: size of the buffer of each CPU, in KiB; 0: do not change it
 * @events: list of events, in the format of the module's file set_event; NULL: all
 * @features: list of features, in the format of the module's file features
 * @order: "sequence" or "time"; NULL: time if it is possible
 * @flight: full buffers overwrite their oldest records
 */
struct settings_wanted {
	uint64_t buffer_kb;
	const char *events;
	const char *features;
	const char *order;
	bool flight;
};

/**
 * struct settings - changed files of the module
 * @changed: name and previous text of each file
 * @count: number of files
 */
struct settings {
	struct {
		const char *name;
		char *old;
	} changed[SETTINGS_MAX];
	unsigned int count;
};

/**
 * settings_apply() - change the settings for a recording, except for the buffers
 * @s: the changed files; updated
 * @dir: descriptor from control_open()
 * @wanted: the settings
 *
 * Prints a message on failure. The caller calls settings_restore() later, also after a
 * failure.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int settings_apply(struct settings *s, int dir,
		   const struct settings_wanted *wanted);

/**
 * settings_apply_buffers() - change the settings of the buffers for a recording
 * @s: the changed files, from settings_apply(); updated
 * @dir: descriptor from control_open()
 * @wanted: the settings
 *
 * A change drops records that were not read. Prints a message on failure.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int settings_apply_buffers(struct settings *s, int dir,
			   const struct settings_wanted *wanted);

/** settings_restore() - restore all previous settings; @dir from control_open() */
void settings_restore(struct settings *s, int dir);

/**
 * settings_drop_buffers() - check whether settings_restore() replaces the buffers
 * @s: the changed files
 *
 * A snapshot is dropped together with the buffers.
 */
bool settings_drop_buffers(const struct settings *s);

#endif /* SETTINGS_H */
