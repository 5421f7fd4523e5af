// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places in the source by offset in the code section, from DWARF line tables of version 4, which svm-spu-gcc asks clang
// for. Tables of other versions (libraries may bring some) are passed over: their places are unknown.
#include "runtime/cell/spu2c/wasm.h"

#include <stdlib.h>
#include <string.h>

typedef struct line_unit {
    uint8_t minimum, line_range, opcode_base;
    int8_t line_base;
    uint8_t lengths[256];
    char **folders;
    uint32_t folder_count;
    uint32_t *files; // into the module's files
    uint32_t file_count;
} line_unit;

static const char *read_string(wasm_bytes *bytes)
{
    const char *text = (const char *)bytes->at;
    while (wasm_u8(bytes))
        ;
    return text;
}

static uint32_t add_file(wasm_module *module, const char *folder, const char *name)
{
    char *path = wasm_allocate(strlen(folder) + strlen(name) + 2, 1);
    if (*folder && *name != '/') {
        strcat(strcpy(path, folder), "/");
        strcat(path, name);
    } else {
        strcpy(path, name);
    }
    for (uint32_t i = 0; i < module->file_count; i++)
        if (strcmp(module->files[i], path) == 0)
            return i;
    module->files = realloc(module->files, (module->file_count + 1) * sizeof *module->files);
    if (!module->files)
        wasm_fail("out of memory");
    module->files[module->file_count] = path;
    return module->file_count++;
}

static void add_line(wasm_module *module, uint32_t *capacity, uint32_t offset, uint32_t file, uint32_t line)
{
    if (module->line_count == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 1024;
        module->lines = realloc(module->lines, *capacity * sizeof *module->lines);
        if (!module->lines)
            wasm_fail("out of memory");
    }
    module->lines[module->line_count++] = (wasm_line){offset, file, line};
}

static void read_header(wasm_module *module, line_unit *unit, wasm_bytes *bytes)
{
    unit->minimum = wasm_u8(bytes);
    wasm_u8(bytes); // operations in an instruction
    wasm_u8(bytes); // whether rows are statements at first
    unit->line_base = (int8_t)wasm_u8(bytes);
    unit->line_range = wasm_u8(bytes);
    unit->opcode_base = wasm_u8(bytes);
    if (!unit->line_range || !unit->opcode_base)
        wasm_fail("a line table has no range of lines");
    for (unsigned i = 1; i < unit->opcode_base; i++)
        unit->lengths[i] = wasm_u8(bytes);
    for (const char *folder; *(folder = read_string(bytes));) {
        unit->folders = realloc(unit->folders, (unit->folder_count + 1) * sizeof *unit->folders);
        if (!unit->folders)
            wasm_fail("out of memory");
        unit->folders[unit->folder_count++] = (char *)folder;
    }
    for (const char *name; *(name = read_string(bytes));) {
        const uint32_t folder = wasm_u32(bytes);
        wasm_u32(bytes); // time
        wasm_u32(bytes); // size
        unit->files = realloc(unit->files, (unit->file_count + 1) * sizeof *unit->files);
        if (!unit->files)
            wasm_fail("out of memory");
        const bool known = folder && folder <= unit->folder_count;
        unit->files[unit->file_count++] = add_file(module, known ? unit->folders[folder - 1] : "", name);
    }
}

typedef struct line_state {
    uint64_t offset;
    uint64_t file, line;
    bool live; // the sequence is of code that is in the program
} line_state;

static void put_row(wasm_module *module, const line_unit *unit, const line_state *state, uint32_t *capacity)
{
    if (!state->live || state->offset >= module->code_size || state->line > UINT32_MAX || !state->file ||
        state->file > unit->file_count)
        return;
    add_line(module, capacity, (uint32_t)state->offset, unit->files[state->file - 1], (uint32_t)state->line);
}

static void extended(wasm_module *module, line_state *state, wasm_bytes *bytes, uint32_t *capacity)
{
    const uint32_t size = wasm_u32(bytes);
    wasm_bytes part = wasm_take(bytes, size);
    if (!size)
        return;
    switch (wasm_u8(&part)) {
    case 1: // end of the sequence
        if (state->live && state->offset < module->code_size)
            add_line(module, capacity, (uint32_t)state->offset, 0, 0);
        *state = (line_state){.file = 1, .line = 1};
        break;
    case 2: // address; code that the linker dropped is at 0 or at the last address
        state->offset = wasm_fixed(&part, size - 1 <= 8 ? size - 1 : 0);
        state->live = state->offset != 0 && state->offset < module->code_size;
        break;
    default: break;
    }
}

static void run(wasm_module *module, const line_unit *unit, wasm_bytes bytes, uint32_t *capacity)
{
    line_state state = {.file = 1, .line = 1};
    while (bytes.at < bytes.end) {
        const uint8_t opcode = wasm_u8(&bytes);
        if (opcode >= unit->opcode_base) {
            const unsigned special = opcode - unit->opcode_base;
            state.offset += (uint64_t)(special / unit->line_range) * unit->minimum;
            state.line += (uint64_t)(int64_t)(unit->line_base + (int)(special % unit->line_range));
            put_row(module, unit, &state, capacity);
            continue;
        }
        switch (opcode) {
        case 0: extended(module, &state, &bytes, capacity); break;
        case 1: put_row(module, unit, &state, capacity); break;
        case 2: state.offset += (uint64_t)wasm_u32(&bytes) * unit->minimum; break;
        case 3: state.line += (uint64_t)wasm_s64(&bytes); break;
        case 4: state.file = wasm_u32(&bytes); break;
        case 8: state.offset += (uint64_t)((255 - unit->opcode_base) / unit->line_range) * unit->minimum; break;
        case 9: state.offset += wasm_fixed(&bytes, 2); break;
        default:
            for (unsigned i = 0; i < unit->lengths[opcode]; i++)
                wasm_u32(&bytes);
        }
    }
}

static int by_offset(const void *a, const void *b)
{
    const wasm_line *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    // The end of one function's lines and the first line of the next: the line counts.
    return (x->line != 0) - (y->line != 0);
}

void wasm_read_lines(wasm_module *module)
{
    wasm_bytes bytes = module->debug_line;
    uint32_t capacity = 0;
    while (bytes.at < bytes.end) {
        const uint32_t length = (uint32_t)wasm_fixed(&bytes, 4);
        wasm_bytes part = wasm_take(&bytes, length);
        line_unit unit = {0};
        if (wasm_fixed(&part, 2) != 4)
            continue;
        const uint32_t header = (uint32_t)wasm_fixed(&part, 4);
        wasm_bytes head = wasm_take(&part, header);
        read_header(module, &unit, &head);
        run(module, &unit, part, &capacity);
    }
    if (module->line_count)
        qsort(module->lines, module->line_count, sizeof *module->lines, by_offset);
}

const wasm_line *wasm_line_at(const wasm_module *module, uint32_t offset)
{
    uint32_t low = 0, high = module->line_count; // lines before low are at or before the offset
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (module->lines[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low && module->lines[low - 1].line ? &module->lines[low - 1] : NULL;
}
