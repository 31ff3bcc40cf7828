/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of allocators that were found before, so that the debug information need not be read
 * again, or be there. Each build of the kernel or of a module has a file, whose name is the
 * build id:
 *
 *   kmemtrace-codetags 1
 *   build_id 5d1cd41ef1b3d5a7e1b0d4d4c0aa8e0d0f0e2f65
 *   allocators 8f1de2c3a4b59607
 *   section .text
 *   0x12f drivers/net/tun.c:1417 tun_alloc_skb
 *   # end 1
 *
 * A row has the offset of the return address from the start of the section. The section
 * _text is the kernel itself, counted from the symbol _text. The last line has the number of
 * rows: a copy of the file may have been cut off.
 */
#ifndef CODECACHE_H
#define CODECACHE_H

#include "codetags/codefind.h"

/* where the files are, unless an option says otherwise */
#define CODECACHE_DIR "/var/cache/kmemtrace/codetags"

/**
 * codecache_read() - read the calls of a build
 * @dir: directory of the files; NULL: none
 * @build_id: the build
 * @allocators: the functions whose calls are wanted
 * @sites: gets the calls, without addresses
 * @is_same: set to whether these are the calls of @allocators, found in the same way; else
 *	of other functions
 *
 * Return: false if there is no file, or it is damaged. A message says so if it is damaged.
 */
bool codecache_read(const char *dir, const char *build_id,
		    const struct allocators *allocators, struct codesites *sites,
		    bool *is_same);

/**
 * codecache_write() - write the calls of a build
 * @dir: directory of the files, which is made if its parent exists; NULL: none
 * @build_id: the build
 * @allocators: the functions whose calls were wanted
 * @sites: the calls
 *
 * Return: 0, also if @build_id cannot be one; or -errno, with one message for all calls.
 */
int codecache_write(const char *dir, const char *build_id,
		    const struct allocators *allocators, const struct codesites *sites);

#endif /* CODECACHE_H */
