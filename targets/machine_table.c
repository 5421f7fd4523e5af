// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's view of a machine as C text: names, kinds, sizes and who reaches what
// (runtime/include/svm/machine_table.h). Caches are left out: no program names one.
#include <string.h>

#include "targets/machine_schema.h"

static const char *const processor_kinds[] = {
    [MACHINE_processor_kind_CONTROL] = "SVM_PROCESSOR_CONTROL",
    [MACHINE_processor_kind_KERNEL] = "SVM_PROCESSOR_KERNEL",
    [MACHINE_processor_kind_DMA] = "SVM_PROCESSOR_DMA",
};

// A memory is global, its addresses handed out by svm_alloc and svm_map, when control code reaches it.
static bool is_global(const machine *m, size_t index)
{
    for (size_t i = 0; i < m->processors.len; i++) {
        const machine_processor *p = &m->processors.data[i];
        if (p->kind == MACHINE_processor_kind_CONTROL && machine_refers(&p->memories, MACHINE_MEMORY, index))
            return true;
    }
    return false;
}

// Gives how many rows there are, and each memory's row in rows.
static size_t emit_memories(const machine *m, size_t number, strbuf *out, size_t *rows)
{
    size_t count = 0;
    strbuf_printf(out, "static const svm_MemoryRow svm_table%zuMemories[] = {\n", number);
    for (size_t i = 0; i < m->memories.len; i++) {
        const machine_memory *memory = &m->memories.data[i];
        rows[i] = SIZE_MAX;
        if (memory->kind == MACHINE_memory_kind_CACHE)
            continue;
        rows[i] = count++;
        bool fifo = memory->kind == MACHINE_memory_kind_FIFO;
        strbuf_printf(out, "    {\"%s\", %lluu, %llu, %s, %s},\n", memory->element.name,
                      (unsigned long long)machine_usable(memory),
                      (unsigned long long)(memory->alignment > 1 ? memory->alignment : 0),
                      !fifo && is_global(m, i) ? "false" : "true", fifo ? "true" : "false");
    }
    strbuf_add(out, "};\n");
    return count;
}

static void emit_processors(const machine *m, size_t number, strbuf *out, const size_t *rows)
{
    for (size_t i = 0; i < m->processors.len; i++) {
        const machine_processor *p = &m->processors.data[i];
        strbuf_printf(out, "static const int svm_table%zuReaches%zu[] = {", number, i);
        for (size_t j = 0; j < p->memories.len; j++)
            strbuf_printf(out, "%s%zu", j == 0 ? "" : ", ", rows[p->memories.data[j].index]);
        strbuf_add(out, "};\n");
        strbuf_printf(out, "static const int svm_table%zuMasters%zu[] = {", number, i);
        for (size_t j = 0; j < p->masters.len; j++)
            strbuf_printf(out, "%s%zu", j == 0 ? "" : ", ", p->masters.data[j].index);
        strbuf_add(out, p->masters.len ? "};\n" : "0};\n");
    }
    strbuf_printf(out, "static const svm_ProcessorRow svm_table%zuProcessors[] = {\n", number);
    for (size_t i = 0; i < m->processors.len; i++) {
        const machine_processor *p = &m->processors.data[i];
        uint64_t transfers =
            p->kind == MACHINE_processor_kind_DMA ? p->transfer_kinds : 0; // bits as in svm_TransferKind
        strbuf_printf(
            out, "    {\"%s\", %s, svm_table%zuReaches%zu, %zu, %llu, %llu, svm_table%zuMasters%zu, %zu},\n",
            p->element.name, processor_kinds[p->kind], number, i, p->memories.len, (unsigned long long)transfers,
            (unsigned long long)(p->transfer_alignment > 1 ? p->transfer_alignment : 0), number, i, p->masters.len);
    }
    strbuf_add(out, "};\n");
}

static bool is_repeated(const machine_table_entry *entries, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(entries[j].program_name, entries[i].program_name) == 0)
            return true;
    return false;
}

// The rows of machine number i, and its entry, which is followed by that of machine next (SIZE_MAX: none).
static void emit_machine(const machine_table_entry *entry, size_t i, size_t next, strbuf *out)
{
    const machine *m = entry->machine;
    arena *scratch = arena_create();
    size_t *rows = ARENA_ARRAY(scratch, size_t, m->memories.len);
    strbuf_printf(out, "\n// %s\n", m->name);
    size_t memory_count = emit_memories(m, i, out, rows);
    emit_processors(m, i, out, rows);
    if (i == 0)
        strbuf_add(out, "__attribute__((weak)) const svm_MachineTable svm_machineTable = {");
    else
        strbuf_printf(out, "static const svm_MachineTable svm_table%zu = {", i);
    strbuf_add_c_string(out, entry->program_name, strlen(entry->program_name));
    strbuf_printf(out, ", svm_table%zuMemories, %zu, svm_table%zuProcessors, %zu, ", i, memory_count, i,
                  m->processors.len);
    if (next == SIZE_MAX)
        strbuf_add(out, "0};\n");
    else
        strbuf_printf(out, "&svm_table%zu};\n", next);
    arena_destroy(scratch);
}

void machine_emit_table(const machine_table_entry *entries, size_t count, strbuf *out)
{
    strbuf_add(out, "// The machines of this program, from their machine files.\n#include <svm/machine_table.h>\n");
    size_t next = SIZE_MAX;
    for (size_t i = count; i-- > 0;) {
        if (is_repeated(entries, i))
            continue;
        emit_machine(&entries[i], i, next, out);
        next = i;
    }
}
