// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of vectors by one name each. Here spu_intrinsics.h has most of them.
#ifndef VEC_TYPES_H
#define VEC_TYPES_H

#include <spu_intrinsics.h>

// What code for the PPE has types of its own for: truth values and pixels.
typedef __vector unsigned char vec_bchar16;
typedef __vector unsigned short vec_bshort8;
typedef __vector unsigned int vec_bint4;
typedef __vector unsigned short vec_pixel8;

#endif
