/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/ is built for the kernel and for user space. This is its only file that
 * distinguishes them. It gives both the same names: u8 to s64, bool, the string
 * functions, byte swaps, likely(), READ_ONCE(), WRITE_ONCE(), fallthrough,
 * static_assert(), KMT_BIG_ENDIAN.
 */
#ifndef KMT_ENV_H
#define KMT_ENV_H

#ifdef __KERNEL__

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/swab.h>
#include <linux/types.h>

#else

#include <assert.h>
#include <byteswap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define fallthrough	__attribute__((__fallthrough__))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define READ_ONCE(x)	(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#define swab16(x)	bswap_16(x)
#define swab32(x)	bswap_32(x)
#define swab64(x)	bswap_64(x)

#endif

#define KMT_BIG_ENDIAN	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

#endif /* KMT_ENV_H */
