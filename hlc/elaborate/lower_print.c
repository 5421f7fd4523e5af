// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// print and println: the parts of a concatenation are all evaluated, then printed one by one.
#include "hlc/elaborate/lower.h"

typedef struct part part;
typedef VEC(part *) part_list;
struct part {
    sir_expr *value; // a value to print, or the condition of a choice
    bool choice;
    const char *text; // when there is no value
    size_t len;
    part_list then, otherwise; // of a choice
    sir_loc loc;
};

typedef struct printer {
    lower *L;
    part_list all; // the parts so far, but for those inside of choices
} printer;

static void collect(printer *p, const ast_expr *e, part_list *to);

static part *add_part(printer *p, part_list *to, const ast_expr *e)
{
    part *added = ARENA_NEW(p->L->x->scratch, part);
    added->loc = elab_loc(p->L->x, e->range);
    VEC_PUSH(p->L->x->scratch, to, added);
    if (to != &p->all)
        VEC_PUSH(p->L->x->scratch, &p->all, added);
    return added;
}

// ---- Values that must outlive later statements ----

static void set_temp(lower *L, sir_block *block, part *it)
{
    sir_expr *temp = lower_temp(L, it->value->type, NULL, it->loc);
    sir_block *outer = L->block;
    L->block = block;
    lower_emit_set(L, lower_clone(L, temp), it->value, it->loc);
    L->block = outer;
    it->value = temp;
}

static void add_if(lower *L, sir_block *to, const sir_expr *cond, const sir_block *then, const sir_block *otherwise,
                   sir_loc loc)
{
    if (then->len == 0 && otherwise->len == 0)
        return;
    sir_stmt *s = sir_stmt_new(L->m, SIR_IF, loc);
    s->u.if_.cond = lower_clone(L, cond);
    s->u.if_.then = *then;
    s->u.if_.otherwise = *otherwise;
    VEC_PUSH(L->x->arena, to, s);
}

// The values of a branch go to temporaries in the block that runs when the branch is taken.
static void keep_values(lower *L, part_list *parts, sir_block *block)
{
    for (size_t i = 0; i < parts->len; i++) {
        part *it = parts->data[i];
        if (it->value != NULL)
            set_temp(L, block, it);
        if (!it->choice)
            continue;
        sir_block then = {0}, otherwise = {0};
        keep_values(L, &it->then, &then);
        keep_values(L, &it->otherwise, &otherwise);
        add_if(L, block, it->value, &then, &otherwise, it->loc);
    }
}

static bool any_affected(lower *L, const part_list *parts, const sir_block *b)
{
    for (size_t i = 0; i < parts->len; i++) {
        const part *it = parts->data[i];
        if ((it->value != NULL && lower_affects(L, b, it->value)) || any_affected(L, &it->then, b) ||
            any_affected(L, &it->otherwise, b))
            return true;
    }
    return false;
}

// Saves what the statements of b would change.
static void protect_parts(printer *p, const sir_block *b)
{
    lower *L = p->L;
    for (size_t i = 0; b->len > 0 && i < p->all.len; i++) {
        part *it = p->all.data[i];
        if (it->choice && (any_affected(L, &it->then, b) || any_affected(L, &it->otherwise, b))) {
            sir_block then = {0}, otherwise = {0};
            keep_values(L, &it->then, &then);
            keep_values(L, &it->otherwise, &otherwise);
            add_if(L, L->block, it->value, &then, &otherwise, it->loc);
        }
        lower_held held = {&it->value, false};
        if (it->value != NULL)
            lower_protect(L, b, &held, 1);
    }
}

static sir_expr *operand(printer *p, const ast_expr *e)
{
    lower *L = p->L;
    sir_block own = {0}, *outer = L->block;
    L->block = &own;
    sir_expr *value = lower_expr(L, e);
    L->block = outer;
    protect_parts(p, &own);
    lower_append(L, &own);
    return value;
}

// ---- Parts ----

static void collect_branch(printer *p, const ast_expr *e, part_list *to, sir_block *block)
{
    sir_block *outer = p->L->block;
    *block = (sir_block){0};
    p->L->block = block;
    printer inner = {.L = p->L};
    collect(&inner, e, to);
    p->L->block = outer;
}

static void collect_choice(printer *p, const ast_expr *e, part_list *to)
{
    lower *L = p->L;
    sir_expr *cond = operand(p, e->u.cond.cond);
    if (L->x->failed)
        return;
    if (cond->kind == SIR_CONST) {
        collect(p, cond->u.value.i ? e->u.cond.then : e->u.cond.otherwise, to);
        return;
    }
    part *choice = add_part(p, to, e);
    choice->choice = true;
    choice->value = cond;
    sir_block then, otherwise;
    collect_branch(p, e->u.cond.then, &choice->then, &then);
    collect_branch(p, e->u.cond.otherwise, &choice->otherwise, &otherwise);
    if (then.len == 0 && otherwise.len == 0)
        return;
    // One of the branches has statements: the choice is made now, and its values are kept.
    part_list then_parts = choice->then, otherwise_parts = choice->otherwise;
    choice->then = choice->otherwise = (part_list){0};
    protect_parts(p, &then);
    protect_parts(p, &otherwise);
    keep_values(L, &then_parts, &then);
    keep_values(L, &otherwise_parts, &otherwise);
    choice->then = then_parts;
    choice->otherwise = otherwise_parts;
    add_if(L, L->block, choice->value, &then, &otherwise, choice->loc);
}

static void add_text(printer *p, part_list *to, const ast_expr *e, const char *text, size_t len)
{
    part *added = add_part(p, to, e);
    added->text = text;
    added->len = len;
}

static void collect(printer *p, const ast_expr *e, part_list *to)
{
    lower *L = p->L;
    if (L->x->failed)
        return;
    if (e->kind == EXPR_STRING) {
        add_text(p, to, e, e->u.string.text, e->u.string.len);
    } else if (e->type->kind != TYPE_STRING) {
        sir_expr *value = operand(p, e);
        part *added = add_part(p, to, e);
        added->value = value;
    } else if (e->kind == EXPR_BINARY) {
        collect(p, e->u.binary.left, to);
        collect(p, e->u.binary.right, to);
    } else if (e->kind == EXPR_COND) {
        collect_choice(p, e, to);
    } else if (e->kind == EXPR_CONVERT || e->kind == EXPR_CAST) {
        collect(p, e->u.cast.operand, to);
    } else {
        const elab_slot *slot = e->kind == EXPR_NAME ? elab_find(L->x, e->u.name.var, e->range) : NULL;
        if (slot != NULL && slot->text != NULL)
            add_text(p, to, e, slot->text, slot->len);
        else if (!L->x->failed)
            elab_error(L->x, e->range, "this text cannot be printed");
    }
}

static void flush(lower *L, strbuf *text, sir_loc loc)
{
    if (text->len == 0)
        return;
    sir_stmt *s = sir_stmt_new(L->m, SIR_PRINT, loc);
    s->u.print.text = arena_strndup(L->x->arena, text->data, text->len);
    s->u.print.len = text->len;
    lower_emit(L, s);
    text->len = 0;
}

static void emit_parts(lower *L, const part_list *parts, strbuf *text, sir_loc loc);

static void emit_branch(lower *L, const part_list *parts, sir_block *block, sir_loc loc)
{
    sir_block *outer = L->block;
    L->block = block;
    strbuf text;
    strbuf_init(&text, L->x->scratch);
    emit_parts(L, parts, &text, loc);
    flush(L, &text, loc);
    L->block = outer;
}

static void emit_parts(lower *L, const part_list *parts, strbuf *text, sir_loc loc)
{
    for (size_t i = 0; i < parts->len; i++) {
        part *it = parts->data[i];
        if (it->value == NULL) {
            strbuf_addn(text, it->text, it->len);
            continue;
        }
        flush(L, text, loc);
        sir_stmt *s = sir_stmt_new(L->m, it->choice ? SIR_IF : SIR_PRINT, it->loc);
        if (it->choice) {
            s->u.if_.cond = lower_clone(L, it->value);
            emit_branch(L, &it->then, &s->u.if_.then, loc);
            emit_branch(L, &it->otherwise, &s->u.if_.otherwise, loc);
        } else {
            s->u.print.value = lower_clone(L, it->value);
        }
        lower_emit(L, s);
    }
}

void lower_print(lower *L, const ast_expr *call)
{
    printer p = {.L = L};
    if (call->u.call.args.len > 0)
        collect(&p, call->u.call.args.data[0], &p.all);
    if (L->x->failed)
        return;
    sir_loc loc = elab_loc(L->x, call->range);
    strbuf text;
    strbuf_init(&text, L->x->scratch);
    emit_parts(L, &p.all, &text, loc);
    if (call->u.call.callee == CALLEE_PRINTLN)
        strbuf_addc(&text, '\n');
    flush(L, &text, loc);
}
