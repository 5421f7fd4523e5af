// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of firings for which what lies down columns of a gathered stream is turned over, on processors that reach the shared
// memory.
//
// NOTE(turned). Where a firing's column leads down the rows, as where a matrix is turned over, a row of firings takes one
// element of each cache line that it comes by, and the next row takes those beside them when they have left the cache:
//
//     a = t[float2(p.y, p.x)];      row y -> column y of t
//
// So rows go together, some columns at a time: what lies down their columns is put into a tile, in which it lies along rows
// (svm/brook_turn.h), and each row of firings reads its own row of that. Which column it is, uniforms and places that are the
// same in the row must tell, and each such expression has a port of its own (finite_rows.c). That is where the first element
// would be if the row of the tile were a column: the walk says that rows are one element apart, and that there is one column.
// Firings that are near the stream's edges go as others do.
#include <inttypes.h>

#include "hlc/emit/finite_int.h"
#include "hlc/ir/walk.h"

static const finite_row *column_of(const finite_graph *g, const finite_port *p)
{
    for (VEC_EACH(const finite_row, r, &g->turned))
        if (r->field == p->field)
            return r;
    return NULL;
}

bool finite_is_turned(const finite_graph *g, const finite_port *p)
{
    return column_of(g, p) != NULL;
}

// ---- Where it can be ----

typedef struct checker {
    const finite_graph *g;
    bool wrong;
} checker;

// All places are those of one parameter, and what the firing function makes of a fetch is what the walk is for.
static void check_fetch(void *context, sir_expr *e, bool written)
{
    checker *c = context;
    const finite_port *p = e->kind == SIR_FETCH ? finite_port_of(c->g, e->index) : NULL;
    int64_t down;
    (void)written;
    if (p != NULL && finite_is_turned(c->g, p))
        c->wrong |= !body_turned_offset(c->g->filter, c->g->info->near, SIR_NONE, e, &down);
}

static void check_stmt(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, check_fetch, context);
}

void finite_find_turned(finite_graph *g)
{
    checker c = {g, g->lanes > 0 || g->info->near == SIR_NONE};
    if (g->turned.len > 0)
        sir_visit_stmts((sir_block *)&g->filter->work->body, check_stmt, &c);
    if (c.wrong)
        g->turned.len = 0;
    if (g->turned.len == 0)
        return;
    g->turn = emit_unique_name(&g->x->e, arena_printf(finite_arena(g), "%s_turned", g->info->c_name));
    g->turned_row = emit_unique_name(&g->x->e, arena_printf(finite_arena(g), "%s_turned", g->row));
}

// ---- The text ----

static const char *tile_of(finite_graph *g, const finite_port *p)
{
    return arena_printf(finite_arena(g), "%s_tile", p->walk); // no parameter is called so
}

static const char *places_of(finite_graph *g, const finite_port *p)
{
    return arena_printf(finite_arena(g), "%s_at", p->walk);
}

static const char *down_of(finite_graph *g, const finite_port *p)
{
    const int64_t down = column_of(g, p)->down;
    return down == 0 ? ""
                     : arena_printf(finite_arena(g), " %c %" PRId64, down < 0 ? '-' : '+', down < 0 ? -down : down);
}

// Which columns the rows of a tile are.
static void emit_places(finite_graph *g, const char *const *calls)
{
    program_emitter *x = g->x;
    text_line(x, 2, "for (int q = 0; q < rows; q++) {");
    for (VEC_EACH(const uint32_t, c, &g->coordinates)) {
        const sir_field *f = &g->filter->fields.data[*c];
        const char *name = g->info->field_names.data[*c];
        if (f->dimension == 0)
            continue;
        text_line(x, 3, "int %s = (int)svm_brookPlaceOfRow(%s, &%s->%s, first + q, %d);", name, g->space, g->self,
                  finite_port_of(g, f->of)->walk, 3 - (int)f->dimension);
        text_line(x, 3, "(void)%s;", name);
    }
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (finite_is_turned(g, p))
            text_line(x, 3, "%s[q] = svm_brookAt1(&%s->%s, %s);", places_of(g, p), g->self, p->walk,
                      calls[column_of(g, p) - g->turned.data]);
    text_line(x, 2, "}");
}

// A stream's row of a tile.
static const char *in_tile(finite_graph *g, const finite_port *p)
{
    if (!finite_is_turned(g, p))
        return NULL;
    return arena_printf(finite_arena(g), "svm_brookTurnedRow(%s, q, where%s, sizeof(%s))", tile_of(g, p), down_of(g, p),
                        p->element);
}

// A row of firings: those of the tiles, or others.
static void emit_row_call(finite_graph *g, int indent, bool turned, const char *from, const char *to)
{
    program_emitter *x = g->x;
    text_args args = {0};
    finite_add_row(g, &args, "first + q", turned ? in_tile : NULL);
    VEC_PUSH(x->e.arena, &args, from);
    VEC_PUSH(x->e.arena, &args, to);
    text_call(x, indent, arena_printf(x->e.arena, "%s(", turned ? g->turned_row : g->row), &args, ");");
}

static void emit_tiles(finite_graph *g)
{
    program_emitter *x = g->x;
    text_line(x, 2, "for (ptrdiff_t where = near; where < far; where += SVM_BROOK_TURNED_COLUMNS) {");
    text_line(x, 3, "const ptrdiff_t columns = svm_brookTurnedCount(far - where, SVM_BROOK_TURNED_COLUMNS);");
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (finite_is_turned(g, p))
            text_line(x, 3, "%s %s[SVM_BROOK_TURNED_ROWS * SVM_BROOK_TURNED_COLUMNS];", p->element, tile_of(g, p));
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (finite_is_turned(g, p))
            text_line(
                x, 3,
                "svm_brookTurn(%s, %s + (where%s) * %s->%s.pitch[2], %s->%s.pitch[2], %s, rows, columns, sizeof(%s));",
                tile_of(g, p), p->name, down_of(g, p), g->self, p->walk, g->self, p->walk, places_of(g, p), p->element);
    text_line(x, 3, "for (int q = 0; q < rows; q++)");
    emit_row_call(g, 4, true, "where", "where + columns");
    text_line(x, 2, "}");
}

// "static inline int first_t_column(..)", a function for each port; how they are called.
static const char **emit_column_functions(finite_graph *g)
{
    const char **calls = ARENA_ARRAY(finite_arena(g), const char *, g->turned.len);
    for (size_t i = 0; i < g->turned.len; i++) {
        const finite_row *r = &g->turned.data[i];
        const char *name =
            arena_printf(finite_arena(g), "%s_%s_column", g->info->c_name, g->info->field_names.data[r->field]);
        calls[i] = finite_row_call(g, r, emit_unique_name(&g->x->e, name));
    }
    return calls;
}

void finite_turned(finite_graph *g)
{
    program_emitter *x = g->x;
    const char **calls = emit_column_functions(g);
    text_args args = {0};
    finite_add_parameters(g, &args);
    text_line(x, 0, "/* A run, several rows at a time, given columns turned over; false: it goes row by row. */");
    text_call(x, 0, arena_printf(x->e.arena, "static bool %s(", g->turn), &args, ")");
    text_line(x, 0, "{");
    text_line(x, 1, "const svm_BrookSpace *%s = &%s->%s;", g->space, g->self, g->space);
    text_line(x, 1, "const svm_BrookBox *box = &%s->box;", g->self);
    for (VEC_EACH(const uint32_t, u, &g->uniforms)) {
        const char *name = g->info->field_names.data[*u];
        text_line(x, 1, "%s = %s->%s;", emit_declare(&x->e, g->filter->fields.data[*u].type, name), g->self, name);
        text_line(x, 1, "(void)%s;", name);
    }
    finite_keep_inside(g, 1, "box->column", "box->columnEnd", arena_printf(x->e.arena, "%s->", g->self));
    text_line(x, 1, "if (%s->form != SVM_BROOK_UNIT || far - near < SVM_BROOK_TURNED_LEAST)", g->space);
    text_line(x, 2, "return false;");
    text_line(x, 1, "for (ptrdiff_t first = box->row; first < box->rowEnd; first += SVM_BROOK_TURNED_ROWS) {");
    text_line(x, 2, "const ptrdiff_t rows = svm_brookTurnedCount(box->rowEnd - first, SVM_BROOK_TURNED_ROWS);");
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (finite_is_turned(g, p))
            text_line(x, 2, "ptrdiff_t %s[SVM_BROOK_TURNED_ROWS];", places_of(g, p));
    emit_places(g, calls);
    emit_tiles(g);
    text_line(x, 2, "for (int q = 0; q < rows && near > box->column; q++)");
    emit_row_call(g, 3, false, "box->column", "near");
    text_line(x, 2, "for (int q = 0; q < rows && far < box->columnEnd; q++)");
    emit_row_call(g, 3, false, "far", "box->columnEnd");
    text_line(x, 1, "}");
    text_line(x, 1, "return true;");
    text_line(x, 0, "}\n");
}

void finite_call_turned(finite_graph *g)
{
    text_args args = {0};
    finite_add_arguments(g, &args);
    text_call(g->x, 1, arena_printf(finite_arena(g), "if (%s(", g->turn), &args, "))");
    text_line(g->x, 2, "return;");
}
