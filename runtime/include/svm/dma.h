// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DMA kernels (SVM paper 3.1): the kernels that DMA engines run. They are kernels in every way: dependences, running,
// waiting, pausing. Included by svm/svm.h only.
//
// Each kind comes in four combinations of blocks (B) and streams (S). Their fields may be changed between runs.
// Misuse, found before anything is touched: an engine that does not reach a memory or cannot make this kind of
// transfer, objects of different element sizes, elements outside a block, addresses and lengths that are no multiples
// of what the engine works with, a stream that ends too early or was ended. Where source and destination overlap the
// result is as if one group of elements after the other had been read and written; a move between blocks is made as a
// whole.
#ifndef SVM_DMA_H
#define SVM_DMA_H

// ---- Moves ----

// Blocks are moved whole: two blocks, or a block and what a stream brings, have the same element size and length. A
// move from a stream that ends before its length is misuse.
typedef struct svm_MoveB2B {
    svm_Kernel kernel;
    svm_Block *source, *destination;
} svm_MoveB2B;
typedef struct svm_MoveS2S {
    svm_Kernel kernel;
    svm_Stream *source, *destination;
    size_t length;
} svm_MoveS2S;
typedef struct svm_MoveB2S {
    svm_Kernel kernel;
    svm_Block *source;
    svm_Stream *destination;
} svm_MoveB2S;
typedef struct svm_MoveS2B {
    svm_Kernel kernel;
    svm_Stream *source;
    svm_Block *destination;
} svm_MoveS2B;
void svm_moveB2BInit(svm_MoveB2B *k, mm_Proc dma, svm_Block *source, svm_Block *destination);
void svm_moveS2SInit(svm_MoveS2S *k, mm_Proc dma, svm_Stream *source, svm_Stream *destination, size_t length);
void svm_moveB2SInit(svm_MoveB2S *k, mm_Proc dma, svm_Block *source, svm_Stream *destination);
void svm_moveS2BInit(svm_MoveS2B *k, mm_Proc dma, svm_Stream *source, svm_Block *destination);

// ---- Strided gather and scatter ----

// `repeats` groups of `records` elements: a gather reads the groups from its source, each beginning `stride` elements
// after the beginning of the one before, the first at element `offset` (0 at first), and writes them to its destination
// one after the other from element 0. A scatter reads in order and writes in groups. A gather ends after the last
// element that it takes, a scatter after the last that it writes.
//
// In a block groups may overlap (stride < records; 0: always the same group). A stream cannot go back, so there
// stride is at least records (unless repeats is 1); elements before the first group and between groups are popped and
// dropped by a gather, and pushed as zero bytes by a scatter.
typedef struct svm_GatherStridedB2B {
    svm_Kernel kernel;
    svm_Block *source, *destination;
    size_t offset, records, stride, repeats;
} svm_GatherStridedB2B;
typedef struct svm_GatherStridedS2S {
    svm_Kernel kernel;
    svm_Stream *source, *destination;
    size_t offset, records, stride, repeats;
} svm_GatherStridedS2S;
typedef struct svm_GatherStridedB2S {
    svm_Kernel kernel;
    svm_Block *source;
    svm_Stream *destination;
    size_t offset, records, stride, repeats;
} svm_GatherStridedB2S;
typedef struct svm_GatherStridedS2B {
    svm_Kernel kernel;
    svm_Stream *source;
    svm_Block *destination;
    size_t offset, records, stride, repeats;
} svm_GatherStridedS2B;
void svm_gatherStridedB2BInit(svm_GatherStridedB2B *k, mm_Proc dma, svm_Block *source, svm_Block *destination,
                              size_t records, size_t stride, size_t repeats);
void svm_gatherStridedS2SInit(svm_GatherStridedS2S *k, mm_Proc dma, svm_Stream *source, svm_Stream *destination,
                              size_t records, size_t stride, size_t repeats);
void svm_gatherStridedB2SInit(svm_GatherStridedB2S *k, mm_Proc dma, svm_Block *source, svm_Stream *destination,
                              size_t records, size_t stride, size_t repeats);
void svm_gatherStridedS2BInit(svm_GatherStridedS2B *k, mm_Proc dma, svm_Stream *source, svm_Block *destination,
                              size_t records, size_t stride, size_t repeats);
typedef struct svm_ScatterStridedB2B {
    svm_Kernel kernel;
    svm_Block *source, *destination;
    size_t offset, records, stride, repeats;
} svm_ScatterStridedB2B;
typedef struct svm_ScatterStridedS2S {
    svm_Kernel kernel;
    svm_Stream *source, *destination;
    size_t offset, records, stride, repeats;
} svm_ScatterStridedS2S;
typedef struct svm_ScatterStridedB2S {
    svm_Kernel kernel;
    svm_Block *source;
    svm_Stream *destination;
    size_t offset, records, stride, repeats;
} svm_ScatterStridedB2S;
typedef struct svm_ScatterStridedS2B {
    svm_Kernel kernel;
    svm_Stream *source;
    svm_Block *destination;
    size_t offset, records, stride, repeats;
} svm_ScatterStridedS2B;
void svm_scatterStridedB2BInit(svm_ScatterStridedB2B *k, mm_Proc dma, svm_Block *source, svm_Block *destination,
                               size_t records, size_t stride, size_t repeats);
void svm_scatterStridedS2SInit(svm_ScatterStridedS2S *k, mm_Proc dma, svm_Stream *source, svm_Stream *destination,
                               size_t records, size_t stride, size_t repeats);
void svm_scatterStridedB2SInit(svm_ScatterStridedB2S *k, mm_Proc dma, svm_Block *source, svm_Stream *destination,
                               size_t records, size_t stride, size_t repeats);
void svm_scatterStridedS2BInit(svm_ScatterStridedS2B *k, mm_Proc dma, svm_Stream *source, svm_Block *destination,
                               size_t records, size_t stride, size_t repeats);

// ---- Indexed gather and scatter ----

// What an indexed scatter does with the element that is there. All but SVM_REPLACE need elements of their type's size.
// Integers wrap; the minimum and maximum of floating-point numbers are svm_fmin and svm_fmax (svm/arith.h). Also the
// operations of reductions (svm/instructions.h, svm/nodes.h).
typedef enum svm_Operation {
    SVM_REPLACE,
    SVM_ADD_INT32,
    SVM_MIN_INT32,
    SVM_MAX_INT32,
    SVM_ADD_INT64,
    SVM_MIN_INT64,
    SVM_MAX_INT64,
    SVM_ADD_FLOAT,
    SVM_MIN_FLOAT,
    SVM_MAX_FLOAT,
    SVM_ADD_DOUBLE,
    SVM_MIN_DOUBLE,
    SVM_MAX_DOUBLE
} svm_Operation;
// into[i] = into[i] op with[i], for count elements at any addresses. For kernels and control code.
void svm_combine(svm_Operation operation, void *into, const void *with, size_t count);

// `length` groups of `records` elements (1 at first): index i means the group that begins at element i * records of
// the block that is accessed at random, the source of a gather, the destination of a scatter. Indices are int32_t or
// int64_t by the element size of the object they come from, and are taken from there in order, a block's from element
// 0. X2Y: indices come from X (block or stream); a gather writes its groups to Y, a scatter reads them from Y, in
// order. A scatter combines the elements with those there in the order of the indices, so the result is the same in
// every run. An index outside the block is misuse, reported with its position when it is met.
typedef struct svm_GatherIndexedB2B {
    svm_Kernel kernel;
    svm_Block *source, *indices, *destination;
    size_t length, records;
} svm_GatherIndexedB2B;
typedef struct svm_GatherIndexedS2S {
    svm_Kernel kernel;
    svm_Block *source;
    svm_Stream *indices, *destination;
    size_t length, records;
} svm_GatherIndexedS2S;
typedef struct svm_GatherIndexedB2S {
    svm_Kernel kernel;
    svm_Block *source, *indices;
    svm_Stream *destination;
    size_t length, records;
} svm_GatherIndexedB2S;
typedef struct svm_GatherIndexedS2B {
    svm_Kernel kernel;
    svm_Block *source;
    svm_Stream *indices;
    svm_Block *destination;
    size_t length, records;
} svm_GatherIndexedS2B;
void svm_gatherIndexedB2BInit(svm_GatherIndexedB2B *k, mm_Proc dma, svm_Block *source, svm_Block *indices,
                              svm_Block *destination, size_t length);
void svm_gatherIndexedS2SInit(svm_GatherIndexedS2S *k, mm_Proc dma, svm_Block *source, svm_Stream *indices,
                              svm_Stream *destination, size_t length);
void svm_gatherIndexedB2SInit(svm_GatherIndexedB2S *k, mm_Proc dma, svm_Block *source, svm_Block *indices,
                              svm_Stream *destination, size_t length);
void svm_gatherIndexedS2BInit(svm_GatherIndexedS2B *k, mm_Proc dma, svm_Block *source, svm_Stream *indices,
                              svm_Block *destination, size_t length);
typedef struct svm_ScatterIndexedB2B {
    svm_Kernel kernel;
    svm_Block *source, *indices, *destination;
    size_t length, records;
    svm_Operation combine; // SVM_REPLACE at first
} svm_ScatterIndexedB2B;
typedef struct svm_ScatterIndexedS2S {
    svm_Kernel kernel;
    svm_Stream *source, *indices;
    svm_Block *destination;
    size_t length, records;
    svm_Operation combine; // SVM_REPLACE at first
} svm_ScatterIndexedS2S;
typedef struct svm_ScatterIndexedB2S {
    svm_Kernel kernel;
    svm_Stream *source;
    svm_Block *indices, *destination;
    size_t length, records;
    svm_Operation combine; // SVM_REPLACE at first
} svm_ScatterIndexedB2S;
typedef struct svm_ScatterIndexedS2B {
    svm_Kernel kernel;
    svm_Block *source;
    svm_Stream *indices;
    svm_Block *destination;
    size_t length, records;
    svm_Operation combine; // SVM_REPLACE at first
} svm_ScatterIndexedS2B;
void svm_scatterIndexedB2BInit(svm_ScatterIndexedB2B *k, mm_Proc dma, svm_Block *source, svm_Block *indices,
                               svm_Block *destination, size_t length);
void svm_scatterIndexedS2SInit(svm_ScatterIndexedS2S *k, mm_Proc dma, svm_Stream *source, svm_Stream *indices,
                               svm_Block *destination, size_t length);
void svm_scatterIndexedB2SInit(svm_ScatterIndexedB2S *k, mm_Proc dma, svm_Stream *source, svm_Block *indices,
                               svm_Block *destination, size_t length);
void svm_scatterIndexedS2BInit(svm_ScatterIndexedS2B *k, mm_Proc dma, svm_Block *source, svm_Stream *indices,
                               svm_Block *destination, size_t length);

// ---- The same, with the place of the call (svm/places.h) ----

void svm_combineAt(svm_Operation operation, void *into, const void *with, size_t count, const char *file, int line);
void svm_moveB2BInitAt(svm_MoveB2B *k, mm_Proc dma, svm_Block *source, svm_Block *destination, const char *file,
                       int line);
void svm_moveS2SInitAt(svm_MoveS2S *k, mm_Proc dma, svm_Stream *source, svm_Stream *destination, size_t length,
                       const char *file, int line);
void svm_moveB2SInitAt(svm_MoveB2S *k, mm_Proc dma, svm_Block *source, svm_Stream *destination, const char *file,
                       int line);
void svm_moveS2BInitAt(svm_MoveS2B *k, mm_Proc dma, svm_Stream *source, svm_Block *destination, const char *file,
                       int line);
void svm_gatherStridedB2BInitAt(svm_GatherStridedB2B *k, mm_Proc dma, svm_Block *source, svm_Block *destination,
                                size_t records, size_t stride, size_t repeats, const char *file, int line);
void svm_gatherStridedS2SInitAt(svm_GatherStridedS2S *k, mm_Proc dma, svm_Stream *source, svm_Stream *destination,
                                size_t records, size_t stride, size_t repeats, const char *file, int line);
void svm_gatherStridedB2SInitAt(svm_GatherStridedB2S *k, mm_Proc dma, svm_Block *source, svm_Stream *destination,
                                size_t records, size_t stride, size_t repeats, const char *file, int line);
void svm_gatherStridedS2BInitAt(svm_GatherStridedS2B *k, mm_Proc dma, svm_Stream *source, svm_Block *destination,
                                size_t records, size_t stride, size_t repeats, const char *file, int line);
void svm_scatterStridedB2BInitAt(svm_ScatterStridedB2B *k, mm_Proc dma, svm_Block *source, svm_Block *destination,
                                 size_t records, size_t stride, size_t repeats, const char *file, int line);
void svm_scatterStridedS2SInitAt(svm_ScatterStridedS2S *k, mm_Proc dma, svm_Stream *source, svm_Stream *destination,
                                 size_t records, size_t stride, size_t repeats, const char *file, int line);
void svm_scatterStridedB2SInitAt(svm_ScatterStridedB2S *k, mm_Proc dma, svm_Block *source, svm_Stream *destination,
                                 size_t records, size_t stride, size_t repeats, const char *file, int line);
void svm_scatterStridedS2BInitAt(svm_ScatterStridedS2B *k, mm_Proc dma, svm_Stream *source, svm_Block *destination,
                                 size_t records, size_t stride, size_t repeats, const char *file, int line);
void svm_gatherIndexedB2BInitAt(svm_GatherIndexedB2B *k, mm_Proc dma, svm_Block *source, svm_Block *indices,
                                svm_Block *destination, size_t length, const char *file, int line);
void svm_gatherIndexedS2SInitAt(svm_GatherIndexedS2S *k, mm_Proc dma, svm_Block *source, svm_Stream *indices,
                                svm_Stream *destination, size_t length, const char *file, int line);
void svm_gatherIndexedB2SInitAt(svm_GatherIndexedB2S *k, mm_Proc dma, svm_Block *source, svm_Block *indices,
                                svm_Stream *destination, size_t length, const char *file, int line);
void svm_gatherIndexedS2BInitAt(svm_GatherIndexedS2B *k, mm_Proc dma, svm_Block *source, svm_Stream *indices,
                                svm_Block *destination, size_t length, const char *file, int line);
void svm_scatterIndexedB2BInitAt(svm_ScatterIndexedB2B *k, mm_Proc dma, svm_Block *source, svm_Block *indices,
                                 svm_Block *destination, size_t length, const char *file, int line);
void svm_scatterIndexedS2SInitAt(svm_ScatterIndexedS2S *k, mm_Proc dma, svm_Stream *source, svm_Stream *indices,
                                 svm_Block *destination, size_t length, const char *file, int line);
void svm_scatterIndexedB2SInitAt(svm_ScatterIndexedB2S *k, mm_Proc dma, svm_Stream *source, svm_Block *indices,
                                 svm_Block *destination, size_t length, const char *file, int line);
void svm_scatterIndexedS2BInitAt(svm_ScatterIndexedS2B *k, mm_Proc dma, svm_Block *source, svm_Stream *indices,
                                 svm_Block *destination, size_t length, const char *file, int line);

#ifndef SVM_NO_PLACES
#define svm_combine(...) svm_combineAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_moveB2BInit(...) svm_moveB2BInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_moveS2SInit(...) svm_moveS2SInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_moveB2SInit(...) svm_moveB2SInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_moveS2BInit(...) svm_moveS2BInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_gatherStridedB2BInit(...) svm_gatherStridedB2BInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_gatherStridedS2SInit(...) svm_gatherStridedS2SInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_gatherStridedB2SInit(...) svm_gatherStridedB2SInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_gatherStridedS2BInit(...) svm_gatherStridedS2BInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_scatterStridedB2BInit(...) svm_scatterStridedB2BInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_scatterStridedS2SInit(...) svm_scatterStridedS2SInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_scatterStridedB2SInit(...) svm_scatterStridedB2SInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_scatterStridedS2BInit(...) svm_scatterStridedS2BInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_gatherIndexedB2BInit(...) svm_gatherIndexedB2BInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_gatherIndexedS2SInit(...) svm_gatherIndexedS2SInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_gatherIndexedB2SInit(...) svm_gatherIndexedB2SInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_gatherIndexedS2BInit(...) svm_gatherIndexedS2BInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_scatterIndexedB2BInit(...) svm_scatterIndexedB2BInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_scatterIndexedS2SInit(...) svm_scatterIndexedS2SInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_scatterIndexedB2SInit(...) svm_scatterIndexedB2SInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_scatterIndexedS2BInit(...) svm_scatterIndexedS2BInitAt(__VA_ARGS__, __FILE__, __LINE__)
#endif

#endif
