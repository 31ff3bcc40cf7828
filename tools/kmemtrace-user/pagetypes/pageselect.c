// SPDX-License-Identifier: GPL-2.0-only
#include "pagetypes/pageselect.h"

void pageselect_learn(const struct pageselect *s, struct pageselect_memo *m,
		      uint64_t flags)
{
	size_t i;

	*m = (struct pageselect_memo){
		.flags = flags,
		.shown = s->raw ? pageflags_raw(s->names, flags) :
				  pageflags_well_known(flags),
		.known = true,
		.fits = true,
	};
	for (i = 0; i < s->nr_bits; i++)
		m->fits = m->fits && pagespec_fits(&s->bits[i], m->shown);
}
