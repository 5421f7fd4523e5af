// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the checks, the names of the program, and its top level.
#include "lang/streamit/check.h"

#include "lang/brook/brook.h"

static const char *const builtin_names[] = {"Identity", "FileReader", "FileWriter", "ImageDisplay", "Complex",
                                            "String",   "float2",     "float3",     "float4"};

static bool is_builtin_name(checker *c, const char *name)
{
    for (size_t i = 0; i < sizeof builtin_names / sizeof builtin_names[0]; i++) {
        if (intern(c->names, builtin_names[i]) == name)
            return true;
    }
    return false;
}

// Streams and structs share one space of names; after an error both are known, so that uses are not errors too.
static void check_declared_name(checker *c, const char *name, src_range range)
{
    const ast_struct *structure = hmap_get(&c->structs, name);
    const ast_stream *stream = hmap_get(&c->streams, name);
    if (is_builtin_name(c, name)) {
        diag_error(c->diags, range, "'%s' is built in and cannot be declared", name);
    } else if (structure || stream) {
        diag_record *r = diag_error(c->diags, range, "'%s' is declared twice", name);
        diag_add_note(c->diags, r, structure ? structure->name_range : stream->name_range,
                      "'%s' is first declared here", name);
    }
}

static void declare_module_function(checker *c, ast_function *f)
{
    const char *full = arena_printf(c->arena, "%s.%s", f->module, f->name);
    const ast_function *first = hmap_get(&c->functions, full);
    if (first) {
        diag_record *r = diag_error(c->diags, f->name_range, "'%s' is declared twice", full);
        diag_add_note(c->diags, r, first->name_range, "'%s' is first declared here", full);
        return;
    }
    hmap_set(&c->functions, full, f);
    hmap_set(&c->modules, f->module, f);
}

// Kernels of imported files are streams by their names. One that cannot be a filter is in nobody's way.
static void declare_kernels(checker *c)
{
    for (VEC_EACH(ast_stream *, s, &c->program->kernels)) {
        if ((*s)->unfit == NULL)
            check_declared_name(c, (*s)->name, (*s)->name_range);
        if (!hmap_get(&c->streams, (*s)->name))
            hmap_set(&c->streams, (*s)->name, *s);
    }
    for (size_t i = 0; c->program->brook && i < c->program->brook->structs.len; i++) {
        const brook_struct *s = c->program->brook->structs.data[i];
        if (hmap_get(&c->structs, s->name))
            check_declared_name(c, s->name, s->name_range);
    }
}

static void declare_names(checker *c)
{
    for (VEC_EACH(ast_struct *, s, &c->program->structs)) {
        check_declared_name(c, (*s)->name, (*s)->name_range);
        if (!hmap_get(&c->structs, (*s)->name))
            hmap_set(&c->structs, (*s)->name, *s);
    }
    for (VEC_EACH(ast_stream *, s, &c->program->streams)) {
        check_declared_name(c, (*s)->name, (*s)->name_range);
        if (!hmap_get(&c->streams, (*s)->name))
            hmap_set(&c->streams, (*s)->name, *s);
    }
    declare_kernels(c);
    for (VEC_EACH(ast_function *, f, &c->program->helpers))
        declare_module_function(c, *f);
    for (VEC_EACH(ast_function *, f, &c->program->natives))
        declare_module_function(c, *f);
}

static void check_struct_fields(checker *c, ast_struct *s)
{
    hmap names;
    hmap_init(&names, c->arena);
    for (VEC_EACH(ast_var *, it, &s->fields)) {
        ast_var *f = *it;
        const ast_var *first = hmap_get(&names, f->name);
        if (first) {
            diag_record *r = diag_error(c->diags, f->range, "'%s' is declared twice", f->name);
            diag_add_note(c->diags, r, first->range, "'%s' is first declared here", f->name);
        }
        hmap_set(&names, f->name, f);
        f->type = check_type(c, f->type, f->type_range, USE_STRUCT_FIELD);
    }
}

static void declare_globals(checker *c)
{
    ast_var_list *globals = &c->program->globals;
    for (size_t i = 0; i < globals->len; i++) {
        globals->data[i]->index = (uint32_t)i;
        scope_declare(c, globals->data[i]);
    }
    const lang_type *written = NULL, *checked = NULL;
    for (VEC_EACH(ast_var *, g, globals)) {
        c->ordered = *g;
        if ((*g)->type != written) {
            written = (*g)->type;
            checked = check_type(c, written, (*g)->type_range, USE_VARIABLE);
        }
        (*g)->type = checked;
    }
    c->ordered = NULL;
}

static void check_global_values(checker *c)
{
    for (VEC_EACH(ast_static *, s, &c->program->statics)) {
        for (VEC_EACH(ast_var *, g, &(*s)->globals)) {
            c->ordered = *g;
            check_init(c, *g);
        }
        c->ordered = NULL;
        c->static_init = true;
        if ((*s)->init)
            check_function_body(c, (*s)->init);
        c->static_init = false;
    }
}

static bool is_program(const ast_stream *s)
{
    return s->input->kind == TYPE_VOID && s->output->kind == TYPE_VOID;
}

// Without a void->void stream the last one that nobody instantiates is the program, if that is allowed.
static ast_stream *find_typed_top(checker *c)
{
    ast_stream *found = NULL;
    for (VEC_EACH(ast_stream *, it, &c->program->streams)) {
        const ast_stream *s = *it;
        if (!s->imported && !hmap_getn(&c->instantiated, &s, sizeof s))
            found = *it;
    }
    return found;
}

static void check_top_params(checker *c, const ast_stream *top)
{
    if (top->params.len > 0)
        diag_error(c->diags, top->params.data[0]->range, "'%s' is the program, so it cannot have parameters",
                   top->name);
}

static void find_named_top(checker *c, const char *name)
{
    ast_stream *s = hmap_get(&c->streams, name);
    if (!s) {
        const char *nearest = nearest_key(c, &c->streams, name);
        diag_error_at(c->diags, NULL, "there is no stream '%s' to be the program%s%s%s", name,
                      nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
        return;
    }
    if (s->unfit) {
        diag_record *r = diag_error(c->diags, s->name_range, "kernel '%s' cannot be a filter: %s", name, s->unfit);
        diag_add_note(c->diags, r, s->unfit_range, "declared here");
        return;
    }
    if (!is_program(s) && !c->options->allow_typed_top)
        diag_error(c->diags, s->type_range, "'%s' cannot be the program: its type is not 'void->void'", name);
    c->program->top = s;
}

static void find_top(checker *c)
{
    ast_program *p = c->program;
    if (c->options && c->options->top) {
        find_named_top(c, c->options->top);
    } else {
        for (VEC_EACH(ast_stream *, s, &p->streams)) {
            if (!is_program(*s) || (*s)->imported)
                continue;
            if (!p->top || p->broken) {
                p->top = *s;
                continue;
            }
            diag_record *r = diag_error(c->diags, (*s)->name_range,
                                        "a program has one 'void->void' stream, but '%s' and '%s' both are",
                                        p->top->name, (*s)->name);
            diag_add_note(c->diags, r, p->top->name_range, "'%s' is declared here", p->top->name);
        }
        if (!p->top && c->options && c->options->allow_typed_top)
            p->top = find_typed_top(c);
        if (!p->top && !diag_has_errors(c->diags)) {
            const ast_stream *last = p->streams.len > 0 ? VEC_LAST(&p->streams) : NULL;
            if (last)
                diag_error(c->diags, last->type_range, "the program has no 'void->void' stream to begin with");
            else
                diag_error_at(c->diags, NULL, "the program has no streams");
        }
    }
    if (p->top && !p->broken)
        check_top_params(c, p->top);
}

static void init_checker(checker *c)
{
    hmap *maps[] = {&c->structs, &c->streams,  &c->functions, &c->modules,        &c->vars,
                    &c->unknown, &c->captured, &c->infos,     &c->filter_members, &c->instantiated};
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        hmap_init(maps[i], c->arena);
    declare_builtins(c);
}

void streamit_check(ast_program *program, interner *names, diag_engine *d, const streamit_options *options)
{
    checker context = {.arena = program->arena, .names = names, .diags = d, .program = program, .options = options},
            *c = &context;
    init_checker(c);
    declare_names(c);
    scope_push(c);
    declare_globals(c);
    for (VEC_EACH(ast_struct *, s, &program->structs))
        check_struct_fields(c, *s);
    check_struct_recursion(c);
    for (VEC_EACH(ast_function *, f, &program->helpers))
        declare_function(c, *f);
    for (VEC_EACH(ast_function *, f, &program->natives))
        declare_function(c, *f);
    for (VEC_EACH(ast_stream *, s, &program->streams))
        declare_stream(c, *s);
    check_global_values(c);
    for (VEC_EACH(ast_function *, f, &program->helpers)) {
        check_rates(c, *f);
        check_function_body(c, *f);
    }
    for (VEC_EACH(ast_stream *, s, &program->streams))
        check_stream_bodies(c, *s);
    check_tests(c);
    scope_pop(c);
    check_effects(c);
    if (!options || !options->tests)
        find_top(c);
}
