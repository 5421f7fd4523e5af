// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters with dynamic rates: each is a kernel that fires on streams.
#include <inttypes.h>

#include "hlc/emit/program_int.h"

static int64_t no_bound(const sir_rate *r)
{
    return r->max;
}

static const char *emit_rates(program_emitter *x, const program_flow *flow, const sir_function *f)
{
    arena *a = x->e.arena;
    const sir_actor *actor = x->pieces->whole->actors.data[flow->actor];
    const char *place = body_site(&x->e, f->loc), *name = emit_unique_name(&x->e, arena_printf(a, "%s_%s", flow->run, f->kind == SIR_PREWORK ? "firstRates" : "rates"));
    bool in = actor->inputs.len != 0 && actor->inputs.data[0] != SIR_NONE, out = actor->outputs.len != 0 && actor->outputs.data[0] != SIR_NONE;
    text_line(x, 0, "/* What a firing of %s declares: pop, peek and push, the least and the most (-1: no bound). */", actor->name);
    text_line(x, 0, "static const svm_FlowRates %s = {%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", \"%s\", %s};\n", name,
              in ? f->pop.min : 0, in ? no_bound(&f->pop) : 0, in ? f->peek.min : 0, in ? no_bound(&f->peek) : 0, out ? f->push.min : 0,
              out ? no_bound(&f->push) : 0, actor->name, program_quoted(x, place));
    return name;
}

static bool is_aggregate_field(const emit_filter_info *info, uint32_t field)
{
    sir_type_kind kind = info->filter->fields.data[field].type->kind;
    return kind == SIR_ARRAY || kind == SIR_STRUCT;
}

static void emit_struct(program_emitter *x, program_flow *flow, bool prework)
{
    const program_actor_names *n = &flow->names;
    text_line(x, 0, "/* Kernel %s: a filter with dynamic rates, and its state. */", x->pieces->whole->actors.data[flow->actor]->name);
    text_line(x, 0, "typedef struct {");
    text_line(x, 1, "svm_Kernel kernel;");
    text_line(x, 1, "svm_Flow flow;");
    if (prework)
        text_line(x, 1, "bool fired;");
    if (n->state != NULL)
        text_line(x, 1, "%s state;", flow->info->state_type);
    if (n->iter != NULL)
        text_line(x, 1, "int iter;");
    if (n->random != NULL)
        text_line(x, 1, "svm_Random random;");
    if (n->log != NULL)
        text_line(x, 1, "svm_Log log;");
    if (n->sender != NULL)
        text_line(x, 1, "svm_Sender sender;");
    if (program_receives(x, flow->actor))
        text_line(x, 1, "svm_Mail svm_mail;");
    text_line(x, 0, "} %s;\n", flow->type);
}

static const char *actor_name(program_emitter *x, const program_flow *flow)
{
    return program_quoted(x, x->pieces->whole->actors.data[flow->actor]->name);
}

static void emit_firing(program_emitter *x, int indent, const program_flow *flow, const emit_signature *fire, const char *scalars)
{
    arena *a = x->e.arena;
    text_args args = {0};
    if (fire->flow)
        VEC_PUSH(a, &args, "flow");
    program_fire_arguments(x, flow->info, fire, scalars, "self->state.", "self->iter", "&self->random", "&self->log",
                           "&self->sender", actor_name(x, flow), flow->info->values.data, &args);
    text_call(x, indent, arena_printf(a, "%s(", fire->name), &args, ");");
    text_line(x, indent, "svm_flowDone(flow);");
}

// Scalar fields are locals while the kernel runs: firings are inlined, and what they are then is in registers.
static void each_scalar(program_emitter *x, const program_flow *flow, bool load)
{
    for (VEC_EACH(uint32_t, f, &flow->fire.fields)) {
        const sir_field *field = &flow->info->filter->fields.data[*f];
        const char *name = flow->info->field_names.data[*f];
        if (is_aggregate_field(flow->info, *f))
            continue;
        if (load)
            text_line(x, 1, "%s = self->state.%s;", emit_declare(&x->e, field->type, name), name);
        else
            text_line(x, 1, "self->state.%s = %s;", name, name);
    }
}

// Locals for scalars, the state for the rest.
static void emit_steady_firing(program_emitter *x, const program_flow *flow)
{
    arena *a = x->e.arena;
    text_args args = {0};
    const emit_signature *fire = &flow->fire;
    if (fire->flow)
        VEC_PUSH(a, &args, "flow");
    for (VEC_EACH(uint32_t, f, &fire->fields)) {
        const char *name = flow->info->field_names.data[*f];
        bool array = flow->info->filter->fields.data[*f].type->kind == SIR_ARRAY;
        VEC_PUSH(a, &args, array ? arena_printf(a, "self->state.%s", name) : arena_printf(a, "&%s%s", is_aggregate_field(flow->info, *f) ? "self->state." : "", name));
    }
    if (fire->iter)
        VEC_PUSH(a, &args, "self->iter");
    if (fire->random)
        VEC_PUSH(a, &args, "&self->random");
    if (fire->log)
        VEC_PUSH(a, &args, "&self->log");
    if (fire->sends)
        VEC_PUSH(a, &args, "&self->sender");
    if (fire->actor)
        VEC_PUSH(a, &args, actor_name(x, flow));
    text_call(x, 2, arena_printf(a, "%s(", fire->name), &args, ");");
    text_line(x, 2, "svm_flowDone(flow);");
    if (flow->names.iter != NULL)
        text_line(x, 2, "self->iter++;");
}

static void emit_kernel(program_emitter *x, const program_flow *flow, bool prework)
{
    const sir_actor *actor = x->pieces->whole->actors.data[flow->actor];
    text_line(x, 0, "/* Kernel %s, run on %s; the estimate counts the operations of a firing. */", actor->name, x->pl->processor);
    text_line(x, 0, "SVM_KERNEL(estimate(10, %.0f))", plan_actor_operations(x->e.arena, x->pieces->whole, flow->actor));
    text_line(x, 0, "static void %s(svm_Kernel *kernel)", flow->run);
    text_line(x, 0, "{");
    text_line(x, 1, "%s *self = (%s *)kernel;", flow->type, flow->type);
    text_line(x, 1, "svm_Flow *const flow = &self->flow;");
    if (prework) {
        text_line(x, 1, "if (!self->fired) {");
        text_line(x, 2, "if (!svm_flowBegin(flow, &%s))", flow->first_rates);
        text_line(x, 3, "return;");
        if (program_receives(x, flow->actor))
            program_deliver(x, 2, flow->actor, flow->info, &flow->names, NULL);
        emit_firing(x, 2, flow, &flow->first, "self->state.");
        text_line(x, 2, "self->fired = true;");
        text_line(x, 1, "}");
    }
    each_scalar(x, flow, true);
    text_line(x, 1, "while (svm_flowBegin(flow, &%s)) {", flow->rates);
    if (program_receives(x, flow->actor))
        program_deliver(x, 2, flow->actor, flow->info, &flow->names, &flow->fire);
    emit_steady_firing(x, flow);
    text_line(x, 1, "}");
    each_scalar(x, flow, false);
    text_line(x, 0, "}\n");
}

static void emit_flow(program_emitter *x, program_flow *flow)
{
    arena *a = x->e.arena;
    const sir_actor *actor = x->pieces->whole->actors.data[flow->actor];
    const sir_filter *f = actor->filter;
    const plan_digits none = {0};
    bool prework = f->prework != NULL;
    flow->info = program_filter_info(x, f);
    flow->fire = program_fire_function(x, flow->info, f->work, &none, &none);
    if (prework)
        flow->first = program_fire_function(x, flow->info, f->prework, &none, &none);
    program_state_initial(x, flow->info, &flow->fire, &flow->first);
    const char *base = body_identifier(a, actor->name);
    flow->type = emit_unique_name(&x->e, arena_printf(a, "%s_Kernel", base));
    flow->run = emit_unique_name(&x->e, arena_printf(a, "%s_kernel", base));
    flow->names.state = flow->fire.fields.len != 0 || flow->first.fields.len != 0 ? "state" : NULL;
    flow->names.iter = flow->fire.iter || flow->first.iter ? "iter" : NULL;
    flow->names.random = flow->fire.random || flow->first.random ? "random" : NULL;
    flow->names.log = flow->fire.log || flow->first.log ? "log" : NULL;
    flow->names.sender = flow->fire.sends || flow->first.sends ? "sender" : NULL;
    if (flow->info->handlers.len != 0)
        program_handler_names(x, flow->info, NULL, NULL, &flow->names);
    flow->rates = emit_rates(x, flow, f->work);
    if (prework)
        flow->first_rates = emit_rates(x, flow, f->prework);
    emit_struct(x, flow, prework);
    emit_kernel(x, flow, prework);
}

void program_flow_functions(program_emitter *x)
{
    x->flows = ARENA_ARRAY(x->e.arena, program_flow, x->pieces->pieces.len + 1);
    for (size_t i = 0; i < x->pieces->pieces.len; i++)
        if (x->pieces->pieces.data[i].flow) {
            x->flows[i].actor = x->pieces->pieces.data[i].actors.data[0];
            emit_flow(x, &x->flows[i]);
        }
}
