// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sim backend: the program is compiled as for the host, and its code counts what it does, operations by class and
// firings, in the counters of runtime/include/svm/sim_table.h. Counting rules: docs/svm-c.md, "Costs in simulation".
#ifndef SVMC_LLC_SIM_H
#define SVMC_LLC_SIM_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "llc/backend.h"

// ---- What instructions count as (count.c) ----

// How wide operations on vectors are: the machine's, and the compiler's, which forms vectors of at most vector_bytes.
typedef struct sim_width {
    uint64_t simd_bytes, vector_bytes;
} sim_width;

// Operations of a piece of straight code. pooled: bytes of full vectors where the machine's are wider than the
// compiler's, so that several make one operation.
typedef struct sim_tally {
    uint64_t count[MACHINE_OP_COUNT], pooled[MACHINE_OP_COUNT];
} sim_tally;

// A memory transfer whose length is known at run time only: length bytes, counted as loads, stores or both.
typedef struct sim_transfer {
    LLVMValueRef length; // NULL: the instruction is none
    bool loads, stores;
} sim_transfer;

typedef struct sim_counter {
    sim_width width;
    LLVMTargetDataRef layout;
} sim_counter;

sim_width sim_width_of(const machine *m);
// Adds what the instruction counts as.
void sim_count_instruction(const sim_counter *c, LLVMValueRef instruction, sim_tally *tally, sim_transfer *transfer);
uint64_t sim_tally_total(const sim_counter *c, const sim_tally *tally, machine_operation op);
// Whether a call may run code that looks at the counters: not one of libm, nor an intrinsic.
bool sim_call_looks(LLVMValueRef call);
bool sim_is_math_function(const char *name);

// ---- Counters in the code (counters.c) ----

// Before optimisation: firings, in the functions that the unit (NULL: none) marks with SVM_FIRE.
void sim_insert_firing_counters(llc_session *s, const llc_unit *unit, LLVMModuleRef module);
// After it: operations.
void sim_insert_operation_counters(llc_session *s, const sim_counter *c, LLVMModuleRef module);

// ---- Code (code.c) ----

// What a backend has beside the simulation: the code that clang made is changed before anything else happens.
typedef struct sim_variant {
    const char *flags[4];                                                       // of clang, for SVM C; ends with NULL
    bool (*change)(llc_session *s, const llc_unit *unit, LLVMModuleRef module); // of SVM C
    const char *library;                                                        // linked before libsvm-sim.a
} sim_variant;

// Makes the output of a module of LLVM bitcode. unit: the SVM C that it was compiled from; NULL for other C.
bool sim_generate(llc_session *s, const llc_unit *unit, const char *bitcode, const sim_variant *variant,
                  llc_output output, const char *path);
// clang's bitcode of a source, in a file.
bool sim_make_bitcode(llc_session *s, const llc_unit *unit, const sim_variant *variant, const char *source,
                      const char *path);
// Compiles and links as --target=sim does. variant NULL: nothing beside.
bool sim_emit(llc_session *s, const sim_variant *variant);

// ---- Tables (table.c) ----

// C text for the end of the API's header: the simulator's tables of the session's machines and the unit's kernels.
const char *sim_table_text(llc_session *s, const llc_unit *unit);

#endif
