// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What rounds.c and rounds_setup.c share.
#ifndef SVM_COMMON_ROUNDS_H
#define SVM_COMMON_ROUNDS_H

#include "runtime/common/internal.h"
#include "svm/rounds.h"

// The items of a ring that a run reads or writes. Where kernels work on rings, `items` is there; else `items` is in the
// processor's memory, and `move` brings the items from or to the ring, in whole units of the alignment.
typedef struct svmr_Window {
    const svm_PartBlock *row;
    const svm_RingRow *ring;
    int32_t ringNumber, blockNumber;
    size_t address; // of items in the processor's memory
    svm_Block items, there, here;
    svm_MoveB2B move;
    bool moves; // something, in this run
    // Outputs: what of the items the next round finds at the front of its segment.
    bool hasTail;
    int64_t tailCount; // of a whole strip
    svm_Block tailThere, tailHere;
    svm_MoveB2B tailMove;
} svmr_Window;

struct svmr_Chunk;
// A strip of a part in a set.
typedef struct svmr_RoundsRun {
    svm_Kernel *kernel; // the first field of the part's struct
    int32_t part, set, strip, processor;
    svmr_Window *windows;
    struct svmr_Chunk *chunk; // as part of which it runs in rounds; NULL: by itself
} svmr_RoundsRun;

// Consecutive strips of a part on one processor, in one run (rounds_chunks.c).
typedef struct svmr_Chunk {
    svm_Kernel kernel; // first
    const svm_Rounds *rounds;
    svmr_RoundsRun *first;
    int32_t count, told; // strips; those that its next run covers
    int32_t group;       // strips that files are read and written for at once
    char *items;         // of a group, for windows on files: the processor's
    svm_Kernel **on;     // what it depends on
    size_t onCount, onRoom;
} svmr_Chunk;

// The items of a round's ring are in a file, the first of the round's own at byte `at`, or to be written there, by who
// runs the strips.
typedef struct svmr_Claim {
    bool held, inFile; // inFile: input that is not in the ring, also when the round is over
    int64_t at;
    char *last; // output: as many items as the ring's writer is behind by, the last of the round
} svmr_Claim;

typedef struct svmr_RoundsSet {
    svm_Kernel **issued; // in this round, in order
    size_t count;
    int64_t steady; // steady states of the round
} svmr_RoundsSet;

typedef struct svmr_PartState {
    int32_t windows;     // of each run
    svmr_RoundsRun *runs; // by set and strip
    char *kernels;
    int32_t last;        // processor of the last run
    svmr_Chunk *chunks;
    int32_t chunkCount;
    int64_t *reached;    // per processor: steady states of the program at which its last run ended; -1: none
} svmr_PartState;

// Items for a file that its writer has not come to: it may be behind by what the initialisation leaves.
typedef struct svmr_Lag {
    char *items;
    int64_t count;
    bool ahead; // they are in the file already
} svmr_Lag;

struct svm_RoundsPrivate {
    svmr_Lag *lags; // by ring
    svmr_Claim *claims;  // by ring and set
    bool together;       // there are chunks
    char **scratch;      // by processor: what its chunks read from files, and write
    size_t *scratchBytes;
    svmr_PartState *parts;
    svmr_RoundsSet *sets;
    svm_Block *segments; // by ring and set, bytes
    size_t memory;       // of all rings
    svm_Block **own;     // by processor and part: the blocks of the part's row
    size_t *ownMemory;   // per processor
    bool *allocated;
    struct svmr_FlowPart *flowParts; // with streams
    bool misaligned;     // a stream's next strip does not begin where a whole one may
    int64_t round;       // the next
    bool fronts;         // its segments' fronts are in place
};

// A segment's element.
static inline char *svmr_ringItem(const svm_Rounds *r, int32_t ring, int32_t set, int64_t item)
{
    return r->private_->segments[ring * r->table->sets + set].data + (size_t)item * r->table->ringRows[ring].itemSize;
}

static inline svmr_RoundsRun *svmr_runOf(const svm_Rounds *r, int32_t part, int32_t set, int32_t strip)
{
    return &r->private_->parts[part].runs[set * r->table->strips + strip];
}

static inline bool svmr_movesWindows(const svm_Rounds *r, const svmr_RoundsRun *run)
{
    return r->table->processorRows[run->processor].load != NULL;
}

static inline int64_t svmr_unitsUp(int64_t bytes, size_t unit)
{
    return (bytes + (int64_t)unit - 1) / (int64_t)unit * (int64_t)unit;
}

// What is issued for a run in a round.
static inline svm_Kernel *svmr_taskOf(const svmr_RoundsRun *run)
{
    return run->chunk ? &run->chunk->kernel : run->kernel;
}

// ---- rounds_chunks.c ----
bool svmr_runsTogether(void);
void svmr_setUpChunks(svm_Rounds *r, int32_t part); // after its runs
void svmr_allocateScratch(svm_Rounds *r);           // after all parts' chunks
void svmr_forgetChunks(svm_Rounds *r);
void svmr_chunkDepends(svmr_Chunk *c, svm_Kernel *on);
// The run has its counts and windows; last: of its round. Whether its chunk can be issued now.
bool svmr_endsChunk(const svmr_RoundsRun *run, bool last);
// The input of a round is left to who runs its strips, if all of it is there; the same for what it gives to files.
bool svmr_claimInput(svm_Rounds *r, int32_t ring, int32_t set, int64_t steady);
void svmr_claimOutputs(svm_Rounds *r, int32_t set, int64_t steady);
// Reads the input that is claimed, and what is before it, after all.
void svmr_readClaims(svm_Rounds *r, int32_t set, int64_t steady);
// What a round of `steady` steady states leaves at the front of the next, if it is only in a file.
bool svmr_readFront(svm_Rounds *r, int32_t ring, int32_t set, int64_t steady);
// The round is over: whether the ring was claimed.
bool svmr_dropClaim(svm_Rounds *r, int32_t ring, int32_t set);
// No round is under way, and the file ends with what its writer has come to.
void svmr_takeBack(svm_Rounds *r, int32_t ring);

// Sets a window's blocks to `count` items of the set's segment from `first` on.
void svmr_placeWindow(svm_Rounds *r, const svmr_RoundsRun *run, svmr_Window *w, int32_t set, int64_t first,
                      int64_t count);

#endif
