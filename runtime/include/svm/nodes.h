// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several nodes (F. Labonte, "SVM API", slides): one control program started on each of n nodes, which have a machine
// of their own each, name each other's memory by node and offset, send streams from one stream register file to
// another and reduce values over all nodes. Nodes are threads of one process. Names from the slides are theirs with
// svm_ before them (without it too after #define SVM_SLIDE_NAMES, for a node called svm_node and a unit called
// svm_unit).
#ifndef SVM_NODES_H
#define SVM_NODES_H

#include "svm/instructions.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Starting ----

typedef struct svm_Node {
    size_t id, count;             // this node (the thread's number), of how many
    size_t segment, segmentBytes; // its piece of the global address space, in its own memory
    svm_Machine *machine;         // its own, in use in the node's function
    struct svm_NodePrivate *private_;
    uintptr_t check; // private
} svm_Node;
typedef int svm_NodeFunction(svm_Node *self, void *argument);

// Starts f on `nodes` nodes, on the control processor `control` of each, and returns when all have ended: 0, or what
// the first of them (by number) gave that did not give 0. Node 0 runs on the calling thread. Each node has a new
// machine, with `bytes` zeroed bytes of `memory` that all nodes can name. From a control thread. Misuse: 0 nodes;
// unknown names; a memory that is not global; more bytes than the memory has.
int svm_SpawnParallelCThreads(size_t nodes, mm_Proc control, mm_Mem memory, size_t bytes, svm_NodeFunction *f,
                              void *argument);

// ---- Naming ----

// A physical global address: a node and an offset in its segment.
typedef struct svm_GlobalAddress {
    size_t node, offset;
} svm_GlobalAddress;
// A virtual address has the node's number in `bits` bits from bit `position` up; the others are the offset: pieces of
// 2^position bytes are dealt out to 2^bits nodes.
static inline svm_GlobalAddress svm_globalAddress(uint64_t address, unsigned position, unsigned bits)
{
    uint64_t low = ((uint64_t)1 << position) - 1, nodes = ((uint64_t)1 << bits) - 1;
    svm_GlobalAddress a = {(size_t)(address >> position & nodes),
                           (size_t)((address >> (position + bits) << position) | (address & low))};
    return a;
}
static inline uint64_t svm_virtualAddress(svm_GlobalAddress a, unsigned position, unsigned bits)
{
    uint64_t low = ((uint64_t)1 << position) - 1, offset = a.offset;
    return (offset >> position << (position + bits)) | ((uint64_t)a.node << position) | (offset & low);
}
// Where `bytes` bytes at a global address are in this node's view of the memory: an address for stream memory registers
// and blocks of this node, so that loads and stores reach other nodes. Misuse: no such node, or outside its segment.
size_t svm_nodeAddress(svm_Node *self, svm_GlobalAddress address, size_t bytes);

// ---- Coherence and synchronisation ----

// What this node's completed instructions have stored is visible to the instructions that another node launches after a
// svm_MemFlush of its own that comes later. Nothing else makes it so, but svm_nodeBarrier, sends and reductions, which
// flush.
void svm_MemFlush(svm_Node *self);
void svm_nodeBarrier(svm_Node *self); // all nodes wait until the last one has come

// ---- Streams from node to node ----

// The records of SRF register srfRegister go to node `to`, and come from node `from`: the n-th send of a tag from one
// node to another is the n-th receive of that tag. After the fences (whose number comes first). Both block until the
// other has come and the records have been moved; the result is the fence of this node's part, which has completed.
// Misuse: no such node, or oneself; another record size, or more records than there is room for (reported on both
// nodes).
#define svm_StreamSend(self, u, to, tag, srfRegister, ...)                                                             \
    svm_StreamSendListAt(self, u, to, tag, srfRegister, SVM_FENCES(__VA_ARGS__), __FILE__, __LINE__)
#define svm_StreamReceive(self, u, from, tag, srfRegister, ...)                                                        \
    svm_StreamReceiveListAt(self, u, from, tag, srfRegister, SVM_FENCES(__VA_ARGS__), __FILE__, __LINE__)
svm_Fence svm_StreamSendAfter(svm_Node *self, svm_StreamUnit *u, size_t to, int tag, size_t srfRegister, size_t count,
                              const svm_Fence fences[]);
svm_Fence svm_StreamReceiveAfter(svm_Node *self, svm_StreamUnit *u, size_t from, int tag, size_t srfRegister,
                                 size_t count, const svm_Fence fences[]);

// ---- Global reductions ----

#define SVM_REDUCTION_ADD_INT SVM_ADD_INT32
#define SVM_REDUCTION_ADD_FP SVM_ADD_FLOAT

// The n-th reduction of each node belong together; all name the same operation, form and number of values. Values are
// combined in a binary tree over the nodes' numbers whatever the order in which they come, so sums of floating-point
// numbers are the same in every run. These block until all nodes have come.
int32_t svm_Reduce(svm_Node *self, svm_Operation operation, int32_t value); // an operation on int32_t
float svm_ReduceFloat(svm_Node *self, svm_Operation operation, float value);
// `count` values of the operation's type each; results may be values.
void svm_ReduceValues(svm_Node *self, svm_Operation operation, const void *values, void *results, size_t count);
// The result goes to one node, which blocks; the others go on at once, and their results stay as they are.
void svm_ReduceTo(svm_Node *self, size_t node, svm_Operation operation, const void *values, void *results,
                  size_t count);
// Does not block: results are there once svm_reduceQuery has given true or svm_reduceSynch has returned. values may be
// changed at once.
svm_Fence svm_ReduceStart(svm_Node *self, svm_Operation operation, const void *values, void *results, size_t count);
bool svm_reduceQuery(svm_Node *self, svm_Fence fence);
void svm_reduceSynch(svm_Node *self, svm_Fence fence);

// ---- The same, with the place of the call (svm/places.h) ----

int svm_SpawnParallelCThreadsAt(size_t nodes, mm_Proc control, mm_Mem memory, size_t bytes, svm_NodeFunction *f,
                                void *argument, const char *file, int line);
size_t svm_nodeAddressAt(svm_Node *self, svm_GlobalAddress address, size_t bytes, const char *file, int line);
void svm_MemFlushAt(svm_Node *self, const char *file, int line);
void svm_nodeBarrierAt(svm_Node *self, const char *file, int line);
svm_Fence svm_StreamSendAfterAt(svm_Node *self, svm_StreamUnit *u, size_t to, int tag, size_t srfRegister, size_t count,
                                const svm_Fence fences[], const char *file, int line);
svm_Fence svm_StreamReceiveAfterAt(svm_Node *self, svm_StreamUnit *u, size_t from, int tag, size_t srfRegister,
                                   size_t count, const svm_Fence fences[], const char *file, int line);
svm_Fence svm_StreamSendListAt(svm_Node *self, svm_StreamUnit *u, size_t to, int tag, size_t srfRegister, size_t length,
                               const svm_Fence list[], const char *file, int line);
svm_Fence svm_StreamReceiveListAt(svm_Node *self, svm_StreamUnit *u, size_t from, int tag, size_t srfRegister,
                                  size_t length, const svm_Fence list[], const char *file, int line);
int32_t svm_ReduceAt(svm_Node *self, svm_Operation operation, int32_t value, const char *file, int line);
float svm_ReduceFloatAt(svm_Node *self, svm_Operation operation, float value, const char *file, int line);
void svm_ReduceValuesAt(svm_Node *self, svm_Operation operation, const void *values, void *results, size_t count,
                        const char *file, int line);
void svm_ReduceToAt(svm_Node *self, size_t node, svm_Operation operation, const void *values, void *results,
                    size_t count, const char *file, int line);
svm_Fence svm_ReduceStartAt(svm_Node *self, svm_Operation operation, const void *values, void *results, size_t count,
                            const char *file, int line);
bool svm_reduceQueryAt(svm_Node *self, svm_Fence fence, const char *file, int line);
void svm_reduceSynchAt(svm_Node *self, svm_Fence fence, const char *file, int line);

#ifndef SVM_NO_PLACES
#define svm_SpawnParallelCThreads(...) svm_SpawnParallelCThreadsAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_nodeAddress(...) svm_nodeAddressAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_MemFlush(...) svm_MemFlushAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_nodeBarrier(...) svm_nodeBarrierAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_StreamSendAfter(...) svm_StreamSendAfterAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_StreamReceiveAfter(...) svm_StreamReceiveAfterAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_Reduce(...) svm_ReduceAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_ReduceFloat(...) svm_ReduceFloatAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_ReduceValues(...) svm_ReduceValuesAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_ReduceTo(...) svm_ReduceToAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_ReduceStart(...) svm_ReduceStartAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_reduceQuery(...) svm_reduceQueryAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_reduceSynch(...) svm_reduceSynchAt(__VA_ARGS__, __FILE__, __LINE__)
#endif

// ---- The slides' own names ----

#ifdef SVM_SLIDE_NAMES
#define SpawnParallelCThreads(...) svm_SpawnParallelCThreads(__VA_ARGS__)
#define StreamSend(...) svm_StreamSend(svm_node, svm_unit, __VA_ARGS__)
#define StreamReceive(...) svm_StreamReceive(svm_node, svm_unit, __VA_ARGS__)
#define MemFlush() svm_MemFlush(svm_node)
#define REDUCTION_ADD_INT SVM_REDUCTION_ADD_INT
#define REDUCTION_ADD_FP SVM_REDUCTION_ADD_FP
#define Reduce(operation, value) svm_Reduce(svm_node, operation, value)
#endif

#ifdef __cplusplus
}
#endif

#endif
