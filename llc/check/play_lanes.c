// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What functions of svm/lanes.h read and write of memory. Their names end in the number of lanes, svm_gatherInts16; what
// is in vectors nobody asks for.
#include <stdlib.h>
#include <string.h>

#include "llc/check/play.h"

enum { ITEM = 4 }; // bytes: ints and floats

// So many bytes at each of so many places, each so many items behind the one before.
static void touch_places(play *p, val at, int64_t bytes, val places, val stride, bool write)
{
    if (at.unknown || places.unknown || stride.unknown) {
        touch(p, at, nothing(), write);
        return;
    }
    for (int64_t i = 0; i < places.i; i++)
        touch(p, known(at.i + i * stride.i * ITEM), known(bytes), write);
}

// The number of lanes where the name is `what` with Floats or Ints and a number behind it; else 0.
static int64_t lanes_of(const char *name, const char *what)
{
    size_t n = strlen(what);
    if (strncmp(name, what, n) != 0)
        return 0;
    const char *type = name + n, *number = strncmp(type, "Floats", 6) == 0 ? type + 6
                                           : strncmp(type, "Ints", 4) == 0 ? type + 4
                                                                           : "";
    return number[0] >= '1' && number[0] <= '9' ? atoi(number) : 0;
}

// A tile has so many rows of columns; a column's items lie side by side in memory.
static void move_tile(play *p, val tile, val memory, const val *sizes, bool write)
{
    val rows = sizes[0];
    if (!write)
        forget_bytes(p, tile, rows.unknown || sizes[1].unknown ? -1 : rows.i * sizes[1].i * ITEM);
    if (rows.unknown)
        touch(p, memory, nothing(), write);
    else
        touch_places(p, memory, rows.i * ITEM, sizes[1], sizes[2], write);
    if (write)
        forget_bytes(p, memory, -1);
}

bool play_lanes(play *p, const char *name, const val *a, size_t count)
{
    int64_t lanes;
    if (strcmp(name, "svm_tileIn") == 0 && count >= 5) {
        move_tile(p, a[0], a[1], a + 2, false);
    } else if (strcmp(name, "svm_tileInPart") == 0 && count >= 6) {
        val sizes[] = {a[2], a[3].unknown ? a[3] : known(a[3].i - 1), a[4]};
        move_tile(p, a[0], a[1], sizes, false);
        if (!a[1].unknown && !a[3].unknown && !a[4].unknown && !a[5].unknown)
            touch(p, known(a[1].i + (a[3].i - 1) * a[4].i * ITEM), known(a[5].i * ITEM), false);
    } else if (strcmp(name, "svm_tileOut") == 0 && count >= 5) {
        move_tile(p, a[1], a[0], a + 2, true);
    } else if (strcmp(name, "svm_turnOver") == 0 && count >= 6) {
        touch_places(p, a[1], a[2].unknown ? 0 : a[2].i * ITEM, a[2].unknown ? a[2] : a[3], a[5], false);
        touch_places(p, a[0], a[3].unknown ? 0 : a[3].i * ITEM, a[3].unknown ? a[3] : a[2], a[4], true);
        forget_bytes(p, a[0], -1);
    } else if (strcmp(name, "svm_pairsIn") == 0 && count >= 4) {
        touch_places(p, a[1], 2 * ITEM, a[2], a[3], false);
        touch(p, a[0], a[2].unknown ? a[2] : known(a[2].i * 2 * ITEM), true);
        forget_bytes(p, a[0], a[2].unknown ? -1 : a[2].i * 2 * ITEM);
    } else if ((lanes = lanes_of(name, "svm_load")) != 0 && count >= 1) {
        touch(p, a[0], known(lanes * ITEM), false);
    } else if ((lanes = lanes_of(name, "svm_store")) != 0 && count >= 1) {
        touch(p, a[0], known(lanes * ITEM), true);
        forget_bytes(p, a[0], lanes * ITEM);
    } else if ((lanes = lanes_of(name, "svm_gather")) != 0 && count >= 2) {
        touch_places(p, a[0], ITEM, known(lanes), a[1], false);
    } else if ((lanes = lanes_of(name, "svm_scatter")) != 0 && count >= 2) {
        touch_places(p, a[0], ITEM, known(lanes), a[1], true);
        forget_bytes(p, a[0], -1);
    } else if (strcmp(name, "svm_lookUpBytes") == 0 && count >= 4) {
        touch(p, a[0], a[2], false);
        touch(p, a[1], a[2], true);
        touch(p, a[3], known(256), false);
        forget_bytes(p, a[1], a[2].unknown ? -1 : a[2].i);
    } else {
        return false;
    }
    return true;
}
