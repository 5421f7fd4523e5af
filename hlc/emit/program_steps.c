// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters with dynamic rates that take bits and have few states (hlc/ir/steps.h): what several bits do in each state is looked up
// at once.
//
//     while (svm_dynamicBegin(dynamic)) {
//         const unsigned char *in = (const unsigned char *)dynamic->front;
//         int *out = (int *)dynamic->back;
//         for (; svm_stepsHaveRoom(dynamic, in, 8, out, 4); in += 8) {
//             const size_t at = state + svm_stepBits8(in);
//             ...
//             state = self->next[at];
//
// `state` is a row of tables, that of its state with bits of 0. The next eight bits wait for it, and for nothing but a load.
//
// A table of what one bit does is in the text; that of several is made of it when the kernel first runs. Bit by bit goes
// what lies at the end of a channel's memory, or of the input.
#include <inttypes.h>

#include "hlc/emit/program_int.h"
#include "hlc/ir/steps.h"

// The tables of a kernel have so many bytes at most; so many values are pushed at a time, and no more.
enum { STEPS_BYTES = 128 << 10, STEPS_MOST = 15 };

struct program_steps {
    sir_steps table;
    int bits;                   // that go together
    uint32_t width;             // places for what these push
    const char *steps, *values; // tables' names
    const char *stored;         // the C type of values in tables
    const char *item;           // and on the channel
};

// The C type of values in tables, and its size.
static const char *stored_type(program_emitter *x, const sir_steps *s, const sir_type *type, size_t *size)
{
    static const size_t sizes[SIR_SCALAR_KINDS] = {[SIR_BOOLEAN] = 1, [SIR_BIT] = 4,    [SIR_INT] = 4,
                                                   [SIR_FLOAT] = 4,   [SIR_DOUBLE] = 8, [SIR_COMPLEX] = 8};
    int32_t lo = 0, hi = 0;
    *size = sizes[type->kind];
    if (type->kind != SIR_BIT && type->kind != SIR_INT)
        return emit_item_name(&x->e, type);
    for (VEC_EACH(const sir_scalar, v, &s->values)) {
        lo = v->i < lo ? v->i : lo;
        hi = v->i > hi ? v->i : hi;
    }
    bool byte = lo >= INT8_MIN && hi <= INT8_MAX, two = lo >= INT16_MIN && hi <= INT16_MAX;
    *size = byte ? 1 : two ? 2 : 4;
    return byte ? "int8_t" : two ? "int16_t" : "int32_t";
}

static bool choose_bits(program_emitter *x, program_steps *s, size_t size)
{
    for (int bits = 8; bits > 1; bits /= 2) {
        uint32_t most = sir_steps_most(x->e.arena, &s->table, bits), width = 1;
        while (width < most)
            width *= 2;
        s->bits = bits;
        s->width = width;
        if (most <= STEPS_MOST &&
            (sizeof(uint32_t) + sizeof(uint8_t) + width * size) * (s->table.steps.len / 2 << bits) <= STEPS_BYTES)
            return true;
    }
    return false;
}

static void emit_tables(program_emitter *x, program_steps *s, const sir_actor *actor, const char *base)
{
    arena *a = x->e.arena;
    text_args rows = {0};
    s->steps = emit_unique_name(&x->e, arena_printf(a, "%s_steps", base));
    s->values = emit_unique_name(&x->e, arena_printf(a, "%s_values", base));
    for (size_t i = 0; i < s->table.steps.len; i += 2) {
        const sir_step *zero = &s->table.steps.data[i], *one = zero + 1;
        VEC_PUSH(a, &rows,
                 arena_printf(a, "{{%" PRIu32 ", %" PRIu32 ", %" PRIu32 "}, {%" PRIu32 ", %" PRIu32 ", %" PRIu32 "}},",
                              zero->next, zero->first, zero->count, one->next, one->first, one->count));
    }
    text_line(x, 0,
              "/* What 0 and 1 do in each state of %s: the next state; and of the values, where those begin that it "
              "pushes, and",
              actor->name);
    text_line(x, 0, "   how many. */");
    text_line(x, 0, "static const svm_Step %s[%zu][2] = {", s->steps, s->table.steps.len / 2);
    text_rows(x, 1, &rows);
    text_line(x, 0, "};\n");
    text_args values = {0};
    for (VEC_EACH(const sir_scalar, v, &s->table.values)) {
        strbuf one;
        strbuf_init(&one, a);
        emit_scalar(&one, actor->filter->output, *v);
        strbuf_addc(&one, ',');
        VEC_PUSH(a, &values, one.data);
    }
    if (values.len == 0)
        VEC_PUSH(a, &values, "0");
    text_line(x, 0, "static const %s %s[%zu] = {", s->stored, s->values, values.len);
    text_rows(x, 1, &values);
    text_line(x, 0, "};\n");
}

// Where steady states say how many firings there are, firings that are told apart: of a bit each.
static bool may_be_paced(const program_emitter *x, uint32_t kernel, const sir_filter *f)
{
    const sir_rate *pop = &f->work->pop;
    return !x->net->kernels.data[kernel].paced ||
           (!pop->dynamic && pop->min == 1 && pop->max == 1 && f->prework == NULL);
}

const program_steps *program_find_steps(program_emitter *x, uint32_t kernel, const sir_actor *actor, const char *base)
{
    const sir_filter *f = actor->filter;
    bool ends = actor->inputs.len != 0 && actor->inputs.data[0] != SIR_NONE && actor->outputs.len != 0 &&
                actor->outputs.data[0] != SIR_NONE;
    if (!pass_looks_up_bits(x->p, x->e.module) || !ends || !may_be_paced(x, kernel, f) ||
        program_receives(x, (uint32_t)x->net->kernels.data[kernel].actors.data[0]))
        return NULL;
    program_steps *s = ARENA_NEW(x->e.arena, program_steps);
    size_t size;
    if (!sir_find_steps(x->e.arena, x->net->whole, f, &s->table))
        return NULL;
    s->item = emit_item_name(&x->e, f->output);
    s->stored = stored_type(x, &s->table, f->output, &size);
    if (!choose_bits(x, s, size))
        return NULL;
    emit_tables(x, s, actor, base);
    diag_remark(x->p->diag, sir_range(x->m, x->p->sources, f->work->loc),
                "'%s' has %zu states: what %d bits do is looked up at once [steps]", f->name, s->table.steps.len / 2,
                s->bits);
    return s;
}

void program_steps_members(program_emitter *x, const program_steps *s)
{
    size_t rows = s->table.steps.len / 2 << s->bits;
    text_line(x, 1, "uint32_t state; /* times %d */", 1 << s->bits);
    text_line(x, 1, "bool ready; /* the tables of %d bits are there: by state and bits */", s->bits);
    text_line(x, 1, "uint32_t next[%zu];", rows);
    text_line(x, 1, "uint8_t counts[%zu];", rows);
    text_line(x, 1, "%s pushed[%zu][%" PRIu32 "];", s->stored, rows, s->width);
}

void program_steps_run(program_emitter *x, const program_steps *s)
{
    const char *item = s->item;
    text_line(x, 1, "if (!self->ready)");
    text_line(x, 2, "svm_stepsJoin(%s, %zu, %d, %s, sizeof *%s, %" PRIu32 ", self->next, self->counts, self->pushed);",
              s->steps, s->table.steps.len / 2, s->bits, s->values, s->values, s->width);
    text_line(x, 1, "self->ready = true;");
    text_line(x, 1, "size_t state = self->state;");
    text_line(x, 1, "while (svm_dynamicBegin(dynamic)) {");
    text_line(x, 2, "const char *in = dynamic->front;");
    text_line(x, 2, "%s *out = (%s *)dynamic->back;", item, item);
    text_line(x, 2, "for (ptrdiff_t fit; (fit = svm_stepsFit(dynamic, in, %d, out, %" PRIu32 " * sizeof *out)) > 0;)",
              s->bits, s->width);
    text_line(x, 3, "for (; fit > 0; fit--) {");
    text_line(x, 4, "const size_t bits = svm_stepBits%d(in), at = state + bits;", s->bits);
    text_line(x, 4, "%s pushed[%" PRIu32 "];", s->stored, s->width);
    text_line(x, 4, "memcpy(pushed, self->pushed[at], sizeof pushed);");
    text_line(x, 4, "for (int i = 0; i < %" PRIu32 "; i++)", s->width);
    text_line(x, 5, "out[i] = pushed[i];");
    text_line(x, 4, "in += %d;", s->bits);
    text_line(x, 4, "out += self->counts[at];");
    text_line(x, 4, "state = (self->next + bits)[state];");
    text_line(x, 3, "}");
    text_line(x, 2, "if (in != dynamic->front) {");
    text_line(x, 3, "svm_stepsTaken(dynamic, in, out);");
    text_line(x, 2, "} else { /* a bit */");
    text_line(x, 3, "const svm_Step *step = &%s[state >> %d][*(const unsigned char *)svm_dynamicPop(dynamic, 1)];",
              s->steps, s->bits);
    text_line(x, 3, "for (uint32_t i = 0; i < step->count; i++)");
    text_line(x, 4, "*(%s *)svm_dynamicPush(dynamic, sizeof *out) = %s[step->first + i];", item, s->values);
    text_line(x, 3, "state = (size_t)step->next << %d;", s->bits);
    text_line(x, 2, "}");
    text_line(x, 2, "svm_dynamicDone(dynamic);");
    text_line(x, 1, "}");
    text_line(x, 1, "self->state = (uint32_t)state;");
}
