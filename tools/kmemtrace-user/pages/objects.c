// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/die.h"
#include "base/msg.h"
#include "control/control.h"
#include "pages/objects.h"

/* maximum number of objects in one read */
#ifndef BATCH
#define BATCH 16384
#endif

int objects_open(struct objects *o)
{
	*o = (struct objects){ .fd = control_open_file("objects") };
	if (o->fd < 0)
		return -1;
	o->object = xmalloc(BATCH * sizeof(*o->object));
	return 0;
}

static bool objects_fill(struct objects *o)
{
	ssize_t n;

	do {
		n = read(o->fd, o->object, BATCH * sizeof(*o->object));
	} while (n < 0 && errno == EINTR);
	o->next = 0;
	o->count = 0;
	if (n < 0)
		msg_error("cannot read the module's file objects: %s",
			  strerror(errno));
	else if (n % sizeof(*o->object))
		msg_error("the module's file objects ends in the middle of an object");
	else
		o->count = n / sizeof(*o->object);
	o->failed = n < 0 || n % sizeof(*o->object);
	return o->count > 0;
}

const struct kmemtrace_object *objects_peek(struct objects *o)
{
	if (o->next == o->count && (o->failed || !objects_fill(o)))
		return NULL;
	return &o->object[o->next];
}

void objects_step(struct objects *o)
{
	o->next++;
}

int objects_seek(struct objects *o, uint64_t address)
{
	o->next = 0;
	o->count = 0;
	if (lseek(o->fd, address, SEEK_SET) >= 0)
		return 0;
	msg_error("cannot seek in the module's file objects: %s", strerror(errno));
	return -1;
}

void objects_close(struct objects *o)
{
	if (o->fd >= 0)
		close(o->fd);
	free(o->object);
}
