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
/* Of examples.br. */
void hand_plate(float *now, float *next, int width, int height, int steps);
void hand_blocks(const float *restrict a, const float *restrict b, float *restrict c, int n);
int hand_gradient(const float *restrict value, const int *restrict column, const float *right, float *x, float *work, int n);
void hand_sort(float *v, int n);
void hand_options(const float *restrict options, float *restrict call, float *restrict put, int n);
int hand_regions(const float *restrict grey, int *label, int *next, int *grown, int n);
void hand_spheres(const float *restrict spheres, float *restrict colour, float *restrict hit, int width, int height);
void hand_fft(const float *restrict from, float *restrict to, float *restrict work, const float *restrict factors, int n);
float hand_largest(const float *x, int n);
float hand_dot(const float *x, const float *y, int n);

/* Calls of either, alternately: the least time of each, and whether `same`. */
#define MEASURE_IF(name, same, graph, ...)                                                                             \
    {                                                                                                                  \
        double best = 1e9, hand = 1e9, began;                                                                          \
        int again;                                                                                                     \
        for (again = 0; again < runs; again++) {                                                                       \
            began = hand_now();                                                                                        \
            graph;                                                                                                     \
            if (hand_now() - began < best)                                                                             \
                best = hand_now() - began;                                                                             \
            began = hand_now();                                                                                        \
            __VA_ARGS__;                                                                                                     \
            if (hand_now() - began < hand)                                                                             \
                hand = hand_now() - began;                                                                             \
        }                                                                                                              \
        printf("%s %.9f %.9f %s\n", name, best, hand, (same) ? "same" : "DIFFERENT");                                  \
    }
#define MEASURE(name, bytes, result, expected, graph, plain)                                                           \
    MEASURE_IF(name, memcmp(result, expected, bytes) == 0, graph, plain)
