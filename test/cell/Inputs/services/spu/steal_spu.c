// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <spu_intrinsics.h>
#include <spu_mfcio.h>
#include "../steal.h"

static volatile deque_t line __attribute__ ((aligned (128)));
static volatile unsigned int done_line[32] __attribute__ ((aligned (128)));
static params_t params __attribute__ ((aligned (128)));

/* takes from the front of one's own deque, from the back of another's; -1: empty */
static int take(unsigned long long ea, int own)
{
  unsigned int status;
  int item;
  do {
    mfc_getllar(&line, ea, 0, 0);
    (void)mfc_read_atomic_status();
    if (line.head == line.tail)
      return -1;
    if (own)
      item = (int)line.items[line.head++ % DEQUE];
    else
      item = (int)line.items[--line.tail % DEQUE];
    spu_dsync();
    mfc_putllc(&line, ea, 0, 0);
    status = mfc_read_atomic_status();
  } while (status & MFC_PUTLLC_STATUS);
  return item;
}

static void count_done(void)
{
  do {
    mfc_getllar(done_line, params.done, 0, 0);
    spu_readch(MFC_RdAtomicStat);
    done_line[0]++;
    mfc_putllc(done_line, params.done, 0, 0);
  } while (__builtin_expect(spu_readch(MFC_RdAtomicStat) & MFC_PUTLLC_STATUS, 0));
}

/* until the line of the counter is lost, or it has reached the end */
static int all_done(void)
{
  unsigned int mask = spu_read_event_mask();
  spu_write_event_mask(MFC_LLR_LOST_EVENT);
  for (;;) {
    mfc_getllar(done_line, params.done, 0, 0);
    (void)mfc_read_atomic_status();
    if (done_line[0] == params.total)
      break;
    spu_write_event_ack(spu_read_event_status());
    if (spu_stat_event_status() != 0)
      spu_write_event_ack(spu_read_event_status());
  }
  spu_write_event_mask(mask);
  return 1;
}

int main(unsigned long long id, unsigned long long argp, unsigned long long envp)
{
  unsigned int me = (unsigned int)envp, victim, stolen = 0, mine = 0;
  unsigned int tag = mfc_tag_reserve();
  (void)id;
  mfc_get(&params, argp, sizeof(params), tag, 0, 0);
  mfc_write_tag_mask(1 << tag);
  mfc_read_tag_status_all();
  for (;;) {
    int item = take(params.deques + me * sizeof(deque_t), 1);
    if (item >= 0)
      mine++;
    for (victim = (me + 1) % params.spes; item < 0 && victim != me; victim = (victim + 1) % params.spes)
      if ((item = take(params.deques + victim * sizeof(deque_t), 0)) >= 0)
        stolen++;
    if (item < 0)
      break;
    {
      volatile unsigned int x = (unsigned int)item, i;
      static unsigned int out[4] __attribute__ ((aligned (16)));
      for (i = 0; i < 200; i++)
        x = x * 1664525u + 1013904223u;
      out[item & 3] = x; /* 4 bytes: the low 4 bits of both addresses are equal */
      mfc_put(&out[item & 3], params.results + 4 * (unsigned int)item, 4, tag, 0, 0);
      mfc_read_tag_status_all();
    }
    count_done();
  }
  all_done();
  spu_write_out_mbox(mine);
  spu_write_out_intr_mbox(stolen);
  return 0;
}
