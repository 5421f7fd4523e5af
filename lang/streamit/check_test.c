// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests: what they run is a pipeline like any other; what they give and expect are constants. That these fit the items is
// checked when the test's graph is built, since the types may depend on parameters.
#include "lang/streamit/check.h"

// text: that which is printed can be expected, too.
static void check_value(checker *c, ast_expr **e, const char *what, bool text)
{
    *e = check_expr(c, *e);
    const lang_type *t = (*e)->type;
    if (text && t->kind == TYPE_STRING)
        return;
    if (lang_type_is_real(t) || t->kind == TYPE_BOOLEAN || t->kind == TYPE_COMPLEX || t->kind == TYPE_ERROR)
        return;
    diag_error(c->diags, (*e)->range,
               "%s is a number or 'true' or 'false', not '%s': of arrays and structs the elements are listed", what,
               value_type_name(c, *e));
    error_expr(*e);
}

static void check_values(checker *c, ast_test_values *v, const char *what, bool text)
{
    for (VEC_EACH(ast_expr *, e, &v->values))
        check_value(c, e, what, text);
    if (v->within == NULL)
        return;
    v->within = check_expr(c, v->within);
    if (!lang_type_is_real(v->within->type) && v->within->type->kind != TYPE_ERROR)
        diag_error(c->diags, v->within->range, "'within' takes a real number, not '%s'", value_type_name(c, v->within));
}

static bool expects_text(const ast_test *t)
{
    for (VEC_EACH(const ast_test_values, v, &t->expect))
        for (VEC_EACH(ast_expr *const, e, &v->values))
            if ((*e)->type->kind == TYPE_STRING || (*e)->type->kind == TYPE_ERROR)
                return true;
    return false;
}

// What is given and expected goes with what is run.
static void check_sides(checker *c, const ast_test *t)
{
    const ast_stream *s = t->stream;
    if (t->broken)
        return;
    if (s->body->u.block.len == 0)
        return;
    if (s->output->kind == TYPE_VOID && s->input->kind == TYPE_VOID) {
        diag_error(c->diags, t->name_range, "what the test '%s' runs has neither input nor output: test its parts",
                   t->name);
    } else if (s->output->kind == TYPE_VOID && !expects_text(t)) {
        diag_error(c->diags, t->name_range,
                   "what the test '%s' runs has no output: what it prints can be expected, as in 'expect \"12\\n\";'",
                   t->name);
    } else if (t->expect.len == 0) {
        diag_error(c->diags, t->name_range, "the test '%s' expects nothing: expected 'expect 1, 2, 3;'", t->name);
    } else if (s->input->kind == TYPE_VOID && t->input.len > 0) {
        diag_error(c->diags, t->input.data[0].range, "what the test '%s' runs takes no input", t->name);
    } else if (s->input->kind != TYPE_VOID && s->input->kind != TYPE_ERROR && t->input.len == 0) {
        diag_error(c->diags, t->name_range,
                   "what the test '%s' runs takes items of type '%s': expected 'input 1, 2, 3;'", t->name,
                   type_name(c, s->input));
    }
}

static void check_test(checker *c, ast_test *t)
{
    bool runs = t->stream->body->u.block.len > 0;
    if (!runs && !t->broken && !c->program->broken)
        diag_error(c->diags, t->name_range, "the test '%s' runs nothing: expected 'run Filter(...);'", t->name);
    c->in_test = true;
    if (runs) {
        declare_stream(c, t->stream);
        check_stream_bodies(c, t->stream);
    }
    c->in_test = false;
    c->constant = "a test's numbers";
    for (VEC_EACH(ast_test_values, v, &t->input))
        check_values(c, v, "an input of a test", false);
    for (VEC_EACH(ast_test_values, v, &t->expect))
        check_values(c, v, "what a test expects", true);
    c->constant = NULL;
    if (!c->program->broken)
        check_sides(c, t);
}

void check_tests(checker *c)
{
    hmap names;
    hmap_init(&names, c->arena);
    for (VEC_EACH(ast_test *, it, &c->program->tests)) {
        ast_test *t = *it, *first = hmap_get(&names, t->name);
        if (first != NULL) {
            diag_record *r = diag_error(c->diags, t->name_range, "there are two tests '%s'", t->name);
            diag_add_note(c->diags, r, first->name_range, "the first one is here");
        }
        hmap_set(&names, t->name, t);
        check_test(c, t);
    }
}
