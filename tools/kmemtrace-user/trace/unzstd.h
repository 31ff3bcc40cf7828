/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Undoes zstd, frame by frame. What zstd needs for that is got with the first
 * frame: many a reader meets none.
 */
#ifndef UNZSTD_H
#define UNZSTD_H

#include <stddef.h>
#include <zstd.h>

/**
 * struct unzstd - what frames are decompressed with; all 0 at first
 * @zstd: zstd's own; NULL before the first frame
 */
struct unzstd {
	ZSTD_DCtx *zstd;
};

/**
 * unzstd_frame() - decompress a frame
 * @u: with this; for one thread at a time
 * @to: where to
 * @size: bytes that it must give
 * @from: the frame
 * @stored: bytes of it
 *
 * Return: 0; -EBADMSG if it is damaged or gives another size; -ENOMEM.
 */
int unzstd_frame(struct unzstd *u, void *to, size_t size, const void *from,
		 size_t stored);

/** unzstd_exit() - free what it got; it can be used again */
void unzstd_exit(struct unzstd *u);

#endif /* UNZSTD_H */
