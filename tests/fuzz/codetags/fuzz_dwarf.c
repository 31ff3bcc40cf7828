// SPDX-License-Identifier: GPL-2.0-only
/*
 * codetags load with an ELF file whose debug information is damaged, read by libdw. Bugs
 * in libdw are out of scope, but the tool must handle all its results.
 */
#include <elf.h>
#include <string.h>

#include "base/msg.h"
#include "chance.h"
#include "command.h"
#include "commands.h"
#include "fuzz.h"

#define SECTIONS 64

/* Find a section with debug information. Return: its size in bytes; 0: none. */
static size_t any_section(uint8_t *data, size_t size, struct chance *by,
			  size_t *offset)
{
	const Elf64_Ehdr *head = (const void *)data;
	const Elf64_Shdr *s, *names;
	size_t i, n = 0, found[SECTIONS];

	if (size < sizeof(*head) || head->e_shoff % 8 || head->e_shoff > size ||
	    head->e_shnum > (size - head->e_shoff) / sizeof(*s) ||
	    head->e_shstrndx >= head->e_shnum)
		return 0;
	s = (const void *)(data + head->e_shoff);
	names = &s[head->e_shstrndx];
	for (i = 0; i < head->e_shnum && n < SECTIONS; i++)
		if (s[i].sh_offset < size && s[i].sh_size &&
		    s[i].sh_size <= size - s[i].sh_offset &&
		    names->sh_offset < size &&
		    s[i].sh_name < size - names->sh_offset &&
		    !strncmp((char *)data + names->sh_offset + s[i].sh_name,
			     ".debug_", 7))
			found[n++] = i;
	if (!n)
		return 0;
	i = found[chance_of(by, n)];
	*offset = s[i].sh_offset;
	return s[i].sh_size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned int seed)
{
	struct chance by = chance_init(seed);
	size_t offset, n = 0;

	if (chance_of(&by, 8))
		n = any_section(data, size, &by, &offset);
	if (!n)
		return LLVMFuzzerMutate(data, size, max);
	LLVMFuzzerMutate(data + offset, n, n);
	return size;
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	const char *path = commands_file(0, data, size);

	return commands_run(cmd_codetags, "codetags", "load", "--vmlinux", path,
			    "-o", "-", NULL) == EXIT_DONE;
}
