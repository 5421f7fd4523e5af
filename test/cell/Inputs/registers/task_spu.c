#include "task.h"
#include <spu_mfcio.h>
#include <stdio.h>

static union {
    vec_ullong2 registers[3];
    task task;
} arguments;
static float sum[4] __attribute__((aligned(16)));

int main(vec_ullong2 r3, vec_ullong2 r4, vec_ullong2 r5)
{
    arguments.registers[0] = r3;
    arguments.registers[1] = r4;
    arguments.registers[2] = r5;
    const task *t = &arguments.task;
    for (int i = 0; i < 4; i++)
        sum[0] += t->scale[i];
    printf("%s: %u by %u\n", (const char *)t->name, (unsigned)t->rows, (unsigned)t->columns);
    mfc_put(sum, t->result, sizeof sum, 1, 0, 0);
    mfc_write_tag_mask(1 << 1);
    mfc_read_tag_status_all();
    return 0;
}
