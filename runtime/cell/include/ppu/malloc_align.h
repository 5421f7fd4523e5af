// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vendor's allocation with an alignment of 2 to the power of log2_align.
#ifndef MALLOC_ALIGN_H
#define MALLOC_ALIGN_H

#include <stdlib.h>

static __inline__ void *_malloc_align(size_t size, unsigned int log2_align)
{
    const size_t align = (size_t)1 << (log2_align < 4 ? 4 : log2_align);
    return aligned_alloc(align, (size + align - 1) / align * align);
}
#define malloc_align(size, log2_align) _malloc_align(size, log2_align)

#endif
