// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs that svmc emits for several processors are made of, where windows of queues are moved whole: types of
// their tables, of runs, and of an instance. The program says what it has, and how many:
//
//     #define SVM_MAPPED (SVM_MAPPED_MOVED | SVM_MAPPED_PRIMES)
//     enum { SVM_STRIP = 64, SVM_STRIPS = 128, ... };
//     #include <svm/mapped_tables.h>
//     ... its kernels, whose functions get a svm_RoundKernel, and its tables: svm_roundQueues and so on
//     #define SVM_MAPPED_MEMORY XDR
//     #include <svm/mapped_control.h>
//
// They are a program's own: a C file has one.
// docs/mapping.md has the words: strip, round, slot, chunk, window, priming, halo. Both headers stand on the SVM API alone,
// and their text may be put in place of the two lines.
#ifndef SVM_MAPPED
#error "define SVM_MAPPED as what the program has before <svm/mapped_tables.h>"
#endif

#include <svm/program.h>

// What a program may have.
#define SVM_MAPPED_MOVED 1   // processors whose windows engines move to memories of their own
#define SVM_MAPPED_DIRECT 2  // processors that work in queues
#define SVM_MAPPED_PRIMES 4  // kernels that prime
#define SVM_MAPPED_REPEATS 8 // and go on for some steady states
#define SVM_MAPPED_LOOPS 16  // runs of several strips
#define SVM_MAPPED_HALOS 32  // kernels whose last items of a round the next one reads too
#define SVM_MAPPED_LINKS 64  // queues between kernels
#define SVM_MAPPED_FILES 128 // kernels that read or write files themselves: READS, WRITES
#define SVM_MAPPED_READS 256
#define SVM_MAPPED_WRITES 512
#define SVM_MAPPED_PHASES 1024 // an initialisation, or an end of input, that fires something
#define SVM_MAPPED_COUNTS 2048 // the end of input does: runs are told how often each actor fires
#define SVM_MAPPED_LOGS 4096   // actors that print
#define SVM_MAPPED_PUTS 8192   // windows that are elsewhere in some rounds: in files' pages, or as rounds are shared
#define SVM_MAPPED_START 16384 // text that was printed while the graph was built
#define SVM_MAPPED_INPUT 32768 // files that are read, SVM_READERS; and written, SVM_WRITERS
#define SVM_MAPPED_OUTPUT 65536
#define SVM_MAPPED_SEVERAL 131072   // runs that are made for several strips: chunks whose `each` is not 1
#define SVM_MAPPED_SMALL 262144     // windows that may be smaller than what engines move
#define SVM_MAPPED_STILL 524288     // windows that get nothing in steady states
#define SVM_MAPPED_SINKS 1048576    // kernels that store nothing
#define SVM_MAPPED_STRAIGHT 2097152 // queues whose windows go from one processor's memory to the other's
#define SVM_MAPPED_BOUND 4194304    // no round is longer: --max-latency
#define SVM_MAPPED_FAILS 8388608    // firings that may fail: svm/mapped_failing.h
#define SVM_MAPPED_HAVE(what) ((SVM_MAPPED & SVM_MAPPED_##what) != 0)
// All processors work in queues: on this computer they are threads.
#define SVM_MAPPED_THREADS (SVM_MAPPED_HAVE(DIRECT) && !SVM_MAPPED_HAVE(MOVED))
// Rounds can be longer than queues have room for: what they read and write may lie in files, and nothing else joins runs.
#define SVM_MAPPED_LONG                                                                                                \
    (SVM_MAPPED_THREADS && SVM_MAPPED_HAVE(PUTS) && SVM_MAPPED_HAVE(LOOPS) && SVM_MAPPED_HAVE(READS) &&                \
     SVM_MAPPED_HAVE(WRITES) && !SVM_MAPPED_HAVE(LINKS) && !SVM_MAPPED_HAVE(LOGS) && !SVM_MAPPED_HAVE(BOUND))
#if SVM_MAPPED_LONG
enum { SVM_LONGEST = 16 }; // rounds
#endif
// Whole rounds can be repeated by processors themselves, where they do that (svm_Sequence): nothing is the control
// program's in each but what it reads and writes.
#define SVM_MAPPED_AGAIN                                                                                               \
    (SVM_MAPPED_HAVE(MOVED) && SVM_MAPPED_HAVE(INPUT) && SVM_MAPPED_HAVE(OUTPUT) && !SVM_MAPPED_HAVE(DIRECT) &&        \
     !SVM_MAPPED_HAVE(FILES) && !SVM_MAPPED_HAVE(LOGS))

// ---- Rows of the tables ----

// A processor, and what moves items to its memory and back; without these it works in queues.
typedef struct svm_RoundProcessor {
    mm_Proc processor, load, store;
    mm_Mem memory;
    size_t own; // bytes of what it has for itself: channels inside kernels, windows of queues, state
} svm_RoundProcessor;

// Where a queue lies in the shared memory, and what of a slot is a round's own.
typedef struct svm_RoundQueue {
    const char *name;
    size_t address, slot; // of the first slot; bytes from one to the next
    size_t room;          // items of a slot
    int64_t history;      // items in front of a round's own
    size_t size;          // of an item
    int64_t step;         // items of a steady state
    int64_t halo;         // the last of a round, that the next one reads too
    int64_t delay;        // of what goes to a file: by so many its kernel is behind
    bool linked;          // it joins kernels
} svm_RoundQueue;

// A queue that a file fills, or that goes to a file. A round's items may stay in the file: kernels take them there, or give
// them, where it is claimed, engines where it is mapped.
typedef struct svm_RoundFile {
    int queue, file;
    int64_t init;   // items that are in the queue behind the initialisation
    int64_t given;  // that it writes; or their number at the end of input:
    int actor;      // the writer's place in counts of firings
    int64_t before; // items that must be before a round that stays in the file
    int64_t
        units; // of one that is mapped: it begins at a multiple of so many bytes; of one that is claimed: numbers of
               // items that runs read or write are sums of bits of it
    bool claims, maps;
} svm_RoundFile;

// A window of `items`, from the round's item `first` on, of which those from number `from` on are the kernel's.
typedef struct svm_RoundSpan {
    int64_t first, items, from;
} svm_RoundSpan;

// A kernel's end of a queue, in numbers of items: what a run's window of it is.
typedef struct svm_RoundEnd {
    int queue;
    bool input;
    int64_t strip;            // of a strip
    int64_t before;           // before those of its strips, that a run sees too
    int64_t from;             // where in a window the kernel's begin
    int64_t prime, primeFrom; // of what primes a chunk: before those of its strips
    int64_t least;            // of any window
    size_t address, bytes;    // of a window's blocks in what the processor has for itself
    int64_t halo, aligned;    // the last of a round, that the next reads too; in multiples
    int writer, writerEnd;    // the kernel that gives them, and which of its ends; -1: none
    int file;                 // number of the file that they may lie in; -1: none
    int64_t scratch;          // then: so many of them are in memory at once, at most
    bool straight;            // the window goes straight to, or comes from, the memory of the other end's processor:
    int reader, readerEnd;    // of what is given: the kernel that it goes to, and which of its ends
    mm_Proc mover;            // and what moves it
    svm_RoundSpan start, end; // in the initialisation; when input has ended
} svm_RoundEnd;

typedef struct svm_RoundKernelRow {
    svm_KernelFunction *run;
    const char *name;
    int ends, count;     // its first end of a queue, and how many it has
    int chunk, firstRun; // its first ones
    int home;            // processor of the initialisation and the end of input
    int primes;          // runs that prime a chunk
    int together;   // it and so many less 1 behind it, a chunk each, are started strip by strip; 0: it is by itself
    bool serves;    // it has an initialisation, or an end of input
    bool even;      // each processor has a share of a round that is not whole
    int64_t repeat; // steady states that priming goes on for behind the initialisation
    int actors, firings; // its first actor in svm_roundActors, and how many
    int logs, logCount;  // its actors that print: the first in svm_roundLogs, and how many
    int kept, keptCount; // what it keeps from round to round: the first in svm_roundKept, and how many
} svm_RoundKernelRow;

// Bytes of what a kernel's processor has for itself: what the kernel finds there in its next round.
typedef struct svm_RoundKept {
    size_t offset, bytes;
} svm_RoundKept;

// Strips of a round that follow each other on a processor: `strips` from `first` on. Their runs begin with number `run`,
// of `each` strips; `runs` counts them and what primes them; `before` is the chunk of the kernel that the processor has
// before this one.
typedef struct svm_RoundChunk {
    int kernel, processor, first, strips, run, each, runs, before;
} svm_RoundChunk;

// ---- Runs ----

// A run, as its kernel has it.
typedef struct svm_RoundKernel {
    svm_Kernel kernel;
    bool starting; // the initialisation: nothing is in the channels but what was enqueued
    bool priming;  // it runs on earlier input, for what its channels keep; what it would give is there
#if SVM_MAPPED_HAVE(LOOPS)
    bool counted;     // it does what is not in steady states before anything else
    ptrdiff_t states; // steady states of the run; and of the strip at hand:
#endif
    ptrdiff_t steady; // steady states; 0 in the initialisation and at the end of input
#if SVM_MAPPED_HAVE(COUNTS)
    ptrdiff_t firings[SVM_FIRINGS]; // of each actor, but for those in whole steady states
#endif
    svm_Block *own; // what its processor has for itself: channels inside the kernel, state
    struct {
        svm_Block *items; // of a queue
        ptrdiff_t from;   // where in it those of the run begin
#if SVM_MAPPED_HAVE(LOOPS)
        ptrdiff_t step, delay; // of a steady state; of those before its own that it reads too
        ptrdiff_t primed;      // that priming reads
        ptrdiff_t size;        // bytes of an item
#endif
#if SVM_MAPPED_HAVE(HALOS) && SVM_MAPPED_HAVE(DIRECT)
        svm_Block *history; // where the last items go too; or NULL
#endif
#if SVM_MAPPED_HAVE(READS)
        svm_Reader *reader; // the items are in this file; or NULL
#endif
#if SVM_MAPPED_HAVE(WRITES)
        svm_Writer *writer; // they go to this one; or NULL
#endif
#if SVM_MAPPED_HAVE(FILES)
        int64_t at, first;  // what of it, and the first item there
        svm_Block *scratch; // for some of them
#endif
    } windows[SVM_WINDOWS];
#if SVM_MAPPED_HAVE(LOGS)
    svm_Log *logs[SVM_KERNEL_LOGS];
#endif
} svm_RoundKernel;

#if SVM_MAPPED_HAVE(LOOPS)
// The strips of a run, one after the other, as its kernel goes through them:
//
//     svm_RoundStrips strips = {.run = self, .group = 4096};
//     while (svm_roundNextStrip(&strips)) {
//         float *in = strips.items[0], *out = strips.items[1];
//         ... // self->steady steady states
//     }
typedef struct svm_RoundStrips {
    svm_RoundKernel *run;
    ptrdiff_t group;          // steady states that files are read and written for at once
    void *items[SVM_WINDOWS]; // where those of the strip at hand begin, by window
    bool begun, counts;       // a strip is at hand; it is what is in no steady states
    ptrdiff_t left;           // steady states, with those of the strip at hand
    ptrdiff_t ready, there;   // of those that files were read for: left; in all
} svm_RoundStrips;

#if SVM_MAPPED_HAVE(READS)
// Reads so many items of a window, if they are in a file.
static inline void svm_roundReadItems(svm_RoundStrips *strips, int w, ptrdiff_t count)
{
    const svm_RoundKernel *run = strips->run;
    if (run->windows[w].reader == NULL)
        return;
    strips->items[w] = svm_blockData(run->windows[w].scratch);
    svm_readerReadAt(run->windows[w].reader, run->windows[w].at, run->windows[w].first, strips->items[w], count);
}
#endif

#if SVM_MAPPED_HAVE(FILES)
// The next group of steady states: files are read for it, and what is for files goes elsewhere first.
static inline void svm_roundBeginGroup(svm_RoundStrips *strips)
{
    svm_RoundKernel *run = strips->run;
    strips->ready = strips->there = strips->left < strips->group ? strips->left : strips->group;
    for (int w = 0; w < SVM_WINDOWS; w++) {
#if SVM_MAPPED_HAVE(READS)
        svm_roundReadItems(strips, w, strips->there * run->windows[w].step + run->windows[w].delay);
        if (run->windows[w].reader != NULL)
            run->windows[w].first += strips->there * run->windows[w].step;
#endif
#if SVM_MAPPED_HAVE(WRITES)
        if (run->windows[w].writer != NULL)
            strips->items[w] = svm_blockData(run->windows[w].scratch);
#endif
    }
}
#endif

#if SVM_MAPPED_HAVE(WRITES)
static inline void svm_roundEndGroup(svm_RoundStrips *strips)
{
    svm_RoundKernel *run = strips->run;
    for (int w = 0; w < SVM_WINDOWS; w++) {
        if (run->windows[w].writer == NULL)
            continue;
        svm_writerWriteAt(run->windows[w].writer, run->windows[w].at, run->windows[w].first,
                          svm_blockData(run->windows[w].scratch), strips->there * run->windows[w].step);
        run->windows[w].first += strips->there * run->windows[w].step;
    }
}
#endif

// A run that primes, or one by itself, begins with what is in no steady states.
static inline void svm_roundFirstStrip(svm_RoundStrips *strips)
{
    const svm_RoundKernel *run = strips->run;
    strips->begun = true;
    strips->counts = run->counted;
    strips->left = run->states;
    for (int w = 0; w < SVM_WINDOWS && run->windows[w].items != NULL; w++) {
        strips->items[w] = (char *)svm_blockData(run->windows[w].items) + run->windows[w].from * run->windows[w].size;
#if SVM_MAPPED_HAVE(READS) && SVM_MAPPED_HAVE(PRIMES)
        if (run->counted)
            svm_roundReadItems(strips, w, run->windows[w].primed);
#endif
    }
}

// A strip is over: the next one's items lie behind its own.
static inline void svm_roundEndStrip(svm_RoundStrips *strips)
{
    svm_RoundKernel *run = strips->run;
    for (int w = 0; w < SVM_WINDOWS && run->windows[w].items != NULL; w++) {
        ptrdiff_t items = run->steady * run->windows[w].step;
#if SVM_MAPPED_HAVE(REPEATS)
        if (strips->counts && run->windows[w].primed != 0)
            items = run->windows[w].primed - run->states * run->windows[w].step - run->windows[w].delay;
#endif
        strips->items[w] = (char *)strips->items[w] + items * run->windows[w].size;
    }
    strips->left -= run->steady;
#if SVM_MAPPED_HAVE(FILES)
    strips->ready -= run->steady;
#endif
#if SVM_MAPPED_HAVE(WRITES)
    if (!strips->counts && strips->ready == 0)
        svm_roundEndGroup(strips);
#endif
    if (!strips->counts)
        return;
    strips->counts = run->starting = false;
    strips->ready = run->states; // priming has read for them, too
#if SVM_MAPPED_HAVE(COUNTS)
    memset(run->firings, 0, sizeof run->firings);
#endif
}

// The next strip of a run, whose steady states self->steady are, 0 for what is in none; false: there is no more.
static inline bool svm_roundNextStrip(svm_RoundStrips *strips)
{
    svm_RoundKernel *run = strips->run;
    if (strips->begun)
        svm_roundEndStrip(strips);
    else
        svm_roundFirstStrip(strips);
    if (strips->counts)
        return true;
#if SVM_MAPPED_HAVE(HALOS) && SVM_MAPPED_HAVE(DIRECT)
    for (int w = 0; w < SVM_WINDOWS && strips->left == 0; w++)
        if (run->windows[w].history != NULL)
            svm_blockTail(run->windows[w].history, run->windows[w].items);
#endif
    if (strips->left == 0)
        return false;
#if SVM_MAPPED_HAVE(FILES)
    if (strips->ready == 0)
        svm_roundBeginGroup(strips);
#endif
    const ptrdiff_t strip = SVM_STRIP;
    run->steady = strips->left < strip ? strips->left : strip;
    return true;
}
#endif

// A window of a run: its items there in the queue, here in the processor's memory, and what moves them.
typedef struct svm_RoundWindow {
    svm_Block there;
#if SVM_MAPPED_HAVE(MOVED)
    svm_Block here;
    svm_MoveB2B move;
#endif
#if SVM_MAPPED_HAVE(HALOS)
    svm_Block history; // where the next round finds the last items; without elements: it does not
#endif
#if SVM_MAPPED_HAVE(HALOS) && SVM_MAPPED_HAVE(MOVED)
    svm_Block last; // these items here
    svm_MoveB2B keep;
#endif
} svm_RoundWindow;

// A run of a kernel.
typedef struct svm_RoundRun {
    svm_RoundKernel run;
    int kernel;
    const svm_RoundEnd *ends; // of its windows
    int count;
    bool moves;           // its processor does not reach the queues
    bool alone;           // it is of the initialisation and the end of input: its windows are in the queues
    int processor, block; // where its windows are
    svm_RoundWindow windows[SVM_WINDOWS];
} svm_RoundRun;

#if SVM_MAPPED_HAVE(FAILS)
#include <svm/strip.h>
// Copies what a kernel keeps before its first run of a round.
typedef struct svm_RoundKeep {
    svm_Kernel kernel;
    svm_Block *own, kept;
    int first, count; // in svm_roundKept
    int64_t round;    // number of the round that it was started for
} svm_RoundKeep;
#endif

#if SVM_MAPPED_AGAIN
// Rounds that come again and again: a period is one of each slot. Their items lie in files, or in two stretches of memory
// for each queue that a file fills or that goes to one, which are used in turn.
enum { SVM_PERIOD = SVM_SLOTS * SVM_ROUND };
typedef struct svm_RoundsAgain {
    svm_Sequence *runs; // of a period; NULL: it is not made yet
    bool refused;
    bool adds;             // the rounds that are started are added to it,
    int added;             // so many until now
    bool began;            // some are under way, or were not written yet
    int64_t most, periods; // at once: at most, and next time
    int turn;
    struct {
        size_t memory; // of both stretches; 0: they are not there
        svm_Block rounds;
        bool mapped;   // the rounds lie in the file
        int64_t stays; // of an output: periods whose items are to be written
    } places[SVM_INPUTS + SVM_OUTPUTS][2];
} svm_RoundsAgain;
#endif

// One running program.
typedef struct svm_Rounds {
    bool started, ended;       // the initialisation has run; input has ended
    bool placed;               // the next round's slots have what it needs of the one before
    int64_t steadyStates;      // run so far, or started
    int64_t iterations;        // steady states still asked for in this call of run
    int64_t round;             // the next
    int64_t states[SVM_SLOTS]; // steady states of the round under way; 0: there is none
#if SVM_MAPPED_LONG
    int64_t last; // of the round before the next
    bool isLong;  // the round that is begun is longer than queues have room for
#endif
#if SVM_MAPPED_THREADS
    svm_Threads threads; // as long as they wait, rounds are short, and what they do the first chunk of each kernel does
    int64_t few;         // steady states of the next round then
    int64_t before;      // and of the one before
    bool follows[SVM_KERNELS]; // the kernel's first chunk has the steady states before the next round in its channels
#endif
    size_t memory;                           // where the queues lie
    svm_Block queues[SVM_QUEUES][SVM_SLOTS]; // in the order of svm_roundQueues
    size_t base[SVM_QUEUES][SVM_SLOTS];      // where the round's first item lies: in the slot, or in a file's pages
    bool mapped[SVM_QUEUES][SVM_SLOTS];      // engines take the round's items from these, or put them there
    bool claimed[SVM_QUEUES][SVM_SLOTS];     // kernels take the round's items from the file, or write them there
    int64_t places[SVM_QUEUES][SVM_SLOTS];   // where in it they are
    size_t ownMemory[SVM_PROCESSORS];        // where each processor's own begins in its memory
    svm_Block own[SVM_PROCESSORS];
    int turn[SVM_KERNELS][SVM_PROCESSORS]; // of the blocks of a processor's windows
#if SVM_MAPPED_HAVE(FILES)
    svm_Block scratch[SVM_ENDS][SVM_PROCESSORS]; // where items from files or for them lie
#endif
#if SVM_MAPPED_HAVE(PRIMES)
    svm_RoundRun primings[SVM_SLOTS][SVM_CHUNKS]; // of a round: what primes each chunk
#endif
    svm_RoundRun runs[SVM_SLOTS][SVM_RUNS]; // chunk after chunk
#if SVM_MAPPED_HAVE(PHASES)
    svm_RoundRun alone[SVM_KERNELS]; // of the initialisation and the end of input
#endif
#if SVM_MAPPED_HAVE(INPUT)
    svm_Input readers[SVM_READERS];
#endif
#if SVM_MAPPED_HAVE(OUTPUT)
    svm_Writer writers[SVM_WRITERS];
#endif
#if SVM_MAPPED_AGAIN
    svm_RoundsAgain again;
#endif
#if SVM_MAPPED_HAVE(LOGS)
    svm_Log texts[SVM_LOGS]; // of the actors that print, in order
    svm_Log *logs[SVM_LOGS];
#endif
#if SVM_MAPPED_HAVE(START)
    svm_Log start;
#endif
#if SVM_MAPPED_HAVE(FAILS)
    svm_Strip strip;            // what is under way
    int64_t issued;             // rounds
    int64_t numbers[SVM_SLOTS]; // of the rounds under way, among these
    int64_t befores[SVM_SLOTS]; // steady states before them
    int64_t all[SVM_SLOTS];     // of the rounds of which all runs are started, the latest
    size_t keptMemory;
    svm_RoundKeep keeps[SVM_SLOTS][SVM_KERNELS];
    struct {
        bool begun;       // rounds are done again
        int slot, source; // in this one, and which of them is
        int64_t done;     // steady states of it; and of those behind, so many are there
        int64_t taken;
    } failing;
#endif
} svm_Rounds;
