// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs in rounds whose items move through streams: what rounds.c, rounds_stream.c and rounds_stream_setup.c share.
//
// NOTE(flows). A run covers a chunk: the strips of a round that follow each other on one processor. It takes a strip's
// items from the streams of its inputs and gives what it made to those of its outputs; transfers fill and empty these
// meanwhile. With SVM_ROUNDS_STRAIGHT what one part makes goes into the stream that the other takes from; otherwise,
// and to and from files, it passes the ring's segments in the shared memory, by transfers of whole chunks.
// NOTE(kept). What a window looks ahead at stays in the block that the kernel works on; so a run that continues takes
// its own items only. Each processor has such a block, and a stream, for each end of a part.
#ifndef SVM_COMMON_ROUNDS_STREAM_H
#define SVM_COMMON_ROUNDS_STREAM_H

#include "runtime/common/rounds.h"

// An end of a part on a processor.
typedef struct svmr_Port {
    const svm_PartBlock *row;
    const svm_RingRow *ring;
    int32_t ringNumber;
    bool input, straight;
    char *block;        // where the kernel works unless it works in the stream's memory; NULL: in the ring's segment
    svm_Block items;    // what it works on now
    svm_Stream *stream; // NULL: the ring's segment
    svm_Stream own;     // the stream, unless it is the other end's
    size_t unit;        // bytes of the stream's elements
    size_t strip;       // elements of a whole strip
} svmr_Port;

typedef struct svmr_FlowPlace {
    svmr_Port *ports; // of the part's windows, in order; NULL: the part does not run there
} svmr_FlowPlace;

// What a run has to do with a port.
typedef struct svmr_FlowEnd {
    size_t skip;      // bytes of the stream's first element that are not the run's
    int64_t first;    // item of the segment at which the run's own begin
    bool inPlace;     // of the strip under way: in the stream's memory
    size_t elements;  // and that many of it
    int64_t count;    // items that the kernel has of it
    svm_Block there;  // in the segment
    union {
        svm_MoveB2S load;
        svm_MoveS2B store;
        svm_MoveS2S pass; // a straight output's; NULL engine: none is needed
    } move;
    bool moves, initialised; // in this run; the kernel exists
    bool hasTail;
    svm_Block tailFrom, tailTo;
    svm_MoveB2B tail;
} svmr_FlowEnd;

typedef struct svmr_FlowRun svmr_FlowRun;
struct svm_PartFlow {
    svm_Rounds *rounds;
    svmr_FlowRun *run;
    bool starting, cold;
    const int64_t *counts; // firings of each actor; NULL: steady states
    int64_t left, done;    // steady states
    bool once;             // counts are still to be fired
};

// A chunk of a part in a set, or, in the set behind them, all strips on one processor: for what is not a usual round.
struct svmr_FlowRun {
    svm_Kernel *kernel; // the first field of the part's struct
    int32_t part, set, processor, begin, strips;
    int32_t ringSet; // whose segments
    svmr_FlowPlace *place;
    svmr_FlowEnd *ends; // as the place's ports
    svm_PartFlow flow;
};

typedef struct svmr_FlowPart {
    svmr_FlowPlace *places; // by processor
    svmr_FlowRun *runs;     // of all sets, by set and begin; then one a processor that the part runs on
    int32_t count, perSet;
    char *kernels;
} svmr_FlowPart;

// Whether the ring leads from stream to stream and has no segments.
static inline bool svmr_isStraight(const svm_RoundsTable *t, const svm_RingRow *ring)
{
    return t->transfer == SVM_ROUNDS_STRAIGHT && ring->from >= 0 && ring->to >= 0;
}

static inline int64_t svmr_made(const svm_RingRow *ring, const int64_t *counts, bool starting)
{
    int64_t firings = counts[ring->actor];
    if (firings <= 0)
        return 0;
    return starting ? ring->first + (firings - 1) * ring->push : firings * ring->push;
}

bool svmr_runsOn(const svm_RoundsTable *t, int32_t part, int32_t processor);

void svmr_flowCreate(svm_Rounds *r);
void svmr_flowDestroy(svm_Rounds *r);
void svmr_flowForget(svm_Rounds *r);
// A round of so many steady states; serial: each part on the processor where it ran last.
void svmr_flowRound(svm_Rounds *r, int32_t set, int64_t steady, bool serial);
// So many firings of each actor, with the segments of a set; at: steady states of the round before them. Waits for them.
void svmr_flowPhase(svm_Rounds *r, int32_t set, int64_t at, const int64_t *counts, bool starting);

#endif
