// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of vectors by one name each, for data that PPE and SPEs share. Operations on them are those of the C compiler: +,
// [] and so on; VMX intrinsics are not there.
#ifndef VEC_TYPES_H
#define VEC_TYPES_H

#define SVM_PPU_VECTOR __attribute__((__vector_size__(16)))
typedef SVM_PPU_VECTOR unsigned char vec_uchar16;
typedef SVM_PPU_VECTOR signed char vec_char16;
typedef SVM_PPU_VECTOR unsigned short vec_ushort8;
typedef SVM_PPU_VECTOR signed short vec_short8;
typedef SVM_PPU_VECTOR unsigned int vec_uint4;
typedef SVM_PPU_VECTOR signed int vec_int4;
typedef SVM_PPU_VECTOR unsigned long long vec_ullong2;
typedef SVM_PPU_VECTOR signed long long vec_llong2;
typedef SVM_PPU_VECTOR float vec_float4;
typedef SVM_PPU_VECTOR double vec_double2;

#endif
