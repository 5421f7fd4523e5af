// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulator's tables as C text (runtime/include/svm/sim_table.h). The text stands at the end of svm/svm.h, so that
// run functions, which are static, can be named. Machines and kernels go into sections of their own, which the linker
// joins over all files of a program; a constructor measures them.
#include <string.h>

#include "llc/sim/sim.h"

static void add_string(strbuf *b, const char *text)
{
    strbuf_add_c_string(b, text, strlen(text));
}

static void add_classes(strbuf *b)
{
    strbuf_add(b, "static const char *const svm_simTableClasses[] = {\n");
    for (machine_operation op = 0; op < MACHINE_OP_COUNT; op++)
        strbuf_printf(b, "    \"%s\",\n", machine_operation_text(op));
    strbuf_add(b, "};\n");
    strbuf_printf(b, "_Static_assert(%d <= SVM_SIM_CLASSES, \"a counter for each class\");\n", (int)MACHINE_OP_COUNT);
}

static void add_machine(llc_session *s, const llc_unit *unit, strbuf *b)
{
    strbuf text;
    strbuf_init(&text, s->arena);
    machine_print(unit->machine, s->diag->sources, &text);
    strbuf_add(b, "static const svm_SimMachine svm_simTableMachine\n    SVM_SIM_ROW(\"svm_sim_machines\") = {");
    add_string(b, unit->machine_name);
    strbuf_add(b, ", ");
    add_string(b, text.data);
    strbuf_add(b, "};\n");
}

static void add_kernel(const llc_function *f, size_t number, strbuf *b)
{
    bool known = f->basis == LLC_COST && (f->start != 0 || f->per_firing != 0);
    bool exported = clang_getCursorLinkage(f->cursor) == CXLinkage_External;
    strbuf_printf(b, "%s svm_KernelFunction %s;\n", exported ? "extern" : "static", f->name);
    strbuf_printf(b, "static const svm_SimKernel svm_simTableKernel%zu SVM_SIM_ROW(\"svm_sim_kernels\") = {\n    %s, ",
                  number, f->name);
    add_string(b, f->name);
    strbuf_add(b, ", ");
    strbuf_add_double(b, known ? f->start : 0);
    strbuf_add(b, ", ");
    strbuf_add_double(b, known ? f->per_firing : 0);
    strbuf_printf(b, ", %s};\n", known ? "true" : "false");
}

static const char head[] = "\n// What the simulator wants to know.\n#include <svm/sim_table.h>\n"
                           "#define SVM_SIM_ROW(name) __attribute__((used, aligned(8), section(name)))\n";

// svm_simTable is constant to the runtime; its sizes are known once the program is linked.
static const char tail[] =
    "extern const svm_SimMachine svm_simTableMachines[] __asm__(\"__start_svm_sim_machines\") __attribute__((weak));\n"
    "extern const svm_SimMachine svm_simTableMachinesEnd[] __asm__(\"__stop_svm_sim_machines\") "
    "__attribute__((weak));\n"
    "extern const svm_SimKernel svm_simTableKernels[] __asm__(\"__start_svm_sim_kernels\") __attribute__((weak));\n"
    "extern const svm_SimKernel svm_simTableKernelsEnd[] __asm__(\"__stop_svm_sim_kernels\") __attribute__((weak));\n"
    "extern svm_SimTable svm_simTableHere __asm__(\"svm_simTable\");\n"
    "__attribute__((weak)) svm_SimTable svm_simTableHere = {\n"
    "    svm_simTableMachines, 0, svm_simTableKernels, 0, svm_simTableClasses,\n"
    "    sizeof svm_simTableClasses / sizeof *svm_simTableClasses};\n"
    "__attribute__((constructor(101))) static void svm_simTableMeasure(void)\n"
    "{\n"
    "    svm_simTableHere.machineCount = (size_t)(svm_simTableMachinesEnd - svm_simTableMachines);\n"
    "    svm_simTableHere.kernelCount = (size_t)(svm_simTableKernelsEnd - svm_simTableKernels);\n"
    "}\n";

const char *sim_table_text(llc_session *s, const llc_unit *unit)
{
    strbuf b;
    strbuf_init(&b, s->arena);
    size_t number = 0;
    strbuf_add(&b, head);
    add_classes(&b);
    add_machine(s, unit, &b);
    for (VEC_EACH(llc_function, f, &unit->functions))
        if (f->role == LLC_KERNEL)
            add_kernel(f, number++, &b);
    strbuf_add(&b, tail);
    return b.data;
}
