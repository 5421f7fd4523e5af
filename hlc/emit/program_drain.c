// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of input: the rates of the source graph as tables, and the function that counts what can still fire.
//
// NOTE(preworks). A first firing with other rates is an actor of its own in the table, allowed once; a further channel,
// which it fills and the actor only peeks at, makes the actor wait for it.
#include <inttypes.h>

#include "hlc/emit/program_int.h"

typedef struct row {
    uint32_t actor;
    bool first;   // the prework
    int64_t gate; // the channel between prework and work, -1 none
} row;

typedef struct rates {
    VEC(row) rows;
    size_t gates;
} rates;

static rates make_rows(program_emitter *x)
{
    rates r = {0};
    for (uint32_t i = 0; i < x->m->actors.len; i++) {
        bool prework = plan_actor_has_prework(x->m->actors.data[i]);
        int64_t gate = prework ? (int64_t)(x->m->channels.len + r.gates++) : -1;
        if (prework)
            VEC_PUSH(x->e.arena, &r.rows, (row){i, true, gate});
        VEC_PUSH(x->e.arena, &r.rows, (row){i, false, gate});
    }
    return r;
}

static const char *row_comment(program_emitter *x, const row *r)
{
    return !program_names_rows(x)
               ? ""
               : arena_printf(x->e.arena, " /* %s%s */", x->m->actors.data[r->actor]->name, r->first ? ", first" : "");
}

// One of the two port tables, and where each row's ports begin in it.
static void emit_ports(program_emitter *x, const rates *r, bool out)
{
    arena *a = x->e.arena;
    int64_t *start = ARENA_ARRAY(a, int64_t, r->rows.len + 1);
    const char *table = arena_printf(a, "%s_%s", x->name, out ? "outputs" : "inputs");
    text_args ports = {0};
    for (size_t i = 0; i < r->rows.len; i++) {
        const row *w = &r->rows.data[i];
        const sir_actor *actor = x->m->actors.data[w->actor];
        bool work_of_prework = w->gate >= 0 && !w->first;
        start[i] = (int64_t)ports.len;
        for (uint32_t port = 0; port < (out ? actor->outputs.len : actor->inputs.len); port++) {
            uint32_t channel = out ? actor->outputs.data[port] : actor->inputs.data[port];
            if (channel == SIR_NONE)
                continue;
            sched_rate rate = out ? (sched_rate){.push = sched_output_rate(actor, port, w->first)}
                                  : sched_input_rate(actor, port, w->first);
            if (out)
                VEC_PUSH(a, &ports, arena_printf(a, "{%" PRIu32 ", %" PRId64 "},", channel, rate.push));
            else
                VEC_PUSH(a, &ports,
                         arena_printf(a, "{%" PRIu32 ", %" PRId64 ", %" PRId64 "},", channel, rate.peek, rate.pop));
        }
        if (out && w->first)
            VEC_PUSH(a, &ports, arena_printf(a, "{%" PRId64 ", 1},", w->gate));
        if (!out && work_of_prework)
            VEC_PUSH(a, &ports, arena_printf(a, "{%" PRId64 ", 1, 0},", w->gate));
        if ((int64_t)ports.len != start[i])
            ports.data[ports.len - 1] = arena_printf(a, "%s%s", ports.data[ports.len - 1], row_comment(x, w));
    }
    start[r->rows.len] = (int64_t)ports.len;
    if (ports.len == 0)
        VEC_PUSH(a, &ports, out ? "{0, 0}," : "{0, 0, 0},");
    program_table(
        x, arena_printf(a, "%s of each actor: channel, %s.", out ? "Outputs" : "Inputs", out ? "push" : "peek, pop"),
        arena_printf(a, "svm_%sPort %s", out ? "Out" : "", table), &ports);
    program_count_table(x, arena_printf(a, "Where the %s of each actor begin.", out ? "outputs" : "inputs"),
                        arena_printf(a, "%s_%sStart", x->name, out ? "output" : "input"), "int32_t", start,
                        r->rows.len + 1);
}

// Whether no channel holds anything at that time; then there is no table.
static bool no_tokens(program_emitter *x, const rates *r, bool kept)
{
    bool none = !kept || r->gates == 0;
    for (size_t i = 0; i < x->m->channels.len; i++)
        none &= (kept ? x->s->channels[i].remainder : x->s->channels[i].initial) == 0;
    return none;
}

static void emit_tokens(program_emitter *x, const rates *r, bool kept)
{
    size_t n = x->m->channels.len;
    if (no_tokens(x, r, kept))
        return;
    int64_t *values = ARENA_ARRAY(x->e.arena, int64_t, n + r->gates + 1);
    for (size_t i = 0; i < n; i++)
        values[i] = kept ? x->s->channels[i].remainder : x->s->channels[i].initial;
    for (size_t i = 0; i < r->gates; i++)
        values[n + i] = kept;
    program_count_table(x,
                        kept ? "Items in each channel at the end of a steady state."
                             : "Items enqueued in each channel before anything fires.",
                        arena_printf(x->e.arena, "%s_%s", x->name, kept ? "kept" : "enqueued"), "int64_t", values,
                        n + r->gates);
}

// Most firings of each row: of sources what a steady state (or the initialisation) has of them; -1: as its input allows.
static int64_t *limits_of(program_emitter *x, const rates *r, bool started)
{
    int64_t *values = ARENA_ARRAY(x->e.arena, int64_t, r->rows.len + 1);
    for (size_t i = 0; i < r->rows.len; i++) {
        const row *w = &r->rows.data[i];
        int64_t count = started ? x->s->reps[w->actor] : x->s->init[w->actor];
        if (w->first)
            values[i] = started ? 0 : count > 0;
        else if (!x->s->source[w->actor])
            values[i] = -1;
        else
            values[i] = w->gate >= 0 && !started && count > 0 ? count - 1 : count;
    }
    return values;
}

void program_drain_tables(program_emitter *x)
{
    if (!program_has_phases(x))
        return;
    rates r = make_rows(x);
    emit_ports(x, &r, false);
    emit_ports(x, &r, true);
    text_line(x, 0, "/* The source graph, for counting what can still fire when input ends. */");
    size_t table = text_begin_table(x, "static const svm_RateTable %s_rates", x->name);
    text_line(x, 1, "%zu, %zu, %s_inputStart, %s_inputs, %s_outputStart, %s_outputs, NULL,", r.rows.len,
              x->m->channels.len + r.gates, x->name, x->name, x->name, x->name);
    text_end_table(x, table);
    emit_tokens(x, &r, true);
    if (x->has_init)
        emit_tokens(x, &r, false);
    if (r.gates != 0) {
        int64_t *actors = ARENA_ARRAY(x->e.arena, int64_t, r.rows.len);
        for (size_t i = 0; i < r.rows.len; i++)
            actors[i] = r.rows.data[i].actor;
        program_count_table(x, "The actor of each row: one whose first firing has other rates has two.",
                            arena_printf(x->e.arena, "%s_rows", x->name), "int32_t", actors, r.rows.len);
    }
}

void program_order_table(program_emitter *x)
{
    arena *a = x->e.arena;
    rates r = make_rows(x);
    bool kept = !no_tokens(x, &r, true), enqueued = !no_tokens(x, &r, false) && x->has_init;
    program_firing_table(x, "How often each actor fires in a steady state.", arena_printf(a, "%s_steady", x->name),
                         x->s->reps);
    text_line(x, 0, "/* The order of firings in a phase: what of it comes before one that fails. */");
    size_t table = text_begin_table(x, "static const svm_StripOrder %s_order", x->name);
    text_args rows = {0};
    VEC_PUSH(a, &rows, arena_printf(a, ".rates = &%s_rates,", x->name));
    if (kept)
        VEC_PUSH(a, &rows, arena_printf(a, ".kept = %s_kept,", x->name));
    if (enqueued)
        VEC_PUSH(a, &rows, arena_printf(a, ".enqueued = %s_enqueued,", x->name));
    if (r.gates != 0)
        VEC_PUSH(a, &rows, arena_printf(a, ".rows = %s_rows,", x->name));
    VEC_PUSH(a, &rows, arena_printf(a, ".steady = %s_steady,", x->name));
    VEC_PUSH(a, &rows, arena_printf(a, ".actors = %zu,", x->m->actors.len));
    text_rows(x, 1, &rows);
    text_end_table(x, table);
}

static size_t row_of(const rates *r, uint32_t actor, bool first)
{
    for (size_t i = 0; i < r->rows.len; i++)
        if (r->rows.data[i].actor == actor && r->rows.data[i].first == first)
            return i;
    return 0;
}

static void emit_limited(program_emitter *x, const rates *r)
{
    const plan *pl = x->pl;
    // A source starts no further steady state unless each reader has something for it.
    strbuf begun;
    strbuf_init(&begun, x->e.arena);
    for (size_t i = 0; i < pl->readers.len; i++)
        if (x->s->reps[pl->readers.data[i].actor] != 0)
            strbuf_printf(&begun, "%sself->readers[%zu].held > 0", begun.len == 0 ? "" : " && ", i);
    const char *all = begun.len == 0 ? "true" : begun.data;
    if (x->has_init && begun.len != 0)
        all = arena_printf(x->e.arena, "!self->started || (%s)", all);
    text_line(x, 1, "const bool begun = %s;", all);
    text_line(x, 1, "memset(limits, -1, sizeof limits); /* as input allows, but for sources */");
    const int64_t *steady = limits_of(x, r, true), *first = limits_of(x, r, false);
    for (size_t i = 0; i < r->rows.len; i++) {
        if (steady[i] == -1)
            continue;
        const char *limit = arena_printf(x->e.arena, "%" PRId64, steady[i]);
        if (x->has_init && first[i] != steady[i])
            limit = arena_printf(x->e.arena, "self->started ? %s : %" PRId64, limit, first[i]);
        text_line(x, 1, "limits[%zu] = begun ? %s : 0; /* %s */", i, limit,
                  text_comment(x, x->m->actors.data[r->rows.data[i].actor]->name));
    }
    for (size_t i = 0; i < pl->readers.len; i++) {
        size_t at = row_of(r, pl->readers.data[i].actor, false);
        text_line(x, 1, "if (self->readers[%zu].held < limits[%zu])", i, at);
        text_line(x, 2, "limits[%zu] = self->readers[%zu].held;", at, i);
    }
}

// The items in the channels when the drain begins.
static void emit_first_tokens(program_emitter *x, const rates *r)
{
    bool kept = !no_tokens(x, r, true), enqueued = !no_tokens(x, r, false) && x->has_init;
    if (!kept || (!enqueued && x->has_init))
        text_line(x, 1, "memset(tokens, 0, sizeof tokens);");
    if (kept && x->has_init && enqueued)
        text_line(x, 1, "memcpy(tokens, self->started ? %s_kept : %s_enqueued, sizeof tokens);", x->name, x->name);
    else if (kept && x->has_init)
        text_line(x, 1, "if (self->started)\n        memcpy(tokens, %s_kept, sizeof tokens);", x->name);
    else if (kept)
        text_line(x, 1, "memcpy(tokens, %s_kept, sizeof tokens);", x->name);
    else if (enqueued)
        text_line(x, 1, "if (!self->started)\n        memcpy(tokens, %s_enqueued, sizeof tokens);", x->name);
}

bool program_drains(const program_emitter *x)
{
    return x->pl->drains || x->net != NULL || x->library != NULL;
}

void program_drain(program_emitter *x)
{
    if (!program_drains(x))
        return;
    text_line(x, 0, "/* After the end of input: fires what can still fire. */");
    text_line(x, 0, "%svoid %s(void *instance)", program_linkage(x), program_entry(x, "drain"));
    text_line(x, 0, "{");
    if (!x->pl->drains) {
        text_line(x, 1, "(void)instance; /* %s */",
                  x->pl->readers.len == 0 ? "there is no input that could end"
                                          : "what is left of the input comes to no output");
        text_line(x, 0, "}\n");
        return;
    }
    rates r = make_rows(x);
    size_t channels = x->m->channels.len + r.gates;
    text_line(x, 1, "%s *self = instance;", x->type);
    text_line(x, 1, "if (!self->ended)");
    text_line(x, 2, "return;");
    text_line(x, 1, "int64_t limits[%zu], tokens[%zu], counts[%zu]%s;", r.rows.len, channels, x->m->actors.len,
              r.gates != 0 ? " = {0}" : "");
    if (r.gates != 0)
        text_line(x, 1, "int64_t fired[%zu];", r.rows.len);
    emit_limited(x, &r);
    emit_first_tokens(x, &r);
    text_line(x, 1, "svm_exhaust(&%s_rates, tokens, limits, %s);", x->name, r.gates != 0 ? "fired" : "counts");
    if (r.gates != 0)
        text_line(x, 1, "for (size_t i = 0; i < %zu; i++)\n        counts[%s_rows[i]] += fired[i];", r.rows.len,
                  x->name);
    const char *starting = x->has_init ? "!self->started" : "false";
    if (mapped_in_blocks(x))
        text_line(x, 1, "svm_roundFire(self, counts, %s);", starting);
    else
        text_line(x, 1, "%s_fire(self, counts, 0, %s);", x->name, starting);
    text_line(x, 0, "}\n");
}
