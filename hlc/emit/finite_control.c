// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that host programs call: they check shapes, set up the runs of their kernel and wait for them.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/finite_int.h"

static const char *const role_names[SIR_ROLE_COUNT] = {
    [SIR_INPUT] = "SVM_BROOK_IN",          [SIR_OUTPUT] = "SVM_BROOK_OUT",      [SIR_GATHER] = "SVM_BROOK_GATHER",
    [SIR_ITERATOR] = "SVM_BROOK_ITERATOR", [SIR_REDUCED] = "SVM_BROOK_REDUCED", [SIR_VARIABLE] = "SVM_BROOK_VARIABLE",
};

// ---- Prototypes ----

const char *finite_uniform_parameter(finite_graph *g, uint32_t field)
{
    const sir_field *f = &g->filter->fields.data[field];
    const char *name = g->info->field_names.data[field];
    switch (f->type->kind) {
    case SIR_INT: return arena_printf(finite_arena(g), "int32_t %s", name);
    case SIR_STRUCT: return arena_printf(finite_arena(g), "const void *%s", name);
    default: return emit_declare(&g->x->e, f->type, name);
    }
}

static const char *parameter(finite_graph *g, uint32_t field, bool partial)
{
    const sir_field *f = &g->filter->fields.data[field];
    const char *name = g->info->field_names.data[field];
    switch (f->role) {
    case SIR_UNIFORM: return finite_uniform_parameter(g, field);
    case SIR_REDUCED: return arena_printf(finite_arena(g), partial ? "svm_BrookStream %s" : "void *%s", name);
    case SIR_VARIABLE: return arena_printf(finite_arena(g), "svm_BrookStream *%s", name);
    default: return arena_printf(finite_arena(g), "svm_BrookStream %s", name);
    }
}

static void prototype_args(finite_graph *g, text_args *args, bool partial)
{
    VEC_PUSH(finite_arena(g), args, "const svm_BrookPlace *at");
    for (uint32_t i = 0; i < g->own; i++)
        if (sir_role_is_parameter(g->filter->fields.data[i].role))
            VEC_PUSH(finite_arena(g), args, parameter(g, i, partial));
}

const char *finite_function_name(finite_graph *g, const char *suffix)
{
    return arena_printf(finite_arena(g), "brook_%s%s", body_identifier(finite_arena(g), g->filter->name), suffix);
}

static const char *result(const finite_graph *g)
{
    return g->insides.len > 0 ? "_Bool" : "void";
}

const char *finite_prototype(finite_graph *g, bool partial)
{
    text_args args = {0};
    strbuf b;
    strbuf_init(&b, finite_arena(g));
    prototype_args(g, &args, partial);
    strbuf_printf(&b, "%s %s(", result(g), finite_function_name(g, partial ? "_partial" : ""));
    for (size_t i = 0; i < args.len; i++)
        strbuf_printf(&b, "%s%s", i == 0 ? "" : ", ", args.data[i]);
    strbuf_addc(&b, ')');
    return b.data;
}

// ---- Tables and runs ----

static size_t port_number(const finite_graph *g, uint32_t field)
{
    size_t i = 0;
    while (g->ports.data[i].field != field)
        i++;
    return i;
}

// Where streams are gathered from, of those of which that is known.
static void emit_nears(finite_graph *g)
{
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        if (p->near == NULL)
            continue;
        text_line(g->x, 0, "/* Where %s is gathered from: a port, its dimension, how far beside it. */", p->name);
        text_line(g->x, 0, "static const svm_BrookNear %s[] = {", p->near_table);
        for (uint32_t d = 0; d < p->source->rank; d++) {
            const finite_near *near = &p->near[d];
            if (near->coordinate == SIR_NONE) {
                text_line(g->x, 1, "{%s, 0, 0, 0},", near->by_rows ? "SVM_BROOK_BY_ROWS" : "-1");
                continue;
            }
            const sir_field *c = &g->filter->fields.data[near->coordinate];
            text_line(g->x, 1, "{%zu, %" PRIu32 ", %" PRId64 ", %" PRId64 "},", port_number(g, c->of), 3 - c->dimension,
                      near->least, near->most);
        }
        text_line(g->x, 0, "};");
    }
}

void finite_tables(finite_graph *g)
{
    program_emitter *x = g->x;
    emit_nears(g);
    text_line(x, 0, "static const svm_BrookPort %s[] = {", g->ports_table);
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        const sir_type *t = p->source->type;
        strbuf type;
        strbuf_init(&type, finite_arena(g));
        if (t->kind == SIR_STRUCT)
            strbuf_add(&type, t->decl->name);
        else
            sir_type_print(&type, t);
        text_line(x, 1, "{\"%s\", %s, {\"%s\", \"%s\"}, %" PRIu32 ", %s, %d},", text_comment(x, p->source->name),
                  role_names[p->source->role], text_comment(x, type.data), finite_leaves(finite_arena(g), p->source),
                  p->source->rank, p->near != NULL ? p->near_table : "NULL",
                  p->source->role == SIR_VARIABLE               ? finite_most_pushed(g)
                  : p->source->role == SIR_OUTPUT && !p->loaded ? 1
                  : p->source->role == SIR_REDUCED              ? 1
                                                                : 0);
    }
    text_line(x, 0, "};");
    bool places = g->coordinates.len > 0 || g->variable != NULL;
    for (VEC_EACH(const finite_port, p, &g->ports))
        places = places || p->source->role == SIR_ITERATOR;
    bool any = x->p->config != NULL && x->p->config->any_extents;
    text_line(x, 0, "static const svm_BrookGraph %s = {\"%s\", %zu, %s, %s, %s, %zu, %s, %s};\n", g->table,
              text_comment(x, g->filter->name), g->ports.len, g->ports_table, any ? "true" : "false",
              places ? "true" : "false", finite_has_strips(g) ? finite_alignment(g->all) : 0, finite_cost(g),
              g->rowwise == NULL ? "NULL" : arena_printf(finite_arena(g), "&%s", g->rowwise));
}

static size_t processors(const finite_graph *g)
{
    return g->variable != NULL ? 1 : g->all->direct.len;
}

static void emit_runs(finite_graph *g)
{
    program_emitter *x = g->x;
    size_t n = processors(g);
    text_line(x, 0, "/* %s with %s. */", n == 1 ? "The run" : "A run on each processor",
              n == 1 ? "its streams' blocks" : "the blocks of its streams");
    text_line(x, 0, "static struct {");
    text_line(x, 1, "bool made;");
    text_line(x, 1, "struct {");
    text_line(x, 2, "%s run;", g->kernel);
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role != SIR_ITERATOR)
            text_line(x, 2, "svm_Block %s;", p->name);
    text_line(x, 1, "} part[%zu];", n);
    text_line(x, 0, "} %s;\n", g->runs);
}

static const char *make_name(finite_graph *g)
{
    return arena_printf(finite_arena(g), "%s_make", g->info->c_name);
}

static void emit_make(finite_graph *g)
{
    program_emitter *x = g->x;
    size_t n = processors(g);
    text_line(x, 0, "static void %s(void)", make_name(g));
    text_line(x, 0, "{");
    if (n > 1) {
        text_args names = {0};
        for (size_t i = 0; i < n; i++)
            VEC_PUSH(finite_arena(g), &names, text_processor(x, g->all->direct.data[i]->processor->element.name));
        text_call(x, 1, "const mm_Proc where[] = {", &names, "};");
    }
    text_line(x, 1, "for (int q = 0; q < %zu; q++) {", n);
    text_line(x, 2, "svm_kernelInit(&%s.part[q].run.kernel, %s, %s, \"%s\");", g->runs,
              n > 1 ? "where[q]" : text_processor(x, g->all->direct.data[0]->processor->element.name), g->run,
              text_comment(x, g->filter->name));
    text_line(x, 2, "svm_kernelNeverBlocks(&%s.part[q].run.kernel);", g->runs);
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role != SIR_ITERATOR)
            text_line(x, 2, "%s.part[q].run.%s = &%s.part[q].%s;", g->runs, p->name, g->runs, p->name);
    text_line(x, 1, "}");
    text_line(x, 1, "%s.made = true;", g->runs);
    text_line(x, 0, "}\n");
}

// ---- A call ----

void finite_begin_function(finite_graph *g, bool partial)
{
    text_args args = {0};
    prototype_args(g, &args, partial);
    text_call(g->x, 0,
              arena_printf(finite_arena(g), "%s %s(", result(g), finite_function_name(g, partial ? "_partial" : "")),
              &args, ")");
    text_line(g->x, 0, "{");
}

bool finite_is_never_one(const finite_graph *g)
{
    const hlc_config *config = g->x->p->config;
    return g->filter->prework != NULL && (g->all->local.len > 0 || (config != NULL && config->interpret_kernels));
}

// What host programs call in its place, which tells them to do the calls.
static void emit_never(finite_graph *g, bool partial)
{
    finite_begin_function(g, partial);
    text_line(g->x, 1, "(void)at;");
    for (uint32_t i = 0; i < g->filter->fields.len; i++)
        if (sir_role_is_parameter(g->filter->fields.data[i].role))
            text_line(g->x, 1, "(void)%s;", g->info->field_names.data[i]);
    text_line(g->x, 1, "return false; /* each has strips of its own */");
    text_line(g->x, 0, "}\n");
}

bool finite_leave_unless_fused(finite_graph *g)
{
    text_args args = {0};
    if (g->insides.len == 0)
        return false;
    for (VEC_EACH(const uint32_t, field, &g->insides))
        VEC_PUSH(finite_arena(g), &args, g->info->field_names.data[*field]);
    text_call(g->x, 1, "const svm_BrookStream inside[] = {", &args, "};");
    text_line(g->x, 1, "if (!svm_brookFuses(&%s, streams, %zu, inside))", g->table, g->insides.len);
    text_line(g->x, 2, "return false;");
    return true;
}

// The streams in the order of the table; of what is no stream an empty one stands there.
static void emit_enter(finite_graph *g, bool partial, const char *then)
{
    program_emitter *x = g->x;
    text_args args = {0};
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        bool none = p->source->role == SIR_VARIABLE || (p->source->role == SIR_REDUCED && !partial);
        VEC_PUSH(finite_arena(g), &args, none ? "{0}" : p->stream);
    }
    text_call(x, 1, "svm_BrookStream streams[] = {", &args, "};");
    finite_leave_unless_fused(g);
    text_line(x, 1, "svm_BrookWalk walks[%zu];", g->ports.len);
    text_line(x, 1, "svm_BrookSpace %s;", g->space);
    text_line(x, 1, "if (!%s.made)", g->runs);
    text_line(x, 2, "%s();", make_name(g));
    text_line(x, 1, "if (!svm_brookEnter(at, &%s, %s, streams, walks, &%s))%s", g->table, finite_memory(g), g->space,
              then);
}

// Block, walk and uniforms of a run.
static void emit_set(finite_graph *g, int indent, const char *run)
{
    program_emitter *x = g->x;
    const char *memory = finite_memory(g);
    for (size_t i = 0; i < g->ports.len; i++) {
        const finite_port *p = &g->ports.data[i];
        if (p->source->role == SIR_VARIABLE)
            continue;
        if (p->source->role != SIR_ITERATOR) {
            text_line(x, indent, "svm_blockInit(&%s.%s, %s, walks[%zu].address, (size_t)walks[%zu].span, sizeof(%s));",
                      run, p->name, memory, i, i, p->element);
            text_line(x, indent, "svm_blockName(&%s.%s, \"%s\");", run, p->name, text_comment(x, p->source->name));
        }
        text_line(x, indent, "%s.run.%s = walks[%zu];", run, p->walk, i);
    }
    for (VEC_EACH(const uint32_t, u, &g->uniforms)) {
        const char *name = g->info->field_names.data[*u];
        if (g->filter->fields.data[*u].type->kind == SIR_STRUCT)
            text_line(x, indent, "memcpy(&%s.run.%s, %s, sizeof %s.run.%s);", run, name, name, run, name);
        else
            text_line(x, indent, "%s.run.%s = %s;", run, name, name);
    }
    text_line(x, indent, "%s.run.%s = %s;", run, g->space, g->space);
    if (g->past)
        text_line(x, indent, "%s.run.past = svm_brookGoesPast(&%s, walks);", run, g->table);
    for (size_t i = 0; g->reduced != NULL && i < g->ports.len; i++)
        if (g->ports.data[i].source->role == SIR_INPUT)
            text_line(x, indent, "%s.run.fold = svm_brookWhole(&%s, &walks[%zu]);", run, g->space, i);
}

static void emit_map_call(finite_graph *g, bool partial)
{
    program_emitter *x = g->x;
    size_t n = processors(g);
    const char *leave = g->insides.len > 0 ? "return true;" : "return;";
    finite_begin_function(g, partial);
    emit_enter(g, partial, "");
    text_line(x, 2, "%s", leave);
    finite_empty(g);
    if (finite_has_strips(g)) {
        finite_call_rows(g);
        text_line(x, 1, "if (%s) {", finite_spread_call(g));
        text_line(x, 2, "svm_brookLeave(at, &%s, streams, walks);", g->table);
        text_line(x, 2, "%s", leave);
        text_line(x, 1, "}");
    }
    if (n == 1) {
        const char *run = arena_printf(finite_arena(g), "%s.part[0]", g->runs);
        emit_set(g, 1, run);
        text_line(x, 1, "%s.run.box = svm_brookPart(&%s, 0, 1);", run, g->space);
        finite_wait(g, run);
        text_line(x, 1, "svm_kernelRun(&%s.run.kernel);", run);
        text_line(x, 1, "svm_kernelWait(&%s.run.kernel);", run);
    } else {
        const char *run = arena_printf(finite_arena(g), "%s.part[q]", g->runs);
        text_line(x, 1, "const int parts = svm_brookParts(&%s, %zu);", g->space, n);
        text_line(x, 1, "svm_Kernel *waits[%zu];", n);
        text_line(x, 1, "for (int q = 0; q < parts; q++) {");
        emit_set(g, 2, run);
        text_line(x, 2, "%s.run.box = svm_brookPart(&%s, q, parts);", run, g->space);
        text_line(x, 2, "waits[q] = &%s.run.kernel;", run);
        text_line(x, 2, "svm_kernelRun(waits[q]);");
        text_line(x, 1, "}");
        text_line(x, 1, "svm_kernelWaitMultiple((size_t)parts, waits);");
    }
    text_line(x, 1, "svm_brookLeave(at, &%s, streams, walks);", g->table);
    if (g->insides.len > 0)
        text_line(x, 1, "return true;");
    text_line(x, 0, "}\n");
}

// A reduction to a value: to a stream of one element.
void finite_whole_reduction(finite_graph *g)
{
    program_emitter *x = g->x;
    text_args args = {0};
    finite_begin_function(g, false);
    const bool maps = g->filter->prework != NULL;
    text_line(x, 1, "const ptrdiff_t one[SVM_BROOK_RANK] = {1, 1, 1, 1};");
    size_t input = 0;
    for (size_t i = 0; i < g->ports.len; i++)
        if (g->ports.data[i].source->role == SIR_INPUT)
            input = i;
    if (maps) { // a stream without a shape is the calls' to complain of
        text_line(x, 1, "if (%s.rank < 1)", g->mapped.name);
        text_line(x, 2, "return false;");
    }
    text_line(x, 1, "svm_BrookStream written = svm_brookMake(at, \"%s\", &%s[%zu].type, %s.rank, one);",
              text_comment(x, g->reduced->source->name), g->ports_table, (size_t)(g->reduced - g->ports.data),
              maps ? g->mapped.name : g->ports.data[input].name);
    VEC_PUSH(finite_arena(g), &args, "at");
    for (uint32_t i = 0; i < g->filter->fields.len; i++) {
        const sir_field *f = &g->filter->fields.data[i];
        if (sir_role_is_parameter(f->role))
            VEC_PUSH(finite_arena(g), &args, f->role == SIR_REDUCED ? "written" : g->info->field_names.data[i]);
    }
    text_call(x, 1,
              arena_printf(finite_arena(g), "%s%s(", maps ? "const bool complete = " : "",
                           finite_function_name(g, "_partial")),
              &args, ");");
    if (maps)
        text_line(x, 1, "if (complete)");
    text_line(x, maps ? 2 : 1, "svm_brookWrite(at, written, %s);", g->reduced->name);
    text_line(x, 1, "svm_brookRelease(&written);");
    if (maps)
        text_line(x, 1, "return complete;");
    text_line(x, 0, "}\n");
}

static void emit_element(finite_graph *g, const finite_port *p, const char *name, const char *from)
{
    text_line(g->x, 1, "%s %s;", p->element, name);
    text_line(g->x, 1, "memcpy(&%s, %s, sizeof %s);", name, from, name);
}

// One firing, for the scatter and gather of host programs.
static void emit_one(finite_graph *g)
{
    program_emitter *x = g->x;
    const finite_port *in = NULL;
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role == SIR_INPUT)
            in = p;
    text_line(x, 0, "void %s(const void *element, void *accumulator)", finite_function_name(g, "_one"));
    text_line(x, 0, "{");
    text_line(x, 1, "%s;", emit_declare(&x->e, in->source->type, in->value));
    text_line(x, 1, "%s;", emit_declare(&x->e, g->reduced->source->type, g->reduced->value));
    emit_element(g, in, "loaded", "element");
    emit_element(g, g->reduced, "stored", "accumulator");
    text_line(x, 1, "%s = %s;", in->value, finite_load(g, in, "&loaded"));
    text_line(x, 1, "%s = %s;", g->reduced->value, finite_load(g, g->reduced, "&stored"));
    text_args args = {0};
    for (VEC_EACH(const uint32_t, field, &g->fire.fields))
        VEC_PUSH(finite_arena(g), &args,
                 arena_printf(finite_arena(g), "&%s", *field == in->field ? in->value : g->reduced->value));
    text_call(x, 1, arena_printf(finite_arena(g), "%s(", g->fire.name), &args, ");");
    text_line(x, 1, "%s", finite_store(g, g->reduced, "&stored", g->reduced->value));
    text_line(x, 1, "memcpy(accumulator, &stored, sizeof stored);");
    text_line(x, 0, "}\n");
}

bool finite_has_one(const finite_graph *g)
{
    return g->reduced != NULL && g->filter->prework == NULL && g->uniforms.len == 0 && g->ports.len == 2;
}

// What is pushed goes to memory with room for an element a firing; if there are more, all is done again with room.
static void emit_push_call(finite_graph *g)
{
    program_emitter *x = g->x;
    const char *run = arena_printf(finite_arena(g), "%s.part[0]", g->runs), *memory = finite_memory(g);
    const char *type = emit_declare(&x->e, g->variable->source->type, "");
    finite_begin_function(g, false);
    text_line(x, 1, "const svm_BrookPort *port = &%s[%zu];", g->ports_table, (size_t)(g->variable - g->ports.data));
    emit_enter(g, false, " {");
    text_line(x, 2, "svm_brookGive(at, port, &%s, %s, NULL, 0);", g->space, g->variable->name);
    text_line(x, 2, "return;");
    text_line(x, 1, "}");
    finite_empty(g);
    if (finite_has_strips(g)) {
        finite_call_rows(g);
        text_line(x, 1, "if (%s) {", finite_spread_call(g));
        text_line(x, 2, "svm_brookLeave(at, &%s, streams, walks);", g->table);
        text_line(x, 2, "return;");
        text_line(x, 1, "}");
        text_line(x, 1, "svm_brookFromFirst(walks, %zu); /* strips may have moved on */", g->ports.len);
    }
    emit_set(g, 1, run);
    text_line(x, 1, "%s.run.box = svm_brookPart(&%s, 0, 1);", run, g->space);
    text_line(x, 1, "%s.run.header = 0;", run);
    text_line(x, 1, "%s.run.pushed = %s.rows * %s.columns;", run, g->space, g->space);
    text_line(x, 1, "size_t memory;");
    text_line(x, 1, "for (;;) {");
    text_line(x, 2, "const ptrdiff_t room = %s.run.pushed > 0 ? %s.run.pushed : 1;", run, run);
    text_line(x, 2, "memory = svm_alloc(%s, (size_t)room * sizeof(%s));", memory, type);
    text_line(x, 2, "svm_blockInit(&%s.%s, %s, memory, (size_t)room, sizeof(%s));", run, g->variable->name, memory,
              type);
    text_line(x, 2, "%s.run.room = room;", run);
    text_line(x, 2, "svm_kernelRun(&%s.run.kernel);", run);
    text_line(x, 2, "svm_kernelWait(&%s.run.kernel);", run);
    text_line(x, 2, "if (%s.run.pushed <= room)", run);
    text_line(x, 3, "break;");
    text_line(x, 2, "svm_free(%s, memory);", memory);
    text_line(x, 1, "}");
    text_line(x, 1, "svm_brookGive(at, port, &%s, %s, svm_blockData(&%s.%s), (size_t)%s.run.pushed);", g->space,
              g->variable->name, run, g->variable->name, run);
    text_line(x, 1, "svm_free(%s, memory);", memory);
    text_line(x, 1, "svm_brookLeave(at, &%s, streams, walks);", g->table);
    text_line(x, 0, "}\n");
}

void finite_control(finite_graph *g)
{
    if (finite_is_never_one(g)) {
        emit_never(g, true);
        emit_never(g, false);
        return;
    }
    finite_rounds(g);
    finite_tables(g);
    if (finite_has_strips(g))
        finite_strips(g);
    emit_runs(g);
    emit_make(g);
    if (g->variable != NULL) {
        emit_push_call(g);
        return;
    }
    emit_map_call(g, g->reduced != NULL);
    if (g->reduced == NULL)
        return;
    finite_whole_reduction(g);
    if (finite_has_one(g))
        emit_one(g);
}
