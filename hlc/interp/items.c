// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items as they lie in files: bit, int and float take 4 bytes, double 8, complex two floats, boolean one byte; little-
// endian; the members of structs aligned and padded as in C.
#include <string.h>
#include <strings.h>

#include "hlc/interp/interp_int.h"

// "x.wav", or "x.wav,rate=48000".
bool vm_is_wav(const char *path)
{
    for (; *path != '\0'; path++)
        if (strncasecmp(path, ".wav", 4) == 0 && (path[4] == '\0' || path[4] == ','))
            return true;
    return false;
}

static size_t alignment(const sir_type *t)
{
    while (t->kind == SIR_ARRAY)
        t = t->element;
    switch (t->kind) {
    case SIR_BOOLEAN: return 1;
    case SIR_DOUBLE: return 8;
    case SIR_STRUCT: {
        size_t most = 1;
        for (size_t i = 0; i < t->decl->members.len; i++) {
            size_t a = alignment(t->decl->members.data[i].type);
            most = a > most ? a : most;
        }
        return most;
    }
    default: return 4;
    }
}

static size_t pad(size_t at, size_t to)
{
    return (at + to - 1) / to * to;
}

size_t vm_item_bytes(const sir_type *t)
{
    switch (t->kind) {
    case SIR_VOID: return 0;
    case SIR_BOOLEAN: return 1;
    case SIR_DOUBLE:
    case SIR_COMPLEX: return 8;
    case SIR_ARRAY: return t->length * vm_item_bytes(t->element);
    case SIR_STRUCT: {
        size_t at = 0;
        for (size_t i = 0; i < t->decl->members.len; i++) {
            const sir_type *member = t->decl->members.data[i].type;
            at = pad(at, alignment(member)) + vm_item_bytes(member);
        }
        return pad(at, alignment(t));
    }
    case SIR_INT: return sir_int_bytes(t);
    default: return 4;
    }
}

static uint64_t get(const unsigned char *from, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint64_t)from[i] << (8 * i);
    return v;
}

static void put(unsigned char *to, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(v >> (8 * i));
}

static uint32_t bits_of(float f)
{
    uint32_t v;
    memcpy(&v, &f, sizeof v);
    return v;
}

static float float_of(uint64_t bits)
{
    uint32_t v = (uint32_t)bits;
    float f;
    memcpy(&f, &v, sizeof f);
    return f;
}

const unsigned char *vm_item_decode(const sir_type *t, const unsigned char *from, word **to)
{
    switch (t->kind) {
    case SIR_VOID: return from;
    case SIR_BOOLEAN: (*to)++->i = *from != 0; return from + 1;
    case SIR_DOUBLE: (*to)++->bits = get(from, 8); return from + 8;
    case SIR_COMPLEX:
        (*to)->c.re = float_of(get(from, 4));
        (*to)++->c.im = float_of(get(from + 4, 4));
        return from + 8;
    case SIR_ARRAY:
        for (uint32_t i = 0; i < t->length; i++)
            from = vm_item_decode(t->element, from, to);
        return from;
    case SIR_STRUCT: {
        const unsigned char *start = from;
        for (size_t i = 0; i < t->decl->members.len; i++) {
            const sir_type *member = t->decl->members.data[i].type;
            from = vm_item_decode(member, start + pad((size_t)(from - start), alignment(member)), to);
        }
        return start + vm_item_bytes(t);
    }
    case SIR_FLOAT: (*to)++->f = float_of(get(from, 4)); return from + 4;
    default: (*to)++->i = (int32_t)(uint32_t)get(from, (int)vm_item_bytes(t)); return from + vm_item_bytes(t);
    }
}

unsigned char *vm_item_encode(const sir_type *t, const word **from, unsigned char *to)
{
    switch (t->kind) {
    case SIR_VOID: return to;
    case SIR_BOOLEAN: *to = (*from)++->i != 0; return to + 1;
    case SIR_DOUBLE: put(to, (*from)++->bits, 8); return to + 8;
    case SIR_COMPLEX:
        put(to, bits_of((*from)->c.re), 4);
        put(to + 4, bits_of((*from)++->c.im), 4);
        return to + 8;
    case SIR_ARRAY:
        for (uint32_t i = 0; i < t->length; i++)
            to = vm_item_encode(t->element, from, to);
        return to;
    case SIR_STRUCT: {
        unsigned char *start = to;
        memset(to, 0, vm_item_bytes(t));
        for (size_t i = 0; i < t->decl->members.len; i++) {
            const sir_type *member = t->decl->members.data[i].type;
            to = vm_item_encode(member, from, start + pad((size_t)(to - start), alignment(member)));
        }
        return start + vm_item_bytes(t);
    }
    case SIR_FLOAT: put(to, bits_of((*from)++->f), 4); return to + 4;
    default: put(to, (uint32_t)(*from)++->i, (int)vm_item_bytes(t)); return to + vm_item_bytes(t);
    }
}

static void encode_bits(strbuf *out, const sir_scalar *scalars, size_t count)
{
    for (size_t i = 0; i < count; i += 8) {
        unsigned byte = 0;
        for (size_t k = i; k < i + 8; k++)
            byte = byte << 1 | (k < count ? (unsigned)scalars[k].i & 1 : 0);
        strbuf_addc(out, (char)byte);
    }
}

void interp_encode_items(strbuf *out, const sir_type *item, const sir_scalar *scalars, size_t count)
{
    if (item->kind == SIR_BIT) {
        encode_bits(out, scalars, count);
        return;
    }
    size_t bytes = vm_item_bytes(item);
    unsigned char *buffer = arena_alloc(out->arena, bytes + 1);
    word *words = arena_alloc(out->arena, (count + 1) * sizeof *words);
    memcpy(words, scalars, count * sizeof *words);
    const word *from = words;
    for (size_t done = 0; done + item->words <= count; done += item->words) {
        vm_item_encode(item, &from, buffer);
        strbuf_addn(out, (const char *)buffer, bytes);
    }
}

const sir_scalar *interp_decode_items(arena *a, const sir_type *item, const char *bytes, size_t len, size_t *count)
{
    bool packed = item->kind == SIR_BIT;
    size_t size = packed ? 1 : vm_item_bytes(item), items = len / size;
    *count = packed ? 8 * len : items * (size_t)item->words;
    word *words = arena_alloc(a, (*count + 1) * sizeof *words), *to = words;
    const unsigned char *from = (const unsigned char *)bytes;
    for (size_t i = 0; packed && i < *count; i++)
        words[i].i = from[i / 8] >> (7 - i % 8) & 1;
    for (size_t i = 0; !packed && i < items; i++)
        from = vm_item_decode(item, from, &to);
    sir_scalar *scalars = arena_alloc(a, (*count + 1) * sizeof *scalars);
    memcpy(scalars, words, *count * sizeof *scalars);
    return scalars;
}
