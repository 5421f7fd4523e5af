// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The module's sections.
#include "runtime/cell/spu2c/wasm.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void wasm_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("svm-spu2c: error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

void *wasm_allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        wasm_fail("out of memory");
    return memory;
}

// ---- Numbers ----

uint8_t wasm_u8(wasm_bytes *bytes)
{
    if (bytes->at >= bytes->end)
        wasm_fail("the module is cut short");
    return *bytes->at++;
}

uint32_t wasm_u32(wasm_bytes *bytes)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        const uint8_t byte = wasm_u8(bytes);
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            if (value > UINT32_MAX)
                break;
            return (uint32_t)value;
        }
    }
    wasm_fail("a number of the module does not fit 32 bits");
}

int64_t wasm_s64(wasm_bytes *bytes)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        const uint8_t byte = wasm_u8(bytes);
        value |= (uint64_t)(byte & 127) << shift;
        if (byte >= 128)
            continue;
        if (byte & 64 && shift + 7 < 64)
            value |= ~UINT64_C(0) << (shift + 7);
        return (int64_t)value;
    }
    wasm_fail("a number of the module does not fit 64 bits");
}

uint64_t wasm_fixed(wasm_bytes *bytes, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)wasm_u8(bytes) << 8 * i;
    return value;
}

wasm_bytes wasm_take(wasm_bytes *bytes, uint32_t size)
{
    if ((size_t)(bytes->end - bytes->at) < size)
        wasm_fail("the module is cut short");
    const wasm_bytes part = {bytes->at, bytes->at + size};
    bytes->at += size;
    return part;
}

// A number of things that take a byte at least.
static uint32_t read_count(wasm_bytes *bytes)
{
    const uint32_t count = wasm_u32(bytes);
    if (count > (size_t)(bytes->end - bytes->at))
        wasm_fail("the module is cut short");
    return count;
}

static char *read_name(wasm_bytes *bytes)
{
    const uint32_t length = wasm_u32(bytes);
    const wasm_bytes text = wasm_take(bytes, length);
    char *name = wasm_allocate(length + 1, 1);
    memcpy(name, text.at, length);
    return name;
}

char wasm_value_type(uint8_t code)
{
    switch (code) {
    case 0x7F: return 'i';
    case 0x7E: return 'I';
    case 0x7D: return 'f';
    case 0x7C: return 'F';
    case 0x7B: return 'v';
    case 0x70:
    case 0x6F: return 'r';
    default: wasm_fail("value type 0x%02x is not known", code);
    }
}

// ---- Sections ----

static char *read_types(wasm_bytes *bytes)
{
    const uint32_t count = read_count(bytes);
    char *types = wasm_allocate(count + 1, 1);
    for (uint32_t i = 0; i < count; i++)
        types[i] = wasm_value_type(wasm_u8(bytes));
    return types;
}

static void read_type_section(wasm_module *module, wasm_bytes bytes)
{
    module->type_count = read_count(&bytes);
    module->types = wasm_allocate(module->type_count, sizeof *module->types);
    for (uint32_t i = 0; i < module->type_count; i++) {
        if (wasm_u8(&bytes) != 0x60)
            wasm_fail("type %u is not a function's", i);
        module->types[i].args = read_types(&bytes);
        module->types[i].results = read_types(&bytes);
    }
}

static wasm_function *add_function(wasm_module *module, uint32_t type)
{
    if (type >= module->type_count)
        wasm_fail("function %u has type %u of %u", module->function_count, type, module->type_count);
    module->functions = realloc(module->functions, (module->function_count + 1) * sizeof *module->functions);
    if (!module->functions)
        wasm_fail("out of memory");
    wasm_function *function = &module->functions[module->function_count++];
    *function = (wasm_function){.type = type};
    return function;
}

static void read_import_section(wasm_module *module, wasm_bytes bytes)
{
    const uint32_t count = read_count(&bytes);
    for (uint32_t i = 0; i < count; i++) {
        char *from = read_name(&bytes), *name = read_name(&bytes);
        if (wasm_u8(&bytes) != 0)
            wasm_fail("the program imports %s.%s, which is not a function; SPE programs are linked by svm-spu-gcc",
                      from, name);
        wasm_function *function = add_function(module, wasm_u32(&bytes));
        function->module = from;
        function->import = name;
        module->import_count++;
    }
}

static void read_function_section(wasm_module *module, wasm_bytes bytes)
{
    const uint32_t count = read_count(&bytes);
    for (uint32_t i = 0; i < count; i++)
        add_function(module, wasm_u32(&bytes));
}

static void read_limits(wasm_bytes *bytes, uint32_t *minimum)
{
    const uint8_t flags = wasm_u8(bytes);
    if (flags > 1)
        wasm_fail("a table or memory of kind %u is not known", flags);
    *minimum = wasm_u32(bytes);
    if (flags & 1)
        wasm_u32(bytes);
}

static void read_table_section(wasm_module *module, wasm_bytes bytes)
{
    const uint32_t count = read_count(&bytes);
    if (count > 1)
        wasm_fail("the program has %u tables of functions, one is known", count);
    if (!count)
        return;
    wasm_value_type(wasm_u8(&bytes));
    read_limits(&bytes, &module->table_size);
    if (module->table_size > 1 << 20)
        wasm_fail("a table of %u functions is too large", module->table_size);
    module->table = wasm_allocate(module->table_size, sizeof *module->table);
    for (uint32_t i = 0; i < module->table_size; i++)
        module->table[i] = UINT32_MAX;
}

static void read_memory_section(wasm_module *module, wasm_bytes bytes)
{
    if (read_count(&bytes) != 1)
        wasm_fail("the program has not one memory");
    read_limits(&bytes, &module->memory_pages);
}

// A constant expression.
static uint64_t read_constant(const wasm_module *module, wasm_bytes *bytes)
{
    uint64_t value = 0;
    for (uint8_t opcode; (opcode = wasm_u8(bytes)) != 0x0B;) {
        uint32_t index;
        switch (opcode) {
        case 0x41: value = (uint32_t)wasm_s64(bytes); break;
        case 0x42: value = (uint64_t)wasm_s64(bytes); break;
        case 0x43: value = wasm_fixed(bytes, 4); break;
        case 0x44: value = wasm_fixed(bytes, 8); break;
        case 0x23:
            index = wasm_u32(bytes);
            if (index >= module->global_count)
                wasm_fail("global %u does not exist", index);
            value = module->globals[index].value;
            break;
        default: wasm_fail("opcode 0x%02x in a constant is not known", opcode);
        }
    }
    return value;
}

static void read_global_section(wasm_module *module, wasm_bytes bytes)
{
    const uint32_t count = read_count(&bytes);
    module->globals = wasm_allocate(count, sizeof *module->globals);
    for (uint32_t i = 0; i < count; i++) {
        module->globals[i].type = wasm_value_type(wasm_u8(&bytes));
        module->globals[i].writable = wasm_u8(&bytes) & 1;
        module->globals[i].value = read_constant(module, &bytes);
        module->global_count++;
    }
}

static void read_export_section(wasm_module *module, wasm_bytes bytes)
{
    module->export_count = read_count(&bytes);
    module->exports = wasm_allocate(module->export_count, sizeof *module->exports);
    for (uint32_t i = 0; i < module->export_count; i++) {
        module->exports[i].name = read_name(&bytes);
        const uint8_t kind = wasm_u8(&bytes);
        module->exports[i].kind = kind == 0 ? 'f' : kind == 3 ? 'g' : '-';
        module->exports[i].index = wasm_u32(&bytes);
        if (module->exports[i].index >= (kind == 0   ? module->function_count
                                         : kind == 3 ? module->global_count
                                                     : UINT32_MAX))
            wasm_fail("export %s does not exist", module->exports[i].name);
    }
}

static void read_element_section(wasm_module *module, wasm_bytes bytes)
{
    const uint32_t count = read_count(&bytes);
    for (uint32_t i = 0; i < count; i++) {
        if (wasm_u32(&bytes) != 0)
            wasm_fail("a table of functions of a form that wasm-ld does not write");
        const uint32_t first = (uint32_t)read_constant(module, &bytes), number = read_count(&bytes);
        if (number > module->table_size || first > module->table_size - number)
            wasm_fail("functions lie outside of their table");
        for (uint32_t k = 0; k < number; k++) {
            module->table[first + k] = wasm_u32(&bytes);
            if (module->table[first + k] >= module->function_count)
                wasm_fail("function %u of a table does not exist", module->table[first + k]);
        }
    }
}

static void read_code_section(wasm_module *module, wasm_bytes bytes)
{
    module->code = bytes.at;
    module->code_size = (uint32_t)(bytes.end - bytes.at);
    const uint32_t count = read_count(&bytes);
    if (count != module->function_count - module->import_count)
        wasm_fail("%u functions have %u bodies", module->function_count - module->import_count, count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t size = wasm_u32(&bytes);
        module->functions[module->import_count + i].body = wasm_take(&bytes, size);
    }
}

static void read_data_section(wasm_module *module, wasm_bytes bytes)
{
    module->segment_count = read_count(&bytes);
    module->segments = wasm_allocate(module->segment_count, sizeof *module->segments);
    for (uint32_t i = 0; i < module->segment_count; i++) {
        if (wasm_u32(&bytes) != 0)
            wasm_fail("data of a form that wasm-ld does not write");
        module->segments[i].address = (uint32_t)read_constant(module, &bytes);
        const uint32_t size = wasm_u32(&bytes);
        module->segments[i].bytes = wasm_take(&bytes, size);
        if (module->segments[i].address > 262144 || size > 262144 - module->segments[i].address)
            wasm_fail("data of %u bytes at 0x%x lie outside of the local store", size, module->segments[i].address);
    }
}

static void read_name_section(wasm_module *module, wasm_bytes bytes)
{
    while (bytes.at < bytes.end) {
        const uint8_t kind = wasm_u8(&bytes);
        const uint32_t size = wasm_u32(&bytes);
        wasm_bytes part = wasm_take(&bytes, size);
        if (kind != 1)
            continue;
        const uint32_t count = read_count(&part);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t index = wasm_u32(&part);
            char *name = read_name(&part);
            if (index >= module->function_count)
                continue;
            module->functions[index].plain = strdup(name);
            for (char *c = name; *c; c++)
                if (!isalnum((unsigned char)*c))
                    *c = '_';
            module->functions[index].name = name;
        }
    }
}

static void read_custom_section(wasm_module *module, wasm_bytes bytes)
{
    const char *name = read_name(&bytes);
    if (strcmp(name, "name") == 0)
        read_name_section(module, bytes);
    else if (strcmp(name, ".debug_line") == 0)
        module->debug_line = bytes;
}

void wasm_read(wasm_module *module, wasm_bytes file)
{
    *module = (wasm_module){0};
    if (wasm_fixed(&file, 4) != 0x6D736100 || wasm_fixed(&file, 4) != 1)
        wasm_fail("the file is not a WebAssembly module");
    while (file.at < file.end) {
        const uint8_t section = wasm_u8(&file);
        const uint32_t size = wasm_u32(&file);
        const wasm_bytes bytes = wasm_take(&file, size);
        switch (section) {
        case 0: read_custom_section(module, bytes); break;
        case 1: read_type_section(module, bytes); break;
        case 2: read_import_section(module, bytes); break;
        case 3: read_function_section(module, bytes); break;
        case 4: read_table_section(module, bytes); break;
        case 5: read_memory_section(module, bytes); break;
        case 6: read_global_section(module, bytes); break;
        case 7: read_export_section(module, bytes); break;
        case 8: wasm_fail("the program has a start function; SPE programs are linked by svm-spu-gcc");
        case 9: read_element_section(module, bytes); break;
        case 10: read_code_section(module, bytes); break;
        case 11: read_data_section(module, bytes); break;
        case 12: break; // how many segments of data there are
        default: wasm_fail("section %u is not known", section);
        }
    }
    if (module->memory_pages * 65536 != 262144)
        wasm_fail("the program's memory is not 256 KiB; SPE programs are linked by svm-spu-gcc");
    for (uint32_t i = module->import_count; i < module->function_count; i++)
        if (!module->functions[i].body.at)
            wasm_fail("function %u has no body", i);
}

const uint32_t *wasm_export(const wasm_module *module, const char *name, char kind)
{
    for (uint32_t i = 0; i < module->export_count; i++)
        if (module->exports[i].kind == kind && strcmp(module->exports[i].name, name) == 0)
            return &module->exports[i].index;
    return NULL;
}
