// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/msg.h"
#include "base/table.h"
#include "control/control.h"
#include "control/eventfiles.h"
#include "control/foreign.h"

/* Split "SYSTEM:EVENT:TRIGGER". Return: false if the line has another form. */
static bool split(char *line, struct foreign_trigger *t)
{
	char *colon = strchr(line, ':');

	colon = colon ? strchr(colon + 1, ':') : NULL;
	if (!colon)
		return false;
	*colon = '\0';
	t->event = line;
	t->trigger = colon + 1;
	return true;
}

static size_t count_lines(const char *text)
{
	size_t n = 1;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

int foreign_try(int dir, struct foreign *f)
{
	char *at, *line;

	*f = (struct foreign){ .text = control_read(dir, "triggers", NULL) };
	if (!f->text)
		return -errno;
	table_clean_lines(f->text);
	f->trigger = xcalloc(count_lines(f->text), sizeof(*f->trigger));
	at = f->text;
	while ((line = eventfiles_next_trigger(&at)))
		f->count += split(line, &f->trigger[f->count]);
	return 0;
}

int foreign_read(int dir, struct foreign *f)
{
	int err = foreign_try(dir, f);

	return err ? msg_error("cannot read the module's file triggers: %s",
			       strerror(-err)) :
		     EXIT_DONE;
}

void foreign_free(struct foreign *f)
{
	free(f->text);
	free(f->trigger);
	*f = (struct foreign){ 0 };
}

bool foreign_name(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && colon > text && colon[1] && !strchr(colon + 1, ':') &&
	       !text[strcspn(text, " \t\n")];
}
