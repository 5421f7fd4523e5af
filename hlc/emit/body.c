// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters in C: constant tables, state struct, helper functions, firing functions.
#include "hlc/emit/body_int.h"

#include <inttypes.h>
#include <string.h>

#include "hlc/ir/walk.h"

// ---- What functions touch ----

typedef struct effect_walk {
    emitter *e;
    body_effects *effects;
    const sir_filter *filter; // NULL for functions of helper blocks
} effect_walk;

static void expr_effects(effect_walk *w, const sir_expr *e)
{
    if (e == NULL || e->kind == SIR_CONST)
        return;
    if ((e->kind == SIR_FIELD || e->kind == SIR_FETCH) && w->filter != NULL && !w->filter->fields.data[e->index].constant)
        w->effects->fields[e->index] = true;
    if (e->kind == SIR_PEEK)
        w->effects->in = w->effects->in_counter = true;
    if (e->kind == SIR_ITER)
        w->effects->iter = true;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        expr_effects(w, e->u.arg[i]);
}

static void block_effects(effect_walk *w, const sir_block *b);

static void call_effects(effect_walk *w, const sir_stmt *s)
{
    for (size_t i = 0; i < s->u.call.args.len; i++)
        expr_effects(w, s->u.call.args.data[i]);
    expr_effects(w, s->u.call.target);
}

static void stmt_effects(effect_walk *w, const sir_stmt *s)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: expr_effects(w, s->u.decl.init); break;
    case SIR_SET:
        expr_effects(w, s->u.set.target);
        expr_effects(w, s->u.set.value);
        break;
    case SIR_POP:
        w->effects->in_counter = true;
        w->effects->in |= s->u.set.target != NULL;
        expr_effects(w, s->u.set.target);
        break;
    case SIR_RANDOM:
        w->effects->random = true;
        expr_effects(w, s->u.set.target);
        break;
    case SIR_PUSH:
        w->effects->out = w->effects->out_counter = true;
        expr_effects(w, s->u.value);
        break;
    case SIR_RETURN: expr_effects(w, s->u.value); break;
    case SIR_PRINT:
        w->effects->log = true;
        expr_effects(w, s->u.print.value);
        break;
    case SIR_CALL: call_effects(w, s); break;
    case SIR_IF:
        expr_effects(w, s->u.if_.cond);
        block_effects(w, &s->u.if_.then);
        block_effects(w, &s->u.if_.otherwise);
        break;
    case SIR_FOR:
        expr_effects(w, s->u.for_.lo);
        expr_effects(w, s->u.for_.hi);
        block_effects(w, &s->u.for_.body);
        break;
    case SIR_LOOP:
        block_effects(w, &s->u.loop.pre);
        expr_effects(w, s->u.loop.cond);
        block_effects(w, &s->u.loop.body);
        block_effects(w, &s->u.loop.step);
        break;
    case SIR_BLOCK: block_effects(w, &s->u.block); break;
    case SIR_SEND:
        w->effects->sends = w->e->messages != NULL;
        for (size_t i = 0; i < s->u.send.args.len; i++)
            expr_effects(w, s->u.send.args.data[i]);
        expr_effects(w, w->effects->sends ? s->u.send.max : NULL);
        break;
    case SIR_BREAK:
    case SIR_CONTINUE: break;
    }
}

static void block_effects(effect_walk *w, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++)
        stmt_effects(w, b->data[i]);
}

// The function's, and those of all that it calls.
static void function_effects(effect_walk *w, const sir_function *f)
{
    sir_called called;
    sir_called_init(&called, w->e->arena);
    sir_add_called(&called, f);
    block_effects(w, &f->body);
    for (VEC_EACH(const sir_function *, g, &called.functions))
        block_effects(w, &(*g)->body);
}

const body_effects *body_effects_of(emitter *e, emit_filter_info *info, const sir_function *f)
{
    const sir_filter *filter = info != NULL ? info->filter : NULL;
    struct { const void *function, *filter; } key = {f, filter}; // a helper block's function is asked for with many filters
    const body_effects *known = hmap_getn(&e->effects, &key, sizeof key);
    if (known != NULL)
        return known;
    effect_walk w = {.e = e, .effects = ARENA_NEW(e->arena, body_effects), .filter = filter};
    w.effects->fields = ARENA_ARRAY(e->arena, bool, filter != NULL ? filter->fields.len : 0);
    function_effects(&w, f);
    hmap_setn(&e->effects, &key, sizeof key, w.effects);
    return w.effects;
}

bool body_calls_tape(emitter *e, const sir_function *f)
{
    // The filter's fields do not matter for tapes, so a walk without them serves.
    effect_walk w = {.e = e, .effects = ARENA_NEW(e->arena, body_effects)};
    function_effects(&w, f);
    return w.effects->in_counter || w.effects->out_counter;
}

bool emit_needs_contiguous(emitter *e, const sir_filter *f)
{
    for (size_t i = 0; i < f->functions.len; i++)
        if (body_calls_tape(e, f->functions.data[i]))
            return true;
    return false;
}

// ---- Array parameters ----

typedef struct write_walk {
    const sir_function *function;
    uint32_t param;
    hmap seen; // (function, parameter) pairs met
    arena *arena;
} write_walk;

static bool writes_param(write_walk *w, const sir_function *f, uint32_t param);

static bool roots_in(const sir_expr *e, uint32_t local)
{
    while (e != NULL && (e->kind == SIR_INDEX || e->kind == SIR_MEMBER))
        e = e->u.arg[0];
    return e != NULL && e->kind == SIR_LOCAL && e->index == local;
}

static bool block_writes(write_walk *w, const sir_block *b, uint32_t param);

static bool stmt_writes(write_walk *w, const sir_stmt *s, uint32_t param)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_SET:
    case SIR_POP:
    case SIR_RANDOM: return roots_in(s->u.set.target, param);
    case SIR_CALL:
        for (size_t i = 0; i < s->u.call.args.len && i < s->u.call.function->param_count; i++)
            if (s->u.call.function->locals.data[i].by_reference && roots_in(s->u.call.args.data[i], param) &&
                writes_param(w, s->u.call.function, (uint32_t)i))
                return true;
        return roots_in(s->u.call.target, param);
    case SIR_IF: return block_writes(w, &s->u.if_.then, param) || block_writes(w, &s->u.if_.otherwise, param);
    case SIR_FOR: return block_writes(w, &s->u.for_.body, param);
    case SIR_LOOP:
        return block_writes(w, &s->u.loop.pre, param) || block_writes(w, &s->u.loop.body, param) || block_writes(w, &s->u.loop.step, param);
    case SIR_BLOCK: return block_writes(w, &s->u.block, param);
    default: return false;
    }
}

static bool block_writes(write_walk *w, const sir_block *b, uint32_t param)
{
    for (size_t i = 0; i < b->len; i++)
        if (stmt_writes(w, b->data[i], param))
            return true;
    return false;
}

static bool writes_param(write_walk *w, const sir_function *f, uint32_t param)
{
    struct { const sir_function *f; uint64_t param; } key = {f, param};
    if (hmap_getn(&w->seen, &key, sizeof key) != NULL)
        return false; // being looked at: whoever started there will find the write
    hmap_setn(&w->seen, &key, sizeof key, w);
    return f->kind == SIR_NATIVE || block_writes(w, &f->body, param);
}

bool body_param_written(emitter *e, const sir_function *f, uint32_t param)
{
    write_walk w = {.arena = e->arena};
    hmap_init(&w.seen, e->arena);
    return writes_param(&w, f, param);
}

// ---- Functions ----

const char *body_function_name(body_context *c, const sir_function *f)
{
    if (c->info != NULL)
        for (size_t i = 0; i < c->info->helpers.len; i++)
            if (c->info->helpers.data[i].function == f)
                return c->info->helpers.data[i].c_name;
    for (size_t i = 0; i < c->e->module_helpers.len; i++)
        if (c->e->module_helpers.data[i].function == f)
            return c->e->module_helpers.data[i].c_name;
    return f->name;
}

// A name that is neither taken nor reserved; takes it.
static const char *member_name(emitter *e, hmap *taken, const char *wanted)
{
    const char *base = body_identifier(e->arena, wanted), *name = base;
    for (uint32_t k = 2; hmap_get(taken, name) != NULL || body_is_reserved(e, name); k++)
        name = arena_printf(e->arena, "%s_%" PRIu32, base, k);
    hmap_set(taken, name, taken);
    return name;
}

// What functions of dynamic-rate actors call their own.
static void take_dynamic_names(bool dynamic, hmap *taken)
{
    if (dynamic) {
        hmap_set(taken, "dynamic", taken);
        hmap_set(taken, "item", taken);
    }
}

static bool is_aggregate(const sir_type *t)
{
    return t->kind == SIR_ARRAY || t->kind == SIR_STRUCT;
}

// What functions around finite filters call their own (finite*.c).
static void take_finite_names(bool finite, hmap *taken)
{
    static const char *const names[] = {
        "ROWS", "TILE", "accumulator", "accumulators", "apart", "at", "begin", "begun", "block", "bottom", "box",
        "brief", "column", "columns", "complete", "count", "d", "doubt", "element", "end", "endRow", "far", "first",
        "firstRow", "first_run", "fold", "header", "i0", "i1", "i2", "inside", "kept", "lane", "last", "layout",
        "left", "loaded", "loads", "made", "mapped", "memory", "module", "more", "most", "near", "next_run",
        "numbered", "one", "part", "parts", "past", "pitch", "place", "port", "pushed", "q", "rest", "result",
        "results", "room", "row", "rows", "run", "step", "stop", "stored", "stores", "streams", "strip", "tile",
        "top", "unit", "waits", "walks", "where", "windows", "written"
    };
    for (size_t i = 0; finite && i < sizeof names / sizeof *names; i++)
        hmap_set(taken, names[i], taken);
}

// What they call what belongs to a stream begins with its name, and ends so: no name of the program's does.
static const char *finite_name(const emitter *e, const emit_filter_info *info, const char *name)
{
    static const char *const ends[] = {"_all",  "_here", "_load",  "_made",  "_pitch", "_place",
                                       "_rows", "_step", "_store", "_there", "_walk"};
    const size_t length = strlen(name);
    for (size_t i = 0; info != NULL && info->filter->finite && i < sizeof ends / sizeof *ends; i++)
        if (length >= strlen(ends[i]) && strcmp(name + length - strlen(ends[i]), ends[i]) == 0)
            return arena_printf(e->arena, "%s_of", name);
    return name;
}

// A value that C can write where any expression stands is folded; this one needs a name.
static bool is_table(const sir_field *f)
{
    return f->constant && is_aggregate(f->type);
}

// C names for the locals: unlike each other, the fields and every file-scope name.
static void name_locals(body_context *c)
{
    hmap taken;
    hmap_init(&taken, c->e->arena);
    for (size_t i = 0; c->info != NULL && i < c->info->field_names.len; i++)
        hmap_set(&taken, c->info->field_names.data[i], c);
    take_dynamic_names(c->dynamic, &taken);
    if (c->e->keep_names && c->info != NULL) {
        const sir_filter *filter = c->info->filter;
        c->constant_names = ARENA_ARRAY(c->e->arena, const char *, filter->fields.len + 1);
        for (size_t i = 0; i < filter->fields.len; i++)
            if (filter->fields.data[i].constant && is_table(&filter->fields.data[i]))
                c->constant_names[i] = member_name(c->e, &taken, filter->fields.data[i].name);
            else
                c->constant_names[i] = c->info->field_names.data[i];
    }
    for (size_t i = 0; i < c->function->locals.len; i++)
        c->locals[i].c_name = member_name(c->e, &taken, finite_name(c->e, c->info, c->function->locals.data[i].name));
    c->lane = (uint32_t)c->function->locals.len;
    c->locals[c->lane].c_name = member_name(c->e, &taken, "lane");
    c->in_tile = member_name(c->e, &taken, "in_tile");
    c->out_tile = member_name(c->e, &taken, "out_tile");
}

static body_context context_new(emitter *e, emit_filter_info *info, const sir_function *f, emit_view in, emit_view out)
{
    body_context c = {.e = e, .info = info, .function = f, .locals = ARENA_ARRAY(e->arena, body_local, f->locals.len + 1), .indent = 1};
    c.lookups = body_lookups_new(e->arena);
    c.in.view = in;
    c.out.view = out;
    c.dynamic = info != NULL && info->dynamic;
    name_locals(&c);
    body_analyse(&c);
    return c;
}

static void add_parameter(strbuf *b, const char *parameter)
{
    if (b->len > 0)
        strbuf_add(b, ", ");
    strbuf_add(b, parameter);
}

bool body_is_copied(const emitter *e, const sir_field *f)
{
    return e->keep_names && !f->constant && f->type->kind != SIR_ARRAY && f->role != SIR_GATHER;
}

enum { NEAR_OFFSET = 1 << 15 }; // farther away is not near

// Of several columns at once that of a lane is the first one's, and the lane.
static const sir_expr *without_lane(const sir_expr *e, uint32_t lane)
{
    bool sum = lane != SIR_NONE && e->kind == SIR_BINARY && e->op == LANG_OP_ADD && e->u.arg[1]->kind == SIR_LOCAL &&
               e->u.arg[1]->index == lane;
    return sum ? e->u.arg[0] : e;
}

// "$x + 3", "$x - 3", "3 + $x", "$x", of the coordinate `near` or any of that dimension.
static bool is_beside(const sir_filter *f, uint32_t dimension, uint32_t near, uint32_t lane, const sir_expr *e,
                      const sir_expr **coordinate, int64_t *offset)
{
    const sir_expr *base = e;
    *offset = 0;
    if (e->kind == SIR_BINARY && (e->op == LANG_OP_ADD || e->op == LANG_OP_SUB) && e->u.arg[1]->kind == SIR_CONST) {
        base = e->u.arg[0];
        *offset = e->op == LANG_OP_ADD ? e->u.arg[1]->u.value.i : -(int64_t)e->u.arg[1]->u.value.i;
    } else if (e->kind == SIR_BINARY && e->op == LANG_OP_ADD && e->u.arg[0]->kind == SIR_CONST) {
        base = e->u.arg[1];
        *offset = e->u.arg[0]->u.value.i;
    }
    base = without_lane(base, lane);
    if (base->kind != SIR_FIELD || (near != SIR_NONE && base->index != near))
        return false;
    *coordinate = base;
    const sir_field *c = &f->fields.data[base->index];
    return c->role == SIR_COORDINATE && c->dimension == dimension && *offset <= NEAR_OFFSET && *offset >= -NEAR_OFFSET;
}

static bool is_near(const sir_filter *f, uint32_t near, uint32_t lane, const sir_expr *e, int64_t *offset)
{
    const sir_expr *coordinate;
    return is_beside(f, 0, near, lane, e, &coordinate, offset);
}

const sir_expr *body_row_offset(const sir_filter *f, const sir_expr *fetch, int64_t *offset)
{
    const sir_expr *coordinate;
    return fetch->op == 2 && is_beside(f, 1, SIR_NONE, SIR_NONE, fetch->u.arg[0], &coordinate, offset) ? coordinate
                                                                                                         : NULL;
}

bool body_near_offset(const sir_filter *f, uint32_t near, uint32_t lane, const sir_expr *fetch, int64_t *offset)
{
    return is_near(f, near, lane, fetch->u.arg[fetch->op - 1], offset);
}

bool body_turned_offset(const sir_filter *f, uint32_t near, uint32_t lane, const sir_expr *fetch, int64_t *offset)
{
    int64_t last;
    return fetch->op == 2 && !body_near_offset(f, near, lane, fetch, &last) &&
           is_near(f, near, lane, fetch->u.arg[0], offset);
}

const char *body_stored_name(emitter *e, const emit_filter_info *info, uint32_t field, const char *what)
{
    return arena_printf(e->arena, "%s_%s_%s", info->c_name, info->field_names.data[field], what);
}

// The parameter that points to a copied field. Names that begin so are nobody else's.
static const char *field_pointer(emitter *e, const emit_filter_info *info, uint32_t field)
{
    return arena_printf(e->arena, "svm_at_%s", info->field_names.data[field]);
}

int emit_beside_of(const emit_filter_info *info, uint32_t field, int64_t row)
{
    int number = 0;
    for (VEC_EACH(const emit_beside, b, &info->beside)) {
        if (b->field == field && b->row == row)
            return number;
        number += b->field == field;
    }
    return -1;
}

bool emit_has_beside(const emit_filter_info *info, uint32_t field)
{
    bool found = false;
    for (VEC_EACH(const emit_beside, b, &info->beside))
        found = found || b->field == field;
    return found;
}

// A pointer to a gathered stream, how that is walked, and pointers to rows of it.
static const char *gather_parameters(emitter *e, const emit_filter_info *info, uint32_t field)
{
    const sir_field *f = &info->filter->fields.data[field];
    const char *name = info->field_names.data[field];
    const char *element = f->stored != NULL ? body_stored_name(e, info, field, "Element") : emit_declare(e, f->type, "");
    const char *rows = emit_has_beside(info, field)
                           ? arena_printf(e->arena, ", const %s *const *svm_rows_%s", element, name)
                           : "";
    const char *pointer = f->stored != NULL ? arena_printf(e->arena, "const %s *%s", element, name)
                                            : emit_declare_pointer(e, f->type, "const", "", name);
    return arena_printf(e->arena, "%s, const svm_BrookWalk *%s_walk%s", pointer, name, rows);
}

static const char *field_parameter(emitter *e, const emit_filter_info *info, uint32_t field)
{
    const sir_type *t = info->filter->fields.data[field].type;
    if (info->filter->fields.data[field].role == SIR_GATHER)
        return gather_parameters(e, info, field);
    bool copied = body_is_copied(e, &info->filter->fields.data[field]);
    const char *name = copied ? field_pointer(e, info, field) : info->field_names.data[field];
    return t->kind == SIR_ARRAY ? emit_declare(e, t, name) : arena_printf(e->arena, "%s *%s", body_type_name(e, t), name);
}

// Parameters of a helper function's own: arrays by reference, const where nothing writes them.
static void own_parameters(body_context *c, strbuf *b)
{
    const sir_function *f = c->function;
    for (uint32_t i = 0; i < f->param_count; i++) {
        const sir_local *p = &f->locals.data[i];
        bool constant = p->type->kind == SIR_ARRAY && !body_param_written(c->e, f, i);
        add_parameter(b, arena_printf(c->e->arena, "%s%s", constant ? "const " : "", emit_declare(c->e, p->type, c->locals[i].c_name)));
    }
    if (f->result->kind == SIR_ARRAY)
        add_parameter(b, emit_declare(c->e, f->result, "result"));
}

// NOTE(names). A debugger finds a field under its own name when the function has it as a local: scalars and structs are
// copied in and out, constants are declared. Arrays are pointers to their first element, as C's parameters are.
static bool is_stored(body_context *c, uint32_t field)
{
    return c->info != NULL && body_effects_of(c->e, c->info, c->function)->fields[field] &&
           body_is_copied(c->e, &c->info->filter->fields.data[field]);
}

void body_store_fields(body_context *c)
{
    for (uint32_t i = 0; c->info != NULL && i < c->info->filter->fields.len; i++)
        if (is_stored(c, i))
            body_line(c, "*%s = %s;", field_pointer(c->e, c->info, i), body_field_named(c, i));
}

static void declare_constant(body_context *c, uint32_t field, const char *name)
{
    const sir_field *f = &c->info->filter->fields.data[field];
    emitter *e = c->e;
    if (f->type->kind == SIR_ARRAY) {
        body_line(c, "const %s SVM_UNUSED = %s;", // a bit is an int here, whatever it is on channels
                  emit_declare(e, f->type->element, arena_printf(e->arena, f->type->element->kind == SIR_ARRAY ? "(*const %s)" : "*const %s", name)),
                  emit_field_table(e, c->info, field));
        return;
    }
    strbuf value, *out = e->out;
    strbuf_init(&value, e->arena);
    e->out = &value;
    emit_value(e, &f->init, 0);
    e->out = out;
    body_line(c, "const %s SVM_UNUSED = %s;", emit_declare(e, f->type, name), value.data);
}

static void load_fields(body_context *c)
{
    const sir_filter *filter = c->info == NULL ? NULL : c->info->filter;
    for (uint32_t i = 0; c->e->keep_names && filter != NULL && i < filter->fields.len; i++) {
        const sir_field *f = &filter->fields.data[i];
        const char *name = c->info->field_names.data[i];
        if (is_stored(c, i))
            body_line(c, "%s = *%s;", emit_declare(c->e, f->type, name), field_pointer(c->e, c->info, i));
        else if (f->constant)
            declare_constant(c, i, c->constant_names[i]);
    }
}

static const char *helper_prototype(body_context *c, const char *name)
{
    emitter *e = c->e;
    const sir_filter *filter = c->info != NULL ? c->info->filter : NULL;
    const body_effects *x = body_effects_of(e, c->info, c->function);
    strbuf b;
    strbuf_init(&b, e->arena);
    if (c->dynamic && (x->in_counter || x->out_counter))
        add_parameter(&b, "svm_DynamicEnds *dynamic");
    if (x->in_counter && !c->dynamic) {
        add_parameter(&b, emit_declare_pointer(e, filter->input, "const", "", "in"));
        add_parameter(&b, "ptrdiff_t *n_in");
    }
    if (x->out_counter && !c->dynamic) {
        add_parameter(&b, emit_declare_pointer(e, filter->output, "", "", "out"));
        add_parameter(&b, "ptrdiff_t *n_out");
    }
    for (uint32_t i = 0; filter != NULL && i < filter->fields.len; i++)
        if (x->fields[i])
            add_parameter(&b, field_parameter(e, c->info, i));
    if (x->iter)
        add_parameter(&b, "int iter");
    if (x->random)
        add_parameter(&b, "svm_Random *random");
    if (x->log)
        add_parameter(&b, "svm_Log *prints");
    if (x->sends)
        add_parameter(&b, "svm_Sender *svm_sender");
    body_needs needs = body_needs_of(e, c->function);
    if (needs.pop_limit)
        add_parameter(&b, "ptrdiff_t svm_popLimit");
    if (needs.peek_limit)
        add_parameter(&b, "ptrdiff_t svm_peekLimit");
    if (needs.push_limit)
        add_parameter(&b, "ptrdiff_t svm_pushLimit");
    if (needs.actor)
        add_parameter(&b, "const char *svm_actor");
    own_parameters(c, &b);
    const char *result = c->function->result->kind == SIR_ARRAY ? "void" : body_type_name(e, c->function->result);
    return arena_printf(e->arena, "%s %s(%s)", result, name, b.len > 0 ? b.data : "void");
}

static void silence(body_context *c, body_name name, uint32_t index, const char *text)
{
    if (!body_uses(c, name, index))
        body_line(c, "(void)%s;", text);
}

// Of a helper function every parameter that its callers pass; they cannot know what the text makes of it.
static void unused_parameters(body_context *c)
{
    const body_effects *x = body_effects_of(c->e, c->info, c->function);
    bool in = x->in_counter && !c->dynamic, out = x->out_counter && !c->dynamic;
    const struct {
        bool given;
        body_name name;
    } given[] = {
        {in, BODY_IN},
        {in, BODY_IN_COUNT},
        {out, BODY_OUT},
        {out, BODY_OUT_COUNT},
        {c->dynamic && (x->in_counter || x->out_counter), BODY_DYNAMIC},
        {x->iter, BODY_ITER},
        {x->random, BODY_RANDOM},
        {x->log, BODY_LOG},
        {x->sends, BODY_SENDER},
        {c->function->result->kind == SIR_ARRAY, BODY_RESULT},
    };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].given && !body_uses(c, given[i].name, 0))
            body_line(c, "(void)%s;", body_named(c, given[i].name));
    for (uint32_t i = 0; c->info != NULL && i < c->info->filter->fields.len; i++)
        if (x->fields[i])
            silence(c, BODY_FIELD, i, c->info->field_names.data[i]);
    for (uint32_t i = 0; i < c->function->param_count; i++)
        silence(c, BODY_LOCAL, i, c->locals[i].c_name);
}

// The statements of the function, apart from what is written.
static const char *body_text(body_context *c)
{
    strbuf text, *out = c->e->out;
    strbuf_init(&text, c->e->arena);
    c->e->out = &text;
    body_function_body(c);
    c->e->out = out;
    return text.data;
}

body_needs body_dry_needs(emitter *e, emit_filter_info *info, const sir_function *f)
{
    body_context c = context_new(e, info, f, (emit_view){0}, (emit_view){0});
    c.dry = true;
    (void)body_text(&c);
    return (body_needs){body_uses(&c, BODY_ACTOR, 0), body_uses(&c, BODY_POP_LIMIT, 0),
                        body_uses(&c, BODY_PEEK_LIMIT, 0), body_uses(&c, BODY_PUSH_LIMIT, 0)};
}

static void emit_helper_function(emitter *e, emit_filter_info *info, const sir_function *f, const char *name)
{
    body_context c = context_new(e, info, f, (emit_view){0}, (emit_view){0});
    body_find_needs(e, info, f);
    const char *body = body_text(&c);
    body_mark_line(e, f->loc);
    strbuf_printf(e->out, "static inline %s\n{\n", helper_prototype(&c, name));
    load_fields(&c);
    unused_parameters(&c);
    strbuf_printf(e->out, "%s}\n", body);
    body_mark_line(e, (sir_loc){0});
    strbuf_addc(e->out, '\n');
}

emit_signature emit_value_function(emitter *e, emit_filter_info *info, const sir_function *f, const char *name)
{
    emit_signature s = {.name = name};
    const body_effects *x = body_effects_of(e, info, f);
    emit_helper_function(e, info, f, name);
    for (uint32_t i = 0; i < info->filter->fields.len; i++)
        if (x->fields[i])
            VEC_PUSH(e->arena, &s.fields, i);
    return s;
}

static void add_calls(sir_called *c, const emitter *e, const sir_filter *f)
{
    sir_add_called(c, f->work);
    if (f->prework != NULL)
        sir_add_called(c, f->prework);
    for (size_t i = 0; i < f->handlers.len; i++)
        if (body_is_received(e, f, f->handlers.data[i]))
            sir_add_called(c, f->handlers.data[i]);
}

// Functions in any order may call each other: prototypes first where there are several.
static void emit_helpers(emitter *e, emit_filter_info *info, const struct emit_helper *helpers, size_t count)
{
    for (size_t i = 0; i < count && count > 1; i++) {
        body_context c = context_new(e, info, helpers[i].function, (emit_view){0}, (emit_view){0});
        body_find_needs(e, info, helpers[i].function);
        strbuf_printf(e->out, "static inline %s;\n", helper_prototype(&c, helpers[i].c_name));
    }
    if (count > 1)
        strbuf_addc(e->out, '\n');
    for (size_t i = 0; i < count; i++)
        emit_helper_function(e, info, helpers[i].function, helpers[i].c_name);
}

// P.f is P_f, for native functions too (streamit.md 5.9).
const char *emit_module_function_name(arena *a, const sir_function *f)
{
    const char *dot = strchr(f->name, '.');
    return dot == NULL ? body_identifier(a, f->name) : arena_printf(a, "%.*s_%s", (int)(dot - f->name), f->name, dot + 1);
}

void emit_module_functions(emitter *e)
{
    const sir_module *m = e->module;
    VEC(struct emit_helper) bodies = {0};
    sir_called called;
    sir_called_init(&called, e->arena);
    for (size_t i = 0; i < m->filters.len; i++)
        add_calls(&called, e, m->filters.data[i]);
    for (size_t i = 0; i < m->functions.len; i++) {
        const sir_function *f = m->functions.data[i];
        if (!sir_is_called(&called, f))
            continue;
        const char *wanted = emit_module_function_name(e->arena, f);
        struct emit_helper h = {f, f->kind == SIR_NATIVE ? wanted : emit_unique_name(e, wanted)};
        VEC_PUSH(e->arena, &e->module_helpers, h);
        if (f->kind == SIR_NATIVE) {
            body_context c = context_new(e, NULL, f, (emit_view){0}, (emit_view){0});
            strbuf_printf(e->out, "SVM_NATIVE extern %s;\n", helper_prototype(&c, h.c_name));
        } else {
            VEC_PUSH(e->arena, &bodies, h);
        }
    }
    emit_helpers(e, NULL, bodies.data, bodies.len);
}

// ---- Filters ----

static void emit_state_struct(emitter *e, emit_filter_info *info)
{
    const sir_filter *f = info->filter;
    bool any = false;
    for (size_t i = 0; i < f->fields.len; i++)
        any |= !f->fields.data[i].constant;
    if (!any || f->finite) // whose fields are parameters
        return;
    info->state_type = emit_unique_name(e, arena_printf(e->arena, "%s_State", info->c_name));
    emit_declarations members = {0};
    for (int aggregates = 0; aggregates < 2; aggregates++) // scalars first: they share a cache line
        for (size_t i = 0; i < f->fields.len; i++)
            if (!f->fields.data[i].constant && is_aggregate(f->fields.data[i].type) == (aggregates == 1))
                VEC_PUSH(e->arena, &members, emit_declare(e, f->fields.data[i].type, info->field_names.data[i]));
    emit_struct_type(e, "struct", &members, info->state_type);
    strbuf_addc(e->out, '\n');
}

static bool has_dynamic_rate(const sir_function *f)
{
    return f != NULL && (f->peek.dynamic || f->pop.dynamic || f->push.dynamic);
}

static void emit_filter_comment(emitter *e, const sir_filter *f, const char *more)
{
    const char *place = body_comment_place(e, f->loc);
    if (e->alike_last && *more == '\0')
        strbuf_addc(e->out, '\n');
    e->alike_last = false;
    strbuf_printf(e->out, "/* %s%s%s%s */\n", f->source != NULL ? f->source : f->name, place != NULL ? ", " : "",
                  place != NULL ? place : "", more);
}

static void emit_table(emitter *e, emit_filter_info *info, const char *filter, const sir_field *field)
{
    const char *table = emit_unique_name(e, arena_printf(e->arena, "%s_%s", filter, field->name));
    strbuf text, *out = e->out;
    strbuf_init(&text, e->arena);
    strbuf_printf(&text, "static const %s %s = ", emit_declare(e, field->type, table), emit_table_marks(field->type));
    e->out = &text;
    emit_value(e, &field->init, 0);
    e->out = out;
    strbuf_add(&text, ";\n\n");
    VEC_PUSH(e->arena, &info->field_names, table);
    VEC_PUSH(e->arena, &info->held, emit_hold(e, text.data));
}

emit_filter_info *emit_filter(emitter *e, const sir_filter *f)
{
    emit_filter_info *info = ARENA_NEW(e->arena, emit_filter_info);
    info->filter = f;
    info->of = info;
    info->near = SIR_NONE;
    info->dynamic = !f->finite && (has_dynamic_rate(f->work) || has_dynamic_rate(f->prework));
    info->c_name = emit_unique_name(e, f->name);
    emit_filter_comment(e, f, "");
    hmap taken;
    hmap_init(&taken, e->arena);
    take_dynamic_names(info->dynamic, &taken);
    take_finite_names(f->finite, &taken);
    for (size_t i = 0; i < f->fields.len; i++) {
        const sir_field *field = &f->fields.data[i];
        if (!is_table(field)) {
            VEC_PUSH(e->arena, &info->field_names, member_name(e, &taken, finite_name(e, info, field->name)));
            VEC_PUSH(e->arena, &info->held, 0);
        } else {
            emit_table(e, info, info->c_name, field);
        }
        body_hold_inverses(e, info, (uint32_t)i);
    }
    emit_state_struct(e, info);
    sir_called called;
    sir_called_init(&called, e->arena);
    add_calls(&called, e, f);
    for (size_t i = 0; i < f->functions.len; i++) {
        const sir_function *function = f->functions.data[i];
        if (!sir_is_called(&called, function))
            continue;
        const char *name = emit_unique_name(e, arena_printf(e->arena, "%s_%s", info->c_name, f->functions.data[i]->name));
        VEC_PUSH(e->arena, &info->helpers, (struct emit_helper){f->functions.data[i], name});
    }
    emit_helpers(e, info, info->helpers.data, info->helpers.len);
    for (size_t i = 0; i < f->handlers.len; i++) {
        sir_function *handler = f->handlers.data[i];
        if (!body_is_received(e, f, handler))
            continue;
        const char *name = emit_unique_name(e, arena_printf(e->arena, "%s_%s", info->c_name, handler->name));
        VEC_PUSH(e->arena, &info->handlers, (struct emit_helper){handler, name});
        emit_helper_function(e, info, handler, name);
    }
    return info;
}

emit_filter_info *emit_filter_alike(emitter *e, const sir_filter *f, emit_filter_info *of, const bool *given)
{
    emit_filter_info *info = ARENA_NEW(e->arena, emit_filter_info);
    *info = (emit_filter_info){.filter = f, .of = of, .c_name = of->c_name, .state_type = of->state_type};
    emit_filter_comment(e, f, arena_printf(e->arena, ", fires as %s does", of->c_name));
    bool tables = false;
    for (size_t i = 0; i < f->fields.len; i++) {
        tables |= given[i];
        if (given[i]) {
            emit_table(e, info, f->name, &f->fields.data[i]);
            continue;
        }
        VEC_PUSH(e->arena, &info->field_names, of->field_names.data[i]);
        VEC_PUSH(e->arena, &info->held, of->held.data[i]);
    }
    e->alike_last = !tables;
    return info;
}

const char *emit_field_table(emitter *e, const emit_filter_info *info, uint32_t field)
{
    emit_use_held(e, info->held.data[field]);
    return info->field_names.data[field];
}

const char *emit_given_parameter(emitter *e, const emit_given *g)
{
    if (g->type->kind == SIR_ARRAY)
        return emit_declare_pointer(e, g->type->element, "const", "restrict", g->name);
    return emit_declare(e, g->type, g->name);
}

const char *body_given(body_context *c, const sir_expr *e)
{
    if (c->info == NULL || c->info->given.len == 0)
        return NULL;
    const emit_given *g = hmap_getn(&c->info->given_of, &e, sizeof e);
    if (g != NULL)
        body_use(c, BODY_GIVEN, (uint32_t)(g - c->info->given.data));
    return g == NULL ? NULL : g->name;
}

void emit_state_init(emitter *e, const emit_filter_info *info, int indent)
{
    const sir_filter *f = info->filter;
    bool first = true;
    strbuf_addc(e->out, '{');
    for (int aggregates = 0; aggregates < 2; aggregates++)
        for (size_t i = 0; i < f->fields.len; i++) {
            const sir_field *field = &f->fields.data[i];
            if (field->constant || is_aggregate(field->type) != (aggregates == 1))
                continue;
            strbuf_printf(e->out, "%s.%s = ", first ? "" : ", ", info->field_names.data[i]);
            emit_value(e, &field->init, indent);
            first = false;
        }
    strbuf_addc(e->out, '}');
}

// ---- Firing functions ----

// firings: how many one call does.
static void fire_annotation(emitter *e, const sir_filter *f, const sir_function *function, int64_t firings, bool dynamic)
{
    strbuf_printf(e->out, "SVM_FIRE(%s", f->stateful || (f->sends && e->messages != NULL) ? "stateful" : "stateless");
    if (f->finite && firings > 1)
        strbuf_printf(e->out, ", firings(%" PRId64 ")", firings);
    if (dynamic || f->finite) {
        strbuf_add(e->out, ")\n");
        return;
    }
    if (function->peek.max > function->pop.max)
        strbuf_printf(e->out, ", peek(%" PRId64 ")", function->peek.max + (firings - 1) * function->pop.max);
    if (f->input->kind != SIR_VOID)
        strbuf_printf(e->out, ", pop(%" PRId64 ")", firings * function->pop.max);
    if (f->output->kind != SIR_VOID)
        strbuf_printf(e->out, ", push(%" PRId64 ")", firings * function->push.max);
    if (function == f->ahead)
        firings = function->push.max / f->work->push.max;
    if (firings > 1)
        strbuf_printf(e->out, ", firings(%" PRId64 ")", firings);
    strbuf_add(e->out, ")\n");
}

// What the body uses of what the caller could give.
static emit_signature signature_of(body_context *c, const char *name)
{
    emit_signature s = {.name = name};
    s.dynamic = c->dynamic && body_uses(c, BODY_DYNAMIC, 0);
    s.in = !c->dynamic && body_uses(c, BODY_IN, 0);
    s.out = !c->dynamic && body_uses(c, BODY_OUT, 0);
    s.iter = body_uses(c, BODY_ITER, 0);
    s.random = body_uses(c, BODY_RANDOM, 0);
    s.log = body_uses(c, BODY_LOG, 0);
    s.sends = body_uses(c, BODY_SENDER, 0);
    s.actor = body_uses(c, BODY_ACTOR, 0);
    s.aside = c->aside;
    s.adds = c->aside_adds;
    s.rungs = c->rungs;
    s.states = c->states == BODY_STATES_WAIT;
    s.shifts = c->shifts;
    s.inlined = body_inlines(c);
    s.kept = body_keeps_arrays(c);
    s.waits = body_waits(c);
    s.twice = body_fires_twice(c);
    s.flags = c->flags;
    s.scalar = body_looks_up(c, NULL);
    const body_effects *x = body_effects_of(c->e, c->info, c->function);
    for (uint32_t i = 0; i < c->info->filter->fields.len; i++)
        if (x->fields[i] && body_uses(c, BODY_FIELD, i))
            VEC_PUSH(c->e->arena, &s.fields, i);
    for (uint32_t i = 0; i < c->info->given.len; i++)
        if (body_uses(c, BODY_GIVEN, i))
            VEC_PUSH(c->e->arena, &s.given, i);
    return s;
}

static bool handlers_read_iter(emitter *e, emit_filter_info *info)
{
    for (size_t i = 0; i < info->handlers.len; i++)
        if (body_effects_of(e, info, info->handlers.data[i].function)->iter)
            return true;
    return false;
}

// Of a firing function: no array of the state lies over another.
static const char *own_parameter(emitter *e, const emit_filter_info *info, uint32_t field)
{
    const sir_field *f = &info->filter->fields.data[field];
    if (f->type->kind != SIR_ARRAY || f->role == SIR_GATHER)
        return field_parameter(e, info, field);
    return body_own_array(e, f->type, info->field_names.data[field]);
}

enum { FEW_FUNCTIONS = 8 };
enum { HEAD_COLUMNS = 120, HEAD_ALIGNED = 80 };

static void count_functions(void *context, sir_expr *e, bool written)
{
    int *count = context;
    (void)written;
    *count += e->kind == SIR_MATH && body_is_elementary(e);
}

static void count_functions_of(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, count_functions, context);
}

// Whether it has functions of svm/elementary.h, and no more than fit a loop: inlined, that becomes vectors. A finite
// filter needs none of them: there is a loop for it (finite_kernel.c), which calls as few as it can of large ones.
static bool is_inlined(const body_context *c, const emit_signature *s)
{
    int count = 0;
    if (c->function->kind != SIR_WORK || c->vectors > 0)
        return false;
    if (s->inlined || s->kept || s->waits || s->twice || c->info->rows > 0 || c->function == c->info->filter->ahead)
        return true;
    sir_visit_stmts(&c->function->body, count_functions_of, &count);
    const bool alone = c->info->filter->finite && (c->info->lanes == 0 || c->info->takes.len > 0);
    return count <= FEW_FUNCTIONS && (count > 0 || alone);
}

// A function's head, its parameters in as many lines as it takes.
static void write_head(emitter *e, const char *head, const char *params)
{
    size_t column = strlen(head), align = column <= HEAD_ALIGNED ? column : 8;
    strbuf_add(e->out, head);
    for (const char *p = params, *end; *p != '\0'; p = end) {
        end = strstr(p, ", ");
        end = end == NULL ? p + strlen(p) : end + strlen(", ");
        size_t length = (size_t)(end - p);
        if (p != params && column + length > HEAD_COLUMNS) {
            e->out->len--; // the blank
            strbuf_addc(e->out, '\n');
            strbuf_pad(e->out, ' ', align);
            column = align;
        }
        strbuf_printf(e->out, "%.*s", (int)length, p);
        column += length;
    }
    strbuf_add(e->out, ")\n{\n");
}

static emit_signature emit_fire(body_context *c, const char *name)
{
    emitter *e = c->e;
    emit_filter_info *info = c->info;
    body_find_needs(e, info, c->function);
    const char *body = body_text(c);
    if (info->filter->sends && e->messages != NULL)
        body = arena_printf(e->arena, "    %s->firing++;\n%s", body_named(c, BODY_SENDER), body);
    if (handlers_read_iter(e, info) && c->function->kind == SIR_WORK && !body_uses(c, BODY_ITER, 0))
        body = arena_printf(e->arena, "    (void)%s;\n%s", body_named(c, BODY_ITER), body); // so that it is counted
    emit_signature s = signature_of(c, name);
    strbuf b;
    strbuf_init(&b, e->arena);
    if (s.dynamic)
        add_parameter(&b, "svm_DynamicEnds *dynamic");
    if (s.in)
        add_parameter(&b, emit_declare_pointer(e, info->filter->input, "const", "restrict", "in"));
    if (s.out)
        add_parameter(&b, emit_declare_pointer(e, info->filter->output, "", "restrict", "out"));
    for (size_t i = 0; i < s.fields.len; i++)
        add_parameter(&b, own_parameter(e, info, s.fields.data[i]));
    for (VEC_EACH(uint32_t, g, &s.given))
        add_parameter(&b, emit_given_parameter(e, &info->given.data[*g]));
    if (s.iter)
        add_parameter(&b, "int iter");
    if (s.random)
        add_parameter(&b, "svm_Random *random");
    if (s.log)
        add_parameter(&b, "svm_Log *prints");
    if (s.sends)
        add_parameter(&b, "svm_Sender *svm_sender");
    if (s.actor)
        add_parameter(&b, "const char *svm_actor");
    if (info->near != SIR_NONE && body_uses(c, BODY_INSIDE, 0))
        add_parameter(&b, "int svm_inside, ptrdiff_t svm_column");
    if (info->filter->finite && s.out)
        add_parameter(&b, "ptrdiff_t *svm_pushed, ptrdiff_t svm_room");
    int side = c->lanes > 0 ? c->lanes : c->vectors > 0 ? c->vectors : info->lanes > 0 ? info->lanes : 1;
    if (!c->is_trips)
        fire_annotation(e, info->filter, c->function, side, c->dynamic);
    body_mark_line(e, c->function->loc);
    write_head(e, arena_printf(e->arena, "%sstatic inline void %s(", is_inlined(c, &s) ? "SVM_INLINED " : "", name),
               b.len > 0 ? b.data : "void");
    load_fields(c);
    strbuf_printf(e->out, "%s}\n", body);
    body_mark_line(e, (sir_loc){0});
    strbuf_addc(e->out, '\n');
    return s;
}

emit_signature emit_fire_function(emitter *e, emit_filter_info *info, const sir_function *f, const char *name, emit_view in, emit_view out)
{
    body_context c = context_new(e, info, f, in, out);
    return emit_fire(&c, name);
}

bool emit_looks_up(emitter *e, emit_filter_info *info, const sir_function *f, const bool *counting)
{
    body_context c = context_new(e, info, f, (emit_view){0}, (emit_view){0});
    return body_looks_up(&c, counting);
}

static bool touches_more_than_items(emitter *e, emit_filter_info *info, const sir_function *f)
{
    const body_effects *x = body_effects_of(e, info, f);
    bool fields = false;
    for (size_t i = 0; i < info->filter->fields.len; i++)
        fields |= x->fields[i];
    return fields || x->random || x->log || x->sends || f->kind != SIR_WORK;
}

emit_lanes emit_lane_count(emitter *e, emit_filter_info *info, const sir_function *f, emit_view in, emit_view out,
                           int width, int64_t in_stride, int64_t out_stride, int64_t most)
{
    emit_lanes lanes = {.in_stride = in_stride, .out_stride = out_stride};
    if (touches_more_than_items(e, info, f))
        return lanes;
    body_context loops = context_new(e, info, f, in, out), c = context_new(e, info, f, in, out);
    bool counts = body_effects_of(e, info, f)->iter; // as vectors alone do
    int in_loops = counts ? 0 : body_lane_count(&loops);
    lanes.count = lanes_count(&c, width, in_stride, out_stride, most, in_loops != 0);
    lanes.vectors = lanes.count != 0;
    if (!lanes.vectors)
        lanes.count = in_loops;
    if ((lanes.count == 0 || (lanes.vectors && c.looks_far)) && width > 0 && !counts) {
        body_context waiting = context_new(e, info, f, in, out);
        int jams = body_jam_count(&waiting, most);
        lanes.jams = jams != 0;
        lanes.vectors &= !lanes.jams;
        lanes.count = lanes.jams ? jams : lanes.count;
    }
    return lanes;
}

emit_lanes emit_share_count(emitter *e, emit_filter_info *info, const sir_function *f, emit_view in, emit_view out,
                            int64_t in_stride, int64_t out_stride, int64_t most)
{
    emit_lanes lanes = {.in_stride = in_stride, .out_stride = out_stride};
    body_context c = context_new(e, info, f, in, out);
    if (!touches_more_than_items(e, info, f) && !body_effects_of(e, info, f)->iter)
        lanes.count = body_share_count(&c, most);
    lanes.shares = lanes.count != 0;
    return lanes;
}

bool emit_can_lanes(emitter *e, emit_filter_info *info, const sir_function *f, emit_view in, emit_view out)
{
    body_context c = context_new(e, info, f, in, out);
    return !touches_more_than_items(e, info, f) && !body_effects_of(e, info, f)->iter && lanes_can(&c) && !c.looks_up;
}

bool emit_can_vectors(emitter *e, const sir_filter *f, emit_view rows)
{
    emit_filter_info info = {.filter = f, .near = SIR_NONE};
    info.of = &info;
    body_context c = context_new(e, &info, f->work, rows, rows);
    return c.in.affine && c.out.affine && c.open == NULL && lanes_find_vectors(&c) && !c.by_table;
}

// Items of a window between which those of up to three other branches lie, and which firings share, are turned together with
// these: by fours that costs no more than one by one, and lanes would gather an item once for each firing that looks at it. Two
// or four items apart shuffles do so (svm_tileApart).
enum { BRANCHES_TURNED = 4, TURNED_BYTES = 16384 };
// Rows of a tile that are turned by blocks, where those of other branches lie between.
enum { LEAST_ROWS = 4 };

static bool is_shared_window(const body_context *c)
{
    const sir_function *f = c->function;
    return c->e->cached && c->in.lane_stride != 2 && c->in.lane_stride != 4 && c->in.view.count == 1 && c->in.view.digits[0].radix == 0 &&
           c->in.view.digits[0].stride <= BRANCHES_TURNED && f->peek.max >= 2 * f->pop.max;
}

// Items that lie apart are turned in a tile.
static void make_tiles(body_context *c)
{
    const int64_t stride = c->in.lane_stride, apart = c->in.view.count == 0 ? 1 : c->in.view.digits[0].stride;
    bool in = stride > 1 && (c->in.view.count == 0 || is_shared_window(c)),
         out = c->out.lane_stride > 1 && c->out.view.count == 0;
    c->in_window = (c->function->peek.max - 1) * apart + 1;
    c->in_columns = in ? c->vectors + (c->in_window - 1) / stride : 0;
    in &= apart == 1 || 4 * stride * c->in_columns <= TURNED_BYTES;
    c->in_tile = in && c->in.used ? c->in_tile : NULL;
    const int64_t push = c->function->push.max, between = c->out.lane_stride;
    c->out_tile = out && (push == between || (push >= LEAST_ROWS && push < between)) ? c->out_tile : NULL;
}

emit_signature emit_fire_lanes(emitter *e, emit_filter_info *info, const sir_function *f, const char *name,
                               emit_view in, emit_view out, const emit_lanes *lanes)
{
    body_context c = context_new(e, info, f, in, out);
    c.in.lane_stride = lanes->in_stride;
    c.out.lane_stride = lanes->out_stride;
    c.is_trips = lanes->trips;
    if (lanes->vectors) {
        c.vectors = lanes->count;
        (void)lanes_find_vectors(&c);
        make_tiles(&c);
        c.late = lanes->late && lanes_pop_in_order(&c);
    } else {
        c.lanes = lanes->count;
        c.jams = lanes->jams;
        c.shares = lanes->shares;
        body_lanes_prepare(&c);
    }
    return emit_fire(&c, name);
}
