// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/softproc/Inputs/evaluate.h"

#include <math.h>
#include <string.h>

enum { MOST_REGIONS = 1000000 }; // that one thread goes through

const char *const stage_names[] = {"selected", "joined", "packed", "scheduled", "coloured"};

struct evaluator {
    evaluated w;
    float x, y;
    float (*out)[4];
    unsigned *left; // rounds, by step
    const char *fault;
    // Values.
    float *value;
    uint32_t *visited; // by value: the visit of its region that it has been computed in, counted from 1
    uint32_t region, visit;
    uint32_t *half; // packed: of a value
    spc_assignment *assignment;
    // Slots.
    float (*registers)[4];
    size_t *place; // of a step
    bool alu;
};

static bool is_ordered(const evaluator *e)
{
    return e->w.stage >= SPC_SCHEDULED;
}

static void wrong(evaluator *e, const char *what)
{
    if (e->fault == NULL)
        e->fault = what;
}

// ---- Arithmetic ----

static float modified(float v, const spc_operand *by)
{
    if (by->presubtract) {
        volatile float twice = 2 * v;
        v = 1 - twice;
    }
    if (by->abs)
        v = copysignf(v, 1);
    return by->neg ? -v : v;
}

static float operation(spc_op op, unsigned omod, const float o[3])
{
    static const float factors[] = {1, 2, 4, 8, 0.5f, 0.25f, 0.125f};
    volatile float result;
    switch (op) {
    case SPC_MAD:
        result = o[0] * o[1];
        result = result + o[2];
        break;
    case SPC_MIN: result = o[0] < o[1] ? o[0] : o[1]; break;
    case SPC_MAX: result = o[0] > o[1] ? o[0] : o[1]; break;
    case SPC_CMP: result = o[2] >= 0 ? o[0] : o[1]; break;
    case SPC_FRC: result = o[0] - floorf(o[0]); break;
    case SPC_RCP: result = (float)(1 / (double)o[0]); break;
    case SPC_RSQ: result = (float)(1 / sqrt((double)o[0])); break;
    case SPC_EX2: result = (float)exp2((double)o[0]); break;
    case SPC_LN2: result = (float)log2((double)o[0]); break;
    default: return o[0];
    }
    return omod == 0 ? result : result * factors[omod];
}

static float constant(const evaluator *e, uint64_t key)
{
    uint32_t bits = (uint32_t)key;
    float value;
    if (key >= SPC_KEY_SCALAR)
        return e->w.scalars[bits];
    memcpy(&value, &bits, sizeof value);
    return value;
}

// A half has one output modifier for all of its lanes.
static unsigned omod_of(const spc_function *f, const spc_half *h)
{
    unsigned omod = 0;
    for (unsigned i = 0; i < 3; i++)
        if (h->value[i] != SPC_NONE && f->values.data[h->value[i]].omod != 0)
            omod = f->values.data[h->value[i]].omod;
    return omod;
}

// ---- Values ----

static float value_of(evaluator *e, uint32_t number);

// An operand as its half has it: a constant with the half's modifiers is the one that its key is.
static float packed_operand(evaluator *e, const spc_assignment *a, bool scalar, unsigned k, uint32_t from)
{
    const spc_value *v = &e->w.f->values.data[from];
    const spc_operand *by = &a->modifier[scalar][k];
    uint64_t key;
    if (!spc_is_constant(v))
        return modified(value_of(e, from), by);
    if (!spc_key(v, by->neg, by->abs, &key))
        wrong(e, "a number that its half's modifiers do not make");
    return modified(constant(e, key), by);
}

static float computed(evaluator *e, uint32_t number)
{
    const spc_function *f = e->w.f;
    const spc_value *v = &f->values.data[number];
    float o[3] = {0};
    if (v->op == SPC_LOOKED_UP) {
        const spc_lookup *l = &f->lookups.data[v->lookup];
        float element[4], s = modified(value_of(e, l->at[0].value), &l->at[0]);
        e->w.read(e->w.user, l->input, s, modified(value_of(e, l->at[1].value), &l->at[1]), element);
        return element[v->component];
    }
    const spc_half *h = e->w.stage == SPC_PACKED ? &f->halves.data[e->half[number]] : NULL;
    for (unsigned k = 0; k < spc_operands(v->op); k++) {
        const spc_operand *from = &v->operand[k];
        o[k] = h != NULL ? packed_operand(e, &e->assignment[e->half[number]], h->scalar, k, from->value)
                         : modified(value_of(e, from->value), from);
    }
    return operation(h != NULL ? h->op : v->op, h != NULL ? omod_of(f, h) : v->omod, o);
}

// What is of the region at hand is computed once in a visit.
static float value_of(evaluator *e, uint32_t number)
{
    const spc_value *v = &e->w.f->values.data[number];
    bool looked_up = v->op == SPC_LOOKED_UP;
    switch (v->op) {
    case SPC_X: return e->x;
    case SPC_Y: return e->y;
    case SPC_NUMBER: return constant(e, v->bits);
    case SPC_SCALAR: return constant(e, SPC_KEY_SCALAR + v->bits);
    case SPC_VARIABLE: return e->value[number];
    default: break;
    }
    uint32_t region = looked_up ? e->w.f->lookups.data[v->lookup].region : v->region;
    if (region == e->region && e->visited[number] != e->visit) {
        e->visited[number] = e->visit;
        e->value[number] = computed(e, number);
    }
    return e->value[number];
}

static bool is_used_lookup(const spc_function *f, uint32_t number)
{
    const spc_value *v = &f->values.data[number];
    return v->op == SPC_LOOKED_UP && v->lookup < f->lookups.len &&
           f->lookups.data[v->lookup].value[v->component] == number;
}

static void run_values(evaluator *e)
{
    const spc_function *f = e->w.f;
    bool at_once = e->w.stage == SPC_SELECTED;
    e->visit++;
    for (uint32_t i = 0; i < f->values.len; i++) {
        const spc_value *v = &f->values.data[i];
        if ((!spc_is_arithmetic(v->op) || v->region != e->region) &&
            !(is_used_lookup(f, i) && f->lookups.data[v->lookup].region == e->region))
            continue;
        float value = value_of(e, i);
        if (at_once && v->into != SPC_NONE)
            e->value[v->into] = value;
    }
    for (uint32_t i = 0; i < f->values.len && !at_once; i++)
        if (f->values.data[i].into != SPC_NONE && f->values.data[i].region == e->region)
            e->value[f->values.data[i].into] = e->value[i];
}

static void put_outputs(evaluator *e)
{
    const spc_function *f = e->w.f;
    for (unsigned i = 0; i < SP_MAX_OUTPUTS * 4; i++) {
        uint32_t v = f->output[i / 4][i % 4];
        if (v == SPC_NONE)
            continue;
        if (e->w.stage == SPC_PACKED && (f->values.data[v].output != i / 4 || f->values.data[v].lane != i % 4))
            wrong(e, "an output's component in another lane");
        e->out[i / 4][i % 4] = e->value[v];
    }
}

// ---- Slots ----

static float *lane_of(evaluator *e, uint32_t reg, unsigned lane)
{
    const spc_register *r = &e->w.f->registers.data[reg];
    return &e->registers[e->w.stage == SPC_SCHEDULED ? r->root : (unsigned)r->number][lane];
}

// An operand of a lane, from the source that the slot has for it.
static float slot_operand(evaluator *e, const spc_assignment *a, bool scalar, unsigned k, uint32_t from)
{
    const spc_value *v = &e->w.f->values.data[from];
    const spc_operand *by = &a->modifier[scalar][k];
    const spc_source *s = &a->source[a->sel[scalar][k] == SP_SRCP ? 0 : a->sel[scalar][k]];
    uint64_t key;
    bool alpha = v->lane == 3;
    if (by->presubtract != (a->sel[scalar][k] == SP_SRCP))
        wrong(e, "a difference that is no source");
    if (!spc_is_constant(v)) {
        if ((alpha ? s->alpha : s->rgb) != SPC_REGISTER)
            wrong(e, "an operand whose source is no register");
        return e->fault != NULL ? 0 : modified(*lane_of(e, alpha ? s->alpha_reg : s->rgb_reg, v->lane), by);
    }
    bool known = spc_key(v, by->neg, by->abs, &key) && spc_easy_swizzle(key) >= 0;
    if (!known && a->by_alpha[scalar][k])
        known = s->alpha == SPC_CONSTANT && s->alpha_key == key;
    for (unsigned i = 0; i < s->keys && !a->by_alpha[scalar][k]; i++)
        known = known || (s->rgb == SPC_CONSTANT && s->key[i] == key);
    if (!known)
        wrong(e, "a constant that its source does not have");
    return modified(constant(e, key), by);
}

// Both halves read before any of them writes.
static void run_pair(evaluator *e, const spc_slot *slot)
{
    const spc_function *f = e->w.f;
    float result[2][3] = {{0}};
    for (unsigned i = 0; i < 6; i++) {
        const spc_half *h = slot->half[i / 3] == SPC_NONE ? NULL : &f->halves.data[slot->half[i / 3]];
        float o[3] = {0};
        if (h == NULL || h->value[i % 3] == SPC_NONE)
            continue;
        for (unsigned k = 0; k < spc_operands(h->op); k++)
            o[k] = slot_operand(e, &slot->assignment, h->scalar, k, f->values.data[h->value[i % 3]].operand[k].value);
        result[i / 3][i % 3] = operation(h->op, omod_of(f, h), o);
    }
    for (unsigned i = 0; i < 6; i++) {
        uint32_t number = slot->half[i / 3] == SPC_NONE ? SPC_NONE : f->halves.data[slot->half[i / 3]].value[i % 3];
        if (number == SPC_NONE)
            continue;
        const spc_value *v = &f->values.data[number];
        float got = result[i / 3][i % 3];
        if (v->lane != (i < 3 ? i : 3))
            wrong(e, "a value that is computed in another lane");
        if (v->registered)
            *lane_of(e, v->reg, v->lane) = got;
        if (v->output != SPC_NO_OUTPUT)
            e->out[v->output][v->lane] = got;
        if (v->decides != SPC_NO_DECISION)
            e->alu = v->decides == SPC_IF_NEGATIVE ? got < 0 : got >= 0;
    }
}

// Both coordinates are of one register.
static void run_lookup(evaluator *e, const spc_lookup *l)
{
    const spc_function *f = e->w.f;
    const spc_value *s = &f->values.data[l->at[0].value], *t = &f->values.data[l->at[1].value];
    float element[4];
    if (f->registers.data[s->reg].root != f->registers.data[t->reg].root)
        wrong(e, "coordinates in two registers");
    e->w.read(e->w.user, l->input, *lane_of(e, s->reg, s->lane), *lane_of(e, t->reg, t->lane), element);
    for (unsigned i = 0; i < 4; i++)
        if (l->value[i] != SPC_NONE)
            *lane_of(e, l->reg, i) = element[i];
}

// Up to the next step.
static void run_slots(evaluator *e)
{
    const spc_function *f = e->w.f;
    for (size_t i = e->region == 0 ? 0 : e->place[e->region - 1] + 1; i < f->order.len && e->fault == NULL; i++) {
        const spc_slot *slot = &f->order.data[i];
        if (slot->step != SPC_NONE)
            return;
        if (slot->lookup != SPC_NONE)
            run_lookup(e, &f->lookups.data[slot->lookup]);
        else
            run_pair(e, slot);
    }
}

// ---- Flow ----

static bool decided(evaluator *e, const spc_step *step)
{
    if (is_ordered(e))
        return e->alu;
    float v = value_of(e, step->value);
    return e->w.f->values.data[step->value].decides == SPC_IF_NEGATIVE ? v < 0 : v >= 0;
}

// The region behind a step.
static uint32_t next_region(evaluator *e, uint32_t number)
{
    const spc_step *steps = e->w.f->steps.data, *step = &steps[number];
    switch (step->flow) {
    case SPC_REP: e->left[number] = step->rounds; return number + 1;
    case SPC_ENDREP: return --e->left[step->begin] > 0 ? step->begin + 1 : number + 1;
    case SPC_BRK: return decided(e, step) ? steps[step->begin].end + 1 : number + 1;
    case SPC_IF: return decided(e, step) ? number + 1 : step->end + 1;
    case SPC_ELSE: return step->end + 1;
    default: return number + 1;
    }
}

const char *evaluator_run(evaluator *e, float x, float y, float out[SP_MAX_OUTPUTS][4])
{
    const spc_function *f = e->w.f;
    e->x = x;
    e->y = y;
    e->out = out;
    e->region = 0;
    for (size_t i = 0; i < f->registers.len && is_ordered(e); i++)
        for (unsigned lane = 0; lane < 4; lane++)
            e->registers[i][lane] = NAN;
    if (is_ordered(e)) {
        e->registers[0][0] = x;
        e->registers[0][1] = y;
    }
    for (unsigned n = 0; e->fault == NULL; n++) {
        if (n == MOST_REGIONS)
            wrong(e, "loops without end");
        else if (is_ordered(e))
            run_slots(e);
        else
            run_values(e);
        if (e->region == f->steps.len)
            break;
        e->region = next_region(e, e->region);
    }
    if (!is_ordered(e))
        put_outputs(e);
    return e->fault;
}

// ---- Halves ----

// Each value that is computed is in one half, in its lane; each half by itself has its sources.
static void find_halves(evaluator *e)
{
    const spc_function *f = e->w.f;
    e->half = ARENA_ARRAY(f->arena, uint32_t, f->values.len + 1);
    e->assignment = ARENA_ARRAY(f->arena, spc_assignment, f->halves.len + 1);
    memset(e->half, 0xff, f->values.len * sizeof *e->half);
    for (uint32_t i = 0; i < f->halves.len; i++) {
        const spc_half *h = &f->halves.data[i];
        if (!spc_assign_sources(f, h->scalar ? NULL : h, h->scalar ? h : NULL, &e->assignment[i]))
            wrong(e, "a half without sources");
        for (unsigned lane = 0; lane < 3; lane++) {
            if (h->value[lane] == SPC_NONE)
                continue;
            if (f->values.data[h->value[lane]].lane != (h->scalar ? 3 : lane) || e->half[h->value[lane]] != SPC_NONE)
                wrong(e, "a value in a lane or half that is not its own");
            e->half[h->value[lane]] = i;
        }
    }
    for (uint32_t i = 0; i < f->values.len; i++)
        if (spc_is_arithmetic(f->values.data[i].op) && e->half[i] == SPC_NONE)
            wrong(e, "a value in no half");
}

evaluator *evaluator_create(const evaluated *what)
{
    const spc_function *f = what->f;
    evaluator *e = ARENA_NEW(f->arena, evaluator);
    e->w = *what;
    e->left = ARENA_ARRAY(f->arena, unsigned, f->steps.len + 1);
    e->place = ARENA_ARRAY(f->arena, size_t, f->steps.len + 1);
    e->value = ARENA_ARRAY(f->arena, float, f->values.len + 1);
    e->visited = ARENA_ARRAY(f->arena, uint32_t, f->values.len + 1);
    e->registers = ARENA_ARRAY(f->arena, __typeof__(*e->registers), f->registers.len + 1);
    for (size_t i = 0; i < f->order.len; i++)
        if (f->order.data[i].step != SPC_NONE)
            e->place[f->order.data[i].step] = i;
    if (e->w.stage == SPC_PACKED)
        find_halves(e);
    return e;
}
