// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emission: ordered halves and lookups as instructions, with semaphores; the program, verified. Also the way through all the
// stages, and what LLVM does before them.
#include <string.h>

#include <llvm-c/Transforms/PassBuilder.h>

#include "llc/softproc/compile.h"

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
        if (any && (i + 1 == e->count || depends(&u, pending))) {
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
    out->scalars = scalars.data;
    out->scalar_count = scalars.len;
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
    for (VEC_EACH(spc_slot, slot, &f->order)) {
        sp_instruction *in = &e->code[e->count++];
        if (slot->lookup != SPC_NONE)
            emit_lookup(e, in, &f->lookups.data[slot->lookup]);
        else
            emit_arithmetic(e, in, slot);
        out->alu += slot->lookup == SPC_NONE;
        out->tex += slot->lookup != SPC_NONE;
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
    p->count = e->count;
    p->end = e->count - 1;
    for (unsigned i = 0; i < e->count; i++)
        sp_encode(&e->code[i], p->words[i]);
    put_constants(f, out);
    sp_collect_uses(p);
    out->registers = (unsigned)p->temps;
    out->constants = f->constants;
    sp_faults faults = {report, &(sink){f}, 0};
    return sp_verify(p, &faults);
}

// ---- All stages ----

bool spc_prepare(diag_engine *d, LLVMModuleRef module)
{
    // Everything becomes one block of scalars: O2 inlines, unrolls and turns conditions into selections. Loops are unrolled before
    // anything else, as two reads of an array may become one of a place that is chosen, and never be scalars then.
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, false);
    LLVMPassBuilderOptionsSetSLPVectorization(options, false);
    LLVMErrorRef error = LLVMRunPasses(module,
                                       "always-inline,function(sroa<modify-cfg>,early-cse,loop-simplify,lcssa,loop("
                                       "loop-rotate,indvars,loop-unroll-full),"
                                       "sroa<modify-cfg>,early-cse),default<O2>,function(scalarizer,instcombine<no-"
                                       "verify-fixpoint>,early-cse,simplifycfg,dce)",
                                       NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (error == NULL)
        return true;
    char *message = LLVMGetErrorMessage(error);
    diag_error_at(d, "llvm", "%s", message);
    LLVMDisposeErrorMessage(message);
    return false;
}

static const spc_strategy strategies[] = {
    {.low = 1, .high = 1},
    {.early = 1, .low = 1, .high = 1},
    {.loose = true, .reach = 30, .low = 1, .high = 1},
    {.loose = true, .reach = 16, .slack = 2, .early = 2, .low = 1, .high = 3},
    {.loose = true, .reach = 120, .slack = 1, .early = 1, .low = 1, .high = 3},
    {.loose = true, .reach = 30, .slack = 1, .early = 2, .low = 1, .high = 2},
};

static bool compile_by(arena *a, diag_engine *d, LLVMValueRef function, src_range range, bool inexact,
                       const spc_strategy *strategy, spc_program *out)
{
    size_t length;
    spc_function *f = ARENA_NEW(a, spc_function);
    f->arena = a;
    f->diag = d;
    f->range = range;
    f->inexact = inexact;
    f->strategy = *strategy;
    f->name = LLVMGetValueName2(function, &length);
    memset(f->constant, 0xff, sizeof f->constant);
    *out = (spc_program){0};
    if (!spc_select(f, function))
        return false;
    spc_pack(f);
    return spc_schedule(f) && spc_colour(f) && spc_emit(f, out);
}

bool spc_compile(arena *a, diag_engine *d, LLVMValueRef function, src_range range, bool inexact, spc_program *out)
{
    bool any = false;
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        diag_engine quiet;
        spc_program found;
        diag_init(&quiet, a, d->sources);
        if (!compile_by(a, &quiet, function, range, inexact, &strategies[i], &found))
            continue;
        if (!any || found.alu < out->alu || (found.alu == out->alu && found.registers < out->registers))
            *out = found;
        any = true;
    }
    return any || compile_by(a, d, function, range, inexact, &strategies[0], out);
}
