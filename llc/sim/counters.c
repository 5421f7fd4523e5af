// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts the counters into the code. Firings are counted in the code as clang made it, so that they survive inlining, and
// the optimiser adds them up. Operations are counted in the optimised code, once a basic block for each class; what
// only firing counters need is left out.
#include <string.h>

#include "llc/sim/sim.h"

typedef struct inserter {
    llc_session *session;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMValueRef counts, firings, cycles; // the counters' globals; NULL until used
    LLVMTypeRef counts_type;
    LLVMValueRef tag; // type-based alias information: counters are no object of the program
    unsigned tbaa;
} inserter;

static const char counts_name[] = "svm_simCounts", firings_name[] = "svm_simFirings",
                  cycles_name[] = "svm_simFiringCycles";
enum { SIM_CLASSES = 32 }; // SVM_SIM_CLASSES of svm/sim_table.h, which the emitted table checks

// ---- Building ----

static LLVMValueRef metadata_value(inserter *in, LLVMMetadataRef m)
{
    return LLVMMetadataAsValue(in->context, m);
}

// A type beside "omnipotent char", under clang's root of C's types: an access to a counter and one to an object of the
// program never alias.
static LLVMValueRef make_tag(inserter *in)
{
    static const char root_name[] = "Simple C/C++ TBAA", type_name[] = "svm counter";
    LLVMMetadataRef root = LLVMMDStringInContext2(in->context, root_name, sizeof root_name - 1);
    root = LLVMMDNodeInContext2(in->context, &root, 1);
    LLVMMetadataRef zero = LLVMValueAsMetadata(LLVMConstInt(LLVMInt64TypeInContext(in->context), 0, false));
    LLVMMetadataRef type[] = {LLVMMDStringInContext2(in->context, type_name, sizeof type_name - 1), root, zero};
    LLVMMetadataRef node = LLVMMDNodeInContext2(in->context, type, 3);
    LLVMMetadataRef tag[] = {node, node, zero};
    return metadata_value(in, LLVMMDNodeInContext2(in->context, tag, 3));
}

static inserter begin(llc_session *s, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    inserter in = {.session = s, .module = module, .context = context, .builder = LLVMCreateBuilderInContext(context)};
    in.tag = make_tag(&in);
    in.tbaa = LLVMGetMDKindIDInContext(context, "tbaa", 4);
    in.counts_type = LLVMArrayType2(LLVMInt64TypeInContext(context), SIM_CLASSES);
    return in;
}

// The global of that name, declared where it is not.
static LLVMValueRef global(inserter *in, const char *name, LLVMTypeRef type)
{
    LLVMValueRef found = LLVMGetNamedGlobal(in->module, name);
    return found != NULL ? found : LLVMAddGlobal(in->module, type, name);
}

// *counter += amount, where the builder is.
static void add_to(inserter *in, LLVMValueRef counter, LLVMValueRef amount)
{
    LLVMTypeRef type = LLVMTypeOf(amount);
    bool real = LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
    LLVMValueRef old = LLVMBuildLoad2(in->builder, type, counter, "");
    LLVMSetMetadata(old, in->tbaa, in->tag);
    LLVMValueRef sum = real ? LLVMBuildFAdd(in->builder, old, amount, "") : LLVMBuildAdd(in->builder, old, amount, "");
    LLVMSetMetadata(LLVMBuildStore(in->builder, sum, counter), in->tbaa, in->tag);
}

static void add_count(inserter *in, machine_operation op, LLVMValueRef amount)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(in->context);
    if (in->counts == NULL)
        in->counts = global(in, counts_name, in->counts_type);
    LLVMValueRef index[] = {LLVMConstInt(i64, 0, false), LLVMConstInt(i64, (unsigned long long)op, false)};
    add_to(in, LLVMConstInBoundsGEP2(in->counts_type, in->counts, index, 2), amount);
}

// ---- Firings ----

static unsigned attribute_kind(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

// A function that counts writes memory, whatever clang knew of it.
static void forget_memory_effects(LLVMModuleRef module)
{
    unsigned memory = attribute_kind("memory");
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        LLVMRemoveEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, memory);
        for (LLVMUseRef u = LLVMGetFirstUse(f); u != NULL; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            if (LLVMIsACallInst(user) != NULL)
                LLVMRemoveCallSiteEnumAttribute(user, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, memory);
        }
    }
}

// Behind the local variables, so that clang's allocations stay together at -O0.
static void place_at_entry(inserter *in, LLVMValueRef function)
{
    LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    while (LLVMIsAAllocaInst(at) != NULL)
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(in->builder, at);
}

static const char timed_key[] = "svm-timed"; // an attribute of ours, which copies of the function keep

static bool is_timed(LLVMValueRef function)
{
    return LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, timed_key,
                                         sizeof timed_key - 1) != NULL;
}

// A firing with a cost of its own is not counted: it must stay a function, and have in it what it calls.
static void mark_timed(inserter *in, LLVMValueRef f)
{
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    unsigned always = attribute_kind("alwaysinline");
    LLVMRemoveEnumAttributeAtIndex(f, at, always);
    LLVMAddAttributeAtIndex(f, at, LLVMCreateEnumAttribute(in->context, attribute_kind("noinline"), 0));
    LLVMAddAttributeAtIndex(f, at, LLVMCreateStringAttribute(in->context, timed_key, sizeof timed_key - 1, "", 0));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = LLVMIsACallInst(i) == NULL ? NULL : LLVMGetCalledValue(i);
            if (callee != NULL && LLVMIsAFunction(callee) != NULL && !LLVMIsDeclaration(callee) && callee != f)
                LLVMAddCallSiteAttribute(i, at, LLVMCreateEnumAttribute(in->context, always, 0));
        }
}

void sim_insert_firing_counters(llc_session *s, const llc_unit *unit, LLVMModuleRef module)
{
    forget_memory_effects(module);
    if (unit == NULL)
        return;
    inserter in = begin(s, module);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(in.context), real = LLVMDoubleTypeInContext(in.context);
    for (VEC_EACH(llc_function, f, &unit->functions)) {
        LLVMValueRef function = f->role == LLC_FIRE && !f->thread ? LLVMGetNamedFunction(module, f->name) : NULL;
        if (function == NULL || LLVMIsDeclaration(function)) // clang leaves out what nobody calls
            continue;
        place_at_entry(&in, function);
        add_to(&in, global(&in, firings_name, i64), LLVMConstInt(i64, f->firings, false));
        if (!f->timed)
            continue;
        mark_timed(&in, function);
        add_to(&in, global(&in, cycles_name, real), LLVMConstReal(real, f->cycles * (double)f->firings));
    }
    LLVMDisposeBuilder(in.builder);
}

// ---- What only firing counters need ----

typedef struct exclusion {
    arena *arena;
    hmap set; // instructions; the value is &in or &out
    VEC(LLVMValueRef) members;
    char in, out;
} exclusion;

static bool is_excluded(const exclusion *x, LLVMValueRef instruction)
{
    return hmap_getn(&x->set, &instruction, sizeof instruction) == &x->in;
}

static void exclude(exclusion *x, LLVMValueRef value)
{
    if (LLVMIsAInstruction(value) == NULL || hmap_getn(&x->set, &value, sizeof value) != NULL)
        return;
    hmap_setn(&x->set, &value, sizeof value, &x->in);
    VEC_PUSH(x->arena, &x->members, value);
}

static bool is_firing_counter(LLVMModuleRef module, LLVMValueRef address)
{
    return address == LLVMGetNamedGlobal(module, firings_name) || address == LLVMGetNamedGlobal(module, cycles_name);
}

static bool is_used_outside(const exclusion *x, LLVMValueRef instruction)
{
    for (LLVMUseRef u = LLVMGetFirstUse(instruction); u != NULL; u = LLVMGetNextUse(u))
        if (!is_excluded(x, LLVMGetUser(u)))
            return true;
    return false;
}

// The stores to firing counters, what they need, and of that no longer what anything else needs.
static void find_excluded(inserter *in, exclusion *x, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != NULL; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i))
            if (LLVMIsAStoreInst(i) != NULL && is_firing_counter(in->module, LLVMGetOperand(i, 1)))
                exclude(x, i);
    for (size_t i = 0; i < x->members.len; i++)
        for (int j = 0; j < LLVMGetNumOperands(x->members.data[i]); j++)
            exclude(x, LLVMGetOperand(x->members.data[i], (unsigned)j));
    for (bool changed = true; changed;) {
        changed = false;
        for (VEC_EACH(LLVMValueRef, member, &x->members)) {
            if (!is_excluded(x, *member) || !is_used_outside(x, *member))
                continue;
            hmap_setn(&x->set, member, sizeof *member, &x->out);
            changed = true;
        }
    }
}

// ---- Operations ----

// Adds what the tally has, before the instruction, and empties it.
static void flush(inserter *in, const sim_counter *c, sim_tally *tally, LLVMValueRef before)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(in->context);
    LLVMPositionBuilderBefore(in->builder, before);
    for (machine_operation op = 0; op < MACHINE_OP_COUNT; op++) {
        uint64_t total = sim_tally_total(c, tally, op);
        if (total != 0)
            add_count(in, op, LLVMConstInt(i64, total, false));
    }
    *tally = (sim_tally){0};
}

static void add_transfer(inserter *in, const sim_counter *c, const sim_transfer *t, LLVMValueRef before)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(in->context);
    uint64_t width = c->width.simd_bytes < 8 ? 8 : c->width.simd_bytes;
    LLVMPositionBuilderBefore(in->builder, before);
    LLVMValueRef length = LLVMBuildZExtOrBitCast(in->builder, t->length, i64, "");
    LLVMValueRef more = LLVMBuildAdd(in->builder, length, LLVMConstInt(i64, width - 1, false), "");
    LLVMValueRef operations = LLVMBuildUDiv(in->builder, more, LLVMConstInt(i64, width, false), "");
    if (t->loads)
        add_count(in, MACHINE_OP_LOAD, operations);
    if (t->stores)
        add_count(in, MACHINE_OP_STORE, operations);
}

static void count_block(inserter *in, const sim_counter *c, const exclusion *x, LLVMBasicBlockRef block)
{
    sim_tally tally = {0};
    LLVMValueRef next, last = LLVMGetBasicBlockTerminator(block);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = next) {
        next = LLVMGetNextInstruction(i);
        if (is_excluded(x, i))
            continue;
        sim_transfer transfer;
        sim_count_instruction(c, i, &tally, &transfer);
        if (transfer.length != NULL)
            add_transfer(in, c, &transfer, i);
        if (LLVMIsACallInst(i) != NULL && sim_call_looks(i))
            flush(in, c, &tally, i);
        else if (i == last)
            flush(in, c, &tally, i);
    }
}

static void count_function(inserter *in, const sim_counter *c, LLVMValueRef function)
{
    arena *scratch = arena_create();
    exclusion x = {.arena = scratch};
    hmap_init(&x.set, scratch);
    find_excluded(in, &x, function);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != NULL; b = LLVMGetNextBasicBlock(b))
        count_block(in, c, &x, b);
    arena_destroy(scratch);
}

static bool takes_pointers(LLVMValueRef function)
{
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(function, i))) == LLVMPointerTypeKind)
            return true;
    return false;
}

// Functions of libm have no business with the counters, so that those may stay in registers over their calls. They may
// write errno, and the optimiser is to keep every call as it is.
static void free_math_functions(LLVMModuleRef module)
{
    enum { INACCESSIBLE_MEMORY_ONLY = 3 << 2 }; // LLVM's encoding: two bits a location, this is the second
    LLVMContextRef context = LLVMGetModuleContext(module);
    unsigned memory = attribute_kind("memory");
    LLVMAttributeRef attribute = LLVMCreateEnumAttribute(context, memory, INACCESSIBLE_MEMORY_ONLY);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        size_t length;
        if (LLVMIsDeclaration(f) && sim_is_math_function(LLVMGetValueName2(f, &length)) && !takes_pointers(f) &&
            LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, memory) == NULL)
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
    }
}

// Whether only timed functions call it, or functions of which that is true.
static bool is_part_of_timed(const hmap *uncounted, LLVMValueRef function)
{
    LLVMUseRef first = LLVMGetFirstUse(function);
    if (first == NULL || LLVMGetLinkage(function) != LLVMInternalLinkage)
        return false;
    for (LLVMUseRef u = first; u != NULL; u = LLVMGetNextUse(u)) {
        LLVMValueRef call = LLVMGetUser(u);
        if (LLVMIsACallInst(call) == NULL || LLVMGetCalledValue(call) != function)
            return false;
        LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
        if (hmap_getn(uncounted, &caller, sizeof caller) == NULL)
            return false;
    }
    return true;
}

// Functions whose operations are not counted: those with a cost of their own, and what they alone call.
static void find_uncounted(LLVMModuleRef module, hmap *uncounted)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
            if (hmap_getn(uncounted, &f, sizeof f) != NULL || (!is_timed(f) && !is_part_of_timed(uncounted, f)))
                continue;
            hmap_setn(uncounted, &f, sizeof f, uncounted);
            changed = true;
        }
    }
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

void sim_insert_operation_counters(llc_session *s, const sim_counter *c, LLVMModuleRef module)
{
    inserter in = begin(s, module);
    hmap uncounted;
    hmap_init(&uncounted, s->arena);
    find_uncounted(module, &uncounted);
    forget_memory_effects(module); // the optimiser has found out more
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        bool table = starts_with(name, "svm_simTable"); // its own code
        if (!LLVMIsDeclaration(f) && !table && hmap_getn(&uncounted, &f, sizeof f) == NULL)
            count_function(&in, c, f);
    }
    free_math_functions(module);
    LLVMDisposeBuilder(in.builder);
}
