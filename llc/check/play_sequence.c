// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences (svm/program.h): runs that come again and again by themselves, with windows that go on from one time to the
// next. What a kernel reads and writes is found when it is added, and used again each time.
#include "llc/check/play.h"

// A run that was added.
typedef struct entry {
    int64_t kernel, place, offset; // place -1: none
    access_list accesses;
} entry;

struct sequence {
    int64_t places;
    bool made, refused;
    VEC(entry) entries;
    size_t before, last, end; // numbers of runs: not waited for yet; of what was run last; behind them
};

int64_t sequence_create(play *p, int64_t places)
{
    int64_t id = pointer_to(object_new(p, 1, true), 0);
    sequence *s = ARENA_NEW(p->arena, sequence);
    *s = (sequence){.places = places};
    hmap_setn(&p->sequences, &id, sizeof id, s);
    p->repeats = true;
    return id;
}

static sequence *sequence_of(play *p, int64_t id)
{
    sequence *s = hmap_getn(&p->sequences, &id, sizeof id);
    if (s == NULL)
        play_stop(p);
    return s;
}

// What lies in memory and is not an engine's own goes on from time to time.
static bool goes_on(play *p, const access *a)
{
    const view *v = &p->objects.data[a->view].view;
    return v->memory != NULL && v->memory->memory != NULL && !is_local(p->checker, v->memory->memory);
}

void sequence_add(play *p, int64_t id, int64_t kernel, int64_t place, int64_t offset)
{
    sequence *s = sequence_of(p, id);
    entry e = {.kernel = kernel, .place = place, .offset = offset};
    bool transfer = order_look(p, kernel, &e.accesses);
    size_t moving = 0;
    for (VEC_EACH(const access, a, &e.accesses))
        moving += goes_on(p, a);
    s->refused |= s->made || place >= s->places || (transfer && place >= 0 && moving != 1);
    if (!transfer)
        e.place = -1;
    for (VEC_EACH(const entry, other, &s->entries))
        s->refused |= other->kernel == kernel;
    VEC_PUSH(p->arena, &s->entries, e);
}

bool sequence_made(play *p, int64_t id)
{
    sequence *s = sequence_of(p, id);
    s->made = true;
    s->refused |= s->entries.len == 0;
    return !s->refused;
}

// ---- Running it ----

static int64_t sum(play *p, int64_t a, int64_t b)
{
    if (__builtin_add_overflow(a, b, &a))
        play_stop(p);
    return a;
}

static int64_t product(play *p, int64_t a, int64_t b)
{
    if (__builtin_mul_overflow(a, b, &a))
        play_stop(p);
    return a;
}

// The view of a place: its block, and as much in front of it as transfers of the first time read there.
static sequence_place open_place(play *p, const sequence *s, int64_t number, sequence_place at)
{
    int64_t offset, front = 0;
    const object *o = pointed(p, at.data, &offset);
    if (o == NULL || o->kind != OBJECT_VIEW || at.step < 0)
        play_stop(p);
    view v = o->view;
    for (VEC_EACH(const entry, e, &s->entries))
        if (e->place == number && -e->offset > front)
            front = -e->offset;
    v.address = sum(p, v.address, -front);
    v.size = sum(p, v.size, front);
    order_block(p, &v);
    at.view = object_view(p, &v);
    at.front = front;
    return at;
}

// An access as it is after so many times.
static access moved(play *p, const entry *e, access a, const sequence_place *at, int64_t time)
{
    int64_t apart = sum(p, sum(p, e->offset, at->front), product(p, time, at->step));
    a.view = at->view;
    a.begin = sum(p, a.begin, apart);
    a.end = sum(p, a.end, apart);
    return a;
}

// now: room for the accesses of a run.
static void repeat_once(play *p, const sequence *s, const sequence_place *places, int64_t time, access_list *now)
{
    for (VEC_EACH(const entry, e, &s->entries)) {
        now->len = 0;
        for (VEC_EACH(const access, a, &e->accesses)) {
            bool moves = e->place >= 0 && goes_on(p, a);
            VEC_PUSH(p->arena, now, moves ? moved(p, e, *a, &places[e->place], time) : *a);
        }
        order_repeat(p, e->kernel, now);
    }
}

// Beyond a place's end nothing may lie in the last of the times: told at once, as there may be many.
static void check_last(play *p, const sequence *s, const sequence_place *places, int64_t time)
{
    for (VEC_EACH(const entry, e, &s->entries))
        for (VEC_EACH(const access, a, &e->accesses))
            if (e->place >= 0 && goes_on(p, a)) {
                access then = moved(p, e, *a, &places[e->place], time);
                order_outside(p, e->kernel, &then);
            }
}

int64_t sequence_places(play *p, int64_t id)
{
    return sequence_of(p, id)->places;
}

void sequence_run(play *p, int64_t id, int64_t times, sequence_place *places)
{
    sequence *s = sequence_of(p, id);
    if (!s->made || s->refused || times <= 0)
        return;
    for (int64_t i = 0; i < s->places; i++)
        places[i] = open_place(p, s, i, places[i]);
    check_last(p, s, places, times - 1);
    s->last = order_runs(p);
    access_list now = {0};
    for (int64_t time = 0; time < times; time++)
        repeat_once(p, s, places, time, &now);
    s->end = order_runs(p);
}

void sequence_wait(play *p, int64_t id, bool all)
{
    sequence *s = sequence_of(p, id);
    size_t until = all ? s->end : s->last;
    order_over(p, s->before, until);
    s->before = until;
}
