// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mailboxes and signal registers.
#include "runtime/cell/emulation/emulation.h"

#include <string.h>

bool cell_mailbox_put(cell_mailbox *box, uint32_t value)
{
    if (box->count == box->depth)
        return false;
    box->entry[box->count++] = value;
    return true;
}

void cell_mailbox_overrun(cell_mailbox *box, uint32_t value)
{
    if (!cell_mailbox_put(box, value))
        box->entry[box->depth - 1] = value;
}

bool cell_mailbox_take(cell_mailbox *box, uint32_t *value)
{
    if (!box->count)
        return false;
    *value = box->entry[0];
    box->count--;
    memmove(box->entry, box->entry + 1, box->count * sizeof box->entry[0]);
    return true;
}

void cell_signal_put(cell_signal *signal, uint32_t value)
{
    signal->value = signal->collects ? signal->value | value : value;
    signal->full = true;
}
