// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time that a Cell program takes on the described machine: what its PPE does is recorded as it runs (record.c), and
// replayed on the simulation engine (control.c, queues.c) as the machine would do it: the PPE's calls, queues of commands
// that SPEs fetch, transfers, kernels that take the time of the operations they counted, and news of what is complete.
//
// The replay stays behind the run. It goes on whenever something is recorded, and rests where it needs what is not
// recorded yet: the PPE's next call, or what a kernel has counted. So it depends on nothing that one run does otherwise
// than the next, and keeps no more than what is under way.
#ifndef SVM_CELL_TIME_REPLAY_H
#define SVM_CELL_TIME_REPLAY_H

#include "runtime/cell/svm/ppu/internal.h"
#include "sim/sim.h"
#include "svm/sim_table.h"

typedef struct svmr_Replay svmr_Replay;
typedef struct svmr_TimedSpe svmr_TimedSpe;

typedef enum svmr_TimedKind {
    SVMR_TIMED_UNKNOWN, // not recorded yet: what the run will be
    SVMR_TIMED_KERNEL,  // on an SPE
    SVMR_TIMED_TRANSFER,
    SVMR_TIMED_STREAM, // a transfer of a stream, or nothing but what is told
    SVMR_TIMED_HERE    // by the PPE
} svmr_TimedKind;

typedef struct svmr_TimedRuns {
    svmr_TimedRun **data;
    size_t count, capacity;
} svmr_TimedRuns;

// A stream in a local store: elements ever pushed and popped.
struct svmr_TimedStream {
    svmr_TimedSpe *spe;
    const char *label;
    uint64_t written, read;
    uint32_t capacity, elementSize, group;
    uint32_t watchers; // SPEs that are told when something is popped: bits of their numbers
};

// A kernel's use of one, and its operations until then, from its beginning on.
typedef struct svmr_TimedUse {
    svmr_TimedStream *stream;
    svm_CellUse use;
    uint32_t count;
    uint32_t number; // of the kernel's command
    double work;
} svmr_TimedUse;
typedef struct svmr_TimedUses {
    svmr_TimedUse *data;
    size_t count, capacity;
} svmr_TimedUses;

// A run of a kernel.
struct svmr_TimedRun {
    int references;
    const char *label;
    svmr_TimedKind kind;
    bool known;                   // its cost, too
    bool started, complete, told; // told: to those who wait on other processors, or on its way
    bool ahead;                   // SPEs are told, though not all before it is complete
    bool leads;                   // all before it was complete when it started
    bool brings;                  // a transfer from the local store
    bool repeats;                 // of a sequence: it takes no room in the queue
    svmr_TimedSpe *spe;           // in whose queue it is; NULL: the PPE's
    uint32_t number;              // there
    uint32_t bytes;               // of its command
    uint32_t kernel;              // its number, plus 1
    uint32_t region, codeBytes;   // as svm_CellKernel has them
    double work;                  // femtoseconds of a kernel's operations
    sim_transfer *transfers;
    size_t transferCount, arrived;
    svmr_TimedStream **streams; // of a kernel that promises SVM_KERNEL(input_first)
    size_t streamCount;
    svmr_TimedUses uses; // of streams, on an SPE,
    size_t nextUse;
    double worked; // until the last of them
    struct {
        svmr_TimedStream *from, *to;
        sim_element engine, memory; // memory: of the block
        uint64_t bytes, moved, moving, address;
        bool landed; // what was moving is there, and the SPE has not looked since
    } stream;
    svmr_TimedRuns dependences; // until it is issued
    svmr_TimedRuns dependents;  // issued, and waiting for it
    size_t waits;               // for so many runs
    bool waitedForTransfer;     // the last of them was one
    svmr_Replay *replay;
};

// What an operation costs, by the classes of svm_simTable; negative: it cannot run.
typedef struct svmr_TimedCosts {
    double classes[SVM_SIM_CLASSES], cycle;
} svmr_TimedCosts;

// A queue of runs, in order.
typedef struct svmr_TimedQueue {
    svmr_TimedRuns runs;
    size_t first; // of those that are still in it
} svmr_TimedQueue;

struct svmr_TimedSpe {
    svmr_Replay *replay;
    const svmr_Spe *spe;
    sim_element processor, store;
    svmr_TimedCosts costs;
    sim_time start, stop;
    double loading, storing; // femtoseconds of one
    // Commands in memory that the SPE was not told of; that it was told of and has not fetched; in its ring.
    svmr_TimedQueue issued, rung, ring;
    uint32_t issuedBytes, queuedBytes; // of `issued`; of all commands that are not complete
    uint32_t nextNumber, complete;     // commands; complete: as the count in memory says
    uint32_t seen;                     // by the PPE, when it last read that
    bool fetching, computes, stalls;   // stalls: a kernel could start, and its cost is not recorded yet
    sim_time freeSince;
    svmr_TimedRun *waiting; // a kernel that waits for a stream, since freeSince
    bool holds;             // a kernel runs, or waits
    uint32_t lastKernel;    // of those with SVM_KERNEL(input_first) that were looked at,
    bool several;           // and there are others
    bool passes;            // a kernel has begun before one that was to begin first;
    uint32_t passed;        // the last such: its number
    svmr_TimedUses uses;    // of kernels that are not over in fact: svmr_timedUsed puts them there
    uint32_t *regions;      // the kernel whose code each has
    uint32_t underWay;      // transfers
    uint64_t rings, wakes;  // messages: the PPE wakes it for commands, its word wakes the PPE
    svmr_TimedSpe *next;
};

typedef enum svmr_TimedCallKind {
    SVMR_TIMED_RUN,
    SVMR_TIMED_REPEAT,
    SVMR_TIMED_WAIT,
    SVMR_TIMED_COPY,
    SVMR_TIMED_WORK,
    SVMR_TIMED_PAGES,  // of files, that the system maps
    SVMR_TIMED_ZEROES, // new ones, that it fills,
    SVMR_TIMED_NEW,    // or will fill when an engine wants them
    SVMR_TIMED_UNMAPPED
} svmr_TimedCallKind;
enum { SVMR_TIMED_PIECE = 64 << 10 }; // bytes of a file that are copied or filled at once, as runtime/sim has it

// What the PPE does, in order.
typedef struct svmr_TimedCall {
    svmr_TimedCallKind kind;
    svmr_TimedRun *run;
    svmr_TimedRun *last;                 // WAIT: on the same SPE, the last that is waited for behind it
    bool polls;                          // WAIT: no message comes
    bool begins;                         // RUN: no steady state was asked for yet
    svmr_TimedRuns runs;                 // REPEAT: all, in order,
    uint32_t spes;                       // on so many SPEs
    size_t fileBytes, itemBytes, pieces; // COPY
    size_t address;                      // ZEROES, NEW, UNMAPPED: itemBytes from there on
    double work;                         // WORK, PAGES: femtoseconds
    struct svmr_TimedCall *next;
} svmr_TimedCall;

struct svmr_Replay {
    svm_Machine *machine;
    const svm_MachineTable *table;
    arena *arena;
    sim *engine;
    svmr_TimedSpe *spes;
    // The PPE.
    sim_element ppe, memory;
    svmr_TimedCosts costs;
    double load, store;         // femtoseconds of one
    sim_time callRun, callWait; // callWait: a line of counts is read
    sim_time look;              // a wait for what is known to be over
    sim_time delay, delayed; // SVM_CELL_PPE_DELAY: of a message to or from an SPE; of those that it has not spent yet
    double slower;           // SVM_CELL_PPE_SLOWER: what the PPE does for SPEs takes so many times as long
    svmr_TimedCall *first, **last; // calls to come
    bool rests;                    // no call is recorded that it could make
    bool busy;                     // with what it does until an event
    bool waits;                    // for an SPE, or room in a queue
    sim_time waitsSince;
    uint32_t sleepsUntil; // commands of the SPE that it waits for are complete
    bool runsHere;        // it has run kernels or transfers itself
    const char *waitsFor;
    struct {
        uint64_t runs, waits;
        double calls, code, files; // femtoseconds
    } made;                        // SVM_CELL_COUNT tells them
    svmr_TimedRun *here;           // that it runs
    svmr_TimedQueue ready;         // that it can run
    sim_time copyLeast;            // a copy's piece takes until then
    svmr_TimedRun *issuing;        // by the call that takes its time
    svmr_TimedRuns repeating;      // the same of a sequence
    bool over;                     // nothing more is recorded
    // What code on the PPE has counted, when last looked at.
    uint64_t seenCounts[SVM_SIM_CLASSES], seenFirings;
    double seenCycles;
    svmr_TimedRun *running; // that the PPE runs in fact, and records
    int64_t submitted;      // steady states that the program says it has run,
    sim_time began;         // since then
    unsigned number;
    svmr_Replay *nextReplay;
};

// ---- Machines and costs (costs.c) ----

svmr_Replay *svmr_replayCreate(svm_Machine *m, int processorId);
svmr_TimedSpe *svmr_timedSpe(svmr_Replay *r, const svmr_Spe *spe);
sim_element svmr_timedMemory(const svmr_Replay *r, const char *name);
sim_element svmr_timedProcessor(const svmr_Replay *r, int processorId);
// What a kernel's counts cost: as it declares, or its operations.
double svmr_timedWork(const svmr_Replay *r, const svmr_TimedCosts *c, const svmr_Kernel *p, const uint64_t *counts,
                      uint64_t firings, double cycles);
// The same by the kernel's function (NULL: of control code), whatever its processor cannot do.
double svmr_timedWorkOf(const svmr_TimedCosts *c, svm_KernelFunction *run, const uint64_t *counts, uint64_t firings,
                        double cycles);
bool svmr_timedWanted(void);

// ---- Runs (record.c) ----

void svmr_timedAppend(svmr_TimedRuns *list, svmr_TimedRun *run); // takes a reference
svmr_TimedRun *svmr_timedHold(svmr_TimedRun *run);
void svmr_timedRelease(svmr_TimedRun *run);
void svmr_timedEmpty(svmr_TimedRuns *list);
static inline size_t svmr_timedLength(const svmr_TimedQueue *q)
{
    return q->runs.count - q->first;
}
svmr_TimedRun *svmr_timedTake(svmr_TimedQueue *q); // the first, with its reference

// ---- The replay ----

void svmr_replay(svmr_Replay *r);            // as far as is recorded
void svmr_timedGoOn(svmr_Replay *r);         // the PPE, when it is not busy (control.c)
void svmr_timedHeard(svmr_Replay *r);        // the PPE, of what is complete
void svmr_timedReady(svmr_TimedRun *run);    // a run that the PPE runs waits for nothing any more
void svmr_timedIssue(svmr_TimedRun *run);    // a command is in an SPE's queue (queues.c)
void svmr_timedRing(svmr_Replay *r);         // SPEs are told of their commands
void svmr_timedLook(svmr_TimedSpe *spe);     // what can start, starts
void svmr_timedComplete(svmr_TimedRun *run); // and who waits on the same processor goes on
void svmr_timedSatisfy(svmr_TimedRun *run, const svmr_TimedRun *by); // one thing less to wait for

// ---- Streams (streams.c) ----

void svmr_timedTakeUses(svmr_TimedRun *run, uint32_t number); // those of a kernel that is over in fact
void svmr_timedTransfer(svmr_TimedRun *run);                  // goes on, if something can move
void svmr_timedLand(svmr_TimedSpe *spe);                      // the SPE looks what has arrived
void svmr_timedKernelOn(svmr_TimedRun *run);   // a kernel computes until it uses a stream next, or is over
void svmr_timedWakeKernel(svmr_TimedSpe *spe); // the kernel that waits for a stream goes on, if it can
void svmr_timedStop(svmr_TimedRun *run);       // it has computed all (queues.c)

void svmr_timedRegister(svmr_Replay *r);
void svmr_timedResults(svmr_Replay *r); // writes what the environment asks for (output.c)

#endif
