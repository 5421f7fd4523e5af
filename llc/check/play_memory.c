// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects that a playing program has, and what it reads and writes in them. A pointer is a number: the object's, and
// the offset in it.
#include <stdlib.h>
#include <string.h>

#include "llc/check/play.h"

enum { OFFSET_BITS = 40 };
#define OFFSET_MIDDLE (INT64_C(1) << (OFFSET_BITS - 1))

enum { BYTE_UNKNOWN = 1, BYTE_FRESH = 2 };

enum { MAX_OBJECTS = 1 << 22, MAX_OBJECT = 1 << 26 };

static uint32_t add_object(play *p, object o)
{
    if (p->objects.len >= MAX_OBJECTS)
        play_stop(p);
    VEC_PUSH(p->arena, &p->objects, o);
    return (uint32_t)(p->objects.len - 1);
}

uint32_t object_new(play *p, int64_t size, bool unknown)
{
    if (size < 0 || size > MAX_OBJECT)
        play_stop(p);
    object o = {.kind = OBJECT_BYTES, .size = size};
    o.bytes = arena_alloc(p->arena, (size_t)size * 2 + 1);
    o.unknown = o.bytes + size;
    memset(o.bytes, 0, (size_t)size);
    memset(o.unknown, unknown, (size_t)size);
    return add_object(p, o);
}

uint32_t object_view(play *p, const view *v)
{
    return add_object(p, (object){.kind = OBJECT_VIEW, .size = v->size, .view = *v});
}

uint32_t object_function(play *p, callee *f)
{
    if (f->object == 0)
        f->object = add_object(p, (object){.kind = OBJECT_FUNCTION, .function = f});
    return f->object;
}

int64_t pointer_to(uint32_t id, int64_t offset)
{
    return (int64_t)id * (INT64_C(1) << OFFSET_BITS) + OFFSET_MIDDLE + offset;
}

object *pointed(play *p, int64_t pointer, int64_t *offset)
{
    uint64_t id = (uint64_t)pointer >> OFFSET_BITS;
    *offset = (int64_t)((uint64_t)pointer & ((UINT64_C(1) << OFFSET_BITS) - 1)) - OFFSET_MIDDLE;
    if (id == 0 || id >= p->objects.len || p->objects.data[id].kind == OBJECT_NONE)
        return NULL;
    return &p->objects.data[id];
}

// ---- Bytes ----

static object *bytes_at(play *p, val pointer, int64_t size, int64_t *offset)
{
    object *o = pointer.unknown ? NULL : pointed(p, pointer.i, offset);
    if (o == NULL || o->kind != OBJECT_BYTES || *offset < 0 || size < 0 || *offset > o->size - size)
        return NULL;
    return o;
}

// ---- Changes that may be taken back ----

enum { MAX_UNDO = 1 << 24 };

static undo held(play *p, uint32_t id, int64_t offset, int64_t size)
{
    const object *o = &p->objects.data[id];
    undo u = {id, offset, size, arena_alloc(p->arena, (size_t)size * 2 + 1)};
    memcpy(u.bytes, o->bytes + offset, (size_t)size);
    memcpy(u.bytes + size, o->unknown + offset, (size_t)size);
    return u;
}

// Before bytes are changed.
static void changes(play *p, const object *o, int64_t offset, int64_t size)
{
    if (p->both == 0 || size <= 0)
        return;
    p->undo_bytes += (size_t)size;
    if (p->undo_bytes > MAX_UNDO)
        play_stop(p);
    VEC_PUSH(p->arena, &p->undos, held(p, (uint32_t)(o - p->objects.data), offset, size));
}

undo undo_copy(play *p, const undo *of)
{
    return held(p, of->object, of->offset, of->size);
}

void undo_swap(play *p, undo *u)
{
    undo now = undo_copy(p, u);
    object *o = &p->objects.data[u->object];
    memcpy(o->bytes + u->offset, u->bytes, (size_t)u->size);
    memcpy(o->unknown + u->offset, u->bytes + u->size, (size_t)u->size);
    u->bytes = now.bytes;
}

static bool is_view(play *p, val pointer)
{
    int64_t offset;
    const object *o = pointer.unknown ? NULL : pointed(p, pointer.i, &offset);
    return o != NULL && o->kind == OBJECT_VIEW;
}

val load(play *p, val pointer, ctype type)
{
    if (is_view(p, pointer)) {
        touch(p, pointer, known(type.size), false);
        return nothing();
    }
    int64_t offset;
    const object *o = bytes_at(p, pointer, type.size, &offset);
    if (o == NULL || type.size > 8 || type.shape == SHAPE_REAL)
        return nothing();
    for (int64_t i = 0; i < type.size; i++)
        if (o->unknown[offset + i])
            return nothing();
    uint64_t raw = 0;
    memcpy(&raw, o->bytes + offset, (size_t)type.size);
    int shift = 64 - 8 * (int)type.size;
    if (type.is_unsigned || type.shape != SHAPE_INT || shift >= 64)
        return known((int64_t)raw);
    return known((int64_t)(raw << shift) >> shift);
}

void store(play *p, val pointer, ctype type, val v)
{
    if (is_view(p, pointer)) {
        touch(p, pointer, known(type.size), true);
        return;
    }
    if (type.shape == SHAPE_RECORD || type.shape == SHAPE_ARRAY) {
        copy_bytes(p, pointer, v, known(type.size));
        return;
    }
    int64_t offset;
    object *o = bytes_at(p, pointer, type.size, &offset);
    if (o == NULL)
        play_stop(p); // anywhere
    changes(p, o, offset, type.size);
    bool lost = v.unknown || type.size > 8 || type.shape == SHAPE_REAL;
    memset(o->unknown + offset, lost, (size_t)type.size);
    if (!lost)
        memcpy(o->bytes + offset, &v.i, (size_t)type.size);
}

void store_number(play *p, int64_t pointer, int64_t size, int64_t number)
{
    store(p, known(pointer), (ctype){.shape = SHAPE_INT, .size = size}, known(number));
}

static access bytes_of_view(play *p, val pointer, int64_t count, bool write)
{
    int64_t offset;
    const object *o = pointed(p, pointer.i, &offset);
    return (access){.view = (uint32_t)(o - p->objects.data), .write = write, .begin = offset, .end = offset + count};
}

void copy_bytes(play *p, val to, val from, val count)
{
    if (p->accesses == NULL && !count.unknown && count.i > 0 && is_view(p, to) && is_view(p, from)) {
        order_copy(p, bytes_of_view(p, from, count.i, false), bytes_of_view(p, to, count.i, true));
        return;
    }
    if (count.unknown || is_view(p, to) || is_view(p, from)) {
        touch(p, from, count, false);
        touch(p, to, count, true);
        if (!is_view(p, to))
            forget_bytes(p, to, count.unknown ? -1 : count.i);
        return;
    }
    int64_t begin, source;
    object *o = bytes_at(p, to, count.i, &begin);
    if (o == NULL)
        play_stop(p);
    changes(p, o, begin, count.i);
    const object *s = bytes_at(p, from, count.i, &source);
    if (s == NULL) {
        memset(o->unknown + begin, 1, (size_t)count.i);
        return;
    }
    memmove(o->bytes + begin, s->bytes + source, (size_t)count.i);
    memmove(o->unknown + begin, s->unknown + source, (size_t)count.i);
}

void set_bytes(play *p, val to, val byte, val count)
{
    if (is_view(p, to)) {
        touch(p, to, count, true);
        return;
    }
    int64_t offset;
    object *o = count.unknown ? NULL : bytes_at(p, to, count.i, &offset);
    if (o == NULL) {
        forget_bytes(p, to, -1);
        return;
    }
    changes(p, o, offset, count.i);
    memset(o->bytes + offset, (int)byte.i, (size_t)count.i);
    memset(o->unknown + offset, byte.unknown, (size_t)count.i);
}

static void lose_bytes(play *p, val to, int64_t count, int how)
{
    int64_t offset;
    object *o = to.unknown ? NULL : pointed(p, to.i, &offset);
    if (o == NULL || o->kind != OBJECT_BYTES || offset < 0 || offset >= o->size)
        return;
    if (count < 0 || count > o->size - offset)
        count = o->size - offset;
    changes(p, o, offset, count);
    memset(o->unknown + offset, how, (size_t)count);
}

void forget_bytes(play *p, val to, int64_t count)
{
    lose_bytes(p, to, count, BYTE_UNKNOWN);
}

void fresh_bytes(play *p, val to, int64_t count)
{
    lose_bytes(p, to, count, BYTE_FRESH);
}

bool is_empty(play *p, val at, int64_t count)
{
    int64_t offset;
    const object *o = bytes_at(p, at, count, &offset);
    for (int64_t i = 0; o != NULL && i < count; i++)
        if (o->unknown[offset + i] != BYTE_FRESH && (o->unknown[offset + i] || o->bytes[offset + i] != 0))
            return false;
    return o != NULL;
}

// ---- Views ----

enum { MAX_PIECES = 64, NEAR = 64 };

static int by_place(const void *x, const void *y)
{
    const access *a = x, *b = y;
    if (a->view != b->view)
        return a->view < b->view ? -1 : 1;
    if (a->write != b->write)
        return a->write ? 1 : -1;
    if (a->anywhere != b->anywhere)
        return a->anywhere ? 1 : -1;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

// Joins accesses of one view that are at most so far apart; what is between them counts too.
static void join_accesses(access_list *list, int64_t near)
{
    if (list->len < 2)
        return;
    bool sorted = true; // as a sequence's are from the second time on
    for (size_t i = 1; i < list->len && sorted; i++)
        sorted = by_place(&list->data[i - 1], &list->data[i]) <= 0;
    if (!sorted)
        qsort(list->data, list->len, sizeof *list->data, by_place);
    size_t kept = 0;
    for (size_t i = 1; i < list->len; i++) {
        access *last = &list->data[kept], next = list->data[i];
        if (next.view != last->view || next.write != last->write || next.anywhere != last->anywhere ||
            next.begin - last->end > near) {
            list->data[++kept] = next;
            continue;
        }
        last->loose |= next.loose || next.begin > last->end;
        last->end = next.end > last->end ? next.end : last->end;
    }
    list->len = kept + 1;
}

void simplify_accesses(access_list *list)
{
    for (int64_t near = NEAR; near < VIEW_ALL; near *= 4) {
        join_accesses(list, near);
        if (list->len <= MAX_PIECES)
            return;
    }
}

void note_access(play *p, access_list *list, access a)
{
    if (list->len > 0) { // the next of a row
        access *last = &list->data[list->len - 1];
        if (last->view == a.view && last->write == a.write && last->anywhere == a.anywhere && a.begin <= last->end &&
            last->begin <= a.begin) {
            last->end = a.end > last->end ? a.end : last->end;
            last->loose |= a.loose;
            return;
        }
    }
    VEC_PUSH(p->arena, list, a);
    if (list->len >= MAX_PIECES * 16) {
        join_accesses(list, 0);
        if (list->len >= MAX_PIECES * 8)
            simplify_accesses(list);
    }
}

void touch(play *p, val pointer, val count, bool write)
{
    int64_t offset;
    const object *o = pointer.unknown ? NULL : pointed(p, pointer.i, &offset);
    if (o == NULL || o->kind != OBJECT_VIEW || (!count.unknown && count.i <= 0))
        return;
    access a = {.view = (uint32_t)(o - p->objects.data), .write = write, .begin = offset, .end = offset + count.i};
    if (count.unknown) {
        a.loose = a.anywhere = true;
        a.begin = o->view.memory == NULL ? -VIEW_ALL : 0;
        a.end = o->view.memory == NULL ? VIEW_ALL : o->size;
    }
    if (p->accesses != NULL)
        note_access(p, p->accesses, a);
    else
        order_control(p, a);
}

char *text_of(play *p, val pointer)
{
    int64_t offset;
    const object *o = bytes_at(p, pointer, 1, &offset);
    if (o == NULL || o->unknown[offset] || memchr(o->bytes + offset, 0, (size_t)(o->size - offset)) == NULL)
        return NULL;
    return arena_strdup(p->checker->arena, (const char *)o->bytes + offset);
}
