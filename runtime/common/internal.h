// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the runtimes share: machines, kernels, coroutines. There is no state outside machines but svmr_thread. What of a
// machine several threads use is locked (scheduler.h), but for the elements of streams, which have one producer and one
// consumer.
#ifndef SVM_COMMON_INTERNAL_H
#define SVM_COMMON_INTERNAL_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "svm/machine_table.h"
#include "svm/program.h"

#define SVMR_COLD __attribute__((cold, noinline))
#define SVMR_HIDDEN __attribute__((visibility("hidden")))
#define SVMR_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SVMR_PRINTF(text, first) __attribute__((format(printf, text, first)))

typedef struct svm_KernelPrivate svmr_Kernel;
typedef struct svmr_Coroutine svmr_Coroutine;
typedef struct svmr_Wait svmr_Wait;
typedef struct svmr_Control svmr_Control;
typedef struct svmr_Failure svmr_Failure;
typedef struct svmr_Adversary svmr_Adversary;

// Where an API function was called.
typedef struct svmr_Place {
    const char *function, *file;
    int line;
} svmr_Place;
// In a function fAt with parameters file and line.
#define SVMR_PLACE(name) ((svmr_Place){name, file, line})

// ---- Threads ----

typedef struct svmr_Thread {
    svm_Machine *own;      // made when first needed, freed when the thread ends
    svm_Machine *inUse;    // svm_machineUse; NULL: own
    svmr_Kernel *current;  // the kernel that runs now; NULL: this is a control thread
    svmr_Control *control; // made by svm_threadCreate; NULL: any other thread
    svm_Machine *held;     // locked by this thread, when it is shared
    svm_ErrorHandler *handler;
    void *handlerContext;
    bool expectsDeadlock; // the handler takes it for an answer, and reads no report of it
    svm_ErrorReport report; // the last error
    char *message;
    uintptr_t stackBegin; // about where the frames of main begin
    const char *program;  // for messages; NULL: the process's name
    int64_t itemsRead, itemsWritten;
    svm_Reader *ownInput; // the program's, while it is open; NULL: it has none, or not from a file
    svm_Writer *ownOutput;
    struct svm_WriterPrivate *writers; // that are open, and whose files an error finishes
    struct svm_ReaderPrivate *readers; // that are open, and whose files nothing is written to
    struct svm_Net *net;               // that it runs, or has run
    struct svm_Strip *strip;           // that runs and may fail; NULL: none
    bool again;                        // what failed is done again (program_strip.c): an error goes to the trap
    bool holdsPrints;                  // what is merged stays in its logs
    bool failing;                      // an error is being reported: no further ones
    jmp_buf *trap; // what stops a program goes there, with message, instead of to standard error; NULL: none
} svmr_Thread;
// initial-exec: a few words, so that a library with this runtime in it can be loaded later too.
extern SVMR_HIDDEN _Thread_local svmr_Thread svmr_thread __attribute__((tls_model("initial-exec")));

// ---- Machines ----

// A piece of a global memory that the program may use.
typedef struct svmr_Region {
    size_t address, bytes;
    void *base;   // what to free; NULL: mapped
    size_t users; // equal mappings
} svmr_Region;

typedef struct svmr_MemoryState {
    const svm_MemoryRow *row;
    char *local;          // a local memory's bytes, once used
    size_t room;          // how many of them the program has; 0: all
    const char *roomText; // why not all
    size_t poisoned;      // how many of them the adversary has filled
    svmr_Region *regions; // a global one's, by address
    size_t regionCount, regionCap, unused;
    uint64_t used;                // bytes given by svm_alloc
    struct svmr_Extent **streams; // that live in it, by address
    size_t streamCount, streamCap;
} svmr_MemoryState;

// One of the described machines as this instance has it.
typedef struct svmr_MachineState {
    const svm_MachineTable *table;
    svmr_MemoryState *memories;
    bool *reaches;        // [processor][memory]
    bool *controlReaches; // [memory]: of any control processor
    int *order;           // [processor]: when its first kernel was initialised, from 1; 0: not yet
} svmr_MachineState;

typedef struct svmr_List {
    svmr_Kernel *first, *last;
} svmr_List;

// An error of a kernel, to be reported by a control thread.
struct svmr_Failure {
    svm_ErrorReport report;
    char *message;
    bool fatal; // the program stops, whatever the handler
    svmr_Failure *next;
};

struct svm_Machine {
    svmr_MachineState **states; // by ordinal of the table; NULL until used
    int tableCount;

    // Several threads use the machine: what follows, and the state of its kernels, is guarded by `mutex`.
    bool shared;
    bool unshared;   // one thread runs its kernels, whatever processors they have, until svm_threadsBegin
    bool deepStacks; // kernels get stacks as a source program wants them
    pthread_mutex_t mutex;

    svmr_List all;           // every kernel initialised, in that order
    svmr_Kernel *spare;      // destroyed ones
    svmr_Kernel **byAddress; // open hash table of all by the address of the object
    size_t slotCount, kernelCount;
    uint64_t serial;              // last given to a kernel
    uint32_t mark;                // of the last walk over kernels
    int processorsUsed;           // processors for kernels that have had one
    struct svmr_Extent **extents; // open hash table of live streams by the address of their object
    size_t extentSlots, extentCount;
    svmr_Coroutine *freeCoroutines;
    struct svmr_Scheduler *scheduler;
    svmr_Adversary *adversary; // adversary.h; NULL: none

    svmr_Wait *waits;       // control threads that wait, oldest first
    size_t waitCount;       // how many
    svmr_Control *controls; // control threads not joined yet
    size_t controlCount;    // control threads that have not ended, the first one included

    svmr_Failure *failures; // of kernels, oldest first, not reported yet
    bool givenUp;           // they are not to be reported any more

    svm_Log **logs; // what is to be printed when the program stops at an error, in canonical order
    size_t logCount, logCap;
};

svm_Machine *svmr_machine(void);  // the one in use
void svmr_keepMessage(void);      // svmr_thread.message is freed when the thread ends
void svmr_giveUp(svm_Machine *m); // destroys it; errors of its kernels are reported no more
// A kernel, block or stream is being set up: resolve the names. They do not return if there is no such name.
int svmr_memoryId(svm_Machine *m, mm_Mem memory, svmr_Place at);
int svmr_processorId(svm_Machine *m, mm_Proc processor, svmr_Place at);
static inline int svmr_ordinal(int id)
{
    return (id - 1) >> 16;
}
static inline int svmr_index(int id)
{
    return (id - 1) & 0xffff;
}
svmr_MachineState *svmr_state(svm_Machine *m, int id);
// Where `bytes` bytes at an address of a memory lie; fails if they are not all inside.
char *svmr_locate(svm_Machine *m, mm_Mem memory, size_t address, size_t bytes, const char *object, svmr_Place at);
// May p (NULL: a control processor) use this memory? Fails if not.
void svmr_checkReach(svm_Machine *m, const svmr_Kernel *p, mm_Mem memory, const char *object, svmr_Place at);
void svmr_freeMemories(svm_Machine *m);

// ---- Kernels ----

typedef struct svmr_Dependence {
    svmr_Kernel *owner, *target;                 // target NULL: destroyed
    struct svmr_Dependence *next;                // of the owner's
    struct svmr_Dependence *nextOn, *previousOn; // of those on the target
    struct svmr_Dependence *nextWaiter;          // of the runs that wait for the target's, while `waiting`
    bool waiting;
} svmr_Dependence;

typedef enum svmr_Want { SVMR_WANT_NOTHING, SVMR_WANT_ROOM, SVMR_WANT_ELEMENTS } svmr_Want;

// Why a kernel stopped running.
typedef enum svmr_Stop {
    SVMR_STOP_FINISHED,
    SVMR_STOP_BLOCKED, // blockedOn, want, wanted
    SVMR_STOP_PAUSED,  // by itself, as are the following
    SVMR_STOP_ENDED,
    SVMR_STOP_FAILED,      // failure
    SVMR_STOP_INTERRUPTED, // to do what was requested
    SVMR_STOP_SCHEDULER    // svmr_yield
} svmr_Stop;

typedef enum svmr_Request { SVMR_REQUEST_NONE, SVMR_REQUEST_PAUSE, SVMR_REQUEST_END } svmr_Request;
#define SVMR_INTERRUPTED (UINT64_C(1) << 63)

struct svm_KernelPrivate {
    svm_Kernel *kernel; // NULL: destroyed
    svm_Machine *machine;
    // What tells one initialisation from another. SVMR_INTERRUPTED is set while there is a request, so that the next use
    // of a stream looks twice (atomic).
    uint64_t serial;
    int processor; // id
    int order;     // of the processor, as in svmr_MachineState
    svm_KernelState state;
    svmr_Stop stop;              // of its last execution
    svmr_Request request;        // of a control thread, while it runs (atomic)
    const bool *reaches;         // by memory, of the processor
    bool plain;                  // runs as a call on the stack of who executes it
    bool (*step)(svm_Kernel *k); // a DMA kernel: goes on; true: finished, false: it waits (svmr_block) or gives way
    size_t progress;             // elements that a DMA kernel has moved
    struct svmr_Instruction *instruction; // of a kernel that svm_KernelStart started (instructions.h)
    const char *runFile;                  // where it was last run
    int runLine;
    svmr_Failure *failure;
    struct svmr_Extent *late;     // streams that it is to tell of when it stops (locked)
    const svm_Stream *lateStream; // the last of them, for the thread that runs it
    uint64_t lateSince;           // when the first of them could have been told, in nanoseconds
    jmp_buf *escape;              // from a call without a stack of its own, when the machine is shared

    svmr_Dependence *dependences, **lastDependence;
    svmr_Dependence *dependents;
    svmr_Dependence *waiters; // runs that wait for this one
    size_t unsatisfied;

    svmr_List *list; // of the scheduler that it is on, or NULL
    svmr_Kernel *previous, *next;
    svmr_Kernel *allPrevious, *allNext;
    svmr_Coroutine *coroutine; // while a run has one
    void *scheduling;          // of the scheduler
    bool asked;                // a DMA kernel whose step only tells what it would transfer (svmr_queueTransfer)
    struct {                   // of the run so far, for a profile (host)
        double begun, seconds;
        uint64_t entered; // for a timeline
        uint64_t firings, elements;
    } measured;

    svm_Stream *blockedOn;
    svmr_Want want;
    size_t wanted; // elements
    svmr_Place waitPlace;

    uint32_t mark; // walks
    svmr_Kernel *via;
};

// The kernel of m that runs on this thread; NULL: it is a control thread to m.
static inline svmr_Kernel *svmr_current(const svm_Machine *m)
{
    svmr_Kernel *p = svmr_thread.current;
    return SVMR_UNLIKELY(p && p->machine != m) ? NULL : p;
}

static inline bool svmr_pending(const svmr_Kernel *p)
{
    return p->state >= SVM_QUEUED && p->state <= SVM_PAUSED;
}
static inline const char *svmr_name(const svmr_Kernel *p)
{
    return p->kernel && p->kernel->name ? p->kernel->name : "(unnamed)";
}
static inline const char *svmr_streamText(const svm_Stream *s)
{
    return s->name ? s->name : "(unnamed)";
}

#define SVMR_CHECK ((uintptr_t)UINT64_C(0x5356004d9e3779b1))
static inline uintptr_t svmr_kernelCheck(const svm_Kernel *k)
{
    return (uintptr_t)k ^ (uintptr_t)k->private_ ^ SVMR_CHECK;
}
static inline uintptr_t svmr_streamCheck(const svm_Stream *s)
{
    return (uintptr_t)s ^ (uintptr_t)s->data ^ SVMR_CHECK;
}
static inline uintptr_t svmr_blockCheck(const svm_Block *b)
{
    return (uintptr_t)b->data ^ ~SVMR_CHECK;
}

// The block's elements lie there from now on, in memory of the runtime's; NULL: where svm_blockInit put them.
void svmr_blockLies(svm_Block *b, void *data);
// A block of words, which begins at any word, whatever the memory's alignment.
void svmr_wordsInit(svm_Block *b, mm_Mem memory, size_t address, size_t words, size_t word, svmr_Place at);

// The running kernel waits until it can have what it wants of a stream, or goes on at once if it can. A DMA kernel
// returns at once (and then returns false from its step), any other kernel when it may be so.
void svmr_block(svmr_Kernel *p, svm_Stream *s, svmr_Want want, size_t wanted, svmr_Place at);
// A control thread does the same.
void svmr_waitForStream(svm_Stream *s, svmr_Want want, size_t wanted, svmr_Place at);
void svmr_wakeConsumer(svm_Stream *s); // something happened to a stream that somebody waits for
void svmr_wakeProducer(svm_Stream *s);
void svmr_obey(svmr_Kernel *p); // the running kernel has an interrupt: what was requested of it happens
static inline void svmr_setState(svmr_Kernel *p, svm_KernelState state)
{
    p->state = state;
    __atomic_store_n(&p->kernel->state, state, __ATOMIC_RELAXED);
}
svmr_Kernel *svmr_kernelInit(svm_Kernel *k, mm_Proc processor, svm_KernelFunction *run, const char *name,
                             svm_ProcessorKind kind, svmr_Place at);
void svmr_freeKernels(svm_Machine *m);
// Elements that are in the queue, and free places. What the other end does meanwhile only adds to them.
static inline size_t svmr_count(const svm_Stream *s)
{
    return __atomic_load_n(&s->written, __ATOMIC_SEQ_CST) - __atomic_load_n(&s->read, __ATOMIC_SEQ_CST);
}
static inline size_t svmr_room(const svm_Stream *s)
{
    return s->capacity - svmr_count(s);
}
static inline bool svmr_ended(const svm_Stream *s)
{
    return __atomic_load_n(&s->ended, __ATOMIC_SEQ_CST);
}
// Has whoever waits for this what it waits for?
static inline bool svmr_satisfied(const svm_Stream *s, svmr_Want want, size_t wanted)
{
    return want == SVMR_WANT_ROOM ? svmr_room(s) >= wanted : svmr_ended(s) || svmr_count(s) >= wanted;
}
// In a stream's slot for who waits: a control thread.
#define SVMR_CONTROL_WAITS ((svmr_Kernel *)(uintptr_t)1)
const svm_Block *svmr_checkBlock(const svm_Block *b, svmr_Place at);
svm_Stream *svmr_checkStream(svm_Stream *s, svmr_Place at);
// How many of `count` elements can be copied at once from the front, and to the back, without wrapping; and that they
// were.
size_t svmr_frontPiece(const svm_Stream *s, size_t count);
size_t svmr_backPiece(const svm_Stream *s, size_t count);
void svmr_popped(svm_Stream *s, size_t count);
void svmr_pushed(svm_Stream *s, size_t count);
// p is to be the one that pushes to, or pops from, a stream.
void svmr_produces(svm_Stream *s, svmr_Kernel *p, svmr_Place at);
void svmr_consumes(svm_Stream *s, svmr_Kernel *p, svmr_Place at);

// Kernels have failed (m->failures): reports the first, on the stack of the control thread that calls this and with its
// svmr_Wait unlinked; locked or not. Does not return if there was one.
SVMR_COLD void svmr_raise(svm_Machine *m);
SVMR_COLD _Noreturn void svmr_failKernel(const svm_Kernel *k, svmr_Place at);
SVMR_COLD _Noreturn void svmr_failNotControl(svm_Machine *m, const char *object, svmr_Place at);
SVMR_COLD _Noreturn void svmr_failPending(const svmr_Kernel *p, svmr_Place at);

static inline svmr_Kernel *svmr_checkKernel(const svm_Kernel *k, svmr_Place at)
{
    if (SVMR_UNLIKELY(!k || k->check != svmr_kernelCheck(k)))
        svmr_failKernel(k, at);
    return k->private_;
}

static inline void svmr_checkControl(svm_Machine *m, const char *object, svmr_Place at)
{
    if (SVMR_UNLIKELY(svmr_current(m) != NULL))
        svmr_failNotControl(m, object, at);
    if (SVMR_UNLIKELY(__atomic_load_n(&m->failures, __ATOMIC_RELAXED) != NULL))
        svmr_raise(m);
}

// ---- Coroutines (coroutine.c) ----

// Runs p on its coroutine, taking one if it has none, until it calls svmr_leave or its function returns (true).
bool svmr_enter(svmr_Kernel *p);
void svmr_leave(svmr_Kernel *p);            // back to where it was entered
_Noreturn void svmr_quit(svmr_Kernel *p);   // back for good; its coroutine is to be released
void svmr_releaseCoroutine(svmr_Kernel *p); // of a run that will not go on (it is not on it)
void svmr_freeCoroutines(svm_Machine *m);
bool svmr_beyondStack(const void *at); // the address is below the stack of the kernel that runs on this thread

// ---- Streams' place in memory (extents.c) ----

// A live stream as its memory keeps it: the stream's object may be gone already.
typedef struct svmr_Extent {
    svm_Stream *stream;
    size_t address, bytes;
    const char *name;
    svmr_MemoryState *memory;
    svmr_Kernel *lateBy; // who is to wake those that wait at the other end when it stops, or NULL (execute.c)
    struct svmr_Extent *nextLate;
} svmr_Extent;
// A stream begins to live, in place of what its object was before; overlapping another one is an error. It ends to live.
void svmr_placeStream(svm_Machine *m, svm_Stream *s, size_t bytes, svmr_Place at);
void svmr_dropStream(svm_Machine *m, svm_Stream *s);
unsigned long long svmr_memoryLeft(svm_Machine *m, mm_Mem memory); // bytes that svm_alloc can give
void svmr_dropStreams(svm_Machine *m, svmr_MemoryState *memory, size_t address, size_t bytes); // memory was given back
struct svmr_Extent *svmr_extentOf(const svm_Machine *m, const svm_Stream *s); // NULL: it does not live (locked)
void svmr_nameStream(svm_Machine *m, const svm_Stream *s);
void svmr_freeExtents(svm_Machine *m);
svmr_MemoryState *svmr_memoryState(svm_Machine *m, mm_Mem memory, svmr_Place at);
// Fails if an object's address is not a multiple of what the memory asks for.
void svmr_checkAlignment(svm_Machine *m, mm_Mem memory, size_t address, const char *object, svmr_Place at);

// ---- Control threads (threads.c) ----

struct svmr_Control {
    svm_Machine *machine;
    const char *name;
    int processor; // id
    int (*function)(void *argument);
    void *argument;
    int result;
    bool ended;
    void (*main)(svmr_Control *c); // runs the function
    svmr_Control *next;            // in the machine's list
    void *scheduling;              // of the scheduler
};
static inline const char *svmr_controlName(const svmr_Control *c)
{
    return c && c->name ? c->name : "(unnamed)";
}

// ---- Errors (error.c) ----

SVMR_COLD _Noreturn void svmr_fail(svm_Machine *m, svm_Error error, const char *object, svmr_Place at,
                                   const char *format, ...) SVMR_PRINTF(5, 6);
// The same; text was allocated.
SVMR_COLD _Noreturn void svmr_failText(svm_Machine *m, svm_Error error, const char *object, svmr_Place at, char *text);
// Prints what the program printed before, then a line to standard error, and exits with status 1; from wherever it is
// called.
SVMR_COLD _Noreturn void svmr_fatal(const char *format, ...) SVMR_PRINTF(1, 2);
// The same with "PROGRAM: error: " before the line.
SVMR_COLD _Noreturn void svmr_fatalProgram(const char *format, ...) SVMR_PRINTF(1, 2);
// An error of a kernel that has no stack yet.
SVMR_COLD svmr_Failure *svmr_newFailure(svm_Error error, const char *object, svmr_Place at, const char *format, ...)
    SVMR_PRINTF(4, 5);
char *svmr_formatReport(const svm_ErrorReport *r); // as it is printed
void svmr_releaseHeld(void);                       // unlocks what this thread holds
void *svmr_allocate(size_t count, size_t size);    // zeroed, or the program stops
void *svmr_allocateAligned(size_t bytes);          // not zeroed, at a cache line's start
void *svmr_grow(void *memory, size_t *cap, size_t need, size_t size);

// A kernel has failed, and the program is to stop: no run is pending any more, and nothing has failed. False: a kernel
// that runs on another thread does not stop.
bool svmr_calm(svm_Machine *m);
// The thread's strip, in which a kernel has failed, is done again, and what came before the error is written, but for what
// logs hold then. The thread's message is that of the error.
SVMR_COLD void svmr_stripAgain(svm_Machine *m);

// ---- How often actors fire (program_rates.c) ----

// On the tokens there are; -1: as often as one likes. It fires so often.
int64_t svmr_rateAllows(const svm_RateTable *t, int32_t actor, const int64_t *tokens);
void svmr_rateFire(const svm_RateTable *t, int32_t actor, int64_t n, int64_t *tokens);

// ---- Printing (program_print.c) ----

void svmr_flushLogs(svm_Machine *m);
void svmr_endTagged(svm_Log *const logs[], size_t count); // ends lines that are not complete
void svmr_checkOutput(bool written);                      // standard output took what it was given

void svmr_prepareStack(void); // program_stack.c
void *svmr_threadStack(void);
void svmr_leaveThreadStack(void *room);

// ---- Files (program_reader.c, program_writer.c, program_wav.c) ----

bool svmr_isWav(const char *path);                                           // "x.wav" or "x.wav,rate=48000"
size_t svmr_itemBytes(svm_Item item, size_t elementSize, const char *where); // in a raw file; 0: bits
#define SVMR_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
bool svmr_isRead(const char *path);       // by an open reader of the thread
void svmr_checkNotRead(const char *path); // before it is opened to be written: an error if so
void svmr_swapWords(void *items, size_t bytes,
                    svm_Item item); // from or to little-endian; nothing to do on most machines
// Padding becomes zero, booleans 0 or 1.
void svmr_applyParts(const svm_ItemPart *parts, size_t count, size_t unit, void *items, size_t bytes);

// Of a library (program_library.c): the next items of its input, fewer only when it has ended; items of its output.
size_t svmr_libraryTake(svm_Library *l, void *items, size_t count, size_t size);
void *svmr_libraryPlace(svm_Library *l, size_t count, size_t size, size_t *given);

typedef struct svmr_Wav svmr_Wav;
svmr_Wav *svmr_wavOpen(const char *path, bool write, svm_Item item, const char *where);

// What the header of a WAV file says (program_wav_header.c).
typedef struct svmr_WavHeader {
    bool riff, described, data; // it is a RIFF file of samples; it has a chunk with their format, and one with samples
    unsigned kind, channels, rate, frameBytes, bits;
    int64_t promised, there; // bytes of samples; equal if it does not know how many there are
} svmr_WavHeader;
svmr_WavHeader svmr_wavHeader(int fd);
ptrdiff_t svmr_wavRead(svmr_Wav *w, void *items, ptrdiff_t count);
bool svmr_wavAtEnd(svmr_Wav *w);
bool svmr_wavRewind(svmr_Wav *w);
void svmr_wavWrite(svmr_Wav *w, const void *items, ptrdiff_t count);
void svmr_wavClose(svmr_Wav *w);
bool svmr_wavProbe(const char *path, int *channels, int *rate);   // of a file that can be read
const char *svmr_wavOption(const char *path, const char *option); // the value of "channels=" behind the name; or NULL
// The path of a program's own output with what follows from its input's, if both are WAV files (program_sound.c).
const char *svmr_soundOutput(const svm_Program *p, const char *in, const char *out);
// Finishes the WAV files that are being written, for a program that ends early: what they hold then can be read. wait:
// for a thread that is writing at the moment. From then on nothing is written.
void svmr_wavFinish(bool wait);

// The place of the next item in a regular file, where svm_readerReadAt can read it again; false: there is no such place.
bool svmr_readerPlace(const svm_Reader *r, int64_t *at);
int svmr_readerFile(const svm_Reader *r); // its file descriptor; -1: a WAV file
int svmr_writerFile(const svm_Writer *w);
bool svmr_isLive(int fd);             // a pipe, a socket or a terminal: somebody is at its other end (program_pace.c)
void svmr_writerFlush(svm_Writer *w); // what makes whole bytes
void svmr_writerPut(svm_Writer *w, const void *items, ptrdiff_t count); // in no time
// After an error: what lies in a net's streams for its writers is given to them; then all the thread's writers write what
// they have been given.
void svmr_netAbandon(struct svm_Net *n);
void svmr_writersFinish(void);
int64_t svmr_readerItems(const svm_Reader *r, int64_t bytes); // in its buffer and so many bytes more

// ---- The length of runs while somebody waits (program_pace.c) ----

typedef struct svmr_Pace {
    bool going; // somebody waits, and the flow is not yet steady
    bool input; // its end is the program's own input
    bool begun; // the initialisation is over
    int runs;   // since the input was last waited for
    int64_t next, now, before, itemsPerState;
} svmr_Pace;
void svmr_paceBegin(svmr_Pace *p, bool wanted);    // after files are open
int64_t svmr_paceNext(svmr_Pace *p, int64_t most); // steady states to run, up to that many
void svmr_paceDone(svmr_Pace *p);                  // after they ran

// ---- A program that ends early (program_end.c) ----

void svmr_beginMain(void);    // this process is svm_main's: what ends it is for it to see to
void svmr_watchSignals(void); // it has files that are to be finished when a signal ends it
// A write to a pipe or socket that nobody reads: ends the process as the signal would have. Returns where that is not
// svm_main's to decide.
void svmr_closedPipe(int error);

// Ints wherever a program keeps them.
typedef int32_t __attribute__((aligned(1), may_alias)) unalignedInt;

// For loops over bits: the library is built for any x86-64, and these gain much from wider vectors.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&                       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SVMR_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SVMR_VECTOR_CLONES
#endif

#endif
