// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The disassembler. Every instruction is written in the short form, with registers as operands, when the assembler
// makes the same words of that; otherwise with its source addresses listed in braces, which spells every bit.
#include <string.h>

#include "llc/softproc/assembler.h"

typedef struct printer {
    const sp_program *program;
    strbuf *out;
    bool targets[SP_MAX_INSTRUCTIONS];
} printer;

static const char components[] = "rgba0h1_";
static const char *const omods[] = {"", ".x2", ".x4", ".x8", ".d2", ".d4", ".d8", ".mov"};
static const char *const compares[] = {"eq", "lt", "ge", "ne"};

static void print_guard(strbuf *b, unsigned sel, unsigned inv)
{
    static const char *const bits[] = {"", "", ".r", ".g", ".b", ".a"};
    if (sel != 0 && sel <= SP_PRED_A)
        strbuf_printf(b, "(%sp%s) ", inv ? "!" : "", bits[sel]);
    else if (inv)
        strbuf_add(b, "(!) ");
}

static void print_register(strbuf *b, char class, unsigned number, bool relative)
{
    if (relative)
        strbuf_printf(b, "%c[aL+%u]", class, number);
    else
        strbuf_printf(b, "%c%u", class, number);
}

static void print_address(strbuf *b, unsigned address, bool relative)
{
    if (address >= SP_ADDR_CONST)
        print_register(b, 'c', address - SP_ADDR_CONST, relative);
    else if (address < SP_ADDR_INLINE)
        print_register(b, 'r', address, relative);
    else
        strbuf_add_float(b, sp_inline_value(address - SP_ADDR_INLINE));
}

static void print_mask(strbuf *b, unsigned mask, unsigned half)
{
    unsigned whole = half == SP_HALF_RGB ? 7 : 1;
    if (mask == whole)
        return;
    strbuf_add(b, mask == 0 ? "._" : ".");
    for (unsigned c = 0; c < 3; c++)
        if (mask >> c & 1)
            strbuf_addc(b, components[c]);
}

static void print_destinations(strbuf *b, const sp_instruction *in, unsigned half)
{
    const sp_half_fields *h = &sp_halves[half];
    bool any = false, out = in->f[SP_F_TYPE] == SP_OUT;
    if (in->f[h->wmask] != 0 || in->f[h->addrd] != 0 || in->f[h->addrd_rel] != 0) {
        print_register(b, 'r', in->f[h->addrd], in->f[h->addrd_rel] != 0);
        print_mask(b, in->f[h->wmask], half);
        any = true;
    }
    if (in->f[h->omask] != 0 || in->f[h->target] != 0) {
        if (out)
            strbuf_printf(b, "%so%u", any ? "+" : "", in->f[h->target]);
        else
            strbuf_printf(b, "%sp_%s", any ? "+" : "", compares[in->f[h->target]]);
        print_mask(b, in->f[h->omask], half);
        any = true;
    }
    if (!any)
        strbuf_addc(b, '-');
}

// Flags of the instruction as a whole, which stand with its first half.
static void print_flags(strbuf *b, const sp_instruction *in)
{
    unsigned type = in->f[SP_F_TYPE];
    if (in->f[SP_F_SEM_WAIT])
        strbuf_add(b, ".wait");
    if (type == SP_TEX && in->f[SP_F_SEM_ACQUIRE])
        strbuf_add(b, ".acq");
    if (type == SP_TEX && in->f[SP_F_TEX_OP] != SP_TEX_NOP && !in->f[SP_F_UNSCALED])
        strbuf_add(b, ".scaled");
    if ((type == SP_TEX && in->f[SP_F_TEX_UNCOVERED]) || (type == SP_FC && in->f[SP_F_FC_UNCOVERED]))
        strbuf_add(b, ".uncovered");
    if (in->f[SP_F_LAST])
        strbuf_add(b, ".last");
    if (in->f[SP_F_NOP])
        strbuf_add(b, ".nop");
    if (type == SP_FC && !in->f[SP_F_ALU_WAIT])
        strbuf_add(b, ".noaluwait");
    if (type != SP_FC && in->f[SP_F_ALU_WAIT])
        strbuf_add(b, ".aluwait");
    if (type != SP_FC && in->f[SP_F_WRITE_INACTIVE])
        strbuf_add(b, ".inactive");
    if (type > SP_OUT)
        return;
    if (in->f[SP_F_STAT_WE])
        strbuf_printf(b, ".stat%u", in->f[SP_F_STAT_WE]);
    if (in->f[SP_F_ALU_WMASK] || in->f[SP_F_ALU_RESULT_SEL] || in->f[SP_F_ALU_RESULT_OP])
        strbuf_printf(b, ".%salu_%c_%s", in->f[SP_F_ALU_WMASK] ? "" : "no", in->f[SP_F_ALU_RESULT_SEL] ? 'a' : 'r',
                      compares[in->f[SP_F_ALU_RESULT_OP]]);
    if (type == SP_OUT && !in->f[SP_F_RGB_OMASK] && !in->f[SP_F_RGB_TARGET] && !in->f[SP_F_ALPHA_OMASK] &&
        !in->f[SP_F_ALPHA_TARGET])
        strbuf_add(b, ".out");
}

// ---- Operands ----

static void print_swizzle(strbuf *b, const sp_instruction *in, unsigned half, unsigned k)
{
    const sp_half_fields *h = &sp_halves[half];
    unsigned first = in->f[h->swizzle[k][0]];
    strbuf_addc(b, '.');
    if (half == SP_HALF_ALPHA) {
        strbuf_addc(b, components[first]);
        return;
    }
    bool same = in->f[h->swizzle[k][1]] == first && in->f[h->swizzle[k][2]] == first;
    for (unsigned c = 0; c < (same ? 1u : 3u); c++)
        strbuf_addc(b, components[in->f[h->swizzle[k][c]]]);
}

static void print_presubtract(strbuf *b, const sp_instruction *in, const sp_half_fields *h)
{
    unsigned op = in->f[h->srcp_op];
    strbuf_add(b, op == 0 ? "(1-2*" : op == 3 ? "(1-" : "(");
    if (op == 1 || op == 2) {
        print_address(b, in->f[h->addr[1]], in->f[h->rel[1]] != 0);
        strbuf_addc(b, op == 1 ? '-' : '+');
    }
    print_address(b, in->f[h->addr[0]], in->f[h->rel[0]] != 0);
    strbuf_addc(b, ')');
}

// The short form of an operand: what is right is decided by assembling it.
static void print_short_operand(strbuf *b, const sp_instruction *in, unsigned half, unsigned k)
{
    const sp_half_fields *h = &sp_halves[half];
    unsigned sel = in->f[h->sel[k]], n = h->components, numbers = 0, vector = 0;
    for (unsigned c = 0; c < n; c++) {
        unsigned swizzle = in->f[h->swizzle[k][c]];
        numbers += swizzle >= SP_ZERO && swizzle <= SP_ONE && swizzle == in->f[h->swizzle[k][0]];
        vector += swizzle < SP_A;
    }
    if (numbers == n) {
        static const char *const easy[] = {"0", "0.5", "1"};
        strbuf_add(b, easy[in->f[h->swizzle[k][0]] - SP_ZERO]);
        return;
    }
    const sp_half_fields *from = &sp_halves[vector > 0 ? SP_HALF_RGB : SP_HALF_ALPHA];
    if (sel == SP_SRCP) {
        print_presubtract(b, in, from);
    } else {
        unsigned address = in->f[from->addr[sel]];
        print_address(b, address, in->f[from->rel[sel]] != 0);
        if (address >= SP_ADDR_INLINE && address < SP_ADDR_CONST)
            return; // a number has no components to choose from
    }
    bool plain = half == SP_HALF_ALPHA ? in->f[h->swizzle[k][0]] == SP_A
                                       : in->f[h->swizzle[k][0]] == SP_R && in->f[h->swizzle[k][1]] == SP_G &&
                                             in->f[h->swizzle[k][2]] == SP_B;
    if (!plain)
        print_swizzle(b, in, half, k);
}

static void print_operand(strbuf *b, const sp_instruction *in, unsigned half, unsigned k, bool listed)
{
    const sp_half_fields *h = &sp_halves[half];
    unsigned mod = in->f[h->mod[k]], sel = in->f[h->sel[k]];
    strbuf_add(b, mod & SP_MOD_NEG ? " -" : " ");
    if (mod & SP_MOD_ABS)
        strbuf_addc(b, '|');
    if (!listed) {
        print_short_operand(b, in, half, k);
    } else {
        strbuf_printf(b, "src%c", sel == SP_SRCP ? 'p' : (char)('0' + sel));
        print_swizzle(b, in, half, k);
    }
    if (mod & SP_MOD_ABS)
        strbuf_addc(b, '|');
}

static bool operand_is_zero(const sp_instruction *in, unsigned half, unsigned k)
{
    const sp_half_fields *h = &sp_halves[half];
    bool zero = in->f[h->sel[k]] == 0 && in->f[h->mod[k]] == 0;
    for (unsigned c = 0; c < h->components; c++)
        zero = zero && in->f[h->swizzle[k][c]] == 0;
    return zero;
}

static bool addresses_are_unused(const sp_instruction *in, unsigned half)
{
    const sp_half_fields *h = &sp_halves[half];
    for (unsigned k = 0; k < 3; k++)
        if (in->f[h->addr[k]] != SP_ADDR_INLINE || in->f[h->rel[k]] != 0)
            return false;
    return in->f[h->srcp_op] == 0;
}

static void print_addresses(strbuf *b, const sp_instruction *in, unsigned half)
{
    const sp_half_fields *h = &sp_halves[half];
    strbuf_add(b, " {");
    for (unsigned k = 0; k < 3; k++) {
        strbuf_add(b, k > 0 ? ", " : "");
        if (in->f[h->addr[k]] == SP_ADDR_INLINE && in->f[h->rel[k]] == 0)
            strbuf_addc(b, '-');
        else
            print_address(b, in->f[h->addr[k]], in->f[h->rel[k]] != 0);
    }
    if (in->f[h->srcp_op] != 0)
        strbuf_printf(b, ", srcp=%u", in->f[h->srcp_op]);
    strbuf_addc(b, '}');
}

// Everything of a half but its operation is as it is cleared, and the operation is 0.
static bool half_is_empty(const sp_instruction *in, unsigned half)
{
    const sp_half_fields *h = &sp_halves[half];
    bool empty = in->f[h->op] == 0 && in->f[h->addrd] == 0 && in->f[h->addrd_rel] == 0 && in->f[h->wmask] == 0 &&
                 in->f[h->omask] == 0 && in->f[h->clamp] == 0 && in->f[h->omod] == 0 && in->f[h->target] == 0 &&
                 in->f[h->pred_sel] == 0 && in->f[h->pred_inv] == 0;
    for (unsigned k = 0; k < 3; k++)
        empty = empty && operand_is_zero(in, half, k);
    return empty && (half == SP_HALF_RGB || in->f[SP_F_W_OMASK] == 0);
}

static void print_half(strbuf *b, const sp_instruction *in, unsigned half, bool listed)
{
    const sp_half_fields *h = &sp_halves[half];
    unsigned op = in->f[h->op], n = h->ops[op].operands;
    bool empty = half == SP_HALF_RGB && half_is_empty(in, half);
    print_guard(b, in->f[h->pred_sel], in->f[h->pred_inv]);
    strbuf_add(b, empty ? "NOP" : h->ops[op].name);
    if (half == SP_HALF_RGB)
        print_flags(b, in);
    if (in->f[h->clamp])
        strbuf_add(b, ".sat");
    strbuf_add(b, omods[in->f[h->omod]]);
    if (half == SP_HALF_ALPHA && in->f[SP_F_W_OMASK])
        strbuf_add(b, ".w");
    if (!empty) {
        strbuf_addc(b, ' ');
        print_destinations(b, in, half);
        if (half == SP_HALF_ALPHA && op == SP_ALPHA_DP && operand_is_zero(in, half, 0) && operand_is_zero(in, half, 1))
            n = 0;
        while (listed && n < 3 && !operand_is_zero(in, half, n))
            n++;
        // An operation of one operand may have bits in its third alone.
        if (listed && n < 3 && !operand_is_zero(in, half, 2))
            n = 3;
        for (unsigned k = 0; k < n; k++)
            print_operand(b, in, half, k, listed);
    }
    if (listed && !addresses_are_unused(in, half))
        print_addresses(b, in, half);
}

// A predicate's inversion without a predicate has no effect and no spelling.
static void print_arithmetic(strbuf *b, const sp_instruction *in, bool listed)
{
    print_half(b, in, SP_HALF_RGB, listed);
    if (half_is_empty(in, SP_HALF_ALPHA) && (!listed || addresses_are_unused(in, SP_HALF_ALPHA)))
        return;
    strbuf_add(b, "\n        ");
    print_half(b, in, SP_HALF_ALPHA, listed);
}

// ---- Texture instructions and flow control ----

static void print_parts(strbuf *b, const unsigned parts[4], unsigned n)
{
    strbuf_addc(b, '.');
    for (unsigned i = 0; i < n; i++)
        strbuf_addc(b, components[parts[i]]);
}

static void print_coordinates(strbuf *b, unsigned reg, bool relative, const unsigned parts[4])
{
    strbuf_addc(b, ' ');
    print_register(b, 'r', reg, relative);
    unsigned n = 4;
    while (n > 1 && parts[n - 1] == SP_A)
        n--;
    if (n != 4 || parts[0] != 0 || parts[1] != 1 || parts[2] != 2)
        print_parts(b, parts, n);
}

static void print_texture(strbuf *b, const sp_instruction *in)
{
    unsigned op = in->f[SP_F_TEX_OP], mask = in->f[SP_F_RGB_WMASK] | (unsigned)in->f[SP_F_ALPHA_WMASK] << 3;
    print_guard(b, in->f[SP_F_RGB_PRED_SEL], in->f[SP_F_RGB_PRED_INV]);
    strbuf_add(b, sp_tex_ops[op].name);
    print_flags(b, in);
    if (in->f[SP_F_ALPHA_PRED_SEL] != in->f[SP_F_RGB_PRED_SEL] ||
        in->f[SP_F_ALPHA_PRED_INV] != in->f[SP_F_RGB_PRED_INV]) {
        strbuf_add(b, " alpha ");
        print_guard(b, in->f[SP_F_ALPHA_PRED_SEL], in->f[SP_F_ALPHA_PRED_INV]);
    }
    if (op == SP_TEX_NOP)
        return;
    if (op != SP_TEX_KILL) {
        strbuf_addc(b, ' ');
        print_register(b, 'r', in->f[SP_F_TEX_DST], in->f[SP_F_TEX_DST_REL] != 0);
        if (mask != 15)
            strbuf_add(b, mask == 0 ? "._" : ".");
        for (unsigned c = 0; c < 4 && mask != 15; c++)
            if (mask >> c & 1)
                strbuf_addc(b, components[c]);
    }
    const unsigned at[4] = {in->f[SP_F_TEX_SWZ_S], in->f[SP_F_TEX_SWZ_T], in->f[SP_F_TEX_SWZ_R], in->f[SP_F_TEX_SWZ_Q]};
    print_coordinates(b, in->f[SP_F_TEX_SRC], in->f[SP_F_TEX_SRC_REL] != 0, at);
    if (op == SP_TEX_KILL)
        return;
    strbuf_printf(b, " s%u", in->f[SP_F_TEX_ID]);
    const unsigned out[4] = {in->f[SP_F_TEX_OUT_R], in->f[SP_F_TEX_OUT_G], in->f[SP_F_TEX_OUT_B],
                             in->f[SP_F_TEX_OUT_A]};
    if (out[0] != 0 || out[1] != 1 || out[2] != 2 || out[3] != 3)
        print_parts(b, out, 4);
    static const sp_field address[2] = {SP_F_DX_ADDR, SP_F_DY_ADDR}, relative[2] = {SP_F_DX_REL, SP_F_DY_REL},
                          swizzle[2] = {SP_F_DX_SWZ, SP_F_DY_SWZ};
    for (unsigned i = 0; i < 2 && op == SP_TEX_DXDY; i++) {
        unsigned v = in->f[swizzle[i]];
        print_coordinates(b, in->f[address[i]], in->f[relative[i]] != 0,
                          (const unsigned[4]){v & 3, v >> 2 & 3, v >> 4 & 3, v >> 6});
    }
}

static void print_flow(strbuf *b, const sp_instruction *in, bool labels)
{
    static const struct {
        const char *name;
        sp_field field;
    } values[] = {{"func", SP_F_JUMP_FUNC}, {"pop", SP_F_B_POP_CNT}, {"stay", SP_F_B_OP0}, {"go", SP_F_B_OP1},
                  {"stack", SP_F_A_OP},     {"bool", SP_F_FC_BOOL},  {"int", SP_F_FC_INT}};
    print_guard(b, in->f[SP_F_RGB_PRED_SEL], in->f[SP_F_RGB_PRED_INV]);
    strbuf_add(b, "FC");
    print_flags(b, in);
    strbuf_printf(b, labels ? " %s L%u" : " %s %u", sp_fc_ops[in->f[SP_F_FC_OP]], in->f[SP_F_FC_JUMP]);
    strbuf_add(b, in->f[SP_F_JUMP_ANY] ? " any" : "");
    strbuf_add(b, in->f[SP_F_B_ELSE] ? " else" : "");
    strbuf_add(b, in->f[SP_F_FC_GLOBAL] ? " global" : "");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (in->f[values[i].field] != 0)
            strbuf_printf(b, i == 0 ? " %s=0x%02x" : " %s=%u", values[i].name, in->f[values[i].field]);
}

// ---- Programs ----

// Whether the text is this instruction to the assembler.
static bool assembles_to(const char *text, const sp_instruction *in)
{
    arena *a = arena_create();
    source_set sources;
    diag_engine diags;
    source_set_init(&sources, a);
    diag_init(&diags, a, &sources);
    sp_instruction got;
    bool ok = sp_assemble_one(a, &diags, source_add(&sources, "", text, strlen(text)), &got) &&
              memcmp(&got, in, sizeof got) == 0;
    arena_destroy(a);
    return ok;
}

void sp_print_instruction(const sp_instruction *in, strbuf *out)
{
    strbuf text;
    strbuf_init(&text, out->arena);
    if (in->f[SP_F_TYPE] == SP_TEX) {
        print_texture(&text, in);
    } else {
        print_arithmetic(&text, in, false);
        if (!assembles_to(text.data, in)) {
            text.len = 0;
            print_arithmetic(&text, in, true);
        }
    }
    strbuf_printf(out, "        %s\n", text.data);
}

static void print_instruction(printer *p, unsigned at, const sp_instruction *in)
{
    if (p->targets[at])
        strbuf_printf(p->out, "L%u:\n", at);
    if (in->f[SP_F_TYPE] != SP_FC) {
        sp_print_instruction(in, p->out);
        return;
    }
    strbuf_add(p->out, "        ");
    print_flow(p->out, in, in->f[SP_F_FC_JUMP] < p->program->count);
    strbuf_addc(p->out, '\n');
}

static void print_float(strbuf *b, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    if ((bits >> 23 & 255) == 255)
        strbuf_printf(b, "0x%08lx", (unsigned long)bits);
    else
        strbuf_add_float(b, v);
}

static void print_constants(const sp_program *p, strbuf *b)
{
    for (unsigned i = 0; i < SP_MAX_CONSTANTS; i++) {
        if (!sp_bit(p->given_floats, i))
            continue;
        strbuf_printf(b, "        .const c%u =", i);
        for (unsigned c = 0; c < 4; c++) {
            strbuf_addc(b, ' ');
            print_float(b, p->float_values[i][c]);
        }
        strbuf_addc(b, '\n');
    }
    for (unsigned i = 0; i < SP_MAX_INTS; i++)
        if (sp_bit(&p->given_ints, i))
            strbuf_printf(b, "        .int i%u = %u %u %d\n", i, p->int_values[i].count, p->int_values[i].init,
                          p->int_values[i].step);
    for (unsigned i = 0; i < SP_MAX_BOOLS; i++)
        if (sp_bit(&p->given_bools, i))
            strbuf_printf(b, "        .bool b%u = %s\n", i, sp_bit(&p->bool_values, i) ? "true" : "false");
}

static void print_list(strbuf *b, char class, const uint32_t *bits, const uint32_t *found, unsigned most)
{
    for (unsigned i = 0; i < most; i++)
        if (sp_bit(bits, i) && !sp_bit(found, i))
            strbuf_printf(b, "        .use %c%u\n", class, i);
}

// What the container says beyond what the instructions tell.
static void print_head(const sp_program *p, strbuf *b)
{
    sp_program found = *p;
    found.temps = found.inputs = found.outputs = found.ints = found.bools = 0;
    memset(found.floats, 0, sizeof found.floats);
    sp_collect_uses(&found);
    strbuf_add(b, "        .manual\n");
    strbuf_add(b, p->scatter ? "        .scatter\n" : "");
    strbuf_add(b, p->early_exit ? "        .early_exit\n" : "");
    if (found.temps != p->temps)
        strbuf_printf(b, "        .temps %lu\n", (unsigned long)p->temps);
    for (unsigned i = 0; i < SP_MAX_OUTPUTS; i++)
        if (p->conditional_outputs >> i & 1)
            strbuf_printf(b, "        .conditional o%u\n", i);
    for (unsigned i = 0; i < SP_MAX_CONSTANTS / 32; i++)
        found.floats[i] |= p->given_floats[i];
    found.ints |= p->given_ints;
    found.bools |= p->given_bools;
    print_list(b, 'c', p->floats, found.floats, SP_MAX_CONSTANTS);
    print_list(b, 's', &p->inputs, &found.inputs, SP_MAX_INPUTS);
    print_list(b, 'o', &p->outputs, &found.outputs, SP_MAX_OUTPUTS);
    print_list(b, 'i', &p->ints, &found.ints, SP_MAX_INTS);
    print_list(b, 'b', &p->bools, &found.bools, SP_MAX_BOOLS);
    print_constants(p, b);
}

// Lines of the source, where they are others than those of the instruction before. Gives the next instruction's.
static const char *print_place(const char *place, const char *end, const char **last, strbuf *b)
{
    const char *behind = place == NULL ? NULL : memchr(place, '\n', (size_t)(end - place));
    if (behind == NULL)
        return NULL;
    size_t size = (size_t)(behind - place);
    if (size > 0 && (*last == NULL || strncmp(*last, place, size + 1) != 0))
        strbuf_printf(b, "        // %.*s\n", (int)size, place);
    *last = place;
    return behind + 1 < end ? behind + 1 : NULL;
}

void sp_disassemble(const sp_program *p, bool addresses, strbuf *out)
{
    const char *place = p->places, *last = NULL;
    printer pr = {.program = p, .out = out};
    sp_instruction in;
    print_head(p, out);
    for (unsigned i = 0; i < p->count; i++) {
        sp_decode(p->words[i], &in);
        if (in.f[SP_F_TYPE] == SP_FC && in.f[SP_F_FC_JUMP] < p->count)
            pr.targets[in.f[SP_F_FC_JUMP]] = true;
    }
    for (unsigned i = 0; i < p->count; i++) {
        sp_decode(p->words[i], &in);
        place = print_place(place, p->places + p->places_size, &last, out);
        if (addresses) {
            strbuf_printf(out, "        // %3u:", i);
            for (unsigned w = 0; w < SP_WORDS; w++)
                strbuf_printf(out, " %08lx", (unsigned long)p->words[i][w]);
            strbuf_addc(out, '\n');
        }
        print_instruction(&pr, i, &in);
        if (i == p->end && i + 1 == p->count)
            strbuf_add(out, "        END\n");
    }
}
