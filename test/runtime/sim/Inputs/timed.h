// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A machine with round times, for tests that compute by hand what the simulator must predict. All clocks are 1 GHz, so a
// cycle is a nanosecond. A kernel takes 100 ns to start and 10 ns to stop, a DMA kernel 50 ns and 5 ns; GMEM gives or
// takes a byte a nanosecond in order, half a byte anywhere; the local memories cost (nearly) nothing. With
// TIMED_LINKS a bus of half a byte a nanosecond, 50 ns away, joins the memories. With TIMED_CONTROL an int-add of control
// code takes a cycle; with TIMED_CALLS a load and a store do, telling a processor to run a kernel takes 30 ns, and to look
// whether it has ended 40 ns, to map a page of 1 KiB 25 ns; else control code takes no time. With TIMED_CACHE these cost the
// same, and the control processor has a cache of 2 KiB, in lines of 128 bytes; with TIMED_FAULTS, too, pages that an engine asks
// for take 60 ns more.
#ifndef TIMED_H
#define TIMED_H

#include <math.h>

#include "check.h"
#include "svm/machine_table.h"
#include "svm/sim.h"
#include "svm/sim_table.h"

static const char machineText[] =
    "machine: timed\n"
    "summary: round times\n"
    "memories:\n"
    "  GMEM: {kind: ram, size: 1 MiB, latency: 0 ns, sequential-bandwidth: 1 GB/s, random-bandwidth: 0.5 GB/s}\n"
    "  LMEM1: {kind: ram, size: 64 KiB, latency: 0 ns, sequential-bandwidth: 1000000 GB/s, random-bandwidth: 1 GB/s}\n"
    "  LMEM2: {kind: ram, size: 64 KiB, latency: 0 ns, sequential-bandwidth: 1000000 GB/s, random-bandwidth: 1 GB/s}\n"
#ifdef TIMED_CACHE
    "  CACHE: {kind: cache, of: GMEM, size: 2 KiB, line: 128 B, latency: 0 ns, sequential-bandwidth: 1 GB/s, "
    "random-bandwidth: 1 GB/s}\n"
#endif
    "processors:\n"
#if defined TIMED_CACHE
    "  CPU: {kind: control, clock: 1 GHz, memories: [GMEM], caches: [CACHE], page: 1 KiB, page-map: 25 ns, kernel-run: 30 ns, "
#ifdef TIMED_FAULTS
    "page-fault: 60 ns, "
#endif
    "kernel-wait: 40 ns, operations: {load: 1 cycle, store: 1 cycle}}\n"
#elif defined TIMED_CALLS
    "  CPU: {kind: control, clock: 1 GHz, memories: [GMEM], kernel-run: 30 ns, kernel-wait: 40 ns, page: 1 KiB, page-map: 25 ns, "
    "operations: {load: 1 cycle, store: 1 cycle}}\n"
#elif defined TIMED_CONTROL
    "  CPU: {kind: control, clock: 1 GHz, memories: [GMEM], operations: {int-add: 1 cycle}}\n"
#else
    "  CPU: {kind: control, clock: 1 GHz, memories: [GMEM]}\n"
#endif
    "  CPU2: {kind: control, clock: 1 GHz, memories: [GMEM]}\n"
    "  P1:\n"
    "    kind: kernel\n"
    "    clock: 1 GHz\n"
    "    masters: [CPU, CPU2]\n"
    "    memories: [LMEM1, GMEM]\n"
    "    registers: 16\n"
    "    kernel-start: 100 cycles\n"
    "    kernel-stop: 10 cycles\n"
    "    push-acquire: 7 cycles\n"
    "    push-send: {fixed: 20 cycles, unit: 16 B, per-unit: 3 cycles}\n"
    "    pop-acquire: {fixed: 11 cycles, unit: 16 B, per-unit: 2 cycles}\n"
    "    pop-discard: 5 cycles\n"
    "    operations: {int-add: 1 cycle, float-add: 2 cycles, load: 1 cycle, store: 1 cycle}\n"
    "  P2:\n"
    "    kind: kernel\n"
    "    clock: 1 GHz\n"
    "    masters: [CPU, CPU2]\n"
    "    memories: [LMEM2, GMEM]\n"
    "    registers: 16\n"
    "    kernel-start: 100 cycles\n"
    "    kernel-stop: 10 cycles\n"
    "    operations: {int-add: 1 cycle, float-add: 4 cycles, load: 0 cycles, store: 0 cycles}\n"
    "  DMA1: {kind: dma, clock: 1 GHz, masters: [CPU], memories: [GMEM, LMEM1, LMEM2], kernel-start: 50 cycles, "
    "kernel-stop: 5 cycles}\n"
    "  DMA2: {kind: dma, clock: 1 GHz, masters: [CPU], memories: [GMEM, LMEM1, LMEM2], kernel-start: 50 cycles, "
    "kernel-stop: 5 cycles}\n"
#ifdef TIMED_LINKS
    "links:\n"
    "  BUS: {elements: [LMEM1, LMEM2, GMEM], start-latency: 50 ns, bandwidth: 0.5 GB/s}\n"
#endif
    ;

static const int global[] = {0}, local1[] = {1, 0}, local2[] = {2, 0}, allOfThem[] = {0, 1, 2};
static const svm_MemoryRow memoryRows[] = {
    {.name = "GMEM", .size = 1 << 20, .alignment = 16},
    {.name = "LMEM1", .size = 64 << 10, .local = true},
    {.name = "LMEM2", .size = 64 << 10, .local = true},
};
static const svm_ProcessorRow processorRows[] = {
    {.name = "CPU", .kind = SVM_PROCESSOR_CONTROL, .reaches = global, .reachCount = 1},
    {.name = "CPU2", .kind = SVM_PROCESSOR_CONTROL, .reaches = global, .reachCount = 1},
    {.name = "P1", .kind = SVM_PROCESSOR_KERNEL, .reaches = local1, .reachCount = 2},
    {.name = "P2", .kind = SVM_PROCESSOR_KERNEL, .reaches = local2, .reachCount = 2},
    {.name = "DMA1", .kind = SVM_PROCESSOR_DMA, .reaches = allOfThem, .reachCount = 3},
    {.name = "DMA2", .kind = SVM_PROCESSOR_DMA, .reaches = allOfThem, .reachCount = 3},
};
const svm_MachineTable svm_machineTable = {
    .name = "timed", .memories = memoryRows, .memoryCount = 3, .processors = processorRows, .processorCount = 6};

static const svm_SimMachine machineRows[] = {{"timed", machineText}};
static const char *const classNames[] = {"int-add", "float-add", "float-mul"};

// The table of the program's kernels, after them: their declared costs.
#define TIMED_KERNELS(...)                                                                                             \
    static const svm_SimKernel kernelRows[] = {__VA_ARGS__};                                                           \
    const svm_SimTable svm_simTable = {machineRows, 1, kernelRows, sizeof kernelRows / sizeof *kernelRows,             \
                                       classNames,  3}

SVM_MACHINE("timed");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_MEMORY(LMEM2);
SVM_PROCESSOR(CPU2);
SVM_PROCESSOR(P1);
SVM_PROCESSOR(P2);
SVM_PROCESSOR(DMA1);
SVM_PROCESSOR(DMA2);

// The control thread's time is that many nanoseconds.
#define CHECK_TIME(nanoseconds) checkTime(__FILE__, __LINE__, nanoseconds)
static inline void checkTime(const char *file, int line, double nanoseconds)
{
    double now = svm_simTime() * 1e9;
    if (fabs(now - nanoseconds) < 1e-3)
        return;
    printf("%s:%d: the time is %.9g ns, expected %.9g ns\n", file, line, now, nanoseconds);
    fflush(stdout);
    exit(1);
}

#endif
