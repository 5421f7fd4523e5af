// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages of --set, as executables take them too (runtime/common/program_outside.c): before each receiver's first firing.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "hlc/interp/interp_int.h"

typedef struct reading {
    interp *r;
    const char *option; // as it was given
    const char *text;   // what is left of the values
    const sir_portal *portal;
    const sir_function *handler;
} reading;

static void add_parameters(strbuf *b, const sir_function *f)
{
    for (uint32_t i = 0; i < f->param_count; i++) {
        strbuf_add(b, i == 0 ? "" : ", ");
        sir_type_print(b, f->locals.data[i].type);
        strbuf_printf(b, " %s", f->locals.data[i].name);
    }
}

static const char *parameters(interp *r, const sir_function *f)
{
    strbuf b;
    strbuf_init(&b, r->arena);
    add_parameters(&b, f);
    return b.data;
}

static const sir_filter *filter_of(const interp *r, const sir_portal *p)
{
    return p->inside || p->receivers.len == 0 ? NULL : r->m->actors.data[p->receivers.data[0]]->filter;
}

static const sir_function *handler_of(const sir_filter *f, const char *name)
{
    for (size_t i = 0; f != NULL && i < f->handlers.len; i++)
        if (strcmp(f->handlers.data[i]->name, name) == 0)
            return f->handlers.data[i];
    return NULL;
}

// Receivers may be instances of one filter with other parameters, so that their handlers take other arrays: such a
// message has no one type.
static bool is_of_one_type(interp *r, const sir_portal *p, const sir_function *handler)
{
    strbuf types, own;
    strbuf_init(&types, r->arena);
    for (uint32_t i = 0; i < handler->param_count; i++)
        sir_type_print(&types, handler->locals.data[i].type);
    for (VEC_EACH(const uint32_t, receiver, &p->receivers)) {
        const sir_function *f = handler_of(r->m->actors.data[*receiver]->filter, handler->name);
        strbuf_init(&own, r->arena);
        for (uint32_t i = 0; f != NULL && i < f->param_count; i++)
            sir_type_print(&own, f->locals.data[i].type);
        if (f == NULL || f->param_count != handler->param_count || strcmp(own.data, types.data) != 0)
            return false;
    }
    return true;
}

// All messages there are, or those to a portal.
static const char *listed(interp *r, const sir_portal *only)
{
    strbuf b;
    strbuf_init(&b, r->arena);
    for (VEC_EACH(const sir_portal, p, &r->m->portals)) {
        const sir_filter *f = filter_of(r, p);
        for (size_t i = 0; f != NULL && i < f->handlers.len && (only == NULL || only == p); i++) {
            if (!is_of_one_type(r, p, f->handlers.data[i]))
                continue;
            strbuf_printf(&b, "%s%s.%s(", b.len == 0 ? "" : ", ", p->name, f->handlers.data[i]->name);
            add_parameters(&b, f->handlers.data[i]);
            strbuf_addc(&b, ')');
        }
    }
    return b.data;
}

static bool unknown(const reading *g, const char *name)
{
    interp *r = g->r;
    const char *dot = strchr(name, '.'), *all = listed(r, g->portal);
    if (*listed(r, NULL) == '\0')
        diag_error_at(r->d, NULL, "option '--set=%s': '%s' takes no messages from outside", g->option, r->m->name);
    else if (g->portal != NULL)
        diag_error_at(r->d, NULL, "option '--set=%s': the portal '%s' has no handler '%s'; it has %s", g->option,
                      g->portal->name, dot + 1, all);
    else if (dot != NULL)
        diag_error_at(r->d, NULL, "option '--set=%s': there is no portal '%.*s'; there is %s", g->option,
                      (int)(dot - name), name, all);
    else
        diag_error_at(r->d, NULL, "option '--set=%s': expected Portal.handler=value,value, not '%s'; there is %s",
                      g->option, name, all);
    return false;
}

static bool find_handler(reading *g, const char *name)
{
    interp *r = g->r;
    const char *dot = strchr(name, '.');
    for (VEC_EACH(const sir_portal, p, &r->m->portals))
        if (dot != NULL && filter_of(r, p) != NULL && *listed(r, p) != '\0' &&
            strlen(p->name) == (size_t)(dot - name) && memcmp(p->name, name, (size_t)(dot - name)) == 0)
            g->portal = p;
    g->handler = g->portal == NULL ? NULL : handler_of(filter_of(r, g->portal), dot + 1);
    if (g->handler != NULL && !is_of_one_type(r, g->portal, g->handler))
        g->handler = NULL;
    return g->handler != NULL || unknown(g, name);
}

// ---- Values ----

// Blanks and commas end a value; NULL: there is none left.
static const char *next_word(reading *g)
{
    static const char ends[] = " \t\r,";
    const char *begin = g->text + strspn(g->text, ends);
    size_t n = strcspn(begin, ends);
    g->text = begin + n;
    return n == 0 ? NULL : arena_strndup(g->r->arena, begin, n);
}

static bool read_int(const char *text, bool bit, int32_t *to)
{
    char *end;
    errno = 0;
    long v = strtol(text, &end, 0);
    *to = (int32_t)v;
    return end != text && *end == '\0' && errno == 0 && (bit ? v == 0 || v == 1 : v >= INT_MIN && v <= INT_MAX);
}

static const char *name_of(const sir_type *t)
{
    switch (t->kind) {
    case SIR_FLOAT: return "a float";
    case SIR_DOUBLE: return "a double";
    case SIR_BIT: return "a bit";
    case SIR_BOOLEAN: return "a boolean";
    case SIR_COMPLEX: return "a float of a complex number";
    default: return "an int";
    }
}

static bool read_float(const char *text, float *to)
{
    char *end;
    *to = strtof(text, &end);
    return end != text && *end == '\0';
}

// A number, or one of the two of a complex number.
static bool read_scalar(reading *g, const sir_type *t, word *to, bool second)
{
    const char *text = next_word(g);
    char *end;
    bool ok = strlen(text) < 64;
    switch (t->kind) {
    case SIR_COMPLEX: ok &= read_float(text, second ? &to->c.im : &to->c.re); break;
    case SIR_FLOAT: ok &= read_float(text, &to->f); break;
    case SIR_BOOLEAN:
        to->i = strcmp(text, "true") == 0;
        ok &= to->i || strcmp(text, "false") == 0;
        break;
    case SIR_DOUBLE:
        to->d = strtod(text, &end);
        ok &= end != text && *end == '\0';
        break;
    default: ok &= read_int(text, t->kind == SIR_BIT, &to->i); break;
    }
    if (!ok)
        diag_error_at(g->r->d, NULL, "option '--set=%s': '%s' is not %s; '%s.%s' takes (%s)", g->option, text,
                      name_of(t), g->portal->name, g->handler->name, parameters(g->r, g->handler));
    return ok;
}

static uint64_t scalars_of(const sir_type *t)
{
    uint64_t n = 0;
    if (t->kind == SIR_ARRAY)
        return t->length * scalars_of(t->element);
    if (t->kind != SIR_STRUCT)
        return t->kind == SIR_COMPLEX ? 2 : 1;
    for (VEC_EACH(const struct sir_member, member, &t->decl->members))
        n += scalars_of(member->type);
    return n;
}

// Arrays and structs are their scalars, one after the other.
static bool read_value(reading *g, const sir_type *t, word **to)
{
    bool ok = true;
    if (t->kind == SIR_ARRAY) {
        for (uint32_t i = 0; i < t->length && ok; i++)
            ok = read_value(g, t->element, to);
        return ok;
    }
    if (t->kind == SIR_STRUCT) {
        for (size_t i = 0; i < t->decl->members.len && ok; i++)
            ok = read_value(g, t->decl->members.data[i].type, to);
        return ok;
    }
    ok = read_scalar(g, t, *to, false) && (t->kind != SIR_COMPLEX || read_scalar(g, t, *to, true));
    ++*to;
    return ok;
}

static bool check_count(reading *g)
{
    uint64_t wanted = 0, count = 0;
    const char *values = g->text;
    for (uint32_t i = 0; i < g->handler->param_count; i++)
        wanted += scalars_of(g->handler->locals.data[i].type);
    while (next_word(g) != NULL)
        count++;
    g->text = values;
    if (count != wanted)
        diag_error_at(g->r->d, NULL, "option '--set=%s': '%s.%s' takes %llu value%s (%s), not %llu", g->option,
                      g->portal->name, g->handler->name, (unsigned long long)wanted, wanted == 1 ? "" : "s",
                      wanted == 0 ? "it has no parameters" : parameters(g->r, g->handler), (unsigned long long)count);
    return count == wanted;
}

static void send_to(interp *r, uint32_t receiver, const reading *g, const word *args, uint64_t words)
{
    vm_actor *to = &r->actors[receiver];
    vm_send *send = ARENA_NEW(r->arena, vm_send);
    send->words = words;
    word *own = ARENA_ARRAY(r->arena, word, words + 1);
    memcpy(own, args, words * sizeof *own);
    interp_add_message(
        r, to, (vm_message){1, SIR_NONE, interp_find_handler(r, to->source->filter, g->handler->name), send, own});
}

bool interp_set(interp *r, const char *text)
{
    reading g = {.r = r, .option = text};
    const char *name = text + strspn(text, " \t\r");
    size_t length = strcspn(name, "= \t\r,");
    if (!find_handler(&g, arena_strndup(r->arena, name, length)))
        return false;
    g.text = name + length + strspn(name + length, " \t\r");
    g.text += *g.text == '=';
    if (!check_count(&g))
        return false;
    uint64_t words = 0;
    for (uint32_t i = 0; i < g.handler->param_count; i++)
        words += g.handler->locals.data[i].type->words;
    word *args = ARENA_ARRAY(r->arena, word, words + 1), *to = args;
    for (uint32_t i = 0; i < g.handler->param_count; i++)
        if (!read_value(&g, g.handler->locals.data[i].type, &to))
            return false;
    for (size_t i = 0; i < g.portal->receivers.len; i++) {
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again |= g.portal->receivers.data[k] == g.portal->receivers.data[i];
        if (!again)
            send_to(r, g.portal->receivers.data[i], &g, args, words);
    }
    return true;
}
