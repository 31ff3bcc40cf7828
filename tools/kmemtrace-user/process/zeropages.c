// SPDX-License-Identifier: GPL-2.0-only
#include "process/zeropages.h"

void zeropages_add(struct zeropages *z, uint64_t pfn)
{
	int i;

	if (zeropages_has(z, pfn))
		return;
	for (i = 0; i < 2; i++)
		if (z->end[i] == pfn && z->first[i] < pfn) {
			z->end[i]++;
			return;
		}
	z->first[z->next] = pfn;
	z->end[z->next] = pfn + 1;
	z->next = !z->next;
}
