// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target of the StreamIt front end: any bytes may be a source file. Tokens, parser, checker, tree printer and page
// of documentation run on them; whatever they contain, only diagnostics may result.
#include "lang/streamit/streamit.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_session s;
    fuzz_begin(&s);
    interner names;
    interner_init(&names, s.arena);
    source_id file = fuzz_source(&s, "input.str", data, size);
    strbuf out;
    strbuf_init(&out, s.arena);
    streamit_print_tokens(&out, &s.diags, file);
    fuzz_flush(&s);
    streamit_options options = {.allow_typed_top = size % 2 == 0};
    ast_program *program = streamit_parse(s.arena, &names, &s.diags, &file, 1, NULL);
    streamit_check(program, &names, &s.diags, &options);
    ast_print(&out, &s.sources, program);
    if (!diag_has_errors(&s.diags))
        streamit_print_docs(&out, &s.sources, program, &file, 1);
    if (!diag_has_errors(&s.diags) && program->top == NULL)
        fuzz_fail(&s, "accepted without an entry", NULL, NULL);
    fuzz_end(&s);
    return 0;
}
