// What a play finds in runs that processors repeat by themselves (svm_Sequence): a dependence that lacks from one time to the
// next, windows that leave their block in a late time or by a step that is too large, what is left out by one that is too small,
// memory that is used while the last times may be under way, and a kernel that is run again with nobody knowing its end.
// RUN: %svm-check %s
// RUN: not %svm-check -DNO_DEPENDENCE %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=ORDER %s
// RUN: not %svm-check -DLATE %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=LATE %s
// RUN: not %svm-check -DLARGE_STEP %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=LARGE %s
// RUN: not %svm-check -DSMALL_STEP %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=SMALL %s
// RUN: not %svm-check -DOFFSET %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=OFFSET %s
// RUN: not %svm-check -DNO_WAIT %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=WAIT %s
// RUN: not %svm-check -DLAST_TIMES %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=LAST %s
// RUN: not %svm-check -DALONE %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=ALONE %s
// RUN: not %svm-check -DMANY %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=MANY %s
// What is added twice is not run, nor is what nobody has asked svm_sequenceMade about.
// RUN: %svm-check -DTWICE %s
// RUN: %svm-check -DNOT_MADE %s
#include <string.h>
#include <svm/program.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

enum { ITEMS = 16, BYTES = ITEMS * sizeof(float), TIMES = 10, BATCHES = 4 };

typedef struct {
    svm_Kernel kernel;
    svm_Block *in, *out;
} Scale;

static void scale_run(svm_Kernel *kernel)
{
    Scale *self = (Scale *)kernel;
    const float *in = svm_blockData(self->in);
    float *out = svm_blockData(self->out);
    for (int i = 0; i < ITEMS; i++)
        out[i] = in[i] * 2;
}

static svm_Block source, result, here, there;
static Scale scale = {.in = &here, .out = &there};
static svm_MoveB2B load, store;
static float given[TIMES * ITEMS];
static size_t memory[4]; // items, and what becomes of them, in turn

static void create(void)
{
    for (int i = 0; i < 4; i++)
        memory[i] = svm_alloc(&GMEM, TIMES * BYTES);
    svm_blockInit(&source, &GMEM, memory[0], ITEMS, sizeof(float));
    svm_blockInit(&result, &GMEM, memory[2], ITEMS, sizeof(float));
    svm_blockInit(&here, &LMEM1, 0, ITEMS, sizeof(float));
    svm_blockInit(&there, &LMEM1, BYTES, ITEMS, sizeof(float));
    svm_moveB2BInit(&load, &DMA_ENGINE1, &source, &here);
    svm_kernelInit(&scale.kernel, &PROC1, scale_run, "scale");
    svm_moveB2BInit(&store, &DMA_ENGINE1, &there, &result);
    svm_kernelAddDependence(&scale.kernel, &load.kernel);
    svm_kernelAddDependence(&store.kernel, &scale.kernel);
    svm_kernelAddDependence(&scale.kernel, &store.kernel); // of the time before
#ifndef NO_DEPENDENCE
    svm_kernelAddDependence(&load.kernel, &scale.kernel);
#endif
}

// ORDER: sequence.c:[[#]]:9: warning: transfer 'load' is run again, and no dependence says that its last run is over [-Wrun-pending]
// ORDER: sequence.c:[[#]]:9: warning: transfer 'load' writes bytes 0 to 63 of 'here', which transfer 'load' writes, and neither a dependence nor a wait orders them [-Wunordered]
// LATE: sequence.c:[[#]]:9: warning: transfer 'load' reads bytes 640 to 703 of 'in', which has 640 [-Wcapacity]
// LATE: sequence.c:[[#]]:9: warning: transfer 'store' writes bytes 640 to 703 of 'out', which has 640 [-Wcapacity]
// LARGE: sequence.c:[[#]]:13: warning: control code reads bytes 0 to 639 of 'out', some of which nothing has written [-Wnever-written]
// LARGE: sequence.c:[[#]]:9: warning: transfer 'store' writes bytes 720 to 783 of 'out', which has 640 [-Wcapacity]
// SMALL: sequence.c:[[#]]:13: warning: control code reads bytes 0 to 639 of 'out', some of which nothing has written [-Wnever-written]
// OFFSET: sequence.c:[[#]]:9: warning: block 'in' of 648 bytes does not lie within what svm_alloc or svm_map gave [-Wcapacity]
// OFFSET: sequence.c:[[#]]:9: warning: kernel 'scale' reads bytes 0 to 63 of 'here', some of which nothing has written [-Wnever-written]
// WAIT: sequence.c:[[#]]:13: warning: control code reads bytes 0 to 63 of 'out', which transfer 'store' writes, and nothing has waited for it [-Wunordered]
// WAIT: sequence.c:[[#]]:9: warning: control code writes bytes 0 to 63 of 'in', which transfer 'load' reads, and nothing has waited for it [-Wunordered]
// LAST: sequence.c:[[#]]:9: warning: control code writes bytes 0 to 63 of 'in', which transfer 'load' reads, and nothing has waited for it [-Wunordered]
// ALONE: sequence.c:[[#]]:9: warning: transfer 'load' is run again, and nothing has waited for its last run [-Wrun-pending]
// MANY: sequence.c:[[#]]:9: warning: transfer 'load' reads bytes 70368744177600 to 70368744177663 of 'in', which has 640 [-Wcapacity]
// MANY: sequence.c:[[#]]:9: warning: transfer 'store' writes bytes 70368744177600 to 70368744177663 of 'out', which has 640 [-Wcapacity]

static svm_Sequence *sequence(void)
{
    svm_Sequence *s = svm_sequenceCreate(2, &GMEM, 0);
    if (s == NULL)
        return NULL;
#ifdef OFFSET
    svm_sequenceAdd(s, &load.kernel, 0, -8);
#else
    svm_sequenceAdd(s, &load.kernel, 0, 0);
#endif
    svm_sequenceAdd(s, &scale.kernel, -1, 0);
    svm_sequenceAdd(s, &store.kernel, 1, 0);
#ifdef TWICE
    svm_sequenceAdd(s, &load.kernel, 0, 0);
    svm_sequenceAdd(s, &load.kernel, 5, 0);
#endif
#ifdef NOT_MADE
    return s;
#endif
    if (svm_sequenceMade(s))
        return s;
    svm_sequenceDestroy(s);
    return NULL;
}

int main(void)
{
    create();
    svm_Sequence *s = sequence();
    float sum = 0;
    for (int batch = 0; batch < BATCHES && s != NULL; batch++) {
        const int turn = batch % 2;
#ifdef LATE
        const int times = batch == BATCHES - 1 ? TIMES + 1 : TIMES;
#elif defined MANY
        const int64_t times = (int64_t)1 << 40;
#else
        const int times = TIMES;
#endif
        svm_Block in, out, *const places[] = {&in, &out};
#ifdef LARGE_STEP
        const size_t steps[] = {BYTES, BYTES + 16};
#elif defined SMALL_STEP
        const size_t steps[] = {BYTES, BYTES - 16};
#else
        const size_t steps[] = {BYTES, BYTES};
#endif
        svm_blockInit(&in, &GMEM, memory[turn], TIMES * ITEMS, sizeof(float));
        svm_blockInit(&out, &GMEM, memory[2 + turn], TIMES * ITEMS, sizeof(float));
#ifndef NO_WAIT
        svm_sequenceWait(s, false);
#endif
        if (batch >= 2) { // what this turn gave before
            memcpy(given, svm_blockData(&out), sizeof given);
            for (int i = 0; i < TIMES * ITEMS; i++)
                sum += given[i];
        }
        memset(svm_blockData(&in), 1, TIMES * BYTES);
        svm_sequenceRun(s, times, places, steps);
        svm_sequencePace(s, 1, 2);
#ifdef ALONE
        svm_kernelRun(&load.kernel);
        svm_kernelWait(&load.kernel);
#endif
#ifdef LAST_TIMES
        svm_sequenceWait(s, false);
        memset(svm_blockData(&in), 1, TIMES * BYTES);
#endif
    }
    svm_sequenceDestroy(s);
    svm_printFloat(NULL, sum);
    svm_kernelDestroy(&load.kernel);
    svm_kernelDestroy(&scale.kernel);
    svm_kernelDestroy(&store.kernel);
    return 0;
}
