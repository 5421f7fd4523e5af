// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COMMON_H
#define COMMON_H
#define WIDTH 512
#define HEIGHT 96
#define MAX_SPES 6
typedef struct _control_block {
  unsigned long long in;      /* effective address of the padded picture */
  unsigned long long out;
  unsigned int first, rows;   /* rows of this SPE */
  float coeff[12];
  unsigned int pad[14];
} control_block __attribute__ ((aligned (128)));
#endif
