// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/softproc/Inputs/reference.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 100000 };

typedef struct thread {
    const reference *r;
    sp_instruction in;
    float temp[SP_MAX_TEMPS][4], out[SP_MAX_OUTPUTS][4];
    bool predicate[4], alu, killed;
    struct {
        int left, al, step;
        bool has_al;
    } loop[SP_MAX_NESTING];
    int loops, calls, call[SP_MAX_NESTING], pc;
} thread;

static int loop_register(const thread *t)
{
    for (int i = t->loops - 1; i >= 0; i--)
        if (t->loop[i].has_al)
            return t->loop[i].al;
    return 0;
}

// ---- Sources ----

static float source(const thread *t, unsigned k, unsigned component)
{
    bool alpha = component == 3;
    static const sp_field addr[2][3] = {{SP_F_RGB_ADDR0, SP_F_RGB_ADDR1, SP_F_RGB_ADDR2},
                                        {SP_F_ALPHA_ADDR0, SP_F_ALPHA_ADDR1, SP_F_ALPHA_ADDR2}};
    static const sp_field rel[2][3] = {{SP_F_RGB_REL0, SP_F_RGB_REL1, SP_F_RGB_REL2},
                                       {SP_F_ALPHA_REL0, SP_F_ALPHA_REL1, SP_F_ALPHA_REL2}};
    unsigned address = t->in.f[addr[alpha][k]];
    int al = t->in.f[rel[alpha][k]] ? loop_register(t) : 0;
    if (address < 128)
        return t->temp[(int)address + al][component];
    if (address >= 256)
        return t->r->constants[(int)address - 256 + al][component];
    // A small float: sign none, 4 bits of exponent, 3 of mantissa.
    unsigned e = address >> 3 & 15, m = address & 7;
    return e == 0 ? (float)m / 512 : (float)((8 + m) * pow(2, (double)e - 10));
}

static float presubtracted(const thread *t, unsigned component)
{
    float s0 = source(t, 0, component), s1 = source(t, 1, component);
    switch (t->in.f[component == 3 ? SP_F_ALPHA_SRCP_OP : SP_F_RGB_SRCP_OP]) {
    case 0: return 1 - 2 * s0;
    case 1: return s1 - s0;
    case 2: return s1 + s0;
    default: return 1 - s0;
    }
}

static float modified(float v, unsigned mod)
{
    if (mod & 2)
        v = copysignf(v, 1);
    return mod & 1 ? copysignf(v, signbit(v) ? 1 : -1) : v;
}

static float pick(const thread *t, unsigned sel, unsigned swizzle, unsigned mod)
{
    static const float easy[4] = {0, 0.5f, 1, 0};
    float v = swizzle > 3 ? easy[swizzle - 4] : sel == 3 ? presubtracted(t, swizzle) : source(t, sel, swizzle);
    return modified(v, mod);
}

static float vector_operand(const thread *t, unsigned k, unsigned c)
{
    const sp_half_fields *h = &sp_halves[0];
    return pick(t, t->in.f[h->sel[k]], t->in.f[h->swizzle[k][c]], t->in.f[h->mod[k]]);
}

static float scalar_operand(const thread *t, unsigned k)
{
    const sp_half_fields *h = &sp_halves[1];
    return pick(t, t->in.f[h->sel[k]], t->in.f[h->swizzle[k][0]], t->in.f[h->mod[k]]);
}

// ---- Operations ----

static float mad(float a, float b, float c)
{
    volatile float p = a * b;
    return p + c;
}

static float common(const char *name, float a, float b, float c)
{
    if (strcmp(name, "MAD") == 0)
        return mad(a, b, c);
    if (strcmp(name, "MIN") == 0)
        return a < b ? a : b;
    if (strcmp(name, "MAX") == 0)
        return a > b ? a : b;
    if (strcmp(name, "CND") == 0)
        return c > 0.5f ? a : b;
    if (strcmp(name, "CMP") == 0)
        return c >= 0 ? a : b;
    return a - floorf(a);
}

static float dot(const thread *t, unsigned terms)
{
    volatile float sum = vector_operand(t, 0, 0) * vector_operand(t, 1, 0);
    for (unsigned i = 1; i < terms; i++) {
        volatile float p =
            i < 3 ? vector_operand(t, 0, i) * vector_operand(t, 1, i) : scalar_operand(t, 0) * scalar_operand(t, 1);
        sum = sum + p;
    }
    return sum;
}

static float scalar_result(const thread *t, float dotted)
{
    static const char *const names[16] = {[0] = "MAD", [2] = "MIN", [3] = "MAX", [5] = "CND", [6] = "CMP", [7] = "FRC"};
    unsigned op = t->in.f[SP_F_ALPHA_OP];
    double a = scalar_operand(t, 0), turn = 6.28318530717958647692;
    switch (op) {
    case 1: return dotted;
    case 8: return (float)exp2(a);
    case 9: return (float)log2(a);
    case 10: return (float)(1 / a);
    case 11: return (float)(1 / sqrt(a));
    case 12: return (float)sin((a - floor(a)) * turn);
    case 13: return (float)cos((a - floor(a)) * turn);
    default: return common(names[op], scalar_operand(t, 0), scalar_operand(t, 1), scalar_operand(t, 2));
    }
}

static void results(const thread *t, float v[4])
{
    unsigned op = t->in.f[SP_F_RGB_OP];
    float dotted = op == SP_RGB_DP3 ? dot(t, 3) : op == SP_RGB_DP4 ? dot(t, 4) : 0;
    if (op == SP_RGB_D2A)
        dotted = dot(t, 2) + vector_operand(t, 2, 2);
    v[3] = scalar_result(t, dotted);
    for (unsigned c = 0; c < 3; c++)
        v[c] = op >= SP_RGB_DP3 && op <= SP_RGB_D2A ? dotted
               : op == SP_RGB_SOP ? v[3]
                                  : common(sp_rgb_ops[op].name, vector_operand(t, 0, c), vector_operand(t, 1, c),
                                           vector_operand(t, 2, c));
    for (unsigned c = 0; c < 4; c++) {
        static const float factor[8] = {1, 2, 4, 8, 0.5f, 0.25f, 0.125f, 1};
        unsigned omod = t->in.f[c < 3 ? SP_F_RGB_OMOD : SP_F_ALPHA_OMOD];
        if (omod == 7)
            continue;
        if (omod != 0)
            v[c] *= factor[omod];
        if (t->in.f[c < 3 ? SP_F_RGB_CLAMP : SP_F_ALPHA_CLAMP])
            v[c] = v[c] > 0 ? v[c] < 1 ? v[c] : 1 : 0;
    }
}

static bool test(float v, unsigned how)
{
    return how == 0 ? v == 0 : how == 1 ? v < 0 : how == 2 ? v >= 0 : v != 0;
}

static bool guarded(const thread *t, unsigned sel, unsigned inv, unsigned c)
{
    return sel == 0 || t->predicate[sel == 1 ? c : sel - 2] != (inv != 0);
}

static void arithmetic(thread *t)
{
    float v[4];
    bool allowed[4];
    results(t, v);
    for (unsigned c = 0; c < 4; c++)
        allowed[c] = guarded(t, t->in.f[c < 3 ? SP_F_RGB_PRED_SEL : SP_F_ALPHA_PRED_SEL],
                             t->in.f[c < 3 ? SP_F_RGB_PRED_INV : SP_F_ALPHA_PRED_INV], c);
    for (unsigned c = 0; c < 4; c++) {
        const sp_half_fields *h = &sp_halves[c == 3];
        unsigned bit = c == 3 ? 0 : c, target = t->in.f[h->target];
        int al = t->in.f[h->addrd_rel] ? loop_register(t) : 0;
        if (!allowed[c])
            continue;
        if (t->in.f[h->wmask] >> bit & 1)
            t->temp[t->in.f[h->addrd] + al][c] = v[c];
        if ((t->in.f[h->omask] >> bit & 1) == 0)
            continue;
        if (t->in.f[SP_F_TYPE] == SP_OUT)
            t->out[target][c] = v[c];
        else
            t->predicate[c] = test(v[c], target);
    }
    unsigned from = t->in.f[SP_F_ALU_RESULT_SEL] ? 3 : 0;
    if (t->in.f[SP_F_ALU_WMASK] && allowed[from])
        t->alu = test(v[from], t->in.f[SP_F_ALU_RESULT_OP]);
}

static void texture(thread *t)
{
    static const sp_field at[4] = {SP_F_TEX_SWZ_S, SP_F_TEX_SWZ_T, SP_F_TEX_SWZ_R, SP_F_TEX_SWZ_Q};
    static const sp_field out[4] = {SP_F_TEX_OUT_R, SP_F_TEX_OUT_G, SP_F_TEX_OUT_B, SP_F_TEX_OUT_A};
    unsigned op = t->in.f[SP_F_TEX_OP];
    int al = loop_register(t);
    float p[4], v[4];
    if (op == SP_TEX_NOP)
        return;
    for (unsigned i = 0; i < 4; i++)
        p[i] = t->temp[t->in.f[SP_F_TEX_SRC] + (t->in.f[SP_F_TEX_SRC_REL] ? al : 0)][t->in.f[at[i]]];
    bool rgb = guarded(t, t->in.f[SP_F_RGB_PRED_SEL], t->in.f[SP_F_RGB_PRED_INV], 0);
    if (op == SP_TEX_KILL) {
        // -0 and below; no negative NaN.
        for (unsigned i = 0; i < 4; i++)
            t->killed = t->killed || (rgb && p[i] <= 0 && signbit(p[i]));
        return;
    }
    if (op == SP_TEX_PROJ) {
        p[0] /= p[3];
        p[1] /= p[3];
    }
    t->r->read(t->r->user, t->in.f[SP_F_TEX_ID] | (t->in.f[SP_F_UNSCALED] ? 0 : 256), p[0], p[1], v);
    unsigned mask = t->in.f[SP_F_RGB_WMASK] | t->in.f[SP_F_ALPHA_WMASK] << 3;
    bool allowed[4];
    for (unsigned c = 0; c < 4; c++)
        allowed[c] = guarded(t, t->in.f[c < 3 ? SP_F_RGB_PRED_SEL : SP_F_ALPHA_PRED_SEL],
                             t->in.f[c < 3 ? SP_F_RGB_PRED_INV : SP_F_ALPHA_PRED_INV], c);
    for (unsigned c = 0; c < 4; c++)
        if ((mask >> c & 1) && allowed[c])
            t->temp[t->in.f[SP_F_TEX_DST] + (t->in.f[SP_F_TEX_DST_REL] ? al : 0)][c] = v[t->in.f[out[c]]];
}

// A thread alone goes where it wants. A thread that comes to an ELSE has done its branch.
static void flow(thread *t)
{
    unsigned op = t->in.f[SP_F_FC_OP], jump = t->in.f[SP_F_FC_JUMP];
    bool pred = guarded(t, t->in.f[SP_F_RGB_PRED_SEL], t->in.f[SP_F_RGB_PRED_INV], 0);
    unsigned index = (t->alu ? 4u : 0) | (pred ? 2u : 0) | (t->r->bools >> t->in.f[SP_F_FC_BOOL] & 1);
    bool wants = (t->in.f[SP_F_JUMP_FUNC] >> index & 1) != 0;
    const sp_int_constant *k = &t->r->ints[t->in.f[SP_F_FC_INT]];
    t->alu = false;
    switch (op) {
    case SP_FC_LOOP:
    case SP_FC_REP:
        if (k->count == 0) {
            t->pc = (int)jump;
            return;
        }
        t->loop[t->loops].left = k->count;
        t->loop[t->loops].al = k->init;
        t->loop[t->loops].step = k->step;
        t->loop[t->loops++].has_al = op == SP_FC_LOOP;
        t->pc++;
        return;
    case SP_FC_ENDLOOP:
    case SP_FC_ENDREP:
        t->loop[t->loops - 1].al += t->loop[t->loops - 1].step;
        if (--t->loop[t->loops - 1].left > 0) {
            t->pc = (int)jump;
            return;
        }
        t->loops--;
        t->pc++;
        return;
    case SP_FC_BREAKLOOP:
    case SP_FC_BREAKREP:
        if (wants)
            t->loops--;
        t->pc = wants ? (int)jump : t->pc + 1;
        return;
    case SP_FC_CONTINUE: t->pc = wants ? (int)jump : t->pc + 1; return;
    default: break;
    }
    if (t->in.f[SP_F_B_ELSE])
        wants = true;
    if (wants && t->in.f[SP_F_A_OP] == SP_STACK_PUSH)
        t->call[t->calls++] = t->pc + 1;
    if (wants && t->in.f[SP_F_A_OP] == SP_STACK_POP)
        jump = (unsigned)t->call[--t->calls];
    t->pc = wants ? (int)jump : t->pc + 1;
}

bool reference_run(const reference *r, int x, int y, float out[SP_MAX_OUTPUTS][4])
{
    thread t;
    memset(&t, 0, sizeof t);
    t.r = r;
    t.temp[0][0] = (float)x;
    t.temp[0][1] = (float)y;
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        sp_decode(r->program->words[t.pc], &t.in);
        if (t.in.f[SP_F_TYPE] == SP_FC) {
            flow(&t);
            continue;
        }
        if (t.in.f[SP_F_TYPE] == SP_TEX)
            texture(&t);
        else
            arithmetic(&t);
        if (t.killed)
            return false;
        if (t.pc == (int)r->program->end || t.in.f[SP_F_LAST]) {
            memcpy(out, t.out, sizeof t.out);
            return true;
        }
        t.pc++;
    }
    return false;
}
