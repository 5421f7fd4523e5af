// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The joint filter of stages: what its operations are as statements.
#include <inttypes.h>
#include <string.h>

#include "hlc/passes/stages_int.h"

// Operations below which an expression is no statement of its own.
enum { NESTED = 6 };

static size_t stage_room(const stage_joiner *x)
{
    return (size_t)x->hlc->config->vector_registers / 2; // the others are for what is computed
}

typedef struct writer {
    stage_joint *j;
    sir_filter *filter;
    sir_loc loc;
    uint32_t place;         // the local that counts the groups' places; SIR_NONE: there is one group
    uint32_t *local;        // per node: what holds it; SIR_NONE: none does
    uint32_t *uses, *depth; // per node: of the first group
    bool *crosses;          // per node: another block needs it
    stage_order order;
    uint32_t y;            // the local that takes the results; SIR_NONE: they are pushed
    const sir_type *array; // its type
} writer;

static sir_expr *integer(const writer *w, int64_t n)
{
    return sir_const_int(w->j->x->m, (int32_t)n, w->loc);
}

static sir_expr *at_place(const writer *w, int64_t at)
{
    sir_module *m = w->j->x->m;
    if (w->place == SIR_NONE)
        return integer(w, at);
    sir_expr *e = sir_ref(m, SIR_LOCAL, w->place, m->scalar[SIR_INT], w->loc);
    return at == 0 ? e : sir_expr2(m, SIR_BINARY, LANG_OP_ADD, m->scalar[SIR_INT], e, integer(w, at), w->loc);
}

static sir_expr *expression(const writer *w, uint32_t node, bool whole)
{
    sir_module *m = w->j->x->m;
    const stage_node *n = &w->j->nodes.data[node];
    if (w->local[node] != SIR_NONE && !whole)
        return sir_ref(m, SIR_LOCAL, w->local[node], n->type, w->loc);
    if (n->kind == SIR_PEEK)
        return sir_expr1(m, SIR_PEEK, 0, n->type, at_place(w, n->item), w->loc);
    if (n->kind == SIR_CONST) {
        const stage_slot *s = &w->j->slots.data[w->j->slot_of[node]];
        if (!s->differs)
            return sir_const(m, n->type, s->values[0], w->loc);
        const sir_type *t = w->filter->fields.data[s->table].type;
        return sir_expr2(m, SIR_INDEX, 0, n->type, sir_ref(m, SIR_FIELD, s->table, t, w->loc), at_place(w, s->at),
                         w->loc);
    }
    sir_expr *arg[3] = {0};
    for (uint8_t i = 0; i < n->arity; i++)
        arg[i] = expression(w, n->arg[i], false);
    return n->arity == 1   ? sir_expr1(m, n->kind, n->op, n->type, arg[0], w->loc)
           : n->arity == 2 ? sir_expr2(m, n->kind, n->op, n->type, arg[0], arg[1], w->loc)
                           : sir_expr3(m, n->kind, n->type, arg[0], arg[1], arg[2], w->loc);
}

// Numbers that differ from group to group lie as the groups' items do: as many side by side as are between two groups.
static void add_tables(writer *w)
{
    stage_joint *j = w->j;
    sir_module *m = j->x->m;
    VEC(uint32_t) own = {0};
    for (size_t i = 0; i < j->slots.len; i++) {
        stage_slot *s = &j->slots.data[i];
        const stage_slot *equal = NULL;
        for (size_t k = 0; s->differs && k < own.len && equal == NULL; k++)
            if (memcmp(j->slots.data[own.data[k]].values, s->values, (size_t)j->groups * sizeof *s->values) == 0)
                equal = &j->slots.data[own.data[k]];
        if (equal != NULL) {
            s->table = equal->table;
            s->at = equal->at;
        }
        if (!s->differs || equal != NULL)
            continue;
        s->at = (uint32_t)((int64_t)own.len % j->apart);
        if (s->at == 0) {
            const sir_type *t = sir_type_array(m, s->type, (uint32_t)(j->groups * j->apart));
            const char *name = arena_printf(m->arena, "factors_%zu", w->filter->fields.len + 1);
            VEC_PUSH(
                m->arena, &w->filter->fields,
                ((sir_field){
                    .name = name, .type = t, .init = sir_value_new(m->arena, t), .constant = true, .loc = w->loc}));
        }
        s->table = (uint32_t)w->filter->fields.len - 1;
        for (int64_t g = 0; g < j->groups; g++)
            w->filter->fields.data[s->table].init.data[g * j->apart + s->at] = s->values[g];
        VEC_PUSH(j->x->a, &own, (uint32_t)i);
    }
}

static void count_uses(writer *w, uint32_t node)
{
    const stage_node *n = &w->j->nodes.data[node];
    if (w->uses[node]++ != 0)
        return;
    for (uint8_t i = 0; i < n->arity; i++)
        count_uses(w, n->arg[i]);
}

static sir_stmt *new_loop(writer *w, uint32_t local, int64_t end, int64_t step)
{
    sir_stmt *s = sir_stmt_new(w->j->x->m, SIR_FOR, w->loc);
    s->u.for_.local = local;
    s->u.for_.lo = integer(w, 0);
    s->u.for_.hi = integer(w, end);
    s->u.for_.step = (int32_t)step;
    return s;
}

static void write_result(writer *w, sir_block *to, int64_t i)
{
    stage_joint *j = w->j;
    sir_module *m = j->x->m;
    sir_stmt *s = sir_stmt_new(m, SIR_SET, w->loc);
    s->u.set.target = sir_expr2(m, SIR_INDEX, 0, w->array->element, sir_ref(m, SIR_LOCAL, w->y, w->array, w->loc),
                                at_place(w, j->outputs[i]), w->loc);
    s->u.set.value = expression(w, j->out.data[j->outputs[i]].node, false);
    VEC_PUSH(m->arena, to, s);
}

// A value that is needed once is no statement, where it is needed soon.
static void write_node(writer *w, sir_block *to, uint32_t i)
{
    sir_module *m = w->j->x->m;
    const stage_node *n = &w->j->nodes.data[i];
    uint32_t depth = 0;
    for (uint8_t k = 0; k < n->arity; k++)
        if (w->local[n->arg[k]] == SIR_NONE)
            depth = w->depth[n->arg[k]] + 1 > depth ? w->depth[n->arg[k]] + 1 : depth;
    w->depth[i] = depth;
    if (w->uses[i] == 1 && depth < NESTED && !w->crosses[i])
        return;
    sir_stmt *s = sir_stmt_new(m, SIR_DECL, w->loc);
    s->u.decl.init = expression(w, i, true);
    s->u.decl.local = w->local[i] = sir_local_new(m, w->filter->work, n->kind == SIR_PEEK ? "x" : "v", n->type, w->loc);
    VEC_PUSH(m->arena, to, s);
}

static void find_order(writer *w)
{
    stage_joint *j = w->j;
    uint32_t *results = ARENA_ARRAY(j->x->a, uint32_t, (size_t)j->results + 1);
    for (int64_t i = 0; i < j->results; i++) {
        results[i] = j->out.data[j->outputs[i]].node;
        count_uses(w, results[i]);
    }
    w->order = stage_order_of(j->x->a, &j->nodes, results, (size_t)j->results, stage_room(j->x));
    for (VEC_EACH(uint32_t, i, &w->order.nodes))
        for (uint8_t k = 0; k < j->nodes.data[*i].arity; k++) {
            uint32_t arg = j->nodes.data[*i].arg[k];
            w->crosses[arg] |= j->nodes.data[arg].arity > 0 && w->order.block[arg] != w->order.block[*i];
        }
}

// What a group does, block by block; an array has the results of each as soon as they are there.
static void write_group(writer *w, sir_block *to)
{
    stage_joint *j = w->j;
    for (size_t first = 0, end; first < w->order.nodes.len; first = end) {
        uint32_t block = w->order.block[w->order.nodes.data[first]];
        for (end = first; end < w->order.nodes.len && w->order.block[w->order.nodes.data[end]] == block; end++)
            write_node(w, to, w->order.nodes.data[end]);
        for (int64_t i = 0; i < j->results && w->y != SIR_NONE; i++)
            if (w->order.block[j->out.data[j->outputs[i]].node] == block)
                write_result(w, to, i);
    }
}

static void write_ends(writer *w)
{
    stage_joint *j = w->j;
    sir_module *m = j->x->m;
    uint32_t k = sir_local_new(m, w->filter->work, "k", m->scalar[SIR_INT], w->loc);
    sir_stmt *pops = new_loop(w, k, j->pop, 1), *pushes = pops, *pop = sir_stmt_new(m, SIR_POP, w->loc);
    VEC_PUSH(m->arena, &pops->u.for_.body, pop);
    VEC_PUSH(m->arena, &w->filter->work->body, pops);
    if (w->y == SIR_NONE)
        return;
    if (j->pop != j->push) {
        k = sir_local_new(m, w->filter->work, "k", m->scalar[SIR_INT], w->loc);
        pushes = new_loop(w, k, j->push, 1);
        VEC_PUSH(m->arena, &w->filter->work->body, pushes);
    }
    sir_stmt *push = sir_stmt_new(m, SIR_PUSH, w->loc);
    push->u.value = sir_expr2(m, SIR_INDEX, 0, w->array->element, sir_ref(m, SIR_LOCAL, w->y, w->array, w->loc),
                              sir_ref(m, SIR_LOCAL, k, m->scalar[SIR_INT], w->loc), w->loc);
    VEC_PUSH(m->arena, &pushes->u.for_.body, push);
}

static void declare_results(writer *w)
{
    stage_joint *j = w->j;
    sir_module *m = j->x->m;
    w->array = sir_type_array(m, j->output, (uint32_t)j->push);
    w->y = sir_local_new(m, w->filter->work, "y", w->array, w->loc);
    sir_stmt *decl = sir_stmt_new(m, SIR_DECL, w->loc);
    decl->u.decl.local = w->y;
    VEC_PUSH(m->arena, &w->filter->work->body, decl);
}

// One group: its statements, then what it pushes.
static void write_alone(writer *w)
{
    stage_joint *j = w->j;
    sir_module *m = j->x->m;
    write_group(w, &w->filter->work->body);
    for (int64_t i = 0; i < j->results; i++) {
        sir_stmt *s = sir_stmt_new(m, SIR_PUSH, w->loc);
        s->u.value = expression(w, j->out.data[i].node, false);
        VEC_PUSH(m->arena, &w->filter->work->body, s);
    }
    write_ends(w);
}

// A loop over the groups, whose results an array takes.
static void write_loop(writer *w)
{
    stage_joint *j = w->j;
    sir_module *m = j->x->m;
    sir_function *work = w->filter->work;
    declare_results(w);
    w->place = sir_local_new(m, work, "i", m->scalar[SIR_INT], w->loc);
    sir_stmt *loop = new_loop(w, w->place, j->groups * j->apart, j->apart);
    write_group(w, &loop->u.for_.body);
    VEC_PUSH(m->arena, &work->body, loop);
    write_ends(w);
}

sir_filter *stage_make_filter(stage_joint *j, const char *name, const char *source, sir_loc loc, sir_loc work_loc)
{
    sir_module *m = j->x->m;
    sir_filter *r = ARENA_NEW(m->arena, sir_filter);
    *r = (sir_filter){.name = pass_unique_filter_name(m, m->arena, name),
                      .source = source,
                      .input = j->input,
                      .output = j->output,
                      .work = ARENA_NEW(m->arena, sir_function),
                      .loc = loc};
    *r->work = (sir_function){.kind = SIR_WORK, .name = "work", .result = m->scalar[SIR_VOID], .loc = work_loc};
    r->work->peek.min = r->work->peek.max = r->work->pop.min = r->work->pop.max = j->pop;
    r->work->push.min = r->work->push.max = j->push;
    writer w = {.j = j, .filter = r, .loc = work_loc, .place = SIR_NONE, .y = SIR_NONE};
    w.local = ARENA_ARRAY(j->x->a, uint32_t, j->nodes.len + 1);
    w.uses = ARENA_ARRAY(j->x->a, uint32_t, j->nodes.len + 1);
    w.depth = ARENA_ARRAY(j->x->a, uint32_t, j->nodes.len + 1);
    w.crosses = ARENA_ARRAY(j->x->a, bool, j->nodes.len + 1);
    memset(w.local, 0xff, j->nodes.len * sizeof *w.local);
    find_order(&w);
    if (j->groups > 1) {
        add_tables(&w);
        write_loop(&w);
    } else {
        write_alone(&w);
    }
    sir_filter_derive(m, r);
    return r;
}
