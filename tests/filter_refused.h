/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Texts that are no filters, with their errors: the reason and the column of the caret.
 * Carets are in the same place as in event tracing, unless it refuses a text without one.
 */
#ifndef FILTER_REFUSED_H
#define FILTER_REFUSED_H

#include "filter_vectors.h"

/**
 * struct fv_refused - a text that is no filter
 * @code: the reason
 * @column: place of the error, counted from 1
 * @record: an event; the text is compiled as a filter of its kind
 * @text: the text
 */
struct fv_refused {
	enum kmt_filter_error_code code;
	unsigned int column;
	enum fv_record_id record;
	const char *text;
};

#define BAD(code, column, text) { KMT_FILTER_##code, column, FV_KMALLOC, text }
#define BAD_FOR(record, code, column, text)                                    \
	{ KMT_FILTER_##code, column, FV_##record, text }

#define X16 "xxxxxxxxxxxxxxxx"
#define X256 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16

static const struct fv_refused fv_refused[] = {
	BAD(NO_FILTER, 1, ""),
	BAD(NO_FILTER, 3, " \t"),
	BAD(NO_FILTER, 2, "!"),
	BAD(NO_FILTER, 4, "! !"),
	BAD(INVALID_FILTER, 13, "node == 1 &&"),
	BAD(INVALID_FILTER, 14, "node == 1 || "),
	BAD(INVALID_FILTER, 15, "node == 1 && !"),
	BAD(INVALID_FILTER, 26, "node == 1 && node == 2 ||"),

	BAD(TOO_MANY_OPEN, 1, "("),
	BAD(TOO_MANY_OPEN, 4, "(((("),
	BAD(TOO_MANY_OPEN, 1, "(bytes_req > 1"),
	BAD(TOO_MANY_OPEN, 1, "(bytes_req > 1 && (node == 1)"),
	BAD(TOO_MANY_OPEN, 18, "bytes_req > 1 && (node == 1"),
	BAD(TOO_MANY_OPEN, 16, "comm == \"(\" && (node == 1"),
	BAD(TOO_MANY_OPEN, 16, "comm == ')' && (node == 1"),
	BAD(TOO_MANY_OPEN, 1, "(bytes_req > \")\""),
	BAD(TOO_MANY_OPEN, 14, "node == 1 && (comm == ')' || comm == \"(\""),
	BAD(TOO_MANY_OPEN, 14, "node == 1 && (comm == \"(\" || (comm == ')')"),
	BAD(TOO_MANY_CLOSE, 1, ")"),
	BAD(TOO_MANY_CLOSE, 1, ")("),
	BAD(TOO_MANY_CLOSE, 16, "(bytes_req > 1))"),
	BAD(TOO_MANY_CLOSE, 16, "(bytes_req > 1)) && ((node == 1)"),
	BAD(TOO_MANY_CLOSE, 15, "(nofield == 1))"),
	BAD(MISSING_QUOTE, 9, "comm == \"sh"),
	BAD(MISSING_QUOTE, 9, "comm == 'sh\""),
	BAD(MISSING_QUOTE, 10, "(comm == \"a)"),
	BAD(MISSING_QUOTE, 12, "comm == \"\\\"\""),
	BAD(MISSING_QUOTE, 24, "comm == \"a\" && comm == 'b && node == 1"),
	BAD(TOO_MANY_PREDS, 15, "bytes_req > 1 node == 1"),
	BAD(TOO_MANY_PREDS, 15, "bytes_req > 1 & node == 1"),
	BAD(TOO_MANY_PREDS, 15, "bytes_req > 1 | node == 1"),
	BAD(TOO_MANY_PREDS, 15, "bytes_req > 1 !node == 1"),
	BAD(TOO_MANY_PREDS, 15, "bytes_req > 1 ()"),
	BAD(TOO_MANY_PREDS, 17, "(bytes_req > 1) == 1"),
	BAD(TOO_MANY_PREDS, 16, "(bytes_req > 1 x)"),
	BAD(TOO_MANY_PREDS, 16, "(bytes_req > 1 (node == 1))"),
	BAD(TOO_MANY_PREDS, 12, "comm == \"a\"'b'"),
	BAD(TOO_MANY_PREDS, 14, "CPU & CPUS{0}}"),
	BAD(TOO_MANY_PREDS, 15, "bytes_req == 1.5"),

	BAD(FIELD_NOT_FOUND, 9, "nofield == 1"),
	BAD(FIELD_NOT_FOUND, 8, "nofield"),
	BAD(FIELD_NOT_FOUND, 10, "(nofield == 1)"),
	BAD(FIELD_NOT_FOUND, 10, "!nofield == 1"),
	BAD(FIELD_NOT_FOUND, 10, "\tnofield == 1"),
	BAD(FIELD_NOT_FOUND, 26, "bytes_req > 1 && nofield == 1 && node == 1"),
	BAD(FIELD_NOT_FOUND, 10, "bytes_re == 1"),
	BAD(FIELD_NOT_FOUND, 12, "bytes_reqq == 1"),
	BAD(FIELD_NOT_FOUND, 6, "CPUS{0} == 1"),
	BAD(FIELD_NOT_FOUND, 5, "\xe9t\xe9 == 1"),
	BAD(FIELD_NOT_FOUND, 3, "\xc2\xb5s > 1"),
	BAD(FIELD_NOT_FOUND, 2, "$bytes_req > 1"),
	BAD(FIELD_NOT_FOUND, 19, "bytes_req > 1 && && node == 1"),
	BAD(FIELD_NOT_FOUND, 2, "!= 1"),
	BAD(FIELD_NOT_FOUND, 3, "()"),
	BAD(FIELD_NOT_FOUND, 5, "age > 1s"),
	BAD(FIELD_NOT_FOUND, 10, "cache_id == 1"),
	BAD_FOR(CACHE_FREE, FIELD_NOT_FOUND, 11, "bytes_req == 1"),
	BAD_FOR(CACHE_FREE, FIELD_NOT_FOUND, 12, "live_bytes == 1"),
	BAD_FOR(PAGES, FIELD_NOT_FOUND, 7, "cache == 'x'"),

	BAD(INVALID_OP, 12, "bytes_req = 1"),
	BAD(INVALID_OP, 12, "bytes_req => 1"),
	BAD(INVALID_OP, 12, "bytes_req ^ 1"),
	BAD(INVALID_OP, 12, "bytes_req | 1"),
	BAD(INVALID_OP, 12, "bytes_req !~ 1"),
	BAD(INVALID_OP, 10, "bytes_req"),
	BAD(INVALID_OP, 11, "bytes_req.x == 1"),
	BAD(INVALID_OP, 20, "call_site.function.ustring == do_work"),
	BAD(INVALID_OP, 11, "!bytes_req"),
	BAD(INVALID_VALUE, 15, "bytes_req == abc"),
	BAD(INVALID_VALUE, 15, "bytes_req == +1"),
	BAD(INVALID_VALUE, 13, "bytes_req =="),
	BAD(INVALID_VALUE, 13, "bytes_req && 1"),
	BAD(INVALID_VALUE, 14, "bytes_req === 1"),
	BAD(INVALID_VALUE, 13, "bytes_req <> 1"),
	BAD(INVALID_VALUE, 10, "comm == bash"),
	BAD(INVALID_VALUE, 8, "CPU & cpus{0}"),

	BAD(ILLEGAL_FIELD_OP, 14, "bytes_req ~ 8"),
	BAD(ILLEGAL_FIELD_OP, 10, "stack > 1"),
	BAD(ILLEGAL_FIELD_OP, 9, "node ~ -1"),
	BAD(ILLEGAL_FIELD_OP, 9, "comm < \"sh\""),
	BAD(ILLEGAL_FIELD_OP, 10, "comm >= 'sh'"),
	BAD(ILLEGAL_FIELD_OP, 9, "comm & \"sh\""),
	BAD(ILLEGAL_FIELD_OP, 14, "bytes_req > \"x\""),
	BAD(EXPECT_DIGIT, 15, "bytes_req == \"x\""),
	BAD(EXPECT_DIGIT, 14, "bytes_req ~ '1*'"),
	BAD(EXPECT_STRING, 10, "comm == 1"),
	BAD(EXPECT_STRING, 9, "comm ~ 1"),
	BAD(EXPECT_STRING, 10, "comm == -1"),
	BAD_FOR(CACHE_FREE, EXPECT_STRING, 10, "name == 1"),
	BAD(OPERAND_TOO_LONG, 267, "comm == \"" X256 "\""),
	BAD(OPERAND_TOO_LONG, 279, "node == 1 && comm ~ '" X256 "' "),
	BAD(OPERAND_TOO_LONG, 38, "bytes_req == 000000000000000000000012"),
	BAD(OPERAND_TOO_LONG, 33, "node == -99999999999999999999999"),

	BAD(ILLEGAL_INTVAL, 15, "bytes_req == 08"),
	BAD(ILLEGAL_INTVAL, 15, "bytes_req == 0x"),
	BAD(ILLEGAL_INTVAL, 15, "bytes_req == 0xg"),
	BAD(ILLEGAL_INTVAL, 15, "bytes_req == 0xK"),
	BAD(ILLEGAL_INTVAL, 15, "bytes_req == 12abc"),
	BAD(ILLEGAL_INTVAL, 15, "bytes_req == -1"),
	BAD(ILLEGAL_INTVAL, 15, "bytes_req == -0"),
	BAD(ILLEGAL_INTVAL, 15, "bytes_req == 18446744073709551616"),
	BAD(ILLEGAL_INTVAL, 15, "bytes_req == 0x10000000000000000"),
	BAD(ILLEGAL_INTVAL, 15, "bytes_req == 02000000000000000000000"),
	BAD(ILLEGAL_INTVAL, 10, "node == 9223372036854775808"),
	BAD(ILLEGAL_INTVAL, 10, "node == -9223372036854775809"),
	BAD(ILLEGAL_INTVAL, 10, "node == -"),
	BAD(ILLEGAL_INTVAL, 10, "node == --1"),
	BAD(ILLEGAL_INTVAL, 10, "node == - 1 && node == 2"),
	/* units */
	BAD(ILLEGAL_INTVAL, 14, "bytes_req > 4k"),
	BAD(ILLEGAL_INTVAL, 14, "bytes_req > 4KB"),
	BAD(ILLEGAL_INTVAL, 14, "bytes_req > 4P"),
	BAD(ILLEGAL_INTVAL, 14, "bytes_req > 4s"),
	BAD(ILLEGAL_INTVAL, 14, "bytes_req > 16777216T"),
	BAD(ILLEGAL_INTVAL, 9, "node > 8388608T"),
	BAD(ILLEGAL_INTVAL, 9, "node < -8388609T"),
	BAD(ILLEGAL_INTVAL, 9, "time > 4K"),
	BAD(ILLEGAL_INTVAL, 9, "time > 4S"),
	BAD(ILLEGAL_INTVAL, 9, "time > 1mins"),
	BAD(ILLEGAL_INTVAL, 9, "time > 5124096h"),
	BAD(TOO_MANY_PREDS, 15, "bytes_req > 4 K"),
	BAD(INVALID_VALUE, 14, "bytes_req > K"),

	BAD(MISSING_BRACE_OPEN, 13, "CPU & CPUS0}"),
	BAD(MISSING_BRACE_OPEN, 11, "CPU & CPUS"),
	BAD(MISSING_BRACE_OPEN, 13, "CPU & CPUS {0}"),
	BAD(MISSING_BRACE_CLOSE, 13, "CPU & CPUS{0"),
	BAD(MISSING_BRACE_CLOSE, 26, "CPU & CPUS{0 && node == 1"),
	BAD(INVALID_CPULIST, 13, "CPU & CPUS{}"),
	BAD(INVALID_CPULIST, 14, "CPU & CPUS{8}"),
	BAD(INVALID_CPULIST, 16, "CPU & CPUS{0-8}"),
	BAD(INVALID_CPULIST, 14, "CPU & CPUS{x}"),
	BAD(INVALID_CPULIST, 14, "CPU & CPUS{n}"),
	BAD(INVALID_CPULIST, 16, "CPU & CPUS{0x0}"),
	BAD(INVALID_CPULIST, 15, "CPU & CPUS{0-}"),
	BAD(INVALID_CPULIST, 16, "CPU & CPUS{1-0}"),
	BAD(INVALID_CPULIST, 17, "CPU & CPUS{0-N:}"),
	BAD(INVALID_CPULIST, 18, "CPU & CPUS{0-N:1}"),
	BAD(INVALID_CPULIST, 19, "CPU & CPUS{0-N:1/}"),
	BAD(INVALID_CPULIST, 19, "CPU & CPUS{0-N:/2}"),
	BAD(INVALID_CPULIST, 29, "CPU & CPUS{0-N:1/4294967296}"),
	BAD(INVALID_CPULIST, 30, "CPU & CPUS{0-N:1/42949672950}"),
	BAD(INVALID_CPULIST, 20, "CPU & CPUS{0-N:1/0}"),
	BAD(INVALID_CPULIST, 20, "CPU & CPUS{0-N:3/2}"),
	BAD(INVALID_CPULIST, 18, "CPU & CPUS{0:1/2}"),
	BAD(INVALID_CPULIST, 23, "CPU & CPUS{4294967296}"),
	BAD(INVALID_CPULIST, 33, "CPU & CPUS{99999999999999999999}"),
	BAD(ILLEGAL_FIELD_OP, 8, "CPU > CPUS{0}"),
	BAD(ILLEGAL_FIELD_OP, 8, "CPU ~ CPUS{0}"),
	BAD(ILLEGAL_FIELD_OP, 10, "comm == CPUS{0}"),

	BAD(NO_FUNCTION, 30, "call_site.function == nothing"),
	BAD(NO_FUNCTION, 30, "(call_site.function==do_work)"),
	BAD(NO_FUNCTION, 28, "call_site.function == 0x100"),
	BAD(NO_FUNCTION, 28, "call_site.function == empty"),
	BAD(NO_FUNCTION, 22, "call_site.function =="),
	BAD(TOO_MANY_OPEN, 28, "(call_site.function == odd)"),
	BAD(TOO_MANY_OPEN, 34, "ptr == 0 || (ptr.function != odd)"),
	BAD(INVALID_VALUE, 26, "call_site.function == 0xg"),
	BAD(OPERAND_TOO_LONG, 47, "call_site.function == 000000000000000000000000"),
	BAD(INVALID_OP, 23, "call_site.function > do_work"),
	BAD(ILLEGAL_FIELD_OP, 19, "node.function == do_work"),
	BAD(ILLEGAL_FIELD_OP, 19, "comm.function == do_work"),
};

#undef BAD
#undef BAD_FOR
#undef X16
#undef X256

#define FV_REFUSED (sizeof(fv_refused) / sizeof(fv_refused[0]))

#endif /* FILTER_REFUSED_H */
