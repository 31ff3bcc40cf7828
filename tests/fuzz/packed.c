// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "chance.h"
#include "fuzz.h"
#include "kmt_record.h"
#include "packed.h"
#include "packing.h"
#include "records.h"
#include "trace/unpack.h"

#define ROOM 65536

static struct unpack unpacker;
static struct stackdefs defs;
static ZSTD_CCtx *deflate;
static struct unzstd unzstd;
static uint8_t *buffer; /* decompressed columns */
static size_t buffer_room;

static void get_ready(void)
{
	if (deflate)
		return;
	deflate = ZSTD_createCCtx();
	FUZZ_MUST(deflate);
	stackdefs_init(&defs);
	unpack_init(&unpacker, WANT_RECORDS, &defs);
}

bool packed_pack(struct trace_chunk *head, uint8_t *data, size_t *size,
		 size_t max)
{
	static uint8_t packed[ROOM];
	/* the numbers of stacks begin anew, so that the change depends on the input alone */
	struct packing *packer = packing_create();
	const struct columns *columns;
	size_t n;

	get_ready();
	FUZZ_MUST(packer);
	columns = *size ? packing_records(packer, data, *size) : NULL;
	n = columns ? packing_store(columns, deflate, packed, sizeof(packed)) :
		      0;
	packing_destroy(packer);
	if (!n || n > max)
		return false;
	head->codec = TRACE_CODEC_COLUMNS;
	head->raw_size = *size;
	head->first_seq = ((const struct kmemtrace_event *)data)->seq_num;
	memcpy(data, packed, n);
	*size = n;
	return true;
}

bool packed_unpack(const struct trace_chunk *head, uint8_t *data, size_t *size,
		   size_t max)
{
	static uint8_t records[ROOM];
	size_t room = head->raw_size + KMT_RECORD_MAX;

	get_ready();
	if (head->raw_size > max || room > sizeof(records) ||
	    !unpack_open(&unpacker, &unzstd, data, *size, head->raw_size,
			 head->first_seq) ||
	    !unpack_all(&unpacker, records, room))
		return false;
	memcpy(data, records, head->raw_size);
	*size = head->raw_size;
	return true;
}

static bool change_records(struct trace_chunk *head, uint8_t *data,
			   size_t *size, size_t max, unsigned int seed)
{
	static uint8_t records[ROOM];
	size_t n = *size;

	memcpy(records, data, n);
	if (!packed_unpack(head, records, &n, sizeof(records)))
		return false;
	n = records_mutate(records, n, sizeof(records), seed);
	if (!packed_pack(head, records, &n, max))
		return false;
	memcpy(data, records, n);
	*size = n;
	return true;
}

static bool change_column(const struct trace_chunk *head, uint8_t *data,
			  size_t *size, size_t max, struct chance *by)
{
	static uint8_t changed[ROOM];
	int id = chance_of(by, COLUMNS);
	struct columns columns;
	struct column *c = &columns.column[id];
	size_t n;

	if (columns_load(&columns, &unzstd, data, *size, head->raw_size,
			 &buffer, &buffer_room))
		return false;
	if (id < COLUMNS_FIXED)
		c->size = columns.records; /* may be omitted if all zero */
	if (c->size > sizeof(changed))
		return false;
	memset(changed, 0, sizeof(changed));
	memcpy(changed, c->data, c->size);
	c->data = changed;
	if (id < COLUMNS_FIXED)
		LLVMFuzzerMutate(changed, c->size, c->size);
	else
		c->size = LLVMFuzzerMutate(changed, c->size, sizeof(changed));
	n = packing_store(&columns, deflate, data, max);
	if (!n)
		return false;
	*size = n;
	return true;
}

size_t packed_mutate(struct trace_chunk *head, uint8_t *data, size_t size,
		     size_t max, unsigned int seed)
{
	struct chance by = chance_init(seed);
	bool done = false;

	get_ready();
	switch (chance_of(&by, 8)) {
	case 0:
		break;
	case 1:
		head->raw_size += chance_of(&by, 128) - 64;
		done = true;
		break;
	case 2:
	case 3:
		done = change_records(head, data, &size, max, seed);
		break;
	default:
		done = change_column(head, data, &size, max, &by);
	}
	return done ? size : LLVMFuzzerMutate(data, size, max);
}
