// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks at run time of what compile time does not prove.
//
// NOTE(checks). Always checked are the pops and pushes of a firing whose numbers could not be proved, and pushes of
// functions: what is behind a channel's end is another's. -fcheck-rates adds peeks, pops of functions, and what functions
// declare of their own; -fcheck-bounds adds subscripts. With either, firings and functions in which something is checked
// get the actor's name as a parameter, for the message. Functions get the limits of the firing that they are part of,
// where they or those that they call need them.
// Names that begin with svm_ are nobody's in the source program.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/body_int.h"

void emitter_check(emitter *e, bool rates, bool bounds)
{
    e->check_rates = rates;
    e->check_bounds = bounds;
}

// ---- What is to be checked ----

static bool is_firing(const sir_function *f)
{
    return f->kind == SIR_WORK || f->kind == SIR_PREWORK;
}

static bool may_exceed(int64_t count, int64_t declared)
{
    return declared >= 0 && (count < 0 || count > declared);
}

// Whether firings of the filter may look past their windows: then functions look, too.
static bool may_peek_outside(const emitter *e, const sir_filter *f)
{
    const sir_function *const firings[] = {f->work, f->prework};
    for (size_t i = 0; i < 2; i++) {
        if (firings[i] == NULL)
            continue;
        sir_rate_bounds r = sir_function_rates(e->module, firings[i]);
        if (r.reach < 0 || may_exceed(r.reach, firings[i]->peek.max))
            return true;
    }
    return false;
}

static body_rate_checks checks_of_firing(const emitter *e, const sir_function *f)
{
    const sir_rate_bounds r = sir_function_rates(e->module, f);
    const bool pushes = r.push_max < 0 || r.push_max != f->push.max || r.push_min != f->push.min;
    return (body_rate_checks){
        .pops = may_exceed(r.pop_max, f->pop.max), .pushes = pushes, .pushes_at_exit = pushes, .peeks = e->check_rates};
}

// The dynamic-rate actor checks itself, and names the function's place; this names the statement's.
static body_rate_checks checks_of_dynamic(const emitter *e, const sir_function *f)
{
    if (!e->check_rates)
        return (body_rate_checks){0};
    const sir_rate_bounds r = sir_function_rates(e->module, f);
    return (body_rate_checks){.pops = may_exceed(r.pop_max, f->pop.max),
                              .pushes = may_exceed(r.push_max, f->push.max),
                              .pushes_at_exit = r.push_min < f->push.min};
}

// Of a function with rates: limits are those of the firing.
static body_rate_checks checks_of_function(emitter *e, const sir_filter *filter, const sir_function *f, bool dynamic)
{
    if (!body_calls_tape(e, f))
        return (body_rate_checks){0};
    const sir_rate_bounds r = sir_function_rates(e->module, f);
    const bool all = e->check_rates, pops = may_exceed(r.pop_max, f->pop.max),
               pushes = may_exceed(r.push_max, f->push.max);
    return (body_rate_checks){.pops = all && (f->pop.dynamic || pops),
                              .pushes = (!dynamic || all) && (f->push.dynamic || pushes),
                              .pops_at_exit = all && pops,
                              .pushes_at_exit = all && (r.push_min < f->push.min || pushes),
                              .peeks = all && !dynamic,
                              .all_peeks = all && !dynamic && (f->peek.max < 0 || may_peek_outside(e, filter))};
}

body_rate_checks body_rate_checks_of(emitter *e, const sir_filter *filter, const sir_function *f, bool dynamic)
{
    if (filter != NULL && filter->finite)
        return (body_rate_checks){0}; // what it pushes is counted anyway
    if (f->kind == SIR_HELPER)
        return checks_of_function(e, filter, f, dynamic);
    if (!is_firing(f))
        return (body_rate_checks){0};
    return dynamic ? checks_of_dynamic(e, f) : checks_of_firing(e, f);
}

hmap *body_find_open(const emitter *e, const sir_function *f, arena *a)
{
    if (!e->check_rates && !e->check_bounds)
        return NULL;
    hmap *open = ARENA_NEW(a, hmap);
    hmap_init(open, a);
    sir_unproved_accesses(e->module, f, open);
    return open;
}

bool body_checks_access(const emitter *e, const body_rate_checks *rates, const hmap *open, const sir_expr *access)
{
    if (access->kind == SIR_PEEK ? !rates->peeks : access->kind != SIR_INDEX || !e->check_bounds)
        return false;
    return (access->kind == SIR_PEEK && rates->all_peeks) || hmap_getn(open, &access, sizeof access) != NULL;
}

// ---- What is to be checked of a function at hand ----

// A firing all of whose positions are affine forms moves what these say, which is what it declares.
void body_find_checks(body_context *c)
{
    const bool firing = is_firing(c->function) && !c->dynamic;
    c->in.rate = c->function->pop.max;
    c->out.rate = c->function->push.max;
    c->open = body_find_open(c->e, c->function, c->e->arena);
    if (firing && c->in.affine && c->out.affine && !c->e->check_rates)
        return;
    const body_rate_checks r =
        body_rate_checks_of(c->e, c->info != NULL ? c->info->filter : NULL, c->function, c->dynamic);
    const bool in = !firing || !c->in.affine, out = !firing || !c->out.affine;
    c->rates = r;
    c->in.checked = in && r.pops;
    c->in.exit_checked = in && r.pops_at_exit;
    c->out.checked = out && r.pushes;
    c->out.exit_checked = out && r.pushes_at_exit;
}

bool body_is_checked(const body_context *c, const sir_expr *access)
{
    return access != NULL && body_checks_access(c->e, &c->rates, c->open, access);
}

// ---- Texts ----

static const char *place_of(body_context *c, sir_loc loc)
{
    return body_site(c->e, loc.file != 0 ? loc : c->function->loc);
}

static const char *quoted(body_context *c, const char *text)
{
    strbuf b;
    strbuf_init(&b, c->e->arena);
    strbuf_add_c_string(&b, text, strlen(text));
    return b.data;
}

const char *body_where(body_context *c, sir_loc loc)
{
    const char *place = place_of(c, loc), *who = c->info != NULL ? c->info->filter->name : c->function->name;
    return quoted(c, *place != '\0' ? arena_printf(c->e->arena, "%s at %s", who, place) : who);
}

static const char *item_size(body_context *c, bool input)
{
    const sir_filter *f = c->info->filter;
    return arena_printf(c->e->arena, "sizeof(%s)", emit_declare_item(c->e, input ? f->input : f->output, ""));
}

// How many items the firing has moved so far.
static const char *counter(body_context *c, bool input)
{
    if (c->dynamic)
        return arena_printf(c->e->arena, "%s(%s, %s)", input ? "svm_dynamicPopped" : "svm_dynamicPushed",
                            body_named(c, BODY_DYNAMIC), item_size(c, input));
    return body_counter(c, input);
}

static body_name first_count(bool input)
{
    return input ? BODY_POPPED_BEFORE : BODY_PUSHED_BEFORE;
}

// The call that ends the program. counted: C text of the count.
static void report(body_context *c, bool input, const char *counted, const char *declared, const char *unit,
                   sir_loc loc)
{
    c->e->stops = true;
    if (c->e->check_rates)
        body_line(c, "    svm_countError(%s, %s, \"%s\", %s, %s, %s);", body_named(c, BODY_ACTOR),
                  quoted(c, place_of(c, loc)), input ? "popped" : "pushed", counted, quoted(c, unit),
                  quoted(c, declared));
    else
        body_line(c, "    svm_rateError(%s, \"%s\", %s, %s);", body_where(c, loc), input ? "pop" : "push", declared,
                  counted);
}

// ---- Pops and pushes ----

void body_check_count(body_context *c, bool input, const sir_stmt *s)
{
    const sir_loc loc = s->loc;
    const body_tape *t = input ? &c->in : &c->out;
    if (!t->checked)
        return;
    for (VEC_EACH(const sir_stmt *, v, &c->vouched))
        if (*v == s)
            return;
    const char *n = counter(c, input);
    const char *limit = is_firing(c->function) ? arena_printf(c->e->arena, "%" PRId64, t->rate)
                                               : body_named(c, input ? BODY_POP_LIMIT : BODY_PUSH_LIMIT);
    const char *counted = arena_printf(c->e->arena, "%s + 1", n);
    c->e->stops = true;
    body_line(c, "if (%s >= %s)", n, limit);
    if (!c->e->check_rates)
        report(c, input, counted, limit, "a firing", loc);
    else
        body_line(c, "    svm_limitError(%s, %s, \"%s\", %s);", body_named(c, BODY_ACTOR), quoted(c, place_of(c, loc)),
                  input ? "pops" : "pushes", limit);
}

// NOTE(branches). Where both branches of an `if` begin with a push, as in what merges two sorted rows, one check before it
// serves both: behind a check in each, C compilers would leave branches that data decide, which the processor guesses wrong
// half of the time. Which push it is that is too many, the condition tells when it is.
static bool begins_with_push(const sir_block *b)
{
    const sir_stmt *s = b->len != 0 ? b->data[0] : NULL;
    return s != NULL && (s->kind == SIR_PUSH || (s->kind == SIR_IF && begins_with_push(&s->u.if_.then) &&
                                                 begins_with_push(&s->u.if_.otherwise)));
}

static const char *where_first(body_context *c, const sir_block *b, int precedence)
{
    const sir_stmt *s = b->data[0];
    if (s->kind == SIR_PUSH) {
        VEC_PUSH(c->e->arena, &c->vouched, s);
        return body_where(c, s->loc);
    }
    const char *cond = body_expr_text(c, s->u.if_.cond, PREC_COND + 1);
    const char *then = where_first(c, &s->u.if_.then, PREC_COND + 1);
    const char *otherwise = where_first(c, &s->u.if_.otherwise, PREC_COND);
    const char *where = arena_printf(c->e->arena, "%s ? %s : %s", cond, then, otherwise);
    return precedence > PREC_COND ? arena_printf(c->e->arena, "(%s)", where) : where;
}

void body_check_branches(body_context *c, const sir_stmt *s)
{
    const sir_block b = {.data = (sir_stmt *[]){(sir_stmt *)(uintptr_t)s}, .len = 1};
    if (!c->out.checked || c->e->check_rates || c->dynamic || !is_firing(c->function) || !begins_with_push(&b))
        return;
    const char *n = counter(c, false), *where = where_first(c, &b, PREC_LOWEST);
    c->e->stops = true;
    body_line(c, "if (%s >= %" PRId64 ")", n, c->out.rate);
    body_line(c, "    svm_rateError(%s, \"push\", %" PRId64 ", %s + 1);", where, c->out.rate, n);
}

static void check_exit_of(body_context *c, bool input)
{
    const sir_function *f = c->function;
    const sir_rate *r = input ? &f->pop : &f->push;
    if (!(input ? &c->in : &c->out)->exit_checked)
        return;
    sir_loc loc = r->loc.file != 0 ? r->loc : f->loc;
    bool firing = is_firing(f);
    const char *n = counter(c, input);
    const char *count = firing ? n : arena_printf(c->e->arena, "%s - %s", n, body_named(c, first_count(input)));
    const char *unit = firing ? "a firing" : arena_printf(c->e->arena, "a call of '%s'", f->name);
    if (!r->dynamic && !input)
        body_line(c, "if (%s != %" PRId64 ")", count, r->min);
    else if (input)
        body_line(c, "if (%s > %" PRId64 ")", count, r->max);
    else if (r->max < 0)
        body_line(c, "if (%s < %" PRId64 ")", count, r->min);
    else
        body_line(c, "if (%s < %" PRId64 " || %s > %" PRId64 ")", count, r->min, count, r->max);
    report(c, input, count, sir_rate_text(c->e->arena, r), unit, loc);
}

void body_check_exit(body_context *c)
{
    if (c->in.exit_checked)
        check_exit_of(c, true);
    if (c->out.exit_checked)
        check_exit_of(c, false);
}

void body_check_begin(body_context *c)
{
    for (int input = 1; input >= 0; input--)
        if (body_uses(c, first_count(input), 0))
            body_line(c, "const ptrdiff_t %s = %s;", body_named(c, first_count(input)), counter(c, input));
}

// ---- Peeks and subscripts ----

const char *body_checked_offset(body_context *c, const sir_expr *peek, const char *text)
{
    const sir_function *f = c->function;
    c->e->stops = true;
    const char *left =
        is_firing(f) ? arena_printf(c->e->arena, "%" PRId64, f->peek.max) : body_named(c, BODY_PEEK_LIMIT);
    if (!c->in.affine) {
        left = arena_printf(c->e->arena, "%s - %s", left, counter(c, true));
    } else if (c->in.position.terms.len > 0 || c->in.position.constant != 0) {
        const char *position = body_affine_text(c, &c->in.position);
        left = arena_printf(c->e->arena, "%s - (%s)", left, position);
    }
    return arena_printf(c->e->arena, "svm_checkPeek(%s, %s, %s, %s)", text, left, body_named(c, BODY_ACTOR),
                        quoted(c, place_of(c, peek->loc)));
}

const char *body_checked_index(body_context *c, const sir_expr *e, const char *text, body_interval range)
{
    uint32_t length = e->u.arg[0]->type->length;
    if (!body_is_checked(c, e) || (range.lo >= 0 && range.hi < (int64_t)length))
        return NULL;
    c->e->stops = true;
    strbuf name;
    strbuf_init(&name, c->e->arena);
    sir_describe(&name, c->e->module, c->info != NULL ? c->info->filter : NULL, c->function, e->u.arg[0]);
    return arena_printf(c->e->arena, "svm_checkIndex(%s, %" PRIu32 ", %s, %s, %s)", text, length,
                        body_named(c, BODY_ACTOR), quoted(c, place_of(c, e->loc)), quoted(c, name.data));
}
