// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Literals of vectors: VEC_LITERAL(vector int, 1, 2, 3, 4), and of one value in all elements.
#ifndef VEC_LITERAL_H
#define VEC_LITERAL_H

#include <spu_intrinsics.h>

#define VEC_LITERAL(type, ...) ((type){__VA_ARGS__})
#define VEC_SPLAT_U8(x) spu_splats((unsigned char)(x))
#define VEC_SPLAT_S8(x) spu_splats((signed char)(x))
#define VEC_SPLAT_U16(x) spu_splats((unsigned short)(x))
#define VEC_SPLAT_S16(x) spu_splats((signed short)(x))
#define VEC_SPLAT_U32(x) spu_splats((unsigned int)(x))
#define VEC_SPLAT_S32(x) spu_splats((signed int)(x))
#define VEC_SPLAT_U64(x) spu_splats((unsigned long long)(x))
#define VEC_SPLAT_S64(x) spu_splats((signed long long)(x))
#define VEC_SPLAT_F32(x) spu_splats((float)(x))
#define VEC_SPLAT_F64(x) spu_splats((double)(x))

#endif
