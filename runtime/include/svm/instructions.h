// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream instructions (F. Labonte, "SVM API", slides): a control thread launches loads, stores and kernels on a stream
// unit, names what each must wait for by fences, and describes streams in registers. A layer over svm/svm.h: an
// instruction is a kernel, a load or store one on a DMA engine, a fence list its dependences. Names from the slides are
// theirs with svm_ before them (without it too after #define SVM_SLIDE_NAMES, for a unit called svm_unit).
//
// The slides leave open, and this layer fixes:
// * Registers are read when an instruction is launched, so that they can be rewritten at once; parameter registers,
//   which kernels write too, are read by a kernel while it runs.
// * How many records an SRF register's stream has is what the latest instruction launched before that writes the
//   register puts there (a load, a kernel's output, a receive); stream_length if none did since the register got its
//   contents.
// * The order of conditional streams is the order of the instances.
// * Streams begin at any word, whatever a memory's alignment or an engine's multiples are.
#ifndef SVM_INSTRUCTIONS_H
#define SVM_INSTRUCTIONS_H

#include "svm/svm.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Registers ----

#define SVM_WORD 4 // bytes: record sizes and strides count words

typedef enum svm_StreamAccess { SVM_STRIDED_STREAM, SVM_INDEXED_STREAM } svm_StreamAccess;

// A stream in memory.
typedef struct svm_StreamMemReg {
    svm_StreamAccess stream_access_mode;
    size_t stream_stride_or_index; // words from record to record, or the SRF register with the indices (one word each)
    size_t stream_ptr;             // address in the unit's memory
    size_t stream_record_size;     // words
    size_t stream_length;          // records; indexed: at most
    size_t stream_extent;          // indexed: records from stream_ptr on that an index may select
    svm_Operation stream_combine;  // indexed stores: what to do with the words that are there
} svm_StreamMemReg;

// A stream in the stream register file (SRF).
typedef struct svm_StreamSRFReg {
    size_t stream_ptr;         // address in the unit's SRF
    size_t stream_record_size; // words
    size_t stream_length;      // records that there is room for
} svm_StreamSRFReg;

#define SVM_STREAM_MEM_RF 32
#define SVM_STREAM_SRF_RF 32
#define SVM_KERNEL_PARAM_RF 32

// A stream unit: a processor for kernels and a DMA engine, with the registers of one control thread.
typedef struct svm_StreamUnit {
    mm_Proc processor, dma;
    mm_Mem memory, srf;
    svm_StreamMemReg *StreamMemRF;
    svm_StreamSRFReg *StreamSRF_RF;
    int32_t *KernelParamRf; // arguments and results of kernels
    size_t memRegisters, srfRegisters, parameterRegisters;
    struct svm_StreamUnitPrivate *private_;
    uintptr_t check; // private
} svm_StreamUnit;

// Registers are zero at first; a number of 0 means the slides' 32. Misuse: unknown names; processors of other kinds.
void svm_streamUnitInit(svm_StreamUnit *u, mm_Proc processor, mm_Proc dma, mm_Mem memory, mm_Mem srf,
                        size_t memRegisters, size_t srfRegisters, size_t parameterRegisters);
void svm_streamUnitDestroy(svm_StreamUnit *u); // not while an instruction is pending; before its machine

// ---- Instructions: each gives its fence ----

// Numbers instructions of a unit from 1; 0 is no instruction, and has completed. Never used twice.
typedef uint64_t svm_Fence;

// The forms with an array of fences. Misuse, when launched: no such register or fence, records of different sizes, an
// address outside its memory; when it runs: an index outside stream_extent, more records than the destination has room
// for.
svm_Fence svm_StreamLoadAfter(svm_StreamUnit *u, size_t memRegister, size_t srfRegister, size_t count,
                              const svm_Fence fences[]);
svm_Fence svm_StreamStoreAfter(svm_StreamUnit *u, size_t memRegister, size_t srfRegister, size_t count,
                               const svm_Fence fences[]);
// What KernelStart says of a kernel's streams: SVM_STREAMS(3, 4) or SVM_NO_STREAMS.
typedef struct svm_StreamList {
    size_t count;
    const size_t *registers;
} svm_StreamList;
// The kernel's parameters are the registers from firstParameter on, wrapping around. Its streams are numbered: inputs
// in order, then outputs. name: for messages. It must not wait (svm_kernelNeverBlocks).
svm_Fence svm_KernelStartAfter(svm_StreamUnit *u, svm_KernelFunction *function, const char *name, size_t firstParameter,
                               svm_StreamList inputs, svm_StreamList outputs, size_t count, const svm_Fence fences[]);
// The same for a kernel that was suspended (svm_suspend): its inputs go on where they were, if their registers are as
// they were; svm_restored is true in it.
svm_Fence svm_KernelRestoreAfter(svm_StreamUnit *u, svm_KernelFunction *function, const char *name,
                                 size_t firstParameter, svm_StreamList inputs, svm_StreamList outputs, size_t count,
                                 const svm_Fence fences[]);
// Later instructions start when all earlier ones have completed; so does its fence.
svm_Fence svm_StreamBarrier(svm_StreamUnit *u);

// The slides' forms: the number of fences, then the fences. svm_StreamLoad(u, 0, 3, 2, a, b)
#define svm_StreamLoad(u, memRegister, srfRegister, ...)                                                               \
    svm_StreamLoadListAt(u, memRegister, srfRegister, SVM_FENCES(__VA_ARGS__), __FILE__, __LINE__)
#define svm_StreamStore(u, memRegister, srfRegister, ...)                                                              \
    svm_StreamStoreListAt(u, memRegister, srfRegister, SVM_FENCES(__VA_ARGS__), __FILE__, __LINE__)
// svm_KernelStart(u, Foo_run, 8, SVM_STREAMS(3, 4), SVM_STREAMS(5), 1, a)
#define svm_KernelStart(u, function, firstParameter, inputs, outputs, ...)                                             \
    svm_KernelStartListAt(u, function, #function, firstParameter, inputs, outputs, SVM_FENCES(__VA_ARGS__), __FILE__,  \
                          __LINE__)
#define svm_KernelRestore(u, function, firstParameter, inputs, outputs, ...)                                           \
    svm_KernelRestoreListAt(u, function, #function, firstParameter, inputs, outputs, SVM_FENCES(__VA_ARGS__),          \
                            __FILE__, __LINE__)
#define SVM_FENCES(...)                                                                                                \
    sizeof((svm_Fence[]){__VA_ARGS__}) / sizeof(svm_Fence), (const svm_Fence[])                                        \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define SVM_STREAMS(...)                                                                                               \
    ((svm_StreamList){sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t), (const size_t[]){__VA_ARGS__}})
#define SVM_NO_STREAMS ((svm_StreamList){0, NULL})

// Has it completed? Does not block, but lets the machine go on where the control thread's processor does its work.
bool svm_query(svm_StreamUnit *u, svm_Fence fence);
void svm_synch(svm_StreamUnit *u, svm_Fence fence); // returns when it has
// Of a completed svm_KernelStart or svm_KernelRestore: it ended suspended. Tells so once.
bool svm_suspended(svm_StreamUnit *u, svm_Fence fence);
// How many records an SRF register's stream has (see above). After the writing instruction has completed.
size_t svm_streamRecords(svm_StreamUnit *u, size_t srfRegister);

// ---- In kernels that svm_KernelStart started; streams and parameters by their numbers ----

// A parameter register's word, as an int or as a float. What a kernel sets its control thread reads after svm_synch.
int32_t svm_parameter(svm_Kernel *k, size_t parameter);
float svm_parameterFloat(svm_Kernel *k, size_t parameter);
void svm_setParameter(svm_Kernel *k, size_t parameter, int32_t value);
void svm_setParameterFloat(svm_Kernel *k, size_t parameter, float value);
// Local reduction: register = register op value. Operations on words only.
void svm_reduceParameter(svm_Kernel *k, size_t parameter, svm_Operation operation, const void *value);

// The next record of an input; at the end of the stream it is misuse. The conditional form reads only if the condition
// holds and a record is left: true if it has read; otherwise the record is zero bytes. A record to be read may be NULL
// wherever it is not wanted.
void svm_srfRead(svm_Kernel *k, size_t stream, void *record);
bool svm_srfReadIf(svm_Kernel *k, size_t stream, bool condition, void *record);
// The next record of an output; when it is full that is misuse.
void svm_srfWrite(svm_Kernel *k, size_t stream, const void *record);
void svm_srfWriteIf(svm_Kernel *k, size_t stream, bool condition, const void *record);
bool svm_EOS(svm_Kernel *k, size_t stream);       // end of stream: an input has no more records
bool svm_Full(svm_Kernel *k, size_t stream);      // an output has no more room
size_t svm_srfLeft(svm_Kernel *k, size_t stream); // records an input has yet, or an output has room for
// INSTANCE: the number of the record last read from an input, from 0; -1 before the first.
ptrdiff_t svm_INSTANCE(svm_Kernel *k, size_t stream);
// Stencils: record `position` of an input, wherever it is read: S[INSTANCE-1] is svm_srfAt(k, S, svm_INSTANCE(k, S) -
// 1, &previous). Outside the stream the record is zero bytes, and the result false.
bool svm_srfAt(svm_Kernel *k, size_t stream, ptrdiff_t position, void *record);

// Suspension: the kernel writes what it wants to keep to an output that serves for it, calls svm_suspend and returns.
// The control thread sees svm_suspended, stores the full output, and restores the kernel, which reads its state first:
// the state's register is both an input and an output of the kernel.
void svm_suspend(svm_Kernel *k);
bool svm_restored(svm_Kernel *k);

// ---- The same, with the place of the call (svm/places.h) ----

void svm_streamUnitInitAt(svm_StreamUnit *u, mm_Proc processor, mm_Proc dma, mm_Mem memory, mm_Mem srf,
                          size_t memRegisters, size_t srfRegisters, size_t parameterRegisters, const char *file,
                          int line);
void svm_streamUnitDestroyAt(svm_StreamUnit *u, const char *file, int line);
svm_Fence svm_StreamLoadAfterAt(svm_StreamUnit *u, size_t memRegister, size_t srfRegister, size_t count,
                                const svm_Fence fences[], const char *file, int line);
svm_Fence svm_StreamStoreAfterAt(svm_StreamUnit *u, size_t memRegister, size_t srfRegister, size_t count,
                                 const svm_Fence fences[], const char *file, int line);
svm_Fence svm_KernelStartAfterAt(svm_StreamUnit *u, svm_KernelFunction *function, const char *name,
                                 size_t firstParameter, svm_StreamList inputs, svm_StreamList outputs, size_t count,
                                 const svm_Fence fences[], const char *file, int line);
svm_Fence svm_KernelRestoreAfterAt(svm_StreamUnit *u, svm_KernelFunction *function, const char *name,
                                   size_t firstParameter, svm_StreamList inputs, svm_StreamList outputs, size_t count,
                                   const svm_Fence fences[], const char *file, int line);
svm_Fence svm_StreamBarrierAt(svm_StreamUnit *u, const char *file, int line);
// list[0] of `length` entries says how many fences follow.
svm_Fence svm_StreamLoadListAt(svm_StreamUnit *u, size_t memRegister, size_t srfRegister, size_t length,
                               const svm_Fence list[], const char *file, int line);
svm_Fence svm_StreamStoreListAt(svm_StreamUnit *u, size_t memRegister, size_t srfRegister, size_t length,
                                const svm_Fence list[], const char *file, int line);
svm_Fence svm_KernelStartListAt(svm_StreamUnit *u, svm_KernelFunction *function, const char *name,
                                size_t firstParameter, svm_StreamList inputs, svm_StreamList outputs, size_t length,
                                const svm_Fence list[], const char *file, int line);
svm_Fence svm_KernelRestoreListAt(svm_StreamUnit *u, svm_KernelFunction *function, const char *name,
                                  size_t firstParameter, svm_StreamList inputs, svm_StreamList outputs, size_t length,
                                  const svm_Fence list[], const char *file, int line);
bool svm_queryAt(svm_StreamUnit *u, svm_Fence fence, const char *file, int line);
void svm_synchAt(svm_StreamUnit *u, svm_Fence fence, const char *file, int line);
bool svm_suspendedAt(svm_StreamUnit *u, svm_Fence fence, const char *file, int line);
size_t svm_streamRecordsAt(svm_StreamUnit *u, size_t srfRegister, const char *file, int line);
int32_t svm_parameterAt(svm_Kernel *k, size_t parameter, const char *file, int line);
float svm_parameterFloatAt(svm_Kernel *k, size_t parameter, const char *file, int line);
void svm_setParameterAt(svm_Kernel *k, size_t parameter, int32_t value, const char *file, int line);
void svm_setParameterFloatAt(svm_Kernel *k, size_t parameter, float value, const char *file, int line);
void svm_reduceParameterAt(svm_Kernel *k, size_t parameter, svm_Operation operation, const void *value,
                           const char *file, int line);
void svm_srfReadAt(svm_Kernel *k, size_t stream, void *record, const char *file, int line);
bool svm_srfReadIfAt(svm_Kernel *k, size_t stream, bool condition, void *record, const char *file, int line);
void svm_srfWriteAt(svm_Kernel *k, size_t stream, const void *record, const char *file, int line);
void svm_srfWriteIfAt(svm_Kernel *k, size_t stream, bool condition, const void *record, const char *file, int line);
bool svm_EOSAt(svm_Kernel *k, size_t stream, const char *file, int line);
bool svm_FullAt(svm_Kernel *k, size_t stream, const char *file, int line);
size_t svm_srfLeftAt(svm_Kernel *k, size_t stream, const char *file, int line);
ptrdiff_t svm_INSTANCEAt(svm_Kernel *k, size_t stream, const char *file, int line);
bool svm_srfAtAt(svm_Kernel *k, size_t stream, ptrdiff_t position, void *record, const char *file, int line);
void svm_suspendAt(svm_Kernel *k, const char *file, int line);
bool svm_restoredAt(svm_Kernel *k, const char *file, int line);

#ifndef SVM_NO_PLACES
#define svm_streamUnitInit(...) svm_streamUnitInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_streamUnitDestroy(...) svm_streamUnitDestroyAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_StreamLoadAfter(...) svm_StreamLoadAfterAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_StreamStoreAfter(...) svm_StreamStoreAfterAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_KernelStartAfter(...) svm_KernelStartAfterAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_KernelRestoreAfter(...) svm_KernelRestoreAfterAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_StreamBarrier(...) svm_StreamBarrierAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_query(...) svm_queryAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_synch(...) svm_synchAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_suspended(...) svm_suspendedAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_streamRecords(...) svm_streamRecordsAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_parameter(...) svm_parameterAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_parameterFloat(...) svm_parameterFloatAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_setParameter(...) svm_setParameterAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_setParameterFloat(...) svm_setParameterFloatAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_reduceParameter(...) svm_reduceParameterAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_srfRead(...) svm_srfReadAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_srfReadIf(...) svm_srfReadIfAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_srfWrite(...) svm_srfWriteAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_srfWriteIf(...) svm_srfWriteIfAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_EOS(...) svm_EOSAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_Full(...) svm_FullAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_srfLeft(...) svm_srfLeftAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_INSTANCE(...) svm_INSTANCEAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_srfAt(...) svm_srfAtAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_suspend(...) svm_suspendAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_restored(...) svm_restoredAt(__VA_ARGS__, __FILE__, __LINE__)
#endif

// ---- The slides' own names, for a control function with a `svm_StreamUnit *svm_unit` ----

#ifdef SVM_SLIDE_NAMES
#define STRIDED_STREAM SVM_STRIDED_STREAM
#define INDEXED_STREAM SVM_INDEXED_STREAM
#define STREAM_MEM_RF SVM_STREAM_MEM_RF
#define STREAM_SRF_RF SVM_STREAM_SRF_RF
#define KERNEL_PARAM_RF SVM_KERNEL_PARAM_RF
#define StreamMemReg svm_StreamMemReg
#define StreamSRFReg svm_StreamSRFReg
#define StreamMemRF (svm_unit->StreamMemRF)
#define StreamSRF_RF (svm_unit->StreamSRF_RF)
#define KernelParamRf (svm_unit->KernelParamRf)
#define StreamLoad(...) svm_StreamLoad(svm_unit, __VA_ARGS__)
#define StreamStore(...) svm_StreamStore(svm_unit, __VA_ARGS__)
#define KernelStart(...) svm_KernelStart(svm_unit, __VA_ARGS__)
#define StreamBarrier() svm_StreamBarrier(svm_unit)
#define query(fence) svm_query(svm_unit, fence)
#define synch(fence) svm_synch(svm_unit, fence)
#define EOS(k, stream) svm_EOS(k, stream)
#define Full(k, stream) svm_Full(k, stream)
#define INSTANCE(k, stream) svm_INSTANCE(k, stream)
#endif

#ifdef __cplusplus
}
#endif

#endif
