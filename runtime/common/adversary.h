// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The adversary (docs/adversary.md): with SVM_ADVERSARY=SEED in the environment, runs go in a seeded order that their
// dependences allow, transfers between blocks in pieces, kernels give way where they use streams, and memory holds
// noise where nothing was written. A scheduler asks svmr_drawBelow what to do next; what is common to all is here.
// Without the variable m->adversary is NULL, which a run looks at once.
#ifndef SVM_COMMON_ADVERSARY_H
#define SVM_COMMON_ADVERSARY_H

#include "runtime/common/dma.h"
#include "runtime/common/internal.h"

struct svmr_Adversary {
    uint64_t seed, state; // of the generator
    bool zeroes;          // new memory is zeroed, as the API promises
    unsigned mood, left;  // of the host's scheduler, and for how many choices yet
    int victim;           // the processor that is slow (its order), while the mood is one for that
};

svmr_Adversary *svmr_adversaryCreate(void); // NULL: nobody asks for it
// A number below `bound`, which is not 0. Not for machines that are shared by threads, but locked.
uint64_t svmr_drawBelow(svmr_Adversary *a, uint64_t bound);
// Fills with noise. The same bytes for the same seed, whatever was drawn.
void svmr_poison(const svmr_Adversary *a, void *memory, size_t bytes);
SVMR_COLD void svmr_adversaryNote(const svm_Machine *m, FILE *f); // if it has one: how to repeat the run

// May one that runs be left, or a transfer be cut, now? Machines with several threads leave that to these.
static inline svmr_Adversary *svmr_adversaryOf(const svm_Machine *m)
{
    return m->shared ? NULL : m->adversary;
}
// p, which uses a stream or goes on with a transfer, gives way to others first.
SVMR_COLD bool svmr_givesWay(svmr_Kernel *p);
// How many of `left` positions the next piece of t has at most.
SVMR_COLD size_t svmr_pieceOf(svmr_Kernel *p, const svmr_Transfer *t, size_t left);
// What t will write is dead from its beginning on.
SVMR_COLD void svmr_poisonDestination(svmr_Kernel *p, const svmr_Transfer *t);

#endif
