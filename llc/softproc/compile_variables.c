// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What loops and branches write: a copy into a variable goes, where its operand can be computed in the variable's place. All that
// reads what the variable had must come before that, and all that reads the operand before the variable is written again.
#include <string.h>

#include "llc/softproc/compile.h"

typedef struct joiner {
    spc_function *f;
    bool *after;           // of values: they come after the one at hand
    uint32_t *readers;     // by value: the last operand that reads it, or SPC_NONE
    uint32_t *next_reader; // by operand (3 * value + number): the one before
} joiner;

static void find_readers(joiner *j)
{
    const spc_function *f = j->f;
    j->readers = ARENA_ARRAY(f->arena, uint32_t, f->values.len + 1);
    j->next_reader = ARENA_ARRAY(f->arena, uint32_t, 3 * f->values.len + 1);
    memset(j->readers, 0xff, f->values.len * sizeof *j->readers);
    for (uint32_t i = 0; i < f->values.len; i++)
        for (unsigned k = 0; k < spc_operands(f->values.data[i].op); k++) {
            uint32_t from = f->values.data[i].operand[k].value;
            j->next_reader[3 * i + k] = j->readers[from];
            j->readers[from] = 3 * i + k;
        }
}

// Whether a value needs one of those that are marked, or must come behind one: it is where a variable is that such a one reads.
static bool comes_after(const joiner *j, uint32_t value)
{
    const spc_function *f = j->f;
    const spc_value *v = &f->values.data[value];
    for (unsigned k = 0; k < spc_operands(v->op); k++)
        if (j->after[v->operand[k].value])
            return true;
    for (unsigned k = 0; k < 2 && v->op == SPC_LOOKED_UP; k++)
        if (j->after[f->lookups.data[v->lookup].at[k].value])
            return true;
    for (uint32_t i = v->into != SPC_NONE ? j->readers[v->into] : SPC_NONE; i != SPC_NONE; i = j->next_reader[i])
        if (i / 3 != value && j->after[i / 3] && f->values.data[i / 3].region == v->region)
            return true;
    return false;
}

// What comes after a value in regions up to one.
static void mark_after(joiner *j, uint32_t value, uint32_t last)
{
    const spc_function *f = j->f;
    uint32_t first = f->values.data[value].region;
    bool changed = true;
    memset(j->after, 0, f->values.len * sizeof *j->after);
    j->after[value] = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < f->values.len; i++)
            if (!j->after[i] && f->values.data[i].region >= first && f->values.data[i].region <= last &&
                comes_after(j, i))
                changed = j->after[i] = true;
    }
}

static bool straight(const spc_function *f, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (f->steps.data[i].flow != SPC_BRK)
            return false;
    return from <= to;
}

// Whether a value can be computed where the variable is that a copy writes.
static bool can_join(joiner *j, uint32_t copy, uint32_t value)
{
    const spc_function *f = j->f;
    const spc_value *w = &f->values.data[copy], *n = &f->values.data[value];
    const spc_operand *o = &w->operand[0];
    if (o->neg || o->abs || o->presubtract || !spc_is_arithmetic(n->op) || spc_is_special(n->op) ||
        n->into != SPC_NONE || n->output != SPC_NO_OUTPUT || n->decides != SPC_NO_DECISION ||
        !straight(f, n->region, w->region))
        return false;
    // What leaves with another value in between has it written there.
    for (uint32_t i = f->values.data[w->into].writer; i != SPC_NONE; i = f->values.data[i].writer)
        if (i != copy && f->values.data[i].region >= n->region && f->values.data[i].region <= w->region)
            return false;
    bool last = w->region < f->steps.len && f->steps.data[w->region].flow == SPC_ENDREP, looks = false;
    mark_after(j, value, w->region);
    for (VEC_EACH(spc_lookup, l, &f->lookups))
        for (unsigned k = 0; k < 2; k++) {
            if (l->at[k].value == value && l->region > w->region && !last)
                return false;
            if (l->region < n->region || l->region > w->region)
                continue;
            looks = looks || j->after[l->at[k].value];
            if (l->at[k].value == w->into)
                return false;
        }
    for (uint32_t i = j->readers[value]; i != SPC_NONE && !last; i = j->next_reader[i])
        if (f->values.data[i / 3].region > w->region)
            return false;
    for (uint32_t i = j->readers[w->into]; i != SPC_NONE; i = j->next_reader[i]) {
        const spc_value *v = &f->values.data[i / 3];
        if (i / 3 != value && v->region >= n->region && v->region <= w->region &&
            (v->region > n->region || j->after[i / 3] || looks))
            return false;
    }
    return true;
}

static void join(spc_function *f, uint32_t copy, uint32_t value)
{
    spc_value *w = &f->values.data[copy], *n = &f->values.data[value];
    uint32_t *link = &f->values.data[w->into].writer;
    while (*link != copy)
        link = &f->values.data[*link].writer;
    *link = value;
    n->writer = w->writer;
    n->into = w->into;
    *w = (spc_value){.op = SPC_NUMBER,
                     .reg = SPC_NONE,
                     .into = SPC_NONE,
                     .writer = SPC_NONE,
                     .output = SPC_NO_OUTPUT,
                     .first = SPC_NONE};
}

void spc_join_variables(spc_function *f)
{
    joiner j = {.f = f, .after = ARENA_ARRAY(f->arena, bool, f->values.len + 1)};
    find_readers(&j);
    for (uint32_t i = 0; i < f->values.len; i++) {
        const spc_value *w = &f->values.data[i];
        if (w->into != SPC_NONE && w->op == SPC_COPY && can_join(&j, i, w->operand[0].value))
            join(f, i, w->operand[0].value);
    }
}
