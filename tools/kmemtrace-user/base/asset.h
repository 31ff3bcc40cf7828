/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text files of the source tree, as strings in the program.
 */
#ifndef ASSET_H
#define ASSET_H

/*
 * ASSET() - define a string that has the text of a file
 *
 * The assembler includes the file, from the directory that make runs in. The Makefile has
 * the dependencies.
 */
#define ASSET(symbol, file)                                                    \
	__asm__(".pushsection .rodata\n"                                       \
		".global " #symbol "\n"                                        \
		#symbol ":\n"                                                  \
		".incbin \"tools/kmemtrace-user/" file "\"\n"                  \
		".byte 0\n"                                                    \
		".popsection\n");                                              \
	extern const char symbol[]

#endif /* ASSET_H */
