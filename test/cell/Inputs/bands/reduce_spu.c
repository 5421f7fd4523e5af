// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <spu_intrinsics.h>
#include <spu_mfcio.h>

#include "bands.h"

enum { TAG = 7 };

static mfc_list_element_t list[PICKED] __attribute__((aligned(8)));
static float column[PICKED][4] __attribute__((aligned(128))); // a list puts each float in a quadword
static float most[PICKED] __attribute__((aligned(128)));
static float others[SPES][PICKED] __attribute__((aligned(128))); // of the first SPE: what the others send
static unsigned int bit[4] __attribute__((aligned(16)));

static void pick(const band *b)
{
    for (unsigned int r = 0; r < b->rows; r++) {
        const unsigned long long row = b->out + (unsigned long long)r * WIDTH * sizeof(float);
        for (int i = 0; i < PICKED; i++) {
            list[i].notify = 0;
            list[i].size = sizeof(float);
            list[i].eal = mfc_ea2l(row + i * 16 * sizeof(float));
        }
        mfc_getl(column, row, list, sizeof list, TAG, 0, 0);
        mfc_write_tag_mask(1 << TAG);
        mfc_read_tag_status_all();
        for (int i = 0; i < PICKED; i++)
            most[i] = column[i][0] > most[i] ? column[i][0] : most[i];
    }
}

// The numbers, then the signal: the fence keeps the order.
static void send(const band *b)
{
    const unsigned int where = spu_read_in_mbox();
    const unsigned long long to = b->first_ls + where + b->index * sizeof most;
    mfc_put(most, to, sizeof most, TAG, 0, 0);
    bit[b->first_signal / 4 % 4] = 1u << b->index;
    mfc_sndsigf(&bit[b->first_signal / 4 % 4], b->first_signal, TAG, 0, 0);
    mfc_write_tag_mask(1 << TAG);
    mfc_read_tag_status_all();
}

static void collect(const band *b)
{
    unsigned int arrived = 1;
    while (arrived != (1u << SPES) - 1)
        arrived |= spu_read_signal1();
    for (int s = 1; s < SPES; s++)
        for (int i = 0; i < PICKED; i++)
            most[i] = others[s][i] > most[i] ? others[s][i] : most[i];
    mfc_put(most, b->result, sizeof most, TAG, 0, 0);
    mfc_write_tag_mask(1 << TAG);
    mfc_read_tag_status_all();
    spu_write_out_intr_mbox(arrived);
}

void reduce(const band *b)
{
    if (b->index == 0)
        spu_write_out_mbox((unsigned int)others);
    pick(b);
    if (b->index == 0)
        collect(b);
    else
        send(b);
}
