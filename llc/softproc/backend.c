// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The softproc backend: thread functions become the soft processor's programs inside an executable that is otherwise that of
// the sim backend, and whose launches run them on the cycle model (runtime/softproc/launch.c).
#include <errno.h>
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/DebugInfo.h>

#include "llc/cc/cc.h"
#include "llc/sim/sim.h"
#include "llc/softproc/softproc.h"
#include "llc/softproc/threads.h"

// Something launches here: a processor with a pipeline.
static bool check(llc_session *s, const llc_unit *unit)
{
    for (VEC_EACH(const machine_processor, p, &unit->machine->processors))
        if (p->kind == MACHINE_processor_kind_KERNEL && p->pipeline.batches > 0)
            return true;
    diag_error(
        s->diag, unit->machine_range,
        "machine '%s' has no processor with a 'pipeline', which target 'softproc' makes programs for; xd1000 has one",
        unit->machine->name);
    return false;
}

static bool change(llc_session *s, const llc_unit *unit, LLVMModuleRef module)
{
    thread_programs programs = {0};
    bool good = threads_compile(s, unit, module, &programs) && threads_link(s, module, &programs);
    if (!s->options->debug)
        LLVMStripModuleDebugInfo(module);
    return good;
}

static const sim_variant variant = {
    .flags = {"-DSVM_LAUNCHES", "-gline-tables-only", NULL},
    .change = change,
    .library = "libsvm-softproc.a",
};

// ---- Assembly and containers ----

static bool write_file(llc_session *s, const char *path, const char *text, size_t size)
{
    if (file_write(path, text, size))
        return true;
    diag_error_at(s->diag, LLC_TOOL, "cannot write '%s': %s", path, strerror(errno));
    return false;
}

static bool write_assembly(llc_session *s, const thread_programs *programs, const char *path)
{
    strbuf b;
    strbuf_init(&b, s->arena);
    for (VEC_EACH(const thread_program, t, programs)) {
        const spc_program *p = &t->program;
        if (p->program == NULL)
            continue;
        strbuf_printf(&b, "// %s: %u arithmetic, %u lookups, %u registers, %u constants", t->function->name, p->alu,
                      p->tex, p->registers, p->constants);
        if (p->flow > 0)
            strbuf_printf(&b, ", %u of flow control", p->flow);
        strbuf_addc(&b, '\n');
        for (size_t i = 0; i < p->scalar_count; i++)
            strbuf_printf(&b, "// scalar %u is c%u.%c\n", p->scalars[i].scalar, p->scalars[i].constant,
                          "rgba"[p->scalars[i].component]);
        sp_disassemble(p->program, false, &b);
    }
    return write_file(s, path, b.data, b.len);
}

static bool write_container(llc_session *s, const llc_unit *unit, const thread_programs *programs, const char *path)
{
    if (programs->len == 1 && programs->data[0].program.program == NULL) {
        diag_error_at(s->diag, unit->path, "the thread function '%s' cannot be compiled, and a container has a program",
                      programs->data[0].function->name);
        return false;
    }
    if (programs->len != 1) {
        diag_error_at(s->diag, unit->path,
                      "there are %zu thread functions that are launched, and a container has one program; -S has all",
                      programs->len);
        return false;
    }
    size_t size;
    const uint8_t *bytes = sp_container(s->arena, programs->data[0].program.program, &size);
    return write_file(s, path, (const char *)bytes, size);
}

static bool write_programs(llc_session *s, const llc_unit *unit, LLVMModuleRef module, const char *path)
{
    thread_programs programs = {0};
    if (!threads_compile(s, unit, module, &programs) || !threads_link(s, module, &programs))
        return false;
    return s->options->output == LLC_OUTPUT_ASM ? write_assembly(s, &programs, path)
                                                : write_container(s, unit, &programs, path);
}

static bool emit_programs(llc_session *s, const llc_unit *unit, const char *path)
{
    const char *bitcode = s->environment->temporary(s->environment->context, "program", ".bc");
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef module;
    char *message = NULL;
    if (bitcode == NULL || !sim_make_bitcode(s, unit, &variant, unit->path, bitcode))
        return false;
    if (s->environment->dry_run)
        return true;
    if (LLVMCreateMemoryBufferWithContentsOfFile(bitcode, &buffer, &message) != 0) {
        diag_error_at(s->diag, LLC_TOOL, "cannot read '%s': %s", bitcode, message);
        LLVMDisposeMessage(message);
        return false;
    }
    LLVMContextRef context = LLVMContextCreate();
    bool good = LLVMParseBitcodeInContext2(context, buffer, &module) == 0;
    LLVMDisposeMemoryBuffer(buffer);
    if (good) {
        good = write_programs(s, unit, module, path);
        LLVMDisposeModule(module);
    } else {
        diag_internal(s->diag, (src_range){0}, "reading bitcode failed");
    }
    LLVMContextDispose(context);
    return good;
}

static bool emit(llc_session *s)
{
    llc_strings names = {0};
    cc_sources(s, &names);
    if (s->options->output == LLC_OUTPUT_EXE || s->options->output == LLC_OUTPUT_LLVM_IR)
        return sim_emit(s, &variant);
    if (!cc_store_standard_input(s))
        return false;
    bool good = true;
    for (size_t i = 0; i < s->units.len; i++)
        good = emit_programs(s, s->units.data[i], llc_output_path(s, names.data[i])) && good;
    return good;
}

// A reciprocal or its root is rounded, and then what is made of it; exponentials and logarithms are rounded once.
static const llc_inexact inexact[] = {{"division", 2}, {"sqrt", 2}, {"exp2", 1}, {"log2", 1}, {NULL, 0}};

const llc_backend llc_backend_softproc = {
    .name = "softproc",
    .summary = "executable that runs its launches on a simulated soft processor; -S and -c write their programs",
    .outputs = 1u << LLC_OUTPUT_LLVM_IR | 1u << LLC_OUTPUT_ASM | 1u << LLC_OUTPUT_OBJ | 1u << LLC_OUTPUT_EXE,
    .inexact = inexact,
    .check = check,
    .emit = emit,
    .run = cc_run,
};
