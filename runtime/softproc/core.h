// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functional model of the soft processor: instructions made ready for execution, batches of threads, memory. Four
// threads are one vector of four lanes; a batch has one or more such groups, which the same instruction takes one after
// the other.
//
// Nothing here knows time; cycle.h adds it.
#ifndef SVM_SOFTPROC_CORE_H
#define SVM_SOFTPROC_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "llc/softproc/isa.h"
#include "svm/softproc.h"

enum { SP_LANES = 4 };
typedef float sp_v4 __attribute__((vector_size(16)));
typedef int32_t sp_m4 __attribute__((vector_size(16))); // masks: 0 or -1

// ---- Instructions, ready ----

// A scalar of a source: bank and place within it, in vectors. Constants' bank also holds the small floats, 0, 0.5 and
// 1.
enum { SP_BANK_REGISTERS, SP_BANK_CONSTANTS, SP_BANK_PRESUBTRACT, SP_BANKS };
enum { SP_INLINE_AT = SP_MAX_CONSTANTS * 4, SP_EASY_AT = SP_INLINE_AT + 128, SP_CONSTANT_BANK = SP_EASY_AT + 4 };

typedef struct sp_scalar {
    uint8_t bank;
    bool relative;
    uint16_t at;
} sp_scalar;

typedef struct sp_ready_operand {
    sp_scalar scalar[3];
    int32_t keep, flip; // bits: & keep, ^ flip
} sp_ready_operand;

typedef struct sp_ready_half {
    uint8_t op, operands, lanes; // lanes: components that must be computed
    uint8_t wmask, omask, target, omod, pred_sel;
    bool clamp, pred_inv, addrd_rel;
    uint16_t addrd;
    sp_ready_operand operand[3];
    sp_scalar source[3][3]; // presubtract: sources 0 and 1 by component
    uint8_t srcp_op;
    bool presubtract;
} sp_ready_half;

typedef struct sp_ready {
    sp_type type;
    bool wait, acquire, last, write_inactive, alu_wait, bubble;
    bool writes;   // some register
    bool relative; // some address
    bool alu_write;
    uint8_t alu_sel, alu_op;
    sp_ready_half half[2];
    // TEX
    uint8_t tex_op, tex_id, tex_swizzle[4], tex_out[4], tex_mask, tex_pred_sel[2];
    bool tex_pred_inv[2], unscaled, src_rel, dst_rel, reads;
    uint16_t src, dst;
    // FC
    uint8_t fc_op, jump_func, stay, go, pop, stack, pred_sel;
    bool pred_inv, any, otherwise;
    uint8_t bool_constant, int_constant;
    uint16_t jump;
} sp_ready;

// ---- Memory ----

typedef struct sp_buffer {
    bool set;
    uint32_t base, pitch, width, height, element; // in elements; element: its bytes. Rows are pitch apart
    svm_SpFormat format;
    svm_SpTiling tiling;
} sp_buffer;

uint32_t sp_format_bytes(svm_SpFormat format);

// ---- Batches ----

typedef enum sp_thread_state { SP_ACTIVE, SP_BRANCHED, SP_BROKE, SP_CONTINUED, SP_DEAD } sp_thread_state;

typedef struct sp_group {
    sp_v4 *registers; // [temps][component]
    sp_v4 out[SP_MAX_OUTPUTS][4];
    sp_m4 predicate[4], alu, active, covered;
    int32_t x[SP_LANES], y[SP_LANES];
    uint8_t state[SP_LANES];
    uint8_t counter[SP_LANES]; // BRANCHED: levels to go; BROKE, CONTINUED: the loop's depth
} sp_group;

typedef struct sp_loop {
    uint16_t left;
    int16_t al, step;
    bool has_al;
} sp_loop;

typedef struct sp_batch {
    sp_group *groups;
    uint32_t pc;
    uint8_t loops, calls;
    bool done;
    sp_loop loop[SP_MAX_NESTING];
    uint16_t call[SP_MAX_NESTING];
} sp_batch;

typedef enum sp_bounds { SP_BOUNDS_ERROR, SP_BOUNDS_ZERO, SP_BOUNDS_CLAMP } sp_bounds;

typedef struct sp_options {
    bool flush;        // the chip's floats: denormal numbers are 0, one NaN
    bool zero_product; // 0 * anything is 0
    bool linear;       // lookups by linear address: only the element's number counts, as in the paper
    sp_bounds bounds;  // lookups outside of an input
} sp_options;

typedef struct sp_core {
    sp_ready *code; // [count]
    uint32_t count, end, temps;
    bool scatter, quads,
        diverges;             // quads: batches are squares of 2 x 2, for MDH and MDV; diverges: there is flow control
    uint32_t inputs, outputs; // used
    uint32_t groups;          // of a batch
    sp_v4 *constants;         // SP_CONSTANT_BANK
    sp_int_constant ints[SP_MAX_INTS];
    uint32_t bools, output_mask;
    sp_buffer input[SP_MAX_INPUTS], output[SP_MAX_OUTPUTS];
    uint8_t *memory;
    size_t memory_size;
    int32_t x0, y0, x1, y1; // domain
    sp_options options;
    // The next batch's coordinates.
    int32_t next_x, next_y;
    bool exhausted;
    bool failed;
    char fault[400];
} sp_core;

// Takes the program apart. Constants that it brings values of are set. False when memory is short.
bool sp_core_init(sp_core *c, const sp_program *p);
void sp_core_free(sp_core *c);
void sp_set_constant(sp_core *c, unsigned number, const float v[4]);
// Buffers and domain against what the program uses: false with a fault.
bool sp_core_check(sp_core *c);
void sp_core_rewind(sp_core *c);
void sp_fail(sp_core *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
// "instruction 12, thread (3, 4): ..."
void sp_fail_at(sp_core *c, const sp_batch *b, const sp_group *g, unsigned lane, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

bool sp_batch_create(const sp_core *c, sp_batch *b);
void sp_batch_free(sp_batch *b);
// Gives the batch the next threads of the domain; false when there are none left.
bool sp_batch_start(sp_core *c, sp_batch *b);

// ---- Execution: of the instruction at pc. All set pc; failures set c->failed. ----
void sp_execute_alu(sp_core *c, sp_batch *b, const sp_ready *r);
void sp_execute_flow(sp_core *c, sp_batch *b, const sp_ready *r);
// A lookup in two steps, so that its result can come later: the values, then the write. reads counts the threads that
// read.
typedef struct sp_lookup {
    sp_v4 value[4];
    sp_m4 mask[4]; // by component
} sp_lookup;
void sp_texture_read(sp_core *c, sp_batch *b, const sp_ready *r, sp_lookup *results, unsigned *reads);
void sp_texture_write(sp_batch *b, uint32_t groups, const sp_ready *r, const sp_lookup *results, int al);
// The program's end in a batch: its outputs go to memory.
void sp_batch_end(sp_core *c, sp_batch *b);
// Steps over the instruction, or ends the program behind it.
void sp_advance(const sp_core *c, sp_batch *b, const sp_ready *r);
// The loop register, 0 outside of loops.
int sp_loop_register(const sp_batch *b);
sp_m4 sp_predicate_of(const sp_group *g, unsigned sel, bool inv, unsigned component);

// The whole domain without time. steps bounds the batch instructions; false after a fault.
bool sp_run_functional(sp_core *c, uint64_t steps, svm_SpCounters *counters);

#endif
