// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looking inside a run: firings and channels as they go (--trace), and an actor before one of its firings (--stop-at).
// What is looked at fires one by one; that changes nothing of what the program does (NOTE(order) in interp.h).
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hlc/interp/interp_int.h"

// ---- Values as the language has them ----

static const word *add_value(strbuf *b, const sir_type *t, const word *from)
{
    switch (t->kind) {
    case SIR_VOID: return from;
    case SIR_BOOLEAN: strbuf_add(b, from->i != 0 ? "true" : "false"); break;
    case SIR_BIT:
    case SIR_INT: strbuf_printf(b, "%d", (int)from->i); break;
    case SIR_FLOAT: strbuf_add_float(b, from->f); break;
    case SIR_DOUBLE: strbuf_add_double(b, from->d); break;
    case SIR_COMPLEX:
        strbuf_add_float(b, from->c.re);
        strbuf_add(b, from->c.im < 0 ? " - " : " + ");
        strbuf_add_float(b, from->c.im < 0 ? -from->c.im : from->c.im);
        strbuf_addc(b, 'i');
        break;
    case SIR_STRUCT:
        for (size_t i = 0; i < t->decl->members.len; i++) {
            strbuf_printf(b, "%s%s = ", i == 0 ? "{" : ", ", t->decl->members.data[i].name);
            from = add_value(b, t->decl->members.data[i].type, from);
        }
        strbuf_add(b, t->decl->members.len == 0 ? "{}" : "}");
        return from;
    case SIR_ARRAY:
        strbuf_addc(b, '{');
        for (uint32_t i = 0; i < t->length; i++) {
            strbuf_add(b, i == 0 ? "" : ", ");
            from = add_value(b, t->element, from);
        }
        strbuf_addc(b, '}');
        return from;
    }
    return from + 1;
}

static void add_items(strbuf *b, const sir_type *t, const word *from, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        strbuf_add(b, i == 0 ? "" : ", ");
        from = add_value(b, t, from);
    }
}

static void add_waiting(strbuf *b, int64_t items)
{
    if (items == 0)
        strbuf_add(b, "no items wait");
    else
        strbuf_printf(b, "%lld item%s", (long long)items, items == 1 ? " waits" : "s wait");
}

static const char *name_of(const interp *r, uint32_t actor)
{
    return r->m->actors.data[actor]->name;
}

static void add_channel(const interp *r, strbuf *b, uint32_t channel)
{
    const sir_channel *c = &r->m->channels.data[channel];
    strbuf_printf(b, "%s -> %s: ", name_of(r, c->producer), name_of(r, c->consumer));
}

static void write_line(interp *r)
{
    strbuf *b = &r->watch->line;
    strbuf_addc(b, '\n');
    fflush(stdout); // what was printed before comes before, wherever both go
    if (fwrite(b->data, 1, b->len, stderr) != b->len && !r->failed) {
        diag_error_at(r->d, NULL, "cannot write standard error: %s", strerror(errno));
        r->failed = true;
    }
    b->len = 0;
}

// ---- What is looked at ----

static diag_record *no_such_actor(const interp *r, const char *option, const char *name)
{
    const sir_module *m = r->m;
    const char **names = ARENA_ARRAY(r->arena, const char *, m->actors.len + 1);
    for (uint32_t i = 0; i < m->actors.len; i++)
        names[i] = m->actors.data[i]->name;
    const char *near = diag_nearest(name, names, m->actors.len);
    for (uint32_t i = 0; near == NULL && name[0] != '\0' && i < m->actors.len; i++)
        if (strncmp(names[i], name, strlen(name)) == 0)
            near = names[i];
    diag_record *e = diag_error_at(r->d, NULL, "option '%s': no actor is named '%s'%s", option, name,
                                   near == NULL ? "" : arena_printf(r->arena, "; did you mean '%s'?", near));
    for (uint32_t i = 0; near != NULL && i < m->actors.len; i++)
        if (names[i] == near)
            diag_add_note(r->d, e, sir_range(m, r->d->sources, m->actors.data[i]->loc), "'%s' is added here", near);
    return e;
}

// The actors of the program as a note, as far as a person reads them.
static void note_actors(const interp *r, diag_record *e)
{
    enum { SHOWN = 12 };
    strbuf b;
    strbuf_init(&b, r->arena);
    for (uint32_t i = 0; i < r->m->actors.len && i < SHOWN; i++)
        strbuf_printf(&b, "%s%s", i == 0 ? "" : ", ", name_of(r, i));
    if (r->m->actors.len > SHOWN)
        strbuf_printf(&b, ", and %zu more, which --emit=graph shows", r->m->actors.len - SHOWN);
    diag_add_note(r->d, e, (src_range){0, 0, 0}, "the actors are %s", b.data);
}

static uint32_t find_actor(const interp *r, const char *option, const char *name)
{
    for (uint32_t i = 0; i < r->m->actors.len; i++)
        if (strcmp(name_of(r, i), name) == 0)
            return i;
    note_actors(r, no_such_actor(r, option, name));
    return SIR_NONE;
}

static bool watch_channels(interp *r, const char *from_name, const char *to_name)
{
    uint32_t from = find_actor(r, "--trace", from_name), to = find_actor(r, "--trace", to_name);
    if (from == SIR_NONE || to == SIR_NONE)
        return false;
    bool any = false;
    for (uint32_t i = 0; i < r->m->channels.len; i++) {
        const sir_channel *c = &r->m->channels.data[i];
        if (c->producer != from || c->consumer != to)
            continue;
        r->watch->channels[i] = any = true;
    }
    r->watch->actors[from].steps = r->watch->actors[to].steps = true;
    if (any)
        return true;
    diag_record *e =
        diag_error_at(r->d, NULL, "option '--trace': no channel goes from '%s' to '%s'", from_name, to_name);
    for (uint32_t i = 0; i < r->m->channels.len; i++)
        if (r->m->channels.data[i].producer == from)
            diag_add_note(r->d, e, (src_range){0, 0, 0}, "one goes from '%s' to '%s'", from_name,
                          name_of(r, r->m->channels.data[i].consumer));
    return false;
}

static bool watch_one(interp *r, char *name)
{
    char *colon = strchr(name, ':');
    if (colon != NULL) {
        *colon = '\0';
        return watch_channels(r, name, colon + 1);
    }
    uint32_t actor = find_actor(r, "--trace", name);
    if (actor == SIR_NONE)
        return false;
    r->watch->actors[actor].steps = r->watch->actors[actor].traced = true;
    return true;
}

static bool read_trace(interp *r)
{
    char *list = arena_printf(r->arena, "%s", r->options->trace);
    bool ok = true;
    for (char *at = list, *end; at != NULL; at = end) {
        end = strchr(at, ',');
        if (end != NULL)
            *end++ = '\0';
        ok &= watch_one(r, at);
    }
    return ok;
}

static bool read_stop(interp *r)
{
    char *name = arena_printf(r->arena, "%s", r->options->stop_at), *colon = strrchr(name, ':'), *end = NULL;
    errno = 0;
    long long n = colon != NULL && colon[1] >= '0' && colon[1] <= '9' ? strtoll(colon + 1, &end, 10) : 0;
    if (n < 1 || *end != '\0' || errno != 0) {
        diag_error_at(r->d, NULL,
                      "option '--stop-at=%s': expected an actor and the number of a firing, from 1, as in %s:1", name,
                      r->m->actors.len > 0 ? name_of(r, 0) : "Name");
        return false;
    }
    *colon = '\0';
    r->watch->stop = find_actor(r, "--stop-at", name);
    if (r->watch->stop == SIR_NONE)
        return false;
    r->watch->before = n;
    r->watch->actors[r->watch->stop].steps = true;
    return true;
}

bool interp_watch_build(interp *r)
{
    if (r->options->trace == NULL && r->options->stop_at == NULL)
        return true;
    interp_watch *w = r->watch = ARENA_NEW(r->arena, interp_watch);
    w->actors = ARENA_ARRAY(r->arena, watch_actor, r->m->actors.len + 1);
    w->channels = ARENA_ARRAY(r->arena, bool, r->m->channels.len + 1);
    w->stop = SIR_NONE;
    strbuf_init(&w->line, r->arena);
    bool ok = r->options->trace == NULL || read_trace(r);
    ok &= r->options->stop_at == NULL || read_stop(r);
    for (uint32_t i = 0; i < r->m->actors.len; i++)
        for (int side = 0; side < 2 && w->actors[i].steps; side++)
            strbuf_init(&w->actors[i].moved[side], r->arena);
    return ok;
}

// ---- Firings ----

enum { POPPED, PUSHED };

// Items that moved are still where they were, in front of the head or of the tail. Only a channel from an actor to itself
// may have been moved since they were popped; they are then counted.
static void add_moved(strbuf *b, const sir_type *t, const vm_channel *c, int side, int64_t items)
{
    size_t end = side == POPPED ? c->head : c->tail, words = (size_t)items * c->item;
    if (words <= end)
        add_items(b, t, c->data + end - words, items);
    else
        strbuf_printf(b, "%lld item%s", (long long)items, items == 1 ? "" : "s");
}

static void note_moved(interp *r, uint32_t actor, int side, uint32_t port, int64_t items)
{
    interp_watch *w = r->watch;
    const vm_actor *a = &r->actors[actor];
    uint32_t channel = (side == POPPED ? a->in : a->out)[port].channel;
    const vm_channel *c = &r->channels[channel];
    const sir_channel *source = &r->m->channels.data[channel];
    if (w->actors[actor].traced) {
        strbuf *b = &w->actors[actor].moved[side];
        strbuf_add(b, b->len == 0 ? "" : ", ");
        add_moved(b, source->type, c, side, items);
        if ((side == POPPED ? a->in_count : a->out_count) > 1)
            strbuf_printf(b, " %s %s", side == POPPED ? "from" : "to",
                          name_of(r, side == POPPED ? source->producer : source->consumer));
    }
    if (w->channels[channel]) {
        strbuf *b = &w->line;
        add_channel(r, b, channel);
        strbuf_printf(b, "%s #%lld %s ", name_of(r, actor), (long long)w->actors[actor].completed + 1,
                      side == POPPED ? "pops" : "pushes");
        add_moved(b, source->type, c, side, items);
        strbuf_add(b, "; ");
        add_waiting(b, interp_items_in(c));
        write_line(r);
    }
}

static void print_firing(interp *r, uint32_t actor)
{
    watch_actor *watched = &r->watch->actors[actor];
    strbuf *b = &r->watch->line, *moved = watched->moved;
    strbuf_printf(b, "%s #%lld", name_of(r, actor), (long long)watched->completed);
    if (moved[POPPED].len == 0 && moved[PUSHED].len == 0)
        strbuf_add(b, " fires");
    if (moved[POPPED].len > 0)
        strbuf_printf(b, " pops %s", moved[POPPED].data);
    if (moved[PUSHED].len > 0)
        strbuf_printf(b, "%s pushes %s", moved[POPPED].len > 0 ? ";" : "", moved[PUSHED].data);
    moved[POPPED].len = moved[PUSHED].len = 0;
    write_line(r);
}

// A firing, or a part of one of an actor with dynamic rates: 1 when it has been completed, as interp_fire.
static int64_t fire_one(interp *r, uint32_t actor)
{
    const vm_actor *a = &r->actors[actor];
    const vm_dynamic *dynamic = a->dynamic;
    bool first = !a->fired && a->prework != NULL, goes_on = dynamic != NULL && dynamic->stopped;
    int64_t popped = goes_on ? dynamic->popped : 0, pushed = goes_on ? dynamic->pushed : 0;
    int64_t done = interp_fire(r, actor, 1);
    if (done < 0 || (done == 0 && dynamic == NULL))
        return done;
    bool idle = (a->source->kind == SIR_SPLIT && a->in[0].channel == SIR_NONE) ||
                (a->source->kind == SIR_JOIN && a->out[0].channel == SIR_NONE);
    for (uint32_t i = 0; i < a->in_count && !idle; i++) {
        int64_t n = dynamic != NULL ? dynamic->popped - popped : first ? a->in[i].first_pop : a->in[i].pop;
        if (a->in[i].channel != SIR_NONE && n > 0)
            note_moved(r, actor, POPPED, i, n);
    }
    for (uint32_t i = 0; i < a->out_count && !idle; i++) {
        int64_t n = dynamic != NULL ? dynamic->pushed - pushed : first ? a->out[i].first_push : a->out[i].push;
        if (a->out[i].channel != SIR_NONE && n > 0)
            note_moved(r, actor, PUSHED, i, n);
    }
    r->watch->actors[actor].completed += done;
    if (done > 0 && r->watch->actors[actor].traced)
        print_firing(r, actor);
    return r->failed ? -1 : done;
}

int64_t interp_watch_fire(interp *r, uint32_t actor, int64_t k)
{
    interp_watch *w = r->watch;
    const vm_actor *a = &r->actors[actor];
    if (!w->actors[actor].steps)
        return interp_fire(r, actor, k);
    int64_t done = 0;
    while (done < k) {
        bool begins = a->dynamic == NULL || !a->dynamic->stopped;
        if (begins && actor == w->stop && w->actors[actor].completed + 1 == w->before) {
            w->stopped = true;
            break;
        }
        int64_t now = fire_one(r, actor);
        if (now < 0)
            return -1;
        if (now == 0)
            break;
        done++;
    }
    return done;
}

// ---- An actor that has stopped ----

static void show_fields(interp *r, const vm_actor *a)
{
    const sir_filter *f = a->source->filter;
    const int32_t *start = vm_field_starts(&r->program, f);
    for (size_t i = 0; i < f->fields.len; i++) {
        strbuf_printf(&r->watch->line, "  %s = ", f->fields.data[i].name);
        add_value(&r->watch->line, f->fields.data[i].type, a->state + start[i]);
        write_line(r);
    }
}

static void show_messages(interp *r, const vm_actor *a)
{
    strbuf *b = &r->watch->line;
    for (VEC_EACH(const vm_message, message, &a->messages)) {
        const sir_function *f = message->handler->source;
        const word *arg = message->args;
        strbuf_printf(b, "  message from %s, before firing %lld: %s(",
                      message->sender == SIR_NONE ? "outside" : name_of(r, message->sender), (long long)message->due,
                      f->name);
        for (uint32_t i = 0; i < f->param_count; i++) {
            strbuf_add(b, i == 0 ? "" : ", ");
            arg = add_value(b, f->locals.data[i].type, arg);
        }
        strbuf_addc(b, ')');
        write_line(r);
    }
}

static void show_channel(interp *r, uint32_t channel)
{
    const vm_channel *c = &r->channels[channel];
    strbuf *b = &r->watch->line;
    int64_t items = interp_items_in(c);
    strbuf_add(b, "  ");
    add_channel(r, b, channel);
    add_waiting(b, items);
    strbuf_add(b, items > 0 ? ": " : "");
    add_items(b, r->m->channels.data[channel].type, c->data + c->head, items);
    write_line(r);
}

void interp_watch_show(interp *r)
{
    const vm_actor *a = &r->actors[r->watch->stop];
    strbuf_printf(&r->watch->line, "%s stops before #%lld", a->source->name, (long long)r->watch->before);
    write_line(r);
    if (a->source->kind == SIR_FILTER)
        show_fields(r, a);
    show_messages(r, a);
    for (uint32_t i = 0; i < a->in_count; i++)
        if (a->in[i].channel != SIR_NONE)
            show_channel(r, a->in[i].channel);
    for (uint32_t i = 0; i < a->out_count; i++)
        if (a->out[i].channel != SIR_NONE)
            show_channel(r, a->out[i].channel);
}
