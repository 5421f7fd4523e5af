// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nodes' private parts: starting (nodes.c), sends and receives (nodes_stream.c), reductions (nodes_reduce.c).
#ifndef SVM_COMMON_NODES_H
#define SVM_COMMON_NODES_H

#include "runtime/common/internal.h"
#include "svm/nodes.h"

typedef struct svmr_World svmr_World;
typedef struct svmr_Message svmr_Message;
typedef struct svmr_Reduction svmr_Reduction;

typedef struct svm_NodePrivate {
    svm_Node node;
    svmr_World *world;
    int result;
    size_t *windows;     // by node: the address of its segment in this one's memory; 0: not mapped yet
    uint64_t reductions; // begun by this node
    uint64_t barriers;   // that it has come to
    bool inBarrier;
    svmr_Message *sending;
} svmr_Node;

// What the nodes share; guarded by `mutex`, but for what never changes.
struct svmr_World {
    svm_Mutex mutex;
    svm_Condition changed; // anything
    svmr_Node *nodes;
    svm_Thread *threads;
    size_t count;
    svm_NodeFunction *f;
    void *argument;
    mm_Mem memory;
    size_t arrived;             // at the barrier
    uint64_t generation;        // barriers that have opened
    svmr_Message *messages;     // sent and not received, oldest first
    svmr_Reduction *reductions; // that not all nodes have come to or taken the result of
};

svmr_Node *svmr_checkNode(const svm_Node *n, svmr_Place at); // for its control thread
void svmr_checkNodeNumber(const svm_Node *n, size_t number, svmr_Place at);
void svmr_lockWorld(svmr_World *w, svmr_Place at);
void svmr_unlockWorld(svmr_World *w, svmr_Place at);
void svmr_waitWorld(svmr_World *w, svmr_Place at); // until something has changed; locked
void svmr_tellWorld(svmr_World *w, svmr_Place at); // something has; locked
void svmr_freeMessages(svmr_World *w);
void svmr_freeReductions(svmr_World *w);

#endif
