// SPDX-License-Identifier: GPL-2.0-only
/*
 * Computes the memory that each live object takes in the slots (module/account/slots.h, with
 * the sizes of stock.c), and in the hash (bucket.h). The entries of frames are not counted:
 * they are needed in either case.
 */
#include <stdio.h>

#include "kernel.h"
#include "account/bucket.h"
#include "account/slots.h"
#include "account/stock.h"
#include "hotpath.h"
#include "stock_sizes.h"

/* Return: the bytes of a block with enough words, and its part of the rest of a span */
static double block_bytes(u32 words)
{
	size_t i = 0, bytes;

	while (size_words[i] < words)
		i++;
	bytes = ALIGN(sizeof(struct kmt_slots) + size_words[i] * sizeof(u64),
		      KMT_STOCK_ALIGN);
	return (double)SPAN_SIZE /
	       ((SPAN_SIZE - sizeof(struct span)) / bytes);
}

static void print_distance(u32 distance)
{
	double bytes = block_bytes(kmt_slot_count(kmt_slot_scale(distance)));
	u32 objects = PAGE_SIZE / distance;

	printf("%-8u %8u %8.1f %8.1f %8.1f %8.1f\n", distance, objects, bytes,
	       bytes / objects, 2 * bytes / objects, bytes);
}

void print_live_memory(void)
{
	static const u32 distances[] = { 8,   16,  32,	64,  96,   128,
					 192, 256, 512, 1024, 2048 };
	double hash = (double)KMT_BUCKET_SIZE / KMT_BUCKET_LOAD;
	size_t i;

	printf("\nbytes in slots, by the distance of objects\n"
	       "distance per page    block   object   half 1 object\n");
	for (i = 0; i < sizeof(distances) / sizeof(distances[0]); i++)
		print_distance(distances[i]);
	printf("bytes in the hash, of any distance: %.1f, half full %.1f\n",
	       hash, 2 * hash);
}
