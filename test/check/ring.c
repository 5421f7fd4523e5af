// A wait before a buffer's first use is no finding behind a condition that may say whether the buffer was used: in a
// loop, in a function that is called several times, for buffers that no round comes to. It is one where no round runs the
// kernel, and without such a condition.
// RUN: %svm-check %s
// RUN: not %svm-check -DFAULTS %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include <svm/svm.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_PROCESSOR(MFC0);

typedef struct Buffer {
    svm_MoveB2B move;
    svm_Block to;
    int busy;
} Buffer;

static svm_Block from;
static Buffer loop[2], turns[3], steps[2], few[4];

static void place(Buffer *b, int count, size_t address)
{
    for (int i = 0; i < count; i++)
        svm_blockInit(&b[i].to, &LS0, address + (size_t)i * 64, 16, 4);
}

static void fetch(Buffer *b)
{
    svm_moveB2BInit(&b->move, &MFC0, &from, &b->to);
    svm_kernelRun(&b->move.kernel);
    b->busy = 1;
}

static void leave(Buffer *b)
{
    if (!b->busy)
        return;
    svm_kernelWait(&b->move.kernel);
}

static void step(Buffer *b)
{
    leave(b);
    fetch(b);
}

static void drain(Buffer *b, int count)
{
    for (int i = 0; i < count; i++) {
        if (!b[i].busy)
            continue;
        svm_kernelWait(&b[i].move.kernel);
    }
}

#ifdef FAULTS
static svm_MoveB2B first, before, always[2];

static void faults(int some)
{
    // CHECK: ring.c:[[@LINE+2]]:9: warning: kernel 'first' is waited for before it is run [-Wnever-run]
    if (some)
        svm_kernelWait(&first.kernel);
    svm_kernelRun(&first.kernel);
    svm_kernelWait(&first.kernel);
    for (int i = 0; i < 2; i++)
        // CHECK: ring.c:[[@LINE+2]]:13: warning: kernel 'before' is waited for before it is run
        if (some > i)
            svm_kernelWait(&before.kernel);
    svm_kernelRun(&before.kernel);
    svm_kernelWait(&before.kernel);
    for (int i = 0; i < 4; i++) {
        // CHECK: ring.c:[[@LINE+2]]:9: warning: kernel 'always[0]' is waited for before it is run
        // CHECK: ring.c:[[@LINE+1]]:9: warning: kernel 'always[1]' is waited for before it is run
        svm_kernelWait(&always[i % 2].kernel);
        svm_kernelRun(&always[i % 2].kernel);
    }
    for (int i = 0; i < 2; i++)
        svm_kernelWait(&always[i].kernel);
}
#endif

int main(int argc, char **argv)
{
    (void)argv;
    svm_blockInit(&from, &XDR, svm_alloc(&XDR, 64), 16, 4);
    place(loop, 2, 0);
    for (int i = 0; i < 6; i++) {
        if (loop[i % 2].busy)
            svm_kernelWait(&loop[i % 2].move.kernel);
        fetch(&loop[i % 2]);
    }
    drain(loop, 2);

    place(turns, 3, 256);
    int left = 9, t = 0;
    do {
        Buffer *b = &turns[t++ % 3];
        if (b->busy)
            svm_kernelWait(&b->move.kernel);
        fetch(b);
    } while (--left > 0);
    drain(turns, 3);

    place(steps, 2, 512);
    step(&steps[0]);
    step(&steps[1]);
    leave(&steps[1]);
    leave(&steps[0]);

    place(few, 4, 768);
    for (int i = 0; i < 3; i++)
        fetch(&few[i]);
    drain(few, 4);
#ifdef FAULTS
    faults(argc);
#endif
    return argc > 1;
}
