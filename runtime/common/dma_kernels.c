// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The DMA kernels of the API: which fields make which transfer, for each combination of blocks and streams.
#define SVM_NO_PLACES
#include "runtime/common/dma.h"

// By the letters in a kernel's name.
#define OBJECT_B svm_Block
#define OBJECT_S svm_Stream
#define SIDE_B(object) ((svmr_Side){.block = (object)})
#define SIDE_S(object) ((svmr_Side){.stream = (object)})

// Each kernel has a function that makes its transfer of the fields as they are and goes on with it. Those without
// streams (steps false) are called as their run function and need to be called only once.
#define GO_ON(Type, name, ...)                                                                                         \
    static bool step##Type(svm_Kernel *k)                                                                              \
    {                                                                                                                  \
        const svm_##Type *self = (const svm_##Type *)k;                                                                \
        svmr_Transfer t = {.function = name, __VA_ARGS__};                                                             \
        return svmr_transfer(k->private_, &t);                                                                         \
    }                                                                                                                  \
    static void run##Type(svm_Kernel *k)                                                                               \
    {                                                                                                                  \
        step##Type(k);                                                                                                 \
    }
#define INIT(Type, kind, name, steps)                                                                                  \
    svmr_transferInit(k ? &k->kernel : NULL, dma, SVM_TRANSFER_##kind, name, run##Type, step##Type, steps, at)

// ---- Moves: one group ----

#define MOVE(XY, X, Y, steps, length)                                                                                  \
    GO_ON(Move##XY, "svm_move" #XY, .kind = SVM_TRANSFER_MOVE, .from = SIDE_##X(self->source),                         \
          .to = SIDE_##Y(self->destination), .records = (length), .repeats = 1)                                        \
    static void initMove##XY(svm_Move##XY *k, mm_Proc dma, OBJECT_##X *source, OBJECT_##Y *destination, svmr_Place at) \
    {                                                                                                                  \
        svmr_checkSide(SIDE_##X(source), at);                                                                          \
        svmr_checkSide(SIDE_##Y(destination), at);                                                                     \
        INIT(Move##XY, MOVE, "move", steps);                                                                           \
        k->source = source;                                                                                            \
        k->destination = destination;                                                                                  \
    }
MOVE(B2B, B, B, false, 0)
MOVE(S2S, S, S, true, self->length)
MOVE(B2S, B, S, true, 0)
MOVE(S2B, S, B, true, 0)

void svm_moveB2BInitAt(svm_MoveB2B *k, mm_Proc dma, svm_Block *source, svm_Block *destination, const char *file,
                       int line)
{
    initMoveB2B(k, dma, source, destination, SVMR_PLACE("svm_moveB2BInit"));
}

void svm_moveS2SInitAt(svm_MoveS2S *k, mm_Proc dma, svm_Stream *source, svm_Stream *destination, size_t length,
                       const char *file, int line)
{
    initMoveS2S(k, dma, source, destination, SVMR_PLACE("svm_moveS2SInit"));
    k->length = length;
}

void svm_moveB2SInitAt(svm_MoveB2S *k, mm_Proc dma, svm_Block *source, svm_Stream *destination, const char *file,
                       int line)
{
    initMoveB2S(k, dma, source, destination, SVMR_PLACE("svm_moveB2SInit"));
}

void svm_moveS2BInitAt(svm_MoveS2B *k, mm_Proc dma, svm_Stream *source, svm_Block *destination, const char *file,
                       int line)
{
    initMoveS2B(k, dma, source, destination, SVMR_PLACE("svm_moveS2BInit"));
}

// ---- Strided ----

#define STRIDED(Way, way, XY, X, Y, steps)                                                                             \
    GO_ON(Way##Strided##XY, "svm_" #way "Strided" #XY, .kind = SVM_TRANSFER_STRIDED, .scatter = IS_##Way,              \
          .from = SIDE_##X(self->source), .to = SIDE_##Y(self->destination), .offset = self->offset,                   \
          .records = self->records, .stride = self->stride, .repeats = self->repeats)                                  \
    void svm_##way##Strided##XY##InitAt(svm_##Way##Strided##XY *k, mm_Proc dma, OBJECT_##X *source,                    \
                                        OBJECT_##Y *destination, size_t records, size_t stride, size_t repeats,        \
                                        const char *file, int line)                                                    \
    {                                                                                                                  \
        svmr_Place at = SVMR_PLACE("svm_" #way "Strided" #XY "Init");                                                  \
        svmr_checkSide(SIDE_##X(source), at);                                                                          \
        svmr_checkSide(SIDE_##Y(destination), at);                                                                     \
        INIT(Way##Strided##XY, STRIDED, #way, steps);                                                                  \
        k->source = source;                                                                                            \
        k->destination = destination;                                                                                  \
        k->offset = 0;                                                                                                 \
        k->records = records;                                                                                          \
        k->stride = stride;                                                                                            \
        k->repeats = repeats;                                                                                          \
    }                                                                                                                  \
    void svm_##way##Strided##XY##Init(svm_##Way##Strided##XY *k, mm_Proc dma, OBJECT_##X *source,                      \
                                      OBJECT_##Y *destination, size_t records, size_t stride, size_t repeats)          \
    {                                                                                                                  \
        svm_##way##Strided##XY##InitAt(k, dma, source, destination, records, stride, repeats, NULL, 0);                \
    }
#define IS_Gather false
#define IS_Scatter true
#define STRIDED_ALL(Way, way)                                                                                          \
    STRIDED(Way, way, B2B, B, B, false)                                                                                \
    STRIDED(Way, way, S2S, S, S, true)                                                                                 \
    STRIDED(Way, way, B2S, B, S, true)                                                                                 \
    STRIDED(Way, way, S2B, S, B, true)
STRIDED_ALL(Gather, gather)
STRIDED_ALL(Scatter, scatter)

// ---- Indexed: X2Y, where From and To are the letters of source and destination, one of which is Y, the other B ----

#define INDEXED(Way, way, XY, X, From, To, steps, combination, setCombine)                                             \
    GO_ON(Way##Indexed##XY, "svm_" #way "Indexed" #XY, .kind = SVM_TRANSFER_INDEXED, .scatter = IS_##Way,              \
          .from = SIDE_##From(self->source), .to = SIDE_##To(self->destination), .indices = SIDE_##X(self->indices),   \
          .records = self->records, .repeats = self->length, .combine = combination)                                   \
    void svm_##way##Indexed##XY##InitAt(svm_##Way##Indexed##XY *k, mm_Proc dma, OBJECT_##From *source,                 \
                                        OBJECT_##X *indices, OBJECT_##To *destination, size_t length,                  \
                                        const char *file, int line)                                                    \
    {                                                                                                                  \
        svmr_Place at = SVMR_PLACE("svm_" #way "Indexed" #XY "Init");                                                  \
        svmr_checkSide(SIDE_##From(source), at);                                                                       \
        svmr_checkSide(SIDE_##X(indices), at);                                                                         \
        svmr_checkSide(SIDE_##To(destination), at);                                                                    \
        INIT(Way##Indexed##XY, INDEXED, #way, steps);                                                                  \
        k->source = source;                                                                                            \
        k->indices = indices;                                                                                          \
        k->destination = destination;                                                                                  \
        k->length = length;                                                                                            \
        k->records = 1;                                                                                                \
        setCombine;                                                                                                    \
    }                                                                                                                  \
    void svm_##way##Indexed##XY##Init(svm_##Way##Indexed##XY *k, mm_Proc dma, OBJECT_##From *source,                   \
                                      OBJECT_##X *indices, OBJECT_##To *destination, size_t length)                    \
    {                                                                                                                  \
        svm_##way##Indexed##XY##InitAt(k, dma, source, indices, destination, length, NULL, 0);                         \
    }
#define GATHER_INDEXED(XY, X, Y, steps) INDEXED(Gather, gather, XY, X, B, Y, steps, SVM_REPLACE, (void)0)
#define SCATTER_INDEXED(XY, X, Y, steps)                                                                               \
    INDEXED(Scatter, scatter, XY, X, Y, B, steps, self->combine, k->combine = SVM_REPLACE)
GATHER_INDEXED(B2B, B, B, false)
GATHER_INDEXED(S2S, S, S, true)
GATHER_INDEXED(B2S, B, S, true)
GATHER_INDEXED(S2B, S, B, true)
SCATTER_INDEXED(B2B, B, B, false)
SCATTER_INDEXED(S2S, S, S, true)
SCATTER_INDEXED(B2S, B, S, true)
SCATTER_INDEXED(S2B, S, B, true)
