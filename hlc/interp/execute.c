// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytecode machine. One function runs a burst of firings of one actor; each instruction jumps to the next.
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The header leaves this function to its user. It is never reached here: divisors are checked first.
#define svm_divideByZero vm_divide_by_zero
#include "runtime/include/svm/arith.h"

#include "hlc/interp/interp_int.h"

#pragma GCC diagnostic ignored "-Wpedantic" // labels as values

_Noreturn void vm_divide_by_zero(const char *where)
{
    (void)where;
    abort();
}

static svm_Complex z_of(word w)
{
    return svm_complex(w.c.re, w.c.im);
}

static word w_of(svm_Complex z)
{
    word w;
    w.c.re = z.real;
    w.c.im = z.imag;
    return w;
}

static double next_random(uint64_t *state)
{
    uint64_t mask = (UINT64_C(1) << 48) - 1;
    *state = (*state * UINT64_C(0x5DEECE66D) + 0xB) & mask;
    uint64_t high = *state >> 22;
    *state = (*state * UINT64_C(0x5DEECE66D) + 0xB) & mask;
    return (double)((high << 27) + (*state >> 21)) / (double)(UINT64_C(1) << 53);
}

static strbuf *print_of(vm *v)
{
    vm_actor *a = v->actor;
    if (a->print == NULL) {
        a->print = ARENA_NEW(v->arena, strbuf);
        strbuf_init(a->print, v->arena);
    }
    return a->print;
}

static void print_real(vm *v, double x)
{
    if (x != x)
        strbuf_add(print_of(v), "nan");
    else
        strbuf_printf(print_of(v), "%f", x);
}

static word math(const vm *v, const vm_insn *ip, word a, word b)
{
    const sir_type *t = v->program->m->scalar[ip->d >> 8];
    sir_scalar x, y, result;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    sir_eval_math((lang_math_op)(ip->d & 255), t, x, y, &result);
    memcpy(&a, &result, sizeof a);
    return a;
}

// A frame on the stack for a call; NULL when there are too many. Chunks stay where they are: registers hold pointers.
static word *push_frame(vm *v, const vm_function *f)
{
    size_t constants = f->constants.len, words = constants + (size_t)f->frame_words + 1;
    while (v->chunk < v->chunks.len && v->top + words > v->chunks.data[v->chunk].cap) {
        v->chunk++;
        v->top = 0;
    }
    if (v->chunk == v->chunks.len) {
        size_t cap = words > 65536 ? words : 65536;
        if (v->stack_words + cap > VM_MAX_STACK_WORDS)
            return NULL;
        v->stack_words += cap;
        VEC_PUSH(v->arena, &v->chunks, (vm_chunk){ARENA_ARRAY(v->arena, word, cap), cap});
        v->top = 0;
    }
    word *frame = v->chunks.data[v->chunk].data + v->top + constants;
    v->top += words;
    for (size_t i = 0; i < constants; i++)
        frame[-1 - (ptrdiff_t)i] = f->constants.data[i];
    return frame;
}

static bool stop(vm *v, vm_trap trap, const vm_function *f, const vm_insn *ip, int64_t value, int64_t limit)
{
    v->trap = trap;
    v->trap_function = f;
    v->trap_at = (size_t)(ip - f->code.data);
    v->trap_value = value;
    v->trap_limit = limit;
    return false;
}

#define NEXT                                                                                                           \
    do {                                                                                                               \
        ip++;                                                                                                          \
        goto *label[ip->op];                                                                                           \
    } while (0)
#define GO(distance)                                                                                                   \
    do {                                                                                                               \
        ip += (distance);                                                                                              \
        goto *label[ip->op];                                                                                           \
    } while (0)
#define STOP(trap, value, limit)                                                                                       \
    do {                                                                                                               \
        v->operations = operations;                                                                                    \
        return stop(v, trap, f, ip, value, limit);                                                                     \
    } while (0)

// What the firing has moved, whatever the channels know yet.
static int64_t popped_by(const vm *v, const word *in, const word *pop_end)
{
    const vm_dynamic *dynamic = v->dynamic;
    if (dynamic == NULL)
        return v->pop - (pop_end - in) / (ptrdiff_t)v->in_item;
    if (dynamic->in == SIR_NONE)
        return 0;
    const vm_channel *c = &dynamic->interp->channels[dynamic->in];
    return dynamic->popped + (in - (c->data + c->head)) / (ptrdiff_t)c->item;
}

static int64_t pushed_by(const vm *v, const word *out, const word *out_end)
{
    const vm_dynamic *dynamic = v->dynamic;
    if (dynamic == NULL)
        return v->push - (out_end - out) / (ptrdiff_t)v->out_item;
    if (dynamic->out == SIR_NONE)
        return 0;
    const vm_channel *c = &dynamic->interp->channels[dynamic->out];
    return dynamic->pushed + (out - (c->data + c->tail)) / (ptrdiff_t)c->item;
}

#define A (R[ip->a])
#define B (R[ip->b])
#define C (R[ip->c])
#define D (R[ip->d])
// Instructions of one shape.
#define SIMPLE(name, out, expression)                                                                                  \
    L_##name : A.out = expression;                                                                                     \
    NEXT;
#define OPERATORS(prefix, type)                                                                                        \
    SIMPLE(prefix##ADD, type, B.type + C.type)                                                                         \
    SIMPLE(prefix##SUB, type, B.type - C.type)                                                                         \
    SIMPLE(prefix##MUL, type, (B.type) * (C.type))                                                                     \
    SIMPLE(prefix##DIV, type, B.type / C.type)                                                                         \
    SIMPLE(prefix##NEG, type, -B.type)
#define COMPARISONS(prefix, type)                                                                                      \
    SIMPLE(prefix##EQ, i, B.type == C.type)                                                                            \
    SIMPLE(prefix##NE, i, B.type != C.type)                                                                            \
    SIMPLE(prefix##LT, i, B.type < C.type)                                                                             \
    SIMPLE(prefix##LE, i, B.type <= C.type)                                                                            \
    SIMPLE(prefix##GT, i, B.type > C.type)                                                                             \
    SIMPLE(prefix##GE, i, B.type >= C.type)
#define BRANCH(name, condition)                                                                                        \
    L_##name : if (condition) GO(ip->d);                                                                               \
    NEXT;
#define BRANCHES(suffix, type)                                                                                         \
    BRANCH(JEQ##suffix, A.type == B.type)                                                                              \
    BRANCH(JNE##suffix, A.type != B.type)                                                                              \
    BRANCH(JLT##suffix, A.type < B.type)                                                                               \
    BRANCH(JLE##suffix, A.type <= B.type)                                                                              \
    BRANCH(JGT##suffix, A.type > B.type)                                                                               \
    BRANCH(JGE##suffix, A.type >= B.type)
#define UNLESS_BRANCHES(suffix, type)                                                                                  \
    BRANCH(JNLT##suffix, !(A.type < B.type))                                                                           \
    BRANCH(JNLE##suffix, !(A.type <= B.type))                                                                          \
    BRANCH(JNGT##suffix, !(A.type > B.type))                                                                           \
    BRANCH(JNGE##suffix, !(A.type >= B.type))
// Loads and stores with a subscript.
#define CHECK(subscript, length)                                                                                       \
    do {                                                                                                               \
        if ((uint32_t)(subscript) >= (uint32_t)(length))                                                               \
            STOP(VM_TRAP_INDEX, subscript, (uint32_t)(length));                                                        \
    } while (0)
#define LOADS(suffix, base)                                                                                            \
    L_LDX##suffix:                                                                                                     \
    {                                                                                                                  \
        const int32_t x = C.i;                                                                                         \
        CHECK(x, ip->d);                                                                                               \
        A = (base)[x];                                                                                                 \
        NEXT;                                                                                                          \
    }                                                                                                                  \
    L_LDO##suffix:                                                                                                     \
    {                                                                                                                  \
        A = (base)[C.i];                                                                                               \
        NEXT;                                                                                                          \
    }
#define STORES(suffix, base)                                                                                           \
    L_STX##suffix:                                                                                                     \
    {                                                                                                                  \
        const int32_t x = B.i;                                                                                         \
        CHECK(x, ip->c);                                                                                               \
        (base)[x] = D;                                                                                                 \
        NEXT;                                                                                                          \
    }                                                                                                                  \
    L_STO##suffix:                                                                                                     \
    {                                                                                                                  \
        (base)[B.i] = C;                                                                                               \
        NEXT;                                                                                                          \
    }

// ---- Filters with dynamic rates ----

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// Cursors at the ends of the channels, which stop where the declared window and the declared pushes do, too.
static void set_cursors(const vm_dynamic *dynamic, const word **in, const word **pop_end, const word **peek_end,
                        word **out, word **out_end)
{
    static const word nothing = {.bits = 0};
    const vm *v = &dynamic->machine;
    *in = *pop_end = *peek_end = &nothing;
    *out = *out_end = (word *)(uintptr_t)&nothing; // nothing is written there: its end is its beginning
    if (dynamic->in != SIR_NONE) {
        const vm_channel *c = &dynamic->interp->channels[dynamic->in];
        int64_t have = (int64_t)((c->tail - c->head) / c->item);
        int64_t may_pop = v->pop < 0 ? have : least(have, v->pop - dynamic->popped);
        int64_t may_peek = v->peek < 0 ? have : least(have, v->peek - dynamic->popped);
        *in = c->data + c->head;
        *pop_end = *in + (size_t)may_pop * c->item;
        *peek_end = *in + (size_t)may_peek * c->item;
    }
    if (dynamic->out != SIR_NONE) {
        const vm_channel *c = &dynamic->interp->channels[dynamic->out];
        int64_t room = least((int64_t)((c->cap - c->tail) / c->item), interp_room_in(c));
        int64_t may_push = v->push < 0 ? room : least(room, v->push - dynamic->pushed);
        *out = c->data + c->tail;
        *out_end = *out + (size_t)may_push * c->item;
    }
}

// What the cursors have moved becomes the channels'.
static void synchronise(vm_dynamic *dynamic, const word *in, const word *out)
{
    if (dynamic->in != SIR_NONE) {
        vm_channel *c = &dynamic->interp->channels[dynamic->in];
        size_t head = (size_t)(in - c->data);
        dynamic->popped += (int64_t)((head - c->head) / c->item);
        c->head = head;
    }
    if (dynamic->out != SIR_NONE) {
        vm_channel *c = &dynamic->interp->channels[dynamic->out];
        size_t tail = (size_t)(out - c->data);
        dynamic->pushed += (int64_t)((tail - c->tail) / c->item);
        c->tail = tail;
    }
}

// Does the firing go on when the input holds that many items? Otherwise it does what was not declared.
static bool may_have(const vm_dynamic *dynamic, vm_trap trap, int64_t items)
{
    const vm *v = &dynamic->machine;
    int64_t limit = trap == VM_TRAP_PEEK ? v->peek : v->pop;
    return dynamic->in != SIR_NONE && items > 0 && (limit < 0 || dynamic->popped + items <= limit);
}

// In a dynamic-rate actor, stops within the firing when the input does not hold enough.
#define NEED_ITEMS(items, trap, value, limit)                                                                          \
    if (dynamic == NULL)                                                                                               \
        STOP(trap, value, limit);                                                                                      \
    synchronise(dynamic, in, out);                                                                                     \
    if (!may_have(dynamic, trap, items))                                                                               \
        STOP(trap, value, limit);                                                                                      \
    needed = items;                                                                                                    \
    goto wait
#define NEED_ROOM                                                                                                      \
    if (dynamic == NULL)                                                                                               \
        STOP(VM_TRAP_PUSH, 0, v->push);                                                                                \
    synchronise(dynamic, in, out);                                                                                     \
    if (v->push >= 0 && dynamic->pushed >= v->push)                                                                    \
        STOP(VM_TRAP_PUSH, 0, v->push);                                                                                \
    needed = 0;                                                                                                        \
    if (interp_room_in(&dynamic->interp->channels[dynamic->out]) == 0)                                                 \
        goto wait;                                                                                                     \
    if (!interp_reserve(dynamic->interp, dynamic->out,                                                                 \
                        least(dynamic->pushed + 64, interp_room_in(&dynamic->interp->channels[dynamic->out])))) {      \
        v->operations = operations;                                                                                    \
        return false;                                                                                                  \
    }                                                                                                                  \
    set_cursors(dynamic, &in, &pop_end, &peek_end, &out, &out_end);                                                    \
    goto *label[ip->op]

bool vm_execute(vm *v, vm_actor *actor, vm_function *start, int64_t count)
{
    static const void *const label[VM_OP_COUNT] = {
#define OP(name, weight) &&L_##name,
#include "hlc/interp/ops.def"
    };
    vm_dynamic *const dynamic = v->dynamic;
    vm_function *f = start;
    const vm_insn *ip = f->code.data;
    word *R = dynamic != NULL ? dynamic->frame[f->source->kind == SIR_PREWORK] : f->frame, *N = NULL;
    word *const S = actor->state;
    const word *const G = v->program->globals;
    const size_t in_item = v->in_item, out_item = v->out_item;
    // Tape cursors of this firing: the next item, behind the last that may be popped, behind the window; the place of
    // the next output, behind the last.
    const word *in = v->in, *pop_end = in, *peek_end = in;
    word *out = v->out, *out_end = out;
    if (dynamic == NULL) {
        pop_end = in + (size_t)v->pop * in_item;
        peek_end = in + (size_t)v->peek * in_item;
        out_end = out + (size_t)v->push * out_item;
    }
    word result = {.bits = 0};
    uint64_t operations = v->operations;
    int64_t needed; // items, by an instruction of a dynamic-rate actor; 0: room
    v->actor = actor;
    if (dynamic != NULL) {
        if (dynamic->stopped) {
            ip = dynamic->ip;
            f = dynamic->f;
            R = dynamic->R;
            N = dynamic->N;
            result = dynamic->result;
            dynamic->stopped = false;
            set_cursors(dynamic, &in, &pop_end, &peek_end, &out, &out_end);
            goto *label[ip->op];
        }
        dynamic->popped = dynamic->pushed = 0;
        set_cursors(dynamic, &in, &pop_end, &peek_end, &out, &out_end);
    }
    v->calls.len = 0;
    v->chunk = v->top = 0;
    goto *label[ip->op];

L_COUNT:
    operations += (uint64_t)ip->a;
    NEXT;
L_MOV:
    A = B;
    NEXT;
L_LDS:
    A = S[ip->b];
    NEXT;
L_STS:
    S[ip->a] = B;
    NEXT;
L_LDP:
    A = B.p[ip->c];
    NEXT;
L_STP:
    A.p[ip->b] = C;
    NEXT;
    LOADS(R, R + ip->b)
    LOADS(S, S + ip->b)
    LOADS(G, G + ip->b)
    LOADS(P, B.p)
    STORES(R, R + ip->a)
    STORES(S, S + ip->a)
    STORES(P, A.p)
L_IX: {
    const int32_t x = B.i;
    CHECK(x, ip->c);
    A.i = x * ip->d;
    NEXT;
}
L_IXA: {
    const int32_t x = B.i;
    CHECK(x, ip->c);
    A.i += x * ip->d;
    NEXT;
}
L_BADINDEX:
    STOP(VM_TRAP_INDEX, ip->a, (uint32_t)ip->b);
L_LEAR:
    A.p = R + ip->b;
    NEXT;
L_LEAS:
    A.p = S + ip->b;
    NEXT;
L_LEAG:
    A.p = v->program->globals + ip->b;
    NEXT;
L_LEAP:
    A.p = B.p + ip->c;
    NEXT;
L_PADD:
    A.p = B.p + C.i;
    NEXT;
L_COPY:
    memmove(A.p, B.p, (size_t)ip->c * sizeof(word));
    NEXT;
L_ZERO:
    memset(&A, 0, (size_t)ip->b * sizeof(word));
    NEXT;

    SIMPLE(IADD, i, svm_iadd(B.i, C.i))
    SIMPLE(ISUB, i, svm_isub(B.i, C.i))
    SIMPLE(IMUL, i, svm_imul(B.i, C.i))
L_IDIV:
    if (C.i == 0)
        STOP(VM_TRAP_DIVIDE, 0, 0);
    A.i = svm_idiv(B.i, C.i, "");
    NEXT;
L_IREM:
    if (C.i == 0)
        STOP(VM_TRAP_DIVIDE, 0, 0);
    A.i = svm_irem(B.i, C.i, "");
    NEXT;
    SIMPLE(IAND, i, B.i & C.i)
    SIMPLE(IOR, i, B.i | C.i)
    SIMPLE(IXOR, i, B.i ^ C.i)
    SIMPLE(ISHL, i, svm_shl(B.i, C.i))
    SIMPLE(ISHR, i, svm_shr(B.i, C.i))
    COMPARISONS(I, i)
    SIMPLE(INEG, i, svm_ineg(B.i))
    SIMPLE(ICOMPL, i, ~B.i)
    SIMPLE(NOT, i, !B.i)
    OPERATORS(F, f)
    COMPARISONS(F, f)
    OPERATORS(D, d)
    COMPARISONS(D, d)

L_CADD:
    A = w_of(svm_cadd(z_of(B), z_of(C)));
    NEXT;
L_CSUB:
    A = w_of(svm_csub(z_of(B), z_of(C)));
    NEXT;
L_CMUL:
    A = w_of(svm_cmul(z_of(B), z_of(C)));
    NEXT;
L_CDIV:
    A = w_of(svm_cdiv(z_of(B), z_of(C)));
    NEXT;
L_CEQ: {
    const bool equal = svm_ceq(z_of(B), z_of(C));
    A.i = equal;
    NEXT;
}
L_CNE: {
    const bool equal = svm_ceq(z_of(B), z_of(C));
    A.i = !equal;
    NEXT;
}
L_CNEG:
    A = w_of(svm_cneg(z_of(B)));
    NEXT;
    SIMPLE(CRE, f, B.c.re)
    SIMPLE(CIM, f, B.c.im)
L_CMAKE:
    A = w_of(svm_complex(B.f, C.f));
    NEXT;
L_CSETRE:
    A = w_of(svm_complex(C.f, B.c.im));
    NEXT;
L_CSETIM:
    A = w_of(svm_complex(B.c.re, C.f));
    NEXT;

    SIMPLE(I2F, f, (float)B.i)
    SIMPLE(I2D, d, (double)B.i)
    SIMPLE(F2I, i, svm_f2i(B.f))
    SIMPLE(D2I, i, svm_d2i(B.d))
    SIMPLE(F2D, d, (double)B.f)
    SIMPLE(D2F, f, (float)B.d)
L_F2C:
    A = w_of(svm_complex(B.f, 0.0F));
    NEXT;
    SIMPLE(FSQRT, f, sqrtf(B.f))
    SIMPLE(FABS, f, svm_fabs(B.f))
    SIMPLE(FMAX, f, svm_fmax(B.f, C.f))
    SIMPLE(FMIN, f, svm_fmin(B.f, C.f))
L_MATH:
    A = math(v, ip, B, C);
    NEXT;

L_JMP:
    GO(ip->a);
    BRANCH(JT, A.i != 0)
    BRANCH(JF, A.i == 0)
    BRANCHES(I, i)
    BRANCHES(F, f)
    UNLESS_BRANCHES(F, f)
    BRANCHES(D, d)
    UNLESS_BRANCHES(D, d)
L_FORUP: {
    const int64_t n = (int64_t)A.i + ip->b;
    if (n < C.i) {
        A.i = (int32_t)n;
        GO(ip->d);
    }
    NEXT;
}
L_FORDOWN: {
    const int64_t n = (int64_t)A.i + ip->b;
    if (n > C.i) {
        A.i = (int32_t)n;
        GO(ip->d);
    }
    NEXT;
}

L_POP:
    if (in == pop_end) {
        NEED_ITEMS(1, VM_TRAP_POP, 0, v->pop);
    }
    A = *in;
    in += in_item;
    NEXT;
L_POPA:
    if (in == pop_end) {
        NEED_ITEMS(1, VM_TRAP_POP, 0, v->pop);
    }
    memcpy(A.p, in, (size_t)ip->c * sizeof(word));
    in += in_item;
    NEXT;
L_DROP:
    if (in == pop_end) {
        NEED_ITEMS(1, VM_TRAP_POP, 0, v->pop);
    }
    in += in_item;
    NEXT;
L_PUSH:
    if (out == out_end) {
        NEED_ROOM;
    }
    *out = A;
    out += out_item;
    NEXT;
L_PUSHA:
    if (out == out_end) {
        NEED_ROOM;
    }
    memmove(out, A.p, (size_t)ip->c * sizeof(word));
    out += out_item;
    NEXT;
L_KEEP:
    VEC_PUSH(v->arena, &v->kept, A);
    NEXT;
L_KEEPA: {
    const word *from = A.p;
    for (int32_t i = 0; i < ip->c; i++)
        VEC_PUSH(v->arena, &v->kept, from[i]);
    NEXT;
}
L_PEEK: {
    const int32_t x = B.i;
    if (x < 0 || (size_t)x * in_item >= (size_t)(peek_end - in)) {
        NEED_ITEMS((int64_t)x + 1, VM_TRAP_PEEK, x, (peek_end - in) / (ptrdiff_t)in_item);
    }
    A = in[(size_t)x * in_item];
    NEXT;
}
L_PEEKA: {
    const int32_t x = B.i;
    if (x < 0 || (size_t)x * in_item >= (size_t)(peek_end - in)) {
        NEED_ITEMS((int64_t)x + 1, VM_TRAP_PEEK, x, (peek_end - in) / (ptrdiff_t)in_item);
    }
    A.p = (word *)in + (size_t)x * in_item; // only read through
    NEXT;
}
L_FETCH: {
    const vm_gathered *g = S[ip->c].g;
    size_t at = 0;
    for (int32_t i = 0; i < ip->d; i++) {
        const int64_t x = R[ip->b + i].i, n = g->extent[i];
        at = at * (size_t)n + (size_t)(x < 0 ? 0 : x >= n ? n - 1 : x);
    }
    A.p = (word *)g->data + at * g->item; // only read through
    NEXT;
}
L_ITER:
    A.i = (int32_t)(uint32_t)(uint64_t)actor->work_firings;
    NEXT;
L_RANDOM:
    A.d = next_random(&actor->random);
    NEXT;

L_PRINTI:
    strbuf_printf(print_of(v), "%d", A.i);
    NEXT;
L_PRINTF:
    print_real(v, A.f);
    NEXT;
L_PRINTD:
    print_real(v, A.d);
    NEXT;
L_PRINTB:
    strbuf_add(print_of(v), A.i ? "true" : "false");
    NEXT;
L_PRINTT: {
    const vm_text *t = &v->program->texts.data[ip->a];
    strbuf_addn(print_of(v), t->text, t->len);
    NEXT;
}

L_PREP: {
    const vm_function *callee = v->program->functions.data[ip->a];
    if (v->calls.len >= VM_MAX_CALLS)
        STOP(VM_TRAP_DEPTH, 0, VM_MAX_CALLS);
    VEC_PUSH(v->arena, &v->calls, (vm_call){NULL, R, f, v->chunk, v->top});
    N = push_frame(v, callee);
    if (N == NULL)
        STOP(VM_TRAP_DEPTH, 0, VM_MAX_CALLS);
    result.bits = (uint64_t)ip->a; // until the call: which function
    NEXT;
}
L_ARG:
    N[ip->a] = B;
    NEXT;
L_ARGA:
    memcpy(N + ip->a, B.p, (size_t)ip->c * sizeof(word));
    NEXT;
L_CALL:
    VEC_LAST(&v->calls).next = ip + 1;
    f = v->program->functions.data[result.bits];
    R = N;
    ip = f->code.data;
    goto *label[ip->op];
L_RESULT:
    A = result;
    NEXT;
L_RETURNA:
    // What it points to stays until the next call: the caller copies it at once.
L_RETURN:
    result = A;
    goto leave;
L_LEAVE:
    result.bits = 0;
leave: {
    const vm_call *call = &v->calls.data[--v->calls.len];
    R = call->frame;
    f = call->function;
    ip = call->next;
    v->chunk = call->chunk;
    v->top = call->top;
    goto *label[ip->op];
}
L_NATIVE:
    STOP(VM_TRAP_NATIVE, ip->a, 0);
L_MARG:
    VEC_PUSH(v->arena, &v->message, A);
    NEXT;
L_MARGA: {
    const word *from = A.p;
    for (int32_t i = 0; i < ip->c; i++)
        VEC_PUSH(v->arena, &v->message, from[i]);
    NEXT;
}
L_SEND:
    if (!interp_send(v, &v->program->sends.data[ip->a], B.i))
        STOP(VM_TRAP_MISSED, B.i, 0);
    NEXT;

L_MOVED:
    A.bits = (uint64_t)(ip->b ? pushed_by(v, out, out_end) : popped_by(v, in, pop_end));
    NEXT;
L_CHECKMOVED: {
    const int64_t moved = (ip->b ? pushed_by(v, out, out_end) : popped_by(v, in, pop_end)) - (int64_t)A.bits;
    const sir_rate *r = ip->b ? &f->source->push : &f->source->pop;
    if ((r->max >= 0 && moved > r->max) || (ip->b && moved < r->min))
        STOP(ip->b ? VM_TRAP_CALL_PUSHED : VM_TRAP_CALL_POPPED, moved, r->min);
    NEXT;
}

L_END:
    if (dynamic != NULL)
        goto end_dynamic;
    if (out != out_end)
        STOP(VM_TRAP_PUSHED, v->push - (out_end - out) / (ptrdiff_t)out_item, v->push);
    actor->work_firings += f->source->kind == SIR_WORK;
    if (--count > 0) {
        in = pop_end;
        pop_end = in + (size_t)v->pop * in_item;
        peek_end = in + (size_t)v->peek * in_item;
        out_end = out + (size_t)v->push * out_item;
        ip = f->code.data;
        goto *label[ip->op];
    }
    v->operations = operations;
    return true;

end_dynamic:
    synchronise(dynamic, in, out);
    if (dynamic->out != SIR_NONE && dynamic->pushed < f->source->push.min)
        STOP(VM_TRAP_PUSHED, dynamic->pushed, f->source->push.min);
    if (dynamic->in != SIR_NONE && dynamic->popped < f->source->pop.min) { // declared pops that it did not make
        vm_channel *c = &dynamic->interp->channels[dynamic->in];
        int64_t left = f->source->pop.min - dynamic->popped;
        if ((int64_t)((c->tail - c->head) / c->item) < left) {
            needed = left;
            goto wait;
        }
        c->head += (size_t)left * c->item;
        dynamic->popped += left;
    }
    actor->work_firings += f->source->kind == SIR_WORK;
    v->operations = operations;
    return true;

wait:
    dynamic->stopped = true;
    dynamic->wanted = needed;
    dynamic->ip = ip;
    dynamic->f = f;
    dynamic->R = R;
    dynamic->N = N;
    dynamic->result = result;
    v->operations = operations;
    return true;
}
