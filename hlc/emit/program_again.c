// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs of which firings may fail: whether one can, and what a strip needs to be done again (svm/strip.h).
#include <inttypes.h>

#include "hlc/emit/program_int.h"
#include "hlc/ir/walk.h"

// ---- Whether a firing may fail ----

typedef struct finder {
    program_emitter *x;
    const sir_filter *filter;
    bool dynamic; // it has dynamic rates
    arena *scratch;
    const hmap *open;       // of the function at hand: its accesses that are not proved
    body_rate_checks rates; // and what is checked
    bool stops;             // it divides ints by what may be zero, or something is checked
} finder;

static void find_in_expr(void *context, sir_expr *e, bool written)
{
    finder *f = context;
    (void)written;
    f->stops |= emit_may_divide_by_zero(f->filter, e) || body_checks_access(&f->x->e, &f->rates, f->open, e);
}

static void find_in_stmt(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_in_expr, context);
}

static bool function_may_fail(finder *f, const sir_function *function)
{
    f->rates = body_rate_checks_of(&f->x->e, f->filter, function, f->dynamic);
    f->stops = f->rates.pops || f->rates.pushes || f->rates.pops_at_exit || f->rates.pushes_at_exit;
    if (!f->stops) {
        f->open = body_find_open(&f->x->e, function, f->scratch);
        sir_visit_stmts(&function->body, find_in_stmt, f);
    }
    return f->stops;
}

bool program_may_fail(program_emitter *x, const sir_filter *filter, bool dynamic)
{
    const sir_function *const firings[] = {filter->work, filter->prework, filter->ahead};
    arena *scratch = arena_create();
    finder f = {.x = x, .filter = filter, .dynamic = dynamic, .scratch = scratch};
    sir_called called;
    sir_called_init(&called, scratch);
    bool may = false;
    for (size_t i = 0; i < sizeof firings / sizeof *firings && !may; i++)
        if (firings[i] != NULL) {
            may = function_may_fail(&f, firings[i]);
            sir_add_called(&called, firings[i]);
        }
    for (size_t i = 0; i < called.functions.len && !may; i++)
        may = called.functions.data[i]->kind != SIR_NATIVE && function_may_fail(&f, called.functions.data[i]);
    arena_destroy(scratch);
    return may;
}

// Whether strips can be done again. Of several processors all must reach the memory in which queues and what kernels keep
// lie, and windows be moved whole.
static bool can_go_back(const program_emitter *x)
{
    const plan_cut *cut = x->pl->cut;
    bool can = x->net == NULL && (x->p->config == NULL || !x->p->config->no_exact_errors);
    if (cut == NULL)
        return can;
    for (uint32_t q = 0; q < cut->resources->processors.len; q++)
        for (uint32_t k = 0; k < cut->kernels.len; k++)
            can &= cut->resources->processors.data[q].direct || !plan_kernel_runs_on(cut, k, q);
    return can && !cut->streams && !program_launches(x);
}

// Something can be seen of a phase before a firing that fails in it if an actor prints, or if a writer comes before one
// that may fail: other writers write what whole steady states give.
static void find_failing(program_emitter *x)
{
    hmap known; // filters: themselves, if they may fail, else the map
    bool seen = x->printing.len != 0;
    if (!can_go_back(x))
        return;
    hmap_init(&known, x->e.arena);
    const sir_module *m = x->pl->cut != NULL ? x->pl->cut->graph->whole : x->m;
    for (size_t i = 0; i < m->actors.len && !x->fails_in_order; i++) {
        const sir_actor *a = m->actors.data[i];
        const sir_filter *f = a->filter;
        seen |= a->kind == SIR_WRITER;
        if (a->kind != SIR_FILTER || (x->fails && !seen))
            continue;
        const void *may = hmap_getn(&known, &f, sizeof f);
        if (may == NULL) {
            may = program_may_fail(x, f, false) ? (const void *)f : &known;
            hmap_setn(&known, &f, sizeof f, (void *)(uintptr_t)may);
        }
        if (may != f)
            continue;
        x->fails = true;
        x->fails_in_order = seen;
    }
}

void program_find_failing(program_emitter *x)
{
    find_failing(x);
    static const char *const names[] = {"runKernels",  "runAgain",   "stripTable", "order",
                                        "stripStates", "stripItems", "stripInputs"};
    for (size_t i = 0; i < sizeof names / sizeof *names && x->fails; i++)
        emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_%s", x->name, names[i]));
}

void program_verify_failing(program_emitter *x)
{
    if (x->p->config != NULL && x->p->config->verify_each && x->e.stops && !x->fails && can_go_back(x))
        diag_internal(x->p->diag, (src_range){0}, "a firing of '%s' may stop it, and nothing is kept of its strips",
                      x->pl->name);
}

// ---- What a strip begins with ----

static const char *again_name(program_emitter *x, const char *what)
{
    return arena_printf(x->e.arena, "%s_strip%s", x->name, what);
}

static const char *again_prototype(program_emitter *x)
{
    return arena_printf(
        x->e.arena,
        "static void %s_runAgain(void *instance, const int64_t *counts, int64_t steady, bool starting, bool writes)",
        x->name);
}

// What the actors of a kernel keep lies together in its struct. Gives how many kernels there are whose actors keep anything.
static size_t emit_states(program_emitter *x)
{
    arena *a = x->e.arena;
    text_args rows = {0};
    for (uint32_t i = 0; i < x->pl->kernels.len; i++) {
        const program_kernel *k = &x->kernels[i];
        if (k->first_state == NULL)
            continue;
        VEC_PUSH(a, &rows,
                 arena_printf(a, "SVM_STRIP_STATE(%s, %s.%s, %s.%s),", x->type, k->field, k->first_state, k->field,
                              k->last_state));
    }
    if (rows.len != 0)
        program_table(x, "What actors keep from run to run.",
                      arena_printf(a, "svm_StripState %s", again_name(x, "States")), &rows);
    return rows.len;
}

// Of a channel with items from the beginning, which views may spread, the first run finds the whole block. Of input it finds
// what it moves to the front when it is over. Gives how many channels there are with anything to find.
static size_t emit_items(program_emitter *x)
{
    arena *a = x->e.arena;
    text_args rows = {0};
    bool *enqueued = ARENA_ARRAY(a, bool, x->pl->buffers.len + 1);
    bool *read = ARENA_ARRAY(a, bool, x->pl->buffers.len + 1);
    for (VEC_EACH(plan_initial, initial, &x->pl->initials))
        enqueued[initial->access.buffer] = x->has_init;
    for (VEC_EACH(plan_io, io, &x->pl->readers))
        read[io->access.buffer] = x->has_init;
    for (uint32_t i = 0; i < x->pl->buffers.len; i++) {
        const plan_buffer *b = &x->pl->buffers.data[i];
        const int64_t starting = enqueued[i] ? b->capacity : read[i] && b->base != 0 ? b->keep : 0;
        if (b->keep != 0 || starting != 0)
            VEC_PUSH(a, &rows, arena_printf(a, "{%" PRIu32 ", %" PRId64 ", %" PRId64 "},", i, starting, b->keep));
    }
    if (rows.len != 0)
        program_table(x, "Items that a run finds: channel, how many in the initialisation, and in later runs.",
                      arena_printf(a, "svm_StripItems %s", again_name(x, "Items")), &rows);
    return rows.len;
}

static size_t emit_inputs(program_emitter *x)
{
    arena *a = x->e.arena;
    text_args rows = {0};
    for (size_t i = 0; i < x->pl->readers.len; i++) {
        const plan_io *io = &x->pl->readers.data[i];
        VEC_PUSH(a, &rows,
                 arena_printf(a, "{offsetof(%s, readers[%zu]), %" PRIu32 ", %" PRId64 ", %" PRId64 "},", x->type, i,
                              io->access.buffer, plan_io_start(x->pl, x->s, io, PLAN_STEADY), x->s->reps[io->actor]));
    }
    if (rows.len != 0)
        program_table(x, "Readers: their channels, items that these keep, and those of a steady state.",
                      arena_printf(a, "svm_StripInput %s", again_name(x, "Inputs")), &rows);
    return rows.len;
}

void program_again_tables(program_emitter *x)
{
    if (!x->fails)
        return;
    arena *a = x->e.arena;
    if (x->fails_in_order)
        program_order_table(x);
    size_t states = emit_states(x), items = emit_items(x), inputs = emit_inputs(x);
    text_line(x, 0, "%s;\n", again_prototype(x));
    text_line(x, 0,
              "/* What a strip begins with: one in which a firing fails is done again, as far as that firing. */");
    size_t table = text_begin_table(x, "static const svm_StripTable %s_stripTable", x->name);
    text_args rows = {0};
    VEC_PUSH(a, &rows, arena_printf(a, ".again = %s_runAgain,", x->name));
    if (states != 0)
        VEC_PUSH(a, &rows, arena_printf(a, ".states = %s, .stateCount = %zu,", again_name(x, "States"), states));
    if (x->pl->buffers.len != 0)
        VEC_PUSH(a, &rows, arena_printf(a, ".channels = offsetof(%s, channels),", x->type));
    if (items != 0)
        VEC_PUSH(a, &rows, arena_printf(a, ".items = %s, .itemCount = %zu,", again_name(x, "Items"), items));
    if (inputs != 0)
        VEC_PUSH(a, &rows, arena_printf(a, ".inputs = %s, .inputCount = %zu,", again_name(x, "Inputs"), inputs));
    if (x->fails_in_order)
        VEC_PUSH(a, &rows, arena_printf(a, ".order = &%s_order,", x->name));
    text_rows(x, 1, &rows);
    text_end_table(x, table);
}

void program_again(program_emitter *x)
{
    if (!x->fails)
        return;
    bool counts = program_counts_firings(x);
    text_line(x, 0, "/* Of a strip in which a firing fails: what is done again. */");
    text_line(x, 0, "%s", again_prototype(x));
    text_line(x, 0, "{");
    text_line(x, 1, "%s *self = instance;", x->type);
    if (!counts)
        text_line(x, 1, "(void)counts;");
    strbuf shifts, *out = x->e.out;
    strbuf_init(&shifts, x->e.arena);
    x->e.out = &shifts;
    program_shift_written(x, 2);
    x->e.out = out;
    text_line(x, 1, shifts.len == 0 ? "if (writes)" : "if (writes) {");
    text_line(x, 2, "%s_fire(self, %ssteady, starting);", x->name, counts ? "counts, " : "");
    text_line(x, 1, shifts.len == 0 ? "else" : "} else {");
    text_line(x, 2, "%s_runKernels(self, %ssteady, starting);", x->name, counts ? "counts, " : "");
    if (shifts.len > 0) {
        strbuf_add(out, shifts.data); // the runs behind it find it there
        text_line(x, 1, "}");
    }
    text_line(x, 0, "}\n");
}
