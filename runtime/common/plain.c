// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The API's plain functions: calls from a place that is not known (see svm/places.h).
#define SVM_NO_PLACES
#include "svm/svm.h"

size_t svm_alloc(mm_Mem memory, size_t bytes)
{
    return svm_allocAt(memory, bytes, NULL, 0);
}

size_t svm_map(mm_Mem memory, void *pointer, size_t bytes)
{
    return svm_mapAt(memory, pointer, bytes, NULL, 0);
}

void svm_free(mm_Mem memory, size_t address)
{
    svm_freeAt(memory, address, NULL, 0);
}

void svm_unmap(mm_Mem memory, size_t address)
{
    svm_unmapAt(memory, address, NULL, 0);
}

void svm_blockInit(svm_Block *b, mm_Mem memory, size_t address, size_t capacity, size_t elementSize)
{
    svm_blockInitAt(b, memory, address, capacity, elementSize, NULL, 0);
}

void svm_blockRead(const svm_Block *b, size_t index, void *element)
{
    svm_blockReadAt(b, index, element, NULL, 0);
}

void svm_blockWrite(svm_Block *b, size_t index, const void *element)
{
    svm_blockWriteAt(b, index, element, NULL, 0);
}

void svm_streamInitRAM(svm_Stream *s, mm_Mem memory, size_t address, size_t capacity, size_t elementSize)
{
    svm_streamInitRAMAt(s, memory, address, capacity, elementSize, NULL, 0);
}

void svm_streamFill(svm_Stream *s, size_t count)
{
    svm_streamFillAt(s, count, NULL, 0);
}

void svm_streamPush(svm_Stream *s, const void *element)
{
    svm_streamPushAt(s, element, NULL, 0);
}

void svm_streamPop(svm_Stream *s, void *element)
{
    svm_streamPopAt(s, element, NULL, 0);
}

void svm_streamPeek(svm_Stream *s, size_t offset, void *element)
{
    svm_streamPeekAt(s, offset, element, NULL, 0);
}

bool svm_streamEnded(svm_Stream *s)
{
    return svm_streamEndedAt(s, NULL, 0);
}

void svm_streamEnd(svm_Stream *s)
{
    svm_streamEndAt(s, NULL, 0);
}

void svm_machineDestroy(svm_Machine *m)
{
    svm_machineDestroyAt(m, NULL, 0);
}

void svm_streamInit(svm_Stream *s, mm_Mem memory, size_t address, size_t capacity, size_t elementSize)
{
    svm_streamInitAt(s, memory, address, capacity, elementSize, NULL, 0);
}

void svm_streamInitFIFO(svm_Stream *s, mm_Mem fifo, size_t capacity, size_t elementSize)
{
    svm_streamInitFIFOAt(s, fifo, capacity, elementSize, NULL, 0);
}

void svm_streamDestroy(svm_Stream *s)
{
    svm_streamDestroyAt(s, NULL, 0);
}

size_t svm_streamWaitCount(svm_Stream *s, size_t count)
{
    return svm_streamWaitCountAt(s, count, NULL, 0);
}

void *svm_streamPushAcquire(svm_Stream *s, size_t count)
{
    return svm_streamPushAcquireAt(s, count, NULL, 0);
}

void svm_streamPushSend(svm_Stream *s, size_t count)
{
    svm_streamPushSendAt(s, count, NULL, 0);
}

const void *svm_streamPopAcquire(svm_Stream *s, size_t count)
{
    return svm_streamPopAcquireAt(s, count, NULL, 0);
}

void svm_streamPopDiscard(svm_Stream *s, size_t count)
{
    svm_streamPopDiscardAt(s, count, NULL, 0);
}

void svm_kernelInit(svm_Kernel *k, mm_Proc processor, svm_KernelFunction *run, const char *name)
{
    svm_kernelInitAt(k, processor, run, name, NULL, 0);
}

void svm_kernelDestroy(svm_Kernel *k)
{
    svm_kernelDestroyAt(k, NULL, 0);
}

void svm_kernelNeverBlocks(svm_Kernel *k)
{
    svm_kernelNeverBlocksAt(k, NULL, 0);
}

void svm_kernelAddDependence(svm_Kernel *k, svm_Kernel *dependsOn)
{
    svm_kernelAddDependenceAt(k, dependsOn, NULL, 0);
}

void svm_kernelRun(svm_Kernel *k)
{
    svm_kernelRunAt(k, NULL, 0);
}

void svm_kernelWait(svm_Kernel *k)
{
    svm_kernelWaitAt(k, NULL, 0);
}

void svm_kernelWaitMultiple(size_t count, svm_Kernel *const kernels[])
{
    svm_kernelWaitMultipleAt(count, kernels, NULL, 0);
}

void svm_kernelPause(svm_Kernel *k)
{
    svm_kernelPauseAt(k, NULL, 0);
}

void svm_kernelEnd(svm_Kernel *k)
{
    svm_kernelEndAt(k, NULL, 0);
}

svm_KernelState svm_kernelStateOf(const svm_Kernel *k)
{
    return svm_kernelStateOfAt(k, NULL, 0);
}

void svm_threadCreate(svm_Thread *t, mm_Proc control, int (*f)(void *argument), void *argument, const char *name)
{
    svm_threadCreateAt(t, control, f, argument, name, NULL, 0);
}

int svm_threadJoin(svm_Thread *t)
{
    return svm_threadJoinAt(t, NULL, 0);
}

void svm_barrierInit(svm_Barrier *b, size_t participants, const char *name)
{
    svm_barrierInitAt(b, participants, name, NULL, 0);
}

bool svm_barrierWait(svm_Barrier *b)
{
    return svm_barrierWaitAt(b, NULL, 0);
}

void svm_barrierDestroy(svm_Barrier *b)
{
    svm_barrierDestroyAt(b, NULL, 0);
}

void svm_mutexInit(svm_Mutex *m, const char *name)
{
    svm_mutexInitAt(m, name, NULL, 0);
}

void svm_mutexLock(svm_Mutex *m)
{
    svm_mutexLockAt(m, NULL, 0);
}

void svm_mutexUnlock(svm_Mutex *m)
{
    svm_mutexUnlockAt(m, NULL, 0);
}

void svm_mutexDestroy(svm_Mutex *m)
{
    svm_mutexDestroyAt(m, NULL, 0);
}

void svm_conditionInit(svm_Condition *c, const char *name)
{
    svm_conditionInitAt(c, name, NULL, 0);
}

void svm_conditionWait(svm_Condition *c, svm_Mutex *m)
{
    svm_conditionWaitAt(c, m, NULL, 0);
}

void svm_conditionSignal(svm_Condition *c)
{
    svm_conditionSignalAt(c, NULL, 0);
}

void svm_conditionBroadcast(svm_Condition *c)
{
    svm_conditionBroadcastAt(c, NULL, 0);
}

void svm_conditionDestroy(svm_Condition *c)
{
    svm_conditionDestroyAt(c, NULL, 0);
}

void svm_moveB2BInit(svm_MoveB2B *k, mm_Proc dma, svm_Block *source, svm_Block *destination)
{
    svm_moveB2BInitAt(k, dma, source, destination, NULL, 0);
}

void svm_moveS2SInit(svm_MoveS2S *k, mm_Proc dma, svm_Stream *source, svm_Stream *destination, size_t length)
{
    svm_moveS2SInitAt(k, dma, source, destination, length, NULL, 0);
}

void svm_moveB2SInit(svm_MoveB2S *k, mm_Proc dma, svm_Block *source, svm_Stream *destination)
{
    svm_moveB2SInitAt(k, dma, source, destination, NULL, 0);
}

void svm_moveS2BInit(svm_MoveS2B *k, mm_Proc dma, svm_Stream *source, svm_Block *destination)
{
    svm_moveS2BInitAt(k, dma, source, destination, NULL, 0);
}
