// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pictures of a report.
#ifndef SVMC_HLC_REPORT_DRAW_H
#define SVMC_HLC_REPORT_DRAW_H

#include "hlc/ir/sir.h"
#include "hlc/map/map.h"

// Kernels by number, and which one each actor went to.
typedef struct draw_colors {
    const uint32_t *of_actor; // SIR_NONE: to none
    const char *const *names;
    size_t count;
} draw_colors;

// The program as it is written; colors may be NULL.
void draw_graph(arena *a, strbuf *out, const sir_module *m, const draw_colors *colors);
// "LowPass(4)", "duplicate", "read x.wav".
const char *draw_actor_label(arena *a, const sir_actor *actor);

// What runs where: boxes in layers from top to bottom, in the order given, which no edge goes against.
typedef struct draw_kernel_box {
    const char *name, *where, *note; // "LowPass", "SPE0 to SPE3", "12 actors"
    uint32_t color;                  // SIR_NONE: grey
} draw_kernel_box;
typedef struct draw_flow {
    uint32_t from, to;
    const char *label; // "4096 bytes"
} draw_flow;
typedef struct draw_flows {
    VEC(draw_kernel_box) boxes;
    VEC(draw_flow) flows;
} draw_flows;
void draw_kernels(arena *a, strbuf *out, const draw_flows *f);

// A memory: addresses from bottom to top, and from left to right the stages in which what lies there lives.
typedef struct draw_extent {
    const char *name;
    uint64_t from, bytes;
    uint32_t first, last; // stages
    uint32_t color;       // SIR_NONE: grey
} draw_extent;
typedef struct draw_memory_map {
    const char *name;
    uint64_t bytes; // shown: what is in use, or all of a small memory
    uint64_t used;
    uint64_t size; // of the memory
    uint32_t stages;
    const char *const *stage_names; // NULL: none
    VEC(draw_extent) extents;
} draw_memory_map;
void draw_memory(arena *a, strbuf *out, const draw_memory_map *map);

// The mapping search: how good the best mapping was after how many tries. Seconds of a steady state.
typedef struct draw_search_history {
    const map_moment *moments; // in order
    size_t count;
    double strip; // steady states that a moment's seconds are of
    double first; // of the mapping that the search began with
} draw_search_history;
void draw_search(arena *a, strbuf *out, const draw_search_history *h);
// Where each method's moments begin: the first after `from` of another method than that; count at the end.
size_t draw_search_end(const draw_search_history *h, size_t from);

#endif
