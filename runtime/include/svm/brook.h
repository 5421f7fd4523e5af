// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams of finite graphs: handles with shapes, and what host programs do with them. The Brook front end rewrites host
// code to calls of this header; C programs may call it too.
//
// A finite filter F of stream IR (docs/stream-ir.md) is compiled to
//
//     void brook_F(const svm_BrookPlace *at, PARAMETERS);
//
// with a parameter for each of its fields that are one, in their order:
//
//     uniform    a scalar: int32_t, float or double; a struct: const void * to its fields without gaps
//     in         svm_BrookStream, or an iterator, whose values are then put into a stream first
//     out        svm_BrookStream
//     gather     svm_BrookStream, or an iterator likewise
//     iterator   svm_BrookStream made by svm_brookIterator
//     inside     svm_BrookStream, of which nothing but the shape is looked at; the function of a filter that has one gives
//                _Bool: false if it has done nothing, because shapes differ or streams share storage
//     variable   svm_BrookStream *, which gets a new stream of as many elements as were pushed
//     reduced    void * to a value of its type, which gets the whole stream's; a filter that has one is compiled to
//                two functions, of which brook_F_partial takes a svm_BrookStream here
//
// and, for a reduction without other parameters, to void brook_F_one(const void *element, void *accumulator): one firing.
//
// Errors stop the program with status 1 and one line, "FILE:LINE: error: ...", of the place `at`.
#ifndef SVM_BROOK_H
#define SVM_BROOK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SVM_BROOK_RANK = 4 }; // dimensions at most

// Where a call stands in the source.
typedef struct svm_BrookPlace {
    const char *file;
    int line;
} svm_BrookPlace;
#define SVM_BROOK_HERE (&(const svm_BrookPlace){__FILE__, __LINE__})

// An element: its scalars one after the other without gaps, a letter each:
//     f float, d double, i int, u unsigned int, c signed char, b unsigned char, x fixed (a byte), y shortfixed (2 bytes)
typedef struct svm_BrookType {
    const char *name;   // for messages: "float4"
    const char *leaves; // "ffff"
} svm_BrookType;
size_t svm_brookTypeSize(const svm_BrookType *type);

// What handles of one stream share; counted by those that own it. Private.
typedef struct svm_BrookStorage svm_BrookStorage;

// A handle: all of a stream, or a view of it. Copied by = it is borrowed: valid while the one that it was copied from
// is. Extents and pitches (in elements) are of the slowest dimension first.
typedef struct svm_BrookStream {
    svm_BrookStorage *storage; // NULL: of no stream
    const char *name;          // of the variable, for messages
    ptrdiff_t offset;          // of the first element
    ptrdiff_t extent[SVM_BROOK_RANK], pitch[SVM_BROOK_RANK];
    int rank;
} svm_BrookStream;

// ---- Handles ----

// A new stream that the handle owns. Its elements are not set. Extents may be 0.
svm_BrookStream svm_brookMake(const svm_BrookPlace *at, const char *name, const svm_BrookType *type, int rank,
                              const ptrdiff_t *extents);
// An iterator: of rank 1, element i is from + i * (to - from) / extent in each component; of a higher rank component k
// (0: x) goes so along the k-th fastest dimension. components: floats of an element.
svm_BrookStream svm_brookIterator(const svm_BrookPlace *at, const char *name, const svm_BrookType *type, int rank,
                                  const ptrdiff_t *extents, const float *from, const float *to);
// The same stream once more, with its own name, owned: for parameters and variables that may be bound anew.
svm_BrookStream svm_brookShare(const char *name, svm_BrookStream s);
// Gives up what the handle owns; of none: nothing. For __attribute__((cleanup(svm_brookRelease))).
void svm_brookRelease(svm_BrookStream *s);
// "to = from": to gives up what it owned and shares from's.
void svm_brookAssign(svm_BrookStream *to, svm_BrookStream from);
void svm_brookSwap(const svm_BrookPlace *at, svm_BrookStream *a, svm_BrookStream *b);
// A borrowed view: elements lo <= i < hi, in as many dimensions as the stream has, the fastest (x) first.
svm_BrookStream svm_brookDomain(const svm_BrookPlace *at, svm_BrookStream s, int rank, const int *lo, const int *hi);

// ---- Elements ----

// From and to host memory, in order, as many elements as the stream or view has.
void svm_brookRead(const svm_BrookPlace *at, svm_BrookStream s, const void *from);
void svm_brookWrite(const svm_BrookPlace *at, svm_BrookStream s, void *to);
// As the language prints: the whole stream that s is a view of, to standard output.
void svm_brookPrint(const svm_BrookPlace *at, svm_BrookStream s);
// Extents, the fastest first; 0 for dimensions that it has not.
void svm_brookSize(svm_BrookStream s, float size[SVM_BROOK_RANK]);
// Elements of the view.
size_t svm_brookCount(svm_BrookStream s);

// combine: brook_F_one of a reduction F. Both as Brook has them: for each p in order, fetch-and-op sets
// to[p] = from[index[p]] and combines to's element into from's; the other does to[p] = combine(from[index[p]], to[p]).
typedef void svm_BrookCombine(const void *element, void *accumulator);
void svm_brookScatterOp(const svm_BrookPlace *at, svm_BrookStream to, svm_BrookStream index, svm_BrookStream from,
                        svm_BrookCombine *combine);
void svm_brookGatherOp(const svm_BrookPlace *at, svm_BrookStream to, svm_BrookStream index, svm_BrookStream from,
                       svm_BrookCombine *combine);

// Memory aligned to 32 bytes.
void *svm_brookMalloc(size_t bytes);
void *svm_brookCalloc(size_t count, size_t size);
void *svm_brookRealloc(void *memory, size_t bytes);
void svm_brookFree(void *memory);

// Around a loop that does little but to call kernels: a call in it may wait for the next one, so that both are done
// together, row by row. Behind it, all is as if it had not. For __attribute__((cleanup(svm_brookEndRounds))).
int svm_brookBeginRounds(void);
void svm_brookEndRounds(const int *number);

// "FILE:LINE: error: ..." and the end.
_Noreturn void svm_brookFail(const svm_BrookPlace *at, const char *format, ...) __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif

#endif
