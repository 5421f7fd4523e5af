/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* 1024-point complex FFTs, one work item a transform; 16 SPEs take items from a queue head in an atomic line. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <pthread.h>
#include <libspe2.h>
#include <malloc_align.h>
#include <free_align.h>

#define N 1024
#define ITEMS 64
#define MAX_SPES 16

extern spe_program_handle_t spectra_spu;

typedef struct {
    unsigned long long data;
    unsigned long long twiddle;
    unsigned long long head;
    unsigned int items, rank;
    unsigned char pad[96];
} control_block __attribute__((aligned(128)));

static control_block cb[MAX_SPES];
static volatile unsigned int head[32] __attribute__((aligned(128)));

typedef struct { spe_context_ptr_t ctx; pthread_t tid; control_block *cb; int done; } worker;

static void *run(void *p)
{
    worker *w = (worker *)p;
    unsigned int entry = SPE_DEFAULT_ENTRY;
    spe_stop_info_t info;
    if (spe_context_run(w->ctx, &entry, 0, w->cb, (void *)(unsigned long)N, &info) < 0) {
        perror("spe_context_run");
        exit(1);
    }
    if (info.stop_reason != SPE_EXIT) exit(2);
    w->done = info.result.spe_exit_code;
    return NULL;
}

int main(void)
{
    worker w[MAX_SPES];
    int i, k, j, spes = spe_cpu_info_get(SPE_COUNT_USABLE_SPES, -1);
    if (spes > MAX_SPES) spes = MAX_SPES;
    float *data = (float *)_malloc_align(ITEMS * N * 2 * sizeof(float), 7);
    float *tw = (float *)_malloc_align(N * sizeof(float), 7);
    float *ref = malloc(ITEMS * N * 2 * sizeof(float));
    for (i = 0; i < ITEMS * N * 2; i++)
        ref[i] = data[i] = (float)((i * 7919) % 1000) / 500.0f - 1.0f;
    for (i = 0; i < N / 2; i++) {
        tw[2 * i] = cos(2 * M_PI * i / N);
        tw[2 * i + 1] = -sin(2 * M_PI * i / N);
    }
    spe_gang_context_ptr_t gang = spe_gang_context_create(0);
    if (!gang) { perror("gang"); return 1; }
    for (i = 0; i < spes; i++) {
        cb[i].data = (unsigned long)data;
        cb[i].twiddle = (unsigned long)tw;
        cb[i].head = (unsigned long)head;
        cb[i].items = ITEMS;
        cb[i].rank = i;
        w[i].cb = &cb[i];
        w[i].ctx = i == 0 ? spe_context_create_affinity(0, NULL, gang) : spe_context_create_affinity(0, w[i - 1].ctx, gang);
        if (!w[i].ctx) { perror("spe_context_create_affinity"); return 1; }
        if (spe_program_load(w[i].ctx, &spectra_spu)) { perror("load"); return 1; }
    }
    for (i = 0; i < spes; i++)
        pthread_create(&w[i].tid, NULL, run, &w[i]);
    int total = 0;
    for (i = 0; i < spes; i++) {
        pthread_join(w[i].tid, NULL);
        total += w[i].done;
        spe_context_destroy(w[i].ctx);
    }
    spe_gang_context_destroy(gang);
    double worst = 0;
    for (k = 0; k < ITEMS; k += 21)
        for (j = 0; j < N; j += 17) {
            double re = 0, im = 0;
            for (i = 0; i < N; i++) {
                double a = -2 * M_PI * ((long)i * j % N) / N, x = ref[2 * (k * N + i)], y = ref[2 * (k * N + i) + 1];
                re += x * cos(a) - y * sin(a);
                im += x * sin(a) + y * cos(a);
            }
            double d = hypot(re - data[2 * (k * N + j)], im - data[2 * (k * N + j) + 1]);
            if (d > worst) worst = d;
        }
    printf("spectra: %d transforms, %s\n", total, worst < 1e-2 ? "right" : "WRONG");
    _free_align(data);
    _free_align(tw);
    return 0;
}
