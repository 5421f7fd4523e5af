// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of the instruction set, words to fields and back.
#include "llc/softproc/isa.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const sp_field_info sp_field_infos[SP_FIELD_COUNT] = {
#define SP_FIELD(id, word, shift, width, types) [SP_F_##id] = {#id, word, shift, width, types},
#include "llc/softproc/isa.def"
};

const sp_op_info sp_rgb_ops[16] = {
#define SP_RGB_OP(id, code, name, operands, flags) [code] = {name, operands, flags},
#include "llc/softproc/isa.def"
};

const sp_op_info sp_alpha_ops[16] = {
#define SP_ALPHA_OP(id, code, name, operands, flags) [code] = {name, operands, flags},
#include "llc/softproc/isa.def"
};

const struct sp_tex_info sp_tex_ops[8] = {
#define SP_TEX_OP(id, code, name, reads) [code] = {name, reads},
#include "llc/softproc/isa.def"
};

const char *const sp_fc_ops[8] = {
#define SP_FC_OP(id, code, name) [code] = name,
#include "llc/softproc/isa.def"
};

// The scalar half's swizzle is one field, in all three places.
#define HALF(P)                                                                                                        \
    .addr = {SP_F_##P##_ADDR0, SP_F_##P##_ADDR1, SP_F_##P##_ADDR2},                                                    \
    .rel = {SP_F_##P##_REL0, SP_F_##P##_REL1, SP_F_##P##_REL2}, .srcp_op = SP_F_##P##_SRCP_OP,                         \
    .sel = {SP_F_##P##_SEL_A, SP_F_##P##_SEL_B, SP_F_##P##_SEL_C},                                                     \
    .mod = {SP_F_##P##_MOD_A, SP_F_##P##_MOD_B, SP_F_##P##_MOD_C}, .op = SP_F_##P##_OP, .addrd = SP_F_##P##_ADDRD,     \
    .addrd_rel = SP_F_##P##_ADDRD_REL, .wmask = SP_F_##P##_WMASK, .omask = SP_F_##P##_OMASK,                           \
    .clamp = SP_F_##P##_CLAMP, .omod = SP_F_##P##_OMOD, .target = SP_F_##P##_TARGET, .pred_sel = SP_F_##P##_PRED_SEL,  \
    .pred_inv = SP_F_##P##_PRED_INV
const sp_half_fields sp_halves[2] = {
    {
        HALF(RGB),
        .swizzle = {{SP_F_RGB_SWZ_R_A, SP_F_RGB_SWZ_G_A, SP_F_RGB_SWZ_B_A},
                    {SP_F_RGB_SWZ_R_B, SP_F_RGB_SWZ_G_B, SP_F_RGB_SWZ_B_B},
                    {SP_F_RGB_SWZ_R_C, SP_F_RGB_SWZ_G_C, SP_F_RGB_SWZ_B_C}},
        .components = 3,
        .ops = sp_rgb_ops,
    },
    {
        HALF(ALPHA),
        .swizzle = {{SP_F_ALPHA_SWZ_A, SP_F_ALPHA_SWZ_A, SP_F_ALPHA_SWZ_A},
                    {SP_F_ALPHA_SWZ_B, SP_F_ALPHA_SWZ_B, SP_F_ALPHA_SWZ_B},
                    {SP_F_ALPHA_SWZ_C, SP_F_ALPHA_SWZ_C, SP_F_ALPHA_SWZ_C}},
        .components = 1,
        .ops = sp_alpha_ops,
    },
};

bool sp_decode(const uint32_t words[SP_WORDS], sp_instruction *in)
{
    uint32_t known[SP_WORDS] = {0};
    unsigned type = words[0] & 3;
    memset(in, 0, sizeof *in);
    for (unsigned i = 0; i < SP_FIELD_COUNT; i++) {
        const sp_field_info *f = &sp_field_infos[i];
        if ((f->types >> type & 1) == 0)
            continue;
        uint32_t mask = (1u << f->width) - 1;
        in->f[i] = (uint16_t)(words[f->word] >> f->shift & mask);
        known[f->word] |= mask << f->shift;
    }
    for (unsigned w = 0; w < SP_WORDS; w++)
        if ((words[w] & ~known[w]) != 0)
            return false;
    return true;
}

void sp_encode(const sp_instruction *in, uint32_t words[SP_WORDS])
{
    memset(words, 0, SP_WORDS * sizeof *words);
    for (unsigned i = 0; i < SP_FIELD_COUNT; i++) {
        const sp_field_info *f = &sp_field_infos[i];
        if ((f->types >> in->f[SP_F_TYPE] & 1) != 0)
            words[f->word] |= (in->f[i] & ((1u << f->width) - 1)) << f->shift;
    }
}

void sp_clear_arithmetic(sp_instruction *in, sp_type type)
{
    memset(in, 0, sizeof *in);
    in->f[SP_F_TYPE] = type;
    for (unsigned h = 0; h < 2; h++)
        for (unsigned k = 0; k < 3; k++)
            in->f[sp_halves[h].addr[k]] = SP_ADDR_INLINE;
}

float sp_inline_value(unsigned bits)
{
    int exponent = (int)(bits >> 3 & 15), mantissa = (int)(bits & 7);
    return exponent == 0 ? ldexpf((float)mantissa, -9) : ldexpf((float)(8 + mantissa), exponent - 10);
}

int sp_inline_bits(float value)
{
    for (int bits = 0; bits < 128; bits++)
        if (sp_inline_value((unsigned)bits) == value)
            return bits;
    return -1;
}

// Operands that the operation has, those of a dot product's scalar factors included.
static unsigned operands_of(const sp_instruction *in, unsigned half)
{
    const sp_half_fields *h = &sp_halves[half];
    unsigned n = h->ops[in->f[h->op]].operands;
    if (half == SP_HALF_ALPHA && in->f[SP_F_ALPHA_OP] == SP_ALPHA_DP)
        n = in->f[SP_F_RGB_OP] == SP_RGB_DP4 ? 2 : 0;
    if (half == SP_HALF_ALPHA && in->f[SP_F_RGB_OP] == SP_RGB_DP4 && n < 2)
        n = 2;
    return n;
}

static void add_operand(const sp_instruction *in, unsigned half, unsigned operand, unsigned lanes, sp_reads *reads)
{
    const sp_half_fields *h = &sp_halves[half];
    unsigned sel = in->f[h->sel[operand]];
    for (unsigned c = 0; c < h->components; c++) {
        unsigned swizzle = in->f[h->swizzle[operand][c]];
        if ((lanes >> c & 1) == 0 || swizzle > SP_A)
            continue;
        unsigned from = swizzle == SP_A ? SP_HALF_ALPHA : SP_HALF_RGB;
        if (sel != SP_SRCP) {
            reads->sources[from] |= (uint8_t)(1u << sel);
            if (from == SP_HALF_RGB)
                reads->components[sel] |= (uint8_t)(1u << swizzle);
            continue;
        }
        unsigned op = in->f[sp_halves[from].srcp_op], sources = op == 1 || op == 2 ? 3 : 1;
        reads->sources[from] |= (uint8_t)sources;
        reads->presubtract[from] |= (uint8_t)sources;
        for (unsigned k = 0; k < 2 && from == SP_HALF_RGB; k++)
            if (sources >> k & 1)
                reads->components[k] |= (uint8_t)(1u << swizzle);
    }
}

sp_reads sp_sources_read(const sp_instruction *in)
{
    sp_reads reads = {{0}, {0}, {0}};
    if (in->f[SP_F_TYPE] != SP_ALU && in->f[SP_F_TYPE] != SP_OUT)
        return reads;
    for (unsigned half = 0; half < 2; half++) {
        const sp_half_fields *h = &sp_halves[half];
        unsigned op = in->f[h->op], n = operands_of(in, half);
        bool whole = (h->ops[op].flags & SP_DOT) != 0 || (half == SP_HALF_ALPHA && in->f[SP_F_RGB_OP] == SP_RGB_DP4);
        unsigned lanes = in->f[h->wmask] | in->f[h->omask];
        if (in->f[SP_F_ALU_WMASK] != 0 && in->f[SP_F_ALU_RESULT_SEL] == half)
            lanes |= 1;
        if (half == SP_HALF_ALPHA && in->f[SP_F_RGB_OP] == SP_RGB_SOP)
            lanes = 1;
        if (whole && (lanes != 0 || half == SP_HALF_ALPHA || in->f[SP_F_ALPHA_OP] == SP_ALPHA_DP))
            lanes = 7;
        if ((h->ops[op].flags & SP_QUAD) != 0 && lanes != 0) {
            // Operands A and C are source 0 of neighbours whatever the operand says.
            reads.sources[half] |= 1;
            reads.presubtract[half] |= 1;
            if (half == SP_HALF_RGB)
                reads.components[0] |= (uint8_t)lanes;
            add_operand(in, half, 1, lanes, &reads);
            continue;
        }
        for (unsigned k = 0; k < n; k++)
            add_operand(in, half, k, half == SP_HALF_RGB && op == SP_RGB_D2A ? (k == 2 ? 4u : 3u) : lanes, &reads);
    }
    return reads;
}

static void add_temp(uint64_t *set, unsigned number, unsigned components)
{
    set[number / 16] |= (uint64_t)components << number % 16 * 4;
}

static void add_texture_temps(const sp_instruction *in, sp_temp_uses *u)
{
    unsigned op = in->f[SP_F_TEX_OP], read = 0;
    static const sp_field swizzle[4] = {SP_F_TEX_SWZ_S, SP_F_TEX_SWZ_T, SP_F_TEX_SWZ_R, SP_F_TEX_SWZ_Q};
    if (op == SP_TEX_NOP)
        return;
    // KILL looks at all four coordinates, PROJ at the last, the others at two; more are no harm.
    for (unsigned i = 0; i < (op == SP_TEX_LD ? 2u : 4u); i++)
        read |= 1u << in->f[swizzle[i]];
    add_temp(u->read, in->f[SP_F_TEX_SRC], read);
    u->any = in->f[SP_F_TEX_SRC_REL] != 0;
    if (op == SP_TEX_DXDY) {
        add_temp(u->read, in->f[SP_F_DX_ADDR], 15);
        add_temp(u->read, in->f[SP_F_DY_ADDR], 15);
    }
    if (!sp_tex_ops[op].reads)
        return;
    add_temp(u->written, in->f[SP_F_TEX_DST], in->f[SP_F_RGB_WMASK] | (unsigned)in->f[SP_F_ALPHA_WMASK] << 3);
    u->any = u->any || in->f[SP_F_TEX_DST_REL] != 0;
}

sp_temp_uses sp_temps_used(const sp_instruction *in)
{
    sp_temp_uses u;
    memset(&u, 0, sizeof u);
    if (in->f[SP_F_TYPE] == SP_TEX)
        add_texture_temps(in, &u);
    if (in->f[SP_F_TYPE] > SP_OUT)
        return u;
    sp_reads reads = sp_sources_read(in);
    for (unsigned half = 0; half < 2; half++) {
        const sp_half_fields *h = &sp_halves[half];
        for (unsigned k = 0; k < 3; k++)
            if ((reads.sources[half] >> k & 1) != 0 && in->f[h->addr[k]] < SP_ADDR_INLINE) {
                add_temp(u.read, in->f[h->addr[k]], half == SP_HALF_RGB ? reads.components[k] : 8);
                u.any = u.any || in->f[h->rel[k]] != 0;
            }
        if (in->f[h->wmask] != 0) {
            add_temp(u.written, in->f[h->addrd], half == SP_HALF_RGB ? in->f[h->wmask] : 8);
            u.any = u.any || in->f[h->addrd_rel] != 0;
        }
    }
    return u;
}

// A relative address may reach any register, where the frame has no size yet.
static void use_register(sp_program *p, unsigned address, bool relative, bool guess)
{
    if (address < SP_ADDR_INLINE && address + 1 > p->temps)
        p->temps = address + 1;
    if (address < SP_ADDR_INLINE && relative && guess)
        p->temps = SP_MAX_TEMPS;
    if (address >= SP_ADDR_CONST && !relative)
        sp_set_bit(p->floats, address - SP_ADDR_CONST);
    for (unsigned i = address; address >= SP_ADDR_CONST && relative && i < SP_ADDR_CONST + SP_MAX_CONSTANTS; i++)
        if (sp_bit(p->given_floats, i - SP_ADDR_CONST))
            sp_set_bit(p->floats, i - SP_ADDR_CONST);
}

static void use_arithmetic(sp_program *p, const sp_instruction *in, bool guess)
{
    sp_reads reads = sp_sources_read(in);
    for (unsigned half = 0; half < 2; half++) {
        const sp_half_fields *h = &sp_halves[half];
        for (unsigned k = 0; k < 3; k++)
            if (reads.sources[half] >> k & 1)
                use_register(p, in->f[h->addr[k]], in->f[h->rel[k]] != 0, guess);
        if (in->f[h->wmask] != 0)
            use_register(p, in->f[h->addrd], in->f[h->addrd_rel] != 0, guess);
        if (in->f[SP_F_TYPE] == SP_OUT && in->f[h->omask] != 0)
            p->outputs |= 1u << in->f[h->target];
    }
}

static void use_texture(sp_program *p, const sp_instruction *in, bool guess)
{
    unsigned op = in->f[SP_F_TEX_OP];
    if (op == SP_TEX_NOP)
        return;
    use_register(p, in->f[SP_F_TEX_SRC], in->f[SP_F_TEX_SRC_REL] != 0, guess);
    if (!sp_tex_ops[op].reads)
        return;
    use_register(p, in->f[SP_F_TEX_DST], in->f[SP_F_TEX_DST_REL] != 0, guess);
    if (op == SP_TEX_DXDY) {
        use_register(p, in->f[SP_F_DX_ADDR], in->f[SP_F_DX_REL] != 0, guess);
        use_register(p, in->f[SP_F_DY_ADDR], in->f[SP_F_DY_REL] != 0, guess);
    }
    p->inputs |= 1u << in->f[SP_F_TEX_ID];
}

void sp_collect_uses(sp_program *p)
{
    bool guess = p->temps == 0;
    if (guess)
        p->temps = 1; // the coordinates
    for (uint32_t i = 0; i < p->count; i++) {
        sp_instruction in;
        sp_decode(p->words[i], &in);
        unsigned type = in.f[SP_F_TYPE], op = in.f[SP_F_FC_OP];
        if (type == SP_TEX) {
            use_texture(p, &in, guess);
        } else if (type != SP_FC) {
            use_arithmetic(p, &in, guess);
        } else {
            if (op == SP_FC_LOOP || op == SP_FC_REP)
                p->ints |= 1u << in.f[SP_F_FC_INT];
            if (sp_looks_at_bool(in.f[SP_F_JUMP_FUNC]))
                p->bools |= 1u << in.f[SP_F_FC_BOOL];
        }
    }
}

void sp_fault(sp_faults *faults, int instruction, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    faults->count++;
    if (faults->report != NULL)
        faults->report(faults->user, instruction, text);
}
