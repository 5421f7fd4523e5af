// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams that stay in a local memory from call to call, of machines with one such memory: a call whose streams all fit
// runs where they are.
#include <inttypes.h>

#include "hlc/emit/finite_int.h"

// Bytes that take about as long to come as two more kernels to start, and stop.
static uint64_t worth(const finite_emitter *all)
{
    const machine_processor *p = all->local.data[0]->processor;
    const machine_memory *shared = all->resources->shared;
    double seconds = machine_seconds(p->kernel_start, p->clock) + machine_seconds(p->kernel_stop, p->clock),
           bytes = 2 * seconds * machine_bytes_per_second(shared->sequential, shared->clock);
    return bytes >= 1 && bytes < 1e15 ? (uint64_t)bytes : 1;
}

void finite_home(finite_emitter *all)
{
    program_emitter *x = &all->x;
    if (all->local.len != 1)
        return;
    const plan_processor *p = all->local.data[0];
    all->home = emit_unique_name(&x->e, "home");
    text_line(x, 0, "/* Where streams stay from call to call. */");
    text_line(x, 0, "static const svm_BrookHome %s = {&%s, &%s, &%s, 0, %" PRIu64 ", %zu, %" PRIu64 ", %" PRIu64 "};\n",
              all->home, p->memory->element.name, p->load->element.name, p->store->element.name, p->bytes,
              finite_alignment(all), finite_block_alignment(all), worth(all));
}

bool finite_can_stay(const finite_graph *g)
{
    return g->all->home != NULL && finite_has_strips(g) && g->variable == NULL;
}

void finite_empty(finite_graph *g)
{
    if (g->all->home != NULL && !finite_can_stay(g))
        text_line(g->x, 1, "svm_brookEmpty(&%s);", g->all->home);
}

static void emit_runs(finite_graph *g)
{
    program_emitter *x = g->x;
    text_line(x, 0, "/* Two runs, which take turns, with all of each stream. */");
    text_line(x, 0, "static struct {");
    text_line(x, 1, "bool made;");
    text_line(x, 1, "struct {");
    text_line(x, 2, "%s run;", g->kernel);
    text_line(x, 1, "} strip[2];");
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role != SIR_ITERATOR)
            text_line(x, 1, "svm_Block %s;", p->name);
    text_line(x, 0, "} %s;\n", finite_name(g, "stays"));
}

static void emit_make(finite_graph *g)
{
    program_emitter *x = g->x;
    const char *stays = finite_name(g, "stays");
    text_line(x, 1, "for (int part = 0; part < 2 && !%s.made; part++) {", stays);
    text_line(x, 2, "svm_kernelInit(&%s.strip[part].run.kernel, %s[0].processor, %s, \"%s\");", stays, g->all->places,
              g->run, text_comment(x, g->filter->name));
    text_line(x, 2, "svm_kernelNeverBlocks(&%s.strip[part].run.kernel);", stays);
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role != SIR_ITERATOR)
            text_line(x, 2, "%s.strip[part].run.%s = &%s.%s;", stays, p->name, stays, p->name);
    text_line(x, 1, "}");
    text_line(x, 1, "%s.made = true;", stays);
}

void finite_stay(finite_graph *g)
{
    program_emitter *x = g->x;
    const char *stays = finite_name(g, "stays");
    text_args args = {0};
    emit_runs(g);
    VEC_PUSH(finite_arena(g), &args, arena_printf(finite_arena(g), "const svm_BrookSpace *%s", g->space));
    VEC_PUSH(finite_arena(g), &args, "const svm_BrookStream *streams");
    VEC_PUSH(finite_arena(g), &args, "svm_BrookWalk *walks");
    for (VEC_EACH(const uint32_t, u, &g->uniforms))
        VEC_PUSH(finite_arena(g), &args, finite_uniform_parameter(g, *u));
    text_line(x, 0, "/* The call where its streams stay; false: they do not fit. */");
    text_call(x, 0, arena_printf(finite_arena(g), "static bool %s(", finite_name(g, "stay")), &args, ")");
    text_line(x, 0, "{");
    text_line(x, 1, "svm_BrookStay where;");
    text_line(x, 1, "if (!svm_brookStay(&%s, %s, &%s, streams, walks, &where))", g->table, g->space, g->all->home);
    text_line(x, 2, "return false;");
    emit_make(g);
    for (size_t i = 0; i < g->ports.len; i++)
        if (g->ports.data[i].source->role != SIR_ITERATOR)
            text_line(x, 1, "svm_brookPlaceBlock(&where, %zu, &%s.%s);", i, stays, g->ports.data[i].name);
    text_line(x, 1, "svm_BrookBox box;");
    text_line(x, 1, "int count = 0;");
    text_line(x, 1, "for (; svm_brookNextStay(&where, &box); count++) {");
    text_line(x, 2, "__typeof__(&%s.strip[0]) strip = &%s.strip[count %% 2];", stays, stays);
    text_line(x, 2, "if (count >= 2)");
    text_line(x, 3, "svm_kernelWait(&strip->run.kernel);");
    finite_set_run(g, 2);
    text_line(x, 2, "strip->run.box = box;");
    for (size_t i = 0; g->reduced != NULL && i < g->ports.len; i++)
        if (g->ports.data[i].source->role == SIR_INPUT)
            text_line(x, 2, "strip->run.fold = svm_brookWhole(%s, &walks[%zu]);", g->space, i);
    text_line(x, 2, "svm_kernelRun(&strip->run.kernel);");
    text_line(x, 1, "}");
    text_line(x, 1, "for (int d = count > 2 ? count - 2 : 0; d < count; d++)");
    text_line(x, 2, "svm_kernelWait(&%s.strip[d %% 2].run.kernel);", stays);
    text_line(x, 1, "return true;");
    text_line(x, 0, "}\n");
}
