// Addresses in local memories, and addresses and lengths of transfers, that are no multiples of what the memory or the DMA
// engine works with are found; of transfers between streams the length in all.
// RUN: not %svm-check %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include <svm/svm.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_PROCESSOR(MFC0);

int main(void)
{
    static svm_Block a, b, c, d;
    static svm_Stream s, from, to;
    static svm_MoveB2B move, good;
    static svm_MoveS2S feed;
    static svm_GatherStridedS2S every;
    size_t g = svm_alloc(&XDR, 1024);
    // CHECK: alignment.c:[[@LINE+1]]:5: warning: block 'a' lies at 8, which is no multiple of the 16 bytes that memory 'LS0' works with [-Walignment]
    svm_blockInit(&a, &LS0, 8, 4, 4);
    // CHECK: alignment.c:[[@LINE+1]]:5: warning: stream 's' lies at 100, which is no multiple of the 16 bytes that memory 'LS0' works with
    svm_streamInitRAM(&s, &LS0, 100, 4, 4);
    svm_blockInit(&b, &LS0, 256, 6, 4);
    svm_blockInit(&c, &XDR, g, 6, 4);
    svm_blockInit(&d, &XDR, g + 256, 6, 4);
    svm_moveB2BInit(&move, &MFC0, &b, &c);
    // CHECK: alignment.c:[[@LINE+2]]:5: warning: transfer 'move' with the length 24 of 'b', but 'MFC0' works with multiples of 16 bytes
    // CHECK: alignment.c:[[@LINE-5]]:5: note: 'b' is initialised here
    svm_kernelRun(&move.kernel);
    svm_kernelWait(&move.kernel);
    svm_blockInit(&b, &LS0, 256, 8, 4);
    svm_blockInit(&c, &XDR, g, 8, 4);
    svm_moveB2BInit(&good, &MFC0, &b, &c);
    svm_kernelRun(&good.kernel);
    svm_kernelWait(&good.kernel);
    svm_streamInitRAM(&from, &XDR, g + 512, 64, 4);
    svm_streamInitRAM(&to, &LS0, 512, 64, 4);
    svm_moveS2SInit(&feed, &MFC0, &from, &to, 1024);
    svm_kernelRun(&feed.kernel);
    svm_kernelWait(&feed.kernel);
    feed.length = 1023;
    // CHECK: alignment.c:[[@LINE+2]]:5: warning: transfer 'feed' moves 4092 bytes of 'to', but 'MFC0' works with multiples of 16 bytes
    // CHECK: alignment.c:[[@LINE-6]]:5: note: 'to' is initialised here
    svm_kernelRun(&feed.kernel);
    svm_kernelWait(&feed.kernel);
    svm_gatherStridedS2SInit(&every, &MFC0, &from, &to, 1, 4, 12);
    svm_kernelRun(&every.kernel);
    svm_kernelWait(&every.kernel);
    every.repeats = 13;
    // CHECK: alignment.c:[[@LINE+1]]:5: warning: transfer 'every' moves 52 bytes of 'to'
    svm_kernelRun(&every.kernel);
    svm_kernelWait(&every.kernel);
    return 0;
}
