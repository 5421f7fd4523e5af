// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsing command lines by the option table.
#include "driver/options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/option_table.h"

enum { RESPONSE_FILE_DEPTH = 16 };

const option_row option_rows[OPT_COUNT] = {
#define SVMC (1u << TOOL_SVMC)
#define HLC (1u << TOOL_HLC)
#define OPT (1u << TOOL_OPT)
#define LLC (1u << TOOL_LLC)
#define CHARACTERIZE (1u << TOOL_CHARACTERIZE)
#define SIM (1u << TOOL_SIM)
#define CHECK (1u << TOOL_CHECK)
#define SPAS (1u << TOOL_SPAS)
#define SPDIS (1u << TOOL_SPDIS)
#define SPSIM (1u << TOOL_SPSIM)
#define SHOWN false
#define HIDDEN true
#define OPTION(id, spelling, kind, metavariable, group, tools, visibility, help)                                       \
    [OPT_##id] = {spelling, OPTION_##kind, metavariable, GROUP_##group, tools, visibility, help},
#include "driver/options.def"
#undef SVMC
#undef HLC
#undef OPT
#undef LLC
#undef CHARACTERIZE
#undef SIM
#undef CHECK
#undef SPAS
#undef SPDIS
#undef SPSIM
#undef SHOWN
#undef HIDDEN
};

const tool_row tool_rows[] = {
#define TOOL(id, name, usage, summary) [TOOL_##id] = {name, usage, summary},
#include "driver/options.def"
};

const char *const option_group_titles[GROUP_COUNT] = {
#define GROUP(id, title) [GROUP_##id] = title,
#include "driver/options.def"
};

typedef struct parser {
    arena *arena;
    diag_engine *diags;
    option_list *list;
    const char *tool;
    VEC(const char *) arguments; // response files expanded
    size_t at;
    bool ok;
} parser;

static void usage_error(parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void usage_error(parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_error_at(p->diags, p->tool, "%s", arena_vprintf(p->arena, format, args));
    va_end(args);
    p->ok = false;
}

const char *option_choice(const option_row *row, size_t i, size_t *len)
{
    const char *s = row->metavariable;
    if (s == NULL || isupper((unsigned char)*s) || strchr(s, '|') == NULL)
        return NULL;
    for (; i > 0; i--) {
        s = strchr(s, '|');
        if (s == NULL)
            return NULL;
        s++;
    }
    *len = strcspn(s, "|");
    return s;
}

const char *option_negative(arena *a, const option_row *row)
{
    const char *s = row->spelling;
    size_t prefix = strncmp(s, "--", 2) == 0 || strncmp(s, "-f", 2) == 0 ? 2 : 1;
    return arena_printf(a, "%.*sno-%s", (int)prefix, s, s + prefix);
}

// ---- Response files ----

static void add_argument(parser *p, const char *argument, int depth);

// Splits text at blanks; quotes hold blanks together, a backslash takes the next character as it is.
static void add_arguments_of(parser *p, const char *text, int depth)
{
    for (;;) {
        while (isspace((unsigned char)*text))
            text++;
        if (*text == '\0')
            return;
        strbuf word;
        strbuf_init(&word, p->arena);
        for (char quote = 0; *text != '\0' && (quote != 0 || !isspace((unsigned char)*text)); text++) {
            if (*text == quote)
                quote = 0;
            else if (quote == 0 && (*text == '"' || *text == '\''))
                quote = *text;
            else if (*text == '\\' && quote != '\'' && text[1] != '\0')
                strbuf_addc(&word, *++text);
            else
                strbuf_addc(&word, *text);
        }
        add_argument(p, word.data, depth);
    }
}

static void add_argument(parser *p, const char *argument, int depth)
{
    if (argument[0] != '@' || argument[1] == '\0') {
        VEC_PUSH(p->arena, &p->arguments, argument);
        return;
    }
    char *text;
    size_t len;
    if (depth >= RESPONSE_FILE_DEPTH)
        usage_error(p, "response file '%s' is nested more than %d deep; does it name itself?", argument + 1,
                    RESPONSE_FILE_DEPTH);
    else if (!file_read(p->arena, argument + 1, &text, &len))
        usage_error(p, "cannot read response file '%s': %s", argument + 1, strerror(errno));
    else
        add_arguments_of(p, text, depth + 1);
}

// ---- Options ----

static bool is_number(const char *s)
{
    if (!isdigit((unsigned char)*s))
        return false;
    char *end;
    errno = 0;
    strtoll(s, &end, 10);
    return *end == '\0' && errno == 0;
}

// The option without the '=' before its value.
static const char *bare_spelling(parser *p, const option_row *row)
{
    return arena_strndup(p->arena, row->spelling, strcspn(row->spelling, "="));
}

static const char *list_choices(parser *p, const option_row *row)
{
    strbuf b;
    strbuf_init(&b, p->arena);
    const char *choice, *next;
    size_t len, next_len;
    for (size_t i = 0; (choice = option_choice(row, i, &len)) != NULL; i++) {
        next = option_choice(row, i + 1, &next_len);
        strbuf_printf(&b, "%s'%.*s'", i == 0 ? "" : next == NULL ? " or " : ", ", (int)len, choice);
    }
    return b.data;
}

static void check_choice(parser *p, const option_row *row, const char *value)
{
    VEC(const char *) choices = {0};
    const char *choice;
    size_t len;
    for (size_t i = 0; (choice = option_choice(row, i, &len)) != NULL; i++) {
        if (strlen(value) == len && strncmp(choice, value, len) == 0)
            return;
        VEC_PUSH(p->arena, &choices, arena_strndup(p->arena, choice, len));
    }
    const char *nearest = diag_nearest(value, choices.data, choices.len);
    if (nearest != NULL)
        usage_error(p, "invalid value '%s' for option '%s'; did you mean '%s'?", value, bare_spelling(p, row), nearest);
    else
        usage_error(p, "invalid value '%s' for option '%s'; expected %s", value, bare_spelling(p, row),
                    list_choices(p, row));
}

static void check_value(parser *p, const option_row *row, const char *value)
{
    size_t len;
    if (option_choice(row, 0, &len) != NULL)
        check_choice(p, row, value);
    else if (*value == '\0')
        usage_error(p, "option '%s' needs a value: '%s%s'", bare_spelling(p, row), row->spelling, row->metavariable);
    else if (strcmp(row->metavariable, "N") == 0 && !is_number(value) && value[strspn(value, "0123456789")] == '\0')
        usage_error(p, "value '%s' for option '%s' is too large; %" PRId64 " is the largest", value,
                    bare_spelling(p, row), INT64_MAX);
    else if (strcmp(row->metavariable, "N") == 0 && !is_number(value))
        usage_error(p, "invalid value '%s' for option '%s'; expected a whole number of 0 or more", value,
                    bare_spelling(p, row));
}

static void add_option(parser *p, option_id id, const char *value, bool on)
{
    if (id != OPT_INPUT && value != NULL)
        check_value(p, &option_rows[id], value);
    VEC_PUSH(p->arena, &p->list->items, (option){.id = id, .value = value, .on = on});
}

// The value of a SEPARATE option: the next argument.
static void add_separate(parser *p, option_id id)
{
    if (p->at == p->arguments.len) {
        usage_error(p, "option '%s' needs a value: '%s %s'", option_rows[id].spelling, option_rows[id].spelling,
                    option_rows[id].metavariable);
        return;
    }
    add_option(p, id, p->arguments.data[p->at++], true);
}

// How many bytes of argument the row accounts for as a spelling; 0 when it does not fit.
static size_t match_length(parser *p, const option_row *row, const char *argument)
{
    size_t n = strlen(row->spelling);
    bool open = row->kind == OPTION_JOINED || row->kind == OPTION_EITHER;
    if (strncmp(argument, row->spelling, n) == 0 && (open || argument[n] == '\0'))
        return n;
    if (row->kind == OPTION_BOOLEAN && strcmp(argument, option_negative(p->arena, row)) == 0)
        return strlen(argument);
    return 0;
}

// Of the rows that fit, the one with the longest spelling is meant: "-MD" is not "-M" "D".
static bool take_option(parser *p, const char *argument)
{
    option_id best = OPT_INPUT;
    size_t best_len = 0;
    for (option_id id = OPT_INPUT + 1; id < OPT_COUNT; id++) {
        size_t n = option_is_for(id, p->list->tool) ? match_length(p, &option_rows[id], argument) : 0;
        if (n > best_len) {
            best = id;
            best_len = n;
        }
    }
    if (best == OPT_INPUT)
        return false;
    const option_row *row = &option_rows[best];
    bool exact = strcmp(argument, row->spelling) == 0;
    if (row->kind == OPTION_FLAG || row->kind == OPTION_BOOLEAN)
        add_option(p, best, NULL, exact);
    else if (exact && row->kind != OPTION_JOINED)
        add_separate(p, best);
    else
        add_option(p, best, argument + best_len, true);
    return true;
}

// A message for an option that this tool does not know: the tools that do, a spelling that is near, or a missing value.
static void unknown_option(parser *p, const char *argument)
{
    size_t name = strcspn(argument, "=");
    const char *bare = arena_strndup(p->arena, argument, name);
    VEC(const char *) near = {0};
    for (option_id id = OPT_INPUT + 1; id < OPT_COUNT; id++) {
        const option_row *row = &option_rows[id];
        const char *spelling = bare_spelling(p, row);
        bool same = strcmp(spelling, bare) == 0;
        if (!option_is_for(id, p->list->tool)) {
            for (option_tool t = TOOL_SVMC; same && t < TOOL_COUNT; t++) {
                if (!option_is_for(id, t))
                    continue;
                usage_error(p, "unknown option '%s'; it is an option of %s", argument, tool_rows[t].name);
                return;
            }
            continue;
        }
        if (same && row->kind == OPTION_JOINED) {
            usage_error(p, "option '%s' needs a value: '%s%s'", bare, row->spelling, row->metavariable);
            return;
        }
        if (same && argument[name] == '=') {
            usage_error(p, "option '%s' takes no value", bare);
            return;
        }
        if (strlen(spelling) > 2)
            VEC_PUSH(p->arena, &near, spelling);
    }
    const char *nearest = diag_nearest(bare, near.data, near.len);
    if (nearest != NULL)
        usage_error(p, "unknown option '%s'; did you mean '%s%s'?", argument, nearest, argument + name);
    else
        usage_error(p, "unknown option '%s'; '%s --help' lists the options", argument, p->tool);
}

static void apply_diagnostic_options(parser *p)
{
    for (VEC_EACH(option, o, &p->list->items)) {
        if (o->id == OPT_NO_WARNINGS)
            p->diags->no_warnings = true;
        else if (o->id == OPT_REMARKS)
            p->diags->remarks = true;
        else if (o->id == OPT_ERROR_LIMIT)
            p->diags->error_limit = (size_t)strtoull(o->value, NULL, 10);
        else if (o->id == OPT_WARNING && !diag_warning_option(p->diags, o->value)) {
            const char *nearest = diag_nearest_warning(o->value);
            if (nearest != NULL)
                usage_error(p, "unknown warning '-W%s'; did you mean '%s'?", o->value, nearest);
            else
                usage_error(p, "unknown warning '-W%s'; 'man %s' lists the warnings", o->value, p->tool);
        }
    }
}

bool options_parse(option_list *list, arena *a, diag_engine *d, option_tool tool, int argc, char **argv)
{
    *list = (option_list){.tool = tool};
    parser p = {.arena = a, .diags = d, .list = list, .tool = tool_rows[tool].name, .ok = true};
    for (int i = 1; i < argc; i++)
        add_argument(&p, argv[i], 0);
    bool options_end = false;
    while (p.at < p.arguments.len) {
        const char *argument = p.arguments.data[p.at++];
        if (!options_end && strcmp(argument, "--") == 0)
            options_end = true;
        else if (options_end || argument[0] != '-' || argument[1] == '\0')
            add_option(&p, OPT_INPUT, argument, true);
        else if (!take_option(&p, argument))
            unknown_option(&p, argument);
    }
    apply_diagnostic_options(&p);
    return p.ok;
}

// ---- Queries ----

const char *options_tool_name(option_tool tool)
{
    return tool_rows[tool].name;
}

static const option *find_last(const option_list *list, option_id id)
{
    for (size_t i = list->items.len; i > 0; i--)
        if (list->items.data[i - 1].id == id)
            return &list->items.data[i - 1];
    return NULL;
}

const char *option_last(const option_list *list, option_id id)
{
    const option *o = find_last(list, id);
    return o == NULL ? NULL : o->value == NULL ? "" : o->value;
}

bool option_flag(const option_list *list, option_id id, bool assumed)
{
    const option *o = find_last(list, id);
    return o == NULL ? assumed : o->on;
}

int64_t option_number(const option_list *list, option_id id, int64_t assumed)
{
    const option *o = find_last(list, id);
    return o == NULL ? assumed : strtoll(o->value, NULL, 10);
}

bool options_want_color(const option_list *list)
{
    const char *when = option_last(list, OPT_COLOR);
    if (when != NULL && strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0;
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && getenv("NO_COLOR") == NULL && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

diag_format options_diag_format(const option_list *list)
{
    const char *format = option_last(list, OPT_DIAGNOSTICS_FORMAT);
    return format != NULL && strcmp(format, "json") == 0 ? DIAG_FORMAT_JSON : DIAG_FORMAT_TEXT;
}
