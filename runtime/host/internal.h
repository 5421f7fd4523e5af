// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host runtime's own structures: machines, kernels, coroutines. One machine is used by one thread at a time; there
// is no state outside machines but svmh_thread.
#ifndef SVM_HOST_INTERNAL_H
#define SVM_HOST_INTERNAL_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "svm/machine_table.h"
#include "svm/program.h"

#define SVMH_COLD __attribute__((cold, noinline))
#define SVMH_HIDDEN __attribute__((visibility("hidden")))
#define SVMH_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SVMH_PRINTF(text, first) __attribute__((format(printf, text, first)))

typedef struct svm_KernelPrivate svmh_Kernel;
typedef struct svmh_Coroutine svmh_Coroutine;

// Where an API function was called.
typedef struct svmh_Place {
    const char *function, *file;
    int line;
} svmh_Place;
// In a function fAt with parameters file and line.
#define SVMH_PLACE(name) ((svmh_Place){name, file, line})

// ---- Threads ----

typedef struct svmh_Thread {
    svm_Machine *own;     // made when first needed, freed when the thread ends
    svm_Machine *inUse;   // svm_machineUse; NULL: own
    svm_Machine *running; // whose kernel runs now
    svm_ErrorHandler *handler;
    void *handlerContext;
    uintptr_t stackBegin; // about where the frames of main begin
    const char *program; // for messages; NULL: the process's name
    int64_t itemsRead, itemsWritten;
    bool failing; // an error is being reported: no further ones
} svmh_Thread;
// initial-exec: a few words, so that a library with this runtime in it can be loaded later too.
extern SVMH_HIDDEN _Thread_local svmh_Thread svmh_thread __attribute__((tls_model("initial-exec")));

// ---- Machines ----

// A piece of a global memory that the program may use.
typedef struct svmh_Region {
    size_t address, bytes;
    void *base;   // what to free; NULL: mapped
    size_t users; // equal mappings
} svmh_Region;

typedef struct svmh_MemoryState {
    const svm_MemoryRow *row;
    char *local;          // a local memory's bytes, once used
    svmh_Region *regions; // a global one's, by address
    size_t regionCount, regionCap, unused;
    uint64_t used; // bytes given by svm_alloc
} svmh_MemoryState;

// One of the described machines as this instance has it.
typedef struct svmh_MachineState {
    const svm_MachineTable *table;
    svmh_MemoryState *memories;
    bool *reaches;        // [processor][memory]
    bool *controlReaches; // [memory]: of any control processor
} svmh_MachineState;

typedef struct svmh_List {
    svmh_Kernel *first, *last;
} svmh_List;

struct svm_Machine {
    svmh_MachineState **states; // by ordinal of the table; NULL until used
    int tableCount;

    svmh_Kernel *current;    // the kernel that runs now; NULL: the control thread
    svmh_List ready;         // kernels that can go on
    svmh_List all;           // every kernel initialised, in that order
    svmh_Kernel *spare;      // destroyed ones
    svmh_Kernel **byAddress; // open hash table of all by the address of the object
    size_t slotCount, kernelCount;
    uint64_t serial; // last given to a kernel
    uint32_t mark;   // of the last walk over kernels

    svmh_Coroutine *freeCoroutines;
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

svm_Machine *svmh_machine(void); // the one in use
// A kernel, block or stream is being set up: resolve the names. They do not return if there is no such name.
int svmh_memoryId(svm_Machine *m, mm_Mem memory, svmh_Place at);
int svmh_processorId(svm_Machine *m, mm_Proc processor, svmh_Place at);
static inline int svmh_ordinal(int id)
{
    return (id - 1) >> 16;
}
static inline int svmh_index(int id)
{
    return (id - 1) & 0xffff;
}
svmh_MachineState *svmh_state(svm_Machine *m, int id);
// Where `bytes` bytes at an address of a memory lie; fails if they are not all inside.
char *svmh_locate(svm_Machine *m, mm_Mem memory, size_t address, size_t bytes, const char *object, svmh_Place at);
// May p (NULL: a control processor) use this memory? Fails if not.
void svmh_checkReach(svm_Machine *m, const svmh_Kernel *p, mm_Mem memory, const char *object, svmh_Place at);
void svmh_freeMemories(svm_Machine *m);

// ---- Kernels ----

typedef struct svmh_Dependence {
    svmh_Kernel *owner, *target;                 // target NULL: destroyed
    struct svmh_Dependence *next;                // of the owner's
    struct svmh_Dependence *nextOn, *previousOn; // of those on the target
    struct svmh_Dependence *nextWaiter;          // of the runs that wait for the target's, while `waiting`
    bool waiting;
} svmh_Dependence;

typedef enum svmh_Want { SVMH_WANT_NOTHING, SVMH_WANT_ROOM, SVMH_WANT_ELEMENTS, SVMH_WANT_END } svmh_Want;

struct svm_KernelPrivate {
    svm_Kernel *kernel; // NULL: destroyed
    svm_Machine *machine;
    uint64_t serial;
    int processor; // id
    svm_KernelState state;
    const bool *reaches;         // by memory, of the processor
    bool plain;                  // runs as a call on the control thread's stack
    bool (*step)(svm_Kernel *k); // a move: goes on where it stopped; true: finished, false: it waits (svmh_block)
    size_t progress;             // elements that a move has moved
    const char *runFile;         // where it was last run
    int runLine;

    svmh_Dependence *dependences, **lastDependence;
    svmh_Dependence *dependents;
    svmh_Dependence *waiters; // runs that wait for this one
    size_t unsatisfied;

    svmh_List *list; // the ready list, or NULL
    svmh_Kernel *previous, *next;
    svmh_Kernel *allPrevious, *allNext;
    svmh_Coroutine *coroutine; // while a run has one

    svm_Stream *blockedOn;
    svmh_Want want;
    size_t wanted; // elements

    uint32_t mark; // walks
    svmh_Kernel *via;
};

static inline bool svmh_pending(const svmh_Kernel *p)
{
    return p->state >= SVM_QUEUED && p->state <= SVM_PAUSED;
}
static inline const char *svmh_name(const svmh_Kernel *p)
{
    return p->kernel && p->kernel->name ? p->kernel->name : "(unnamed)";
}
static inline const char *svmh_streamText(const svm_Stream *s)
{
    return s->name ? s->name : "(unnamed)";
}

#define SVMH_CHECK ((uintptr_t)UINT64_C(0x5356004d9e3779b1))
static inline uintptr_t svmh_kernelCheck(const svm_Kernel *k)
{
    return (uintptr_t)k ^ (uintptr_t)k->private_ ^ SVMH_CHECK;
}
static inline uintptr_t svmh_streamCheck(const svm_Stream *s)
{
    return (uintptr_t)s ^ (uintptr_t)s->data ^ SVMH_CHECK;
}
static inline uintptr_t svmh_blockCheck(const svm_Block *b)
{
    return (uintptr_t)b->data ^ ~SVMH_CHECK;
}

// Runs one kernel that is ready until it finishes or waits; false: none is ready.
bool svmh_advance(svm_Machine *m);
// The running kernel waits until it can have what it wants of a stream. A move returns at once (and then returns false
// from its step), any other kernel when it may be so.
void svmh_block(svmh_Kernel *p, svm_Stream *s, svmh_Want want, size_t wanted, svmh_Place at);
void svmh_wake(svm_Stream *s); // something happened to a stream that somebody waits for
// Nothing can run, and the control thread waits for something (" to finish" and the like, after the object's name).
SVMH_COLD _Noreturn void svmh_deadlock(svm_Machine *m, const char *object, const char *waitsFor, svmh_Place at);
void svmh_setState(svmh_Kernel *p, svm_KernelState state);
svmh_Kernel *svmh_kernelInit(svm_Kernel *k, mm_Proc processor, svm_KernelFunction *run, const char *name,
                             svm_ProcessorKind kind, svmh_Place at);
void svmh_abandon(svmh_Kernel *p); // the running kernel is at fault: it has ended, though it is still on its stack
void svmh_freeKernels(svm_Machine *m);
// Elements that are in the queue, as the consumer sees it, and free places.
static inline size_t svmh_count(const svm_Stream *s)
{
    return s->written - s->read;
}
static inline size_t svmh_room(const svm_Stream *s)
{
    return s->capacity - (s->written - s->read);
}
const svm_Block *svmh_checkBlock(const svm_Block *b, svmh_Place at);
svm_Stream *svmh_checkStream(svm_Stream *s, svmh_Place at);
// p is to be the one that pushes to, or pops from, a stream.
void svmh_produces(svm_Stream *s, svmh_Kernel *p, svmh_Place at);
void svmh_consumes(svm_Stream *s, svmh_Kernel *p, svmh_Place at);

SVMH_COLD _Noreturn void svmh_failKernel(const svm_Kernel *k, svmh_Place at);
SVMH_COLD _Noreturn void svmh_failNotControl(svm_Machine *m, const char *object, svmh_Place at);
SVMH_COLD _Noreturn void svmh_failPending(const svmh_Kernel *p, svmh_Place at);

static inline svmh_Kernel *svmh_checkKernel(const svm_Kernel *k, svmh_Place at)
{
    if (SVMH_UNLIKELY(!k || k->check != svmh_kernelCheck(k)))
        svmh_failKernel(k, at);
    return k->private_;
}

static inline void svmh_checkControl(svm_Machine *m, const char *object, svmh_Place at)
{
    if (SVMH_UNLIKELY(m->current != NULL))
        svmh_failNotControl(m, object, at);
}

// ---- Coroutines (coroutine.c) ----

// Runs p on its coroutine, taking one if it has none, until it calls svmh_leave or its function returns (true).
bool svmh_enter(svmh_Kernel *p);
void svmh_leave(svmh_Kernel *p);            // back to the control thread
_Noreturn void svmh_quit(svmh_Kernel *p);   // back for good
void svmh_releaseCoroutine(svmh_Kernel *p); // of a run that will not go on
void svmh_freeCoroutines(svm_Machine *m);

// ---- Errors (error.c) ----

SVMH_COLD _Noreturn void svmh_fail(svm_Machine *m, svm_Error error, const char *object, svmh_Place at,
                                   const char *format, ...) SVMH_PRINTF(5, 6);
// The same; text was allocated.
SVMH_COLD _Noreturn void svmh_failText(svm_Machine *m, svm_Error error, const char *object, svmh_Place at, char *text);
// Prints what the program printed before, then a line to standard error, and exits with status 1; from wherever it is
// called.
SVMH_COLD _Noreturn void svmh_fatal(const char *format, ...) SVMH_PRINTF(1, 2);
// The same with "PROGRAM: error: " before the line.
SVMH_COLD _Noreturn void svmh_fatalProgram(const char *format, ...) SVMH_PRINTF(1, 2);
void *svmh_allocate(size_t count, size_t size); // zeroed, or the program stops
void *svmh_grow(void *memory, size_t *cap, size_t need, size_t size);

// ---- Printing (program_print.c) ----

void svmh_flushLogs(svm_Machine *m);
void svmh_checkOutput(bool written); // standard output took what it was given

void svmh_prepareStack(void); // program_stack.c

// ---- Files (program_reader.c, program_writer.c, program_wav.c) ----

bool svmh_isWav(const char *path);                                           // "x.wav" or "x.wav,rate=48000"
size_t svmh_itemBytes(svm_Item item, size_t elementSize, const char *where); // in a raw file; 0: bits
void svmh_swapWords(void *items, size_t bytes,
                    svm_Item item); // from or to little-endian; nothing to do on most machines
// Padding becomes zero, booleans 0 or 1.
void svmh_applyParts(const svm_ItemPart *parts, size_t count, size_t unit, void *items, size_t bytes);

typedef struct svmh_Wav svmh_Wav;
svmh_Wav *svmh_wavOpen(const char *path, bool write, svm_Item item, const char *where);
ptrdiff_t svmh_wavRead(svmh_Wav *w, void *items, ptrdiff_t count);
bool svmh_wavAtEnd(svmh_Wav *w);
bool svmh_wavRewind(svmh_Wav *w);
void svmh_wavWrite(svmh_Wav *w, const void *items, ptrdiff_t count);
void svmh_wavClose(svmh_Wav *w);

// Ints wherever a program keeps them.
typedef int32_t __attribute__((aligned(1), may_alias)) unalignedInt;

// For loops over bits: the library is built for any x86-64, and these gain much from wider vectors.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define SVMH_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SVMH_VECTOR_CLONES
#endif

#endif
