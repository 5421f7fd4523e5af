// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules, interned types, and places of stream IR in source texts.
#include <string.h>

#include "hlc/ir/sir.h"
#include "hlc/ir/type_rules.h"

sir_module *sir_module_create(arena *a, interner *names, const char *name)
{
    sir_module *m = ARENA_NEW(a, sir_module);
    m->arena = a;
    m->names = names;
    m->name = name;
    hmap_init(&m->types, a);
    m->rates_known = ARENA_NEW(a, hmap);
    hmap_init(m->rates_known, a);
    m->owners = ARENA_NEW(a, sir_owners);
    hmap_init(&m->owners->places, a);
    for (int kind = 0; kind < SIR_SCALAR_KINDS; kind++) {
        sir_type *t = ARENA_NEW(a, sir_type);
        t->kind = (sir_type_kind)kind;
        t->words = kind == SIR_VOID ? 0 : 1;
        m->scalar[kind] = t;
    }
    VEC_PUSH(a, &m->files, "");
    VEC_PUSH(a, &m->sources, 0);
    return m;
}

static uint64_t saturating_mul(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t saturating_add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

// What tells a type without a scalar kind from others; the bytes are the key, so there is no padding.
typedef struct type_key {
    const void *part; // element type or struct
    uint64_t length;  // UINT64_MAX for a struct
} type_key;

static sir_type *find_type(sir_module *m, type_key key, bool *fresh)
{
    sir_type *t = hmap_getn(&m->types, &key, sizeof key);
    *fresh = t == NULL;
    if (t == NULL) {
        t = ARENA_NEW(m->arena, sir_type);
        hmap_setn(&m->types, &key, sizeof key, t);
    }
    return t;
}

const sir_type *sir_type_array(sir_module *m, const sir_type *element, uint32_t length)
{
    bool fresh;
    sir_type *t = find_type(m, (type_key){.part = element, .length = length}, &fresh);
    if (fresh) {
        t->kind = SIR_ARRAY;
        t->element = element;
        t->length = length;
        t->words = saturating_mul(element->words, length);
    }
    return t;
}

const sir_type *sir_type_struct(sir_module *m, const sir_struct *decl)
{
    bool fresh;
    sir_type *t = find_type(m, (type_key){.part = decl, .length = UINT64_MAX}, &fresh);
    if (fresh) {
        t->kind = SIR_STRUCT;
        t->decl = decl;
        for (size_t i = 0; i < decl->members.len; i++)
            t->words = saturating_add(t->words, decl->members.data[i].type->words);
    }
    return t;
}

const sir_type *sir_type_stored(sir_module *m, sir_storage storage)
{
    if (storage == SIR_STORED_WHOLE)
        return m->scalar[SIR_INT];
    if (m->stored[storage] == NULL) {
        sir_type *t = ARENA_NEW(m->arena, sir_type);
        *t = *m->scalar[SIR_INT];
        t->storage = storage;
        m->stored[storage] = t;
    }
    return m->stored[storage];
}

bool sir_same_values(const sir_type *a, const sir_type *b)
{
    for (; a != b && a->kind == SIR_ARRAY && b->kind == SIR_ARRAY && a->length == b->length; a = a->element)
        b = b->element;
    return a == b || (a->kind == SIR_INT && b->kind == SIR_INT);
}

static const char *const scalar_names[SIR_SCALAR_KINDS] = {
    [SIR_VOID] = "void",   [SIR_BOOLEAN] = "boolean", [SIR_BIT] = "bit",         [SIR_INT] = "int",
    [SIR_FLOAT] = "float", [SIR_DOUBLE] = "double",   [SIR_COMPLEX] = "complex",
};

const char *sir_scalar_name(sir_type_kind kind)
{
    return scalar_names[kind];
}

void sir_type_print(strbuf *out, const sir_type *t)
{
    const sir_type *core = t;
    while (core->kind == SIR_ARRAY)
        core = core->element;
    if (core->kind == SIR_STRUCT)
        strbuf_printf(out, "struct %s", core->decl->name);
    else
        strbuf_add(out, scalar_names[core->kind]);
    for (; t->kind == SIR_ARRAY; t = t->element)
        strbuf_printf(out, "[%u]", (unsigned)t->length);
}

// ---- Places ----

uint32_t sir_file(sir_module *m, const char *name, source_id source)
{
    for (size_t i = 1; i < m->files.len; i++)
        if (m->sources.data[i] == source && strcmp(m->files.data[i], name) == 0)
            return (uint32_t)i;
    VEC_PUSH(m->arena, &m->files, arena_strdup(m->arena, name));
    VEC_PUSH(m->arena, &m->sources, source);
    return (uint32_t)(m->files.len - 1);
}

src_range sir_range(const sir_module *m, source_set *sources, sir_loc loc)
{
    if (loc.file == 0 || loc.file >= m->files.len || m->sources.data[loc.file] == 0)
        return (src_range){0};
    src_range r = {.file = m->sources.data[loc.file]};
    r.begin = source_offset(sources, r.file, loc.line, loc.column);
    r.end = r.begin;
    if (loc.end > loc.column)
        r.end = source_offset(sources, r.file, loc.line, loc.end);
    return r;
}

sir_loc sir_loc_from(sir_module *m, const source_set *sources, src_range r)
{
    const source_file *file = source_get(sources, r.file);
    if (r.file == 0 || file->name == NULL)
        return (sir_loc){0};
    src_pos begin = source_pos(sources, r.file, r.begin), end = source_pos(sources, r.file, r.end);
    sir_loc loc = {.file = sir_file(m, file->name, r.file), .line = begin.line, .column = begin.column};
    if (end.line == begin.line && end.column > begin.column)
        loc.end = end.column;
    return loc;
}
