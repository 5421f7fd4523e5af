// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ints that are known to fit 8 or 16 bits.
#ifndef SVMC_HLC_IR_NARROW_H
#define SVMC_HLC_IR_NARROW_H

#include "hlc/ir/sir.h"

// Gives channels, constant tables and local arrays of ints types that say how few bits their values need, in a canonical
// program that has not been cut up. Values are computed as ints all the same. keep: per actor, whether its channels stay
// as they are. Gives the number of channels that are stored in fewer bits. Also says of quotients and remainders what is known of
// the number that is divided (sir_expr.known).
size_t sir_find_narrow(sir_module *m, const bool *keep);

// Before it: a filter whose instances have channels of different needs becomes several filters, each with an own copy,
// so that one instance that reads a file does not keep the others' items as wide as its own. Few actors only.
void sir_split_narrow(sir_module *m, const bool *keep, sir_filter *(*copy)(sir_module *m, const sir_filter *f));

// Between which values the items of each channel of ints are, in a canonical program; false: nothing is known.
bool sir_find_item_ranges(sir_module *m, sir_interval *items);

#endif
