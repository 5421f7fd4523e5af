// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The high-level compiler, top to bottom: sources, syntax tree, stream IR, passes, plan, SVM C.
#include <string.h>

#include "hlc/brook/brook.h"
#include "hlc/elaborate/elaborate.h"
#include "hlc/emit/body.h"
#include "hlc/emit/finite.h"
#include "hlc/emit/program.h"
#include "hlc/hlc.h"
#include "hlc/interp/interp.h"
#include "hlc/ir/graph.h"
#include "hlc/ir/sir.h"
#include "hlc/passes/pass.h"
#include "hlc/pipeline.h"
#include "hlc/plan/plan.h"
#include "hlc/plan/profile.h"
#include "hlc/report/report.h"
#include "hlc/schedule/schedule.h"
#include "lang/streamit/streamit.h"
#include "targets/machine.h"

static bool has_suffix(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcmp(name + n - m, suffix) == 0;
}

// ---- Text to stream IR ----

static bool is_stream_ir(const hlc_program *p, const source_id *files, size_t count)
{
    if (p->config->stream_ir)
        return true;
    const char *name = count == 1 ? source_get(p->sources, files[0])->name : "";
    return has_suffix(name, ".sir") || has_suffix(name, ".plan");
}

// Stream IR, and a plan behind it if the text goes on.
static bool read_stream_ir(hlc_program *p, source_id file)
{
    stage_mark mark = stage_begin(p);
    uint32_t end;
    p->module = sir_parse_prefix(p->arena, p->names, p->diag, file, &end);
    stage_end(p, mark, "read stream IR");
    if (p->module == NULL || !sir_verify(p->module, p->diag))
        return false;
    if (end < source_get(p->sources, file)->len) {
        p->schedule = schedule_compute(p->arena, p->diag, p->sources, p->module);
        sir_find_byte_bits(p->module);
        if (p->schedule != NULL)
            p->plan = plan_parse(p, file, end);
        bool right = p->plan != NULL && plan_verify(p->arena, p->diag, p->plan, p->module, p->schedule);
        if (p->plan != NULL)
            p->plan->lines = NULL; // passes change what they number
        return right;
    }
    return true;
}

ast_program *pipeline_read(hlc_program *p, const source_id *files, size_t count, bool tests)
{
    stage_mark mark = stage_begin(p);
    const streamit_path path = {p->config->import_path, p->config->import_folders, p->config->defines,
                                p->config->define_count};
    ast_program *program = streamit_parse(p->arena, p->names, p->diag, files, count, &path);
    stage_end(p, mark, "parse");
    mark = stage_begin(p);
    const streamit_options options = {.allow_typed_top = true, .top = p->config->top, .path = &path, .tests = tests};
    streamit_check(program, p->names, p->diag, &options);
    stage_end(p, mark, "check");
    return diag_has_errors(p->diag) ? NULL : program;
}

bool pipeline_build(hlc_program *p, const ast_program *program, struct elaborate_test *test)
{
    stage_mark mark = stage_begin(p);
    const elaborate_options options = {.step_limit = p->config->elaboration_steps, .test = test};
    p->module = elaborate(p->arena, p->names, p->diag, program, &options);
    stage_end(p, mark, "elaborate");
    if (p->module == NULL || diag_has_errors(p->diag))
        return false;
    for (VEC_EACH(sir_portal, portal, &p->module->portals))
        portal->inside = p->config->no_outside_messages;
    if (p->config->verify_each && !sir_verify(p->module, p->diag)) {
        diag_internal(p->diag, (src_range){0}, "elaboration gave stream IR that breaks what it promises");
        return false;
    }
    return true;
}

// ---- Brook ----

static const char *stem_of(arena *a, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    return arena_strndup(a, name, strcspn(name, "."));
}

// Parsed and checked, with the C of its host code: NULL after errors.
static brook_program *read_brook(hlc_program *p, const source_id *files, size_t count, hlc_hosts *hosts)
{
    stage_mark mark = stage_begin(p);
    const brook_surroundings around = {p->config->import_path, p->config->import_folders, p->config->defines,
                                       p->config->define_count};
    brook_program *program = brook_parse(p->arena, p->names, p->diag, files, count, &around);
    stage_end(p, mark, "parse");
    const ast_program *streams = pipeline_brook_streams(p, program);
    mark = stage_begin(p);
    brook_check(program);
    stage_end(p, mark, "check");
    mark = stage_begin(p);
    program->fuse = p->config->fuse && !p->config->interpret_kernels && p->config->emit != HLC_EMIT_AST;
    for (size_t i = 0; i < count; i++) {
        strbuf b;
        strbuf_init(&b, p->arena);
        brook_write_host(&b, program, i);
        VEC_PUSH(p->arena, hosts, ((hlc_host){files[i], NULL, b.data}));
    }
    stage_end(p, mark, "rewrite host code");
    bool ok = !diag_has_errors(p->diag) && pipeline_brook_programs(p, program, streams, hosts);
    return !ok || diag_has_errors(p->diag) ? NULL : program;
}

static bool lower_brook(hlc_program *p, const source_id *files, size_t count)
{
    hlc_hosts hosts = {0};
    brook_program *program = read_brook(p, files, count, p->config->hosts != NULL ? p->config->hosts : &hosts);
    if (program == NULL)
        return false;
    stage_mark mark = stage_begin(p);
    p->module = brook_lower(program, stem_of(p->arena, source_get(p->sources, files[0])->name));
    stage_end(p, mark, "lower kernels");
    if (p->module == NULL)
        return false;
    if (p->config->verify_each && !sir_verify(p->module, p->diag)) {
        diag_internal(p->diag, (src_range){0}, "the lowering of kernels gave stream IR that breaks what it promises");
        return false;
    }
    return true;
}

static const char *print_brook(hlc_program *p, const source_id *files, size_t count)
{
    hlc_hosts hosts = {0};
    brook_program *program = read_brook(p, files, count, &hosts);
    if (program == NULL)
        return NULL;
    strbuf b;
    strbuf_init(&b, p->arena);
    if (p->config->emit == HLC_EMIT_AST)
        brook_print(&b, p->sources, program);
    else
        for (VEC_EACH(const hlc_host, h, &hosts))
            if (h->program == NULL)
                strbuf_add(&b, h->text);
    return b.data;
}

bool pipeline_check_rates(hlc_program *p)
{
    stage_mark mark = stage_begin(p);
    bool ok = sir_check_rates(p->module, p->diag);
    stage_end(p, mark, "check rates");
    return ok && !diag_has_errors(p->diag);
}

// The stream IR of the sources, whatever they are; false after errors.
static bool read_program(hlc_program *p, const source_id *files, size_t count)
{
    if (is_stream_ir(p, files, count)) {
        if (!read_stream_ir(p, files[0]))
            return false;
    } else if (p->config->brook) {
        if (!lower_brook(p, files, count))
            return false;
    } else {
        ast_program *program = pipeline_read(p, files, count, false);
        if (program == NULL || !pipeline_build(p, program, NULL))
            return false;
    }
    return pipeline_check_rates(p);
}

// ---- Passes ----

static bool load_machine(hlc_program *p)
{
    const hlc_config *c = p->config;
    stage_mark mark = stage_begin(p);
    p->machine =
        machine_find(p->arena, p->diag, c->machine_dir, c->machine == NULL ? "host" : c->machine, (src_range){0});
    stage_end(p, mark, "read machine");
    return p->machine != NULL;
}

// A Brook program without kernels is host code alone, and has no graph either.
static bool is_finite(const hlc_program *p)
{
    return sir_is_finite(p->module) || (p->config->brook && p->module->filters.len == 0);
}

// What must hold for what is asked for. Finite filters have no plan: their calls lay out strips when they know the shapes.
static uint32_t goal_of(const hlc_program *p)
{
    hlc_emit emit = p->config->emit;
    if (is_finite(p))
        return emit >= HLC_EMIT_PLAN && !p->config->interpret_kernels ? PROP_CANONICAL : PROP_ELABORATED;
    switch (emit) {
    case HLC_EMIT_NOTHING: return PROP_SCHEDULED;
    case HLC_EMIT_PLAN: return PROP_PLANNED;
    case HLC_EMIT_HEADER:
    case HLC_EMIT_SVM_C: return PROP_CANONICAL | PROP_SCHEDULED | PROP_PLANNED | PROP_STRIP_MINED | PROP_ALLOCATED;
    default: return PROP_ELABORATED;
    }
}

static bool plan_order(hlc_program *p, pass_order *order)
{
    hlc_emit emit = p->config->emit;
    if (p->config->passes != NULL)
        return passes_parse(p->arena, p->diag, p->config->passes, order);
    if (is_finite(p))
        return emit < HLC_EMIT_PLAN || p->config->interpret_kernels ||
               passes_parse(p->arena, p->diag, "canonicalize", order);
    if (emit == HLC_EMIT_NOTHING)
        return passes_parse(p->arena, p->diag, "schedule", order);
    if (emit >= HLC_EMIT_PLAN && p->plan == NULL)
        passes_of_level(p->arena, p->config->opt_level, order);
    return true;
}

// Takes those of --skip-passes from the order.
static bool leave_out(hlc_program *p, pass_order *order)
{
    pass_order skipped = {0};
    if (p->config->skip_passes == NULL)
        return true;
    if (!passes_parse(p->arena, p->diag, p->config->skip_passes, &skipped))
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < order->len; i++) {
        bool skip = false;
        for (size_t k = 0; k < skipped.len; k++)
            skip |= order->data[i] == skipped.data[k];
        if (!skip)
            order->data[kept++] = order->data[i];
    }
    order->len = kept;
    return true;
}

static bool run_passes(hlc_program *p, uint32_t goal)
{
    pass_order order = {0}, printed = {0};
    if (p->config->print_after != NULL && !passes_parse(p->arena, p->diag, p->config->print_after, &printed))
        return false;
    if (!plan_order(p, &order) || !leave_out(p, &order) || !passes_check(p, &order, goal))
        return false;
    uint32_t gives = goal;
    for (size_t i = 0; i < order.len; i++)
        gives |= pass_rows[order.data[i]].gives;
    bool maps = false;
    for (size_t i = 0; i < order.len; i++)
        maps |= order.data[i] == PASS_MAP;
    if ((gives & PROP_PLANNED) != 0 && (p->plan == NULL || maps) && !load_machine(p))
        return false;
    if (p->plan != NULL && !maps && (order.len != 0 || (goal & PROP_PLANNED) != 0) && !plan_load_machine(p, p->plan))
        return false;
    if (p->config->profile_use != NULL) {
        p->profile = plan_profile_read(p->arena, p->diag, p->config->profile_use);
        if (p->profile == NULL)
            return false;
    }
    return passes_run(p, &order) && !diag_has_errors(p->diag);
}

// A latency that cannot be kept is an error also where passes find that nothing is ever sent, as for the interpreter.
static bool check_messages(hlc_program *p, uint32_t goal)
{
    if ((goal & (PROP_SCHEDULED | PROP_PLANNED)) == 0 || p->plan != NULL || p->module->portals.len == 0)
        return true;
    diag_engine quiet; // warnings come from the pass
    diag_init(&quiet, p->arena, p->sources);
    return schedule_compute(p->arena, &quiet, p->sources, p->module) != NULL ||
           schedule_compute(p->arena, p->diag, p->sources, p->module) != NULL;
}

// ---- The end of the way ----

static const char *emit_text(hlc_program *p)
{
    strbuf b;
    strbuf_init(&b, p->arena);
    if (is_finite(p) && p->config->emit >= HLC_EMIT_HEADER) {
        const char *text = load_machine(p) ? emit_finite(p) : NULL;
        return p->config->emit == HLC_EMIT_HEADER ? p->header : text;
    }
    switch (p->config->emit) {
    case HLC_EMIT_NOTHING: return "";
    case HLC_EMIT_GRAPH: sir_print_graph(&b, p->module, p->config->graph_depth); break;
    case HLC_EMIT_SIR:
    case HLC_EMIT_PLAN: program_print(&b, p); break;
    case HLC_EMIT_HEADER: return emit_program(p) == NULL ? NULL : p->header;
    case HLC_EMIT_SVM_C: return emit_program(p);
    default: return NULL;
    }
    return b.data;
}

// What the emitted text leaves to the linker.
static void list_natives(const hlc_program *p)
{
    hlc_natives *natives = p->config->natives;
    if (natives == NULL || p->config->emit != HLC_EMIT_SVM_C)
        return;
    for (VEC_EACH(sir_function *const, f, &p->module->functions))
        if ((*f)->kind == SIR_NATIVE)
            VEC_PUSH(p->arena, natives,
                     (hlc_native){emit_module_function_name(p->arena, *f), (*f)->name,
                                  sir_range(p->module, p->sources, (*f)->loc)});
}

static const char *emit(hlc_program *p)
{
    stage_mark mark = stage_begin(p);
    const char *text = emit_text(p);
    list_natives(p);
    stage_end(p, mark, "print");
    if (p->config->header != NULL)
        *p->config->header = p->header;
    return diag_has_errors(p->diag) ? NULL : text;
}

static const char *print_tokens(hlc_program *p, const source_id *files, size_t count)
{
    strbuf b;
    strbuf_init(&b, p->arena);
    for (size_t i = 0; i < count; i++)
        if (p->config->brook)
            brook_print_tokens(&b, p->diag, files[i]);
        else
            streamit_print_tokens(&b, p->diag, files[i]);
    return diag_has_errors(p->diag) ? NULL : b.data;
}

static const char *print_tree(hlc_program *p, const source_id *files, size_t count)
{
    strbuf b;
    strbuf_init(&b, p->arena);
    ast_program *program = pipeline_read(p, files, count, false);
    if (program == NULL)
        return NULL;
    ast_print(&b, p->sources, program);
    return b.data;
}

static const char *print_docs(hlc_program *p, const source_id *files, size_t count)
{
    strbuf b;
    strbuf_init(&b, p->arena);
    ast_program *program = pipeline_read(p, files, count, true);
    if (program == NULL)
        return NULL;
    streamit_print_docs(&b, p->sources, program, files, count);
    return b.data;
}

const char *pipeline_finish(hlc_program *p)
{
    if (!check_messages(p, goal_of(p)) || !run_passes(p, goal_of(p)))
        return NULL;
    if (p->config->report != NULL && !report_make(p, p->config->report))
        return NULL;
    return emit(p);
}

static const char *compile(hlc_program *p, const source_id *files, size_t count)
{
    if (p->config->emit == HLC_EMIT_TOKENS)
        return print_tokens(p, files, count);
    if (p->config->brook && (p->config->emit == HLC_EMIT_AST || p->config->emit == HLC_EMIT_HOST_C))
        return print_brook(p, files, count);
    if (p->config->emit == HLC_EMIT_AST)
        return print_tree(p, files, count);
    if (p->config->emit == HLC_EMIT_DOC)
        return print_docs(p, files, count);
    if (!read_program(p, files, count))
        return NULL;
    return pipeline_finish(p);
}

hlc_program pipeline_start(arena *a, diag_engine *d, const hlc_config *config)
{
    hlc_program p = {.arena = a, .diag = d, .sources = d->sources, .config = config};
    p.names = ARENA_NEW(a, interner);
    interner_init(p.names, a);
    return p;
}

static void finish(const hlc_program *p)
{
    if (p->config->time_report)
        timings_print(p, p->config->dump);
}

const char *hlc_compile(arena *a, diag_engine *d, const source_id *files, size_t count, const hlc_config *config)
{
    hlc_program p = pipeline_start(a, d, config);
    const char *text = compile(&p, files, count);
    finish(&p);
    return text;
}

int hlc_interpret(arena *a, diag_engine *d, const source_id *files, size_t count, const hlc_config *config,
                  const struct interp_options *options)
{
    hlc_program p = pipeline_start(a, d, config);
    bool ok = read_program(&p, files, count);
    if (ok && config->passes != NULL)
        ok = run_passes(&p, PROP_ELABORATED);
    if (ok && p.schedule == NULL)
        p.schedule = schedule_compute(a, d, p.sources, p.module);
    finish(&p);
    if (!ok || p.schedule == NULL || diag_has_errors(d))
        return 1;
    return interp_run(p.module, p.schedule, d, options);
}
