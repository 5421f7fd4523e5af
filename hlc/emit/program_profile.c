// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program says of itself: the table that tells profiles what each kernel fires in a steady state, and how many
// samples of sound go in and out.
#include <inttypes.h>

#include "hlc/emit/program_int.h"

// A kernel's text as one or more string literals of a line each.
typedef struct fires_text {
    program_emitter *x;
    strbuf line;
    VEC(const char *) lines;
    const char *name;
    bool begun;
} fires_text;

enum { FIRES_COLUMNS = 90 };

static void end_line(fires_text *t)
{
    if (t->line.len > 0)
        VEC_PUSH(t->x->e.arena, &t->lines, arena_printf(t->x->e.arena, "\"%s\"", t->line.data));
    strbuf_init(&t->line, t->x->e.arena);
}

static void add_fires(fires_text *t, const char *name, int64_t times)
{
    if (t->line.len > FIRES_COLUMNS)
        end_line(t);
    strbuf_printf(&t->line, "%s%s %" PRId64, t->begun ? " " : "", name, times);
    t->begun = true;
}

// Of the plan's kernels, which fire actors of a cut graph where the program is cut; names are the whole program's.
static void add_kernel(fires_text *t, const plan_kernel *k)
{
    program_emitter *x = t->x;
    const plan_net *graph = x->p->cut != NULL ? x->p->cut->graph : x->net;
    const sir_module *whole = graph != NULL ? graph->whole : x->m;
    const schedule *s = graph != NULL ? graph->whole_schedule : x->s;
    for (VEC_EACH(const plan_item, item, &k->items))
        for (VEC_EACH(const plan_stage, st, &item->stages))
            for (size_t i = 0; i < plan_stage_members(st); i++) {
                uint32_t actor = plan_stage_member(st, i).actor;
                uint32_t of = graph != NULL ? graph->actor_of[actor] : actor;
                if (of != SIR_NONE && whole->actors.data[of]->kind == SIR_FILTER)
                    add_fires(t, whole->actors.data[of]->name, s->reps[of]);
            }
}

static void begin_kernel(fires_text *t, program_emitter *x, const char *name)
{
    *t = (fires_text){.x = x, .name = name};
    strbuf_init(&t->line, x->e.arena);
}

static void end_kernel(fires_text *t)
{
    if (!t->begun)
        strbuf_add(&t->line, " "); // copies only
    end_line(t);
    text_line(t->x, 1, "{\"%s\", %s%s", t->name, t->lines.data[0], t->lines.len == 1 ? "}," : "");
    for (size_t i = 1; i < t->lines.len; i++)
        text_line(t->x, 2, "%s%s", t->lines.data[i], i + 1 == t->lines.len ? "}," : "");
}

void program_fires(program_emitter *x)
{
    text_line(x, 0, "static const svm_KernelFires %s_fires[] = { /* in a steady state, for profiles */", x->name);
    fires_text t;
    for (VEC_EACH(const plan_kernel, k, &x->pl->kernels)) {
        begin_kernel(&t, x, k->name);
        add_kernel(&t, k);
        end_kernel(&t);
    }
    for (size_t i = 0; x->net != NULL && i < x->net->kernels.len; i++) {
        const plan_net_kernel *kernel = &x->net->kernels.data[i];
        if (!kernel->dynamic)
            continue;
        const char *name = x->net->whole->actors.data[kernel->actors.data[0]]->name;
        begin_kernel(&t, x, name);
        add_fires(&t, name, x->net->whole_schedule->reps[kernel->actors.data[0]]);
        end_kernel(&t);
    }
    text_line(x, 1, "{NULL, NULL}};\n");
}

// Samples an item; 0: it is none.
static int64_t samples_of(const sir_type *t)
{
    bool sample = t->kind == SIR_INT || t->kind == SIR_FLOAT || t->kind == SIR_DOUBLE;
    return sample ? 1 : t->kind == SIR_COMPLEX ? 2 : 0;
}

void program_samples(program_emitter *x, text_args *rows)
{
    const plan_net *graph = x->p->cut != NULL ? x->p->cut->graph : x->net;
    const sir_module *m = graph != NULL ? graph->whole : x->m;
    const schedule *s = graph != NULL ? graph->whole_schedule : x->s;
    int64_t in = 0, out = 0;
    bool pairs = false;
    for (uint32_t i = 0; i < m->actors.len && !s->dynamic; i++) {
        const sir_actor *a = m->actors.data[i];
        if (a->path != NULL)
            continue;
        if (a->kind == SIR_READER)
            in = s->reps[i] * samples_of(a->item);
        if (a->kind == SIR_WRITER) {
            out = s->reps[i] * samples_of(a->item);
            pairs = a->item->kind == SIR_COMPLEX;
        }
    }
    if (in == 0 || out == 0)
        return;
    VEC_PUSH(x->e.arena, rows, arena_printf(x->e.arena, ".samples_in = %" PRId64 ",", in));
    VEC_PUSH(x->e.arena, rows, arena_printf(x->e.arena, ".samples_out = %" PRId64 ",", out));
    if (pairs)
        VEC_PUSH(x->e.arena, rows, ".pairs_out = true,");
}
