/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's settings during a recording: they are changed, and put back.
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#define SETTINGS_MAX 4

/**
 * struct settings_wanted - what the module is to record
 * @buffer_kb: size of the buffer of each CPU, in KiB; 0 leaves it as it is
 * @events: list of events, as in the file set_event; NULL is all
 * @features: as in the file features
 * @flight: keep only the newest records, as many as fit into the buffers
 */
struct settings_wanted {
	uint64_t buffer_kb;
	const char *events;
	const char *features;
	bool flight;
};

/**
 * struct settings - files of the module that were changed
 * @changed: each file, and the text that it had before
 * @count: how many
 */
struct settings {
	struct {
		const char *name;
		char *old;
	} changed[SETTINGS_MAX];
	unsigned int count;
};

/**
 * settings_apply() - change what a recording needs, but for the buffers
 * @s: set to what was changed; settings_restore() is due also after an error
 * @dir: from control_open()
 * @wanted: what is to be recorded
 *
 * Prints a message if it fails.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int settings_apply(struct settings *s, int dir,
		   const struct settings_wanted *wanted);

/**
 * settings_apply_buffers() - the same for the buffers
 * @s: as of settings_apply(), which comes first
 * @dir: from control_open()
 * @wanted: what is to be recorded
 *
 * Records that were not read are gone then. Prints a message if it fails.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int settings_apply_buffers(struct settings *s, int dir,
			   const struct settings_wanted *wanted);

/** settings_restore() - put all back; @dir from control_open() */
void settings_restore(struct settings *s, int dir);

/**
 * settings_drop_buffers() - whether settings_restore() replaces the buffers
 * @s: what was changed
 *
 * A snapshot goes with them.
 */
bool settings_drop_buffers(const struct settings *s);

#endif /* SETTINGS_H */
