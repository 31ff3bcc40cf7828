/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of classes, in the words of live objects and in the entries of frames.
 */
#ifndef KMT_WORD_H
#define KMT_WORD_H

/* bits of the number of a class; number 0 is no class */
#define KMT_CLASS_BITS 20
/*
 * The class of frames of which no event was seen that could be charged: those that the survey
 * (survey.h) has not come to, memory that is plugged in, and targets of compaction. It has no
 * tag. The free of such a frame therefore discharges nothing, and is not unmatched.
 */
#define KMT_CLASS_UNSEEN 1

/* The low bits of the waste of an object are in its word, the upper bits in its class. */
#define KMT_WASTE_BITS 12
#define KMT_WASTE_MASK ((1u << KMT_WASTE_BITS) - 1)

#endif /* KMT_WORD_H */
