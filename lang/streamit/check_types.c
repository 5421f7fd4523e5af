// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written types: names of structs and filters are resolved, lengths checked, and each type only where it may stand.
#include "lang/streamit/check.h"

#include <string.h>

const char *type_name(checker *c, const lang_type *t)
{
    return lang_type_name(c->arena, t);
}

const char *value_type_name(checker *c, const ast_expr *e)
{
    return type_name(c, e->kind == EXPR_INT ? &lang_type_int : e->type);
}

bool types_agree(const lang_type *a, const lang_type *b)
{
    for (; a->kind == TYPE_ARRAY && b->kind == TYPE_ARRAY; a = a->element, b = b->element) {
        const ast_expr *m = a->length, *n = b->length;
        if (m && n && m->kind == EXPR_INT && n->kind == EXPR_INT && m->u.integer != n->u.integer)
            return false;
    }
    return lang_type_same(a, b);
}

static const char *nearest_type(checker *c, const char *name)
{
    static const char *const words[] = {"boolean", "bit", "int", "float", "double", "complex", "void"};
    const char *nearest = nearest_key(c, &c->structs, name);
    return nearest ? nearest : nearest_of(c, name, words, sizeof words / sizeof words[0]);
}

static const lang_type *resolve_struct(checker *c, const lang_type *t, src_range range)
{
    const char *name = t->decl->name;
    if (strcmp(name, "String") == 0)
        return &lang_type_string;
    const ast_struct *decl = hmap_get(&c->structs, name);
    if (decl) {
        lang_type *resolved = ARENA_NEW(c->arena, lang_type);
        resolved->kind = TYPE_STRUCT;
        resolved->decl = decl;
        return resolved;
    }
    if (!first_unknown(c, "type", name))
        return &lang_type_error;
    static const struct {
        const char *other, *ours, *more;
    } words[] = {{"string", "String", ", which parameters can have, but no variables"},
                 {"bool", "boolean", ""},
                 {"Complex", "complex", ""},
                 {"long", "int", " (32 bits, wraps around)"},
                 {"short", "int", " (32 bits)"},
                 {"char", "int", " (32 bits)"},
                 {"signed", "int", ""},
                 {"unsigned", "int", " (32 bits with a sign, wraps around)"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(name, words[i].other) == 0) {
            diag_error(c->diags, range, "unknown type '%s': the type nearest to it is '%s'%s", name, words[i].ours,
                       words[i].more);
            return &lang_type_error;
        }
    }
    if (hmap_get(&c->streams, name))
        diag_error(c->diags, range, "'%s' is a stream, not a type", name);
    else
        error_unknown(c, t->decl->range, "type", name, nearest_type(c, name));
    return &lang_type_error;
}

static const lang_type *resolve_portal(checker *c, const lang_type *t)
{
    const char *name = t->target->name;
    src_range range = t->target->name_range;
    const ast_stream *target = hmap_get(&c->streams, name);
    if (target && target->kind == STREAM_FILTER && target->builtin == BUILTIN_NONE) {
        if (target->handlers.len == 0 && !is_broken(c, target)) {
            diag_record *r = diag_error(c->diags, range, "'%s' has no handlers, so a portal cannot reach it", name);
            diag_add_note(c->diags, r, target->name_range, "'%s' is declared here", name);
            return &lang_type_error;
        }
        lang_type *resolved = ARENA_NEW(c->arena, lang_type);
        resolved->kind = TYPE_PORTAL;
        resolved->target = target;
        return resolved;
    }
    if (target)
        diag_error(c->diags, range, "a portal reaches the handlers of a filter, but '%s' is a %s", name,
                   target->kernel    ? "kernel"
                   : target->builtin ? "built-in stream"
                                     : stream_kind_name(target->kind));
    else if (first_unknown(c, "stream", name))
        error_unknown(c, range, "filter", name, nearest_key(c, &c->streams, name));
    return &lang_type_error;
}

static const char *use_name(type_use use)
{
    switch (use) {
    case USE_VARIABLE: return "a variable";
    case USE_PARAMETER: return "a parameter";
    case USE_TAPE:
    case USE_ITEM: return "the item of a stream";
    case USE_RESULT: return "the result of a function";
    case USE_STRUCT_FIELD: return "a field of a struct";
    }
    return "";
}

static bool usable(const lang_type *base, bool array, type_use use)
{
    switch (base->kind) {
    case TYPE_VOID: return !array && (use == USE_TAPE || use == USE_RESULT);
    case TYPE_STRING: return !array && use == USE_PARAMETER;
    case TYPE_PORTAL: return !array && (use == USE_VARIABLE || use == USE_PARAMETER);
    default: return true;
    }
}

const lang_type *check_type(checker *c, const lang_type *t, src_range range, type_use use)
{
    const lang_type *base = t;
    while (base->kind == TYPE_ARRAY)
        base = base->element;
    if (base->kind == TYPE_STRUCT)
        base = resolve_struct(c, base, range);
    else if (base->kind == TYPE_PORTAL)
        base = resolve_portal(c, base);
    if (base->kind != TYPE_ERROR && !usable(base, t->kind == TYPE_ARRAY, use)) {
        bool arrays = t->kind == TYPE_ARRAY;
        diag_error(c->diags, range, "%s'%s' cannot be the type of %s%s", arrays ? "an array of " : "",
                   type_name(c, base), use_name(use),
                   base->kind == TYPE_STRING ? ": strings are only literals, concatenations and parameters" : "");
        base = &lang_type_error;
    }
    if (t->kind != TYPE_ARRAY)
        return base;
    // Lengths from the outermost inwards, rebuilt around the resolved base.
    lang_type *first = NULL, *last = NULL;
    for (; t->kind == TYPE_ARRAY; t = t->element) {
        lang_type *array = ARENA_NEW(c->arena, lang_type);
        array->kind = TYPE_ARRAY;
        array->length = check_constant(c, (ast_expr *)t->length, "the length of an array");
        array->element = base;
        if (last)
            last->element = array;
        else
            first = array;
        last = array;
    }
    return base->kind == TYPE_ERROR ? base : first;
}

// Structs inside structs, depth first with a stack of our own: a chain may be as long as the file.
typedef struct struct_visit {
    const ast_struct *decl;
    size_t next;   // field to look at
    size_t height; // levels below, of the fields seen; the whole once finished
    bool active;
} struct_visit;
typedef VEC(struct_visit *) struct_stack;

#define MAX_STRUCT_HEIGHT 100

static const ast_struct *struct_of(const lang_type *t)
{
    while (t->kind == TYPE_ARRAY)
        t = t->element;
    return t->kind == TYPE_STRUCT ? t->decl : NULL;
}

static struct_visit *begin_visit(checker *c, hmap *visits, const ast_struct *decl)
{
    struct_visit *v = ARENA_NEW(c->arena, struct_visit);
    v->decl = decl;
    v->active = true;
    hmap_setn(visits, &decl, sizeof decl, v);
    return v;
}

// Looks at one field; gives the visit to go into, or NULL.
static struct_visit *visit_field(checker *c, hmap *visits, struct_visit *v, ast_var *field, size_t depth)
{
    const ast_struct *inner = struct_of(field->type);
    if (!inner)
        return NULL;
    struct_visit *seen = hmap_getn(visits, &inner, sizeof inner);
    if (seen && seen->active) {
        diag_error(c->diags, field->range, "struct '%s' contains itself through its field '%s'", inner->name,
                   field->name);
    } else if (depth >= MAX_STRUCT_HEIGHT || (seen && seen->height >= MAX_STRUCT_HEIGHT)) {
        diag_error(c->diags, field->range, "structs are nested too deeply here: at most %d levels are supported",
                   MAX_STRUCT_HEIGHT);
    } else if (!seen) {
        v->next--; // again when the inner one is known
        return begin_visit(c, visits, inner);
    } else {
        if (seen->height >= v->height)
            v->height = seen->height + 1;
        return NULL;
    }
    field->type = &lang_type_error;
    return NULL;
}

static void walk_struct(checker *c, const ast_struct *root, hmap *visits)
{
    struct_stack stack = {0};
    VEC_PUSH(c->arena, &stack, begin_visit(c, visits, root));
    while (stack.len > 0) {
        struct_visit *v = VEC_LAST(&stack), *inner;
        if (v->next == v->decl->fields.len) {
            v->active = false;
            stack.len--;
        } else if ((inner = visit_field(c, visits, v, v->decl->fields.data[v->next++], stack.len)) != NULL) {
            VEC_PUSH(c->arena, &stack, inner);
        }
    }
}

void check_struct_recursion(checker *c)
{
    hmap visits;
    hmap_init(&visits, c->arena);
    for (VEC_EACH(ast_struct *, s, &c->program->structs)) {
        const ast_struct *decl = *s;
        if (!hmap_getn(&visits, &decl, sizeof decl))
            walk_struct(c, decl, &visits);
    }
}
