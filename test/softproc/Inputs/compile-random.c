// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random thread functions: softproc-compile-random COUNT [SEED]. Each is made as LLVM IR and computed here at the same time, for
// all threads of a small domain; then it is compiled, and what each stage of each strategy has, the functional and the cycle model
// must leave the same outputs, bit for bit. Values stay finite, which is what selections by comparisons are exact for. What fails is
// printed with its seed.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llc/softproc/compile.h"
#include "runtime/softproc/cycle.h"
#include "test/softproc/Inputs/evaluate.h"

enum { WIDTH = 8, HEIGHT = 3, THREADS = WIDTH * HEIGHT, INPUTS = 2, SIDE = 16, OUTPUTS = 4, MOST = 600 };
enum { ELEMENT = 16, INPUT_BYTES = SIDE * SIDE * ELEMENT, OUTPUT_BYTES = WIDTH * HEIGHT * ELEMENT };

typedef struct known {
    LLVMValueRef ir;
    float v[THREADS];
    bool read; // a component of what was looked up: no constant, whatever LLVM does
} known;

typedef struct session {
    uint64_t random, seed;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMValueRef function, lookup, output, floor, fabs, special[3];
    LLVMTypeRef type, f32, vector;
    known pool[MOST];
    unsigned count;
    float input[INPUTS][SIDE][SIDE][4];
    float expected[OUTPUTS][THREADS][4];
    unsigned written; // outputs
    bool loops;
    unsigned long stages; // executed
    uint8_t memory[INPUTS * INPUT_BYTES + OUTPUTS * OUTPUT_BYTES];
} session;

static uint32_t draw(session *s, uint32_t n)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = (s->random ^ s->random >> 31) * 0x9e3779b97f4a7c15u;
    return (uint32_t)((x >> 32) * n >> 32);
}

static bool chance(session *s, uint32_t percent)
{
    return draw(s, 100) < percent;
}

static void failed(session *s, const char *what)
{
    char *text = LLVMPrintModuleToString(s->module);
    printf("seed %llu: %s\n%s", (unsigned long long)s->seed, what, text);
    exit(1);
}

// ---- Values ----

static known *add(session *s, const known *k)
{
    bool fine = s->count < MOST;
    for (unsigned i = 0; i < THREADS; i++)
        fine = fine && fabsf(k->v[i]) < 1e5f;
    if (!fine)
        return NULL;
    s->pool[s->count] = *k;
    return &s->pool[s->count++];
}

static known number(session *s, float value)
{
    known k = {LLVMConstReal(s->f32, (double)value), {0}, false};
    for (unsigned i = 0; i < THREADS; i++)
        k.v[i] = value;
    return k;
}

static known constant(session *s)
{
    static const float easy[] = {0, -0.0f, 0.5f, 1, -1, 2, -0.5f, 4};
    float value = chance(s, 50) ? easy[draw(s, 8)] : ((float)draw(s, 4000) - 2000) / 256;
    return number(s, value);
}

static known pick(session *s)
{
    if (chance(s, 20))
        return constant(s);
    // Late ones more often.
    unsigned window = chance(s, 60) && s->count > 12 ? 12 : s->count;
    return s->pool[s->count - 1 - draw(s, window)];
}

static bool holds(unsigned predicate, float a, float b)
{
    switch (predicate) {
    case LLVMRealOEQ: return a == b;
    case LLVMRealOGT: return a > b;
    case LLVMRealOGE: return a >= b;
    case LLVMRealOLT: return a < b;
    case LLVMRealOLE: return a <= b;
    default: return a != b;
    }
}

static const LLVMRealPredicate predicates[] = {LLVMRealOEQ, LLVMRealOGT, LLVMRealOGE,
                                               LLVMRealOLT, LLVMRealOLE, LLVMRealUNE};
static LLVMTypeRef unary_type(session *s)
{
    return LLVMFunctionType(s->f32, &s->f32, 1, false);
}

typedef enum kind {
    ADD,
    SUB,
    MUL,
    MULADD,
    NEG,
    ABS,
    FLOOR,
    SELECT,
    EXTREME,
    BOUND,
    ROOT,
    POWER,
    LOGARITHM,
    INVERSE,
    KINDS
} kind;

static float computed(kind op, LLVMRealPredicate p, float a, float b, float c, float d)
{
    volatile float product;
    switch (op) {
    case ADD: return a + b;
    case SUB: return a - b;
    case MUL: return a * b;
    case MULADD: product = a * b; return product + c;
    case NEG: return -a;
    case ABS: return fabsf(a);
    case FLOOR: return floorf(a);
    case SELECT: return holds(p, a, b) ? c : d;
    case BOUND: return holds(p, a + b, d) ? c : b;
    case ROOT: product = (float)(1 / sqrt((double)a)); return (float)(1 / (double)product);
    case POWER: return (float)exp2((double)a);
    case LOGARITHM: return (float)log2((double)a);
    case INVERSE: product = (float)(1 / (double)b); return product * a;
    default: return holds(p, a, b) ? a : b;
    }
}

static known build(session *s, kind op, LLVMRealPredicate p, const known *a, const known *b, const known *c,
                   const known *d)
{
    known k = {NULL, {0}, false};
    LLVMBuilderRef r = s->builder;
    switch (op) {
    case ADD: k.ir = LLVMBuildFAdd(r, a->ir, b->ir, ""); break;
    case SUB: k.ir = LLVMBuildFSub(r, a->ir, b->ir, ""); break;
    case MUL: k.ir = LLVMBuildFMul(r, a->ir, b->ir, ""); break;
    case MULADD: k.ir = LLVMBuildFAdd(r, LLVMBuildFMul(r, a->ir, b->ir, ""), c->ir, ""); break;
    case NEG: k.ir = LLVMBuildFNeg(r, a->ir, ""); break;
    case ABS: k.ir = LLVMBuildCall2(r, unary_type(s), s->fabs, (LLVMValueRef[]){a->ir}, 1, ""); break;
    case FLOOR: k.ir = LLVMBuildCall2(r, unary_type(s), s->floor, (LLVMValueRef[]){a->ir}, 1, ""); break;
    case BOUND:
        k.ir = LLVMBuildSelect(r, LLVMBuildFCmp(r, p, LLVMBuildFAdd(r, a->ir, b->ir, ""), d->ir, ""), c->ir, b->ir, "");
        break;
    case ROOT: k.ir = LLVMBuildCall2(r, unary_type(s), s->special[0], (LLVMValueRef[]){a->ir}, 1, ""); break;
    case POWER: k.ir = LLVMBuildCall2(r, unary_type(s), s->special[1], (LLVMValueRef[]){a->ir}, 1, ""); break;
    case LOGARITHM: k.ir = LLVMBuildCall2(r, unary_type(s), s->special[2], (LLVMValueRef[]){a->ir}, 1, ""); break;
    case INVERSE: k.ir = LLVMBuildFDiv(r, a->ir, b->ir, ""); break;
    case SELECT: k.ir = LLVMBuildSelect(r, LLVMBuildFCmp(r, p, a->ir, b->ir, ""), c->ir, d->ir, ""); break;
    default: k.ir = LLVMBuildSelect(r, LLVMBuildFCmp(r, p, a->ir, b->ir, ""), a->ir, b->ir, "");
    }
    for (unsigned i = 0; i < THREADS; i++)
        k.v[i] = computed(op, p, a->v[i], b->v[i], c->v[i], d->v[i]);
    return k;
}

// The same operation four times over neighbouring values, as vectors have it, or once.
static void add_operation(session *s)
{
    kind op = (kind)draw(s, KINDS);
    LLVMRealPredicate p = predicates[op == EXTREME ? (chance(s, 50) ? 1 : 3) : draw(s, 6)];
    unsigned lanes = chance(s, 50) && s->count >= 4 ? 4 : 1, from[4];
    bool broadcast[4];
    known fixed[4];
    for (unsigned k = 0; k < 4; k++) {
        from[k] = lanes == 4 ? draw(s, s->count - 3) : 0;
        broadcast[k] = lanes == 1 || chance(s, 30);
        fixed[k] = pick(s);
    }
    for (unsigned i = 0; i < lanes; i++) {
        known o[4];
        for (unsigned k = 0; k < 4; k++)
            o[k] = broadcast[k] ? fixed[k] : chance(s, 8) ? constant(s) : s->pool[from[k] + i];
        if (op == BOUND)
            o[3] = number(s, ldexpf(1, (int)draw(s, 9) - 5));
        // LLVM computes special operations of constants, and rounds them as C does.
        if (op >= ROOT && !(op == INVERSE ? o[1].read : o[0].read))
            continue;
        known result = build(s, op, p, &o[0], &o[1], &o[2], &o[3]);
        add(s, &result);
    }
}

// A whole number within an input: by the thread's place, or from any value.
static known coordinate(session *s)
{
    known zero = {LLVMConstReal(s->f32, 0), {0}, false}, k = zero;
    unsigned how = draw(s, 4);
    if (how < 2) {
        k = s->pool[draw(s, 2)];
        float offset = (float)draw(s, 6);
        known o = {LLVMConstReal(s->f32, (double)offset), {0}, false};
        for (unsigned i = 0; i < THREADS; i++)
            o.v[i] = offset;
        return chance(s, 40) ? k : build(s, ADD, 0, &k, &o, &zero, &zero);
    }
    if (how == 2) {
        float at = (float)draw(s, SIDE);
        k.ir = LLVMConstReal(s->f32, (double)at);
        for (unsigned i = 0; i < THREADS; i++)
            k.v[i] = at;
        return k;
    }
    known v = pick(s), seven = {LLVMConstReal(s->f32, 7.5), {0}, false};
    for (unsigned i = 0; i < THREADS; i++)
        seven.v[i] = 7.5f;
    known whole = build(s, FLOOR, 0, &v, &zero, &zero, &zero);
    known fraction = build(s, SUB, 0, &v, &whole, &zero, &zero);
    known scaled = build(s, MUL, 0, &fraction, &seven, &zero, &zero);
    return build(s, FLOOR, 0, &scaled, &zero, &zero, &zero);
}

static void add_lookup(session *s)
{
    known at[2] = {coordinate(s), coordinate(s)};
    unsigned input = draw(s, INPUTS);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->context);
    LLVMTypeRef type = LLVMFunctionType(s->vector, (LLVMTypeRef[]){i32, s->f32, s->f32}, 3, false);
    LLVMValueRef read = LLVMBuildCall2(s->builder, type, s->lookup,
                                       (LLVMValueRef[]){LLVMConstInt(i32, input, false), at[0].ir, at[1].ir}, 3, "");
    for (unsigned c = 0; c < 4; c++) {
        known k = {LLVMBuildExtractElement(s->builder, read, LLVMConstInt(i32, c, false), ""), {0}, false};
        for (unsigned i = 0; i < THREADS; i++)
            k.v[i] = s->input[input][(int)at[1].v[i]][(int)at[0].v[i]][c];
        k.read = true;
        add(s, &k);
    }
}

// Both ways of a branch have a few operations; what one of them made joins what the other made.
static void add_branch(session *s, unsigned depth)
{
    known a = pick(s), b = pick(s), joined = {NULL, {0}, false};
    LLVMRealPredicate p = predicates[draw(s, 6)];
    LLVMValueRef condition = LLVMBuildFCmp(s->builder, p, a.ir, b.ir, ""), value[2];
    LLVMBasicBlockRef way[2], end = LLVMAppendBasicBlockInContext(s->context, s->function, "");
    unsigned before = s->count;
    float v[2][THREADS];
    for (unsigned k = 0; k < 2; k++)
        way[k] = LLVMAppendBasicBlockInContext(s->context, s->function, "");
    LLVMBuildCondBr(s->builder, condition, way[0], way[1]);
    for (unsigned k = 0; k < 2; k++) {
        LLVMPositionBuilderAtEnd(s->builder, way[k]);
        for (unsigned n = draw(s, 4); n > 0; n--)
            add_operation(s);
        if (depth < 2 && chance(s, 25))
            add_branch(s, depth + 1);
        known made = pick(s);
        value[k] = made.ir;
        memcpy(v[k], made.v, sizeof made.v);
        way[k] = LLVMGetInsertBlock(s->builder);
        LLVMBuildBr(s->builder, end);
        s->count = before; // nothing of it dominates what follows
    }
    LLVMPositionBuilderAtEnd(s->builder, end);
    joined.ir = LLVMBuildPhi(s->builder, s->f32, "");
    LLVMAddIncoming(joined.ir, value, way, 2);
    for (unsigned i = 0; i < THREADS; i++)
        joined.v[i] = v[holds(p, a.v[i], b.v[i]) ? 0 : 1][i];
    add(s, &joined);
}

// ---- Loops ----

enum { CARRIED = 3, OPERATIONS = 6, LOOKED_UP = 4, LOCALS = CARRIED + 1 + LOOKED_UP + OPERATIONS };

// What a round computes: locals are what is carried, the counter, an element of an input, and results.
typedef struct round_operation {
    kind op;
    LLVMRealPredicate p;
    known fixed[4]; // operands from outside
    int from[4];    // locals, or -1
    unsigned to;
} round_operation;

typedef struct loop {
    unsigned carried, operations, rounds, row;
    round_operation operation[OPERATIONS];
    known begin[CARRIED], local[LOCALS];
    unsigned next[CARRIED], locals, watched; // next: locals
    bool breaks;
    float bound;
} loop;

static LLVMValueRef integer(session *s, unsigned v)
{
    return LLVMConstInt(LLVMInt32TypeInContext(s->context), v, false);
}

static void build_round(session *s, loop *l, LLVMValueRef counter)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->context);
    LLVMTypeRef type = LLVMFunctionType(s->vector, (LLVMTypeRef[]){i32, s->f32, s->f32}, 3, false);
    l->local[CARRIED].ir = LLVMBuildSIToFP(s->builder, counter, s->f32, "");
    LLVMValueRef column = LLVMBuildAnd(s->builder, counter, integer(s, SIDE - 1), "");
    LLVMValueRef at[] = {integer(s, 1), LLVMBuildSIToFP(s->builder, column, s->f32, ""),
                         LLVMConstReal(s->f32, (double)l->row)};
    LLVMValueRef read = LLVMBuildCall2(s->builder, type, s->lookup, at, 3, "");
    for (unsigned c = 0; c < LOOKED_UP; c++)
        l->local[CARRIED + 1 + c].ir = LLVMBuildExtractElement(s->builder, read, integer(s, c), "");
    l->locals = CARRIED + 1 + LOOKED_UP;
    for (unsigned i = 0; i < l->operations; i++) {
        round_operation *o = &l->operation[i];
        const known *operand[4];
        *o = (round_operation){.op = (kind)draw(s, EXTREME + 1), .to = l->locals};
        o->p = predicates[o->op == EXTREME ? (chance(s, 50) ? 1 : 3) : draw(s, 6)];
        for (unsigned k = 0; k < 4; k++) {
            unsigned which = draw(s, l->locals - (CARRIED - l->carried));
            o->fixed[k] = pick(s);
            o->from[k] = chance(s, 75) ? (int)(which < l->carried ? which : which + CARRIED - l->carried) : -1;
            operand[k] = o->from[k] < 0 ? &o->fixed[k] : &l->local[o->from[k]];
        }
        l->local[l->locals++] = build(s, o->op, o->p, operand[0], operand[1], operand[2], operand[3]);
    }
}

// One thread's rounds; false where a value is too large.
static bool run_rounds(const session *s, const loop *l, unsigned thread, float result[CARRIED])
{
    float v[LOCALS] = {0};
    for (unsigned i = 0; i < l->carried; i++)
        v[i] = l->begin[i].v[thread];
    for (unsigned round = 0; round < l->rounds; round++) {
        float next[CARRIED];
        v[CARRIED] = (float)round;
        for (unsigned c = 0; c < LOOKED_UP; c++)
            v[CARRIED + 1 + c] = s->input[1][l->row][round % SIDE][c];
        for (unsigned i = 0; i < l->operations; i++) {
            const round_operation *o = &l->operation[i];
            float a[4];
            for (unsigned k = 0; k < 4; k++)
                a[k] = o->from[k] < 0 ? o->fixed[k].v[thread] : v[o->from[k]];
            v[o->to] = computed(o->op, o->p, a[0], a[1], a[2], a[3]);
            if (!(fabsf(v[o->to]) < 1e5f))
                return false;
        }
        if (l->breaks && v[l->watched] > l->bound)
            break;
        for (unsigned i = 0; i < l->carried; i++)
            next[i] = v[l->next[i]];
        memcpy(v, next, l->carried * sizeof *v);
    }
    memcpy(result, v, CARRIED * sizeof *v);
    return true;
}

// A loop that carries a few values, and may be left before its last round. What becomes too large is left unused.
static void add_loop(session *s)
{
    static const unsigned rounds[] = {2, 5, 20, 60, 300, 307};
    loop *l = calloc(1, sizeof *l);
    if (l == NULL)
        exit(1);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->context);
    l->carried = 1 + draw(s, CARRIED);
    l->operations = 1 + draw(s, OPERATIONS);
    l->rounds = rounds[draw(s, 6)];
    l->row = draw(s, SIDE);
    l->breaks = chance(s, 50);
    l->bound = (float)draw(s, 64) - 16;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(s->builder);
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(s->context, s->function, "");
    LLVMBasicBlockRef latch = LLVMAppendBasicBlockInContext(s->context, s->function, "");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(s->context, s->function, "");
    for (unsigned i = 0; i < l->carried; i++)
        l->begin[i] = pick(s);
    LLVMBuildBr(s->builder, body);
    LLVMPositionBuilderAtEnd(s->builder, body);
    LLVMValueRef counter = LLVMBuildPhi(s->builder, i32, "");
    for (unsigned i = 0; i < l->carried; i++)
        l->local[i].ir = LLVMBuildPhi(s->builder, s->f32, "");
    build_round(s, l, counter);
    l->watched = l->locals - 1;
    if (l->breaks)
        LLVMBuildCondBr(s->builder,
                        LLVMBuildFCmp(s->builder, LLVMRealOGT, l->local[l->watched].ir,
                                      LLVMConstReal(s->f32, (double)l->bound), ""),
                        end, latch);
    else
        LLVMBuildBr(s->builder, latch);
    LLVMPositionBuilderAtEnd(s->builder, latch);
    LLVMValueRef more = LLVMBuildAdd(s->builder, counter, integer(s, 1), "");
    LLVMBuildCondBr(s->builder, LLVMBuildICmp(s->builder, LLVMIntSLT, more, integer(s, l->rounds), ""), body, end);
    LLVMAddIncoming(counter, (LLVMValueRef[]){integer(s, 0), more}, (LLVMBasicBlockRef[]){before, latch}, 2);
    LLVMPositionBuilderAtEnd(s->builder, end);
    for (unsigned i = 0; i < l->carried; i++) {
        l->next[i] = chance(s, 30) ? draw(s, l->carried) : l->locals - 1 - draw(s, l->operations);
        LLVMAddIncoming(l->local[i].ir, (LLVMValueRef[]){l->begin[i].ir, l->local[l->next[i]].ir},
                        (LLVMBasicBlockRef[]){before, latch}, 2);
    }
    known result[CARRIED] = {0};
    bool fine = true;
    for (unsigned i = 0; i < l->carried; i++) {
        result[i].ir = LLVMBuildPhi(s->builder, s->f32, "");
        LLVMAddIncoming(result[i].ir, &l->local[l->next[i]].ir, &latch, 1);
        if (l->breaks)
            LLVMAddIncoming(result[i].ir, &l->local[i].ir, &body, 1);
    }
    for (unsigned k = 0; k < THREADS && fine; k++) {
        float v[CARRIED];
        fine = run_rounds(s, l, k, v);
        for (unsigned i = 0; i < l->carried && fine; i++)
            result[i].v[k] = v[i];
    }
    for (unsigned i = 0; i < l->carried && fine; i++)
        add(s, &result[i]);
    free(l);
}

static void add_output(session *s, unsigned n)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->context);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(s->context), (LLVMTypeRef[]){i32, s->vector}, 2, false);
    LLVMValueRef v = LLVMGetUndef(s->vector);
    unsigned from = chance(s, 60) && s->count >= 4 ? draw(s, s->count - 3) : MOST;
    for (unsigned c = 0; c < 4; c++) {
        known k = from < MOST ? s->pool[from + c] : pick(s);
        v = LLVMBuildInsertElement(s->builder, v, k.ir, LLVMConstInt(i32, c, false), "");
        for (unsigned i = 0; i < THREADS; i++)
            s->expected[n][i][c] = k.v[i];
    }
    LLVMBuildCall2(s->builder, type, s->output, (LLVMValueRef[]){LLVMConstInt(i32, n, false), v}, 2, "");
    s->written |= 1u << n;
}

// ---- Functions ----

static LLVMValueRef declare(session *s, const char *name, LLVMTypeRef result, LLVMTypeRef *parameters, unsigned count)
{
    return LLVMAddFunction(s->module, name, LLVMFunctionType(result, parameters, count, false));
}

static void make_function(session *s)
{
    LLVMTypeRef none = LLVMVoidTypeInContext(s->context), i32 = LLVMInt32TypeInContext(s->context);
    s->f32 = LLVMFloatTypeInContext(s->context);
    s->vector = LLVMVectorType(s->f32, 4);
    s->lookup = declare(s, "svm_spLookup", s->vector, (LLVMTypeRef[]){i32, s->f32, s->f32}, 3);
    s->output = declare(s, "svm_spOutput", none, (LLVMTypeRef[]){i32, s->vector}, 2);
    s->floor = declare(s, "llvm.floor.f32", s->f32, &s->f32, 1);
    s->fabs = declare(s, "llvm.fabs.f32", s->f32, &s->f32, 1);
    s->special[0] = declare(s, "llvm.sqrt.f32", s->f32, &s->f32, 1);
    s->special[1] = declare(s, "llvm.exp2.f32", s->f32, &s->f32, 1);
    s->special[2] = declare(s, "llvm.log2.f32", s->f32, &s->f32, 1);
    s->function = declare(s, "thread", none, (LLVMTypeRef[]){s->f32, s->f32}, 2);
    LLVMPositionBuilderAtEnd(s->builder, LLVMAppendBasicBlockInContext(s->context, s->function, ""));
    s->count = s->written = 0;
    for (unsigned k = 0; k < 2; k++) {
        known place = {LLVMGetParam(s->function, k), {0}, false};
        for (unsigned i = 0; i < THREADS; i++)
            place.v[i] = (float)(k == 0 ? i % WIDTH : i / WIDTH);
        add(s, &place);
    }
    for (unsigned n = 2 + draw(s, 30); n > 0; n--) {
        unsigned what = draw(s, s->loops ? 14 : 12);
        if (what < 3)
            add_lookup(s);
        else if (what == 3)
            add_branch(s, 0);
        else if (what >= 12)
            add_loop(s);
        else
            add_operation(s);
    }
    for (unsigned n = 0; n < OUTPUTS; n++)
        if (n == 0 || chance(s, 40))
            add_output(s, n);
    LLVMBuildRetVoid(s->builder);
}

// ---- Runs ----

static void fill(session *s)
{
    for (unsigned n = 0; n < INPUTS; n++)
        for (unsigned i = 0; i < SIDE * SIDE * 4; i++)
            s->input[n][i / 4 / SIDE][i / 4 % SIDE][i % 4] =
                chance(s, 20) ? (float)draw(s, 3) - 1 : ((float)draw(s, 20000) - 10000) / 1024;
    memset(s->memory, 0, sizeof s->memory);
    memcpy(s->memory, s->input, sizeof s->input);
}

static void compare(session *s, const char *model)
{
    for (unsigned n = 0; n < OUTPUTS; n++)
        for (unsigned i = 0; i < THREADS && (s->written >> n & 1) != 0; i++)
            for (unsigned c = 0; c < 4; c++) {
                float got;
                memcpy(&got, s->memory + INPUTS * INPUT_BYTES + n * OUTPUT_BYTES + i * ELEMENT + 4 * c, sizeof got);
                if (memcmp(&got, &s->expected[n][i][c], sizeof got) == 0)
                    continue;
                printf("%s: thread (%u, %u), o%u component %u: %a, expected %a\n", model, i % WIDTH, i / WIDTH, n, c,
                       (double)got, (double)s->expected[n][i][c]);
                failed(s, "another value");
            }
}

static void run(session *s, const sp_program *p)
{
    static const svm_SpParameters machine = {.clock = 1e8,
                                             .batches = 3,
                                             .threads = 4,
                                             .aluStages = 9,
                                             .operandReads = 3,
                                             .addressStages = 2,
                                             .returnStages = 1,
                                             .outstandingReads = 5,
                                             .memoryLatency = 300e-9,
                                             .linkBandwidth = 1.6e9,
                                             .requestBytes = 8,
                                             .responseHeader = 4,
                                             .writeHeader = 8,
                                             .largestPacket = 64,
                                             .outputQueue = 2,
                                             .registers = 128,
                                             .registerBytes = 16,
                                             .instructions = 512};
    sp_core c;
    svm_SpCounters counters = {0};
    sp_results results;
    if (!sp_core_init(&c, p))
        failed(s, "out of memory");
    for (unsigned n = 0; n < INPUTS; n++)
        c.input[n] = (sp_buffer){true, n * INPUT_BYTES, SIDE, SIDE, SIDE, ELEMENT, SVM_SP_FLOAT32_4, SVM_SP_LINEAR};
    for (unsigned n = 0; n < OUTPUTS; n++)
        c.output[n] = (sp_buffer){
            true,         INPUTS * INPUT_BYTES + n * OUTPUT_BYTES, WIDTH, WIDTH, HEIGHT, ELEMENT, SVM_SP_FLOAT32_4,
            SVM_SP_LINEAR};
    c.memory = s->memory;
    c.memory_size = sizeof s->memory;
    c.x1 = WIDTH - 1;
    c.y1 = HEIGHT - 1;
    if (!sp_core_check(&c) || !sp_run_functional(&c, 100000, &counters))
        failed(s, c.fault);
    compare(s, "functional");
    memset(s->memory + INPUTS * INPUT_BYTES, 0, OUTPUTS * OUTPUT_BYTES);
    if (!sp_run_cycles(&c, &machine, &(sp_cycle_options){.policy = SP_OLDEST, .max_cycles = 10000000}, &results, NULL))
        failed(s, c.fault);
    compare(s, "cycles");
    sp_core_free(&c);
}

// ---- Stages ----

// The coordinates of threads without a bound may be anywhere, where what is looked up is not used.
static void read_element(void *user, unsigned input, float s, float t, float out[4])
{
    const session *from = user;
    bool inside = s >= 0 && s < SIDE && t >= 0 && t < SIDE;
    memset(out, 0, 4 * sizeof *out);
    if (inside)
        memcpy(out, from->input[input][(int)t][(int)s], 4 * sizeof *out);
}

// Some of the threads, other ones in each stage.
static void see_stage(void *user, spc_stage stage, const spc_function *f)
{
    enum { EACH = 11 };
    session *s = user;
    evaluator *e = evaluator_create(&(evaluated){f, stage, NULL, read_element, s});
    for (unsigned i = s->stages++ % EACH; i < THREADS; i += EACH) {
        float out[OUTPUTS][4] = {{0}};
        const char *fault = evaluator_run(e, (float)(i % WIDTH), (float)(i / WIDTH), out);
        for (unsigned k = 0; k < OUTPUTS * 4 && fault == NULL; k++)
            if ((s->written >> k / 4 & 1) != 0 && memcmp(&out[k / 4][k % 4], &s->expected[k / 4][i][k % 4], 4) != 0) {
                printf("%s: thread (%u, %u), o%u component %u: %a, expected %a\n", stage_names[stage], i % WIDTH,
                       i / WIDTH, k / 4, k % 4, (double)out[k / 4][k % 4], (double)s->expected[k / 4][i][k % 4]);
                failed(s, "another value");
            }
        if (fault != NULL) {
            printf("%s: ", stage_names[stage]);
            failed(s, fault);
        }
    }
}

// False when the function is too large.
// Too large, or, of loops that LLVM has unrolled or taken apart, with a lookup on a way that is no branch of C's.
static bool is_refusal(const char *message)
{
    return strstr(message, "needs more than") != NULL || strstr(message, "a lookup under a condition") != NULL;
}

static bool run_one(session *s, uint64_t seed)
{
    source_set sources;
    diag_engine diags;
    spc_program program;
    arena *a = arena_create();
    s->random = s->seed = seed;
    for (unsigned i = 0; i < 5; i++)
        draw(s, 2);
    source_set_init(&sources, a);
    diag_init(&diags, a, &sources);
    s->context = LLVMContextCreate();
    s->module = LLVMModuleCreateWithNameInContext("random", s->context);
    s->builder = LLVMCreateBuilderInContext(s->context);
    fill(s);
    s->loops = s->seed % 2 == 0;
    make_function(s);
    spc_request request = {.arena = a, .diag = &diags, .inexact = true, .watcher = &(spc_watcher){see_stage, s}};
    bool fine = spc_compile(&request, s->module, "thread", &program);
    if (fine)
        run(s, program.program);
    else if (diags.records.len == 0 || !is_refusal(diags.records.data[0]->message))
        failed(s, diags.records.len == 0 ? "no reason" : diags.records.data[0]->message);
    LLVMDisposeBuilder(s->builder);
    LLVMDisposeModule(s->module);
    LLVMContextDispose(s->context);
    arena_destroy(a);
    return fine;
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    session *s = calloc(1, sizeof *s);
    unsigned long large = 0;
    if (s == NULL)
        return 1;
    for (unsigned long i = 0; i < count; i++)
        large += !run_one(s, seed + i);
    printf("%lu thread functions agree, %lu refused; %lu stages of them agree\n", count - large, large, s->stages);
    free(s);
    return 0;
}
