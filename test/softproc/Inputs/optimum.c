// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables, all 0 or 1. t: an instruction, h: a half, k: an operand, s: a source, i, j: operations
//
//   at[i,t,l]      i is computed there, in lane l
//   kind[t,c]      red, green and blue have the operation of class c
//   together[i,j]  both are in one register of red, green and blue
//   sel[t,h,k,s]   the operand reads the source
//   rgb[t,s,i]     the source's address of red, green and blue is the register of i; given[t,s,r]: a lookup's or the coordinates'
//   alpha[t,s,v]   its alpha address has the value: an operation, a given register's alpha or a constant
//   mode[t,s]      the address of red, green and blue is a constant's; key[t,s,c]: which has that number
//   neg[t,h,k]     the operand is negated, which makes other constants of numbers
#include "test/softproc/Inputs/optimum.h"

#include <coin/Cbc_C_Interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES = 3, HALVES = 2, LANES = 4, MOST_TERMS = 400, MOST_T = OPTIMUM_MOST, NODES = 20000, NONE = -1 };

// ---- Operations ----

static bool take_operand(const spc_function *f, optimum_problem *p, const unsigned *number, optimum_operand *out,
                         spc_operand o)
{
    const spc_value *v = &f->values.data[o.value];
    *out = (optimum_operand){.modify = o};
    p->presubtracts = p->presubtracts || o.presubtract;
    switch (v->op) {
    case SPC_NUMBER:
        out->kind = OPTIMUM_NUMBER;
        out->bits = v->bits;
        return true;
    case SPC_X:
    case SPC_Y:
        out->kind = OPTIMUM_GIVEN;
        out->lane = v->op == SPC_Y;
        return true;
    case SPC_LOOKED_UP:
        out->kind = OPTIMUM_GIVEN;
        out->from = v->lookup + 1;
        out->lane = v->component;
        return out->from < OPTIMUM_REGISTERS;
    case SPC_SCALAR:
    case SPC_VARIABLE: return false;
    default: out->from = number[o.value]; return true;
    }
}

static bool coordinates_are_given(const spc_function *f)
{
    for (VEC_EACH(spc_lookup, l, &f->lookups))
        if (l->at[0].neg || l->at[1].neg || f->values.data[l->at[0].value].op != SPC_X ||
            f->values.data[l->at[1].value].op != SPC_Y)
            return false;
    return true;
}

// Chains, and that an instruction has four lanes, one of them for the special unit's.
static void find_bounds(optimum_problem *p)
{
    unsigned special = 0;
    for (unsigned i = 0; i < p->count; i++)
        for (unsigned k = 0; k < p->operation[i].operands; k++) {
            const optimum_operand *o = &p->operation[i].operand[k];
            if (o->kind == OPTIMUM_OPERATION && p->operation[o->from].before >= p->operation[i].before)
                p->operation[i].before = p->operation[o->from].before + 1;
        }
    for (unsigned i = p->count; i-- > 0;)
        for (unsigned k = 0; k < p->operation[i].operands; k++) {
            const optimum_operand *o = &p->operation[i].operand[k];
            if (o->kind != OPTIMUM_OPERATION)
                continue;
            p->operation[o->from].read = true;
            if (p->operation[o->from].behind <= p->operation[i].behind)
                p->operation[o->from].behind = p->operation[i].behind + 1;
        }
    p->least = (p->count + LANES - 1) / LANES;
    for (unsigned i = 0; i < p->count; i++) {
        special += spc_is_special(p->operation[i].op);
        if (p->operation[i].before + p->operation[i].behind + 1 > p->least)
            p->least = p->operation[i].before + p->operation[i].behind + 1;
    }
    p->least = special > p->least ? special : p->least;
}

bool optimum_take(const spc_function *f, optimum_problem *p)
{
    unsigned *number = ARENA_ARRAY(f->arena, unsigned, f->values.len + 1);
    *p = (optimum_problem){0};
    if (f->steps.len > 0 || !coordinates_are_given(f))
        return false;
    for (uint32_t i = 0; i < f->values.len; i++) {
        const spc_value *v = &f->values.data[i];
        if (!spc_is_arithmetic(v->op))
            continue;
        if (p->count == OPTIMUM_MOST)
            return false;
        optimum_operation *to = &p->operation[p->count];
        *to = (optimum_operation){i, v->op, v->omod, spc_operands(v->op), v->output, 0, false, 0, 0, {{0}}};
        for (unsigned c = 0; c < LANES && v->output != SPC_NO_OUTPUT; c++)
            if (f->output[v->output][c] == i)
                to->lane = c;
        for (unsigned k = 0; k < to->operands; k++)
            if (!take_operand(f, p, number, &to->operand[k], v->operand[k]))
                return false;
        number[i] = p->count++;
    }
    find_bounds(p);
    return p->count > 0;
}

// ---- Rows ----

typedef struct program {
    const optimum_problem *p;
    Cbc_Model *model;
    unsigned count; // instructions
    int columns;
    int at[OPTIMUM_MOST][MOST_T][LANES], kind[MOST_T][OPTIMUM_MOST], together[OPTIMUM_MOST][OPTIMUM_MOST];
    int sel[MOST_T][HALVES][3][SOURCES], neg[MOST_T][HALVES][3];
    int rgb[MOST_T][SOURCES][OPTIMUM_MOST], given[MOST_T][SOURCES][OPTIMUM_REGISTERS], mode[MOST_T][SOURCES];
    int key[MOST_T][SOURCES][OPTIMUM_KEYS];
    int alpha_of[MOST_T][SOURCES][OPTIMUM_MOST], alpha_given[MOST_T][SOURCES][OPTIMUM_REGISTERS],
        alpha_key[MOST_T][SOURCES][OPTIMUM_KEYS];
    unsigned class[OPTIMUM_MOST], classes, keys;
    uint32_t bits[OPTIMUM_KEYS];
    bool used[OPTIMUM_REGISTERS], too_large;
    // The row at hand.
    int column[MOST_TERMS];
    double factor[MOST_TERMS];
    int terms;
} program;

static int new_column(program *g)
{
    Cbc_addCol(g->model, "", 0, 1, 0, 1, 0, NULL, NULL);
    return g->columns++;
}

static void term(program *g, int column, double factor)
{
    for (int i = 0; i < g->terms; i++)
        if (g->column[i] == column) {
            g->factor[i] += factor;
            return;
        }
    if (column == NONE)
        return;
    g->too_large = g->too_large || g->terms == MOST_TERMS;
    if (g->too_large)
        return;
    g->column[g->terms] = column;
    g->factor[g->terms++] = factor;
}

static void row(program *g, char sense, double right)
{
    Cbc_addRow(g->model, "", g->terms, g->column, g->factor, sense, right);
    g->terms = 0;
}

// An operation in a half of an instruction: 0 vector, 1 scalar.
static void in_half(program *g, unsigned i, unsigned t, unsigned half, double factor)
{
    for (unsigned l = half == 0 ? 0 : 3; l < (half == 0 ? 3 : LANES); l++)
        term(g, g->at[i][t][l], factor);
}

static void in_lane(program *g, unsigned i, unsigned lane, double factor)
{
    for (unsigned t = 0; t < g->count; t++)
        term(g, g->at[i][t][lane], factor);
}

static void in_rgb(program *g, unsigned i, double factor)
{
    for (unsigned l = 0; l < 3; l++)
        in_lane(g, i, l, factor);
}

static int together(const program *g, unsigned i, unsigned j)
{
    return i < j ? g->together[i][j] : g->together[j][i];
}

static unsigned key_of(program *g, uint32_t bits)
{
    unsigned k = 0;
    while (k < g->keys && g->bits[k] != bits)
        k++;
    g->too_large = g->too_large || k == OPTIMUM_KEYS;
    if (k == g->keys && !g->too_large)
        g->bits[g->keys++] = bits;
    return g->too_large ? 0 : k;
}

static uint32_t signed_bits(uint32_t bits, unsigned neg)
{
    return bits ^ (neg != 0 ? 0x80000000u : 0);
}

// ---- Columns ----

static bool one_class(const optimum_operation *a, const optimum_operation *b)
{
    return a->op == b->op && a->output == b->output && a->omod == b->omod;
}

static void find_classes(program *g)
{
    for (unsigned i = 0; i < g->p->count; i++) {
        const optimum_operation *o = &g->p->operation[i];
        unsigned j = 0;
        while (!one_class(o, &g->p->operation[j]))
            j++;
        g->class[i] = j < i ? g->class[j] : g->classes++;
        for (unsigned k = 0; k < o->operands; k++) {
            if (o->operand[k].kind == OPTIMUM_GIVEN)
                g->used[o->operand[k].from] = true;
            for (unsigned neg = 0; neg < 2 && o->operand[k].kind == OPTIMUM_NUMBER; neg++)
                if (spc_easy_swizzle(signed_bits(o->operand[k].bits, neg)) < 0)
                    key_of(g, signed_bits(o->operand[k].bits, neg));
        }
    }
}

static void add_source_columns(program *g, unsigned t, unsigned s)
{
    for (unsigned i = 0; i < g->p->count; i++)
        if (g->p->operation[i].read) {
            g->rgb[t][s][i] = new_column(g);
            g->alpha_of[t][s][i] = new_column(g);
        }
    for (unsigned r = 0; r < OPTIMUM_REGISTERS; r++)
        if (g->used[r]) {
            g->given[t][s][r] = new_column(g);
            g->alpha_given[t][s][r] = new_column(g);
        }
    g->mode[t][s] = new_column(g);
    for (unsigned k = 0; k < g->keys; k++) {
        g->key[t][s][k] = new_column(g);
        g->alpha_key[t][s][k] = new_column(g);
    }
}

static void add_columns(program *g)
{
    for (unsigned i = 0; i < g->p->count; i++) {
        const optimum_operation *o = &g->p->operation[i];
        for (unsigned t = o->before; t + o->behind < g->count; t++)
            for (unsigned l = 0; l < LANES; l++)
                if ((o->output == SPC_NO_OUTPUT || o->lane == l) && (l == 3 || !spc_is_special(o->op)))
                    g->at[i][t][l] = new_column(g);
        for (unsigned j = i + 1; j < g->p->count; j++)
            if (o->read && g->p->operation[j].read)
                g->together[i][j] = new_column(g);
    }
    for (unsigned t = 0; t < g->count; t++) {
        for (unsigned c = 0; c < g->classes; c++)
            g->kind[t][c] = new_column(g);
        for (unsigned h = 0; h < HALVES; h++)
            for (unsigned k = 0; k < 3; k++) {
                g->neg[t][h][k] = new_column(g);
                for (unsigned s = 0; s < SOURCES; s++)
                    g->sel[t][h][k][s] = new_column(g);
            }
        for (unsigned s = 0; s < SOURCES; s++)
            add_source_columns(g, t, s);
    }
}

// ---- Rules ----

static void add_places(program *g)
{
    for (unsigned i = 0; i < g->p->count; i++) {
        for (unsigned l = 0; l < LANES; l++)
            in_lane(g, i, l, 1);
        row(g, 'E', 1);
    }
    for (unsigned t = 0; t < g->count; t++) {
        for (unsigned l = 0; l < LANES; l++) {
            for (unsigned i = 0; i < g->p->count; i++)
                term(g, g->at[i][t][l], 1);
            row(g, 'L', 1);
        }
        for (unsigned c = 0; c < g->classes; c++)
            term(g, g->kind[t][c], 1);
        row(g, 'L', 1);
        for (unsigned i = 0; i < g->p->count; i++)
            for (unsigned l = 0; l < 3; l++)
                if (g->at[i][t][l] != NONE) {
                    term(g, g->at[i][t][l], 1);
                    term(g, g->kind[t][g->class[i]], -1);
                    row(g, 'L', 0);
                }
    }
    // What is read comes in an earlier instruction.
    for (unsigned i = 0; i < g->p->count; i++)
        for (unsigned k = 0; k < g->p->operation[i].operands; k++)
            for (unsigned t = 0; t < g->count && g->p->operation[i].operand[k].kind == OPTIMUM_OPERATION; t++) {
                for (unsigned n = 0; n <= t; n++)
                    for (unsigned l = 0; l < LANES; l++) {
                        term(g, g->at[i][n][l], 1);
                        if (n < t)
                            term(g, g->at[g->p->operation[i].operand[k].from][n][l], -1);
                    }
                row(g, 'L', 0);
            }
}

static void add_registers(program *g)
{
    unsigned n = g->p->count;
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = i + 1; j < n; j++) {
            int both = g->together[i][j];
            if (both == NONE)
                continue;
            for (unsigned l = 0; l < 3; l++) {
                in_lane(g, i, l, 1);
                in_lane(g, j, l, 1);
                term(g, both, 1);
                row(g, 'L', 2);
            }
            for (unsigned k = 0; k < 2; k++) {
                term(g, both, 1);
                in_rgb(g, k == 0 ? i : j, -1);
                row(g, 'L', 0);
            }
            // One instruction writes one register.
            for (unsigned t = 0; t < g->count; t++) {
                in_half(g, i, t, 0, 1);
                in_half(g, j, t, 0, 1);
                term(g, both, -1);
                row(g, 'L', 1);
            }
            for (unsigned k = 0; k < n; k++)
                if (k != i && k != j && g->p->operation[k].read) {
                    term(g, both, 1);
                    term(g, together(g, j, k), 1);
                    term(g, together(g, i, k), -1);
                    row(g, 'L', 1);
                }
        }
}

// What a source's two addresses are.
static void add_source(program *g, unsigned t, unsigned s)
{
    unsigned n = g->p->count;
    for (unsigned i = 0; i <= n; i++) {
        if (i < n && g->rgb[t][s][i] == NONE)
            continue;
        for (unsigned r = 0; r < OPTIMUM_REGISTERS; r++)
            term(g, g->given[t][s][r], 1);
        term(g, g->mode[t][s], 1);
        if (i < n)
            term(g, g->rgb[t][s][i], 1);
        row(g, 'L', 1);
        if (i == n)
            break;
        term(g, g->rgb[t][s][i], 1);
        in_rgb(g, i, -1);
        row(g, 'L', 0);
        term(g, g->alpha_of[t][s][i], 1);
        in_lane(g, i, 3, -1);
        row(g, 'L', 0);
        for (unsigned j = i + 1; j < n; j++)
            if (g->rgb[t][s][j] != NONE) {
                term(g, g->rgb[t][s][i], 1);
                term(g, g->rgb[t][s][j], 1);
                term(g, g->together[i][j], -1);
                row(g, 'L', 1);
            }
    }
    for (unsigned k = 0; k < g->keys; k++)
        term(g, g->key[t][s][k], 1);
    term(g, g->mode[t][s], -3);
    row(g, 'L', 0);
    for (unsigned i = 0; i < n; i++)
        term(g, g->alpha_of[t][s][i], 1);
    for (unsigned r = 0; r < OPTIMUM_REGISTERS; r++)
        term(g, g->alpha_given[t][s][r], 1);
    for (unsigned k = 0; k < g->keys; k++)
        term(g, g->alpha_key[t][s][k], 1);
    row(g, 'L', 1);
}

// Whether two operands can be one of a vector half, whatever their sources are. Numbers take no part in differences, and have their
// sign by the operand's where that has absolute values.
static bool agree(const optimum_operand *a, const optimum_operand *b)
{
    bool number = a->kind == OPTIMUM_NUMBER, other = b->kind == OPTIMUM_NUMBER;
    if (number && other)
        return true;
    if (number || other) {
        const spc_operand *m = number ? &b->modify : &a->modify;
        uint32_t bits = number ? a->bits : b->bits;
        return !m->presubtract && (!m->abs || (bits >> 31 != 0) == m->neg);
    }
    return a->modify.neg == b->modify.neg && a->modify.abs == b->modify.abs &&
           a->modify.presubtract == b->modify.presubtract;
}

static void add_agreement(program *g, unsigned t)
{
    for (unsigned i = 0; i < g->p->count; i++)
        for (unsigned j = i + 1; j < g->p->count; j++) {
            const optimum_operation *a = &g->p->operation[i], *b = &g->p->operation[j];
            bool good = true;
            for (unsigned k = 0; k < a->operands && g->class[i] == g->class[j]; k++)
                good = good && agree(&a->operand[k], &b->operand[k]);
            if (good)
                continue;
            in_half(g, i, t, 0, 1);
            in_half(g, j, t, 0, 1);
            row(g, 'L', 1);
        }
}

static void read_number(program *g, unsigned i, unsigned t, unsigned h, unsigned k)
{
    const optimum_operand *o = &g->p->operation[i].operand[k];
    for (unsigned neg = 0; neg < 2; neg++) {
        uint32_t bits = signed_bits(o->bits, neg);
        if (spc_easy_swizzle(bits) >= 0)
            continue;
        unsigned key = key_of(g, bits);
        double sign = neg != 0 ? 1 : -1, right = neg != 0 ? 0 : -1; // "negated" is neg or 1 - neg
        for (unsigned s = 0; s < SOURCES; s++) {
            in_half(g, i, t, h, 1);
            term(g, g->sel[t][h][k][s], 1);
            term(g, g->neg[t][h][k], sign);
            term(g, g->key[t][s][key], -1);
            term(g, g->alpha_key[t][s][key], -1);
            row(g, 'L', 2 + right);
        }
        in_half(g, i, t, h, 1);
        term(g, g->neg[t][h][k], sign);
        for (unsigned s = 0; s < SOURCES; s++)
            term(g, g->sel[t][h][k][s], -1);
        row(g, 'L', 1 + right);
    }
    if (spc_easy_swizzle(signed_bits(o->bits, 1)) >= 0)
        return;
    // Numbers alone are negated if that makes them easy.
    in_half(g, i, t, h, 1);
    term(g, g->neg[t][h][k], 1);
    for (unsigned j = 0; j < g->p->count && h == 0; j++)
        if (k < g->p->operation[j].operands && g->p->operation[j].operand[k].kind != OPTIMUM_NUMBER)
            in_half(g, j, t, 0, -1);
    row(g, 'L', 1);
}

static void read_value(program *g, unsigned i, unsigned t, unsigned h, unsigned k)
{
    const optimum_operand *o = &g->p->operation[i].operand[k];
    for (unsigned s = 0; s < SOURCES; s++) {
        in_half(g, i, t, h, 1);
        term(g, g->sel[t][h][k][s], 1);
        if (o->kind == OPTIMUM_OPERATION) {
            term(g, g->rgb[t][s][o->from], -1);
            term(g, g->alpha_of[t][s][o->from], -1);
        } else {
            term(g, o->lane == 3 ? g->alpha_given[t][s][o->from] : g->given[t][s][o->from], -1);
        }
        row(g, 'L', 1);
    }
    // What is presubtracted is source 0.
    in_half(g, i, t, h, 1);
    for (unsigned s = 0; s < (o->modify.presubtract ? 1 : SOURCES); s++)
        term(g, g->sel[t][h][k][s], -1);
    row(g, 'L', 0);
    in_half(g, i, t, h, 1);
    term(g, g->neg[t][h][k], o->modify.neg ? -1 : 1);
    row(g, 'L', o->modify.neg ? 0 : 1);
}

static void add_reads(program *g, unsigned t)
{
    for (unsigned h = 0; h < HALVES; h++)
        for (unsigned k = 0; k < 3; k++) {
            for (unsigned s = 0; s < SOURCES; s++)
                term(g, g->sel[t][h][k][s], 1);
            row(g, 'L', 1);
            for (unsigned i = 0; i < g->p->count; i++)
                if (k < g->p->operation[i].operands) {
                    if (g->p->operation[i].operand[k].kind == OPTIMUM_NUMBER)
                        read_number(g, i, t, h, k);
                    else
                        read_value(g, i, t, h, k);
                }
        }
    // Sources have no order, unless one is presubtracted.
    for (unsigned k = 0; k < 2 && !g->p->presubtracts; k++)
        for (unsigned s = k + 1; s < SOURCES; s++)
            Cbc_setColUpper(g->model, g->sel[t][0][k][s], 0);
}

optimum_answer optimum_fits(arena *a, const optimum_problem *p, unsigned instructions)
{
    char nodes[16];
    if (instructions < p->least)
        return OPTIMUM_NO;
    if (instructions >= p->count)
        return OPTIMUM_YES;
    program *g = ARENA_NEW(a, program);
    memset(g, 0xff, sizeof *g); // no columns
    g->p = p;
    g->count = instructions;
    g->columns = g->terms = 0;
    g->classes = g->keys = 0;
    g->too_large = false;
    memset(g->used, 0, sizeof g->used);
    g->model = Cbc_newModel();
    find_classes(g);
    add_columns(g);
    add_places(g);
    add_registers(g);
    for (unsigned t = 0; t < g->count; t++) {
        for (unsigned s = 0; s < SOURCES; s++)
            add_source(g, t, s);
        add_agreement(g, t);
        add_reads(g, t);
    }
    snprintf(nodes, sizeof nodes, "%d", NODES);
    Cbc_setParameter(g->model, "logLevel", "0");
    Cbc_setParameter(g->model, "threads", "0");
    Cbc_setParameter(g->model, "maxNodes", nodes);
    Cbc_setParameter(g->model, "maxSolutions", "1");
    if (!g->too_large)
        Cbc_solve(g->model);
    optimum_answer answer = g->too_large                             ? OPTIMUM_UNKNOWN
                            : Cbc_isProvenInfeasible(g->model)       ? OPTIMUM_NO
                            : Cbc_numberSavedSolutions(g->model) > 0 ? OPTIMUM_YES
                                                                     : OPTIMUM_UNKNOWN;
    Cbc_deleteModel(g->model);
    return answer;
}
