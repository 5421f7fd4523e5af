// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <spu_mfcio.h>
#include <spu_intrinsics.h>
#include <stdio.h>
#include <stdlib.h>
#include <malloc.h>
#include <string.h>
#include <math.h>

/* A service: commands in the inbound mailbox, of up to four words; answers by the interrupting mailbox. */
enum { CMD_SUM, CMD_SQRT, CMD_BLOCK, CMD_QUIT };

static unsigned int count_events(void)
{
  unsigned int events, n = 0;
  spu_write_event_mask(MFC_IN_MBOX_AVAILABLE_EVENT);
  events = spu_read_event_status();
  spu_write_event_ack(events);
  if (events & MFC_IN_MBOX_AVAILABLE_EVENT)
    n = spu_stat_in_mbox();
  spu_write_event_mask(0);
  return n;
}

int main(unsigned long long speid, unsigned long long argp, unsigned long long envp)
{
  unsigned char *heap;
  (void)speid; (void)envp;
  if ((heap = memalign(128, 4096)) == NULL)
    return 1;
  for (;;) {
    while (count_events() == 0)
      ;
    switch (spu_read_in_mbox()) {
    case CMD_SUM: {
      unsigned int a = spu_read_in_mbox(), b = spu_read_in_mbox();
      spu_write_out_intr_mbox(a + b);
      break;
    }
    case CMD_SQRT: {
      union { unsigned int u; float f; } v;
      v.u = spu_read_in_mbox();
      v.f = sqrtf(v.f);
      spu_writech(SPU_WrOutIntrMbox, v.u);
      break;
    }
    case CMD_BLOCK: {
      unsigned int offset = spu_read_in_mbox(), i, sum = 0;
      vector unsigned int total = spu_splats(0u), *v = (vector unsigned int *)heap;
      spu_mfcdma32(heap, (unsigned int)argp + offset, 4096, 5, MFC_GET_CMD);
      mfc_write_tag_mask(1 << 5);
      mfc_read_tag_status_any();
      for (i = 0; i < 256; i++)
        total = spu_add(total, v[i]);
      for (i = 0; i < 4; i++)
        sum += spu_extract(total, i);
      spu_write_out_intr_mbox(sum);
      break;
    }
    case CMD_QUIT:
      free(heap);
      spu_stop(0x1abc);
      return 7;
    }
  }
}
