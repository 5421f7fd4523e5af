// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The API that kernels on an SPE call: blocks here; what reports errors or prints, through the PPE (calls.def).
#define SVM_NO_PLACES
#include <spu_mfcio.h>
#include <string.h>

#include "svm/checks.h"
#include "svm/program.h"
#include "svm_cell.h"
#include "svm_resident.h"

int __send_to_ppe(unsigned int code, unsigned int operation, void *data);

// ---- Calls of the PPE ----

typedef enum Function {
#define CELL_CALL(name, parameters, here, there) CALL_##name,
#define CELL_ERROR CELL_CALL
#define CELL_END CELL_CALL
#include "svm_calls.def"
#undef CELL_CALL
#undef CELL_ERROR
#undef CELL_END
    CALL_COUNT
} Function;

static void call(Function function, const uint64_t *arguments, size_t count)
{
    static svm_CellCall record __attribute__((aligned(16)));
    record.function = function;
    for (size_t i = 0; i < count; i++)
        record.arguments[i] = arguments[i];
    __send_to_ppe(0x2100 | SVM_CELL_CALLBACK, 0, &record);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#define A(pointer) (uint64_t)(uintptr_t)(pointer)
#define N(number) (uint64_t)(int64_t)(number)
#define R(real) bits_of(real)
#define LIST(...) __VA_ARGS__
#define CELL_CALL(name, parameters, here, there)                                                                       \
    void name parameters                                                                                               \
    {                                                                                                                  \
        const uint64_t arguments[] = {LIST here};                                                                      \
        call(CALL_##name, arguments, sizeof arguments / sizeof *arguments);                                            \
    }
#define CELL_ERROR(name, parameters, here, there)                                                                      \
    _Noreturn void name parameters                                                                                     \
    {                                                                                                                  \
        const uint64_t arguments[] = {LIST here};                                                                      \
        call(CALL_##name, arguments, sizeof arguments / sizeof *arguments);                                            \
        __builtin_trap(); /* the PPE has ended the program, or begins it again */                                      \
    }
#define CELL_END CELL_ERROR
void svm_cellBlockError(const char *function, const char *file, int line, uint64_t index, const svm_Block *b);
#include "svm_calls.def"

// ---- Blocks ----

static bool is_there(const svm_Block *b, size_t index)
{
    return b != NULL && index < b->capacity && (uint32_t)b->data != SVM_CELL_ELSEWHERE;
}

void svm_blockReadAt(const svm_Block *b, size_t index, void *element, const char *file, int line)
{
    const bool there = is_there(b, index);
    if (!there)
        svm_cellBlockError("svm_blockRead", file, line, index, b);
    if (there)
        memcpy(element, b->data + index * b->elementSize, b->elementSize);
    else if (b != NULL)
        memset(element, 0, b->elementSize);
}

void svm_blockWriteAt(svm_Block *b, size_t index, const void *element, const char *file, int line)
{
    const bool there = is_there(b, index);
    if (!there)
        svm_cellBlockError("svm_blockWrite", file, line, index, b);
    if (there)
        memcpy(b->data + index * b->elementSize, element, b->elementSize);
}

void svm_blockRead(const svm_Block *b, size_t index, void *element)
{
    svm_blockReadAt(b, index, element, NULL, 0);
}

void svm_blockWrite(svm_Block *b, size_t index, const void *element)
{
    svm_blockWriteAt(b, index, element, NULL, 0);
}

// ---- What needs nobody else ----

void svm_kernelFirings(svm_Kernel *k, size_t n)
{
    (void)k, (void)n;
}

extern unsigned char __heap_base; // where the linker's data end

uint32_t svm_cellLocalBegin(void)
{
    return (uint32_t)mfc_ceil128((uintptr_t)&__heap_base);
}
