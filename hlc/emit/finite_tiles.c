// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firings of neighbouring rows and columns together, where rows fetch the same, on processors that reach the shared memory.
//
// NOTE(tiles). Columns side by side (finite_lanes.c) load what differs between them in each trip of a loop, and each row does so
// again:
//
//     sum += a[float2(k, p.y)] * b[float2(p.x, k)];      of b, 64 elements for 64 products
//
// So this makes a filter that fires in several rows: what differs between rows is there once for each, statement by
// statement, and the rest once for all. Made wide, it loads what rows share once for all of them, and has more sums that
// wait for nothing of each other. Each firing does what it did, in its order. Loops whose bounds differ between rows are not
// made so. Rows that are left over, and columns at the edges, go as others do.
#include <string.h>

#include "hlc/emit/finite_int.h"
#include "hlc/ir/copy.h"
#include "hlc/ir/walk.h"

typedef struct taller {
    sir_module *m;
    const sir_filter *from;
    const sir_function *work;
    bool *rows, *columns; // per local: it may differ between rows; columns
    bool changed;         // in this round of finding out
    bool impossible;
    bool shares, gains; // some fetch in a loop differs between columns alone; some statement there between rows
    // What is made:
    int count; // rows
    sir_filter *to;
    sir_function *function;
    uint32_t **local, **field; // per row: what each becomes
    int row;                   // of the copies that are being made
} taller;

// ---- What differs ----

static bool field_differs(const taller *t, uint32_t index, bool rows)
{
    const sir_field *f = &t->from->fields.data[index];
    switch (f->role) {
    case SIR_STATE:
    case SIR_UNIFORM:
    case SIR_GATHER: return false;
    case SIR_COORDINATE: return (f->dimension > 0) == rows;
    default: return true;
    }
}

static bool differs(const taller *t, const sir_expr *e, bool rows)
{
    if (e == NULL)
        return false;
    if (e->kind == SIR_LOCAL)
        return (rows ? t->rows : t->columns)[e->index];
    if (e->kind == SIR_FIELD && field_differs(t, e->index, rows))
        return true;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (differs(t, e->u.arg[i], rows))
            return true;
    return false;
}

static void find_in_block(taller *t, const sir_block *b, bool rows, bool columns);

static void set_local(taller *t, uint32_t local, bool rows, bool columns)
{
    t->changed |= (rows && !t->rows[local]) || (columns && !t->columns[local]);
    t->rows[local] |= rows;
    t->columns[local] |= columns;
}

// rows, columns: whether the statement is done differs.
static void find_in_stmt(taller *t, const sir_stmt *s, bool rows, bool columns)
{
    const sir_expr *root;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
        set_local(t, s->u.decl.local, rows || differs(t, s->u.decl.init, true),
                  columns || differs(t, s->u.decl.init, false));
        break;
    case SIR_SET:
        root = sir_lvalue_root(s->u.set.target);
        if (root->kind == SIR_LOCAL)
            set_local(t, root->index, rows || differs(t, s->u.set.value, true) || differs(t, s->u.set.target, true),
                      columns || differs(t, s->u.set.value, false) || differs(t, s->u.set.target, false));
        else
            t->impossible |= root->kind != SIR_FIELD;
        break;
    case SIR_IF:
        rows = rows || differs(t, s->u.if_.cond, true);
        columns = columns || differs(t, s->u.if_.cond, false);
        find_in_block(t, &s->u.if_.then, rows, columns);
        find_in_block(t, &s->u.if_.otherwise, rows, columns);
        break;
    case SIR_FOR:
        t->impossible |= rows || differs(t, s->u.for_.lo, true) || differs(t, s->u.for_.hi, true);
        columns = columns || differs(t, s->u.for_.lo, false) || differs(t, s->u.for_.hi, false);
        set_local(t, s->u.for_.local, false, columns);
        find_in_block(t, &s->u.for_.body, rows, columns);
        break;
    case SIR_LOOP:
        t->impossible |= rows || differs(t, s->u.loop.cond, true);
        columns = columns || differs(t, s->u.loop.cond, false);
        find_in_block(t, &s->u.loop.pre, rows, columns);
        find_in_block(t, &s->u.loop.body, rows, columns);
        find_in_block(t, &s->u.loop.step, rows, columns);
        break;
    default: t->impossible = true; break;
    }
}

static void find_in_block(taller *t, const sir_block *b, bool rows, bool columns)
{
    for (size_t i = 0; i < b->len; i++)
        find_in_stmt(t, b->data[i], rows, columns);
}

static void find_shared(void *context, sir_expr *e, bool written)
{
    taller *t = context;
    (void)written;
    t->shares |= e->kind == SIR_FETCH && differs(t, e, false) && !differs(t, e, true);
}

static bool is_for_each_row(const taller *t, const sir_stmt *s)
{
    const sir_expr *root;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: return t->rows[s->u.decl.local];
    case SIR_IF: return differs(t, s->u.if_.cond, true);
    case SIR_SET:
        root = sir_lvalue_root(s->u.set.target);
        return root->kind == SIR_LOCAL ? t->rows[root->index] : field_differs(t, root->index, true);
    default: return false;
    }
}

static void find_shared_in_loop(void *context, sir_stmt *s)
{
    taller *t = context;
    const sir_parts parts = sir_stmt_parts(s);
    for (uint8_t i = 0; i < parts.block_count && (s->kind == SIR_FOR || s->kind == SIR_LOOP); i++)
        for (VEC_EACH(sir_stmt *const, inner, parts.block[i])) {
            t->gains |= is_for_each_row(t, *inner);
            sir_visit_exprs(*inner, find_shared, t);
        }
}

static bool analyse(taller *t)
{
    const size_t n = t->work->locals.len + 1;
    for (VEC_EACH(const sir_field, f, &t->from->fields))
        if (f->role == SIR_REDUCED || f->role == SIR_VARIABLE || f->role == SIR_MAPPED)
            return false;
    t->rows = ARENA_ARRAY(t->m->arena, bool, n);
    t->columns = ARENA_ARRAY(t->m->arena, bool, n);
    do {
        t->changed = false;
        find_in_block(t, &t->work->body, false, false);
    } while (t->changed && !t->impossible);
    if (!t->impossible)
        sir_visit_stmts(&t->work->body, find_shared_in_loop, t);
    return !t->impossible && t->shares && t->gains;
}

// ---- The filter of several rows ----

static sir_expr *of_row(void *context, const sir_expr *e)
{
    taller *t = context;
    return e->kind == SIR_FIELD ? sir_ref(t->m, SIR_FIELD, t->field[t->row][e->index], e->type, e->loc) : NULL;
}

static void add_rows_of(taller *t, const sir_block *b, size_t at, sir_block *to)
{
    for (t->row = 0; t->row < t->count; t->row++) {
        const sir_copier c = {.arena = t->m->arena, .locals = t->local[t->row], .context = t, .expr = of_row};
        sir_copy_stmts(&c, b, at, at + 1, to);
    }
}

static sir_block tall_block(taller *t, const sir_block *from)
{
    sir_block to = {0};
    for (size_t i = 0; i < from->len; i++) {
        if (is_for_each_row(t, from->data[i])) {
            add_rows_of(t, from, i, &to);
            continue;
        }
        sir_stmt *s = sir_stmt_new(t->m, (sir_stmt_kind)from->data[i]->kind, from->data[i]->loc);
        *s = *from->data[i];
        const sir_parts parts = sir_stmt_parts(s);
        for (uint8_t k = 0; k < parts.block_count; k++)
            *parts.block[k] = tall_block(t, parts.block[k]);
        VEC_PUSH(t->m->arena, &to, s);
    }
    return to;
}

static void copy_locals(taller *t)
{
    const size_t n = t->work->locals.len;
    t->local = ARENA_ARRAY(t->m->arena, uint32_t *, t->count);
    for (int row = 0; row < t->count; row++) {
        t->local[row] = ARENA_ARRAY(t->m->arena, uint32_t, n + 1);
        for (uint32_t i = 0; i < n; i++) {
            const sir_local *local = &t->work->locals.data[i];
            const bool own = row > 0 && t->rows[i];
            t->local[row][i] = own ? sir_local_new(t->m, t->function, local->name, local->type, local->loc) : i;
        }
    }
}

static void copy_fields(taller *t)
{
    const size_t n = t->from->fields.len;
    memset(&t->to->fields, 0, sizeof t->to->fields);
    for (VEC_EACH(const sir_field, f, &t->from->fields))
        VEC_PUSH(t->m->arena, &t->to->fields, *f);
    t->field = ARENA_ARRAY(t->m->arena, uint32_t *, t->count);
    for (int row = 0; row < t->count; row++) {
        t->field[row] = ARENA_ARRAY(t->m->arena, uint32_t, n + 1);
        for (uint32_t i = 0; i < n; i++) {
            t->field[row][i] = i;
            if (row == 0 || !field_differs(t, i, true))
                continue;
            t->field[row][i] = (uint32_t)t->to->fields.len;
            VEC_PUSH(t->m->arena, &t->to->fields, t->from->fields.data[i]);
        }
    }
}

static void make_tall(taller *t)
{
    t->to = ARENA_NEW(t->m->arena, sir_filter);
    *t->to = *t->from;
    t->function = ARENA_NEW(t->m->arena, sir_function);
    *t->function = *t->work;
    memset(&t->function->locals, 0, sizeof t->function->locals);
    for (VEC_EACH(const sir_local, local, &t->work->locals))
        VEC_PUSH(t->m->arena, &t->function->locals, *local);
    copy_locals(t);
    copy_fields(t);
    t->function->body = tall_block(t, &t->work->body);
    t->to->work = t->function;
}

// What the firing function's text needs of the filter's fields.
static emit_filter_info *info_of(finite_graph *g, const taller *t)
{
    arena *a = g->x->e.arena;
    emit_filter_info *info = ARENA_NEW(a, emit_filter_info);
    hmap taken;
    *info = *g->info;
    info->filter = t->to;
    info->rows = t->count;
    memset(&info->field_names, 0, sizeof info->field_names);
    memset(&info->held, 0, sizeof info->held);
    hmap_init(&taken, a);
    for (size_t i = 0; i < g->info->field_names.len; i++) {
        hmap_set(&taken, g->info->field_names.data[i], g);
        VEC_PUSH(a, &info->field_names, g->info->field_names.data[i]);
        VEC_PUSH(a, &info->held, g->info->held.data[i]);
    }
    for (int row = 1; row < t->count; row++)
        for (uint32_t i = 0; i < t->from->fields.len; i++)
            if (t->field[row][i] != i) {
                const char *wanted = arena_printf(a, "%s_%d", g->info->field_names.data[i], row);
                VEC_PUSH(a, &info->field_names, text_member(g->x, &taken, wanted));
                VEC_PUSH(a, &info->held, 0);
            }
    return info;
}

// ---- Is there room? ----

typedef struct in_loops {
    bool *local, *field; // named there
} in_loops;

static void note_name(void *context, sir_expr *e, bool written)
{
    in_loops *in = context;
    (void)written;
    if (e->kind == SIR_LOCAL)
        in->local[e->index] = true;
    if (e->kind == SIR_FIELD)
        in->field[e->index] = true;
}

static void note_names(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, note_name, context);
}

static void note_names_in_loop(void *context, sir_stmt *s)
{
    const sir_parts parts = sir_stmt_parts(s);
    for (uint8_t i = 0; i < parts.block_count && (s->kind == SIR_FOR || s->kind == SIR_LOOP); i++)
        sir_visit_stmts(parts.block[i], note_names, context);
}

// What lives while loops go on is named there: outputs mostly are set behind them.
static finite_in_loops find_in_loops(const taller *t)
{
    const size_t fields = t->to->fields.len;
    in_loops in = {ARENA_ARRAY(t->m->arena, bool, t->function->locals.len + 1),
                   ARENA_ARRAY(t->m->arena, bool, fields + 1)};
    finite_in_loops found = {.local = in.local};
    sir_visit_stmts(&t->function->body, note_names_in_loop, &in);
    for (size_t i = 0; i < fields; i++)
        found.outputs += in.field[i] && t->to->fields.data[i].role == SIR_OUTPUT;
    return found;
}

// Floats that half of the registers have: of this computer's processor, where it is known that the program is for that.
static uint64_t room_of(const finite_emitter *all)
{
    enum { USUAL = 32 };
    const hlc_config *config = all->x.p->config;
    uint64_t room = UINT64_MAX;
    if (config == NULL || !config->march)
        return USUAL;
    if (config->vector_bytes > 0)
        return (uint64_t)config->vector_bytes / sizeof(float) / 2;
    for (VEC_EACH(const plan_processor *const, p, &all->direct)) {
        const uint64_t own = machine_vector_bytes((*p)->processor) / sizeof(float) * (*p)->processor->registers / 2;
        room = own < room ? own : room;
    }
    return room;
}

void finite_find_tiles(finite_graph *g, const sir_function *work)
{
    static const int counts[] = {4, 2};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        taller t = {.m = (sir_module *)g->x->m, .from = g->filter, .work = work, .count = counts[i]};
        if (!analyse(&t))
            return;
        make_tall(&t);
        if (!finite_widen_rows(g, info_of(g, &t), t.function, find_in_loops(&t), room_of(g->all)))
            continue;
        for (int row = 0; row < t.count; row++)
            VEC_PUSH(g->x->e.arena, &g->tile_fields, t.field[row]);
        return;
    }
}

// ---- The text ----

// Of one of the rows: a name that no parameter has.
static const char *of_tile(finite_graph *g, const char *name, size_t row)
{
    return arena_printf(finite_arena(g), "%s_tile%zu", name, row);
}

// The run, and each stream where it begins; nothing writes what is gathered from.
static void add_parameters(finite_graph *g, text_args *args)
{
    VEC_PUSH(finite_arena(g), args, arena_printf(finite_arena(g), "const %s *%s", g->kernel, g->self));
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        const bool gathered = p->source->role == SIR_GATHER;
        if (p->source->role != SIR_ITERATOR)
            VEC_PUSH(finite_arena(g), args,
                     finite_pointer(g, p, gathered ? arena_printf(finite_arena(g), "restrict %s", p->name) : p->name));
    }
}

static bool is_taken(const finite_graph *g, uint32_t field)
{
    for (VEC_EACH(const uint32_t, f, &g->tile.fields))
        if (*f == field)
            return true;
    return false;
}

// The filter's field, and the row whose it is, of one of the tall filter.
static uint32_t field_of(const finite_graph *g, uint32_t tall, size_t *row)
{
    for (*row = 0; *row < g->tile_fields.len; ++*row)
        for (uint32_t i = 0; i < g->filter->fields.len; i++)
            if (g->tile_fields.data[*row][i] == tall)
                return i;
    return SIR_NONE;
}

// The function's uniforms, walks, and places in the space.
static void emit_constants(finite_graph *g)
{
    program_emitter *x = g->x;
    text_line(x, 1, "const svm_BrookSpace *%s = &%s->%s;", g->space, g->self, g->space);
    text_line(x, 1, "const svm_BrookBox *box = &%s->box;", g->self);
    for (VEC_EACH(const uint32_t, u, &g->uniforms)) {
        text_line(x, 1, "%s = %s->%s;", emit_declare(&x->e, g->filter->fields.data[*u].type, finite_field_name(g, *u)),
                  g->self, finite_field_name(g, *u));
        text_line(x, 1, "(void)%s;", finite_field_name(g, *u));
    }
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (!finite_is_walked(p)) {
            text_line(x, 1, "const svm_BrookWalk %s = %s->%s;", p->walk, g->self, p->walk);
            text_line(x, 1, "(void)%s;", p->walk);
        }
}

// What the rows of a tile have: their places, and where they begin in each stream.
static void emit_rows(finite_graph *g)
{
    program_emitter *x = g->x;
    for (size_t row = 0; row < g->tile_fields.len; row++) {
        for (VEC_EACH(const uint32_t, c, &g->coordinates)) {
            const sir_field *f = &g->filter->fields.data[*c];
            if (f->dimension > 0 && is_taken(g, g->tile_fields.data[row][*c]))
                text_line(x, 2, "int %s = (int)svm_brookPlaceOfRow(%s, &%s->%s, %s + %zu, %d);",
                          of_tile(g, finite_field_name(g, *c), row), g->space, g->self, finite_port_of(g, f->of)->walk,
                          g->r, row, 3 - (int)f->dimension);
        }
        for (VEC_EACH(const finite_port, p, &g->ports))
            if (finite_is_walked(p))
                text_line(x, 2, "%s = %s + svm_brookRow(%s, &%s->%s, %s + %zu);",
                          finite_pointer(g, p, of_tile(g, p->name, row)), p->name, g->space, g->self, p->walk, g->r,
                          row);
    }
}

// The elements that a row of the tile takes, and room for those that it gives.
static void emit_elements(finite_graph *g, size_t row)
{
    program_emitter *x = g->x;
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        if (!is_taken(g, g->tile_fields.data[row][p->field]) || p->source->role == SIR_GATHER)
            continue;
        const char *value = of_tile(g, p->value, row), *text;
        text_line(x, 3, "%s;",
                  emit_declare(&x->e, p->source->type, arena_printf(finite_arena(g), "%s[%d]", value, g->tile_lanes)));
        if (p->source->role == SIR_OUTPUT && !p->loaded)
            continue;
        if (finite_is_walked(p))
            text = finite_load(g, p, arena_printf(finite_arena(g), "%s + (%s + lane)", of_tile(g, p->name, row), g->i));
        else
            text = finite_iterator(g, p, arena_printf(finite_arena(g), "%s + %zu", g->r, row),
                                   arena_printf(finite_arena(g), "%s + lane", g->i));
        text_line(x, 3, "for (int lane = 0; lane < %d; lane++)", g->tile_lanes);
        text_line(x, 4, "%s[lane] = %s;", value, text);
    }
}

static void emit_fire(finite_graph *g)
{
    text_args args = {0};
    for (VEC_EACH(const uint32_t, tall, &g->tile.fields)) {
        size_t row;
        const uint32_t field = field_of(g, *tall, &row);
        const finite_port *p = finite_port_of(g, field);
        const sir_field *f = &g->filter->fields.data[field];
        if (p != NULL && p->source->role == SIR_GATHER) {
            VEC_PUSH(finite_arena(g), &args, p->name);
            VEC_PUSH(finite_arena(g), &args, arena_printf(finite_arena(g), "&%s", p->walk));
        } else if (p != NULL) {
            VEC_PUSH(finite_arena(g), &args, of_tile(g, p->value, row));
        } else {
            const bool own = f->role == SIR_COORDINATE && f->dimension > 0;
            VEC_PUSH(finite_arena(g), &args,
                     arena_printf(finite_arena(g), "&%s",
                                  own ? of_tile(g, finite_field_name(g, field), row) : finite_field_name(g, field)));
        }
    }
    if (g->info->near != SIR_NONE) {
        VEC_PUSH(finite_arena(g), &args, "SVM_BROOK_COLUMN_INSIDE");
        VEC_PUSH(finite_arena(g), &args, g->i);
    }
    text_call(g->x, 3, arena_printf(finite_arena(g), "%s(", g->tile.name), &args, ");");
}

// As many columns as are done at a time, from column `i` on.
static void emit_tile(finite_graph *g)
{
    program_emitter *x = g->x;
    for (VEC_EACH(const uint32_t, c, &g->coordinates))
        if (g->filter->fields.data[*c].dimension == 0 && is_taken(g, *c))
            text_line(x, 3, "int %s = (int)%s;", finite_field_name(g, *c), g->i);
    for (size_t row = 0; row < g->tile_fields.len; row++)
        emit_elements(g, row);
    emit_fire(g);
    for (size_t row = 0; row < g->tile_fields.len; row++)
        for (VEC_EACH(const finite_port, p, &g->ports)) {
            if (p->source->role != SIR_OUTPUT || !is_taken(g, g->tile_fields.data[row][p->field]))
                continue;
            text_line(x, 3, "for (int lane = 0; lane < %d; lane++)", g->tile_lanes);
            text_line(x, 4, "%s",
                      finite_store(g, p,
                                   arena_printf(finite_arena(g), "(%s + (%s + lane))", of_tile(g, p->name, row), g->i),
                                   arena_printf(finite_arena(g), "%s[lane]", of_tile(g, p->value, row))));
        }
}

// Some columns of each row of the tile, which `r` is the first of.
static void emit_rest(finite_graph *g, const char *from, const char *to)
{
    text_args args = {0};
    finite_add_row(g, &args, arena_printf(finite_arena(g), "%s + q", g->r), NULL);
    VEC_PUSH(finite_arena(g), &args, from);
    VEC_PUSH(finite_arena(g), &args, to);
    text_line(g->x, 2, "for (int q = 0; q < %zu && %s < %s; q++)", g->tile_fields.len, from, to);
    text_call(g->x, 3, arena_printf(finite_arena(g), "%s(", g->row), &args, ");");
}

void finite_tiles(finite_graph *g, bool repeatable)
{
    program_emitter *x = g->x;
    const size_t rows = g->tile_fields.len;
    const int lanes = g->tile_lanes;
    text_args args = {0};
    g->tiles = emit_unique_name(&x->e, arena_printf(finite_arena(g), "%s_tiles", g->info->c_name));
    add_parameters(g, &args);
    text_line(x, 0, "/* %zu rows at a time, as long as there are so many; gives the first that is left. */", rows);
    text_call(x, 0, arena_printf(finite_arena(g), "static ptrdiff_t %s(", g->tiles), &args, ")");
    text_line(x, 0, "{");
    emit_constants(g);
    text_line(x, 1, "ptrdiff_t %s = box->row;", g->r);
    finite_keep_inside(g, 1, "box->column", "box->columnEnd", "");
    text_line(x, 1, "if (%s->form != SVM_BROOK_UNIT || far - near < %d)", g->space, lanes);
    text_line(x, 2, "return %s;", g->r);
    text_line(x, 1, "for (; %s + %zu <= box->rowEnd; %s += %zu) {", g->r, rows, g->r, rows);
    emit_rows(g);
    text_line(x, 2, "ptrdiff_t column = near;");
    if (repeatable) {
        text_line(x, 2, "for (; column < far; column += %d) {", lanes);
        text_line(x, 3, "const ptrdiff_t %s = column + %d <= far ? column : far - %d;", g->i, lanes, lanes);
    } else {
        text_line(x, 2, "for (; column + %d <= far; column += %d) {", lanes, lanes);
        text_line(x, 3, "const ptrdiff_t %s = column;", g->i);
    }
    emit_tile(g);
    text_line(x, 2, "}");
    emit_rest(g, "box->column", "near");
    emit_rest(g, repeatable ? "far" : "column", "box->columnEnd");
    text_line(x, 1, "}");
    text_line(x, 1, "return %s;", g->r);
    text_line(x, 0, "}\n");
}

const char *finite_tiles_call(finite_graph *g)
{
    text_args args = {0};
    strbuf b;
    strbuf_init(&b, finite_arena(g));
    finite_add_arguments(g, &args);
    strbuf_printf(&b, "%s(", g->tiles);
    for (size_t i = 0; i < args.len; i++)
        strbuf_printf(&b, "%s%s", i == 0 ? "" : ", ", args.data[i]);
    strbuf_addc(&b, ')');
    return b.data;
}
