// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic: what each operation, modifier and mask does to a group of four threads. All sources are read before
// anything is written.
//
// Products and sums are rounded each by itself (this file is compiled without contraction). Transcendental operations
// are computed in double precision and rounded once.
#include <math.h>
#include <string.h>

#include "runtime/softproc/core.h"

typedef const sp_v4 *sp_banks[SP_BANKS];

static const double two_pi = 6.28318530717958647692;

static inline sp_v4 as_floats(sp_m4 m)
{
    return (sp_v4)m;
}

static inline sp_m4 as_bits(sp_v4 v)
{
    return (sp_m4)v;
}

static inline sp_v4 choose(sp_m4 mask, sp_v4 yes, sp_v4 no)
{
    return as_floats((as_bits(yes) & mask) | (as_bits(no) & ~mask));
}

static inline sp_v4 splat(float v)
{
    return (sp_v4){v, v, v, v};
}

// Denormal numbers become zeros of their sign.
static inline sp_v4 flushed(sp_v4 v)
{
    sp_m4 bits = as_bits(v), small = (bits & 0x7f800000) == 0;
    return as_floats((bits & ~small) | (bits & small & INT32_MIN));
}

static inline sp_v4 fetch(const sp_options *o, sp_banks banks, const sp_ready_operand *operand, unsigned component,
                          int al, bool plain)
{
    const sp_scalar *s = &operand->scalar[component];
    sp_v4 v = banks[s->bank][s->at + (s->relative ? al : 0)];
    if (!plain && o->flush)
        v = flushed(v);
    return as_floats((as_bits(v) & operand->keep) ^ operand->flip);
}

static inline sp_v4 product(const sp_options *o, sp_v4 a, sp_v4 b, bool plain)
{
    sp_v4 p = a * b;
    if (!plain && o->zero_product)
        p = choose((a == 0) | (b == 0), splat(0), p);
    return p;
}

// ---- Presubtract ----

static sp_v4 presubtract(const sp_options *o, sp_banks banks, const sp_ready_half *h, unsigned component, int al)
{
    const sp_scalar *s0 = &h->source[0][component], *s1 = &h->source[1][component];
    sp_v4 a = banks[s0->bank][s0->at + (s0->relative ? al : 0)], b = banks[s1->bank][s1->at + (s1->relative ? al : 0)];
    if (o->flush) {
        a = flushed(a);
        b = flushed(b);
    }
    switch (h->srcp_op) {
    case 0: return 1 - 2 * a;
    case 1: return b - a;
    case 2: return b + a;
    default: return 1 - a;
    }
}

// ---- Operations ----

static sp_v4 each(sp_v4 v, double (*f)(double))
{
    for (unsigned i = 0; i < SP_LANES; i++)
        v[i] = (float)f((double)v[i]);
    return v;
}

static double reciprocal(double x)
{
    return 1 / x;
}

static double reciprocal_root(double x)
{
    return 1 / sqrt(x);
}

// A whole turn is 1: the whole part goes before anything is rounded.
static double sine_of_turns(double x)
{
    return sin((x - floor(x)) * two_pi);
}

static double cosine_of_turns(double x)
{
    return cos((x - floor(x)) * two_pi);
}

static sp_v4 fraction(sp_v4 a)
{
    for (unsigned i = 0; i < SP_LANES; i++)
        a[i] = a[i] - floorf(a[i]);
    return a;
}

static sp_v4 transcendental(unsigned op, sp_v4 a)
{
    switch (op) {
    case SP_ALPHA_EX2: return each(a, exp2);
    case SP_ALPHA_LN2: return each(a, log2);
    case SP_ALPHA_RCP: return each(a, reciprocal);
    case SP_ALPHA_RSQ: return each(a, reciprocal_root);
    case SP_ALPHA_SIN: return each(a, sine_of_turns);
    default: return each(a, cosine_of_turns);
    }
}

// Operations by component, by the vector half's codes. Comparisons with NaN are false, and MAX of equal zeros is the
// second. Operands that are moved as they are may be denormal on the chip, and are compared as zeros there.
static inline sp_v4 simple(const sp_options *o, unsigned op, sp_v4 a, sp_v4 b, sp_v4 c, bool plain)
{
    sp_v4 x = a, y = b, z = c;
    if (!plain && o->flush) {
        x = flushed(a);
        y = flushed(b);
        z = flushed(c);
    }
    switch (op) {
    case SP_RGB_MAD: return product(o, a, b, plain) + c;
    case SP_RGB_MIN: return choose(x < y, a, b);
    case SP_RGB_MAX: return choose(x > y, a, b);
    case SP_RGB_CND: return choose(z > 0.5f, a, b);
    case SP_RGB_CMP: return choose(z >= 0, a, b);
    default: return fraction(a);
    }
}

// The first threads' source 0 and their right or lower neighbours' in the place of A and C.
static sp_v4 neighbours(const sp_options *o, sp_banks banks, const sp_ready_half *h, unsigned component, bool vertical,
                        sp_v4 b, int al, bool plain)
{
    const sp_scalar *s = &h->source[0][component];
    sp_v4 v = banks[s->bank][s->at + (s->relative ? al : 0)];
    sp_v4 a = splat(v[0]), c = splat(v[vertical ? 2 : 1]);
    a = as_floats((as_bits(a) & h->operand[0].keep) ^ h->operand[0].flip);
    c = as_floats((as_bits(c) & h->operand[2].keep) ^ h->operand[2].flip);
    return product(o, a, b, plain) + c;
}

static inline sp_v4 dot(const sp_options *o, sp_banks banks, const sp_ready *r, unsigned terms, int al, bool plain)
{
    const sp_ready_half *h = &r->half[SP_HALF_RGB];
    sp_v4 sum =
        product(o, fetch(o, banks, &h->operand[0], 0, al, plain), fetch(o, banks, &h->operand[1], 0, al, plain), plain);
    for (unsigned i = 1; i < terms && i < 3; i++)
        sum += product(o, fetch(o, banks, &h->operand[0], i, al, plain), fetch(o, banks, &h->operand[1], i, al, plain),
                       plain);
    if (terms == 4) {
        h = &r->half[SP_HALF_ALPHA];
        sum += product(o, fetch(o, banks, &h->operand[0], 0, al, plain), fetch(o, banks, &h->operand[1], 0, al, plain),
                       plain);
    }
    return sum;
}

static inline void vector_half(const sp_options *o, sp_banks banks, const sp_ready *r, int al, sp_v4 out[3], bool plain)
{
    const sp_ready_half *h = &r->half[SP_HALF_RGB];
    switch (h->op) {
    case SP_RGB_DP3: out[0] = out[1] = out[2] = dot(o, banks, r, 3, al, plain); return;
    case SP_RGB_DP4: out[0] = out[1] = out[2] = dot(o, banks, r, 4, al, plain); return;
    case SP_RGB_D2A:
        out[0] = out[1] = out[2] = dot(o, banks, r, 2, al, plain) + fetch(o, banks, &h->operand[2], 2, al, plain);
        return;
    case SP_RGB_SOP: return;
    case SP_RGB_MAD: // by far the most frequent
        for (unsigned i = 0; i < 3; i++)
            if (h->lanes >> i & 1)
                out[i] = product(o, fetch(o, banks, &h->operand[0], i, al, plain),
                                 fetch(o, banks, &h->operand[1], i, al, plain), plain) +
                         fetch(o, banks, &h->operand[2], i, al, plain);
        return;
    default: break;
    }
    bool as_is = plain || h->omod == SP_OMOD_EXACT;
    for (unsigned i = 0; i < 3; i++) {
        if ((h->lanes >> i & 1) == 0)
            continue;
        sp_v4 b = fetch(o, banks, &h->operand[1], i, al, as_is);
        if (h->op == SP_RGB_MDH || h->op == SP_RGB_MDV)
            out[i] = neighbours(o, banks, h, i, h->op == SP_RGB_MDV, b, al, plain);
        else
            out[i] = simple(o, h->op, fetch(o, banks, &h->operand[0], i, al, as_is), b,
                            fetch(o, banks, &h->operand[2], i, al, as_is), plain);
    }
}

static inline sp_v4 scalar_half(const sp_options *o, sp_banks banks, const sp_ready *r, int al, sp_v4 dot_product,
                                bool plain)
{
    // The scalar half's codes of operations that both halves have.
    static const uint8_t vector_code[16] = {[SP_ALPHA_MAD] = SP_RGB_MAD, [SP_ALPHA_MIN] = SP_RGB_MIN,
                                            [SP_ALPHA_MAX] = SP_RGB_MAX, [SP_ALPHA_CND] = SP_RGB_CND,
                                            [SP_ALPHA_CMP] = SP_RGB_CMP, [SP_ALPHA_FRC] = SP_RGB_FRC};
    const sp_ready_half *h = &r->half[SP_HALF_ALPHA];
    if (h->op == SP_ALPHA_DP)
        return dot_product;
    bool as_is = plain || h->omod == SP_OMOD_EXACT;
    sp_v4 a = fetch(o, banks, &h->operand[0], 0, al, as_is);
    if (h->op >= SP_ALPHA_EX2 && h->op <= SP_ALPHA_COS)
        return transcendental(h->op, a);
    sp_v4 b = fetch(o, banks, &h->operand[1], 0, al, as_is);
    if (h->op == SP_ALPHA_MDH || h->op == SP_ALPHA_MDV)
        return neighbours(o, banks, h, SP_R, h->op == SP_ALPHA_MDV, b, al, plain);
    return simple(o, vector_code[h->op], a, b, fetch(o, banks, &h->operand[2], 0, al, as_is), plain);
}

// Output modifier and clamp; neither where bits are moved as they are.
static inline sp_v4 finished(const sp_options *o, const sp_ready_half *h, sp_v4 v, bool plain)
{
    static const float factors[8] = {1, 2, 4, 8, 0.5f, 0.25f, 0.125f, 1};
    if (h->omod == SP_OMOD_EXACT)
        return v;
    if (h->omod != 0)
        v = v * factors[h->omod];
    if (!plain && o->flush) {
        v = flushed(v);
        v = choose(v == v, v, as_floats((sp_m4){0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff}));
    }
    if (h->clamp) {
        v = choose(v > 0, v, splat(0));
        v = choose(v < 1, v, splat(1));
    }
    return v;
}

// With 0. What was moved as it is may be denormal on the chip, where that is 0.
static inline sp_m4 compared(const sp_options *o, sp_v4 v, unsigned how)
{
    if (o->flush)
        v = flushed(v);
    switch (how) {
    case SP_EQ: return v == 0;
    case SP_LT: return v < 0;
    case SP_GE: return v >= 0;
    default: return v != 0;
    }
}

sp_m4 sp_predicate_of(const sp_group *g, unsigned sel, bool inv, unsigned component)
{
    sp_m4 m = {-1, -1, -1, -1};
    if (sel == SP_PRED_NONE)
        return m;
    m = g->predicate[sel == SP_PRED_EACH ? component : sel - SP_PRED_R];
    return inv ? ~m : m;
}

// Writes a half's results, of which the first is component number base, where its masks and predicates say.
static inline void write_half(sp_group *g, const sp_ready *r, const sp_ready_half *h, const sp_v4 *v,
                              unsigned components, unsigned base, sp_m4 threads, int al)
{
    sp_v4 *to = g->registers + h->addrd * 4 + (h->addrd_rel ? al : 0) + base;
    for (unsigned i = 0; i < components; i++) {
        if (((h->wmask | h->omask) >> i & 1) == 0)
            continue;
        sp_m4 mask = threads;
        if (h->pred_sel != SP_PRED_NONE)
            mask &= sp_predicate_of(g, h->pred_sel, h->pred_inv, base + i);
        if (h->wmask >> i & 1)
            to[i] = choose(mask, v[i], to[i]);
        if ((h->omask >> i & 1) == 0)
            continue;
        if (r->type == SP_OUT)
            g->out[h->target][base + i] = choose(mask, v[i], g->out[h->target][base + i]);
    }
}

// Predicates are written last: the instruction's own guards are those before it.
static void write_predicates(const sp_options *o, sp_group *g, const sp_ready_half *h, const sp_v4 *v,
                             unsigned components, unsigned base, const sp_m4 *masks)
{
    for (unsigned i = 0; i < components; i++)
        if (h->omask >> i & 1) {
            sp_m4 mask = masks[base + i], now = compared(o, v[i], h->target);
            g->predicate[base + i] = (now & mask) | (g->predicate[base + i] & ~mask);
        }
}

static void write_predicates_and_result(const sp_options *o, sp_group *g, const sp_ready *r, const sp_v4 vector[3],
                                        sp_v4 scalar, sp_m4 threads)
{
    const sp_ready_half *rgb = &r->half[SP_HALF_RGB], *alpha = &r->half[SP_HALF_ALPHA];
    sp_m4 masks[4];
    for (unsigned i = 0; i < 4; i++) {
        const sp_ready_half *h = i < 3 ? rgb : alpha;
        masks[i] = threads & sp_predicate_of(g, h->pred_sel, h->pred_inv, i);
    }
    if (r->alu_write) {
        sp_m4 now = compared(o, r->alu_sel ? scalar : vector[0], r->alu_op), mask = masks[r->alu_sel ? 3 : 0];
        g->alu = (now & mask) | (g->alu & ~mask);
    }
    if (r->type == SP_ALU) {
        write_predicates(o, g, rgb, vector, 3, 0, masks);
        write_predicates(o, g, alpha, &scalar, 1, 3, masks);
    }
}

static inline void execute_group(const sp_core *c, sp_group *g, const sp_ready *r, int al, bool plain)
{
    const sp_options *o = &c->options;
    const sp_ready_half *rgb = &r->half[SP_HALF_RGB], *alpha = &r->half[SP_HALF_ALPHA];
    sp_v4 presub[4] = {splat(0), splat(0), splat(0), splat(0)}, vector[3] = {splat(0), splat(0), splat(0)},
          scalar = splat(0);
    sp_banks banks = {g->registers, c->constants, presub};
    if (rgb->presubtract)
        for (unsigned i = 0; i < 3; i++)
            presub[i] = presubtract(o, banks, rgb, i, al);
    if (alpha->presubtract)
        presub[3] = presubtract(o, banks, alpha, 0, al);
    if (rgb->lanes != 0)
        vector_half(o, banks, r, al, vector, plain);
    if (alpha->lanes != 0)
        scalar = scalar_half(o, banks, r, al, vector[0], plain);
    if (rgb->op == SP_RGB_SOP)
        vector[0] = vector[1] = vector[2] = scalar;
    for (unsigned i = 0; i < 3; i++)
        if (rgb->lanes >> i & 1)
            vector[i] = finished(o, rgb, vector[i], plain);
    if (alpha->lanes != 0)
        scalar = finished(o, alpha, scalar, plain);
    sp_m4 threads = r->write_inactive ? g->covered : g->active;
    write_half(g, r, rgb, vector, 3, 0, threads, al);
    write_half(g, r, alpha, &scalar, 1, 3, threads, al);
    if (r->alu_write || (r->type == SP_ALU && (rgb->omask | alpha->omask) != 0))
        write_predicates_and_result(o, g, r, vector, scalar, threads);
}

// ---- Relative addresses, scatter ----

static bool check_place(sp_core *c, const sp_batch *b, const char *what, int place, int limit)
{
    if (place >= 0 && place < limit)
        return true;
    sp_fail_at(c, b, &b->groups[0], 0, "%s %d, relative to the loop register, is outside of 0 to %d", what, place,
               limit - 1);
    return false;
}

static bool check_relative(sp_core *c, const sp_batch *b, const sp_ready *r, int al)
{
    for (unsigned half = 0; half < 2; half++) {
        const sp_ready_half *h = &r->half[half];
        if (h->addrd_rel && h->wmask != 0 && !check_place(c, b, "register", h->addrd + al, (int)c->temps))
            return false;
        for (unsigned k = 0; k < 3; k++) {
            const sp_scalar *s = &h->source[k][0];
            bool constant = s->bank == SP_BANK_CONSTANTS;
            if (s->relative && !check_place(c, b, constant ? "constant" : "register", s->at / 4 + al,
                                            constant ? SP_MAX_CONSTANTS : (int)c->temps))
                return false;
        }
    }
    return true;
}

static void store_word(uint8_t *to, float v)
{
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(u >> 8 * i);
}

// Scatter: red is the value, green and blue the place, alpha 0.
static void scatter(sp_core *c, const sp_batch *b, const sp_group *g, unsigned output)
{
    const sp_buffer *buffer = &c->output[output];
    for (unsigned i = 0; i < SP_LANES && !c->failed; i++) {
        if (g->active[i] == 0)
            continue;
        float x = g->out[output][1][i], y = g->out[output][2][i];
        if (!(x >= 0 && x < (float)buffer->width && y >= 0 && y < (float)buffer->height) || g->out[output][3][i] != 0) {
            sp_fail_at(c, b, g, i,
                       "o%u is scattered to (%g, %g) with alpha %g; expected a place within %u x %u and alpha 0",
                       output, (double)x, (double)y, (double)g->out[output][3][i], buffer->width, buffer->height);
            return;
        }
        store_word(c->memory + buffer->base + ((size_t)(uint32_t)y * buffer->pitch + (uint32_t)x) * 4,
                   g->out[output][0][i]);
    }
}

void sp_execute_alu(sp_core *c, sp_batch *b, const sp_ready *r)
{
    int al = 0;
    if (r->relative) {
        al = sp_loop_register(b);
        if (!check_relative(c, b, r, al))
            return;
    }
    bool plain = !c->options.flush && !c->options.zero_product;
    if (plain)
        for (uint32_t i = 0; i < c->groups; i++)
            execute_group(c, &b->groups[i], r, 4 * al, true);
    else
        for (uint32_t i = 0; i < c->groups; i++)
            execute_group(c, &b->groups[i], r, 4 * al, false);
    if (c->scatter && r->type == SP_OUT)
        for (unsigned half = 0; half < 2; half++)
            for (uint32_t i = 0; i < c->groups && r->half[half].omask != 0; i++)
                if (half == 0 || r->half[0].omask == 0 || r->half[0].target != r->half[1].target)
                    scatter(c, b, &b->groups[i], r->half[half].target);
    sp_advance(c, b, r);
}
