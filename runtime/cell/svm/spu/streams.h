// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the resident loop and what programs have it with whose streams lie in local stores (streams.c): the others leave it
// out when they are linked.
#ifndef SVM_SPU_STREAMS_H
#define SVM_SPU_STREAMS_H

#include <stdbool.h>

#include "svm_cell.h"

// How far a FILL, EMPTY or PASS is, in bytes; its command's number.
typedef struct StreamMove {
    uint32_t moved, moving, number;
} StreamMove;

// STREAMING: a transfer of a stream that waits for elements or room.
typedef enum State { WAITING, UNDER_WAY, STREAMING, RUNNING, COMPLETE } State;

// A command that is looked at.
typedef struct Slot {
    const svm_CellCommand *command;
    const struct Repeat *repeat; // that it is of, or NULL;
    uint32_t time;               // which time of it
    State state;
    StreamMove move; // of a transfer of a stream
    bool told;       // those that the command tells hear of it, or have,
    bool ahead;      // though not all before it are complete
} Slot;

struct svm_CellStreaming {
    unsigned char *streams; // svm_CellStreams
    // Begins transfers of what is there and has room, with that tag; false: nothing, now.
    bool (*move)(const svm_CellCommand *c, StreamMove *m, uint32_t tag);
    bool (*moved)(const svm_CellCommand *c, StreamMove *m); // they are complete; true: so is the command
};

struct svm_CellTurning {
    // Whether a kernel does not begin, and those behind it may. `ready`: its command waits for nothing; `passes`: it would begin
    // before others.
    bool (*is_later)(const Slot *slots, uint32_t first, uint32_t next, uint32_t number, bool ready, bool passes);
    // The SPEs that are to hear now of commands that are complete though one before is not; *ahead: all those, as in an
    // svm_CellCount.
    uint32_t (*told_ahead)(Slot *slots, uint32_t first, uint32_t next, uint32_t *ahead);
    void (*wait)(void); // for a kernel to begin
};

// A kernel uses a stream of that number: noted where time is predicted.
void svm_cellNote(uint32_t stream, svm_CellUse use, size_t count);
// It has used it: what others wait for may go on.
void svm_cellGoOn(void);
// It waits. The names are those that a deadlock is told by.
void svm_cellWaitForElements(void);
void svm_cellWaitForRoom(void);
void svm_cellWaitForInput(void); // no kernel has begun

static inline uint32_t svm_cellHead(const svm_CellCommand *c) // bytes of a command in front of what follows its waits
{
    return (sizeof *c + c->waits * sizeof(svm_CellWait) + SVM_CELL_QUANTUM - 1) & -SVM_CELL_QUANTUM;
}

#endif
