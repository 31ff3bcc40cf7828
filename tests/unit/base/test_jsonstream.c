// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdio.h>

#include "base/jsonstream.h"
#include "base/outbuf.h"
#include "unit.h"

static struct outbuf out;
static struct jsonstream s = { .out = &out };
static FILE *file;

static void begin(void)
{
	file = tmpfile();
	outbuf_init(&out, fileno(file));
	s.follows = false;
}

/* Return: the text written since begin(). */
static const char *end(void)
{
	static char text[512];

	ck_assert(outbuf_flush(&out));
	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

START_TEST(nothing)
{
	begin();
	jsonstream_open(&s, '{');
	jsonstream_close(&s, '}');
	jsonstream_end_line(&s);
	jsonstream_open(&s, '[');
	jsonstream_close(&s, ']');
	ck_assert_str_eq(end(), "{}\n[]");
}
END_TEST

START_TEST(all_values)
{
	begin();
	jsonstream_open(&s, '{');
	jsonstream_key(&s, "n");
	jsonstream_number(&s, UINT64_MAX, false);
	jsonstream_key(&s, "signed");
	jsonstream_number(&s, -5, true);
	jsonstream_key(&s, "hex");
	jsonstream_hex(&s, 0xfff);
	jsonstream_key(&s, "list");
	jsonstream_open(&s, '[');
	jsonstream_text(&s, "a\\ \"b\"c", 6);
	jsonstream_text(&s, "", 0);
	jsonstream_open_line(&s);
	jsonstream_close(&s, '}');
	jsonstream_close(&s, ']');
	jsonstream_key(&s, "other");
	jsonstream_value(&s, json_pack("[i,s]", 1, "x"));
	jsonstream_key(&s, "none");
	jsonstream_value(&s, NULL);
	jsonstream_close(&s, '}');
	ck_assert_str_eq(end(),
			 "{\"n\":18446744073709551615,\"signed\":-5,\"hex\":\"0xfff\","
			 "\"list\":[\"a\\\\ \\\"b\\\"\",\"\",\n{}],"
			 "\"other\":[1,\"x\"],\"none\":null}");
}
END_TEST

/* One document in each line: no comma between them. */
START_TEST(lines)
{
	int i;

	begin();
	for (i = 0; i < 2; i++) {
		jsonstream_open(&s, '{');
		jsonstream_key(&s, "i");
		jsonstream_number(&s, i, false);
		jsonstream_close(&s, '}');
		jsonstream_end_line(&s);
	}
	ck_assert_str_eq(end(), "{\"i\":0}\n{\"i\":1}\n");
}
END_TEST

UNIT_MAIN("jsonstream", nothing, all_values, lines)
