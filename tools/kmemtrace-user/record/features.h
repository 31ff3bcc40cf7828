/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The features of a recording, as --features names them.
 */
#ifndef FEATURES_H
#define FEATURES_H

#include <stddef.h>

#include "kmt_env.h"

/* What is recorded without --features. */
#define FEATURES_DEFAULT "time cache page"

/* Room for the names of all features. */
#define FEATURES_TEXT 128

/**
 * features_change() - change a set of features by a list
 * @text: the list: names replace the set; "+name" adds to it, "-name" removes from it
 * @features: the set, KMT_FEATURE_*; unchanged if the list is wrong
 * @wrong: set to the word that is no feature; NULL: names of both forms are mixed
 *
 * Return: whether the list is right.
 */
bool features_change(const char *text, u32 *features, const char **wrong);

/**
 * features_text() - the names of a set, as the module's file features takes them
 * @features: the set
 * @text: set to them, or to "none"
 */
void features_text(u32 features, char text[FEATURES_TEXT]);

#endif /* FEATURES_H */
