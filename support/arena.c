// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arenas: chunks taken with calloc, handed out front to back. Under the address sanitizer each allocation is
// followed by a poisoned gap, so that overruns inside a chunk are found too.
#include "support/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISON 1
#endif
#endif

#ifdef ARENA_POISON
#include <sanitizer/asan_interface.h>
enum { GAP = 16 };
#define POISON(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
enum { GAP = 0 };
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

enum { ALIGNMENT = alignof(max_align_t), FIRST_CHUNK = 16 << 10, LARGEST_CHUNK = 4 << 20 };

typedef struct chunk chunk;
struct chunk {
    chunk *next;
    alignas(max_align_t) char bytes[];
};

struct arena {
    chunk *chunks;
    char *free, *end;  // what is left of the chunk in use
    size_t chunk_size; // of the next chunk
    size_t bytes;
};

static _Noreturn void out_of_memory(void)
{
    fputs("fatal error: out of memory\n", stderr);
    exit(70);
}

arena *arena_create(void)
{
    arena *a = calloc(1, sizeof *a);
    if (a == NULL)
        out_of_memory();
    a->chunk_size = FIRST_CHUNK;
    return a;
}

void arena_destroy(arena *a)
{
    if (a == NULL)
        return;
    for (chunk *c = a->chunks, *next; c != NULL; c = next) {
        next = c->next;
        free(c);
    }
    free(a);
}

static char *add_chunk(arena *a, size_t size)
{
    if (size > SIZE_MAX - sizeof(chunk))
        out_of_memory();
    chunk *c = calloc(1, sizeof *c + size);
    if (c == NULL)
        out_of_memory();
    c->next = a->chunks;
    a->chunks = c;
    return c->bytes;
}

void *arena_alloc(arena *a, size_t size)
{
    if (size > PTRDIFF_MAX / 2)
        out_of_memory();
    size_t room = (size + (size == 0) + GAP + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    a->bytes += size;
    if (room > a->chunk_size / 4 && room > (size_t)(a->end - a->free)) {
        char *own = add_chunk(a, room); // what is left of the chunk in use stays in use
        POISON(own + size, room - size);
        return own;
    }
    if (room > (size_t)(a->end - a->free)) {
        a->free = add_chunk(a, a->chunk_size);
        a->end = a->free + a->chunk_size;
        POISON(a->free, a->chunk_size);
        if (a->chunk_size < LARGEST_CHUNK)
            a->chunk_size *= 2;
    }
    char *p = a->free;
    a->free += room;
    UNPOISON(p, size);
    return p;
}

void *arena_alloc_array(arena *a, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        out_of_memory();
    return arena_alloc(a, bytes);
}

char *arena_strndup(arena *a, const char *s, size_t n)
{
    char *copy = arena_alloc_array(a, n + 1, 1);
    if (n > 0)
        memcpy(copy, s, n);
    return copy;
}

char *arena_strdup(arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *arena_vprintf(arena *a, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n < 0)
        out_of_memory();
    char *text = arena_alloc(a, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    return text;
}

char *arena_printf(arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(a, format, args);
    va_end(args);
    return text;
}

size_t arena_bytes(const arena *a)
{
    return a->bytes;
}
