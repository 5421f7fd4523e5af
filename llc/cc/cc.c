// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clang's command line, and the files it gets beside the sources.
#include "llc/cc/cc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "llc/contract/contract.h"
#include "targets/native.h"

// What design and docs/svm-c.md promise of arithmetic, at every level.
static const char *const arithmetic_flags[] = {"-std=c11", "-fwrapv", "-ffp-contract=off", "-fno-math-errno"};
// -Ofast spelled out: reassociation (which needs the two flags beside it), reciprocals, no signed zeros; infinities, NaNs
// and denormals stay. Contraction where the machine file or the processor (-march=native) says that it pays: a fused operation
// waits for the sum before it as long as a product and a sum take together, which slows recursive filters and few sums side by
// side (1.1 to 1.35 times measured) where processors have units for both.
static const char *const fast_flags[] = {
    "-O3", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math", "-freciprocal-math",
};

static bool fuses(const llc_session *s)
{
    if (native_fuses(s->options->march))
        return true;
    for (VEC_EACH(llc_unit *, unit, &s->units)) {
        const machine *m = (*unit)->machine;
        for (size_t i = 0; m != NULL && i < m->processors.len; i++) {
            const machine_processor *p = &m->processors.data[i];
            if (p->fuses)
                return true;
        }
    }
    return false;
}

void cc_add(llc_session *s, llc_strings *command, const char *word)
{
    VEC_PUSH(s->arena, command, word);
}

void cc_add_code_flags(llc_session *s, llc_strings *command)
{
    const llc_options *o = s->options;
    for (size_t i = 0; i < sizeof arithmetic_flags / sizeof *arithmetic_flags; i++)
        cc_add(s, command, arithmetic_flags[i]);
    for (size_t i = 0; contract_inexact_function(i) != NULL; i++)
        cc_add(s, command, arena_printf(s->arena, "-fno-builtin-%s", contract_inexact_function(i)));
    if (strcmp(o->level, "fast") == 0) {
        for (size_t i = 0; i < sizeof fast_flags / sizeof *fast_flags; i++)
            cc_add(s, command, fast_flags[i]);
        if (fuses(s))
            cc_add(s, command, "-ffp-contract=fast");
    } else {
        cc_add(s, command, arena_printf(s->arena, "-O%s", o->level));
    }
    if (o->debug)
        cc_add(s, command, "-g");
    if (o->march != NULL)
        cc_add(s, command, arena_printf(s->arena, "-march=%s", o->march));
    cc_add(s, command,
           "-fno-crash-diagnostics"); // it would put them where all is removed; --save-temps keeps the input
    cc_add(s, command, "-isystem");
    cc_add(s, command, s->environment->include_directory);
    for (VEC_EACH(const char *, dir, &o->includes))
        cc_add(s, command, arena_printf(s->arena, "-I%s", *dir));
    for (VEC_EACH(const char *, define, &o->defines))
        cc_add(s, command, arena_printf(s->arena, "-D%s", *define));
}

void cc_add_link_flags(llc_session *s, llc_strings *command)
{
    for (VEC_EACH(const char *, flag, &s->options->link))
        cc_add(s, command, *flag);
}

// An absolute path: the file is included by a header of another folder.
static const char *absolute(llc_session *s, const char *path)
{
    char *folder = path[0] == '/' ? NULL : getcwd(NULL, 0);
    const char *result = folder == NULL ? path : arena_printf(s->arena, "%s/%s", folder, path);
    free(folder);
    return result;
}

const char *cc_write_table(llc_session *s, const char *more)
{
    const char *path = s->environment->temporary(s->environment->context, "svm-machine-table", ".h");
    if (path == NULL || s->environment->dry_run)
        return path;
    strbuf text;
    strbuf_init(&text, s->arena);
    machine_table_entry *entries = ARENA_ARRAY(s->arena, machine_table_entry, s->units.len);
    for (size_t i = 0; i < s->units.len; i++)
        entries[i] = (machine_table_entry){s->units.data[i]->machine, s->units.data[i]->machine_name};
    machine_emit_table(entries, s->units.len, &text);
    strbuf_add(&text, more);
    if (file_write(path, text.data, text.len))
        return absolute(s, path);
    diag_error_at(s->diag, LLC_TOOL, "cannot write '%s': %s", path, strerror(errno));
    return NULL;
}

static bool is_other(const llc_session *s, const char *source)
{
    for (VEC_EACH(const char *, other, &s->others))
        if (*other == source)
            return true;
    return false;
}

// The name that the program has of a source in the folder of temporary files, whose name is another each time, is without
// the folder: so that equal programs are made of equal sources, and errors at run time name no file that is gone.
static void add_source_name(llc_session *s, llc_strings *command, const char *source)
{
    const char *folder = getenv("TMPDIR");
    size_t n = folder == NULL ? 0 : strlen(folder);
    source = source == NULL && s->units.len != 0 ? s->units.data[0]->path : source;
    if (n != 0 && source != NULL && strncmp(source, folder, n) == 0 && source[n] == '/')
        cc_add(s, command, arena_printf(s->arena, "-fmacro-prefix-map=%s/=", folder));
}

void cc_add_table_flags(llc_session *s, llc_strings *command, const char *source, const char *table)
{
    add_source_name(s, command, source);
    if (source == NULL || !is_other(s, source))
        cc_add(s, command, "-w"); // its warnings have been reported from the reader's parse
    cc_add(s, command, arena_printf(s->arena, "-DSVM_MACHINE_TABLE=\"%s\"", table)); // svm/svm.h includes it
}

void cc_sources(llc_session *s, llc_strings *sources)
{
    for (VEC_EACH(llc_unit *, unit, &s->units))
        VEC_PUSH(s->arena, sources, (*unit)->path);
    for (VEC_EACH(const char *, other, &s->others))
        if (llc_is_c(*other))
            VEC_PUSH(s->arena, sources, *other);
}

// Standard input has been read already; clang gets its text from a file.
bool cc_store_standard_input(llc_session *s)
{
    for (VEC_EACH(llc_unit *, unit, &s->units)) {
        if (strcmp((*unit)->path, "-") != 0)
            continue;
        const source_file *source = source_get(s->diag->sources, (*unit)->file);
        const char *path = s->environment->temporary(s->environment->context, "stdin", ".c");
        if (path == NULL)
            return false;
        if (!s->environment->dry_run && !file_write(path, source->text, source->len)) {
            diag_error_at(s->diag, LLC_TOOL, "cannot write '%s': %s", path, strerror(errno));
            return false;
        }
        (*unit)->path = path;
    }
    return true;
}

bool cc_run(llc_session *s, const char *const *arguments)
{
    llc_strings command = {0};
    cc_add(s, &command, strchr(s->output, '/') != NULL ? s->output : arena_printf(s->arena, "./%s", s->output));
    for (; arguments != NULL && *arguments != NULL; arguments++)
        cc_add(s, &command, *arguments);
    return llc_run_command(s, &command);
}
