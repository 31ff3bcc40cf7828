/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a block of memory in the format of gzip.
 */
#ifndef GZIP_H
#define GZIP_H

#include <stddef.h>
#include <stdio.h>

/**
 * gzip_write() - compress a block, and write it
 * @out: stream to write to; the caller checks it for failed writes
 * @data: the block
 * @size: bytes of @data
 *
 * The header has neither a time nor a name: the same block is always written as the same
 * bytes.
 */
void gzip_write(FILE *out, const void *data, size_t size);

#endif /* GZIP_H */
