// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packing: scalar values to lanes of virtual registers, and to halves of instructions.
//
// From each output downwards: the four components are a pack; the first operands of its values are a pack, and so are the
// second and third ones, as long as nothing else has placed them. A pack is a virtual register of red, green and blue and one
// of alpha, since the halves of an instruction have addresses of their own. Coordinates of a lookup must be in one register:
// one of the pair joins the register of the other in a lane that is free for the time, or both get a register of their own.
// What is left goes to where fewer values are.
//
// Then each register's lanes are split into halves of instructions: those of red, green and blue that have one operation, and
// whose operands come from one source each.
#include <string.h>

#include "llc/softproc/compile.h"

enum { X_LANE = 0, Y_LANE = 1, RGB = 7, LOW_LANES = 3 };

static uint32_t new_register(spc_function *f, unsigned lanes)
{
    uint32_t self = (uint32_t)f->registers.len;
    VEC_PUSH(f->arena, &f->registers, (spc_register){.root = self, .lanes = (uint8_t)lanes, .number = -1});
    return self;
}

// The variable that a value writes, or itself: they have one place.
static uint32_t home_of(const spc_function *f, uint32_t value)
{
    return value == SPC_NONE || f->values.data[value].into == SPC_NONE ? value : f->values.data[value].into;
}

static uint32_t first_writer(const spc_function *f, uint32_t home)
{
    return f->values.data[home].op == SPC_VARIABLE ? f->values.data[home].writer : SPC_NONE;
}

// Whether a value can be in a lane. What decides about a step is red or alpha.
static bool suits(const spc_function *f, uint32_t value, unsigned lane)
{
    const spc_value *v = &f->values.data[value];
    for (uint32_t w = first_writer(f, value); w != SPC_NONE; w = f->values.data[w].writer)
        if (lane != 3 && spc_is_special(f->values.data[w].op))
            return false;
    return lane == 3 || (!spc_is_special(v->op) && (lane == 0 || v->decides == SPC_NO_DECISION));
}

static bool unplaced(const spc_function *f, uint32_t value)
{
    return value != SPC_NONE &&
           (spc_is_arithmetic(f->values.data[value].op) || f->values.data[value].op == SPC_VARIABLE) &&
           f->values.data[value].reg == SPC_NONE;
}

static void place_one(spc_function *f, uint32_t value, uint32_t reg, unsigned lane)
{
    f->values.data[value].reg = reg;
    f->values.data[value].lane = (uint8_t)lane;
}

static void place(spc_function *f, uint32_t value, uint32_t reg, unsigned lane)
{
    uint32_t home = home_of(f, value);
    place_one(f, home, reg, lane);
    for (uint32_t w = first_writer(f, home); w != SPC_NONE; w = f->values.data[w].writer)
        place_one(f, w, reg, lane);
}

// Whether a value goes to a scalar half: it must, or, if the strategy does not say, it seems better.
static bool to_scalar(spc_function *f, uint32_t value, bool better)
{
    enum { BITS = 32 };
    if (!suits(f, value, 0))
        return true;
    unsigned n = f->guided++;
    return n < BITS && (f->strategy.guided >> n & 1) != 0 ? (f->strategy.vector >> n & 1) == 0 : better;
}

static uint32_t root_of(const spc_function *f, uint32_t reg)
{
    return f->registers.data[reg].root;
}

// ---- Packs ----

typedef struct pack {
    uint32_t value[4];
} pack;

typedef struct packs {
    pack *data;
    size_t len, cap;
} packs;

// How many packs have vector and scalar halves so far, and whether single values may change lanes, or wait for others.
typedef struct balance {
    unsigned vector, scalar;
    bool free_lanes, loose;
} balance;

// Whether a value is of the special unit alone: it is alpha of a register of its own, wherever its neighbours are.
static bool is_alone(const spc_function *f, uint32_t value)
{
    return unplaced(f, value) && spc_is_special(f->values.data[value].op);
}

// Places those of four values that nothing has placed yet, each in its lane. False when there are none.
static bool place_pack(spc_function *f, pack *p, balance *b)
{
    unsigned rgb = 0;
    bool alpha = false, special = false;
    for (unsigned lane = 0; lane < 4; lane++) {
        p->value[lane] = home_of(f, p->value[lane]);
        for (unsigned before = 0; before < lane; before++)
            if (p->value[before] == p->value[lane])
                p->value[lane] = SPC_NONE;
        if (lane < LOW_LANES && is_alone(f, p->value[lane])) {
            place(f, p->value[lane], new_register(f, 8), 3);
            b->scalar++;
            special = true;
        } else if (!unplaced(f, p->value[lane]) || !suits(f, p->value[lane], lane))
            p->value[lane] = SPC_NONE;
        else if (lane < LOW_LANES)
            rgb |= 1u << lane;
        else
            alpha = true;
    }
    if (!special && b->loose && (rgb != 0) + alpha == 1 && (rgb & (rgb - 1)) == 0) {
        // place_loose finds others for it. What it is computed from is seen once.
        for (unsigned lane = 0; lane < 4; lane++)
            if (p->value[lane] != SPC_NONE) {
                spc_value *v = &f->values.data[p->value[lane]];
                if (v->op == SPC_VARIABLE)
                    break;
                bool seen = v->loose;
                v->loose = true;
                return !seen;
            }
    }
    if (!special && b->free_lanes && (rgb != 0) + alpha == 1 && (rgb & (rgb - 1)) == 0) {
        // One value can be in any lane: in that of the half that has less to do.
        uint32_t value = SPC_NONE;
        for (unsigned lane = 0; lane < 4; lane++)
            if (p->value[lane] != SPC_NONE)
                value = p->value[lane];
        alpha = to_scalar(f, value, b->scalar <= b->vector);
        rgb = !alpha;
        memset(p->value, 0xff, sizeof p->value);
        p->value[alpha ? 3 : 0] = value;
    }
    b->vector += rgb != 0;
    b->scalar += alpha;
    uint32_t low = rgb != 0 ? new_register(f, rgb) : SPC_NONE, high = alpha ? new_register(f, 8) : SPC_NONE;
    for (unsigned lane = 0; lane < 4; lane++)
        if (p->value[lane] != SPC_NONE && f->values.data[p->value[lane]].reg == SPC_NONE)
            place(f, p->value[lane], lane < LOW_LANES ? low : high, lane);
    return rgb != 0 || alpha || special;
}

// The operands of a pack are packs. Variables have those of all that writes them, in its order.
static void push_operands(spc_function *f, packs *work, const pack *p)
{
    pack writers = *p;
    bool more = true;
    for (unsigned round = 0; more; round++) {
        more = false;
        for (unsigned lane = 0; lane < 4; lane++) {
            uint32_t v = writers.value[lane];
            bool variable =
                v != SPC_NONE && (f->values.data[v].op == SPC_VARIABLE || f->values.data[v].into != SPC_NONE);
            if (round > 0 || variable)
                writers.value[lane] = variable ? f->values.data[v].writer : SPC_NONE;
            more = more || (variable && writers.value[lane] != SPC_NONE);
        }
        for (unsigned k = 0; k < 3; k++) {
            pack next;
            for (unsigned lane = 0; lane < 4; lane++) {
                const spc_value *v = writers.value[lane] == SPC_NONE ? NULL : &f->values.data[writers.value[lane]];
                next.value[lane] = v != NULL && k < spc_operands(v->op) ? v->operand[k].value : SPC_NONE;
            }
            VEC_PUSH(f->arena, work, next);
        }
    }
}

// Outputs have the lanes of their components, so they are placed before anything that they are computed from.
static void pack_outputs(spc_function *f)
{
    pack output[SP_MAX_OUTPUTS];
    packs work = {0};
    balance b = {0};
    for (unsigned o = 0; o < SP_MAX_OUTPUTS; o++) {
        memcpy(output[o].value, f->output[o], sizeof output[o].value);
        place_pack(f, &output[o], &b);
    }
    b.free_lanes = true;
    b.loose = f->strategy.loose;
    for (unsigned o = 0; o < SP_MAX_OUTPUTS; o++) {
        push_operands(f, &work, &output[o]);
        while (work.len > 0) {
            pack p = work.data[--work.len];
            if (place_pack(f, &p, &b))
                push_operands(f, &work, &p);
        }
    }
}

// ---- Coordinates ----

static uint32_t copy_of(spc_function *f, spc_operand o)
{
    return spc_add_value(f, (spc_value){.op = SPC_COPY, .operand = {o}});
}

// Copies of numbers for coordinates: of lookups that are near each other the same serves. Rows of height 1 have 0 everywhere.
enum { NEAR = 4 };
typedef struct number_copy {
    uint32_t copy, used; // by which lookup
} number_copy;

// Makes a coordinate a value with a register, if it is none or has a modifier. A copy serves lookups of one region.
static void make_placeable(spc_function *f, spc_operand *o, uint32_t lookup, number_copy *copies)
{
    const spc_value *v = &f->values.data[o->value];
    number_copy *known = &copies[o->value];
    if (!spc_is_constant(v) && !o->neg && !o->abs)
        return;
    bool number = v->op == SPC_NUMBER, zero = number && v->bits == 0;
    if (!number || known->copy == 0 || (!zero && lookup > known->used + NEAR) ||
        f->values.data[known->copy].region != f->region)
        known->copy = copy_of(f, *o);
    known->used = lookup;
    *o = (spc_operand){.value = known->copy};
}

// A coordinate that is computed in front of a loop with its lookup serves all of the loop's rounds: until that lookup or the
// loop's last one.
static uint32_t last_use(const spc_function *f, uint32_t region, uint32_t lookup)
{
    uint32_t at = f->lookups.data[lookup].region;
    for (size_t i = 0; i < f->steps.len; i++) {
        const spc_step *step = &f->steps.data[i];
        if (step->flow != SPC_REP || i < region || i >= at || at > step->end)
            continue;
        while (lookup + 1 < f->lookups.len && f->lookups.data[lookup + 1].region <= step->end)
            lookup++;
        break;
    }
    return lookup;
}

// The last lookup that has each value as a coordinate, and whether coordinates are all that it is for.
static void mark_coordinates(spc_function *f)
{
    for (VEC_EACH(spc_value, v, &f->values)) {
        v->coordinate = spc_is_arithmetic(v->op) && !spc_is_special(v->op) && v->output == SPC_NO_OUTPUT &&
                        v->into == SPC_NONE && v->decides == SPC_NO_DECISION;
        v->lookups = 0;
    }
    for (VEC_EACH(spc_value, v, &f->values))
        for (unsigned k = 0; k < spc_operands(v->op); k++)
            f->values.data[v->operand[k].value].coordinate = false;
    for (size_t i = 0; i < f->lookups.len; i++)
        for (unsigned k = 0; k < 2; k++) {
            spc_value *v = &f->values.data[f->lookups.data[i].at[k].value];
            uint32_t last = last_use(f, v->region, (uint32_t)i) + 1;
            v->lookups = last > v->lookups ? last : v->lookups;
        }
}

// A lane of a register that is free when lookup number `at` comes, for a coordinate of a region; -1: none.
static int free_lane(const spc_function *f, const spc_register *r, uint32_t at, uint32_t region)
{
    int best = -1;
    for (int lane = 3; lane >= 0; lane--)
        if ((r->lanes >> lane & 1) == 0 && r->busy[lane] <= at && (best < 0 || r->busy[lane] < r->busy[best]) &&
            (r->busy[lane] == 0 || f->lookups.data[r->busy[lane] - 1].region <= region))
            best = lane;
    return best;
}

// Puts a coordinate into the register of the other one.
static bool join(spc_function *f, uint32_t value, uint32_t other, uint32_t at)
{
    spc_value *v = &f->values.data[value];
    uint32_t root = root_of(f, f->values.data[other].reg);
    int lane = free_lane(f, &f->registers.data[root], at, v->region);
    if (!v->coordinate || lane < 0)
        return false;
    uint32_t reg = new_register(f, 0);
    spc_register *r = &f->registers.data[root];
    f->registers.data[reg].root = root;
    v->wait_for = r->busy[lane];
    r->busy[lane] = v->lookups;
    place(f, value, reg, (unsigned)lane);
    return true;
}

// Copies a coordinate into the register of the other one.
static bool join_copy(spc_function *f, spc_lookup *l, unsigned k, uint32_t at)
{
    uint32_t other = l->at[1 - k].value;
    if (f->values.data[other].reg == SPC_NONE ||
        free_lane(f, &f->registers.data[root_of(f, f->values.data[other].reg)], at, f->region) < 0)
        return false;
    uint32_t copy = copy_of(f, l->at[k]);
    f->values.data[copy].coordinate = true;
    f->values.data[copy].lookups = at + 1;
    l->at[k] = (spc_operand){.value = copy};
    return join(f, copy, other, at);
}

static bool in_one_register(const spc_function *f, uint32_t a, uint32_t b)
{
    const spc_value *v = &f->values.data[a], *w = &f->values.data[b];
    return v->reg != SPC_NONE && w->reg != SPC_NONE && root_of(f, v->reg) == root_of(f, w->reg);
}

// A register of its own, lent to coordinates lane by lane.
static void place_both(spc_function *f, spc_lookup *l)
{
    uint32_t reg = new_register(f, 0);
    for (unsigned k = 0; k < 2; k++) {
        if (k == 1 && l->at[1].value == l->at[0].value)
            break;
        if (!unplaced(f, l->at[k].value) || !f->values.data[l->at[k].value].coordinate) {
            uint32_t copy = copy_of(f, l->at[k]);
            f->values.data[copy].coordinate = true;
            f->values.data[copy].lookups = (uint32_t)(l - f->lookups.data) + 1;
            l->at[k] = (spc_operand){.value = copy};
        }
        unsigned lane = k == 0 ? X_LANE : f->strategy.halves ? 3 : Y_LANE;
        place(f, l->at[k].value, reg, lane);
        f->registers.data[reg].busy[lane] = f->values.data[l->at[k].value].lookups;
    }
}

static void place_coordinates(spc_function *f)
{
    number_copy *copies = ARENA_ARRAY(f->arena, number_copy, f->values.len);
    for (uint32_t i = 0; i < f->lookups.len; i++)
        for (unsigned k = 0; k < 2; k++) {
            f->region = f->lookups.data[i].region;
            make_placeable(f, &f->lookups.data[i].at[k], i, copies);
        }
    mark_coordinates(f);
    for (size_t i = 0; i < f->lookups.len; i++) {
        spc_lookup *l = &f->lookups.data[i];
        f->region = l->region;
        uint32_t s = l->at[0].value, t = l->at[1].value;
        bool s_open = unplaced(f, s), t_open = unplaced(f, t);
        if (s == t ? !s_open : in_one_register(f, s, t))
            continue;
        if (s_open && !t_open && f->values.data[t].reg != SPC_NONE && join(f, s, t, (uint32_t)i))
            continue;
        if (t_open && !s_open && f->values.data[s].reg != SPC_NONE && join(f, t, s, (uint32_t)i))
            continue;
        if ((!s_open || !t_open) && (join_copy(f, l, 1, (uint32_t)i) || join_copy(f, l, 0, (uint32_t)i)))
            continue;
        place_both(f, l);
    }
}

// ---- Leaves and the rest ----

static void place_leaves(spc_function *f)
{
    uint32_t r0 = new_register(f, 1u << X_LANE | 1u << Y_LANE);
    f->registers.data[r0].number = 0;
    for (VEC_EACH(spc_value, v, &f->values))
        if (v->op == SPC_X || v->op == SPC_Y) {
            v->reg = r0;
            v->lane = v->op == SPC_X ? X_LANE : Y_LANE;
        }
    for (VEC_EACH(spc_lookup, l, &f->lookups)) {
        l->reg = new_register(f, 0);
        for (unsigned i = 0; i < 4; i++)
            if (l->value[i] != SPC_NONE) {
                place(f, l->value[i], l->reg, i);
                f->registers.data[l->reg].lanes |= (uint8_t)(1u << i);
            }
    }
}

// ---- Values alone ----

// Values of one operation that do not need each other, side by side in red, green and blue of a register.
typedef struct row {
    uint32_t value[LOW_LANES], reg;
    unsigned count;
} row;
enum { ROWS = 12, NEIGHBOURS = 200 }; // rows that may grow; how far apart in the program their values are at most

// Whether a value needs an earlier one, at most NEIGHBOURS before it.
static bool needs_value(const spc_function *f, uint32_t value, uint32_t earlier)
{
    bool needed[NEIGHBOURS + 1] = {false}; // of those between, and the earlier one, counted from there
    needed[value - earlier] = true;
    for (uint32_t i = value; i > earlier; i--) {
        const spc_value *v = &f->values.data[i];
        const spc_operand *from = v->op == SPC_LOOKED_UP ? f->lookups.data[v->lookup].at : v->operand;
        unsigned count = v->op == SPC_LOOKED_UP ? 2 : spc_operands(v->op);
        for (unsigned k = 0; needed[i - earlier] && k < count; k++)
            if (from[k].value >= earlier && from[k].value <= i)
                needed[from[k].value - earlier] = true;
    }
    return needed[0];
}

// The last lookup that a value waits for, plus 1.
static uint32_t waits_for(const spc_function *f, uint32_t value)
{
    const spc_value *v = &f->values.data[value];
    uint32_t last = v->op == SPC_LOOKED_UP ? v->lookup + 1 : v->wait_for;
    for (unsigned k = 0; k < spc_operands(v->op); k++) {
        const spc_value *from = &f->values.data[v->operand[k].value];
        uint32_t other = from->op == SPC_LOOKED_UP ? from->lookup + 1 : from->after;
        last = other > last ? other : last;
    }
    return last;
}

static bool same_operation(const spc_value *a, const spc_value *b)
{
    return a->op == b->op && a->output == b->output && a->wait_for == b->wait_for && a->omod == b->omod &&
           a->region == b->region;
}

static bool joins_row(spc_function *f, row *r, uint32_t value)
{
    spc_value *v = &f->values.data[value];
    spc_half h = {false, v->op, {SPC_NONE, SPC_NONE, SPC_NONE}};
    spc_assignment assignment;
    if (r->count == 0 || r->count == LOW_LANES || !suits(f, value, r->count))
        return false;
    for (unsigned i = 0; i < r->count; i++) {
        const spc_value *other = &f->values.data[r->value[i]];
        uint32_t apart = v->after > other->after ? v->after - other->after : other->after - v->after;
        if (!same_operation(v, other) || value - r->value[i] > f->strategy.reach || apart > f->strategy.slack ||
            needs_value(f, value, r->value[i]))
            return false;
        h.value[i] = r->value[i];
    }
    h.value[r->count] = value;
    place(f, value, r->reg, r->count);
    if (!spc_assign_sources(f, &h, NULL, &assignment)) {
        v->reg = SPC_NONE;
        return false;
    }
    f->registers.data[r->reg].lanes |= (uint8_t)(1u << r->count);
    r->value[r->count++] = value;
    return true;
}

// In the program's order, so that operands are placed before. What finds no row begins one, or goes to the scalar half.
static void place_loose(spc_function *f)
{
    row rows[ROWS] = {0};
    unsigned next = 0, low = 0, high = 0;
    for (uint32_t i = 0; i < f->values.len; i++) {
        spc_value *v = &f->values.data[i];
        bool joined = false;
        v->after = waits_for(f, i);
        if (!v->loose || !unplaced(f, i))
            continue;
        for (unsigned k = 0; k < ROWS && !joined && suits(f, i, 0); k++)
            joined = joins_row(f, &rows[(next + ROWS - 1 - k) % ROWS], i);
        if (joined)
            continue;
        bool alpha = to_scalar(f, i, high * f->strategy.low <= low * f->strategy.high);
        *(alpha ? &high : &low) += 1;
        uint32_t reg = new_register(f, alpha ? 8 : 1);
        place(f, i, reg, alpha ? 3 : 0);
        if (!alpha)
            rows[next++ % ROWS] = (row){{i}, reg, 1};
    }
}

static void place_rest(spc_function *f)
{
    unsigned low = 0, high = 0;
    for (size_t i = f->values.len; i > 0; i--) {
        uint32_t v = (uint32_t)i - 1;
        if (!unplaced(f, v))
            continue;
        bool alpha = to_scalar(f, v, high <= low);
        *(alpha ? &high : &low) += 1;
        place(f, v, new_register(f, alpha ? 8 : 1), alpha ? 3 : 0);
    }
}

// ---- What the scheduler wants to know ----

static void lower(spc_value *v, uint32_t first)
{
    if (first < v->first)
        v->first = first;
}

// Which values are read from registers, and which serve coordinates alone, of which lookups.
static void measure(spc_function *f)
{
    for (VEC_EACH(spc_value, v, &f->values))
        v->coordinate = spc_is_arithmetic(v->op) && v->output == SPC_NO_OUTPUT && v->into == SPC_NONE &&
                        v->decides == SPC_NO_DECISION;
    for (uint32_t i = 0; i < f->lookups.len; i++)
        for (unsigned k = 0; k < 2; k++) {
            spc_value *at = &f->values.data[f->lookups.data[i].at[k].value];
            lower(at, i);
            at->registered = true;
        }
    // Operands come before what reads them; the copies at the end read what is before them.
    for (size_t i = f->values.len; i > 0; i--) {
        const spc_value *v = &f->values.data[i - 1];
        for (unsigned k = 0; k < spc_operands(v->op); k++) {
            spc_value *from = &f->values.data[v->operand[k].value];
            lower(from, v->first);
            from->coordinate = from->coordinate && v->coordinate;
            from->registered = true;
        }
    }
    for (VEC_EACH(spc_value, v, &f->values))
        v->registered = v->registered || v->into != SPC_NONE;
}

// ---- Halves ----

// Adds a value to the first half of its register that takes it.
static void add_to_half(spc_function *f, uint32_t value, size_t from)
{
    const spc_value *v = &f->values.data[value];
    for (size_t i = from; i < f->halves.len && v->lane < LOW_LANES; i++) {
        spc_half *h = &f->halves.data[i], with = *h;
        spc_assignment assignment;
        const spc_value *first = NULL;
        for (unsigned lane = 0; lane < LOW_LANES && first == NULL; lane++)
            first = h->value[lane] == SPC_NONE ? NULL : &f->values.data[h->value[lane]];
        if (h->scalar || first->reg != v->reg || !same_operation(first, v))
            continue;
        with.value[v->lane] = value;
        if (spc_assign_sources(f, &with, NULL, &assignment)) {
            *h = with;
            return;
        }
    }
    spc_half h = {v->lane == 3, v->op, {SPC_NONE, SPC_NONE, SPC_NONE}};
    h.value[v->lane == 3 ? 0 : v->lane] = value;
    VEC_PUSH(f->arena, &f->halves, h);
}

static void make_halves(spc_function *f)
{
    // Values by register, so that only a register's own halves are looked at.
    VEC(uint32_t) *of = ARENA_ARRAY(f->arena, __typeof__(*of), f->registers.len);
    for (uint32_t i = 0; i < f->values.len; i++)
        if (spc_is_arithmetic(f->values.data[i].op))
            VEC_PUSH(f->arena, &of[f->values.data[i].reg], i);
    for (size_t r = 0; r < f->registers.len; r++) {
        size_t from = f->halves.len;
        for (VEC_EACH(uint32_t, v, &of[r]))
            add_to_half(f, *v, from);
    }
}

void spc_pack(spc_function *f)
{
    place_leaves(f);
    pack_outputs(f);
    if (f->strategy.loose)
        place_loose(f);
    place_coordinates(f);
    place_rest(f);
    measure(f);
    make_halves(f);
}
