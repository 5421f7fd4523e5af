// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold of each instruction and of the whole program. Hazards between instructions are in hazards.c.
#include "llc/softproc/isa.h"

typedef struct verifier {
    const sp_program *program;
    sp_faults *faults;
    sp_instruction code[SP_MAX_INSTRUCTIONS];
    bool loops; // some instruction is a LOOP: there is a loop register
} verifier;

static void check_operand(verifier *v, int at, unsigned half, unsigned k)
{
    const sp_instruction *in = &v->code[at];
    const sp_half_fields *h = &sp_halves[half];
    unsigned address = in->f[h->addr[k]];
    if (in->f[h->rel[k]] == 0)
        return;
    if (address >= SP_ADDR_INLINE && address < SP_ADDR_CONST)
        sp_fault(v->faults, at, "source %u is a number and cannot be relative to the loop register", k);
    else if (!v->loops)
        sp_fault(v->faults, at, "source %u is relative to the loop register, but the program has no LOOP", k);
}

static void check_register(verifier *v, int at, const char *what, unsigned number, bool relative)
{
    if (number >= v->program->temps)
        sp_fault(v->faults, at, "%s r%u is outside of the frame of %lu registers", what, number,
                 (unsigned long)v->program->temps);
    if (relative && !v->loops)
        sp_fault(v->faults, at, "%s r%u is relative to the loop register, but the program has no LOOP", what, number);
}

static void check_half(verifier *v, int at, unsigned half, const sp_reads *reads)
{
    const sp_instruction *in = &v->code[at];
    const sp_half_fields *h = &sp_halves[half];
    unsigned op = in->f[h->op], other = in->f[sp_halves[1 - half].op];
    const char *name = h->ops[op].name;
    if (name == NULL) {
        sp_fault(v->faults, at, "operation %u of the %s half is reserved", op,
                 half == SP_HALF_RGB ? "vector" : "scalar");
        return;
    }
    if (in->f[h->omod] == SP_OMOD_EXACT && (h->ops[op].flags & SP_EXACT) == 0)
        sp_fault(v->faults, at, "'%s' cannot give its bits as they are; MIN, MAX, CND and CMP can", name);
    if (in->f[h->pred_sel] > SP_PRED_A)
        sp_fault(v->faults, at, "predicate selector %u is reserved", in->f[h->pred_sel]);
    if (half == SP_HALF_RGB && in->f[SP_F_TYPE] == SP_OUT && in->f[SP_F_ALU_WMASK] != 0)
        sp_fault(v->faults, at, "an instruction of type OUT cannot write the ALU result");
    if (half == SP_HALF_RGB && op == SP_RGB_SOP && (sp_alpha_ops[other].flags & SP_TRANS) == 0)
        sp_fault(v->faults, at, "SOP copies the scalar half's result, which must be of ex2, ln2, rcp, rsq, sin or cos");
    if (half == SP_HALF_ALPHA && op == SP_ALPHA_DP && (sp_rgb_ops[other].flags & SP_DOT) == 0)
        sp_fault(v->faults, at, "dp copies the vector half's dot product, which must be of DP3, DP4 or D2A");
    for (unsigned k = 0; k < 3; k++) {
        check_operand(v, at, half, k);
        if ((reads->sources[half] >> k & 1) != 0 && in->f[h->addr[k]] < SP_ADDR_INLINE)
            check_register(v, at, "source", in->f[h->addr[k]], in->f[h->rel[k]] != 0);
        unsigned c = in->f[h->addr[k]] - SP_ADDR_CONST;
        if ((reads->sources[half] >> k & 1) != 0 && in->f[h->addr[k]] >= SP_ADDR_CONST && in->f[h->rel[k]] == 0 &&
            !sp_bit(v->program->floats, c))
            sp_fault(v->faults, at, "constant c%u is used but not in the container's list", c);
    }
    if (in->f[h->wmask] != 0)
        check_register(v, at, "destination", in->f[h->addrd], in->f[h->addrd_rel] != 0);
    if (in->f[SP_F_TYPE] == SP_OUT && in->f[h->omask] != 0 && (v->program->outputs >> in->f[h->target] & 1) == 0)
        sp_fault(v->faults, at, "output o%u is written but not in the container's list", in->f[h->target]);
}

// Fields that an operation does not have must be as the assembler leaves them, so that every word has one spelling.
static void check_unused_fields(verifier *v, int at, unsigned op)
{
    const sp_instruction *in = &v->code[at];
    uint32_t words[SP_WORDS];
    sp_encode(in, words);
    bool bad = op != SP_TEX_DXDY && words[3] != 0;
    if (op == SP_TEX_NOP)
        bad = bad || words[2] != 0 || in->f[SP_F_TEX_ID] != 0 || in->f[SP_F_UNSCALED] != 0;
    if (op == SP_TEX_KILL)
        bad = bad || words[2] >> 16 != 0xe400 || in->f[SP_F_TEX_ID] != 0;
    if (op == SP_TEX_NOP || op == SP_TEX_KILL)
        bad = bad || in->f[SP_F_RGB_WMASK] != 0 || in->f[SP_F_ALPHA_WMASK] != 0;
    if (bad)
        sp_fault(v->faults, at, "fields are set that '%s' does not have", sp_tex_ops[op].name);
}

// Whether the coordinates are red, green, blue and alpha in this order.
static bool plain_coordinates(const sp_instruction *in)
{
    return in->f[SP_F_TEX_SWZ_S] == SP_R && in->f[SP_F_TEX_SWZ_T] == SP_G && in->f[SP_F_TEX_SWZ_R] == SP_B &&
           in->f[SP_F_TEX_SWZ_Q] == SP_A;
}

static void check_texture(verifier *v, int at)
{
    const sp_instruction *in = &v->code[at];
    unsigned op = in->f[SP_F_TEX_OP];
    if (in->f[SP_F_RGB_PRED_SEL] > SP_PRED_A || in->f[SP_F_ALPHA_PRED_SEL] > SP_PRED_A)
        sp_fault(v->faults, at, "a reserved predicate selector");
    if (sp_tex_ops[op].name == NULL) {
        sp_fault(v->faults, at, "texture operation %u is reserved", op);
        return;
    }
    if (in->f[SP_F_SEM_ACQUIRE] != 0 && in->f[SP_F_SEM_WAIT] == 0)
        sp_fault(v->faults, at,
                 "the semaphore is acquired without waiting for it; the hardware must not acquire it twice");
    check_unused_fields(v, at, op);
    if (op == SP_TEX_NOP)
        return;
    if (op == SP_TEX_KILL && !plain_coordinates(in))
        sp_fault(v->faults, at, "'TEXKILL' takes a register's components as they are; copy them in order first");
    check_register(v, at, "coordinate", in->f[SP_F_TEX_SRC], in->f[SP_F_TEX_SRC_REL] != 0);
    if (!sp_tex_ops[op].reads)
        return;
    if ((v->program->inputs >> in->f[SP_F_TEX_ID] & 1) == 0)
        sp_fault(v->faults, at, "input s%u is read but not in the container's list", in->f[SP_F_TEX_ID]);
    check_register(v, at, "destination", in->f[SP_F_TEX_DST], in->f[SP_F_TEX_DST_REL] != 0);
    if (op == SP_TEX_DXDY) {
        check_register(v, at, "derivative", in->f[SP_F_DX_ADDR], in->f[SP_F_DX_REL] != 0);
        check_register(v, at, "derivative", in->f[SP_F_DY_ADDR], in->f[SP_F_DY_REL] != 0);
    }
}

static void check_flow(verifier *v, int at)
{
    const sp_instruction *in = &v->code[at];
    unsigned op = in->f[SP_F_FC_OP], jump = in->f[SP_F_FC_JUMP];
    if (in->f[SP_F_RGB_PRED_SEL] == SP_PRED_EACH || in->f[SP_F_RGB_PRED_SEL] > SP_PRED_A)
        sp_fault(v->faults, at, "flow control needs one predicate bit; per-channel predicates and 6 and 7 are no such");
    if (in->f[SP_F_B_OP0] > SP_BRANCH_INCR || in->f[SP_F_B_OP1] > SP_BRANCH_INCR || in->f[SP_F_A_OP] > SP_STACK_PUSH)
        sp_fault(v->faults, at, "a reserved operation of the branch counters or of the address stack");
    if (in->f[SP_F_FC_GLOBAL] != 0)
        sp_fault(v->faults, at, "jumps to global addresses are not supported");
    if (jump > v->program->end && in->f[SP_F_A_OP] != SP_STACK_POP)
        sp_fault(v->faults, at, "jumps to %u, behind the program's end at %lu", jump, (unsigned long)v->program->end);
    if ((op == SP_FC_LOOP || op == SP_FC_REP) && (v->program->ints >> in->f[SP_F_FC_INT] & 1) == 0)
        sp_fault(v->faults, at, "int constant i%u is used but not in the container's list", in->f[SP_F_FC_INT]);
    if (sp_looks_at_bool(in->f[SP_F_JUMP_FUNC]) && (v->program->bools >> in->f[SP_F_FC_BOOL] & 1) == 0)
        sp_fault(v->faults, at, "truth constant b%u is used but not in the container's list", in->f[SP_F_FC_BOOL]);
}

// BRK and CONT of the loop from begin to end. A BRK goes behind the end, and pops the loop itself.
static void check_leaving(verifier *v, int begin, int end)
{
    bool loop = v->code[begin].f[SP_F_FC_OP] == SP_FC_LOOP;
    for (int at = begin, depth = 0; at < end; at++) {
        const sp_instruction *in = &v->code[at];
        unsigned op = in->f[SP_F_FC_OP];
        if (in->f[SP_F_TYPE] != SP_FC || op == SP_FC_JUMP)
            continue;
        depth += (op == SP_FC_LOOP || op == SP_FC_REP) - (op == SP_FC_ENDLOOP || op == SP_FC_ENDREP);
        if (depth != 1)
            continue;
        if (op == SP_FC_CONTINUE && in->f[SP_F_FC_JUMP] != end)
            sp_fault(v->faults, at, "'continue' must jump to its loop's end, at %d", end);
        if (op != SP_FC_BREAKLOOP && op != SP_FC_BREAKREP)
            continue;
        if (op != (loop ? SP_FC_BREAKLOOP : SP_FC_BREAKREP))
            sp_fault(v->faults, at, "'%s' leaves the '%s' at instruction %d", sp_fc_ops[op],
                     sp_fc_ops[v->code[begin].f[SP_F_FC_OP]], begin);
        if (in->f[SP_F_FC_JUMP] != end + 1)
            sp_fault(v->faults, at, "'%s' must jump behind its loop's end, to %d", sp_fc_ops[op], end + 1);
    }
}

// What a LOOP and an ENDLOOP jump to, so that the nesting can be told from the text of the program. A LOOP that is never
// skipped may name its ENDLOOP, as other compilers' do; it is behind that where one that is skipped must go.
static void check_loops(verifier *v)
{
    int open[SP_MAX_NESTING], depth = 0;
    for (int at = 0; at <= (int)v->program->end; at++) {
        const sp_instruction *in = &v->code[at];
        if (in->f[SP_F_TYPE] != SP_FC)
            continue;
        unsigned op = in->f[SP_F_FC_OP];
        if (op == SP_FC_LOOP || op == SP_FC_REP) {
            if (depth == SP_MAX_NESTING) {
                sp_fault(v->faults, at, "loops are nested more than %d deep", SP_MAX_NESTING);
                return;
            }
            open[depth++] = at;
        } else if (op != SP_FC_JUMP && depth == 0) {
            sp_fault(v->faults, at, "'%s' outside of a loop", sp_fc_ops[op]);
            return;
        } else if (op == SP_FC_ENDLOOP || op == SP_FC_ENDREP) {
            int begin = open[--depth], skip = v->code[begin].f[SP_F_FC_JUMP];
            unsigned wanted = op == SP_FC_ENDLOOP ? SP_FC_LOOP : SP_FC_REP;
            if (v->code[begin].f[SP_F_FC_OP] != wanted)
                sp_fault(v->faults, at, "'%s' closes the '%s' at instruction %d", sp_fc_ops[op],
                         sp_fc_ops[v->code[begin].f[SP_F_FC_OP]], begin);
            if ((skip != at && skip != at + 1) || in->f[SP_F_FC_JUMP] != begin + 1)
                sp_fault(v->faults, at, "a loop's begin must jump behind its end, and its end behind its begin");
            check_leaving(v, begin, at);
        }
    }
    if (depth > 0)
        sp_fault(v->faults, open[depth - 1], "the loop is not closed");
}

static void check_end(verifier *v)
{
    const sp_instruction *last = &v->code[v->program->end];
    if (last->f[SP_F_TYPE] != SP_OUT)
        sp_fault(v->faults, (int)v->program->end, "the last instruction must be of type OUT");
    else if (last->f[SP_F_SEM_WAIT] == 0)
        sp_fault(v->faults, (int)v->program->end, "the last instruction must wait for the semaphore");
    for (int at = 0; at < (int)v->program->end; at++)
        if (v->code[at].f[SP_F_LAST] != 0 && (v->code[at].f[SP_F_TYPE] != SP_OUT || v->code[at].f[SP_F_SEM_WAIT] == 0))
            sp_fault(v->faults, at,
                     "programs end at instructions of type OUT that wait for the semaphore; LAST is set here");
}

// Values must be of constants that are listed.
static void check_values(const sp_program *p, sp_faults *faults)
{
    bool ok = (p->given_ints & ~p->ints) == 0 && (p->given_bools & ~p->bools) == 0;
    for (unsigned i = 0; i < SP_MAX_CONSTANTS / 32; i++)
        ok = ok && (p->given_floats[i] & ~p->floats[i]) == 0;
    if (!ok)
        sp_fault(faults, -1, "the container has the value of a constant that its lists do not name");
}

bool sp_verify(const sp_program *p, sp_faults *faults)
{
    unsigned before = faults->count;
    verifier v = {.program = p, .faults = faults};
    if (p->count == 0 || p->count > SP_MAX_INSTRUCTIONS || p->end >= p->count) {
        sp_fault(faults, -1,
                 "the program has %lu instructions and ends at %lu; expected 1 to %d, and an end among them",
                 (unsigned long)p->count, (unsigned long)p->end, SP_MAX_INSTRUCTIONS);
        return false;
    }
    if (p->end != p->count - 1)
        sp_fault(faults, -1, "the program ends at instruction %lu, but has %lu; expected the end to be the last",
                 (unsigned long)p->end, (unsigned long)p->count);
    for (uint32_t i = 0; i < p->count; i++) {
        if (!sp_decode(p->words[i], &v.code[i]))
            sp_fault(faults, (int)i, "bits are set that instructions of this type do not have");
        v.loops = v.loops || (v.code[i].f[SP_F_TYPE] == SP_FC && v.code[i].f[SP_F_FC_OP] == SP_FC_LOOP);
    }
    if (faults->count != before)
        return false;
    for (uint32_t i = 0; i < p->count; i++) {
        unsigned type = v.code[i].f[SP_F_TYPE];
        if (type == SP_TEX) {
            check_texture(&v, (int)i);
        } else if (type == SP_FC) {
            check_flow(&v, (int)i);
        } else {
            sp_reads reads = sp_sources_read(&v.code[i]);
            check_half(&v, (int)i, SP_HALF_RGB, &reads);
            check_half(&v, (int)i, SP_HALF_ALPHA, &reads);
        }
    }
    check_loops(&v);
    check_end(&v);
    check_values(p, faults);
    if (faults->count == before)
        sp_verify_hazards(p, v.code, faults);
    return faults->count == before;
}
