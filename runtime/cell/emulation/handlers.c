// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Event handlers of the PPE, handlers of the SPEs' calls, facts about the machine.
#include "runtime/cell/emulation/emulation.h"

#include <errno.h>
#include <stdlib.h>

static int wrong(int error)
{
    errno = error;
    return -1;
}

// ---- Events ----

typedef struct registration {
    struct registration *next;
    spe_event_unit_t unit;
} registration;

typedef struct handler {
    registration *first;
} handler;

spe_event_handler_ptr_t spe_event_handler_create(void)
{
    return calloc(1, sizeof(handler));
}

int spe_event_handler_destroy(spe_event_handler_ptr_t pointer)
{
    handler *h = pointer;
    if (!h)
        return wrong(ESRCH);
    for (registration *r = h->first, *next; r; r = next) {
        next = r->next;
        free(r);
    }
    free(h);
    return 0;
}

static int check_event(const handler *h, const spe_event_unit_t *event)
{
    if (!h)
        return wrong(ESRCH);
    if (!event || !event->spe)
        return wrong(EINVAL);
    if (!(event->spe->flags & SPE_EVENTS_ENABLE) || event->events & ~(unsigned)SPE_EVENT_ALL_EVENTS)
        return wrong(ENOTSUP);
    return 0;
}

// One registration an event, so that each has its own data.
int spe_event_handler_register(spe_event_handler_ptr_t pointer, spe_event_unit_t *event)
{
    handler *h = pointer;
    if (check_event(h, event))
        return -1;
    cell_enter_from_ppe();
    for (unsigned bit = 1; bit <= SPE_EVENT_SPE_STOPPED; bit <<= 1) {
        registration *r;
        if (!(event->events & bit) || !(r = malloc(sizeof *r)))
            continue;
        *r = (registration){.next = h->first, .unit = *event};
        r->unit.events = bit;
        h->first = r;
    }
    cell_leave();
    return 0;
}

int spe_event_handler_deregister(spe_event_handler_ptr_t pointer, spe_event_unit_t *event)
{
    handler *h = pointer;
    if (check_event(h, event))
        return -1;
    cell_enter_from_ppe();
    for (registration **p = &h->first; *p;) {
        registration *r = *p;
        if (r->unit.spe == event->spe && r->unit.events & event->events) {
            *p = r->next;
            free(r);
        } else {
            p = &r->next;
        }
    }
    cell_leave();
    return 0;
}

static bool happened(const spe_event_unit_t *unit)
{
    spe *s = unit->spe;
    switch (unit->events) {
    case SPE_EVENT_OUT_INTR_MBOX: return s->out_intr.count != 0;
    case SPE_EVENT_IN_MBOX: return s->in.count < s->in.depth;
    case SPE_EVENT_TAG_GROUP: return s->proxy_tags && (cell_queue_done(&s->mfc.proxy) & s->proxy_tags) == s->proxy_tags;
    case SPE_EVENT_SPE_STOPPED: return s->stop_count != 0;
    default: return false;
    }
}

int spe_event_wait(spe_event_handler_ptr_t pointer, spe_event_unit_t *events, int max_events, int timeout)
{
    handler *h = pointer;
    if (!h)
        return wrong(ESRCH);
    if (!events || max_events <= 0)
        return wrong(EINVAL);
    const uint64_t deadline = timeout < 0 ? 0 : cell_nanoseconds() + (uint64_t)timeout * 1000000 + 1;
    int count = 0;
    cell_enter_from_ppe();
    for (;;) {
        for (const registration *r = h->first; r && count < max_events; r = r->next)
            if (happened(&r->unit))
                events[count++] = r->unit;
        if (count || (deadline && cell_nanoseconds() >= deadline))
            break;
        cell_block_events(deadline, "spe_event_wait");
    }
    cell_leave();
    return count;
}

// ---- Calls from the SPE ----

static void *call_handlers[256];

// 0 to 3 are the C library's and POSIX's on the machine; here the SPE's library has its own way.
enum { FIRST_FREE = 4 };

int spe_callback_handler_register(void *function, unsigned int callnum, unsigned int mode)
{
    if (callnum > 255 || !function || (mode != SPE_CALLBACK_NEW && mode != SPE_CALLBACK_UPDATE))
        return wrong(EINVAL);
    cell_enter_from_ppe();
    const bool taken = call_handlers[callnum] != NULL;
    const bool good = mode == SPE_CALLBACK_NEW ? callnum >= FIRST_FREE && !taken : taken || callnum < FIRST_FREE;
    if (good)
        call_handlers[callnum] = function;
    cell_leave();
    return good ? 0 : wrong(mode == SPE_CALLBACK_NEW ? EACCES : ESRCH);
}

int spe_callback_handler_deregister(unsigned int callnum)
{
    if (callnum > 255)
        return wrong(EINVAL);
    if (callnum < FIRST_FREE)
        return wrong(EACCES);
    cell_enter_from_ppe();
    const bool there = call_handlers[callnum] != NULL;
    call_handlers[callnum] = NULL;
    cell_leave();
    return there ? 0 : wrong(ESRCH);
}

void *spe_callback_handler_query(unsigned int callnum)
{
    if (callnum > 255) {
        errno = EINVAL;
        return NULL;
    }
    cell_enter_from_ppe();
    void *function = call_handlers[callnum];
    cell_leave();
    if (!function)
        errno = ESRCH;
    return function;
}

// With the lock held, which the handler runs without.
int cell_call_handler(spe *s)
{
    int (*function)(void *, unsigned long) = (int (*)(void *, unsigned long))(uintptr_t)call_handlers[s->callback];
    if (!function)
        return 1;
    const uint32_t data = s->callback_data;
    cell_leave();
    const int result = function(s->base, data);
    cell_enter();
    return result;
}

// ---- The machine ----

int spe_cpu_info_get(int what, int cpu_node)
{
    enum { NODES = 2, SPES = 16 }; // a QS20
    const char *text = getenv("SVM_CELL_SPES");
    const long wanted = text ? strtol(text, NULL, 10) : 0;
    const int spes = wanted > 0 && wanted <= 1024 ? (int)wanted : SPES;
    const int nodes = spes > 8 ? NODES : 1;
    if (cpu_node < -1 || cpu_node >= nodes)
        return wrong(EINVAL);
    switch (what) {
    case SPE_COUNT_PHYSICAL_CPU_NODES: return cpu_node < 0 ? nodes : 1;
    case SPE_COUNT_PHYSICAL_SPES:
    case SPE_COUNT_USABLE_SPES: return cpu_node < 0 ? spes : spes / nodes;
    case SPE_CPU_TYPE: return SPE_CPU_IS_CELLBE;
    default: return wrong(EINVAL);
    }
}
