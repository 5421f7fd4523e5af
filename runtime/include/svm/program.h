// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs emitted by the high-level compiler need beside the SVM API: the arithmetic that C leaves open, channels
// kept in blocks, readers and writers, printing in canonical order, the count of firings when input ends, and a thin
// main. Part of the host and sim runtimes; every function says on which side it may be called: K in kernels, C in
// control code.
#ifndef SVM_PROGRAM_H
#define SVM_PROGRAM_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "svm/arith.h" // K: svm_idiv, svm_irem, svm_f2i, svm_d2i, svm_shl, svm_shr, svm_Complex and its operations, ...
#include "svm/steps.h"
#include "svm/svm.h"

// That a comparison is always true is what the stream program says.
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic ignored "-Wtautological-compare"
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Of functions that stages of a kernel call: a C compiler that inlined them all would be busy for long, and forget that
// their pointers are restrict.
#if defined(__GNUC__) || defined(__clang__)
#define SVM_OUTLINED __attribute__((noinline))
#else
#define SVM_OUTLINED
#endif

// Of firing functions that have functions of svm/elementary.h: inlined, the loop around them becomes vectors.
#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(SVM_ELEMENTARY_CALLS)
#define SVM_INLINED __attribute__((always_inline))
#else
#define SVM_INLINED
#endif

// Of conditions that hold once in many firings: where a branch is foreseen, nothing waits for what it asks.
#if defined(__GNUC__) || defined(__clang__)
#define SVM_SELDOM(condition) __builtin_expect(!!(condition), 0)
#else
#define SVM_SELDOM(condition) (condition)
#endif

// Of functions that wait for sums one after the other: their vectors have 32 bytes where the processor's have 64. While such are
// about, Intel's processors leave a unit for quick sums idle.
#if defined(__clang__) && __clang_major__ >= 22 && defined(__AVX512F__) && !defined(__znver4__) &&                     \
    !defined(__znver5__) && !defined(SVM_ELEMENTARY_CALLS)
#define SVM_HALF_VECTORS __attribute__((target("prefer-256-bit")))
#else
#define SVM_HALF_VECTORS
#endif

// x, which a C compiler puts into no vector with its neighbours: an element of a state that the next firing waits for by
// itself. Joined to others it would be there when the last of them is.
static inline float svm_alone(float x)
{
#if defined(__clang__) && defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(SVM_ELEMENTARY_CALLS)
#pragma clang fp reassociate(on) // of nothing but this
    return __arithmetic_fence(x);
#else
    return x;
#endif
}
static inline int svm_aloneInt(int x)
{
#if defined(__clang__) && defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(SVM_ELEMENTARY_CALLS)
    return __builtin_annotation(x, "alone"); // nothing in machine code
#else
    return x;
#endif
}
static inline double svm_aloneDouble(double x)
{
#if defined(__clang__) && defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(SVM_ELEMENTARY_CALLS)
#pragma clang fp reassociate(on)
    return __arithmetic_fence(x);
#else
    return x;
#endif
}

// ---- K: channels in blocks ----

// Moves `count` elements starting at element `from` to the front of the block (regions may overlap): the peek remainder
// of a channel, moved once a strip.
static inline void svm_blockShift(const svm_Block *b, ptrdiff_t from, ptrdiff_t count)
{
    if (from != 0 && count != 0)
        memmove(b->data, b->data + (size_t)from * b->elementSize, (size_t)count * b->elementSize);
}

// So many items go from places that are fromStep items apart to such that are toStep apart. Steps and size are constants
// where this is called, and what copies an item is one load and one store then.
static inline void svm_copyApart(void *to, ptrdiff_t toStep, const void *from, ptrdiff_t fromStep, ptrdiff_t count,
                                 size_t size)
{
    for (ptrdiff_t i = 0; i < count; i++)
        memcpy((char *)to + (size_t)(i * toStep) * size, (const char *)from + (size_t)(i * fromStep) * size, size);
}

// The last elements of a block, as many as `to` has, go there too; to NULL: nowhere.
static inline void svm_blockTail(const svm_Block *to, const svm_Block *from)
{
    if (to != NULL)
        memcpy(to->data, from->data + (from->capacity - to->capacity) * from->elementSize,
               to->capacity * from->elementSize);
}

// C: where a channel lies in a program's memory, how many items it holds and of what size.
typedef struct svm_ChannelPlace {
    size_t address, capacity, itemSize;
    const char *name;
} svm_ChannelPlace;

// C: blocks for so many channels of a program whose memory begins at `address`.
static inline void svm_channelsPlace(svm_Block *channels, const svm_ChannelPlace *places, size_t count, mm_Mem memory,
                                     size_t address)
{
    for (size_t i = 0; i < count; i++) {
        svm_blockInit(&channels[i], memory, address + places[i].address, places[i].capacity, places[i].itemSize);
        svm_blockName(&channels[i], places[i].name);
    }
}

// ---- K: run-time errors of the source program ----

// They print what was printed before them, then "file:line: error: ..." naming the actor, and exit with status 1.
// `where` is a string like "LowPass_1 at fm.str:12". They do not return.
SVM_NORETURN void svm_divideByZero(const char *where);
SVM_NORETURN void svm_rateError(const char *where, const char *what, ptrdiff_t declared, ptrdiff_t done);

// ---- K: random() of the language: one generator per calling actor, in the kernel's state ----

typedef struct svm_Random {
    uint64_t state;
} svm_Random;
#define SVM_RANDOM_INIT {UINT64_C(1182736490827)}
double svm_random(svm_Random *r); // in [0, 1)

// ---- Printing. Each printing actor has one log, zero at first. K appends and marks; C merges after each strip. ----

typedef struct svm_Log {
    char *text; // private
    size_t len, cap;
    size_t *marks; // text length at each mark
    size_t markCount, markCap;
    svm_Machine *machine; // that knows of the log, so that it is printed when the program stops at an error
    const char *tag;      // begins every line, which is written when it is complete; NULL: none
    bool alone;           // private: its text need not wait for that of other logs
} svm_Log;
void svm_printInt(svm_Log *l, int32_t v);                         // K: "%d"
void svm_printFloat(svm_Log *l, double v);                        // K: "%f", nan without its sign
void svm_printIntLine(svm_Log *l, int32_t v);                     // K: "%d\n"
void svm_printFloatLine(svm_Log *l, double v);                    // K: "%f\n"
void svm_printBoolean(svm_Log *l, bool v);                        // K: true / false
void svm_printText(svm_Log *l, const char *s);                    // K
void svm_printBytes(svm_Log *l, const char *bytes, size_t count); // K: of a text that may have zeroes in it
void svm_printMark(svm_Log *l);                                   // K: one steady state of this actor is complete
// C: the canonical order of the logs, told once when they are set up: if the program stops at an error they are printed
// in it. Without it that is the order in which they were first used.
void svm_printOrder(svm_Log *const logs[], size_t count);
// C: writes what the logs hold to standard output, steady state by steady state (mark by mark), in the order of the
// array within each, then the unmarked rest likewise; empties them. A failed write is an error that ends the program
// with status 1.
void svm_printMerge(svm_Log *const logs[], size_t count);
void svm_logDestroy(svm_Log *l); // C: before the log's memory goes

// ---- C: readers and writers ----

// An item's layout in a file: words of 4 (or 8) bytes little-endian; bits packed 8 a byte, most significant first; a
// boolean is a byte. RAW: elementSize bytes of 4-byte words as they lie in memory. In memory a bit is 1 byte (or 4), a
// boolean 1 (or 4).
typedef enum svm_Item {
    SVM_ITEM_INT,
    SVM_ITEM_FLOAT,
    SVM_ITEM_DOUBLE,
    SVM_ITEM_BIT,
    SVM_ITEM_BOOLEAN,
    SVM_ITEM_COMPLEX,
    SVM_ITEM_RAW
} svm_Item;

// What files do not hold of RAW items as it lies in memory: the bytes between members of structs, which are zeroes in
// files, and booleans, of which a file may hold any byte (all but 0 are true). `count` times, `stride` bytes apart.
typedef struct svm_ItemPart {
    uint32_t offset, bytes;
    uint32_t count, stride;
    bool padding; // else booleans
} svm_ItemPart;

// A file whose name ends in ".wav" holds samples instead, the channels interleaved: float and double in [-1, 1], int of
// 16 bits, complex two channels. Written files may be told "x.wav,rate=48000,channels=2,format=pcm16" (or pcm24,
// float); the defaults are 44100, 1 (complex: 2), pcm16, but svm_main takes rate and channels of a program's own output
// from its own input where that is such a file too.
typedef struct svm_Reader {
    const char *path;  // as the source gave it; NULL: the program's own input (standard input or --in=)
    const char *where; // for messages
    svm_Item item;
    size_t elementSize;
    const svm_ItemPart *parts; // of each partUnit bytes of a RAW item; partCount 0: none
    size_t partCount, partUnit;
    bool loop;  // start again at the end of input
    bool ended; // the last read gave fewer items than wanted
    struct svm_ReaderPrivate *private_;
} svm_Reader;
typedef struct svm_Writer {
    const char *path; // NULL: standard output or --out=
    const char *where;
    svm_Item item;
    size_t elementSize;
    const svm_ItemPart *parts;
    size_t partCount, partUnit;
    struct svm_WriterPrivate *private_;
} svm_Writer;

// A file that control code reads for steady states to come.
typedef struct svm_Input {
    svm_Reader file;
    ptrdiff_t held; // items read and not used yet
} svm_Input;

typedef struct svm_Library svm_Library; // svm/library.h

// Settings of one run of a program, from the command line or from the program that embeds it.
typedef struct svm_Settings {
    const char *in, *out; // files for the program's own input and output: raw, or WAV; NULL or "-": standard streams
    bool loopInput;       // --loop-input: sets every reader's loop
    int64_t iterations;   // -i; -1: until a source ends
    bool tagPrints;       // --tag-prints: of programs with dynamic rates
    bool prompt;          // what is written goes to the files at once; the program's own
    svm_Library *library; // private: the program's own input and output are a library's
} svm_Settings;

void svm_readerOpen(svm_Reader *r, const svm_Settings *settings); // settings NULL: none
// Up to count items into memory (which holds the channel's block); gives how many: fewer only at the end of input. A
// file that cannot be read, an item cut short, or an empty file to be looped is an error that ends the program with
// status 1.
ptrdiff_t svm_readerRead(svm_Reader *r, void *items, ptrdiff_t count);
// The block, of which nothing is needed, lies from now on where the reader has the next `count` items, until the reader
// is called again. False: it lies where it was initialised, and svm_readerRead reads what there is.
bool svm_readerLend(svm_Reader *r, svm_Block *block, ptrdiff_t count);
// The same of items that svm_readerThere told of: fewer are an error.
void svm_readerReadAll(svm_Reader *r, void *items, int64_t count);
// So many items are left at least, and come without waiting: those of a regular file.
int64_t svm_readerThere(const svm_Reader *r);
// No item is left (reads ahead if need be).
bool svm_readerAtEnd(svm_Reader *r);
void svm_readerClose(svm_Reader *r);
void svm_writerOpen(svm_Writer *w, const svm_Settings *settings);
void svm_writerWrite(svm_Writer *w, const void *items, ptrdiff_t count);
// The block, of which nothing is needed, lies from now on where its first `count` elements need not be copied by the next
// svm_writerWrite, if there is such a place.
void svm_writerLend(svm_Writer *w, svm_Block *block, ptrdiff_t count);
void svm_writerClose(svm_Writer *w); // pads bits, flushes, reports a full disk or closed pipe

// ---- Items of regular files that kernels read and write themselves, each at its place ----

// C: passes over the next `count` items of the file, if all of them are there and `before` before them; gives the place
// of the first in bytes. They are read in runs whose first items and lengths have no bits but those of `units`. False: it
// is no such file, or kernels are timed, which reading would be part of; then svm_readerRead reads them.
bool svm_readerClaim(svm_Reader *r, int64_t units, int64_t before, int64_t count, int64_t *at);
// K, C: items from the claim's item `first` on; negative: from before it. Those that would lie before the file's first one
// stay as they are.
void svm_readerReadAt(const svm_Reader *r, int64_t at, int64_t first, void *items, int64_t count);
// The same for what is written.
bool svm_writerClaim(svm_Writer *w, int64_t units, int64_t count, int64_t *at);
void svm_writerWriteAt(const svm_Writer *w, int64_t at, int64_t first, void *items,
                       int64_t count); // K, C: spoils the items
// C: the first `count` items that were claimed, or mapped (below), and are not settled yet have been written. A program that
// stops with an error leaves the file as long as what is settled.
void svm_writerSettle(svm_Writer *w, int64_t count);

// ---- C: items of regular files that engines fetch and put where they lie ----

// The next `count` items of the file as memory, if all of them are there; `before` lie before them, zeroes where the file
// has fewer, of up to 64 KiB: `address` is a multiple of `unit` bytes. They may be read until the reader is closed. False:
// it is no such file, or what lies in it is no item of memory's; then svm_readerRead reads them. A file that gets shorter meanwhile is an error when the reader is asked next.
bool svm_readerMap(svm_Reader *r, mm_Mem memory, size_t unit, int64_t before, int64_t count, size_t *address);
// Memory for the next `count` items of the file; what is not written there is zero. False: svm_writerWrite writes them,
// and all others that come later.
bool svm_writerMap(svm_Writer *w, mm_Mem memory, size_t unit, int64_t count, size_t *address);

// ---- C: programs of several processors that have little to do ----

// Where processors are threads, a program begins without them: the calling thread runs the kernels of all processors, one
// after another. When the runs take long enough that threads pay, they get some. Nothing but time depends on it.
typedef struct svm_Threads {
    bool wait;                         // there are none yet
    bool known;                        // private: how much is left was known once
    int rounds;                        // private: 1, 2 or more
    int64_t begun, started, ran, last; // private: nanoseconds
} svm_Threads;
void svm_threadsBegin(svm_Threads *t); // before any kernel is initialised; `wait` stays false where threads do not
void svm_threadsRun(svm_Threads *t, bool over); // as long as they wait: runs are started now; they are over now
// These runs were of so many steady states; there are so many more, which come without waiting, -1: nobody knows. From
// when `wait` is false, kernels that are started run on threads.
void svm_threadsDecide(svm_Threads *t, int64_t states, int64_t left);

// ---- C: runs that come again and again ----

// Runs of kernels, in order, which processors repeat by themselves where they can: then the control program's time does not
// depend on how often. Each run of a kernel depends on the latest runs of those that it depends on, of this time or the one
// before, as if all were run with svm_kernelRun. Kernels keep what they were told when they were added. A move is from and
// to the same place each time; or one side of it is `offset` bytes behind where one of `places` begins, which goes on by a
// step each time.
typedef struct svm_Sequence svm_Sequence;

// NULL: no processor of this runtime repeats anything, or the memory has not so many bytes left, which the program needs
// for it.
svm_Sequence *svm_sequenceCreate(int places, mm_Mem memory, size_t bytes);
void svm_sequenceAdd(svm_Sequence *s, svm_Kernel *k, int place, ptrdiff_t offset); // place -1: none of them
// Nothing is added any more. False: some of it cannot be repeated, and none of it is run.
bool svm_sequenceMade(svm_Sequence *s);
// So many times. It may be run again before it is over; its kernels may be run by themselves when it is.
void svm_sequenceRun(svm_Sequence *s, int64_t times, svm_Block *const places[], const size_t steps[]);
// Until the part `done / of` of its last times is over, about: what the control program does meanwhile comes bit by bit.
void svm_sequencePace(svm_Sequence *s, int64_t done, int64_t of);
// Until the last time it was run is over; all false: or the last but one.
void svm_sequenceWait(svm_Sequence *s, bool all);
void svm_sequenceDestroy(svm_Sequence *s);

// ---- C: how often each actor can still fire when input has ended ----

// The source graph in canonical (topological) order. A firing of an actor needs peek items (at least pop) on each input
// and moves pop / push.
typedef struct svm_Port { // an input
    int32_t channel;
    int32_t peek, pop;
} svm_Port;
typedef struct svm_OutPort {
    int32_t channel;
    int32_t push;
} svm_OutPort;
typedef struct svm_RateTable {
    int32_t actors, channels;
    const int32_t *inputStart; // actors + 1 entries: where an actor's inputs begin in `inputs`
    const svm_Port *inputs;
    const int32_t *outputStart; // actors + 1 entries
    const svm_OutPort *outputs;
    // actors entries: greatest number of firings in this phase (-1: as the input allows). Sources are always limited;
    // an actor that nothing limits does not fire. NULL: all -1.
    const int64_t *limit;
} svm_RateTable;
// Fires actors in order, again and again, as often as their input (tokens, changed in place) and limits allow, until
// nothing can fire; writes how often each fired. limits overrides table->limit when not NULL.
void svm_exhaust(const svm_RateTable *table, int64_t *tokens, const int64_t *limits, int64_t *firings);

// ---- The thin main of an emitted program ----

// What a kernel fires in a steady state, for profiles: "LowPass 5 Matrix 1".
typedef struct svm_KernelFires {
    const char *kernel, *fires;
} svm_KernelFires;

typedef struct svm_Program {
    const char *name;
    void *(*create)(const svm_Settings *settings); // opens files, runs nothing
    // Initialisation before the first; up to iterations steady states (0: initialisation only); false once input has
    // ended.
    bool (*run)(void *self, int64_t iterations);
    void (*drain)(void *self);       // called once if run gave false: fires what the input still allows
    void (*destroy)(void *self);     // closes, frees
    bool reads_input, writes_output; // the top level is not void->void: it has the program's own input / output
    int64_t (*steady_states)(const void *self); // run so far, for --time; may be NULL
    bool dynamic; // it has dynamic rates: drain comes after the last steady state too, and order is that of each actor
    bool prompt;  // it was given a latency to keep: what it writes and prints goes out at once
    const svm_KernelFires *kernels; // behind the last one without a name; NULL: it says nothing of them
    // Samples of sound that a steady state takes from its own input and gives to its own output, if its items are such (a
    // complex item is two); 0: they are not, or their number differs.
    int64_t samples_in, samples_out;
    bool pairs_out;                    // complex items
    const struct svm_Outside *outside; // messages that it takes from outside (svm/messages.h); NULL: none
} svm_Program;
// The drain of a program that fires nothing at the end of input of which anything could be seen.
static inline void svm_drainNothing(void *self)
{
    (void)self;
}
// -i N, --loop-input, --in=FILE, --out=FILE, --set Portal.handler=value (a message before the first firing),
// --control=PATH (messages while it runs), --time (steady states, seconds and items a second to standard error),
// --profile=FILE (times of kernels), --trace=FILE (a timeline), --adversary=SEED (docs/adversary.md), --help. Exit codes 0, 1, 2.
int svm_main(const svm_Program *program, int argc, char **argv);
// The main function of a program; with -DSVM_NO_MAIN there is none.
#ifdef SVM_NO_MAIN
#define SVM_MAIN(program)
#else
#define SVM_MAIN(program)                                                                                              \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        return svm_main(&program, argc, argv);                                                                         \
    }
#endif

#ifdef __cplusplus
}
#endif

#endif
