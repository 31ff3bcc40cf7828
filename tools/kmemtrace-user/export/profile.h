/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks with sums: what the formats folded and pprof, flame and html have in common.
 * The figures are those of report, or of allocinfo.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include "base/words.h"
#include "export/formats.h"
#include "report/analysis.h"
#include "trace/stacks.h"

/* The figures of a row. A recording or a state may lack some of them. */
enum profile_value {
	PROFILE_ALLOC_OBJECTS,
	PROFILE_ALLOC_BYTES,
	PROFILE_TEMPORARY_OBJECTS, /* freed before the next allocation on the same CPU */
	PROFILE_TEMPORARY_BYTES,
	PROFILE_PEAK_OBJECTS, /* live when the sum of all rows was highest */
	PROFILE_PEAK_BYTES,
	PROFILE_LIVE_OBJECTS, /* live at the end */
	PROFILE_LIVE_BYTES,
	PROFILE_VALUES,
};

/* a mask of values */
#define PROFILE_BIT(value) (1u << (value))
#define PROFILE_ALL	   (PROFILE_BIT(PROFILE_VALUES) - 1)

/* names of values, for --value */
extern const char *const profile_names[PROFILE_VALUES];

/* the same in words: "live bytes" */
extern const char *const profile_titles[PROFILE_VALUES];

/** profile_is_bytes() - whether a value is a number of bytes, and not of objects */
bool profile_is_bytes(enum profile_value value);

/* Properties of a row besides its stack. */
enum profile_label {
	PROFILE_KIND, /* as in the column KIND of report; a state does not have it */
	PROFILE_CACHE,
	PROFILE_NODE,
	PROFILE_PROCESS,
	PROFILE_LABELS,
};

/* names of the labels */
extern const char *const profile_labels[PROFILE_LABELS];

/* a function of a stack */
struct profile_frame {
	uint64_t address;	/* return address; 0: not known */
	/* its symbol, as report prints it, or the location of a code tag; printable ASCII */
	const char *name;
	const char *source;	/* source line, as report prints it; NULL: not known */
	uint32_t module;	/* index in profile.modules; PROFILE_NO_MODULE: not known */
	const char *file;	/* file of the source line; NULL: not known */
	unsigned int line;	/* number of the source line */
};

#define PROFILE_NO_MODULE UINT32_MAX

/* the figures of a stack, a kind of memory, and further labels */
struct profile_row {
	enum site_kind class;			/* class of the memory */
	/* number in profile.stacks of the indices in profile.frames, innermost first */
	uint32_t stack;
	const char *label[PROFILE_LABELS];	/* the labels, printable ASCII; NULL: not known */
	uint64_t value[PROFILE_VALUES];		/* the figures; see profile.have */
	/* of a recording: number of the group in the analysis, before profile_merge() */
	size_t group;
	/* of a recording: address of the call site, before profile_merge() */
	uint64_t site;
};

/* the kernel or a module */
struct profile_module {
	const char *name;	/* name of the module; "": the kernel */
	const char *build_id;	/* in hex; "": not known */
	uint64_t start;		/* the lowest address of its frames; UINT64_MAX: none is known */
	uint64_t last;		/* the highest one */
};

/* stacks with sums */
struct profile {
	unsigned int have;		/* mask of the values that are known */
	/* the reason why live memory is not known; NULL if it is known */
	const char *no_live;
	bool is_lossy;			/* events were lost, so that the exit status is EXIT_LOST */
	const char *loss;		/* the note on lost events; NULL: none */
	bool has_printed;		/* the notes are on standard error */
	const char *title;		/* name of the input, and of the kernel */
	struct profile_row *rows;	/* the rows, without those in which all values are 0 */
	size_t count;			/* number of rows */
	struct profile_frame *frames;	/* the functions; each has another name or address */
	size_t nr_frames;		/* number of functions */
	struct stacks stacks;		/* the stacks of the rows */
	/* the kernel, and the modules of the frames in the order of the frames */
	struct profile_module *modules;
	size_t nr_modules;		/* number of modules */
	/* sentences that qualify the figures: the error bound and losses */
	const char **notes;
	size_t nr_notes;		/* number of notes */
	/* time of the last record, counted from the first one, in ns; 0: no times */
	uint64_t end_ns;
	struct words words;		/* all texts */
	struct pairs known;		/* for each frame, its address and the number of its name */
	struct pairs known_modules;	/* for each module, the number of its name */
};

/**
 * profile_read() - read the inputs of a command line
 * @p: set to the stacks; the caller calls profile_free() later, also after a failure
 * @e: the command line
 * @values: mask of the values that the format needs; fewer take less time
 * @labels: rows differ also by their labels. Otherwise each stack of a class has one row.
 *
 * The peak of a recording needs a second pass, which a pipe does not allow. The peak is
 * then not in @p->have. Prints a message on failure.
 *
 * Return: EXIT_DONE, EXIT_FAILED or EXIT_USAGE.
 */
int profile_read(struct profile *p, const struct export *e, unsigned int values,
		 bool labels);

/** profile_free() - undo profile_read() */
void profile_free(struct profile *p);

/**
 * profile_exit() - the exit status of a format that has written everything
 * @p: the profile
 *
 * If events were lost, prints this to standard error, unless all notes are there.
 */
int profile_exit(const struct profile *p);

/** profile_find() - the value of a name; -1 if there is none */
int profile_find(const char *name);

struct option_use;

/* text about --value, and values of it */
#define PROFILE_VALUES_HELP                                                    \
	"live (default), objects, peak, peak_objects, alloc, allocs, temporary, temporary_objects"

/** profile_take_value() - parse --value, a text; as option_row.take */
int profile_take_value(const struct option_use *use);

/**
 * profile_read_value() - read one value of each stack, for the formats with --value
 * @p: as of profile_read()
 * @e: the command line
 * @value: set to the value of --value
 *
 * Return: as profile_read(); EXIT_FAILED, with a message, if the value is not known.
 */
int profile_read_value(struct profile *p, const struct export *e,
		       enum profile_value *value);

/* --- for the sources of a profile -------------------------------------------- */

/** profile_init() - initialise an empty profile */
void profile_init(struct profile *p);

/** profile_word() - copy a text */
const char *profile_word(struct profile *p, const char *text);

/** profile_note() - add a note; @format: as printf, without a newline */
void profile_note(struct profile *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * profile_set_title() - set the title: the name of the input, and of the kernel
 * @p: the profile
 * @e: the inputs
 * @release: the kernel; "": not known
 */
void profile_set_title(struct profile *p, const struct export *e,
		       const char *release);

/** profile_note_lines() - add a note for each line of a text that may be NULL, and free it */
void profile_note_lines(struct profile *p, char *text);

/**
 * profile_frame() - find or add a function
 * @p: the profile
 * @address: its address; 0: not known
 * @name: its name
 * @symbol: its symbol or location, which has the module; the same as @name, unless
 *	addresses take the place of names
 * @source: its source line, with further ones behind a comma; NULL: not known
 *
 * Return: its index in @p->frames.
 */
uint32_t profile_frame(struct profile *p, uint64_t address, const char *name,
		       const char *symbol, const char *source);

/** profile_is_empty() - whether all values of a row are 0: it need not be added */
bool profile_is_empty(const struct profile_row *row);

/**
 * profile_add() - add a row
 * @p: the profile
 * @row: the row, without @stack
 * @frames: indices of functions, the innermost first
 * @depth: number of functions
 */
void profile_add(struct profile *p, const struct profile_row *row,
		 const uint64_t *frames, size_t depth);

/** profile_merge() - make one row of the rows of each class and stack */
void profile_merge(struct profile *p);

/** profile_read_recording() - profile_read() of a recording, after profile_init() */
int profile_read_recording(struct profile *p, const struct export *e,
			   unsigned int values, bool labels);

#endif /* PROFILE_H */
