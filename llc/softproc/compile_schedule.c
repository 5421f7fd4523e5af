// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scheduling: an order of lookups and of pairs of halves, of one region after another.
//
// Arithmetic comes first, in the program's order, each half with the first one of the other kind that shares its sources; a
// lookup comes when nothing else can. So few values live at a time, and other batches hide the lookups' time. Coordinates wait until their lookup is next; before that they fill
// halves that would be empty. Where the link is what limits a program, lookups come together, with their coordinates in front of them.
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
    uint32_t region, lookups; // the region at hand, and all lookups up to its end
    size_t left;              // halves of that region
    VEC(uint32_t) waiting[2]; // halves of the region in the program's order: vector, scalar
    uint32_t *readers;        // by variable: the last operand that reads it, or SPC_NONE
    uint32_t *next_reader;    // by operand (3 * value + number): the one before
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

// What reads a variable comes before what writes it, if it is no lane of the same half.
static bool is_read(const scheduler *s, const spc_value *v, const spc_half *h)
{
    const spc_function *f = s->f;
    for (uint32_t i = s->readers[v->into]; i != SPC_NONE; i = s->next_reader[i]) {
        uint32_t reader = i / 3;
        bool own = reader == h->value[0] || reader == h->value[1] || reader == h->value[2];
        if (!own && !s->done[reader] && f->values.data[reader].region == v->region)
            return true;
    }
    for (uint32_t i = s->issued; i < s->lookups; i++)
        if (f->lookups.data[i].at[0].value == v->into || f->lookups.data[i].at[1].value == v->into)
            return true;
    return false;
}

static bool lane_ready(const scheduler *s, const spc_half *h, unsigned lane)
{
    const spc_value *v = &s->f->values.data[h->value[lane]];
    return value_ready(s, v) && (v->into == SPC_NONE || !is_read(s, v, h));
}

static bool ready(const scheduler *s, const spc_half *h)
{
    for (unsigned i = 0; i < 3; i++)
        if (h->value[i] != SPC_NONE && !lane_ready(s, h, i))
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

// What decides about a step is no part of an instruction that writes outputs.
static bool fits(const scheduler *s, uint32_t vector, uint32_t scalar, spc_assignment *out)
{
    if (vector != SPC_NONE && scalar != SPC_NONE) {
        const spc_value *v = &s->f->values.data[first_value(&s->f->halves.data[vector])];
        const spc_value *w = &s->f->values.data[first_value(&s->f->halves.data[scalar])];
        bool decides = v->decides != SPC_NO_DECISION || w->decides != SPC_NO_DECISION;
        if (decides && (v->output != SPC_NO_OUTPUT || w->output != SPC_NO_OUTPUT))
            return false;
    }
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
    spc_slot slot = {.step = SPC_NONE, .lookup = SPC_NONE};
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

// Arithmetic with both halves; false when there is none.
static bool issue_both(scheduler *s)
{
    for (uint32_t i = 0; i < s->waiting[0].len; i++) {
        uint32_t half = s->waiting[0].data[i];
        const spc_half *h = &s->f->halves.data[half];
        spc_assignment assignment;
        if (s->scheduled[half] || is_coordinate(s, h) || !ready(s, h) || partner(s, 0, half, &assignment) == SPC_NONE)
            continue;
        issue(s, 0, half);
        return true;
    }
    return false;
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
        if (f->halves.data[i].scalar == (which != 0) &&
            f->values.data[first_value(&f->halves.data[i])].region == s->region)
            at[place_of(&f->halves.data[i])] = i + 1;
    s->waiting[which].len = 0;
    for (size_t i = 0; i < f->values.len; i++)
        if (at[i] != 0)
            VEC_PUSH(f->arena, &s->waiting[which], at[i] - 1);
}

// Lanes of a half may need each other, directly or by way of other halves. Where nothing else is left, those that are ready get
// a half of their own. False when none is: then the fault is ours.
static bool split_half(scheduler *s)
{
    for (uint32_t i = 0; i < s->f->halves.len; i++) {
        spc_half *h = &s->f->halves.data[i], own = *h, own_all = *h;
        bool some = false;
        if (s->scheduled[i] || s->f->values.data[first_value(h)].region != s->region ||
            (s->issued < s->lookups && is_coordinate(s, h) && needed_by(s, h) > s->issued))
            continue;
        for (unsigned lane = 0; lane < 3; lane++)
            if (h->value[lane] != SPC_NONE && lane_ready(s, &own_all, lane)) {
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

static bool too_long(spc_function *f)
{
    if (f->order.len <= SP_MAX_INSTRUCTIONS)
        return false;
    spc_error(f, NULL, "'%s' needs more than %d instructions", f->name, SP_MAX_INSTRUCTIONS);
    return true;
}

static bool schedule_region(scheduler *s)
{
    spc_function *f = s->f;
    while (s->left > 0 || s->issued < s->lookups) {
        bool early = s->issued < s->lookups && s->issued < s->consumed + f->strategy.early &&
                     coordinates_done(s, &f->lookups.data[s->issued]);
        bool wait = f->strategy.both && s->issued < s->lookups && s->issued < s->consumed + f->strategy.early;
        if ((wait && issue_both(s)) || (!wait && !early && issue_arithmetic(s, 0)))
            continue;
        if (s->issued < s->lookups && f->strategy.together > 0 && issue_arithmetic(s, s->issued + f->strategy.together))
            continue;
        if (s->issued < s->lookups && coordinates_done(s, &f->lookups.data[s->issued])) {
            VEC_PUSH(f->arena, &f->order,
                     (spc_slot){.step = SPC_NONE, .lookup = s->issued++, .half = {SPC_NONE, SPC_NONE}});
            continue;
        }
        // Coordinates of lookups in regions behind this one come last.
        bool some = issue_arithmetic(s, s->issued < s->lookups ? s->issued + 1 : SPC_NONE);
        if (!some && !(wait && issue_arithmetic(s, 0)) && !split_half(s)) {
            diag_internal(f->diag, (src_range){0}, "the instructions of '%s' have no order", f->name);
            return false;
        }
        if (f->order.len > SP_MAX_INSTRUCTIONS)
            break;
    }
    return !too_long(f);
}

static void find_readers(scheduler *s)
{
    const spc_function *f = s->f;
    s->readers = ARENA_ARRAY(f->arena, uint32_t, f->values.len + 1);
    s->next_reader = ARENA_ARRAY(f->arena, uint32_t, 3 * f->values.len + 1);
    for (size_t i = 0; i < f->values.len; i++)
        s->readers[i] = SPC_NONE;
    for (uint32_t i = 0; i < f->values.len; i++)
        for (unsigned k = 0; k < spc_operands(f->values.data[i].op); k++) {
            uint32_t from = f->values.data[i].operand[k].value;
            s->next_reader[3 * i + k] = s->readers[from];
            s->readers[from] = 3 * i + k;
        }
}

bool spc_schedule(spc_function *f)
{
    scheduler s = {.f = f};
    s.done = ARENA_ARRAY(f->arena, bool, f->values.len);
    s.scheduled = ARENA_ARRAY(f->arena, bool, f->values.len); // splitting makes no more than there are values
    find_readers(&s);
    for (s.region = 0; s.region <= f->steps.len; s.region++) {
        while (s.lookups < f->lookups.len && f->lookups.data[s.lookups].region == s.region)
            s.lookups++;
        sort_halves(&s, 0);
        sort_halves(&s, 1);
        s.left = s.waiting[0].len + s.waiting[1].len;
        if (!schedule_region(&s))
            return false;
        if (s.region < f->steps.len)
            VEC_PUSH(f->arena, &f->order,
                     (spc_slot){.step = s.region, .lookup = SPC_NONE, .half = {SPC_NONE, SPC_NONE}});
    }
    return !too_long(f);
}
