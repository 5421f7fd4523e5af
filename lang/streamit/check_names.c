// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scopes, name lookup and captures. One map holds the current meaning of every name; leaving a scope restores what its
// declarations hid.
#include "lang/streamit/check.h"

// Suggestions compare with every visible name: not worth it once a file is full of errors.
#define MAX_SUGGESTING_ERRORS 100

void scope_push(checker *c)
{
    VEC_PUSH(c->arena, &c->scopes, c->undo.len);
    c->level++;
}

void scope_pop(checker *c)
{
    size_t begin = c->scopes.data[--c->scopes.len];
    while (c->undo.len > begin) {
        scope_entry e = c->undo.data[--c->undo.len];
        hmap_set(&c->vars, e.name, e.previous);
    }
    c->level--;
}

// What a declaration repeats or must not hide; NULL when it may stand.
static const char *clash(const checker *c, const ast_var *var, const binding *old)
{
    if (!old)
        return NULL;
    if (old->level == c->level)
        return "is declared twice";
    bool local = var->kind == VAR_LOCAL, same_body = old->function == c->function && old->stream == c->stream;
    if (local && same_body && (old->var->kind == VAR_LOCAL || old->var->kind == VAR_FUNCTION_PARAM))
        return "is declared again in an inner block";
    if (local && old->var->kind == VAR_STREAM_PARAM && old->stream == c->stream)
        return "hides a parameter of the stream";
    return NULL;
}

// Gives the variable its place among those of its function, stream or program.
static void place_var(checker *c, ast_var *var)
{
    if (var->kind == VAR_STREAM_PARAM || var->kind == VAR_FIELD) {
        var->owner = c->stream;
        return;
    }
    if (var->kind == VAR_GLOBAL || var->kind == VAR_STRUCT_FIELD)
        return;
    ast_var_list *locals;
    if (c->function) {
        var->function = c->function;
        locals = &c->function->locals;
    } else {
        var->owner = c->stream;
        locals = &c->stream->locals;
    }
    var->index = (uint32_t)locals->len;
    VEC_PUSH(c->arena, locals, var);
}

void scope_declare(checker *c, ast_var *var)
{
    binding *old = hmap_get(&c->vars, var->name);
    const char *problem = clash(c, var, old);
    if (problem) {
        diag_record *r = diag_error(c->diags, var->range, "'%s' %s", var->name, problem);
        diag_add_note(c->diags, r, old->var->range, "'%s' is first declared here", var->name);
    }
    place_var(c, var);
    scope_bind(c, var);
}

void scope_bind(checker *c, ast_var *var)
{
    binding *old = hmap_get(&c->vars, var->name);
    binding *b = ARENA_NEW(c->arena, binding);
    *b = (binding){.var = var, .outer = old, .level = c->level, .function = c->function};
    b->stream = var->kind == VAR_GLOBAL ? NULL : c->stream;
    VEC_PUSH(c->arena, &c->undo, (scope_entry){var->name, old});
    hmap_set(&c->vars, var->name, b);
}

binding *scope_find(const checker *c, const char *name)
{
    return hmap_get(&c->vars, name);
}

bool is_unsure(const checker *c, const char *name)
{
    return c->program->unsure && hmap_get(c->program->unsure, name);
}

bool is_broken(const checker *c, const ast_stream *s)
{
    return s->broken || c->program->broken;
}

const char *nearest_of(checker *c, const char *name, const char *const *candidates, size_t count)
{
    return c->diags->error_count <= MAX_SUGGESTING_ERRORS ? diag_nearest(name, candidates, count) : NULL;
}

const char *nearest_key(checker *c, const hmap *map, const char *name)
{
    if (c->diags->error_count > MAX_SUGGESTING_ERRORS)
        return NULL;
    const char **candidates = ARENA_ARRAY(c->arena, const char *, map->len);
    size_t count = 0;
    for (size_t i = 0; i < map->len; i++) {
        if (map->entries[i].value)
            candidates[count++] = map->entries[i].key;
    }
    return nearest_of(c, name, candidates, count);
}

const char *nearest_var(checker *c, const char *name)
{
    if (c->diags->error_count > MAX_SUGGESTING_ERRORS)
        return NULL;
    const char **candidates = ARENA_ARRAY(c->arena, const char *, c->vars.len);
    size_t count = 0;
    for (size_t i = 0; i < c->vars.len; i++) {
        const binding *b = c->vars.entries[i].value;
        if (b)
            candidates[count++] = c->vars.entries[i].key;
    }
    return nearest_of(c, name, candidates, count);
}

diag_record *error_unknown(checker *c, src_range range, const char *what, const char *name, const char *nearest)
{
    if (!nearest)
        return diag_error(c->diags, range, "unknown %s '%s'", what, name);
    diag_record *r = diag_error(c->diags, range, "unknown %s '%s'; did you mean '%s'?", what, name, nearest);
    diag_add_fixit(c->diags, r, range, nearest);
    return r;
}

bool first_unknown(checker *c, const char *what, const char *name)
{
    const char *key = arena_printf(c->arena, "%s %s", what, name);
    bool first = !is_unsure(c, name) && !hmap_get(&c->unknown, key);
    hmap_set(&c->unknown, key, c->program);
    return first;
}

static void report_unknown_var(checker *c, const char *name, src_range range)
{
    const void *where = c->stream ? (const void *)c->stream : (const void *)c->program;
    if (is_unsure(c, name) || hmap_get(&c->unknown, name) == where)
        return;
    hmap_set(&c->unknown, name, (void *)where);
    if (hmap_get(&c->streams, name) || hmap_get(&c->structs, name)) {
        bool stream = hmap_get(&c->streams, name) != NULL;
        diag_error(c->diags, range, "'%s' is a %s, not a variable", name, stream ? "stream" : "struct");
    } else if (c->members && hmap_get(c->members, name)) {
        diag_error(c->diags, range, "'%s' is a function, not a variable: to call it, write '%s(...)'", name, name);
    } else {
        error_unknown(c, range, "variable", name, nearest_var(c, name));
    }
}

static void capture(checker *c, ast_var *var, const ast_stream *owner)
{
    for (ast_stream *s = c->stream; s && s != owner; s = s->parent) {
        const void *key[2] = {s, var};
        if (hmap_getn(&c->captured, key, sizeof key))
            continue;
        hmap_setn(&c->captured, key, sizeof key, var);
        VEC_PUSH(c->arena, &s->captures, var);
    }
}

bool is_captured(const checker *c, const ast_var *var)
{
    const void *key[2] = {c->stream, var};
    return hmap_getn(&c->captured, key, sizeof key) != NULL;
}

ast_var *resolve_var(checker *c, const char *name, src_range range)
{
    binding *b = hmap_get(&c->vars, name);
    if (!b) {
        report_unknown_var(c, name, range);
        return NULL;
    }
    if (b->stream && b->stream != c->stream)
        capture(c, b->var, b->stream);
    bool member = b->var->kind == VAR_GLOBAL || (b->var->kind == VAR_FIELD && b->stream == c->stream);
    if (c->ordered && member && b->var->kind == c->ordered->kind && b->var->index >= c->ordered->index) {
        diag_record *r = diag_error(c->diags, range, "'%s' is used before it is declared", name);
        diag_add_note(c->diags, r, b->var->range, "'%s' is declared here", name);
        return NULL;
    }
    if (c->constant && b->var->kind == VAR_FIELD && !b->var->init && b->var->type->kind != TYPE_ERROR) {
        diag_record *r =
            diag_error(c->diags, range, "'%s' in %s needs an initialiser: the value must be known before 'init' runs",
                       name, c->constant);
        diag_add_note(c->diags, r, b->var->range, "'%s' is declared here", name);
        return NULL;
    }
    return b->var;
}
