// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plain functions of the stream instructions and the nodes: calls from a place that is not known (svm/places.h).
#define SVM_NO_PLACES
#include "svm/nodes.h"

void svm_streamUnitInit(svm_StreamUnit *u, mm_Proc processor, mm_Proc dma, mm_Mem memory, mm_Mem srf,
                        size_t memRegisters, size_t srfRegisters, size_t parameterRegisters)
{
    svm_streamUnitInitAt(u, processor, dma, memory, srf, memRegisters, srfRegisters, parameterRegisters, NULL, 0);
}

void svm_streamUnitDestroy(svm_StreamUnit *u)
{
    svm_streamUnitDestroyAt(u, NULL, 0);
}

svm_Fence svm_StreamLoadAfter(svm_StreamUnit *u, size_t memRegister, size_t srfRegister, size_t count,
                              const svm_Fence fences[])
{
    return svm_StreamLoadAfterAt(u, memRegister, srfRegister, count, fences, NULL, 0);
}

svm_Fence svm_StreamStoreAfter(svm_StreamUnit *u, size_t memRegister, size_t srfRegister, size_t count,
                               const svm_Fence fences[])
{
    return svm_StreamStoreAfterAt(u, memRegister, srfRegister, count, fences, NULL, 0);
}

svm_Fence svm_KernelStartAfter(svm_StreamUnit *u, svm_KernelFunction *function, const char *name, size_t firstParameter,
                               svm_StreamList inputs, svm_StreamList outputs, size_t count, const svm_Fence fences[])
{
    return svm_KernelStartAfterAt(u, function, name, firstParameter, inputs, outputs, count, fences, NULL, 0);
}

svm_Fence svm_KernelRestoreAfter(svm_StreamUnit *u, svm_KernelFunction *function, const char *name,
                                 size_t firstParameter, svm_StreamList inputs, svm_StreamList outputs, size_t count,
                                 const svm_Fence fences[])
{
    return svm_KernelRestoreAfterAt(u, function, name, firstParameter, inputs, outputs, count, fences, NULL, 0);
}

svm_Fence svm_StreamBarrier(svm_StreamUnit *u)
{
    return svm_StreamBarrierAt(u, NULL, 0);
}

bool svm_query(svm_StreamUnit *u, svm_Fence fence)
{
    return svm_queryAt(u, fence, NULL, 0);
}

void svm_synch(svm_StreamUnit *u, svm_Fence fence)
{
    svm_synchAt(u, fence, NULL, 0);
}

bool svm_suspended(svm_StreamUnit *u, svm_Fence fence)
{
    return svm_suspendedAt(u, fence, NULL, 0);
}

size_t svm_streamRecords(svm_StreamUnit *u, size_t srfRegister)
{
    return svm_streamRecordsAt(u, srfRegister, NULL, 0);
}

int svm_SpawnParallelCThreads(size_t nodes, mm_Proc control, mm_Mem memory, size_t bytes, svm_NodeFunction *f,
                              void *argument)
{
    return svm_SpawnParallelCThreadsAt(nodes, control, memory, bytes, f, argument, NULL, 0);
}

size_t svm_nodeAddress(svm_Node *self, svm_GlobalAddress address, size_t bytes)
{
    return svm_nodeAddressAt(self, address, bytes, NULL, 0);
}

void svm_MemFlush(svm_Node *self)
{
    svm_MemFlushAt(self, NULL, 0);
}

void svm_nodeBarrier(svm_Node *self)
{
    svm_nodeBarrierAt(self, NULL, 0);
}

svm_Fence svm_StreamSendAfter(svm_Node *self, svm_StreamUnit *u, size_t to, int tag, size_t srfRegister, size_t count,
                              const svm_Fence fences[])
{
    return svm_StreamSendAfterAt(self, u, to, tag, srfRegister, count, fences, NULL, 0);
}

svm_Fence svm_StreamReceiveAfter(svm_Node *self, svm_StreamUnit *u, size_t from, int tag, size_t srfRegister,
                                 size_t count, const svm_Fence fences[])
{
    return svm_StreamReceiveAfterAt(self, u, from, tag, srfRegister, count, fences, NULL, 0);
}

int32_t svm_Reduce(svm_Node *self, svm_Operation operation, int32_t value)
{
    return svm_ReduceAt(self, operation, value, NULL, 0);
}

float svm_ReduceFloat(svm_Node *self, svm_Operation operation, float value)
{
    return svm_ReduceFloatAt(self, operation, value, NULL, 0);
}

void svm_ReduceValues(svm_Node *self, svm_Operation operation, const void *values, void *results, size_t count)
{
    svm_ReduceValuesAt(self, operation, values, results, count, NULL, 0);
}

void svm_ReduceTo(svm_Node *self, size_t node, svm_Operation operation, const void *values, void *results, size_t count)
{
    svm_ReduceToAt(self, node, operation, values, results, count, NULL, 0);
}

svm_Fence svm_ReduceStart(svm_Node *self, svm_Operation operation, const void *values, void *results, size_t count)
{
    return svm_ReduceStartAt(self, operation, values, results, count, NULL, 0);
}

bool svm_reduceQuery(svm_Node *self, svm_Fence fence)
{
    return svm_reduceQueryAt(self, fence, NULL, 0);
}

void svm_reduceSynch(svm_Node *self, svm_Fence fence)
{
    svm_reduceSynchAt(self, fence, NULL, 0);
}
