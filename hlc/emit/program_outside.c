// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages from outside the program: which there are, what their arguments consist of, and how the firings of those that
// get them depend on the program's input (svm/messages.h).
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"

// ---- What there is ----

static const char *types_of(arena *a, const sir_function *handler)
{
    strbuf b;
    strbuf_init(&b, a);
    for (uint32_t i = 0; i < handler->param_count; i++) {
        strbuf_addc(&b, ',');
        sir_type_print(&b, handler->locals.data[i].type);
    }
    return b.data;
}

static const sir_function *handler_of(const sir_filter *f, const char *name)
{
    for (size_t i = 0; i < f->handlers.len; i++)
        if (strcmp(f->handlers.data[i]->name, name) == 0)
            return f->handlers.data[i];
    return NULL;
}

static const sched_outside *outside_of(const program_emitter *x, uint32_t actor)
{
    for (VEC_EACH(const sched_outside, to, &x->net->whole_schedule->outside))
        if (to->receiver == actor)
            return to;
    return NULL;
}

// Receivers may be instances of one filter with other parameters, so that their handlers take other arrays: such a
// message has no one type.
static bool find_receivers(program_emitter *x, const sir_portal *portal, program_given *given)
{
    arena *a = x->e.arena;
    const char *types = types_of(a, given->handler);
    for (VEC_EACH(const uint32_t, receiver, &portal->receivers)) {
        const sched_outside *to = outside_of(x, *receiver);
        const sir_function *own = handler_of(x->net->whole->actors.data[*receiver]->filter, given->handler->name);
        bool again = false;
        if (to == NULL || own == NULL || strcmp(types_of(a, own), types) != 0)
            return false;
        for (VEC_EACH(const sched_outside *, before, &given->to))
            again |= *before == to;
        if (!again)
            VEC_PUSH(a, &given->to, to);
    }
    return true;
}

void program_find_outside(program_emitter *x)
{
    if (x->net == NULL || x->net->whole_schedule->outside.len == 0)
        return;
    const sir_module *m = x->net->whole;
    struct program_outside *o = ARENA_NEW(x->e.arena, struct program_outside);
    for (VEC_EACH(const sir_portal, portal, &m->portals)) {
        const sir_filter *f = portal->receivers.len == 0 ? NULL : m->actors.data[portal->receivers.data[0]]->filter;
        for (size_t i = 0; f != NULL && !portal->inside && i < f->handlers.len; i++) {
            program_given given = {.portal = portal->name, .handler = f->handlers.data[i]};
            if (find_receivers(x, portal, &given))
                VEC_PUSH(x->e.arena, &o->given, given);
        }
    }
    if (o->given.len == 0)
        return;
    o->table = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_outside", x->name));
    x->outside = o;
}

// ---- Arguments ----

static const char *item_of(const sir_type *t)
{
    switch (t->kind) {
    case SIR_FLOAT: return "SVM_ITEM_FLOAT";
    case SIR_DOUBLE: return "SVM_ITEM_DOUBLE";
    case SIR_BOOLEAN: return "SVM_ITEM_BOOLEAN";
    case SIR_BIT: return "SVM_ITEM_BIT";
    case SIR_COMPLEX: return "SVM_ITEM_COMPLEX";
    default: return "SVM_ITEM_INT";
    }
}

// The scalars that a part of the arguments consists of; part: "a0", "a1[3].x".
static void add_values(program_emitter *x, text_args *rows, const char *message, const char *part, const sir_type *t)
{
    arena *a = x->e.arena;
    uint64_t count = 1;
    const sir_type *unit = t;
    for (; unit->kind == SIR_ARRAY; unit = unit->element)
        count *= unit->length;
    if (unit->kind != SIR_STRUCT) {
        if (count != 0)
            VEC_PUSH(a, rows,
                     arena_printf(a, "{%s, offsetof(%s, %s), %" PRIu64 "},", item_of(unit), message, part, count));
        return;
    }
    for (uint32_t i = 0; t->kind == SIR_ARRAY && i < t->length; i++)
        add_values(x, rows, message, arena_printf(a, "%s[%" PRIu32 "]", part, i), t->element);
    for (uint32_t i = 0; t->kind == SIR_STRUCT && i < t->decl->members.len; i++)
        add_values(x, rows, message, arena_printf(a, "%s.%s", part, body_member_name(&x->e, t->decl, i)),
                   t->decl->members.data[i].type);
}

const char *program_parameters_text(program_emitter *x, const sir_function *handler)
{
    strbuf b;
    strbuf_init(&b, x->e.arena);
    for (uint32_t i = 0; i < handler->param_count; i++) {
        strbuf_add(&b, i == 0 ? "" : ", ");
        sir_type_print(&b, handler->locals.data[i].type);
        strbuf_printf(&b, " %s", handler->locals.data[i].name);
    }
    return b.data;
}

// ---- Receivers ----

// How a receiver's firings depend on the items of the program's own input, if somebody can ask for that: its row, or NULL.
static const char *emit_dependence(program_emitter *x, const sched_outside *to, hmap *done)
{
    arena *a = x->e.arena;
    const sir_module *m = x->net->whole;
    if (x->library == NULL || to->steady || to->anytime)
        return NULL;
    const char *row = hmap_getn(done, &to, sizeof to);
    if (row != NULL)
        return row;
    sched_sdep_table t;
    if (!sched_sdep_tabulate(sched_sdep_new(a, m, x->net->whole_schedule, to->from, to->receiver), &t))
        return NULL; // such messages can be for its next firing only
    const char *name = emit_unique_name(&x->e, arena_printf(a, "%s_input%" PRIu32, x->name, to->receiver));
    const char *receiver = m->actors.data[to->receiver]->name;
    program_count_table(x,
                        arena_printf(a, "For each count of firings of %s, from 0 on, how many items of input it takes.",
                                     text_comment(x, receiver)),
                        name, "int64_t", t.values, (size_t)t.known);
    row = emit_unique_name(&x->e, arena_printf(a, "%s_way", name));
    text_line(x, 0,
              "static const svm_WayRow %s = {.to = %s, .known = %" PRId64 ", .period = %" PRId64 ", .step = %" PRId64
              ", .sdep = %s};\n",
              row, program_quoted(x, receiver), t.known, t.period, t.step, name);
    hmap_setn(done, &to, sizeof to, (void *)(uintptr_t)row);
    return row;
}

static uint32_t kernel_of(const program_emitter *x, uint32_t actor)
{
    for (uint32_t p = 0; p < x->net->kernels.len; p++)
        for (VEC_EACH(const uint32_t, a, &x->net->kernels.data[p].actors))
            if (*a == actor)
                return p;
    return SIR_NONE;
}

static const char *emit_receivers_of(program_emitter *x, const program_given *given, size_t index, hmap *done)
{
    arena *a = x->e.arena;
    const schedule *s = x->net->whole_schedule;
    text_args rows = {0};
    for (VEC_EACH(const sched_outside *const, to, &given->to)) {
        const char *row = emit_dependence(x, *to, done);
        uint32_t actor = (*to)->receiver;
        VEC_PUSH(a, &rows,
                 arena_printf(a, "{%s, %" PRIu32 ", %" PRId64 ", %" PRId64 ", %s},",
                              program_quoted(x, x->net->whole->actors.data[actor]->name), kernel_of(x, actor),
                              (*to)->steady ? s->init[actor] : 0, (*to)->steady ? s->reps[actor] : 0,
                              row == NULL ? "NULL" : arena_printf(a, "&%s", row)));
    }
    const char *name = emit_unique_name(&x->e, arena_printf(a, "%s_receivers%zu", x->name, index));
    program_table(x, arena_printf(a, "Who gets messages to %s.", text_comment(x, given->portal)),
                  arena_printf(a, "svm_OutsideTo %s", name), &rows);
    return name;
}

// ---- The table ----

static const char *emit_values(program_emitter *x, const program_given *given, size_t index, size_t *count)
{
    arena *a = x->e.arena;
    const char *message = emit_message_type(&x->e, given->handler);
    text_args rows = {0};
    for (uint32_t i = 0; i < given->handler->param_count; i++)
        add_values(x, &rows, message, arena_printf(a, "a%" PRIu32, i), given->handler->locals.data[i].type);
    *count = rows.len;
    if (rows.len == 0)
        return "NULL";
    const char *name = emit_unique_name(&x->e, arena_printf(a, "%s_arguments%zu", x->name, index));
    program_table(x, arena_printf(a, "The arguments of %s.", text_comment(x, given->handler->name)),
                  arena_printf(a, "svm_OutsideValue %s", name), &rows);
    return name;
}

static void emit_row_of(program_emitter *x, const program_given *given, size_t index, hmap *done, text_args *rows)
{
    arena *a = x->e.arena;
    size_t values;
    const char *message = emit_message_type(&x->e, given->handler);
    const char *arguments = emit_values(x, given, index, &values), *to = emit_receivers_of(x, given, index, done);
    VEC_PUSH(a, rows,
             arena_printf(
                 a, "{%s, %s, %s, %d, %s, %zu, %zu, %s, %s},", program_quoted(x, given->portal),
                 program_quoted(x, given->handler->name), program_quoted(x, program_parameters_text(x, given->handler)),
                 emit_message_number(&x->e, given->handler->name),
                 message == NULL ? "0" : arena_printf(a, "sizeof(%s)", message), values, given->to.len, arguments, to));
}

void program_outside(program_emitter *x)
{
    const struct program_outside *o = x->outside;
    arena *a = x->e.arena;
    if (o == NULL)
        return;
    const schedule *s = x->net->whole_schedule;
    uint32_t from = s->outside.data[0].from;
    hmap done;
    hmap_init(&done, a);
    text_args rows = {0};
    for (size_t i = 0; i < o->given.len; i++)
        emit_row_of(x, &o->given.data[i], i, &done, &rows);
    const char *net = emit_unique_name(&x->e, arena_printf(a, "%s_netOf", x->name));
    const char *list = emit_unique_name(&x->e, arena_printf(a, "%s_outsideRows", x->name));
    program_table(x, "Messages from outside: portal, handler, and what it takes.",
                  arena_printf(a, "svm_OutsideRow %s", list), &rows);
    text_line(x, 0, "static svm_Net *%s(void *instance)", net);
    text_line(x, 0, "{");
    text_line(x, 1, "return &((%s *)instance)->net;", x->type);
    text_line(x, 0, "}\n");
    text_line(x, 0, "static const svm_Outside %s = {&svm_outsideFunctions, %s, %zu, %s, %" PRId64 ", %" PRId64 "};\n",
              o->table, net, o->given.len, list, from == SIR_NONE ? 0 : s->init[from],
              from == SIR_NONE ? 0 : s->reps[from]);
}
