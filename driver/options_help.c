// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The texts made from the option table: --help, manual pages, completion.
#include <errno.h>
#include <string.h>

#include "driver/option_table.h"

enum { WIDTH = 100, HELP_COLUMN = 30 };

static const char *const exit_codes[][2] = {
    {"0", "success"},
    {"1", "the program or another input is wrong, or a file cannot be read or written"},
    {"2", "the command line is wrong"},
    {"70", "an internal error: please report it as the message says"},
};

static const struct warning_help {
    const char *flag, *help;
    bool enabled;
} warning_helps[] = {
#define WARNING(id, flag, enabled, help) {flag, help, enabled},
#include "support/warnings.def"
#undef WARNING
};

// How the option is written: "-o FILE", "--emit=<tokens|ast>", "--[no-]verify-each".
static void add_form(strbuf *b, const option_row *row)
{
    const char *m = row->metavariable;
    if (row->kind == OPTION_BOOLEAN) {
        size_t prefix = strncmp(row->spelling, "--", 2) == 0 || strncmp(row->spelling, "-f", 2) == 0 ? 2 : 1;
        strbuf_addn(b, row->spelling, prefix);
        strbuf_printf(b, "[no-]%s", row->spelling + prefix);
        return;
    }
    strbuf_add(b, row->spelling);
    if (m == NULL)
        return;
    size_t len;
    bool apart = row->kind == OPTION_SEPARATE || row->kind == OPTION_EITHER, list = option_choice(row, 0, &len) != NULL;
    strbuf_printf(b, "%s%s%s%s", apart ? " " : "", list ? "<" : "", m, list ? ">" : "");
}

// Adds words wrapped at WIDTH, each line but the first indented by indent; column is where the text now stands.
static void add_wrapped(strbuf *b, const char *text, size_t indent, size_t column)
{
    while (*text != '\0') {
        size_t n = strcspn(text, " ");
        if (column > indent && column + 1 + n > WIDTH) {
            strbuf_addc(b, '\n');
            strbuf_pad(b, ' ', indent);
            column = indent;
        } else if (column > indent) {
            strbuf_addc(b, ' ');
            column++;
        }
        strbuf_addn(b, text, n);
        column += n;
        text += n;
        text += strspn(text, " ");
    }
    strbuf_addc(b, '\n');
}

static bool group_is_used(option_group g, option_tool tool, bool hidden_too)
{
    for (option_id id = OPT_INPUT + 1; id < OPT_COUNT; id++)
        if (option_rows[id].group == g && option_is_for(id, tool) && (hidden_too || !option_rows[id].hidden))
            return true;
    return false;
}

void options_add_help(strbuf *b, option_tool tool, bool hidden_too)
{
    strbuf_printf(b, "%s: %s\n\nusage: %s\n", tool_rows[tool].name, tool_rows[tool].summary, tool_rows[tool].usage);
    for (option_group g = 0; g < GROUP_COUNT; g++) {
        if (!group_is_used(g, tool, hidden_too))
            continue;
        strbuf_printf(b, "\n%s:\n", option_group_titles[g]);
        for (option_id id = OPT_INPUT + 1; id < OPT_COUNT; id++) {
            const option_row *row = &option_rows[id];
            if (row->group != g || !option_is_for(id, tool) || (row->hidden && !hidden_too))
                continue;
            size_t start = b->len;
            strbuf_add(b, "  ");
            add_form(b, row);
            size_t column = b->len - start;
            if (column + 2 > HELP_COLUMN) {
                strbuf_addc(b, '\n');
                column = 0;
            }
            strbuf_pad(b, ' ', HELP_COLUMN - column);
            add_wrapped(b, row->help, HELP_COLUMN, HELP_COLUMN);
        }
    }
}

// Text for roff: hyphens kept, backslashes escaped, no line begins as a request.
static void add_roff(strbuf *b, const char *s)
{
    if (*s == '.' || *s == '\'')
        strbuf_add(b, "\\&");
    for (; *s != '\0'; s++) {
        if (*s == '-')
            strbuf_add(b, "\\-");
        else if (*s == '\\')
            strbuf_add(b, "\\e");
        else
            strbuf_addc(b, *s);
    }
}

static void add_roff_item(strbuf *b, const char *term, const char *text)
{
    strbuf_add(b, ".TP\n\\fB");
    add_roff(b, term);
    strbuf_add(b, "\\fR\n");
    add_roff(b, text);
    strbuf_addc(b, '\n');
}

static void add_man_options(strbuf *b, option_tool tool)
{
    strbuf_add(b, ".SH OPTIONS\n");
    for (option_group g = 0; g < GROUP_COUNT; g++) {
        if (!group_is_used(g, tool, false))
            continue;
        strbuf_add(b, ".SS ");
        add_roff(b, option_group_titles[g]);
        strbuf_addc(b, '\n');
        for (option_id id = OPT_INPUT + 1; id < OPT_COUNT; id++) {
            const option_row *row = &option_rows[id];
            if (row->group != g || !option_is_for(id, tool) || row->hidden)
                continue;
            strbuf form;
            strbuf_init(&form, b->arena);
            add_form(&form, row);
            add_roff_item(b, form.data, row->help);
        }
    }
}

void options_add_man(strbuf *b, option_tool tool)
{
    const tool_row *t = &tool_rows[tool];
    strbuf title;
    strbuf_init(&title, b->arena);
    for (const char *s = t->name; *s != '\0'; s++)
        strbuf_addc(&title, *s >= 'a' && *s <= 'z' ? (char)(*s - 'a' + 'A') : *s);
    strbuf_printf(b, ".TH %s 1 \"\" \"svmc %s\" \"User Commands\"\n.SH NAME\n", title.data, SVMC_VERSION);
    add_roff(b, t->name);
    strbuf_add(b, " \\- ");
    add_roff(b, t->summary);
    strbuf_add(b, "\n.SH SYNOPSIS\n");
    add_roff(b, t->usage);
    strbuf_add(b, "\n.SH DESCRIPTION\n");
    add_roff(b, "An argument @FILE stands for the arguments in FILE, and -- ends the options. "
                "An input of - is standard input.");
    strbuf_addc(b, '\n');
    add_man_options(b, tool);
    strbuf_add(b, ".SH WARNINGS\n");
    for (size_t i = 0; i < sizeof warning_helps / sizeof *warning_helps; i++) {
        const struct warning_help *w = &warning_helps[i];
        add_roff_item(b, arena_printf(b->arena, "-W%s", w->flag),
                      arena_printf(b->arena, "%s (%s)", w->help, w->enabled ? "on" : "off unless asked for"));
    }
    strbuf_add(b, ".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof exit_codes / sizeof *exit_codes; i++)
        add_roff_item(b, exit_codes[i][0], exit_codes[i][1]);
    strbuf_add(b, ".SH SEE ALSO\n");
    bool first = true;
    for (option_tool other = TOOL_SVMC; other < TOOL_COUNT; other++) {
        if (other == tool)
            continue;
        strbuf_add(b, first ? "\\fB" : ",\n\\fB");
        add_roff(b, tool_rows[other].name);
        strbuf_add(b, "\\fR(1)");
        first = false;
    }
    strbuf_addc(b, '\n');
}

// Values that a tool lists itself: how bash asks for them.
static const struct {
    option_id id;
    const char *ask; // prints one a line, and what it has to say behind it
    bool list;       // several, with commas between
} asked_values[] = {
    {OPT_MACHINE, "svmc --list-machines", false},       {OPT_SIM_MACHINE, "svmc --list-machines", false},
    {OPT_PRINT_MACHINE, "svmc --list-machines", false}, {OPT_TARGET, "svmc --list-targets", false},
    {OPT_PASSES, "svmc --list-passes", true},           {OPT_SKIP_PASSES, "svmc --list-passes", true},
    {OPT_PRINT_AFTER, "svmc --list-passes", true},
};

static void add_asked_values(strbuf *b, option_tool tool)
{
    for (size_t i = 0; i < sizeof asked_values / sizeof *asked_values; i++)
        if (option_is_for(asked_values[i].id, tool))
            strbuf_printf(b, "    %s*) words=$(%s 2>/dev/null | sed -n \"s|^\\\\([a-z][^ ]*\\\\) .*|%s\\\\1|p\") ;;\n",
                          option_rows[asked_values[i].id].spelling, asked_values[i].ask,
                          asked_values[i].list ? "${current%\"${current##*[=,]}\"}"
                                               : option_rows[asked_values[i].id].spelling);
}

static void add_warnings(strbuf *b)
{
    for (size_t i = 0; i < sizeof warning_helps / sizeof *warning_helps; i++)
        strbuf_printf(b, "-W%s\n-Wno-%s\n-Werror=%s\n", warning_helps[i].flag, warning_helps[i].flag,
                      warning_helps[i].flag);
    strbuf_add(b, "-Wall\n-Werror\n");
}

static void add_words(strbuf *b, option_tool tool)
{
    for (option_id id = OPT_INPUT + 1; id < OPT_COUNT; id++) {
        const option_row *row = &option_rows[id];
        if (!option_is_for(id, tool) || row->hidden)
            continue;
        const char *choice;
        size_t len;
        for (size_t i = 0; (choice = option_choice(row, i, &len)) != NULL; i++)
            strbuf_printf(b, "%s%.*s\n", row->spelling, (int)len, choice);
        if (option_choice(row, 0, &len) == NULL)
            strbuf_printf(b, "%s\n", row->spelling);
        if (row->kind == OPTION_BOOLEAN)
            strbuf_printf(b, "%s\n", option_negative(b->arena, row));
    }
    add_warnings(b);
}

// bash takes a word to begin behind its last '=', unless somebody has told it otherwise for everything; so the word is
// taken from the line, and what bash has already is cut off the answers. Names of files are quoted by bash (-o filenames),
// options are not; behind the '=' of an option that is still to get its value comes no blank.
void options_add_completion(strbuf *b, option_tool tool)
{
    const char *name = tool_rows[tool].name, *function = tool == TOOL_SVMC ? "svmc" : name + strlen("svm-");
    strbuf_printf(b, "# bash completion for %s; use: source <(%s --help=bash)\n", name, name);
    strbuf_printf(b,
                  "_svmc_%s_complete() {\n"
                  "    local line=${COMP_LINE:0:COMP_POINT} current words\n"
                  "    current=${line##*[[:space:]]}\n"
                  "    words='\n",
                  function);
    add_words(b, tool);
    strbuf_add(b, "'\n    case $current in\n");
    add_asked_values(b, tool);
    strbuf_add(b, "    esac\n"
                  "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
                  "    if [[ $current == --*=* && ${#COMPREPLY[@]} -eq 0 ]]; then\n"
                  "        mapfile -t COMPREPLY < <(compgen -P \"${current%%=*}=\" -f -- \"${current#*=}\")\n"
                  "        compopt -o filenames 2>/dev/null\n"
                  "    elif [[ $current != -* ]]; then\n"
                  "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
                  "        compopt -o filenames 2>/dev/null\n"
                  "    fi\n"
                  "    if [[ ${#COMPREPLY[@]} -eq 1 && $COMPREPLY == *= ]]; then\n"
                  "        compopt -o nospace 2>/dev/null\n"
                  "    fi\n"
                  "    if [[ $current == *=* && $COMP_WORDBREAKS == *=* ]]; then\n"
                  "        COMPREPLY=(\"${COMPREPLY[@]#\"${current%=*}=\"}\")\n"
                  "    fi\n"
                  "}\n");
    strbuf_printf(b, "complete -F _svmc_%s_complete %s\n", function, name);
}

bool options_answer(const option_list *list, int *status)
{
    const char *as = option_last(list, OPT_HELP_AS);
    bool help = option_last(list, OPT_HELP) != NULL || option_last(list, OPT_HELP_H) != NULL;
    bool version = option_last(list, OPT_VERSION) != NULL;
    if (!help && as == NULL && !version)
        return false;
    arena *a = arena_create();
    strbuf b;
    strbuf_init(&b, a);
    if (as != NULL && strcmp(as, "man") == 0)
        options_add_man(&b, list->tool);
    else if (as != NULL && strcmp(as, "bash") == 0)
        options_add_completion(&b, list->tool);
    else if (help || as != NULL)
        options_add_help(&b, list->tool, as != NULL);
    else
        strbuf_printf(&b, "%s %s\n", tool_rows[list->tool].name, SVMC_VERSION);
    *status = EXIT_OK;
    if (!file_write("-", b.data, b.len)) {
        fprintf(stderr, "%s: error: cannot write to standard output: %s\n", tool_rows[list->tool].name,
                strerror(errno));
        *status = EXIT_WRONG;
    }
    arena_destroy(a);
    return true;
}
