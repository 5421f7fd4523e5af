// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command lines: options.def is the table, this the parser and the texts made from it.
#ifndef SVMC_DRIVER_OPTIONS_H
#define SVMC_DRIVER_OPTIONS_H

#include "support/diag.h"
#include "support/strbuf.h"

typedef enum option_tool {
#define TOOL(id, name, usage, summary) TOOL_##id,
#include "driver/options.def"
    TOOL_COUNT
} option_tool;

typedef enum option_id {
    OPT_INPUT, // an argument that is no option; its value is the argument
#define OPTION(id, spelling, kind, metavariable, group, tools, visibility, help) OPT_##id,
#include "driver/options.def"
    OPT_COUNT
} option_id;

// One option as given. on is false for the --no- form of a BOOLEAN.
typedef struct option {
    option_id id;
    const char *value; // NULL for flags
    bool on;
} option;

typedef struct option_list {
    option_tool tool;
    VEC(option) items; // in the order of the command line, response files expanded
    size_t given;      // what is behind so many was added by the tool; 0: nothing was
} option_list;

// Exit codes of all tools.
enum { EXIT_OK = 0, EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_INTERNAL = 70 };

// Parses the arguments behind argv[0], expanding @FILE. Reports what is wrong (unknown options with what was meant,
// missing or bad values) to d and then returns false: the tool exits with EXIT_USAGE. The -W options, -w, --remarks and
// -ferror-limit are applied to d.
bool options_parse(option_list *list, arena *a, diag_engine *d, option_tool tool, int argc, char **argv);

const char *options_tool_name(option_tool tool);
// The last value given, NULL when there is none; for flags the empty string.
const char *option_last(const option_list *list, option_id id);
// Whether a flag is given, or of a BOOLEAN its last form; otherwise what is assumed.
bool option_flag(const option_list *list, option_id id, bool assumed);
// The last number given, or what is assumed. (Numbers are checked by options_parse.)
int64_t option_number(const option_list *list, option_id id, int64_t assumed);

// --help, --help=all|man|bash and --version: prints the text when one of them is given and returns true; the tool then
// returns *status, which tells whether standard output took it.
bool options_answer(const option_list *list, int *status);
void options_add_help(strbuf *b, option_tool tool, bool hidden_too);
void options_add_man(strbuf *b, option_tool tool);
void options_add_completion(strbuf *b, option_tool tool);

// Whether diagnostics to standard error are to be coloured, by --color and the terminal.
bool options_want_color(const option_list *list);
diag_format options_diag_format(const option_list *list);

#endif
