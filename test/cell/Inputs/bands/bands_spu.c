// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <spu_intrinsics.h>
#include <spu_mfcio.h>

#include "bands.h"

void reduce(const band *b);

static band my __attribute__((aligned(128)));
static vector float rows[2][WIDTH / 4] __attribute__((aligned(128)));

static void wait_for_tag(unsigned int tag)
{
    mfc_write_tag_mask(1 << tag);
    mfc_read_tag_status_all();
}

// Two buffers with a tag each: while one is computed the other one is on its way. A fetch into a buffer comes after the
// store out of it by the fence.
static void transform(void)
{
    const unsigned int bytes = sizeof rows[0];
    mfc_get(rows[0], my.in, bytes, 0, 0, 0);
    for (unsigned int r = 0; r < my.rows; r++) {
        const unsigned int now = r & 1, next = now ^ 1;
        if (r + 1 < my.rows)
            mfc_getf(rows[next], my.in + (r + 1) * bytes, bytes, next, 0, 0);
        wait_for_tag(now);
        for (int i = 0; i < WIDTH / 4; i++)
            rows[now][i] = spu_madd(rows[now][i], spu_splats(3.0f), spu_splats(1.0f));
        mfc_put(rows[now], my.out + r * bytes, bytes, now, 0, 0);
    }
    mfc_write_tag_mask(3);
    mfc_read_tag_status_all();
}

int main(unsigned long long id, unsigned long long argp, unsigned long long envp)
{
    (void)id, (void)envp;
    mfc_get(&my, argp, sizeof my, 5, 0, 0);
    wait_for_tag(5);
    transform();
    reduce(&my);
    return 0;
}
