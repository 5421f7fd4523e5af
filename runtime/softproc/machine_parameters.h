// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a machine file's processor with a `pipeline` to the simulator's parameters. A header, as its users link different
// libraries: svm-spsim and the simulating runtime.
#ifndef SVM_SOFTPROC_MACHINE_PARAMETERS_H
#define SVM_SOFTPROC_MACHINE_PARAMETERS_H

#include "llc/softproc/isa.h"
#include "svm/softproc.h"
#include "targets/machine.h"

static inline svm_SpParameters sp_parameters_of(const machine_processor *from)
{
    svm_SpParameters p = {0};
#define GET_COUNT(from_field) (uint32_t)from->from_field
#define GET_SIZE GET_COUNT
#define GET_FLAG GET_COUNT
#define GET_TIME(from_field) machine_seconds(from->from_field, from->clock)
#define GET_BANDWIDTH(from_field) machine_bytes_per_second(from->from_field, from->clock)
#define PARAMETER(kind, key, from_field, to_field) p.to_field = GET_##kind(from_field);
#include "runtime/softproc/parameters.def"
#undef PARAMETER
#undef GET_COUNT
#undef GET_SIZE
#undef GET_FLAG
#undef GET_TIME
#undef GET_BANDWIDTH
    p.clock = from->clock;
    p.registers = (uint32_t)from->registers;
    p.registerBytes = (uint32_t)from->register_size;
    uint64_t slots = from->instruction_memory / (SP_WORDS * 4);
    p.instructions = slots < SP_MAX_INSTRUCTIONS ? (uint32_t)slots : SP_MAX_INSTRUCTIONS;
    return p;
}

#endif
