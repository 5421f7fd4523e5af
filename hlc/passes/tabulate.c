// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'tabulate': a costly expression of constants and variables of counted loops alone, such as the cosine of two
// indices in a transform, becomes a constant table. Its elements are computed by the run time's own arithmetic
// (hlc/ir/eval.c), so that results stay the same bit for bit.
//
//     for %k = 0 to 8 { for %n = 0 to 8 { $x = $x + peek(%n) * cos(convert(%k * %n) * 0.5) } }
//     field $table: float[8][8] = ...     { $x = $x + peek(%n) * $table[%k][%n] }
//
// NOTE(counters). So does one of a field that counts round, such as the phase of an oscillator: as long as the field is in
// its round what it leads to is known. That is so before its first assignment, and behind it if there is only one.
//
//     push peek(0) * cos(convert($n) * 0.1)                push peek(0) * $table[$n]
//     pop; $n = ($n + 1) % 48                       ->     pop; $n = ($n + 1) % 48
#include <inttypes.h>
#include <string.h>

#include "hlc/ir/counters.h"
#include "hlc/ir/type_rules.h"
#include "hlc/passes/canonicalize.h"
#include "hlc/passes/tabulate_int.h"
#include "targets/machine.h"

// Elements of a table; nodes of an expression; bytes of a filter's tables where a processor's memory does not say less,
// and the part of a memory that code and data share with them.
enum { TABULATE_ELEMENTS = 65536, TABULATE_NODES = 64, TABULATE_BYTES = 256 * 1024, TABULATE_PART = 16 };
// Values of what counts round, at most: 8 KiB stay in the first cache beside items.
enum { TABULATE_ROUND = 2048 };

typedef struct tabulator {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    sir_filter *filter;
    const machine_processor *processor; // NULL: no machine is known
    int64_t bytes;                      // left for tables
    sir_expr **value;                   // tab_scalar_values, as far as their scopes
    tab_loops loops;                    // counters; then those around the present statement, outermost first
    size_t *assigned; // per field: statements of the function that assign to it, or SIZE_MAX if in a loop
    bool *begun;      // per field: one of them is behind
    bool in_local;    // what a local holds is looked at, which may be of before
    tab_values values;
    size_t made;
    bool locals_too; // else values of locals wait: what they are used for may become a table, and they go
} tabulator;

// What is known of an expression. Loops by bits, as in tabulator.loops.
typedef struct tab_known {
    bool known; // its value is, once those of the loops' variables are
    uint64_t loops;
    double cost; // seconds; where no machine is known, loads
    uint32_t nodes;
} tab_known;

static double cost_of(const tabulator *t, machine_operation op, double otherwise)
{
    if (t->processor == NULL)
        return otherwise;
    return machine_can_run(t->processor, op) ? machine_operation_seconds(t->processor, op) : 1; // a second is much
}

// Processors that launch threads have no such function that rounds as the language's do: a table makes a thread of the filter.
static double function_cost(const tabulator *t, machine_operation op)
{
    bool launches = t->processor != NULL && t->processor->pipeline.batches > 0;
    return launches ? 1 : cost_of(t, op, 100);
}

static double load_cost(const tabulator *t)
{
    return cost_of(t, MACHINE_OP_LOAD, 1);
}

static double operation_cost(const tabulator *t, const sir_expr *e)
{
    bool wide = e->type->kind == SIR_DOUBLE,
         floating = wide || e->type->kind == SIR_FLOAT || e->type->kind == SIR_COMPLEX;
    if (e->kind == SIR_CONVERT)
        return cost_of(t, MACHINE_OP_CONVERT, 1);
    if (e->kind == SIR_MATH && (e->op == LANG_MATH_SQRT || e->op == LANG_MATH_CSQRT))
        return cost_of(t, wide ? MACHINE_OP_DOUBLE_SQRT : MACHINE_OP_FLOAT_SQRT, 8);
    if (e->kind == SIR_MATH &&
        (e->op == LANG_MATH_ABS || e->op == LANG_MATH_MAX || e->op == LANG_MATH_MIN || e->op == LANG_MATH_FLOOR ||
         e->op == LANG_MATH_CEIL || e->op == LANG_MATH_ROUND || e->op == LANG_MATH_RINT))
        return cost_of(t, MACHINE_OP_CONVERT, 1);
    if (e->kind == SIR_MATH)
        return function_cost(t, wide ? MACHINE_OP_DOUBLE_TRANSCENDENTAL : MACHINE_OP_FLOAT_TRANSCENDENTAL);
    if (e->kind == SIR_BINARY && (e->op == LANG_OP_DIV || e->op == LANG_OP_REM))
        return !floating ? cost_of(t, MACHINE_OP_INT_DIV, 8)
                         : cost_of(t, wide ? MACHINE_OP_DOUBLE_DIV : MACHINE_OP_FLOAT_DIV, 8);
    return 0; // as cheap as a load
}

// ---- What is known ----

static tab_known look(tabulator *t, sir_expr *e);

static void join(tab_known *k, tab_known other)
{
    k->known = k->known && other.known;
    k->loops |= other.loops;
    k->cost += other.cost;
    k->nodes += other.nodes;
}

// An element of a constant table.
static tab_known look_at_table(tabulator *t, sir_expr *e)
{
    tab_known k = {
        .known = sir_constant_value(t->m, t->filter, sir_lvalue_root(e)) != NULL, .nodes = 1, .cost = load_cost(t)};
    for (; k.known && (e->kind == SIR_INDEX || e->kind == SIR_MEMBER); e = e->u.arg[0])
        if (e->kind == SIR_INDEX)
            join(&k, look(t, e->u.arg[1]));
    return k;
}

static const tab_loop *counter_of(const tabulator *t, const sir_expr *e)
{
    for (size_t i = 0; e->kind == SIR_FIELD && i < t->loops.len && t->loops.data[i].counter; i++)
        if (t->loops.data[i].local == e->index)
            return &t->loops.data[i];
    return NULL;
}

// A field that counts round: NOTE(counters).
static tab_known look_at_counter(const tabulator *t, const tab_loop *l)
{
    bool round = !t->begun[l->local] || (t->assigned[l->local] == 1 && !t->in_local);
    return (tab_known){round, UINT64_C(1) << (l - t->loops.data), 0, 1};
}

static tab_known look_at_local(tabulator *t, const sir_expr *e)
{
    const tab_loop *l = tab_find_loop(&t->loops, e->index);
    const size_t depth = l == NULL ? 0 : (size_t)(l - t->loops.data);
    if (l != NULL && depth < 64)
        return (tab_known){l->extent > 0, UINT64_C(1) << depth, 0, 1};
    if (t->value[e->index] == NULL)
        return (tab_known){0};
    bool outer = t->in_local;
    t->in_local = true;
    tab_known k = look(t, t->value[e->index]);
    t->in_local = outer;
    return k;
}

static tab_known look(tabulator *t, sir_expr *e)
{
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return (tab_known){.known = true, .nodes = 1};
    case SIR_LOCAL: return look_at_local(t, e);
    case SIR_FIELD:
        if (counter_of(t, e) != NULL)
            return look_at_counter(t, counter_of(t, e));
        return look_at_table(t, e);
    case SIR_GLOBAL:
    case SIR_INDEX: return look_at_table(t, e);
    case SIR_PEEK:
    case SIR_FETCH:
    case SIR_ITER: return (tab_known){0};
    case SIR_MEMBER:
        if (e->u.arg[0]->type->kind != SIR_COMPLEX || sir_lvalue_root(e) != NULL)
            return sir_lvalue_root(e) != NULL ? look_at_table(t, e) : (tab_known){0};
        break;
    case SIR_UNARY:
    case SIR_BINARY:
    case SIR_SELECT:
    case SIR_CONVERT:
    case SIR_MATH:
    case SIR_MAKE_COMPLEX: break;
    }
    tab_known k = {.known = true, .nodes = 1, .cost = operation_cost(t, e)};
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity && k.known; i++) {
        join(&k, look(t, e->u.arg[i]));
        k.known = k.known && k.nodes <= TABULATE_NODES;
    }
    return k;
}

// ---- Values ----

static bool value_of_local(const void *context, const sir_expr *e, sir_scalar *r)
{
    const tabulator *t = context;
    const tab_loop *counter = counter_of(t, e);
    if (counter != NULL)
        *r = (sir_scalar){.i = counter->now};
    if (counter != NULL || e->kind != SIR_LOCAL)
        return counter != NULL;
    const tab_loop *l = tab_find_loop(&t->loops, e->index);
    if (l != NULL) {
        *r = (sir_scalar){.i = l->now};
        return true;
    }
    return tab_compute(&t->values, t->value[e->index], r);
}

// ---- The table ----

static const sir_type *table_type(const tabulator *t, const sir_type *element, uint64_t loops)
{
    const sir_type *type = element;
    for (size_t i = t->loops.len; i-- > 0;)
        if ((loops >> i & 1) != 0)
            type = sir_type_array(t->m, type, (uint32_t)t->loops.data[i].extent);
    return type;
}

// Elements of values that a loop's variable never takes stay 0.
static bool fill(tabulator *t, const sir_expr *e, uint64_t loops, size_t from, const sir_type *type, sir_scalar *data)
{
    while (from < t->loops.len && (loops >> from & 1) == 0)
        from++;
    if (from == t->loops.len)
        return tab_compute(&t->values, e, data);
    tab_loop *l = &t->loops.data[from];
    for (int64_t i = 0; i < l->extent; i += l->step) {
        l->now = (int32_t)(l->least + i);
        if (!fill(t, e, loops, from + 1, type->element, data + i * (int64_t)type->element->words))
            return false;
    }
    return true;
}

static bool same_value(const sir_value *a, const sir_value *b)
{
    return a->type == b->type && !a->zero && !b->zero &&
           memcmp(a->data, b->data, a->type->words * sizeof *a->data) == 0;
}

uint32_t tab_field(sir_module *m, sir_filter *f, sir_value value, sir_loc loc)
{
    size_t n = f->fields.len;
    for (size_t i = 0; i < n; i++)
        if (f->fields.data[i].constant && same_value(&f->fields.data[i].init, &value))
            return (uint32_t)i;
    const char *name = "table";
    for (uint32_t k = 2, taken = 1; taken != 0; k++) {
        taken = 0;
        for (size_t i = 0; i < n; i++)
            taken += strcmp(f->fields.data[i].name, name) == 0;
        if (taken != 0)
            name = arena_printf(m->arena, "table_%" PRIu32, k);
    }
    sir_field field = {
        .name = name, .type = value.type, .init = sir_value_new(m->arena, value.type), .constant = true, .loc = loc};
    memcpy(field.init.data, value.data, value.type->words * sizeof *value.data);
    VEC_PUSH(m->arena, &f->fields, field);
    return (uint32_t)n;
}

sir_expr *tab_subscript(sir_module *m, sir_expr *number, int64_t least, sir_loc loc)
{
    const sir_type *type = m->scalar[SIR_INT];
    if (number->type->kind == SIR_BIT)
        number = sir_expr1(m, SIR_CONVERT, 0, type, number, loc);
    else if (number->type->kind == SIR_BOOLEAN)
        number = sir_expr3(m, SIR_SELECT, type, number, sir_const_int(m, 1, loc), sir_const_int(m, 0, loc), loc);
    if (least == 0)
        return number;
    return sir_expr2(m, SIR_BINARY, LANG_OP_SUB, type, number, sir_const_int(m, (int32_t)least, loc), loc);
}

static sir_expr *loop_subscript(const tabulator *t, const tab_loop *l, sir_loc loc)
{
    sir_expr_kind kind = l->counter ? SIR_FIELD : SIR_LOCAL;
    return tab_subscript(t->m, sir_ref(t->m, kind, l->local, t->m->scalar[SIR_INT], loc), l->least, loc);
}

static int64_t elements_of(const tabulator *t, uint64_t loops)
{
    int64_t n = 1;
    for (size_t i = 0; i < t->loops.len; i++)
        if ((loops >> i & 1) != 0)
            n = n > TABULATE_ELEMENTS || t->loops.data[i].extent > TABULATE_ELEMENTS ? INT32_MAX
                                                                                     : n * t->loops.data[i].extent;
    return n;
}

static void remark(const tabulator *t, const sir_expr *e, const char *what, int64_t n)
{
    if (t->hlc->diag->remarks)
        diag_remark(t->hlc->diag, sir_range(t->m, t->hlc->sources, e->loc), what, n, t->filter->name);
}

static sir_expr *make_table(tabulator *t, sir_expr *e, uint64_t loops)
{
    int64_t n = elements_of(t, loops), size = e->type->kind == SIR_FLOAT ? 4 : 8;
    if (n > TABULATE_ELEMENTS || n * size > t->bytes) {
        remark(t, e,
               "a table of its %" PRId64
               " values would take too much memory; it is computed in every firing of '%s' [tabulate]",
               n);
        return NULL;
    }
    sir_value value = sir_value_new(t->a, table_type(t, e->type, loops));
    if (!fill(t, e, loops, 0, value.type, value.data))
        return NULL;
    size_t before = t->filter->fields.len;
    sir_expr *r = sir_ref(t->m, SIR_FIELD, tab_field(t->m, t->filter, value, e->loc), value.type, e->loc);
    if (t->filter->fields.len != before)
        t->bytes -= n * size;
    t->made++;
    bool counted = false;
    for (size_t i = 0; i < t->loops.len; i++) {
        counted |= t->loops.data[i].counter && (loops >> i & 1) != 0;
        if ((loops >> i & 1) != 0)
            r = sir_expr2(t->m, SIR_INDEX, 0, r->type->element, r, loop_subscript(t, &t->loops.data[i], e->loc),
                          e->loc);
    }
    remark(t, e,
           counted ? "%" PRId64 " values of what counts round in '%s' become a constant table [tabulate]"
                   : "%" PRId64 " values of constants and loop variables in '%s' become a constant table [tabulate]",
           n);
    return r;
}

static bool is_floating(const sir_type *t)
{
    return t->kind == SIR_FLOAT || t->kind == SIR_DOUBLE || t->kind == SIR_COMPLEX;
}

static bool is_worth(const tabulator *t, tab_known k)
{
    bool counts = false;
    for (size_t i = 0; i < t->loops.len && t->loops.data[i].counter; i++)
        counts |= (k.loops >> i & 1) != 0;
    if (counts && elements_of(t, k.loops) > TABULATE_ROUND)
        return false;
    return k.known && k.loops != 0 && k.cost > TABULATE_GAIN * load_cost(t);
}

// A part that is costly itself and depends on fewer loops is tabulated alone, if what is around it is cheap.
static bool parts_are_better(tabulator *t, const sir_expr *e, tab_known whole)
{
    if (operation_cost(t, e) > TABULATE_GAIN * load_cost(t))
        return false;
    bool better = false;
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++) {
        tab_known k = look(t, e->u.arg[i]);
        if (!is_worth(t, k))
            continue;
        if (k.loops == whole.loops || !is_floating(e->u.arg[i]->type))
            return false;
        better = true;
    }
    return better;
}

static void replace_in(tabulator *t, sir_expr **at)
{
    sir_expr *e = *at;
    if (e->kind == SIR_CONST || e->kind == SIR_LOCAL || e->kind == SIR_FIELD || e->kind == SIR_GLOBAL)
        return;
    if (is_floating(e->type) && e->kind != SIR_INDEX) {
        tab_known k = look(t, e);
        if (is_worth(t, k) && !parts_are_better(t, e, k)) {
            sir_expr *table = make_table(t, e, k.loops);
            if (table != NULL)
                *at = table;
            return;
        }
    }
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        replace_in(t, &e->u.arg[i]);
}

// ---- Fields that count round ----

static void note_assigned(void *context, sir_stmt *s)
{
    tabulator *t = context;
    const sir_expr *root = sir_assigned_root(s);
    if (root != NULL && root->kind == SIR_FIELD && t->assigned[root->index] != SIZE_MAX)
        t->assigned[root->index]++;
}

static void note_repeated(void *context, sir_stmt *s)
{
    tabulator *t = context;
    const sir_expr *root = sir_assigned_root(s);
    if (root != NULL && root->kind == SIR_FIELD)
        t->assigned[root->index] = SIZE_MAX;
}

static void note_loop(void *context, sir_stmt *s)
{
    if (s->kind != SIR_FOR && s->kind != SIR_LOOP)
        return;
    sir_parts parts = sir_stmt_parts(s);
    for (uint8_t k = 0; k < parts.block_count; k++)
        sir_visit_stmts(parts.block[k], note_repeated, context);
}

static void begin(tabulator *t, sir_stmt *s)
{
    const sir_expr *root = sir_assigned_root(s);
    if (root != NULL && root->kind == SIR_FIELD)
        t->begun[root->index] = true;
}

typedef struct cost_walk {
    const tabulator *t;
    bool any;
} cost_walk;

static void note_cost(void *context, sir_expr *e, bool written)
{
    cost_walk *w = context;
    (void)written;
    w->any |= e->kind == SIR_MATH && operation_cost(w->t, e) > TABULATE_GAIN * load_cost(w->t);
}

static void note_costs(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, note_cost, context);
}

static bool find_counter(tabulator *t, uint32_t field, tab_loop *l)
{
    sir_counter c;
    *l = (tab_loop){.local = field, .counter = true, .step = 1};
    if (t->filter->fields.data[field].type->kind != SIR_INT || t->assigned[field] == 0 ||
        t->assigned[field] == SIZE_MAX)
        return false;
    if (!sir_find_round(t->a, t->filter, field, TABULATE_ROUND, &c))
        return false;
    l->least = c.low;
    l->extent = (int64_t)c.high - c.low + 1;
    return l->extent <= TABULATE_ROUND;
}

// Counters are looked for only where something costly might be made of one. What sources push is for `orbit`.
static void find_counters(tabulator *t, sir_function *f)
{
    cost_walk w = {.t = t};
    t->assigned = ARENA_ARRAY(t->a, size_t, t->filter->fields.len + 1);
    t->begun = ARENA_ARRAY(t->a, bool, t->filter->fields.len + 1);
    sir_visit_stmts(&f->body, note_costs, &w);
    if (!w.any || f->kind != SIR_WORK || t->filter->input->kind == SIR_VOID || !t->filter->stateful)
        return;
    sir_visit_stmts(&f->body, note_assigned, t);
    sir_visit_stmts(&f->body, note_loop, t);
    for (uint32_t i = 0; i < t->filter->fields.len; i++) {
        tab_loop l;
        if (find_counter(t, i, &l))
            VEC_PUSH(t->a, &t->loops, l);
    }
}

// ---- Bodies ----

static void walk(tabulator *t, sir_block *b);

tab_loop tab_loop_of(const sir_stmt *s)
{
    const int64_t step = s->u.for_.step;
    tab_loop l = {.local = s->u.for_.local, .step = step > 0 ? step : -step};
    int64_t trips;
    if (!sir_for_trips(s, &trips) || trips == 0)
        return l;
    const int64_t first = s->u.for_.lo->u.value.i, last = first + (trips - 1) * step;
    l.least = (int32_t)(step > 0 ? first : last);
    l.extent = (step > 0 ? last - first : first - last) + 1;
    return l;
}

tab_loop *tab_find_loop(const tab_loops *loops, uint32_t local)
{
    for (size_t i = 0; i < loops->len; i++)
        if (loops->data[i].local == local && !loops->data[i].counter)
            return &loops->data[i];
    return NULL;
}

static void walk_for(tabulator *t, sir_stmt *s)
{
    VEC_PUSH(t->a, &t->loops, tab_loop_of(s));
    walk(t, &s->u.for_.body);
    t->loops.len--;
}

static void walk(tabulator *t, sir_block *b)
{
    for (size_t i = 0; i < b->len; i++) {
        sir_stmt *s = b->data[i];
        sir_parts parts = sir_stmt_parts(s);
        bool waits =
            s->kind == SIR_DECL && !t->locals_too && t->value[s->u.decl.local] != NULL && look(t, s->u.decl.init).known;
        for (uint8_t k = 0; k < parts.expr_count && !waits; k++)
            replace_in(t, parts.expr[k]);
        for (size_t k = 0; k < parts.arg_count; k++)
            replace_in(t, &parts.args[k]);
        if (parts.target != NULL)
            replace_in(t, parts.target);
        if (s->kind == SIR_FOR) {
            walk_for(t, s);
            continue;
        }
        for (uint8_t k = 0; k < parts.block_count; k++)
            walk(t, parts.block[k]);
        begin(t, s);
    }
}

sir_expr **tab_scalar_values(arena *a, const sir_function *f)
{
    sir_expr **values = ARENA_ARRAY(a, sir_expr *, f->locals.len + 1);
    sir_declared_values(&f->body, values);
    for (size_t i = 0; i < f->locals.len; i++)
        if (!sir_is_scalar(f->locals.data[i].type)) // arrays go to functions by reference
            values[i] = NULL;
    return values;
}

static void tabulate_function(tabulator *t, sir_function *f)
{
    t->value = tab_scalar_values(t->a, f);
    t->loops.len = 0;
    find_counters(t, f);
    walk(t, &f->body);
}

static const machine_processor *kernel_processor(const struct machine *m)
{
    for (size_t i = 0; m != NULL && i < m->processors.len; i++)
        if (m->processors.data[i].kind == MACHINE_processor_kind_KERNEL && !m->processors.data[i].fallback)
            return &m->processors.data[i];
    return NULL;
}

int64_t pass_table_bytes(const hlc_program *p)
{
    const machine_processor *k = kernel_processor(p->machine);
    if (k == NULL || k->code_memory.index == SIZE_MAX || k->code_memory.kind != MACHINE_MEMORY)
        return TABULATE_BYTES;
    return (int64_t)(p->machine->memories.data[k->code_memory.index].size / TABULATE_PART);
}

static bool tabulate(hlc_program *p, sir_filter *f, bool locals_too)
{
    tabulator t = {.a = arena_create(),
                   .hlc = p,
                   .m = p->module,
                   .filter = f,
                   .bytes = pass_table_bytes(p),
                   .locals_too = locals_too};
    t.processor = kernel_processor(p->machine);
    t.values = (tab_values){.m = p->module, .filter = f, .context = &t, .given = value_of_local};
    if (f->work != NULL)
        tabulate_function(&t, f->work);
    if (f->prework != NULL)
        tabulate_function(&t, f->prework);
    for (VEC_EACH(sir_function *, g, &f->functions))
        tabulate_function(&t, *g);
    bool few = !locals_too && tabulate_keys(p, f, &t.bytes);
    few |= !locals_too && tabulate_few(p, f, &t.bytes);
    few |= !locals_too && tabulate_regions(p, f, &t.bytes);
    few |= !locals_too && tabulate_chosen(p, f, &t.bytes);
    if (t.made > 0 || few)
        sir_filter_derive(p->module, f);
    arena_destroy(t.a);
    return t.made > 0 || few;
}

bool pass_tabulate(hlc_program *p)
{
    const canon_options options = {.keep_subscripts = p->config->check_bounds, .keep_peeks = p->config->check_rates};
    bool any = false;
    for (int round = 0; round < 2; round++) {
        bool changed = false;
        for (VEC_EACH(sir_filter *, f, &p->module->filters))
            changed |= tabulate(p, *f, round > 0);
        if (changed)
            sir_canonicalize(p->module, &options); // locals that nobody reads now go
        any |= changed;
    }
    return any;
}
