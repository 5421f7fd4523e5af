// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Cell backend: SVM C becomes a program of two sides. The PPE's is the text as it stands with tables of its kernels
// behind it; the SPEs' has those parts of the text that kernels reach, and the resident loop (runtime/cell/svm) that runs
// them. Internal to llc/cell/.
#ifndef SVMC_LLC_CELL_H
#define SVMC_LLC_CELL_H

#include "llc/backend.h"
#include "llc/check/check.h"

enum { CELL_LOCAL_STORE = 256 << 10 };

// As svm/cell_program.h has them, by the names there without "SVM_CELL_".
typedef enum cell_field_kind {
    CELL_BYTES,
    CELL_INT,
    CELL_UINT,
    CELL_BLOCK,
    CELL_OBJECT,
    CELL_STREAM,
    CELL_ADDRESS,
    CELL_NOTHING
} cell_field_kind;

// Fields of a kernel's struct that lie together on both sides.
typedef struct cell_field {
    uint64_t ppe, spe; // offsets
    cell_field_kind kind;
    uint64_t count; // CELL_BYTES: of bytes
    const char *name;
} cell_field;
typedef VEC(cell_field) cell_fields;

typedef struct cell_kernel {
    const llc_function *function;
    int number;      // in the SPEs' table; -1: no SPE can run it
    const char *why; // because of this; NULL: one can
    src_range why_at;
    llc_strings reached; // functions that it calls, directly or not, and itself
    bool streams;        // of which some use streams
    bool instructions;   // of which some are those of stream instructions
    const char *record;  // name of its struct's type; NULL: it uses none
    uint64_t bytes;      // of the struct on the SPE
    cell_fields fields;
    // Of the linked program: bytes of its code, and of functions that it alone calls, with what makes them whole lines.
    unsigned long code;
    llc_strings own;    // those functions
    unsigned region;    // where its code is overlaid, from 1 on; 0: it is always there
    unsigned long from; // where it lies in memory
} cell_kernel;

// Room in the local store that the code of kernels has in turn.
typedef struct cell_region {
    unsigned long at, bytes;
} cell_region;

typedef struct cell_program {
    llc_session *session;
    const llc_unit *unit;
    CXTranslationUnit spe; // the SPEs' text as their compiler sees it
    VEC(cell_kernel) kernels;
    int count;           // of those that SPEs can run
    bool has_image;      // there is a program for the SPEs
    const char *stem;    // of names
    uint64_t ring;       // bytes of the SPEs' ring of commands
    unsigned long stack; // bytes of the SPEs' stack
    // Of the linked program, in bytes: constants, ring and stack, with the regions of overlays; code beside those; of that
    // what does not belong to one kernel; code that is in memory, as it was linked and in whole lines; the regions.
    unsigned long data, code, resident, overlaid, in_memory, area;
    VEC(cell_region) regions;
    check_layout layout;   // blocks, and where kernels run
    unsigned streams;      // that each SPE has room for (streams.c); 0: they are the PPE's, or there are none
    bool instructions;     // stream instructions are SPEs' (instructions.c)
    const char *too_large; // with streams or those: so they are to be the PPE's; NULL: they may be SPEs'
    bool timed;            // the code counts what it does, and the program predicts its time
} cell_program;

// Finds the unit's kernels and which of them an SPE can run. False after an error.
bool cell_find_kernels(cell_program *p);
// How the fields of the kernel's struct lie; sets `why` where that cannot be told. The types are the same struct's on both
// sides.
void cell_pair_fields(cell_program *p, cell_kernel *k, CXType ppe, CXType spe);

// Whose the streams are, when it is known what kernels have: sets `why` of those that use them where they are the PPE's.
void cell_place_streams(cell_program *p);
// The same of stream instructions.
void cell_place_instructions(cell_program *p);
uint64_t cell_stream_count(const cell_kernel *k); // that its struct points to
bool cell_begins_late(const cell_program *p,
                      const cell_kernel *k); // SVM_KERNEL(input_first), with streams that are SPEs'

// The local store of a processor for kernels that reaches nothing else, and that no control processor reaches; NULL: it is none.
const machine_memory *cell_local_store(const machine *m, const machine_processor *p);

// Compiles the SPEs' program and counts it against the local store, with overlays where it does not fit without (image.c).
const char *cell_build_image(cell_program *p); // an object of the PPE's; NULL after an error
bool cell_measure_image(cell_program *p);      // the same without the program

// Which functions belong to which kernel; path: what svm-spu-gcc --functions wrote (overlays.c).
bool cell_read_functions(cell_program *p, const char *path);
// Gives each kernel a region of those that fit `room` with the code that is always there; least: or where that is too small
// as much as the largest kernel needs. False: they do not fit; *largest is that kernel.
bool cell_overlay(cell_program *p, long room, bool least, const cell_kernel **largest);
void cell_tell_overlays(cell_program *p);

// Steps.
const char *cell_installed(llc_session *s, const char *relative);
const char *cell_temporary(llc_session *s, const char *stem, const char *suffix); // NULL after an error
bool cell_write_text(llc_session *s, const char *path, const char *text);
void cell_add_all(llc_session *s, llc_strings *command, const char *const *words); // up to NULL

// Reads the SPEs' text as their compiler does.
bool cell_parse_for_spe(cell_program *p);
CXTranslationUnit cell_parse_text(cell_program *p, const char *content); // NULL: clang cannot; else the caller's
const char *cell_text_name(cell_program *p);
const char *cell_folder(cell_program *p); // of the SVM C, for what it includes
void cell_close(cell_program *p);

// The part of the SVM C that kernels without a `why` reach.
const char *cell_cut(cell_program *p, bool lines);
// The same with lanes (svm/lanes.h) as vectors of an SPE, in functions of which all is understood (quads.c).
const char *cell_quads(cell_program *p, const char *text);
// The sources. `lines`: messages about them name the lines of the SVM C.
const char *cell_spu_text(cell_program *p, bool lines);
const char *cell_ppu_text(cell_program *p, bool lines);
const char *cell_makefile(cell_program *p);
const char *cell_overlay_script(cell_program *p); // for the vendor's linker

#endif
