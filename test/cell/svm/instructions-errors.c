// Shows that what kernels of stream instructions must not do is told by an SPE as on the host, each error with its place, kernel and
// text; that a wrong index of a store that combines changes nothing behind it, and nothing twice; and that where the SPEs' program
// with stream instructions is too large for what blocks leave the PPE runs them.
//
// RUN: env SVM_CELL_CHECK_DMA=1 %svm-llc --target=cell %s -o %t && %svm-llc --target=host %s -o %t.host
// RUN: %t.host > %t.expected && FileCheck %s < %t.expected
// RUN: env SVM_CELL_SEED=1 SVM_CELL_COUNT=1 %t 2>%t.counts | cmp - %t.expected
// RUN: FileCheck %s --check-prefix=COUNTS < %t.counts
// COUNTS: PPE: kernels 0, transfers 0
// RUN: %svm-llc --target=cell --remarks -DBYTES=237000 %s -o %t.full 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: %t.full | cmp - %t.expected
// FULL: remark: the PPE runs 'faulty_run' {{.*}}: it uses stream instructions, and the SPEs' program would take {{[0-9]+}} bytes with them, which blocks do not leave
// RUN: %svm-llc --target=cell-timed --remarks %s -o %t.timed 2>&1 | FileCheck %s --check-prefix=TIMED
// RUN: %t.timed | cmp - %t.expected
// TIMED: remark: the PPE runs 'faulty_run' {{.*}}: it uses stream instructions, and the time of stream instructions is predicted where they are the PPE's
#include <setjmp.h>
#include <stdio.h>

#include <svm/instructions.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_PROCESSOR(SPE0);
SVM_PROCESSOR(MFC0);

#ifndef BYTES
#define BYTES 4096
#endif

enum { FAULTS = 13 };

SVM_KERNEL()
static void faulty_run(svm_Kernel *kernel)
{
    int32_t v = 1;
    double wide = 1;
    const int32_t fault = svm_parameter(kernel, 0);
    svm_setParameter(kernel, 1, fault);
    svm_srfWrite(kernel, 1, &v);
    switch (fault) {
    case 0: svm_parameter(kernel, 32); break;
    case 1: svm_reduceParameter(kernel, 1, SVM_REPLACE, &v); break;
    case 2: svm_reduceParameter(kernel, 1, SVM_ADD_DOUBLE, &wide); break;
    case 3: svm_reduceParameter(kernel, 1, SVM_ADD_INT32, NULL); break;
    case 4: svm_EOS(kernel, 2); break;
    case 5: svm_srfRead(kernel, 1, &v); break;
    case 6: svm_srfWrite(kernel, 0, &v); break;
    case 7: svm_srfLeft(kernel, 7); break;
    case 8:
        for (;;)
            svm_srfRead(kernel, 0, NULL);
    case 9: svm_srfWrite(kernel, 1, NULL); break;
    case 10:
        while (svm_srfLeft(kernel, 1) + 1 > 0)
            svm_srfWrite(kernel, 1, &v);
        break;
    case 11: svm_parameterFloat(NULL, 0); break;
    default: v = svm_INSTANCE(kernel, 1) > 0; break;
    }
    svm_setParameter(kernel, 1, -1); // not reached
    svm_srfWrite(kernel, 1, &v);
}

static struct {
    int32_t values[4], indices[4], sums[4];
} data = {{1, 2, 3, 4}, {2, 0, 4, 1}, {10, 20, 30, 40}};
static svm_StreamUnit unit;
static jmp_buf back;

static void handle(const svm_ErrorReport *report, void *context)
{
    (void)context;
    printf("%d: %s of '%s': %s [%s]\n", report->line, report->function, report->object, report->message,
           report->error_name);
    longjmp(back, 1);
}

static void memory(size_t r, size_t address)
{
    unit.StreamMemRF[r] = (svm_StreamMemReg){.stream_access_mode = SVM_STRIDED_STREAM,
                                             .stream_stride_or_index = 1,
                                             .stream_ptr = address,
                                             .stream_record_size = 1,
                                             .stream_length = 4};
}

int main(void)
{
    static svm_Block large;
    svm_blockInit(&large, &LS0, 0, BYTES, 1);
    size_t address = svm_map(&XDR, &data, sizeof data);
    svm_streamUnitInit(&unit, &SPE0, &MFC0, &XDR, &LS0, 0, 0, 0);
    for (size_t r = 0; r < 3; r++) {
        memory(r, address + r * 16);
        unit.StreamSRF_RF[r] = (svm_StreamSRFReg){r * 20, 1, 4};
    }
    svm_Fence values = svm_StreamLoad(&unit, 0, 0, 0);
    svm_setErrorHandler(handle, NULL);
    for (volatile int fault = 0; fault < FAULTS; fault++) {
        svm_synch(&unit, values);
        unit.KernelParamRf[30] = fault;
        if (setjmp(back) == 0)
            svm_synch(&unit, svm_KernelStart(&unit, faulty_run, 30, SVM_STREAMS(0), SVM_STREAMS(1), 0));
        printf("parameter %d, %zu records\n", unit.KernelParamRf[31], svm_streamRecords(&unit, 1));
    }
    static svm_Kernel plain;
    svm_kernelInit(&plain, &SPE0, faulty_run, "");
    if (setjmp(back) == 0) {
        svm_kernelRun(&plain);
        svm_kernelWait(&plain);
    }
    unit.StreamMemRF[2] = (svm_StreamMemReg){.stream_access_mode = SVM_INDEXED_STREAM,
                                             .stream_stride_or_index = 1,
                                             .stream_ptr = address + 32,
                                             .stream_record_size = 1,
                                             .stream_length = 4,
                                             .stream_extent = 4,
                                             .stream_combine = SVM_ADD_INT32};
    svm_Fence indices = svm_StreamLoad(&unit, 1, 1, 0);
    if (setjmp(back) == 0)
        svm_synch(&unit, svm_StreamStore(&unit, 2, 0, 1, indices));
    printf("%d %d %d %d\n", data.sums[0], data.sums[1], data.sums[2], data.sums[3]);
    unit.StreamMemRF[0].stream_length = 2; // less than there are
    if (setjmp(back) == 0)
        svm_synch(&unit, svm_StreamStore(&unit, 0, 0, 0));
    // CHECK: svm_parameter of 'faulty_run': parameter 32 is more than there are registers [bad-argument]
    // CHECK: svm_srfRead of 'faulty_run': stream 0 has no more records [end-of-stream]
    // CHECK: the kernel was not started by svm_KernelStart
    // CHECK: index 2 of 'the index stream' is 4
    // CHECK-NEXT: 12 20 31 40
    return 0;
}
