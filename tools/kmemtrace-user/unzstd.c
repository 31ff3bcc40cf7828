// SPDX-License-Identifier: GPL-2.0-only
#include "unzstd.h"

bool unzstd_frame(struct unzstd *u, void *to, size_t size, const void *from,
		  size_t stored)
{
	if (!u->zstd)
		u->zstd = ZSTD_createDCtx();
	/* an error is a large number as well */
	return u->zstd && ZSTD_decompressDCtx(u->zstd, to, size, from,
					      stored) == size;
}

void unzstd_exit(struct unzstd *u)
{
	ZSTD_freeDCtx(u->zstd);
	u->zstd = NULL;
}
