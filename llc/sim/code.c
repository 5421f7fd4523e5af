// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From LLVM bitcode, as clang made it of one C file, to the output: firing counters, the optimiser's own pipeline of
// the chosen level, operation counters, and machine code.
#include <errno.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

#include "llc/sim/sim.h"

typedef struct generation {
    llc_session *session;
    const llc_unit *unit;       // or NULL
    const sim_variant *variant; // or NULL
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetMachineRef target;
    LLVMTargetMachineRef optimiser; // what the optimiser takes the target for
    LLVMTargetDataRef layout;
    sim_width width;
} generation;

static bool failed(generation *g, const char *what, const char *message)
{
    diag_internal(g->session->diag, (src_range){0}, "%s failed: %s", what, message == NULL ? "?" : message);
    return false;
}

// Takes LLVM's error.
static bool succeeded(generation *g, const char *what, LLVMErrorRef error)
{
    if (error == NULL)
        return true;
    char *message = LLVMGetErrorMessage(error);
    failed(g, what, message);
    LLVMDisposeErrorMessage(message);
    return false;
}

static bool read_module(generation *g, const char *bitcode)
{
    LLVMMemoryBufferRef buffer;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(bitcode, &buffer, &message) != 0) {
        diag_error_at(g->session->diag, LLC_TOOL, "cannot read '%s': %s", bitcode, message);
        LLVMDisposeMessage(message);
        return false;
    }
    bool good = LLVMParseBitcodeInContext2(g->context, buffer, &g->module) == 0;
    LLVMDisposeMemoryBuffer(buffer);
    return good || failed(g, "reading bitcode", bitcode);
}

static const char *level_text(const llc_session *s)
{
    return strcmp(s->options->level, "fast") == 0 ? "3" : s->options->level;
}

static bool is_for(const char *triple, const char *architecture)
{
    return strncmp(triple, architecture, strlen(architecture)) == 0;
}

static bool make_target(generation *g)
{
    static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault,
                                                 LLVMCodeGenLevelAggressive};
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser(); // inline assembly, of headers say
    LLVMTargetRef target;
    char *message = NULL;
    const char *triple = LLVMGetTarget(g->module);
    if (is_for(triple, "wasm32")) { // SPEs' programs of the Cell emulation
        LLVMInitializeWebAssemblyTargetInfo();
        LLVMInitializeWebAssemblyTarget();
        LLVMInitializeWebAssemblyTargetMC();
        LLVMInitializeWebAssemblyAsmPrinter();
    }
    if (LLVMGetTargetFromTriple(triple, &target, &message) != 0) {
        failed(g, "finding the target", message);
        LLVMDisposeMessage(message);
        return false;
    }
    unsigned level = (unsigned)(level_text(g->session)[0] - '0') & 3;
    g->target = LLVMCreateTargetMachine(target, triple, "", "", levels[level], LLVMRelocPIC, LLVMCodeModelDefault);
    if (g->target == NULL)
        return failed(g, "making code", triple);
    g->layout = LLVMCreateTargetDataLayout(g->target);
    return true;
}

// Code for a virtual machine is optimised as this computer's is, so that it counts what the simulating runtime's does.
static bool make_optimiser(generation *g)
{
    char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
    LLVMTargetRef target;
    g->optimiser = g->target;
    if (is_for(LLVMGetTarget(g->module), "wasm32") && is_for(triple, "x86_64") &&
        LLVMGetTargetFromTriple(triple, &target, &message) == 0)
        g->optimiser = LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                               LLVMCodeModelDefault);
    LLVMDisposeMessage(triple);
    if (message != NULL)
        LLVMDisposeMessage(message);
    return g->optimiser != NULL || failed(g, "making code", "the optimiser's target");
}

// ---- Vectors as the described machine has them ----

// Vectorisation depends on the machine that is described, not on the computer that the simulator runs on: the optimiser
// takes the first for the second. Code generation then makes what this computer has of wider vectors.
typedef struct vector_level {
    uint64_t bytes;
    const char *cpu, *width;
} vector_level;
static const vector_level x86_levels[] = {
    {16, "x86-64-v2", "128"},
    {32, "x86-64-v3", "256"},
    {64, "x86-64-v4", "512"},
};
static const char *const vector_keys[] = {"target-cpu", "target-features", "prefer-vector-width"};
enum { VECTOR_KEYS = sizeof vector_keys / sizeof *vector_keys };

// Values of vector_keys; NULL: not given. Strings of the context.
typedef struct vector_attributes {
    const char *values[VECTOR_KEYS];
} vector_attributes;

static vector_attributes get_attributes(llc_session *s, LLVMValueRef f)
{
    vector_attributes a = {0};
    for (unsigned i = 0; i < VECTOR_KEYS; i++) {
        LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                                                   vector_keys[i], (unsigned)strlen(vector_keys[i]));
        unsigned length;
        if (attribute == NULL)
            continue;
        const char *text = LLVMGetStringAttributeValue(attribute, &length);
        a.values[i] = arena_strndup(s->arena, text, length);
    }
    return a;
}

static void set_attributes(generation *g, LLVMValueRef f, const vector_attributes *a)
{
    for (unsigned i = 0; i < VECTOR_KEYS; i++) {
        unsigned length = (unsigned)strlen(vector_keys[i]);
        LLVMRemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, vector_keys[i], length);
        if (a->values[i] == NULL)
            continue;
        LLVMAttributeRef attribute =
            LLVMCreateStringAttribute(g->context, vector_keys[i], length, a->values[i], (unsigned)strlen(a->values[i]));
        LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
    }
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_attributes(const vector_attributes *a, const vector_attributes *b)
{
    for (unsigned i = 0; i < VECTOR_KEYS; i++)
        if (!same_text(a->values[i], b->values[i]))
            return false;
    return true;
}

// Functions with attributes a get b instead; functions of a program that have others (by a target attribute) keep them,
// unless the optimiser is another computer's.
static void replace_attributes(generation *g, const vector_attributes *a, const vector_attributes *b)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(g->module); f != NULL; f = LLVMGetNextFunction(f)) {
        vector_attributes has = get_attributes(g->session, f);
        if (same_attributes(&has, a) || g->optimiser != g->target)
            set_attributes(g, f, b);
    }
}

static bool first_attributes(generation *g, vector_attributes *a)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(g->module); f != NULL; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f)) {
            *a = get_attributes(g->session, f);
            return true;
        }
    return false;
}

// What the optimiser is told to have; false: nothing else than what there is.
static bool described_attributes(const generation *g, vector_attributes *a)
{
    if (!is_for(LLVMGetTarget(g->module), "x86_64") && g->optimiser == g->target)
        return false;
    for (size_t i = 0; i < sizeof x86_levels / sizeof *x86_levels; i++)
        if (x86_levels[i].bytes == g->width.vector_bytes)
            *a = (vector_attributes){{x86_levels[i].cpu, NULL, x86_levels[i].width}};
    return true;
}

// ---- Optimisation ----

static bool run_passes(generation *g, LLVMTargetMachineRef target, const char *passes, bool vectors, bool unroll)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, vectors);
    LLVMPassBuilderOptionsSetLoopInterleaving(options, vectors);
    LLVMPassBuilderOptionsSetSLPVectorization(options, vectors);
    LLVMPassBuilderOptionsSetLoopUnrolling(options, unroll);
    LLVMErrorRef error = LLVMRunPasses(g->module, passes, target, options);
    LLVMDisposePassBuilderOptions(options);
    return succeeded(g, "optimisation", error);
}

static bool optimise(generation *g)
{
    const char *level = level_text(g->session);
    const char *passes = arena_printf(g->session->arena, "default<O%s>", level);
    bool more = level[0] >= '2'; // as clang has it
    enum { LEAST_VECTOR = 8 };   // two elements of four bytes
    vector_attributes given, described;
    bool described_first = first_attributes(g, &given) && described_attributes(g, &described);
    if (described_first)
        replace_attributes(g, &given, &described);
    if (!run_passes(g, g->optimiser, passes, more && g->width.simd_bytes >= LEAST_VECTOR, more))
        return false;
    if (described_first)
        replace_attributes(g, &described, &given);
    return true;
}

// Counters of a loop stay in registers, and become a product where its trips are known before it begins.
static bool hoist_counters(generation *g)
{
    if (g->session->options->level[0] == '0')
        return true;
    return run_passes(g, g->target,
                      "function(loop-mssa(licm),loop(indvars,loop-deletion),instcombine<no-verify-fixpoint>)", false,
                      false);
}

// ---- Output ----

static bool write_output(generation *g, const char *path, const char *text, size_t length)
{
    if (file_write(path, text, length))
        return true;
    diag_error_at(g->session->diag, LLC_TOOL, "cannot write '%s': %s", path, strerror(errno));
    return false;
}

static bool write_ir(generation *g, const char *path)
{
    char *text = LLVMPrintModuleToString(g->module);
    bool good = write_output(g, path, text, strlen(text));
    LLVMDisposeMessage(text);
    return good;
}

static bool write_code(generation *g, llc_output output, const char *path)
{
    LLVMMemoryBufferRef buffer;
    char *message = NULL;
    LLVMCodeGenFileType type = output == LLC_OUTPUT_ASM ? LLVMAssemblyFile : LLVMObjectFile;
    if (LLVMTargetMachineEmitToMemoryBuffer(g->target, g->module, type, &message, &buffer) != 0) {
        failed(g, "code generation", message);
        LLVMDisposeMessage(message);
        return false;
    }
    bool good = write_output(g, path, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    LLVMDisposeMemoryBuffer(buffer);
    return good;
}

static bool verify(generation *g)
{
    char *message = NULL;
    bool good = LLVMVerifyModule(g->module, LLVMReturnStatusAction, &message) == 0 || failed(g, "counting", message);
    LLVMDisposeMessage(message);
    return good;
}

// Annotations have been read from the text; here they would only keep every marked function alive.
static void drop_annotations(generation *g)
{
    LLVMValueRef annotations = LLVMGetNamedGlobal(g->module, "llvm.global.annotations");
    if (annotations != NULL)
        LLVMDeleteGlobal(annotations);
}

static bool generate(generation *g, const char *bitcode, llc_output output, const char *path)
{
    if (!read_module(g, bitcode) || !make_target(g) || !make_optimiser(g))
        return false;
    drop_annotations(g);
    if (g->unit != NULL && g->variant != NULL && !g->variant->change(g->session, g->unit, g->module))
        return false;
    sim_insert_firing_counters(g->session, g->unit, g->module);
    if (!optimise(g))
        return false;
    sim_counter counter = {g->width, g->layout};
    sim_insert_operation_counters(g->session, &counter, g->module);
    if (!verify(g) || !hoist_counters(g))
        return false;
    return output == LLC_OUTPUT_LLVM_IR ? write_ir(g, path) : write_code(g, output, path);
}

// Errors are the compiler's own. That a loop could not be vectorised though its text asks for it, and other warnings, are
// for who wrote the text, whom clang tells.
static void hear(LLVMDiagnosticInfoRef info, void *context)
{
    generation *g = context;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *message = LLVMGetDiagInfoDescription(info);
    failed(g, "code generation", message);
    LLVMDisposeMessage(message);
}

bool sim_generate(llc_session *s, const llc_unit *unit, const char *bitcode, const sim_variant *variant,
                  llc_output output, const char *path)
{
    // C beside SVM C counts for the machine of the first SVM C file.
    const llc_unit *described = unit != NULL ? unit : s->units.len > 0 ? s->units.data[0] : NULL;
    generation g = {.session = s, .unit = unit, .variant = variant, .context = LLVMContextCreate()};
    LLVMContextSetDiagnosticHandler(g.context, hear, &g);
    g.width = described == NULL ? (sim_width){8, 16} : sim_width_of(described->machine);
    bool good = generate(&g, bitcode, output, path);
    if (g.layout != NULL)
        LLVMDisposeTargetData(g.layout);
    if (g.optimiser != NULL && g.optimiser != g.target)
        LLVMDisposeTargetMachine(g.optimiser);
    if (g.target != NULL)
        LLVMDisposeTargetMachine(g.target);
    if (g.module != NULL)
        LLVMDisposeModule(g.module);
    LLVMContextDispose(g.context);
    return good;
}
