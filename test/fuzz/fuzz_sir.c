// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target for stream IR text: whatever parses and verifies must print to a text that reads back as the same text, pass
// the rate checks without trouble, survive canonicalize, and then do all that again; canonicalize must be idempotent.
//
// With libFuzzer: -fsanitize=fuzzer. Without it (-DFUZZ_STANDALONE) main runs the files given.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hlc/ir/graph.h"
#include "hlc/ir/sir.h"
#include "hlc/passes/canonicalize.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

typedef struct session {
    arena *arena;
    interner names;
    source_set sources;
    diag_engine diags;
} session;

static void fail(const session *s, const char *what, const char *a, const char *b)
{
    fprintf(stderr, "%s\n---- first\n%s---- second\n%s", what, a == NULL ? "" : a, b == NULL ? "" : b);
    diag_flush((diag_engine *)&s->diags, stderr, DIAG_FORMAT_TEXT, false);
    abort();
}

static sir_module *read(session *s, const char *text, size_t len)
{
    source_id file = source_add(&s->sources, "fuzz.sir", text, len);
    sir_module *m = sir_parse(s->arena, &s->names, &s->diags, file);
    return m != NULL && sir_verify(m, &s->diags) ? m : NULL;
}

static const char *print(session *s, const sir_module *m)
{
    strbuf b;
    strbuf_init(&b, s->arena);
    sir_print(&b, m);
    return b.data;
}

// The text of m, which is what reading it and printing it again gives.
static const char *round_trip(session *s, const sir_module *m)
{
    const char *text = print(s, m);
    sir_module *again = read(s, text, strlen(text));
    if (again == NULL)
        fail(s, "what was printed does not read", text, NULL);
    const char *second = print(s, again);
    if (strcmp(text, second) != 0)
        fail(s, "the round trip changes the text", text, second);
    return text;
}

static void run(session *s, const char *text, size_t len)
{
    sir_module *m = read(s, text, len);
    if (m == NULL)
        return;
    const char *before = round_trip(s, m);
    strbuf graph;
    strbuf_init(&graph, s->arena);
    sir_print_graph(&graph, m);
    sir_check_rates(m, &s->diags);
    bool changed = sir_canonicalize(m);
    const char *after = print(s, m);
    if (!changed && strcmp(before, after) != 0)
        fail(s, "canonicalize changed the program without saying so", before, after);
    if (!sir_verify(m, &s->diags))
        fail(s, "canonicalize gave a wrong program", before, after);
    round_trip(s, m);
    sir_check_rates(m, &s->diags);
    if (sir_canonicalize(m))
        fail(s, "canonicalize is not idempotent", after, print(s, m));
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    session s = {.arena = arena_create()};
    interner_init(&s.names, s.arena);
    source_set_init(&s.sources, s.arena);
    diag_init(&s.diags, s.arena, &s.sources);
    char *text = ARENA_ARRAY(s.arena, char, size + 1);
    memcpy(text, data, size);
    run(&s, text, size);
    arena_destroy(s.arena);
    return 0;
}

#ifdef FUZZ_STANDALONE
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        arena *a = arena_create();
        char *text;
        size_t len;
        if (!file_read(a, argv[i], &text, &len)) {
            perror(argv[i]);
            return 1;
        }
        LLVMFuzzerTestOneInput((const unsigned char *)text, len);
        arena_destroy(a);
    }
    printf("%d texts, nothing found\n", argc - 1);
    return 0;
}
#endif
