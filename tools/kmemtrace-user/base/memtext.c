// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memtext.h"
#include "base/msg.h"

/* Make space for @size more bytes, and a 0. */
static bool make_room(struct memtext *m, size_t size)
{
	size_t room = m->room ? m->room : 256;

	while (room - m->size <= size)
		room *= 2;
	return array_fit(m->text, m->room, room);
}

static ssize_t put(void *cookie, const char *data, size_t size)
{
	struct memtext *m = cookie;

	if (m->failed || !make_room(m, size)) {
		m->failed = true;
		return 0;
	}
	memcpy(m->text + m->size, data, size);
	m->size += size;
	return size;
}

FILE *memtext_open(struct memtext *m)
{
	*m = (struct memtext){ 0 };
	m->out = fopencookie(m, "w", (cookie_io_functions_t){ .write = put });
	if (!m->out)
		msg_no_memory();
	return m->out;
}

char *memtext_close(struct memtext *m, size_t *size)
{
	if (fclose(m->out) || m->failed || !make_room(m, 0)) {
		free(m->text);
		msg_no_memory();
		return NULL;
	}
	m->text[m->size] = '\0';
	if (size)
		*size = m->size;
	return m->text;
}
