// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flow control of a batch. All threads go the same way; those that want to go another are inactive until the batch is
// where they wait:
//
//   branched   counts the levels of branches to leave until the thread is active again
//   broke      waits for the end of a loop, which it knows by the number of loops around it
//   continued  waits for the next round of such a loop
//
// A jump is taken when all active threads want it (when there are none, it is) or, with ANY, when one of them does. A
// BREAK or CONTINUE jumps only when no thread waits within the branches that the jump leaves, and a BREAK only when none
// waits for the next round: it would be skipped over what it has to do.
//
// The stack of loops holds those that the batch is in: LOOP pushes when it is entered, ENDLOOP pops when it goes on, and a
// BREAK that jumps pops, because it goes behind ENDLOOP. The ALU result does not survive: it is 0 behind flow control.
#include <string.h>

#include "runtime/softproc/core.h"

int sp_loop_register(const sp_batch *b)
{
    for (unsigned i = b->loops; i > 0; i--)
        if (b->loop[i - 1].has_al)
            return b->loop[i - 1].al;
    return 0;
}

void sp_advance(const sp_core *c, sp_batch *b, const sp_ready *r)
{
    bool end = b->pc == c->end;
    if (r->last && !end) {
        // LAST ends the batch when all its threads are here.
        end = true;
        for (uint32_t i = 0; i < c->groups; i++)
            for (unsigned lane = 0; lane < SP_LANES; lane++)
                end = end && (b->groups[i].state[lane] == SP_ACTIVE || b->groups[i].state[lane] == SP_DEAD);
    }
    if (end)
        b->done = true;
    else
        b->pc++;
}

// ---- Threads ----

static void set_state(sp_group *g, unsigned lane, sp_thread_state state, unsigned counter)
{
    g->state[lane] = (uint8_t)state;
    g->counter[lane] = (uint8_t)counter;
    g->active[lane] = state == SP_ACTIVE ? -1 : 0;
}

typedef struct flow {
    sp_core *core;
    sp_batch *batch;
    const sp_ready *instruction;
} flow;

static bool wants(const flow *f, const sp_group *g, unsigned lane)
{
    const sp_ready *r = f->instruction;
    sp_m4 predicate = sp_predicate_of(g, r->pred_sel, r->pred_inv, 0);
    unsigned index = (g->alu[lane] ? 4u : 0u) | (predicate[lane] ? 2u : 0u) | (f->core->bools >> r->bool_constant & 1);
    return (r->jump_func >> index & 1) != 0;
}

static bool decide(const flow *f)
{
    bool any = false, all = true;
    for (uint32_t i = 0; i < f->core->groups; i++)
        for (unsigned lane = 0; lane < SP_LANES; lane++)
            if (f->batch->groups[i].state[lane] == SP_ACTIVE) {
                bool wish = wants(f, &f->batch->groups[i], lane);
                any = any || wish;
                all = all && wish;
            }
    return f->instruction->any ? any : all;
}

// Threads that are active wait at this level; those that wait at it are active.
static void exchange(const flow *f)
{
    for (uint32_t i = 0; i < f->core->groups; i++) {
        sp_group *g = &f->batch->groups[i];
        for (unsigned lane = 0; lane < SP_LANES; lane++)
            if (g->state[lane] == SP_ACTIVE)
                set_state(g, lane, SP_BRANCHED, 0);
            else if (g->state[lane] == SP_BRANCHED && g->counter[lane] == 0)
                set_state(g, lane, SP_ACTIVE, 0);
    }
}

// Increments wait counters, and makes those active threads wait whose wish was not followed.
static void increment(const flow *f, bool jumps)
{
    for (uint32_t i = 0; i < f->core->groups; i++) {
        sp_group *g = &f->batch->groups[i];
        for (unsigned lane = 0; lane < SP_LANES; lane++) {
            if (g->state[lane] == SP_ACTIVE) {
                if (wants(f, g, lane) != jumps)
                    set_state(g, lane, SP_BRANCHED, 0);
            } else if (g->state[lane] == SP_BRANCHED && ++g->counter[lane] >= SP_MAX_BRANCHES) {
                sp_fail_at(f->core, f->batch, g, lane, "branches are nested more than %d deep", SP_MAX_BRANCHES);
                return;
            }
        }
    }
}

static void decrement(const flow *f)
{
    unsigned levels = f->instruction->pop;
    for (uint32_t i = 0; i < f->core->groups; i++) {
        sp_group *g = &f->batch->groups[i];
        for (unsigned lane = 0; lane < SP_LANES; lane++) {
            if (g->state[lane] != SP_BRANCHED)
                continue;
            if (g->counter[lane] < levels)
                set_state(g, lane, SP_ACTIVE, 0);
            else
                g->counter[lane] = (uint8_t)(g->counter[lane] - levels);
        }
    }
}

static void count_branches(const flow *f, unsigned op, bool jumps)
{
    if (op == SP_BRANCH_INCR)
        increment(f, jumps);
    else if (op == SP_BRANCH_DECR)
        decrement(f);
}

// ---- Instructions ----

static void jump(const flow *f)
{
    const sp_ready *r = f->instruction;
    sp_batch *b = f->batch;
    if (r->otherwise)
        exchange(f);
    bool jumps = decide(f);
    count_branches(f, jumps ? r->go : r->stay, jumps);
    if (!jumps) {
        b->pc++;
        return;
    }
    uint32_t target = r->jump;
    if (r->stack == SP_STACK_PUSH) {
        if (b->calls == SP_MAX_NESTING) {
            sp_fail_at(f->core, b, &b->groups[0], 0, "calls are nested more than %d deep", SP_MAX_NESTING);
            return;
        }
        b->call[b->calls++] = (uint16_t)(b->pc + 1);
    } else if (r->stack == SP_STACK_POP) {
        if (b->calls == 0) {
            sp_fail_at(f->core, b, &b->groups[0], 0, "returns without a call");
            return;
        }
        target = b->call[--b->calls];
    }
    b->pc = target;
}

// Whether an instruction is the end of the loop that begins at a place: it goes back to behind that.
static bool ends_loop(const sp_ready *r, uint32_t begin)
{
    return r->type == SP_FC && (r->fc_op == SP_FC_ENDLOOP || r->fc_op == SP_FC_ENDREP) && r->jump == begin + 1;
}

static void loop(const flow *f)
{
    const sp_ready *r = f->instruction;
    sp_batch *b = f->batch;
    const sp_int_constant *k = &f->core->ints[r->int_constant];
    bool jumps = decide(f) || k->count == 0;
    count_branches(f, jumps ? r->go : r->stay, jumps);
    if (jumps) {
        if (ends_loop(&f->core->code[r->jump], b->pc))
            sp_fail_at(f->core, b, &b->groups[0], 0,
                       "the loop is not entered, and jumps to its end, which would pop a loop that was not pushed; "
                       "expected a jump behind the end, to %u",
                       r->jump + 1u);
        b->pc = r->jump;
        return;
    }
    if (b->loops == SP_MAX_NESTING) {
        sp_fail_at(f->core, b, &b->groups[0], 0, "loops are nested more than %d deep", SP_MAX_NESTING);
        return;
    }
    b->loop[b->loops++] = (sp_loop){k->count, k->init, k->step, r->fc_op == SP_FC_LOOP};
    b->pc++;
}

// Threads that wait for this loop in a state become active.
static void wake(const flow *f, sp_thread_state state)
{
    for (uint32_t i = 0; i < f->core->groups; i++) {
        sp_group *g = &f->batch->groups[i];
        for (unsigned lane = 0; lane < SP_LANES; lane++)
            if (g->state[lane] == state && g->counter[lane] == f->batch->loops)
                set_state(g, lane, SP_ACTIVE, 0);
    }
}

static void end_loop(const flow *f)
{
    const sp_ready *r = f->instruction;
    sp_batch *b = f->batch;
    if (b->loops == 0) {
        sp_fail_at(f->core, b, &b->groups[0], 0, "the end of a loop that was not begun");
        return;
    }
    sp_loop *top = &b->loop[b->loops - 1];
    wake(f, SP_CONTINUED);
    top->left = top->left > 0 ? (uint16_t)(top->left - 1) : 0;
    top->al = (int16_t)(top->al + top->step);
    bool jumps = top->left > 0 && decide(f);
    count_branches(f, jumps ? r->go : r->stay, jumps);
    if (jumps) {
        b->pc = r->jump;
        return;
    }
    wake(f, SP_BROKE);
    b->loops--;
    b->pc++;
}

static void leave(const flow *f)
{
    const sp_ready *r = f->instruction;
    sp_batch *b = f->batch;
    bool breaks = r->fc_op != SP_FC_CONTINUE;
    sp_thread_state state = breaks ? SP_BROKE : SP_CONTINUED;
    if (b->loops == 0) {
        sp_fail_at(f->core, b, &b->groups[0], 0, "leaves a loop that was not begun");
        return;
    }
    bool jumps = decide(f);
    for (uint32_t i = 0; i < f->core->groups; i++) {
        sp_group *g = &b->groups[i];
        for (unsigned lane = 0; lane < SP_LANES; lane++)
            if (g->state[lane] == SP_ACTIVE && wants(f, g, lane))
                set_state(g, lane, state, b->loops);
            else if (g->state[lane] == SP_BRANCHED && g->counter[lane] < r->pop)
                jumps = false;
            else if (breaks && g->state[lane] == SP_CONTINUED && g->counter[lane] == b->loops)
                jumps = false;
            else if (g->state[lane] == SP_ACTIVE)
                jumps = false;
    }
    count_branches(f, jumps ? r->go : r->stay, jumps);
    b->pc = jumps ? r->jump : b->pc + 1;
    if (jumps && breaks) {
        wake(f, SP_BROKE);
        b->loops--;
    }
}

void sp_execute_flow(sp_core *c, sp_batch *b, const sp_ready *r)
{
    flow f = {c, b, r};
    switch (r->fc_op) {
    case SP_FC_LOOP:
    case SP_FC_REP: loop(&f); break;
    case SP_FC_ENDLOOP:
    case SP_FC_ENDREP: end_loop(&f); break;
    case SP_FC_BREAKLOOP:
    case SP_FC_BREAKREP:
    case SP_FC_CONTINUE: leave(&f); break;
    default: jump(&f);
    }
    for (uint32_t i = 0; i < c->groups; i++)
        b->groups[i].alu = (sp_m4){0, 0, 0, 0};
}
