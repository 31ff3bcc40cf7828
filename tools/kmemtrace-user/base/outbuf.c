// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <unistd.h>

#include "base/outbuf.h"

void outbuf_init(struct outbuf *o, int fd)
{
	o->fd = fd;
	o->error = 0;
	o->used = 0;
}

bool outbuf_flush(struct outbuf *o)
{
	size_t done = 0;

	while (done < o->used && !o->error) {
		ssize_t n = write(o->fd, o->data + done, o->used - done);

		if (n >= 0)
			done += n;
		else if (errno != EINTR)
			o->error = errno;
	}
	o->used = 0;
	return !o->error;
}

void outbuf_bytes(struct outbuf *o, const char *data, size_t size)
{
	while (size > sizeof(o->data) - o->used) {
		size_t part = sizeof(o->data) - o->used;

		memcpy(o->data + o->used, data, part);
		o->used += part;
		data += part;
		size -= part;
		outbuf_flush(o);
	}
	memcpy(o->data + o->used, data, size);
	o->used += size;
}

static void put_blanks(struct outbuf *o, size_t n)
{
	while (n--)
		outbuf_char(o, ' ');
}

void outbuf_padded(struct outbuf *o, const char *text, size_t len, int width)
{
	size_t want = width < 0 ? -width : width;
	size_t blanks = len < want ? want - len : 0;

	if (width > 0)
		put_blanks(o, blanks);
	outbuf_bytes(o, text, len);
	if (width < 0)
		put_blanks(o, blanks);
}

static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930"
			    "31323334353637383940414243444546474849505152535455565758596061"
			    "62636465666768697071727374757677787980818283848586878889909192"
			    "93949596979899";

static unsigned int count_digits(uint64_t n)
{
	unsigned int digits = 1;

	for (; n >= 10000; n /= 10000)
		digits += 4;
	return digits + (n >= 10) + (n >= 100) + (n >= 1000);
}

size_t outbuf_decimal(char *to, uint64_t n, bool is_signed,
		      unsigned int digits)
{
	unsigned int own, len;
	bool negative = is_signed && (int64_t)n < 0;
	char *at;

	if (negative) {
		n = -n;
		*to++ = '-';
	}
	own = count_digits(n);
	len = own > digits ? own : digits;
	at = to + len;
	*at = '\0';
	for (; n >= 100; n /= 100) {
		at -= 2;
		memcpy(at, pairs + n % 100 * 2, 2);
	}
	if (n >= 10) {
		at -= 2;
		memcpy(at, pairs + n * 2, 2);
	} else {
		*--at = '0' + n;
	}
	while (at > to)
		*--at = '0';
	return len + negative;
}

size_t outbuf_hex(char *to, uint64_t n)
{
	unsigned int digits = n ? (67 - __builtin_clzll(n)) / 4 : 1, i;

	to[0] = '0';
	to[1] = 'x';
	for (i = digits; i; i--, n >>= 4)
		to[1 + i] = "0123456789abcdef"[n & 15];
	to[2 + digits] = '\0';
	return 2 + digits;
}
