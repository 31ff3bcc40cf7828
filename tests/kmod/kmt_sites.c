// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds one object of each of 2,000 call sites of kmalloc(), for the benchmark of `top`.
 */
#include <linux/module.h>
#include <linux/slab.h>

#define SITES 2000

static void *held[SITES];

#define HOLD(size) held[n++] = kmalloc(size, GFP_KERNEL);
#define TEN(x)	x x x x x x x x x x

/*
 * In parts, because a compiler takes very long for one large function; each of another
 * size, because it would merge functions that are equal.
 */
#define PART(name, size)					\
	static noinline unsigned int name(unsigned int n)	\
	{							\
		TEN(TEN(HOLD(size)))				\
		TEN(TEN(HOLD(size)))				\
		return n;					\
	}

PART(hold_a, 40)
PART(hold_b, 41)
PART(hold_c, 42)
PART(hold_d, 43)
PART(hold_e, 44)
PART(hold_f, 45)
PART(hold_g, 46)
PART(hold_h, 47)
PART(hold_i, 48)
PART(hold_j, 49)

static int __init sites_init(void)
{
	unsigned int n = hold_a(0);

	n = hold_b(n);
	n = hold_c(n);
	n = hold_d(n);
	n = hold_e(n);
	n = hold_f(n);
	n = hold_g(n);
	n = hold_h(n);
	n = hold_i(n);
	n = hold_j(n);
	return n == SITES ? 0 : -EINVAL;
}

static void __exit sites_exit(void)
{
	unsigned int n;

	for (n = 0; n < SITES; n++)
		kfree(held[n]);
}

module_init(sites_init);
module_exit(sites_exit);
MODULE_DESCRIPTION("Test module of kmemtrace with many call sites");
MODULE_LICENSE("GPL");
