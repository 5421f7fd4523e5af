// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names, types and constants in C.
#include "hlc/emit/body_int.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "support/c_names.h"

// Parameters and locals that every emitted function may have.
static const char *const own_names[] = {
    "in", "out", "iter", "self", "kernel", "n_in", "n_out", "result", "prints",
};

// Parameters and locals of the functions that program*.c write: what stands at file scope must not be hidden by them.
static const char *const local_names[] = {
    "a",      "argc",     "argv",   "b",       "begun",  "c",      "can",      "channels", "complete", "count",
    "counts", "fired",    "firings", "h",      "held",   "i",      "instance", "it",       "items",    "iterations",
    "k",      "limits",   "m",      "n",       "p",      "r",      "row",      "rows",     "settings", "started",
    "starting", "state",  "states", "steady",  "strips", "times",  "used",   "wanted",   "whole",
};

static bool is_identifier_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

const char *body_identifier(arena *a, const char *wanted)
{
    size_t n = strlen(wanted);
    char *name = arena_alloc(a, n + 3);
    size_t k = 0;
    if (n == 0 || (wanted[0] >= '0' && wanted[0] <= '9') || c_name_begins_reserved(wanted))
        name[k++] = 'x';
    for (size_t i = 0; i < n; i++)
        if (is_identifier_char(wanted[i]))
            name[k++] = wanted[i];
        else if (wanted[i] != '.' && k > 0 && name[k - 1] != '_') // "t.1" is t1
            name[k++] = '_';
    if (k == 0)
        name[k++] = 'x';
    return name;
}

bool body_is_reserved(const emitter *e, const char *name)
{
    return hmap_get(&e->c_names, name) != NULL || c_name_is_taken(name); // body_identifier avoids the reserved beginnings
}

void emitter_init(emitter *e, arena *a, strbuf *out, const sir_module *m, source_set *sources)
{
    *e = (emitter){.arena = a, .out = out, .program = out, .module = m, .sources = sources};
    hmap_init(&e->c_names, a);
    hmap_init(&e->struct_names, a);
    hmap_init(&e->member_names, a);
    hmap_init(&e->local_names, a);
    hmap_init(&e->effects, a);
    hmap_init(&e->needs, a);
    for (size_t i = 0; i < sizeof own_names / sizeof *own_names; i++)
        hmap_set(&e->c_names, own_names[i], e);
    for (size_t i = 0; i < sizeof local_names / sizeof *local_names; i++)
        hmap_set(&e->local_names, local_names[i], e);
}

static bool is_taken(const emitter *e, const char *name)
{
    bool number = name[0] == 'i' && strspn(name + 1, "0123456789") == strlen(name + 1); // the variable of a nested loop
    return number || body_is_reserved(e, name) || hmap_get(&e->local_names, name) != NULL;
}

const char *emit_unique_name(emitter *e, const char *wanted)
{
    const char *base = body_identifier(e->arena, wanted), *name = base;
    // The first free number is remembered with the base, so that ten thousand instances of one name cost no search.
    uint32_t *next = hmap_get(&e->c_names, name);
    if (!is_taken(e, name)) {
        hmap_set(&e->c_names, name, ARENA_NEW(e->arena, uint32_t));
        return name;
    }
    bool counted = next != NULL && (void *)next != (void *)e; // e: one of own_names
    uint32_t local = 0;
    if (!counted)
        next = &local;
    do
        name = arena_printf(e->arena, "%s_%" PRIu32, base, ++*next + 1);
    while (is_taken(e, name));
    hmap_set(&e->c_names, name, ARENA_NEW(e->arena, uint32_t));
    return name;
}

// ---- Types ----

static const char *const stored_names[SIR_STORAGE_COUNT] = {
    [SIR_STORED_WHOLE] = "int",
    [SIR_STORED_UINT8] = "unsigned char",
    [SIR_STORED_INT8] = "signed char",
    [SIR_STORED_INT16] = "short",
};

const char *body_type_name(emitter *e, const sir_type *t)
{
    switch (t->kind) {
    case SIR_VOID: return "void";
    case SIR_BOOLEAN: return "bool";
    case SIR_BIT: return "int";
    case SIR_INT: return stored_names[t->storage];
    case SIR_FLOAT: return "float";
    case SIR_DOUBLE: return "double";
    case SIR_COMPLEX: return "svm_Complex";
    case SIR_STRUCT: return hmap_get(&e->struct_names, t->decl->name);
    case SIR_ARRAY: break;
    }
    while (t->kind == SIR_ARRAY)
        t = t->element;
    return body_type_name(e, t);
}

// "[4][2]" of float[4][2]; an array of no elements has room for one, as C wants.
static void add_dimensions(strbuf *b, const sir_type *t)
{
    for (; t->kind == SIR_ARRAY; t = t->element)
        strbuf_printf(b, "[%" PRIu32 "]", t->length == 0 ? 1 : t->length);
}

static const char *declare(emitter *e, const char *type, const sir_type *t, const char *name)
{
    strbuf b;
    strbuf_init(&b, e->arena);
    strbuf_printf(&b, "%s%s%s", type, *name != '\0' ? " " : "", name);
    add_dimensions(&b, t);
    return b.data;
}

const char *body_own_array(emitter *e, const sir_type *t, const char *name)
{
    strbuf b;
    strbuf_init(&b, e->arena);
    strbuf_printf(&b, "%s %s[restrict %" PRIu32 "]", body_type_name(e, t), name, t->length == 0 ? 1 : t->length);
    add_dimensions(&b, t->element);
    return b.data;
}

const char *emit_declare(emitter *e, const sir_type *t, const char *name)
{
    return declare(e, body_type_name(e, t), t, name);
}

const char *emit_item_name(emitter *e, const sir_type *t)
{
    return t->kind == SIR_BIT && e->module->byte_bits ? "unsigned char" : body_type_name(e, t);
}

const char *emit_declare_item(emitter *e, const sir_type *t, const char *name)
{
    return declare(e, emit_item_name(e, t), t, name);
}

const char *emit_declare_pointer(emitter *e, const sir_type *t, const char *qualifier, const char *pointer_qualifier, const char *name)
{
    strbuf b;
    strbuf_init(&b, e->arena);
    strbuf_printf(&b, "%s%s%s %s*%s%s%s", qualifier, *qualifier != '\0' ? " " : "", emit_item_name(e, t),
                  t->kind == SIR_ARRAY ? "(" : "", pointer_qualifier, *pointer_qualifier != '\0' && *name != '\0' ? " " : "", name);
    if (t->kind == SIR_ARRAY)
        strbuf_addc(&b, ')');
    add_dimensions(&b, t);
    return b.data;
}

const char *emit_pointer_declarator(emitter *e, const sir_type *t, const char *name)
{
    strbuf b;
    strbuf_init(&b, e->arena);
    strbuf_printf(&b, t->kind == SIR_ARRAY ? "(*%s)" : "*%s", name);
    add_dimensions(&b, t);
    return b.data;
}

static void emit_struct(emitter *e, const sir_struct *s, hmap *done);

static void emit_struct_of(emitter *e, const sir_type *t, hmap *done)
{
    while (t->kind == SIR_ARRAY)
        t = t->element;
    if (t->kind == SIR_STRUCT)
        emit_struct(e, t->decl, done);
}

// Structs cannot contain themselves (the verifier saw to it), so this ends.
static void emit_struct(emitter *e, const sir_struct *s, hmap *done)
{
    if (hmap_get(done, s->name) != NULL)
        return;
    hmap_set(done, s->name, e);
    for (size_t i = 0; i < s->members.len; i++)
        emit_struct_of(e, s->members.data[i].type, done);
    const char *name = emit_unique_name(e, s->name);
    hmap_set(&e->struct_names, s->name, (void *)(uintptr_t)name);
    emit_declarations members = {0};
    for (size_t i = 0; i < s->members.len; i++)
        VEC_PUSH(e->arena, &members, emit_declare(e, s->members.data[i].type, body_member_name(e, s, (uint32_t)i)));
    if (s->members.len == 0)
        VEC_PUSH(e->arena, &members, "char empty");
    emit_struct_type(e, "struct", &members, name);
    strbuf_addc(e->out, '\n');
}

const char *body_member_name(emitter *e, const sir_struct *s, uint32_t index)
{
    const void *member = &s->members.data[index];
    const char *name = hmap_getn(&e->member_names, &member, sizeof member);
    if (name == NULL) { // names that are taken later do not change it
        name = body_identifier(e->arena, s->members.data[index].name);
        name = body_is_reserved(e, name) ? arena_printf(e->arena, "%s_", name) : name;
        hmap_setn(&e->member_names, &member, sizeof member, (void *)(uintptr_t)name);
    }
    return name;
}

void emit_types(emitter *e)
{
    hmap done;
    hmap_init(&done, e->arena);
    for (size_t i = 0; i < e->module->structs.len; i++)
        emit_struct(e, e->module->structs.data[i], &done);
}

enum { LINE_WORDS = 16 }; // of a cache line: smaller tables need no place of their own

const char *emit_table_marks(const sir_type *t)
{
    return t->kind == SIR_ARRAY && t->words >= LINE_WORDS ? "SVM_TABLE" : "SVM_UNUSED";
}

void emit_globals(emitter *e)
{
    const sir_module *m = e->module;
    e->global_names = ARENA_ARRAY(e->arena, const char *, m->globals.len);
    e->global_held = ARENA_ARRAY(e->arena, size_t, m->globals.len);
    for (size_t i = 0; i < m->globals.len; i++) {
        const sir_global *g = &m->globals.data[i];
        strbuf text, *out = e->out;
        strbuf_init(&text, e->arena);
        e->global_names[i] = emit_unique_name(e, g->name);
        const char *place = body_comment_place(e, g->loc);
        if (place != NULL)
            strbuf_printf(&text, "/* %s */\n", place);
        strbuf_printf(&text, "static const %s %s = ", emit_declare(e, g->value.type, e->global_names[i]),
                      emit_table_marks(g->value.type));
        e->out = &text;
        emit_value(e, &g->value, 0);
        e->out = out;
        strbuf_add(&text, ";\n\n");
        e->global_held[i] = emit_hold(e, text.data);
    }
}

const char *emit_global(emitter *e, uint32_t global)
{
    emit_use_held(e, e->global_held[global]);
    return e->global_names[global];
}

// ---- Tables that may not be needed: NOTE(held) ----

size_t emit_hold(emitter *e, const char *text)
{
    if (e->out != e->program || e->keep_names) {
        strbuf_add(e->out, text);
        return 0;
    }
    VEC_PUSH(e->arena, &e->held, (emit_held){.at = e->out->len, .text = text});
    return e->held.len;
}

void emit_use_held(emitter *e, size_t number)
{
    if (number != 0)
        e->held.data[number - 1].used = true;
}

void emit_held_tables(emitter *e)
{
    strbuf all;
    size_t at = 0;
    strbuf_init(&all, e->arena);
    for (VEC_EACH(const emit_held, h, &e->held)) {
        strbuf_addn(&all, e->program->data + at, h->at - at);
        at = h->at;
        if (h->used)
            strbuf_add(&all, h->text);
    }
    strbuf_addn(&all, e->program->data + at, e->program->len - at);
    *e->program = all;
}

const char *body_place(emitter *e, sir_loc loc)
{
    if (loc.file == 0 || loc.file >= e->module->files.len)
        return NULL;
    return arena_printf(e->arena, "%s:%" PRIu32, e->module->files.data[loc.file], loc.line);
}

const char *body_comment_place(emitter *e, sir_loc loc)
{
    const char *place = body_place(e, loc);
    if (place == NULL || loc.file != 1)
        return place;
    const char *name = e->module->files.data[1], *last = strrchr(name, '/');
    return arena_printf(e->arena, "%s:%" PRIu32, last != NULL ? last + 1 : name, loc.line);
}

const char *body_site(emitter *e, sir_loc loc)
{
    const char *place = body_place(e, loc);
    return place == NULL ? "" : arena_printf(e->arena, "%s:%" PRIu32, place, loc.column);
}

// ---- Constants ----

static void emit_floating(strbuf *out, double v, bool single)
{
    if (isnan(v)) {
        strbuf_add(out, single ? "NAN" : "(double)NAN");
    } else if (isinf(v)) {
        strbuf_add(out, v < 0 ? "-" : "");
        strbuf_add(out, single ? "INFINITY" : "(double)INFINITY");
    } else if (single) {
        strbuf_add_float(out, (float)v);
        strbuf_addc(out, 'f');
    } else {
        strbuf_add_double(out, v);
    }
}

void emit_scalar(strbuf *out, const sir_type *t, sir_scalar v)
{
    switch (t->kind) {
    case SIR_BOOLEAN: strbuf_add(out, v.i ? "true" : "false"); break;
    case SIR_BIT:
    case SIR_INT:
        if (v.i == INT32_MIN)
            strbuf_add(out, "(-2147483647 - 1)");
        else
            strbuf_printf(out, "%" PRId32, v.i);
        break;
    case SIR_FLOAT: emit_floating(out, v.f, true); break;
    case SIR_DOUBLE: emit_floating(out, v.d, false); break;
    case SIR_COMPLEX:
        strbuf_addc(out, '{');
        emit_floating(out, v.c.re, true);
        strbuf_add(out, ", ");
        emit_floating(out, v.c.im, true);
        strbuf_addc(out, '}');
        break;
    case SIR_VOID:
    case SIR_STRUCT:
    case SIR_ARRAY: break;
    }
}

typedef struct value_writer {
    emitter *e;
    size_t line_start; // offset in out where the present line begins
    int indent;
} value_writer;

static void write_item_end(value_writer *w, bool last)
{
    strbuf *out = w->e->out;
    if (last)
        return;
    strbuf_addc(out, ',');
    if (out->len - w->line_start > 100) {
        strbuf_addc(out, '\n');
        w->line_start = out->len;
        strbuf_pad(out, ' ', (size_t)w->indent + 4);
    } else {
        strbuf_addc(out, ' ');
    }
}

// Writes the value whose scalars begin at data; gives the scalar behind it.
static const sir_scalar *write_value(value_writer *w, const sir_type *t, const sir_scalar *data)
{
    strbuf *out = w->e->out;
    if (t->kind == SIR_ARRAY) {
        strbuf_addc(out, '{');
        for (uint32_t i = 0; i < t->length; i++) {
            data = write_value(w, t->element, data);
            write_item_end(w, i + 1 == t->length);
        }
        if (t->length == 0)
            strbuf_addc(out, '0');
        strbuf_addc(out, '}');
        return data;
    }
    if (t->kind == SIR_STRUCT) {
        strbuf_addc(out, '{');
        for (size_t i = 0; i < t->decl->members.len; i++) {
            data = write_value(w, t->decl->members.data[i].type, data);
            write_item_end(w, i + 1 == t->decl->members.len);
        }
        if (t->decl->members.len == 0)
            strbuf_addc(out, '0');
        strbuf_addc(out, '}');
        return data;
    }
    emit_scalar(out, t, *data);
    return data + 1;
}

static size_t current_line_start(const strbuf *out)
{
    size_t i = out->len;
    while (i > 0 && out->data[i - 1] != '\n')
        i--;
    return i;
}

// Braces for each level, or gcc warns, and all members of structs, or clang does.
static void write_zero(strbuf *out, const sir_type *t)
{
    size_t braces = 0;
    for (; t->kind == SIR_ARRAY; t = t->element)
        braces++;
    strbuf_pad(out, '{', braces);
    if (t->kind == SIR_STRUCT) {
        strbuf_addc(out, '{');
        for (size_t i = 0; i < t->decl->members.len; i++) {
            strbuf_add(out, i == 0 ? "" : ", ");
            write_zero(out, t->decl->members.data[i].type);
        }
        strbuf_add(out, t->decl->members.len == 0 ? "0}" : "}");
    } else if (t->kind == SIR_COMPLEX) {
        strbuf_add(out, "{0}");
    } else {
        emit_scalar(out, t, (sir_scalar){0});
    }
    strbuf_pad(out, '}', braces);
}

void emit_value(emitter *e, const sir_value *v, int indent)
{
    if (v->zero) {
        write_zero(e->out, v->type);
        return;
    }
    value_writer w = {e, current_line_start(e->out), indent};
    write_value(&w, v->type, v->data);
}

const char *emit_print_text(emitter *e, const char *log, const char *text, size_t len)
{
    strbuf b;
    strbuf_init(&b, e->arena);
    bool ends = memchr(text, '\0', len) != NULL; // as C has it
    strbuf_printf(&b, "%s(%s, ", ends ? "svm_printBytes" : "svm_printText", log);
    strbuf_add_c_string(&b, text, len);
    if (ends)
        strbuf_printf(&b, ", %zu", len);
    strbuf_addc(&b, ')');
    return b.data;
}
