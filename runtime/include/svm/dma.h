// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DMA kernels (SVM paper 3.1): the kernels that DMA engines run. They are kernels in every way: dependences, running,
// waiting, pausing. Included by svm/svm.h only.
#ifndef SVM_DMA_H
#define SVM_DMA_H

// ---- Moves ----

// Blocks are moved whole: two blocks, or a block and what a stream brings, have the same element size and length. A
// move from a stream that ends before its length is misuse. The fields may be changed between runs.
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

// ---- The same, with the place of the call (svm/places.h) ----

void svm_moveB2BInitAt(svm_MoveB2B *k, mm_Proc dma, svm_Block *source, svm_Block *destination, const char *file,
                       int line);
void svm_moveS2SInitAt(svm_MoveS2S *k, mm_Proc dma, svm_Stream *source, svm_Stream *destination, size_t length,
                       const char *file, int line);
void svm_moveB2SInitAt(svm_MoveB2S *k, mm_Proc dma, svm_Block *source, svm_Stream *destination, const char *file,
                       int line);
void svm_moveS2BInitAt(svm_MoveS2B *k, mm_Proc dma, svm_Stream *source, svm_Block *destination, const char *file,
                       int line);

#ifndef SVM_NO_PLACES
#define svm_moveB2BInit(...) svm_moveB2BInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_moveS2SInit(...) svm_moveS2SInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_moveB2SInit(...) svm_moveB2SInitAt(__VA_ARGS__, __FILE__, __LINE__)
#define svm_moveS2BInit(...) svm_moveS2BInitAt(__VA_ARGS__, __FILE__, __LINE__)
#endif

#endif
