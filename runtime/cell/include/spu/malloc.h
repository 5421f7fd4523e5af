// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C library's allocation, and the vendor's library's memalign, which this one lacks.
#ifndef SVM_SPU_MALLOC_H
#define SVM_SPU_MALLOC_H

#include_next <malloc.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C"
#endif
    void *memalign(size_t alignment, size_t size);

#endif
