// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arenas: memory by lifetime. A compiler run has three: the session's (sources, options, diagnostics), the
// module's (AST, stream IR, plan) and a pass's scratch. Nothing in the compilers calls malloc but arena.c;
// nothing is freed singly. Running out of memory prints a message and exits with code 70.
#ifndef SVMC_SUPPORT_ARENA_H
#define SVMC_SUPPORT_ARENA_H

#include <stdarg.h>
#include <stddef.h>

typedef struct arena arena;

// For processes that make many arenas: what is freed is kept for the next ones, and not given back to the system at once.
void arena_keep_freed(void);

arena *arena_create(void);
arena *arena_create_large(void); // for what will take megabytes
void arena_destroy(arena *a);    // frees every allocation made from a; NULL is allowed

// Zeroed memory aligned for any type; size 0 gives a valid unique pointer.
void *arena_alloc(arena *a, size_t size);
// Zeroed memory for count elements; a product that overflows is out of memory.
void *arena_alloc_array(arena *a, size_t count, size_t size);
char *arena_strdup(arena *a, const char *s);
char *arena_strndup(arena *a, const char *s, size_t n);
char *arena_printf(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(arena *a, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
size_t arena_bytes(const arena *a); // bytes handed out so far (for -ftime-report)

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, count) ((type *)arena_alloc_array((a), (count), sizeof(type)))

#endif
