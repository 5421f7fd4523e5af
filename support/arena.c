// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arenas: chunks handed out front to back. Under the address sanitizer each allocation is followed by a poisoned gap, so
// that overruns inside a chunk are found too.
//
// NOTE(clear). Small chunks come from malloc, which gives again what other arenas have freed; they are cleared a step before
// what is handed out, so that what is never used costs nothing. Large ones are the system's, which clears pages when they
// are first used, and is asked for large pages: to give a small page takes it as long as to clear a hundred.
#include "support/arena.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

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
enum { SYSTEM_CHUNK = 2 << 20, LARGE_PAGE = 2 << 20 }; // from so many bytes on a chunk is the system's
enum { CLEAR_STEP = 4 << 10, MOST_KEPT = 64 << 20, MORE_ASKED = 1 << 20 };

typedef struct chunk chunk;
struct chunk {
    chunk *next;
    size_t mapped; // bytes of one that is the system's; 0: of malloc
    alignas(max_align_t) char bytes[];
};

struct arena {
    chunk *chunks;
    char *free, *end;  // what is left of the chunk in use
    char *clear;       // what is cleared of it, up to here
    size_t chunk_size; // of the next chunk
    size_t bytes;
};

static _Noreturn void out_of_memory(void)
{
    fputs("fatal error: out of memory\n", stderr);
    exit(70);
}

void arena_keep_freed(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, SYSTEM_CHUNK);
    mallopt(M_TRIM_THRESHOLD, MOST_KEPT);
    mallopt(M_TOP_PAD, MORE_ASKED);
    mallopt(M_ARENA_MAX, 1); // of threads too
#endif
}

arena *arena_create(void)
{
    arena *a = calloc(1, sizeof *a);
    if (a == NULL)
        out_of_memory();
    a->chunk_size = FIRST_CHUNK;
    return a;
}

arena *arena_create_large(void)
{
    arena *a = arena_create();
    a->chunk_size = SYSTEM_CHUNK;
    return a;
}

void arena_destroy(arena *a)
{
    if (a == NULL)
        return;
    for (chunk *c = a->chunks, *next; c != NULL; c = next) {
        next = c->next;
        if (c->mapped != 0)
            munmap(c, c->mapped);
        else
            free(c);
    }
    free(a);
}

// Of cleared memory; at a large page where that can be had.
static chunk *map_chunk(size_t size)
{
    size_t bytes = (size + LARGE_PAGE - 1) & ~(size_t)(LARGE_PAGE - 1);
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        out_of_memory();
#ifdef MADV_HUGEPAGE
    (void)madvise(at, bytes, MADV_HUGEPAGE);
#endif
    chunk *c = (chunk *)(void *)at;
    c->mapped = bytes;
    return c;
}

// cleared: all of it, else nothing of one that is malloc's.
static char *add_chunk(arena *a, size_t size, bool cleared)
{
    if (size > SIZE_MAX - sizeof(chunk) - LARGE_PAGE)
        out_of_memory();
    size_t bytes = sizeof(chunk) + size;
    bool mapped = GAP == 0 && bytes >= SYSTEM_CHUNK;
    chunk *c = mapped ? map_chunk(bytes) : cleared ? calloc(1, bytes) : malloc(bytes);
    if (c == NULL)
        out_of_memory();
    if (!mapped)
        c->mapped = 0;
    c->next = a->chunks;
    a->chunks = c;
    return c->bytes;
}

static void new_chunk(arena *a)
{
    size_t room = a->chunk_size - sizeof(chunk); // a large chunk is whole pages
    a->free = add_chunk(a, room, GAP != 0);
    a->end = a->free + room;
    a->clear = GAP != 0 || a->chunks->mapped != 0 ? a->end : a->free;
    POISON(a->free, room);
    if (a->chunk_size < LARGEST_CHUNK)
        a->chunk_size *= 2;
}

// Clears what is handed out up to `end`, and some more.
static void clear_to(arena *a, const char *end)
{
    size_t left = (size_t)(a->end - a->clear), bytes = (size_t)(end - a->clear) + CLEAR_STEP;
    bytes = bytes < left ? bytes : left;
    memset(a->clear, 0, bytes);
    a->clear += bytes;
}

void *arena_alloc(arena *a, size_t size)
{
    if (size > PTRDIFF_MAX / 2)
        out_of_memory();
    size_t room = (size + (size == 0) + GAP + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    a->bytes += size;
    if (room > a->chunk_size / 4 && room > (size_t)(a->end - a->free)) {
        char *own = add_chunk(a, room, true); // what is left of the chunk in use stays in use
        POISON(own + size, room - size);
        return own;
    }
    if (room > (size_t)(a->end - a->free))
        new_chunk(a);
    char *p = a->free;
    a->free += room;
    if (a->free > a->clear)
        clear_to(a, a->free);
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
    char first[256]; // most are shorter
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(first, sizeof first, format, args);
    if (n < 0)
        out_of_memory();
    char *text = arena_alloc(a, (size_t)n + 1);
    if ((size_t)n < sizeof first)
        memcpy(text, first, (size_t)n + 1);
    else
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
