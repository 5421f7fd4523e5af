// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs made ready for execution: fields looked up once, scalars of sources as places in banks.
#include <stdlib.h>
#include <string.h>

#include "runtime/softproc/core.h"

static sp_scalar scalar_of_source(const sp_instruction *in, unsigned sel, unsigned component)
{
    const sp_half_fields *h = &sp_halves[component == SP_A ? SP_HALF_ALPHA : SP_HALF_RGB];
    if (sel == SP_SRCP)
        return (sp_scalar){SP_BANK_PRESUBTRACT, false, (uint16_t)component};
    unsigned address = in->f[h->addr[sel]];
    bool relative = in->f[h->rel[sel]] != 0;
    if (address >= SP_ADDR_CONST)
        return (sp_scalar){SP_BANK_CONSTANTS, relative, (uint16_t)((address - SP_ADDR_CONST) * 4 + component)};
    if (address < SP_ADDR_INLINE)
        return (sp_scalar){SP_BANK_REGISTERS, relative, (uint16_t)(address * 4 + component)};
    return (sp_scalar){SP_BANK_CONSTANTS, false, (uint16_t)(SP_INLINE_AT + address - SP_ADDR_INLINE)};
}

static sp_scalar scalar_of(const sp_instruction *in, unsigned sel, unsigned swizzle)
{
    if (swizzle <= SP_A)
        return scalar_of_source(in, sel, swizzle);
    // 0, a half, 1; the unused code reads 0.
    unsigned easy = swizzle == SP_HALF ? 1 : swizzle == SP_ONE ? 2 : 0;
    return (sp_scalar){SP_BANK_CONSTANTS, false, (uint16_t)(SP_EASY_AT + easy)};
}

static void ready_half(sp_ready *r, const sp_instruction *in, unsigned half)
{
    const sp_half_fields *h = &sp_halves[half];
    sp_ready_half *out = &r->half[half];
    *out = (sp_ready_half){.op = (uint8_t)in->f[h->op],
                           .operands = 3,
                           .wmask = (uint8_t)in->f[h->wmask],
                           .omask = (uint8_t)in->f[h->omask],
                           .target = (uint8_t)in->f[h->target],
                           .omod = (uint8_t)in->f[h->omod],
                           .clamp = in->f[h->clamp] != 0,
                           .pred_sel = (uint8_t)in->f[h->pred_sel],
                           .pred_inv = in->f[h->pred_inv] != 0,
                           .addrd = in->f[h->addrd],
                           .addrd_rel = in->f[h->addrd_rel] != 0,
                           .srcp_op = (uint8_t)in->f[h->srcp_op]};
    out->lanes = out->wmask | out->omask;
    if (r->alu_write && r->alu_sel == half)
        out->lanes |= 1;
    for (unsigned k = 0; k < 3; k++) {
        unsigned mod = in->f[h->mod[k]], sel = in->f[h->sel[k]];
        out->operand[k].keep = mod & SP_MOD_ABS ? INT32_MAX : -1;
        out->operand[k].flip = mod & SP_MOD_NEG ? INT32_MIN : 0;
        for (unsigned c = 0; c < 3; c++) {
            out->operand[k].scalar[c] = scalar_of(in, sel, in->f[h->swizzle[k][c]]);
            out->source[k][c] = scalar_of_source(in, k, half == SP_HALF_ALPHA ? SP_A : c);
        }
        r->relative = r->relative || in->f[h->rel[k]] != 0;
    }
    r->relative = r->relative || out->addrd_rel;
    r->writes = r->writes || out->wmask != 0;
}

static void ready_arithmetic(sp_ready *r, const sp_instruction *in)
{
    r->alu_write = in->f[SP_F_ALU_WMASK] != 0;
    r->alu_sel = (uint8_t)in->f[SP_F_ALU_RESULT_SEL];
    r->alu_op = (uint8_t)in->f[SP_F_ALU_RESULT_OP];
    ready_half(r, in, SP_HALF_RGB);
    ready_half(r, in, SP_HALF_ALPHA);
    // A copy needs what it copies.
    if (r->half[SP_HALF_ALPHA].op == SP_ALPHA_DP && r->half[SP_HALF_ALPHA].lanes != 0)
        r->half[SP_HALF_RGB].lanes |= 1;
    if (r->half[SP_HALF_RGB].op == SP_RGB_SOP && r->half[SP_HALF_RGB].lanes != 0)
        r->half[SP_HALF_ALPHA].lanes = 1;
    sp_reads reads = sp_sources_read(in);
    r->half[0].presubtract = reads.presubtract[0] != 0;
    r->half[1].presubtract = reads.presubtract[1] != 0;
}

static void ready_texture(sp_ready *r, const sp_instruction *in)
{
    static const sp_field swizzle[4] = {SP_F_TEX_SWZ_S, SP_F_TEX_SWZ_T, SP_F_TEX_SWZ_R, SP_F_TEX_SWZ_Q};
    static const sp_field out[4] = {SP_F_TEX_OUT_R, SP_F_TEX_OUT_G, SP_F_TEX_OUT_B, SP_F_TEX_OUT_A};
    r->tex_op = (uint8_t)in->f[SP_F_TEX_OP];
    r->tex_id = (uint8_t)in->f[SP_F_TEX_ID];
    r->reads = sp_tex_ops[r->tex_op].reads;
    r->tex_mask = (uint8_t)(in->f[SP_F_RGB_WMASK] | in->f[SP_F_ALPHA_WMASK] << 3);
    r->tex_pred_sel[0] = (uint8_t)in->f[SP_F_RGB_PRED_SEL];
    r->tex_pred_sel[1] = (uint8_t)in->f[SP_F_ALPHA_PRED_SEL];
    r->tex_pred_inv[0] = in->f[SP_F_RGB_PRED_INV] != 0;
    r->tex_pred_inv[1] = in->f[SP_F_ALPHA_PRED_INV] != 0;
    r->unscaled = in->f[SP_F_UNSCALED] != 0;
    r->src = in->f[SP_F_TEX_SRC];
    r->src_rel = in->f[SP_F_TEX_SRC_REL] != 0;
    r->dst = in->f[SP_F_TEX_DST];
    r->dst_rel = in->f[SP_F_TEX_DST_REL] != 0;
    r->relative = r->src_rel || r->dst_rel;
    r->acquire = in->f[SP_F_SEM_ACQUIRE] != 0;
    for (unsigned i = 0; i < 4; i++) {
        r->tex_swizzle[i] = (uint8_t)in->f[swizzle[i]];
        r->tex_out[i] = (uint8_t)in->f[out[i]];
    }
}

static void ready_flow(sp_ready *r, const sp_instruction *in)
{
    r->fc_op = (uint8_t)in->f[SP_F_FC_OP];
    r->jump_func = (uint8_t)in->f[SP_F_JUMP_FUNC];
    r->stay = (uint8_t)in->f[SP_F_B_OP0];
    r->go = (uint8_t)in->f[SP_F_B_OP1];
    r->pop = (uint8_t)in->f[SP_F_B_POP_CNT];
    r->stack = (uint8_t)in->f[SP_F_A_OP];
    r->pred_sel = (uint8_t)in->f[SP_F_RGB_PRED_SEL];
    r->pred_inv = in->f[SP_F_RGB_PRED_INV] != 0;
    r->any = in->f[SP_F_JUMP_ANY] != 0;
    r->otherwise = in->f[SP_F_B_ELSE] != 0;
    r->bool_constant = (uint8_t)in->f[SP_F_FC_BOOL];
    r->int_constant = (uint8_t)in->f[SP_F_FC_INT];
    r->jump = in->f[SP_F_FC_JUMP];
}

static void ready_instruction(sp_ready *r, const sp_instruction *in)
{
    *r = (sp_ready){.type = (sp_type)in->f[SP_F_TYPE],
                    .wait = in->f[SP_F_SEM_WAIT] != 0,
                    .last = in->f[SP_F_LAST] != 0,
                    .bubble = in->f[SP_F_NOP] != 0,
                    .alu_wait = in->f[SP_F_ALU_WAIT] != 0,
                    .write_inactive = in->f[SP_F_WRITE_INACTIVE] != 0};
    if (r->type == SP_TEX)
        ready_texture(r, in);
    else if (r->type == SP_FC)
        ready_flow(r, in);
    else
        ready_arithmetic(r, in);
}

static sp_v4 splat(float v)
{
    return (sp_v4){v, v, v, v};
}

void sp_set_constant(sp_core *c, unsigned number, const float v[4])
{
    for (unsigned i = 0; i < 4; i++)
        c->constants[number * 4 + i] = splat(v[i]);
}

bool sp_core_init(sp_core *c, const sp_program *p)
{
    *c = (sp_core){.count = p->count, .end = p->end, .temps = p->temps, .scatter = p->scatter};
    c->inputs = p->inputs;
    c->outputs = p->outputs;
    c->groups = 1;
    c->output_mask = 0xffff;
    c->bools = p->bool_values;
    c->code = calloc(p->count, sizeof *c->code);
    c->constants = aligned_alloc(16, SP_CONSTANT_BANK * sizeof *c->constants);
    if (c->code == NULL || c->constants == NULL) {
        sp_core_free(c);
        return false;
    }
    memset(c->constants, 0, SP_CONSTANT_BANK * sizeof *c->constants);
    for (unsigned i = 0; i < 128; i++)
        c->constants[SP_INLINE_AT + i] = splat(sp_inline_value(i));
    for (unsigned i = 0; i < 3; i++)
        c->constants[SP_EASY_AT + i] = splat((float)i / 2);
    for (unsigned i = 0; i < SP_MAX_CONSTANTS; i++)
        if (sp_bit(p->given_floats, i))
            sp_set_constant(c, i, p->float_values[i]);
    memcpy(c->ints, p->int_values, sizeof c->ints);
    for (uint32_t i = 0; i < p->count; i++) {
        sp_instruction in;
        sp_decode(p->words[i], &in);
        ready_instruction(&c->code[i], &in);
        c->diverges = c->diverges || c->code[i].type == SP_FC;
        if (c->code[i].type <= SP_OUT)
            c->quads =
                c->quads ||
                ((sp_rgb_ops[c->code[i].half[0].op].flags | sp_alpha_ops[c->code[i].half[1].op].flags) & SP_QUAD) != 0;
    }
    return true;
}

void sp_core_free(sp_core *c)
{
    free(c->code);
    free(c->constants);
    c->code = NULL;
    c->constants = NULL;
}
