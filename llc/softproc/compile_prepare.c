// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LLVM does before: calls inlined, vectors taken apart, loops unrolled.
//
// All loops are unrolled if the program fits then: straight code packs best, and needs no steps. If it does not fit, the loops with the
// most rounds stay loops, then those with the next fewer, and so on.
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "llc/softproc/compile.h"

static bool run_passes(diag_engine *d, LLVMModuleRef module, const char *passes)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, false);
    LLVMPassBuilderOptionsSetSLPVectorization(options, false);
    LLVMErrorRef error = LLVMRunPasses(module, passes, NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (error == NULL)
        return true;
    char *message = LLVMGetErrorMessage(error);
    diag_error_at(d, "llvm", "%s", message);
    LLVMDisposeErrorMessage(message);
    return false;
}

static LLVMAttributeRef attribute(LLVMModuleRef module, const char *name)
{
    return LLVMCreateEnumAttribute(LLVMGetModuleContext(module), LLVMGetEnumAttributeKindForName(name, strlen(name)),
                                   0);
}

static bool can_be_inlined(LLVMValueRef f)
{
    static const char no[] = "noinline";
    return LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                       LLVMGetEnumAttributeKindForName(no, sizeof no - 1)) == NULL;
}

// A copy of the module of which only one function is wanted, with all others inlined. No vectors are made of what is none: an attribute
// says that.
static LLVMModuleRef copy_of(LLVMModuleRef module, const char *name)
{
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMModuleRef copy = LLVMCloneModule(module);
    size_t length;
    for (LLVMValueRef f = LLVMGetFirstFunction(copy); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        LLVMAddAttributeAtIndex(f, at, attribute(copy, "noimplicitfloat"));
        if (strcmp(LLVMGetValueName2(f, &length), name) == 0)
            continue;
        LLVMSetLinkage(f, LLVMInternalLinkage);
        if (can_be_inlined(f))
            LLVMAddAttributeAtIndex(f, at, attribute(copy, "alwaysinline"));
    }
    return copy;
}

// ---- Loops that are unrolled ----

// A loop's identity, with something that is to be done with it.
static LLVMValueRef identity(LLVMContextRef context, const char *what)
{
    LLVMMetadataRef word = LLVMMDStringInContext2(context, what, strlen(what));
    LLVMMetadataRef own = LLVMMDStringInContext2(context, "", 0),
                    parts[] = {own, LLVMMDNodeInContext2(context, &word, 1)};
    LLVMMetadataRef node = LLVMMDNodeInContext2(context, parts, 2);
    LLVMValueRef value = LLVMMetadataAsValue(context, node);
    LLVMReplaceMDNodeOperandWith(value, 0, node); // a node of its own, which nothing else shares
    return value;
}

// Which loops stay loops: those of `most` rounds and more, and those that may end before their last round.
typedef struct choice {
    uint32_t most;
    bool early;
} choice;

// A loop of a few rounds is unrolled even if it may end early.
static bool ends_early(const spc_loop *l)
{
    enum { FEW = 16 };
    return l->rounds > FEW && (!l->counted || l->exit == NULL || l->exits > 1);
}

// A number of rounds that is not known may be, once the loop around is unrolled.
static void mark_loops(arena *a, LLVMValueRef function, choice c)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    unsigned kind = LLVMGetMDKindIDInContext(context, "llvm.loop", 9);
    spc_loops loops;
    spc_find_loops(a, function, &loops);
    for (VEC_EACH(spc_edge, e, &loops.back)) {
        const spc_loop *loop = &loops.loops.data[spc_loop_of(&loops, e->to)];
        bool stays = loop->rounds >= c.most || loop->many || (c.early && ends_early(loop));
        LLVMSetMetadata(LLVMGetBasicBlockTerminator(e->from), kind,
                        identity(context, stays ? "llvm.loop.disable_nonforced" : "llvm.loop.unroll.full"));
    }
}

typedef VEC(uint32_t) counts;

static int falling(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

// Numbers of rounds of a function's loops, the largest first. How many instructions it has when they are unrolled goes to *size; whether one
// may end early, to *early.
static void find_counts(arena *a, LLVMValueRef function, counts *out, double *size, bool *early)
{
    spc_loops loops;
    spc_find_loops(a, function, &loops);
    *early = false;
    for (VEC_EACH(spc_loop, l, &loops.loops)) {
        VEC_PUSH(a, out, l->many ? UINT32_MAX : l->rounds);
        *early = *early || ends_early(l);
    }
    *size = 0;
    for (VEC_EACH(spc_block, b, &loops.blocks)) {
        double times = 1;
        for (uint32_t l = b->loop; l != SPC_NONE; l = loops.loops.data[l].parent)
            times *= loops.loops.data[l].many         ? SPC_MOST_ROUNDS
                     : loops.loops.data[l].rounds > 0 ? loops.loops.data[l].rounds
                                                      : 1;
        for (LLVMValueRef in = LLVMGetFirstInstruction(b->block); in != NULL; in = LLVMGetNextInstruction(in))
            *size += times;
    }
    if (out->len > 1)
        qsort(out->data, out->len, sizeof *out->data, falling);
}

// ---- Functions ----

// Other thread functions go before anything costs time. Loops become such that their rounds can be counted.
static const char before[] = "globaldce,always-inline,globaldce,function(sroa<modify-cfg>,early-cse,loop-simplify,"
                             "lcssa,loop(loop-rotate,indvars))";

// Everything becomes straight code of scalars, by the passes of O2: they unroll, and turn conditions into selections. Loops are unrolled
// before anything else, as two reads of an array may become one of a place that is chosen, and never be scalars then. What stays a loop
// has one way in, one block behind it and one at its end. Left out of O2 is what makes neighbouring results unlike each other, since
// like ones are lanes of a register: sums of ints keep their order (reassociate), conditions make no tables, and no code is there twice
// to spare a branch (jump-threading). Loops of neighbouring firings that stay loops become one (loop-fusion).
#define COMBINE "instcombine<no-verify-fixpoint>"
#define LOOPS "loop-simplify,lcssa,loop(loop-rotate,indvars,loop-unroll-full)"
static const char first_passes[] =
    "function(" LOOPS ",sroa<modify-cfg>,early-cse<memssa>,correlated-propagation,simplifycfg)";
static const char other_passes[] =
    "function(" COMBINE ",loop-simplify,lcssa,loop-fusion,aggressive-instcombine,simplifycfg,constraint-elimination,"
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm,loop-rotate,licm,simple-loop-unswitch<no-nontrivial;trivial>),"
    "simplifycfg," COMBINE
    ",loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),sroa<modify-cfg>,gvn,sccp,bdce," COMBINE
    ",correlated-propagation,adce,dse,loop-mssa(licm),"
    "simplifycfg<hoist-common-insts;sink-common-insts>," COMBINE ",scalarizer," COMBINE
    ",early-cse,simplifycfg,dce,lower-switch,unify-loop-exits,loop-simplify,lcssa,scalarizer)";

// ---- Minima of minima ----

// Whether a value is `a > b ? a : b`, or such a minimum.
static bool is_extreme(LLVMValueRef v)
{
    LLVMValueRef condition = LLVMIsASelectInst(v) != NULL ? LLVMGetOperand(v, 0) : NULL;
    if (condition == NULL || LLVMIsAFCmpInst(condition) == NULL || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMFloatTypeKind)
        return false;
    LLVMValueRef a = LLVMGetOperand(condition, 0), b = LLVMGetOperand(condition, 1);
    LLVMValueRef yes = LLVMGetOperand(v, 1), no = LLVMGetOperand(v, 2);
    return (a == yes && b == no) || (a == no && b == yes);
}

// One way or another, through a loop or behind a branch.
static bool feeds_extreme(LLVMValueRef v)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAPHINode(user) != NULL || LLVMIsASelectInst(user) != NULL)
            return true;
    }
    return false;
}

// LLVM takes max(max(a, b), a) for max(a, b), and max(a, min(a, b)) for a, which is wrong for zeros of two signs: each gives its second
// operand of two zeros. It does not look through a fence, which selection passes.
static void fence_extremes(LLVMModuleRef module, LLVMValueRef function)
{
    static const char name[] = "llvm.arithmetic.fence";
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef type = LLVMFloatTypeInContext(context);
    unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
    LLVMValueRef fence = LLVMGetIntrinsicDeclaration(module, id, &type, 1);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != NULL; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef in = LLVMGetFirstInstruction(b), next; in != NULL; in = next) {
            next = LLVMGetNextInstruction(in);
            if (!is_extreme(in) || !feeds_extreme(in))
                continue;
            LLVMPositionBuilderBefore(builder, next);
            LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(in));
            LLVMValueRef call = LLVMBuildCall2(builder, LLVMIntrinsicGetType(context, id, &type, 1), fence, &in, 1, "");
            LLVMReplaceAllUsesWith(in, call);
            LLVMSetOperand(call, 0, in);
        }
    LLVMDisposeBuilder(builder);
}

// Compiles with some loops.
static bool compile_with(const spc_request *r, LLVMModuleRef module, const char *name, choice c, spc_program *out)
{
    LLVMModuleRef copy = LLVMCloneModule(module);
    mark_loops(r->arena, LLVMGetNamedFunction(copy, name), c);
    bool good = run_passes(r->diag, copy, first_passes);
    if (good)
        fence_extremes(copy, LLVMGetNamedFunction(copy, name));
    good = good && run_passes(r->diag, copy, other_passes) &&
           spc_compile_prepared(r, LLVMGetNamedFunction(copy, name), out);
    LLVMDisposeModule(copy);
    return good;
}

static void ignore(LLVMDiagnosticInfoRef info, void *context)
{
    (void)info, (void)context; // a loop that is not unrolled is a loop
}

// First with those loops alone that may end early; then all unrolled, as long as that is not much more than what fits; then with more
// and more loops. The errors are those of all unrolled, or, where that is too much, of the fewest loops.
static bool compile_somehow(const spc_request *r, LLVMModuleRef module, const char *name, spc_program *out)
{
    enum { WORTH_TRYING = 100 * SP_MAX_INSTRUCTIONS };
    counts rounds = {0};
    VEC(choice) choices = {0};
    double size;
    bool early;
    arena *a = r->arena;
    find_counts(a, LLVMGetNamedFunction(module, name), &rounds, &size, &early);
    if (early)
        VEC_PUSH(a, &choices, (choice){UINT32_MAX, true});
    if (size <= WORTH_TRYING)
        VEC_PUSH(a, &choices, (choice){UINT32_MAX, false});
    for (size_t i = 0; i < rounds.len && rounds.data[i] > 1; i++)
        if (i == 0 || rounds.data[i] != rounds.data[i - 1])
            VEC_PUSH(a, &choices, (choice){rounds.data[i], early});
    diag_engine quiet;
    spc_request trial = *r;
    trial.diag = &quiet;
    for (VEC_EACH(choice, c, &choices)) {
        diag_init(&quiet, a, r->diag->sources);
        if (choices.len > 1 && compile_with(&trial, module, name, *c, out))
            return true;
    }
    bool few = size <= WORTH_TRYING || choices.len == 0;
    choice last = few ? (choice){UINT32_MAX, false} : choices.data[0];
    return compile_with(r, module, name, last, out);
}

bool spc_compile(const spc_request *r, LLVMModuleRef module, const char *name, spc_program *out)
{
    LLVMModuleRef copy = copy_of(module, name);
    LLVMContextRef context = LLVMGetModuleContext(copy);
    LLVMContextSetDiagnosticHandler(context, ignore, NULL);
    bool good = run_passes(r->diag, copy, before) && compile_somehow(r, copy, name, out);
    LLVMContextSetDiagnosticHandler(context, NULL, NULL);
    LLVMDisposeModule(copy);
    return good;
}
