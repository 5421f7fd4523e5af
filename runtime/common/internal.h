// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the runtimes share: machines, kernels, coroutines. One machine is used by one thread at a time; there
// is no state outside machines but svmr_thread.
#ifndef SVM_COMMON_INTERNAL_H
#define SVM_COMMON_INTERNAL_H

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

// Where an API function was called.
typedef struct svmr_Place {
    const char *function, *file;
    int line;
} svmr_Place;
// In a function fAt with parameters file and line.
#define SVMR_PLACE(name) ((svmr_Place){name, file, line})

// ---- Threads ----

typedef struct svmr_Thread {
    svm_Machine *own;     // made when first needed, freed when the thread ends
    svm_Machine *inUse;   // svm_machineUse; NULL: own
    svm_Machine *running; // whose kernel runs now
    svm_ErrorHandler *handler;
    void *handlerContext;
    uintptr_t stackBegin; // about where the frames of main begin
    const char *program; // for messages; NULL: the process's name
    int64_t itemsRead, itemsWritten;
    bool failing; // an error is being reported: no further ones
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
    svmr_Region *regions; // a global one's, by address
    size_t regionCount, regionCap, unused;
    uint64_t used; // bytes given by svm_alloc
} svmr_MemoryState;

// One of the described machines as this instance has it.
typedef struct svmr_MachineState {
    const svm_MachineTable *table;
    svmr_MemoryState *memories;
    bool *reaches;        // [processor][memory]
    bool *controlReaches; // [memory]: of any control processor
} svmr_MachineState;

typedef struct svmr_List {
    svmr_Kernel *first, *last;
} svmr_List;

struct svm_Machine {
    svmr_MachineState **states; // by ordinal of the table; NULL until used
    int tableCount;

    svmr_Kernel *current;    // the kernel that runs now; NULL: the control thread
    svmr_List ready;         // kernels that can go on
    svmr_List all;           // every kernel initialised, in that order
    svmr_Kernel *spare;      // destroyed ones
    svmr_Kernel **byAddress; // open hash table of all by the address of the object
    size_t slotCount, kernelCount;
    uint64_t serial; // last given to a kernel
    uint32_t mark;   // of the last walk over kernels

    svmr_Coroutine *freeCoroutines;
    struct {
        void *sp, *fake, *tsan; // the control thread's context while a kernel runs (coroutine.c)
        const void *bottom;
        size_t size;
    } control;
    void (*onControl)(svm_Machine *m); // what a failing kernel leaves to be done on the control thread's stack

    svm_ErrorReport report; // the last error
    char *message;
    int exitStatus;

    svm_Log **logs; // what is to be printed when the program stops at an error, in canonical order
    size_t logCount, logCap;
};

svm_Machine *svmr_machine(void); // the one in use
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

typedef enum svmr_Want { SVMR_WANT_NOTHING, SVMR_WANT_ROOM, SVMR_WANT_ELEMENTS, SVMR_WANT_END } svmr_Want;

struct svm_KernelPrivate {
    svm_Kernel *kernel; // NULL: destroyed
    svm_Machine *machine;
    uint64_t serial;
    int processor; // id
    svm_KernelState state;
    const bool *reaches;         // by memory, of the processor
    bool plain;                  // runs as a call on the control thread's stack
    bool (*step)(svm_Kernel *k); // a move: goes on where it stopped; true: finished, false: it waits (svmr_block)
    size_t progress;             // elements that a move has moved
    const char *runFile;         // where it was last run
    int runLine;

    svmr_Dependence *dependences, **lastDependence;
    svmr_Dependence *dependents;
    svmr_Dependence *waiters; // runs that wait for this one
    size_t unsatisfied;

    svmr_List *list; // the ready list, or NULL
    svmr_Kernel *previous, *next;
    svmr_Kernel *allPrevious, *allNext;
    svmr_Coroutine *coroutine; // while a run has one

    svm_Stream *blockedOn;
    svmr_Want want;
    size_t wanted; // elements

    uint32_t mark; // walks
    svmr_Kernel *via;
};

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

// Runs one kernel that is ready until it finishes or waits; false: none is ready.
bool svmr_advance(svm_Machine *m);
// The running kernel waits until it can have what it wants of a stream. A move returns at once (and then returns false
// from its step), any other kernel when it may be so.
void svmr_block(svmr_Kernel *p, svm_Stream *s, svmr_Want want, size_t wanted, svmr_Place at);
void svmr_wake(svm_Stream *s); // something happened to a stream that somebody waits for
// Nothing can run, and the control thread waits for something (" to finish" and the like, after the object's name).
SVMR_COLD _Noreturn void svmr_deadlock(svm_Machine *m, const char *object, const char *waitsFor, svmr_Place at);
void svmr_setState(svmr_Kernel *p, svm_KernelState state);
svmr_Kernel *svmr_kernelInit(svm_Kernel *k, mm_Proc processor, svm_KernelFunction *run, const char *name,
                             svm_ProcessorKind kind, svmr_Place at);
void svmr_abandon(svmr_Kernel *p); // the running kernel is at fault: it has ended, though it is still on its stack
void svmr_freeKernels(svm_Machine *m);
// Elements that are in the queue, as the consumer sees it, and free places.
static inline size_t svmr_count(const svm_Stream *s)
{
    return s->written - s->read;
}
static inline size_t svmr_room(const svm_Stream *s)
{
    return s->capacity - (s->written - s->read);
}
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
    if (SVMR_UNLIKELY(m->current != NULL))
        svmr_failNotControl(m, object, at);
}

// ---- Coroutines (coroutine.c) ----

// Runs p on its coroutine, taking one if it has none, until it calls svmr_leave or its function returns (true).
bool svmr_enter(svmr_Kernel *p);
void svmr_leave(svmr_Kernel *p);            // back to the control thread
_Noreturn void svmr_quit(svmr_Kernel *p);   // back for good
void svmr_releaseCoroutine(svmr_Kernel *p); // of a run that will not go on
void svmr_freeCoroutines(svm_Machine *m);

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
void *svmr_allocate(size_t count, size_t size); // zeroed, or the program stops
void *svmr_grow(void *memory, size_t *cap, size_t need, size_t size);

// ---- Printing (program_print.c) ----

void svmr_flushLogs(svm_Machine *m);
void svmr_checkOutput(bool written); // standard output took what it was given

void svmr_prepareStack(void); // program_stack.c

// ---- Files (program_reader.c, program_writer.c, program_wav.c) ----

bool svmr_isWav(const char *path);                                           // "x.wav" or "x.wav,rate=48000"
size_t svmr_itemBytes(svm_Item item, size_t elementSize, const char *where); // in a raw file; 0: bits
void svmr_swapWords(void *items, size_t bytes,
                    svm_Item item); // from or to little-endian; nothing to do on most machines
// Padding becomes zero, booleans 0 or 1.
void svmr_applyParts(const svm_ItemPart *parts, size_t count, size_t unit, void *items, size_t bytes);

typedef struct svmr_Wav svmr_Wav;
svmr_Wav *svmr_wavOpen(const char *path, bool write, svm_Item item, const char *where);
ptrdiff_t svmr_wavRead(svmr_Wav *w, void *items, ptrdiff_t count);
bool svmr_wavAtEnd(svmr_Wav *w);
bool svmr_wavRewind(svmr_Wav *w);
void svmr_wavWrite(svmr_Wav *w, const void *items, ptrdiff_t count);
void svmr_wavClose(svmr_Wav *w);

// Ints wherever a program keeps them.
typedef int32_t __attribute__((aligned(1), may_alias)) unalignedInt;

// For loops over bits: the library is built for any x86-64, and these gain much from wider vectors.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define SVMR_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SVMR_VECTOR_CLONES
#endif

#endif
