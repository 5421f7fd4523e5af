// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hlc/plan/abilities.h"

#include <inttypes.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/threads.h"

// ---- Operations ----

typedef enum number_kind { NUMBER_INT, NUMBER_FLOAT, NUMBER_DOUBLE } number_kind;

static number_kind kind_of(const sir_type *t)
{
    switch ((sir_type_kind)t->kind) {
    case SIR_DOUBLE: return NUMBER_DOUBLE;
    case SIR_FLOAT:
    case SIR_COMPLEX: return NUMBER_FLOAT; // a complex has two
    default: return NUMBER_INT;
    }
}

static machine_operation pick(number_kind k, machine_operation i, machine_operation f, machine_operation d)
{
    return k == NUMBER_DOUBLE ? d : k == NUMBER_FLOAT ? f : i;
}

// MACHINE_OP_COUNT: none that a processor could lack.
static machine_operation class_of_binary(const sir_expr *e)
{
    number_kind k = kind_of(e->u.arg[0]->type);
    switch ((lang_binary_op)e->op) {
    case LANG_OP_ADD:
    case LANG_OP_SUB: return pick(k, MACHINE_OP_INT_ADD, MACHINE_OP_FLOAT_ADD, MACHINE_OP_DOUBLE_ADD);
    case LANG_OP_MUL: return pick(k, MACHINE_OP_INT_MUL, MACHINE_OP_FLOAT_MUL, MACHINE_OP_DOUBLE_MUL);
    case LANG_OP_DIV:
    case LANG_OP_REM: return pick(k, MACHINE_OP_INT_DIV, MACHINE_OP_FLOAT_DIV, MACHINE_OP_DOUBLE_DIV);
    case LANG_OP_AND:
    case LANG_OP_OR:
    case LANG_OP_XOR:
    case LANG_OP_SHL:
    case LANG_OP_SHR: return MACHINE_OP_BITWISE;
    default: return k == NUMBER_DOUBLE ? MACHINE_OP_DOUBLE_ADD : MACHINE_OP_COMPARE;
    }
}

static machine_operation class_of_math(const sir_expr *e)
{
    number_kind k = kind_of(e->u.arg[0]->type);
    switch ((lang_math_op)e->op) {
    case LANG_MATH_SQRT:
    case LANG_MATH_CSQRT: return pick(k, MACHINE_OP_FLOAT_SQRT, MACHINE_OP_FLOAT_SQRT, MACHINE_OP_DOUBLE_SQRT);
    case LANG_MATH_ABS: return pick(k, MACHINE_OP_INT_ADD, MACHINE_OP_FLOAT_ADD, MACHINE_OP_DOUBLE_ADD);
    case LANG_MATH_FLOOR:
    case LANG_MATH_CEIL:
    case LANG_MATH_ROUND:
    case LANG_MATH_RINT: return k == NUMBER_DOUBLE ? MACHINE_OP_DOUBLE_ADD : MACHINE_OP_CONVERT;
    case LANG_MATH_FMOD: return pick(k, MACHINE_OP_FLOAT_DIV, MACHINE_OP_FLOAT_DIV, MACHINE_OP_DOUBLE_DIV);
    case LANG_MATH_MAX:
    case LANG_MATH_MIN: return k == NUMBER_DOUBLE ? MACHINE_OP_DOUBLE_ADD : MACHINE_OP_COMPARE;
    default:
        return pick(k, MACHINE_OP_FLOAT_TRANSCENDENTAL, MACHINE_OP_FLOAT_TRANSCENDENTAL,
                    MACHINE_OP_DOUBLE_TRANSCENDENTAL);
    }
}

static machine_operation class_of(const sir_expr *e)
{
    switch ((sir_expr_kind)e->kind) {
    case SIR_BINARY: return class_of_binary(e);
    case SIR_MATH: return class_of_math(e);
    case SIR_UNARY:
        return e->op == LANG_OP_NEG
                   ? pick(kind_of(e->type), MACHINE_OP_INT_ADD, MACHINE_OP_FLOAT_ADD, MACHINE_OP_DOUBLE_ADD)
                   : MACHINE_OP_BITWISE;
    case SIR_CONVERT:
        if (kind_of(e->type) == NUMBER_DOUBLE || kind_of(e->u.arg[0]->type) == NUMBER_DOUBLE)
            return MACHINE_OP_DOUBLE_ADD; // who has no doubles at all converts none
        return kind_of(e->type) != kind_of(e->u.arg[0]->type) ? MACHINE_OP_CONVERT : MACHINE_OP_COUNT;
    default: return MACHINE_OP_COUNT;
    }
}

typedef struct looker {
    arena *arena;
    const machine_processor *on;
    hmap seen; // functions
    machine_operation missing;
    sir_loc loc;
} looker;

static void look_at_function(looker *l, const sir_function *f);

static void look_at_expr(void *context, sir_expr *e, bool written)
{
    looker *l = context;
    (void)written;
    machine_operation op = class_of(e);
    if (l->missing != MACHINE_OP_COUNT || op == MACHINE_OP_COUNT || machine_can_run(l->on, op))
        return;
    l->missing = op;
    l->loc = e->loc;
}

static void look_at_stmt(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, look_at_expr, context);
    if (s->kind == SIR_CALL)
        look_at_function(context, s->u.call.function);
}

static void look_at_function(looker *l, const sir_function *f)
{
    if (f == NULL || hmap_getn(&l->seen, &f, sizeof f) != NULL)
        return;
    hmap_setn(&l->seen, &f, sizeof f, l);
    sir_visit_stmts(&f->body, look_at_stmt, l);
}

// ---- Actors ----

// What runs in step with others takes each branch's both sides, and its loops have as many trips in all of them.
static plan_lack lack_of_step(hlc_program *p, const sir_filter *f, const machine_processor *x)
{
    bool predicated = x->abilities.control == MACHINE_control_flow_PREDICATED;
    if (!predicated && x->abilities.scatter)
        return (plan_lack){0};
    plan_varying varying = plan_find_varying(p->arena, f);
    const char *name = x->element.name;
    if (predicated && varying.loop.line != 0)
        return (plan_lack){plan_reason_of(p->arena, (plan_reason){PLAN_WHY_TRIPS_TAKE_BRANCH, .names = {name}}),
                           varying.loop, "control"};
    if (!x->abilities.scatter && varying.place.line != 0)
        return (plan_lack){plan_reason_of(p->arena, (plan_reason){PLAN_WHY_PLACE_OF_ELEMENT, .names = {name}}),
                           varying.place, "scatter"};
    return (plan_lack){0};
}

plan_lack plan_lack_of_outputs(arena *a, int64_t pushed, const machine_processor *x, sir_loc loc)
{
    const plan_reason why = {PLAN_WHY_OUTPUTS, .names = {x->element.name},
                             .counts = {pushed, (int64_t)x->abilities.outputs}};
    return (plan_lack){plan_reason_of(a, why), loc, "outputs"};
}

plan_lack plan_actor_lacks(hlc_program *p, const sir_module *m, uint32_t number, const machine_processor *x)
{
    const sir_actor *actor = m->actors.data[number];
    if (actor->kind != SIR_FILTER)
        return (plan_lack){0};
    plan_thread thread;
    if (plan_launches(x)) {
        plan_lack lack = plan_thread_of(p, actor->filter, x, &thread);
        return lack.why != NULL ? lack : plan_thread_too_slow(p, actor->filter, x, &thread);
    }
    int64_t push = 0;
    for (uint32_t port = 0; port < actor->outputs.len; port++)
        for (int first = 0; first < 2 && actor->outputs.data[port] != SIR_NONE && !sched_dynamic_output(actor);
             first++) {
            int64_t items = sched_output_rate(actor, port, first != 0);
            push = items > push ? items : push;
        }
    if ((uint64_t)push > x->abilities.outputs)
        return plan_lack_of_outputs(p->arena, push, x, actor->loc);
    looker l = {.arena = p->arena, .on = x, .missing = MACHINE_OP_COUNT};
    hmap_init(&l.seen, p->arena);
    look_at_function(&l, actor->filter->work);
    look_at_function(&l, actor->filter->prework);
    if (l.missing == MACHINE_OP_COUNT)
        return lack_of_step(p, actor->filter, x);
    return (plan_lack){
        plan_reason_of(p->arena, (plan_reason){PLAN_WHY_OPERATIONS,
                                               .names = {machine_operation_text(l.missing), x->element.name}}),
        l.loc, "operations"};
}

// ---- What actors keep ----

static const plan_reason *foreign_reason(const hlc_program *p, const sir_filter *f)
{
    return p->foreign != NULL && f != NULL ? hmap_getn(p->foreign, &f, sizeof f) : NULL;
}

bool plan_is_foreign(const hlc_program *p, const sir_filter *f)
{
    return foreign_reason(p, f) != NULL;
}

static bool has_messages(const sir_filter *f)
{
    return f->sends || f->handlers.len != 0;
}

const plan_reason *plan_actor_state(hlc_program *p, uint32_t actor)
{
    const sir_filter *f = p->module->actors.data[actor]->filter;
    if (p->schedule->cycle[actor] >= 0)
        return plan_reason_plain(PLAN_WHY_FEEDBACK);
    if (f == NULL)
        return NULL;
    if (f->uses_random)
        return plan_reason_plain(PLAN_WHY_RANDOM);
    if (f->uses_iter)
        return plan_reason_plain(PLAN_WHY_COUNTS);
    if (has_messages(f))
        return plan_reason_plain(PLAN_WHY_MESSAGES);
    for (VEC_EACH(const sir_field, field, &f->fields))
        if (!field->constant)
            return plan_reason_of(p->arena, (plan_reason){PLAN_WHY_FIELD, .names = {field->name}});
    return f->stateful ? plan_reason_plain(PLAN_WHY_STATE) : NULL;
}

const plan_reason *plan_actor_keeps(hlc_program *p, uint32_t actor)
{
    const sir_filter *f = p->module->actors.data[actor]->filter;
    const plan_reason *foreign = foreign_reason(p, f), *state = foreign == NULL ? plan_actor_state(p, actor) : NULL;
    if (foreign != NULL || state != NULL)
        return foreign != NULL ? foreign : state;
    return f != NULL && f->prints ? plan_reason_plain(PLAN_WHY_PRINTS) : NULL;
}

const plan_reason *plan_actor_is_tied(hlc_program *p, uint32_t actor)
{
    const sir_filter *f = p->module->actors.data[actor]->filter;
    const plan_reason *foreign = foreign_reason(p, f);
    if (foreign != NULL || f == NULL)
        return foreign;
    return f->sends     ? plan_reason_plain(PLAN_WHY_SENDS)
           : f->prints  ? plan_reason_plain(PLAN_WHY_PRINTS)
           : f->natives ? plan_reason_plain(PLAN_WHY_NATIVES)
                        : NULL;
}
