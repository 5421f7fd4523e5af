// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of a reader's or writer's items is not in files as it lies in memory: padding and booleans within structs and
// arrays. Layout as in hlc/interp/items.c and in the C that is emitted.
#include "hlc/emit/program_int.h"

typedef struct item_part {
    uint64_t offset, bytes, count, stride;
    bool padding;
} item_part;
typedef VEC(item_part) item_parts;

typedef struct layout {
    uint64_t size, alignment;
} layout;

static uint64_t align(uint64_t at, uint64_t to)
{
    return (at + to - 1) / to * to;
}

static layout lay_out(arena *a, const sir_type *t, item_parts *parts);

static void add_padding(arena *a, item_parts *parts, uint64_t from, uint64_t to)
{
    if (to > from)
        VEC_PUSH(a, parts, (item_part){from, to - from, 1, 0, true});
}

// The parts of count elements, stride bytes apart; parts that repeat themselves are written out.
static void add_repeated(arena *a, item_parts *parts, const item_parts *inner, uint64_t offset, uint64_t count,
                         uint64_t stride)
{
    for (VEC_EACH(const item_part, part, inner)) {
        item_part p = *part;
        p.offset += offset;
        if (p.count == 1) {
            p.count = count;
            p.stride = stride;
            VEC_PUSH(a, parts, p);
            continue;
        }
        for (uint64_t i = 0; i < count; i++, p.offset += stride)
            VEC_PUSH(a, parts, p);
    }
}

static layout lay_out_struct(arena *a, const sir_struct *s, item_parts *parts)
{
    layout whole = {0, 1};
    for (VEC_EACH(const struct sir_member, member, &s->members)) {
        item_parts inner = {0};
        layout l = lay_out(a, member->type, &inner);
        uint64_t at = align(whole.size, l.alignment);
        add_padding(a, parts, whole.size, at);
        add_repeated(a, parts, &inner, at, 1, 0);
        whole.size = at + l.size;
        if (l.alignment > whole.alignment)
            whole.alignment = l.alignment;
    }
    uint64_t end = align(whole.size, whole.alignment);
    add_padding(a, parts, whole.size, end);
    whole.size = end;
    return whole;
}

static layout lay_out_array(arena *a, const sir_type *t, item_parts *parts)
{
    uint64_t count = 1;
    for (; t->kind == SIR_ARRAY; t = t->element)
        count *= t->length == 0 ? 1 : t->length; // one element of C's, which has no empty arrays
    item_parts inner = {0};
    layout l = lay_out(a, t, &inner);
    if (t->kind == SIR_BOOLEAN)
        VEC_PUSH(a, parts, (item_part){0, count, 1, 0, false});
    else
        add_repeated(a, parts, &inner, 0, count, l.size);
    return (layout){l.size * count, l.alignment};
}

static layout lay_out(arena *a, const sir_type *t, item_parts *parts)
{
    switch (t->kind) {
    case SIR_BOOLEAN: VEC_PUSH(a, parts, (item_part){0, 1, 1, 0, false}); return (layout){1, 1};
    case SIR_DOUBLE: return (layout){8, 8};
    case SIR_COMPLEX: return (layout){8, 4};
    case SIR_STRUCT: return lay_out_struct(a, t->decl, parts);
    case SIR_ARRAY: return lay_out_array(a, t, parts);
    default: return (layout){4, 4};
    }
}

void program_item_parts(program_emitter *x, const sir_type *t, const char *name, text_args *args)
{
    arena *a = x->e.arena;
    if (t->kind != SIR_STRUCT && t->kind != SIR_ARRAY)
        return;
    while (t->kind == SIR_ARRAY) // items of the innermost elements, as many as there are
        t = t->element;
    item_parts parts = {0};
    layout unit = lay_out(a, t, &parts);
    if (parts.len == 0)
        return;
    const char *table = emit_unique_name(&x->e, arena_printf(a, "%s_parts", name));
    text_args rows = {0};
    for (VEC_EACH(const item_part, p, &parts))
        VEC_PUSH(a, &rows,
                 arena_printf(a, "{%llu, %llu, %llu, %llu, %s}", (unsigned long long)p->offset,
                              (unsigned long long)p->bytes, (unsigned long long)p->count, (unsigned long long)p->stride,
                              p->padding ? "true" : "false"));
    text_call(x, 1, arena_printf(a, "static const svm_ItemPart %s[] = {", table), &rows, "};");
    VEC_PUSH(a, args, arena_printf(a, ".parts = %s", table));
    VEC_PUSH(a, args, arena_printf(a, ".partCount = %zu", parts.len));
    VEC_PUSH(a, args, arena_printf(a, ".partUnit = %llu", (unsigned long long)unit.size));
}
