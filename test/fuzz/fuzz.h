// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the fuzz targets share: a session for one input, and the rule that holds for all of them: whatever the input is,
// nothing may be reported as a defect of the compiler, and diagnostics must print.
#ifndef SVMC_TEST_FUZZ_FUZZ_H
#define SVMC_TEST_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/diag.h"
#include "support/strbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct fuzz_session {
    arena *arena;
    source_set sources;
    diag_engine diags;
    FILE *sink;
} fuzz_session;

static inline void fuzz_begin(fuzz_session *s)
{
    *s = (fuzz_session){.arena = arena_create(), .sink = fopen("/dev/null", "w")};
    source_set_init(&s->sources, s->arena);
    diag_init(&s->diags, s->arena, &s->sources);
    if (s->sink == NULL)
        abort();
}

static inline source_id fuzz_source(fuzz_session *s, const char *name, const void *data, size_t size)
{
    char *text = arena_alloc(s->arena, size + 1);
    if (size > 0)
        memcpy(text, data, size);
    return source_add(&s->sources, name, text, size);
}

// Prints what went wrong and up to two texts that show it, and stops.
static inline void fuzz_fail(fuzz_session *s, const char *what, const char *first, const char *second)
{
    fprintf(stderr, "%s\n", what);
    if (first != NULL)
        fprintf(stderr, "---- first\n%s", first);
    if (second != NULL)
        fprintf(stderr, "---- second\n%s", second);
    diag_flush(&s->diags, stderr, DIAG_FORMAT_TEXT, false);
    abort();
}

static inline void fuzz_flush(fuzz_session *s)
{
    for (VEC_EACH(diag_record *, r, &s->diags.records))
        if ((*r)->severity == DIAG_INTERNAL)
            fuzz_fail(s, "an internal error", NULL, NULL);
    diag_flush(&s->diags, s->sink, DIAG_FORMAT_TEXT, false);
}

static inline void fuzz_end(fuzz_session *s)
{
    fuzz_flush(s);
    fclose(s->sink);
    arena_destroy(s->arena);
}

#endif
