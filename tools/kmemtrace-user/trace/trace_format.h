/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recording: one self-contained file, FILE.kmt.
 *
 * A file is a struct trace_header and a row of chunks. A chunk is a struct
 * trace_chunk and stored_size bytes, filled up with zeros to a multiple of 8.
 * Everything is in the byte order of the machine that recorded; a reader tells
 * by trace_header.byte_order. A file that was cut short is valid up to the
 * last whole chunk. A chunk of unknown type is skipped by its size.
 *
 * Order: META, GFP, MODULES, KALLSYMS, CACHES first; then DATA, as they come;
 * MODULES again, MODULE_LOG, CACHES again (all of the end of the recording) and
 * END; then INDEX and TAIL. A reader merges: of two chunks of one text type, the
 * later adds to the
 * earlier.
 *
 * DATA and completeness
 * ---------------------
 * A DATA chunk holds whole records of one CPU, following on from that CPU's
 * chunk before. `mark` is a sequence number that was sampled before the data
 * was read: with TRACE_CHUNK_COMPLETE set, every record of this CPU with a
 * number before `mark` is in this chunk or an earlier one. That is what lets
 * a reader merge the CPUs in one pass and in bounded memory: a record with
 * number n can be passed on once every CPU either has a later record at hand
 * or a mark behind n. A chunk may hold no data and only say so. The cpu
 * TRACE_CPU_ABSENT speaks for all CPUs that have had no chunk yet.
 *
 * Time
 * ----
 * So that a reader can begin in the middle, INDEX has the file's syncs: offsets
 * of chunks, and what numbers and times lie before and behind them. A file
 * without INDEX is read from its beginning.
 *
 * Versions
 * --------
 * 1: the codecs NONE and ZSTD.
 * 2: the codec COLUMNS; time_first and time_last are the least and the greatest
 *    in the chunk; INDEX and TAIL.
 */
#ifndef TRACE_FORMAT_H
#define TRACE_FORMAT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* the recording that commands write and read if none is named */
#define TRACE_FILE_DEFAULT "kmemtrace.kmt"

#define TRACE_MAGIC	 "\x89KMT\r\n\x1a\n" /* 8 bytes, without the 0 */
#define TRACE_BYTE_ORDER 0x01020304u
#define TRACE_VERSION	 2

/**
 * struct trace_header - start of the file
 * @magic: TRACE_MAGIC
 * @byte_order: TRACE_BYTE_ORDER as the recording machine writes it
 * @version: of the format; a reader refuses one above its own
 * @header_size: where the first chunk starts
 */
struct trace_header {
	uint8_t magic[8];
	uint32_t byte_order;
	uint16_t version;
	uint16_t header_size;
};

static_assert(sizeof(struct trace_header) == 16, "file format 1");

#define TRACE_CHUNK_MAGIC 0x4b4e4843u /* "CHNK" in little endian */

enum trace_chunk_type {
	/* Text: lines of "key=value". release, version, machine, hostname,
	 * build_id (of the kernel, hex), boot_id, page_size, cpus (possible), nodes,
	 * abi_version, features (mask), events (list), seq_start,
	 * clock_ns and realtime_ns (the two clocks at one moment), command (a
	 * newline in it is \n, a backslash \\), tool_version; filter and trigger (one line for each), as
	 * "kmem:kmalloc: bytes_req > 4096". kept: "flight" or "snapshot": older
	 * records were overwritten, see END. Unknown keys are skipped. */
	TRACE_META = 1,
	TRACE_KALLSYMS = 2, /* text, as /proc/kallsyms */
	TRACE_MODULES = 3,  /* text: "name size address build_id|-" */
	TRACE_CACHES = 4,   /* text, as debugfs/kmemtrace/caches */
	TRACE_GFP = 5,	    /* text, as debugfs/kmemtrace/gfp_flags */
	TRACE_DATA = 6,	    /* records of one CPU */
	/* Text: "key=value". seq_end, events, lost_events, lost_bytes,
	 * lost_events.cpu<n>, clock_ns, realtime_ns, reason (why it ended:
	 * duration, signal, command, error TEXT). With kept in META: records,
	 * overwritten (0: none was), seq_whole: numbers missing before it are
	 * no losses; exchanged (1: these are not the buffers that recording
	 * began with). No END: cut short. */
	TRACE_END = 7,
	/* Text: lines of "key=values". text=OFFSET: of each chunk of text.
	 * cpu=CPU SEQ: the number of its first record. sync=OFFSET LOW WHOLE
	 * TIME_FIRST TIME_LAST: behind the offset, no record has a number before
	 * LOW, and those from WHOLE on are all there; the times are the least and
	 * the greatest since the sync before, 0 0 if there are none. Unknown keys
	 * are skipped. */
	TRACE_INDEX = 8,
	/* Holds nothing; time_first is where INDEX starts. The last 48 bytes of
	 * the file. */
	TRACE_TAIL = 9,
	/* Text, as debugfs/kmemtrace/modules: modules that were loaded or
	 * unloaded while recording, and their symbols. */
	TRACE_MODULE_LOG = 10,
};

enum trace_codec {
	TRACE_CODEC_NONE = 0,
	TRACE_CODEC_ZSTD = 1,	 /* one zstd frame */
	TRACE_CODEC_COLUMNS = 2, /* of DATA: see columns.h; of any byte order */
};

#define TRACE_CHUNK_COMPLETE (1u << 0) /* mark is valid */
#define TRACE_CPU_NONE	     0xffffffffu /* not a DATA chunk */
#define TRACE_CPU_ABSENT     0xfffffffeu

/* No chunk is larger than this, before or after compression: a reader that
 * meets a larger size has met a broken file. */
#define TRACE_CHUNK_MAX (256u << 20)
/* No DATA chunk is larger than this before compression. */
#define TRACE_DATA_MAX (1u << 20)
/* CPUs are numbered below this: no kernel is built for more. */
#define TRACE_CPUS_MAX 8192

/**
 * struct trace_chunk - what every chunk starts with
 * @magic: TRACE_CHUNK_MAGIC
 * @type: enum trace_chunk_type
 * @codec: enum trace_codec
 * @flags: TRACE_CHUNK_*
 * @cpu: whose records; TRACE_CPU_NONE; TRACE_CPU_ABSENT
 * @stored_size: bytes in the file, without the filling
 * @raw_size: bytes once decompressed
 * @mark: see above
 * @first_seq: number of the first record
 * @crc: CRC-32 (zlib's crc32()) of the stored bytes
 * @time_first: the least time of a record; 0 without the time feature
 * @time_last: the greatest; 0 without the time feature
 */
struct trace_chunk {
	uint32_t magic;
	uint16_t type;
	uint8_t codec;
	uint8_t flags;
	uint32_t cpu;
	uint32_t stored_size;
	uint32_t raw_size;
	uint32_t mark;
	uint32_t first_seq;
	uint32_t crc;
	uint64_t time_first;
	uint64_t time_last;
};

static_assert(sizeof(struct trace_chunk) == 48, "file format 1");
static_assert(offsetof(struct trace_chunk, cpu) == 8, "file format 1");
static_assert(offsetof(struct trace_chunk, mark) == 20, "file format 1");
static_assert(offsetof(struct trace_chunk, time_first) == 32, "file format 1");

#endif /* TRACE_FORMAT_H */
