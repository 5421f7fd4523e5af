// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calling place of every API function that can be misused: a call f(...) becomes fAt(..., __FILE__, __LINE__),
// which does the same and whose errors name that place. The plain functions exist too (for pointers to them, and where
// SVM_NO_PLACES is defined). Included by svm/svm.h only.
#ifndef SVM_PLACES_H
#define SVM_PLACES_H

size_t svm_allocAt(mm_Mem memory, size_t bytes, const char *file, int line);
size_t svm_mapAt(mm_Mem memory, void *pointer, size_t bytes, const char *file, int line);
void svm_freeAt(mm_Mem memory, size_t address, const char *file, int line);
void svm_unmapAt(mm_Mem memory, size_t address, const char *file, int line);
void svm_blockInitAt(svm_Block *b, mm_Mem memory, size_t address, size_t capacity, size_t elementSize, const char *file,
                     int line);
void svm_blockReadAt(const svm_Block *b, size_t index, void *element, const char *file, int line);
void svm_blockWriteAt(svm_Block *b, size_t index, const void *element, const char *file, int line);
void svm_streamInitRAMAt(svm_Stream *s, mm_Mem memory, size_t address, size_t capacity, size_t elementSize,
                         const char *file, int line);
void svm_streamInitAt(svm_Stream *s, mm_Mem memory, size_t address, size_t capacity, size_t elementSize,
                      const char *file, int line);
void svm_streamInitFIFOAt(svm_Stream *s, mm_Mem fifo, size_t capacity, size_t elementSize, const char *file, int line);
void svm_streamDestroyAt(svm_Stream *s, const char *file, int line);
void svm_streamFillAt(svm_Stream *s, size_t count, const char *file, int line);
void svm_streamPushAt(svm_Stream *s, const void *element, const char *file, int line);
void svm_streamPopAt(svm_Stream *s, void *element, const char *file, int line);
void svm_streamPeekAt(svm_Stream *s, size_t offset, void *element, const char *file, int line);
bool svm_streamEndedAt(svm_Stream *s, const char *file, int line);
void svm_streamEndAt(svm_Stream *s, const char *file, int line);
size_t svm_streamWaitCountAt(svm_Stream *s, size_t count, const char *file, int line);
void *svm_streamPushAcquireAt(svm_Stream *s, size_t count, const char *file, int line);
void svm_streamPushSendAt(svm_Stream *s, size_t count, const char *file, int line);
const void *svm_streamPopAcquireAt(svm_Stream *s, size_t count, const char *file, int line);
void svm_streamPopDiscardAt(svm_Stream *s, size_t count, const char *file, int line);
void svm_machineDestroyAt(svm_Machine *m, const char *file, int line);
void svm_kernelInitAt(svm_Kernel *k, mm_Proc processor, svm_KernelFunction *run, const char *name, const char *file,
                      int line);
void svm_kernelDestroyAt(svm_Kernel *k, const char *file, int line);
void svm_kernelNeverBlocksAt(svm_Kernel *k, const char *file, int line);
void svm_kernelAddDependenceAt(svm_Kernel *k, svm_Kernel *dependsOn, const char *file, int line);
void svm_kernelRunAt(svm_Kernel *k, const char *file, int line);
void svm_kernelWaitAt(svm_Kernel *k, const char *file, int line);
void svm_kernelWaitMultipleAt(size_t count, svm_Kernel *const kernels[], const char *file, int line);
void svm_kernelPauseAt(svm_Kernel *k, const char *file, int line);
void svm_kernelEndAt(svm_Kernel *k, const char *file, int line);
svm_KernelState svm_kernelStateOfAt(const svm_Kernel *k, const char *file, int line);
#ifndef SVM_NO_PLACES
#define svm_alloc(...) svm_allocAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_map(...) svm_mapAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_free(...) svm_freeAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_unmap(...) svm_unmapAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_blockInit(...) svm_blockInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_blockRead(...) svm_blockReadAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_blockWrite(...) svm_blockWriteAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_streamInitRAM(...) svm_streamInitRAMAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_streamInit(...) svm_streamInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_streamInitFIFO(...) svm_streamInitFIFOAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_streamDestroy(...) svm_streamDestroyAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_streamFill(...) svm_streamFillAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_streamPush(...) svm_streamPushAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_streamPop(...) svm_streamPopAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_streamPeek(...) svm_streamPeekAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_streamEnded(...) svm_streamEndedAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_streamEnd(...) svm_streamEndAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_streamWaitCount(...) svm_streamWaitCountAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_streamPushAcquire(...) svm_streamPushAcquireAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_streamPushSend(...) svm_streamPushSendAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_streamPopAcquire(...) svm_streamPopAcquireAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_streamPopDiscard(...) svm_streamPopDiscardAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_machineDestroy(...) svm_machineDestroyAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_kernelInit(...) svm_kernelInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_kernelDestroy(...) svm_kernelDestroyAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_kernelNeverBlocks(...) svm_kernelNeverBlocksAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_kernelAddDependence(...) svm_kernelAddDependenceAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_kernelRun(...) svm_kernelRunAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_kernelWait(...) svm_kernelWaitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_kernelWaitMultiple(...) svm_kernelWaitMultipleAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_kernelPause(...) svm_kernelPauseAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_kernelEnd(...) svm_kernelEndAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_kernelStateOf(...) svm_kernelStateOfAt(__VA_ARGS__, __FILE__, __LINE__)
#endif

#endif
