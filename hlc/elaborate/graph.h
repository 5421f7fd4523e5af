// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the tree of instances to actors, channels and regions.
#ifndef SVMC_HLC_ELABORATE_GRAPH_H
#define SVMC_HLC_ELABORATE_GRAPH_H

#include "hlc/elaborate/elab.h"

// One side of a stream: the actor's port where its items enter or leave.
typedef struct graph_end {
    uint32_t actor, port;  // actor SIR_NONE: void
    const sir_type *type;  // NULL: of something already reported
    const elab_inst *inst; // whose actor it is, for messages
} graph_end;

typedef struct graph_ends {
    graph_end in, out;
} graph_ends;

typedef struct graph {
    elab *x;
    sir_module *m;
    VEC(const char *) bases; // by actor: what its name is made of
    bool failed;             // several errors may be found; the graph is not used then
} graph;

// graph_check.c
diag_record *graph_error(graph *g, src_range r, const char *format, ...) __attribute__((format(printf, 3, 4)));
void graph_note(graph *g, diag_record *r, src_range where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Where the items of from go to: equal types, or an error that names both.
bool graph_same_type(graph *g, graph_end from, graph_end to);
// The weights of a splitter or joiner by port. voids: ports whose stream has no such side.
bool graph_weights(graph *g, const elab_inst *inst, const elab_split *split, const char *what, const bool *voids,
                   uint32_t count, uint32_t *weights);
void graph_check_written(graph *g, const elab_inst *inst, const graph_ends *ends);
void graph_check_fires(graph *g, const elab_inst *child, const graph_ends *ends, uint32_t in, uint32_t out);
void graph_check_messages(graph *g);
void graph_warn(graph *g);

// graph_name.c
void graph_name_actors(graph *g);
const char *graph_base(graph *g, const elab_inst *inst, const char *suffix);

#endif
