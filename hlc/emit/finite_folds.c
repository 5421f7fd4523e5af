// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions on processors with memories of their own: tiles of results, past which engines bring the elements.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/finite_int.h"

static size_t number_of(const finite_graph *g, const finite_port *p)
{
    return (size_t)(p - g->ports.data);
}

// Whether all engines can move rows that lie apart.
static bool is_strided(const finite_emitter *all)
{
    for (VEC_EACH(const plan_processor *const, p, &all->local))
        if (((*p)->load->transfer_kinds >> MACHINE_transfer_STRIDED & 1) == 0)
            return false;
    return true;
}

// Results that are stored in fewer bits than they are computed in must not be so in between.
static bool is_narrow(const finite_graph *g)
{
    return g->reduced->source->stored != NULL && strpbrk(g->reduced->source->stored, "cbxy") != NULL;
}

static void emit_struct(finite_graph *g)
{
    program_emitter *x = g->x;
    const char *in = finite_input(g)->name, *out = g->reduced->name;
    size_t n = g->all->local.len;
    text_line(x, 0,
              "/* A run with its window, the same place in the stream, and what moves it: as it is, or row by row. */");
    text_line(x, 0, "typedef struct {");
    text_line(x, 1, "%s run;", g->kernel);
    text_line(x, 1, "svm_Block %s, %s_there;", in, in);
    text_line(x, 1, "svm_MoveB2B %s_load;", in);
    if (is_strided(g->all))
        text_line(x, 1, "svm_GatherStridedB2B %s_rows;", in);
    text_line(x, 0, "} %s;\n", finite_name(g, "Strip"));
    text_line(x, 0, "/* Two a processor, and two places for results, which take turns. */");
    text_line(x, 0, "static struct {");
    text_line(x, 1, "bool made;");
    text_line(x, 1, "%s strip[%zu][2];", finite_name(g, "Strip"), n);
    text_line(x, 1, "svm_Block %s[%zu][2], %s_there[%zu][2];", out, n, out, n);
    text_line(x, 1, "svm_MoveB2B %s_store[%zu][2];", out, n);
    finite_gather_blocks(g);
    text_line(x, 0, "} %s;\n", finite_name(g, "strips"));
}

static void emit_make(finite_graph *g)
{
    program_emitter *x = g->x;
    arena *a = finite_arena(g);
    const finite_port *in = finite_input(g), *out = g->reduced;
    const char *strips = finite_name(g, "strips"), *places = g->all->places;
    finite_begin_make(g);
    finite_make_load(g, in);
    if (is_strided(g->all)) {
        text_line(x, 3, "svm_gatherStridedB2BInit(&strip->%s_rows, %s[q].load, &strip->%s_there, &strip->%s, 1, 1, 1);",
                  in->name, places, in->name, in->name);
        text_line(x, 3, "svm_kernelAddDependence(&strip->run.kernel, &strip->%s_rows.kernel);", in->name);
    }
    finite_first_block(g, 3, out, arena_printf(a, "%s.%s[q][part]", strips, out->name),
                       arena_printf(a, "%s.%s_there[q][part]", strips, out->name));
    text_line(x, 3, "svm_moveB2BInit(&%s.%s_store[q][part], %s[q].store, &%s.%s[q][part], &%s.%s_there[q][part]);",
              strips, out->name, places, strips, out->name, strips, out->name);
    text_line(x, 2, "}");
    text_line(x, 2, "for (int part = 0; part < 2; part++) { /* one run goes on where the other ended */");
    text_line(x, 3, "svm_kernelAddDependence(&%s.strip[q][part].run.kernel, &%s.strip[q][1 - part].run.kernel);",
              strips, strips);
    text_line(x, 3, "svm_kernelAddDependence(&%s.%s_store[q][part].kernel, &%s.strip[q][0].run.kernel);", strips,
              out->name, strips);
    text_line(x, 3, "svm_kernelAddDependence(&%s.%s_store[q][part].kernel, &%s.strip[q][1].run.kernel);", strips,
              out->name, strips);
    text_line(x, 2, "}");
    text_line(x, 1, "}");
    text_line(x, 1, "%s.made = true;", strips);
    text_line(x, 0, "}\n");
}

// The results of a new tile, and the next elements.
static void emit_blocks(finite_graph *g)
{
    program_emitter *x = g->x;
    const finite_port *in = finite_input(g), *out = g->reduced;
    const char *strips = finite_name(g, "strips"), *places = g->all->places, *shared = finite_memory(g);
    text_line(x, 3, "if (step[q].runs > 2)");
    text_line(x, 4, "svm_kernelWait(&strip->run.kernel);");
    text_line(x, 3, "const svm_BrookReach tile = svm_brookReach(&%s, %zu, %s, &layout, &step[q].tile, walks);",
              g->table, number_of(g, out), g->space);
    text_line(x, 3, "if (step[q].opens) {");
    text_line(x, 4, "if (step[q].tiles > 2)");
    text_line(x, 5, "svm_kernelWait(&%s.%s_store[q][place].kernel);", strips, out->name);
    text_line(x, 4, "svm_blockInit(&%s.%s_there[q][place], %s, tile.address, tile.bytes, 1);", strips, out->name,
              shared);
    text_line(x, 4, "svm_blockInit(&%s.%s[q][place], %s[q].memory,", strips, out->name, places);
    text_line(x, 4, "              %s[q].begin + layout.results + (size_t)place * layout.result, tile.bytes, 1);",
              places);
    text_line(x, 4, "svm_blockName(&%s.%s[q][place], \"%s\");", strips, out->name, text_comment(x, out->source->name));
    text_line(x, 3, "}");
    text_line(x, 3, "const svm_BrookRows rows = svm_brookReachFold(&%s, %s, &layout, &step[q], walks);", g->table,
              g->space);
    text_line(x, 3,
              "svm_blockInit(&strip->%s_there, %s, rows.address, (rows.count - 1) * rows.stride + rows.bytes, 1);",
              in->name, shared);
    text_line(x, 3, "svm_blockInit(&strip->%s, %s[q].memory,", in->name, places);
    text_line(x, 3,
              "              %s[q].begin + layout.windows + (size_t)part * layout.window, rows.count * rows.bytes, 1);",
              places);
    text_line(x, 3, "svm_blockName(&strip->%s, \"%s\");", in->name, text_comment(x, in->source->name));
    if (!is_strided(g->all)) {
        text_line(x, 3, "svm_kernelRun(&strip->%s_load.kernel);", in->name);
        return;
    }
    text_line(x, 3, "if (rows.count == 1) {");
    text_line(x, 4, "svm_kernelRun(&strip->%s_load.kernel);", in->name);
    text_line(x, 3, "} else {");
    text_line(x, 4, "strip->%s_rows.records = rows.bytes;", in->name);
    text_line(x, 4, "strip->%s_rows.stride = rows.stride;", in->name);
    text_line(x, 4, "strip->%s_rows.repeats = rows.count;", in->name);
    text_line(x, 4, "svm_kernelRun(&strip->%s_rows.kernel);", in->name);
    text_line(x, 3, "}");
}

static void emit_step(finite_graph *g)
{
    program_emitter *x = g->x;
    const char *strips = finite_name(g, "strips"), *out = g->reduced->name;
    text_line(x, 3, "const ptrdiff_t part = step[q].runs %% 2, place = step[q].tiles %% 2;");
    text_line(x, 3, "%s *strip = &%s.strip[q][part];", finite_name(g, "Strip"), strips);
    emit_blocks(g);
    text_line(x, 3, "strip->run.%s = &%s.%s[q][place];", out, strips, out);
    finite_set_run(g, 3);
    text_line(x, 3, "strip->run.box = step[q].box;");
    text_line(x, 3, "strip->run.fold = step[q].fold;");
    text_line(x, 3, "svm_kernelRun(&strip->run.kernel);");
    text_line(x, 3, "if (step[q].closes)");
    text_line(x, 4, "svm_kernelRun(&%s.%s_store[q][place].kernel);", strips, out);
}

static void emit_spread(finite_graph *g)
{
    program_emitter *x = g->x;
    size_t n = g->all->local.len;
    const char *strips = finite_name(g, "strips");
    text_line(x, 0, "/* The call tile by tile, on all processors; false: a gathered stream does not fit. */");
    finite_begin_spread(g);
    text_line(x, 1, "svm_BrookWindow windows[%zu];", g->ports.len);
    text_line(x, 1, "svm_BrookLayout layout;");
    text_line(x, 1,
              "if (!svm_brookLayOutFold(&%s, %s, walks, %" PRIu64 ", %" PRIu64 ", %zu, %s, %s, windows, &layout))",
              g->table, g->space, finite_local_bytes(g->all), finite_block_alignment(g->all), n,
              is_strided(g->all) ? "true" : "false", is_narrow(g) ? "true" : "false");
    text_line(x, 2, "return false;");
    text_line(x, 1, "if (!%s.made)", strips);
    text_line(x, 2, "%s(walks);", finite_name(g, "makeStrips"));
    text_line(x, 1, "svm_BrookBox box = {0};");
    finite_load_gathers(g);
    text_line(x, 1, "svm_BrookStep step[%zu];", n);
    text_line(x, 1, "memset(step, 0, sizeof step);");
    text_line(x, 1, "for (bool more = true; more;) {");
    text_line(x, 2, "more = false;");
    text_line(x, 2, "for (int q = 0; q < %zu; q++) {", n);
    text_line(x, 3, "if (!svm_brookNextStep(&%s, %s, &layout, walks, &box, &step[q]))", g->table, g->space);
    text_line(x, 4, "continue;");
    text_line(x, 3, "more = true;");
    emit_step(g);
    text_line(x, 2, "}");
    text_line(x, 1, "}");
    text_line(x, 1, "for (int q = 0; q < %zu; q++)", n);
    text_line(x, 2, "for (ptrdiff_t tile = step[q].tiles; tile > 0 && tile > step[q].tiles - 2; tile--)");
    text_line(x, 3, "svm_kernelWait(&%s.%s_store[q][tile %% 2].kernel);", strips, g->reduced->name);
    finite_wait_gathers(g);
    text_line(x, 1, "return true;");
    text_line(x, 0, "}\n");
}

void finite_folds(finite_graph *g)
{
    emit_struct(g);
    emit_make(g);
    emit_spread(g);
}
