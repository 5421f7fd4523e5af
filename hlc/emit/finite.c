// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules of finite filters: the parts of the text, top to bottom, and the names in it.
//
// NOTE(elements). What a firing gets and gives are fields of its filter, so its function is the ordinary one: each field is a pointer. A step around it loads elements into locals, fires, and stores what came out;
// once inlined nothing is left of that but loads and stores. An element is read before it is written, so a stream may be input and output at once.
#include "hlc/emit/finite.h"

#include <inttypes.h>
#include <string.h>

#include "hlc/emit/finite_int.h"
#include "hlc/ir/walk.h"
#include "hlc/plan/abilities.h"

// ---- Names ----

static const char *fresh(finite_graph *g, const char *wanted)
{
    return text_member(g->x, &g->taken, wanted);
}

static bool takes(const emit_signature *s, uint32_t field)
{
    for (VEC_EACH(const uint32_t, f, &s->fields))
        if (*f == field)
            return true;
    return false;
}

static const finite_row *row_of(const finite_graph *g, uint32_t field)
{
    for (VEC_EACH(const finite_row, r, &g->rows))
        if (r->field == field)
            return r;
    return NULL;
}

// The name of the parameter whose stream it is.
static const char *stream_of(const finite_graph *g, uint32_t field)
{
    const finite_row *row = row_of(g, field);
    for (VEC_EACH(const finite_row, r, &g->turned))
        if (r->field == field)
            row = r;
    return g->info->field_names.data[row != NULL ? row->of : field];
}

static void find_ports(finite_graph *g)
{
    const sir_filter *f = g->filter;
    arena *a = g->x->e.arena;
    for (uint32_t i = 0; i < f->fields.len; i++) {
        const sir_field *field = &f->fields.data[i];
        const char *name = g->info->field_names.data[i];
        if (field->role == SIR_UNIFORM)
            VEC_PUSH(a, &g->uniforms, i);
        if (field->role == SIR_COORDINATE)
            VEC_PUSH(a, &g->coordinates, i);
        if (field->role == SIR_INSIDE || field->role == SIR_MAPPED)
            VEC_PUSH(a, &g->insides, i);
        if (field->role == SIR_MAPPED)
            g->mapped = (finite_port){.field = i, .source = field, .name = name, .value = name};
        if (field->role == SIR_UNIFORM || field->role == SIR_INSIDE || field->role == SIR_MAPPED ||
            !sir_role_is_parameter(field->role))
            continue;
        const finite_row *row = row_of(g, i);
        finite_port p = {.field = i, .source = field, .name = name, .used = takes(&g->fire, i) || takes(&g->map, i)};
        p.stream = stream_of(g, i);
        p.element = emit_declare(&g->x->e, field->type, "");
        if (field->stored != NULL) {
            p.element = body_stored_name(&g->x->e, g->info, i, "Element");
            p.load = body_stored_name(&g->x->e, g->info, i, "load");
            p.store = body_stored_name(&g->x->e, g->info, i, "store");
        }
        p.loaded = field->role == SIR_OUTPUT && !finite_is_written(f, i);
        if (field->role == SIR_GATHER && f->prework == NULL)
            p.near = row != NULL ? finite_near_by_rows(a, f, i) : finite_near_of(a, f, i);
        if (p.near != NULL)
            p.near_table = emit_unique_name(&g->x->e, arena_printf(a, "%s_%s_near", g->info->c_name, name));
        p.walk = fresh(g, arena_printf(a, "%s_walk", name));
        p.value = fresh(g, arena_printf(a, "%s_value", name));
        p.plane = fresh(g, arena_printf(a, "%s_plane", name));
        VEC_PUSH(a, &g->ports, p);
    }
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        if (p->source->role == SIR_REDUCED)
            g->reduced = p;
        if (p->source->role == SIR_VARIABLE)
            g->variable = p;
    }
}

static void name_parts(finite_graph *g)
{
    emitter *e = &g->x->e;
    arena *a = e->arena;
    const char *base = g->info->c_name;
    g->kernel = emit_unique_name(e, arena_printf(a, "%s_Kernel", base));
    g->run = emit_unique_name(e, arena_printf(a, "%s_kernel", base));
    g->at = emit_unique_name(e, arena_printf(a, "%s_at", base));
    g->row = emit_unique_name(e, arena_printf(a, "%s_row", base));
    g->ports_table = emit_unique_name(e, arena_printf(a, "%s_ports", base));
    g->table = emit_unique_name(e, arena_printf(a, "%s_graph", base));
    g->runs = emit_unique_name(e, arena_printf(a, "%s_runs", base));
    hmap_init(&g->taken, a);
    for (VEC_EACH(const char *const, name, &g->info->field_names))
        hmap_set(&g->taken, *name, g);
    g->self = "self"; // no field is called so
    g->space = fresh(g, "space");
    g->r = fresh(g, "row");
    g->i = fresh(g, "i");
}

// Whether all local processors can run a filter, and about how many operations a firing has: asked of it as the actor of
// a module of its own.
static bool is_able(finite_emitter *all, const sir_filter *f, double *operations)
{
    sir_module m = *all->x.m;
    sir_actor actor = {.kind = SIR_FILTER, .name = f->name, .filter = (sir_filter *)f};
    memset(&m.actors, 0, sizeof m.actors);
    VEC_PUSH(all->x.e.arena, &m.actors, &actor);
    *operations = plan_operations(all->x.e.arena, &m)[0];
    for (VEC_EACH(const plan_processor *const, p, &all->local))
        if (plan_actor_lacks(all->x.p, &m, 0, (*p)->processor).why != NULL)
            return false;
    return true;
}

// ---- What is fetched near the firing's place ----

static void note_reach(finite_graph *g, finite_reaches *reaches, uint32_t field, int dimension, int64_t offset)
{
    for (VEC_EACH(finite_reach, r, reaches))
        if (r->field == field && r->dimension == dimension) {
            r->least = offset < r->least ? offset : r->least;
            r->most = offset > r->most ? offset : r->most;
            return;
        }
    VEC_PUSH(g->x->e.arena, reaches, (finite_reach){field, dimension, offset, offset});
}

static void note_fetch(void *context, sir_expr *e, bool written)
{
    finite_graph *g = context;
    int64_t offset;
    (void)written;
    if (e->kind != SIR_FETCH)
        return;
    const bool near = body_near_offset(g->filter, g->info->near, SIR_NONE, e, &offset);
    if (!near && !body_turned_offset(g->filter, g->info->near, SIR_NONE, e, &offset))
        return;
    const int dimension = near ? 3 : 2;
    const sir_expr *place = e->u.arg[near ? e->op - 1 : 0];
    while (place->kind != SIR_FIELD)
        place = place->u.arg[place->u.arg[0]->kind == SIR_CONST];
    g->info->near = place->index;
    note_reach(g, &g->reaches, e->index, dimension, offset);
    if (near && body_row_offset(g->filter, e, &offset) != NULL)
        note_reach(g, &g->row_reaches, e->index, 2, offset);
}

static void note_fetches(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, note_fetch, context);
}

static bool can_turn(const finite_emitter *all)
{
    const emitter *e = &all->x.e;
    const hlc_config *config = all->x.p->config;
    return all->local.len == 0 && !e->keep_names && !e->line_directives && !e->check_bounds &&
           (config == NULL || !(config->no_lanes || config->interpret_kernels));
}

static finite_graph *make_graph(finite_emitter *all, sir_filter *f)
{
    program_emitter *x = &all->x;
    finite_graph *g = ARENA_NEW(x->e.arena, finite_graph);
    g->x = x;
    g->all = all;
    g->filter = f;
    g->own = (uint32_t)f->fields.len;
    const hlc_config *config = x->p->config;
    if (all->local.len > 0 && (config == NULL || !(config->interpret_kernels || config->fast_math)))
        g->rows = finite_split_rows((sir_module *)x->m, f);
    if (finite_may_wait(all, f))
        g->rows = finite_split_rows((sir_module *)x->m, f);
    if (can_turn(all))
        g->turned = finite_split_turned((sir_module *)x->m, f);
    g->info = emit_filter(&x->e, f);
    finite_stored_functions(x, g->info);
    const char *fire = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_fire", g->info->c_name));
    g->is_able = is_able(all, f, &g->operations);
    sir_visit_stmts(&f->work->body, note_fetches, g);
    finite_find_beside(g);
    g->fire = emit_fire_function(&x->e, g->info, f->work, fire, (emit_view){0}, (emit_view){0});
    if (f->prework != NULL) {
        const char *map = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_map", g->info->c_name));
        g->map = emit_fire_function(&x->e, g->info, f->prework, map, (emit_view){0}, (emit_view){0});
        finite_fetches(g);
    }
    finite_lanes(g);
    name_parts(g);
    find_ports(g);
    finite_find_turned(g);
    finite_find_past(g, can_turn(all));
    finite_find_rounds(g);
    return g;
}

// ---- The text ----

static void name_once(finite_emitter *all, hmap *named, const char *kind, const char *name)
{
    program_emitter *x = &all->x;
    if (hmap_get(named, name) != NULL)
        return;
    hmap_set(named, name, all);
    if (kind == NULL)
        emit_unique_name(&x->e, name);
    else
        text_line(x, 0, "%s(%s);%s", kind, name,
                  strcmp(kind, "SVM_PROCESSOR") == 0 ? text_processor_constant(x, name) : "");
}

// Names of the machine: declared, or only taken.
static void machine_names(finite_emitter *all, bool declare)
{
    const char *memory = declare ? "SVM_MEMORY" : NULL, *processor = declare ? "SVM_PROCESSOR" : NULL;
    hmap named;
    hmap_init(&named, all->x.e.arena);
    name_once(all, &named, memory, all->resources->shared->element.name);
    for (VEC_EACH(const plan_processor *const, p, &all->direct))
        name_once(all, &named, processor, (*p)->processor->element.name);
    for (VEC_EACH(const plan_processor *const, p, &all->local)) {
        name_once(all, &named, memory, (*p)->memory->element.name);
        name_once(all, &named, processor, (*p)->processor->element.name);
        name_once(all, &named, processor, (*p)->load->element.name);
        name_once(all, &named, processor, (*p)->store->element.name);
    }
}

static void emit_names(finite_emitter *all)
{
    text_line(&all->x, 0, "SVM_MACHINE(\"%s\");", all->resources->machine->name);
    machine_names(all, true);
    text_memory_constant(&all->x, all->resources->shared->element.name);
    strbuf_addc(all->x.e.out, '\n');
}

static void take_names(finite_emitter *all)
{
    emitter *e = &all->x.e;
    machine_names(all, false);
    for (VEC_EACH(sir_filter *const, f, &all->x.m->filters)) {
        emit_unique_name(e, arena_printf(e->arena, "brook_%s", body_identifier(e->arena, (*f)->name)));
        emit_unique_name(e, arena_printf(e->arena, "brook_%s_partial", body_identifier(e->arena, (*f)->name)));
        emit_unique_name(e, arena_printf(e->arena, "brook_%s_one", body_identifier(e->arena, (*f)->name)));
    }
}

static void emit_header(finite_emitter *all)
{
    program_emitter *x = &all->x;
    const hlc_config *config = x->p->config;
    strbuf *out = x->e.out;
    strbuf_printf(out, "/* The finite graphs of %s in SVM C, %s.", text_comment(x, x->m->name), text_made_by(x));
    if (config != NULL && config->command_line != NULL)
        strbuf_printf(out, "\n   %s", text_comment(x, config->command_line));
    strbuf_add(out, " */\n#include <string.h>\n\n#include <svm/brook_graph.h>\n#include <svm/program.h>\n\n");
    emit_names(all);
}

// Streams have their elements without gaps.
static void emit_size_checks(finite_emitter *all)
{
    program_emitter *x = &all->x;
    for (VEC_EACH(sir_struct *const, s, &x->m->structs)) {
        const sir_type *t = sir_type_struct((sir_module *)x->m, *s);
        size_t bytes = 0;
        for (const char *leaf = finite_leaves_of(x->e.arena, t); *leaf != '\0'; leaf++)
            bytes += *leaf == 'd' ? 8 : 4;
        text_line(x, 0, "_Static_assert(sizeof(%s) == %zu, \"elements of streams have no gaps\");",
                  emit_declare(&x->e, t, ""), bytes);
    }
    if (x->m->structs.len > 0)
        strbuf_addc(x->e.out, '\n');
}

static const char *header_text(finite_emitter *all)
{
    program_emitter *x = &all->x;
    strbuf out;
    strbuf_init(&out, x->e.arena);
    const char *guard = arena_printf(x->e.arena, "BROOK_%s_H", body_identifier(x->e.arena, x->m->name));
    strbuf_printf(&out,
                  "/* The finite graphs of %s; <svm/brook.h> tells how they are called. */\n#ifndef %s\n#define %s\n\n",
                  text_comment(x, x->m->name), guard, guard);
    strbuf_add(&out, "#include <svm/brook.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    for (VEC_EACH(finite_graph *const, g, &all->graphs)) {
        strbuf_printf(&out, "%s;\n", finite_prototype(*g, false));
        if ((*g)->reduced != NULL)
            strbuf_printf(&out, "%s;\n", finite_prototype(*g, true));
        if (finite_has_one(*g))
            strbuf_printf(&out, "void %s(const void *element, void *accumulator);\n", finite_function_name(*g, "_one"));
    }
    strbuf_add(&out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    return out.data;
}

// The graphs with the firing functions put away: what interpreted kernels are called with is the same.
static const char *emit_interpreted(finite_emitter *all)
{
    program_emitter *x = &all->x;
    strbuf unused, *out = x->e.out;
    strbuf_init(&unused, x->e.arena);
    strbuf_add(out, "/* The finite graphs of a module, interpreted. */\n#include <svm/brook_interpret.h>\n\n");
    emit_names(all);
    finite_interpreted_module(all);
    for (VEC_EACH(sir_filter *const, f, &x->m->filters)) {
        x->e.out = &unused;
        finite_graph *g = make_graph(all, *f);
        x->e.out = out;
        VEC_PUSH(x->e.arena, &all->graphs, g);
        finite_interpreted(g);
    }
    x->p->header = header_text(all);
    return out->data;
}

// Where kernels can run: fallbacks are for what strips cannot do.
static bool find_processors(finite_emitter *all)
{
    hlc_program *p = all->x.p;
    const plan_demands demands = {.io = true};
    int64_t wanted = p->config == NULL ? 0 : p->config->processors;
    all->resources = plan_resources_find(p->arena, p->diag, p->machine, wanted, &demands);
    if (all->resources == NULL)
        return false;
    all->resources = plan_resources_pair_engines(p->arena, all->resources);
    const plan_resources *more = plan_resources_with_fallbacks(p->arena, all->resources);
    for (VEC_EACH(const plan_processor, q, &all->resources->processors)) {
        if (q->direct)
            VEC_PUSH(p->arena, &all->direct, q);
        else
            VEC_PUSH(p->arena, &all->local, q);
    }
    for (size_t i = all->resources->ordinary; more != NULL && all->direct.len == 0 && i < more->processors.len; i++)
        VEC_PUSH(p->arena, &all->direct, &more->processors.data[i]);
    if (all->direct.len > 0)
        return true;
    diag_error_at(p->diag, NULL,
                  "machine '%s' has no kernel processor that reaches '%s', which finite graphs need for what is not "
                  "done in strips; expected one, a fallback maybe",
                  p->machine->name, all->resources->shared->element.name);
    return false;
}

const char *emit_finite(hlc_program *p)
{
    strbuf out;
    strbuf_init(&out, p->arena);
    finite_emitter all = {.x = {.p = p, .m = p->module}};
    if (!find_processors(&all))
        return NULL;
    program_emitter *x = &all.x;
    emitter_init(&x->e, p->arena, &out, p->module, p->sources);
    x->e.line_directives = p->config != NULL && p->config->debug_info;
    x->e.keep_names = hlc_keeps_names(p->config);
    if (p->config != NULL)
        emitter_check(&x->e, false, p->config->check_bounds);
    x->name = body_identifier(p->arena, p->module->name);
    take_names(&all);
    if (p->config != NULL && p->config->interpret_kernels)
        return emit_interpreted(&all);
    emit_header(&all);
    emit_types(&x->e);
    emit_size_checks(&all);
    emit_globals(&x->e);
    emit_module_functions(&x->e);
    finite_places(&all);
    for (VEC_EACH(sir_filter *const, f, &p->module->filters)) {
        finite_graph *g = make_graph(&all, *f);
        VEC_PUSH(p->arena, &all.graphs, g);
        finite_kernel(g);
        finite_control(g);
    }
    emit_held_tables(&x->e);
    p->header = header_text(&all);
    const char *path = p->config != NULL && p->config->text_path != NULL ? p->config->text_path
                                                                         : arena_printf(p->arena, "%s.svm.c", x->name);
    return x->e.line_directives ? program_resolve_lines(x, path) : out.data;
}
