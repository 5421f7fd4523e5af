// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The core as an integer program, solved by CBC: the time of a strip is minimised. Unfolding, assignment and stages are
// those of stream-graph modulo scheduling: a data-parallel cluster is as many instances as a round has strips, so that
// integers say how many run where. Times are in parts of the bound, so that the solver's tolerances fit.
//
//   x[c,p]  strips of a cluster on a processor (data-parallel), of 0 .. strips
//   y[c,p]  whether there are any; for the others, whether it is there
//   w[c,p]  whether all are (clusters that cost more for each chunk)
//   z[e]    whether an edge crosses; a[e,p], b[e,p]: what that costs the processors at its ends
//   m[e,p]  whether it takes memory there, as source; n[e,p]: as target
#include <coin/Cbc_C_Interface.h>
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "hlc/map/map_int.h"

// The solver's functions. Its library is loaded when the first program is to be solved: with what it needs (BLAS, LAPACK, Fortran's
// and C++'s libraries) it takes longer to load than most programs to compile.
typedef struct cbc {
#define FUNCTION(name) __typeof__(&Cbc_##name) name;
#include "hlc/map/cbc_functions.def"
#undef FUNCTION
} cbc;

static bool load(cbc *c)
{
    void *library = dlopen(SVMC_CBC_LIBRARY, RTLD_NOW | RTLD_LOCAL), *found;
    if (library == NULL)
        return false;
#define FUNCTION(name)                                                                                                 \
    found = dlsym(library, "Cbc_" #name);                                                                              \
    if (found == NULL)                                                                                                 \
        return false;                                                                                                  \
    memcpy(&c->name, &found, sizeof found);
#include "hlc/map/cbc_functions.def"
#undef FUNCTION
    return true;
}

bool map_has_solver(void)
{
    cbc c;
    return load(&c);
}

typedef struct term {
    int column;
    double factor;
} term;
typedef VEC(term) row;

typedef struct program {
    arena *arena;
    const map_core *core;
    cbc cbc;
    Cbc_Model *model;
    double strips, unit; // unit: seconds
    int time;            // column of the time
    int *x, *y, *w;      // by cluster and processor; -1: none. Of a cluster that is not data-parallel only y
    int columns;
    row *load, *memory; // by processor
    row *passing;       // by resource
} program;

static int add_column(program *g, double most, double cost, bool integer)
{
    g->cbc.addCol(g->model, "", 0, most, cost, integer, 0, NULL, NULL);
    return g->columns++;
}

static void add_term(program *g, row *r, int column, double factor)
{
    if (column >= 0 && factor != 0)
        VEC_PUSH(g->arena, r, (term){column, factor});
}

static void add_row(program *g, const row *r, char sense, double right)
{
    int *columns = ARENA_ARRAY(g->arena, int, r->len + 1);
    double *factors = ARENA_ARRAY(g->arena, double, r->len + 1);
    for (size_t i = 0; i < r->len; i++) {
        columns[i] = r->data[i].column;
        factors[i] = r->data[i].factor;
    }
    g->cbc.addRow(g->model, "", (int)r->len, columns, factors, sense, right);
}

static size_t at(const program *g, uint32_t cluster, uint32_t processor)
{
    return (size_t)cluster * g->core->processors + processor;
}

// A cluster's strips on a processor, as a term.
static term strips_of(const program *g, uint32_t cluster, uint32_t processor)
{
    size_t i = at(g, cluster, processor);
    return g->x[i] >= 0 ? (term){g->x[i], 1} : (term){g->y[i], g->strips};
}

static void add_cluster(program *g, uint32_t number)
{
    const map_cluster *c = &g->core->clusters.data[number];
    row sum = {0};
    for (uint32_t p = 0; p < g->core->processors; p++) {
        size_t i = at(g, number, p);
        g->x[i] = g->y[i] = g->w[i] = -1;
        if (c->time[p] < 0)
            continue;
        bool chunks = c->parallel && (c->priming > 0 || c->priming_bytes > 0);
        if (!c->parallel || chunks || c->bytes > 0 || c->edges.len > 0)
            g->y[i] = add_column(g, 1, 0, true);
        if (c->parallel) {
            g->x[i] = add_column(g, g->strips, 0, true);
            row r = {0}; // x <= strips * y
            add_term(g, &r, g->x[i], 1);
            add_term(g, &r, g->y[i], -g->strips);
            if (g->y[i] >= 0)
                add_row(g, &r, 'L', 0);
        }
        term t = strips_of(g, number, p);
        add_term(g, &sum, t.column, t.factor);
        add_term(g, &g->load[p], t.column, t.factor * c->time[p] / g->unit);
        if (g->core->problem->processors.data[p].memory != MAP_NO_BOUND)
            add_term(g, &g->memory[p], g->y[i],
                     (double)c->bytes / ((double)g->core->problem->processors.data[p].memory + 1));
        if (!chunks)
            continue;
        g->w[i] = add_column(g, 1, 0, true);
        row r = {0}; // x >= strips * w
        add_term(g, &r, g->x[i], 1);
        add_term(g, &r, g->w[i], -g->strips);
        add_row(g, &r, 'G', 0);
        add_term(g, &g->load[p], g->y[i], c->priming / g->unit);
        add_term(g, &g->load[p], g->w[i], -c->priming / g->unit);
        for (size_t k = 0; k < g->core->problem->resources.len; k++) {
            double bytes = c->priming_bytes * g->core->problem->resources.data[k].outside;
            add_term(g, &g->passing[k], g->y[i], bytes);
            add_term(g, &g->passing[k], g->w[i], -bytes);
        }
    }
    add_row(g, &sum, 'E', g->strips);
}

// What a crossing edge costs the processor at one end: as much as its strips there, unless it does not cross.
static void add_end(program *g, int crosses, uint32_t cluster, uint32_t processor, double seconds)
{
    term t = strips_of(g, cluster, processor);
    if (seconds == 0 || t.column < 0)
        return;
    int column = add_column(g, g->strips, 0, false);
    row r = {0}; // column >= strips there - strips * (1 - crosses)
    add_term(g, &r, column, 1);
    add_term(g, &r, t.column, -t.factor);
    add_term(g, &r, crosses, -g->strips);
    add_row(g, &r, 'G', -g->strips);
    add_term(g, &g->load[processor], column, seconds / g->unit);
}

static void add_local(program *g, int crosses, uint32_t cluster, uint32_t processor, uint64_t bytes)
{
    uint64_t room = g->core->problem->processors.data[processor].memory;
    int there = g->y[at(g, cluster, processor)];
    if (bytes == 0 || room == MAP_NO_BOUND || there < 0)
        return;
    int column = add_column(g, 1, 0, false);
    row r = {0}; // column >= there + crosses - 1
    add_term(g, &r, column, 1);
    add_term(g, &r, there, -1);
    add_term(g, &r, crosses, -1);
    add_row(g, &r, 'G', -1);
    add_term(g, &g->memory[processor], column, (double)bytes / ((double)room + 1));
}

static void add_edge(program *g, const map_core_edge *e)
{
    int crosses = add_column(g, 1, 0, true);
    for (uint32_t p = 0; p < g->core->processors; p++) {
        term from = strips_of(g, e->from, p), to = strips_of(g, e->to, p);
        for (int sign = -1; sign <= 1; sign += 2) { // strips * crosses >= +-(from - to)
            row r = {0};
            add_term(g, &r, crosses, g->strips);
            add_term(g, &r, from.column, sign * from.factor);
            add_term(g, &r, to.column, -sign * to.factor);
            add_row(g, &r, 'G', 0);
        }
        add_end(g, crosses, e->from, p, e->send);
        add_end(g, crosses, e->to, p, e->receive);
        add_local(g, crosses, e->from, p, e->local);
        add_local(g, crosses, e->to, p, e->local);
    }
    for (size_t k = 0; k < g->core->problem->resources.len; k++)
        add_term(g, &g->passing[k], crosses, g->strips * e->bytes * g->core->problem->resources.data[k].crossing);
}

static void add_limits(program *g)
{
    const map_core *c = g->core;
    for (uint32_t p = 0; p < c->processors; p++) {
        add_term(g, &g->load[p], g->time, -g->strips);
        add_row(g, &g->load[p], 'L', 0);
        if (g->memory[p].len > 0)
            add_row(g, &g->memory[p], 'L', 1);
    }
    for (size_t k = 0; k < c->problem->resources.len; k++) {
        double all = c->problem->resources.data[k].bandwidth * g->unit * g->strips; // bytes while the unit passes
        row r = {0};
        for (VEC_EACH(const term, t, &g->passing[k]))
            add_term(g, &r, t->column, t->factor / all);
        add_term(g, &r, g->time, -1);
        add_row(g, &r, 'L', -c->base[k] * g->strips / all);
    }
}

// Processors of one kind may change names: the i-th heaviest cluster that is not data-parallel is on one of the first i.
static void break_symmetry(program *g)
{
    const map_core *c = g->core;
    bool *used = ARENA_ARRAY(g->arena, bool, c->clusters.len);
    for (uint32_t i = 0; i < c->processors; i++) {
        uint32_t heaviest = UINT32_MAX;
        for (uint32_t k = 0; k < c->clusters.len; k++)
            if (!used[k] && !c->clusters.data[k].parallel &&
                (heaviest == UINT32_MAX || c->clusters.data[k].heaviest > c->clusters.data[heaviest].heaviest))
                heaviest = k;
        if (heaviest == UINT32_MAX)
            return;
        used[heaviest] = true;
        for (uint32_t p = 0, like = 0; p < c->processors; p++) {
            // Those before p of its kind: with more than i of them, it may be renamed.
            like = 0;
            for (uint32_t q = 0; q < p; q++)
                like += c->kind[q] == c->kind[p];
            if (like > i && g->y[at(g, heaviest, p)] >= 0)
                g->cbc.setColUpper(g->model, g->y[at(g, heaviest, p)], 0);
        }
    }
}

static void read_solution(const program *g, map_state *s)
{
    const double *values = g->cbc.getColSolution(g->model);
    const map_core *c = g->core;
    for (uint32_t i = 0; i < c->clusters.len; i++) {
        uint32_t left = s->strips;
        for (uint32_t p = 0; p < c->processors; p++) {
            term t = strips_of(g, i, p);
            double x = t.column < 0 ? 0 : round(values[t.column] * t.factor);
            uint32_t strips = x <= 0 ? 0 : x >= left ? left : (uint32_t)x;
            s->count[at(g, i, p)] = strips;
            left -= strips;
        }
        for (uint32_t p = 0; p < c->processors && left > 0; p++) // rounding leaves nothing but after an error
            if (c->clusters.data[i].time[p] >= 0 && (c->clusters.data[i].parallel || left == s->strips)) {
                s->count[at(g, i, p)] += left;
                left = 0;
            }
    }
}

static void set(program *g, const char *name, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", value);
    g->cbc.setParameter(g->model, name, text);
}

map_exact_result map_solve_exactly(arena *a, const map_core *c, map_state *s, uint64_t nodes, map_clock *clock)
{
    size_t size = c->clusters.len * c->processors;
    program g = {.arena = a, .core = c, .strips = s->strips};
    g.unit = c->bound.seconds > 0 ? c->bound.seconds : 1;
    g.x = ARENA_ARRAY(a, int, size), g.y = ARENA_ARRAY(a, int, size), g.w = ARENA_ARRAY(a, int, size);
    g.load = ARENA_ARRAY(a, row, c->processors), g.memory = ARENA_ARRAY(a, row, c->processors);
    g.passing = ARENA_ARRAY(a, row, c->problem->resources.len + 1);
    if (!load(&g.cbc)) // it was there when map_has_solver was asked
        return (map_exact_result){.lower = c->bound.seconds};
    g.model = g.cbc.newModel();
    map_costs costs = map_costs_make(a, c);
    map_costs_of(c, s, &costs);
    // Only what is better than what is known is of interest.
    double most = costs.overflow > 0 ? 1e9 : costs.seconds / g.unit * (1 - MAP_GAP / 2);
    g.time = add_column(&g, most, 1, false);
    g.cbc.setColLower(g.model, g.time, 1 - 1e-9);
    for (uint32_t i = 0; i < c->clusters.len; i++)
        add_cluster(&g, i);
    for (VEC_EACH(const map_core_edge, e, &c->edges))
        add_edge(&g, e);
    add_limits(&g);
    break_symmetry(&g);
    double seconds = clock->end - map_now();
    set(&g, "logLevel", 0);
    set(&g, "threads", 0);
    set(&g, "maxNodes", (double)nodes);
    set(&g, "ratioGap", MAP_GAP);
    set(&g, "sec", seconds > 0.01 ? seconds : 0.01);
    g.cbc.solve(g.model);

    map_exact_result result = {.nodes = (uint64_t)g.cbc.getNodeCount(g.model)};
    result.proven = g.cbc.isProvenOptimal(g.model) || g.cbc.isProvenInfeasible(g.model);
    double lower = g.cbc.isProvenInfeasible(g.model) ? most : g.cbc.getBestPossibleObjValue(g.model);
    result.lower = isfinite(lower) && lower < 1e9 && lower > 0 ? lower * g.unit : c->bound.seconds;
    map_state found = {s->strips, ARENA_ARRAY(a, uint32_t, size)};
    if (!g.cbc.isProvenInfeasible(g.model) && g.cbc.numberSavedSolutions(g.model) > 0) {
        read_solution(&g, &found);
        map_costs now = map_costs_make(a, c);
        map_costs_of(c, &found, &now);
        result.found = now.overflow < costs.overflow || (now.overflow == costs.overflow && now.seconds < costs.seconds);
        if (result.found)
            *s = found;
    }
    clock->cut_off |= g.cbc.isSecondsLimitReached(g.model) != 0;
    g.cbc.deleteModel(g.model);
    return result;
}
