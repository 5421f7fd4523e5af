// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scheduling: an order of lookups and of pairs of halves.
//
// Arithmetic comes first, in the program's order, each half with the first one of the other kind that shares its sources; a
// lookup comes when nothing else can. So few values live at a time, and other batches hide the lookups' time. Coordinates wait until their lookup is next; before that they fill halves that would be empty.
#include "llc/softproc/compile.h"

enum {
    AHEAD = 3,         // coordinates fill empty halves if they are needed within so many lookups
    MOST_PARTNERS = 64 // that are tried for a half
};

typedef struct scheduler {
    spc_function *f;
    bool *done;               // by value
    bool *scheduled;          // by half
    uint32_t issued;          // lookups
    uint32_t consumed;        // lookups up to the last of which something has been read
    size_t left;              // halves
    VEC(uint32_t) waiting[2]; // halves in the program's order: vector, scalar
} scheduler;

static uint32_t first_value(const spc_half *h)
{
    for (unsigned i = 0; i < 3; i++)
        if (h->value[i] != SPC_NONE)
            return h->value[i];
    return SPC_NONE;
}

// The program's order: a half comes where its last value does.
static uint32_t place_of(const spc_half *h)
{
    uint32_t last = 0;
    for (unsigned i = 0; i < 3; i++)
        if (h->value[i] != SPC_NONE && h->value[i] > last)
            last = h->value[i];
    return last;
}

static bool value_ready(const scheduler *s, const spc_value *v)
{
    for (unsigned k = 0; k < spc_operands(v->op); k++) {
        const spc_value *from = &s->f->values.data[v->operand[k].value];
        bool there = spc_is_arithmetic(from->op) ? s->done[v->operand[k].value]
                                                 : from->op != SPC_LOOKED_UP || from->lookup < s->issued;
        if (!there)
            return false;
    }
    return v->wait_for <= s->issued;
}

static bool ready(const scheduler *s, const spc_half *h)
{
    for (unsigned i = 0; i < 3; i++)
        if (h->value[i] != SPC_NONE && !value_ready(s, &s->f->values.data[h->value[i]]))
            return false;
    return true;
}

static bool is_coordinate(const scheduler *s, const spc_half *h)
{
    return s->f->values.data[first_value(h)].coordinate;
}

// Of a coordinate's half: the first lookup that needs it.
static uint32_t needed_by(const scheduler *s, const spc_half *h)
{
    uint32_t first = SPC_NONE;
    for (unsigned i = 0; i < 3; i++)
        if (h->value[i] != SPC_NONE && s->f->values.data[h->value[i]].first < first)
            first = s->f->values.data[h->value[i]].first;
    return first;
}

// The first half that is ready. Coordinates only if `coordinates` says so: those that a lookup before that number needs.
static uint32_t best(const scheduler *s, unsigned which, uint32_t coordinates)
{
    for (VEC_EACH(uint32_t, i, &s->waiting[which])) {
        const spc_half *h = &s->f->halves.data[*i];
        bool wanted = is_coordinate(s, h) ? needed_by(s, h) < coordinates : coordinates == 0;
        if (!s->scheduled[*i] && wanted && ready(s, h))
            return *i;
    }
    return SPC_NONE;
}

static bool fits(const scheduler *s, uint32_t vector, uint32_t scalar, spc_assignment *out)
{
    return spc_assign_sources(s->f, vector == SPC_NONE ? NULL : &s->f->halves.data[vector],
                              scalar == SPC_NONE ? NULL : &s->f->halves.data[scalar], out);
}

// The first half of the other kind that can be in one instruction with this one, or SPC_NONE.
static uint32_t partner(const scheduler *s, unsigned which, uint32_t half, spc_assignment *out)
{
    unsigned tried = 0;
    for (unsigned late = 0; late < 2; late++)
        for (VEC_EACH(uint32_t, i, &s->waiting[1 - which])) {
            const spc_half *h = &s->f->halves.data[*i];
            bool coordinate = is_coordinate(s, h);
            if (s->scheduled[*i] || coordinate != (late != 0) || (coordinate && needed_by(s, h) >= s->issued + AHEAD) ||
                !ready(s, h))
                continue;
            if (fits(s, which == 0 ? half : *i, which == 0 ? *i : half, out))
                return *i;
            if (++tried == MOST_PARTNERS)
                return SPC_NONE;
        }
    return SPC_NONE;
}

static void finish(scheduler *s, uint32_t half)
{
    const spc_half *h = &s->f->halves.data[half];
    s->scheduled[half] = true;
    s->left--;
    for (unsigned i = 0; i < 3; i++) {
        if (h->value[i] == SPC_NONE)
            continue;
        const spc_value *v = &s->f->values.data[h->value[i]];
        s->done[h->value[i]] = true;
        for (unsigned k = 0; k < spc_operands(v->op); k++) {
            const spc_value *from = &s->f->values.data[v->operand[k].value];
            if (from->op == SPC_LOOKED_UP && from->lookup >= s->consumed)
                s->consumed = from->lookup + 1;
        }
    }
}

static void issue(scheduler *s, unsigned which, uint32_t half)
{
    spc_slot slot = {.lookup = SPC_NONE};
    uint32_t other = partner(s, which, half, &slot.assignment);
    slot.half[which] = half;
    slot.half[1 - which] = other;
    if (other == SPC_NONE)
        fits(s, slot.half[0], slot.half[1], &slot.assignment);
    else
        finish(s, other);
    finish(s, half);
    VEC_PUSH(s->f->arena, &s->f->order, slot);
}

// The next arithmetic; false when there is none.
static bool issue_arithmetic(scheduler *s, uint32_t coordinates)
{
    uint32_t half[2] = {best(s, 0, coordinates), best(s, 1, coordinates)};
    if (half[0] == SPC_NONE && half[1] == SPC_NONE)
        return false;
    unsigned which = half[0] == SPC_NONE ? 1 : half[1] == SPC_NONE ? 0 : 2;
    if (which == 2) {
        which = place_of(&s->f->halves.data[half[1]]) < place_of(&s->f->halves.data[half[0]]);
    }
    issue(s, which, half[which]);
    return true;
}

static bool coordinates_done(const scheduler *s, const spc_lookup *l)
{
    for (unsigned k = 0; k < 2; k++) {
        const spc_value *v = &s->f->values.data[l->at[k].value];
        if (spc_is_arithmetic(v->op) ? !s->done[l->at[k].value] : v->op == SPC_LOOKED_UP && v->lookup >= s->issued)
            return false;
    }
    return true;
}

static void sort_halves(scheduler *s, unsigned which)
{
    // By counting: each value is in one half.
    spc_function *f = s->f;
    uint32_t *at = ARENA_ARRAY(f->arena, uint32_t, f->values.len);
    for (uint32_t i = 0; i < f->halves.len; i++)
        if (f->halves.data[i].scalar == (which != 0))
            at[place_of(&f->halves.data[i])] = i + 1;
    for (size_t i = 0; i < f->values.len; i++)
        if (at[i] != 0)
            VEC_PUSH(f->arena, &s->waiting[which], at[i] - 1);
}

// Lanes of a half may need each other, directly or by way of other halves. Where nothing else is left, those that are ready get
// a half of their own. False when none is: then the fault is ours.
static bool split_half(scheduler *s)
{
    for (uint32_t i = 0; i < s->f->halves.len; i++) {
        spc_half *h = &s->f->halves.data[i], own = *h;
        bool some = false;
        if (s->scheduled[i] || (is_coordinate(s, h) && needed_by(s, h) > s->issued))
            continue;
        for (unsigned lane = 0; lane < 3; lane++)
            if (h->value[lane] != SPC_NONE && value_ready(s, &s->f->values.data[h->value[lane]])) {
                h->value[lane] = SPC_NONE;
                some = true;
            } else {
                own.value[lane] = SPC_NONE;
            }
        if (!some)
            continue;
        VEC_PUSH(s->f->arena, &s->waiting[own.scalar], (uint32_t)s->f->halves.len);
        VEC_PUSH(s->f->arena, &s->f->halves, own);
        s->left++;
        return true;
    }
    return false;
}

bool spc_schedule(spc_function *f)
{
    scheduler s = {.f = f, .left = f->halves.len};
    s.done = ARENA_ARRAY(f->arena, bool, f->values.len);
    s.scheduled = ARENA_ARRAY(f->arena, bool, f->values.len); // splitting makes no more than there are values
    sort_halves(&s, 0);
    sort_halves(&s, 1);
    while (s.left > 0 || s.issued < f->lookups.len) {
        bool early = s.issued < f->lookups.len && s.issued < s.consumed + f->strategy.early &&
                     coordinates_done(&s, &f->lookups.data[s.issued]);
        if (!early && issue_arithmetic(&s, 0))
            continue;
        if (s.issued < f->lookups.len && coordinates_done(&s, &f->lookups.data[s.issued])) {
            VEC_PUSH(f->arena, &f->order, (spc_slot){.lookup = s.issued++, .half = {SPC_NONE, SPC_NONE}});
            continue;
        }
        if (!issue_arithmetic(&s, s.issued + 1) && !split_half(&s)) {
            diag_internal(f->diag, (src_range){0}, "the instructions of '%s' have no order", f->name);
            return false;
        }
        if (f->order.len > SP_MAX_INSTRUCTIONS)
            break;
    }
    if (f->order.len > SP_MAX_INSTRUCTIONS)
        spc_error(f, NULL, "'%s' needs more than %d instructions", f->name, SP_MAX_INSTRUCTIONS);
    return f->order.len <= SP_MAX_INSTRUCTIONS;
}
