/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decompresses zstd frames. The context of zstd is allocated for the first frame, because
 * many files have no frame.
 */
#ifndef UNZSTD_H
#define UNZSTD_H

#include <stddef.h>
#include <zstd.h>

/**
 * struct unzstd - state of decompression; all 0 at the start
 * @zstd: context of zstd; NULL before the first frame
 */
struct unzstd {
	ZSTD_DCtx *zstd;
};

/**
 * unzstd_frame() - decompress a frame
 * @u: the state; may be used by one thread at a time
 * @to: gets the decompressed bytes
 * @size: expected number of decompressed bytes
 * @from: the frame
 * @stored: bytes of the frame
 *
 * Return: 0; -EBADMSG if the frame is damaged or has another size.
 */
int unzstd_frame(struct unzstd *u, void *to, size_t size, const void *from,
		 size_t stored);

/** zstd_need_memory() - end the tool if a function of zstd returned that memory ran out */
void zstd_need_memory(size_t result);

/** unzstd_exit() - free the memory; the state can be used again */
void unzstd_exit(struct unzstd *u);

#endif /* UNZSTD_H */
