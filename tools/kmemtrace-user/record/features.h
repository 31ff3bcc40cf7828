/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The features of a recording, in the syntax of --features.
 */
#ifndef FEATURES_H
#define FEATURES_H

#include <stddef.h>

#include "kmt_env.h"

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

#endif /* FEATURES_H */
