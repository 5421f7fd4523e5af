// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target of the StreamIt front end: any bytes may be a source file. Tokens, parser, checker and tree printer
// run on them; whatever they contain, only diagnostics may result. Linked with -fsanitize=fuzzer it is a libFuzzer
// target; with -DFUZZ_STANDALONE it runs the files named on the command line.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "lang/streamit/streamit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    arena *a = arena_create();
    source_set sources;
    source_set_init(&sources, a);
    diag_engine d;
    diag_init(&d, a, &sources);
    interner names;
    interner_init(&names, a);
    char *text = arena_strndup(a, "", 0);
    if (size > 0) {
        text = arena_alloc(a, size + 1);
        for (size_t i = 0; i < size; i++)
            text[i] = (char)data[i];
    }
    source_id file = source_add(&sources, "input.str", text, size);
    streamit_options options = {.allow_typed_top = size % 2 == 0};
    strbuf out;
    strbuf_init(&out, a);
    ast_program *program = streamit_parse(a, &names, &d, &file, 1);
    streamit_check(program, &names, &d, &options);
    ast_print(&out, &sources, program);
    if (!diag_has_errors(&d) && !program->top)
        abort(); // accepted without an entry
    FILE *null = fopen("/dev/null", "w");
    if (null) {
        diag_flush(&d, null, DIAG_FORMAT_TEXT, false);
        fclose(null);
    }
    arena_destroy(a);
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
        LLVMFuzzerTestOneInput((const uint8_t *)text, len);
        arena_destroy(a);
    }
    printf("%d inputs\n", argc - 1);
    return 0;
}
#endif
