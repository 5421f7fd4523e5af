// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which actors make up a kernel. Actors without state that need not wait for others with state are one kernel, whose strips
// may run anywhere; so are those behind one layer of state, and so on. Actors with state, and feedback loops, stay on
// one processor each; light ones are joined with each other and with what little lies between them, as every cut costs.
#include <stdlib.h>
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/cut.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/threads.h"
#include "hlc/plan/thresholds.h"

typedef VEC(uint32_t) number_list;

typedef struct group {
    bool alive, keeps;
    bool launched; // has filters that are launched as threads
    double load;
    uint32_t able;       // NOTE(able)
    uint32_t first;      // actor, for the order
    number_list out, in; // groups, maybe several times
} group;

// NOTE(able). Actors that no processor can all run are no group. A group has the number of a set of kinds of processors: a text
// with a '1' for each kind of the record that can run all of it.
typedef struct grouper {
    hlc_program *p;
    arena *a;
    const sir_module *m;
    const schedule *s;
    size_t processors;
    bool
        launches; // the first processor does, and others run what it cannot: a launch is by itself, so that cuts cost nothing
    const plan_record *record;
    VEC(const char *) able; // NOTE(able)
    hmap able_number;
    bool layers; // units with state are joined layer by layer
    sched_units units;
    uint32_t *unit;    // per actor; SIR_NONE: the control program's
    bool *keeps;       // per unit
    uint32_t *able_of; // per unit
    uint32_t *level;
    uint32_t *of; // per actor: its group
    VEC(group) groups;
    uint32_t *mark, marks;
} grouper;

// ---- Who can run a group: NOTE(able) ----

static uint32_t number_of_set(grouper *g, const char *set)
{
    size_t known = (size_t)hmap_get(&g->able_number, set);
    if (known == 0) {
        VEC_PUSH(g->a, &g->able, set);
        known = g->able.len;
        hmap_set(&g->able_number, set, (void *)known);
    }
    return (uint32_t)known - 1;
}

static char *every_kind(const grouper *g)
{
    char *set = ARENA_ARRAY(g->a, char, g->record->kinds.len + 1);
    memset(set, '1', g->record->kinds.len);
    return set;
}

static bool has_kind(const grouper *g, const char *set, bool fallback)
{
    for (size_t k = 0; k < g->record->kinds.len; k++)
        if (set[k] == '1' && g->record->kinds.data[k].fallback == fallback)
            return true;
    return false;
}

static const char *both_sets(const grouper *g, uint32_t x, uint32_t y)
{
    char *set = every_kind(g);
    for (size_t k = 0; k < g->record->kinds.len; k++)
        if (g->able.data[x][k] == '0' || g->able.data[y][k] == '0')
            set[k] = '0';
    return set;
}

// Some processor can run both; no fallback has to, if none has to for one of them.
static bool can_be_one(const grouper *g, uint32_t x, uint32_t y)
{
    if (x == y)
        return true;
    const char *both = both_sets(g, x, y);
    bool ordinary = has_kind(g, g->able.data[x], false) && has_kind(g, g->able.data[y], false);
    return has_kind(g, both, false) || (!ordinary && has_kind(g, both, true));
}

static void find_able(grouper *g)
{
    char **sets = ARENA_ARRAY(g->a, char *, g->m->actors.len + 1); // per unit
    for (uint32_t i = 0; i < g->m->actors.len; i++) {
        if (g->unit[i] == SIR_NONE)
            continue;
        if (sets[g->unit[i]] == NULL)
            sets[g->unit[i]] = every_kind(g);
        for (size_t k = 0; k < g->record->kinds.len; k++)
            if (g->record->of[i].seconds[k] < 0)
                sets[g->unit[i]][k] = '0';
    }
    for (uint32_t i = 0; i < g->m->actors.len; i++)
        if (g->unit[i] == i)
            g->able_of[i] = number_of_set(g, sets[i]);
}

// ---- Groups ----

static void find_units(grouper *g)
{
    g->units = sched_units_of(g->a, g->m, g->s);
    for (uint32_t i = 0; i < g->m->actors.len; i++) {
        g->unit[i] = sir_is_file(g->m->actors.data[i]) ? SIR_NONE : g->units.of[i];
        if (g->unit[i] != SIR_NONE)
            g->keeps[g->unit[i]] |= g->record->of[i].keeps != NULL;
    }
}

// Whether two units that follow each other are no group because no processor can run both; those with state are groups of
// their own anyway, unless they are joined layer by layer.
static bool are_apart(const grouper *g, uint32_t from, uint32_t to)
{
    return g->keeps[from] == g->keeps[to] && g->able_of[from] != g->able_of[to] && (!g->keeps[from] || g->layers);
}

// Layers: how often a way to a unit changes between actors with and without state. Even ones have none. So it is where who
// can run them changes, twice.
static void find_levels(grouper *g)
{
    const sched_units *u = &g->units;
    for (uint32_t i = 0; i < g->m->actors.len; i++)
        g->level[i] = g->keeps[i];
    for (size_t at = 0; at < u->count; at++) {
        uint32_t unit = g->unit[u->order[at]];
        for (uint32_t k = u->start[u->order[at]]; unit != SIR_NONE && k < u->start[unit + 1]; k++)
            for (VEC_EACH(uint32_t, out, &g->m->actors.data[u->members[k]]->outputs)) {
                uint32_t to = *out == SIR_NONE ? SIR_NONE : g->unit[g->m->channels.data[*out].consumer];
                if (to == SIR_NONE || to == unit)
                    continue;
                uint32_t level = g->level[unit] + (g->keeps[unit] != g->keeps[to]) + 2 * are_apart(g, unit, to);
                g->level[to] = level > g->level[to] ? level : g->level[to];
            }
    }
}

static size_t count_pinned(const grouper *g)
{
    size_t pinned = 0;
    for (uint32_t i = 0; i < g->m->actors.len; i++)
        pinned += g->unit[i] == i && g->keeps[i];
    return pinned;
}

static uint32_t new_group(grouper *g, uint32_t first)
{
    uint32_t unit = g->unit[first];
    VEC_PUSH(g->a, &g->groups,
             (group){.alive = true, .keeps = g->keeps[unit], .able = g->able_of[unit], .first = first});
    return (uint32_t)g->groups.len - 1;
}

// One group a layer without state, for each set of those who can run it; one a unit with state, or, if there are many, one
// a layer.
static void make_groups(grouper *g)
{
    uint32_t n = (uint32_t)g->m->actors.len;
    size_t sets = g->able.len, layers = (2 * (size_t)n + 3) * sets;
    uint32_t *of_layer = ARENA_ARRAY(g->a, uint32_t, layers), *of_unit = ARENA_ARRAY(g->a, uint32_t, n + 1);
    memset(of_layer, 0xff, layers * sizeof *of_layer);
    memset(of_unit, 0xff, (n + 1) * sizeof *of_unit);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t unit = g->unit[i];
        g->of[i] = SIR_NONE;
        if (unit == SIR_NONE)
            continue;
        bool own = g->keeps[unit] && !g->layers;
        uint32_t *known = own ? &of_unit[unit] : &of_layer[g->level[unit] * sets + g->able_of[unit]];
        if (*known == SIR_NONE)
            *known = new_group(g, i);
        g->of[i] = *known;
        g->groups.data[*known].load += plan_record_work(g->record, i);
        g->groups.data[*known].launched |= !g->keeps[unit] && g->m->actors.data[i]->kind == SIR_FILTER;
    }
}

static void connect_groups(grouper *g)
{
    for (VEC_EACH(const sir_channel, c, &g->m->channels)) {
        uint32_t from = g->of[c->producer], to = g->of[c->consumer];
        if (from == SIR_NONE || to == SIR_NONE || from == to)
            continue;
        VEC_PUSH(g->a, &g->groups.data[from].out, to);
        VEC_PUSH(g->a, &g->groups.data[to].in, from);
    }
}

// Whether a way leads from one group to another through a third.
static bool has_detour(grouper *g, uint32_t from, uint32_t to)
{
    number_list stack = {0};
    g->marks++;
    VEC_PUSH(g->a, &stack, from);
    while (stack.len != 0) {
        uint32_t at = stack.data[--stack.len];
        for (VEC_EACH(uint32_t, next, &g->groups.data[at].out)) {
            if (*next == to && at != from)
                return true;
            if (*next == to || g->mark[*next] == g->marks)
                continue;
            g->mark[*next] = g->marks;
            VEC_PUSH(g->a, &stack, *next);
        }
    }
    return false;
}

static void replace_numbers(number_list *list, uint32_t from, uint32_t to, uint32_t drop)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->len; i++) {
        uint32_t number = list->data[i] == from ? to : list->data[i];
        if (number != drop)
            list->data[kept++] = number;
    }
    list->len = kept;
}

static void join(grouper *g, uint32_t into, uint32_t from)
{
    group *x = &g->groups.data[into], *y = &g->groups.data[from];
    x->keeps |= y->keeps;
    x->able = x->able == y->able ? x->able : number_of_set(g, both_sets(g, x->able, y->able));
    x->launched |= y->launched;
    x->load += y->load;
    x->first = y->first < x->first ? y->first : x->first;
    y->alive = false;
    for (VEC_EACH(uint32_t, other, &y->out)) {
        replace_numbers(&g->groups.data[*other].in, from, into, SIR_NONE);
        VEC_PUSH(g->a, &x->out, *other);
    }
    for (VEC_EACH(uint32_t, other, &y->in)) {
        replace_numbers(&g->groups.data[*other].out, from, into, SIR_NONE);
        VEC_PUSH(g->a, &x->in, *other);
    }
    replace_numbers(&x->out, from, into, into);
    replace_numbers(&x->in, from, into, into);
    for (uint32_t i = 0; i < g->m->actors.len; i++)
        if (g->of[i] == from)
            g->of[i] = into;
}

static bool may_join(grouper *g, uint32_t from, uint32_t to, double share)
{
    const group *x = &g->groups.data[from], *y = &g->groups.data[to];
    double most = share * GROUP_SHARE, sum = x->load + y->load;
    if (!can_be_one(g, x->able, y->able))
        return false;
    if (!x->keeps && !y->keeps && x->able == y->able)
        return !has_detour(g, from, to);
    if (g->launches && x->keeps != y->keeps && (x->launched || y->launched))
        return false;
    if (x->keeps != y->keeps) {
        double kept = (x->keeps ? x->load : y->load) * GROUP_MORE;
        most = kept > most ? kept : most;
    }
    return sum <= most && !has_detour(g, from, to);
}

// Joins neighbours, the lightest pair first.
static void join_groups(grouper *g)
{
    double total = 0;
    for (VEC_EACH(group, x, &g->groups))
        total += x->load;
    double share = g->processors < 2 ? 2 * total / GROUP_SHARE + 1 : total / (double)g->processors;
    for (;;) {
        uint32_t best_from = SIR_NONE, best_to = SIR_NONE;
        double least = 0;
        for (uint32_t i = 0; i < g->groups.len; i++)
            for (VEC_EACH(uint32_t, to, &g->groups.data[i].out)) {
                double sum = g->groups.data[i].load + g->groups.data[*to].load;
                if (!g->groups.data[i].alive || (best_from != SIR_NONE && sum >= least) || !may_join(g, i, *to, share))
                    continue;
                best_from = i;
                best_to = *to;
                least = sum;
            }
        if (best_from == SIR_NONE)
            return;
        join(g, best_from, best_to);
    }
}

// Numbers in topological order, among those that are ready the one with the first actor first.
static uint32_t *number_groups(grouper *g, size_t *count)
{
    size_t n = g->groups.len;
    uint32_t *number = ARENA_ARRAY(g->a, uint32_t, n + 1);
    memset(number, 0xff, (n + 1) * sizeof *number);
    *count = 0;
    for (;;) {
        uint32_t best = SIR_NONE;
        for (uint32_t i = 0; i < n; i++) {
            const group *x = &g->groups.data[i];
            bool ready = x->alive && number[i] == SIR_NONE;
            for (size_t k = 0; k < x->in.len && ready; k++)
                ready = number[x->in.data[k]] != SIR_NONE;
            if (ready && (best == SIR_NONE || x->first < g->groups.data[best].first))
                best = i;
        }
        if (best == SIR_NONE)
            break;
        number[best] = (uint32_t)(*count)++;
    }
    uint32_t *kernel_of = ARENA_ARRAY(g->a, uint32_t, g->m->actors.len + 1);
    for (uint32_t i = 0; i < g->m->actors.len; i++)
        kernel_of[i] = g->of[i] == SIR_NONE ? SIR_NONE : number[g->of[i]];
    return kernel_of;
}

// ---- How even kernels are ----

static int by_load_down(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

// What the busiest processor has to do if kernels that stay go to who has least, heaviest first, and the others fill up.
static double busiest(const grouper *g, const uint32_t *kernel_of, size_t count)
{
    double *kept = ARENA_ARRAY(g->a, double, count + 1), *load = ARENA_ARRAY(g->a, double, g->processors + 1);
    bool *keeps = ARENA_ARRAY(g->a, bool, count + 1);
    double total = 0, most = 0;
    for (uint32_t i = 0; i < g->m->actors.len; i++) {
        if (kernel_of[i] == SIR_NONE)
            continue;
        double x = plan_record_work(g->record, i);
        kept[kernel_of[i]] += x;
        keeps[kernel_of[i]] |= g->keeps[g->unit[i]];
        total += x;
    }
    for (size_t i = 0; i < count; i++)
        kept[i] = keeps[i] ? kept[i] : 0;
    qsort(kept, count, sizeof *kept, by_load_down);
    for (size_t i = 0; i < count; i++) {
        double *least = load;
        for (size_t q = 1; q < g->processors; q++)
            least = load[q] < *least ? &load[q] : least;
        *least += kept[i];
        most = *least > most ? *least : most;
    }
    double share = total / (double)g->processors;
    return most > share ? most : share;
}

// Pairs may leave a number of kernels that processors cannot share: then what the search finds, if it is better.
static uint32_t *even_out(grouper *g, uint32_t *kernel_of, size_t *count)
{
    uint32_t n = (uint32_t)g->m->actors.len;
    uint32_t *apart = ARENA_ARRAY(g->a, uint32_t, n + 1); // as if each unit was a part of its own
    for (uint32_t i = 0; i < n; i++)
        apart[i] = g->unit[i];
    double now = busiest(g, kernel_of, *count);
    if (g->processors < 2 || now <= GROUP_UNEVEN * busiest(g, apart, n))
        return kernel_of;
    size_t others;
    uint32_t *found = plan_cut_group_by_search(g->p, g->record, false, &others);
    if (found == NULL || busiest(g, found, others) * GROUP_UNEVEN > now)
        return kernel_of;
    *count = others;
    return found;
}

uint32_t *plan_cut_group(hlc_program *p, const plan_record *record, size_t *count)
{
    size_t n = p->module->actors.len;
    const plan_resources *r = record->resources;
    grouper g = {
        .p = p, .a = p->arena, .m = p->module, .s = p->schedule, .record = record, .processors = r->processors.len};
    hmap_init(&g.able_number, g.a);
    g.able_of = ARENA_ARRAY(g.a, uint32_t, n + 1);
    g.unit = ARENA_ARRAY(g.a, uint32_t, n + 1);
    g.keeps = ARENA_ARRAY(g.a, bool, n + 1);
    g.level = ARENA_ARRAY(g.a, uint32_t, n + 1);
    g.of = ARENA_ARRAY(g.a, uint32_t, n + 1);
    g.launches = r->ordinary < r->processors.len && plan_launches(r->processors.data[0].processor);
    find_units(&g);
    find_able(&g);
    g.layers = count_pinned(&g) > GROUP_MANY;
    if (!g.launches && g.processors > 1 && g.layers) {
        uint32_t *found = plan_cut_group_by_search(p, record, false, count);
        if (found != NULL)
            return found;
    }
    find_levels(&g);
    make_groups(&g);
    connect_groups(&g);
    g.mark = ARENA_ARRAY(g.a, uint32_t, g.groups.len + 1);
    join_groups(&g);
    uint32_t *kernel_of = number_groups(&g, count);
    if (g.launches)
        return kernel_of;
    return even_out(&g, kernel_of, count);
}
