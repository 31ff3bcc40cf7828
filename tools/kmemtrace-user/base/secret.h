/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A secret of the command line. All users see the command lines of processes, so that a
 * secret can also come from a file or from the environment. The words are those of openssl.
 */
#ifndef SECRET_H
#define SECRET_H

#include <stddef.h>

struct option_use;

/**
 * secret_take() - get a secret from the value of an option
 * @use: the option. Its value is "file:PATH": the first line of a file; "env:VARIABLE": an
 *	environment variable; "pass:SECRET", or the secret itself
 * @to: set to the secret
 * @size: bytes of @to
 *
 * Return: EXIT_DONE; EXIT_USAGE or EXIT_FAILED with a message if the secret is empty, too
 * long, or cannot be read.
 */
int secret_take(const struct option_use *use, char *to, size_t size);

#endif /* SECRET_H */
