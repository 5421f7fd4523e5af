// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives back what malloc_align.h allocated.
#ifndef FREE_ALIGN_H
#define FREE_ALIGN_H

#include <stdlib.h>

static __inline__ void _free_align(void *memory)
{
    free(memory);
}
#define free_align(memory) _free_align(memory)

#endif
