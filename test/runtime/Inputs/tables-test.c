// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the runtime's own machine tables with the machine files in a folder: sizes, alignment, kinds and who reaches
// what.
#include <string.h>

#include "runtime/include/svm/machine_table.h"
#include "targets/machine.h"

static int differences;

static void differ(const char *name, const char *element, const char *what)
{
    printf("%s: %s: %s\n", name, element, what);
    differences++;
}

static void compareMemories(const svm_MachineTable *t, const machine *m)
{
    int programmable = 0;
    for (size_t i = 0; i < m->memories.len; i++)
        programmable += m->memories.data[i].kind != MACHINE_memory_kind_CACHE;
    if (programmable != t->memoryCount)
        differ(t->name, "memories", "another number");
    for (int i = 0; i < t->memoryCount; i++) {
        const svm_MemoryRow *row = &t->memories[i];
        const machine_memory *memory = machine_memory_by_name(m, row->name);
        if (!memory)
            differ(t->name, row->name, "no such memory");
        else if (machine_usable(memory) != row->size)
            differ(t->name, row->name, "another size");
        else if ((memory->alignment > 1 ? memory->alignment : 0) != row->alignment)
            differ(t->name, row->name, "another alignment");
        else if ((memory->kind == MACHINE_memory_kind_FIFO) != row->fifo)
            differ(t->name, row->name, "another kind");
    }
}

static void compareProcessors(const svm_MachineTable *t, const machine *m)
{
    static const int kinds[] = {[SVM_PROCESSOR_CONTROL] = MACHINE_processor_kind_CONTROL,
                                [SVM_PROCESSOR_KERNEL] = MACHINE_processor_kind_KERNEL,
                                [SVM_PROCESSOR_DMA] = MACHINE_processor_kind_DMA};
    if ((size_t)t->processorCount != m->processors.len)
        differ(t->name, "processors", "another number");
    for (int i = 0; i < t->processorCount; i++) {
        const svm_ProcessorRow *row = &t->processors[i];
        const machine_processor *p = machine_processor_by_name(m, row->name);
        if (!p) {
            differ(t->name, row->name, "no such processor");
            continue;
        }
        if (kinds[row->kind] != (int)p->kind)
            differ(t->name, row->name, "another kind");
        if ((p->transfer_alignment > 1 ? p->transfer_alignment : 0) != row->alignment)
            differ(t->name, row->name, "another alignment");
        if ((size_t)row->masterCount != p->masters.len)
            differ(t->name, row->name, "other masters");
        for (int j = 0; j < row->masterCount; j++)
            if (!machine_refers(&p->masters, MACHINE_PROCESSOR, (size_t)row->masters[j]))
                differ(t->name, row->name, "other masters");
        for (int j = 0; j < t->memoryCount; j++) {
            bool reaches = false;
            for (int k = 0; k < row->reachCount; k++)
                reaches |= row->reaches[k] == j;
            const machine_memory *memory = machine_memory_by_name(m, t->memories[j].name);
            if (memory && machine_reaches(m, p, memory) != reaches)
                differ(t->name, row->name, "another reach");
            if (reaches && row->kind == SVM_PROCESSOR_CONTROL && t->memories[j].local)
                differ(t->name, t->memories[j].name, "is not local");
        }
    }
}

int main(int argc, char **argv)
{
    arena *a = arena_create();
    source_set sources;
    diag_engine d;
    source_set_init(&sources, a);
    diag_init(&d, a, &sources);
    for (const svm_MachineTable *t = &svm_machineTable; argc > 1 && t; t = t->next) {
        const machine *m = machine_find(a, &d, argv[1], t->name, (src_range){0});
        if (!m) {
            differ(t->name, "machine", "no such file");
            continue;
        }
        compareMemories(t, m);
        compareProcessors(t, m);
        printf("%s: compared\n", t->name);
    }
    diag_flush(&d, stderr, DIAG_FORMAT_TEXT, false);
    arena_destroy(a);
    return differences != 0;
}
