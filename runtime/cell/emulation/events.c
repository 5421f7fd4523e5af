// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The SPU's event facility and its decrementer.
#include "runtime/cell/emulation/emulation.h"

#include <string.h>

enum { EVENT_DECREMENTER = 0x20, EVENT_LOST = 0x400 };

// The time base of the PlayStation 3: 79.8 MHz.
static const uint64_t ticks_per_10_us = 798;

void cell_event(spe *s, uint32_t events)
{
    s->event_pending |= events;
    cell_changed(s);
}

uint32_t cell_decrementer_now(const spe *s)
{
    if (!s->decrementer_runs)
        return s->decrementer;
    return s->decrementer - (uint32_t)((cell_nanoseconds() - s->decrementer_set) * ticks_per_10_us / 10000);
}

// A store of the PPE to a reserved line is seen by the line's bytes.
static bool reservation_lost(spe *s)
{
    uint8_t line[CELL_LINE];
    if (!s->mfc.reserved || s->mfc.bus.read(s->mfc.bus.context, s->mfc.line_ea, line, CELL_LINE))
        return false;
    return memcmp(line, s->mfc.line, CELL_LINE) != 0;
}

void cell_look_at_events(spe *s)
{
    if (s->decrementer_runs && !(s->event_pending & EVENT_DECREMENTER) &&
        (cell_nanoseconds() - s->decrementer_set) * ticks_per_10_us / 10000 > s->decrementer) {
        s->event_pending |= EVENT_DECREMENTER;
        // The event comes once for each time that the counter passes 0.
        s->decrementer = cell_decrementer_now(s);
        s->decrementer_set = cell_nanoseconds();
    }
    if (reservation_lost(s)) {
        s->mfc.reserved = false;
        s->event_pending |= EVENT_LOST;
    }
}
