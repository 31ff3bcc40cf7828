/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The display of the command top, on a terminal: shows the text of page.h and passes keys
 * to ui.h. No other file of the tool uses ncurses.
 */
#ifndef SCREEN_H
#define SCREEN_H

struct top;

/**
 * screen_run() - show the display until the user quits
 * @top: the settings
 *
 * The terminal is restored at the end, also after SIGINT, SIGTERM or SIGHUP.
 *
 * Return: EXIT_DONE; EXIT_FAILED with a message, for example if the module was unloaded.
 */
int screen_run(const struct top *top);

#endif /* SCREEN_H */
