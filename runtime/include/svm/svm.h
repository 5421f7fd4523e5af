// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Stream Virtual Machine API (Labonte et al., "The Stream Virtual Machine", section 3): blocks, streams, kernels,
// DMA kernels, dependences and kernel control. A program in SVM C includes this header and nothing of a particular
// runtime; which runtime it gets (host, sim, ...) is decided when it is linked.
//
// Objects are plain structs that the program owns; fields named "private" below belong to the runtime. Every misuse has
// a defined result: the error handler is called with a named error, the object and the calling line; the default prints
// and exits with status 1.
#ifndef SVM_SVM_H
#define SVM_SVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Machine: names are resolved against the machine file (SVM_MACHINE, SVM_MEMORY, SVM_PROCESSOR) ----

// A memory or a processor by name. id is private: 0 until first used. machine NULL: the first machine linked in that
// has the name.
typedef struct svm_Memory {
    const char *name;
    int id;
    const char *machine;
} svm_Memory;
typedef struct svm_Processor {
    const char *name;
    int id;
    const char *machine;
} svm_Processor;
#define SVM_NAME_INIT(text) {text, 0, NULL}
// Names as the paper's prototypes spell them.
typedef svm_Memory *mm_Mem;
typedef svm_Processor *mm_Proc;

#include "svm/contract.h"

// An instance of the machine: its memories' contents, queues and kernels. A thread that asks for none has one of its
// own, which lives as long as the thread. Objects belong to the machine that was in use when they were initialised and
// may then be used whichever is in use, by one thread at a time and by the control threads that svm_threadCreate makes.
// An instance of an emitted program has its own machine, so that two can run side by side.
typedef struct svm_Machine svm_Machine;
svm_Machine *svm_machineCreate(void);
// Objects this thread initialises from now on belong to m (NULL: the thread's own); gives the one in use before (NULL
// likewise).
svm_Machine *svm_machineUse(svm_Machine *m);
// Frees the machine with all that svm_alloc gave and all it keeps for kernels, pending or not: running ones end when they
// next call the runtime, and this waits for it. Misuse: a control thread that was not joined.
void svm_machineDestroy(svm_Machine *m);

// ---- Memory: addresses are byte offsets in a memory (local ones start at 0) ----

// Global memory to be used by blocks and streams: new zeroed memory, or memory the program already has. The address
// is valid until svm_free / svm_unmap. Misuse: not a global memory that the control processor reaches; out of memory.
size_t svm_alloc(mm_Mem memory, size_t bytes);
size_t svm_map(mm_Mem memory, void *pointer, size_t bytes);
void svm_free(mm_Mem memory, size_t address);
void svm_unmap(mm_Mem memory, size_t address);

// ---- Blocks and streams (paper 3.1) ----

// An array of capacity elements placed in a memory. Blocks may alias parts of other blocks, and of streams' memory.
typedef struct svm_Block {
    char *data; // private: where the runtime keeps element 0
    size_t capacity, elementSize;
    mm_Mem memory;
    size_t address;
    const char *name;     // for messages; NULL until svm_blockName
    uintptr_t check;      // private: tells an initialised block
    svm_Machine *machine; // private
} svm_Block;

// Misuse: outside the memory; elementSize 0; overflow; in a local memory, an address that is not a multiple of the
// memory's alignment; a memory that is a FIFO.
void svm_blockInit(svm_Block *b, mm_Mem memory, size_t address, size_t capacity, size_t elementSize);
void svm_blockName(svm_Block *b, const char *name);
// Random access by kernels (bounds are checked).
void svm_blockRead(const svm_Block *b, size_t index, void *element);
void svm_blockWrite(svm_Block *b, size_t index, const void *element);
// Element 0, for kernels that fetch their pointers once and then index with their own care.
static inline void *svm_blockData(const svm_Block *b)
{
    return b->data;
}

// Who last used one end of a stream; private.
typedef struct svm_StreamUser {
    struct svm_KernelPrivate *kernel; // NULL: a control thread
    uint64_t serial;                  // of the kernel; UINT64_MAX: nobody has yet
} svm_StreamUser;

// A FIFO queue: one producer, one consumer, capacity elements. Its memory is its own from initialisation until it is
// destroyed or initialised again, or until svm_free or svm_unmap take it: no other stream may overlap it; blocks may.
typedef struct svm_Stream {
    char *data; // private, as all that follows but name
    size_t capacity, elementSize;
    mm_Mem memory;
    size_t address;
    const char *name;
    uintptr_t check;
    svm_Machine *machine;
    bool ended;   // the producer pushes no more
    char gap[64]; // apart in caches: what the producer writes
    svm_StreamUser producer;
    size_t written;      // elements ever pushed
    size_t back;         // where in data the next element is pushed, in bytes
    size_t seenRead;     // `read`, as the producer last saw it
    size_t pushAcquired; // elements acquired and not sent
    struct svm_KernelPrivate *consumerWaits;
    size_t consumerWants; // how many elements
    char gap2[64];        // what the consumer writes
    svm_StreamUser consumer;
    size_t read, front, seenWritten, popAcquired;
    struct svm_KernelPrivate *producerWaits;
    size_t producerWants;
    char gap3[64];
} svm_Stream;

// A circular buffer in a RAM (the SVM paper's Table 1 calls it svm_streamInit). Misuse: as svm_blockInit, and a capacity
// of 0; overlapping a live stream.
void svm_streamInitRAM(svm_Stream *s, mm_Mem memory, size_t address, size_t capacity, size_t elementSize);
void svm_streamInit(svm_Stream *s, mm_Mem memory, size_t address, size_t capacity, size_t elementSize);
// A hardware queue: a memory whose kind is fifo, which holds one stream at a time, of as many bytes as it has or fewer.
// Misuse: another kind of memory; more than it holds; a stream that lives there already.
void svm_streamInitFIFO(svm_Stream *s, mm_Mem fifo, size_t capacity, size_t elementSize);
void svm_streamDestroy(svm_Stream *s); // its memory may hold another stream; misuse: a kernel waits for it
void svm_streamName(svm_Stream *s, const char *name);
// The first count elements of the stream's memory are in the queue, as if they had been pushed. For a stream that
// nobody has used yet.
void svm_streamFill(svm_Stream *s, size_t count);
// Blocking; from kernels, or from the control thread (while it waits, the machine runs). pop and peek at the end of the
// stream are misuse; svm_streamEnded tells (it blocks until it is known). pop to NULL discards.
void svm_streamPush(svm_Stream *s, const void *element);
void svm_streamPop(svm_Stream *s, void *element);
void svm_streamPeek(svm_Stream *s, size_t offset, void *element);
bool svm_streamEnded(svm_Stream *s);
void svm_streamEnd(svm_Stream *s);           // the producer: no more elements will come
size_t svm_streamCount(const svm_Stream *s); // elements in the queue now
// Blocks until count elements that are not acquired are there, or the stream has ended; gives how many are.
size_t svm_streamWaitCount(svm_Stream *s, size_t count);

// Two-phase access, as in the ASM's acolib: the elements are worked on where they lie. Acquiring blocks until there is
// room for count elements, or until they are there, and gives the first; sending and discarding release the oldest
// count acquired ones. Several windows may be acquired before one is released. A window never wraps around the end of
// the stream's memory: the capacity is a multiple of the counts in use (but for the last one before a stream's end).
// Misuse: a count of 0, or that does not divide the capacity, or that wraps; more acquired than the capacity; more
// released than acquired; pushing or popping an element while a window of that end is acquired; popAcquire beyond the
// end of the stream.
void *svm_streamPushAcquire(svm_Stream *s, size_t count);
void svm_streamPushSend(svm_Stream *s, size_t count);
const void *svm_streamPopAcquire(svm_Stream *s, size_t count);
void svm_streamPopDiscard(svm_Stream *s, size_t count);

// ---- Kernels (paper 3.1) ----

typedef struct svm_Kernel svm_Kernel;
typedef void svm_KernelFunction(svm_Kernel *kernel);
typedef enum svm_KernelState {
    SVM_IDLE,
    SVM_QUEUED,
    SVM_RUNNING,
    SVM_BLOCKED,
    SVM_PAUSED,
    SVM_FINISHED,
    SVM_ENDED
} svm_KernelState;

// A kernel object; a subclass encloses it as its first field. A dependence binds, at svm_kernelRun, to the latest
// enqueued run of the kernel depended on (none: it is satisfied), and persists over runs.
struct svm_Kernel {
    svm_KernelFunction *run;
    mm_Proc processor;
    const char *name;
    struct svm_KernelPrivate *private_; // the runtime's: queue links, dependences, coroutine
    svm_KernelState state;              // svm_kernelStateOf; may be read directly after svm_kernelWait
    uintptr_t check;                    // private: tells an initialised kernel
};

// Misuse: a processor that runs no kernels. Calling it again on a kernel that is not pending forgets its dependences.
// On the host a kernel that may wait runs on a stack of 1 MiB.
void svm_kernelInit(svm_Kernel *k, mm_Proc processor, svm_KernelFunction *run, const char *name);
void svm_kernelDestroy(svm_Kernel *k); // releases what the runtime keeps for it; not while it is pending
// The kernel uses no stream and does not pause or end itself, so a runtime may run it as a plain call. If it must wait
// all the same it is misuse. After svm_kernelInit.
void svm_kernelNeverBlocks(svm_Kernel *k);
void svm_kernelAddDependence(svm_Kernel *k, svm_Kernel *dependsOn); // from the next run on
void svm_kernelRun(svm_Kernel *k);  // enqueue; a pending kernel is misuse; a paused one resumes
void svm_kernelWait(svm_Kernel *k); // until it finished, ended or paused; never run is misuse
void svm_kernelWaitMultiple(size_t count, svm_Kernel *const kernels[]); // for all of them
// From the control thread (a running kernel pauses or ends when it next calls the runtime; svm_kernelWait tells) or by
// the kernel itself, for which svm_kernelEnd does not return. For dependences and waits an ended run is a finished one.
void svm_kernelPause(svm_Kernel *k);
void svm_kernelEnd(svm_Kernel *k);
svm_KernelState svm_kernelStateOf(const svm_Kernel *k);
// The running kernel has made n firings since it last said so: for kernels whose firing function has no SVM_FIRE. Only
// runtimes that predict time use it.
void svm_kernelFirings(svm_Kernel *k, size_t n);

#include "svm/dma.h"

// ---- Errors ----

typedef enum svm_Error {
#define SVM_ERROR(id, name, text) SVM_ERROR_##id,
#include "svm/errors.def"
#undef SVM_ERROR
    SVM_ERROR_COUNT
} svm_Error;
typedef struct svm_ErrorReport {
    svm_Error error;
    const char *error_name; // "address-range"
    const char *function;   // the API function
    const char *object;     // the object's name, or ""
    const char *message;    // one sentence
    const char *file;       // calling place, when known; else NULL
    int line;
} svm_ErrorReport;
typedef void svm_ErrorHandler(const svm_ErrorReport *report, void *context);
// The handler runs on the control thread's stack and must not return (longjmp or exit); NULL restores the default. Per
// thread. After a longjmp the kernel at fault has ended and the other kernels are as they were. An error of a kernel that
// runs beside the control threads is reported by the first of them that waits or calls the machine.
void svm_setErrorHandler(svm_ErrorHandler *handler, void *context);

#include "svm/threads.h"

#include "svm/places.h"

#ifdef __cplusplus
}
#endif

// svm-llc gives the program its table of machines (svm/machine_table.h) this way.
#ifdef SVM_MACHINE_TABLE
#include SVM_MACHINE_TABLE
#endif

#endif
