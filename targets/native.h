// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// This computer as a machine: --machine=native. What there is, hwloc tells; what it costs, svm-characterize measures
// and keeps in a machine file. Without that file the costs of host.yaml (one core) or host-4.yaml stand in, in cycles
// of this computer's clock, with a warning.
#ifndef SVMC_TARGETS_NATIVE_H
#define SVMC_TARGETS_NATIVE_H

#include "targets/machine.h"

// The machine called "native": the file that svm-characterize wrote (native_path), or what native_describe gives.
machine *native_machine(arena *a, diag_engine *d, const char *directory, src_range used_at);
// $SVMC_NATIVE, else svmc/native.yaml in $XDG_CONFIG_HOME or ~/.config; NULL when none of these is set.
const char *native_path(arena *a);

// The vector registers of the processor that -march= names: how many, and the bytes of one.
typedef struct native_vectors {
    int64_t registers, bytes;
} native_vectors;
// "native" is this one, and the levels of x86-64 have names; of others, and of NULL, nothing is known: 0.
native_vectors native_vectors_of(const char *march);
// Whether that processor takes bytes of whole vectors of 64 from four others (AVX512-VBMI).
bool native_takes_bytes(const char *march);
// Whether a product and a sum in one operation are faster on it than one after the other (-Ofast).
bool native_fuses(const char *march);
// Whether it loads vectors of scattered elements faster than the elements one by one.
bool native_gathers(const char *march);
// What svm/byte_lanes.h has on that processor, and takes, in instructions for a vector; all 0: it is of no use.
typedef struct native_byte_costs {
    int lanes;                    // bytes of a vector
    int linear, inverse, look_up; // a product with a matrix of bits, one with an inverse in a field, a table of 256
} native_byte_costs;
native_byte_costs native_bytes_of(const char *march);

// ---- What there is (native.c) ----

typedef struct native_cache {
    unsigned level;
    uint64_t size, line; // bytes
    size_t cores;        // that share one
} native_cache;

typedef struct native_topology {
    const char *cpu;             // the maker's name of the processor
    size_t cores;                // that this process may use
    const int *processors;       // by core: the system's number of its first hardware thread
    VEC(native_cache) caches;    // of data, nearest first
    const char *caches_from;     // who told: "hwloc"
    uint64_t memory, numa_nodes; // bytes of all nodes
    double clock;                // Hz as the system tells it; 0: it does not
    uint64_t simd_width;         // bytes
} native_topology;

// False after an error.
bool native_read_topology(arena *a, diag_engine *d, native_topology *t);

// ---- As a machine file (native_write.c) ----

// A value as the file has it, "3.2 ns", and where it comes from. text NULL: left out.
typedef struct native_value {
    const char *text, *comment;
} native_value;

typedef struct native_memory_values {
    native_value latency, sequential, random;
} native_memory_values;

// A machine whose elements are named as in host.yaml: CPU, CORE0..., DMA0, GMEM, and L1D, L2, ... for the caches.
typedef struct native_description {
    const native_topology *topology;
    size_t cores;     // kernel processors
    const char *head; // comment lines behind the licence, each with its "# "
    const char *summary, *source;
    native_value clock;
    native_memory_values memory;
    native_memory_values *caches; // by the topology's
    native_value simd_width, registers, register_size, register_pressure;
    native_value operations[MACHINE_OP_COUNT];
    native_value kernel_start, kernel_stop, dma_start, dma_stop;
    native_value push_acquire, pop_discard;
    native_value push_fixed, push_unit, push_per_unit, pop_fixed, pop_unit, pop_per_unit;
    native_value link_latency, link_bandwidth; // between cores; unused when there is one
} native_description;

void native_write(const native_description *n, strbuf *out);

#endif
