// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters whose firings run one a bit of vectors: their Boolean networks, and what is gained.
#ifndef SVMC_HLC_PLAN_BIT_LANES_H
#define SVMC_HLC_PLAN_BIT_LANES_H

#include "hlc/ir/network.h"
#include "hlc/ir/network_bytes.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/reasons.h"
#include "targets/machine.h"

// Estimates for all lanes together, in operations of the processor. NOTE(bit-cost) in bit_lanes.c.
typedef struct plan_bit_lanes {
    const sir_network *network; // NULL: there is none, or it is slower
    const sir_bytes *bytes;     // NULL: a lane is a bit; else a byte, and this is what the network computes
    int lanes;                  // firings of a vector
    int64_t gates;              // operations on vectors
    bool words_in, words_out;   // items are turned one by one with all of their bits, else those of a bit together
    double turns, single;       // of turning items to bits and back; of the firings one by one
    const plan_reason *slower;  // it would not gain, for this reason
    double excess;              // so many times as large as may be; 0: it is not too large
    sir_network_fault fault;    // there is none
} plan_bit_lanes;

// Lanes of a processor; 0: it has no vectors that are wide enough, or the options say no. Subscripts that are checked are
// none of a network, where upper bits of some are taken to be zero.
int plan_bit_lanes_of(const hlc_program *p, const machine_processor *x);
// Of a filter's firings on such a processor; known after the first call.
const plan_bit_lanes *plan_bit_lanes_for(hlc_program *p, const machine_processor *x, const sir_filter *f);

// Firings of an actor that go side by side so; 0: they do not.
int64_t plan_bit_firings(hlc_program *p, const machine_processor *x, const sir_actor *a);

// The same if it is known, else NULL.
const plan_bit_lanes *plan_bit_lanes_known(const hlc_program *p, const machine_processor *x, const sir_filter *f);

// Whether items are ints that lie in a byte each, as pack-bits has those of files: all of their bits are turned at once.
bool plan_bit_packed(const sir_type *t);

// Whether a filter's items are bits, or it computes with bits of ints: others have nothing to gain.
bool plan_has_bits(const sir_filter *f);
// The first processor of the machine that runs kernels, or NULL.
const machine_processor *plan_bit_processor(const hlc_program *p);
// Sets the operations of actors whose firings run so, of a firing and as if they were single operations that vectors of
// ints do side by side.
void plan_bit_costs(hlc_program *p, const sir_module *m, double *costs);

#endif
