// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The assembler's parts: assemble.c reads lines, directives, labels and texture instructions; assemble_half.c the
// halves of arithmetic; assemble_flow.c flow control; assemble_finish.c sets what is left to the assembler.
#ifndef SVMC_LLC_SOFTPROC_ASSEMBLER_H
#define SVMC_LLC_SOFTPROC_ASSEMBLER_H

#include "llc/softproc/softproc.h"
#include "support/hmap.h"

// A register of a text: its class and number.
typedef enum sp_class {
    SP_CLASS_TEMP,
    SP_CLASS_CONST,
    SP_CLASS_OUTPUT,
    SP_CLASS_INPUT,
    SP_CLASS_INT,
    SP_CLASS_BOOL,
    SP_CLASS_NUMBER, // .equ
} sp_class;

typedef struct sp_symbol {
    sp_class class;
    unsigned number;
    double value;
} sp_symbol;

typedef struct sp_reg {
    sp_class class;
    unsigned number;
    bool relative;
} sp_reg;

// An instruction under construction.
typedef struct sp_item {
    sp_instruction in;
    src_range range;
    const char *jump; // label, or NULL
    src_range jump_range;
    bool has_scalar;
    unsigned vector_operands; // that the vector half was given
    // Whether its source addresses are listed in braces, or were given by the assembler, or neither yet.
    enum { SP_SOURCES_OPEN, SP_SOURCES_LISTED, SP_SOURCES_ALLOCATED } sources;
} sp_item;

typedef struct sp_label {
    unsigned at;
    src_range range;
} sp_label;

typedef struct sp_repeat {
    uint32_t begin;
    unsigned left;
    src_range range;
} sp_repeat;

// An open IF or loop.
typedef struct sp_open {
    enum { SP_OPEN_IF, SP_OPEN_ELSE, SP_OPEN_LOOP, SP_OPEN_REP } kind;
    unsigned at, otherwise; // instructions: the beginning; ELSE
    unsigned branches;      // IFs that were open at the beginning of a loop
    src_range range;
} sp_open;

typedef struct sp_assembler {
    arena *arena;
    diag_engine *diag;
    source_id file;
    const char *text;
    uint32_t at, line_begin, line_end; // within text
    sp_program *program;
    hmap symbols, labels;
    VEC(sp_item) items;
    VEC(sp_repeat) repeats;
    VEC(sp_open) open;
    unsigned branches;  // IFs that are open
    bool pair_open;     // the last item may take a scalar half
    bool manual, ended; // .manual; END has been seen
    bool semaphores;    // some instruction has a semaphore flag
    bool failed;        // in this line
} sp_assembler;

// ---- Scanning within a line (assemble.c) ----
void sp_skip_blanks(sp_assembler *s);
bool sp_at_end(sp_assembler *s);
bool sp_take(sp_assembler *s, char c);
bool sp_take_word(sp_assembler *s, const char *word);
// A word of letters, digits and '_'; NULL when there is none.
const char *sp_take_name(sp_assembler *s, src_range *range);
// A whole number without sign.
bool sp_take_integer(sp_assembler *s, unsigned *value);
bool sp_take_number(sp_assembler *s, double *value);
src_range sp_here(const sp_assembler *s);
// The first error of a line is reported; the rest of the line is then skipped.
void sp_error(sp_assembler *s, src_range r, const char *format, ...) __attribute__((format(printf, 3, 4)));
// A register: r3, c5, o0, s1, i2, b3, r[aL+3], or a name for one. NULL-class errors are reported.
bool sp_take_register(sp_assembler *s, sp_reg *reg, src_range *range);
bool sp_is_register(const sp_assembler *s, const char *name, sp_symbol *symbol);

sp_item *sp_add_item(sp_assembler *s, src_range range);
// Flags that any instruction may have; true when the name is one.
bool sp_set_flag(sp_assembler *s, sp_item *item, const char *flag, src_range range);
// "(p.r)", "(!p)": a predicate; none is there when sel stays 0.
typedef struct sp_guard {
    unsigned sel, inv;
} sp_guard;
sp_guard sp_take_guard(sp_assembler *s);

// ---- Parts ----
// A half of an arithmetic instruction behind its mnemonic; false when there is no such operation.
bool sp_assemble_half(sp_assembler *s, const char *name, src_range range, sp_guard guard);
bool sp_assemble_flow(sp_assembler *s, const char *name, src_range range, sp_guard guard);
// Assembles a text of one arithmetic instruction, as it is.
bool sp_assemble_one(arena *a, diag_engine *d, source_id file, sp_instruction *out);
// Labels, semaphores, bubbles; fills the program's words and lists.
void sp_assemble_finish(sp_assembler *s);

#endif
