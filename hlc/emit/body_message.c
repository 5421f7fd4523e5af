// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages in bodies: the types of their arguments, the numbers of their handlers, and sending one.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

typedef struct emit_messages {
    emitter *e;
    VEC(const char *) handlers; // names that some send names, by number
    hmap receivers;             // filters, by address
    hmap types;                 // of arguments: C name by the text of their types
    const char *all;            // the union of these
} emit_messages;

static int number_of(const emit_messages *x, const char *handler)
{
    for (size_t i = 0; i < x->handlers.len; i++)
        if (strcmp(x->handlers.data[i], handler) == 0)
            return (int)i;
    return -1;
}

static void collect(void *context, sir_stmt *s)
{
    emit_messages *x = context;
    if (s->kind == SIR_SEND && number_of(x, s->u.send.handler) < 0)
        VEC_PUSH(x->e->arena, &x->handlers, s->u.send.handler);
}

static void collect_from(emit_messages *x, const sir_function *f)
{
    if (f != NULL)
        sir_visit_stmts(&f->body, collect, x);
}

static void collect_outside(emit_messages *x, const emit_receivers *receivers)
{
    for (VEC_EACH(const emit_receiver, r, receivers))
        for (size_t i = 0; r->outside && i < r->filter->handlers.len; i++)
            if (number_of(x, r->filter->handlers.data[i]->name) < 0)
                VEC_PUSH(x->e->arena, &x->handlers, r->filter->handlers.data[i]->name);
}

static void collect_handlers(emit_messages *x)
{
    for (VEC_EACH(sir_filter *, filter, &x->e->module->filters)) {
        const sir_filter *f = *filter;
        if (!f->sends)
            continue;
        collect_from(x, f->work);
        collect_from(x, f->prework);
        for (size_t i = 0; i < f->functions.len; i++)
            collect_from(x, f->functions.data[i]);
        for (size_t i = 0; i < f->handlers.len; i++)
            collect_from(x, f->handlers.data[i]);
    }
}

// ---- Types of arguments ----

static const char *key_of(arena *a, const sir_function *handler)
{
    strbuf key;
    strbuf_init(&key, a);
    for (uint32_t i = 0; i < handler->param_count; i++) {
        strbuf_addc(&key, ',');
        sir_type_print(&key, handler->locals.data[i].type);
    }
    return key.data;
}

typedef VEC(const char *) name_list;

static void emit_type(emit_messages *x, const sir_function *handler, name_list *all)
{
    emitter *e = x->e;
    const char *key = key_of(e->arena, handler);
    if (handler->param_count == 0 || hmap_get(&x->types, key) != NULL)
        return;
    const char *name =
        emit_unique_name(e, arena_printf(e->arena, "%s_message", body_identifier(e->arena, handler->name)));
    emit_declarations members = {0};
    for (uint32_t i = 0; i < handler->param_count; i++)
        VEC_PUSH(e->arena, &members,
                 emit_declare(e, handler->locals.data[i].type, arena_printf(e->arena, "a%" PRIu32, i)));
    if (all->len == 0)
        strbuf_add(e->out, "/* The arguments of messages. */\n");
    emit_struct_type(e, "struct", &members, name);
    hmap_set(&x->types, key, (void *)(uintptr_t)name);
    VEC_PUSH(e->arena, all, name);
}

void emit_message_types(emitter *e, const emit_receivers *receivers)
{
    emit_messages *x = e->messages = ARENA_NEW(e->arena, emit_messages);
    x->e = e;
    hmap_init(&x->receivers, e->arena);
    hmap_init(&x->types, e->arena);
    name_list all = {0};
    collect_handlers(x);
    collect_outside(x, receivers);
    for (VEC_EACH(const emit_receiver, r, receivers)) {
        hmap_setn(&x->receivers, &r->filter, sizeof r->filter, x);
        for (size_t k = 0; k < r->filter->handlers.len; k++)
            if (number_of(x, r->filter->handlers.data[k]->name) >= 0)
                emit_type(x, r->filter->handlers.data[k], &all);
    }
    if (all.len == 0)
        return;
    x->all = emit_unique_name(e, "any_message");
    emit_declarations members = {0};
    for (size_t i = 0; i < all.len; i++)
        VEC_PUSH(e->arena, &members, arena_printf(e->arena, "%s m%zu", all.data[i], i));
    emit_struct_type(e, "union", &members, x->all);
    strbuf_addc(e->out, '\n');
}

const char *emit_message_type(const emitter *e, const sir_function *handler)
{
    return handler->param_count == 0 ? NULL : hmap_get(&e->messages->types, key_of(e->arena, handler));
}

int emit_message_number(const emitter *e, const char *handler)
{
    return number_of(e->messages, handler);
}

const char *emit_message_union(const emitter *e)
{
    return e->messages->all;
}

bool body_is_received(const emitter *e, const sir_filter *f, const sir_function *handler)
{
    const emit_messages *x = e->messages;
    return x != NULL && hmap_getn(&x->receivers, &f, sizeof f) != NULL && number_of(x, handler->name) >= 0;
}

// ---- Sending ----

// Of what a message carries; NULL: nothing, or nobody receives any such.
static const char *carried_type(const body_context *c, const sir_stmt *s)
{
    strbuf key;
    strbuf_init(&key, c->e->arena);
    for (size_t i = 0; i < s->u.send.args.len; i++) {
        strbuf_addc(&key, ',');
        sir_type_print(&key, s->u.send.args.data[i]->type);
    }
    return c->e->messages == NULL ? NULL : hmap_get(&c->e->messages->types, key.data);
}

bool body_sends_argument(const body_context *c, const sir_stmt *s, const sir_expr *arg)
{
    return body_may_trap(c, arg) || carried_type(c, s) != NULL;
}

static const char *place_text(body_context *c, sir_loc loc)
{
    const char *place = body_place(c->e, loc.line != 0 ? loc : c->function->loc);
    strbuf b;
    strbuf_init(&b, c->e->arena);
    strbuf_addc(&b, '"');
    for (const char *p = place == NULL ? "" : place; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\')
            strbuf_addc(&b, '\\');
        strbuf_addc(&b, *p);
    }
    strbuf_addc(&b, '"');
    return b.data;
}

// The message goes to nobody: the program may still stop in its arguments.
static void compute_arguments(body_context *c, const sir_stmt *s)
{
    for (size_t i = 0; i < s->u.send.args.len; i++)
        if (body_may_trap(c, s->u.send.args.data[i]))
            body_line(c, "(void)%s;", body_expr_text(c, s->u.send.args.data[i], PREC_UNARY));
}

void body_send(body_context *c, const sir_stmt *s)
{
    emitter *e = c->e;
    arena *a = e->arena;
    if (e->messages == NULL) { // nobody receives any
        compute_arguments(c, s);
        return;
    }
    const char *type = carried_type(c, s);
    const sir_expr *max = s->u.send.best_effort ? NULL : s->u.send.max;
    const char *latency = max == NULL ? "0" : body_expr_text(c, max, PREC_COND);
    const char *call =
        arena_printf(a, "svm_send(%s, %" PRIu32 ", %d, %s, %s, ", body_named(c, BODY_SENDER), s->u.send.portal,
                     number_of(e->messages, s->u.send.handler), latency, place_text(c, s->loc));
    if (type == NULL) { // without arguments, or to nobody
        compute_arguments(c, s);
        body_line(c, "%sNULL, 0);", call);
        return;
    }
    body_line(c, "{");
    c->indent++;
    body_line(c, "%s svm_message;", type);
    for (size_t i = 0; i < s->u.send.args.len; i++) {
        const sir_expr *arg = s->u.send.args.data[i];
        const char *text = body_expr_text(c, arg, PREC_COND);
        if (arg->type->kind == SIR_ARRAY)
            body_line(c, "memcpy(svm_message.a%zu, %s, sizeof svm_message.a%zu);", i, text, i);
        else
            body_line(c, "svm_message.a%zu = %s;", i, text);
    }
    body_line(c, "%s&svm_message, sizeof svm_message);", call);
    c->indent--;
    body_line(c, "}");
}
