// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A soft processor, simulated, as a host program sees it: a driver in the style of "close to the metal" (CTM). The host
// fills memory, writes commands (where inputs, outputs, constants and instructions lie, the domain, start) into a
// buffer of words, submits the buffer and waits until it is consumed. docs/softproc.md explains the machine.
#ifndef SVM_SOFTPROC_H
#define SVM_SOFTPROC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The design's parameters. `svm-spsim --print-parameters` writes an initialiser of this struct for a machine file.
typedef struct svm_SpParameters {
    double clock;           // Hz
    uint32_t batches;       // contexts: batches of threads that are in the machine at a time
    uint32_t threads;       // of a batch, in lock-step: a multiple of 4
    uint32_t aluStages;     // of the arithmetic pipeline
    uint32_t operandReads;  // cycles in which an arithmetic instruction's operands are read, one each
    uint32_t addressStages; // from a lookup's operand to its request
    uint32_t returnStages;  // from a response to the write into the register file
    uint32_t outstandingReads;
    double requestLatency, hostLatency, memoryLatency, responseLatency; // of a read, in seconds
    double linkBandwidth;                                               // bytes a second, each way
    uint32_t requestBytes, responseHeader, writeHeader, largestPacket;  // bytes on the link
    uint32_t outputQueue;                                               // batches whose outputs can wait for the link
    uint32_t registers, registerBytes;                                  // of a thread
    uint32_t instructions;                                              // slots
    uint32_t blockSize, blocks, smallBlockSize, smallBlocks;            // memories that register files are made of
    uint32_t linearLookups; // 1: a lookup reads element s + t * pitch; 0: and s and t must both be within the input
} svm_SpParameters;

typedef enum svm_SpFormat {
    SVM_SP_UINT16_1,
    SVM_SP_UINT8_4,
    SVM_SP_FLOAT32_1,
    SVM_SP_FLOAT32_2,
    SVM_SP_FLOAT32_4,
    SVM_SP_FORMAT_COUNT
} svm_SpFormat;
typedef enum svm_SpTiling { SVM_SP_LINEAR, SVM_SP_TILED, SVM_SP_LINEAR_2X2, SVM_SP_TILED_2X2 } svm_SpTiling;

// A format word: pitch in elements (a multiple of 4, at most 8188), tiling, format.
#define SVM_SP_FORMAT(pitch, tiling, format) ((uint32_t)(pitch) | (uint32_t)(tiling) << 16 | (uint32_t)(format) << 24)

// Commands: the first word is command << 16 | number of parameter words.
typedef enum svm_SpCommand {
    SVM_SP_SET_INPUT = 1,   // input, base address (a multiple of 2048), format word, height
    SVM_SP_SET_OUTPUT,      // output, base address, format word, height
    SVM_SP_SET_COND_OUTPUT, // base address, format word, height: accepted, never written
    SVM_SP_SET_PROGRAM,     // base address, instructions, registers, flags (SVM_SP_SCATTER)
    SVM_SP_SET_FLOATS,      // base address of the constants, first, count: four floats each
    SVM_SP_SET_INTS,        // base address of the int constants, count: a word each, count | first << 8 | step << 16
    SVM_SP_SET_BOOLS,       // a word of 32 truth values
    SVM_SP_SET_OUTPUT_MASK, // 16 bits: components r, g, b, a of outputs 0 to 3
    SVM_SP_SET_DOMAIN,      // x0, y0, x1, y1, inclusive
    SVM_SP_START,           // runs the program over the domain
    SVM_SP_INVALIDATE,      // caches: there are none; accepted
    SVM_SP_FLUSH,
    SVM_SP_INIT_COUNTERS, // performance counters: set to 0
    SVM_SP_READ_COUNTERS, // base address: svm_SpCounters is written there
    SVM_SP_COMMAND_COUNT
} svm_SpCommand;

#define SVM_SP_SCATTER 1u

// What the machine did, since the counters were last set to 0. Batch-cycles of idle classes are averages over the
// contexts.
typedef struct svm_SpCounters {
    uint64_t cycles, threads, batches;
    uint64_t aluInstructions, texInstructions, flowInstructions; // of threads
    uint64_t reads, readBytes, writeBytes;
    uint64_t aluCycles;                // in which an arithmetic instruction was issued to the pipeline
    double semWait, insideAlu, notAlu; // idle cycles by reason
} svm_SpCounters;

typedef struct svm_SoftProcessor svm_SoftProcessor;

// Opens a simulated soft processor with this much memory (at most 2 GiB). NULL when memory is short or parameters are
// no machine.
svm_SoftProcessor *svm_spOpen(const svm_SpParameters *parameters, size_t memoryBytes);
void svm_spClose(svm_SoftProcessor *sp);
// Only results, no time: faster by a factor of about ten. On or off between submissions.
void svm_spSetFunctional(svm_SoftProcessor *sp, int functional);
// Memory from a stack: bytes at an aligned address; 0 bytes are legal. UINT32_MAX when there is no more.
uint32_t svm_spAllocate(svm_SoftProcessor *sp, size_t bytes);
// The memory at an address, for the host to read and write.
void *svm_spPointer(svm_SoftProcessor *sp, uint32_t address);

typedef struct svm_SpCommands {
    uint32_t *words;
    size_t count, capacity; // capacity is the caller's; commands that do not fit are an error when submitted
} svm_SpCommands;
void svm_spCommand(svm_SpCommands *c, svm_SpCommand command, const uint32_t *parameters, uint32_t count);

// Puts a container's instructions and its constants' values into memory and writes the commands that set them. 0, or -1
// with svm_spError telling why.
int svm_spLoad(svm_SoftProcessor *sp, const void *container, size_t size, svm_SpCommands *c);

// Starts the commands; the number of the submission, or -1 with svm_spError telling why. Commands before a faulty one
// have had their effect.
int64_t svm_spSubmit(svm_SoftProcessor *sp, const svm_SpCommands *c);
int svm_spConsumed(const svm_SoftProcessor *sp, int64_t submission); // whether it is done; does not wait
int svm_spWait(svm_SoftProcessor *sp, int64_t submission);           // 0, or -1 when there is none such
const char *svm_spError(const svm_SoftProcessor *sp);
void svm_spReadCounters(const svm_SoftProcessor *sp, svm_SpCounters *counters);

#ifdef __cplusplus
}
#endif

#endif
