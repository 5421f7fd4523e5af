// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps on processors with memories of their own: strips, which engines move there and back.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/finite_int.h"
#include "hlc/ir/walk.h"
#include "hlc/plan/threads.h"

static bool stays(const finite_port *p)
{
    return p->source->role == SIR_GATHER && p->near == NULL;
}

static bool is_stored(const finite_port *p)
{
    return p->source->role == SIR_OUTPUT || p->source->role == SIR_VARIABLE;
}

static bool is_moved(const finite_port *p)
{
    return p->source->role == SIR_INPUT || is_stored(p) || p->near != NULL;
}

static bool is_loaded(const finite_port *p)
{
    return p->source->role == SIR_INPUT || p->loaded || p->near != NULL;
}

// ---- Where strips are worked on ----

uint64_t finite_local_bytes(const finite_emitter *all)
{
    uint64_t least = UINT64_MAX;
    for (VEC_EACH(const plan_processor *const, p, &all->local))
        least = (*p)->bytes < least ? (*p)->bytes : least;
    return least;
}

size_t finite_alignment(const finite_emitter *all)
{
    uint64_t most = 4;
    for (VEC_EACH(const plan_processor *const, p, &all->local))
        most = (*p)->transfer_alignment > most ? (*p)->transfer_alignment : most;
    return (size_t)most;
}

uint64_t finite_block_alignment(const finite_emitter *all)
{
    uint64_t most = 4;
    for (VEC_EACH(const plan_processor *const, p, &all->local))
        most = (*p)->memory->alignment > most ? (*p)->memory->alignment : most;
    return most;
}

// Processors that share a memory have a part of it each.
void finite_places(finite_emitter *all)
{
    program_emitter *x = &all->x;
    if (all->local.len == 0)
        return;
    all->places = emit_unique_name(&x->e, "places");
    text_line(x, 0,
              "/* Where strips are worked on, what moves elements there and back, and where in its memory each may "
              "begin. */");
    text_line(x, 0, "static const struct {");
    text_line(x, 1, "mm_Proc processor, load, store;");
    text_line(x, 1, "mm_Mem memory;");
    text_line(x, 1, "size_t begin;");
    text_line(x, 0, "} %s[] = {", all->places);
    for (size_t i = 0; i < all->local.len; i++) {
        const plan_processor *p = all->local.data[i];
        uint64_t begin = 0;
        for (size_t k = 0; k < i; k++)
            begin += all->local.data[k]->memory == p->memory ? p->bytes : 0;
        text_line(x, 1, "{&%s, &%s, &%s, &%s, %" PRIu64 "},", p->processor->element.name, p->load->element.name,
                  p->store->element.name, p->memory->element.name, begin);
    }
    text_line(x, 0, "};\n");
    finite_home(all);
}

// ---- Runs ----

void finite_gather_blocks(finite_graph *g)
{
    program_emitter *x = g->x;
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (stays(p)) {
            text_line(x, 1, "svm_Block %s[%zu], %s_there;", p->name, g->all->local.len, p->name);
            text_line(x, 1, "svm_MoveB2B %s_load[%zu];", p->name, g->all->local.len);
        }
}

static void emit_struct(finite_graph *g)
{
    program_emitter *x = g->x;
    bool gathers = false;
    text_line(x, 0, "/* A strip with its windows, the same places in the streams, and what moves them. */");
    text_line(x, 0, "typedef struct {");
    text_line(x, 1, "%s run;", g->kernel);
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        gathers = gathers || stays(p);
        if (!is_moved(p))
            continue;
        text_line(x, 1, "svm_Block %s, %s_there;", p->name, p->name);
        if (is_loaded(p))
            text_line(x, 1, "svm_MoveB2B %s_load;", p->name);
        if (is_stored(p))
            text_line(x, 1, "svm_MoveB2B %s_store;", p->name);
    }
    text_line(x, 0, "} %s;\n", finite_name(g, "Strip"));
    text_line(x, 0, "/* Two a processor, which take turns%s. */",
              gathers ? "; streams that are gathered from anywhere stay in its memory" : "");
    text_line(x, 0, "static struct {");
    text_line(x, 1, "bool made;");
    text_line(x, 1, "%s strip[%zu][2];", finite_name(g, "Strip"), g->all->local.len);
    finite_gather_blocks(g);
    text_line(x, 0, "} %s;\n", finite_name(g, "strips"));
}

// What is moved needs blocks from the beginning: any, until the first call says which.
void finite_first_block(finite_graph *g, int indent, const finite_port *p, const char *local, const char *there)
{
    text_line(g->x, indent, "svm_blockInit(&%s, %s[q].memory, %s[q].begin, 1, 1);", local, g->all->places,
              g->all->places);
    if (p->source->role == SIR_VARIABLE)
        text_line(g->x, indent, "svm_blockInit(&%s, %s, memory, 1, 1);", there, finite_memory(g));
    else
        text_line(g->x, indent, "svm_blockInit(&%s, %s, walks[%zu].address, 1, 1);", there, finite_memory(g),
                  (size_t)(p - g->ports.data));
}

static void make_gathers(finite_graph *g)
{
    program_emitter *x = g->x;
    arena *a = finite_arena(g);
    const char *strips = finite_name(g, "strips"), *places = g->all->places;
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (stays(p)) {
            finite_first_block(g, 2, p, arena_printf(a, "%s.%s[q]", strips, p->name),
                               arena_printf(a, "%s.%s_there", strips, p->name));
            text_line(x, 2, "svm_moveB2BInit(&%s.%s_load[q], %s[q].load, &%s.%s_there, &%s.%s[q]);", strips, p->name,
                      places, strips, p->name, strips, p->name);
        }
}

static void use_gathers(finite_graph *g)
{
    const char *strips = finite_name(g, "strips");
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (stays(p)) {
            text_line(g->x, 3, "strip->run.%s = &%s.%s[q];", p->name, strips, p->name);
            text_line(g->x, 3, "svm_kernelAddDependence(&strip->run.kernel, &%s.%s_load[q].kernel);", strips, p->name);
        }
}

void finite_begin_make(finite_graph *g)
{
    program_emitter *x = g->x;
    const char *strips = finite_name(g, "strips"), *places = g->all->places;
    text_line(x, 0, "static void %s(const svm_BrookWalk *walks%s)", finite_name(g, "makeStrips"),
              g->variable != NULL ? ", size_t memory" : "");
    text_line(x, 0, "{");
    text_line(x, 1, "for (int q = 0; q < %zu; q++) {", g->all->local.len);
    make_gathers(g);
    text_line(x, 2, "for (int part = 0; part < 2; part++) {");
    text_line(x, 3, "%s *strip = &%s.strip[q][part];", finite_name(g, "Strip"), strips);
    text_line(x, 3, "svm_kernelInit(&strip->run.kernel, %s[q].processor, %s, \"%s\");", places, g->run,
              text_comment(x, g->filter->name));
    text_line(x, 3, "svm_kernelNeverBlocks(&strip->run.kernel);");
    use_gathers(g);
}

void finite_make_load(finite_graph *g, const finite_port *p)
{
    program_emitter *x = g->x;
    arena *a = finite_arena(g);
    text_line(x, 3, "strip->run.%s = &strip->%s;", p->name, p->name);
    finite_first_block(g, 3, p, arena_printf(a, "strip->%s", p->name), arena_printf(a, "strip->%s_there", p->name));
    if (!is_loaded(p))
        return;
    text_line(x, 3, "svm_moveB2BInit(&strip->%s_load, %s[q].load, &strip->%s_there, &strip->%s);", p->name,
              g->all->places, p->name, p->name);
    text_line(x, 3, "svm_kernelAddDependence(&strip->run.kernel, &strip->%s_load.kernel);", p->name);
}

static void emit_make(finite_graph *g)
{
    program_emitter *x = g->x;
    const char *strips = finite_name(g, "strips"), *places = g->all->places;
    finite_begin_make(g);
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        if (!is_moved(p))
            continue;
        finite_make_load(g, p);
        if (is_stored(p)) {
            text_line(x, 3, "svm_moveB2BInit(&strip->%s_store, %s[q].store, &strip->%s, &strip->%s_there);", p->name,
                      places, p->name, p->name);
            text_line(x, 3, "svm_kernelAddDependence(&strip->%s_store.kernel, &strip->run.kernel);", p->name);
        }
    }
    text_line(x, 2, "}");
    text_line(x, 1, "}");
    text_line(x, 1, "%s.made = true;", strips);
    text_line(x, 0, "}\n");
}

// ---- A call ----

// For what a strip writes; what it pushed is kept.
static void emit_waits(finite_graph *g, int indent)
{
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (is_stored(p))
            text_line(g->x, indent, "svm_kernelWait(&strip->%s_store.kernel);", p->name);
    if (g->variable != NULL)
        text_line(g->x, indent, "complete = svm_brookKeep(&kept, &strip->%s_there, sizeof(%s)) && complete;",
                  g->variable->name, g->variable->element);
}

void finite_load_gathers(finite_graph *g)
{
    program_emitter *x = g->x;
    const char *strips = finite_name(g, "strips"), *places = g->all->places;
    bool any = false;
    for (size_t i = 0; i < g->ports.len; i++) {
        const finite_port *p = &g->ports.data[i];
        if (!stays(p))
            continue;
        any = true;
        text_line(x, 1, "const svm_BrookReach %s = svm_brookReach(&%s, %zu, %s, &layout, &box, walks);", p->name,
                  g->table, i, g->space);
        text_line(x, 1, "svm_blockInit(&%s.%s_there, %s, %s.address, %s.bytes, 1);", strips, p->name, finite_memory(g),
                  p->name, p->name);
    }
    if (!any)
        return;
    text_line(x, 1, "for (int q = 0; q < %zu; q++) {", g->all->local.len);
    for (size_t i = 0; i < g->ports.len; i++) {
        const finite_port *p = &g->ports.data[i];
        if (!stays(p))
            continue;
        text_line(x, 2, "svm_blockInit(&%s.%s[q], %s[q].memory, %s[q].begin + windows[%zu].offset, %s.bytes, 1);",
                  strips, p->name, places, places, i, p->name);
        text_line(x, 2, "svm_kernelRun(&%s.%s_load[q].kernel);", strips, p->name);
    }
    text_line(x, 1, "}");
}

// Engines of processors that got no strip have loaded all the same.
void finite_wait_gathers(finite_graph *g)
{
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (stays(p)) {
            text_line(g->x, 1, "for (int q = 0; q < %zu; q++)", g->all->local.len);
            text_line(g->x, 2, "svm_kernelWait(&%s.%s_load[q].kernel);", finite_name(g, "strips"), p->name);
        }
}

// Walks, uniforms and space.
void finite_set_run(finite_graph *g, int indent)
{
    program_emitter *x = g->x;
    for (size_t i = 0; i < g->ports.len; i++)
        if (g->ports.data[i].source->role != SIR_VARIABLE)
            text_line(x, indent, "strip->run.%s = walks[%zu];", g->ports.data[i].walk, i);
    for (VEC_EACH(const uint32_t, u, &g->uniforms)) {
        const char *name = g->info->field_names.data[*u];
        if (g->filter->fields.data[*u].type->kind == SIR_STRUCT)
            text_line(x, indent, "memcpy(&strip->run.%s, %s, sizeof strip->run.%s);", name, name, name);
        else
            text_line(x, indent, "strip->run.%s = %s;", name, name);
    }
    text_line(x, indent, "strip->run.%s = *%s;", g->space, g->space);
}

// Where strips push to, and where that is moved to: a place for each strip that is on its way.
static void emit_pushed_window(finite_graph *g, size_t i)
{
    program_emitter *x = g->x;
    const char *name = g->variable->name;
    text_line(x, 2, "svm_blockInit(&strip->%s_there, %s, memory + (size_t)(q * 2 + part) * windows[%zu].bytes,", name,
              finite_memory(g), i);
    text_line(x, 2, "              windows[%zu].bytes, 1);", i);
    text_line(x, 2, "svm_blockInit(&strip->%s, %s[q].memory, first + windows[%zu].offset, windows[%zu].bytes, 1);",
              name, g->all->places, i, i);
    text_line(x, 2, "svm_blockName(&strip->%s, \"%s\");", name, text_comment(x, g->variable->source->name));
    text_line(x, 2, "strip->run.header = SVM_BROOK_HEADER;");
    text_line(x, 2, "strip->run.room = (ptrdiff_t)((windows[%zu].bytes - SVM_BROOK_HEADER) / sizeof(%s));", i,
              g->variable->element);
}

static void emit_strip(finite_graph *g)
{
    program_emitter *x = g->x;
    const char *places = g->all->places, *shared = finite_memory(g);
    text_line(x, 2, "const size_t first = %s[q].begin + layout.windows + (size_t)part * layout.window;", places);
    bool moves = false;
    for (size_t i = 0; i < g->ports.len; i++) {
        const finite_port *p = &g->ports.data[i];
        if (p->source->role == SIR_VARIABLE)
            emit_pushed_window(g, i);
        else if (is_moved(p)) {
            text_line(x, 2, "%s = svm_brookReach(&%s, %zu, %s, &layout, &box, walks);",
                      moves ? "place" : "svm_BrookReach place", g->table, i, g->space);
            moves = true;
            text_line(x, 2, "svm_blockInit(&strip->%s_there, %s, place.address, place.bytes, 1);", p->name, shared);
            text_line(x, 2, "svm_blockInit(&strip->%s, %s[q].memory, first + windows[%zu].offset, place.bytes, 1);",
                      p->name, places, i);
            text_line(x, 2, "svm_blockName(&strip->%s, \"%s\");", p->name, text_comment(x, p->source->name));
            if (is_loaded(p))
                text_line(x, 2, "svm_kernelRun(&strip->%s_load.kernel);", p->name);
        }
    }
    finite_set_run(g, 2);
    text_line(x, 2, "strip->run.box = box;");
    text_line(x, 2, "svm_kernelRun(&strip->run.kernel);");
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (is_stored(p))
            text_line(x, 2, "svm_kernelRun(&strip->%s_store.kernel);", p->name);
}

void finite_begin_spread(finite_graph *g)
{
    text_args args = {0};
    VEC_PUSH(finite_arena(g), &args, arena_printf(finite_arena(g), "const svm_BrookSpace *%s", g->space));
    VEC_PUSH(finite_arena(g), &args, "svm_BrookWalk *walks");
    for (VEC_EACH(const uint32_t, u, &g->uniforms))
        VEC_PUSH(finite_arena(g), &args, finite_uniform_parameter(g, *u));
    if (g->variable != NULL) {
        VEC_PUSH(finite_arena(g), &args, "const svm_BrookPlace *at");
        VEC_PUSH(finite_arena(g), &args, arena_printf(finite_arena(g), "svm_BrookStream *%s", g->variable->name));
    }
    text_call(g->x, 0, arena_printf(finite_arena(g), "static bool %s(", finite_name(g, "spread")), &args, ")");
    text_line(g->x, 0, "{");
}

static void emit_spread(finite_graph *g)
{
    program_emitter *x = g->x;
    const char *strips = finite_name(g, "strips");
    size_t n = g->all->local.len;
    text_line(x, 0, "/* The call strip by strip, on all processors in turn; false: %s. */",
              g->variable == NULL ? "a gathered stream does not fit"
                                  : "there is no room for what is gathered or pushed");
    finite_begin_spread(g);
    text_line(x, 1, "svm_BrookWindow windows[%zu];", g->ports.len);
    text_line(x, 1, "svm_BrookLayout layout;");
    text_line(x, 1, "if (!svm_brookLayOut(&%s, %s, walks, %" PRIu64 ", %" PRIu64 ", %zu, windows, &layout))", g->table,
              g->space, finite_local_bytes(g->all), finite_block_alignment(g->all), n);
    text_line(x, 2, "return false;");
    const size_t pushed = g->variable == NULL ? 0 : (size_t)(g->variable - g->ports.data);
    const char *shared = finite_memory(g);
    if (g->variable != NULL) {
        text_line(x, 1, "const size_t memory = svm_alloc(%s, windows[%zu].bytes * %zu);", shared, pushed, 2 * n);
        text_line(x, 1, "svm_BrookKept kept = {0};");
        text_line(x, 1, "bool complete = true;");
    }
    text_line(x, 1, "if (!%s.made)", strips);
    text_line(x, 2, "%s(walks%s);", finite_name(g, "makeStrips"), g->variable != NULL ? ", memory" : "");
    text_line(x, 1, "svm_BrookBox box = {0};");
    finite_load_gathers(g);
    text_line(x, 1, "int count = 0;");
    text_line(x, 1, "for (; svm_brookNextStrip(%s, &layout, &box); count++) {", g->space);
    text_line(x, 2, "const int q = count %% %zu, part = count / %zu %% 2;", n, n);
    text_line(x, 2, "%s *strip = &%s.strip[q][part];", finite_name(g, "Strip"), strips);
    text_line(x, 2, "if (count >= %zu) {", 2 * n);
    emit_waits(g, 3);
    text_line(x, 2, "}");
    emit_strip(g);
    text_line(x, 1, "}");
    text_line(x, 1, "for (int d = count > %zu ? count - %zu : 0; d < count; d++) {", 2 * n, 2 * n);
    text_line(x, 2, "%s *strip = &%s.strip[d %% %zu][d / %zu %% 2];", finite_name(g, "Strip"), strips, n, n);
    emit_waits(g, 2);
    text_line(x, 1, "}");
    finite_wait_gathers(g);
    if (g->variable == NULL) {
        text_line(x, 1, "return true;");
    } else {
        text_line(x, 1, "svm_free(%s, memory);", shared);
        text_line(x, 1, "svm_brookGiveKept(at, &%s[%zu], %s, %s, &kept, complete);", g->ports_table, pushed, g->space,
                  g->variable->name);
        text_line(x, 1, "return complete;");
    }
    text_line(x, 0, "}\n");
}

void finite_strips(finite_graph *g)
{
    if (finite_can_stay(g))
        finite_stay(g);
    if (g->reduced != NULL) {
        finite_folds(g);
        return;
    }
    emit_struct(g);
    emit_make(g);
    emit_spread(g);
    finite_rows_function(g);
}

bool finite_has_strips(const finite_graph *g)
{
    return g->all->local.len > 0 && g->is_able && g->filter->prework == NULL;
}

// Seconds a firing takes where all of some processors share the work.
static double firing_seconds(const finite_graph *g, bool direct)
{
    double speed = 0;
    const finite_emitter *all = g->all;
    const size_t count = direct ? all->direct.len : all->local.len;
    for (size_t i = 0; i < count; i++) {
        const plan_processor *p = direct ? all->direct.data[i] : all->local.data[i];
        double seconds = plan_fallback_seconds(finite_arena(g), g->filter, p->processor);
        speed += seconds > 0 ? 1 / seconds : 0;
    }
    return speed > 0 ? 1 / speed : 0;
}

static void note_loop(void *context, sir_stmt *s)
{
    bool *loops = context;
    *loops = *loops || s->kind == SIR_FOR || s->kind == SIR_LOOP || s->kind == SIR_CALL;
}

// How long loops take is not known where what they count to is not: then strips are taken for good.
const char *finite_cost(const finite_graph *g)
{
    bool loops = false;
    sir_visit_stmts((sir_block *)&g->filter->work->body, note_loop, &loops);
    if (!finite_has_strips(g) || loops)
        return "{0}";
    const plan_processor *p = g->all->local.data[0];
    const machine_memory *shared = g->all->resources->shared;
    double start = 0, bandwidth = machine_bytes_per_second(shared->sequential, shared->clock);
    const machine_processor *each[] = {p->processor, p->load, p->store};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        start += machine_seconds(each[i]->kernel_start, each[i]->clock) +
                 machine_seconds(each[i]->kernel_stop, each[i]->clock);
    return arena_printf(finite_arena(g), "{%.4g, %.4g, %.4g, %.4g}", 1e9 * firing_seconds(g, true),
                        1e9 * firing_seconds(g, false), 1e9 * start,
                        bandwidth > 0 && bandwidth < 1e18 ? 1e9 / bandwidth : 0);
}

// "if (saxpy_spread(&space, walks, k))", after which the call is done.
static void add_uniforms(finite_graph *g, strbuf *b)
{
    for (VEC_EACH(const uint32_t, u, &g->uniforms))
        strbuf_printf(b, ", %s", g->info->field_names.data[*u]);
}

const char *finite_spread_call(finite_graph *g)
{
    strbuf b;
    strbuf_init(&b, finite_arena(g));
    if (finite_can_stay(g)) {
        strbuf_printf(&b, "%s(&%s, streams, walks", finite_name(g, "stay"), g->space);
        add_uniforms(g, &b);
        strbuf_add(&b, ") || ");
    }
    strbuf_printf(&b, "%s(&%s, walks", finite_name(g, "spread"), g->space);
    add_uniforms(g, &b);
    if (g->variable != NULL)
        strbuf_printf(&b, ", at, %s", g->variable->name);
    strbuf_addc(&b, ')');
    return b.data;
}
