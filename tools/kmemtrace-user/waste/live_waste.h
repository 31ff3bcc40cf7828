/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The waste of the live memory that accounting knows now.
 */
#ifndef LIVE_WASTE_H
#define LIVE_WASTE_H

#include "waste/wasteview.h"

/**
 * live_waste() - read and print the waste of live memory
 * @v: settings of the output; its other members are set
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int live_waste(struct wasteview *v);

#endif /* LIVE_WASTE_H */
