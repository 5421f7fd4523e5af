// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several nodes as control threads of one machine, the world's, each with a machine of its own for all else. Whatever
// nodes wait for each other with is a mutex and a condition of the world's machine, which finds deadlocks.
#include "runtime/common/nodes.h"

#include <stdlib.h>

#define NODE_CHECK ((uintptr_t)UINT64_C(0x53766d4e6f646521))

static uintptr_t nodeCheck(const svm_Node *n)
{
    return (uintptr_t)n ^ (uintptr_t)n->private_ ^ NODE_CHECK;
}

svmr_Node *svmr_checkNode(const svm_Node *n, svmr_Place at)
{
    if (SVMR_UNLIKELY(!n || n->check != nodeCheck(n)))
        svmr_fail(svmr_machine(), SVM_ERROR_BAD_ARGUMENT, "", at,
                  n ? "the node is none that svm_SpawnParallelCThreads made, or its object was copied"
                    : "the node is a null pointer");
    svmr_checkControl(n->machine, "", at);
    return n->private_;
}

void svmr_checkNodeNumber(const svm_Node *n, size_t number, svmr_Place at)
{
    if (SVMR_UNLIKELY(number >= n->count))
        svmr_fail(n->machine, SVM_ERROR_BAD_ARGUMENT, "", at, "node %zu of %zu", number, n->count);
}

// ---- The world's lock ----

void svmr_lockWorld(svmr_World *w, svmr_Place at)
{
    svm_mutexLockAt(&w->mutex, at.file, at.line);
}
void svmr_unlockWorld(svmr_World *w, svmr_Place at)
{
    svm_mutexUnlockAt(&w->mutex, at.file, at.line);
}
void svmr_waitWorld(svmr_World *w, svmr_Place at)
{
    svm_conditionWaitAt(&w->changed, &w->mutex, at.file, at.line);
}
void svmr_tellWorld(svmr_World *w, svmr_Place at)
{
    svm_conditionBroadcastAt(&w->changed, at.file, at.line);
}

// ---- Starting ----

static int runNode(void *argument)
{
    svmr_Node *n = argument;
    svm_Machine *before = svm_machineUse(n->node.machine);
    n->result = n->world->f(&n->node, n->world->argument);
    svm_machineUse(before);
    return n->result;
}

// A machine with a segment; on the spawning thread, so that an error of any is reported there, before any has started.
static void setUpNode(svmr_World *w, size_t id, mm_Mem memory, size_t bytes, svmr_Place at)
{
    svmr_Node *n = &w->nodes[id];
    n->world = w;
    n->node = (svm_Node){.id = id, .count = w->count, .segmentBytes = bytes, .private_ = n};
    n->node.machine = svm_machineCreate();
    n->node.check = nodeCheck(&n->node);
    n->windows = svmr_allocate(w->count, sizeof *n->windows);
    svm_Machine *before = svm_machineUse(n->node.machine);
    n->node.segment = svm_allocAt(memory, bytes, at.file, at.line);
    svm_machineUse(before);
}

static void freeWorld(svmr_World *w, svmr_Place at)
{
    svmr_freeMessages(w);
    svmr_freeReductions(w);
    for (size_t i = 0; i < w->count; i++) {
        svm_machineDestroy(w->nodes[i].node.machine);
        free(w->nodes[i].windows);
    }
    svm_conditionDestroyAt(&w->changed, at.file, at.line);
    svm_mutexDestroyAt(&w->mutex, at.file, at.line);
    free(w->nodes);
    free(w->threads);
    free(w);
}

// Before anything is made: one node's part on the caller's own machine.
static void checkSpawn(svm_Machine *m, size_t nodes, mm_Proc control, mm_Mem memory, size_t bytes, bool function,
                       svmr_Place at)
{
    svmr_checkControl(m, "", at);
    if (nodes == 0 || !function)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, "", at, nodes ? "the nodes' function is a null pointer" : "0 nodes");
    int id = svmr_processorId(m, control, at);
    const svm_ProcessorRow *row = &svmr_state(m, id)->table->processors[svmr_index(id)];
    if (row->kind != SVM_PROCESSOR_CONTROL)
        svmr_fail(m, SVM_ERROR_BAD_PROCESSOR, "", at, "'%s' is no control processor", row->name);
    svm_freeAt(memory, svm_allocAt(memory, bytes, at.file, at.line), at.file, at.line);
}

int svm_SpawnParallelCThreadsAt(size_t nodes, mm_Proc control, mm_Mem memory, size_t bytes, svm_NodeFunction *f,
                                void *argument, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_SpawnParallelCThreads");
    checkSpawn(svmr_machine(), nodes, control, memory, bytes, f != NULL, at);
    svmr_World *w = svmr_allocate(1, sizeof *w);
    w->count = nodes;
    w->f = f;
    w->argument = argument;
    w->memory = memory;
    w->nodes = svmr_allocate(nodes, sizeof *w->nodes);
    w->threads = svmr_allocate(nodes, sizeof *w->threads);
    svm_mutexInitAt(&w->mutex, "the nodes", file, line);
    svm_conditionInitAt(&w->changed, "another node", file, line);
    for (size_t i = 0; i < nodes; i++)
        setUpNode(w, i, memory, bytes, at);
    for (size_t i = 1; i < nodes; i++)
        svm_threadCreateAt(&w->threads[i], control, runNode, &w->nodes[i], "a node", file, line);
    int result = runNode(&w->nodes[0]);
    for (size_t i = 1; i < nodes; i++) {
        int other = svm_threadJoinAt(&w->threads[i], file, line);
        if (result == 0)
            result = other;
    }
    freeWorld(w, at);
    return result;
}

// ---- Naming ----

size_t svm_nodeAddressAt(svm_Node *self, svm_GlobalAddress address, size_t bytes, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_nodeAddress");
    svmr_Node *n = svmr_checkNode(self, at);
    svmr_checkNodeNumber(self, address.node, at);
    if (address.offset > self->segmentBytes || bytes > self->segmentBytes - address.offset)
        svmr_fail(self->machine, SVM_ERROR_ADDRESS_RANGE, "", at,
                  "%zu bytes at offset %zu do not fit in the segment of %zu bytes", bytes, address.offset,
                  self->segmentBytes);
    if (address.node == self->id || self->segmentBytes == 0)
        return self->segment + address.offset;
    // Another node's segment becomes a part of this one's memory when it is first named.
    size_t *window = &n->windows[address.node];
    if (!*window) {
        svm_Machine *before = svm_machineUse(self->machine);
        void *there = (void *)(uintptr_t)n->world->nodes[address.node].node.segment;
        *window = svm_mapAt(n->world->memory, there, self->segmentBytes, file, line);
        svm_machineUse(before);
    }
    return *window + address.offset;
}

// ---- Coherence and synchronisation ----

void svm_MemFlushAt(svm_Node *self, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_MemFlush");
    svmr_World *w = svmr_checkNode(self, at)->world;
    svmr_lockWorld(w, at); // what was written before is seen by whoever locks it later
    svmr_unlockWorld(w, at);
}

void svm_nodeBarrierAt(svm_Node *self, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_nodeBarrier");
    svmr_Node *n = svmr_checkNode(self, at);
    svmr_World *w = n->world;
    svmr_lockWorld(w, at);
    if (!n->inBarrier) { // otherwise it has come already, and an error ended the call
        n->inBarrier = true;
        n->barriers++;
        w->arrived++;
    }
    if (w->arrived == w->count) {
        w->arrived = 0;
        w->generation++;
        svmr_tellWorld(w, at);
    }
    while (w->generation < n->barriers)
        svmr_waitWorld(w, at);
    n->inBarrier = false;
    svmr_unlockWorld(w, at);
}
