// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <spu_intrinsics.h>
#include <spu_mfcio.h>
#include "gather.h"

#define waitag(t) mfc_write_tag_mask(1 << (t)); mfc_read_tag_status_all();

static context_t ctx __attribute__((aligned(128)));
static vector float buffer[2][CHUNK] __attribute__((aligned(128)));
static volatile mfc_list_element_t list[2][CHUNK] __attribute__((aligned(8)));
static vector float sums[COLUMNS / QUAD] __attribute__((aligned(128)));
static unsigned int tags[2];

/* A quadword of each row of a chunk; the list stops in its middle, to be told to go on. */
static void request(int b, unsigned int column, int row)
{
    int i;
    for (i = 0; i < CHUNK; i++) {
        list[b][i].notify = i == CHUNK / 2;
        list[b][i].size = 16;
        list[b][i].eal = mfc_ea2l(ctx.matrix + (unsigned long long)((row + i) * COLUMNS + column) * sizeof(float));
    }
    mfc_getl(buffer[b], mfc_hl2ea(mfc_ea2h(ctx.matrix), 0), (void *)list[b], sizeof list[b], tags[b], 0, 0);
}

static void receive(int b)
{
    unsigned int stalled;
    do
        stalled = mfc_read_list_stall_status();
    while (!(stalled & 1 << tags[b]));
    mfc_write_list_stall_ack(tags[b]);
    waitag(tags[b]);
}

static vector float sum_of(unsigned int column)
{
    vector float sum = spu_splats(0.0f);
    int b = 0, row, i;
    request(b, column, 0);
    for (row = 0; row < ROWS; row += CHUNK, b ^= 1) {
        receive(b);
        if (row + CHUNK < ROWS)
            request(b ^ 1, column, row + CHUNK);
        for (i = 0; i < CHUNK; i++)
            sum = spu_add(sum, buffer[b][i]);
    }
    return sum;
}

int main(unsigned long long id, unsigned long long argp, unsigned long long envp)
{
    unsigned int column;
    (void)id;
    if (envp != 16)
        return 1;
    tags[0] = mfc_tag_reserve();
    tags[1] = mfc_tag_reserve();
    if (tags[0] == MFC_TAG_INVALID || tags[1] == MFC_TAG_INVALID)
        return 2;
    spu_mfcdma64(&ctx, mfc_ea2h(argp), mfc_ea2l(argp), sizeof ctx, tags[0], MFC_GET_CMD);
    waitag(tags[0]);
    for (column = ctx.first; column < ctx.first + ctx.count; column += QUAD)
        sums[(column - ctx.first) / QUAD] = sum_of(column);
    mfc_put(sums, ctx.sums + ctx.first * sizeof(float), ctx.count * sizeof(float), tags[0], 0, 0);
    waitag(tags[0]);
    mfc_tag_release(tags[0]);
    mfc_tag_release(tags[1]);
    return 0;
}
