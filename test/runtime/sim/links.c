// A machine with a link: transfers go over it, and what a kernel sends to a stream that is not in its own memory does too; the
// kernel waits for that.
// RUN: %sim -o %t && %t
#define TIMED_LINKS
#include "timed.h"

static svm_Stream s;
static double sent;

static void sends(svm_Kernel *k)
{
    memset(svm_streamPushAcquire(&s, 5), 1, 20);
    svm_streamPushSend(&s, 5);
    sent = svm_simTime() * 1e9;
    (void)k;
}
static void waits(svm_Kernel *k)
{
    (void)k;
    int v;
    svm_streamPop(&s, &v);
}
TIMED_KERNELS({sends, "sends", 0, 1, true}, {waits, "waits", 0, 1, true});

int main(void)
{
    size_t address = svm_alloc(&GMEM, 1024);
    svm_Block from, to;
    svm_blockInit(&from, &GMEM, address, 500, 1);
    svm_blockInit(&to, &LMEM2, 0, 500, 1);
    svm_MoveB2B move;
    svm_moveB2BInit(&move, &DMA1, &from, &to);
    svm_kernelRun(&move.kernel);
    svm_kernelWait(&move.kernel);
    CHECK_TIME(50 + 50 + 1000 + 5);

    // Acquire 7, send 20 + 3, then 50 + 40 over the bus; one that waits gets the element then.
    svm_streamInitRAM(&s, &GMEM, address + 512, 15, 4);
    svm_Kernel a, b;
    svm_kernelInit(&a, &P1, sends, "a");
    svm_kernelInit(&b, &P2, waits, "b");
    svm_kernelRun(&b);
    svm_kernelRun(&a);
    svm_kernelWait(&a);
    double begin = 1105;
    CHECK(fabs(sent - (begin + 100 + 7 + 23 + 90)) < 1e-3);
    CHECK_TIME(sent + 10);
    svm_kernelWait(&b);
    CHECK_TIME(sent + 4 + 10); // 4 bytes of GMEM
    return 0;
}
