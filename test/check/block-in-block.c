// A kernel that decides by data where in a block it reads is not said to read another block that lies there; what it is
// known to read there is. Control code may copy bytes that nothing has written; a kernel may not read them. A transfer is
// named by its blocks' names.
// RUN: %svm-check %s
// RUN: not %svm-check -DINSIDE %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=INSIDE %s
// RUN: not %svm-check -DOUTSIDE %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=OUTSIDE %s
// RUN: not %svm-check -DRANDOM %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=RANDOM %s
// RUN: not %svm-check -DUNWRITTEN %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=UNWRITTEN %s
#include <svm/program.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

enum { ITEMS = 16, BYTES = ITEMS * sizeof(int) };

// What the processor has for itself: places to choose from, the state of the random numbers, two windows.
enum { PLACES = 0, STATE = 1024, WINDOWS = 2048, OWN = 4096 };

typedef struct {
    svm_Kernel kernel;
    svm_Block *own, *window;
} Choose;

static int choose(const int *in, const int *places, svm_Random *random)
{
    int best = 0;
    for (int i = 0; i < ITEMS; i++)
        if (places[i] > places[best])
            best = i;
    return svm_random(random) > 0.5 ? in[0] : places[best];
}

static void choose_run(svm_Kernel *kernel)
{
    Choose *self = (Choose *)kernel;
    char *own = svm_blockData(self->own);
    const int *in = svm_blockData(self->window);
    int *places = (int *)(own + PLACES);
    svm_Random *random = (svm_Random *)(own + STATE);
    for (int i = 0; i < ITEMS; i++)
        places[i] = in[i];
    *random = (svm_Random)SVM_RANDOM_INIT;
#ifdef INSIDE
    random = (svm_Random *)(own + WINDOWS + BYTES);
#endif
    places[1] = choose(in, places, random);
}

static struct {
    Choose run;
    svm_Block there, here;
    svm_MoveB2B load;
} runs[2];

int main(void)
{
    const size_t memory = svm_alloc(&GMEM, 6 * BYTES);
    size_t written = 2 * BYTES; // of three windows
    svm_Block own, from, to;
#ifdef UNWRITTEN
    written -= BYTES / 2;
#endif
    svm_blockInit(&own, &LMEM1, 0, OWN, 1);
    svm_blockInit(&from, &GMEM, memory + 3 * BYTES, 3 * ITEMS, sizeof(int));
    svm_blockInit(&to, &GMEM, memory, 3 * ITEMS, sizeof(int));
    memset(svm_blockData(&from), 0, written);
    memcpy(svm_blockData(&to), svm_blockData(&from), 3 * BYTES);
    for (int k = 0; k < 2; k++) {
        int place = WINDOWS + k * BYTES;
#ifdef OUTSIDE
        place = k == 0 ? WINDOWS : PLACES;
#elif defined RANDOM
        place = k == 0 ? WINDOWS : STATE;
#endif
        svm_blockInit(&runs[k].there, &GMEM, memory + (size_t)k * BYTES, ITEMS, sizeof(int));
        svm_blockName(&runs[k].there, "items");
        svm_blockInit(&runs[k].here, &LMEM1, (size_t)place, ITEMS, sizeof(int));
        svm_blockName(&runs[k].here, k == 0 ? "items" : "more items");
        svm_moveB2BInit(&runs[k].load, &DMA_ENGINE1, &runs[k].there, &runs[k].here);
        svm_kernelInit(&runs[k].run.kernel, &PROC1, choose_run, "choose");
        runs[k].run.own = &own;
        runs[k].run.window = &runs[k].here;
        svm_kernelAddDependence(&runs[k].run.kernel, &runs[k].load.kernel);
        if (k > 0)
            svm_kernelAddDependence(&runs[k].run.kernel, &runs[k - 1].run.kernel);
    }
    for (int k = 0; k < 2; k++) {
        // INSIDE: block-in-block.c:[[@LINE+6]]:9: warning: transfer 'runs[k].load' of 'items' in GMEM to 'more items' in LMEM1 writes bytes 0 to 7 of 'runs[k].here', which kernel 'choose' writes, and neither a dependence nor a wait orders them [-Wunordered]
        // OUTSIDE: block-in-block.c:[[@LINE+5]]:9: warning: transfer 'runs[k].load' of 'items' in GMEM to 'more items' in LMEM1 writes bytes 0 to 63 of 'runs[k].here', which kernel 'choose' writes, and neither a dependence nor a wait orders them [-Wunordered]
        // RANDOM: block-in-block.c:[[@LINE+4]]:9: warning: transfer 'runs[k].load' of 'items' in GMEM to 'more items' in LMEM1 writes bytes 0 to 7 of 'runs[k].here', which kernel 'choose' writes, and neither a dependence nor a wait orders them [-Wunordered]
        // UNWRITTEN: block-in-block.c:[[@LINE+4]]:9: warning: kernel 'choose' reads bytes 0 to 63 of 'runs[k].here', some of which nothing has written [-Wnever-written]
        // RANDOM: block-in-block.c:[[@LINE+3]]:9: note: kernel 'choose' is run here
        // RANDOM: note: transfer 'runs[k].load' of 'items' in GMEM to 'more items' in LMEM1 is initialised here
        svm_kernelRun(&runs[k].load.kernel);
        svm_kernelRun(&runs[k].run.kernel);
    }
    svm_kernelWait(&runs[1].run.kernel);
    return 0;
}
