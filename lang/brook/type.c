// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of Brook, and the table of intrinsics.
#include "lang/brook/brook.h"

bool brook_type_same(brook_type a, brook_type b)
{
    if (a.element == BROOK_ERROR || b.element == BROOK_ERROR)
        return true;
    return a.element == b.element && a.width == b.width && a.decl == b.decl;
}

int brook_element_rank(brook_element e)
{
    switch (e) {
#define BROOK_ELEMENT(id, spelling, rank)                                                                              \
    case BROOK_##id: return (rank);
#include "lang/brook/types.def"
    default: return -1;
    }
}

void brook_type_leaves(strbuf *out, brook_type t)
{
    static const char letters[] = {[BROOK_FLOAT] = 'f', [BROOK_DOUBLE] = 'd',    [BROOK_INT] = 'i',
                                   [BROOK_UINT] = 'u',  [BROOK_CHAR] = 'c',      [BROOK_UCHAR] = 'b',
                                   [BROOK_FIXED] = 'x', [BROOK_SHORTFIXED] = 'y'};
    if (t.element == BROOK_STRUCT)
        for (VEC_EACH(const brook_member, m, &t.decl->members))
            brook_type_leaves(out, m->type);
    else if (brook_is_number(t))
        strbuf_pad(out, letters[t.element], t.width);
}

bool brook_type_is_small(brook_type t)
{
    if (t.element != BROOK_STRUCT)
        return t.element != BROOK_INT && t.element != BROOK_FLOAT && t.element != BROOK_DOUBLE;
    for (VEC_EACH(const brook_member, m, &t.decl->members))
        if (brook_type_is_small(m->type))
            return true;
    return false;
}

const char *brook_type_name(arena *a, brook_type t)
{
    const char *name = "(error)";
    switch (t.element) {
#define BROOK_ELEMENT(id, spelling, rank)                                                                              \
    case BROOK_##id: name = spelling; break;
#include "lang/brook/types.def"
    case BROOK_STRUCT: name = t.decl->name; break;
    default: break;
    }
    return t.width > 1 ? arena_printf(a, "%s%u", name, t.width) : name;
}

const brook_intrinsic_row brook_intrinsics[BROOK_FN_COUNT] = {
#define BROOK_INTRINSIC(id, name, arguments, shape) {name, arguments, BROOK_SHAPE_##shape},
#include "lang/brook/intrinsics.def"
};
