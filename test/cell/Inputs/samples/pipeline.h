/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PIPELINE_H
#define PIPELINE_H
enum { STAGES = 4, BLOCKS = 24, WORDS = 256 };
/* What a stage is told: 128 bytes. */
typedef struct {
    unsigned long long next;   /* the next stage's local store; 0: the last one's blocks go to `result` */
    unsigned long long filled; /* signal register 1 of the next stage */
    unsigned long long freed;  /* signal register 2 of the stage before */
    unsigned long long result;
    unsigned int stage, unused[23];
} Orders;
#endif
