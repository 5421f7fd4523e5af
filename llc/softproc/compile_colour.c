// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Colouring: numbers for virtual registers, component by component. A component is a virtual register's from the instruction
// that writes it until the last one that reads it; the same instruction may write it again, as it reads first. Constants get
// components of constant registers as instructions ask for them, more than one if that is what fits.
#include <stdlib.h>
#include <string.h>

#include "llc/softproc/compile.h"

// From the instruction behind begin to that at end.
typedef struct span {
    int begin, end;
} span;

typedef VEC(span) spans;

// An instruction that reads a value.
typedef struct use {
    uint32_t value;
    int at;
} use;

typedef struct colouring {
    spc_function *f;
    span *life; // by value; a variable has that of all that writes it
    int *step;  // where each step is
    VEC(use) uses;
    spans used[SP_MAX_TEMPS][4]; // components of registers
} colouring;

static void extend(span *s, int end)
{
    if (s->end < end)
        s->end = end;
}

// The variable that a value writes, or itself.
static uint32_t home_of(const colouring *c, uint32_t value)
{
    uint32_t into = c->f->values.data[value].into;
    return into == SPC_NONE ? value : into;
}

static void read_value(colouring *c, uint32_t value, int at)
{
    uint32_t home = home_of(c, value);
    extend(&c->life[home], at);
    VEC_PUSH(c->f->arena, &c->uses, (use){home, at});
}

static void write_value(colouring *c, uint32_t value, int at)
{
    const spc_value *v = &c->f->values.data[value];
    span *life = &c->life[home_of(c, value)];
    if (v->into == SPC_NONE || life->begin < 0)
        *life = (span){at, life->end > at ? life->end : at};
    if (v->into != SPC_NONE)
        extend(life, at + 1); // a later one may still be written before anything reads it
}

static void find_lives_at(colouring *c, const spc_slot *slot, int at)
{
    const spc_function *f = c->f;
    if (slot->step != SPC_NONE) {
        c->step[slot->step] = at;
        return;
    }
    if (slot->lookup != SPC_NONE) {
        const spc_lookup *l = &f->lookups.data[slot->lookup];
        for (unsigned k = 0; k < 2; k++)
            read_value(c, l->at[k].value, at);
        for (unsigned k = 0; k < 4; k++)
            if (l->value[k] != SPC_NONE)
                write_value(c, l->value[k], at);
        return;
    }
    for (unsigned which = 0; which < 2; which++)
        for (unsigned k = 0; k < 3 && slot->half[which] != SPC_NONE; k++) {
            uint32_t v = f->halves.data[slot->half[which]].value[k];
            const spc_value *of = v == SPC_NONE ? NULL : &f->values.data[v];
            for (unsigned n = 0; of != NULL && n < spc_operands(of->op); n++)
                read_value(c, of->operand[n].value, at);
        }
    for (unsigned which = 0; which < 2; which++)
        for (unsigned k = 0; k < 3 && slot->half[which] != SPC_NONE; k++)
            if (f->halves.data[slot->half[which]].value[k] != SPC_NONE)
                write_value(c, f->halves.data[slot->half[which]].value[k], at);
}

// What is there in front of a loop and is read within it is there until its end, as the next round may read it.
static void live_through_loops(colouring *c)
{
    const spc_function *f = c->f;
    for (VEC_EACH(spc_step, step, &f->steps)) {
        if (step->flow != SPC_REP)
            continue;
        int begin = c->step[step - f->steps.data], end = c->step[step->end];
        for (VEC_EACH(use, u, &c->uses))
            if (u->at > begin && u->at < end && c->life[u->value].begin < begin)
                extend(&c->life[u->value], end);
    }
}

static void find_lives(colouring *c)
{
    const spc_function *f = c->f;
    for (size_t i = 0; i < f->values.len; i++)
        c->life[i] = (span){-1, -1};
    for (size_t i = 0; i < f->order.len; i++)
        find_lives_at(c, &f->order.data[i], (int)i);
    live_through_loops(c);
}

static bool overlaps(const spans *s, span life)
{
    for (VEC_EACH(span, o, s))
        if (o->begin < life.end && life.begin < o->end)
            return true;
    return false;
}

// Virtual registers with one number: their values.
typedef struct colour_group {
    uint32_t root;
    int begin;
    VEC(uint32_t) values;
} colour_group;

static bool fits_in(const colouring *c, const colour_group *g, unsigned number)
{
    for (VEC_EACH(uint32_t, v, &g->values))
        if (overlaps(&c->used[number][c->f->values.data[*v].lane], c->life[*v]))
            return false;
    return true;
}

static void take(colouring *c, const colour_group *g, unsigned number)
{
    for (VEC_EACH(uint32_t, v, &g->values))
        VEC_PUSH(c->f->arena, &c->used[number][c->f->values.data[*v].lane], c->life[*v]);
    c->f->registers.data[g->root].number = (int)number;
    if (number + 1 > c->f->numbers)
        c->f->numbers = number + 1;
}

static int by_begin(const void *a, const void *b)
{
    const colour_group *g = a, *h = b;
    return g->begin != h->begin ? (g->begin > h->begin) - (g->begin < h->begin)
                                : (g->root > h->root) - (g->root < h->root);
}

static size_t find_groups(const colouring *c, colour_group *groups)
{
    const spc_function *f = c->f;
    size_t count = f->registers.len, kept = 0;
    for (size_t i = 0; i < count; i++)
        groups[i] = (colour_group){.root = (uint32_t)i, .begin = -2};
    for (uint32_t i = 0; i < f->values.len; i++) {
        if (f->values.data[i].reg == SPC_NONE || c->life[i].end <= c->life[i].begin)
            continue;
        colour_group *g = &groups[f->registers.data[f->values.data[i].reg].root];
        VEC_PUSH(f->arena, &g->values, i);
        if (g->begin == -2 || c->life[i].begin < g->begin)
            g->begin = c->life[i].begin;
    }
    for (size_t i = 0; i < count; i++)
        if (groups[i].values.len > 0)
            groups[kept++] = groups[i];
    qsort(groups, kept, sizeof *groups, by_begin);
    return kept;
}

bool spc_colour(spc_function *f)
{
    colouring *c = ARENA_NEW(f->arena, colouring);
    c->f = f;
    c->life = ARENA_ARRAY(f->arena, span, f->values.len);
    c->step = ARENA_ARRAY(f->arena, int, f->steps.len + 1);
    find_lives(c);
    colour_group *groups = ARENA_ARRAY(f->arena, colour_group, f->registers.len);
    size_t count = find_groups(c, groups);
    f->numbers = 1; // the coordinates
    for (size_t i = 0; i < count; i++)
        if (f->registers.data[groups[i].root].number == 0)
            take(c, &groups[i], 0);
    for (size_t i = 0; i < count; i++) {
        unsigned number = 0;
        if (f->registers.data[groups[i].root].number == 0)
            continue;
        while (number < SP_MAX_TEMPS && !fits_in(c, &groups[i], number))
            number++;
        if (number == SP_MAX_TEMPS) {
            spc_error(f, NULL, "'%s' needs more than %d registers", f->name, SP_MAX_TEMPS);
            return false;
        }
        take(c, &groups[i], number);
    }
    // Registers of results that are outputs only.
    for (VEC_EACH(spc_register, r, &f->registers))
        if (f->registers.data[r->root].number < 0)
            f->registers.data[r->root].number = 0;
    for (VEC_EACH(spc_register, r, &f->registers))
        r->number = f->registers.data[r->root].number;
    return true;
}

// ---- Constants ----

static bool has(const spc_function *f, unsigned reg, uint64_t key)
{
    return f->constant[reg][0] == key || f->constant[reg][1] == key || f->constant[reg][2] == key;
}

// How many components a register must still give to hold the keys in its first three; -1: it cannot.
static int missing(const spc_function *f, unsigned reg, const uint64_t *keys, unsigned count)
{
    int wanted = 0, open = 0;
    for (unsigned i = 0; i < 3; i++)
        open += f->constant[reg][i] == SPC_NO_KEY;
    for (unsigned i = 0; i < count; i++)
        wanted += !has(f, reg, keys[i]);
    return wanted <= open ? wanted : -1;
}

static void fill(spc_function *f, unsigned reg, uint64_t key)
{
    for (unsigned i = 0; i < 3 && !has(f, reg, key); i++)
        if (f->constant[reg][i] == SPC_NO_KEY)
            f->constant[reg][i] = key;
}

bool spc_place_constants(spc_function *f, const uint64_t *keys, unsigned count, bool alpha, unsigned *reg)
{
    int best = 4;
    for (unsigned r = 0; r < SP_MAX_CONSTANTS; r++) {
        int now = alpha ? (f->constant[r][3] == keys[0]      ? 0
                           : f->constant[r][3] == SPC_NO_KEY ? 1
                                                             : -1)
                        : missing(f, r, keys, count);
        if (now >= 0 && now < best) {
            best = now;
            *reg = r;
        }
    }
    if (best == 4) {
        spc_error(f, NULL, "'%s' needs more than %d constants of four numbers", f->name, SP_MAX_CONSTANTS);
        return false;
    }
    if (alpha)
        f->constant[*reg][3] = keys[0];
    for (unsigned i = 0; i < count && !alpha; i++)
        fill(f, *reg, keys[i]);
    if (*reg + 1 > f->constants)
        f->constants = *reg + 1;
    return true;
}
