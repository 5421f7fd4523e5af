// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of the trace, for the two files that draw it.
#ifndef SVMC_SIM_TRACE_H
#define SVMC_SIM_TRACE_H

#include "sim/internal.h"

typedef enum sim_row_kind { SIM_ROW_PROCESSOR, SIM_ROW_CHANNEL, SIM_ROW_MEMORY } sim_row_kind;
const char *sim_row_name(sim *s, size_t row, sim_row_kind *kind);

#endif
