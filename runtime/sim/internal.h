// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulating runtime: SVM C runs as on the host, and the engine (sim/sim.h) says when.
//
// Whoever runs, a kernel's run or a control thread, is an actor with a clock of its own. It runs ahead of the engine
// while its clock is before the engine's next event: nothing happens in between. At each call of the runtime its clock
// is brought up to date from what it has done since (simr_look), and if an event comes first it gives way (simr_sync):
// so every call takes effect at its own time, and everything in the order of time. Kernels and created threads are
// coroutines, which the engine's events enter from the main thread's stack; the main thread takes the engine's steps
// whenever it has to wait or is ahead.
#ifndef SVM_SIM_INTERNAL_H
#define SVM_SIM_INTERNAL_H

#include "runtime/common/adversary.h"
#include "runtime/common/profile.h"
#include "runtime/common/scheduler.h"
#include "sim/sim.h"
#include "svm/sim_table.h"

typedef struct svmr_Scheduler simr_Simulation;
typedef struct simr_Actor simr_Actor;

// A processor as the program's machine table has it, with its costs in femtoseconds.
typedef struct simr_Processor {
    const machine_processor *machine;
    sim_element element;
    double cycle;
    double classes[SVM_SIM_CLASSES]; // of the classes of svm_simTable; negative: cannot run
    double load, store;              // of one operation; 0 where there is no such class
    sim_time start, stop, run, wait, pushAcquire, popDiscard;
    size_t home;          // its own memory, the first in its list (index in the machine); SIZE_MAX: none
    double *perByte;      // of a memory (by row), accesses in order; negative: not known yet
    const bool *overLink; // of a memory (by row): it is reached over a link from the processor's own memory
    sim_time noted;       // what it did is known until then
} simr_Processor;

// What the work of a run costs.
typedef enum simr_Mode { SIMR_COUNTED, SIMR_DECLARED, SIMR_PROFILE } simr_Mode;
typedef struct simr_Cost {
    simr_Mode mode;
    double start, perUnit; // femtoseconds
    svmr_ProfileUnit unit;
} simr_Cost;

// Refers to an actor's plan to go on; void once the actor has another plan.
typedef struct simr_Plan {
    simr_Actor *actor;
    simr_Processor *processor; // that was asked for
    uint64_t serial;
    struct simr_Plan *next; // free ones
} simr_Plan;

struct simr_Actor {
    simr_Simulation *simulation;
    svmr_Kernel *kernel;   // NULL: a control thread
    svmr_Control *control; // NULL: a kernel, or the main thread
    simr_Processor *processor;
    const char *label;
    uint64_t plan; // serial of the plan that holds

    sim_time local; // its clock
    sim_time noted; // what it did is noted until then
    sim_time polledAt;
    bool polled;  // it asked how things are at polledAt
    bool holds;   // the processor
    bool begun;   // the run has had its kernel start
    bool entered; // its function has been called
    sim_activity waitsFor;
    const char *waitLabel;
    sim_time waitsSince;
    svmr_Stop stop; // to be committed

    // The run's work, in femtoseconds: what was computed, and what its memories took for what went through streams,
    // which happens at the same time; and what of the greater one its clock has.
    simr_Cost cost;
    svm_KernelFunction *costOf; // the function that `cost` is of
    double computed, moved, charged, carry;
    double spent[SVM_SIM_CLASSES]; // of what was computed, by class of operations
    uint64_t firings, elements;
    uint64_t launches; // of threads, in this run

    VEC(sim_transfer) parts; // what a plain DMA kernel has transferred, in order
    size_t nextPart;

    svmr_Kernel *carrier;    // of a created control thread: has its coroutine
    const svmr_Wait *wait;   // of a control thread that waits
    svmr_Thread thread;      // of a created one, while it does not run
    struct simr_Actor *next; // threads
};

// What a kernel's time on a processor goes into, in seconds.
typedef struct simr_Spent {
    double classes[SVM_SIM_CLASSES];
} simr_Spent;

struct svmr_Scheduler {
    svm_Machine *machine;
    arena *arena;
    sim *engine; // NULL until a kernel is placed
    const svm_MachineTable *table;
    int ordinal;
    simr_Processor *processors; // by row of the table
    simr_Actor main;
    simr_Actor *committing; // whose stop is being committed
    simr_Actor *threads;    // created control threads
    bool shares;            // there were some: the main thread has its control processor only while it runs
    simr_Plan *freePlans;
    svmr_Profile profile;                   // SVM_SIM_PROFILE_OUT, SVM_SIM_COMPARE
    VEC(simr_Spent) spent;                  // of each of its rows
    uint64_t runs;                          // kernels run
    int64_t submitted;                      // steady states that the program says it has run; 0: the engine knows
    sim_time iterated;                      // when the first began
    unsigned number;                        // of those that had a kernel, from 1
    struct svmr_Scheduler *previous, *next; // of those alive
};

// ---- Machines and costs (load.c) ----

// The simulation of m begins, on the machine that has this processor.
void simr_begin(simr_Simulation *s, int processorId);
void simr_findCost(simr_Actor *a);
int simr_memoryRow(const simr_Simulation *s, mm_Mem memory); // -1: of another machine
double simr_perByte(simr_Simulation *s, simr_Processor *p, int row, uint64_t workingSet);

// ---- Clocks (clock.c) ----

// Brings the clock of the actor that runs up to date.
void simr_look(simr_Actor *a);
// The same, and nothing that comes before its time is outstanding then. The actor may be left and entered again.
void simr_sync(simr_Actor *a);
// Nobody runs ahead of this time before it comes.
void simr_stopAt(simr_Simulation *s, sim_time when);
void simr_poll(simr_Actor *a);                                        // the same, for one who asks how things are
void simr_spend(simr_Actor *a, sim_time time, sim_activity activity); // beside its work
void simr_charge(simr_Actor *a);                                      // its clock gets what its work costs
void simr_noteWork(simr_Actor *a);                                    // until its clock
// Its processor did nothing but wait, until now.
void simr_noteWait(simr_Actor *a, sim_time until);
double simr_units(const simr_Actor *a, svmr_ProfileUnit *unit);

// ---- The adversary (adversary.c) ----

// For how long it holds up what could go on now.
SVMR_COLD sim_time simr_delay(const simr_Actor *a);

// ---- Actors (schedule.c, threads.c) ----

static inline simr_Simulation *simr_of(const svm_Machine *m)
{
    return m->scheduler;
}
simr_Actor *simr_caller(void);                     // of this thread; NULL: nothing is simulated yet
simr_Actor *simr_controlActor(simr_Simulation *s); // of the control thread that runs
simr_Plan *simr_plan(simr_Actor *a);               // a new plan; the old one is void
simr_Actor *simr_due(simr_Plan *plan);             // the plan came due; NULL: it is void
void simr_resumeAt(simr_Actor *a, sim_time when);  // a coroutine
void simr_leave(simr_Actor *a);                    // the coroutine that runs, until it is resumed
void simr_enterThread(simr_Actor *a);
void simr_continueKernel(simr_Actor *a);
void simr_wait(simr_Actor *a, sim_activity activity, const char *label); // it begins to wait
void simr_release(simr_Actor *a);                                        // the processor
void simr_wakeThreads(simr_Simulation *s);
void simr_freeThreads(simr_Simulation *s);
// The next event; false when there is none. The program stops if the engine has failed.
bool simr_step(simr_Simulation *s);
// A plain DMA kernel's function has returned; what it transferred takes its time. False: nothing was.
bool simr_transferParts(simr_Actor *a);
// A transfer that a begins and waits for; what it does meanwhile is the caller's to note.
void simr_pass(simr_Actor *a, sim_transfer *t);
void simr_over(simr_Actor *a); // the run's function is over, a->stop says how

// ---- Results (output.c) ----

void simr_countIterations(simr_Simulation *s); // of the program's steady states
void simr_register(simr_Simulation *s);
void simr_finish(simr_Simulation *s); // writes what the environment asks for
bool simr_wantsTrace(void);
bool simr_wantsProfile(void);
const svmr_Profile *simr_profile(void); // SVM_SIM_PROFILE; NULL: none
// Adds the comparison with a measured run (compare.c).
void simr_compare(const simr_Simulation *s, const svmr_Profile *measured, strbuf *out);
typedef enum simr_CostsFrom { SIMR_AUTO, SIMR_ONLY_DECLARED, SIMR_ONLY_COUNTED, SIMR_ONLY_PROFILE } simr_CostsFrom;
simr_CostsFrom simr_costsFrom(void); // SVM_SIM_COSTS

#endif
