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
// may then be used whichever is in use, by one thread at a time. An instance of an emitted program has its own machine,
// so that two can run side by side.
typedef struct svm_Machine svm_Machine;
svm_Machine *svm_machineCreate(void);
// Objects this thread initialises from now on belong to m (NULL: the thread's own); gives the one in use before (NULL
// likewise).
svm_Machine *svm_machineUse(svm_Machine *m);
// Frees the machine with all that svm_alloc gave and all it keeps for kernels, pending or not.
void svm_machineDestroy(svm_Machine *m);

// ---- Memory: addresses are byte offsets in a memory (local ones start at 0) ----

// Global memory to be used by blocks and streams: new zeroed memory, or memory the program already has. The address
// is valid until svm_free / svm_unmap. Misuse: not a global memory that the control processor reaches; out of memory.
size_t svm_alloc(mm_Mem memory, size_t bytes);
size_t svm_map(mm_Mem memory, void *pointer, size_t bytes);
void svm_free(mm_Mem memory, size_t address);
void svm_unmap(mm_Mem memory, size_t address);

// ---- Blocks and streams (paper 3.1) ----

// An array of capacity elements placed in a memory. Blocks may alias parts of other blocks.
typedef struct svm_Block {
    char *data; // private: where the runtime keeps element 0
    size_t capacity, elementSize;
    mm_Mem memory;
    size_t address;
    const char *name;     // for messages; NULL until svm_blockName
    uintptr_t check;      // private: tells an initialised block
    svm_Machine *machine; // private
} svm_Block;

// Misuse: outside the memory; elementSize 0; overflow.
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
    struct svm_KernelPrivate *kernel; // NULL: the control thread
    uint64_t serial;
    bool known;
} svm_StreamUser;

// A FIFO queue as a circular buffer placed in a memory: one producer, one consumer, capacity elements.
typedef struct svm_Stream {
    char *data; // private, as all that follows but name
    size_t capacity, elementSize;
    mm_Mem memory;
    size_t address;
    size_t read, written;       // elements ever popped and pushed
    size_t front, back;         // where in data the next element is popped and pushed, in bytes
    bool ended;                 // the producer pushes no more
    struct svm_Kernel *waiting; // kernel blocked on this stream
    const char *name;
    svm_StreamUser producer, consumer;
    uintptr_t check;
    svm_Machine *machine;
} svm_Stream;

void svm_streamInitRAM(svm_Stream *s, mm_Mem memory, size_t address, size_t capacity, size_t elementSize);
void svm_streamName(svm_Stream *s, const char *name);
// The first count elements of the stream's memory are in the queue, as if they had been pushed. For a stream that
// nobody has used yet.
void svm_streamFill(svm_Stream *s, size_t count);
// Blocking; from kernels, or from the control thread (which then runs the machine until the call can finish). pop and
// peek at the end of the stream are misuse; svm_streamEnded tells (it blocks until it is known). pop to NULL discards.
void svm_streamPush(svm_Stream *s, const void *element);
void svm_streamPop(svm_Stream *s, void *element);
void svm_streamPeek(svm_Stream *s, size_t offset, void *element);
bool svm_streamEnded(svm_Stream *s);
void svm_streamEnd(svm_Stream *s);           // the producer: no more elements will come
size_t svm_streamCount(const svm_Stream *s); // elements in the queue now

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
    svm_KernelState state;
    uintptr_t check; // private: tells an initialised kernel
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
// From the control thread (it takes effect when the kernel next blocks or finishes) or by the kernel itself, for which
// svm_kernelEnd does not return. For dependences and waits an ended run is a finished one.
void svm_kernelPause(svm_Kernel *k);
void svm_kernelEnd(svm_Kernel *k);

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
// thread. After a longjmp the kernel at fault has ended and the other kernels are as they were.
void svm_setErrorHandler(svm_ErrorHandler *handler, void *context);

#include "svm/places.h"

#ifdef __cplusplus
}
#endif

// svm-llc gives the program its table of machines (svm/machine_table.h) this way.
#ifdef SVM_MACHINE_TABLE
#include SVM_MACHINE_TABLE
#endif

#endif
