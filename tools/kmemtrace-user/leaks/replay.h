/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An observation made from a recording: the samples that the module's file ages would have
 * given at equal distances of the recorded time.
 *
 * The last sample is followed by the second check, which is at the end of the recording. A
 * lifetime counts at each sample between the allocation and the free. If events were lost,
 * frees may be among them. If all losses are near each other, only the longest time without
 * losses is read. Otherwise objects whose free was lost count as live; the verdict knows the
 * number of lost events.
 *
 * Memory from before the recording is not known. So what lives longer than the recording
 * cannot be told from a leak.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include "account/sites.h"
#include "leaks/observe.h"

/* a recording as an observation */
struct replay {
	const char *file;	/* path of the recording */
	char name[4096];	/* the same, for output */
	struct observation w;	/* the observation, with rows of sites */
	struct sites sites;	/* the sites */
	char release[256];	/* release of the recorded kernel; "": not known */
	char ending[256];	/* a sentence if the file is damaged or cut short; otherwise "" */
	/* number of lost events in the whole recording; w.lost: in the time that was judged */
	uint64_t lost;
	/* start of the time that was judged, in seconds from the start of the recording */
	double from;
	double to;		/* end of this time */
	uint64_t buffer;	/* from losses_buffer() */
	/* exit status of the command, unless it fails: EXIT_DONE or EXIT_LOST */
	int status;
};

/**
 * replay_read() - read a recording
 * @r: set up; the caller calls replay_free() later, also after a failure
 * @path: the recording, which must outlive @r
 * @settle: least age of the first level, in seconds
 *
 * Return: EXIT_DONE; another value, with a message.
 */
int replay_read(struct replay *r, char *path, double settle);

/**
 * replay_try() - as replay_read(), but without a message if the recording cannot be judged
 * @r: as for replay_read()
 * @path: as for replay_read()
 * @settle: as for replay_read()
 * @why: set to the reason why it cannot be judged; "": it was read
 * @size: bytes of @why
 *
 * Return: EXIT_DONE, also with a reason; another value, with a message.
 */
int replay_try(struct replay *r, char *path, double settle, char *why, size_t size);

/** replay_free() - undo replay_read() */
void replay_free(struct replay *r);

#endif /* REPLAY_H */
