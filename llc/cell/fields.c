// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the fields of a kernel's struct lie on the PPE, with addresses of 64 bits, and on an SPE, with 32: the struct is walked
// as both compilers lay it out, side by side.
#include <string.h>

#include "llc/cell/cell.h"
#include "llc/reader/reader.h"

typedef VEC(CXCursor) cursors;

// A place in both layouts.
typedef struct place {
    uint64_t ppe, spe;
    const char *name;
} place;

typedef struct pairing {
    llc_session *session;
    cell_kernel *kernel;
    cell_fields *fields; // where to
} pairing;

static void pair_types(pairing *g, CXType ppe, CXType spe, place at);

static void cannot(pairing *g, place at, const char *why)
{
    if (g->kernel->why != NULL)
        return;
    g->kernel->why = arena_printf(g->session->arena, "the field '%s' of its struct %s", at.name, why);
    g->kernel->why_at = g->kernel->function->range;
}

static uint64_t unit_of(cell_field_kind kind, bool spe)
{
    switch (kind) {
    case CELL_BYTES: return 1;
    case CELL_OBJECT: return 0; // never joined
    default: return spe ? 4 : 8;
    }
}

static void add_field(pairing *g, place at, cell_field_kind kind, uint64_t count)
{
    if (g->fields->len > 0) {
        cell_field *last = &VEC_LAST(g->fields);
        bool follows = last->kind == kind && kind != CELL_OBJECT &&
                       last->ppe + last->count * unit_of(kind, false) == at.ppe &&
                       last->spe + last->count * unit_of(kind, true) == at.spe;
        if (follows) {
            last->count += count;
            return;
        }
    }
    VEC_PUSH(g->session->arena, g->fields,
             ((cell_field){.ppe = at.ppe, .spe = at.spe, .kind = kind, .count = count, .name = at.name}));
}

static const char *declared_name(pairing *g, CXType type)
{
    return reader_string(g->session, clang_getCursorSpelling(clang_getTypeDeclaration(type)));
}

static void pair_pointers(pairing *g, CXType pointee, place at)
{
    const char *name = declared_name(g, clang_getCanonicalType(pointee));
    if (strcmp(name, "svm_Block") == 0)
        add_field(g, at, CELL_BLOCK, 1);
    else if (strcmp(name, "svm_Stream") == 0)
        add_field(g, at, CELL_STREAM, 1);
    else if (strcmp(name, "svm_Log") == 0)
        add_field(g, at, CELL_ADDRESS, 1);
    else if (strcmp(name, "svm_Random") == 0)
        cannot(g, at, "points to a generator of random numbers; one that is part of the struct can go to an SPE");
    else
        add_field(g, at, CELL_NOTHING, 1);
}

static bool is_unsigned(enum CXTypeKind kind)
{
    return kind >= CXType_Bool && kind <= CXType_UInt128;
}

static void pair_scalars(pairing *g, CXType ppe, CXType spe, place at)
{
    long long here = clang_Type_getSizeOf(ppe), there = clang_Type_getSizeOf(spe);
    if (ppe.kind == CXType_Pointer)
        pair_pointers(g, clang_getPointeeType(ppe), at);
    else if (ppe.kind == CXType_LongDouble)
        cannot(g, at, "is a long double, which differs there");
    else if (here == there && here > 0)
        add_field(g, at, CELL_BYTES, (uint64_t)here);
    else if (here == 8 && there == 4 && ppe.kind <= CXType_Int128)
        add_field(g, at, is_unsigned(ppe.kind) ? CELL_UINT : CELL_INT, 1);
    else
        cannot(g, at, "has a type that the SPEs' compiler lays out differently");
}

static enum CXVisitorResult gather(CXCursor field, CXClientData data)
{
    pairing *g = ((void **)data)[0];
    cursors *list = ((void **)data)[1];
    VEC_PUSH(g->session->arena, list, field);
    return CXVisit_Continue;
}

static cursors fields_of(pairing *g, CXType record)
{
    cursors list = {0};
    clang_Type_visitFields(record, gather, (void *[]){g, &list});
    return list;
}

static place field_place(pairing *g, place at, CXCursor ppe, CXCursor spe)
{
    const char *name = reader_string(g->session, clang_getCursorSpelling(ppe));
    bool plain =
        *name == '\0' || strchr(name, '(') != NULL || *at.name == '\0'; // a member without a name has its struct's
    const char *last = strchr(name, '(') != NULL ? "" : name;
    return (place){at.ppe + (uint64_t)clang_Cursor_getOffsetOfField(ppe) / 8,
                   at.spe + (uint64_t)clang_Cursor_getOffsetOfField(spe) / 8,
                   plain ? arena_printf(g->session->arena, "%s%s", at.name, last)
                         : arena_printf(g->session->arena, "%s.%s", at.name, last)};
}

// Bits lie in the same bytes of their struct on both sides, or it is refused.
static void pair_bits(pairing *g, CXCursor ppe, CXCursor spe, place at)
{
    uint64_t here = (uint64_t)clang_Cursor_getOffsetOfField(ppe), there = (uint64_t)clang_Cursor_getOffsetOfField(spe);
    uint64_t width = (uint64_t)clang_getFieldDeclBitWidth(ppe);
    if (here % 8 != there % 8)
        cannot(g, at, "has bits that the SPEs' compiler lays out differently");
    else if (width > 0)
        add_field(g, at, CELL_BYTES, (here % 8 + width + 7) / 8);
}

static bool same_fields(const cell_fields *a, const cell_fields *b)
{
    if (a->len != b->len)
        return false;
    for (size_t i = 0; i < a->len; i++)
        if (a->data[i].ppe != b->data[i].ppe || a->data[i].spe != b->data[i].spe ||
            a->data[i].kind != b->data[i].kind || a->data[i].count != b->data[i].count)
            return false;
    return true;
}

static bool all_bytes(const cell_fields *a)
{
    for (VEC_EACH(const cell_field, f, a))
        if (f->kind != CELL_BYTES)
            return false;
    return true;
}

// Of a union the members lie alike, or are all the same bytes on both sides.
static void pair_unions(pairing *g, CXType ppe, CXType spe, place at)
{
    cursors here = fields_of(g, ppe), there = fields_of(g, spe);
    cell_fields *to = g->fields, first = {0};
    bool alike = true, bytes = true;
    for (size_t i = 0; i < here.len && i < there.len; i++) {
        cell_fields member = {0};
        g->fields = &member;
        pair_types(g, clang_getCursorType(here.data[i]), clang_getCursorType(there.data[i]), at);
        bytes = bytes && all_bytes(&member);
        alike = alike && (i == 0 || same_fields(&first, &member));
        if (i == 0)
            first = member;
    }
    g->fields = to;
    if (bytes)
        add_field(g, at, CELL_BYTES, (uint64_t)clang_Type_getSizeOf(ppe));
    else if (!alike)
        cannot(g, at, "is a union of numbers or pointers that differ in size there");
    else
        for (VEC_EACH(const cell_field, f, &first))
            add_field(g, (place){f->ppe, f->spe, f->name}, f->kind, f->count);
}

static void pair_records(pairing *g, CXType ppe, CXType spe, place at)
{
    static const char *const refused[] = {"svm_Stream", "svm_Log", "svm_Reader", "svm_Writer"};
    CXCursor declaration = clang_getTypeDeclaration(ppe);
    const char *name = declared_name(g, ppe);
    if (strcmp(name, "svm_Kernel") == 0)
        return;
    if (strcmp(name, "svm_Block") == 0) {
        add_field(g, at, CELL_OBJECT, 1);
        return;
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strcmp(name, refused[i]) == 0) {
            cannot(g, at, arena_printf(g->session->arena, "is an %s, which SPEs have not", name));
            return;
        }
    if (clang_getCursorKind(declaration) == CXCursor_UnionDecl) {
        pair_unions(g, ppe, spe, at);
        return;
    }
    cursors here = fields_of(g, ppe), there = fields_of(g, spe);
    for (size_t i = 0; i < here.len && i < there.len; i++) {
        place inside = field_place(g, at, here.data[i], there.data[i]);
        if (clang_Cursor_isBitField(here.data[i]))
            pair_bits(g, here.data[i], there.data[i], inside);
        else
            pair_types(g, clang_getCursorType(here.data[i]), clang_getCursorType(there.data[i]), inside);
    }
}

static void pair_arrays(pairing *g, CXType ppe, CXType spe, place at)
{
    CXType here = clang_getArrayElementType(ppe), there = clang_getArrayElementType(spe);
    uint64_t step = (uint64_t)clang_Type_getSizeOf(here), step_there = (uint64_t)clang_Type_getSizeOf(there);
    long long count = clang_getArraySize(ppe);
    // Elements that are the same bytes are one piece.
    cell_fields one = {0}, *to = g->fields;
    g->fields = &one;
    if (count > 0)
        pair_types(g, here, there, at);
    g->fields = to;
    bool plain = one.len == 1 && one.data[0].kind == CELL_BYTES && one.data[0].count == step && step == step_there;
    if (plain) {
        add_field(g, at, CELL_BYTES, step * (uint64_t)count);
        return;
    }
    for (long long i = 0; i < count; i++)
        pair_types(g, here, there, (place){at.ppe + (uint64_t)i * step, at.spe + (uint64_t)i * step_there, at.name});
}

static void pair_types(pairing *g, CXType ppe, CXType spe, place at)
{
    ppe = clang_getCanonicalType(ppe);
    spe = clang_getCanonicalType(spe);
    if (g->kernel->why != NULL)
        return;
    switch (ppe.kind) {
    case CXType_Record: pair_records(g, ppe, spe, at); break;
    case CXType_ConstantArray: pair_arrays(g, ppe, spe, at); break;
    case CXType_IncompleteArray: cannot(g, at, "is an array without a length"); break;
    case CXType_Enum: add_field(g, at, CELL_BYTES, (uint64_t)clang_Type_getSizeOf(ppe)); break;
    default: pair_scalars(g, ppe, spe, at); break;
    }
}

void cell_pair_fields(cell_program *p, cell_kernel *k, CXType ppe, CXType spe)
{
    pairing g = {.session = p->session, .kernel = k, .fields = &k->fields};
    pair_types(&g, ppe, spe, (place){0, 0, ""});
    if (clang_Type_getAlignOf(spe) > 16)
        cannot(&g, (place){0, 0, ""}, "needs more than an alignment of 16 bytes");
}
