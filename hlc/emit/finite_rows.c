// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams that are gathered from in rows of which the firing's row tells which: the host finds them before a call, so
// that they can come with the strip.
//
//     float pair = floor(y / run) * run;      the rows of a port:   y -> floor(y / run) * run + y
//     a = t[pair + y][x];                     and of another:       y -> floor(y / run) * run + y + run
//     b = t[pair + y + run][x];
//
// With fast math host and kernel might not find the same rows: then there are no such ports.
//
// Each expression has a port of its own, a field behind those of the source, since the rows of one lie together, and
// those of several perhaps far apart.
//
// The same of columns, where the firing's column leads down the rows: finite_turned.c.
#include <string.h>

#include "hlc/emit/finite_int.h"
#include "hlc/ir/walk.h"

enum { MOST_PORTS = 4 }; // of a stream: each has a part of the memory

typedef struct splitter {
    sir_module *m;
    sir_filter *filter;
    const sir_expr **value; // per local: what it always is from here on; NULL: that is not known
    size_t *writes;         // per local
    bool straight;          // the statement is done once a firing
    bool turned;            // columns are looked for
    // Of the field that is looked at:
    uint32_t field;
    finite_rows found;
    VEC(sir_expr *) fetches;
    VEC(size_t) row_of; // of each: in `found`
    bool lost;
} splitter;

// ---- What an expression depends on ----

static bool is_scalar(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_FLOAT || t->kind == SIR_DOUBLE || t->kind == SIR_BOOLEAN;
}

static bool is_same_for_row(const sir_field *f)
{
    return (f->role == SIR_UNIFORM && is_scalar(f->type)) || (f->role == SIR_COORDINATE && f->dimension > 0);
}

// A copy of the expression in uniforms and places of the row, which passes over the body do not touch; NULL: it has
// others.
static const sir_expr *resolved(splitter *s, const sir_expr *e)
{
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: break;
    case SIR_FIELD:
        if (!is_same_for_row(&s->filter->fields.data[e->index]))
            return NULL;
        break;
    case SIR_LOCAL: return s->value[e->index];
    case SIR_UNARY:
    case SIR_BINARY:
    case SIR_SELECT:
    case SIR_CONVERT:
    case SIR_MATH: break;
    default: return NULL;
    }
    if (!is_scalar(e->type) || sir_may_divide_by_zero(e))
        return NULL;
    sir_expr *to = ARENA_NEW(s->m->arena, sir_expr);
    *to = *e;
    for (size_t i = 0; i < sir_expr_arity(e); i++) {
        to->u.arg[i] = (sir_expr *)resolved(s, e->u.arg[i]);
        if (to->u.arg[i] == NULL)
            return NULL;
    }
    return to;
}

// Nodes, up to a bound: what is named often becomes large.
static size_t size_of(const sir_expr *e, size_t bound)
{
    size_t n = 1;
    for (size_t i = 0; i < sir_expr_arity(e) && n < bound; i++)
        n += size_of(e->u.arg[i], bound - n);
    return n;
}

static bool is_same(const sir_expr *a, const sir_expr *b)
{
    if (a->kind != b->kind || a->op != b->op || a->type != b->type)
        return false;
    if (a->kind == SIR_CONST)
        return a->type->kind == SIR_DOUBLE ? memcmp(&a->u.value.d, &b->u.value.d, sizeof a->u.value.d) == 0
                                           : a->u.value.i == b->u.value.i; // of floats the bits
    if (a->kind == SIR_FIELD)
        return a->index == b->index;
    for (size_t i = 0; i < sir_expr_arity(a); i++)
        if (!is_same(a->u.arg[i], b->u.arg[i]))
            return false;
    return true;
}

static bool names_place(const sir_filter *f, const sir_expr *e, uint32_t *place)
{
    if (e->kind == SIR_FIELD && f->fields.data[e->index].role == SIR_COORDINATE) {
        *place = e->index;
        return true;
    }
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (names_place(f, e->u.arg[i], place))
            return true;
    return false;
}

// ---- The fetches of a field, in the order of the text ----

static size_t row_number(splitter *s, const sir_expr *row, int64_t down)
{
    for (size_t i = 0; i < s->found.len; i++)
        if (is_same(s->found.data[i].row, row) && s->found.data[i].down == down)
            return i;
    VEC_PUSH(s->m->arena, &s->found, (finite_row){.field = s->field, .of = s->field, .row = row, .down = down});
    return s->found.len - 1;
}

static void look_at_expr(void *context, sir_expr *e, bool written)
{
    enum { LARGE = 200 };
    splitter *s = context;
    (void)written;
    if (e->kind != SIR_FETCH || e->index != s->field || s->lost)
        return;
    int64_t down = 0;
    const sir_expr *row = resolved(s, e->u.arg[s->turned ? 1 : 0]);
    s->lost = row == NULL || size_of(row, LARGE) >= LARGE ||
              (s->turned && !body_turned_offset(s->filter, SIR_NONE, SIR_NONE, e, &down));
    if (s->lost)
        return;
    VEC_PUSH(s->m->arena, &s->fetches, e);
    VEC_PUSH(s->m->arena, &s->row_of, row_number(s, row, down));
    s->lost = s->found.len > MOST_PORTS;
}

static void look_at_block(splitter *s, const sir_block *b);

static void look_at_stmt(splitter *s, sir_stmt *t)
{
    uint32_t local = SIR_NONE;
    const sir_expr *value = NULL;
    s->lost = s->lost || t->kind == SIR_CALL;
    sir_visit_exprs(t, look_at_expr, s);
    if (t->kind == SIR_DECL && t->u.decl.init != NULL) {
        local = t->u.decl.local;
        value = t->u.decl.init;
    } else if (t->kind == SIR_SET && t->u.set.target->kind == SIR_LOCAL) {
        local = t->u.set.target->index;
        value = t->u.set.value;
    }
    if (local != SIR_NONE && s->straight && s->writes[local] == 1 && is_scalar(value->type))
        s->value[local] = resolved(s, value);
    const bool straight = s->straight;
    s->straight = straight && t->kind == SIR_BLOCK;
    const sir_parts parts = sir_stmt_parts(t);
    for (uint8_t i = 0; i < parts.block_count; i++)
        look_at_block(s, parts.block[i]);
    s->straight = straight;
}

static void look_at_block(splitter *s, const sir_block *b)
{
    for (VEC_EACH(sir_stmt *const, t, b))
        look_at_stmt(s, *t);
}

static void count_writes(void *context, sir_stmt *t)
{
    splitter *s = context;
    const sir_parts parts = sir_stmt_parts(t);
    if (t->kind == SIR_DECL && t->u.decl.init != NULL)
        s->writes[t->u.decl.local]++;
    if (t->kind == SIR_FOR)
        s->writes[t->u.for_.local]++;
    const sir_expr *root = parts.target == NULL ? NULL : sir_lvalue_root(*parts.target);
    if (root != NULL && root->kind == SIR_LOCAL)
        s->writes[root->index]++;
}

static bool look(splitter *s, uint32_t field)
{
    const size_t locals = s->filter->work->locals.len;
    s->field = field;
    s->lost = false;
    s->straight = true;
    memset(&s->found, 0, sizeof s->found);
    memset(&s->fetches, 0, sizeof s->fetches);
    memset(&s->row_of, 0, sizeof s->row_of);
    memset(s->value, 0, (locals + 1) * sizeof *s->value);
    look_at_block(s, &s->filter->work->body);
    bool moves = false;
    uint32_t place;
    for (VEC_EACH(const finite_row, r, &s->found))
        moves = moves || names_place(s->filter, r->row, &place);
    return !s->lost && moves;
}

// ---- Ports ----

static void split(splitter *s, finite_rows *rows)
{
    arena *a = s->m->arena;
    for (size_t i = 0; i < s->found.len; i++) {
        finite_row *r = &s->found.data[i];
        if (i > 0) {
            const sir_field copy = s->filter->fields.data[s->field];
            r->field = (uint32_t)s->filter->fields.len;
            VEC_PUSH(a, &s->filter->fields, copy);
        }
        VEC_PUSH(a, rows, *r);
    }
    for (size_t i = 0; i < s->fetches.len; i++)
        s->fetches.data[i]->index = s->found.data[s->row_of.data[i]].field;
}

static splitter begin(sir_module *m, sir_filter *f, bool turned)
{
    splitter s = {.m = m, .filter = f, .turned = turned};
    s.value = ARENA_ARRAY(m->arena, const sir_expr *, f->work->locals.len + 1);
    s.writes = ARENA_ARRAY(m->arena, size_t, f->work->locals.len + 1);
    memset(s.writes, 0, (f->work->locals.len + 1) * sizeof *s.writes);
    sir_visit_stmts(&f->work->body, count_writes, &s);
    return s;
}

static bool has_role(const sir_filter *f, sir_role role)
{
    for (size_t i = 0; i < f->fields.len; i++)
        if (f->fields.data[i].role == role)
            return true;
    return false;
}

finite_rows finite_split_rows(sir_module *m, sir_filter *f)
{
    splitter s = begin(m, f, false);
    finite_rows rows = {0};
    const uint32_t fields = (uint32_t)f->fields.len;
    if (has_role(f, SIR_REDUCED))
        return rows;
    for (uint32_t i = 0; i < fields; i++)
        if (f->fields.data[i].role == SIR_GATHER && f->fields.data[i].rank > 1 &&
            finite_near_of(m->arena, f, i) == NULL && look(&s, i))
            split(&s, &rows);
    return rows;
}

finite_rows finite_split_turned(sir_module *m, sir_filter *f)
{
    splitter s = begin(m, f, true);
    finite_rows columns = {0};
    const uint32_t fields = (uint32_t)f->fields.len;
    if (f->prework != NULL || has_role(f, SIR_REDUCED) || has_role(f, SIR_VARIABLE))
        return columns;
    for (uint32_t i = 0; i < fields; i++) {
        const sir_field *field = &f->fields.data[i];
        const char *leaves = field->role == SIR_GATHER && field->stored == NULL ? finite_leaves(m->arena, field) : "";
        const bool small = strlen(leaves) == 1 || (strlen(leaves) == 2 && strchr(leaves, 'd') == NULL);
        if (small && field->rank == 2 && look(&s, i))
            split(&s, &columns);
    }
    return columns;
}

// ---- The text ----

static size_t port_number(const finite_graph *g, uint32_t field)
{
    size_t i = 0;
    while (g->ports.data[i].field != field)
        i++;
    return i;
}

// "t_row(&y, &run)", from a function of that expression.
const char *finite_row_call(finite_graph *g, const finite_row *r, const char *name)
{
    sir_module *m = (sir_module *)g->x->m;
    sir_function *f = ARENA_NEW(m->arena, sir_function);
    *f = (sir_function){.kind = SIR_PREWORK, .name = name, .result = m->scalar[SIR_INT], .loc = r->row->loc};
    sir_stmt *s = sir_stmt_new(m, SIR_RETURN, r->row->loc);
    s->u.value = (sir_expr *)r->row;
    VEC_PUSH(m->arena, &f->body, s);
    const emit_signature taken = emit_value_function(&g->x->e, g->info, f, name);
    strbuf b;
    strbuf_init(&b, finite_arena(g));
    strbuf_printf(&b, "%s(", name);
    for (size_t i = 0; i < taken.fields.len; i++)
        strbuf_printf(&b, "%s&%s", i == 0 ? "" : ", ", g->info->field_names.data[taken.fields.data[i]]);
    strbuf_addc(&b, ')');
    return b.data;
}

void finite_rows_function(finite_graph *g)
{
    program_emitter *x = g->x;
    VEC(const char *) calls = {0};
    text_args args = {0};
    if (g->rows.len == 0)
        return;
    for (VEC_EACH(const finite_row, r, &g->rows)) {
        const char *wanted =
            finite_name(g, arena_printf(finite_arena(g), "%s_row", g->info->field_names.data[r->field]));
        VEC_PUSH(finite_arena(g), &calls, finite_row_call(g, r, emit_unique_name(&x->e, wanted)));
    }
    VEC_PUSH(finite_arena(g), &args, arena_printf(finite_arena(g), "const svm_BrookSpace *%s", g->space));
    VEC_PUSH(finite_arena(g), &args, "svm_BrookWalk *walks");
    for (VEC_EACH(const uint32_t, u, &g->uniforms))
        VEC_PUSH(finite_arena(g), &args, finite_uniform_parameter(g, *u));
    text_line(x, 0, "/* Which rows are gathered from, for each row of the space. */");
    text_call(x, 0, arena_printf(finite_arena(g), "static void %s(", finite_name(g, "rows")), &args, ")");
    text_line(x, 0, "{");
    for (VEC_EACH(const uint32_t, u, &g->uniforms))
        text_line(x, 1, "(void)%s;", g->info->field_names.data[*u]);
    for (VEC_EACH(const finite_row, r, &g->rows))
        text_line(x, 1, "svm_brookBeginRows(%s, &walks[%zu]);", g->space, port_number(g, r->field));
    text_line(x, 1, "for (ptrdiff_t %s = 0; %s < %s->rows; %s++) {", g->r, g->r, g->space, g->r);
    for (VEC_EACH(const uint32_t, c, &g->coordinates)) {
        const sir_field *f = &g->filter->fields.data[*c];
        if (f->dimension == 0)
            continue;
        const char *name = g->info->field_names.data[*c];
        text_line(x, 2, "int %s = (int)svm_brookPlaceOfRow(%s, &walks[%zu], %s, %d);", name, g->space,
                  port_number(g, f->of), g->r, 3 - (int)f->dimension);
        text_line(x, 2, "(void)%s;", name);
    }
    for (size_t i = 0; i < g->rows.len; i++) {
        const finite_row *r = &g->rows.data[i];
        const size_t port = port_number(g, r->field);
        text_line(x, 2, "walks[%zu].rows[%s] = svm_brookClamp(%s, walks[%zu].extent[%d]);", port, g->r, calls.data[i],
                  port, 4 - (int)g->filter->fields.data[r->field].rank);
    }
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
}

void finite_call_rows(finite_graph *g)
{
    strbuf b;
    if (g->rows.len == 0)
        return;
    strbuf_init(&b, finite_arena(g));
    for (VEC_EACH(const uint32_t, u, &g->uniforms))
        strbuf_printf(&b, ", %s", g->info->field_names.data[*u]);
    text_line(g->x, 1, "%s(&%s, walks%s);", finite_name(g, "rows"), g->space, b.data);
}
