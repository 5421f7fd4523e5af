// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of reductions of what other calls make of elements, of which none is stored: prework makes an element, work
// reduces it. Elements that lie side by side are made some at a time, in loops that can become vectors.
//
// NOTE(fetches). A vector whose elements are fetched from anywhere is put together from one by one, which takes longer than all
// else. So places of many elements come first, in a loop that is a vector's; then a loop that does nothing but to
// fetch them; then what is made of them.
#include <string.h>

#include "hlc/emit/finite_int.h"
#include "hlc/ir/walk.h"

// An input with the names of what the kernel has for it.
typedef struct mapped_input {
    const finite_port *port;
    const char *step, *line, *block,
        *first; // from result to result; pointers to a row of blocks, a block, a row of that
} mapped_input;

typedef struct map_emitter {
    finite_graph *g;
    VEC(mapped_input) inputs;
} map_emitter;

static const char *fresh(finite_graph *g, const char *name, const char *suffix)
{
    return text_member(g->x, &g->taken, arena_printf(finite_arena(g), "%s_%s", name, suffix));
}

static void find_inputs(map_emitter *k)
{
    finite_graph *g = k->g;
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role == SIR_INPUT)
            VEC_PUSH(finite_arena(g), &k->inputs,
                     ((mapped_input){p, fresh(g, p->name, "step"), fresh(g, p->name, "line"),
                                     fresh(g, p->name, "block"), fresh(g, p->name, "first")}));
}

// Which element of a block: its first; that at `at + d` of a row, side by side; that at `d`; so many behind its first.
typedef enum mapped_place { PLACE_FIRST, PLACE_UNIT, PLACE_ANY, PLACE_BEHIND } mapped_place;

static const char *pointer_to(const finite_graph *g, const mapped_input *in, mapped_place place)
{
    return place == PLACE_FIRST    ? in->block
           : place == PLACE_UNIT   ? arena_printf(finite_arena(g), "%s + at + d", in->first)
           : place == PLACE_BEHIND ? arena_printf(finite_arena(g), "%s + d", in->block)
                                   : arena_printf(finite_arena(g), "%s + d * %s->pitch[3]", in->first, in->port->walk);
}

// ---- Fetches ----

static bool is_from_anywhere(const void *context, const sir_expr *e)
{
    const finite_graph *g = context;
    const sir_field *f = &g->filter->fields.data[e->index];
    return f->type->kind == SIR_FLOAT && f->stored == NULL;
}

static bool writes_field(const sir_stmt *s)
{
    const sir_parts parts = sir_stmt_parts((sir_stmt *)s);
    const sir_expr *root = parts.target == NULL ? NULL : sir_lvalue_root(*parts.target);
    return root != NULL && root->kind == SIR_FIELD;
}

// The function that gives where the fetch is from that statement `at` of the body declares.
static emit_signature place_function(finite_graph *g, emit_filter_info *info, const sir_function *body, size_t at)
{
    sir_module *m = (sir_module *)g->x->m;
    const sir_stmt *from = body->body.data[at];
    sir_function *f = ARENA_NEW(m->arena, sir_function);
    *f = *body;
    f->result = m->scalar[SIR_INT];
    memset(&f->body, 0, sizeof f->body);
    for (size_t i = 0; i < at; i++)
        VEC_PUSH(m->arena, &f->body, body->body.data[i]);
    sir_expr *place = ARENA_NEW(m->arena, sir_expr);
    *place = *from->u.decl.init;
    place->type = m->scalar[SIR_INT];
    sir_stmt *result = sir_stmt_new(m, SIR_RETURN, from->loc);
    result->u.value = place;
    VEC_PUSH(m->arena, &f->body, result);
    VEC_PUSH(m->arena, &info->takes, ((emit_lane_take){.place = place}));
    const char *name = arena_printf(finite_arena(g), "%s_place", g->info->c_name);
    return emit_value_function(&g->x->e, info, f, emit_unique_name(&g->x->e, name));
}

// A field for the element, which the declaration gets in the fetch's place.
static uint32_t give(finite_graph *g, sir_filter *filter, sir_stmt **declaration)
{
    sir_module *m = (sir_module *)g->x->m;
    const sir_expr *fetch = (*declaration)->u.decl.init;
    const uint32_t field = (uint32_t)filter->fields.len;
    const char *name = arena_printf(finite_arena(g), "svm_taken%zu", g->fetched.len);
    VEC_PUSH(m->arena, &filter->fields, ((sir_field){.name = name, .type = fetch->type, .role = SIR_UNIFORM}));
    VEC_PUSH(finite_arena(g), &g->info->field_names, name);
    VEC_PUSH(finite_arena(g), &g->info->held, 0);
    VEC_PUSH(finite_arena(g), &g->info->inverse_names, NULL);
    VEC_PUSH(finite_arena(g), &g->info->inverse_held, 0);
    sir_stmt *given = sir_stmt_new(m, SIR_DECL, (*declaration)->loc);
    *given = **declaration;
    given->u.decl.init = sir_ref(m, SIR_FIELD, field, fetch->type, fetch->loc);
    *declaration = given;
    return field;
}

void finite_fetches(finite_graph *g)
{
    enum { MOST = 8 };
    emitter *e = &g->x->e;
    sir_module *m = (sir_module *)g->x->m;
    const hlc_config *config = g->x->p->config;
    finite_taken taken;
    if (g->all->local.len > 0 || e->check_bounds || e->keep_names || e->line_directives ||
        (config != NULL && config->no_lanes))
        return;
    sir_function *body = (sir_function *)finite_take(m, g->filter->prework, is_from_anywhere, NULL, g, &taken);
    bool good = body != NULL;
    size_t fetches = 0; // each has arrays of its own
    for (size_t i = 0; good && i < body->body.len; i++) {
        const sir_stmt *s = body->body.data[i];
        fetches += s->kind == SIR_DECL && taken.local[s->u.decl.local];
        good = fetches <= MOST && s->kind != SIR_RETURN && (i + 1 == body->body.len || !writes_field(s));
    }
    if (!good)
        return;
    sir_filter *filter = ARENA_NEW(m->arena, sir_filter);
    *filter = *g->filter;
    memset(&filter->fields, 0, sizeof filter->fields);
    for (VEC_EACH(const sir_field, field, &g->filter->fields))
        VEC_PUSH(m->arena, &filter->fields, *field);
    for (size_t i = 0; i < body->body.len; i++) {
        sir_stmt **s = &body->body.data[i];
        if ((*s)->kind != SIR_DECL || !taken.local[(*s)->u.decl.local])
            continue;
        emit_filter_info *info = ARENA_NEW(e->arena, emit_filter_info);
        *info = *g->info;
        info->filter = filter;
        info->lane = SIR_NONE;
        finite_fetched fetched = {.from = (*s)->u.decl.init->index};
        fetched.place = place_function(g, info, body, i);
        fetched.field = give(g, filter, s);
        VEC_PUSH(e->arena, &g->fetched, fetched);
    }
    emit_filter_info *info = ARENA_NEW(e->arena, emit_filter_info);
    *info = *g->info;
    info->filter = filter;
    const char *name = emit_unique_name(e, arena_printf(e->arena, "%s_map_given", g->info->c_name));
    g->given_map = emit_fire_function(e, info, body, name, (emit_view){0}, (emit_view){0});
}

// ---- Elements ----

static void emit_inputs(map_emitter *k, int indent, mapped_place place)
{
    finite_graph *g = k->g;
    for (VEC_EACH(const mapped_input, in, &k->inputs)) {
        const finite_port *p = in->port;
        if (p->used)
            text_line(g->x, indent, "%s = %s;", emit_declare(&g->x->e, p->source->type, p->value),
                      finite_load(g, p, pointer_to(g, in, place)));
    }
}

// The element that prework makes.
static void emit_map(map_emitter *k, int indent, mapped_place place)
{
    finite_graph *g = k->g;
    emit_inputs(k, indent, place);
    text_line(g->x, indent, "%s;", emit_declare(&g->x->e, g->mapped.source->type, g->mapped.name));
    finite_fire(g, indent, &g->map, "");
}

// The first so many that are fetched, of element d.
static void emit_taken(finite_graph *g, int indent, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = g->info->field_names.data[g->fetched.data[i].field];
        text_line(g->x, indent, "float %s = %s_all[d];", name, name);
        text_line(g->x, indent, "(void)%s;", name);
    }
}

// NOTE(fetches).
static void emit_fetches(map_emitter *k, int indent, mapped_place place)
{
    finite_graph *g = k->g;
    program_emitter *x = g->x;
    for (size_t i = 0; i < g->fetched.len; i++) {
        const finite_fetched *f = &g->fetched.data[i];
        const char *name = g->info->field_names.data[f->field];
        text_line(x, indent, "_Alignas(64) int32_t %s_place[SVM_BROOK_FOLDED];", name);
        text_line(x, indent, "_Alignas(64) float %s_all[SVM_BROOK_FOLDED];", name);
        text_line(x, indent, "SVM_BROOK_INDEPENDENT");
        text_line(x, indent, "for (ptrdiff_t d = 0; d < end; d++) {");
        emit_inputs(k, indent + 1, place);
        emit_taken(g, indent + 1, i);
        emit_signature set = f->place;
        set.name = arena_printf(finite_arena(g), "%s_place[d] = %s", name, f->place.name);
        finite_fire(g, indent + 1, &set, "");
        text_line(x, indent, "}");
        text_line(x, indent, "svm_brookTakeAll(%s_all, %s, %s_place, end);", name, finite_port_of(g, f->from)->name,
                  name);
    }
    text_line(x, indent, "SVM_BROOK_INDEPENDENT");
    text_line(x, indent, "for (ptrdiff_t d = 0; d < end; d++) {");
    emit_inputs(k, indent + 1, place);
    emit_taken(g, indent + 1, g->fetched.len);
    text_line(x, indent + 1, "%s;", emit_declare(&x->e, g->mapped.source->type, g->mapped.name));
    finite_fire(g, indent + 1, &g->given_map, "");
    text_line(x, indent + 1, "mapped[d] = %s;", g->mapped.name);
    text_line(x, indent, "}");
}

static const char *accumulator(finite_graph *g)
{
    return arena_printf(finite_arena(g), "&%s", g->reduced->value);
}

// What does not change: of it some may be used in neither function.
static void emit_constants(map_emitter *k)
{
    finite_graph *g = k->g;
    program_emitter *x = g->x;
    for (VEC_EACH(const uint32_t, u, &g->uniforms)) {
        const char *name = g->info->field_names.data[*u];
        text_line(x, 1, "%s = %s->%s;", emit_declare(&x->e, g->filter->fields.data[*u].type, name), g->self, name);
        text_line(x, 1, "(void)%s;", name);
    }
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        text_line(x, 1, "const svm_BrookWalk *%s = &%s->%s;", p->walk, g->self, p->walk);
        if (p->source->role == SIR_GATHER)
            text_line(x, 1, "(void)%s, (void)%s;", p->name, p->walk);
    }
    const char *in = k->inputs.data[0].port->walk;
    text_line(x, 1, "ptrdiff_t count[SVM_BROOK_RANK]; /* of a block's elements */");
    text_line(x, 1, "for (int d = 0; d < SVM_BROOK_RANK; d++)");
    text_line(x, 2, "count[d] = %s->extent[d] / %s->extent[d];", in, g->space);
    strbuf unit;
    strbuf_init(&unit, finite_arena(g));
    for (VEC_EACH(const mapped_input, i, &k->inputs)) {
        text_line(x, 1, "const ptrdiff_t %s = svm_brookStep(%s, %s);", i->step, g->space, i->port->walk);
        strbuf_printf(&unit, "%s%s->pitch[3] == 1", unit.len > 0 ? " && " : "", i->port->walk);
    }
    text_line(x, 1, "const ptrdiff_t step = svm_brookStep(%s, %s);", g->space, g->reduced->walk);
    text_line(x, 1, "const bool unit = %s;", unit.data);
    strbuf numbered;
    strbuf_init(&numbered, finite_arena(g));
    for (VEC_EACH(const finite_fetched, f, &g->fetched))
        strbuf_printf(&numbered, "%ssvm_brookIsNumbered(%s)", numbered.len > 0 ? " && " : "",
                      finite_port_of(g, f->from)->walk);
    if (g->fetched.len > 0)
        text_line(x, 1, "const bool numbered = %s;", numbered.data);
    text_line(x, 1, "const bool brief = unit && count[0] * count[1] * count[2] == 1 && count[3] < SVM_BROOK_SIDE;");
}

// `mapped`, of the elements up to `end`.
static void emit_mapped(map_emitter *k, int indent, mapped_place place)
{
    finite_graph *g = k->g;
    program_emitter *x = g->x;
    text_line(x, indent, "_Alignas(64) %s;", emit_declare(&x->e, g->mapped.source->type, "mapped[SVM_BROOK_FOLDED]"));
    if (g->fetched.len > 0) {
        text_line(x, indent++, "if (numbered) {");
        emit_fetches(k, indent, place);
        text_line(x, indent - 1, "} else {");
    }
    text_line(x, indent, "SVM_BROOK_INDEPENDENT");
    text_line(x, indent, "for (ptrdiff_t d = 0; d < end; d++) {");
    emit_map(k, indent + 1, place);
    text_line(x, indent + 1, "mapped[d] = %s;", g->mapped.name);
    text_line(x, indent, "}");
    if (g->fetched.len > 0)
        text_line(x, indent - 1, "}");
}

static void emit_mapped_firings(map_emitter *k, int indent, const char *from, const char *end, const char *offset)
{
    finite_graph *g = k->g;
    program_emitter *x = g->x;
    text_line(x, indent, "for (ptrdiff_t d = %s; d < %s; d++) {", from, end);
    text_line(x, indent + 1, "%s = mapped[%sd];", emit_declare(&x->e, g->mapped.source->type, g->mapped.name), offset);
    text_line(x, indent + 1, "(void)%s;", g->mapped.name);
    finite_fire(g, indent + 1, &g->fire, accumulator(g));
    text_line(x, indent, "}");
}

// Many elements of a row, so many at a time.
static void emit_long(map_emitter *k)
{
    finite_graph *g = k->g;
    program_emitter *x = g->x;
    const finite_fold fold = finite_vector_fold(g, &g->mapped);
    const char *value = g->reduced->value;
    text_line(x, 5, "for (ptrdiff_t at = 0; at < count[3]; at += SVM_BROOK_FOLDED) {");
    text_line(x, 6, "const ptrdiff_t end = count[3] - at < SVM_BROOK_FOLDED ? count[3] - at : SVM_BROOK_FOLDED;");
    emit_mapped(k, 6, PLACE_UNIT);
    if (fold.sum)
        text_line(x, 6, "%s = svm_brookSumOn(%s, mapped + begin, end - begin, &doubt);", value, value);
    else if (fold.function != NULL)
        text_line(x, 6, "%s = %s(%s, mapped + begin, end - begin%s);", value, fold.function, value, fold.more);
    else
        emit_mapped_firings(k, 6, "begin", "end", "");
    text_line(x, 6, "begin = 0;");
    text_line(x, 5, "}");
}

// The results of a row whose blocks are a few elements each, one block behind the other: the elements of many of them.
static void emit_short(map_emitter *k)
{
    finite_graph *g = k->g;
    program_emitter *x = g->x;
    const finite_port *out = g->reduced;
    text_line(x, 2, "for (ptrdiff_t results; brief && rest < %s->box.columnEnd; rest += results) {", g->self);
    text_line(x, 3, "const ptrdiff_t most = SVM_BROOK_FOLDED / count[3], left = %s->box.columnEnd - rest;", g->self);
    text_line(x, 3, "results = left < most ? left : most;");
    text_line(x, 3, "const ptrdiff_t end = results * count[3];");
    for (VEC_EACH(const mapped_input, in, &k->inputs)) {
        text_line(x, 3, "%s = %s + rest * %s;", finite_pointer(g, in->port, in->block), in->line, in->step);
        text_line(x, 3, "(void)%s;", in->block);
    }
    emit_mapped(k, 3, PLACE_BEHIND);
    if (finite_vector_fold(g, &g->mapped).sum) {
        text_line(x, 3, "svm_brookSumEach(written + rest * step, step, mapped, results, count[3]);");
    } else {
        text_line(x, 3, "for (ptrdiff_t %s = 0; %s < results; %s++) {", g->i, g->i, g->i);
        text_line(x, 4, "%s = mapped[%s * count[3]];", emit_declare(&x->e, out->source->type, out->value), g->i);
        emit_mapped_firings(k, 4, "1", "count[3]", arena_printf(finite_arena(g), "%s * count[3] + ", g->i));
        text_line(
            x, 4, "%s",
            finite_store(g, out, arena_printf(finite_arena(g), "(written + (rest + %s) * step)", g->i), out->value));
        text_line(x, 3, "}");
    }
    text_line(x, 2, "}");
}

// A result, of its block.
static void emit_result(map_emitter *k)
{
    finite_graph *g = k->g;
    program_emitter *x = g->x;
    const finite_port *out = g->reduced;
    for (VEC_EACH(const mapped_input, in, &k->inputs))
        text_line(x, 3, "%s = %s + %s * %s;", finite_pointer(g, in->port, in->block), in->line, g->i, in->step);
    text_line(x, 3, "%s;", emit_declare(&x->e, out->source->type, out->value));
    text_line(x, 3, "{");
    emit_map(k, 4, PLACE_FIRST);
    text_line(x, 4, "%s = %s;", out->value, g->mapped.name);
    text_line(x, 3, "}");
    text_line(x, 3, "ptrdiff_t begin = 1, i0 = 0, i1 = 0, i2 = 0;");
    text_line(x, 3, "while (i0 < count[0]) {");
    for (VEC_EACH(const mapped_input, in, &k->inputs)) {
        const char *w = in->port->walk;
        text_line(x, 4, "%s = %s + i0 * %s->pitch[0] + i1 * %s->pitch[1] + i2 * %s->pitch[2];",
                  finite_pointer(g, in->port, in->first), in->block, w, w, w);
        text_line(x, 4, "(void)%s;", in->first);
    }
    text_line(x, 4, "if (unit && count[3] >= SVM_BROOK_SIDE) {");
    emit_long(k);
    text_line(x, 4, "} else {");
    text_line(x, 5, "for (ptrdiff_t d = begin; d < count[3]; d++) {");
    emit_map(k, 6, PLACE_ANY);
    finite_fire(g, 6, &g->fire, accumulator(g));
    text_line(x, 5, "}");
    text_line(x, 4, "}");
    text_line(x, 4, "begin = 0;");
    finite_end_rows(g, 3);
    text_line(x, 3, "%s",
              finite_store(g, out, arena_printf(finite_arena(g), "(written + %s * step)", g->i), out->value));
}

void finite_mapped(finite_graph *g)
{
    program_emitter *x = g->x;
    map_emitter k = {.g = g};
    find_inputs(&k);
    finite_begin_run(g);
    emit_constants(&k);
    if (finite_vector_fold(g, &g->mapped).sum)
        text_line(x, 1, "svm_BrookDoubt doubt = {0};");
    text_line(x, 1, "for (ptrdiff_t %s = %s->box.row; %s < %s->box.rowEnd; %s++) {", g->r, g->self, g->r, g->self,
              g->r);
    for (VEC_EACH(const mapped_input, in, &k.inputs))
        text_line(x, 2, "%s = %s + svm_brookRow(%s, %s, %s);", finite_pointer(g, in->port, in->line), in->port->name,
                  g->space, in->port->walk, g->r);
    text_line(x, 2, "%s = %s + svm_brookRow(%s, %s, %s);", finite_pointer(g, g->reduced, "written"), g->reduced->name,
              g->space, g->reduced->walk, g->r);
    text_line(x, 2, "ptrdiff_t rest = %s->box.column;", g->self);
    emit_short(&k);
    text_line(x, 2, "for (ptrdiff_t %s = rest; %s < %s->box.columnEnd; %s++) {", g->i, g->i, g->self, g->i);
    emit_result(&k);
    text_line(x, 2, "}");
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
}
