/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recording: one self-contained file, FILE.kmt.
 *
 * A file is a struct trace_header, followed by chunks. A chunk is a struct trace_chunk
 * and stored_size bytes, filled up with zeros to a multiple of 8 bytes. The file has the
 * byte order of the recording machine. trace_header.byte_order indicates it. A truncated
 * file is valid up to its last whole chunk. A reader skips a chunk of unknown type by its
 * size.
 *
 * The chunks have this order: META, GFP, MODULES, KALLSYMS and CACHES; the DATA chunks in
 * the order of recording; MODULES, MODULE_LOG and CACHES as of the end of the recording,
 * and END; INDEX and TAIL. A further chunk MODULES, MODULE_LOG or CACHES adds to the
 * earlier ones. A stream may have more of the last two, between records. CGROUPS follows
 * each time after CACHES.
 *
 * DATA and completeness
 * ---------------------
 * A DATA chunk holds whole records of one CPU. They follow the records of this CPU's
 * previous chunk. `mark` is a sequence number that was sampled before the data was read.
 * If TRACE_CHUNK_COMPLETE is set, each record of this CPU with a number before `mark` is
 * in this chunk or an earlier one. So a reader can merge the CPUs in one pass and in
 * bounded memory: it can pass on the record with number n when each CPU has a later
 * record in memory or a mark after n. A chunk may have a mark but no data. A chunk of the
 * CPU TRACE_CPU_ABSENT has the mark of all CPUs without a chunk so far.
 *
 * Stacks
 * ------
 * A chunk STACKS defines stacks and numbers them. It precedes the DATA chunks that refer
 * to these stacks. Numbers only increase. From time to time the writer forgets the stacks
 * and begins a new generation: later DATA chunks refer only to stacks of this generation.
 * INDEX has the offsets of all STACKS, so that a reader can start in the middle of the
 * file.
 *
 * Time
 * ----
 * INDEX allows a reader to start in the middle of the file. It has the syncs of the file:
 * offsets of chunks, with the numbers and times of the records before and after each
 * offset. A file without INDEX is read from its beginning.
 */
#ifndef TRACE_FORMAT_H
#define TRACE_FORMAT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* default path of a recording, for writing and reading */
#define TRACE_FILE_DEFAULT "kmemtrace.kmt"

#define TRACE_MAGIC	 "\x89KMT\r\n\x1a\n" /* 8 bytes, without the 0 */
#define TRACE_BYTE_ORDER 0x01020304u
#define TRACE_VERSION	 1

/**
 * struct trace_header - start of the file
 * @magic: TRACE_MAGIC
 * @byte_order: TRACE_BYTE_ORDER in the byte order of the recording machine
 * @version: version of the format; a reader refuses a version above its own
 * @header_size: offset of the first chunk
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
	/*
	 * Text: lines of "key=value". A reader skips unknown keys. The keys are:
	 * release, version, machine, hostname, boot_id, page_size, nodes, abi_version,
	 * seq_start, tool_version;
	 * build_id: of the kernel, in hex;
	 * cpus: number of possible CPUs;
	 * cpus_present: number of CPUs that are present;
	 * mem_total: MemTotal of /proc/meminfo, in bytes;
	 * slabs_padded: 1 if KASAN or slub_debug adds data to objects on slabs;
	 * cpus_of_node<n>: list of the CPUs of a node that are online;
	 * cpus_recorded: list of CPUs, if only some were recorded;
	 * features, events: names, separated by blanks;
	 * order: "time" if time stamps have ordered the events of different CPUs;
	 * clock_ns, realtime_ns: the time of the module's clock and the time of day, at
	 * the same moment;
	 * command: a newline in it is written as \n, a backslash as \\;
	 * filter, trigger: one line for each, as "kmem:kmalloc: bytes_req > 4096";
	 * kept: "flight" or "snapshot" if older records were overwritten, see END;
	 * snapshot_*: properties of a snapshot;
	 * addresses: "replaced" if the recording is a copy with other addresses;
	 * process_names: "hashed" if it is a copy with hashes as names;
	 * left_out_damaged, left_out_newer: damaged parts, and parts that the tool did
	 * not know, of the recording that was copied.
	 */
	TRACE_META = 1,
	TRACE_KALLSYMS = 2, /* text, as /proc/kallsyms */
	TRACE_MODULES = 3,  /* text: "name size address build_id|-" */
	TRACE_CACHES = 4,   /* text, as debugfs/kmemtrace/caches */
	TRACE_GFP = 5,	    /* text, as debugfs/kmemtrace/gfp_flags */
	TRACE_DATA = 6,	    /* records of one CPU */
	/*
	 * Text: lines of "key=value". A file without END is truncated. The keys are:
	 * seq_end, events, lost_events, lost_bytes, lost_events.cpu<n>, clock_ns,
	 * realtime_ns;
	 * held_connections, held_keys, held_queues, held_messages, held_semaphores,
	 * held_segments, held_tasks, held_mounts: number of connections that netfilter tracks,
	 * of keys, of objects of System V IPC, of processes and threads, and of mounts, when
	 * recording was switched off;
	 * held_files: one line for each tmpfs, as "1a2b 17 /tmp": its id, number of files, and
	 * where it is mounted, as in mountinfo;
	 * held_backlogs: one line for each listening TCP socket with connections that wait for
	 * accept(), as "3a5f 17 tcp/127.0.0.1:80": its inode, their number, and its address;
	 * start_held_*: the same, when recording was switched on;
	 * buffer_bytes_per_cpu: size of the buffer of each CPU;
	 * snapshots: number of snapshots that removed events during the recording;
	 * cpus_of_node<n>: as in META, at the end of the recording;
	 * order_doubtful: 1 if the time stamps of different CPUs may be wrong;
	 * unpurged_areas: number of areas of vmalloc() that the kernel has yet to free;
	 * reason: why the recording ended: duration, signal, command or error TEXT.
	 *
	 * With kept in META, also:
	 * records: number of records;
	 * overwritten: 0 if no record was overwritten;
	 * seq_whole: missing numbers before this one are not losses;
	 * start_number.cpu<n>: the number of the first record of a CPU, with 64 bits; not in
	 * the order "time";
	 * exchanged: 1 if the buffers are not those at the start of the recording.
	 */
	TRACE_END = 7,
	/*
	 * Text: lines of "key=values". A reader skips unknown keys. The lines are:
	 * text=OFFSET: for each chunk of text;
	 * cpu=CPU SEQ: for each CPU, the sequence number of its first record;
	 * sync=OFFSET LOW WHOLE TIME_FIRST TIME_LAST: no record after the offset has a
	 * number before LOW, and all records from WHOLE on are after the offset. The
	 * times are the smallest and the largest since the previous sync; both are 0 if
	 * there are none;
	 * stacks=OFFSET GENERATION: for each chunk STACKS, with the number of the first
	 * stack of its generation.
	 */
	TRACE_INDEX = 8,
	/* the last 48 bytes of the file; empty; time_first is the offset of INDEX */
	TRACE_TAIL = 9,
	/*
	 * Text, as debugfs/kmemtrace/modules: modules that were loaded or unloaded during
	 * the recording, and their symbols.
	 */
	TRACE_MODULE_LOG = 10,
	/*
	 * Definitions of stacks, see stacks.h; independent of byte order. first_seq is
	 * the number of the first stack, mark that of the first stack of its generation.
	 */
	TRACE_STACKS = 11,
	TRACE_CODETAGS = 12, /* text, as debugfs/kmemtrace/codetags, if it has any rows */
	/*
	 * Text, as debugfs/kmemtrace/cgroups, of the cgroups of processes, with the feature
	 * cgroup. Adds to an earlier one.
	 */
	TRACE_CGROUPS = 13,
};

#define TRACE_TYPE_LAST TRACE_CGROUPS

enum trace_codec {
	TRACE_CODEC_NONE = 0,
	TRACE_CODEC_ZSTD = 1,	 /* one zstd frame */
	TRACE_CODEC_COLUMNS = 2, /* DATA only: see columns.h; independent of byte order */
};

#define TRACE_CHUNK_COMPLETE (1u << 0) /* mark is valid */
#define TRACE_CPU_NONE	     0xffffffffu /* not a DATA chunk */
#define TRACE_CPU_ABSENT     0xfffffffeu

/*
 * Maximum bytes of a chunk, before and after compression. A file with a larger chunk is
 * damaged.
 */
#define TRACE_CHUNK_MAX (256u << 20)
/* maximum bytes of a DATA chunk before compression */
#define TRACE_DATA_MAX (1u << 20)
/*
 * maximum bytes of a STACKS chunk before compression: each address of a DATA chunk takes
 * 8 bytes there, and at most 10 here
 */
#define TRACE_STACKS_MAX (2 * TRACE_DATA_MAX)
/* maximum number of CPUs; no kernel is built for more */
#define TRACE_CPUS_MAX 8192

/**
 * struct trace_chunk - header of a chunk
 * @magic: TRACE_CHUNK_MAGIC
 * @type: enum trace_chunk_type
 * @codec: enum trace_codec
 * @flags: TRACE_CHUNK_*
 * @cpu: CPU of the records; TRACE_CPU_NONE; TRACE_CPU_ABSENT
 * @stored_size: bytes in the file, without the zeros that fill it up
 * @raw_size: bytes after decompression
 * @mark: see "DATA and completeness"; in STACKS, first number of the generation
 * @first_seq: sequence number of the first record; in STACKS, number of the first stack
 * @crc: CRC-32 (zlib's crc32()) of the stored bytes
 * @time_first: the smallest time of a record; 0 without the time feature
 * @time_last: the largest time of a record; 0 without the time feature
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
