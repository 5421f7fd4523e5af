// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emitted programs of which a firing may fail, by a division by zero, say. A strip is one run of the kernels, and of what
// it gives nothing is written when a firing fails in it. So it is done again, from what it began with, as far as that
// firing: what came out before the error is written then. docs/order-and-end.md has the design. C: control code.
#ifndef SVM_STRIP_H
#define SVM_STRIP_H

#include "svm/program.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bytes of the program's instance that a run changes and a later one finds: the states of actors.
typedef struct svm_StripState {
    size_t offset, bytes;
} svm_StripState;

// From one member of a kernel's struct to another.
#define SVM_STRIP_STATE(instance, first, last)                                                                         \
    {offsetof(instance, first), offsetof(instance, last) - offsetof(instance, first) + sizeof(((instance *)0)->last)}

// The same of a channel: elements at the front of its block, in the initialisation and in all later runs.
typedef struct svm_StripItems {
    int32_t channel;
    ptrdiff_t starting, later;
} svm_StripItems;

// A reader: its svm_Input in the instance, and as svm/input.h has it where its items lie.
typedef struct svm_StripInput {
    size_t offset;
    int32_t channel;
    int64_t kept, step;
} svm_StripInput;

// For programs of which something can be seen of firings before one that fails in the same phase: the rates of the source
// graph, from which their canonical order follows.
typedef struct svm_StripOrder {
    const svm_RateTable *rates;
    const int64_t *kept,
        *enqueued;         // items in each of its channels after a steady state, and before anything fires; NULL: none
    const int32_t *rows;   // the actor of each of its rows; NULL: row i is that of actor i
    const int64_t *steady; // how often each actor fires in a steady state
    int32_t actors;
} svm_StripOrder;

typedef struct svm_StripTable {
    // Runs the kernels: counts[actor] firings of each actor, or so many steady states; writes: and writes what comes of it.
    void (*again)(void *instance, const int64_t *counts, int64_t steady, bool starting, bool writes);
    // Of programs on several processors (svm/mapped_failing.h), which have none of what comes next: takes the next of the
    // steady states that were under way, and gives how many; and keeps what these begin with, or puts it back.
    int64_t (*next)(void *instance);
    void (*keep)(void *instance, bool back);
    const svm_StripState *states;
    size_t stateCount;
    size_t channels; // where the instance has its blocks
    const svm_StripItems *items;
    size_t itemCount;
    const svm_StripInput *inputs;
    size_t inputCount;
    const svm_StripOrder *order; // NULL: nothing can be seen but of whole steady states
} svm_StripTable;

// All of it is private.
typedef struct svm_Strip {
    const svm_StripTable *table;
    void *instance;
    const int64_t *counts;
    int64_t steady;
    bool starting;
    char *kept; // what the run began with, or the first one of the log
    size_t room;
    bool logs, placed;
    char *log;
    size_t logBytes, logRoom, logged;
    int64_t *places; // in files, of the log's input
} svm_Strip;

// A run of the kernels begins, of which the arguments are those of table->again; it is over, before anything is written.
void svm_stripBegin(svm_Strip *s, const svm_StripTable *table, void *instance, const int64_t *counts, int64_t steady,
                    bool starting);
void svm_stripEnd(svm_Strip *s);
void svm_stripDestroy(svm_Strip *s); // of one that was zero at first: no run is under way
// Of the items that others were to write, nobody writes those that are not settled: what comes next goes to their place.
void svm_writerTakeBack(svm_Writer *w);

#ifdef __cplusplus
}
#endif

#endif
