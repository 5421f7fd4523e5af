// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of the pass 'reorder' share.
#ifndef SVMC_HLC_PASSES_REORDER_INT_H
#define SVMC_HLC_PASSES_REORDER_INT_H

#include "hlc/passes/pass.h"
#include "hlc/passes/places.h"

// Actors that an item comes through.
enum { REORDER_STEPS = 64 };

int64_t reorder_total(const sir_actor *a); // of the weights
// The channel that the j-th item of a channel was on before the actor that put it there, and its number on that; SIR_NONE:
// it is not from a splitter, a joiner or an identity. copies: the splitter may be one that copies.
uint32_t reorder_step_back(const sir_module *m, uint32_t channel, bool copies, int64_t *j);
// Whether nothing of what is gone leads elsewhere than from the source to the filter.
bool reorder_leads_here(const sir_module *m, uint32_t source, const bool *gone_actor, const bool *gone_channel);
// A peek at p becomes one where the item lay, if it `rewrites`; false: no affine place has all of its items.
bool reorder_peek(places *order, const place *p, sir_expr *peek, bool rewrites);
// The filter takes the source's items, and what was between is gone.
void reorder_take_from(sir_module *m, arena *a, uint32_t actor, uint32_t source, bool *gone_actor, bool *gone_channel);
// Without the pops at its end.
sir_block reorder_before_pops(const sir_block *body);
bool reorder_is_alone(const sir_module *m, const sir_filter *f);

// reorder_rounds.c: the same of all firings that take what a splitter gives in one round, where items are copied on the way.
bool reorder_rounds(hlc_program *p, arena *a, uint32_t actor);

#endif
