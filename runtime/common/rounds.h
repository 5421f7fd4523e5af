// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What rounds.c, rounds_setup.c and rounds_stream*.c share.
#ifndef SVM_COMMON_ROUNDS_H
#define SVM_COMMON_ROUNDS_H

#include "runtime/common/internal.h"
#include "svm/rounds.h"

typedef struct svmr_RoundsSet {
    svm_Kernel **issued; // in this round, in order
    size_t count;
    int64_t steady; // steady states of the round
} svmr_RoundsSet;

typedef struct svmr_PartState {
    int32_t windows;  // of each run
    int32_t last;     // processor of the last run
    int64_t *reached; // per processor: steady states of the program at which its last run ended; -1: none
} svmr_PartState;

// Items for a file that its writer has not come to: it may be behind by what the initialisation leaves.
typedef struct svmr_Lag {
    char *items;
    int64_t count;
} svmr_Lag;

struct svm_RoundsPrivate {
    svmr_Lag *lags; // by ring
    svmr_PartState *parts;
    svmr_RoundsSet *sets;
    svm_Block *segments; // by ring and set, bytes
    size_t memory;       // of all rings
    svm_Block **own;     // by processor and part: the blocks of the part's row
    size_t *ownMemory;   // per processor
    bool *allocated;
    struct svmr_FlowPart *flowParts;
    bool misaligned; // a stream's next strip does not begin where a whole one may
    int64_t round;   // the next
    bool fronts;     // its segments' fronts are in place
};

// A segment's element.
static inline char *svmr_ringItem(const svm_Rounds *r, int32_t ring, int32_t set, int64_t item)
{
    return r->private_->segments[ring * r->table->sets + set].data + (size_t)item * r->table->ringRows[ring].itemSize;
}

#endif
