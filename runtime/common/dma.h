// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the DMA kernels share (dma.c): a description of one transfer, which each kernel makes of its fields whenever it
// goes on, and the pieces in which a transfer is made, which the runtime is told of (svmr_transferred).
#ifndef SVM_COMMON_DMA_H
#define SVM_COMMON_DMA_H

#include "runtime/common/internal.h"

// ---- Pieces: for a runtime that charges time ----

typedef enum svmr_Access { SVMR_SEQUENTIAL, SVMR_STRIDED, SVMR_INDEXED } svmr_Access;

// A piece of a transfer. A transfer between blocks is one piece; with a stream, a piece is as much as can be moved
// without waiting and without wrapping around a stream's buffer. When a side is a stream its access is sequential,
// though the elements between the groups of a strided gather are dropped there (they are not counted in bytes) and
// those of a strided scatter are written as zeroes (they are).
typedef struct svmr_TransferPart {
    mm_Mem from, to;
    size_t bytes;       // written to the destination
    size_t address;     // where they are written,
    size_t span;        // or, at a distance or by indices, among how many bytes from there on; else 0
    size_t recordBytes; // that lie together on the strided or indexed side; sequential on both: bytes
    svmr_Access fromAccess, toAccess;
    mm_Mem indices; // where indices were read from, one after the other; NULL: no indices
    size_t indexBytes;
    bool combines; // the destination was read too (scatter with an operation)
} svmr_TransferPart;

// Called once for each piece of p, the kernel that runs: the bytes have been copied, and nobody has been told yet (what
// was read from a stream is popped, what was written to one is pushed, after the return). Each runtime has its own:
// runtime/host does nothing; one that predicts time may let it pass here, by leaving p's stack if it runs p on one. A
// piece is never empty. Nothing of the transfer is held in between: the streams may be pushed to and popped from at
// their other ends meanwhile.
void svmr_transferred(svmr_Kernel *p, const svmr_TransferPart *part);

// ---- Transfers ----

// One side of a transfer: a block or a stream.
typedef struct svmr_Side {
    svm_Block *block;
    svm_Stream *stream; // NULL: the block is meant
} svmr_Side;

// Strided: on that side, `repeats` groups of `records` elements, each group `stride` elements after the beginning of
// the last, the first at `offset`. Indexed: `repeats` groups of `records` elements; on that side, which is a block,
// each is where its index says. The other side is read or written from its beginning. A move is one group of
// `records` elements: with a block, which is moved whole, svmr_transfer sets them.
typedef struct svmr_Transfer {
    const char *function; // for messages
    svm_TransferKind kind;
    bool scatter; // the strided or indexed side is the destination
    svmr_Side from, to, indices;
    size_t offset, records, stride, repeats;
    svm_Operation combine;
} svmr_Transfer;

#ifdef SVMR_QUEUES
// p->asked: p's transfer, which is checked, may go into a queue.
void svmr_queueTransfer(svmr_Kernel *p, const svmr_Transfer *t);
bool svmr_queuesStreams(const svm_Machine *m); // one with streams may, too
#endif
// Goes on with p's transfer from p->progress; true: it is finished, false: it waits for a stream.
bool svmr_transfer(svmr_Kernel *p, svmr_Transfer *t);
// Sets up a DMA kernel; steps: it has streams to wait for, otherwise one call is enough.
void svmr_transferInit(svm_Kernel *k, mm_Proc dma, svm_TransferKind kind, const char *name, svm_KernelFunction *run,
                       bool (*step)(svm_Kernel *k), bool steps, svmr_Place at);
void svmr_checkSide(svmr_Side side, svmr_Place at); // initialised

// ---- Operations (operations.c) ----

// What combines two elements, and how long they are; SVM_REPLACE has none.
typedef struct svmr_OperationRow {
    const char *name;
    size_t size;
    void (*apply)(void *to, const void *with, size_t count); // to[i] = to[i] op with[i]; alignment does not matter
} svmr_OperationRow;
const svmr_OperationRow *svmr_operation(svm_Operation operation); // NULL: no such operation

#endif
