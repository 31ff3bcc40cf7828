// SPDX-License-Identifier: GPL-2.0-only
#include "pages/objects.h"
#include "pages/pages.h"
#include "why/slabobject.h"

static void see(struct slabobject *s, const struct kmemtrace_object *o, uint64_t address)
{
	s->objects++;
	s->live += o->bytes;
	if (o->bytes > s->size)
		s->size = o->bytes;
	if (address < o->address || address - o->address >= o->bytes)
		return;
	s->found = true;
	s->object = *o;
}

int slabobject_read(struct slabobject *s, const struct frame *f, uint64_t address)
{
	const struct kmemtrace_object *o;
	struct objects objects;
	int err;

	*s = (struct slabobject){
		.start = f->head * pages_bytes(1),
		.end = (f->head + f->pages) * pages_bytes(1),
	};
	err = objects_open(&objects);
	if (!err)
		err = objects_seek(&objects, s->start);
	while (!err && (o = objects_peek(&objects)) && o->address < s->end) {
		if (o->address >= s->start)
			see(s, o, address);
		objects_step(&objects);
	}
	if (objects.failed)
		err = -1;
	objects_close(&objects);
	return err;
}
