// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of reductions: a block of elements becomes one result, in order. Blocks that lie side by side or one behind the
// other are done together.
#include <string.h>

#include "hlc/emit/finite_int.h"

static void add(finite_graph *g, text_args *args, const char *text)
{
    VEC_PUSH(finite_arena(g), args, text);
}

// "sum += x", and max and min of them: vectors can do these (svm/brook_graph.h).
finite_fold finite_vector_fold(const finite_graph *g, const finite_port *in)
{
    const finite_fold none = {0};
    const sir_block *b = &g->filter->work->body;
    const sir_stmt *s = b->len == 1 ? b->data[0] : NULL;
    if (g->all->local.len > 0 || s == NULL || s->kind != SIR_SET || s->u.set.target->kind != SIR_FIELD ||
        s->u.set.target->index != g->reduced->field)
        return none;
    const sir_expr *e = s->u.set.value;
    const bool sum = e->kind == SIR_BINARY && e->op == LANG_OP_ADD,
               most = e->kind == SIR_MATH && (e->op == LANG_MATH_MAX || e->op == LANG_MATH_MIN);
    if ((!sum && !most) || e->type->kind != SIR_FLOAT || in->load != NULL || g->reduced->load != NULL ||
        in->source->type->kind != SIR_FLOAT)
        return none;
    const sir_expr *a = e->u.arg[0], *c = e->u.arg[1];
    const bool before = a->kind == SIR_FIELD && a->index == g->reduced->field;
    const sir_expr *old = before ? a : c, *element = before ? c : a;
    if (old->kind != SIR_FIELD || old->index != g->reduced->field || element->kind != SIR_FIELD ||
        element->index != in->field)
        return none;
    if (sum)
        return (finite_fold){"svm_brookSum", "", true};
    const char *more = e->op == LANG_MATH_MAX ? before ? ", 1, true" : ", 1, false"
                       : before               ? ", -1, true"
                                              : ", -1, false";
    return (finite_fold){"svm_brookMost", more, false};
}

// A row of a block; offset: of an element from its first.
static void emit_fold_loop(finite_graph *g, const finite_port *in, const char *offset)
{
    program_emitter *x = g->x;
    text_line(x, 3, "for (ptrdiff_t %s = begin; %s < fold->columnEnd; %s++) {", g->i, g->i, g->i);
    if (in->used)
        text_line(x, 4, "%s = %s;", emit_declare(&x->e, in->source->type, in->value),
                  finite_load(g, in, arena_printf(finite_arena(g), "first + %s", offset)));
    else
        text_line(x, 4, "(void)first;");
    finite_fire(g, 4, &g->fire, arena_printf(finite_arena(g), "&%s", g->reduced->value));
    text_line(x, 3, "}");
}

// The same for elements that lie side by side.
static void emit_unit_fold_loop(finite_graph *g, const finite_port *in)
{
    const finite_fold fold = finite_vector_fold(g, in);
    const char *value = g->reduced->value;
    if (fold.function == NULL)
        emit_fold_loop(g, in, g->i);
    else
        text_line(g->x, 3, "%s = %s(%s, first + begin, fold->columnEnd - begin%s);", value, fold.function, value,
                  fold.more);
}

// What does not change, and how many elements of each dimension a block has.
static void begin_fold(finite_graph *g, const finite_port *in)
{
    program_emitter *x = g->x;
    for (VEC_EACH(const uint32_t, u, &g->uniforms))
        text_line(x, 1, "%s = %s->%s;",
                  emit_declare(&x->e, g->filter->fields.data[*u].type, g->info->field_names.data[*u]), g->self,
                  g->info->field_names.data[*u]);
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role == SIR_GATHER)
            text_line(x, 1, "const svm_BrookWalk *%s = &%s->%s;", p->walk, g->self, p->walk);
    finite_silence_unused(g);
    text_line(x, 1, "const svm_BrookSpace *%s = &%s->%s;", g->space, g->self, g->space);
    text_line(x, 1, "const svm_BrookWalk *%s = &%s->%s;", in->walk, g->self, in->walk);
    text_line(x, 1, "ptrdiff_t count[SVM_BROOK_RANK];");
    text_line(x, 1, "for (int d = 0; d < SVM_BROOK_RANK; d++)");
    text_line(x, 2, "count[d] = %s->extent[d] / %s->extent[d];", in->walk, g->space);
    text_line(x, 1, "const svm_BrookFold *fold = &%s->fold;", g->self);
    text_line(x, 1, "ptrdiff_t i2 = fold->row %% count[2], i1 = fold->row / count[2] %% count[1],");
    text_line(x, 1, "          i0 = fold->row / count[2] / count[1];");
}

// Through the rows of a block that the run takes; `first` is where they begin.
static void begin_rows(finite_graph *g, int indent, const finite_port *in, const char *base)
{
    program_emitter *x = g->x;
    text_line(x, indent, "for (ptrdiff_t row = fold->row; row < fold->rowEnd; row++) {");
    text_line(x, indent + 1, "%s = %s + i0 * %s->pitch[0] + i1 * %s->pitch[1] + i2 * fold->pitch;",
              finite_pointer(g, in, "first"), base, in->walk, in->walk);
}

void finite_end_rows(finite_graph *g, int indent)
{
    program_emitter *x = g->x;
    text_line(x, indent + 1, "if (++i2 < count[2])");
    text_line(x, indent + 2, "continue;");
    text_line(x, indent + 1, "i2 = 0;");
    text_line(x, indent + 1, "if (++i1 < count[1])");
    text_line(x, indent + 2, "continue;");
    text_line(x, indent + 1, "i1 = 0;");
    text_line(x, indent + 1, "i0++;");
    text_line(x, indent, "}");
}

// The block of elements that go into one: the first is the accumulator's first value.
static void emit_fold(finite_graph *g)
{
    program_emitter *x = g->x;
    const finite_port *in = finite_input(g);
    const char *type = emit_declare(&x->e, g->reduced->source->type, "");
    text_args args = {0};
    add(g, &args, arena_printf(finite_arena(g), "const %s *%s", g->kernel, g->self));
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role == SIR_INPUT || p->source->role == SIR_GATHER)
            add(g, &args, finite_pointer(g, p, p->name));
    add(g, &args, emit_declare(&x->e, g->reduced->source->type, g->reduced->value));
    text_line(
        x, 0,
        "/* A block of elements, or a part of it, in order; given what those before are reduced to, or the first. */");
    text_call(x, 0, arena_printf(finite_arena(g), "static %s %s(", type, g->row), &args, ")");
    text_line(x, 0, "{");
    begin_fold(g, in);
    text_line(x, 1, "ptrdiff_t begin = fold->column + (fold->begins ? 1 : 0);");
    begin_rows(g, 1, in, in->name);
    text_line(x, 2, "if (%s->pitch[3] == 1) {", in->walk);
    emit_unit_fold_loop(g, in);
    text_line(x, 2, "} else {");
    emit_fold_loop(g, in, arena_printf(finite_arena(g), "%s * %s->pitch[3]", g->i, in->walk));
    text_line(x, 2, "}");
    text_line(x, 2, "begin = fold->column;");
    finite_end_rows(g, 1);
    text_line(x, 1, "return %s;", g->reduced->value);
    text_line(x, 0, "}\n");
}

static void emit_column_firing(finite_graph *g, int indent, const char *element)
{
    const finite_port *in = finite_input(g);
    if (in->used)
        text_line(g->x, indent, "%s = %s;", emit_declare(&g->x->e, in->source->type, in->value),
                  finite_load(g, in, element));
    finite_fire(g, indent, &g->fire, arena_printf(finite_arena(g), "&%s[%s]", g->reduced->value, g->i));
}

// Blocks that are one column wide lie beside each other: tile by tile, all of a tile's columns take their next element in
// turn, which is as if each had been reduced by itself.
static void emit_columns(finite_graph *g)
{
    program_emitter *x = g->x;
    const finite_port *in = finite_input(g), *out = g->reduced;
    const char *i = g->i, *value = out->value;
    text_args args = {0};
    finite_add_parameters(g, &args);
    add(g, &args, "ptrdiff_t columns");
    text_line(x, 0, "/* The same for blocks of one column each that lie side by side. */");
    text_call(x, 0, arena_printf(finite_arena(g), "static void %s_columns(", g->row), &args, ")");
    text_line(x, 0, "{");
    text_line(x, 1, "enum { TILE = 1024, ROWS = 4 };");
    begin_fold(g, in);
    text_line(x, 1, "for (ptrdiff_t at = 0; at < columns; at += TILE) {");
    text_line(x, 2, "const ptrdiff_t end = columns - at < TILE ? columns - at : TILE;");
    text_line(x, 2, "_Alignas(64) %s;",
              emit_declare(&x->e, out->source->type, arena_printf(finite_arena(g), "%s[TILE]", value)));
    text_line(x, 2, "for (ptrdiff_t %s = 0; %s < end; %s++)", i, i, i);
    text_line(x, 3, "%s[%s] = fold->begins ? %s : %s;", value, i,
              finite_load(g, in, arena_printf(finite_arena(g), "%s + at + %s", in->name, i)),
              finite_load(g, out, arena_printf(finite_arena(g), "%s + at + %s", out->name, i)));
    text_line(x, 2, "bool begun = !fold->begins;");
    text_line(
        x, 2,
        "i2 = fold->row %% count[2], i1 = fold->row / count[2] %% count[1], i0 = fold->row / count[2] / count[1];");
    begin_rows(g, 2, in, arena_printf(finite_arena(g), "%s + at", in->name));
    if (!in->used)
        text_line(x, 3, "(void)first;");
    text_line(x, 3,
              "if (begun && row + ROWS <= fold->rowEnd && i2 + ROWS <= count[2]) { /* accumulators are loaded once for "
              "them */");
    text_line(x, 4, "const ptrdiff_t pitch = fold->pitch;");
    if (!in->used)
        text_line(x, 4, "(void)pitch;");
    text_line(x, 4, "SVM_BROOK_INDEPENDENT");
    text_line(x, 4, "for (ptrdiff_t %s = 0; %s < end; %s++)", i, i, i);
    text_line(x, 5, "for (int d = 0; d < ROWS; d++) {");
    emit_column_firing(g, 6, arena_printf(finite_arena(g), "first + d * pitch + %s", i));
    text_line(x, 5, "}");
    text_line(x, 4, "row += ROWS - 1;");
    text_line(x, 4, "i2 += ROWS - 1;");
    text_line(x, 3, "} else if (begun) {");
    text_line(x, 4, "SVM_BROOK_INDEPENDENT");
    text_line(x, 4, "for (ptrdiff_t %s = 0; %s < end; %s++) {", i, i, i);
    emit_column_firing(g, 5, arena_printf(finite_arena(g), "first + %s", i));
    text_line(x, 4, "}");
    text_line(x, 3, "}");
    text_line(x, 3, "begun = true;");
    finite_end_rows(g, 2);
    text_line(x, 2, "for (ptrdiff_t %s = 0; %s < end; %s++)", i, i, i);
    text_line(x, 3, "%s",
              finite_store(g, out, arena_printf(finite_arena(g), "(%s + at + %s)", out->name, i),
                           arena_printf(finite_arena(g), "%s[%s]", value, i)));
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
}

// Blocks that are a part of one row each: nothing is worked out again for each of them.
static void emit_short(finite_graph *g)
{
    program_emitter *x = g->x;
    const finite_port *in = finite_input(g), *out = g->reduced;
    text_args args = {0};
    finite_add_parameters(g, &args);
    text_line(x, 0, "/* Blocks of one plane, each a part of one row; false: they are none. */");
    text_call(x, 0, arena_printf(finite_arena(g), "static bool %s_short(", g->row), &args, ")");
    text_line(x, 0, "{");
    begin_fold(g, in);
    text_line(x, 1, "const svm_BrookWalk *%s = &%s->%s;", out->walk, g->self, out->walk);
    text_line(x, 1, "(void)i0, (void)i1, (void)i2;");
    text_line(x, 1, "if (!svm_brookIsShort(%s, %s, fold) || !svm_brookIsPlane(%s, %s))", g->space, in->walk, g->space,
              out->walk);
    text_line(x, 2, "return false;");
    text_line(x, 1, "const ptrdiff_t step = svm_brookStep(%s, %s), result = svm_brookStep(%s, %s);", g->space, in->walk,
              g->space, out->walk);
    text_line(x, 1, "for (ptrdiff_t %s = %s->box.row; %s < %s->box.rowEnd; %s++)", g->r, g->self, g->r, g->self, g->r);
    if (finite_vector_fold(g, in).sum) { // blocks lie one behind the other
        text_line(x, 2, "svm_brookSumEach(%s + (%s * %s->pitch[2] - %s->base + %s->box.column * result), result,",
                  out->name, g->r, out->walk, out->walk, g->self);
        text_line(x, 2, "                 %s + (%s * %s->pitch[2] - %s->base + %s->box.column * step),", in->name, g->r,
                  in->walk, in->walk, g->self);
        text_line(x, 2, "                 %s->box.columnEnd - %s->box.column, count[3]);", g->self, g->self);
        text_line(x, 1, "return true;");
        text_line(x, 0, "}\n");
        return;
    }
    text_line(x, 2, "for (ptrdiff_t column = %s->box.column; column < %s->box.columnEnd; column++) {", g->self,
              g->self);
    text_line(x, 3, "%s = %s + (%s * %s->pitch[2] - %s->base + column * step);", finite_pointer(g, in, "first"),
              in->name, g->r, in->walk, in->walk);
    text_line(x, 3, "%s = %s;", emit_declare(&x->e, out->source->type, out->value), finite_load(g, in, "first"));
    text_line(x, 3, "for (ptrdiff_t %s = 1; %s < count[3]; %s++) {", g->i, g->i, g->i);
    if (in->used)
        text_line(x, 4, "%s = %s;", emit_declare(&x->e, in->source->type, in->value),
                  finite_load(g, in, arena_printf(finite_arena(g), "first + %s", g->i)));
    finite_fire(g, 4, &g->fire, arena_printf(finite_arena(g), "&%s", out->value));
    text_line(x, 3, "}");
    text_line(x, 3, "%s",
              finite_store(g, out,
                           arena_printf(finite_arena(g), "(%s + (%s * %s->pitch[2] - %s->base + column * result))",
                                        out->name, g->r, out->walk, out->walk),
                           out->value));
    text_line(x, 2, "}");
    text_line(x, 1, "return true;");
    text_line(x, 0, "}\n");
}

// A row of results whose blocks are columns.
static void emit_columns_call(finite_graph *g)
{
    program_emitter *x = g->x;
    const finite_port *in = finite_input(g), *out = g->reduced;
    text_args args = {0};
    text_line(
        x, 2,
        "if (svm_brookStep(%s, &%s->%s) == 1 && %s->%s.extent[3] == %s->columns && svm_brookStep(%s, &%s->%s) == 1) {",
        g->space, g->self, in->walk, g->self, in->walk, g->space, g->space, g->self, out->walk);
    add(g, &args, g->self);
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        const bool gathered = p->source->role == SIR_GATHER;
        add(g, &args,
            gathered ? p->name
                     : arena_printf(finite_arena(g), "%s + %s->box.column", finite_row_of(g, p, g->r), g->self));
    }
    add(g, &args, arena_printf(finite_arena(g), "%s->box.columnEnd - %s->box.column", g->self, g->self));
    text_call(x, 3, arena_printf(finite_arena(g), "%s_columns(", g->row), &args, ");");
    text_line(x, 3, "continue;");
    text_line(x, 2, "}");
}

// "x + svm_brookRow(..) + i * svm_brookStep(..)": the element, or block, of a result.
static const char *at_result(finite_graph *g, const finite_port *p)
{
    return arena_printf(g->x->e.arena, "%s + %s * svm_brookStep(%s, &%s->%s)", finite_row_of(g, p, g->r), g->i,
                        g->space, g->self, p->walk);
}

static void emit_fold_run(finite_graph *g)
{
    program_emitter *x = g->x;
    const finite_port *in = finite_input(g), *out = g->reduced;
    text_args args = {0}, small = {0};
    finite_begin_run(g);
    finite_add_arguments(g, &small);
    if (g->all->local.len == 0) {
        text_call(x, 1, arena_printf(finite_arena(g), "if (%s_short(", g->row), &small, "))");
        text_line(x, 2, "return;");
    }
    text_line(x, 1, "for (ptrdiff_t %s = %s->box.row; %s < %s->box.rowEnd; %s++) {", g->r, g->self, g->r, g->self,
              g->r);
    emit_columns_call(g);
    text_line(x, 1, "for (ptrdiff_t %s = %s->box.column; %s < %s->box.columnEnd; %s++) {", g->i, g->self, g->i, g->self,
              g->i);
    text_line(x, 2, "%s = %s;", finite_pointer(g, in, "block"), at_result(g, in));
    text_line(x, 2, "%s = %s;", finite_pointer(g, out, "result"), at_result(g, out));
    add(g, &args, g->self);
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        if (p->source->role == SIR_INPUT)
            add(g, &args, "block");
        else if (p->source->role == SIR_GATHER)
            add(g, &args, p->name);
    }
    add(g, &args,
        arena_printf(finite_arena(g), "%s->fold.begins ? %s : %s", g->self, finite_load(g, in, "block"),
                     finite_load(g, out, "result")));
    text_call(
        x, 2,
        arena_printf(finite_arena(g), "const %s = %s(", emit_declare(&x->e, out->source->type, out->value), g->row),
        &args, ");");
    text_line(x, 2, "%s", finite_store(g, out, "result", out->value));
    text_line(x, 1, "}");
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
}

void finite_reduce(finite_graph *g)
{
    emit_fold(g);
    emit_columns(g);
    if (g->all->local.len == 0)
        emit_short(g);
    emit_fold_run(g);
}
