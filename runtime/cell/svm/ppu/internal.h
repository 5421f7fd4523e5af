// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The PPE's side of Cell programs: runtime/common with a scheduler that puts runs of kernels on SPEs, and transfers to and
// from their local stores, into the SPEs' queues (svm/cell.h), whatever they depend on there. All else runs on
// control threads, as on a host of one thread.
#ifndef SVM_CELL_PPU_INTERNAL_H
#define SVM_CELL_PPU_INTERNAL_H

#include <libspe2.h>

#include "runtime/cell/svm/cell.h"
#include "runtime/common/dma.h"
#include "runtime/common/scheduler.h"
#include "svm/cell_program.h"
#include "svm/program.h"

typedef struct svmr_Spe svmr_Spe;
typedef struct svmr_TimedRun svmr_TimedRun;
typedef struct svmr_Repeated svmr_Repeated;

// What is queued without the SPE being told: bytes, a quarter of the queue; and commands while it has nothing to do.
enum { SVMR_RING_AFTER = 256 << 10, SVMR_RING_IDLE = 4 * SVM_CELL_WINDOW };
enum { SVMR_LOCAL_STORE = 256 << 10 };
// Counts of SPEs that lie in one line of the PPE's cache.
enum { SVMR_LINE_COUNTS = 128 / sizeof(svm_CellCount) };

// Until how many commands are complete the PPE sleeps that waits for `wanted`: for half of those in the queue, if that is
// more. The other half keeps the SPE busy while the PPE wakes and queues more.
static inline uint32_t svmr_sleepUntil(uint32_t complete, uint32_t issued, uint32_t wanted)
{
    const uint32_t half = complete + (issued - complete) / 2;
    return (int32_t)(half - wanted) > 0 ? half : wanted;
}

// A run in a queue.
typedef struct svmr_QueuedRun {
    svmr_Kernel *p;       // NULL: the command is no kernel's
    uint32_t end;         // of its command, in bytes ever queued
    uint32_t at;          // where it begins
    svmr_TimedRun *timed; // where time is predicted
} svmr_QueuedRun;

struct svmr_Spe {
    svm_Machine *machine;
    unsigned number;                // of the machine instance's SPEs
    int ordinal, processor, memory; // of the machine's table
    spe_context_ptr_t context;
    pthread_t thread; // runs the context
    char *ls;         // the local store
    volatile svm_CellShared *shared;
    uint32_t local;           // where the SVM C's memory begins in it
    uint32_t ring, ringBytes; // where commands are kept there
    volatile svm_CellCount *complete;
    char *queue, *queueMemory;
    uint32_t queueBytes;
    uint32_t written, rung, released; // bytes ever queued; that it was told of; of commands that are over
    uint32_t issued, retired;         // commands ever queued, and over
    uint32_t rungIssued;              // of those that it was told of
    struct svmr_CellRun *waited;      // the last that the control code waited for; NULL: it has run a kernel since
    svmr_QueuedRun *runs;             // those between, by number modulo the capacity, a power of two
    uint32_t runCapacity;
    volatile svm_CellStream *streamTable; // in its local store; NULL: the program has none there
    struct svmr_SpeStream *streams;       // what those are of
    svmr_Repeated *repeated;              // commands that it repeats by itself, the oldest first
    svmr_Failure *failures;               // of its kernels, newest first: not taken by the control thread yet (atomic)
    struct {
        uint64_t kernels, moves, lists, bytes, rings, sleeps;
    } counted;
    uint32_t badIndex; // the last command that met one,
    bool hasBadIndex;  // if any did (atomic)
    bool beginsAgain;  // a kernel has failed: its program stops, and begins again with what is in the local store
    svmr_Spe *next;
};

// What the scheduler keeps for a kernel (svmr_Kernel.scheduling).
typedef struct svmr_CellRun {
    const svm_CellKernel *code; // of its function; NULL: not looked for yet
    svmr_Spe *spe;              // of the run that is queued; NULL: none is
    svmr_Spe *home;             // of the last that was queued
    uint32_t number;            // its command
    uint32_t told;              // SPEs that the command tells
    uint32_t tells;             // those that commands to come tell
    struct svmr_CellRun *then;  // on the same SPE, that was waited for next: no kernel was run in between
    svmr_TimedRun *timed;       // the last run, where time is predicted
    size_t entry;               // of the sequence that has it, plus 1
    bool repeats;               // the run is one of those
    struct svmr_CellRun *next;
} svmr_CellRun;

// Moves of a block that are not whole lines of 128 bytes, which the bus moves fastest: SVM_CELL_COUNT tells them.
typedef struct svmr_Uneven {
    char *name;
    size_t bytes; // of the last
    uint32_t ls;
    uint64_t ea;
    uint64_t count;
    struct svmr_Uneven *next;
} svmr_Uneven;

typedef struct svmr_Scheduler {
    svmr_List ready; // kernels that the PPE runs
    bool waits;      // since it last ran a kernel the control code has waited for one
    svmr_Spe *spes;
    unsigned speCount;
    svm_CellCount *complete; // the SPEs' counts, by their numbers
    char *completeMemory;
    svm_Sequence *adds; // what a DMA kernel tells of its transfer is added to it
    bool unrung;        // some SPE was not told of all that is queued
    svmr_CellRun *runs; // all
    bool counts;        // SVM_CELL_COUNT asks for it
    svmr_Uneven *uneven;
    uint64_t kernelsHere, transfersHere; // run by the PPE
    uint64_t repeats;                    // of sequences, by SPEs
    struct svmr_Replay *replay;          // where time is predicted; NULL: nothing ran yet
    // Of a machine that several control threads use:
    pthread_cond_t changed; // something did that they may wait for
    size_t running;         // kernels that they run
    int sleepers;           // one of them sleeps for an SPE
    bool sleeping;          // a thread is in svmr_sleepForSpe (atomic)
} svmr_Scheduler;

// ---- SPEs (spes.c) ----

// The SPE that a processor is, or whose local store a memory is, started when it is first asked for; NULL: it is none.
svmr_Spe *svmr_speOfProcessor(svm_Machine *m, int id, svmr_Place at);
svmr_Spe *svmr_speOfMemory(svm_Machine *m, mm_Mem memory, svmr_Place at);
void svmr_ringSpe(svmr_Spe *spe); // tells it of what is queued
void svmr_ringSpes(svm_Machine *m);
// Sleeps until so many of its commands are complete.
void svmr_sleepForSpe(svmr_Spe *spe, uint32_t count);
void svmr_stopSpes(svm_Machine *m);
void svmr_serveSpes(void);              // calls from SPEs (calls.c)
void svmr_serveOnThread(svmr_Spe *spe); // this thread runs its context

// ---- Commands (commands.c) ----

svmr_CellRun *svmr_cellRun(svmr_Kernel *p);
// Puts a command into a queue, with waits and what follows them (a multiple of 16 bytes), and gives its number. p NULL: it
// is no kernel's. May wait for room.
uint32_t svmr_queueCommand(svmr_Spe *spe, svmr_Kernel *p, svm_CellCommand command, const svm_CellWait *waits,
                           size_t waitCount, const void *payload, size_t payloadBytes);
bool svmr_retire(svm_Machine *m); // true: something was over
// The control code runs a kernel, or waits for one, of an SPE: who waits for several of one SPE, one after the other,
// sleeps once.
void svmr_noteRun(svm_Machine *m);
void svmr_noteWait(svm_Machine *m, svmr_CellRun *run);
// The last run that was waited for behind it, with no kernel run in between, when last it was waited for; or itself.
const svmr_CellRun *svmr_lastOfWaits(const svmr_CellRun *run);
void svmr_goOn(svm_Machine *m); // a control thread asks how things are: kernels run a little

// Waits for room for so many bytes beside a lap of the ring; puts nothing there, so many bytes long; a command, which the
// SPE is not told of; and so many that it has without the queue.
void svmr_makeRoom(svmr_Spe *spe, size_t bytes);
void svmr_fill(svmr_Spe *spe, uint32_t bytes);
svm_CellCommand *svmr_placeCommand(svmr_Spe *spe, uint32_t bytes);
void svmr_issueMore(svmr_Spe *spe, uint32_t commands);
void svmr_countCommands(svmr_Spe *spe, const svm_CellCommand *c, uint64_t times);
const svm_CellKernel *svmr_codeOf(const svmr_Kernel *p); // NULL: no SPE can run it
void svmr_waitForSpe(svmr_Spe *spe, uint32_t count); // locked: until so many of its commands are complete (schedule.c)

// A transfer of p is queued, with what follows its waits.
void svmr_queueMoves(svmr_Kernel *p, svmr_Spe *spe, svm_CellCommand command, const void *payload, size_t payloadBytes);

// ---- Streams (streams.c) ----

// A stream that an SPE has, by its number.
typedef struct svmr_SpeStream {
    svm_Stream *stream; // NULL: free
    // Of the transfers that had its ends last.
    svmr_CellRun *pushes, *pops;
    struct svmr_TimedStream *timed;
} svmr_SpeStream;

// The address in the SPE's local store of its side of a stream that lies there; 0: the stream is elsewhere, or the PPE's.
uint32_t svmr_streamThere(const svmr_Spe *spe, svm_Stream *s, svmr_Place at);
void svmr_queueStream(svmr_Kernel *p, const svmr_Transfer *t); // a transfer with a stream
uint32_t svmr_streamGroup(const svm_Stream *s); // elements that are whole quadwords: transfers move multiples of it
_Noreturn void svmr_failSpeStream(svmr_Spe *spe, uint32_t number, svm_CellMisuse misuse, size_t count, size_t acquired,
                                  svmr_Place at);

// ---- Stream instructions (instructions.c) ----

// A kernel that svm_KernelStart started, and a load or store: into the SPE's queue, where it can be.
void svmr_queueInstruction(svmr_Kernel *p, svmr_Spe *spe, svmr_Place at);
void svmr_queueWords(svmr_Kernel *p, const svmr_Transfer *t, svmr_Place at);
void svmr_instructionOver(svmr_Kernel *p, const svm_CellInstruction *its);

// ---- Sequences (repeat.c) ----

// A transfer of the sequence that is being added to.
void svmr_addTransfer(svmr_Kernel *p, svmr_Spe *spe, const svm_CellCommand *command, const svmr_Transfer *t);
bool svmr_isRepeated(const svmr_Spe *spe, uint32_t number); // the command is of the oldest that are repeated
void svmr_retireRepeated(svmr_Spe *spe, uint32_t complete); // it is over, and perhaps more behind it

// ---- Structs of kernels (structs.c) ----

// A kernel's struct as an SPE has it, with the blocks that it points to, in new memory; `at`: where it will lie in the
// local store.
char *svmr_packStruct(const svmr_Spe *spe, const svmr_Kernel *p, const svm_CellKernel *code, uint32_t at,
                      svmr_Place place);
size_t svmr_packedBytes(const svm_CellKernel *code);
void svmr_unpackStruct(svm_Kernel *k, const svm_CellKernel *code, const char *packed);

// ---- Time (svm/time): compiled with SVMR_TIMED ----

// A kernel on an SPE uses a stream: its command, and which it is; the stream's number there; what it has counted until then.
typedef struct svmr_StreamUse {
    uint32_t number, kernel, stream;
    svm_CellUse use;
    uint32_t count;
    const uint64_t *counts;
    uint64_t firings;
    double cycles;
} svmr_StreamUse;
typedef struct svmr_TimedStream svmr_TimedStream;

// A run is in an SPE's queue (t: of a transfer), or its command is complete; the PPE begins to run it, and stops. Locked.
#ifdef SVMR_TIMED
enum { SVMR_SPENT_BYTES = sizeof(svm_CellSpent) }; // at the end of a kernel's command
void svmr_timedQueued(svmr_Kernel *p, svmr_Spe *spe, const svm_CellCommand *c, const svmr_Transfer *t);
// What the replay has of an SPE's stream (NULL: there is no replay); a transfer that is queued moves so many bytes between
// streams, or one and a block; a kernel uses one.
svmr_TimedStream *svmr_timedStream(svmr_Spe *spe, const svm_Stream *s);
void svmr_timedMoves(svmr_Kernel *p, svmr_TimedStream *from, svmr_TimedStream *to, const svm_Block *block,
                     uint64_t bytes);
void svmr_timedUsed(svmr_Spe *spe, const svmr_StreamUse *use); // on the thread that runs the SPE's context
// Of command `number`.
void svmr_timedOver(const svmr_Kernel *p, svmr_TimedRun *run, const svm_CellCommand *c, uint32_t number);
void svmr_timedHere(svmr_Kernel *p, bool over);
// A sequence is run on so many SPEs, false: nobody looks; each run of it, in order; what a kernel of it has counted; its
// runs are over; the control code waits for one of them, if it is not NULL.
bool svmr_timedRepeat(svm_Machine *m, uint32_t spes);
svmr_TimedRun *svmr_timedAgain(svmr_Kernel *p, svmr_Spe *spe, const svm_CellCommand *c, const svmr_Transfer *t);
void svmr_timedSpent(const svmr_Kernel *p, svmr_TimedRun *run, const svm_CellSpent *spent);
svmr_TimedRun *svmr_timedHeld(svmr_Kernel *p);     // the last of a kernel, for svmr_timedForget
svmr_TimedRun *svmr_timedAlso(svmr_TimedRun *run); // the same once more
void svmr_timedForget(svmr_TimedRun **runs, uint32_t count);
void svmr_timedWaitFor(svm_Machine *m, svmr_TimedRun *run);
void svmr_timedPace(svm_Machine *m, svmr_TimedRun *run); // looks for it, and needs no message
void svmr_timedMore(svm_Machine *m);                     // something is recorded
void svmr_timedEnd(svm_Machine *m);
#else
enum { SVMR_SPENT_BYTES = 0 };
static inline void svmr_timedQueued(svmr_Kernel *p, svmr_Spe *spe, const svm_CellCommand *c, const svmr_Transfer *t)
{
    (void)p, (void)spe, (void)c, (void)t;
}
static inline svmr_TimedStream *svmr_timedStream(svmr_Spe *spe, const svm_Stream *s)
{
    (void)spe, (void)s;
    return NULL;
}
static inline void svmr_timedMoves(svmr_Kernel *p, svmr_TimedStream *from, svmr_TimedStream *to, const svm_Block *block,
                                   uint64_t bytes)
{
    (void)p, (void)from, (void)to, (void)block, (void)bytes;
}
static inline void svmr_timedUsed(svmr_Spe *spe, const svmr_StreamUse *use)
{
    (void)spe, (void)use;
}
static inline void svmr_timedOver(const svmr_Kernel *p, svmr_TimedRun *run, const svm_CellCommand *c, uint32_t number)
{
    (void)p, (void)run, (void)c, (void)number;
}
static inline void svmr_timedHere(svmr_Kernel *p, bool over)
{
    (void)p, (void)over;
}
static inline bool svmr_timedRepeat(svm_Machine *m, uint32_t spes)
{
    (void)m, (void)spes;
    return false;
}
static inline svmr_TimedRun *svmr_timedAgain(svmr_Kernel *p, svmr_Spe *spe, const svm_CellCommand *c,
                                             const svmr_Transfer *t)
{
    (void)p, (void)spe, (void)c, (void)t;
    return NULL;
}
static inline void svmr_timedSpent(const svmr_Kernel *p, svmr_TimedRun *run, const svm_CellSpent *spent)
{
    (void)p, (void)run, (void)spent;
}
static inline svmr_TimedRun *svmr_timedHeld(svmr_Kernel *p)
{
    (void)p;
    return NULL;
}
static inline svmr_TimedRun *svmr_timedAlso(svmr_TimedRun *run)
{
    return run;
}
static inline void svmr_timedPace(svm_Machine *m, svmr_TimedRun *run)
{
    (void)m, (void)run;
}
static inline void svmr_timedForget(svmr_TimedRun **runs, uint32_t count)
{
    (void)runs, (void)count;
}
static inline void svmr_timedWaitFor(svm_Machine *m, svmr_TimedRun *run)
{
    (void)m, (void)run;
}
static inline void svmr_timedMore(svm_Machine *m)
{
    (void)m;
}
static inline void svmr_timedEnd(svm_Machine *m)
{
    (void)m;
}
#endif

static inline size_t svmr_quanta(size_t bytes)
{
    return (bytes + SVM_CELL_QUANTUM - 1) / SVM_CELL_QUANTUM * SVM_CELL_QUANTUM;
}

#endif
