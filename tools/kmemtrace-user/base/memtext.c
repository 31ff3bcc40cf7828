// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "base/memtext.h"

/* Make space for @size more bytes, and a 0. */
static void make_room(struct memtext *m, size_t size)
{
	size_t room = m->room ? m->room : 256;

	while (room - m->size <= size)
		room *= 2;
	array_fit(m->text, m->room, room);
}

static ssize_t memtext_put(void *cookie, const char *data, size_t size)
{
	struct memtext *m = cookie;

	make_room(m, size);
	memcpy(m->text + m->size, data, size);
	m->size += size;
	return size;
}

FILE *memtext_open(struct memtext *m)
{
	*m = (struct memtext){ 0 };
	m->out = fopencookie(m, "w", (cookie_io_functions_t){ .write = memtext_put });
	if (!m->out)
		die();
	return m->out;
}

char *memtext_close(struct memtext *m, size_t *size)
{
	fclose(m->out);
	make_room(m, 0);
	m->text[m->size] = '\0';
	if (size)
		*size = m->size;
	return m->text;
}
