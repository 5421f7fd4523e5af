// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machines as described by machine files: processors, memories, links and nodes, checked, and in base units.
// Everything about a file's format is in machine_keys.def; this header is what the other rooms read.
//
// All that a machine holds lives in the arena it was loaded into. Replicated entries (count: 8) are separate
// elements here.
#ifndef SVMC_TARGETS_MACHINE_H
#define SVMC_TARGETS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "support/arena.h"
#include "support/diag.h"
#include "support/strbuf.h"
#include "support/vec.h"

// ---- Values ----

// A size, count or limit that has no bound.
#define MACHINE_UNBOUNDED UINT64_MAX

// Seconds, or cycles of the clock of the element that the value belongs to. A negative amount: the value is absent.
typedef struct machine_time {
    double amount;
    bool in_cycles;
} machine_time;

// Bytes a second, or a cycle of the element's clock.
typedef struct machine_bandwidth {
    double bytes;
    bool per_cycle;
} machine_bandwidth;

// The time that n bytes take: fixed + per_unit * (ceil(n / unit) - 1).
typedef struct machine_staircase {
    machine_time fixed;
    uint64_t unit; // bytes
    machine_time per_unit;
} machine_staircase;

// Each enum's values are the rows of machine_enums.def; machine_enum_text gives the text.
// clang-format off
#define MACHINE_ENUM(name) typedef enum machine_##name {
#define MACHINE_ENUMERATOR(name, id, text, help) MACHINE_##name##_##id,
#define MACHINE_ENUM_END(name) MACHINE_##name##_COUNT } machine_##name;
// clang-format on
#include "targets/machine_enums.def"
#undef MACHINE_ENUM
#undef MACHINE_ENUMERATOR
#undef MACHINE_ENUM_END

// Operation classes, for costs: the rows of machine_operations.def.
typedef enum machine_operation {
#define OPERATION(id, text, help) MACHINE_OP_##id,
#include "targets/machine_operations.def"
#undef OPERATION
    MACHINE_OP_COUNT
} machine_operation;

// Names an element of the machine: an index into its processors, memories or links.
typedef enum machine_element_kind { MACHINE_PROCESSOR = 1, MACHINE_MEMORY = 2, MACHINE_LINK = 4 } machine_element_kind;
typedef struct machine_ref {
    machine_element_kind kind;
    size_t index; // SIZE_MAX: none
} machine_ref;
typedef VEC(machine_ref) machine_refs;

// A table of (limit, factor): the factor of the first row whose limit is not exceeded; the last row's beyond.
typedef struct machine_step {
    double limit, factor;
} machine_step;
typedef VEC(machine_step) machine_steps;

// ---- Elements ----

// What processors, memories and links have in common. entry says where each of the element's values comes from.
typedef struct machine_element {
    const char *name;            // "SPE3"
    uint64_t number;             // 3: which of the entry's count
    struct machine_entry *entry; // private
} machine_element;

typedef struct machine_costs {
    machine_time of[MACHINE_OP_COUNT]; // negative: such an operation cannot run here
} machine_costs;

// What kernels a processor can take.
typedef struct machine_abilities {
    bool state;       // firings may depend on earlier ones through state
    uint64_t outputs; // items pushed in one firing at most
    bool scatter;     // indexed writes
    machine_control_flow control;
} machine_abilities;

// The insides of a soft processor (docs/softproc.md), for its simulator. batches 0: the processor is none.
typedef struct machine_pipeline {
    uint64_t batches, threads, alu_stages, operand_reads, address_stages, return_stages, outstanding_reads;
    machine_time request_latency, host_latency, memory_latency, response_latency;
    machine_bandwidth link_bandwidth;                                      // each way
    uint64_t request_bytes, response_header, write_header, largest_packet; // bytes
    uint64_t output_queue;
    uint64_t block_size, blocks, small_block_size, small_blocks; // memories that register files are made of
    bool linear_lookups; // a lookup's element is s + t * pitch, whatever s and t are
} machine_pipeline;

typedef struct machine_processor {
    machine_element element;
    machine_processor_kind kind;
    uint64_t count;                       // of the entry that this is one of
    double clock;                         // Hz
    machine_refs masters;                 // control processors that can start kernels here
    machine_refs memories;                // memories that its loads and stores (or, for dma, its transfers) reach
    machine_refs caches;                  // between it and those memories, nearest first
    bool io;                              // files, printing, standard input and output
    bool fallback;                        // kernel: only for what no other kernel processor can run
    uint64_t fallback_gain;               // it also runs what takes threads so many times as long; 0: it does not
    uint64_t simd_width;                  // bytes
    uint64_t registers, register_size;    // number, and bytes of each
    machine_bandwidth register_bandwidth; // 0: not known
    machine_steps register_pressure;      // live registers, and how much slower operations get
    bool gathers;                         // vectors of scattered elements are faster than the elements one by one
    bool fuses;                           // so is a product and a sum in one operation
    uint64_t instruction_memory; // bytes of an instruction memory of its own; MACHINE_UNBOUNDED: none to speak of
    machine_ref code_memory;     // the memory that holds its code, tables, kernel state and stack; or none
    machine_costs operations;
    machine_abilities abilities;
    machine_pipeline pipeline;
    machine_time kernel_start, kernel_stop, kernel_run, kernel_wait;
    uint64_t page;           // control: bytes of a page of its system's
    machine_time page_map;   // to make one that lies in memory part of a program's; 0: files are not mapped
    machine_time page_fault; // to notice that an engine wants one that is not; 0: they are there before
    machine_time push_acquire, pop_discard; // cost of communication on the processor itself, before any waiting
    machine_staircase push_send, pop_acquire;
    uint64_t transfer_kinds; // dma: bits 1 << machine_transfer
    uint64_t largest_transfer, transfer_alignment, transfer_queue;
} machine_processor;

typedef struct machine_memory {
    machine_element element;
    machine_memory_kind kind;
    uint64_t count;
    uint64_t size, reserved; // bytes; reserved ones are the system's
    uint64_t alignment;      // every object starts at a multiple of it
    uint64_t base;           // where processors that reach it see its first byte
    machine_refs coherent;   // memories with which it is kept coherent
    machine_ref backing;     // cache: the memory behind it
    uint64_t line;           // cache: bytes of a line; fifo: bytes of a word
    double clock;            // Hz; 0 when nothing is given in cycles
    machine_time latency;
    machine_bandwidth sequential, random;
} machine_memory;

typedef struct machine_link {
    machine_element element;
    machine_link_kind kind;
    uint64_t count;
    machine_refs elements;           // who may send and receive
    machine_refs senders, receivers; // who may do only one of them
    double clock;                    // Hz; 0 when nothing is given in cycles
    uint64_t channels;               // messages at a time
    machine_duplex duplex;           // of each element's interface
    bool multiplexed;                // more than one stream may use it
    machine_routing routing;         // how routers pass messages on to another link
    machine_refs routers;
    machine_time start_latency;           // L: a message of n bytes arrives after L + S + n / B
    machine_time start_cost;              // S: it occupies its channel for S + n / B + F
    machine_bandwidth bandwidth;          // B, a channel's
    machine_time finish_cost;             // F
    uint64_t largest_transfer, alignment; // bytes
} machine_link;

typedef struct machine_nodes {
    uint64_t count;       // such machines, each with all of the above
    machine_link network; // between them; meaningful when count > 1
} machine_nodes;

typedef struct machine {
    const char *name, *summary, *source;
    VEC(machine_processor) processors;
    VEC(machine_memory) memories;
    VEC(machine_link) links;
    machine_nodes nodes;
    source_id file;
    struct machine_entry *entry; // private
} machine;

// ---- Loading (machine.c, machine_find.c) ----

// Whether a machine's name is the path of its file.
static inline bool machine_is_path(const char *name)
{
    size_t n = strlen(name);
    return strchr(name, '/') != NULL || (n > 5 && strcmp(name + n - 5, ".yaml") == 0);
}
// Loads a machine by name from the directory (share/svmc/machines of the prefix; driver/paths.h knows it), or from a file
// (machine_is_path); "native" is this computer (targets/native.h). Reports what is wrong to d and gives NULL; used_at is
// where the name was written (file 0: on the command line).
machine *machine_find(arena *a, diag_engine *d, const char *directory, const char *name, src_range used_at);
// Parses a text that is already a source. NULL after errors.
machine *machine_parse(arena *a, diag_engine *d, source_id file);
// One line a machine in the directory: name and summary, for --list-machines.
void machine_list(arena *a, diag_engine *d, const char *directory, strbuf *out);

// ---- Queries (machine_query.c) ----

machine_processor *machine_processor_by_name(const machine *m, const char *name);
machine_memory *machine_memory_by_name(const machine *m, const char *name);
machine_link *machine_link_by_name(const machine *m, const char *name);
// The name of the given kinds (a mask of machine_element_kind) that is nearest to a misspelt one, or NULL.
const char *machine_nearest(const machine *m, unsigned kinds, const char *name);
const machine_element *machine_element_of(const machine *m, machine_ref ref);
bool machine_refers(const machine_refs *refs, machine_element_kind kind, size_t index);
bool machine_reaches(const machine *m, const machine_processor *p, const machine_memory *memory);
// Whether an operation of this class can run on p, and what it costs there in seconds.
bool machine_can_run(const machine_processor *p, machine_operation op);
// Bytes of the vectors that programs are given: the processor's, or as many of them as are a power of two.
uint64_t machine_vector_bytes(const machine_processor *p);
double machine_operation_seconds(const machine_processor *p, machine_operation op);
double machine_seconds(machine_time t, double clock);
double machine_bytes_per_second(machine_bandwidth b, double clock);
// Bytes that a program may use of a memory.
uint64_t machine_usable(const machine_memory *m);
const char *machine_operation_text(machine_operation op);
// Where the file gives an element's value ("size", "clock", ...); the element itself when the value is a default.
src_range machine_value_range(const machine_element *e, const char *key);

// ---- Printing (machine_print.c, machine_table.c) ----

// The effective values as a machine file, each with where it comes from.
void machine_print(const machine *m, const source_set *sources, strbuf *out);
// A machine, and what SVM_MACHINE calls it in the program (not its name where --machine= gives another).
typedef struct machine_table_entry {
    const machine *machine;
    const char *program_name;
} machine_table_entry;
// C text that defines the runtime's machine table (runtime/include/svm/machine_table.h) with these machines.
// Included by every file of a program, it defines one table.
void machine_emit_table(const machine_table_entry *entries, size_t count, strbuf *out);

#endif
