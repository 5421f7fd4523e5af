// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread functions in LLVM IR. A copy of the module gets, for each one, a function that compile.h can take: planes become
// numbers of inputs and outputs, lookups and outputs the machine's. In the module itself each
// launch gets the program in place of the function.
#include "llc/softproc/threads.h"

#include <string.h>

#include <llvm-c/Transforms/PassBuilder.h>

#include "llc/softproc/softproc.h"

typedef struct preparation {
    llc_session *session;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
} preparation;

static unsigned attribute_kind(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

// ---- Lookups and outputs ----

static LLVMTypeRef element_type(const preparation *p)
{
    return LLVMVectorType(LLVMFloatTypeInContext(p->context), 4);
}

// A function of ours in place of one of svm/launch.h, which nobody else sees. The builder is in it.
static LLVMValueRef replace(preparation *p, const char *name)
{
    LLVMValueRef old = LLVMGetNamedFunction(p->module, name);
    if (old == NULL)
        return NULL;
    LLVMValueRef f = LLVMAddFunction(p->module, "", LLVMGlobalGetValueType(old));
    LLVMReplaceAllUsesWith(old, f);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMPositionBuilderAtEnd(p->builder, LLVMAppendBasicBlockInContext(p->context, f, ""));
    return f;
}

static LLVMValueRef component(preparation *p, LLVMValueRef element, unsigned i)
{
    LLVMTypeRef real = LLVMFloatTypeInContext(p->context);
    LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(p->context), i, false);
    return LLVMBuildGEP2(p->builder, real, element, &at, 1, "");
}

static LLVMValueRef index_of(const preparation *p, unsigned i)
{
    return LLVMConstInt(LLVMInt32TypeInContext(p->context), i, false);
}

static LLVMValueRef plane_number(preparation *p, LLVMValueRef plane)
{
    return LLVMBuildPtrToInt(p->builder, plane, LLVMInt32TypeInContext(p->context), "");
}

// One of the machine's functions, which compile_select.c knows.
static LLVMValueRef machine_function(preparation *p, const char *name, LLVMTypeRef type)
{
    LLVMValueRef f = LLVMGetNamedFunction(p->module, name);
    return f != NULL ? f : LLVMAddFunction(p->module, name, type);
}

// An int is a float in the machine: svm_spWhole is the int that a float is, svm_spNumber the float.
static LLVMValueRef convert(preparation *p, LLVMValueRef v, bool to_int)
{
    LLVMTypeRef real = LLVMFloatTypeInContext(p->context), word = LLVMInt32TypeInContext(p->context);
    LLVMTypeRef from = to_int ? real : word, type = LLVMFunctionType(to_int ? word : real, &from, 1, false);
    return LLVMBuildCall2(p->builder, type, machine_function(p, to_int ? "svm_spWhole" : "svm_spNumber", type), &v, 1,
                          "");
}

// svm_lookup(element, in, s, t), or svm_lookupInts
static void replace_lookup(preparation *p, const char *name, bool ints)
{
    LLVMTypeRef real = LLVMFloatTypeInContext(p->context);
    LLVMTypeRef parameters[] = {LLVMInt32TypeInContext(p->context), real, real};
    LLVMTypeRef type = LLVMFunctionType(element_type(p), parameters, 3, false);
    LLVMValueRef f = replace(p, name);
    if (f == NULL)
        return;
    LLVMValueRef arguments[] = {plane_number(p, LLVMGetParam(f, 1)), LLVMGetParam(f, 2), LLVMGetParam(f, 3)};
    LLVMValueRef v = LLVMBuildCall2(p->builder, type, machine_function(p, "svm_spLookup", type), arguments, 3, "");
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef one = LLVMBuildExtractElement(p->builder, v, index_of(p, i), "");
        LLVMBuildStore(p->builder, ints ? convert(p, one, true) : one, component(p, LLVMGetParam(f, 0), i));
    }
    LLVMBuildRetVoid(p->builder);
}

// svm_output(out, x, y, element), or svm_outputInts
static void replace_output(preparation *p, const char *name, bool ints)
{
    LLVMTypeRef real = LLVMFloatTypeInContext(p->context), item = ints ? LLVMInt32TypeInContext(p->context) : real;
    LLVMTypeRef parameters[] = {LLVMInt32TypeInContext(p->context), real, real, element_type(p)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(p->context), parameters, 4, false);
    LLVMValueRef f = replace(p, name);
    if (f == NULL)
        return;
    LLVMValueRef v = LLVMGetUndef(element_type(p));
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef one = LLVMBuildLoad2(p->builder, item, component(p, LLVMGetParam(f, 3), i), "");
        v = LLVMBuildInsertElement(p->builder, v, ints ? convert(p, one, false) : one, index_of(p, i), "");
    }
    LLVMValueRef arguments[] = {plane_number(p, LLVMGetParam(f, 0)), LLVMGetParam(f, 1), LLVMGetParam(f, 2), v};
    LLVMBuildCall2(p->builder, type, machine_function(p, "svm_spOutputAt", type), arguments, 4, "");
    LLVMBuildRetVoid(p->builder);
}

// svm_f2i(v) of svm/arith.h: what is bounded needs no look at the ends of all ints. What is not is refused.
static void replace_conversion(preparation *p)
{
    LLVMValueRef f = replace(p, "svm_f2i");
    if (f != NULL)
        LLVMBuildRet(p->builder,
                     LLVMBuildFPToSI(p->builder, LLVMGetParam(f, 0), LLVMInt32TypeInContext(p->context), ""));
}

// ---- Thread functions ----

// f(x, y, scalars) takes the name of the thread function, which it calls with numbers for its planes.
static void add_entry(preparation *p, const llc_function *thread)
{
    enum { MOST = 2 + SP_MAX_INPUTS + SP_MAX_OUTPUTS };
    LLVMTypeRef real = LLVMFloatTypeInContext(p->context), pointer = LLVMPointerTypeInContext(p->context, 0);
    size_t count = strlen(thread->parameters) + 2, scalars = 2, planes[2] = {0, 0};
    LLVMTypeRef *types = ARENA_ARRAY(p->session->arena, LLVMTypeRef, count);
    LLVMValueRef *arguments = ARENA_ARRAY(p->session->arena, LLVMValueRef, count);
    LLVMValueRef body = LLVMGetNamedFunction(p->module, thread->name);
    for (size_t i = 0; i < count; i++)
        types[i] = real;
    for (const char *k = thread->parameters; *k != '\0'; k++)
        scalars += *k == 's';
    LLVMSetValueName2(body, "", 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(p->context), types, (unsigned)scalars, false);
    LLVMValueRef f = LLVMAddFunction(p->module, thread->name, type);
    LLVMPositionBuilderAtEnd(p->builder, LLVMAppendBasicBlockInContext(p->context, f, ""));
    size_t scalar = 0;
    for (size_t i = 0; i < count; i++) {
        char kind = i < 2 ? 's' : thread->parameters[i - 2];
        LLVMValueRef n =
            LLVMConstInt(LLVMInt64TypeInContext(p->context), kind == 's' ? 0 : planes[kind == 'o']++, false);
        arguments[i] = kind == 's' ? LLVMGetParam(f, (unsigned)scalar++) : LLVMConstIntToPtr(n, pointer);
    }
    LLVMBuildCall2(p->builder, LLVMGlobalGetValueType(body), body, arguments, (unsigned)count, "");
    LLVMBuildRetVoid(p->builder);
}

static bool is_entry(LLVMValueRef f, const thread_programs *threads)
{
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    for (VEC_EACH(const thread_program, t, threads))
        if (strcmp(t->function->name, name) == 0)
            return true;
    return false;
}

// Nobody but the entries keeps anything alive, and they get everything inlined.
static void keep_entries(preparation *p, const thread_programs *threads)
{
    static const char *const keepers[] = {"llvm.used", "llvm.compiler.used", "llvm.global_ctors", "llvm.global_dtors"};
    static const char *const hindrances[] = {"optnone", "noinline"};
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    for (size_t i = 0; i < sizeof keepers / sizeof *keepers; i++) {
        LLVMValueRef g = LLVMGetNamedGlobal(p->module, keepers[i]);
        if (g != NULL)
            LLVMDeleteGlobal(g);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(p->module); g != NULL; g = LLVMGetNextGlobal(g))
        if (!LLVMIsDeclaration(g))
            LLVMSetLinkage(g, LLVMInternalLinkage);
    for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || is_entry(f, threads))
            continue;
        LLVMSetLinkage(f, LLVMInternalLinkage);
        for (size_t i = 0; i < sizeof hindrances / sizeof *hindrances; i++)
            LLVMRemoveEnumAttributeAtIndex(f, at, attribute_kind(hindrances[i]));
        LLVMAddAttributeAtIndex(f, at, LLVMCreateEnumAttribute(p->context, attribute_kind("alwaysinline"), 0));
    }
}

// ---- Compiling ----

static void drop_unreachable(LLVMModuleRef module)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, "globaldce", NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (error != NULL)
        LLVMConsumeError(error);
}

static void prepare(preparation *p, const thread_programs *threads)
{
    replace_lookup(p, "svm_lookup", false);
    replace_lookup(p, "svm_lookupInts", true);
    replace_conversion(p);
    replace_output(p, "svm_output", false);
    replace_output(p, "svm_outputInts", true);
    for (VEC_EACH(const thread_program, t, threads))
        add_entry(p, t->function);
    keep_entries(p, threads);
    drop_unreachable(p->module);
}

// Constants that have a scalar in a component are given too, with 0 there until it is launched.
static void give_constants(const spc_program *p)
{
    for (size_t i = 0; i < p->scalar_count; i++)
        sp_set_bit(p->program->given_floats, p->scalars[i].constant);
}

static bool compile_one(const preparation *p, LLVMModuleRef module, thread_program *t)
{
    llc_session *s = p->session;
    const llc_function *of = t->function;
    spc_request request = {.arena = s->arena,
                           .diag = s->diag,
                           .range = of->range,
                           .inexact = s->options->target_fp,
                           .least = (double)of->int_least,
                           .most = (double)of->int_most};
    for (const char *k = of->parameters; *k != '\0'; k++)
        request.inputs += *k == 'i';
    diag_engine quiet;
    diag_init(&quiet, s->arena, s->diag->sources);
    request.diag = of->optional ? &quiet : s->diag;
    if (spc_compile(&request, module, of->name, &t->program)) {
        give_constants(&t->program);
        return true;
    }
    t->program.program = NULL;
    if (of->optional)
        diag_warning(s->diag, WARN_THREAD, of->range, "launches of '%s' are loops, as it cannot be compiled: %s",
                     of->name, quiet.records.len > 0 ? quiet.records.data[0]->message : "nothing says why");
    return of->optional;
}

// Each is compiled in a copy of the module, so it has few others: of many a half is taken, of that a half, and so on.
static bool compile_some(const preparation *p, LLVMModuleRef module, thread_program *threads, size_t count)
{
    enum { FEW = 6 };
    bool good = true;
    for (size_t i = 0; i < count && count <= FEW && good; i++)
        good = compile_one(p, module, &threads[i]);
    for (size_t half = 0; half < 2 && count > FEW && good; half++) {
        size_t first = half * (count / 2), behind = half == 0 ? count / 2 : count;
        LLVMModuleRef part = LLVMCloneModule(module);
        for (size_t i = 0; i < count; i++)
            if (i < first || i >= behind)
                LLVMSetLinkage(LLVMGetNamedFunction(part, threads[i].function->name), LLVMInternalLinkage);
        drop_unreachable(part);
        good = compile_some(p, part, threads + first, behind - first);
        LLVMDisposeModule(part);
    }
    return good;
}

bool threads_compile(llc_session *s, const llc_unit *unit, LLVMModuleRef module, thread_programs *out)
{
    for (VEC_EACH(const llc_function, f, &unit->functions))
        if (f->role == LLC_FIRE && f->thread && LLVMGetNamedFunction(module, f->name) != NULL)
            VEC_PUSH(s->arena, out, (thread_program){.function = f});
    if (out->len == 0)
        return true;
    preparation p = {.session = s, .context = LLVMGetModuleContext(module), .module = LLVMCloneModule(module)};
    p.builder = LLVMCreateBuilderInContext(p.context);
    prepare(&p, out);
    bool good = compile_some(&p, p.module, out->data, out->len);
    LLVMDisposeBuilder(p.builder);
    LLVMDisposeModule(p.module);
    return good;
}

// ---- Linking ----

typedef struct linker {
    llc_session *session;
    LLVMContextRef context;
    LLVMModuleRef module;
} linker;

static LLVMValueRef hidden_global(const linker *l, const char *name, LLVMValueRef value, bool constant)
{
    LLVMValueRef g = LLVMAddGlobal(l->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(g, value);
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetGlobalConstant(g, constant);
    return g;
}

static LLVMValueRef text_global(const linker *l, const char *text)
{
    return hidden_global(l, "svm_text", LLVMConstStringInContext2(l->context, text, strlen(text), false), true);
}

static LLVMValueRef scalars_global(const linker *l, const spc_program *p)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(l->context);
    LLVMValueRef *words = ARENA_ARRAY(l->session->arena, LLVMValueRef, 3 * p->scalar_count + 1);
    for (size_t i = 0; i < p->scalar_count; i++) {
        words[3 * i] = LLVMConstInt(word, p->scalars[i].scalar, false);
        words[3 * i + 1] = LLVMConstInt(word, p->scalars[i].constant, false);
        words[3 * i + 2] = LLVMConstInt(word, p->scalars[i].component, false);
    }
    return hidden_global(l, "svm_scalars", LLVMConstArray2(word, words, 3 * p->scalar_count), true);
}

// Tables that are inputs, with how many numbers each has, and whether they are ints. The numbers are constants of the context.
static LLVMValueRef tables_global(const linker *l, const spc_program *p)
{
    LLVMTypeRef count = LLVMInt64TypeInContext(l->context);
    LLVMTypeRef types[] = {LLVMPointerTypeInContext(l->context, 0), count, count};
    LLVMTypeRef type = LLVMStructTypeInContext(l->context, types, 3, false);
    LLVMValueRef *tables = ARENA_ARRAY(l->session->arena, LLVMValueRef, p->tables.len + 1);
    for (size_t i = 0; i < p->tables.len; i++) {
        const spc_table *t = &p->tables.data[i];
        LLVMValueRef fields[] = {hidden_global(l, "svm_table", t->numbers, true),
                                 LLVMConstInt(count, t->elements, false), LLVMConstInt(count, t->ints, false)};
        tables[i] = LLVMConstStructInContext(l->context, fields, 3, false);
    }
    return hidden_global(l, "svm_tables", LLVMConstArray2(type, tables, p->tables.len), true);
}

// svm_ThreadProgram of runtime/softproc/launch.h.
static LLVMValueRef program_global(const linker *l, const thread_program *t)
{
    size_t size;
    const char *container = (const char *)sp_container(l->session->arena, t->program.program, &size);
    LLVMTypeRef count = LLVMInt64TypeInContext(l->context), real = LLVMDoubleTypeInContext(l->context);
    LLVMValueRef bytes = LLVMConstStringInContext2(l->context, container, size, true);
    LLVMValueRef fields[] = {text_global(l, t->function->name),
                             text_global(l, t->function->parameters),
                             hidden_global(l, "svm_container", bytes, true),
                             LLVMConstInt(count, size, false),
                             scalars_global(l, &t->program),
                             LLVMConstInt(count, t->program.scalar_count, false),
                             tables_global(l, &t->program),
                             LLVMConstInt(count, t->program.tables.len, false),
                             LLVMConstInt(count, t->function->firings, false),
                             LLVMConstReal(real, t->function->start),
                             LLVMConstReal(real, t->function->per_thread),
                             LLVMConstReal(real, t->function->least),
                             LLVMConstInt(count, (uint64_t)t->function->int_least, true),
                             LLVMConstInt(count, (uint64_t)t->function->int_most, true),
                             LLVMConstPointerNull(LLVMPointerTypeInContext(l->context, 0))};
    const char *name = arena_printf(l->session->arena, "%s.program", t->function->name);
    return hidden_global(l, name, LLVMConstStructInContext(l->context, fields, sizeof fields / sizeof *fields, false),
                         false);
}

static const char *place_of(llc_session *s, LLVMValueRef instruction)
{
    unsigned length, line = LLVMGetDebugLocLine(instruction);
    if (line == 0)
        return LLC_TOOL;
    const char *file = LLVMGetDebugLocFilename(instruction, &length);
    return arena_printf(s->arena, "%.*s:%u:%u", (int)length, file, line, LLVMGetDebugLocColumn(instruction));
}

// *known: it is one, though it may not be compiled; then there is no program.
static LLVMValueRef find_program(const linker *l, LLVMValueRef launched, const thread_programs *programs, bool *known)
{
    size_t length;
    const char *name = LLVMGetValueName2(launched, &length);
    for (VEC_EACH(const thread_program, t, programs))
        if (LLVMIsAFunction(launched) != NULL && strcmp(t->function->name, name) == 0) {
            *known = true;
            if (t->program.program == NULL)
                return NULL;
            LLVMValueRef global = LLVMGetNamedGlobal(l->module, arena_printf(l->session->arena, "%s.program", name));
            return global != NULL ? global : program_global(l, t);
        }
    return NULL;
}

bool threads_link(llc_session *s, LLVMModuleRef module, const thread_programs *programs)
{
    linker l = {s, LLVMGetModuleContext(module), module};
    LLVMValueRef launch = LLVMGetNamedFunction(module, "svm_launch");
    bool good = true;
    for (LLVMUseRef u = launch == NULL ? NULL : LLVMGetFirstUse(launch), next; u != NULL; u = next) {
        LLVMValueRef call = LLVMGetUser(u);
        bool known = false;
        next = LLVMGetNextUse(u);
        if (LLVMIsACallInst(call) == NULL)
            continue;
        LLVMValueRef program = find_program(&l, LLVMGetOperand(call, 0), programs, &known);
        if (program == NULL && known) { // nothing is launched
            LLVMReplaceAllUsesWith(call, LLVMConstNull(LLVMTypeOf(call)));
            LLVMInstructionEraseFromParent(call);
        } else if (program == NULL) {
            diag_error_at(s->diag, place_of(s, call), "SVM_DOMAIN runs a function with SVM_FIRE(thread)");
            good = false;
        } else {
            LLVMSetOperand(call, 0, program);
        }
    }
    return good;
}
