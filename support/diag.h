// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics are records: a severity, a sentence, a primary range, and any number of further ranges, notes and fix-its.
// They are collected, and one renderer prints them, as clang does or as JSON.
//
// Wording: lower case, no full stop, single quotes around names and code, the thing and its type named, both sides of a
// mismatch named with a range each, what was expected and what to do. No "probably".
#ifndef SVMC_SUPPORT_DIAG_H
#define SVMC_SUPPORT_DIAG_H

#include <stdbool.h>
#include <stdio.h>

#include "support/arena.h"
#include "support/source.h"
#include "support/vec.h"

typedef enum diag_severity {
    DIAG_NOTE,
    DIAG_REMARK,
    DIAG_WARNING,
    DIAG_ERROR,
    DIAG_FATAL,
    DIAG_INTERNAL
} diag_severity;

// The warnings, one row each in warnings.def: id, flag (-Wflag, -Wno-flag, -Werror=flag), on by default, help.
typedef enum diag_warning_id {
    WARN_NONE,
#define WARNING(id, flag, enabled, help) WARN_##id,
#include "support/warnings.def"
#undef WARNING
    WARN_COUNT
} diag_warning_id;

typedef struct diag_fixit {
    src_range range; // replaced by text; an empty range inserts
    const char *text;
} diag_fixit;

typedef struct diag_record diag_record;
struct diag_record {
    diag_severity severity;
    diag_warning_id warning; // WARN_NONE but for warnings
    const char *message;
    src_range range;   // primary: the caret points at its begin, the range is underlined; file 0: no place
    const char *place; // printed instead of file:line:col when range has no file (a tool or a file name); may be NULL
    VEC(src_range) ranges; // further ranges underlined in the same snippet
    VEC(diag_record *) notes;
    VEC(diag_fixit) fixits;
};

typedef enum diag_format { DIAG_FORMAT_TEXT, DIAG_FORMAT_JSON } diag_format;

typedef struct diag_engine {
    arena *arena;
    source_set *sources;
    VEC(diag_record *) records; // in order of report
    bool warning_enabled[WARN_COUNT], warning_is_error[WARN_COUNT];
    bool warnings_are_errors; // -Werror
    bool no_warnings;         // -w
    bool remarks;             // --remarks
    size_t error_limit;       // further errors are counted, not kept; 20 unless told, 0 is none
    size_t error_count, warning_count;
    size_t errors_flushed, warnings_flushed; // of these counts, what an earlier diag_flush has told
    struct hmap *seen;                       // what was reported, so that nothing is said twice of one place
} diag_engine;

void diag_init(diag_engine *d, arena *a, source_set *sources);
// -Wflag, -Wno-flag, -Werror, -Werror=flag, without the leading "-W"; false when there is no such warning.
bool diag_warning_option(diag_engine *d, const char *option);
// The warning whose flag is nearest to a misspelt option (as given to diag_warning_option), or NULL.
const char *diag_nearest_warning(const char *option);

// Each returns the record, to which notes, ranges and fix-its can be added; never NULL (a suppressed diagnostic gives a
// record that nobody prints). The message is formatted at once.
diag_record *diag_error(diag_engine *d, src_range r, const char *format, ...) __attribute__((format(printf, 3, 4)));
diag_record *diag_warning(diag_engine *d, diag_warning_id id, src_range r, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
diag_record *diag_remark(diag_engine *d, src_range r, const char *format, ...) __attribute__((format(printf, 3, 4)));
// An error with no place in a text: about a file, an option or the tool itself. place may be NULL.
diag_record *diag_error_at(diag_engine *d, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// A defect of svmc itself: "internal error: ..." with how to report it; the tool must then exit with code 70.
diag_record *diag_internal(diag_engine *d, src_range r, const char *format, ...) __attribute__((format(printf, 3, 4)));
diag_record *diag_add_note(diag_engine *d, diag_record *r, src_range where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void diag_add_range(diag_engine *d, diag_record *r, src_range range);
void diag_add_fixit(diag_engine *d, diag_record *r, src_range range, const char *text);

bool diag_has_errors(const diag_engine *d);
// Prints the records in source order (file, then offset; those without a place first, equal places in order of report),
// then "N errors generated." as clang does (text format only), and forgets them. Colour only when color is set.
void diag_flush(diag_engine *d, FILE *out, diag_format format, bool color);

// The candidate nearest to name if it is near enough to be a likely misspelling, else NULL.
const char *diag_nearest(const char *name, const char *const *candidates, size_t count);

#endif
