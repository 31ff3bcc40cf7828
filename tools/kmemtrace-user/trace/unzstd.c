// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <zstd_errors.h>

#include "base/die.h"
#include "trace/unzstd.h"

void zstd_need_memory(size_t result)
{
	if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
		die();
}

int unzstd_frame(struct unzstd *u, void *to, size_t size, const void *from,
		 size_t stored)
{
	size_t n;

	if (!u->zstd)
		u->zstd = ZSTD_createDCtx();
	if (!u->zstd)
		die();
	n = ZSTD_decompressDCtx(u->zstd, to, size, from, stored);
	if (n == size)
		return 0;
	zstd_need_memory(n);
	return -EBADMSG;
}

void unzstd_exit(struct unzstd *u)
{
	ZSTD_freeDCtx(u->zstd);
	u->zstd = NULL;
}
