// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graph statements: the tree of instances grows as composite bodies run.
#include <inttypes.h>
#include <string.h>

#include "hlc/elaborate/elab.h"

// ---- Parameters ----

static bool bind_text(elab *x, elab_slot *slot, const ast_expr *arg)
{
    strbuf text;
    strbuf_init(&text, x->scratch);
    elab_text(x, &text, arg);
    slot->type = x->module->scalar[SIR_VOID];
    slot->text = text.data;
    slot->len = text.len;
    return !x->failed;
}

// Aggregates are borrowed from where the argument lies; see own_params.
static bool bind_param(elab *x, elab_env *child, const ast_var *param, const ast_expr *arg)
{
    elab_slot *slot = &child->params[param->index];
    if (param->type->kind == TYPE_STRING)
        return bind_text(x, slot, arg);
    const sir_type *scalar = elab_scalar_type(x, param->type);
    if (scalar != NULL) {
        elab_slot_set(x, slot, scalar, arg->range);
        slot->scalar = elab_scalar_as(x, arg, scalar);
        return !x->failed;
    }
    elab_place given = elab_aggregate(x, arg);
    if (given.data == NULL)
        return false;
    if (child->decl->builtin == BUILTIN_KERNEL) { // it is as long as the argument
        slot->type = given.type;
        slot->data = given.data;
        return true;
    }
    elab_env *outer = x->env;
    x->env = child;
    const sir_type *t = elab_type(x, param->type, param->type_range); // its lengths may use earlier parameters
    x->env = outer;
    if (t == NULL)
        return false;
    if (given.type != t) {
        diag_record *r =
            elab_error(x, arg->range, "argument has type '%s', but parameter '%s' of '%s' has type '%s'",
                       elab_type_name(x, given.type), param->name, child->decl->name, elab_type_name(x, t));
        elab_note(x, r, param->type_range, "parameter declared here");
        return false;
    }
    slot->type = t;
    slot->data = given.data;
    return true;
}

static bool bind_params(elab *x, elab_env *child, const ast_expr_list *args, src_range where)
{
    const ast_var_list *params = &child->decl->params;
    child->params = elab_push(x, (params->len + 1) * sizeof *child->params);
    if (args->len != params->len) {
        elab_error(x, where, "'%s' takes %zu arguments, but %zu are given", child->decl->name, params->len, args->len);
        return false;
    }
    for (size_t i = 0; i < params->len; i++)
        if (!bind_param(x, child, params->data[i], args->data[i]))
            return false;
    return true;
}

// Gives the instance copies of its aggregate parameters, where its code could change them.
static bool own_params(elab *x, elab_env *env, src_range where)
{
    for (size_t i = 0; i < env->decl->params.len; i++) {
        const ast_var *v = env->decl->params.data[i];
        elab_slot *slot = &env->params[i];
        if (slot->type->kind < SIR_STRUCT || (env->decl->kind != STREAM_FILTER && !elab_mutated(x, v)))
            continue;
        const sir_scalar *given = slot->data;
        if (!elab_slot_set(x, slot, slot->type, where))
            return false;
        memcpy(slot->data, given, (size_t)slot->type->words * sizeof *given);
    }
    return true;
}

// ---- Filters ----

static bool void_void(elab *x, const elab_inst *inst)
{
    if (inst->parent == NULL || inst->input->kind != SIR_VOID || inst->output->kind != SIR_VOID)
        return false;
    diag_record *r =
        elab_error(x, inst->where, "'%s' has neither input nor output; only the whole program can be 'void->void'",
                   elab_inst_name(x, inst));
    elab_note(x, r, inst->decl->name != NULL ? inst->decl->name_range : inst->decl->range, "declared here");
    return true;
}

// Parameters, or what an anonymous filter uses of the streams around it. slots is filled; false with an error.
static const ast_var_list *inputs_of(elab *x, const elab_env *env, elab_slot **slots)
{
    const ast_var_list *vars = env->decl->name != NULL ? &env->decl->params : &env->decl->captures;
    for (size_t i = 0; i < vars->len; i++) {
        slots[i] = elab_find(x, vars->data[i], env->decl->range);
        if (slots[i] == NULL)
            return NULL;
    }
    return vars;
}

static bool build_filter(elab *x, elab_inst *inst)
{
    elab_env *env = x->env;
    const ast_stream *decl = env->decl;
    inst->input = elab_type(x, decl->input, decl->type_range);
    inst->output = inst->input == NULL ? NULL : elab_type(x, decl->output, decl->type_range);
    if (inst->output == NULL || void_void(x, inst))
        return false;
    size_t count = decl->params.len + decl->captures.len;
    elab_slot **slots = elab_push(x, (count + 1) * sizeof *slots);
    const ast_var_list *vars = inputs_of(x, env, slots);
    if (vars == NULL)
        return false;
    x->key.len = 0;
    elab_key_pointer(x, decl);
    elab_key_pointer(x, inst->input);
    elab_key_pointer(x, inst->output);
    for (size_t i = 0; i < vars->len; i++)
        elab_key_slot(x, slots[i]);
    inst->shared = hmap_getn(&x->filters, x->key.data, x->key.len);
    if (inst->shared == NULL) {
        size_t len = x->key.len;
        const char *key = arena_strndup(x->scratch, x->key.data, len);
        inst->args = elab_args_text(x, vars, slots, decl->name == NULL);
        if (decl->builtin != BUILTIN_KERNEL && !own_params(x, env, inst->where))
            return false;
        inst->shared = decl->builtin == BUILTIN_KERNEL
                           ? elab_specialise_kernel(x, env, inst->input, inst->output, inst->args)
                           : elab_specialise(x, env, inst->input, inst->output, inst->args);
        if (inst->shared == NULL)
            return false;
        hmap_setn(&x->filters, key, len, inst->shared);
    }
    inst->args = inst->shared->args;
    if (!elab_step(x, inst->shared->len * ELAB_STEPS_PER_BYTE, inst->where))
        return false;
    strbuf_addn(x->printed, inst->shared->text, inst->shared->len);
    return true;
}

// ---- Composites ----

// Where no type is written, the checker inferred one from the children, in terms of their parameters; its range is that
// of the name or the word that stands for it.
static bool has_written_type(const ast_stream *decl)
{
    return decl->name != NULL || decl->type_range.begin != decl->name_range.begin ||
           decl->type_range.end != decl->name_range.end;
}

static bool missing(elab *x, const elab_inst *inst, const char *what)
{
    elab_error(x, inst->decl->name != NULL ? inst->decl->name_range : inst->decl->range, "'%s' has no '%s'",
               elab_inst_name(x, inst), what);
    return false;
}

static bool check_structure(elab *x, const elab_inst *inst)
{
    ast_stream_kind kind = inst->decl->kind;
    if (kind == STREAM_FEEDBACKLOOP) {
        if (inst->body == NULL)
            return missing(x, inst, "body");
        if (inst->loop == NULL)
            return missing(x, inst, "loop");
    } else if (inst->first == NULL) {
        diag_record *r =
            elab_error(x, inst->where, "'%s' has no children; a stream that passes its input on is 'Identity<T>'",
                       elab_inst_name(x, inst));
        elab_note(x, r, inst->decl->name != NULL ? inst->decl->name_range : inst->decl->range, "declared here");
        return false;
    }
    if (kind != STREAM_PIPELINE && inst->split == NULL)
        return missing(x, inst, "split");
    if (kind != STREAM_PIPELINE && inst->join == NULL)
        return missing(x, inst, "join");
    return true;
}

static bool build_composite(elab *x, elab_inst *inst)
{
    elab_env *env = x->env;
    const ast_stream *decl = env->decl;
    elab_slot **slots = elab_push(x, (decl->params.len + 1) * sizeof *slots);
    for (size_t i = 0; i < decl->params.len; i++)
        slots[i] = &env->params[i];
    inst->args = elab_args_text(x, &decl->params, slots, false);
    if (!own_params(x, env, inst->where))
        return false;
    if (has_written_type(decl)) {
        inst->input = elab_type(x, decl->input, decl->type_range);
        if (inst->input == NULL)
            return false;
        if (decl->output->kind != TYPE_ERROR) { // else its contents say it
            inst->output = elab_type(x, decl->output, decl->type_range);
            if (inst->output == NULL || void_void(x, inst))
                return false;
        }
    }
    env->locals = elab_push(x, (decl->locals.len + 1) * sizeof *env->locals);
    return elab_exec(x, decl->body) != FLOW_STOP && check_structure(x, inst);
}

// ---- Instances ----

static elab_inst *new_inst(elab *x, const ast_stream *decl, src_range where)
{
    elab_inst *inst = ARENA_NEW(x->scratch, elab_inst);
    inst->decl = decl;
    inst->where = where;
    inst->parent = x->env == NULL ? NULL : x->env->inst;
    inst->args = "";
    inst->actor = SIR_NONE;
    return inst;
}

static elab_inst *build_builtin(elab *x, const ast_child *c, elab_inst *inst)
{
    const sir_type *t = elab_type(x, c->type_argument, c->name_range), *none = x->module->scalar[SIR_VOID];
    if (t == NULL)
        return NULL;
    inst->input = inst->decl->builtin == BUILTIN_FILE_READER ? none : t;
    inst->output = inst->decl->builtin == BUILTIN_FILE_WRITER ? none : t;
    if (inst->decl->builtin == BUILTIN_IDENTITY) {
        inst->shared = elab_identity(x, t, inst->where);
        return inst;
    }
    strbuf path;
    strbuf_init(&path, x->arena);
    if (c->args.len != 1)
        elab_error(x, inst->where, "'%s' takes one argument, the name of the file", inst->decl->name);
    else
        elab_text(x, &path, c->args.data[0]);
    if (!x->failed && (path.len == 0 || strlen(path.data) != path.len))
        elab_error(x, c->args.data[0]->range, "this is not the name of a file: it is empty or has a NUL character");
    inst->path = path.data;
    strbuf args;
    strbuf_init(&args, x->arena);
    strbuf_addc(&args, '(');
    strbuf_add_quoted(&args, path.data, path.len);
    strbuf_addc(&args, ')');
    inst->args = args.data;
    return x->failed ? NULL : inst;
}

static bool register_receiver(elab *x, const ast_expr *portal, elab_inst *inst)
{
    const ast_stream *target = portal->type->target;
    int32_t n = elab_scalar(x, portal).i;
    if (x->failed)
        return false;
    if (inst->decl->kind != STREAM_FILTER || (target != NULL && target != inst->decl)) {
        elab_error(x, portal->range, "portal '%s' reaches filters '%s', not '%s'", portal->u.name.name,
                   target == NULL ? "?" : target->name, elab_inst_name(x, inst));
        return false;
    }
    VEC_PUSH(x->scratch, &x->portals.data[n].receivers, inst);
    return true;
}

static elab_inst *instantiate(elab *x, const ast_child *c, src_range where)
{
    const ast_stream *decl = c->decl;
    elab_inst *inst = new_inst(x, decl, where);
    if (!elab_step(x, ELAB_STEPS_PER_CHILD, where))
        return NULL;
    if (decl->builtin != BUILTIN_NONE && decl->builtin != BUILTIN_KERNEL)
        return build_builtin(x, c, inst);
    elab_env child = {
        .decl = decl, .parent = c->anonymous != NULL ? x->env : NULL, .inst = inst, .random = ELAB_RANDOM_SEED};
    if (!bind_params(x, &child, &c->args, where) ||
        !elab_enter(x, where, decl->name != NULL ? decl->name : "an anonymous stream"))
        return NULL;
    elab_env *outer = x->env;
    x->env = &child;
    bool ok = decl->kind == STREAM_FILTER ? build_filter(x, inst) : build_composite(x, inst);
    x->env = outer;
    elab_leave(x);
    return ok ? inst : NULL;
}

elab_inst *elab_build_top(elab *x, const ast_stream *decl)
{
    elab_inst *inst = new_inst(x, decl, decl->name_range);
    elab_env env = {.decl = decl, .inst = inst, .random = ELAB_RANDOM_SEED};
    static const ast_expr_list no_args = {0};
    x->env = &env;
    bool ok = elab_enter(x, inst->where, decl->name != NULL ? decl->name : "the test") &&
              bind_params(x, &env, &no_args, inst->where) &&
              (decl->kind == STREAM_FILTER ? build_filter(x, inst) : build_composite(x, inst));
    x->env = NULL;
    return ok ? inst : NULL;
}

// ---- Statements ----

static elab_flow exec_child(elab *x, const ast_stmt *s)
{
    elab_inst *parent = x->env->inst;
    elab_mark mark = elab_mark_here(x);
    elab_inst *inst = instantiate(x, &s->u.child, s->range);
    if (inst == NULL)
        return FLOW_STOP;
    for (size_t i = 0; i < s->u.child.portals.len; i++)
        if (!register_receiver(x, s->u.child.portals.data[i], inst))
            return FLOW_STOP;
    elab_release(x, mark);
    if (s->kind != STMT_ADD) {
        elab_inst **place = s->kind == STMT_BODY ? &parent->body : &parent->loop;
        if (*place != NULL) {
            diag_record *r = elab_error(x, s->range, "a second '%s'; a feedbackloop has one",
                                        s->kind == STMT_BODY ? "body" : "loop");
            elab_note(x, r, (*place)->where, "the first one is here");
            return FLOW_STOP;
        }
        *place = inst;
        return FLOW_NEXT;
    }
    *(parent->last == NULL ? &parent->first : &parent->last->next) = inst;
    parent->last = inst;
    parent->child_count++;
    return FLOW_NEXT;
}

static elab_flow exec_split(elab *x, const ast_stmt *s)
{
    elab_inst *inst = x->env->inst;
    elab_split **place = s->kind == STMT_SPLIT ? &inst->split : &inst->join;
    const char *what = s->kind == STMT_SPLIT ? "split" : "join";
    if (*place != NULL) {
        diag_record *r = elab_error(x, s->range, "a second '%s'; a stream has one", what);
        elab_note(x, r, (*place)->range, "the first one is here");
        return FLOW_STOP;
    }
    elab_split *split = ARENA_NEW(x->scratch, elab_split);
    split->range = s->range;
    split->duplicate = s->u.split.kind == SPLIT_DUPLICATE;
    split->has_weights = s->u.split.has_weights && s->u.split.weights.len > 0;
    for (size_t i = 0; split->has_weights && i < s->u.split.weights.len; i++) {
        const ast_expr *e = s->u.split.weights.data[i];
        int32_t w = elab_scalar_as(x, e, x->scalar_of[TYPE_INT]).i;
        if (!x->failed && w < 0)
            elab_error(x, e->range, "%s weight %" PRId32 " is negative", what, w);
        if (x->failed)
            return FLOW_STOP;
        VEC_PUSH(x->scratch, &split->weights, (uint32_t)w);
    }
    *place = split;
    return FLOW_NEXT;
}

static elab_flow exec_enqueue(elab *x, const ast_stmt *s)
{
    const ast_expr *e = s->u.expr;
    elab_mark mark = elab_mark_here(x);
    elab_item item = {.range = s->range, .type = elab_scalar_type(x, e->type)};
    if (item.type != NULL) {
        sir_scalar v = elab_scalar(x, e);
        item.data = ARENA_NEW(x->scratch, sir_scalar);
        *item.data = v;
    } else {
        elab_place p = elab_aggregate(x, e);
        if (p.data == NULL)
            return FLOW_STOP;
        item.type = p.type;
        item.data = ARENA_ARRAY(x->scratch, sir_scalar, p.type->words);
        memcpy(item.data, p.data, (size_t)p.type->words * sizeof *p.data);
    }
    elab_release(x, mark);
    if (!elab_step(x, ELAB_STEPS_PER_ITEM + item.type->words, s->range))
        return FLOW_STOP;
    VEC_PUSH(x->scratch, &x->env->inst->items, item);
    return FLOW_NEXT;
}

elab_flow elab_exec_graph(elab *x, const ast_stmt *s)
{
    if (s->kind == STMT_ENQUEUE)
        return exec_enqueue(x, s);
    if (s->kind == STMT_SPLIT || s->kind == STMT_JOIN)
        return exec_split(x, s);
    return exec_child(x, s);
}
