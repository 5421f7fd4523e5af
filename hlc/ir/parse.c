// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream IR text to modules. docs/stream-ir.md describes the form.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hlc/ir/parse_int.h"
#include "hlc/ir/type_rules.h"

// ---- Types and values ----

static const sir_type *parse_type_core(sir_parser *p)
{
    sir_token t = p->token;
    if (sir_accept_word(p, "struct")) {
        t = p->token;
        const char *name = sir_expect_name(p, "the name of a struct");
        uintptr_t found = (uintptr_t)hmap_get(&p->structs, name);
        if (found != 0)
            return sir_type_struct(p->module, p->module->structs.data[found - 1]);
        sir_unknown(p, &t, "struct", name, &p->structs);
        return p->module->scalar[SIR_VOID];
    }
    for (int kind = 0; kind < SIR_SCALAR_KINDS; kind++)
        if (sir_accept_word(p, sir_scalar_name((sir_type_kind)kind)))
            return p->module->scalar[kind];
    if (t.kind != TOKEN_WORD)
        sir_expected(p, "a type");
    hmap known;
    hmap_init(&known, p->scratch);
    for (int kind = 0; kind < SIR_SCALAR_KINDS; kind++)
        hmap_set(&known, sir_scalar_name((sir_type_kind)kind), &known);
    sir_unknown(p, &t, "type", t.text, &known);
    return p->module->scalar[SIR_VOID];
}

const sir_type *sir_parse_type(sir_parser *p)
{
    sir_token at = p->token;
    const sir_type *t = parse_type_core(p);
    VEC(uint32_t) lengths = {0};
    while (!p->failed && sir_accept_sign(p, "[")) {
        VEC_PUSH(p->scratch, &lengths, (uint32_t)sir_expect_integer(p, UINT32_MAX, "a length"));
        sir_expect_sign(p, "]");
    }
    if (lengths.len > SIR_PARSE_NESTING)
        sir_parse_error(p, &at, "a type of more than %d dimensions", SIR_PARSE_NESTING);
    if (lengths.len > 0 && t->kind == SIR_VOID)
        sir_parse_error(p, &at, "an array of 'void'");
    for (size_t i = lengths.len; !p->failed && i > 0; i--)
        t = sir_type_array(p->module, t, lengths.data[i - 1]);
    if (t->words > SIR_MAX_WORDS)
        sir_parse_error(p, &at, "a type of more than %llu scalars", (unsigned long long)SIR_MAX_WORDS);
    return t;
}

static bool parse_real(sir_parser *p, bool is_double, double *v)
{
    bool negative = sir_accept_sign(p, "-");
    const sir_token *t = &p->token;
    if (t->kind == TOKEN_WORD && strncmp(t->text, "inf", 3) == 0 && strlen(t->text) <= 4)
        *v = (double)INFINITY;
    else if (t->kind == TOKEN_WORD && strncmp(t->text, "nan", 3) == 0 && strlen(t->text) <= 4)
        *v = (double)NAN;
    else if (t->kind == TOKEN_FLOAT && is_double)
        *v = strtod(arena_strndup(p->scratch, p->text + t->begin, t->end - t->begin), NULL);
    else if (t->kind == TOKEN_FLOAT || (t->kind == TOKEN_DOUBLE && is_double))
        *v = t->real;
    else
        sir_expected(p, is_double ? "a double such as 1.5" : "a float such as 1.5");
    if (isinf(*v) && t->kind != TOKEN_WORD)
        sir_parse_error(p, t, "the number is too large for its type");
    sir_advance(p);
    if (negative)
        *v = -*v;
    return !p->failed;
}

static bool parse_int32(sir_parser *p, int32_t *v)
{
    bool negative = sir_accept_sign(p, "-");
    const sir_token *t = &p->token;
    if (t->kind != TOKEN_INT && t->kind != TOKEN_BIT)
        sir_expected(p, "an integer");
    else if (t->integer > (uint64_t)INT32_MAX + negative)
        sir_parse_error(p, t, "the number is too large for an int");
    else
        *v = (int32_t)(negative ? -(int64_t)t->integer : (int64_t)t->integer);
    sir_advance(p);
    return !p->failed;
}

static bool parse_complex(sir_parser *p, sir_scalar *v)
{
    double re = 0, im = 0;
    sir_expect_sign(p, "<");
    parse_real(p, false, &re);
    sir_expect_sign(p, ",");
    parse_real(p, false, &im);
    sir_expect_sign(p, ">");
    v->c.re = (float)re;
    v->c.im = (float)im;
    return !p->failed;
}

bool sir_parse_scalar(sir_parser *p, const sir_type *t, sir_scalar *v)
{
    memset(v, 0, sizeof *v);
    double real = 0;
    switch (t->kind) {
    case SIR_BOOLEAN:
        v->i = sir_at_word(p, "true");
        if (v->i == 0 && !sir_at_word(p, "false"))
            sir_expected(p, "'true' or 'false'");
        sir_advance(p);
        return !p->failed;
    case SIR_BIT:
    case SIR_INT: return parse_int32(p, &v->i);
    case SIR_FLOAT:
        parse_real(p, false, &real);
        v->f = (float)real;
        return !p->failed;
    case SIR_DOUBLE:
        parse_real(p, true, &real);
        v->d = real;
        return !p->failed;
    case SIR_COMPLEX: return parse_complex(p, v);
    default: sir_expected(p, "a value"); return false;
    }
}

static void parse_data(sir_parser *p, const sir_type *t, sir_scalar *data)
{
    sir_skip_newlines(p);
    if (!sir_is_aggregate(t)) {
        if (t->kind == SIR_VOID)
            sir_expected(p, "a type with values");
        else
            sir_parse_scalar(p, t, data);
        return;
    }
    if (sir_accept_word(p, "zero"))
        return;
    bool is_array = t->kind == SIR_ARRAY;
    sir_expect_sign(p, is_array ? "[" : "{");
    size_t count = is_array ? t->length : t->decl->members.len;
    for (size_t i = 0; i < count && !p->failed; i++) {
        const sir_type *part = is_array ? t->element : t->decl->members.data[i].type;
        if (i > 0)
            sir_expect_sign(p, ",");
        parse_data(p, part, data);
        data += part->words;
    }
    sir_skip_newlines(p);
    sir_expect_sign(p, is_array ? "]" : "}");
}

static sir_value parse_value(sir_parser *p, const sir_type *t)
{
    if (sir_is_aggregate(t) && sir_accept_word(p, "zero"))
        return sir_value_zero(t);
    if (t->words > p->words_left) {
        sir_parse_error(p, &p->token, "constants of more than %llu scalars", (unsigned long long)SIR_MAX_WORDS);
        return sir_value_zero(t);
    }
    p->words_left -= t->words;
    sir_value v = sir_value_new(p->module->arena, t);
    parse_data(p, t, v.data);
    return v;
}

// ---- Names ----

static void define(sir_parser *p, hmap *map, const sir_token *at, const char *what, const char *name, size_t number)
{
    if (hmap_get(map, name) != NULL)
        sir_parse_error(p, at, "a %s named '%s' was there before", what, name);
    hmap_set(map, name, (void *)(uintptr_t)(number + 1));
}

// The position of what has this name; an error if there is none.
static uint32_t find(sir_parser *p, const hmap *map, const char *what)
{
    sir_token t = p->token;
    const char *name = sir_expect_name(p, what);
    if (p->failed)
        return 0;
    uintptr_t found = (uintptr_t)hmap_get(map, name);
    if (found == 0)
        sir_unknown(p, &t, what, name, map);
    return p->failed ? 0 : (uint32_t)(found - 1);
}

// ---- Parts of a module ----

static void parse_file(sir_parser *p)
{
    sir_token t = p->token;
    const char *number = arena_printf(p->scratch, "f%zu", p->module->files.len);
    if (!sir_at_word(p, number))
        sir_expected(p, number);
    sir_advance(p);
    const char *name = sir_expect_name(p, "the name of a file");
    if (p->failed)
        return;
    source_id source = 0;
    for (size_t i = 1; i < p->d->sources->files.len && source == 0; i++)
        if (strcmp(source_get(p->d->sources, (source_id)i)->name, name) == 0)
            source = (source_id)i;
    if (source == 0)
        source = source_add_name(p->d->sources, name);
    if (sir_file(p->module, name, source) + 1 != p->module->files.len)
        sir_parse_error(p, &t, "file '%s' was there before", name);
    sir_end_line(p);
}

static void parse_init(sir_parser *p)
{
    if (p->token.kind != TOKEN_STRING) {
        sir_expected(p, "a text");
        return;
    }
    char *text = ARENA_ARRAY(p->module->arena, char, p->token.len + 1);
    memcpy(text, p->token.text, p->token.len);
    p->module->init_text = text;
    p->module->init_text_len = p->token.len;
    sir_advance(p);
    sir_end_line(p);
}

static void parse_struct(sir_parser *p)
{
    sir_module *m = p->module;
    sir_token t = p->token;
    sir_struct *s = ARENA_NEW(m->arena, sir_struct);
    s->name = sir_expect_name(p, "the name of a struct");
    sir_expect_sign(p, "{");
    sir_end_line(p);
    hmap names;
    hmap_init(&names, p->scratch);
    uint64_t words = 0;
    while (!p->failed && !sir_at_sign(p, "}")) {
        sir_token at = p->token;
        const char *name = sir_expect_name(p, "the name of a member or '}'");
        sir_expect_sign(p, ":");
        const sir_type *type = sir_parse_type(p);
        define(p, &names, &at, "member", name, 0);
        words += type->words;
        if (!p->failed && (type->kind == SIR_VOID || words > SIR_MAX_WORDS))
            sir_parse_error(p, &at, "a member of type 'void', or a struct that is too large");
        VEC_PUSH(m->arena, &s->members, (struct sir_member){.name = name, .type = type});
        sir_end_line(p);
    }
    sir_expect_sign(p, "}");
    sir_end_line(p);
    define(p, &p->structs, &t, "struct", s->name, m->structs.len);
    VEC_PUSH(m->arena, &m->structs, s);
}

// "name: type = value", whose name is the token at hand.
static sir_value parse_variable(sir_parser *p, sir_token_kind kind, const char *what)
{
    sir_value none = sir_value_zero(p->module->scalar[SIR_INT]);
    if (p->token.kind != kind) {
        sir_expected(p, what);
        return none;
    }
    sir_advance(p);
    sir_expect_sign(p, ":");
    sir_token t = p->token;
    const sir_type *type = sir_parse_type(p);
    if (!p->failed && type->kind == SIR_VOID)
        sir_parse_error(p, &t, "a variable of type 'void'");
    sir_expect_sign(p, "=");
    if (p->failed)
        return none;
    sir_value v = parse_value(p, type);
    sir_end_line(p);
    sir_no_more_parts(p);
    return v;
}

static void parse_global(sir_parser *p)
{
    sir_token t = p->token;
    sir_value v = parse_variable(p, TOKEN_GLOBAL, "a global such as '@x'");
    if (p->failed)
        return;
    define(p, &p->globals, &t, "global", t.text, p->module->globals.len);
    VEC_PUSH(p->module->arena, &p->module->globals, (sir_global){.name = t.text, .value = v, .loc = p->place});
}

static void parse_module_function(sir_parser *p, sir_function_kind kind)
{
    hmap_init(&p->fields, p->scratch);
    p->filter = NULL;
    sir_function *f = sir_parse_function(p, kind);
    VEC_PUSH(p->module->arena, &p->module->functions, f);
}

// ---- Filters ----

static void parse_field(sir_parser *p)
{
    sir_token t = p->token;
    sir_value v = parse_variable(p, TOKEN_FIELD, "a field such as '$x'");
    if (p->failed)
        return;
    define(p, &p->fields, &t, "field", t.text, p->filter->fields.len);
    VEC_PUSH(p->module->arena, &p->filter->fields,
             (sir_field){.name = t.text, .type = v.type, .init = v, .loc = p->place});
}

// What a role asks for behind the type.
static void parse_role_part(sir_parser *p, sir_field *f)
{
    if (sir_accept_word(p, "as"))
        f->stored = sir_expect_name(p, "a letter for each scalar");
    if (f->role == SIR_GATHER) {
        sir_token t = p->token;
        sir_expect_word(p, "rank");
        f->rank = (uint32_t)sir_expect_integer(p, SIR_RANK, "the number of dimensions");
        if (!p->failed && f->rank == 0)
            sir_parse_error(p, &t, "a gathered stream has 1 to %d dimensions", SIR_RANK);
    }
    if (f->role == SIR_COORDINATE) {
        sir_expect_word(p, "of");
        sir_token t = p->token;
        uintptr_t found = t.kind == TOKEN_FIELD ? (uintptr_t)hmap_get(&p->fields, t.text) : 0;
        if (t.kind != TOKEN_FIELD)
            sir_expected(p, "a field such as '$x'");
        else if (found == 0)
            sir_unknown(p, &t, "field", t.text, &p->fields);
        sir_advance(p);
        f->of = (uint32_t)(found - 1);
        f->dimension = (uint32_t)sir_expect_integer(p, SIR_RANK - 1, "a dimension, 0 for the fastest");
    }
}

static void parse_role(sir_parser *p, sir_role role)
{
    sir_token t = p->token;
    if (t.kind != TOKEN_FIELD) {
        sir_expected(p, "a field such as '$x'");
        return;
    }
    sir_advance(p);
    sir_expect_sign(p, ":");
    sir_token at = p->token;
    sir_field f = {.name = t.text, .type = sir_parse_type(p), .role = role};
    if (!p->failed && f.type->kind == SIR_VOID)
        sir_parse_error(p, &at, "a field of type 'void'");
    f.init = sir_value_zero(f.type);
    parse_role_part(p, &f);
    sir_end_line(p);
    sir_no_more_parts(p);
    f.loc = p->place;
    if (p->failed)
        return;
    define(p, &p->fields, &t, "field", t.text, p->filter->fields.len);
    VEC_PUSH(p->module->arena, &p->filter->fields, f);
}

// The role that a word begins the line of; SIR_ROLE_COUNT: none.
static sir_role accept_role(sir_parser *p)
{
    for (int role = SIR_STATE + 1; role < SIR_ROLE_COUNT; role++)
        if (sir_accept_word(p, sir_role_words[role]))
            return (sir_role)role;
    return SIR_ROLE_COUNT;
}

static void parse_work(sir_parser *p, sir_function **place, sir_function_kind kind, const char *word)
{
    if (*place != NULL)
        sir_parse_error(p, &p->token, "a second %s function", word);
    *place = sir_parse_function(p, kind);
}

static void parse_filter_part(sir_parser *p)
{
    sir_filter *f = p->filter;
    sir_token t = p->token;
    sir_role role = accept_role(p);
    if (role != SIR_ROLE_COUNT) {
        parse_role(p, role);
    } else if (sir_accept_word(p, "source")) {
        if (p->token.kind != TOKEN_STRING)
            sir_expected(p, "a text");
        f->source = arena_strdup(p->module->arena, p->token.text);
        sir_advance(p);
        sir_end_line(p);
    } else if (sir_accept_word(p, "field") || sir_accept_word(p, "const")) {
        parse_field(p);
    } else if (sir_accept_word(p, "work")) {
        parse_work(p, &f->work, SIR_WORK, "work");
    } else if (sir_accept_word(p, "prework")) {
        parse_work(p, &f->prework, SIR_PREWORK, "prework");
    } else if (sir_accept_word(p, "ahead")) {
        parse_work(p, &f->ahead, SIR_WORK, "ahead");
    } else if (sir_accept_word(p, "function")) {
        VEC_PUSH(p->module->arena, &f->functions, sir_parse_function(p, SIR_HELPER));
    } else if (sir_accept_word(p, "handler")) {
        VEC_PUSH(p->module->arena, &f->handlers, sir_parse_function(p, SIR_HANDLER));
    } else {
        static const char *const words[] = {"source",  "field", "const",    "work",
                                            "prework", "ahead", "function", "handler"};
        hmap known;
        hmap_init(&known, p->scratch);
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            hmap_set(&known, words[i], &known);
        for (int i = SIR_STATE + 1; i < SIR_ROLE_COUNT; i++)
            hmap_set(&known, sir_role_words[i], &known);
        if (t.kind == TOKEN_WORD)
            sir_unknown(p, &t, "part of a filter", t.text, &known);
        else
            sir_expected(p, "a part of a filter or '}'");
    }
}

static void parse_filter(sir_parser *p)
{
    static const char *const flags[] = {"stateful", "iter", "random", "prints", "sends", "identity", "finite"};
    sir_module *m = p->module;
    sir_token t = p->token;
    sir_filter *f = ARENA_NEW(m->arena, sir_filter);
    f->name = sir_expect_name(p, "the name of a filter");
    sir_expect_sign(p, ":");
    f->input = sir_parse_type(p);
    sir_expect_sign(p, "->");
    f->output = sir_parse_type(p);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        sir_accept_word(p, flags[i]); // for the reader; they are derived again
    sir_expect_sign(p, "{");
    sir_end_line(p);
    f->loc = p->place;
    sir_no_more_parts(p);
    p->filter = f;
    hmap_init(&p->fields, p->scratch);
    while (!p->failed && !sir_at_sign(p, "}"))
        parse_filter_part(p);
    sir_expect_sign(p, "}");
    sir_end_line(p);
    if (!p->failed && f->work == NULL)
        sir_parse_error(p, &t, "filter '%s' has no work function", f->name);
    define(p, &p->filters, &t, "filter", f->name, m->filters.len);
    VEC_PUSH(m->arena, &m->filters, f);
    p->filter = NULL;
}

// ---- The graph ----

// "r12"; must be less than limit.
static uint32_t parse_number(sir_parser *p, char letter, size_t limit, const char *what)
{
    sir_token t = p->token;
    uint64_t n = 0;
    bool ok = t.kind == TOKEN_WORD && t.text[0] == letter && t.len > 1 && t.len < 12;
    for (size_t i = 1; ok && i < t.len; i++) {
        ok = t.text[i] >= '0' && t.text[i] <= '9';
        n = n * 10 + (uint64_t)(t.text[i] - '0');
    }
    if (!ok)
        sir_expected(p, what);
    else if (n >= limit)
        sir_parse_error(p, &t, "%s '%s' is not there", what, t.text);
    sir_advance(p);
    return (uint32_t)n;
}

// The number of a thing that is numbered in order.
static void parse_own_number(sir_parser *p, char letter, size_t number)
{
    const char *wanted = arena_printf(p->scratch, "%c%zu", letter, number);
    if (!sir_at_word(p, wanted))
        sir_expected(p, arena_printf(p->scratch, "'%s', as these are numbered in order", wanted));
    sir_advance(p);
    sir_expect_sign(p, ":");
}

static void parse_region(sir_parser *p)
{
    static const char *const words[] = {"pipeline", "splitjoin", "feedbackloop", "filter"};
    sir_module *m = p->module;
    sir_region r = {.parent = SIR_NONE, .args = ""};
    parse_own_number(p, 'r', m->regions.len);
    int kind = -1;
    for (int i = 0; i < 4; i++)
        if (kind < 0 && sir_accept_word(p, words[i]))
            kind = i;
    if (kind < 0)
        sir_expected(p, "'pipeline', 'splitjoin', 'feedbackloop' or 'filter'");
    r.kind = kind < 0 ? SIR_PIPELINE : (sir_region_kind)kind;
    r.name = sir_expect_name(p, "the name of a stream");
    if (p->token.kind == TOKEN_STRING) {
        r.args = arena_strdup(m->arena, p->token.text);
        sir_advance(p);
    }
    if (sir_accept_word(p, "in"))
        r.parent = parse_number(p, 'r', m->regions.len, "region");
    sir_end_line(p);
    sir_no_more_parts(p);
    r.loc = p->place;
    (void)sir_region_add(m, r);
}

static void parse_portal(sir_parser *p)
{
    sir_module *m = p->module;
    sir_token t = p->token;
    sir_portal portal = {.name = sir_expect_name(p, "the name of a portal")};
    portal.inside = sir_accept_word(p, "inside");
    if (sir_accept_word(p, "to"))
        do {
            sir_token at = p->token;
            const char *name = sir_expect_name(p, "the name of an actor");
            VEC_PUSH(p->scratch, &p->names, (sir_pending_name){.index = m->portals.len, .name = name, .token = at});
        } while (sir_accept_sign(p, ","));
    sir_end_line(p);
    portal.loc = p->place;
    define(p, &p->portals, &t, "portal", portal.name, m->portals.len);
    VEC_PUSH(m->arena, &m->portals, portal);
}

static void parse_weights(sir_parser *p, sir_actor *a)
{
    sir_expect_word(p, "roundrobin");
    sir_expect_sign(p, "(");
    while (!p->failed && !sir_at_sign(p, ")")) {
        sir_skip_newlines(p);
        VEC_PUSH(p->module->arena, &a->weights, (uint32_t)sir_expect_integer(p, INT32_MAX, "a weight"));
        if (!sir_accept_sign(p, ","))
            break;
    }
    sir_expect_sign(p, ")");
}

static void parse_duplicate(sir_parser *p, sir_actor *a)
{
    a->duplicate = true;
    sir_expect_sign(p, "(");
    uint64_t count = sir_expect_integer(p, p->ports_left, "the number of copies");
    sir_expect_sign(p, ")");
    if (p->failed)
        return;
    p->ports_left -= count;
    vec_reserve(p->module->arena, &a->outputs, (size_t)count, sizeof *a->outputs.data);
    for (uint64_t i = 0; i < count; i++)
        VEC_PUSH(p->module->arena, &a->outputs, SIR_NONE);
}

static void parse_actor_kind(sir_parser *p, sir_actor *a)
{
    sir_module *m = p->module;
    if (sir_accept_word(p, "filter")) {
        a->kind = SIR_FILTER;
        uint32_t number = find(p, &p->filters, "filter");
        a->filter = p->failed ? NULL : m->filters.data[number];
        return;
    }
    bool split = sir_at_word(p, "split"), join = sir_at_word(p, "join"), reader = sir_at_word(p, "reader");
    if (!split && !join && !reader && !sir_at_word(p, "writer")) {
        sir_expected(p, "'filter', 'split', 'join', 'reader' or 'writer'");
        return;
    }
    sir_advance(p);
    a->kind = split ? SIR_SPLIT : join ? SIR_JOIN : reader ? SIR_READER : SIR_WRITER;
    if (split && sir_accept_word(p, "duplicate"))
        parse_duplicate(p, a);
    else if (split || join)
        parse_weights(p, a);
    for (size_t i = 0; i < a->weights.len; i++) {
        if (split)
            VEC_PUSH(m->arena, &a->outputs, SIR_NONE);
        else
            VEC_PUSH(m->arena, &a->inputs, SIR_NONE);
    }
    a->item = sir_parse_type(p);
    if (sir_is_file(a) && !p->failed && a->item->kind == SIR_INT && sir_accept_word(p, "bytes"))
        a->item = sir_type_stored(m, SIR_STORED_UINT8);
    if (sir_is_file(a) && p->token.kind == TOKEN_STRING) {
        a->path = arena_strdup(m->arena, p->token.text);
        sir_advance(p);
    }
}

static void parse_actor(sir_parser *p)
{
    sir_module *m = p->module;
    sir_token t = p->token;
    sir_actor *a = ARENA_NEW(m->arena, sir_actor);
    a->name = sir_expect_name(p, "the name of an actor");
    sir_expect_sign(p, ":");
    parse_actor_kind(p, a);
    sir_expect_word(p, "in");
    a->region = parse_number(p, 'r', m->regions.len, "region");
    if (sir_accept_word(p, "least"))
        a->least = (int64_t)sir_expect_integer(p, INT32_MAX, "firings of the initialisation");
    sir_end_line(p);
    sir_no_more_parts(p);
    a->loc = p->place;
    define(p, &p->actors, &t, "actor", a->name, m->actors.len);
    VEC_PUSH(m->arena, &m->actors, a);
}

// "name[:port]"; a port that is taken or not there is an error.
static uint32_t parse_end(sir_parser *p, bool output, uint32_t *port)
{
    sir_token t = p->token;
    uint32_t number = find(p, &p->actors, "actor");
    if (p->failed)
        return 0;
    const sir_actor *a = p->module->actors.data[number];
    bool several = a->kind == (output ? SIR_SPLIT : SIR_JOIN);
    *port = 0;
    if (sir_accept_sign(p, ":"))
        *port = (uint32_t)sir_expect_integer(p, UINT32_MAX, "a port");
    else if (several)
        sir_expected(p, "':' and the number of a port");
    const uint32_t *ports = output ? a->outputs.data : a->inputs.data;
    size_t count = output ? a->outputs.len : a->inputs.len;
    if (!p->failed && (*port >= (several ? count : 1) || (*port < count && ports[*port] != SIR_NONE)))
        sir_parse_error(p, &t, "port %u of actor '%s' is taken or not there", (unsigned)*port, a->name);
    return number;
}

static void parse_initial(sir_parser *p, sir_channel *c)
{
    sir_expect_sign(p, "[");
    while (!p->failed && !sir_at_sign(p, "]")) {
        sir_skip_newlines(p);
        sir_value v = parse_value(p, c->type);
        VEC_PUSH(p->module->arena, &c->initial, v);
        if (!sir_accept_sign(p, ","))
            break;
    }
    sir_expect_sign(p, "]");
}

static const sir_zeros *parse_zeros(sir_parser *p)
{
    sir_module *m = p->module;
    sir_zeros *z = ARENA_NEW(m->arena, sir_zeros);
    sir_expect_sign(p, "(");
    z->every = (int64_t)sir_expect_integer(p, INT32_MAX, "a distance of items");
    sir_expect_sign(p, ",");
    z->first = (int64_t)sir_expect_integer(p, INT32_MAX, "a position");
    sir_expect_sign(p, ")");
    sir_filter **filters[] = {&z->samples, &z->phases};
    for (size_t i = 0; i < 2; i++) {
        uint32_t number = p->failed ? 0 : find(p, &p->filters, "filter");
        *filters[i] = p->failed ? NULL : m->filters.data[number];
    }
    return z;
}

// At a file of bytes the channel's items are stored so, and so are what the filter at its other end takes or gives.
static const sir_type *stored_at_files(sir_module *m, uint32_t from, uint32_t to, const sir_type *type)
{
    const sir_actor *a = m->actors.data[from], *b = m->actors.data[to];
    const sir_type *byte = sir_type_stored(m, SIR_STORED_UINT8);
    bool read = a->kind == SIR_READER && a->item == byte, written = b->kind == SIR_WRITER && b->item == byte;
    if (type->kind != SIR_INT || (!read && !written))
        return type;
    if (a->kind == SIR_FILTER && a->filter->output == type)
        a->filter->output = byte;
    if (b->kind == SIR_FILTER && b->filter->input == type)
        b->filter->input = byte;
    return byte;
}

static void parse_channel(sir_parser *p)
{
    sir_module *m = p->module;
    parse_own_number(p, 'c', m->channels.len);
    sir_token at = p->token;
    const sir_type *type = sir_parse_type(p);
    if (!p->failed && type->kind == SIR_VOID)
        sir_parse_error(p, &at, "a channel of 'void'");
    uint32_t ports[2] = {0, 0};
    uint32_t from = parse_end(p, true, &ports[0]);
    sir_expect_sign(p, "->");
    uint32_t to = parse_end(p, false, &ports[1]);
    if (p->failed)
        return;
    type = stored_at_files(m, from, to, type);
    uint32_t number = sir_channel_connect(m, from, ports[0], to, ports[1], type);
    if (type->storage != SIR_STORED_WHOLE && sir_at_sign(p, "="))
        sir_parse_error(p, &p->token, "items enqueued where a file has bytes");
    else if (sir_accept_sign(p, "="))
        parse_initial(p, &m->channels.data[number]);
    if (sir_accept_word(p, "zeros"))
        m->channels.data[number].zeros = parse_zeros(p);
    sir_end_line(p);
    sir_no_more_parts(p);
    m->channels.data[number].loc = p->place;
}

// ---- The whole ----

static sir_function *function_named(sir_parser *p, const sir_pending_call *c, hmap *known)
{
    for (size_t i = 0; c->filter != NULL && i < c->filter->functions.len; i++)
        if (c->filter->functions.data[i]->name == c->name)
            return c->filter->functions.data[i];
    sir_function *f = hmap_get(known, c->name);
    if (f == NULL) {
        for (size_t i = 0; c->filter != NULL && i < c->filter->functions.len; i++)
            hmap_set(known, c->filter->functions.data[i]->name, c->filter->functions.data[i]);
        sir_unknown(p, &c->token, "function", c->name, known);
    }
    return f;
}

static void resolve_names(sir_parser *p)
{
    sir_module *m = p->module;
    hmap functions;
    hmap_init(&functions, p->scratch);
    for (size_t i = 0; i < m->functions.len; i++)
        hmap_set(&functions, m->functions.data[i]->name, m->functions.data[i]);
    for (size_t i = 0; i < p->calls.len && !p->failed; i++)
        p->calls.data[i].stmt->u.call.function = function_named(p, &p->calls.data[i], &functions);
    for (size_t i = 0; i < p->names.len && !p->failed; i++) {
        const sir_pending_name *n = &p->names.data[i];
        const hmap *map = n->stmt != NULL ? &p->portals : &p->actors;
        uintptr_t found = (uintptr_t)hmap_get(map, n->name);
        if (found == 0)
            sir_unknown(p, &n->token, n->stmt != NULL ? "portal" : "actor", n->name, map);
        else if (n->stmt != NULL)
            n->stmt->u.send.portal = (uint32_t)(found - 1);
        else
            VEC_PUSH(m->arena, &m->portals.data[n->index].receivers, (uint32_t)(found - 1));
    }
}

static void parse_function(sir_parser *p)
{
    parse_module_function(p, SIR_HELPER);
}

static void parse_native(sir_parser *p)
{
    parse_module_function(p, SIR_NATIVE);
}

static void parse_part(sir_parser *p)
{
    static const struct {
        const char *word;
        void (*parse)(sir_parser *);
    } parts[] = {
        {"file", parse_file},     {"init", parse_init},         {"struct", parse_struct},   {"global", parse_global},
        {"filter", parse_filter}, {"function", parse_function}, {"native", parse_native},   {"region", parse_region},
        {"portal", parse_portal}, {"actor", parse_actor},       {"channel", parse_channel},
    };
    hmap known;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (sir_accept_word(p, parts[i].word)) {
            parts[i].parse(p);
            return;
        }
    if (p->token.kind != TOKEN_WORD) {
        sir_expected(p, "a part of a module");
        return;
    }
    hmap_init(&known, p->scratch);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        hmap_set(&known, parts[i].word, &known);
    sir_unknown(p, &p->token, "part of a module", p->token.text, &known);
}

static void parse_module(sir_parser *p)
{
    sir_advance(p);
    sir_skip_newlines(p);
    sir_expect_word(p, "module");
    p->module->name = sir_expect_name(p, "the name of the module");
    p->module->canonical = sir_accept_word(p, "canonical");
    sir_end_line(p);
    while (!p->failed && p->token.kind != TOKEN_END && !(p->prefix && sir_at_word(p, "plan")))
        parse_part(p);
    if (!p->failed)
        resolve_names(p);
    for (size_t i = 0; !p->failed && i < p->module->filters.len; i++)
        sir_filter_derive(p->module, p->module->filters.data[i]);
}

static sir_module *parse_text(arena *a, interner *names, diag_engine *d, source_id file, bool prefix, uint32_t *end)
{
    const source_file *source = source_get(d->sources, file);
    sir_parser p = {.scratch = arena_create(),
                    .d = d,
                    .source = file,
                    .text = source->text,
                    .len = source->len,
                    .prefix = prefix,
                    .words_left = SIR_MAX_WORDS,
                    .ports_left = 1 << 24,
                    .module = sir_module_create(a, names, "")};
    hmap *const maps[] = {&p.locals, &p.fields, &p.globals, &p.structs, &p.filters, &p.actors, &p.portals};
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        hmap_init(maps[i], p.scratch);
    parse_module(&p);
    *end = p.token.begin;
    arena_destroy(p.scratch);
    return p.failed ? NULL : p.module;
}

sir_module *sir_parse(arena *a, interner *names, diag_engine *d, source_id file)
{
    uint32_t end;
    return parse_text(a, names, d, file, false, &end);
}

sir_module *sir_parse_prefix(arena *a, interner *names, diag_engine *d, source_id file, uint32_t *end)
{
    return parse_text(a, names, d, file, true, end);
}
