// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target for stream IR text: whatever parses and verifies must print to a text that reads back as the same text, pass
// the rate checks without trouble, survive canonicalize, and then do all that again; canonicalize must be idempotent.
#include "hlc/ir/graph.h"
#include "hlc/ir/sir.h"
#include "hlc/passes/canonicalize.h"
#include "test/fuzz/fuzz.h"

typedef struct session {
    fuzz_session base;
    interner names;
} session;

static sir_module *read(session *s, const char *text, size_t len)
{
    sir_module *m =
        sir_parse(s->base.arena, &s->names, &s->base.diags, fuzz_source(&s->base, "fuzz.sir", text, len));
    return m != NULL && sir_verify(m, &s->base.diags) ? m : NULL;
}

static const char *print(session *s, const sir_module *m)
{
    strbuf b;
    strbuf_init(&b, s->base.arena);
    sir_print(&b, m);
    return b.data;
}

// The text of m, which is what reading it and printing it again gives.
static const char *round_trip(session *s, const sir_module *m)
{
    const char *text = print(s, m);
    sir_module *again = read(s, text, strlen(text));
    if (again == NULL)
        fuzz_fail(&s->base, "what was printed does not read", text, NULL);
    const char *second = print(s, again);
    if (strcmp(text, second) != 0)
        fuzz_fail(&s->base, "the round trip changes the text", text, second);
    return text;
}

static void run(session *s, const char *data, size_t size)
{
    sir_module *m = read(s, data, size);
    if (m == NULL)
        return;
    const char *before = round_trip(s, m);
    strbuf graph;
    strbuf_init(&graph, s->base.arena);
    sir_print_graph(&graph, m, (uint32_t)(size % 4));
    sir_check_rates(m, &s->base.diags);
    const canon_options options = {.keep_subscripts = (size & 1) != 0, .keep_peeks = (size & 2) != 0};
    bool changed = sir_canonicalize(m, &options);
    const char *after = print(s, m);
    if (!changed && strcmp(before, after) != 0)
        fuzz_fail(&s->base, "canonicalize changed the program without saying so", before, after);
    if (!sir_verify(m, &s->base.diags))
        fuzz_fail(&s->base, "canonicalize gave a wrong program", before, after);
    round_trip(s, m);
    sir_check_rates(m, &s->base.diags);
    if (sir_canonicalize(m, &options))
        fuzz_fail(&s->base, "canonicalize is not idempotent", after, print(s, m));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    session s;
    fuzz_begin(&s.base);
    interner_init(&s.names, s.base.arena);
    run(&s, (const char *)data, size);
    fuzz_end(&s.base);
    return 0;
}
