// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include <libspe2.h>

enum { CMD_SUM, CMD_SQRT, CMD_BLOCK, CMD_QUIT };
extern spe_program_handle_t service_spu;
static unsigned int data[8192] __attribute__ ((aligned (128)));
static spe_context_ptr_t spe;

static void *runner(void *arg)
{
  unsigned int entry = SPE_DEFAULT_ENTRY;
  spe_stop_info_t stop;
  int rc;
  (void)arg;
  while ((rc = spe_context_run(spe, &entry, 0, data, NULL, &stop)) > 0)
    printf("service: stops with 0x%x, reason %d\n", stop.result.spe_signal_code, stop.stop_reason == SPE_STOP_AND_SIGNAL);
  printf("service: ends with %d\n", stop.result.spe_exit_code);
  return NULL;
}

static unsigned int ask(spe_event_handler_ptr_t handler, unsigned int *words, int count)
{
  unsigned int answer, sent = 0;
  spe_event_unit_t event;
  while (sent < (unsigned int)count) {
    int n = spe_in_mbox_write(spe, words + sent, count - (int)sent, SPE_MBOX_ANY_NONBLOCKING);
    if (n < 0)
      return 0;
    sent += (unsigned int)n;
  }
  do {
    if (spe_event_wait(handler, &event, 1, -1) != 1)
      return 0;
  } while (!(event.events & SPE_EVENT_OUT_INTR_MBOX));
  while (spe_out_intr_mbox_read(event.spe, &answer, 1, SPE_MBOX_ANY_NONBLOCKING) == 0)
    ;
  return answer;
}

int main(void)
{
  pthread_t thread;
  spe_event_unit_t unit;
  spe_event_handler_ptr_t handler;
  unsigned int i, quit = CMD_QUIT, wrong = 0;
  union { float f; unsigned int u; } v;
  for (i = 0; i < 8192; i++)
    data[i] = i;
  spe = spe_context_create(SPE_EVENTS_ENABLE, NULL);
  spe_program_load(spe, &service_spu);
  handler = spe_event_handler_create();
  unit.spe = spe;
  unit.events = SPE_EVENT_OUT_INTR_MBOX;
  unit.data.u32 = 3;
  spe_event_handler_register(handler, &unit);
  pthread_create(&thread, NULL, runner, NULL);
  for (i = 0; i < 50; i++) {
    unsigned int sum[] = { CMD_SUM, i, 1000 }, root[] = { CMD_SQRT, 0 }, block[] = { CMD_BLOCK, 4096 * (i % 8) };
    v.f = (float)(i * i);
    root[1] = v.u;
    wrong += ask(handler, sum, 3) != i + 1000;
    v.u = ask(handler, root, 2);
    wrong += v.f != (float)i;
    wrong += ask(handler, block, 2) != 1024 * 1023 / 2 + 1024 * 1024 * (i % 8);
  }
  spe_in_mbox_write(spe, &quit, 1, SPE_MBOX_ALL_BLOCKING);
  pthread_join(thread, NULL);
  spe_event_handler_deregister(handler, &unit);
  spe_event_handler_destroy(handler);
  spe_context_destroy(spe);
  printf("service: %u wrong\n", wrong);
  return 0;
}
