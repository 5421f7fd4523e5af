// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hazards between instructions, over all paths: a register read or written while a lookup into it may be under way, a
// presubtract source that the instruction before has just written, and an ALU result that flow control has destroyed.
//
// The first is a forward analysis of two sets of registers: lookups that no acquire covers yet, and those that the
// semaphore holds. An acquire moves the first set into the second; a wait empties the second.
#include <string.h>

#include "llc/softproc/isa.h"

typedef struct register_set {
    uint64_t bits[SP_TEMP_WORDS]; // of components, as in sp_temp_uses
} register_set;

typedef struct lookups {
    register_set open, held;
    bool reached;
} lookups;

static bool merge(register_set *into, const uint64_t *from)
{
    bool changed = false;
    for (size_t i = 0; i < SP_TEMP_WORDS; i++) {
        changed = changed || (from[i] & ~into->bits[i]) != 0;
        into->bits[i] |= from[i];
    }
    return changed;
}

// The first register of which a component is in both sets; -1: none.
static int first_of(const uint64_t *a, const uint64_t *b)
{
    for (int r = 0; r < SP_MAX_TEMPS; r++)
        if (((a[r / 16] & b[r / 16]) >> r % 16 * 4 & 15) != 0)
            return r;
    return -1;
}

// Where execution may go on; the number of places. (A pop may return to behind any push.)
static unsigned successors(const sp_program *p, const sp_instruction *code, unsigned at,
                           uint16_t next[SP_MAX_INSTRUCTIONS + 2])
{
    const sp_instruction *in = &code[at];
    unsigned n = 0;
    if (at < p->end)
        next[n++] = (uint16_t)(at + 1);
    if (in->f[SP_F_TYPE] != SP_FC)
        return n;
    if (in->f[SP_F_A_OP] != SP_STACK_POP) {
        next[n++] = in->f[SP_F_FC_JUMP];
        return n;
    }
    for (unsigned i = 0; i < p->end; i++)
        if (code[i].f[SP_F_TYPE] == SP_FC && code[i].f[SP_F_A_OP] == SP_STACK_PUSH)
            next[n++] = (uint16_t)(i + 1);
    return n;
}

// What is under way behind the instruction.
static lookups transfer(const sp_instruction *in, lookups s, const sp_temp_uses *u)
{
    if (in->f[SP_F_SEM_WAIT] != 0)
        memset(&s.held, 0, sizeof s.held);
    if (in->f[SP_F_TYPE] != SP_TEX)
        return s;
    unsigned op = in->f[SP_F_TEX_OP];
    if (op != SP_TEX_NOP && sp_tex_ops[op].reads)
        merge(&s.open, u->written);
    if (op != SP_TEX_NOP && sp_tex_ops[op].reads && in->f[SP_F_TEX_DST_REL] != 0)
        memset(&s.open, 0xff, sizeof s.open);
    if (in->f[SP_F_SEM_ACQUIRE] != 0) {
        merge(&s.held, s.open.bits);
        memset(&s.open, 0, sizeof s.open);
    }
    return s;
}

static void check_lookups(const sp_instruction *in, int at, lookups s, const sp_temp_uses *u, bool last,
                          sp_faults *faults)
{
    if (in->f[SP_F_SEM_WAIT] != 0)
        memset(&s.held, 0, sizeof s.held);
    register_set pending = s.open, all;
    merge(&pending, s.held.bits);
    memset(&all, 0xff, sizeof all);
    int r = first_of(pending.bits, u->any ? all.bits : u->read);
    if (r >= 0)
        sp_fault(faults, at,
                 "r%d is read while a lookup into it may be under way; acquire the semaphore and wait for it", r);
    else if ((r = first_of(pending.bits, u->written)) >= 0)
        sp_fault(faults, at,
                 "r%d is written while a lookup into it may be under way; acquire the semaphore and wait for it", r);
    else if (last && (r = first_of(pending.bits, all.bits)) >= 0)
        sp_fault(faults, at, "the program ends while a lookup into r%d may be under way; no acquire covers it", r);
}

// Whether the second instruction's presubtract (or its neighbours' source) reads what the first writes.
static bool presubtract_hazard(const sp_instruction *first, const sp_instruction *second)
{
    if (first->f[SP_F_TYPE] > SP_OUT || second->f[SP_F_TYPE] > SP_OUT || first->f[SP_F_NOP] != 0)
        return false;
    sp_reads reads = sp_sources_read(second);
    for (unsigned half = 0; half < 2; half++)
        for (unsigned k = 0; k < 3; k++) {
            unsigned address = second->f[sp_halves[half].addr[k]];
            bool relative = second->f[sp_halves[half].rel[k]] != 0;
            if ((reads.presubtract[half] >> k & 1) == 0 || address >= SP_ADDR_INLINE)
                continue;
            for (unsigned w = 0; w < 2; w++) {
                const sp_half_fields *h = &sp_halves[w];
                if (first->f[h->wmask] != 0 &&
                    (first->f[h->addrd] == address || relative || first->f[h->addrd_rel] != 0))
                    return true;
            }
        }
    return false;
}

// The ALU result lives until the next flow control. On all paths to flow control that looks at it, it must have been
// written since the last one. The set of places where it may be stale only grows.
static void check_alu_results(const sp_program *p, const sp_instruction *code, sp_faults *faults)
{
    bool stale[SP_MAX_INSTRUCTIONS] = {true}; // in front of the instruction
    uint16_t next[SP_MAX_INSTRUCTIONS + 2];
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i <= p->end; i++) {
            unsigned type = code[i].f[SP_F_TYPE];
            bool after = type == SP_FC || (stale[i] && !(type == SP_ALU && code[i].f[SP_F_ALU_WMASK] != 0));
            unsigned n = after ? successors(p, code, i, next) : 0;
            for (unsigned k = 0; k < n; k++) {
                changed = changed || !stale[next[k]];
                stale[next[k]] = true;
            }
        }
    }
    for (unsigned i = 0; i <= p->end; i++)
        if (code[i].f[SP_F_TYPE] == SP_FC && stale[i] && sp_looks_at_alu(code[i].f[SP_F_JUMP_FUNC]))
            sp_fault(
                faults, (int)i,
                "looks at the ALU result, which may be older than the last flow control; it does not survive that");
}

void sp_verify_hazards(const sp_program *p, const sp_instruction *code, sp_faults *faults)
{
    check_alu_results(p, code, faults);
    lookups states[SP_MAX_INSTRUCTIONS];
    uint16_t next[SP_MAX_INSTRUCTIONS + 2];
    memset(states, 0, sizeof states);
    states[0].reached = true;
    bool changed = true;
    // The sets only grow, so this ends.
    while (changed) {
        changed = false;
        for (unsigned i = 0; i <= p->end; i++) {
            if (!states[i].reached)
                continue;
            sp_temp_uses u = sp_temps_used(&code[i]);
            lookups after = transfer(&code[i], states[i], &u);
            unsigned n = successors(p, code, i, next);
            for (unsigned k = 0; k < n; k++) {
                lookups *to = &states[next[k]];
                changed = !to->reached || changed;
                to->reached = true;
                changed = merge(&to->open, after.open.bits) || changed;
                changed = merge(&to->held, after.held.bits) || changed;
            }
        }
    }
    for (unsigned i = 0; i <= p->end; i++) {
        if (!states[i].reached)
            continue;
        sp_temp_uses u = sp_temps_used(&code[i]);
        bool last = i == p->end || code[i].f[SP_F_LAST] != 0;
        check_lookups(&code[i], (int)i, states[i], &u, last, faults);
        if (i < p->end && presubtract_hazard(&code[i], &code[i + 1]))
            sp_fault(faults, (int)i, "writes what the next instruction's presubtract reads; it needs the NOP bit");
    }
}
