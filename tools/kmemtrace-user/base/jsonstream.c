// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonstream.h"
#include "base/outbuf.h"

static void separate(struct jsonstream *s)
{
	if (s->follows)
		outbuf_char(s->out, ',');
	s->follows = true;
}

void jsonstream_open(struct jsonstream *s, char bracket)
{
	separate(s);
	outbuf_char(s->out, bracket);
	s->follows = false;
}

void jsonstream_open_line(struct jsonstream *s)
{
	separate(s);
	outbuf_char(s->out, '\n');
	outbuf_char(s->out, '{');
	s->follows = false;
}

void jsonstream_close(struct jsonstream *s, char bracket)
{
	outbuf_char(s->out, bracket);
	s->follows = true;
}

void jsonstream_end_line(struct jsonstream *s)
{
	outbuf_char(s->out, '\n');
	s->follows = false;
}

static void quoted(struct jsonstream *s, const char *text, size_t len)
{
	size_t i;

	outbuf_char(s->out, '"');
	for (i = 0; i < len; i++) {
		if (text[i] == '"' || text[i] == '\\')
			outbuf_char(s->out, '\\');
		outbuf_char(s->out, text[i]);
	}
	outbuf_char(s->out, '"');
}

void jsonstream_key(struct jsonstream *s, const char *key)
{
	separate(s);
	quoted(s, key, strlen(key));
	outbuf_char(s->out, ':');
	s->follows = false;
}

void jsonstream_number(struct jsonstream *s, uint64_t n, bool is_signed)
{
	char digits[OUTBUF_NUMBER];

	separate(s);
	outbuf_bytes(s->out, digits, outbuf_decimal(digits, n, is_signed, 0));
}

void jsonstream_member(struct jsonstream *s, const char *key, uint64_t n)
{
	jsonstream_key(s, key);
	jsonstream_number(s, n, false);
}

void jsonstream_hex(struct jsonstream *s, uint64_t n)
{
	char digits[OUTBUF_NUMBER];

	jsonstream_text(s, digits, outbuf_hex(digits, n));
}

void jsonstream_text(struct jsonstream *s, const char *text, size_t len)
{
	separate(s);
	quoted(s, text, len);
}

void jsonstream_value(struct jsonstream *s, struct json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

	separate(s);
	outbuf_text(s->out, text ? text : "null");
	free(text);
	json_decref(value);
}
