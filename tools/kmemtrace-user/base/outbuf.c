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

size_t outbuf_decimal(char *to, uint64_t n, bool is_signed,
		      unsigned int digits)
{
	bool negative = is_signed && (int64_t)n < 0;
	char reversed[OUTBUF_NUMBER];
	size_t len = 0, i;

	if (negative)
		n = -n;
	do {
		reversed[len++] = '0' + n % 10;
		n /= 10;
	} while (n || len < digits);
	if (negative)
		reversed[len++] = '-';
	for (i = 0; i < len; i++)
		to[i] = reversed[len - 1 - i];
	to[len] = '\0';
	return len;
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
