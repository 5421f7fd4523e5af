// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// brook-check [--tokens] [--ast] [--host] [-WFLAG] FILES: parses and checks, for the tests of the front end.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lang/brook/brook.h"

int main(int argc, char **argv)
{
    arena *a = arena_create();
    source_set sources;
    source_set_init(&sources, a);
    diag_engine d;
    diag_init(&d, a, &sources);
    interner names;
    interner_init(&names, a);
    bool tokens = false, ast = false, host = false;
    VEC(source_id) files = {0};
    strbuf out;
    strbuf_init(&out, a);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tokens") == 0) {
            tokens = true;
        } else if (strcmp(argv[i], "--ast") == 0) {
            ast = true;
        } else if (strcmp(argv[i], "--host") == 0) {
            host = true;
        } else if (strncmp(argv[i], "-W", 2) == 0) {
            diag_warning_option(&d, argv[i] + 2);
        } else {
            source_id file = source_read(&sources, argv[i]);
            if (file)
                VEC_PUSH(a, &files, file);
            else
                diag_error_at(&d, argv[i], "cannot read the file: %s", strerror(errno));
        }
    }
    if (tokens) {
        for (VEC_EACH(source_id, f, &files))
            brook_print_tokens(&out, &d, *f);
    } else {
        brook_program *program = brook_parse(a, &names, &d, files.data, files.len, &(brook_surroundings){0});
        brook_check(program);
        if (ast)
            brook_print(&out, &sources, program);
        for (size_t i = 0; i < files.len; i++) {
            strbuf text;
            strbuf_init(&text, a);
            brook_write_host(&text, program, i);
            if (host)
                strbuf_add(&out, text.data);
        }
    }
    fwrite(out.data, 1, out.len, stdout);
    fflush(stdout);
    bool failed = diag_has_errors(&d);
    diag_flush(&d, stderr, DIAG_FORMAT_TEXT, false);
    arena_destroy(a);
    return failed ? 1 : 0;
}
