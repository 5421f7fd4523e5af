// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls from kernels on SPEs that the PPE serves, on the thread that runs the SPE's context: messages and printing.
#include "runtime/cell/svm/ppu/internal.h"
#include "runtime/common/instructions.h"
#include "svm/checks.h"

static pthread_mutex_t logs = PTHREAD_MUTEX_INITIALIZER; // the machine's list of them grows at the first use of each

static _Thread_local svmr_Spe *servedSpe; // of a thread that runs an SPE's context

void svmr_serveOnThread(svmr_Spe *spe)
{
    servedSpe = spe;
    svmr_thread.inUse = spe->machine;
}

static double realOf(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void addFailure(svmr_Spe *spe, svmr_Failure *f)
{
    f->next = __atomic_load_n(&spe->failures, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&spe->failures, &f->next, f, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

// The kernel's error, which a control thread reports when it next looks.
static void svm_cellBlockError(svmr_Spe *spe, const char *function, const char *file, int line, uint64_t index,
                               const svm_CellBlock *b)
{
    svmr_Place at = {function, file, line};
    svmr_Failure *f;
    if (!b)
        f = svmr_newFailure(SVM_ERROR_BAD_ARGUMENT, "", at, "the block is a null pointer");
    else if (index < b->capacity)
        f = svmr_newFailure(SVM_ERROR_BAD_MEMORY, "", at,
                            "the block is in a memory that the kernel's processor does not reach");
    else
        f = svmr_newFailure(SVM_ERROR_INDEX_RANGE, "", at, "element %llu of a block of %u", (unsigned long long)index,
                            b->capacity);
    addFailure(spe, f);
}

static void svm_cellInstructionError(svmr_Spe *spe, uint32_t function, const char *file, int line, uint32_t error,
                                     uint64_t object, size_t number)
{
    static const char *const functions[] = {
#define INSTRUCTION_FUNCTION(name) [SVMR_CALL_OF_##name] = "svm_" #name,
#include "runtime/common/instructions_functions.def"
        [SVMR_CALL_OF_combine] = "svm_combine",
    };
    const svmr_Instruction *i = (const svmr_Instruction *)(uintptr_t)object;
    const svmr_InstructionErrorRow *row = &svmr_instructionErrors[error];
    addFailure(spe, svmr_newFailure(row->error, i ? i->kernel.name : "", (svmr_Place){functions[function], file, line},
                                    row->text, number));
    spe->beginsAgain = true;
}

static void svm_cellUsed(svmr_Spe *spe, uint32_t number, uint32_t kernel, uint32_t stream, svm_CellUse use,
                         uint32_t count, const uint64_t *counts, uint64_t firings, double cycles)
{
    svmr_timedUsed(spe, &(svmr_StreamUse){number, kernel, stream, use, count, counts, firings, cycles});
}

static void svm_cellBadIndex(svmr_Spe *spe, uint32_t number)
{
    spe->badIndex = number;
    __atomic_store_n(&spe->hasBadIndex, true, __ATOMIC_RELEASE);
}

static _Noreturn void svm_cellStreamError(svmr_Spe *spe, const char *file, int line, svm_CellUse use,
                                          svm_CellMisuse misuse, uint32_t stream, size_t count, size_t acquired)
{
    static const char *const functions[] = {
        [SVM_CELL_MOVES] = "svm_kernelRun",
        [SVM_CELL_PUSH] = "svm_streamPush",
        [SVM_CELL_POP] = "svm_streamPop",
        [SVM_CELL_PEEK] = "svm_streamPeek",
        [SVM_CELL_PUSH_ACQUIRE] = "svm_streamPushAcquire",
        [SVM_CELL_PUSH_SEND] = "svm_streamPushSend",
        [SVM_CELL_POP_ACQUIRE] = "svm_streamPopAcquire",
        [SVM_CELL_POP_DISCARD] = "svm_streamPopDiscard",
    };
    svmr_failSpeStream(spe, stream, misuse, count, acquired, (svmr_Place){functions[use], file, line});
}

#define TEXT(i) (call->arguments[i] ? ls + (uint32_t)call->arguments[i] : NULL)
#define NUMBER(i) (ptrdiff_t)call->arguments[i]
#define REAL(i) realOf(call->arguments[i])
#define LOG(i) (svm_Log *)(uintptr_t)call->arguments[i]
#define BLOCK(i) (const svm_CellBlock *)TEXT(i)
#define COUNTS(i) (const uint64_t *)(const void *)TEXT(i)
#define LIST(...) __VA_ARGS__
#define CELL_CALL(name, parameters, here, there)                                                                       \
    static void serve_##name(svmr_Spe *spe, const char *ls, const svm_CellCall *call)                                  \
    {                                                                                                                  \
        (void)spe, (void)ls;                                                                                           \
        pthread_mutex_lock(&logs);                                                                                     \
        name(LIST there);                                                                                              \
        pthread_mutex_unlock(&logs);                                                                                   \
    }
#define CELL_ERROR(name, parameters, here, there)                                                                      \
    static void serve_##name(svmr_Spe *spe, const char *ls, const svm_CellCall *call)                                  \
    {                                                                                                                  \
        (void)spe, (void)ls;                                                                                           \
        name(LIST there);                                                                                              \
    }
#define CELL_END CELL_ERROR
#include "runtime/cell/svm/calls.def"
#undef CELL_CALL
#undef CELL_ERROR
#undef CELL_END

static void (*const services[])(svmr_Spe *spe, const char *ls, const svm_CellCall *call) = {
#define CELL_CALL(name, parameters, here, there) serve_##name,
#define CELL_ERROR CELL_CALL
#define CELL_END CELL_CALL
#include "runtime/cell/svm/calls.def"
#undef CELL_CALL
#undef CELL_ERROR
#undef CELL_END
};

// The word at data has the address of the record in its low 24 bits.
static int serve(void *ls, unsigned long data)
{
    uint32_t word;
    memcpy(&word, (const char *)ls + data, sizeof word);
    const svm_CellCall *call = (const svm_CellCall *)((const char *)ls + (word & 0xFFFFFF));
    if (call->function >= sizeof services / sizeof *services)
        return 1;
    services[call->function](servedSpe, ls, call);
    return servedSpe->beginsAgain; // then it stops here
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
