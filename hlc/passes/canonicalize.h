// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The normal form of bodies: docs/stream-ir.md says what it is.
#ifndef SVMC_HLC_PASSES_CANONICALIZE_H
#define SVMC_HLC_PASSES_CANONICALIZE_H

#include "hlc/ir/sir.h"

// Brings all bodies of a valid module into the normal form. Gives whether that changed anything.
bool sir_canonicalize(sir_module *m);
// The same with remarks on what could not be done. keep: no local that the source has goes away, so that a debugger finds
// it: of the normal form that is the part about jumps alone.
bool sir_canonicalize_with(sir_module *m, diag_engine *remarks, bool keep);

#endif
