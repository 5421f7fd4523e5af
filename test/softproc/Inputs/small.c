// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small thread functions, and how few instructions they could have: softproc-small COUNT [SEED]. Each is compiled; an integer program
// says whether its operations fit into one instruction less, and into one less again. It must say yes to what the compiler found.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/softproc/Inputs/optimum.h"

enum { LOOKUPS = 3, POOL = 4 * LOOKUPS + 2 + 64, VECTORS = 4, MOST_OVER = 2 };

typedef struct session {
    uint64_t random;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef f32, i32, vector;
    LLVMValueRef pool[POOL];
    unsigned count;
    optimum_problem problem;
    bool taken;
} session;

static uint32_t draw(session *s, uint32_t n)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = (s->random ^ s->random >> 31) * 0x9e3779b97f4a7c15u;
    return (uint32_t)((x >> 32) * n >> 32);
}

static LLVMValueRef number(session *s)
{
    static const double numbers[] = {0.3, 0.7, -1.25, 1.5, 3, 0.5};
    return LLVMConstReal(s->f32, numbers[draw(s, 6)]);
}

static LLVMValueRef call(session *s, const char *name, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMFunctionType(s->f32, &s->f32, 1, false);
    LLVMValueRef callee = LLVMGetNamedFunction(s->module, name);
    return LLVMBuildCall2(s->builder, type, callee != NULL ? callee : LLVMAddFunction(s->module, name, type), &v, 1,
                          "");
}

static LLVMValueRef build(session *s, unsigned op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMBuilderRef r = s->builder;
    switch (op) {
    case 0: return LLVMBuildFAdd(r, a, b, "");
    case 1: return LLVMBuildFSub(r, a, b, "");
    case 2: return LLVMBuildFMul(r, a, b, "");
    case 3: return LLVMBuildSelect(r, LLVMBuildFCmp(r, LLVMRealOLT, a, b, ""), a, b, "");
    case 4: return LLVMBuildSelect(r, LLVMBuildFCmp(r, LLVMRealOGE, a, LLVMConstReal(s->f32, 0), ""), b, c, "");
    case 5: return LLVMBuildFAdd(r, call(s, "llvm.fabs.f32", a), b, "");
    case 6: return LLVMBuildFDiv(r, LLVMConstReal(s->f32, 1), a, "");
    default: return LLVMBuildFAdd(r, LLVMBuildFMul(r, a, b, ""), c, "");
    }
}

// One operation over a few values, side by side or anywhere.
static void add_operations(session *s)
{
    unsigned op = draw(s, 12), lanes = 1 + draw(s, VECTORS), from[3];
    LLVMValueRef fixed[3];
    for (unsigned k = 0; k < 3; k++) {
        from[k] = draw(s, s->count - lanes + 1);
        fixed[k] = draw(s, 4) == 0 ? number(s) : draw(s, 4) == 0 ? s->pool[draw(s, s->count)] : NULL;
    }
    for (unsigned i = 0; i < lanes && s->count < POOL; i++) {
        LLVMValueRef o[3];
        for (unsigned k = 0; k < 3; k++)
            o[k] = fixed[k] != NULL ? fixed[k] : s->pool[from[k] + i];
        s->pool[s->count++] = build(s, op, o[0], o[1], o[2]);
    }
}

static void make_function(session *s)
{
    LLVMTypeRef none = LLVMVoidTypeInContext(s->context), lookup, output;
    s->f32 = LLVMFloatTypeInContext(s->context);
    s->i32 = LLVMInt32TypeInContext(s->context);
    s->vector = LLVMVectorType(s->f32, 4);
    lookup = LLVMFunctionType(s->vector, (LLVMTypeRef[]){s->i32, s->f32, s->f32}, 3, false);
    output = LLVMFunctionType(none, (LLVMTypeRef[]){s->i32, s->vector}, 2, false);
    LLVMValueRef look = LLVMAddFunction(s->module, "svm_spLookup", lookup);
    LLVMValueRef put = LLVMAddFunction(s->module, "svm_spOutput", output);
    LLVMValueRef f =
        LLVMAddFunction(s->module, "thread", LLVMFunctionType(none, (LLVMTypeRef[]){s->f32, s->f32}, 2, false));
    LLVMPositionBuilderAtEnd(s->builder, LLVMAppendBasicBlockInContext(s->context, f, ""));
    s->count = 0;
    for (unsigned n = 1 + draw(s, LOOKUPS), i = 0; i < n; i++) {
        LLVMValueRef at[] = {LLVMConstInt(s->i32, i, false), LLVMGetParam(f, 0), LLVMGetParam(f, 1)};
        LLVMValueRef read = LLVMBuildCall2(s->builder, lookup, look, at, 3, "");
        for (unsigned c = 0; c < 4; c++)
            s->pool[s->count++] = LLVMBuildExtractElement(s->builder, read, LLVMConstInt(s->i32, c, false), "");
    }
    for (unsigned n = 1 + draw(s, 5); n > 0; n--)
        add_operations(s);
    LLVMValueRef v = LLVMGetUndef(s->vector);
    for (unsigned c = 0; c < 4; c++)
        v = LLVMBuildInsertElement(s->builder, v, s->pool[s->count - 1 - draw(s, s->count < 8 ? s->count : 8)],
                                   LLVMConstInt(s->i32, c, false), "");
    LLVMBuildCall2(s->builder, output, put, (LLVMValueRef[]){LLVMConstInt(s->i32, 0, false), v}, 2, "");
    LLVMBuildRetVoid(s->builder);
}

static void see_stage(void *user, spc_stage stage, const spc_function *f)
{
    session *s = user;
    if (stage == SPC_JOINED)
        s->taken = optimum_take(f, &s->problem);
}

// How many instructions the compiler needs.
static unsigned compile_one(session *s, arena *a, uint64_t seed)
{
    source_set sources;
    diag_engine diags;
    spc_program program;
    s->random = seed;
    for (unsigned i = 0; i < 5; i++)
        draw(s, 2);
    source_set_init(&sources, a);
    diag_init(&diags, a, &sources);
    s->context = LLVMContextCreate();
    s->module = LLVMModuleCreateWithNameInContext("small", s->context);
    s->builder = LLVMCreateBuilderInContext(s->context);
    s->taken = false;
    make_function(s);
    spc_request request = {.arena = a, .diag = &diags, .inexact = true, .watcher = &(spc_watcher){see_stage, s}};
    bool good = spc_compile(&request, s->module, "thread", &program);
    diag_flush(&diags, stderr, DIAG_FORMAT_TEXT, false);
    LLVMDisposeBuilder(s->builder);
    LLVMDisposeModule(s->module);
    LLVMContextDispose(s->context);
    return good ? program.alu : 0;
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 10, over[MOST_OVER + 1] = {0}, counted = 0,
                  unknown = 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    bool good = true;
    for (unsigned long n = 0; n < count; seed++) {
        session s = {0};
        arena *a = arena_create();
        unsigned found = compile_one(&s, a, seed), more = 0;
        optimum_answer answer = OPTIMUM_YES;
        if (found == 0 || !s.taken || s.problem.count < 4) {
            arena_destroy(a);
            good = good && found != 0;
            if (!good)
                break;
            continue;
        }
        n++;
        counted += found == s.problem.least;
        if (optimum_fits(a, &s.problem, found) != OPTIMUM_YES) {
            printf("seed %llu: %u operations in %u instructions, which the integer program does not believe\n",
                   (unsigned long long)seed, s.problem.count, found);
            good = false;
        }
        while (more < MOST_OVER && (answer = optimum_fits(a, &s.problem, found - more - 1)) == OPTIMUM_YES)
            more++;
        unknown += answer == OPTIMUM_UNKNOWN;
        over[more]++;
        if (more > 0 || answer == OPTIMUM_UNKNOWN)
            printf("seed %llu: %u operations in %u instructions, %s %u\n", (unsigned long long)seed, s.problem.count,
                   found, answer == OPTIMUM_UNKNOWN ? "unknown below" : "optimum", found - more);
        arena_destroy(a);
    }
    printf(
        "%lu functions: %lu optimal (%lu by counting alone), %lu with one instruction more, %lu with two or more, %lu "
        "unknown\n",
        count, over[0] - unknown, counted, over[1], over[2], unknown);
    bool near = 100 * (over[0] - unknown) >= 85 * count && 20 * over[2] <= count && unknown == 0;
    printf("%s\n", near ? "within limits: at least 85 % optimal, two or more in at most 5 %" : "BEYOND LIMITS");
    return good && near ? 0 : 1;
}
