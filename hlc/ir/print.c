// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream IR to text: modules, values and places. docs/stream-ir.md describes the form.
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "hlc/ir/print_int.h"

void sir_print_indent(sir_printer *p)
{
    p->line_start = p->out->len;
    strbuf_pad(p->out, ' ', (size_t)p->indent);
}

// ---- Places ----

static bool same_loc(sir_loc a, sir_loc b)
{
    if (a.file == 0 || b.file == 0)
        return a.file == b.file;
    return a.file == b.file && a.line == b.line && a.column == b.column && a.end == b.end;
}

// How much of a place is left out: nothing, the file, or file and line.
typedef enum loc_form { LOC_WHOLE, LOC_LINE, LOC_COLUMN } loc_form;

static void print_loc(strbuf *out, sir_loc loc, loc_form form)
{
    if (form == LOC_WHOLE)
        strbuf_printf(out, "f%u:", (unsigned)loc.file);
    if (form <= LOC_LINE)
        strbuf_printf(out, "%u:", (unsigned)loc.line);
    strbuf_printf(out, "%u", (unsigned)loc.column);
    if (loc.end != 0)
        strbuf_printf(out, "-%u", (unsigned)loc.end);
}

static void print_part_loc(strbuf *out, sir_loc loc, sir_loc whole)
{
    if (same_loc(loc, whole)) {
        strbuf_addc(out, '=');
    } else if (loc.file == 0) {
        strbuf_addc(out, '-');
    } else {
        bool file = whole.file != loc.file;
        print_loc(out, loc, file ? LOC_WHOLE : loc.line != whole.line ? LOC_LINE : LOC_COLUMN);
    }
}

void sir_print_end(sir_printer *p, sir_loc loc)
{
    size_t count = p->parts.len;
    while (!p->all_parts && count > 0 && same_loc(p->parts.data[count - 1], loc))
        count--;
    if (p->places && (loc.file != 0 || count > 0)) {
        strbuf_add(p->out, " @");
        if (loc.file != 0)
            print_loc(p->out, loc, LOC_WHOLE);
        else
            strbuf_addc(p->out, '-');
        for (size_t i = 0; i < count; i++) {
            strbuf_addc(p->out, ' ');
            print_part_loc(p->out, p->parts.data[i], loc);
        }
    }
    p->parts.len = 0;
    p->all_parts = false;
    strbuf_addc(p->out, '\n');
}

void sir_print_name(strbuf *out, const char *name)
{
    bool plain = isalpha((unsigned char)name[0]) || name[0] == '_';
    for (const char *c = name; *c != '\0'; c++)
        plain = plain && (isalnum((unsigned char)*c) || *c == '_' || *c == '.');
    if (plain)
        strbuf_add(out, name);
    else
        strbuf_add_quoted(out, name, strlen(name));
}

// ---- Values ----

// suffix: the type is not told by what is around, so that double and bit need a letter.
void sir_print_scalar(strbuf *out, const sir_type *t, sir_scalar v, bool suffix)
{
    switch (t->kind) {
    case SIR_BOOLEAN: strbuf_add(out, v.i != 0 ? "true" : "false"); break;
    case SIR_BIT: strbuf_printf(out, "%d%s", (int)v.i, suffix ? "b" : ""); break;
    case SIR_INT: strbuf_printf(out, "%d", (int)v.i); break;
    case SIR_FLOAT: strbuf_add_float(out, v.f); break;
    case SIR_DOUBLE:
        strbuf_add_double(out, v.d);
        strbuf_add(out, suffix ? "d" : "");
        break;
    case SIR_COMPLEX:
        strbuf_addc(out, '<');
        strbuf_add_float(out, v.c.re);
        strbuf_add(out, ", ");
        strbuf_add_float(out, v.c.im);
        strbuf_addc(out, '>');
        break;
    default: strbuf_add(out, "void"); break;
    }
}

static bool scalar_is_zero(const sir_type *t, sir_scalar v)
{
    switch (t->kind) {
    case SIR_FLOAT: return v.f == 0 && !signbit(v.f);
    case SIR_DOUBLE: return v.d == 0 && !signbit(v.d);
    case SIR_COMPLEX: return v.c.re == 0 && v.c.im == 0 && !signbit(v.c.re) && !signbit(v.c.im);
    default: return v.i == 0;
    }
}

static bool all_zero(const sir_type *t, const sir_scalar *data)
{
    if (t->kind == SIR_ARRAY) {
        for (uint32_t i = 0; i < t->length; i++)
            if (!all_zero(t->element, data + i * t->element->words))
                return false;
        return true;
    }
    if (t->kind == SIR_STRUCT) {
        for (size_t i = 0; i < t->decl->members.len; i++) {
            const sir_type *member = t->decl->members.data[i].type;
            if (!all_zero(member, data))
                return false;
            data += member->words;
        }
        return true;
    }
    return scalar_is_zero(t, *data);
}

// Adds p->item, with what comes before it, on this line or the next.
static void print_item(sir_printer *p, const char *before)
{
    size_t column = p->out->len - p->line_start;
    size_t length = strlen(before);
    bool wrap = column + length + p->item.len + 1 > SIR_LINE_WIDTH;
    if (wrap && length > 0 && before[length - 1] == ' ')
        length--;
    strbuf_addn(p->out, before, length);
    if (wrap) {
        strbuf_addc(p->out, '\n');
        p->line_start = p->out->len;
        strbuf_pad(p->out, ' ', (size_t)p->indent + SIR_INDENT);
    }
    strbuf_addn(p->out, p->item.data, p->item.len);
    p->item.len = 0;
    p->item.data[0] = '\0';
}

static void print_data(sir_printer *p, const sir_type *t, const sir_scalar *data, const char *before)
{
    bool is_array = t->kind == SIR_ARRAY;
    if (!is_array && t->kind != SIR_STRUCT) {
        sir_print_scalar(&p->item, t, *data, false);
        print_item(p, before);
        return;
    }
    if (data == NULL || all_zero(t, data)) {
        strbuf_add(&p->item, "zero");
        print_item(p, before);
        return;
    }
    strbuf_addc(&p->item, is_array ? '[' : '{');
    print_item(p, before);
    size_t count = is_array ? t->length : t->decl->members.len;
    for (size_t i = 0; i < count; i++) {
        const sir_type *part = is_array ? t->element : t->decl->members.data[i].type;
        print_data(p, part, data, i == 0 ? "" : ", ");
        data += part->words;
    }
    strbuf_addc(p->out, is_array ? ']' : '}');
}

void sir_print_value(sir_printer *p, const sir_value *v)
{
    static const sir_scalar zero;
    bool aggregate = v->type->kind == SIR_ARRAY || v->type->kind == SIR_STRUCT;
    print_data(p, v->type, v->zero ? (aggregate ? NULL : &zero) : v->data, "");
}

// ---- Module parts ----

static void print_struct(sir_printer *p, const sir_struct *s)
{
    strbuf_add(p->out, "struct ");
    sir_print_name(p->out, s->name);
    strbuf_add(p->out, " {\n");
    for (size_t i = 0; i < s->members.len; i++) {
        strbuf_pad(p->out, ' ', SIR_INDENT);
        sir_print_name(p->out, s->members.data[i].name);
        strbuf_add(p->out, ": ");
        sir_type_print(p->out, s->members.data[i].type);
        strbuf_addc(p->out, '\n');
    }
    strbuf_add(p->out, "}\n");
}

// "const $name: type = value" and a global's like.
static void print_variable(sir_printer *p, const char *keyword, const char *name, const sir_value *v, sir_loc loc)
{
    sir_print_indent(p);
    strbuf_add(p->out, keyword);
    sir_print_name(p->out, name);
    strbuf_add(p->out, ": ");
    sir_type_print(p->out, v->type);
    strbuf_add(p->out, " = ");
    sir_print_value(p, v);
    sir_print_end(p, loc);
}

// "gather $img: float rank 2", "coordinate $x: int of $out 0".
static void print_role(sir_printer *p, const sir_filter *f, const sir_field *field)
{
    sir_print_indent(p);
    strbuf_printf(p->out, "%s $", sir_role_words[field->role]);
    sir_print_name(p->out, field->name);
    strbuf_add(p->out, ": ");
    sir_type_print(p->out, field->type);
    if (field->stored != NULL)
        strbuf_printf(p->out, " as %s", field->stored);
    if (field->role == SIR_GATHER)
        strbuf_printf(p->out, " rank %u", (unsigned)field->rank);
    if (field->role == SIR_COORDINATE && field->of < f->fields.len) {
        strbuf_add(p->out, " of $");
        sir_print_name(p->out, f->fields.data[field->of].name);
        strbuf_printf(p->out, " %u", (unsigned)field->dimension);
    }
    sir_print_end(p, field->loc);
}

static void print_filter(sir_printer *p, const sir_filter *f)
{
    strbuf_add(p->out, "\nfilter ");
    sir_print_name(p->out, f->name);
    strbuf_add(p->out, ": ");
    sir_type_print(p->out, f->input);
    strbuf_add(p->out, " -> ");
    sir_type_print(p->out, f->output);
    const struct {
        bool set;
        const char *word;
    } flags[] = {
        {f->stateful, " stateful"}, {f->uses_iter, " iter"},    {f->uses_random, " random"}, {f->prints, " prints"},
        {f->sends, " sends"},       {f->identity, " identity"}, {f->finite, " finite"},
    };
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (flags[i].set)
            strbuf_add(p->out, flags[i].word);
    strbuf_add(p->out, " {");
    sir_print_end(p, f->loc);
    p->indent = SIR_INDENT;
    p->filter = f;
    if (f->source != NULL) {
        sir_print_indent(p);
        strbuf_add(p->out, "source ");
        strbuf_add_quoted(p->out, f->source, strlen(f->source));
        strbuf_addc(p->out, '\n');
    }
    for (size_t i = 0; i < f->fields.len; i++) {
        const sir_field *field = &f->fields.data[i];
        if (field->role != SIR_STATE)
            print_role(p, f, field);
        else
            print_variable(p, field->constant ? "const $" : "field $", field->name, &field->init, field->loc);
    }
    if (f->prework != NULL)
        sir_print_function(p, f->prework);
    if (f->work != NULL)
        sir_print_function(p, f->work);
    if (f->ahead != NULL)
        sir_print_function(p, f->ahead);
    for (size_t i = 0; i < f->functions.len; i++)
        sir_print_function(p, f->functions.data[i]);
    for (size_t i = 0; i < f->handlers.len; i++)
        sir_print_function(p, f->handlers.data[i]);
    p->indent = 0;
    p->filter = NULL;
    strbuf_add(p->out, "}\n");
}

static const char *const region_words[] = {
    [SIR_PIPELINE] = "pipeline",
    [SIR_SPLITJOIN] = "splitjoin",
    [SIR_FEEDBACKLOOP] = "feedbackloop",
    [SIR_FILTER_REGION] = "filter",
};

static void print_regions(sir_printer *p)
{
    const sir_module *m = p->module;
    enum { DEEPEST = 40 };
    int *depth = ARENA_ARRAY(p->out->arena, int, m->regions.len);
    for (size_t i = 0; i < m->regions.len; i++) {
        const sir_region *r = &m->regions.data[i];
        depth[i] = r->parent < i ? depth[r->parent] + (depth[r->parent] < DEEPEST) : 0;
        p->indent = 2 * depth[i];
        sir_print_indent(p);
        strbuf_printf(p->out, "region r%zu: %s ", i, region_words[r->kind]);
        sir_print_name(p->out, r->name);
        if (r->args != NULL && r->args[0] != '\0') {
            strbuf_addc(p->out, ' ');
            strbuf_add_quoted(p->out, r->args, strlen(r->args));
        }
        if (r->parent != SIR_NONE)
            strbuf_printf(p->out, " in r%u", (unsigned)r->parent);
        sir_print_end(p, r->loc);
    }
    p->indent = 0;
}

static void print_portals(sir_printer *p)
{
    const sir_module *m = p->module;
    for (size_t i = 0; i < m->portals.len; i++) {
        const sir_portal *portal = &m->portals.data[i];
        strbuf_add(p->out, "portal ");
        sir_print_name(p->out, portal->name);
        strbuf_add(p->out, portal->inside ? " inside" : "");
        for (size_t k = 0; k < portal->receivers.len; k++) {
            strbuf_add(p->out, k == 0 ? " to " : ", ");
            sir_print_name(p->out, m->actors.data[portal->receivers.data[k]]->name);
        }
        sir_print_end(p, portal->loc);
    }
}

static void print_weights(sir_printer *p, const sir_actor *a)
{
    strbuf_add(p->out, "roundrobin(");
    for (size_t i = 0; i < a->weights.len; i++) {
        strbuf_printf(&p->item, "%u", (unsigned)a->weights.data[i]);
        print_item(p, i == 0 ? "" : ", ");
    }
    strbuf_add(p->out, ") ");
}

static void print_actor(sir_printer *p, const sir_actor *a)
{
    p->line_start = p->out->len;
    strbuf_add(p->out, "actor ");
    sir_print_name(p->out, a->name);
    strbuf_add(p->out, ": ");
    switch (a->kind) {
    case SIR_FILTER:
        strbuf_add(p->out, "filter ");
        sir_print_name(p->out, a->filter->name);
        break;
    case SIR_SPLIT:
        strbuf_add(p->out, "split ");
        if (a->duplicate)
            strbuf_printf(p->out, "duplicate(%zu) ", a->outputs.len);
        else
            print_weights(p, a);
        sir_type_print(p->out, a->item);
        break;
    case SIR_JOIN:
        strbuf_add(p->out, "join ");
        print_weights(p, a);
        sir_type_print(p->out, a->item);
        break;
    case SIR_READER:
    case SIR_WRITER:
        strbuf_add(p->out, a->kind == SIR_READER ? "reader " : "writer ");
        sir_type_print(p->out, a->item);
        if (a->item->storage == SIR_STORED_UINT8)
            strbuf_add(p->out, " bytes");
        if (a->path != NULL) {
            strbuf_addc(p->out, ' ');
            strbuf_add_quoted(p->out, a->path, strlen(a->path));
        }
        break;
    }
    strbuf_printf(p->out, " in r%u", (unsigned)a->region);
    if (a->least != 0)
        strbuf_printf(p->out, " least %" PRId64, a->least);
    sir_print_end(p, a->loc);
}

static void print_channel(sir_printer *p, size_t number)
{
    const sir_channel *c = &p->module->channels.data[number];
    const sir_actor *from = p->module->actors.data[c->producer], *to = p->module->actors.data[c->consumer];
    p->line_start = p->out->len;
    strbuf_printf(p->out, "channel c%zu: ", number);
    sir_type_print(p->out, c->type);
    strbuf_addc(p->out, ' ');
    sir_print_name(p->out, from->name);
    if (from->kind == SIR_SPLIT)
        strbuf_printf(p->out, ":%u", (unsigned)c->producer_port);
    strbuf_add(p->out, " -> ");
    sir_print_name(p->out, to->name);
    if (to->kind == SIR_JOIN)
        strbuf_printf(p->out, ":%u", (unsigned)c->consumer_port);
    for (size_t i = 0; i < c->initial.len; i++) {
        const sir_value *v = &c->initial.data[i];
        const sir_scalar zero = {0};
        bool aggregate = v->type->kind == SIR_ARRAY || v->type->kind == SIR_STRUCT;
        strbuf_add(p->out, i == 0 ? " = [" : "");
        print_data(p, v->type, v->zero ? (aggregate ? NULL : &zero) : v->data, i == 0 ? "" : ", ");
    }
    if (c->initial.len > 0)
        strbuf_addc(p->out, ']');
    if (c->zeros != NULL) {
        strbuf_printf(p->out, " zeros(%" PRId64 ", %" PRId64 ") ", c->zeros->every, c->zeros->first);
        sir_print_name(p->out, c->zeros->samples->name);
        strbuf_addc(p->out, ' ');
        sir_print_name(p->out, c->zeros->phases->name);
    }
    sir_print_end(p, c->loc);
}

static void print_graph(sir_printer *p)
{
    const sir_module *m = p->module;
    if (m->regions.len > 0)
        strbuf_addc(p->out, '\n');
    print_regions(p);
    print_portals(p);
    for (size_t i = 0; i < m->actors.len; i++)
        print_actor(p, m->actors.data[i]);
    for (size_t i = 0; i < m->channels.len; i++)
        print_channel(p, i);
}

void sir_print_with(strbuf *out, const sir_module *m, bool places)
{
    sir_printer p = {.module = m, .places = places, .out = out};
    strbuf_init(&p.item, out->arena);
    strbuf_add(out, "module ");
    sir_print_name(out, m->name);
    strbuf_add(out, m->canonical ? " canonical\n" : "\n");
    for (size_t i = 1; places && i < m->files.len; i++) {
        strbuf_printf(out, "file f%zu ", i);
        strbuf_add_quoted(out, m->files.data[i], strlen(m->files.data[i]));
        strbuf_addc(out, '\n');
    }
    if (m->init_text_len > 0) {
        strbuf_add(out, "init ");
        strbuf_add_quoted(out, m->init_text, m->init_text_len);
        strbuf_addc(out, '\n');
    }
    for (size_t i = 0; i < m->structs.len; i++)
        print_struct(&p, m->structs.data[i]);
    for (size_t i = 0; i < m->globals.len; i++)
        print_variable(&p, "global @", m->globals.data[i].name, &m->globals.data[i].value, m->globals.data[i].loc);
    for (size_t i = 0; i < m->functions.len; i++)
        sir_print_function(&p, m->functions.data[i]);
    for (size_t i = 0; i < m->filters.len; i++)
        print_filter(&p, m->filters.data[i]);
    print_graph(&p);
}

void sir_print(strbuf *out, const sir_module *m)
{
    sir_print_with(out, m, true);
}
