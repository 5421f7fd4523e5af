// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose code is overlaid: it comes from memory by DMA before a run, unless the last run in its region was of the same
// kernel.
#include <spu_mfcio.h>

#include "svm_resident.h"

enum { MOST_BYTES = 16384, TAG_CODE = 29 };

static uint64_t code;

void svm_cellCodeIsAt(uint64_t ea)
{
    code = ea;
}

void svm_cellLoadCode(uint32_t kernel)
{
    if (!svm_cellOverlayArea)
        return;
    const svm_CellOverlay *o = &svm_cellOverlays[kernel];
    if (o->bytes == 0 || svm_cellRegions[o->region] == kernel + 1)
        return;
    for (uint32_t at = 0; at < o->bytes; at += MOST_BYTES) {
        const uint32_t bytes = o->bytes - at < MOST_BYTES ? o->bytes - at : MOST_BYTES;
        mfc_get(svm_cellOverlayArea + o->to + at, code + o->from + at, bytes, TAG_CODE, 0, 0);
    }
    svm_cellRegions[o->region] = kernel + 1;
    mfc_write_tag_mask(1u << TAG_CODE);
    mfc_read_tag_status_all();
}
