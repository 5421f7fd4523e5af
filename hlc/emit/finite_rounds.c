// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that may wait for the next one (svm/brook_graph.h), on a processor that reaches the shared memory.
//
// NOTE(rounds). A stage of a transform reads all of a stream and writes all of another one; then the streams are swapped,
// and the next stage does the same. Rows of firings that only gather, and by rows (finite_rows.c), can go in any order, and
// those of the next call between them. Which rows those are is found when the program runs. Nothing but what it writes tells
// that a call has been done later: its body has no loops, which might not end, and stops nothing.
#include "hlc/emit/finite_int.h"
#include "hlc/ir/walk.h"

static bool is_row(const finite_graph *g, uint32_t field)
{
    for (VEC_EACH(const finite_row, r, &g->rows))
        if (r->field == field)
            return true;
    return false;
}

// ---- Which ----

static bool may_stop(const sir_expr *e)
{
    if (e->kind == SIR_BINARY && (e->op == LANG_OP_DIV || e->op == LANG_OP_REM) && e->type->kind == SIR_INT)
        return true;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (may_stop(e->u.arg[i]))
            return true;
    return false;
}

static void look_at_expr(void *context, sir_expr *e, bool written)
{
    bool *good = context;
    (void)written;
    *good = *good && !may_stop(e);
}

static void look_at_stmt(void *context, sir_stmt *s)
{
    bool *good = context;
    *good = *good && s->kind != SIR_FOR && s->kind != SIR_LOOP && s->kind != SIR_CALL;
    sir_visit_exprs(s, look_at_expr, good);
}

bool finite_may_wait(const finite_emitter *all, const sir_filter *f)
{
    const emitter *e = &all->x.e;
    const hlc_config *config = all->x.p->config;
    size_t outputs = 0;
    bool good = all->local.len == 0 && all->direct.len == 1 && f->prework == NULL && !e->keep_names &&
                !e->line_directives && !e->check_bounds &&
                (config == NULL || !(config->no_lanes || config->interpret_kernels || config->fast_math));
    for (uint32_t i = 0; good && i < f->fields.len; i++) {
        const sir_role role = f->fields.data[i].role;
        good = role == SIR_GATHER || role == SIR_UNIFORM || role == SIR_COORDINATE ||
               (role == SIR_OUTPUT && finite_is_written(f, i));
        outputs += role == SIR_OUTPUT;
    }
    if (good)
        sir_visit_stmts(&f->work->body, look_at_stmt, &good);
    return good && outputs > 0;
}

// Whether all that is fetched near the firing's place is what rows are gathered for, at its own column.
static bool stays_in_column(const finite_graph *g)
{
    for (VEC_EACH(const finite_row, r, &g->rows)) {
        const finite_port *p = finite_port_of(g, r->field);
        const finite_near *near = p->source->rank == 2 ? &p->near[1] : NULL;
        if (r->of != g->rows.data[0].of || near == NULL || near->coordinate == SIR_NONE ||
            finite_field(g, near->coordinate)->dimension != 0 || near->least != 0 || near->most != 0)
            return false;
    }
    for (VEC_EACH(const finite_reach, r, &g->reaches))
        if (!is_row(g, r->field))
            return false;
    return g->info->near != SIR_NONE;
}

// Whether what rows are gathered from could be what is made; how many outputs there are.
static bool is_chain(const finite_graph *g, size_t *outputs)
{
    const sir_field *from = finite_field(g, g->rows.data[0].field);
    *outputs = 0;
    for (VEC_EACH(const uint32_t, c, &g->coordinates))
        if (!finite_is_output(finite_port_of(g, finite_field(g, *c)->of)))
            return false;
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        if (p->load != NULL || p->store != NULL || (finite_is_output(p) && (!p->used || p->source->type != from->type)))
            return false;
        *outputs += finite_is_output(p);
    }
    return true;
}

void finite_find_rounds(finite_graph *g)
{
    enum { MOST = 4 }; // rows, and outputs: what is between two firings had better stay in registers
    emitter *e = &g->x->e;
    arena *a = e->arena;
    const char *base = g->info->c_name;
    size_t outputs;
    if (g->all->local.len > 0 || g->rows.len == 0 || g->rows.len > MOST || g->turned.len > 0 || !stays_in_column(g) ||
        !is_chain(g, &outputs) || outputs > MOST)
        return;
    g->rowwise = emit_unique_name(e, arena_printf(a, "%s_rowwise", base));
    g->any_row = emit_unique_name(e, arena_printf(a, "%s_any_row", base));
    g->twice = emit_unique_name(e, arena_printf(a, "%s_twice", base));
    g->find = emit_unique_name(e, arena_printf(a, "%s_find", base));
    g->rounds = emit_unique_name(e, arena_printf(a, "%s_rounds", base));
    diag_remark(
        g->x->p->diag, sir_range(g->x->m, g->x->p->sources, g->filter->loc),
        "in a loop of kernels, a call of '%s' waits for the next one: if that gathers whole rows of what this one "
        "writes, both go row by row, and nothing between them is stored [rounds]",
        g->filter->name);
}

// ---- A row ----

static void emit_row_function(finite_graph *g)
{
    program_emitter *x = g->x;
    text_args args = {0};
    text_line(x, 0, "/* A row of firings of a call that has waited. */");
    text_line(x, 0, "static void %s(const void *run, ptrdiff_t row, char *const *at)", g->any_row);
    text_line(x, 0, "{");
    VEC_PUSH(finite_arena(g), &args, "run");
    VEC_PUSH(finite_arena(g), &args, "row");
    for (size_t i = 0; i < g->ports.len; i++)
        VEC_PUSH(finite_arena(g), &args, arena_printf(finite_arena(g), "(void *)at[%zu]", i));
    if (g->past) // it is told its columns
        VEC_PUSH(finite_arena(g), &args,
                 arena_printf(finite_arena(g), "0, ((const %s *)run)->%s.columns", g->kernel, g->space));
    text_call(x, 1, arena_printf(finite_arena(g), "%s(", g->row), &args, ");");
    text_line(x, 0, "}\n");
}

// Which rows are gathered from, found from the run.
static void emit_find(finite_graph *g)
{
    program_emitter *x = g->x;
    strbuf b;
    strbuf_init(&b, finite_arena(g));
    for (VEC_EACH(const uint32_t, u, &g->uniforms))
        strbuf_printf(&b, ", %sself->%s", finite_field(g, *u)->type->kind == SIR_STRUCT ? "&" : "",
                      g->info->field_names.data[*u]);
    finite_rows_function(g);
    text_line(x, 0, "static void %s(const void *run, svm_BrookWalk *walks)", g->find);
    text_line(x, 0, "{");
    text_line(x, 1, "const %s *self = run;", g->kernel);
    text_line(x, 1, "%s_rows(&self->%s, walks%s);", g->info->c_name, g->space, b.data);
    text_line(x, 0, "}\n");
}

// ---- Rows of two calls ----

// A firing of the second call takes what firings of the first make: for each row that it gathers from, one of these; and
// for each output of them one of those.
typedef struct twice {
    finite_graph *g;
    int call;    // 0, 1
    size_t line; // its firings' number
} twice;

// What is a call's own, and a firing's. No field begins so.
static const char *own(const twice *t, const char *name)
{
    return arena_printf(finite_arena(t->g), "svm_%c_%s", 'a' + t->call, name);
}

static const char *own_line(const twice *t, const char *name)
{
    return arena_printf(finite_arena(t->g), "svm_%c%zu_%s", 'a' + t->call, t->line, name);
}

static const char *between(const twice *t, size_t row, size_t output)
{
    return arena_printf(finite_arena(t->g), "svm_made%zu_%zu", row, output);
}

// The number of an output, or of a row that is gathered from, among those of its kind.
static size_t number_of(const finite_graph *g, uint32_t field)
{
    size_t n = 0;
    const bool output = finite_is_output(finite_port_of(g, field));
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        if (p->field == field)
            break;
        n += output ? finite_is_output(p) : is_row(g, p->field);
    }
    return n;
}

static size_t lines_of(const finite_graph *g, int call)
{
    size_t outputs = 0;
    for (VEC_EACH(const finite_port, p, &g->ports))
        outputs += finite_is_output(p);
    return call == 0 ? g->rows.len : outputs;
}

static const char *declared(const finite_graph *g, uint32_t field, const char *name)
{
    return emit_declare(&g->x->e, finite_field(g, field)->type, name);
}

// Of a stream that the firing has to itself, or all firings of the call alike.
static void emit_pointer(const twice *t, size_t port, size_t before)
{
    finite_graph *g = t->g;
    const finite_port *p = &g->ports.data[port];
    const bool row = is_row(g, p->field);
    if (finite_is_output(p) ? t->call == 0 : row ? t->call == 1 : t->line > 0 || !p->used)
        return;
    const char *name = finite_is_output(p) || row ? own_line(t, p->name) : own(t, p->name);
    text_line(g->x, 1, "%s = (void *)at[%zu];",
              finite_pointer(g, p, finite_is_output(p) ? name : arena_printf(finite_arena(g), "restrict %s", name)),
              before * g->ports.len + port);
}

// What firings of a call have in common.
static void emit_common(const twice *t, const char *self)
{
    finite_graph *g = t->g;
    program_emitter *x = g->x;
    text_line(x, 1, "const %s *%s = %s_run;", g->kernel, self, self);
    text_line(x, 1, "(void)%s;", self);
    for (VEC_EACH(const uint32_t, field, &g->fire.fields)) {
        const finite_port *p = finite_port_of(g, *field);
        if (p == NULL && finite_field(g, *field)->role == SIR_UNIFORM)
            text_line(x, 1, "%s = %s->%s;", declared(g, *field, own(t, finite_field_name(g, *field))), self,
                      finite_field_name(g, *field));
        if (p != NULL && p->source->role == SIR_GATHER && !is_row(g, *field))
            text_line(x, 1, "const svm_BrookWalk %s = %s->%s;", own(t, p->walk), self, p->walk);
    }
}

// That, and the place and pointers of each.
static void emit_side(finite_graph *g, int call)
{
    const char *self = call == 0 ? "first" : "next";
    twice t = {.g = g, .call = call};
    emit_common(&t, self);
    for (t.line = 0; t.line < lines_of(g, call); t.line++) {
        const size_t before = call == 0 ? t.line : g->rows.len + t.line;
        for (VEC_EACH(const uint32_t, field, &g->fire.fields)) {
            const sir_field *f = finite_field(g, *field);
            if (f->role == SIR_COORDINATE && f->dimension > 0)
                text_line(g->x, 1, "%s = (int)svm_brookPlaceOfRow(&%s->%s, &%s->%s, rows[%zu], %d);",
                          declared(g, *field, own_line(&t, finite_field_name(g, *field))), self, g->space, self,
                          finite_port_of(g, f->of)->walk, before, 3 - (int)f->dimension);
        }
        for (size_t i = 0; i < g->ports.len; i++)
            emit_pointer(&t, i, before);
    }
}

static void emit_firing(const twice *t)
{
    finite_graph *g = t->g;
    arena *a = finite_arena(g);
    text_args args = {0};
    for (VEC_EACH(const uint32_t, field, &g->fire.fields)) {
        const sir_field *f = finite_field(g, *field);
        const char *name = finite_field_name(g, *field), *text;
        if (f->role == SIR_UNIFORM)
            text = own(t, name);
        else if (f->role == SIR_COORDINATE)
            text = f->dimension == 0 ? "svm_column" : own_line(t, name);
        else if (f->role == SIR_OUTPUT)
            text = t->call == 0 ? between(t, t->line, number_of(g, *field))
                                : own_line(t, finite_port_of(g, *field)->value);
        else
            text = NULL;
        if (text != NULL) {
            VEC_PUSH(a, &args, arena_printf(a, "&%s", text));
            continue;
        }
        const finite_port *p = finite_port_of(g, *field);
        const bool row = is_row(g, *field);
        VEC_PUSH(a, &args,
                 !row           ? own(t, p->name)
                 : t->call == 0 ? own_line(t, p->name)
                                : arena_printf(a, "&%s", between(t, number_of(g, *field), t->line)));
        VEC_PUSH(a, &args, row ? "&svm_line" : arena_printf(a, "&%s", own(t, p->walk)));
    }
    VEC_PUSH(a, &args, "SVM_BROOK_COLUMN_INSIDE");
    VEC_PUSH(a, &args, t->call == 0 ? "i" : "0");
    text_call(g->x, 2, arena_printf(a, "%s(", g->fire.name), &args, ");");
}

// Firings of both calls at a column.
static void emit_column(finite_graph *g)
{
    program_emitter *x = g->x;
    twice t = {.g = g};
    for (t.line = 0; t.line < lines_of(g, 0); t.line++) {
        for (VEC_EACH(const finite_port, p, &g->ports))
            if (finite_is_output(p))
                text_line(x, 2, "%s;", declared(g, p->field, between(&t, t.line, number_of(g, p->field))));
        emit_firing(&t);
    }
    t.call = 1;
    for (t.line = 0; t.line < lines_of(g, 1); t.line++) {
        for (VEC_EACH(const finite_port, p, &g->ports))
            if (finite_is_output(p))
                text_line(x, 2, "%s;", declared(g, p->field, own_line(&t, p->value)));
        emit_firing(&t);
    }
    for (t.line = 0; t.line < lines_of(g, 1); t.line++)
        for (VEC_EACH(const finite_port, p, &g->ports))
            if (finite_is_output(p))
                text_line(x, 2, "%s[i] = %s;", own_line(&t, p->name), own_line(&t, p->value));
}

static void emit_twice(finite_graph *g)
{
    program_emitter *x = g->x;
    text_line(x, 0, "/* Rows of firings of two calls, the second of which takes what the first make. */");
    text_line(x, 0, "SVM_BROOK_WHOLE");
    text_line(x, 0,
              "static void %s(const void *first_run, const void *next_run, const ptrdiff_t *rows, char *const *at)",
              g->twice);
    text_line(x, 0, "{");
    text_line(x, 1, "const svm_BrookWalk svm_line = {.extent = {1, 1, 1, 1}};");
    text_line(x, 1, "(void)rows;");
    emit_side(g, 0);
    emit_side(g, 1);
    text_line(x, 1, "const ptrdiff_t columns = first->%s.columns;", g->space);
    text_line(x, 1, "SVM_BROOK_INDEPENDENT");
    text_line(x, 1, "for (ptrdiff_t i = 0; i < columns; i++) {");
    text_line(x, 2, "int svm_column = (int)i;");
    text_line(x, 2, "(void)svm_column;");
    emit_column(g);
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
}

void finite_rounds(finite_graph *g)
{
    program_emitter *x = g->x;
    if (g->rowwise == NULL)
        return;
    emit_find(g);
    emit_row_function(g);
    emit_twice(g);
    strbuf lines;
    strbuf_init(&lines, finite_arena(g));
    for (size_t i = 0; i < g->ports.len; i++)
        if (is_row(g, g->ports.data[i].field))
            strbuf_printf(&lines, "%s%zu", lines.len > 0 ? ", " : "", i);
    const char *uniforms = g->uniforms.len == 0 ? arena_printf(finite_arena(g), "sizeof(%s)", g->kernel)
                                                : arena_printf(finite_arena(g), "offsetof(%s, %s)", g->kernel,
                                                               finite_field_name(g, g->uniforms.data[0]));
    text_line(x, 0, "static svm_BrookRounds %s;", g->rounds);
    text_line(x, 0, "static const svm_BrookRowwise %s = {", g->rowwise);
    text_line(x, 1, "%s, %s, %s,", g->any_row, g->twice, g->find);
    text_line(x, 1, "sizeof(%s), %s, %zu, {%s}, &%s,", g->kernel, uniforms, g->rows.len, lines.data, g->rounds);
    text_line(x, 0, "};");
}

void finite_wait(finite_graph *g, const char *run)
{
    program_emitter *x = g->x;
    if (g->rowwise == NULL)
        return;
    text_line(x, 1, "if (svm_brookWait(&%s, &%s, streams, walks, &%s.run)) {", g->table, g->space, run);
    text_line(x, 2, "svm_brookLeave(at, &%s, streams, walks);", g->table);
    text_line(x, 2, "return;");
    text_line(x, 1, "}");
}
