// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls from kernels on SPEs that the PPE serves, on the thread that runs the SPE's context: messages and printing.
#include "runtime/cell/svm/ppu/internal.h"
#include "svm/checks.h"

static pthread_mutex_t logs = PTHREAD_MUTEX_INITIALIZER; // the machine's list of them grows at the first use of each

void svmr_useOnThread(svm_Machine *m)
{
    svmr_thread.inUse = m;
}

static double realOf(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static _Noreturn void svm_cellBlockError(const char *function, const char *file, int line, uint64_t index,
                                         const svm_CellBlock *b)
{
    svmr_Place at = {function, file, line};
    if (!b)
        svmr_fail(svmr_thread.inUse, SVM_ERROR_BAD_ARGUMENT, "", at, "the block is a null pointer");
    if (b->data == SVM_CELL_ELSEWHERE && index < b->capacity)
        svmr_fail(svmr_thread.inUse, SVM_ERROR_BAD_MEMORY, "", at,
                  "the block is in a memory that the kernel's processor does not reach");
    svmr_fail(svmr_thread.inUse, SVM_ERROR_INDEX_RANGE, "", at, "element %llu of a block of %u",
              (unsigned long long)index, b->capacity);
}

#define TEXT(i) (call->arguments[i] ? ls + (uint32_t)call->arguments[i] : NULL)
#define NUMBER(i) (ptrdiff_t)call->arguments[i]
#define REAL(i) realOf(call->arguments[i])
#define LOG(i) (svm_Log *)(uintptr_t)call->arguments[i]
#define BLOCK(i) (const svm_CellBlock *)TEXT(i)
#define LIST(...) __VA_ARGS__
#define CELL_CALL(name, parameters, here, there)                                                                       \
    static void serve_##name(const char *ls, const svm_CellCall *call)                                                 \
    {                                                                                                                  \
        (void)ls;                                                                                                      \
        pthread_mutex_lock(&logs);                                                                                     \
        name(LIST there);                                                                                              \
        pthread_mutex_unlock(&logs);                                                                                   \
    }
#define CELL_ERROR(name, parameters, here, there)                                                                      \
    static void serve_##name(const char *ls, const svm_CellCall *call)                                                 \
    {                                                                                                                  \
        (void)ls;                                                                                                      \
        name(LIST there);                                                                                              \
    }
#include "runtime/cell/svm/calls.def"
#undef CELL_CALL
#undef CELL_ERROR

static void (*const services[])(const char *ls, const svm_CellCall *call) = {
#define CELL_CALL(name, parameters, here, there) serve_##name,
#define CELL_ERROR CELL_CALL
#include "runtime/cell/svm/calls.def"
#undef CELL_CALL
#undef CELL_ERROR
};

// The word at data has the address of the record in its low 24 bits.
static int serve(void *ls, unsigned long data)
{
    uint32_t word;
    memcpy(&word, (const char *)ls + data, sizeof word);
    const svm_CellCall *call = (const svm_CellCall *)((const char *)ls + (word & 0xFFFFFF));
    if (call->function >= sizeof services / sizeof *services)
        return 1;
    services[call->function](ls, call);
    return 0;
}

static void registerService(void)
{
    spe_callback_handler_register((void *)(uintptr_t)serve, SVM_CELL_CALLBACK, SPE_CALLBACK_NEW);
}

void svmr_serveSpes(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, registerService);
}
