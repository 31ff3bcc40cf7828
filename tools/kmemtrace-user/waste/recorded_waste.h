/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The waste of the memory that was allocated in a recording and is live at its end.
 */
#ifndef RECORDED_WASTE_H
#define RECORDED_WASTE_H

#include "waste/wasteview.h"

/**
 * recorded_waste() - read a recording, and print its waste
 * @v: settings of the output; its other members are set
 * @path: path of the recording
 * @raw_ip: print addresses of sites instead of symbols
 * @debuginfo: also print source lines of sites, as lines_open() does; may be NULL
 *
 * Return: EXIT_DONE, EXIT_LOST, or another value after a message.
 */
int recorded_waste(struct wasteview *v, const char *path, bool raw_ip,
		   const char *debuginfo);

#endif /* RECORDED_WASTE_H */
