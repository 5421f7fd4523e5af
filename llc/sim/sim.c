// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sim backend: clang makes LLVM bitcode of each C file, with the host's arithmetic and without optimising; the rest
// happens here (code.c); clang links the objects with the simulating runtime.
#include "llc/sim/sim.h"

#include "llc/cc/cc.h"

// Libraries of the runtime; libsvm-sim.a holds the simulation engine too.
static const char *const libraries[] = {"-lfyaml", "-lm", "-ldl", "-pthread"};

static const char *temporary(llc_session *s, const char *stem, const char *suffix)
{
    return s->environment->temporary(s->environment->context, stem, suffix);
}

// The SVM C that a source is, or NULL.
static const llc_unit *unit_of(const llc_session *s, const char *source)
{
    for (VEC_EACH(llc_unit *, unit, &s->units))
        if ((*unit)->path == source)
            return *unit;
    return NULL;
}

bool sim_make_bitcode(llc_session *s, const llc_unit *unit, const sim_variant *variant, const char *source,
                      const char *path)
{
    llc_strings command = {0};
    cc_add(s, &command, s->environment->clang);
    cc_add_code_flags(s, &command);
    cc_add(s, &command, "-DSVM_ELEMENTARY_CALLS"); // each is counted as one operation
    if (s->units.len > 0) {
        const char *table = cc_write_table(s, unit == NULL ? "" : sim_table_text(s, unit));
        if (table == NULL)
            return false;
        cc_add_table_flags(s, &command, source, table);
    }
    for (size_t i = 0; unit != NULL && variant != NULL && variant->flags[i] != NULL; i++)
        cc_add(s, &command, variant->flags[i]);
    static const char *const words[] = {"-emit-llvm", "-Xclang", "-disable-llvm-passes", "-c"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        cc_add(s, &command, words[i]);
    cc_add(s, &command, source);
    cc_add(s, &command, "-o");
    cc_add(s, &command, path);
    return llc_run_command(s, &command);
}

static bool compile(llc_session *s, const sim_variant *variant, const char *source, llc_output output, const char *path)
{
    const llc_unit *unit = unit_of(s, source);
    const char *bitcode = temporary(s, "program", ".bc");
    if (bitcode == NULL || !sim_make_bitcode(s, unit, variant, source, bitcode))
        return false;
    return s->environment->dry_run || sim_generate(s, unit, bitcode, variant, output, path);
}

static bool compile_to_object(llc_session *s, const sim_variant *variant, llc_strings *command, const char *source)
{
    const char *object = temporary(s, "program", ".o");
    if (object == NULL || !compile(s, variant, source, LLC_OUTPUT_OBJ, object))
        return false;
    cc_add(s, command, object);
    return true;
}

// Inputs that are not C stay in the order of the command line, which matters to archives.
static bool link_program(llc_session *s, const sim_variant *variant)
{
    llc_strings command = {0};
    cc_add(s, &command, s->environment->clang);
    for (VEC_EACH(llc_unit *, unit, &s->units))
        if (!compile_to_object(s, variant, &command, (*unit)->path))
            return false;
    for (VEC_EACH(const char *, other, &s->others)) {
        if (!llc_is_c(*other))
            cc_add(s, &command, *other);
        else if (!compile_to_object(s, variant, &command, *other))
            return false;
    }
    cc_add(s, &command, "-o");
    cc_add(s, &command, s->output);
    cc_add_link_flags(s, &command);
    if (variant != NULL)
        cc_add(s, &command, arena_printf(s->arena, "%s/%s", s->environment->library_directory, variant->library));
    cc_add(s, &command, arena_printf(s->arena, "%s/libsvm-sim.a", s->environment->library_directory));
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        cc_add(s, &command, libraries[i]);
    return llc_run_command(s, &command);
}

bool sim_emit(llc_session *s, const sim_variant *variant)
{
    llc_strings names = {0}, sources = {0};
    cc_sources(s, &names); // before standard input gets a file
    if (!cc_store_standard_input(s))
        return false;
    if (s->options->output == LLC_OUTPUT_EXE)
        return link_program(s, variant);
    cc_sources(s, &sources);
    bool good = true;
    for (size_t i = 0; i < sources.len; i++)
        good = compile(s, variant, sources.data[i], s->options->output, llc_output_path(s, names.data[i])) && good;
    return good;
}

static bool emit(llc_session *s)
{
    return sim_emit(s, NULL);
}

const llc_backend llc_backend_sim = {
    .name = "sim",
    .summary = "executable that predicts the program's time on the described machine while running it",
    .outputs = 1u << LLC_OUTPUT_LLVM_IR | 1u << LLC_OUTPUT_ASM | 1u << LLC_OUTPUT_OBJ | 1u << LLC_OUTPUT_EXE,
    .emit = emit,
    .run = cc_run,
};
