// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>
#include <pthread.h>
#include <libspe2.h>
#include "common.h"

extern spe_program_handle_t conv_spu;
#define STRIDE (WIDTH + 8)

typedef struct ppu_pthread_data {
  spe_context_ptr_t speid;
  pthread_t pthread;
  void *argp;
} ppu_pthread_data_t;

static float in[HEIGHT + 2][STRIDE] __attribute__ ((aligned (128)));
static float out[HEIGHT][WIDTH] __attribute__ ((aligned (128)));
static control_block cb[MAX_SPES] __attribute__ ((aligned (128)));
static ppu_pthread_data_t datas[MAX_SPES];

void *ppu_pthread_function(void *arg)
{
  ppu_pthread_data_t *datap = (ppu_pthread_data_t *) arg;
  unsigned int entry = SPE_DEFAULT_ENTRY;
  if (spe_context_run(datap->speid, &entry, 0, datap->argp, NULL, NULL) < 0) {
    perror("Failed running context");
    exit(1);
  }
  pthread_exit(NULL);
}

int main(void)
{
  static const float coeff[9] = { 1, 2, 1, 2, 4, 2, 1, 2, 1 };
  int i, x, y, k, wrong = 0, spus = spe_cpu_info_get(SPE_COUNT_USABLE_SPES, -1);
  if (spus > MAX_SPES)
    spus = MAX_SPES;
  for (y = 0; y < HEIGHT + 2; y++)
    for (x = 0; x < STRIDE; x++)
      in[y][x] = (float)((x * 7 + y * 13) % 31);
  for (i = 0; i < spus; i++) {
    cb[i].in = (unsigned long long)(unsigned long)in;
    cb[i].out = (unsigned long long)(unsigned long)out;
    cb[i].first = HEIGHT * i / spus;
    cb[i].rows = HEIGHT * (i + 1) / spus - cb[i].first;
    memcpy(cb[i].coeff, coeff, sizeof coeff);
    if ((datas[i].speid = spe_context_create(SPE_EVENTS_ENABLE | SPE_MAP_PS, NULL)) == NULL) {
      perror("Failed creating context");
      exit(1);
    }
    if (spe_program_load(datas[i].speid, &conv_spu)) {
      perror("Failed loading program");
      exit(1);
    }
    datas[i].argp = &cb[i];
    if (pthread_create(&datas[i].pthread, NULL, &ppu_pthread_function, &datas[i])) {
      perror("Failed creating thread");
      exit(1);
    }
  }
  for (i = 0; i < spus; i++) {
    if (pthread_join(datas[i].pthread, NULL)) {
      perror("Failed joining thread");
      exit(1);
    }
    if (spe_context_destroy(datas[i].speid) != 0) {
      perror("Failed destroying context");
      exit(1);
    }
  }
  for (y = 0; y < HEIGHT; y++)
    for (x = 0; x < WIDTH; x++) {
      float sum = 0;
      for (k = 0; k < 9; k++)
        sum += coeff[k] * in[y + k / 3][x + k % 3];
      wrong += sum != out[y][x];
    }
  printf("conv: %d SPEs, %d wrong\n", spus, wrong);
  return wrong != 0;
}
