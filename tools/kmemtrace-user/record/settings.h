/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's settings during a recording: they are changed, and put back.
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "recorder.h"

#define SETTINGS_MAX 4

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
 * settings_apply() - change what a recording needs
 * @s: set to what was changed; settings_restore() is due also after an error
 * @dir: from control_open()
 * @o: what is to be recorded
 *
 * Prints a message if it fails.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int settings_apply(struct settings *s, int dir,
		   const struct recorder_options *o);

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
