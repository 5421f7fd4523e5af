// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the graph must satisfy as soon as types, weights and children are known.
#include <inttypes.h>
#include <string.h>

#include "hlc/elaborate/graph.h"
#include "hlc/ir/walk.h"

diag_record *graph_error(graph *g, src_range r, const char *format, ...)
{
    g->failed = true;
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(g->x->diags->arena, format, args);
    va_end(args);
    return diag_error(g->x->diags, r, "%s", message);
}

void graph_note(graph *g, diag_record *r, src_range where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(g->x->diags->arena, format, args);
    va_end(args);
    diag_add_note(g->x->diags, r, where, "%s", message);
}

bool graph_same_type(graph *g, graph_end from, graph_end to)
{
    if (from.type == to.type)
        return true;
    diag_record *r = graph_error(g, to.inst->where, "'%s' gives items of type '%s', but '%s' takes '%s'",
                                 elab_inst_name(g->x, from.inst), elab_type_name(g->x, from.type),
                                 elab_inst_name(g->x, to.inst), elab_type_name(g->x, to.type));
    graph_note(g, r, from.inst->where, "'%s' is added here", elab_inst_name(g->x, from.inst));
    return false;
}

bool graph_weights(graph *g, const elab_inst *inst, const elab_split *split, const char *what, const bool *voids,
                   uint32_t count, uint32_t *weights)
{
    size_t given = split->weights.len;
    if (split->has_weights && given != 1 && given != count) {
        diag_record *r =
            graph_error(g, split->range, "'%s' has %zu %s weights, but %" PRIu32 " %s", elab_inst_name(g->x, inst),
                        given, what, count, inst->decl->kind == STREAM_FEEDBACKLOOP ? "sides" : "children");
        graph_note(g, r, inst->where, "'%s' is added here", elab_inst_name(g->x, inst));
        return false;
    }
    bool list = split->has_weights && given == count && count > 1;
    for (uint32_t i = 0; i < count; i++) {
        weights[i] = !split->has_weights ? 1 : split->weights.data[given == 1 ? 0 : i];
        if (!voids[i])
            continue;
        if (list && weights[i] != 0) {
            graph_error(g, split->range,
                        "%s weight %" PRIu32 " is %" PRIu32 ", but that side is void; its weight must be 0", what,
                        i + 1, weights[i]);
            return false;
        }
        weights[i] = 0;
    }
    return true;
}

static void check_side(graph *g, const elab_inst *inst, const sir_type *written, const graph_end *end, const char *what)
{
    if (written == NULL || written == end->type)
        return;
    diag_record *r =
        graph_error(g, inst->decl->type_range, "the %s of '%s' is declared '%s', but it is '%s'", what,
                    elab_inst_name(g->x, inst), elab_type_name(g->x, written), elab_type_name(g->x, end->type));
    if (end->inst != NULL && end->inst != inst)
        graph_note(g, r, end->inst->where, "that of '%s', added here", elab_inst_name(g->x, end->inst));
}

// Of an anonymous stream the contents count.
static void warn_of_output(graph *g, const elab_inst *inst, const graph_end *end)
{
    if (inst->output == NULL || inst->output == end->type)
        return;
    diag_record *r = diag_warning(g->x->diags, WARN_ANONYMOUS_TYPE, inst->decl->type_range,
                                  "the output of '%s' is declared '%s', but it is '%s'", elab_inst_name(g->x, inst),
                                  elab_type_name(g->x, inst->output), elab_type_name(g->x, end->type));
    if (end->inst != NULL && end->inst != inst)
        graph_note(g, r, end->inst->where, "that of '%s', added here", elab_inst_name(g->x, end->inst));
}

void graph_check_written(graph *g, const elab_inst *inst, const graph_ends *ends)
{
    check_side(g, inst, inst->input, &ends->in, "input");
    if (inst->decl->name != NULL)
        check_side(g, inst, inst->output, &ends->out, "output");
    else
        warn_of_output(g, inst, &ends->out);
}

void graph_check_fires(graph *g, const elab_inst *child, const graph_ends *ends, uint32_t in, uint32_t out)
{
    if (ends->in.type == NULL || ends->out.type == NULL)
        return;
    if ((ends->in.actor != SIR_NONE && in != 0) || (ends->out.actor != SIR_NONE && out != 0))
        return;
    graph_error(g, child->where, "'%s' can never fire: its weights are 0 wherever it has a side",
                elab_inst_name(g->x, child));
}

// ---- Messages ----

static const sir_function *handler_of(const sir_filter *f, const char *name)
{
    for (size_t i = 0; i < f->handlers.len; i++)
        if (strcmp(f->handlers.data[i]->name, name) == 0)
            return f->handlers.data[i];
    return NULL;
}

// Lengths of a handler's array parameters are known only of its instances.
static void check_send(void *context, sir_stmt *s)
{
    graph *g = context;
    if (s->kind != SIR_SEND)
        return;
    const sir_portal *p = &g->m->portals.data[s->u.send.portal];
    for (size_t i = 0; i < p->receivers.len; i++) {
        const sir_actor *to = g->m->actors.data[p->receivers.data[i]];
        const sir_function *handler = handler_of(to->filter, s->u.send.handler);
        for (uint32_t k = 0; handler != NULL && k < handler->param_count && k < s->u.send.args.len; k++) {
            const sir_local *param = &handler->locals.data[k];
            const sir_expr *arg = s->u.send.args.data[k];
            if (arg->type == param->type)
                continue;
            source_set *sources = g->x->diags->sources;
            diag_record *r =
                graph_error(g, sir_range(g->m, sources, arg->loc),
                            "argument has type '%s', but parameter '%s' of handler '%s' of '%s' has type '%s'",
                            elab_type_name(g->x, arg->type), param->name, handler->name, to->name,
                            elab_type_name(g->x, param->type));
            graph_note(g, r, sir_range(g->m, sources, param->loc), "parameter declared here");
            return;
        }
    }
}

void graph_check_messages(graph *g)
{
    for (size_t i = 0; i < g->m->filters.len; i++) {
        const sir_filter *f = g->m->filters.data[i];
        if (!f->sends)
            continue;
        sir_visit_stmts(&f->work->body, check_send, g);
        if (f->prework != NULL)
            sir_visit_stmts(&f->prework->body, check_send, g);
        for (size_t k = 0; k < f->functions.len; k++)
            sir_visit_stmts(&f->functions.data[k]->body, check_send, g);
        for (size_t k = 0; k < f->handlers.len; k++)
            sir_visit_stmts(&f->handlers.data[k]->body, check_send, g);
    }
}

// ---- Warnings ----

// Each instance has its own generator, and all start alike.
static void warn_random(graph *g)
{
    const sir_actor *first = NULL;
    for (size_t i = 0; i < g->m->actors.len; i++) {
        const sir_actor *a = g->m->actors.data[i];
        if (a->kind != SIR_FILTER || !a->filter->uses_random)
            continue;
        if (first == NULL) {
            first = a;
            continue;
        }
        source_set *sources = g->x->diags->sources;
        diag_record *r =
            diag_warning(g->x->diags, WARN_MANY_RANDOM, sir_range(g->m, sources, a->loc),
                         "'%s' and '%s' both call 'random'; each has a generator of its own, and both draw the "
                         "same numbers",
                         first->name, a->name);
        graph_note(g, r, sir_range(g->m, sources, first->loc), "'%s' is added here", first->name);
        return;
    }
}

void graph_warn(graph *g)
{
    warn_random(g);
    for (size_t i = 0; i < g->x->portals.len; i++) {
        const elab_portal *p = &g->x->portals.data[i];
        if (p->receivers.len == 0)
            diag_warning(g->x->diags, WARN_UNUSED_PORTAL, p->var->range,
                         "portal '%s' has no receivers; 'add ... to %s' gives it one", p->var->name, p->var->name);
    }
}
