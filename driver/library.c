// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options and names of files for stream programs as libraries.
#include "driver/library.h"

#include <string.h>

#include "driver/option_table.h"

static bool ends_with(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);
    return n > m && strcmp(s + n - m, suffix) == 0;
}

bool library_wanted(const option_list *options, driver_mode mode)
{
    return mode == MODE_LIB || mode == MODE_HEADER || option_flag(options, OPT_LIBRARY, false);
}

// What the names of functions may begin with. Names that begin otherwise are C's or the runtime's.
static bool is_prefix(const char *name)
{
    static const char *const taken[] = {"svm_", "SVM_", "mm_", "M_", "FP_", "MATH_", "HUGE_VAL", "SNAN"};
    bool good = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z');
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        good = good && strncmp(name, taken[i], strlen(taken[i])) != 0;
    for (const char *p = name; *p != '\0'; p++)
        good = good && ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_');
    return good;
}

static bool any_brook(const driver_inputs *inputs)
{
    for (VEC_EACH(const driver_input, in, inputs))
        if (in->language == LANGUAGE_BROOK)
            return true;
    return false;
}

bool library_check_options(tool_session *t, const driver_inputs *inputs, driver_mode mode)
{
    const option_list *o = &t->options;
    const char *name = options_tool_name(o->tool), *prefix = option_last(o, OPT_LIBRARY_PREFIX);
    const char *only = o->tool == TOOL_SVMC ? "--emit=lib, --emit=header and --library" : "--emit=header and --library";
    if (mode == MODE_EXE && option_flag(o, OPT_LIBRARY, false))
        diag_error_at(&t->diags, name,
                      "a library has no main function to make an executable of; --emit=lib makes a library, "
                      "-c its object file");
    else if (option_last(o, OPT_LIBRARY_HEADER) != NULL && mode != MODE_LIB)
        diag_error_at(&t->diags, name, "option '--header' is for --emit=lib; --emit=header writes a header alone");
    else if (prefix != NULL && !library_wanted(o, mode))
        diag_error_at(&t->diags, name, "option '--prefix' is for %s", only);
    else if (prefix != NULL && any_brook(inputs))
        diag_error_at(
            &t->diags, name,
            "option '--prefix' is for stream programs; functions of Brook files keep the names that they have "
            "there");
    else if (prefix != NULL && !is_prefix(prefix))
        diag_error_at(
            &t->diags, name,
            "bad value '%s' for option '--prefix'; expected a C identifier that begins with a letter, and not as "
            "those of the runtime or of <math.h> do",
            prefix);
    else
        return true;
    return false;
}

bool library_is_object(const char *output)
{
    return ends_with(output, ".o");
}

bool library_check_output(tool_session *t, const driver_inputs *inputs, const char *output)
{
    const char *name = options_tool_name(t->options.tool);
    if (strcmp(output, "-") == 0) {
        diag_error_at(&t->diags, name, "--emit=lib cannot go to standard output; name a file with -o");
        return false;
    }
    if (ends_with(output, ".so") || ends_with(output, ".h")) {
        diag_error_at(&t->diags, name,
                      "--emit=lib cannot write '%s'; expected an archive (libNAME.a) or an object file (NAME.o)%s",
                      output,
                      ends_with(output, ".h") ? ", beside which the header goes" : ", of which 'cc -shared' makes one");
        return false;
    }
    if (strcmp(library_header_path(t, output), output) == 0) {
        diag_error_at(&t->diags, name, "--header=%s names the library itself; expected a file of its own", output);
        return false;
    }
    for (VEC_EACH(const driver_input, in, inputs))
        if (library_is_object(output) && in->language > LANGUAGE_PLAN) {
            diag_error_at(&t->diags, name,
                          "an object file holds the stream program alone, and not '%s'; name an archive with -o, as in "
                          "-o lib%s.a",
                          in->path, driver_stem(t->arena, output));
            return false;
        }
    return true;
}

const char *library_header_path(tool_session *t, const char *output)
{
    const char *told = option_last(&t->options, OPT_LIBRARY_HEADER);
    if (told != NULL)
        return told;
    const char *slash = strrchr(output, '/'), *name = slash == NULL ? output : slash + 1;
    if (strncmp(name, "lib", 3) == 0 && ends_with(name, ".a"))
        name += 3;
    const char *dot = strrchr(name, '.');
    return arena_printf(t->arena, "%.*s%.*s.h", slash == NULL ? 0 : (int)(slash - output + 1), output,
                        (int)(dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name)), name);
}
