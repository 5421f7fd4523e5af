// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Native functions that nobody defines. Only the linker knows; it names symbols of a file that the user has never seen.
#include "driver/natives.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The symbol that a line of a linker's message misses: "...: undefined reference to `f'" as GNU ld and gold write it,
// "ld.lld: error: undefined symbol: f". NULL: the line is about something else.
static const char *missing_symbol(const char *line, size_t *len)
{
    static const char *const words[] = {"undefined reference to", "undefined symbol:"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *at = strstr(line, words[i]);
        if (at == NULL)
            continue;
        at += strlen(words[i]);
        at += strspn(at, " `'\"");
        *len = 0;
        while (isalnum((unsigned char)at[*len]) || at[*len] == '_' || at[*len] == '$')
            ++*len;
        return at;
    }
    return NULL;
}

// Lines that a linker's message consists of beside those that name symbols.
static bool is_around_symbols(const char *line)
{
    static const char *const words[] = {": in function ",           ">>> referenced by", ">>> ",
                                        "linker command failed",    "error generated.",  "errors generated.",
                                        "ld returned 1 exit status"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(line, words[i]) != NULL)
            return true;
    return line[strspn(line, " \t\r")] == '\0';
}

static const hlc_native *find(const hlc_natives *natives, const char *symbol, size_t len)
{
    for (VEC_EACH(const hlc_native, n, natives))
        if (strlen(n->symbol) == len && memcmp(n->symbol, symbol, len) == 0)
            return n;
    return NULL;
}

static void report(tool_session *t, const hlc_native *n)
{
    diag_record *r = diag_error(&t->diags, n->declared,
                                "the native function '%s' is declared here, but no C function '%s' is linked with the "
                                "program",
                                n->name, n->symbol);
    diag_add_note(&t->diags, r, (src_range){0, 0, 0},
                  "name a C file, object file or library that defines '%s' on the command line", n->symbol);
}

// True when that is all there is to the text.
static bool report_missing(tool_session *t, const hlc_natives *natives, char *text)
{
    bool *told = ARENA_ARRAY(t->arena, bool, natives->len + 1), found = false, all = true;
    for (char *line = text, *next; line != NULL; line = next) {
        size_t len = 0;
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        const char *symbol = missing_symbol(line, &len);
        const hlc_native *n = symbol == NULL ? NULL : find(natives, symbol, len);
        if (n == NULL) {
            all = all && symbol == NULL && is_around_symbols(line);
            continue;
        }
        if (!told[n - natives->data])
            report(t, n);
        told[n - natives->data] = found = true;
    }
    return found && all;
}

int natives_link(tool_session *t, process_session *s, const char *const *argv, const hlc_natives *natives)
{
    if (natives->len == 0)
        return process_run(s, argv);
    const char *errors = process_temporary(s, "errors", ".txt");
    if (errors == NULL)
        return EXIT_WRONG;
    int status = process_run_quiet(s, argv, errors);
    char *text;
    size_t len;
    if (!file_read(t->arena, errors, &text, &len))
        return status;    // with -### nothing has been run
    (void)unlink(errors); // also with --save-temps
    char *copy = arena_strndup(t->arena, text, len);
    if (status == EXIT_OK || !report_missing(t, natives, copy))
        fwrite(text, 1, len, stderr);
    return status;
}
