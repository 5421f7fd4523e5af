/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* C = A * B in tiles of 64 by 64, which four SPEs take in turn. */
#include <free_align.h>
#include <libspe2.h>
#include <malloc_align.h>
#include <pthread.h>
#include <stdio.h>

enum { N = 128, SPES = 4 };
extern spe_program_handle_t matrix_spu;
typedef struct {
    unsigned long long a, b, c;
    unsigned int n, first, step, unused;
} __attribute__((aligned(128))) Orders;
static Orders orders[SPES];

static void *run(void *argument)
{
    unsigned int entry = SPE_DEFAULT_ENTRY;
    spe_context_ptr_t spe = spe_context_create(0, NULL);
    spe_program_load(spe, &matrix_spu);
    if (spe_context_run(spe, &entry, 0, argument, NULL, NULL) != 0)
        perror("spe_context_run");
    spe_context_destroy(spe);
    return NULL;
}

int main(void)
{
    float *a = _malloc_align(N * N * sizeof *a, 7), *b = _malloc_align(N * N * sizeof *b, 7),
          *c = _malloc_align(N * N * sizeof *c, 7);
    pthread_t threads[SPES];
    int wrong = 0;
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i % 7 - 3);
        b[i] = (float)(i % 11 - 5);
    }
    for (unsigned int i = 0; i < SPES; i++) {
        orders[i] = (Orders){(unsigned long)a, (unsigned long)b, (unsigned long)c, N, i, SPES, 0};
        pthread_create(&threads[i], NULL, run, &orders[i]);
    }
    for (int i = 0; i < SPES; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i * N + k] * b[k * N + j];
            wrong += c[i * N + j] != sum;
        }
    printf("matrix: %d wrong\n", wrong);
    _free_align(a);
    _free_align(b);
    _free_align(c);
    return 0;
}
