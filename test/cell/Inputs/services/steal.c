// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include <libspe2.h>
#include "steal.h"

#define SPES 4
extern spe_program_handle_t steal_spu;
static deque_t deques[SPES] __attribute__ ((aligned (128)));
static unsigned int done[32] __attribute__ ((aligned (128))), results[ITEMS] __attribute__ ((aligned (128)));
static params_t params __attribute__ ((aligned (128)));
static spe_context_ptr_t spe[SPES];

static void *run(void *arg)
{
  unsigned int entry = SPE_DEFAULT_ENTRY;
  long n = (long)arg;
  spe_stop_info_t info;
  if (spe_context_run(spe[n], &entry, 0, &params, (void *)n, &info) != 0 || info.stop_reason != SPE_EXIT)
    fprintf(stderr, "SPE %ld: reason %u\n", n, info.stop_reason);
  return NULL;
}

int main(void)
{
  pthread_t threads[SPES];
  spe_gang_context_ptr_t gang = spe_gang_context_create(0);
  unsigned int mine = 0, stolen = 0, wrong = 0, i, k;
  for (i = 0; i < ITEMS; i++) { /* all in the first two */
    deque_t *d = &deques[i % 4 == 0 ? 1 : i % 2 == 0 ? 2 : 0];
    if (d->tail < DEQUE)
      d->items[d->tail++] = i;
    else
      deques[3].items[deques[3].tail++] = i;
  }
  params = (params_t){ (unsigned long)deques, (unsigned long)done, (unsigned long)results, SPES, ITEMS, {0} };
  for (i = 0; i < SPES; i++) {
    spe[i] = spe_context_create(0, gang);
    spe_program_load(spe[i], &steal_spu);
    pthread_create(&threads[i], NULL, run, (void *)(long)i);
  }
  for (i = 0; i < SPES; i++) {
    unsigned int word;
    while (spe_out_mbox_status(spe[i]) == 0)
      ;
    spe_out_mbox_read(spe[i], &word, 1);
    mine += word;
    spe_out_intr_mbox_read(spe[i], &word, 1, SPE_MBOX_ALL_BLOCKING);
    stolen += word;
    pthread_join(threads[i], NULL);
    spe_context_destroy(spe[i]);
  }
  spe_gang_context_destroy(gang);
  for (i = 0; i < ITEMS; i++) {
    unsigned int x = i;
    for (k = 0; k < 200; k++)
      x = x * 1664525u + 1013904223u;
    wrong += x != results[i];
  }
  printf("steal: %u taken, %u wrong\n", mine + stolen, wrong);
  return 0;
}
