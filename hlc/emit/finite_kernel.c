// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of finite filters: one firing with the elements of its place, a row of firings, a run. Those of reductions are
// finite_reduce.c's and finite_mapped.c's.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/finite_int.h"

static const char *pointer(finite_graph *g, const finite_port *p)
{
    return finite_pointer(g, p, p->name);
}

static bool has_elements(const finite_port *p)
{
    return p->source->role != SIR_ITERATOR;
}

const finite_port *finite_port_of(const finite_graph *g, uint32_t field)
{
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->field == field)
            return p;
    return NULL;
}

static const char *format(finite_graph *g, const char *text, const char *a, const char *b)
{
    return arena_printf(g->x->e.arena, text, a, b);
}

static void add(finite_graph *g, text_args *args, const char *text)
{
    VEC_PUSH(g->x->e.arena, args, text);
}

static const char *declare(finite_graph *g, uint32_t field)
{
    return emit_declare(&g->x->e, finite_field(g, field)->type, g->info->field_names.data[field]);
}

// ---- One firing ----

// What the firing function takes, in its order.
void finite_fire(finite_graph *g, int indent, const emit_signature *fire, const char *accumulator)
{
    text_args args = {0};
    bool wide = fire == &g->wide;
    if (fire->out)
        add(g, &args, g->variable->name);
    for (VEC_EACH(const uint32_t, field, &fire->fields)) {
        const finite_port *p = finite_port_of(g, *field);
        const char *name = g->info->field_names.data[*field];
        if (p == NULL) {
            add(g, &args, format(g, "&%s%s", name, ""));
        } else if (p->source->role == SIR_GATHER) {
            add(g, &args, name);
            add(g, &args, p->walk);
            if (emit_has_beside(g->info, p->field))
                add(g, &args, format(g, "svm_rows_%s%s", p->name, ""));
        } else if (p->source->role == SIR_REDUCED) {
            add(g, &args, accumulator);
        } else {
            add(g, &args, format(g, wide ? "%s%s" : "&%s%s", p->value, ""));
        }
    }
    if (g->info->near != SIR_NONE) {
        add(g, &args, "inside");
        add(g, &args, "place");
    }
    if (fire->out) {
        add(g, &args, "pushed");
        add(g, &args, "room");
    }
    text_call(g->x, indent, format(g, "%s(%s", fire->name, ""), &args, ");");
}

// Parameters of the step: uniforms, places, then a pointer (or an iterator's value) a stream.
static void step_parameters(finite_graph *g, text_args *args, int lanes)
{
    for (VEC_EACH(const uint32_t, u, &g->uniforms))
        add(g, args, declare(g, *u));
    for (VEC_EACH(const uint32_t, c, &g->coordinates))
        add(g, args, declare(g, *c));
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        if (!has_elements(p)) {
            const char *array = arena_printf(g->x->e.arena, "%s[%d]", p->value, lanes);
            add(g, args, emit_declare(&g->x->e, p->source->type, lanes > 0 ? array : p->value));
            continue;
        }
        add(g, args, pointer(g, p));
        if (p->source->role == SIR_GATHER)
            add(g, args, format(g, "const svm_BrookWalk *%s%s", p->walk, ""));
        if (emit_has_beside(g->info, p->field))
            add(g, args, format(g, "const %s *const *svm_rows_%s", p->element, p->name));
    }
    if (g->info->near != SIR_NONE) {
        add(g, args, "int inside");
        add(g, args, "ptrdiff_t place");
    }
    if (g->variable != NULL) {
        add(g, args, "ptrdiff_t *pushed");
        add(g, args, "ptrdiff_t room");
    }
}

void finite_silence_unused(finite_graph *g)
{
    for (size_t i = 0; i < g->filter->fields.len; i++) {
        const sir_field *f = finite_field(g, (uint32_t)i);
        const finite_port *p = finite_port_of(g, (uint32_t)i);
        bool used = false;
        for (VEC_EACH(const uint32_t, u, &g->fire.fields))
            used = used || *u == i;
        if (f->role == SIR_STATE || used || f->role == SIR_OUTPUT || f->role == SIR_VARIABLE ||
            f->role == SIR_REDUCED || f->role == SIR_INSIDE)
            continue;
        text_line(g->x, 1, "(void)%s;", p == NULL || has_elements(p) ? g->info->field_names.data[i] : p->value);
        if (f->role == SIR_GATHER)
            text_line(g->x, 1, "(void)%s;", p->walk);
        if (emit_has_beside(g->info, (uint32_t)i))
            text_line(g->x, 1, "(void)svm_rows_%s;", p->name);
    }
    if (g->variable != NULL && !g->fire.out)
        text_line(g->x, 1, "(void)%s, (void)pushed, (void)room;", g->variable->name);
}

enum { LARGE = 60 }; // operations

static bool is_small(const finite_graph *g)
{
    return g->operations <= LARGE;
}

// Bodies that are too large for a C compiler to put them into several loops by itself.
static bool is_large(const finite_graph *g)
{
    return g->lanes == 0 && g->variable == NULL && !is_small(g);
}

// A step that loops have in them before the C compiler looks at them: one that it puts there later may have lost what it was
// told, that rounds do not depend on each other, and then those that write a stream which they read go one by one.
static void emit_step(finite_graph *g)
{
    program_emitter *x = g->x;
    text_args args = {0};
    step_parameters(g, &args, 0);
    text_line(x, 0, "/* One firing, given the elements of its place. */");
    if (finite_has_plane(g))
        text_line(x, 0, "SVM_BROOK_WHOLE");
    text_call(x, 0, format(g, "%sstatic inline void %s(", is_small(g) ? "SVM_INLINED " : "", g->at), &args, ")");
    text_line(x, 0, "{");
    finite_silence_unused(g);
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        const char *value = emit_declare(&x->e, p->source->type, p->value);
        if (p->source->role == SIR_INPUT && p->used)
            text_line(x, 1, "%s = %s;", value, finite_load(g, p, p->name));
        else if (p->source->role == SIR_OUTPUT && p->used && p->loaded)
            text_line(x, 1, "%s = %s;", value, finite_load(g, p, p->name));
        else if (p->source->role == SIR_OUTPUT && p->used)
            text_line(x, 1, "%s;", value);
    }
    finite_fire(g, 1, &g->fire, "");
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role == SIR_OUTPUT && p->used)
            text_line(x, 1, "%s", finite_store(g, p, p->name, p->value));
        else if (p->source->role == SIR_OUTPUT)
            text_line(x, 1, "(void)%s;", p->name); // nothing writes it
    text_line(x, 0, "}\n");
}

// Whether several columns use a stream's elements where they are: structs of an input, beside which there are no structs of
// outputs, and the only output, which nothing is read from behind its first writing.
static bool is_direct(const finite_graph *g, const finite_port *p)
{
    size_t outputs = 0;
    bool structs = false;
    for (VEC_EACH(const finite_port, other, &g->ports)) {
        outputs += other->source->role == SIR_OUTPUT;
        structs = structs || (other->source->role == SIR_INPUT && other->source->type->kind == SIR_STRUCT);
    }
    if (g->takes.len == 0 || !structs)
        return false;
    if (p->source->role == SIR_OUTPUT)
        return outputs == 1 && !p->loaded && p->store == NULL;
    return p->source->type->kind == SIR_STRUCT;
}

// The same for several columns from the pointers' on: elements go through arrays, so that all are read before any is written.
static void emit_wide_step(finite_graph *g)
{
    program_emitter *x = g->x;
    text_args args = {0};
    step_parameters(g, &args, g->lanes);
    text_call(x, 0, arena_printf(x->e.arena, "static inline void %s_%d(", g->at, g->lanes), &args, ")");
    text_line(x, 0, "{");
    finite_silence_unused(g);
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        if (!finite_is_walked(p) || !p->used)
            continue;
        if (g->takes.len > 0 && g->lanes > EMIT_TAKEN && p->source->role == SIR_INPUT)
            text_line(x, 1, "svm_brookAhead(%s, %d * sizeof *%s);", p->name, g->lanes, p->name);
        if (is_direct(g, p)) {
            const char *value = emit_declare(&x->e, p->source->type, format(g, "*%s%s", p->value, ""));
            text_line(x, 1, "%s = (%s)%s;", value, emit_declare(&x->e, p->source->type, "*"), p->name);
            continue;
        }
        text_line(x, 1, "%s;",
                  emit_declare(&x->e, p->source->type, arena_printf(x->e.arena, "%s[%d]", p->value, g->lanes)));
        if (p->source->role == SIR_OUTPUT && !p->loaded)
            continue;
        if (g->takes.len > 0)
            text_line(x, 1, "SVM_BROOK_LANES");
        text_line(x, 1, "for (int %s = 0; %s < %d; %s++)", g->i, g->i, g->lanes, g->i);
        text_line(x, 2, "%s[%s] = %s;", p->value, g->i, finite_load(g, p, format(g, "%s + %s", p->name, g->i)));
    }
    finite_fire(g, 1, &g->wide, "");
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role == SIR_OUTPUT && p->used && !is_direct(g, p)) {
            if (g->takes.len > 0)
                text_line(x, 1, "SVM_BROOK_LANES");
            text_line(x, 1, "for (int %s = 0; %s < %d; %s++)", g->i, g->i, g->lanes, g->i);
            text_line(x, 2, "%s",
                      finite_store(g, p, format(g, "(%s + %s)", p->name, g->i), format(g, "%s[%s]", p->value, g->i)));
        } else if (p->source->role == SIR_OUTPUT && !p->used) {
            text_line(x, 1, "(void)%s;", p->name);
        }
    text_line(x, 0, "}\n");
}

void finite_swap_lanes(finite_graph *g)
{
    const emit_signature fire = g->wide;
    const int lanes = g->lanes;
    g->wide = g->fewer;
    g->lanes = g->fewer_lanes;
    g->fewer = fire;
    g->fewer_lanes = lanes;
}

static void emit_wide_steps(finite_graph *g)
{
    for (int i = 0; i < 2; i++) {
        if (g->lanes > 0)
            emit_wide_step(g);
        finite_swap_lanes(g);
    }
}

// ---- The kernel's struct ----

static void emit_struct(finite_graph *g)
{
    program_emitter *x = g->x;
    text_line(x, 0, "/* A run of %s: where it fires, its streams and how they are walked%s. */",
              text_comment(x, g->filter->name), g->uniforms.len > 0 ? ", what is the same for all firings" : "");
    text_line(x, 0, "typedef struct {");
    text_line(x, 1, "svm_Kernel kernel;");
    text_line(x, 1, "svm_BrookSpace %s;", g->space);
    text_line(x, 1, "svm_BrookBox box;");
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        if (has_elements(p))
            text_line(x, 1, "svm_Block *%s;", p->name);
        if (p->source->role != SIR_VARIABLE)
            text_line(x, 1, "svm_BrookWalk %s;", p->walk);
    }
    for (VEC_EACH(const uint32_t, u, &g->uniforms))
        text_line(x, 1, "%s;", declare(g, *u));
    if (g->past)
        text_line(x, 1, "bool past; /* outputs go past the caches */");
    if (g->reduced != NULL)
        text_line(x, 1, "svm_BrookFold fold; /* what it takes of each block */");
    if (g->variable != NULL) {
        text_line(x, 1, "ptrdiff_t pushed; /* elements */");
        text_line(x, 1, "ptrdiff_t room; /* for so many; those beyond are counted only */");
        text_line(x, 1, "size_t header; /* bytes before the elements; if there are any, the count is there too */");
    }
    text_line(x, 0, "} %s;\n", g->kernel);
}

// ---- Rows ----

typedef enum row_form { ROW_UNIT, ROW_STEPS, ROW_ANY } row_form;

// The element's offset in the row.
static const char *position(finite_graph *g, const finite_port *p, row_form form)
{
    arena *a = g->x->e.arena;
    if (form == ROW_UNIT)
        return g->i;
    if (form == ROW_STEPS)
        return arena_printf(a, "%s * %s_step", g->i, p->name);
    return arena_printf(a, "svm_brookPlace(%s, &%s->%s, %s) * %s->%s.pitch[3]", g->space, g->self, p->walk, g->i,
                        g->self, p->walk);
}

// The place of the firing in the row of a stream.
static const char *place(finite_graph *g, const finite_port *p, row_form form)
{
    arena *a = g->x->e.arena;
    if (form == ROW_UNIT)
        return g->i;
    if (form == ROW_STEPS)
        return arena_printf(a, "%s * svm_brookRatio(%s, &%s->%s)", g->i, g->space, g->self, p->walk);
    return arena_printf(a, "svm_brookPlace(%s, &%s->%s, %s)", g->space, g->self, p->walk, g->i);
}

static const char *coordinate(finite_graph *g, uint32_t field, row_form form)
{
    const sir_field *c = finite_field(g, field);
    const finite_port *p = finite_port_of(g, c->of);
    if (c->dimension == 0)
        return format(g, "(int)(%s)%s", place(g, p, form), "");
    return g->info->field_names.data[field];
}

// given: what a stream has instead of its own element; NULL: none, that.
static void loop_arguments(finite_graph *g, text_args *args, row_form form, bool inside, bool wide, finite_given *given)
{
    for (VEC_EACH(const uint32_t, u, &g->uniforms))
        add(g, args, g->info->field_names.data[*u]);
    for (VEC_EACH(const uint32_t, c, &g->coordinates))
        add(g, args, coordinate(g, *c, form));
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        if (p->source->role == SIR_ITERATOR) {
            add(g, args, wide ? p->value : finite_iterator(g, p, g->r, place(g, p, form)));
            continue;
        }
        const char *text = given == NULL ? NULL : given(g, p);
        if (text == NULL)
            text = finite_is_walked(p) ? format(g, "%s + %s", p->name, position(g, p, form)) : p->name;
        add(g, args, text);
        if (p->source->role == SIR_GATHER)
            add(g, args, format(g, "&%s%s", p->walk, ""));
        if (emit_has_beside(g->info, p->field))
            add(g, args, "NULL");
    }
    if (g->info->near != SIR_NONE) {
        add(g, args, inside ? "SVM_BROOK_COLUMN_INSIDE" : "0");
        add(g, args, place(g, finite_port_of(g, finite_field(g, g->info->near)->of), form));
    }
    if (g->variable != NULL) {
        add(g, args, "pushed");
        add(g, args, "room");
    }
}

// Over the columns from one to another; inside: all that is fetched near them is in its row.
static void emit_loop(finite_graph *g, int indent, row_form form, const char *from, const char *to, bool inside)
{
    program_emitter *x = g->x;
    text_args args = {0};
    loop_arguments(g, &args, form, inside, false, NULL);
    bool edge = form == ROW_UNIT && g->info->near != SIR_NONE && !inside; // as wide as the reach
    if (g->variable == NULL)
        text_line(x, indent, edge ? "SVM_BROOK_FEW" : "SVM_BROOK_INDEPENDENT");
    text_line(x, indent, "for (ptrdiff_t %s = %s; %s < %s; %s++)", g->i, from, g->i, to, g->i);
    text_call(x, indent + 1, format(g, "%s(%s", g->at, ""), &args, ");");
}

bool finite_is_repeatable(const finite_graph *g)
{
    for (VEC_EACH(const finite_port, p, &g->ports))
        if ((p->source->role == SIR_INPUT && p->used) || (p->source->role == SIR_OUTPUT && p->loaded))
            return false;
    return true;
}

// Several columns at a time as long as there are so many; moves `from` on. The last ones go with some before them, which
// are done again, where that changes nothing.
static void emit_lanes_loop(finite_graph *g, int indent, const char *from, const char *to, bool inside)
{
    program_emitter *x = g->x;
    text_args args = {0};
    if (g->takes.len > 0) {
        strbuf numbered;
        strbuf_init(&numbered, x->e.arena);
        for (VEC_EACH(const uint32_t, field, &g->takes))
            strbuf_printf(&numbered, "%ssvm_brookIsNumbered(&%s)", numbered.len > 0 ? " && " : "",
                          finite_port_of(g, *field)->walk);
        if (g->whole)
            strbuf_printf(&numbered, " && svm_brookIsWhole(%s)", to);
        text_line(x, indent++, "if (%s) {", numbered.data);
    }
    loop_arguments(g, &args, ROW_UNIT, inside, true, NULL);
    if (finite_is_repeatable(g)) {
        text_line(x, indent, "const ptrdiff_t first = %s;", from);
        text_line(x, indent, "for (; %s < %s && %s - first >= %d; %s += %d) {", from, to, to, g->lanes, from, g->lanes);
        text_line(x, indent + 1, "const ptrdiff_t %s = %s + %d <= %s ? %s : %s - %d;", g->i, from, g->lanes, to, from,
                  to, g->lanes);
    } else {
        text_line(x, indent, "for (; %s + %d <= %s; %s += %d) {", from, g->lanes, to, from, g->lanes);
        text_line(x, indent + 1, "const ptrdiff_t %s = %s;", g->i, from);
    }
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        if (has_elements(p))
            continue;
        const char *array = arena_printf(x->e.arena, "%s[%d]", p->value, g->lanes);
        text_line(x, indent + 1, "%s;", emit_declare(&x->e, p->source->type, array));
        text_line(x, indent + 1, "for (int lane = 0; lane < %d; lane++)", g->lanes);
        text_line(x, indent + 2, "%s[lane] = %s;", p->value,
                  finite_iterator(g, p, g->r, format(g, "%s + lane%s", place(g, p, ROW_UNIT), "")));
    }
    text_call(x, indent + 1, arena_printf(x->e.arena, "%s_%d(", g->at, g->lanes), &args, ");");
    text_line(x, indent, "}");
    if (g->takes.len > 0)
        text_line(x, indent - 1, "}");
}

void finite_wide_loop(finite_graph *g, int indent, const char *from, const char *to, bool inside)
{
    for (int i = 0; i < 2; i++) {
        if (g->lanes > 0)
            emit_lanes_loop(g, indent, from, to, inside);
        finite_swap_lanes(g);
    }
}

// As many columns as are whole blocks, which become vectors without rest, and then the last block's worth of them, of which
// some are done again. Moves `from` on; rows that are shorter stay. Rows of other processors
// are long enough not to need that.
static void emit_block_loop(finite_graph *g, int indent, const char *from, const char *to, bool inside)
{
    program_emitter *x = g->x;
    if (g->lanes > 0 || g->variable != NULL || !finite_is_repeatable(g) || (g->all->local.len == 0 && is_large(g)))
        return;
    text_line(x, indent, "if (%s - %s >= SVM_BROOK_BLOCK) {", to, from);
    text_line(x, indent + 1, "ptrdiff_t block = %s, stop = %s - (%s - %s) %% SVM_BROOK_BLOCK;", from, to, to, from);
    text_line(x, indent + 1, "for (;;) {");
    emit_loop(g, indent + 2, ROW_UNIT, "block", "stop", inside);
    text_line(x, indent + 2, "if (stop == %s)", to);
    text_line(x, indent + 3, "break;");
    text_line(x, indent + 2, "block = %s - SVM_BROOK_BLOCK;", to);
    text_line(x, indent + 2, "stop = %s;", to);
    text_line(x, indent + 1, "}");
    text_line(x, indent + 1, "%s = %s;", from, to);
    text_line(x, indent, "}");
}

void finite_inside_loops(finite_graph *g, int indent, const char *from, const char *to)
{
    finite_wide_loop(g, indent, from, to, true);
    emit_block_loop(g, indent, from, to, true);
    emit_loop(g, indent, ROW_UNIT, from, to, true);
}

void finite_row_parameters(finite_graph *g, text_args *args)
{
    add(g, args, format(g, "const %s *%s", g->kernel, g->self));
    add(g, args, format(g, "ptrdiff_t %s%s", g->r, ""));
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (has_elements(p)) // nothing writes what is gathered from
            add(g, args,
                p->source->role == SIR_GATHER ? finite_pointer(g, p, format(g, "restrict %s%s", p->name, ""))
                                              : pointer(g, p));
    if (g->variable != NULL) {
        add(g, args, "ptrdiff_t *pushed");
        add(g, args, "ptrdiff_t room");
    }
}

// What is the same in the row; copies of what stores could change for all that the C compiler knows.
static void row_constants(finite_graph *g, bool turned)
{
    program_emitter *x = g->x;
    bool uses_row = false;
    for (VEC_EACH(const uint32_t, u, &g->uniforms))
        text_line(x, 1, "const %s = %s->%s;", declare(g, *u), g->self, g->info->field_names.data[*u]);
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role == SIR_GATHER || p->source->role == SIR_ITERATOR) {
            text_line(x, 1,
                      turned && finite_is_turned(g, p) ? "const svm_BrookWalk %s = svm_brookTurnedWalk(&%s->%s);"
                                                       : "const svm_BrookWalk %s = %s->%s;",
                      p->walk, g->self, p->walk);
            uses_row |= p->source->role == SIR_ITERATOR;
        }
    for (VEC_EACH(const uint32_t, c, &g->coordinates)) {
        const sir_field *f = finite_field(g, *c);
        if (f->dimension == 0)
            continue;
        uses_row = true;
        text_line(x, 1, "const %s = (int)svm_brookPlaceOfRow(%s, &%s->%s, %s, %" PRIu32 ");", declare(g, *c), g->space,
                  g->self, finite_port_of(g, f->of)->walk, g->r, 3 - f->dimension);
    }
    if (!uses_row)
        text_line(x, 1, "(void)%s;", g->r);
}

static void emit_steps(finite_graph *g)
{
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (finite_is_walked(p))
            text_line(g->x, 2, "const ptrdiff_t %s_step = svm_brookStep(%s, &%s->%s);", p->name, g->space, g->self,
                      p->walk);
}

void finite_keep_inside(finite_graph *g, int indent, const char *from, const char *to, const char *walks)
{
    text_line(g->x, indent, "ptrdiff_t near = %s, far = %s;", from, to);
    for (VEC_EACH(const finite_reach, r, &g->reaches))
        text_line(g->x, indent, "svm_brookKeepInside(&near, &far, &%s%s, %d, %" PRId64 ", %" PRId64 ");", walks,
                  finite_port_of(g, r->field)->walk, r->dimension, r->least, r->most);
}

static const char *inside_name(finite_graph *g)
{
    return format(g, "%s_inside%s", g->row, "");
}

// The loop that most firings are in, with the body in it, so that it can become vectors; or that of a row whose columns are
// turned over.
static void emit_inside(finite_graph *g, bool turned)
{
    program_emitter *x = g->x;
    text_args args = {0};
    finite_row_parameters(g, &args);
    add(g, &args, "ptrdiff_t begin");
    add(g, &args, "ptrdiff_t end");
    text_line(x, 0, "/* Firings of a row, element by element%s%s. */",
              g->info->near != SIR_NONE ? ", all that they fetch near them inside" : "",
              turned ? ", given columns turned over" : "");
    text_line(x, 0, "SVM_BROOK_WHOLE");
    text_call(x, 0, format(g, "static void %s(%s", turned ? g->turned_row : inside_name(g), ""), &args, ")");
    text_line(x, 0, "{");
    bool iterates = false;
    for (VEC_EACH(const finite_port, p, &g->ports))
        iterates = iterates || !has_elements(p);
    for (VEC_EACH(const uint32_t, c, &g->coordinates))
        iterates = iterates || finite_field(g, *c)->dimension > 0;
    if (iterates)
        text_line(x, 1, "const svm_BrookSpace *%s = &%s->%s;", g->space, g->self, g->space);
    row_constants(g, turned);
    emit_loop(g, 1, ROW_UNIT, "begin", "end", g->info->near != SIR_NONE);
    text_line(x, 0, "}\n");
}

bool finite_has_few(const finite_graph *g)
{
    return g->info->near == SIR_NONE && g->lanes == 0 && g->turned.len == 0 && g->tile_lanes == 0 && !is_large(g);
}

void finite_few(finite_graph *g, const char *name, const char *columns, finite_given *given)
{
    program_emitter *x = g->x;
    text_args args = {0}, step = {0};
    finite_row_parameters(g, &args);
    add(g, &args, "ptrdiff_t begin");
    text_call(x, 0, format(g, "static inline void %s(%s", name, ""), &args, ")");
    text_line(x, 0, "{");
    text_line(x, 1, "const svm_BrookSpace *%s = &%s->%s;", g->space, g->self, g->space);
    text_line(x, 1, "(void)%s;", g->space);
    row_constants(g, false);
    loop_arguments(g, &step, ROW_UNIT, false, false, given);
    text_line(x, 1, "SVM_BROOK_INDEPENDENT");
    text_line(x, 1, "for (int lane = 0; lane < %s; lane++) {", columns);
    text_line(x, 2, "const ptrdiff_t %s = begin + lane;", g->i);
    text_line(x, 2, "(void)%s;", g->i);
    text_call(x, 2, format(g, "%s(%s", g->at, ""), &step, ");");
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
}

// The same in the row, or a call of it.
static void emit_hot_loop(finite_graph *g, const char *from, const char *to)
{
    text_args args = {0};
    if (!is_large(g)) {
        emit_loop(g, 2, ROW_UNIT, from, to, g->info->near != SIR_NONE);
        return;
    }
    add(g, &args, g->self);
    add(g, &args, g->r);
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (has_elements(p))
            add(g, &args, p->name);
    add(g, &args, from);
    add(g, &args, to);
    text_call(g->x, 2, format(g, "%s(%s", inside_name(g), ""), &args, ");");
}

// Where elements near the place are fetched, most columns need no clamping: then these are a loop of their own.
static void emit_unit_loops(finite_graph *g)
{
    program_emitter *x = g->x;
    if (g->info->near == SIR_NONE) {
        if (g->lanes > 0)
            text_line(x, 2, "ptrdiff_t near = begin;");
        finite_wide_loop(g, 2, "near", "end", false);
        emit_hot_loop(g, g->lanes > 0 ? "near" : "begin", "end");
        return;
    }
    finite_keep_inside(g, 2, "begin", "end", "");
    emit_loop(g, 2, ROW_UNIT, "begin", "near", false);
    finite_wide_loop(g, 2, "near", "far", true);
    emit_block_loop(g, 2, "near", "far", true);
    emit_hot_loop(g, "near", "far");
    emit_loop(g, 2, ROW_UNIT, "far", "end", false);
}

// Whether a row of firings is told its columns.
static bool takes_columns(const finite_graph *g)
{
    return g->turned.len > 0 || g->past || g->tile_lanes > 0;
}

static void emit_row(finite_graph *g)
{
    program_emitter *x = g->x;
    text_args args = {0};
    finite_row_parameters(g, &args);
    if (is_large(g))
        emit_inside(g, false);
    if (g->turned.len > 0)
        emit_inside(g, true);
    if (takes_columns(g)) {
        add(g, &args, "ptrdiff_t begin");
        add(g, &args, "ptrdiff_t end");
    }
    text_line(x, 0, "/* A row of firings; the pointers are to where the row begins. */");
    text_call(x, 0, format(g, "static void %s(%s", g->row, ""), &args, ")");
    text_line(x, 0, "{");
    text_line(x, 1, "const svm_BrookSpace *%s = &%s->%s;", g->space, g->self, g->space);
    if (!takes_columns(g))
        text_line(x, 1, "const ptrdiff_t begin = %s->box.column, end = %s->box.columnEnd;", g->self, g->self);
    row_constants(g, false);
    text_line(x, 1, "if (%s->form == SVM_BROOK_UNIT) {", g->space);
    emit_unit_loops(g);
    text_line(x, 1, "} else if (%s->form == SVM_BROOK_STEPS) {", g->space);
    emit_steps(g);
    emit_loop(g, 2, ROW_STEPS, "begin", "end", false);
    text_line(x, 1, "} else {");
    emit_loop(g, 2, ROW_ANY, "begin", "end", false);
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
}

// ---- Runs ----

void finite_begin_run(finite_graph *g)
{
    program_emitter *x = g->x;
    text_line(x, 0, "SVM_KERNEL(estimate(10, %.0f))", g->operations);
    text_line(x, 0, "static void %s(svm_Kernel *kernel)", g->run);
    text_line(x, 0, "{");
    text_line(x, 1, "%s *%s = (%s *)kernel;", g->kernel, g->self, g->kernel);
    text_line(x, 1, "const svm_BrookSpace *%s = &%s->%s;", g->space, g->self, g->space);
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (has_elements(p))
            text_line(x, 1,
                      p->source->role == SIR_VARIABLE ? "%s = (void *)((char *)svm_blockData(%s->%s) + %s->header);"
                      : p->near != NULL               ? "%s = svm_brookOrigin(%s->%s, &%s->%s, sizeof(%s));"
                                                      : "%s = svm_brookData(%s->%s, &%s->%s);",
                      pointer(g, p), g->self, p->name, g->self, p->source->role == SIR_VARIABLE ? "" : p->walk,
                      p->element);
}

// How many were pushed: for the control side, which looks at the kernel, or at what came back from a local memory.
static void emit_count(finite_graph *g)
{
    program_emitter *x = g->x;
    text_line(x, 1, "%s->pushed = pushed;", g->self);
    text_line(x, 1, "if (%s->header > 0) {", g->self);
    text_line(x, 2, "const int64_t count = pushed;");
    text_line(x, 2, "memcpy(svm_blockData(%s->%s), &count, sizeof count);", g->self, g->variable->name);
    text_line(x, 1, "}");
}

static void emit_map_run(finite_graph *g)
{
    program_emitter *x = g->x;
    text_args args = {0};
    finite_begin_run(g);
    finite_add_row(g, &args, g->r, NULL);
    if (g->variable != NULL) {
        text_line(x, 1, "ptrdiff_t pushed = 0;");
        add(g, &args, "&pushed");
        add(g, &args, format(g, "%s->room%s", g->self, ""));
    }
    if (takes_columns(g)) {
        add(g, &args, format(g, "%s->box.column%s", g->self, ""));
        add(g, &args, format(g, "%s->box.columnEnd%s", g->self, ""));
    }
    if (g->turned.len > 0)
        finite_call_turned(g);
    if (g->past)
        finite_call_past(g);
    bool walked = false;
    for (VEC_EACH(const finite_port, p, &g->ports))
        walked = walked || finite_is_walked(p);
    if (!walked)
        text_line(x, 1, "(void)%s;", g->space);
    if (finite_has_plane(g))
        finite_call_plane(g);
    text_line(x, 1, "for (ptrdiff_t %s = %s; %s < %s->box.rowEnd; %s++)", g->r,
              g->tile_lanes > 0 ? finite_tiles_call(g) : format(g, "%s->box.row%s", g->self, ""), g->r, g->self, g->r);
    text_call(x, 2, format(g, "%s(%s", g->row, ""), &args, ");");
    if (g->variable != NULL)
        emit_count(g);
    text_line(x, 0, "}\n");
}

// ---- All of it ----

void finite_kernel(finite_graph *g)
{
    if (finite_is_never_one(g))
        return;
    if (g->filter->prework != NULL) {
        emit_struct(g);
        finite_mapped(g);
        return;
    }
    if (g->reduced == NULL) {
        emit_step(g);
        emit_wide_steps(g);
    }
    emit_struct(g);
    if (g->reduced != NULL) {
        finite_reduce(g);
        return;
    }
    emit_row(g);
    if (g->turned.len > 0)
        finite_turned(g);
    if (g->past)
        finite_past(g);
    if (g->tile_lanes > 0)
        finite_tiles(g, finite_is_repeatable(g));
    if (finite_has_plane(g))
        finite_plane(g);
    emit_map_run(g);
}
