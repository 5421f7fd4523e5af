// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The StreamIt 2.x front end: text to typed AST.
#ifndef SVMC_LANG_STREAMIT_H
#define SVMC_LANG_STREAMIT_H

#include "lang/ast.h"
#include "support/diag.h"
#include "support/hmap.h"

// Where imported files are looked for, behind the folder of the file that imports them.
typedef struct streamit_path {
    const char *const *folders;
    size_t count;
    const char *const *defines; // macros for imported files of Brook: NAME or NAME=VALUE
    size_t define_count;
} streamit_path;

typedef struct streamit_options {
    bool allow_typed_top; // accept a program whose one top-level stream is not void->void: the last declared named stream that no
                          // other stream instantiates is the program, reads the program's input and writes its output
    const char *top;      // --top=NAME: the program's entry; NULL: find it
    const streamit_path *path; // where an unknown stream may be, for a hint; NULL: nowhere
    bool tests;           // only its tests are wanted: no program is looked for
} streamit_options;

// Parses the files (concatenated declarations in any order) and those that they import, each once, and checks everything
// that does not depend on values known only at elaboration. Errors go to d; the tree is complete even after errors but
// must then not be elaborated. Always returns a program. path NULL: no other file may be read, an import is an error.
ast_program *streamit_parse(arena *a, interner *names, diag_engine *d, const source_id *files, size_t count,
                            const streamit_path *path);
void streamit_check(ast_program *program, interner *names, diag_engine *d, const streamit_options *options);
// What to import for a stream of that name, "dsp.fir"; NULL when no file of the folders, or of folders in them, declares one.
const char *streamit_declared_in(arena *a, const streamit_path *path, const char *name);
// What the files declare and their '///' comments say of it, as Markdown, for --emit=doc.
void streamit_print_docs(strbuf *out, const source_set *sources, const ast_program *program, const source_id *files,
                         size_t count);
// Tokens of one file, one a line, for --emit=tokens: "line:column kind spelling".
void streamit_print_tokens(strbuf *out, diag_engine *d, source_id file);

#endif
