// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters with dynamic rates: each is a kernel that fires on streams.
#include <inttypes.h>

#include "hlc/emit/program_int.h"

static int64_t no_bound(const sir_rate *r)
{
    return r->max;
}

// Whether no firing can do otherwise than it declares.
static bool takes_so(const sir_rate *declared, int64_t least, int64_t most)
{
    return least >= declared->min && (declared->max < 0 || (most >= 0 && most <= declared->max));
}

static const char *truth(bool b)
{
    return b ? "true" : "false";
}

static const char *item_bytes(program_emitter *x, const sir_type *t)
{
    return t->kind == SIR_VOID ? "0" : arena_printf(x->e.arena, "sizeof(%s)", emit_declare_item(&x->e, t, ""));
}

// As many items as a firing that is not looked at may move, such as svm/dynamic.h has.
enum { FEW_ITEMS = 256 };

static bool is_few(int64_t most)
{
    return most >= 0 && most <= FEW_ITEMS;
}

static const char *emit_rates(program_emitter *x, program_dynamic *dynamic, const sir_function *f)
{
    arena *a = x->e.arena;
    const sir_actor *actor = x->net->whole->actors.data[dynamic->actor];
    const char *place = body_site(&x->e, f->loc), *name = emit_unique_name(&x->e, arena_printf(a, "%s_%s", dynamic->run, f->kind == SIR_PREWORK ? "firstRates" : "rates"));
    bool in = actor->inputs.len != 0 && actor->inputs.data[0] != SIR_NONE, out = actor->outputs.len != 0 && actor->outputs.data[0] != SIR_NONE;
    const sir_rate_bounds known = dynamic->steps == NULL ? sir_function_rates(x->m, f) : (sir_rate_bounds){.pop_min = 1, .pop_max = -1, .push_max = -1};
    int64_t reach = f->peek.max >= 0 && f->peek.max < f->pop.max ? f->pop.max : f->peek.max;
    bool pops = takes_so(&f->pop, known.pop_min, known.pop_max), peeks = reach < 0 || (known.reach >= 0 && known.reach <= reach);
    bool pushes = takes_so(&f->push, known.push_min, known.push_max),
         stops = dynamic->steps == NULL && program_may_fail(x, actor->filter, true);
    if (f->kind == SIR_WORK)
        dynamic->fits = in && pops && peeks && pushes && !stops && f->pop.min > 0 && is_few(f->pop.max) &&
                        is_few(f->peek.max) && (!out || is_few(f->push.max));
    text_line(x, 0, "/* What a firing of %s declares: pop, peek and push, the least and the most (-1: no bound); bytes of items; whether", actor->name);
    text_line(x, 0, "   it is known to pop, peek and push so; whether it may stop the program, and is paced by steady states. */");
    text_line(x, 0, "static const svm_DynamicRates %s = {%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %s, %s,", name,
              in ? f->pop.min : 0, in ? no_bound(&f->pop) : 0, in ? f->peek.min : 0, in ? no_bound(&f->peek) : 0, out ? f->push.min : 0,
              out ? no_bound(&f->push) : 0, item_bytes(x, actor->filter->input), item_bytes(x, actor->filter->output));
    text_line(x, 1, "%s, %s, %s, %s, %s, \"%s\", %s};\n", truth(pops), truth(peeks), truth(pushes), truth(stops),
              truth(x->net->kernels.data[dynamic - x->dynamics].paced), actor->name, program_quoted(x, place));
    return name;
}

static bool is_aggregate_field(const emit_filter_info *info, uint32_t field)
{
    sir_type_kind kind = info->filter->fields.data[field].type->kind;
    return kind == SIR_ARRAY || kind == SIR_STRUCT;
}

static void emit_struct(program_emitter *x, program_dynamic *dynamic, bool prework)
{
    const program_actor_names *n = &dynamic->names;
    text_line(x, 0, "/* Kernel %s: a filter with dynamic rates, and its state. */", x->net->whole->actors.data[dynamic->actor]->name);
    text_line(x, 0, "typedef struct {");
    text_line(x, 1, "svm_Kernel kernel;");
    text_line(x, 1, "svm_DynamicActor dynamic;");
    if (dynamic->steps != NULL)
        program_steps_members(x, dynamic->steps);
    if (prework)
        text_line(x, 1, "bool fired;");
    if (n->state != NULL)
        text_line(x, 1, "%s state;", dynamic->info->state_type);
    if (n->iter != NULL)
        text_line(x, 1, "int iter;");
    if (n->random != NULL)
        text_line(x, 1, "svm_Random random;");
    if (n->log != NULL)
        text_line(x, 1, "svm_Log log;");
    if (n->sender != NULL)
        text_line(x, 1, "svm_Sender sender;");
    if (program_receives(x, dynamic->actor))
        text_line(x, 1, "svm_Mail svm_mail;");
    text_line(x, 0, "} %s;\n", dynamic->type);
}

static const char *actor_name(program_emitter *x, const program_dynamic *dynamic)
{
    return program_quoted(x, x->net->whole->actors.data[dynamic->actor]->name);
}

static void emit_firing(program_emitter *x, int indent, const program_dynamic *dynamic, const emit_signature *fire, const char *scalars)
{
    arena *a = x->e.arena;
    text_args args = {0};
    if (fire->dynamic)
        VEC_PUSH(a, &args, "dynamic");
    program_fire_arguments(x, dynamic->info, fire, scalars, "self->state.", "self->iter", "&self->random", "&self->log",
                           "&self->sender", actor_name(x, dynamic), dynamic->info->values.data, &args);
    text_call(x, indent, arena_printf(a, "%s(", fire->name), &args, ");");
    text_line(x, indent, "svm_dynamicDone(dynamic);");
}

static void emit_ends(program_emitter *x, int indent, const char *rates)
{
    text_line(x, indent, "svm_DynamicEnds ends = svm_dynamicEnds(&self->dynamic, &%s), *const dynamic = &ends;", rates);
}

// Scalar fields are locals while the kernel runs: firings are inlined, and what they are then is in registers.
static void each_scalar(program_emitter *x, int indent, const program_dynamic *dynamic, bool load)
{
    for (VEC_EACH(uint32_t, f, &dynamic->fire.fields)) {
        const sir_field *field = &dynamic->info->filter->fields.data[*f];
        const char *name = dynamic->info->field_names.data[*f];
        if (is_aggregate_field(dynamic->info, *f))
            continue;
        if (load)
            text_line(x, indent, "%s = self->state.%s;", emit_declare(&x->e, field->type, name), name);
        else
            text_line(x, indent, "self->state.%s = %s;", name, name);
    }
}

// The beginning of its run function.
static void emit_kernel_begin(program_emitter *x, const program_dynamic *dynamic)
{
    text_line(x, 0, "/* Kernel %s, run on %s; the estimate counts the operations of a firing. */",
              x->net->whole->actors.data[dynamic->actor]->name, plan_net_processor(x->pl, (uint32_t)(dynamic - x->dynamics)));
    text_line(x, 0, "SVM_KERNEL(estimate(10, %.0f))", plan_actor_operations(x->e.arena, x->net->whole, dynamic->actor));
    text_line(x, 0, "static void %s(svm_Kernel *kernel)", dynamic->run);
    text_line(x, 0, "{");
    text_line(x, 1, "%s *self = (%s *)kernel;", dynamic->type, dynamic->type);
}

// Locals for scalars, the state for the rest.
static void emit_steady_firing(program_emitter *x, int indent, const program_dynamic *dynamic, bool done)
{
    arena *a = x->e.arena;
    text_args args = {0};
    const emit_signature *fire = &dynamic->fire;
    if (fire->dynamic)
        VEC_PUSH(a, &args, "dynamic");
    for (VEC_EACH(uint32_t, f, &fire->fields)) {
        const char *name = dynamic->info->field_names.data[*f];
        bool array = dynamic->info->filter->fields.data[*f].type->kind == SIR_ARRAY;
        VEC_PUSH(a, &args, array ? arena_printf(a, "self->state.%s", name) : arena_printf(a, "&%s%s", is_aggregate_field(dynamic->info, *f) ? "self->state." : "", name));
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
        VEC_PUSH(a, &args, actor_name(x, dynamic));
    text_call(x, indent, arena_printf(a, "%s(", fire->name), &args, ");");
    if (done)
        text_line(x, indent, "svm_dynamicDone(dynamic);");
    if (dynamic->names.iter != NULL)
        text_line(x, indent, "self->iter++;");
}

static void emit_first_firing(program_emitter *x, const program_dynamic *dynamic)
{
    text_line(x, 1, "if (!self->fired) {");
    emit_ends(x, 2, dynamic->first_rates);
    text_line(x, 2, "if (!svm_dynamicBegin(dynamic))");
    text_line(x, 3, "return;");
    if (program_receives(x, dynamic->actor))
        program_deliver(x, 2, dynamic->actor, dynamic->info, &dynamic->names, NULL);
    emit_firing(x, 2, dynamic, &dynamic->first, "self->state.");
    text_line(x, 2, "svm_dynamicTell(dynamic);");
    text_line(x, 2, "self->fired = true;");
    text_line(x, 1, "}");
}

// One firing that may wait, apart from those that go on.
static const char *emit_alone(program_emitter *x, const program_dynamic *dynamic)
{
    const char *name = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_firing", dynamic->run));
    text_line(x, 0, "/* A firing, however long it waits for items and room; false: there is none. */");
    text_line(x, 0, "SVM_OUTLINED static bool %s(%s *self)", name, dynamic->type);
    text_line(x, 0, "{");
    emit_ends(x, 1, dynamic->rates);
    text_line(x, 1, "if (!svm_dynamicBegin(dynamic))");
    text_line(x, 2, "return false;");
    emit_firing(x, 1, dynamic, &dynamic->fire, "self->state.");
    if (dynamic->names.iter != NULL)
        text_line(x, 1, "self->iter++;");
    text_line(x, 1, "svm_dynamicTell(dynamic);");
    text_line(x, 1, "return true;");
    text_line(x, 0, "}\n");
    return name;
}

static void emit_kernel(program_emitter *x, const program_dynamic *dynamic, bool prework)
{
    bool receives = program_receives(x, dynamic->actor), apart = dynamic->fire.twice && !receives;
    const char *alone = apart ? emit_alone(x, dynamic) : NULL;
    emit_kernel_begin(x, dynamic);
    if (prework)
        emit_first_firing(x, dynamic);
    int indent = apart ? 2 : 1;
    if (apart)
        text_line(x, 1, "while (%s(self)) {", alone);
    emit_ends(x, indent, dynamic->rates);
    each_scalar(x, indent, dynamic, true);
    const bool fits = apart && dynamic->fits;
    if (fits)
        text_line(x, indent, "for (ptrdiff_t fit; (fit = svm_dynamicFit(dynamic)) > 0;)");
    if (fits)
        text_line(x, ++indent, "for (; fit > 0; fit--) {");
    else
        text_line(x, indent, "while (svm_dynamic%s(dynamic)) {", apart ? "GoesOn" : "Begin");
    if (receives)
        program_deliver(x, indent + 1, dynamic->actor, dynamic->info, &dynamic->names, &dynamic->fire);
    emit_steady_firing(x, indent + 1, dynamic, !fits);
    text_line(x, indent, "}");
    indent -= fits;
    each_scalar(x, indent, dynamic, false);
    if (apart) {
        text_line(x, 2, "svm_dynamicTell(dynamic);");
        text_line(x, 1, "}");
    }
    text_line(x, 0, "}\n");
}

// One that looks up what bits do.
static void emit_steps(program_emitter *x, program_dynamic *dynamic)
{
    sir_function work = *x->net->whole->actors.data[dynamic->actor]->filter->work;
    work.pop = work.peek = (sir_rate){.dynamic = true, .min = 1, .max = -1};
    work.push = (sir_rate){.dynamic = true, .min = 0, .max = -1};
    dynamic->rates = emit_rates(x, dynamic, &work);
    emit_struct(x, dynamic, false);
    emit_kernel_begin(x, dynamic);
    emit_ends(x, 1, dynamic->rates);
    program_steps_run(x, dynamic->steps);
    text_line(x, 0, "}\n");
}

static void emit_dynamic(program_emitter *x, program_dynamic *dynamic)
{
    arena *a = x->e.arena;
    const sir_actor *actor = x->net->whole->actors.data[dynamic->actor];
    const sir_filter *f = actor->filter;
    const plan_digits none = {0};
    bool prework = f->prework != NULL;
    const char *base = body_identifier(a, actor->name);
    dynamic->type = emit_unique_name(&x->e, arena_printf(a, "%s_Kernel", base));
    dynamic->run = emit_unique_name(&x->e, arena_printf(a, "%s_kernel", base));
    dynamic->info = program_filter_info(x, f);
    dynamic->steps = program_find_steps(x, (uint32_t)(dynamic - x->dynamics), actor, base);
    if (dynamic->steps != NULL) {
        emit_steps(x, dynamic);
        return;
    }
    dynamic->fire = program_fire_function(x, dynamic->info, f->work, &none, &none);
    if (prework)
        dynamic->first = program_fire_function(x, dynamic->info, f->prework, &none, &none);
    program_state_initial(x, dynamic->info, &dynamic->fire, &dynamic->first);
    dynamic->names.state = dynamic->fire.fields.len != 0 || dynamic->first.fields.len != 0 ? "state" : NULL;
    dynamic->names.iter = dynamic->fire.iter || dynamic->first.iter ? "iter" : NULL;
    dynamic->names.random = dynamic->fire.random || dynamic->first.random ? "random" : NULL;
    dynamic->names.log = dynamic->fire.log || dynamic->first.log ? "log" : NULL;
    dynamic->names.sender = dynamic->fire.sends || dynamic->first.sends ? "sender" : NULL;
    if (dynamic->info->handlers.len != 0)
        program_handler_names(x, dynamic->info, NULL, NULL, &dynamic->names);
    dynamic->rates = emit_rates(x, dynamic, f->work);
    if (prework)
        dynamic->first_rates = emit_rates(x, dynamic, f->prework);
    emit_struct(x, dynamic, prework);
    emit_kernel(x, dynamic, prework);
}

void program_dynamic_functions(program_emitter *x)
{
    x->dynamics = ARENA_ARRAY(x->e.arena, program_dynamic, x->net->kernels.len + 1);
    for (size_t i = 0; i < x->net->kernels.len; i++)
        if (x->net->kernels.data[i].dynamic) {
            x->dynamics[i].actor = x->net->kernels.data[i].actors.data[0];
            emit_dynamic(x, &x->dynamics[i]);
        }
}
