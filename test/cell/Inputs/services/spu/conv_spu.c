// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <spu_intrinsics.h>
#include <spu_mfcio.h>
#include <stdlib.h>
#include <stdio.h>
#include "../common.h"

#define STRIDE (WIDTH + 8)
#define IN_BYTES (STRIDE * sizeof(float))
#define OUT_BYTES (WIDTH * sizeof(float))

static volatile control_block cb;
static volatile float rows[2][3][STRIDE] __attribute__ ((aligned (128)));
static volatile float result[2][WIDTH] __attribute__ ((aligned (128)));
static volatile mfc_list_element_t list[2][4] __attribute__ ((aligned (8)));
static unsigned int tag[2];

static void fetch(int buf, unsigned int row)
{
  unsigned int i;
  for (i = 0; i < 3; i++) {
    unsigned long long ea = cb.in + (unsigned long long)(row + i) * IN_BYTES;
    list[buf][i].notify = 0;
    list[buf][i].reserved = 0;
    list[buf][i].size = IN_BYTES;
    list[buf][i].eal = mfc_ea2l(ea);
  }
  spu_dsync();
  /* the barrier keeps this get behind the put that still reads the buffer's result */
  mfc_getlb((volatile void *)rows[buf],
            mfc_hl2ea(mfc_ea2h(cb.in), 0), (void *)list[buf], 3 * sizeof(mfc_list_element_t), tag[buf], 0, 0);
}

static inline void wait_tag(unsigned int t)
{
  spu_writech(MFC_WrTagMask, 1 << t);
  (void)spu_mfcstat(MFC_TAG_UPDATE_ALL);
}

static void filter(int buf)
{
  static const vec_uchar16 shl1 = { 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 };
  static const vec_uchar16 shl2 = { 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 };
  vec_float4 c[9];
  int x, y;
  for (x = 0; x < 9; x++)
    c[x] = spu_splats(((float *)cb.coeff)[x]);
  for (x = 0; x < WIDTH / 4; x++) {
    vec_float4 sum = (vec_float4) { 0.0f, 0.0f, 0.0f, 0.0f };
    for (y = 0; y < 3; y++) {
      vec_float4 *in = (vec_float4 *) rows[buf][y];
      vec_float4 a = in[x], b = in[x + 1];
      sum = spu_madd(a, c[3 * y], sum);
      sum = spu_madd(spu_shuffle(a, b, shl1), c[3 * y + 1], sum);
      sum = spu_madd(spu_shuffle(a, b, shl2), c[3 * y + 2], sum);
    }
    ((vec_float4 *) result[buf])[x] = sum;
  }
}

int main(unsigned long long spu_id __attribute__ ((unused)), unsigned long long parm)
{
  unsigned int i, base;
  base = mfc_multi_tag_reserve(2);
  if (base == MFC_TAG_INVALID) {
    printf("SPE: no tags\n");
    return 1;
  }
  tag[0] = base;
  tag[1] = base + 1;
  spu_mfcdma64((void *)&cb, mfc_ea2h(parm), mfc_ea2l(parm), sizeof(cb), tag[0], MFC_GET_CMD);
  wait_tag(tag[0]);
  fetch(0, cb.first);
  for (i = 0; i < cb.rows; i++) {
    int buf = i & 1;
    if (i + 1 < cb.rows)
      fetch(buf ^ 1, cb.first + i + 1);
    wait_tag(tag[buf]);
    filter(buf);
    mfc_putf(result[buf], cb.out + (unsigned long long)(cb.first + i) * OUT_BYTES, OUT_BYTES, tag[buf], 0, 0);
  }
  spu_writech(MFC_WrTagMask, (1 << tag[0]) | (1 << tag[1]));
  (void)spu_mfcstat(MFC_TAG_UPDATE_ALL);
  mfc_multi_tag_release(base, 2);
  return 0;
}
