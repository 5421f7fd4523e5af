#ifndef BODIES_H
#define BODIES_H
#include <vec_types.h>

#if defined(__SPU__) == defined(__PPU__)
#error "neither side, or both"
#endif

typedef struct bodies {
    vec_float4 place[4];
    vec_float4 squares;
} bodies __attribute__((aligned(16)));

#endif
