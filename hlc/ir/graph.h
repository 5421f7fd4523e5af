// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph as a picture: Graphviz DOT.
#ifndef SVMC_HLC_IR_GRAPH_H
#define SVMC_HLC_IR_GRAPH_H

#include "hlc/ir/sir.h"

void sir_print_graph(strbuf *out, const sir_module *m);

#endif
