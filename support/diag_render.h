// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one renderer of diagnostics, used by diag_flush.
#ifndef SVMC_SUPPORT_DIAG_RENDER_H
#define SVMC_SUPPORT_DIAG_RENDER_H

#include "support/diag.h"
#include "support/strbuf.h"

typedef struct diag_renderer {
    source_set *sources;
    arena *scratch;
    FILE *out;
    diag_format format;
    bool color;
    source_id chain; // the last file whose chain of imports was printed
} diag_renderer;

// Prints one record with its snippet and notes.
void diag_render(diag_renderer *r, const diag_record *record);
// Prints what follows the last record: that the error limit was passed, and the counts.
void diag_render_end(diag_renderer *r, bool too_many, size_t errors, size_t warnings);
// Adds the source lines of record with what is marked in them (diag_snippet.c).
void diag_add_snippet(diag_renderer *r, strbuf *b, const diag_record *record);

const char *diag_warning_flag(diag_warning_id id);

// The parts of a text rendering that have a colour.
typedef enum diag_color {
    DIAG_COLOR_NONE,
    DIAG_COLOR_BOLD,
    DIAG_COLOR_ERROR,
    DIAG_COLOR_WARNING,
    DIAG_COLOR_NOTE,
    DIAG_COLOR_REMARK,
    DIAG_COLOR_MARK,
} diag_color;
// Switches to a colour; adds nothing when colours are off.
void diag_set_color(const diag_renderer *r, strbuf *b, diag_color color);

#endif
