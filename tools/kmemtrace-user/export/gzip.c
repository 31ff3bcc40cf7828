// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <zlib.h>

#include "base/die.h"
#include "export/gzip.h"

/* window of 32 KiB; 16 more: with the header and trailer of gzip */
#define WINDOW_BITS (15 + 16)
/* the default of zlib */
#define MEMORY_LEVEL 8

void gzip_write(FILE *out, const void *data, size_t size)
{
	z_stream z = { .next_in = (Bytef *)data };
	unsigned char buffer[64 * 1024];
	int ret;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_BITS,
			 MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		die();
	do {
		/* avail_in has 32 bits */
		uInt more = size > INT_MAX ? INT_MAX : size;

		if (!z.avail_in) {
			z.avail_in = more;
			size -= more;
		}
		z.next_out = buffer;
		z.avail_out = sizeof(buffer);
		ret = deflate(&z, size ? Z_NO_FLUSH : Z_FINISH);
		fwrite(buffer, 1, sizeof(buffer) - z.avail_out, out);
	} while (ret == Z_OK);
	deflateEnd(&z);
}
