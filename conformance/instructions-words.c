// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: stream instructions work with words on a machine whose memory and engine work with multiples of 16 bytes: streams
// begin at any word, records are a stride or an index apart, stores leave the words between alone and combine; an address
// that is of no word is alignment.
// Machine: cell-qs20
// Prints:
//   words from the second on, backwards by a kernel: 9 8 7 6 5 4 3 2
//   every third record of two words: 3 4, 9 10, 15 16
//   stored a stride apart: 0 3 4 0 0 0 9 10 0 0 0 15 16 0
//   added by indices: 100 107 100 111
//   SRF address of no word: alignment
//   memory address of no word: alignment
#include "conform.h"

#include <svm/instructions.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_PROCESSOR(SPE0);
SVM_PROCESSOR(MFC0);

static svm_StreamUnit unit;

SVM_KERNEL(cost(0, 3))
static void backwards_run(svm_Kernel *kernel)
{
    int32_t v;
    for (ptrdiff_t i = (ptrdiff_t)svm_srfLeft(kernel, 0) - 1; i >= 0; i--) {
        svm_srfAt(kernel, 0, i, &v);
        svm_srfWrite(kernel, 1, &v);
    }
}

static void in_memory(size_t r, size_t address, size_t size, size_t stride, size_t length)
{
    unit.StreamMemRF[r] = (svm_StreamMemReg){.stream_access_mode = SVM_STRIDED_STREAM,
                                             .stream_stride_or_index = stride,
                                             .stream_ptr = address,
                                             .stream_record_size = size,
                                             .stream_length = length};
}

static void in_srf(size_t r, size_t word, size_t size, size_t length)
{
    unit.StreamSRF_RF[r] = (svm_StreamSRFReg){word * SVM_WORD, size, length};
}

int main(void)
{
    static int32_t from[20], to[14], sums[4] = {100, 100, 100, 100}, indices[3] = {3, 1, 3}, added[3] = {5, 7, 6};
    svm_streamUnitInit(&unit, &SPE0, &MFC0, &XDR, &LS0, 0, 0, 0);
    for (int i = 0; i < 20; i++)
        from[i] = i + 1;
    size_t source = svm_map(&XDR, from, sizeof from), result = svm_map(&XDR, to, sizeof to);
    in_memory(0, source + SVM_WORD, 1, 1, 8);
    in_memory(1, result + 3 * SVM_WORD, 1, 1, 8);
    in_srf(0, 5, 1, 8);
    in_srf(1, 34, 1, 8);
    svm_Fence loaded = svm_StreamLoad(&unit, 0, 0, 0);
    svm_Fence kernel = svm_KernelStart(&unit, backwards_run, 0, SVM_STREAMS(0), SVM_STREAMS(1), 1, loaded);
    svm_synch(&unit, svm_StreamStore(&unit, 1, 1, 1, kernel));
    printf("words from the second on, backwards by a kernel:");
    for (int i = 0; i < 8; i++)
        printf(" %d", to[3 + i]);
    printf("\n");

    in_memory(0, source + 2 * SVM_WORD, 2, 6, 3);
    in_memory(1, result + SVM_WORD, 2, 5, 3);
    in_srf(2, 61, 2, 3);
    memset(to, 0, sizeof to);
    svm_synch(&unit, svm_StreamStore(&unit, 1, 2, 1, svm_StreamLoad(&unit, 0, 2, 0)));
    printf("every third record of two words: %d %d, %d %d, %d %d\nstored a stride apart:", to[1], to[2], to[6], to[7],
           to[11], to[12]);
    for (int i = 0; i < 14; i++)
        printf(" %d", to[i]);
    printf("\n");

    in_memory(2, svm_map(&XDR, indices, sizeof indices), 1, 1, 3);
    in_memory(3, svm_map(&XDR, added, sizeof added), 1, 1, 3);
    in_srf(3, 71, 1, 3);
    in_srf(4, 75, 1, 3);
    unit.StreamMemRF[4] = (svm_StreamMemReg){.stream_access_mode = SVM_INDEXED_STREAM,
                                             .stream_stride_or_index = 3,
                                             .stream_ptr = svm_map(&XDR, sums, sizeof sums),
                                             .stream_record_size = 1,
                                             .stream_length = 3,
                                             .stream_extent = 4,
                                             .stream_combine = SVM_ADD_INT32};
    svm_Fence by = svm_StreamLoad(&unit, 2, 3, 0), values = svm_StreamLoad(&unit, 3, 4, 0);
    svm_synch(&unit, svm_StreamStore(&unit, 4, 4, 2, by, values));
    printf("added by indices: %d %d %d %d\n", sums[0], sums[1], sums[2], sums[3]);

    unit.StreamSRF_RF[2].stream_ptr += 2;
    MISUSE("SRF address of no word", svm_StreamLoadAfter(&unit, 0, 2, 0, NULL));
    unit.StreamSRF_RF[2].stream_ptr -= 2;
    unit.StreamMemRF[0].stream_ptr += 2;
    MISUSE("memory address of no word", svm_synch(&unit, svm_StreamLoad(&unit, 0, 2, 0)));
    return 0;
}
