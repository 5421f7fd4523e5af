// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What emitted programs that run on several processors and move items through streams need beside svm/program.h. Such a program is cut into parts, each
// a kernel that runs on one processor or on several in turn, joined by rings. docs/mapping.md explains the model.
//
// NOTE(rounds). Work goes on in rounds of `strips` strips; a table says on which processor each part runs each strip.
// `sets` rounds may be under way at once. A ring has a segment for each set: `front` items that the round before left,
// then the round's own. Kernels depend on each other only; the control program waits for the round that used a set
// before, writes what it gave, reads for the next and starts it.
// NOTE(cold). A part keeps what its inner channels hold on the processor where it ran. A run that goes on where its
// processor's last run of the part ended continues; any other is cold: it begins `lead` steady states earlier in what it
// reads, and each actor fires as many more as what follows needs of it. Only parts without state have cold runs.
// NOTE(streams). With streams a run covers the strips of a round that follow each other on a processor: the kernel takes
// and gives a strip at a time, where the items lie if that can be, while engines fill and empty its streams. Memory of
// each window holds the stream, and behind it a block for what cannot be worked on in the stream.
// Every function says on which side it may be called: K in kernels, C in control code.
#ifndef SVM_ROUNDS_H
#define SVM_ROUNDS_H

#include "svm/program.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Tables ----

// The items between two parts, or a part and a file, in the memory that all meet in.
typedef struct svm_RingRow {
    const char *name;
    size_t itemSize;
    int64_t step;        // items of a steady state
    int64_t init, ahead; // that the initialisation makes, and that are then left
    int64_t front;       // before the round's own, whole units of the table's alignment
    int64_t room;        // of a segment
    int32_t from, to;    // parts; -1: the control program
    int32_t file;        // then: number of the reader or writer
    int32_t actor, taker; // of the program: who makes the items, and who takes them
    int64_t first, push; // how many in its first firing, and in others
} svm_RingRow;

typedef enum svm_PartBlockKind { SVM_PART_INNER, SVM_PART_INPUT, SVM_PART_OUTPUT } svm_PartBlockKind;
// A block of a kernel: a channel or state inside the part, or the window of a ring that a run works on.
typedef struct svm_PartBlock {
    svm_PartBlockKind kind;
    int32_t ring;                // of a window
    size_t address;              // in what the processor has for its own; of a window where kernels do not reach rings
    size_t capacity, itemSize;   // of a window that is moved: bytes of each of its blocks
    const char *name;
} svm_PartBlock;

typedef struct svm_PartRow {
    const char *name;
    svm_KernelFunction *run;
    // Bytes of the kernel's struct, and where in it are: bool starting, bool cold, ptrdiff_t steady, ptrdiff_t firings[],
    // svm_Block *blocks[], svm_Log *logs[].
    size_t size, starting, cold, steady, firings, blocks, logs;
    int32_t actorCount;
    const int32_t *actors; // of the program, in the order of firings[]
    const int32_t *warm;   // steady states that each fires more in a cold run
    int32_t lead;          // most of them
    int32_t blockCount;
    const svm_PartBlock *blocksOf;
    int32_t logCount;
    const int32_t *logsOf; // numbers of logs
    size_t flow; // where in the struct: svm_PartFlow *flow
} svm_PartRow;

// How items come to kernels and leave them. NOTE(streams).
typedef enum svm_RoundsTransfer {
    SVM_ROUNDS_STREAMS,  // through streams, which engines fill from rings and empty into them
    SVM_ROUNDS_STRAIGHT, // the same, and from part to part from stream to stream: each part is on one processor
} svm_RoundsTransfer;

typedef struct svm_RoundsProcessor {
    mm_Proc processor;
    mm_Mem memory;      // where its kernels' own blocks lie
    mm_Proc load, store; // engines that move windows there and back; NULL: kernels work on the rings
    size_t base, bytes; // of its own blocks; without engines they are allocated
} svm_RoundsProcessor;

typedef struct svm_RoundsTable {
    mm_Mem shared;
    size_t alignment; // bytes: of what is moved; 1 where nothing is
    int32_t parts, rings, processors, readers, writers, logs;
    // Of a round; segments of each ring; rounds under way at once; blocks that each window has, if it is moved.
    int32_t strips, sets, rounds, depth;
    int64_t strip;               // steady states
    const svm_PartRow *partRows; // in topological order
    const svm_RingRow *ringRows;
    const svm_RoundsProcessor *processorRows;
    const int32_t *where;           // per part and strip: a processor
    const int64_t *init, *steadily; // firings of each actor of the program in the initialisation and in a steady state
    svm_RoundsTransfer transfer;
    const mm_Proc *movers; // straight: the engine for each ring between parts; NULL where both work in one memory
} svm_RoundsTable;

// ---- An instance ----

typedef struct svm_RoundsReader {
    svm_Reader file;
    ptrdiff_t held; // items read and not used yet
} svm_RoundsReader;

typedef struct svm_Rounds {
    bool started, ended;     // the initialisation has run; input has ended
    int64_t steadyStates;    // run so far
    int64_t iterations;      // steady states asked for in this call of run
    const svm_RoundsTable *table;
    svm_RoundsReader *readers;
    svm_Writer *writers;
    svm_Log *const *logs;
    struct svm_RoundsPrivate *private_;
} svm_Rounds;

// C: sets up blocks and kernels. table, readers, writers and logs are set before; files are opened by the program.
void svm_roundsCreate(svm_Rounds *r);
// C: the initialisation, before anything else; false when input ends in it.
bool svm_roundsStart(svm_Rounds *r);
// C: up to `iterations` steady states; 0 once input has ended.
int svm_roundsRun(svm_Rounds *r);
// C: after the end of input: counts[actor] firings of each actor.
void svm_roundsDrain(svm_Rounds *r, const int64_t *counts, bool starting);
void svm_roundsDestroy(svm_Rounds *r); // C
void svm_roundsForget(svm_Rounds *r);  // C: the same when the machine is gone

// With streams, what a run has still to do. K: the blocks and firings of the next strip, once its items are there; false:
// there is none. K: what the strip made goes on, and what it read makes room.
typedef struct svm_PartFlow svm_PartFlow;
bool svm_partNext(svm_PartFlow *f);
void svm_partSend(svm_PartFlow *f);

#ifdef __cplusplus
}
#endif

#endif
