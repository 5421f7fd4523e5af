// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firings of one function side by side, one a lane: what may differ between them, and what is the same for all (loops over
// constants, coefficients, subscripts).
#ifndef SVMC_HLC_IR_LANES_H
#define SVMC_HLC_IR_LANES_H

#include "hlc/ir/sir.h"

// Types of which vectors are made.
bool sir_is_lane_type(const sir_type *t);
// Whether the value of an expression may differ, given the locals that may.
bool sir_lanes_differ(const bool *locals, const sir_expr *e);
// Per local: the loop that has all its uses but the declaration before it. Of what it has for a firing that has left the
// loop nothing is ever asked.
const sir_stmt **sir_lane_homes(arena *a, const sir_function *f);
// Finds the locals that may differ, one entry for each; false where firings cannot go side by side: they keep or print
// something, call, jump, count loops by what differs, or subscript by it what is no local array or window.
bool sir_lane_locals(const sir_function *f, bool *locals);
// The same, where what differs may subscript tables too: fields and globals, which nothing here sets.
bool sir_lane_locals_with_tables(const sir_function *f, bool *locals);

#endif
