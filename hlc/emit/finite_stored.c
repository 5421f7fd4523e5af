// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements as streams have them: types by their letters, loading and storing. Where kernels compute in other types than
// elements are stored in, an element is bytes, and two functions of the field convert it.
#include <string.h>

#include "hlc/emit/finite_int.h"

// How a letter is stored and converted.
typedef struct letter {
    char letter;
    const char *type, *from, *to; // C type; functions, or casts, to and from the kernel's type
} letter;

static const letter letters[] = {
    {'f', "float", "", ""},
    {'d', "double", "", ""},
    {'i', "int32_t", "", ""},
    {'u', "uint32_t", "(int)", "(uint32_t)"},
    {'c', "signed char", "", "(signed char)"},
    {'b', "unsigned char", "", "(unsigned char)"},
    {'x', "uint8_t", "svm_fromFixed", "svm_toFixed"},
    {'y', "uint16_t", "svm_fromShortFixed", "svm_toShortFixed"},
};

static const letter *find_letter(char c)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].letter == c)
            return &letters[i];
    return &letters[0];
}

static void add_leaves(strbuf *b, const sir_type *t)
{
    if (t->kind == SIR_STRUCT)
        for (size_t i = 0; i < t->decl->members.len; i++)
            add_leaves(b, t->decl->members.data[i].type);
    else
        strbuf_addc(b, t->kind == SIR_INT ? 'i' : t->kind == SIR_DOUBLE ? 'd' : 'f');
}

const char *finite_leaves_of(arena *a, const sir_type *t)
{
    strbuf b;
    strbuf_init(&b, a);
    add_leaves(&b, t);
    return b.data;
}

const char *finite_leaves(arena *a, const sir_field *f)
{
    return f->stored != NULL ? f->stored : finite_leaves_of(a, f->type);
}

// ---- Conversions ----

typedef struct conversion {
    program_emitter *x;
    const char *next; // letter
    size_t offset;
    bool load;
} conversion;

static size_t size_of(char c)
{
    return c == 'd' ? 8 : c == 'f' || c == 'i' || c == 'u' ? 4 : c == 'y' ? 2 : 1;
}

// The statements for a value that C names so.
static void convert(conversion *c, const sir_type *t, const char *value)
{
    arena *a = c->x->e.arena;
    if (t->kind == SIR_STRUCT) {
        for (size_t i = 0; i < t->decl->members.len; i++)
            convert(c, t->decl->members.data[i].type,
                    arena_printf(a, "%s.%s", value, body_member_name(&c->x->e, t->decl, (uint32_t)i)));
        return;
    }
    const letter *l = find_letter(*c->next);
    text_line(c->x, 1, "{");
    if (c->load) {
        text_line(c->x, 2, "%s stored;", l->type);
        text_line(c->x, 2, "memcpy(&stored, element->bytes + %zu, sizeof stored);", c->offset);
        text_line(c->x, 2, "%s = %s(stored);", value, l->from);
    } else {
        text_line(c->x, 2, "const %s stored = %s(%s);", l->type, l->to, value);
        text_line(c->x, 2, "memcpy(element->bytes + %zu, &stored, sizeof stored);", c->offset);
    }
    text_line(c->x, 1, "}");
    c->offset += size_of(*c->next++);
}

static void emit_functions(program_emitter *x, const emit_filter_info *info, uint32_t field)
{
    emitter *e = &x->e;
    const sir_field *f = &info->filter->fields.data[field];
    const char *element = body_stored_name(e, info, field, "Element"), *type = emit_declare(e, f->type, "");
    size_t bytes = 0;
    for (const char *c = f->stored; *c != '\0'; c++)
        bytes += size_of(*c);
    text_line(x, 0, "/* An element of '%s' as it is stored. */", text_comment(x, f->name));
    text_line(x, 0, "typedef struct {");
    text_line(x, 1, "unsigned char bytes[%zu];", bytes);
    text_line(x, 0, "} %s;\n", element);
    text_line(x, 0, "static inline %s %s(const %s *element)", type, body_stored_name(e, info, field, "load"), element);
    text_line(x, 0, "{");
    text_line(x, 1, "%s;", emit_declare(e, f->type, "value"));
    conversion c = {.x = x, .next = f->stored, .load = true};
    convert(&c, f->type, "value");
    text_line(x, 1, "return value;");
    text_line(x, 0, "}\n");
    if (f->role != SIR_OUTPUT && f->role != SIR_REDUCED)
        return;
    text_line(x, 0, "static inline void %s(%s *element, %s)", body_stored_name(e, info, field, "store"), element,
              emit_declare(e, f->type, "value"));
    text_line(x, 0, "{");
    c = (conversion){.x = x, .next = f->stored};
    convert(&c, f->type, "value");
    text_line(x, 0, "}\n");
}

void finite_stored_functions(program_emitter *x, const emit_filter_info *info)
{
    for (uint32_t i = 0; i < info->filter->fields.len; i++)
        if (info->filter->fields.data[i].stored != NULL)
            emit_functions(x, info, i);
}

// ---- Texts ----

const char *finite_pointer(finite_graph *g, const finite_port *p, const char *name)
{
    sir_role role = p->source->role;
    bool written = role == SIR_OUTPUT || role == SIR_REDUCED || role == SIR_VARIABLE;
    return arena_printf(g->x->e.arena, "%s%s *%s", written ? "" : "const ", p->element, name);
}

const char *finite_load(finite_graph *g, const finite_port *p, const char *pointer)
{
    if (p->load != NULL)
        return arena_printf(g->x->e.arena, "%s(%s)", p->load, pointer);
    bool simple = strchr(pointer, ' ') == NULL;
    return arena_printf(g->x->e.arena, simple ? "*%s" : "*(%s)", pointer);
}

const char *finite_store(finite_graph *g, const finite_port *p, const char *pointer, const char *value)
{
    if (p->store != NULL)
        return arena_printf(g->x->e.arena, "%s(%s, %s);", p->store, pointer, value);
    return arena_printf(g->x->e.arena, "*%s = %s;", pointer, value);
}

// "(float2){svm_brookComponent(.., 0), ..}"
const char *finite_iterator(finite_graph *g, const finite_port *p, const char *row, const char *place)
{
    arena *a = g->x->e.arena;
    const sir_type *t = p->source->type;
    size_t components = t->kind == SIR_STRUCT ? t->decl->members.len : 1;
    strbuf b;
    strbuf_init(&b, a);
    if (t->kind == SIR_STRUCT)
        strbuf_printf(&b, "(%s){", emit_declare(&g->x->e, t, ""));
    for (size_t k = 0; k < components; k++)
        strbuf_printf(&b, "%ssvm_brookComponent(%s, &%s, %s, %s, %zu)", k == 0 ? "" : ", ", g->space, p->walk, row,
                      place, k);
    if (t->kind == SIR_STRUCT)
        strbuf_addc(&b, '}');
    return b.data;
}
