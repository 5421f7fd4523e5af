// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target of the Brook front end: any bytes may be a source file. Tokens, kernels, checks, the rewritten host code;
// what is accepted must become stream IR that verifies and reads back.
#include "hlc/brook/brook.h"
#include "test/fuzz/fuzz.h"

static void lower(fuzz_session *s, interner *names, brook_program *program)
{
    sir_module *m = brook_lower(program, "fuzz");
    if (m == NULL) {
        if (!diag_has_errors(&s->diags))
            fuzz_fail(s, "not lowered, and nothing said", NULL, NULL);
        return;
    }
    strbuf text, again;
    strbuf_init(&text, s->arena);
    strbuf_init(&again, s->arena);
    sir_print(&text, m);
    if (!sir_verify(m, &s->diags))
        fuzz_fail(s, "the lowering gave wrong stream IR", text.data, NULL);
    sir_module *second = sir_parse(s->arena, names, &s->diags, fuzz_source(s, "fuzz.sir", text.data, text.len));
    if (second == NULL)
        fuzz_fail(s, "what was printed does not read", text.data, NULL);
    sir_print(&again, second);
    if (strcmp(text.data, again.data) != 0)
        fuzz_fail(s, "the round trip changes the text", text.data, again.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_session s;
    fuzz_begin(&s);
    interner names;
    interner_init(&names, s.arena);
    source_id file = fuzz_source(&s, "input.br", data, size);
    strbuf out;
    strbuf_init(&out, s.arena);
    brook_print_tokens(&out, &s.diags, file);
    fuzz_flush(&s);
    brook_program *program = brook_parse(s.arena, &names, &s.diags, &file, 1, &(brook_surroundings){0});
    program->fuse = true;
    brook_check(program);
    brook_print(&out, &s.sources, program);
    brook_write_host(&out, program, 0);
    if (!diag_has_errors(&s.diags))
        lower(&s, &names, program);
    fuzz_end(&s);
    return 0;
}
