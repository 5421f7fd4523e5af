// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The normal form of bodies: docs/stream-ir.md says what it is.
#ifndef SVMC_HLC_PASSES_CANONICALIZE_H
#define SVMC_HLC_PASSES_CANONICALIZE_H

#include "hlc/ir/sir.h"

typedef struct canon_options {
    diag_engine *remarks; // on what could not be done; NULL: none wanted
    // -fcheck-bounds, -fcheck-rates: what may be outside is computed, and so checked, though nobody needs its value.
    bool keep_subscripts, keep_peeks;
    // No local that the source has goes away, so that a debugger finds it: of the normal form that is the part about jumps
    // alone.
    bool keep_locals;
} canon_options;

// Brings all bodies of a valid module into the normal form. Gives whether that changed anything.
bool sir_canonicalize(sir_module *m, const canon_options *options);

#endif
