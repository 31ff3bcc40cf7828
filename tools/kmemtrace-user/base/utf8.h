/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Characters of UTF-8 (RFC 3629), and those that a terminal may get.
 */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>
#include <stdint.h>

/**
 * utf8_character() - read the character that begins a text
 * @text: the text
 * @len: set to its bytes, unless they are no UTF-8
 *
 * Return: its number; 0 if the text is empty or begins with something else.
 */
uint32_t utf8_character(const char *text, size_t *len);

/**
 * utf8_printable() - measure the printable character that begins a text
 * @text: the text
 *
 * Control characters, and those that change the direction of text, could forge output: they
 * are not printable.
 *
 * Return: its bytes; 0 if there is none.
 */
size_t utf8_printable(const char *text);

#endif /* UTF8_H */
