// SPDX-License-Identifier: GPL-2.0-only
#include "frames/zones.h"
#include "unit.h"

/* /proc/zoneinfo of 6.12, shortened */
static const char zoneinfo[] = "Node 0, zone      DMA\n"
			       "  per-node stats\n"
			       "      nr_inactive_anon 7\n"
			       "  pages free     3808\n"
			       "        spanned  4095\n"
			       "        present  3998\n"
			       "        managed  3840\n"
			       "        cma      0\n"
			       "      nr_free_pages 3808\n"
			       "  pagesets\n"
			       "    cpu: 0\n"
			       "              count: 1\n"
			       "              high:  110\n"
			       "              batch: 1\n"
			       "  vm stats threshold: 4\n"
			       "  start_pfn:           1\n"
			       "Node 0, zone    DMA32\n"
			       "  pages free     226762\n"
			       "        managed  243680\n"
			       "  pagesets\n"
			       "    cpu: 0\n"
			       "              count: 660\n"
			       "    cpu: 1\n"
			       "              count: 2467\n"
			       "Node 0, zone   Device\n"
			       "        managed  0\n"
			       "Node 1, zone      DMA\n"
			       "        managed  0\n"
			       "Node 1, zone    DMA32\n"
			       "        managed  5\n"
			       "              count: 2\n"
			       "Node 1, zone   Device\n"
			       "        managed  0\n";

static const char pagetypeinfo[] =
	"Page block order: 9\n"
	"Pages per block:  512\n"
	"\n"
	"Free pages count per migrate type at order       0      1 \n"
	"Node    0, zone      DMA, type    Unmovable      0      0 \n"
	"\n"
	"Number of blocks type     Unmovable      Movable  Reclaimable   HighAtomic          CMA      Isolate \n"
	"Node 0, zone      DMA            1            7            0            0            0            0 \n";

START_TEST(zones_are_numbered_and_summed)
{
	struct zones z;

	ck_assert_int_eq(zones_parse(&z, zoneinfo, ""), 0);
	ck_assert_str_eq(z.zone[0], "DMA");
	ck_assert_str_eq(z.zone[1], "DMA32");
	ck_assert_str_eq(z.zone[2], "Device");
	ck_assert_str_eq(z.zone[3], "");
	ck_assert_uint_eq(z.nr_nodes, 2);
	ck_assert_uint_eq(z.per_cpu_pages, 1 + 660 + 2467 + 2);
	ck_assert_uint_eq(z.per_cpu_of_node[0], 1 + 660 + 2467);
	ck_assert_uint_eq(z.per_cpu_of_node[1], 2);
	ck_assert_str_eq(z.migratetype[0], "");
	ck_assert_int_eq(z.block_order, -1);
}
END_TEST

START_TEST(migratetypes_are_numbered)
{
	struct zones z;

	ck_assert_int_eq(zones_parse(&z, zoneinfo, pagetypeinfo), 0);
	ck_assert_str_eq(z.migratetype[0], "Unmovable");
	ck_assert_str_eq(z.migratetype[3], "HighAtomic");
	ck_assert_str_eq(z.migratetype[4], "CMA");
	ck_assert_str_eq(z.migratetype[5], "Isolate");
	ck_assert_str_eq(z.migratetype[6], "");
	ck_assert_int_eq(z.block_order, 9);
	ck_assert_int_eq(zones_parse(&z, zoneinfo, "Page block order: 40\n"), 0);
	ck_assert_int_eq(z.block_order, -1);
}
END_TEST

START_TEST(any_text_is_taken)
{
	static const char *const texts[] = {
		"",
		"\n\n",
		"Node 0, zone\n",
		"Number of blocks type",
		"Number of blocks type\n",
		"Number of blocks type a b c d e f g h i j k l m n o p q r s",
		"Number of blocks type an-endless-name-an-endless-name x\n",
	};
	struct zones z;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		ck_assert_int_eq(zones_parse(&z, texts[i], texts[i]), -1);
	ck_assert_int_eq(zones_parse(&z,
				     "Node 0, zone a\nNode 0, zone b\n"
				     "Node 0, zone c\nNode 0, zone d\n"
				     "Node 0, zone e\nNode 0, zone f\n"
				     "Node 0, zone g\nNode 0, zone h\n"
				     "Node 0, zone i\n",
				     ""),
			 0);
	ck_assert_str_eq(z.zone[ZONES_MAX - 1], "h");
}
END_TEST

UNIT_MAIN("zones", zones_are_numbered_and_summed, migratetypes_are_numbered,
	  any_text_is_taken)
