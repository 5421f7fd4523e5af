// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of 'interchange', which 'in-place' asks too.
#ifndef SVMC_HLC_PASSES_INTERCHANGE_INT_H
#define SVMC_HLC_PASSES_INTERCHANGE_INT_H

#include "hlc/ir/sir.h"

// Trips of a loop between constants; false: it is none, or has none.
bool interchange_trips(const sir_stmt *s, int64_t *trips);
// The variable at the bottom of an array's element; NULL: it is none.
const sir_expr *interchange_root(const sir_expr *e);
// Arrays that are too large for a function's firings to go side by side.
bool interchange_has_large_arrays(const sir_function *f);
// interchange_nests.c: a nest that goes on with sums in an array's elements, with each sum in one go. *lanes: its loop over
// the last subscript. NULL: the loop is none, which stays as it is; a local may have been added.
sir_stmt *interchange_gathered(arena *a, sir_module *m, sir_function *f, const sir_stmt *s, sir_stmt **lanes);

#endif
