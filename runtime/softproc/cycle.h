// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cycle model. Time goes in rotations of the register file's read schedule: operand A, B and C of an arithmetic
// instruction in one cycle each, for all threads of a batch at once, then one cycle for a lookup's operand.
// docs/softproc.md draws it.
#ifndef SVM_SOFTPROC_CYCLE_H
#define SVM_SOFTPROC_CYCLE_H

#include "runtime/softproc/core.h"

typedef enum sp_policy { SP_OLDEST, SP_ROUND_ROBIN, SP_NEWEST, SP_POLICY_COUNT } sp_policy;
extern const char *const sp_policy_names[SP_POLICY_COUNT];

// Why no arithmetic instruction of a context was issued.
typedef enum sp_idle { SP_SEM_WAIT, SP_INSIDE_ALU, SP_NOT_ALU, SP_IDLE_COUNT } sp_idle;

typedef struct sp_stats {
    uint64_t cycles, alu_issues, tex_issues, flow_issues; // issues are of batches
    uint64_t alu_cycles;                                  // in which a thread entered the pipeline
    uint64_t idle[SP_IDLE_COUNT];                         // context-cycles without issue, by reason
    uint64_t batches, threads, alu_threads, tex_threads, flow_threads;
    uint64_t reads, read_bytes, write_bytes, request_wire, response_wire, write_wire; // bytes; wire: headers included
    uint64_t port_conflicts; // writes into the register file that had to wait
    double read_cycles;      // sum of the reads' times from address to response
} sp_stats;

typedef enum sp_event_kind { SP_EVENT_ALU, SP_EVENT_TEX, SP_EVENT_FLOW, SP_EVENT_BATCH, SP_EVENT_WRITE } sp_event_kind;
typedef struct sp_event {
    sp_event_kind kind;
    uint64_t begin, end; // cycles
    uint32_t context, pc;
} sp_event;

typedef struct sp_cycle_options {
    sp_policy policy;
    uint64_t max_cycles;                              // 0: no limit
    void (*trace)(void *user, const sp_event *event); // may be NULL
    void *user;
} sp_cycle_options;

typedef struct sp_results {
    sp_stats whole, steady; // steady: without the first generation of batches and the last ones
    bool has_steady;
} sp_results;

// Where a context stands, for a run that was stopped.
typedef struct sp_standing {
    bool live;
    uint32_t pc;
    int32_t x, y; // its first thread
    const char *doing;
} sp_standing;

// A sentence when the parameters are no machine, else NULL.
const char *sp_check_parameters(const svm_SpParameters *p);

// Runs the whole domain. standings has room for the parameters' batches, and is filled in when max_cycles stops the
// run. False after a fault, which is in c->fault.
bool sp_run_cycles(sp_core *c, const svm_SpParameters *p, const sp_cycle_options *o, sp_results *results,
                   sp_standing *standings);

// ---- The link to memory (link.c). Times are in cycles and fractions. ----
typedef struct sp_link {
    double bytes_per_cycle, before, after; // latencies: request to response's begin, and from its end into the core
    double out_free, in_free;
    uint32_t request, response_header, write_header, largest_packet;
    double *received; // of the reads that may be under way, a ring
    uint32_t capacity, next;
} sp_link;

bool sp_link_init(sp_link *l, const svm_SpParameters *p);
void sp_link_free(sp_link *l);
// When the response to a read whose address is known at time at has come in.
double sp_link_read(sp_link *l, sp_stats *s, double at, uint32_t bytes);
// When the data, written contiguously, has left.
double sp_link_write(sp_link *l, sp_stats *s, double at, uint64_t bytes);

#endif
