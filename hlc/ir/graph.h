// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph as a picture: Graphviz DOT.
#ifndef SVMC_HLC_IR_GRAPH_H
#define SVMC_HLC_IR_GRAPH_H

#include "hlc/ir/sir.h"

// depth: pipelines, splitjoins and loops that are nested so deep are one box each; 0: none is.
void sir_print_graph(strbuf *out, const sir_module *m, uint32_t depth);

#endif
