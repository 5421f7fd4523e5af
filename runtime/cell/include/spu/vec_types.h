// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of vectors by one name each. Here spu_intrinsics.h has them.
#ifndef VEC_TYPES_H
#define VEC_TYPES_H

#include <spu_intrinsics.h>

#endif
