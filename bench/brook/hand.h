/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The computations of kernels.br in C, as somebody writes them who wants speed. */
double hand_now(void); /* processor time in seconds */
void hand_saxpy(float k, const float *x, const float *y, float *z, int n);
void hand_chain(const float *restrict x, const float *restrict y, float *restrict z, int n);
void hand_copy(float *to, const float *from, int n);
void hand_heat(const float *t, float *next, int n);
void hand_multiply(const float *a, const float *b, float *c, int n);
void hand_fir(const float *h, const float *x, float *y, int n, int taps);
void hand_sparse(const float *restrict x, const float *restrict value, const int *restrict column, float *restrict y,
                 int rows);
void hand_cast(const float *restrict spheres, int count, float *restrict depth, int n);
void hand_escape(float *steps, int n);
void hand_poly(const float *x, float *y, int n);
float hand_total(const float *x, int n);
void hand_columns(const float *x, float *sums, int n);
