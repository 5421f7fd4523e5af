// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emission: ordered halves and lookups as instructions, with semaphores; the program, verified. Also the way through all the
// stages, and what LLVM does before them.
#include <string.h>

#include "llc/softproc/compile.h"
#include "support/strbuf.h"

static const uint8_t vector_codes[] = {
    [SPC_MAD] = SP_RGB_MAD, [SPC_MIN] = SP_RGB_MIN, [SPC_MAX] = SP_RGB_MAX,
    [SPC_CMP] = SP_RGB_CMP, [SPC_FRC] = SP_RGB_FRC, [SPC_COPY] = SP_RGB_MAX,
};
static const uint8_t scalar_codes[] = {
    [SPC_MAD] = SP_ALPHA_MAD, [SPC_MIN] = SP_ALPHA_MIN,  [SPC_MAX] = SP_ALPHA_MAX, [SPC_CMP] = SP_ALPHA_CMP,
    [SPC_FRC] = SP_ALPHA_FRC, [SPC_COPY] = SP_ALPHA_MAX, [SPC_RCP] = SP_ALPHA_RCP, [SPC_RSQ] = SP_ALPHA_RSQ,
    [SPC_EX2] = SP_ALPHA_EX2, [SPC_LN2] = SP_ALPHA_LN2,
};

typedef struct emitter {
    spc_function *f;
    sp_instruction code[SP_MAX_INSTRUCTIONS + 1];
    unsigned count;
    unsigned *step; // the instruction of each step
    bool failed;
} emitter;

// ---- Sources ----

// The addresses of the three sources; the constants' places are found here.
static void set_sources(emitter *e, sp_instruction *in, const spc_assignment *a, unsigned constant[2][3])
{
    spc_function *f = e->f;
    for (unsigned k = 0; k < 3; k++) {
        const spc_source *s = &a->source[k];
        unsigned reg[2] = {0, 0};
        if (s->rgb == SPC_CONSTANT)
            e->failed = !spc_place_constants(f, s->key, s->keys, false, &reg[0]) || e->failed;
        if (s->alpha == SPC_CONSTANT)
            e->failed = !spc_place_constants(f, &s->alpha_key, 1, true, &reg[1]) || e->failed;
        constant[0][k] = reg[0];
        constant[1][k] = reg[1];
        if (s->rgb != SPC_NOTHING)
            in->f[sp_halves[0].addr[k]] =
                (uint16_t)(s->rgb == SPC_CONSTANT ? SP_ADDR_CONST + reg[0]
                                                  : (unsigned)f->registers.data[s->rgb_reg].number);
        if (s->alpha != SPC_NOTHING)
            in->f[sp_halves[1].addr[k]] =
                (uint16_t)(s->alpha == SPC_CONSTANT ? SP_ADDR_CONST + reg[1]
                                                    : (unsigned)f->registers.data[s->alpha_reg].number);
    }
}

// The component that a lane's operand is, of the source that its operand selects.
static unsigned swizzle_of(const emitter *e, const spc_value *v, const spc_assignment *a, unsigned which, unsigned k,
                           unsigned constant)
{
    uint64_t key;
    if (!spc_is_constant(v))
        return v->lane;
    spc_key(v, a->modifier[which][k].neg, a->modifier[which][k].abs, &key);
    int easy = spc_easy_swizzle(key);
    if (easy >= 0)
        return (unsigned)easy;
    if (a->by_alpha[which][k])
        return SP_A;
    unsigned at = 0;
    while (at < 3 && e->f->constant[constant][at] != key)
        at++;
    return at < 3 ? at : SP_UNUSED;
}

// ---- Halves ----

static void set_operands(emitter *e, sp_instruction *in, const spc_half *h, const spc_assignment *a,
                         unsigned constant[2][3])
{
    unsigned which = h->scalar, operands = spc_operands(h->op);
    const sp_half_fields *fields = &sp_halves[which];
    for (unsigned k = 0; k < operands; k++)
        for (unsigned lane = 0; lane < fields->components; lane++) {
            if (h->value[lane] == SPC_NONE)
                continue;
            const spc_value *v = &e->f->values.data[e->f->values.data[h->value[lane]].operand[k].value];
            unsigned sel = a->sel[which][k];
            in->f[fields->sel[k]] = (uint16_t)sel;
            in->f[fields->mod[k]] =
                (uint16_t)((a->modifier[which][k].neg ? SP_MOD_NEG : 0) | (a->modifier[which][k].abs ? SP_MOD_ABS : 0));
            in->f[fields->swizzle[k][lane]] =
                (uint16_t)swizzle_of(e, v, a, which, k, sel == SP_SRCP ? 0 : constant[0][sel]);
        }
    if (h->op != SPC_COPY)
        return;
    // The larger one of two that are equal, bits as they are.
    in->f[fields->omod] = SP_OMOD_EXACT;
    in->f[fields->sel[1]] = in->f[fields->sel[0]];
    in->f[fields->mod[1]] = in->f[fields->mod[0]];
    for (unsigned lane = 0; lane < fields->components; lane++)
        in->f[fields->swizzle[1][lane]] = in->f[fields->swizzle[0][lane]];
}

static void set_destination(const emitter *e, sp_instruction *in, const spc_half *h)
{
    const sp_half_fields *fields = &sp_halves[h->scalar];
    for (unsigned lane = 0; lane < fields->components; lane++) {
        if (h->value[lane] == SPC_NONE)
            continue;
        const spc_value *v = &e->f->values.data[h->value[lane]];
        if (v->decides != SPC_NO_DECISION) {
            in->f[SP_F_ALU_WMASK] = 1;
            in->f[SP_F_ALU_RESULT_SEL] = h->scalar;
            in->f[SP_F_ALU_RESULT_OP] = v->decides == SPC_IF_NEGATIVE ? SP_LT : SP_GE;
        }
        if (v->omod != 0)
            in->f[fields->omod] = v->omod;
        if (v->registered) {
            in->f[fields->addrd] = (uint16_t)e->f->registers.data[v->reg].number;
            in->f[fields->wmask] |= (uint16_t)(1u << lane);
        }
        if (v->output == SPC_NO_OUTPUT)
            continue;
        in->f[SP_F_TYPE] = SP_OUT;
        in->f[fields->target] = v->output;
        in->f[fields->omask] |= (uint16_t)(1u << lane);
    }
}

static void emit_arithmetic(emitter *e, sp_instruction *in, const spc_slot *slot)
{
    unsigned constant[2][3];
    sp_clear_arithmetic(in, SP_ALU);
    set_sources(e, in, &slot->assignment, constant);
    for (unsigned which = 0; which < 2; which++) {
        if (slot->half[which] == SPC_NONE)
            continue;
        const spc_half *h = &e->f->halves.data[slot->half[which]];
        in->f[sp_halves[which].op] = which == 0 ? vector_codes[h->op] : scalar_codes[h->op];
        set_operands(e, in, h, &slot->assignment, constant);
        set_destination(e, in, h);
    }
}

static void emit_lookup(const emitter *e, sp_instruction *in, const spc_lookup *l)
{
    const spc_value *s = &e->f->values.data[l->at[0].value], *t = &e->f->values.data[l->at[1].value];
    unsigned mask = 0;
    for (unsigned i = 0; i < 4; i++)
        mask |= (unsigned)(l->value[i] != SPC_NONE) << i;
    memset(in, 0, sizeof *in);
    in->f[SP_F_TYPE] = SP_TEX;
    in->f[SP_F_TEX_OP] = SP_TEX_LD;
    in->f[SP_F_TEX_ID] = (uint16_t)l->input;
    in->f[SP_F_UNSCALED] = 1;
    in->f[SP_F_TEX_SRC] = (uint16_t)e->f->registers.data[s->reg].number;
    in->f[SP_F_TEX_SWZ_S] = s->lane;
    in->f[SP_F_TEX_SWZ_T] = t->lane;
    in->f[SP_F_TEX_SWZ_R] = in->f[SP_F_TEX_SWZ_Q] = SP_A;
    in->f[SP_F_TEX_DST] = (uint16_t)e->f->registers.data[l->reg].number;
    in->f[SP_F_RGB_WMASK] = mask & 7;
    in->f[SP_F_ALPHA_WMASK] = (uint16_t)(mask >> 3);
    in->f[SP_F_TEX_OUT_G] = SP_G;
    in->f[SP_F_TEX_OUT_B] = SP_B;
    in->f[SP_F_TEX_OUT_A] = SP_A;
}

// ---- Flow control ----

// Branches are shaped as the assembler's (assemble_flow.c). What is not known yet is set by finish_flow.
static void emit_step(const emitter *e, sp_instruction *in, const spc_step *step)
{
    static const uint8_t codes[] = {
        [SPC_REP] = SP_FC_REP, [SPC_ENDREP] = SP_FC_ENDREP, [SPC_BRK] = SP_FC_BREAKREP,
        [SPC_IF] = SP_FC_JUMP, [SPC_ELSE] = SP_FC_JUMP,     [SPC_ENDIF] = SP_FC_JUMP,
    };
    memset(in, 0, sizeof *in);
    in->f[SP_F_TYPE] = SP_FC;
    in->f[SP_F_ALU_WAIT] = 1;
    in->f[SP_F_FC_OP] = codes[step->flow];
    in->f[SP_F_FC_UNCOVERED] = step->flow != SPC_ELSE && step->flow != SPC_ENDIF;
    switch (step->flow) {
    case SPC_REP: break;
    case SPC_ENDREP:
        in->f[SP_F_JUMP_FUNC] = SP_IF_ALWAYS;
        in->f[SP_F_JUMP_ANY] = 1;
        break;
    case SPC_BRK:
        in->f[SP_F_JUMP_FUNC] = SP_IF_ALU;
        in->f[SP_F_B_POP_CNT] = (uint16_t)step->branches;
        in->f[SP_F_B_OP1] = step->branches > 0 ? SP_BRANCH_DECR : SP_BRANCH_NONE;
        break;
    case SPC_IF:
        in->f[SP_F_JUMP_FUNC] = SP_IF_ALU ^ SP_IF_ALWAYS;
        in->f[SP_F_B_OP0] = SP_BRANCH_INCR;
        in->f[SP_F_B_OP1] = e->f->steps.data[step->end].flow == SPC_ELSE ? SP_BRANCH_INCR : SP_BRANCH_NONE;
        break;
    case SPC_ELSE:
        in->f[SP_F_B_ELSE] = 1;
        in->f[SP_F_B_OP1] = SP_BRANCH_DECR;
        in->f[SP_F_B_POP_CNT] = 1;
        break;
    case SPC_ENDIF:
        in->f[SP_F_JUMP_ANY] = 1;
        in->f[SP_F_B_OP0] = SP_BRANCH_DECR;
        in->f[SP_F_B_POP_CNT] = 1;
        break;
    }
}

// The int constant with a number of rounds; loops of equally many share it.
static unsigned rounds_constant(spc_function *f, sp_program *p, unsigned rounds)
{
    unsigned k = 0;
    while (k < SP_MAX_INTS && (p->given_ints >> k & 1) != 0 && p->int_values[k].count != rounds)
        k++;
    if (k == SP_MAX_INTS) {
        spc_error(f, NULL, "'%s' has loops of more than %d different numbers of rounds", f->name, SP_MAX_INTS);
        return 0;
    }
    p->given_ints |= 1u << k;
    p->int_values[k].count = (uint8_t)rounds;
    return k;
}

// What jumps where: a loop's begin and BRK behind its end, its end behind its begin, IF behind ELSE or ENDIF.
static void finish_flow(emitter *e, sp_program *p)
{
    const spc_function *f = e->f;
    for (uint32_t i = 0; i < f->steps.len; i++) {
        const spc_step *step = &f->steps.data[i];
        unsigned begin = e->step[step->begin];
        sp_instruction *in = &e->code[e->step[i]];
        switch (step->flow) {
        case SPC_REP:
            in->f[SP_F_FC_INT] = (uint16_t)rounds_constant(e->f, p, step->rounds);
            in->f[SP_F_FC_JUMP] = (uint16_t)(e->step[step->end] + 1);
            break;
        case SPC_ENDREP:
            in->f[SP_F_FC_INT] = e->code[begin].f[SP_F_FC_INT];
            in->f[SP_F_FC_JUMP] = (uint16_t)(begin + 1);
            break;
        case SPC_BRK: in->f[SP_F_FC_JUMP] = (uint16_t)(e->step[f->steps.data[step->begin].end] + 1); break;
        case SPC_ENDIF: in->f[SP_F_FC_JUMP] = (uint16_t)(e->step[i] + 1); break;
        default: in->f[SP_F_FC_JUMP] = (uint16_t)(e->step[step->end] + 1);
        }
    }
}

// ---- Bubbles and semaphores ----

// An instruction that writes what the next one presubtracts is followed by a bubble.
static void set_bubbles(emitter *e)
{
    for (unsigned i = 0; i + 1 < e->count; i++) {
        sp_instruction *first = &e->code[i];
        const sp_instruction *second = &e->code[i + 1];
        if (first->f[SP_F_TYPE] > SP_OUT || second->f[SP_F_TYPE] > SP_OUT)
            continue;
        sp_reads reads = sp_sources_read(second);
        for (unsigned k = 0; k < 4; k++) {
            const sp_half_fields *from = &sp_halves[k / 2], *to = &sp_halves[k % 2];
            if ((reads.presubtract[k / 2] & 1) != 0 && first->f[to->wmask] != 0 &&
                first->f[to->addrd] == second->f[from->addr[0]])
                first->f[SP_F_NOP] = 1;
        }
    }
}

static bool depends(const sp_temp_uses *u, const uint64_t *pending)
{
    uint64_t common = 0;
    for (size_t i = 0; i < SP_TEMP_WORDS; i++)
        common |= pending[i] & (u->read[i] | u->written[i]);
    return common != 0;
}

// The last lookup in front of one that needs its results acquires, and that one waits.
static void set_semaphores(emitter *e)
{
    uint64_t pending[SP_TEMP_WORDS] = {0};
    unsigned last = 0;
    bool any = false;
    for (unsigned i = 0; i < e->count; i++) {
        sp_instruction *in = &e->code[i];
        sp_temp_uses u = sp_temps_used(in);
        // Steps lead to elsewhere: what is under way there must be known.
        if (any && (i + 1 == e->count || in->f[SP_F_TYPE] == SP_FC || depends(&u, pending))) {
            e->code[last].f[SP_F_SEM_ACQUIRE] = e->code[last].f[SP_F_SEM_WAIT] = 1;
            in->f[SP_F_SEM_WAIT] = 1;
            memset(pending, 0, sizeof pending);
            any = false;
        }
        if (in->f[SP_F_TYPE] != SP_TEX)
            continue;
        for (size_t k = 0; k < SP_TEMP_WORDS; k++)
            pending[k] |= u.written[k];
        last = i;
        any = true;
    }
    e->code[e->count - 1].f[SP_F_SEM_WAIT] = 1;
}

// ---- The program ----

static void put_constants(spc_function *f, spc_program *out)
{
    sp_program *p = out->program;
    VEC(struct spc_scalar_place) scalars = {0};
    for (unsigned r = 0; r < f->constants; r++) {
        bool given = true;
        for (unsigned c = 0; c < 4; c++) {
            uint64_t key = f->constant[r][c];
            uint32_t bits = (uint32_t)key;
            if (key == SPC_NO_KEY)
                continue;
            if (key >= SPC_KEY_SCALAR) {
                VEC_PUSH(f->arena, &scalars, (struct spc_scalar_place){bits, r, c});
                given = false;
            } else {
                memcpy(&p->float_values[r][c], &bits, sizeof bits);
            }
        }
        sp_set_bit(p->floats, r);
        if (given)
            sp_set_bit(p->given_floats, r);
    }
    out->tables = f->tables;
    out->scalars = scalars.data;
    out->scalar_count = scalars.len;
}

// ---- Places ----

static void print_line(const spc_function *f, uint32_t place, uint32_t last, strbuf *b)
{
    const spc_place *p = &f->places.data[place];
    if (last == SPC_NONE)
        strbuf_printf(b, "%s:%u", p->file, p->line);
    else if (strcmp(f->places.data[last].file, p->file) == 0)
        strbuf_printf(b, ", %u", p->line);
    else
        strbuf_printf(b, ", %s:%u", p->file, p->line);
}

// Each line once, in the order in which the function was selected.
static void put_place(const spc_function *f, const spc_slot *slot, bool *seen, strbuf *b)
{
    uint32_t last = SPC_NONE;
    if (f->places.len > 0)
        memset(seen, 0, f->places.len * sizeof *seen);
    uint32_t alone = slot->step != SPC_NONE     ? f->steps.data[slot->step].place
                     : slot->lookup != SPC_NONE ? f->lookups.data[slot->lookup].place
                                                : SPC_NONE;
    if (alone != SPC_NONE)
        seen[alone] = true;
    for (unsigned h = 0; h < 2 && slot->step == SPC_NONE && slot->lookup == SPC_NONE; h++)
        for (unsigned lane = 0; slot->half[h] != SPC_NONE && lane < 3; lane++) {
            uint32_t v = f->halves.data[slot->half[h]].value[lane];
            if (v != SPC_NONE && f->values.data[v].place != SPC_NONE)
                seen[f->values.data[v].place] = true;
        }
    for (uint32_t i = 0; i < f->places.len; i++)
        if (seen[i]) {
            print_line(f, i, last, b);
            last = i;
        }
    strbuf_addc(b, '\n');
}

static void put_places(const emitter *e, sp_program *p)
{
    spc_function *f = e->f;
    bool *seen = ARENA_ARRAY(f->arena, bool, f->places.len + 1);
    strbuf b;
    if (f->places.len == 0)
        return;
    strbuf_init(&b, f->arena);
    for (VEC_EACH(spc_slot, slot, &f->order))
        put_place(f, slot, seen, &b);
    for (size_t i = f->order.len; i < e->count; i++)
        strbuf_addc(&b, '\n');
    p->places = b.data;
    p->places_size = b.len;
}

typedef struct sink {
    spc_function *f;
} sink;

static void report(void *user, int instruction, const char *message)
{
    spc_function *f = ((sink *)user)->f;
    diag_internal(f->diag, (src_range){0}, "'%s', instruction %d: %s", f->name, instruction, message);
}

bool spc_emit(spc_function *f, spc_program *out)
{
    emitter *e = ARENA_NEW(f->arena, emitter);
    e->f = f;
    e->step = ARENA_ARRAY(f->arena, unsigned, f->steps.len + 1);
    for (VEC_EACH(spc_slot, slot, &f->order)) {
        sp_instruction *in = &e->code[e->count++];
        if (slot->step != SPC_NONE) {
            e->step[slot->step] = e->count - 1;
            emit_step(e, in, &f->steps.data[slot->step]);
            out->flow++;
        } else if (slot->lookup != SPC_NONE) {
            emit_lookup(e, in, &f->lookups.data[slot->lookup]);
            out->tex++;
        } else {
            emit_arithmetic(e, in, slot);
            out->alu++;
        }
    }
    if (e->failed)
        return false;
    if (e->count == 0 || e->code[e->count - 1].f[SP_F_TYPE] != SP_OUT) {
        sp_clear_arithmetic(&e->code[e->count++], SP_OUT);
        out->alu++;
    }
    if (e->count > SP_MAX_INSTRUCTIONS) {
        spc_error(f, NULL, "'%s' needs more than %d instructions", f->name, SP_MAX_INSTRUCTIONS);
        return false;
    }
    set_bubbles(e);
    set_semaphores(e);
    sp_program *p = out->program = ARENA_NEW(f->arena, sp_program);
    finish_flow(e, p);
    p->count = e->count;
    p->end = e->count - 1;
    for (unsigned i = 0; i < e->count; i++)
        sp_encode(&e->code[i], p->words[i]);
    put_constants(f, out);
    put_places(e, p);
    sp_collect_uses(p);
    out->registers = (unsigned)p->temps;
    out->constants = f->constants;
    sp_faults faults = {report, &(sink){f}, 0};
    return sp_verify(p, &faults);
}

// ---- All stages ----

static const spc_strategy strategies[] = {
    {.low = 1, .high = 1},
    {.early = 1, .low = 1, .high = 1},
    {.loose = true, .reach = 30, .low = 1, .high = 1},
    {.loose = true, .reach = 16, .slack = 2, .early = 2, .low = 1, .high = 3},
    {.loose = true, .reach = 120, .slack = 1, .early = 1, .low = 1, .high = 3},
    {.loose = true, .reach = 30, .slack = 1, .early = 2, .low = 1, .high = 2},
    {.both = true, .early = 2, .low = 1, .high = 1},
    {.both = true, .early = 16, .low = 1, .high = 1},
    {.both = true, .halves = true, .early = 2, .low = 1, .high = 1},
    {.loose = true, .both = true, .reach = 30, .slack = 4, .early = 2, .low = 1, .high = 1},
    {.loose = true, .both = true, .reach = 120, .slack = 16, .early = 16, .low = 1, .high = 3},
};

// Whether there are more operations than fit, however they are packed.
static bool is_hopeless(spc_function *f)
{
    enum { LANES = 4 };
    size_t operations = 0;
    for (VEC_EACH(spc_value, v, &f->values))
        operations += spc_is_arithmetic(v->op);
    if (operations / LANES + f->lookups.len + f->steps.len <= SP_MAX_INSTRUCTIONS)
        return false;
    spc_error(f, NULL,
              "'%s' needs more than %d instructions: it has %zu operations, %zu lookups and %zu of flow control",
              f->name, SP_MAX_INSTRUCTIONS, operations, f->lookups.len, f->steps.len);
    return true;
}

// Whether a stage has gone well; then it is shown.
static bool shown(const spc_request *r, spc_stage stage, const spc_function *f, bool good)
{
    if (good && r->watcher != NULL)
        r->watcher->see(r->watcher->user, stage, f);
    return good;
}

// *selected: what is wrong, if something is, another strategy may do better.
static bool compile_by(const spc_request *r, LLVMValueRef function, const spc_strategy *strategy, bool *selected,
                       spc_program *out)
{
    size_t length;
    spc_function *f = ARENA_NEW(r->arena, spc_function);
    f->arena = r->arena;
    f->diag = r->diag;
    f->range = r->range;
    f->inexact = r->inexact;
    f->least = r->least < r->most ? r->least : -SPC_MOST_WHOLE;
    f->most = r->least < r->most ? r->most : SPC_MOST_WHOLE;
    f->inputs = r->inputs;
    f->strategy = *strategy;
    f->name = LLVMGetValueName2(function, &length);
    memset(f->constant, 0xff, sizeof f->constant);
    *out = (spc_program){0};
    *selected = shown(r, SPC_SELECTED, f, spc_select(f, function)) && !is_hopeless(f);
    if (!*selected)
        return false;
    spc_join_variables(f);
    shown(r, SPC_JOINED, f, true);
    spc_pack(f);
    shown(r, SPC_PACKED, f, true);
    return shown(r, SPC_SCHEDULED, f, spc_schedule(f)) && shown(r, SPC_COLOURED, f, spc_colour(f)) && spc_emit(f, out);
}

// A batch's arithmetic is four cycles of the pipeline; an element is about as long on the link, and thread by thread.
static bool is_moving(const spc_program *p)
{
    unsigned outputs = 0;
    for (unsigned i = 0; i < SP_MAX_OUTPUTS; i++)
        outputs += p->program->outputs >> i & 1;
    return p->alu <= 2 * (p->tex + outputs);
}

enum { MORE_REGISTERS = 4 };

// Another order of what has been found: lookups between which a batch computes keep the link from being busy all the time.
static void bring_together(const spc_request *r, LLVMValueRef function, spc_strategy strategy, spc_program *out)
{
    enum { TOGETHER = 8 };
    diag_engine quiet;
    spc_request trial = *r;
    spc_program found;
    bool selected;
    diag_init(&quiet, r->arena, r->diag->sources);
    trial.diag = &quiet;
    strategy.together = TOGETHER;
    if (compile_by(&trial, function, &strategy, &selected, &found) && found.alu <= out->alu &&
        found.registers <= out->registers + MORE_REGISTERS)
        *out = found;
}

// What is better is shorter, or as short with fewer registers. Lookups far ahead of what reads them must not need many more.
static bool try_strategy(const spc_request *r, LLVMValueRef function, const spc_strategy *strategy, bool *selected,
                         bool first, spc_program *out)
{
    diag_engine quiet;
    spc_request trial = *r;
    spc_program found;
    diag_init(&quiet, r->arena, r->diag->sources);
    trial.diag = &quiet;
    if (!compile_by(&trial, function, strategy, selected, &found))
        return false;
    bool better = found.alu < out->alu || (found.alu == out->alu && found.registers < out->registers);
    if (!first && (!better || (strategy->both && found.registers > out->registers + MORE_REGISTERS)))
        return false;
    *out = found;
    return true;
}

// A short program's first few values in all halves that they can be in.
static void try_halves(const spc_request *r, LLVMValueRef function, spc_strategy *best, spc_program *out)
{
    enum { SHORT = 8, VALUES = 4, LOOKUPS = 16 };
    static const spc_strategy bases[] = {
        {.early = LOOKUPS, .low = 1, .high = 1},
        {.loose = true, .reach = 30, .slack = LOOKUPS, .early = LOOKUPS, .low = 1, .high = 1},
    };
    bool selected;
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        for (unsigned vector = 0; vector < 1u << VALUES && out->alu > 1 && out->alu <= SHORT; vector++) {
            spc_strategy strategy = bases[i];
            strategy.guided = (1u << VALUES) - 1;
            strategy.vector = vector;
            if (try_strategy(r, function, &strategy, &selected, false, out))
                *best = strategy;
        }
}

bool spc_compile_prepared(const spc_request *r, LLVMValueRef function, spc_program *out)
{
    spc_strategy best;
    bool selected = true, any = false;
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies && selected; i++)
        if (try_strategy(r, function, &strategies[i], &selected, !any, out)) {
            best = strategies[i];
            any = true;
        }
    if (!any)
        return compile_by(r, function, &strategies[0], &selected, out);
    try_halves(r, function, &best, out);
    if (out->tex > 1 && is_moving(out))
        bring_together(r, function, best, out);
    return true;
}
