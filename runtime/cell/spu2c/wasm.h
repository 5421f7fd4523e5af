// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A linked WebAssembly module as svm-spu2c reads it. What it allocates lives until the tool ends.
#ifndef SVM_CELL_WASM_H
#define SVM_CELL_WASM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Bytes still to be read. All reading is checked; what is cut short ends the tool with a message.
typedef struct wasm_bytes {
    const uint8_t *at, *end;
} wasm_bytes;

// Types are letters: i i32, I i64, f f32, F f64, v v128, r reference (only in tables).
typedef struct wasm_type {
    char *args, *results;
} wasm_type;

typedef struct wasm_function {
    uint32_t type;
    const char *module, *import; // NULL for functions with a body
    wasm_bytes body;
    char *name;  // as a C identifier's tail
    char *plain; // as the source has it
} wasm_function;

typedef struct wasm_global {
    char type;
    bool writable;
    uint64_t value; // bits
} wasm_global;

typedef struct wasm_segment {
    uint32_t address;
    wasm_bytes bytes;
} wasm_segment;

typedef struct wasm_line {
    uint32_t offset; // in the code section
    uint32_t file, line;
} wasm_line;

typedef struct wasm_module {
    wasm_type *types;
    uint32_t type_count;
    wasm_function *functions;
    uint32_t function_count, import_count;
    wasm_global *globals;
    uint32_t global_count;
    wasm_segment *segments;
    uint32_t segment_count;
    uint32_t *table; // functions, UINT32_MAX for none
    uint32_t table_size;
    const uint8_t *code; // the code section's content, which line numbers count from
    uint32_t code_size;
    uint32_t memory_pages;
    struct {
        char *name;
        char kind; // 'f', 'g' or another
        uint32_t index;
    } *exports;
    uint32_t export_count;
    wasm_bytes debug_line, debug_line_str, debug_str;
    wasm_line *lines; // by offset
    uint32_t line_count;
    char **files;
    uint32_t file_count;
} wasm_module;

// Prints "svm-spu2c: error: ..." and ends the tool with exit code 1.
void wasm_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void *wasm_allocate(size_t count, size_t size); // zeroed; never NULL

uint8_t wasm_u8(wasm_bytes *bytes);
uint32_t wasm_u32(wasm_bytes *bytes);
int64_t wasm_s64(wasm_bytes *bytes);
uint64_t wasm_fixed(wasm_bytes *bytes, unsigned size);
wasm_bytes wasm_take(wasm_bytes *bytes, uint32_t size);
char wasm_value_type(uint8_t code);

void wasm_read(wasm_module *module, wasm_bytes file);
const uint32_t *wasm_export(const wasm_module *module, const char *name, char kind);

// Fills lines and files from the module's DWARF line tables.
void wasm_read_lines(wasm_module *module);
// The place of an offset in the code section; NULL where it is not known.
const wasm_line *wasm_line_at(const wasm_module *module, uint32_t offset);

typedef struct wasm_site {
    uint32_t file, line, function; // line 0 is unknown
} wasm_site;

typedef struct wasm_call {
    uint32_t from, to; // functions
} wasm_call;

// What translating has found on its way.
typedef struct wasm_sites {
    wasm_site *site; // by number; 0 is unknown
    uint32_t count;
    wasm_call *calls; // by name, that can be reached
    uint32_t call_count;
} wasm_sites;

// One function as C.
void wasm_translate(const wasm_module *module, uint32_t function, FILE *out, wasm_sites *sites);
void wasm_prototype(const wasm_module *module, uint32_t function, FILE *out);
const char *wasm_c_type(char type);

#endif
