// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teleport messages: when they are delivered, and how far receivers may go before senders (hlc/schedule/sdep.c).
#include <string.h>

#include "hlc/interp/interp_int.h"

bool interp_build_routes(interp *r)
{
    const schedule *s = r->s;
    r->routes = ARENA_ARRAY(r->arena, interp_route, s->messages.len + 1);
    for (size_t i = 0; i < s->messages.len; i++) {
        const sched_message *m = &s->messages.data[i];
        r->routes[i].way = m;
        if (m->anytime)
            continue;
        r->routes[i].sdep = sched_sdep_of_message(r->arena, r->m, s, m);
    }
    for (size_t i = 0; i < r->m->filters.len; i++) {
        const sir_filter *f = r->m->filters.data[i];
        for (size_t k = 0; k < f->handlers.len; k++)
            if (vm_compile(&r->program, f, f->handlers.data[k]) == NULL)
                return false;
    }
    return true;
}

vm_function *interp_find_handler(interp *r, const sir_filter *f, const char *name)
{
    for (size_t i = 0; i < f->handlers.len; i++)
        if (strcmp(f->handlers.data[i]->name, name) == 0)
            return r->program.functions.data[vm_function_number(&r->program, f, f->handlers.data[i])];
    return NULL; // the verifier refuses such sends
}

static bool goes_before(const vm_message *a, const vm_message *b)
{
    return a->due != b->due ? a->due < b->due : a->sender + 1 < b->sender + 1; // SIR_NONE + 1 is 0
}

void interp_add_message(interp *r, vm_actor *to, vm_message message)
{
    VEC_PUSH(r->arena, &to->messages, message);
    size_t i = to->messages.len - 1;
    for (; i > 0 && goes_before(&message, &to->messages.data[i - 1]); i--)
        to->messages.data[i] = to->messages.data[i - 1];
    to->messages.data[i] = message;
}

// Each receiver has the arguments for itself: its handler may change them.
static word *copy_arguments(interp *r, const vm *v, vm_send *send)
{
    word *args = send->free;
    if (args != NULL)
        send->free = args->p;
    else
        args = ARENA_ARRAY(r->arena, word, v->message.len + 1);
    memcpy(args, v->message.data, v->message.len * sizeof *args);
    return args;
}

static void free_arguments(const vm_message *message)
{
    message->args->p = message->send->free;
    message->send->free = message->args;
}

static bool send_to_all(vm *v, vm_send *send, int32_t latency)
{
    interp *r = v->interp;
    const sir_stmt *s = send->source;
    uint32_t sender = (uint32_t)(v->actor - r->actors);
    int64_t n = interp_completed(v->actor) + 1;
    for (size_t i = 0; i < r->s->messages.len; i++) {
        const interp_route *route = &r->routes[i];
        if (route->way->sender != sender || route->way->portal != s->u.send.portal)
            continue;
        vm_actor *to = &r->actors[route->way->receiver];
        int64_t next = interp_completed(to) + 1;
        int64_t due = route->way->anytime ? next : sched_delivery(route->sdep, route->way->upstream, n, latency);
        if (due == SCHED_NEVER)
            continue;
        if (due < next)
            return false;
        interp_add_message(r, to,
                           (vm_message){due, sender, interp_find_handler(r, to->source->filter, s->u.send.handler),
                                        send, copy_arguments(r, v, send)});
    }
    return true;
}

bool interp_send(vm *v, vm_send *send, int32_t latency)
{
    bool ok = send_to_all(v, send, latency);
    v->message.len = 0;
    return ok;
}

// How many of k firings a receiver may do before its sender fires again.
static int64_t allowed_by(const interp *r, const interp_route *route, int64_t completed, int64_t k)
{
    const sched_message *way = route->way;
    int64_t sent = interp_completed(&r->actors[way->sender]);
    if (way->held)
        while (k > 0 && sched_sdep_of(route->sdep, completed + k) > sent)
            k--;
    if (!way->upstream)
        return k;
    int64_t limit = sched_message_limit(route->sdep, sent, way->latency) - completed;
    return limit < 0 ? 0 : limit < k ? limit : k;
}

int64_t interp_before_message(const interp *r, uint32_t actor, int64_t k)
{
    const vm_actor *a = &r->actors[actor];
    int64_t completed = interp_completed(a);
    for (size_t i = 0; i < a->messages.len; i++) {
        int64_t before = a->messages.data[i].due - completed - 1;
        if (before > 0) {
            k = before < k ? before : k;
            break;
        }
    }
    for (size_t i = 0; i < r->s->messages.len && !r->no_more_sends; i++)
        if (r->routes[i].way->receiver == actor)
            k = allowed_by(r, &r->routes[i], completed, k);
    return k;
}

uint32_t interp_awaited_sender(const interp *r, uint32_t actor)
{
    int64_t completed = interp_completed(&r->actors[actor]);
    for (size_t i = 0; i < r->s->messages.len; i++)
        if (r->routes[i].way->receiver == actor && allowed_by(r, &r->routes[i], completed, 1) == 0)
            return r->routes[i].way->sender;
    return SIR_NONE;
}

static bool run_handler(interp *r, vm_actor *a, const vm_message *message)
{
    static const word nothing = {.bits = 0};
    const vm_function *f = message->handler;
    vm *v = &r->handlers;
    word *arg = message->args;
    for (uint32_t i = 0; i < f->source->param_count; i++) {
        const sir_local *param = &f->source->locals.data[i];
        word *to = f->frame + f->slot[i];
        if (param->by_reference)
            to->p = arg; // the message is the handler's own
        else
            memcpy(to, arg, param->type->words * sizeof *to);
        arg += param->type->words;
    }
    v->pop = v->peek = v->push = 0;
    v->in_item = v->out_item = 1;
    v->in = &nothing;
    v->out = (word *)(uintptr_t)&nothing;
    v->operations = r->machine.operations;
    bool ok = vm_execute(v, a, message->handler, 1);
    r->machine.operations = v->operations;
    return ok;
}

bool interp_deliver(interp *r, uint32_t actor)
{
    vm_actor *a = &r->actors[actor];
    int64_t next = interp_completed(a) + 1;
    while (a->messages.len > 0 && a->messages.data[0].due <= next) {
        vm_message message = a->messages.data[0];
        memmove(a->messages.data, a->messages.data + 1, --a->messages.len * sizeof *a->messages.data);
        if (!run_handler(r, a, &message))
            return false;
        free_arguments(&message);
    }
    return true;
}
