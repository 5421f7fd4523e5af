// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptions of the machines that tests of the host runtime make for themselves, for the simulator.
#include "svm/sim_table.h"

#define OPERATIONS "operations: {int-add: 1 cycle, load: 1 cycle, store: 1 cycle}"
#define RAM(name, size, more)                                                                                          \
    "  " name ": {kind: ram, size: " size                                                                              \
    ", latency: 10 ns, sequential-bandwidth: 8 GB/s, random-bandwidth: 1 GB/s" more "}\n"
#define CORE(name, masters, memories)                                                                                  \
    "  " name ": {kind: kernel, clock: 1 GHz, masters: " masters ", memories: " memories                               \
    ", registers: 16, kernel-start: 20 ns, kernel-stop: 5 ns, " OPERATIONS "}\n"
#define DMA(name, masters, memories, more)                                                                             \
    "  " name ": {kind: dma, clock: 1 GHz, masters: " masters ", memories: " memories                                  \
    ", kernel-start: 20 ns, kernel-stop: 5 ns" more "}\n"
#define CONTROL(name) "  " name ": {kind: control, clock: 1 GHz, memories: [GMEM]}\n"

static const char smp[] = "machine: smp\nsummary: several cores\nmemories:\n" RAM("GMEM", "64 MiB", ", alignment: 16 B")
    RAM("SCRATCH", "64 KiB",
        ", alignment: 16 B") "  QUEUE: {kind: fifo, size: 64 B, line: 4 B, latency: 1 ns, sequential-bandwidth: 4 "
                             "GB/s}\n"
                             "processors:\n" CONTROL("CPU") CONTROL("CPU2")
                                 CORE("CORE0", "[CPU, CPU2]", "[GMEM, SCRATCH, QUEUE]")
                                     CORE("CORE1", "[CPU, CPU2]", "[GMEM, SCRATCH, QUEUE]")
                                         CORE("CORE2", "[CPU, CPU2]", "[GMEM, SCRATCH, QUEUE]")
                                             CORE("CORE3", "[CPU2]", "[GMEM, SCRATCH, QUEUE]")
                                                 DMA("DMA0", "[CPU, CPU2]", "[GMEM, SCRATCH, QUEUE]", "")
                                                     DMA("DMA1", "[CPU, CPU2]", "[GMEM, SCRATCH, QUEUE]",
                                                         ", alignment: 16 B");

static const char narrow[] =
    "machine: narrow\nsummary: engines that cannot do everything\nmemories:\n" RAM("GMEM", "1 MiB", "")
        RAM("LMEM1", "1 KiB", "") RAM("LMEM2", "1 KiB", "") "processors:\n" CONTROL("CPU")
            CORE("CORE", "[CPU]", "[GMEM, LMEM1]") DMA("ALL", "[CPU]", "[GMEM, LMEM1]", "")
                DMA("MOVER", "[CPU]", "[GMEM, LMEM1]", ", transfers: [move]")
                    DMA("GIVER", "[CPU]", "[GMEM, LMEM1]", ", transfers: [strided, indexed]")
                        DMA("COARSE", "[CPU]", "[GMEM, LMEM1]", ", alignment: 16 B");

static const svm_SimMachine machines[] = {{"smp", smp}, {"narrow", narrow}};
const svm_SimTable svm_simTable = {.machines = machines, .machineCount = 2};
