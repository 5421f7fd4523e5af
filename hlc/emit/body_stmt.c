// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements in C.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

static void indent(body_context *c)
{
    strbuf_pad(c->e->out, ' ', (size_t)c->indent * 4);
}

void body_line(body_context *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    indent(c);
    strbuf_vprintf(c->e->out, format, args);
    strbuf_addc(c->e->out, '\n');
    va_end(args);
}

// NOTE(lines). With -g a line "#@ FILE LINE" (a file by its number) says that what follows is of that place of the source,
// and "#@" alone that it is of the emitted text again. program_lines.c makes #line directives of them when all is written,
// since only then it is known on which lines of its own file the text stands.
void body_mark_line(emitter *e, sir_loc loc)
{
    if (!e->line_directives)
        return;
    if (loc.file == 0 || loc.file >= e->module->files.len)
        strbuf_add(e->out, "#@\n");
    else
        strbuf_printf(e->out, "#@ %" PRIu32 " %" PRIu32 "\n", (uint32_t)loc.file, loc.line);
}

static const char *text(body_context *c, const sir_expr *e)
{
    return body_expr_text(c, e, PREC_LOWEST);
}

// ---- Assignment ----

static bool same_variable(const sir_expr *a, const sir_expr *b)
{
    return a->kind == b->kind && (a->kind == SIR_LOCAL || a->kind == SIR_FIELD) && a->index == b->index;
}

const char *body_compound_operator(const sir_expr *target, const sir_expr *value)
{
    static const char *const spelling[LANG_BINARY_COUNT] = {
        [LANG_OP_ADD] = "+=", [LANG_OP_SUB] = "-=", [LANG_OP_MUL] = "*=", [LANG_OP_DIV] = "/=",
        [LANG_OP_AND] = "&=", [LANG_OP_OR] = "|=",  [LANG_OP_XOR] = "^=",
    };
    if (value->kind != SIR_BINARY || !same_variable(target, value->u.arg[0]))
        return NULL;
    sir_type_kind k = target->type->kind;
    bool integer = k == SIR_INT || k == SIR_BIT;
    if (!integer && k != SIR_FLOAT && k != SIR_DOUBLE)
        return NULL;
    if (integer && (value->op == LANG_OP_DIV || value->known != SIR_KNOWN_NOTHING))
        return NULL;
    return spelling[value->op];
}

static bool is_int_one(const sir_expr *e)
{
    return e->kind == SIR_CONST && e->type->kind != SIR_FLOAT && e->type->kind != SIR_DOUBLE &&
           e->type->kind != SIR_COMPLEX && e->u.value.i == 1;
}

// The type of what an lvalue names as it is stored.
static const sir_type *stored_type(const body_context *c, const sir_expr *e)
{
    if (e->kind == SIR_LOCAL)
        return c->function->locals.data[e->index].type;
    return e->kind == SIR_INDEX ? stored_type(c, e->u.arg[0])->element : e->type;
}

static void assign_text(body_context *c, const sir_stmt *s, const sir_expr *target, const char *value)
{
    const sir_type *t = stored_type(c, target);
    bool declare = target->kind == SIR_LOCAL && c->locals[target->index].home == s;
    const char *name = declare ? c->locals[target->index].c_name : text(c, target);
    if (target->kind == SIR_LOCAL && c->locals[target->index].alone)
        value = arena_printf(c->e->arena, "svm_aloneInt(%s)", value);
    if (t->kind == SIR_ARRAY) {
        if (declare)
            body_line(c, "%s;", emit_declare(c->e, t, name));
        body_line(c, "memcpy(%s, %s, sizeof(%s));", name, value, emit_declare(c->e, t, ""));
    } else if (declare) {
        body_line(c, "%s = %s;", emit_declare(c->e, t, name), value);
    } else {
        body_line(c, "%s = %s;", name, value);
    }
}

static bool is_dead(const body_context *c, const sir_expr *target)
{
    return target != NULL && target->kind == SIR_LOCAL && c->locals[target->index].dead;
}

// Nobody reads the value, but the program may stop in it.
static void compute_only(body_context *c, const sir_expr *value)
{
    if (body_may_trap(c, value))
        body_line(c, "(void)%s;", body_expr_text(c, value, PREC_UNARY));
}

// Arrays of places and of what is taken that stay in memory: a vector there is in one line of the cache.
static const char *declare_lanes(body_context *c, uint32_t local)
{
    const char *text = emit_declare(c->e, c->function->locals.data[local].type, c->locals[local].c_name);
    if (c->info == NULL || c->info->lanes == EMIT_TAKEN)
        return text;
    for (VEC_EACH(const emit_lane_take, t, &c->info->takes))
        if (t->places == local || t->taken == local)
            return arena_printf(c->e->arena, "_Alignas(64) %s", text);
    return text;
}

static void set(body_context *c, const sir_stmt *s)
{
    const emit_lane_take *take = emit_lane_take_of(c->info, s);
    if (take != NULL) {
        const char *from = c->info->field_names.data[take->place->index], *to = c->locals[take->taken].c_name;
        if (c->locals[take->taken].home == s)
            body_line(c, "%s;", declare_lanes(c, take->taken));
        const char *places = c->locals[take->places].c_name;
        if (c->info->lanes == EMIT_TAKEN)
            body_line(c, "svm_brookTake(%s, %s, %s_walk->span, %s);", to, from, from, places);
        else
            body_line(c, "svm_brookTakeMany(%s, %s, %s_walk->span, %s, %d);", to, from, from, places, c->info->lanes);
        return;
    }
    const sir_expr *target = s->u.set.target, *value = s->u.set.value;
    if (is_dead(c, target)) {
        compute_only(c, body_compound_operator(target, value) == NULL ? value : value->u.arg[1]);
        return;
    }
    if (c->trips != NULL && s == c->trips->step) {
        body_line(c, "%s++;", text(c, target));
        return;
    }
    const char *op = body_compound_operator(target, value);
    bool declare = target->kind == SIR_LOCAL && c->locals[target->index].home == s;
    if (op == NULL || declare || (target->kind == SIR_LOCAL && c->locals[target->index].alone) ||
        body_waits_alone(c, s)) {
        assign_text(c, s, target, body_rung(c, s, body_expr_text(c, value, PREC_LOWEST)));
        return;
    }
    const char *name = body_expr_text(c, target, PREC_POSTFIX), *product = body_product_alone(c, s);
    if (product != NULL)
        body_line(c, "%s %s %s;", name, op, product);
    else if ((value->op == LANG_OP_ADD || value->op == LANG_OP_SUB) && is_int_one(value->u.arg[1]))
        body_line(c, "%s%s;", name, value->op == LANG_OP_ADD ? "++" : "--");
    else
        body_line(c, "%s %s %s;", text(c, target), op, text(c, value->u.arg[1]));
}

static void decl(body_context *c, const sir_stmt *s)
{
    uint32_t local = s->u.decl.local;
    const body_local *l = &c->locals[local];
    const sir_type *t = c->function->locals.data[local].type;
    if (l->dead)
        compute_only(c, s->u.decl.init);
    if (l->dead || l->forward != NULL)
        return;
    if (s->u.decl.init != NULL) {
        sir_expr target = {.kind = SIR_LOCAL, .index = local, .type = t, .loc = s->loc};
        assign_text(c, s, &target, body_expr_text(c, s->u.decl.init, PREC_LOWEST));
        return;
    }
    if (l->home != s && !l->declared_on_top && !l->laned)
        return; // declared where it gets its first value
    bool aggregate = t->kind == SIR_ARRAY || t->kind == SIR_STRUCT || t->kind == SIR_COMPLEX;
    const sir_expr self = {.kind = SIR_LOCAL, .index = local, .type = t, .loc = s->loc};
    const char *name = text(c, &self);
    if (l->home == s && s->u.decl.uninitialised) {
        body_line(c, "%s;", declare_lanes(c, local));
    } else if (l->home == s) {
        strbuf zero, *out = c->e->out;
        strbuf_init(&zero, c->e->arena);
        c->e->out = &zero;
        sir_value v = sir_value_zero(t);
        emit_value(c->e, &v, 0);
        c->e->out = out;
        body_line(c, "%s = %s;", emit_declare(c->e, t, l->c_name), zero.data);
    } else if (s->u.decl.uninitialised) {
        return;
    } else if (aggregate) {
        body_line(c, "memset(%s%s, 0, sizeof(%s));", t->kind == SIR_ARRAY ? "" : "&", name, emit_declare(c->e, t, ""));
    } else {
        strbuf zero;
        strbuf_init(&zero, c->e->arena);
        emit_scalar(&zero, t, (sir_scalar){0});
        body_line(c, "%s = %s;", name, zero.data);
    }
}

// ---- Tapes ----

const char *body_tape_element(body_context *c, bool input)
{
    strbuf b, *out = c->e->out;
    strbuf_init(&b, c->e->arena);
    c->e->out = &b;
    strbuf_add(&b, body_named(c, input ? BODY_IN : BODY_OUT));
    body_tape_index(c, input ? &c->in : &c->out, NULL);
    c->e->out = out;
    return b.data;
}

void body_advance(body_context *c, bool input)
{
    body_tape *t = input ? &c->in : &c->out;
    if (t->affine)
        t->position.constant++;
    else if (c->function->kind == SIR_HELPER)
        body_line(c, "(%s)++;", body_counter(c, input));
    else
        body_line(c, "%s++;", body_counter(c, input));
}

// Whether the expression looks at items that may have to be waited for.
static bool peeks(const sir_expr *e)
{
    bool found = e->kind == SIR_PEEK;
    for (size_t i = 0; !found && e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        found = peeks(e->u.arg[i]);
    return found;
}

static void dynamic_pop(body_context *c, const sir_stmt *s)
{
    const sir_expr *target = s->u.set.target;
    const sir_type *t = c->info->filter->input;
    const char *size = emit_declare_item(c->e, t, "");
    const char *dynamic = body_named(c, BODY_DYNAMIC);
    bool looks = target != NULL && !is_dead(c, target) && peeks(target);
    const char *item = body_next_item(c);
    if (item != NULL) {
        if (target != NULL && !is_dead(c, target))
            assign_text(c, s, target, item);
        return;
    }
    if (looks) // its subscripts come before the pop
        assign_text(c, s, target,
                    arena_printf(c->e->arena, "*(%s)svm_dynamicPeek(%s, 0, sizeof(%s))",
                                 emit_declare_pointer(c->e, t, "const", "", ""), dynamic, size));
    if (looks || target == NULL || is_dead(c, target))
        body_line(c, "(void)svm_dynamicPop(%s, sizeof(%s));", dynamic, size);
    else
        assign_text(c, s, target,
                    arena_printf(c->e->arena, "*(%s)svm_dynamicPop(%s, sizeof(%s))",
                                 emit_declare_pointer(c->e, t, "const", "", ""), dynamic, size));
}

// The value is computed before there is a place for it: a peek in it may wait, and then what is pushed must be written.
static void dynamic_push(body_context *c, const sir_stmt *s)
{
    const sir_type *t = s->u.value->type;
    const char *value = text(c, s->u.value), *size = emit_declare_item(c->e, t, "");
    const char *dynamic = body_named(c, BODY_DYNAMIC), *place = body_next_place(c);
    bool waits = peeks(s->u.value);
    if (place != NULL) {
        body_line(c, "%s = %s;", place, value);
        return;
    }
    if (t->kind == SIR_ARRAY && waits) {
        body_line(c, "{");
        body_line(c, "    %s;", emit_declare(c->e, t, "item"));
        body_line(c, "    memcpy(item, %s, sizeof(%s));", value, size);
        body_line(c, "    memcpy(svm_dynamicPush(%s, sizeof(%s)), item, sizeof(%s));", dynamic, size, size);
        body_line(c, "}");
    } else if (t->kind == SIR_ARRAY) {
        body_line(c, "memcpy(svm_dynamicPush(%s, sizeof(%s)), %s, sizeof(%s));", dynamic, size, value, size);
    } else if (waits) {
        body_line(c, "{");
        body_line(c, "    const %s = %s;", emit_declare_item(c->e, t, "item"), value);
        body_line(c, "    *(%s)svm_dynamicPush(%s, sizeof(%s)) = item;", emit_declare_pointer(c->e, t, "", "", ""),
                  dynamic, size);
        body_line(c, "}");
    } else {
        body_line(c, "*(%s)svm_dynamicPush(%s, sizeof(%s)) = %s;", emit_declare_pointer(c->e, t, "", "", ""), dynamic,
                  size, value);
    }
}

static void pop(body_context *c, const sir_stmt *s)
{
    const sir_expr *target = s->u.set.target;
    body_check_count(c, true, s);
    if (c->dynamic) {
        dynamic_pop(c, s);
        return;
    }
    if (target != NULL && target->kind == SIR_LOCAL && c->locals[target->index].forward != NULL) {
        size_t uses = c->uses.len;
        c->locals[target->index].forward = body_tape_element(c, true);
        c->locals[target->index].forward_uses = body_take_uses(c, uses);
    } else if (target != NULL && !is_dead(c, target)) {
        assign_text(c, s, target, body_tape_element(c, true));
    }
    body_advance(c, true);
}

// What a finite filter pushes is counted, and stored where there is room.
static void push_if_room(body_context *c, const sir_stmt *s)
{
    const char *value = text(c, s->u.value);
    body_line(c, "if (*svm_pushed < svm_room)");
    body_line(c, "    %s[*svm_pushed] = %s;", body_named(c, BODY_OUT), value);
    body_line(c, "++*svm_pushed;");
}

static void push(body_context *c, const sir_stmt *s)
{
    if (c->info != NULL && c->info->filter->finite) {
        push_if_room(c, s);
        return;
    }
    body_check_count(c, false, s);
    if (c->dynamic) {
        dynamic_push(c, s);
        return;
    }
    const sir_type *t = s->u.value->type;
    const char *value = text(c, s->u.value), *element = body_tape_element(c, false);
    if (t->kind == SIR_ARRAY)
        body_line(c, "memcpy(%s, %s, sizeof(%s));", element, value, emit_declare(c->e, t, ""));
    else
        body_line(c, "%s = %s;", element, value);
    body_advance(c, false);
}

// ---- Calls, prints ----

static void add_argument(strbuf *b, const char *argument)
{
    if (b->data[b->len - 1] != '(')
        strbuf_add(b, ", ");
    strbuf_add(b, argument);
}

static void add_limit(body_context *c, strbuf *b, body_name name, int64_t of_firing)
{
    if (c->function->kind == SIR_HELPER)
        add_argument(b, body_named(c, name));
    else
        add_argument(b, of_firing < 0 ? "PTRDIFF_MAX" : arena_printf(c->e->arena, "%" PRId64, of_firing));
}

// What checks in the function need.
static void add_needs(body_context *c, strbuf *b, const sir_function *f)
{
    if (c->dry)
        return;
    body_needs needs = body_needs_of(c->e, f);
    if (needs.pop_limit)
        add_limit(c, b, BODY_POP_LIMIT, c->function->pop.max);
    if (needs.peek_limit)
        add_limit(c, b, BODY_PEEK_LIMIT, c->function->peek.max);
    if (needs.push_limit)
        add_limit(c, b, BODY_PUSH_LIMIT, c->function->push.max);
    if (needs.actor)
        add_argument(b, body_named(c, BODY_ACTOR));
}

static void call(body_context *c, const sir_stmt *s)
{
    const sir_function *f = s->u.call.function;
    const sir_expr *target = s->u.call.target;
    const body_effects *x = body_effects_of(c->e, c->info, f);
    const char *reference = c->function->kind == SIR_HELPER ? "" : "&";
    strbuf b;
    strbuf_init(&b, c->e->arena);
    strbuf_printf(&b, "%s(", body_function_name(c, f));
    if (c->dynamic && (x->in_counter || x->out_counter))
        add_argument(&b, body_named(c, BODY_DYNAMIC));
    if (x->in_counter && !c->dynamic) {
        add_argument(&b, body_named(c, BODY_IN));
        add_argument(&b, arena_printf(c->e->arena, "%s%s", reference, body_named(c, BODY_IN_COUNT)));
    }
    if (x->out_counter && !c->dynamic) {
        add_argument(&b, body_named(c, BODY_OUT));
        add_argument(&b, arena_printf(c->e->arena, "%s%s", reference, body_named(c, BODY_OUT_COUNT)));
    }
    for (uint32_t i = 0; c->info != NULL && i < c->info->filter->fields.len; i++)
        if (x->fields[i])
            add_argument(&b, arena_printf(c->e->arena, "%s%s",
                                          body_is_copied(c->e, &c->info->filter->fields.data[i]) ? "&" : "",
                                          body_field_named(c, i)));
    if (x->iter)
        add_argument(&b, body_named(c, BODY_ITER));
    if (x->random)
        add_argument(&b, body_named(c, BODY_RANDOM));
    if (x->log)
        add_argument(&b, body_named(c, BODY_LOG));
    if (x->sends)
        add_argument(&b, body_named(c, BODY_SENDER));
    add_needs(c, &b, f);
    for (size_t i = 0; i < s->u.call.args.len; i++)
        add_argument(&b, body_expr_text(c, s->u.call.args.data[i], PREC_COND));
    if (f->result->kind == SIR_ARRAY) { // arrays come back through a last parameter
        const char *name = target != NULL && !is_dead(c, target) ? text(c, target) : "ignored";
        if (target == NULL || is_dead(c, target)) {
            body_line(c, "{");
            body_line(c, "    %s;", emit_declare(c->e, f->result, "ignored"));
        } else if (target->kind == SIR_LOCAL && c->locals[target->index].home == s) {
            body_line(c, "%s;", emit_declare(c->e, f->result, name));
        }
        add_argument(&b, name);
        strbuf_addc(&b, ')');
        body_line(c, "%s;", b.data);
        if (target == NULL || is_dead(c, target))
            body_line(c, "}");
        return;
    }
    strbuf_addc(&b, ')');
    if (target == NULL || is_dead(c, target))
        body_line(c, "%s%s;", f->result->kind == SIR_VOID ? "" : "(void)", b.data);
    else
        assign_text(c, s, target, b.data);
}

// Whether a number is printed there, and the end of a line behind it.
static bool prints_line(const sir_block *b, size_t i)
{
    const sir_stmt *s = b->data[i], *end = i + 1 < b->len ? b->data[i + 1] : NULL;
    return s->kind == SIR_PRINT && s->u.print.value != NULL && s->u.print.value->type->kind != SIR_BOOLEAN &&
           end != NULL && end->kind == SIR_PRINT && end->u.print.value == NULL && end->u.print.len == 1 &&
           end->u.print.text[0] == '\n';
}

static void print(body_context *c, const sir_stmt *s, const char *line)
{
    const sir_expr *v = s->u.print.value;
    const char *log = body_named(c, BODY_LOG);
    if (v == NULL) {
        body_line(c, "%s;", emit_print_text(c->e, log, s->u.print.text, s->u.print.len));
        return;
    }
    switch (v->type->kind) {
    case SIR_BOOLEAN: body_line(c, "svm_printBoolean(%s, %s);", log, body_expr_text(c, v, PREC_COND)); break;
    case SIR_FLOAT:
    case SIR_DOUBLE: body_line(c, "svm_printFloat%s(%s, %s);", line, log, body_expr_text(c, v, PREC_COND)); break;
    default: body_line(c, "svm_printInt%s(%s, (int)%s);", line, log, body_expr_text(c, v, PREC_UNARY)); break;
    }
}

static void random_number(body_context *c, const sir_stmt *s)
{
    const char *call = arena_printf(c->e->arena, "svm_random(%s)", body_named(c, BODY_RANDOM));
    if (s->u.set.target == NULL || is_dead(c, s->u.set.target))
        body_line(c, "(void)%s;", call);
    else
        assign_text(c, s, s->u.set.target, call);
}

static void return_(body_context *c, const sir_stmt *s)
{
    body_check_exit(c);
    body_store_fields(c);
    if (s->u.value == NULL) {
        body_line(c, "return;");
    } else if (s->u.value->type->kind == SIR_ARRAY) {
        body_line(c, "memcpy(%s, %s, sizeof(%s));", body_named(c, BODY_RESULT),
                  body_expr_text(c, s->u.value, PREC_COND), emit_declare(c->e, s->u.value->type, ""));
        body_line(c, "return;");
    } else {
        body_line(c, "return %s;", text(c, s->u.value));
    }
}

// ---- Control ----

static void nested(body_context *c, const sir_block *b)
{
    c->indent++;
    body_block(c, b);
    c->indent--;
}

// Nothing of the block is written: every statement is an assignment to what nobody reads.
static bool is_silent(const body_context *c, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++) {
        const sir_stmt *s = b->data[i];
        bool decl_only = s->kind == SIR_DECL && c->locals[s->u.decl.local].dead && !body_may_trap(c, s->u.decl.init);
        if (!decl_only && !(s->kind == SIR_SET && is_dead(c, s->u.set.target) && !body_may_trap(c, s->u.set.value)))
            return false;
    }
    return true;
}

// Whether 'else' may be followed by 'if' at once: an 'if' alone, and lanes do not choose in another way there.
static bool may_chain(const body_context *c, const sir_block *otherwise)
{
    return otherwise->len == 1 && otherwise->data[0]->kind == SIR_IF && !c->e->line_directives &&
           !(c->vectors > 0 && lanes_differ(c, otherwise->data[0]->u.if_.cond));
}

static void if_(body_context *c, const sir_stmt *s, bool chained)
{
    body_affine in = c->in.position, out = c->out.position;
    const sir_block *otherwise = &s->u.if_.otherwise;
    if (!chained)
        body_check_branches(c, s);
    const char *cond = text(c, s->u.if_.cond);
    if (body_seldom(c, s))
        cond = arena_printf(c->e->arena, "SVM_SELDOM(%s)", cond);
    if (chained)
        strbuf_printf(c->e->out, "if (%s) {\n", cond);
    else
        body_line(c, "if (%s) {", cond);
    nested(c, &s->u.if_.then);
    if (is_silent(c, otherwise)) {
        body_line(c, "}");
        return;
    }
    c->in.position.constant = in.constant;
    c->out.position.constant = out.constant;
    indent(c);
    if (may_chain(c, otherwise)) {
        strbuf_add(c->e->out, "} else ");
        if_(c, otherwise->data[0], true);
        return;
    }
    strbuf_add(c->e->out, "} else {\n");
    nested(c, otherwise);
    body_line(c, "}");
}

// The first one of a chain.
static void first_if(body_context *c, const sir_stmt *s)
{
    bool begins = c->early.len == 0;
    body_early_begin(c, s);
    if_(c, s, false);
    if (begins)
        body_early_end(c);
}

static body_affine copy_affine(body_context *c, const body_affine *a)
{
    body_affine r = {.constant = a->constant};
    for (size_t i = 0; i < a->terms.len; i++)
        body_affine_add(c, &r, a->terms.data[i].local, a->terms.data[i].coefficient);
    return r;
}

// Inside the loop the position advances by net items a trip; behind it all trips are done.
static void enter_tape(body_context *c, body_tape *t, const sir_stmt *s, bool input, body_affine *after)
{
    int64_t net = 0, trips = 0;
    *after = t->position;
    if (!t->affine || !body_block_net(c, &s->u.for_.body, input, &net) || net == 0)
        return;
    (void)sir_for_trips(s, &trips);
    int64_t coefficient = net / s->u.for_.step;
    body_affine inside = copy_affine(c, &t->position);
    inside.constant -= coefficient * body_const_int(s->u.for_.lo);
    body_affine_add(c, &inside, s->u.for_.local, coefficient);
    after->constant += net * trips;
    t->position = inside;
}

static body_interval const_or_whole(const sir_expr *e)
{
    if (e->kind == SIR_CONST)
        return (body_interval){body_const_int(e), body_const_int(e)};
    return (body_interval){INT32_MIN, INT32_MAX};
}

static bool reads_locals(const sir_expr *e)
{
    if (e->kind == SIR_LOCAL)
        return true;
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        if (e->u.arg[i] != NULL && reads_locals(e->u.arg[i]))
            return true;
    return false;
}

// Of a loop that is not written: what may stop the program, and locals that may have no other reader.
static void bound_only(body_context *c, const sir_expr *bound)
{
    if (body_may_trap(c, bound) || reads_locals(bound))
        body_line(c, "(void)%s;", body_expr_text(c, bound, PREC_UNARY));
}

// ---- Loops over lanes ----

typedef struct run_finder {
    body_context *c;
    strbuf straight; // that all are inside: "svm_brookHas(..) && .."
} run_finder;

static void find_run(void *context, sir_expr *e, bool written)
{
    run_finder *f = context;
    body_context *c = f->c;
    (void)written;
    const emit_lane_run *r = e->kind == SIR_FETCH ? emit_lane_run_of(c->info, e) : NULL;
    if (r == NULL || body_is_inside(c, e))
        return;
    size_t number = (size_t)(r - c->info->runs.data);
    body_line(c, "const ptrdiff_t svm_first%zu = %s;", number, body_expr_text(c, r->first, PREC_COND));
    strbuf_printf(&f->straight, "%ssvm_brookHas(%s_walk, svm_first%zu, %d)", f->straight.len > 0 ? " && " : "",
                  c->info->field_names.data[e->index], number, c->info->lanes);
}

static void find_runs(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_run, context);
}

// Where what is fetched lies side by side, no lane clamps: a loop of its own, so that the C compiler loads vectors.
static bool lane_loop(body_context *c, const sir_stmt *s)
{
    if (c->info == NULL || c->info->runs.len == 0 || c->in_runs || s->u.for_.local != c->info->lane)
        return false;
    run_finder f = {.c = c};
    strbuf_init(&f.straight, c->e->arena);
    strbuf *out = c->e->out;
    body_spot start = body_here(c);
    body_line(c, "{");
    c->indent++;
    sir_visit_stmts((sir_block *)&s->u.for_.body, find_runs, &f);
    if (f.straight.len == 0) {
        c->indent--;
        body_forget(c, start);
        return false;
    }
    body_line(c, "if (%s) {", f.straight.data);
    c->indent++;
    body_line(c, "const bool svm_straight = true;");
    size_t loop = out->len;
    c->in_runs = true;
    body_for(c, s);
    c->in_runs = false;
    const char *again = arena_strndup(c->e->arena, out->data + loop, out->len - loop);
    c->indent--;
    body_line(c, "} else {");
    c->indent++;
    body_line(c, "const bool svm_straight = false;");
    strbuf_add(out, again);
    c->indent--;
    body_line(c, "}");
    c->indent--;
    body_line(c, "}");
    return true;
}

// Loops of finite filters are done without clamps where their trips are known to stay inside.
static void unless_outside(body_context *c, const sir_stmt *s, void loop(body_context *c, const sir_stmt *s))
{
    body_trips trips;
    body_spot start = body_here(c);
    body_line(c, "{");
    c->indent++;
    const char *inside = body_find_trips(c, s, &trips);
    if (inside == NULL) {
        c->indent--;
        body_forget(c, start);
        loop(c, s);
        return;
    }
    body_line(c, "if (%s) {", inside);
    c->indent++;
    c->trips = &trips;
    loop(c, s);
    c->trips = NULL;
    c->indent--;
    body_line(c, "} else {");
    c->indent++;
    loop(c, s);
    c->indent--;
    body_line(c, "}");
    c->indent--;
    body_line(c, "}");
}

static bool is_independent(const emit_filter_info *info, const sir_stmt *s)
{
    bool found = false;
    for (size_t i = 0; info != NULL && !found && i < info->independent.len; i++)
        found = info->independent.data[i] == s;
    return found;
}

// The loop around one whose trips are done so many at a time: NOTE(rows).
static void begin_row(body_context *c, const sir_stmt *s, int64_t part)
{
    int64_t lo = s->u.for_.lo->u.value.i, hi = s->u.for_.hi->u.value.i;
    body_line(c,
              "for (ptrdiff_t svm_row = %" PRId64 "; svm_row < %" PRId64 "; svm_row += %" PRId64
              ") { /* the last %" PRId64 " end with the row */",
              lo, hi, part, part);
    c->indent++;
    body_line(c, "const ptrdiff_t svm_first = svm_row < %" PRId64 " ? svm_row : %" PRId64 ";", hi - part, hi - part);
}

static const emit_inner *inside_of(const body_context *c, const sir_stmt *s)
{
    for (VEC_EACH(const emit_inner, i, &c->e->inside))
        if (i->loop == s)
            return c->lanes == 0 && c->vectors == 0 && !c->dynamic && c->open == NULL && !c->e->keep_names &&
                           c->in.affine && c->out.affine && c->placed_loop == NULL
                       ? i
                       : NULL;
    return NULL;
}

// Trips side by side, the last ones of a row that is not whole vectors long again: NOTE(inside) in program_across.c.
static bool trips_inside(body_context *c, const sir_stmt *s)
{
    const emit_inner *inside = inside_of(c, s);
    if (inside == NULL)
        return false;
    body_local *l = &c->locals[s->u.for_.local], saved = *l;
    int64_t lo = body_const_int(s->u.for_.lo), hi = body_const_int(s->u.for_.hi);
    l->is_for = true;
    l->forward = NULL;
    l->range = (body_interval){lo, hi - 1};
    body_affine in = copy_affine(c, &c->in.position), out_after;
    in.constant -= inside->in_stride * lo;
    body_affine_add(c, &in, s->u.for_.local, inside->in_stride);
    for (VEC_EACH(const emit_around, a, &inside->around)) {
        in.constant -= a->step * body_const_int(a->loop->u.for_.lo);
        if (a->step != 0)
            body_affine_add(c, &in, a->loop->u.for_.local, a->step);
    }
    enter_tape(c, &c->out, s, false, &out_after);
    bool whole = (hi - lo) % inside->lanes == 0;
    body_line(c, "for (ptrdiff_t %s = %" PRId64 "; %s < %" PRId64 "; %s += svm_lanes%d)%s",
              whole ? l->c_name : "svm_row", lo, whole ? l->c_name : "svm_row", hi, whole ? l->c_name : "svm_row",
              inside->lanes, whole ? "" : " { /* the last ones end with the row */");
    c->indent++;
    if (!whole)
        body_line(c, "const ptrdiff_t %s = svm_row < %" PRId64 " - svm_lanes%d ? svm_row : %" PRId64 " - svm_lanes%d;",
                  l->c_name, hi, inside->lanes, hi, inside->lanes);
    strbuf b;
    strbuf_init(&b, c->e->arena);
    strbuf_printf(&b, "%s(", inside->fire.name);
    if (inside->fire.in)
        add_argument(&b, arena_printf(c->e->arena, "%s + %s", body_named(c, BODY_IN), body_affine_text(c, &in)));
    if (inside->fire.out)
        add_argument(
            &b, arena_printf(c->e->arena, "%s + %s", body_named(c, BODY_OUT), body_affine_text(c, &c->out.position)));
    for (VEC_EACH(const uint32_t, g, &inside->fire.given)) {
        body_use(c, BODY_GIVEN, *g);
        add_argument(&b, c->info->given.data[*g].name);
    }
    body_line(c, "%s);", b.data);
    c->indent--;
    if (!whole)
        body_line(c, "}");
    c->out.position = out_after;
    *l = saved;
    return true;
}

void body_for(body_context *c, const sir_stmt *s)
{
    if (lane_loop(c, s) || body_shifts(c, s) || body_bits(c, s) || trips_inside(c, s) || body_places(c, s))
        return;
    body_local *l = &c->locals[s->u.for_.local], saved = *l;
    body_spot start = body_here(c);
    const char *lo = body_expr_text(c, s->u.for_.lo, PREC_COND),
               *hi = body_expr_text(c, s->u.for_.hi, PREC_COMPARE + 1);
    body_interval first = const_or_whole(s->u.for_.lo), last = const_or_whole(s->u.for_.hi);
    int32_t step = s->u.for_.step;
    l->is_for = true;
    l->forward = NULL;
    l->range = step > 0 ? (body_interval){first.lo, last.hi - 1} : (body_interval){last.lo + 1, first.hi};
    if (l->range.hi < l->range.lo)
        l->range.hi = l->range.lo;
    body_affine in_after, out_after;
    enter_tape(c, &c->in, s, true, &in_after);
    enter_tape(c, &c->out, s, false, &out_after);
    const char *advance_text = step == 1    ? arena_printf(c->e->arena, "%s++", l->c_name)
                               : step == -1 ? arena_printf(c->e->arena, "%s--", l->c_name)
                               : step > 0   ? arena_printf(c->e->arena, "%s += %" PRId32, l->c_name, step)
                                            : arena_printf(c->e->arena, "%s -= %" PRId64, l->c_name, -(int64_t)step);
    strbuf *out = c->e->out;
    int aside = body_trips_aside(c, s);
    c->aside = aside != 0 ? aside : c->aside;
    int64_t part = aside != 0 ? 0 : body_row_part(c, s);
    if (part != 0) {
        begin_row(c, s, part);
        lo = "svm_first";
        hi = arena_printf(c->e->arena, "svm_first + %" PRId64, part);
    }
    if (c->places != NULL && c->places->loop == s) {
        lo = c->places->from != NULL ? c->places->from : lo;
        hi = c->places->to != NULL ? c->places->to : hi;
    }
    if (aside != 0) {
        VEC_PUSH(c->e->arena, &c->asides, s);
        body_line(c, "SVM_ASIDE(%d)", aside);
    } else if (body_unrolls(c, s) || body_moves_on(c, s))
        body_line(c, "SVM_UNROLL");
    else if (body_stays_loop(c, s))
        body_line(c, "SVM_LOOP");
    if (c->info != NULL && c->info->takes.len > 0 && s->u.for_.local == c->info->lane)
        body_line(c, "SVM_BROOK_LANES");
    else if (is_independent(c->info, s))
        body_line(c, "SVM_BROOK_INDEPENDENT");
    body_line(c, "for (ptrdiff_t %s = %s; %s %c %s; %s) {", l->c_name, lo, l->c_name, step > 0 ? '<' : '>', hi,
              advance_text);
    bool apart = c->apart;
    c->apart = apart || body_trips_apart(c, s);
    size_t header_end = out->len;
    const char *label = c->continue_label;
    const bool *ladder = c->ladder;
    c->continue_label = NULL;
    arena *scratch = arena_create();
    c->ladder = aside != 0 ? NULL : body_ladder(c, s, scratch);
    if (body_adds_in_order(c, s)) {
        c->indent++;
        body_line(c, "SVM_IN_ORDER");
        c->indent--;
        header_end = out->len;
    }
    nested(c, &s->u.for_.body);
    arena_destroy(scratch);
    c->continue_label = label;
    c->ladder = ladder;
    c->apart = apart;
    bool only_pops = out->len == header_end;
    if (part != 0) {
        body_line(c, "}");
        c->indent--;
    }
    if (only_pops)
        body_forget(c, start);
    else
        body_line(c, "}");
    c->in.position = in_after;
    c->out.position = out_after;
    *l = saved;
    if (only_pops) {
        bound_only(c, s->u.for_.lo);
        bound_only(c, s->u.for_.hi);
    }
}

static bool has_continue(const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++) {
        const sir_stmt *s = b->data[i];
        if (s->kind == SIR_CONTINUE ||
            (s->kind == SIR_IF && (has_continue(&s->u.if_.then) || has_continue(&s->u.if_.otherwise))) ||
            (s->kind == SIR_BLOCK && has_continue(&s->u.block)))
            return true;
    }
    return false;
}

static void leave_unless(body_context *c, const sir_expr *cond)
{
    if (cond == NULL)
        return;
    body_line(c, "if (!%s)", body_expr_text(c, cond, PREC_UNARY));
    body_line(c, "    break;");
}

static void plain_loop(body_context *c, const sir_stmt *s)
{
    bool plain = s->u.loop.pre.len == 0 && !s->u.loop.post_test;
    const char *outer_label = c->continue_label;
    bool jumps = has_continue(&s->u.loop.body) && (s->u.loop.step.len > 0 || s->u.loop.post_test);
    c->continue_label = jumps ? arena_printf(c->e->arena, "next_%" PRIu32, ++c->labels) : NULL;
    if (c->trips != NULL) {
        body_line(c, "const int svm_from = %s;", c->locals[c->trips->counter].c_name);
        body_line(c, "for (ptrdiff_t svm_trip = 0; svm_trip < svm_trips; svm_trip++) {");
    } else if (plain && s->u.loop.cond != NULL) {
        body_line(c, "while (%s) {", text(c, s->u.loop.cond));
    } else {
        body_line(c, "for (;;) {");
    }
    c->indent++;
    if (!plain && !s->u.loop.post_test) {
        body_block(c, &s->u.loop.pre);
        leave_unless(c, s->u.loop.cond);
    }
    if (plain && !jumps) {
        body_block(c, &s->u.loop.body);
    } else {
        body_line(c, "{");
        nested(c, &s->u.loop.body);
        body_line(c, "}");
    }
    if (jumps)
        body_line(c, "%s:;", c->continue_label);
    if (s->u.loop.post_test) {
        body_block(c, &s->u.loop.pre);
        leave_unless(c, s->u.loop.cond);
    }
    c->continue_label = outer_label;
    body_block(c, &s->u.loop.step);
    c->indent--;
    body_line(c, "}");
}

static void loop(body_context *c, const sir_stmt *s)
{
    if (!body_halves(c, s) && !body_guarded_loop(c, s, decl, plain_loop))
        plain_loop(c, s);
}

static void stmt(body_context *c, const sir_stmt *s)
{
    if (s->loc.file != 0)
        body_mark_line(c->e, s->loc);
    if (body_placed_stmt(c, s) || (c->vectors > 0 && lanes_stmt(c, s)))
        return;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: decl(c, s); break;
    case SIR_SET: set(c, s); break;
    case SIR_POP: pop(c, s); break;
    case SIR_PUSH: push(c, s); break;
    case SIR_PRINT: print(c, s, ""); break;
    case SIR_CALL: call(c, s); break;
    case SIR_RANDOM: random_number(c, s); break;
    case SIR_IF:
        if (!body_flag(c, s) && !body_either(c, s) && !body_guarded_if(c, s, decl))
            first_if(c, s);
        break;
    case SIR_FOR: unless_outside(c, s, body_for); break;
    case SIR_LOOP: unless_outside(c, s, loop); break;
    case SIR_BREAK: body_line(c, "break;"); break;
    case SIR_CONTINUE:
        if (c->continue_label != NULL)
            body_line(c, "goto %s;", c->continue_label);
        else
            body_line(c, "continue;");
        break;
    case SIR_RETURN: return_(c, s); break;
    case SIR_BLOCK:
        body_line(c, "{");
        nested(c, &s->u.block);
        body_line(c, "}");
        break;
    case SIR_SEND: body_send(c, s); break;
    }
}

// Outside lane loops: runs of statements each go into a loop over the lanes, loops that carry values from trip to trip stay around such runs.
static void lane_block(body_context *c, const sir_block *b)
{
    strbuf *out = c->e->out;
    const char *lane = c->locals[c->lane].c_name;
    for (size_t i = 0; i < b->len;) {
        if (body_lane_expands(c, b->data[i])) {
            stmt(c, b->data[i++]);
            continue;
        }
        body_spot start = body_here(c);
        size_t end = i;
        while (end < b->len && !body_lane_expands(c, b->data[end]))
            end++;
        if ((c->jams || c->shares) && !body_has_loops(&(sir_block){.data = b->data + i, .len = end - i}))
            body_line(c, "SVM_UNROLL");
        body_line(c, "for (ptrdiff_t %s = 0; %s < %d; %s++) {", lane, lane, c->lanes, lane);
        size_t header_end = out->len;
        c->in_lane_loop = true;
        c->indent++;
        for (; i < end; i++)
            stmt(c, b->data[i]);
        c->indent--;
        c->in_lane_loop = false;
        if (out->len != header_end)
            body_line(c, "}");
        else
            body_forget(c, start); // nothing to do in C: popped items are read where they lie
    }
}

void body_block(body_context *c, const sir_block *b)
{
    if (c->lanes > 0 && !c->in_lane_loop) {
        lane_block(c, b);
        return;
    }
    for (size_t i = 0; i < b->len; i++) {
        if (!prints_line(b, i)) {
            stmt(c, b->data[i]);
            continue;
        }
        if (b->data[i]->loc.file != 0)
            body_mark_line(c->e, b->data[i]->loc);
        print(c, b->data[i++], "Line");
    }
}

static void top_declarations(body_context *c)
{
    const sir_function *f = c->function;
    for (uint32_t i = f->param_count; i < f->locals.len; i++) {
        const sir_type *t = f->locals.data[i].type;
        if (c->locals[i].vector && c->vectors > 0) {
            lanes_declare_top(c, i);
            continue;
        }
        if (c->locals[i].laned)
            body_line(c, "%s;",
                      emit_declare(c->e, t, arena_printf(c->e->arena, "%s[%d]", c->locals[i].c_name, c->lanes)));
        if (!c->locals[i].declared_on_top || c->locals[i].forward != NULL)
            continue;
        strbuf b, *out = c->e->out;
        strbuf_init(&b, c->e->arena);
        c->e->out = &b;
        sir_value v = sir_value_zero(t);
        emit_value(c->e, &v, 0);
        c->e->out = out;
        body_line(c, "%s = %s;", emit_declare(c->e, t, c->locals[i].c_name), b.data);
    }
}

// The counters of a firing whose positions are not all known, as far as the text needs them.
static void declare_counters(body_context *c)
{
    if (c->function->kind != SIR_WORK && c->function->kind != SIR_PREWORK)
        return;
    if (!c->in.affine && body_uses(c, BODY_IN_COUNT, 0))
        body_line(c, "ptrdiff_t %s = 0;", body_named(c, BODY_IN_COUNT));
    if (!c->out.affine && body_uses(c, BODY_OUT_COUNT, 0))
        body_line(c, "ptrdiff_t %s = 0;", body_named(c, BODY_OUT_COUNT));
}

void body_function_body(body_context *c)
{
    c->apart = body_firings_apart(c);
    const sir_function *f = c->function;
    body_find_placed(c);
    top_declarations(c);
    lanes_begin(c);
    strbuf statements, *out = c->e->out;
    strbuf_init(&statements, c->e->arena);
    c->e->out = &statements;
    body_block(c, &f->body);
    lanes_end(c);
    if (f->body.len == 0 || f->body.data[f->body.len - 1]->kind != SIR_RETURN) {
        body_check_exit(c);
        body_store_fields(c);
    }
    if (!c->in.affine && (f->kind == SIR_WORK || f->kind == SIR_PREWORK) && !c->in.used &&
        body_uses(c, BODY_IN_COUNT, 0))
        body_line(c, "(void)%s;", body_named(c, BODY_IN_COUNT));
    c->e->out = out;
    declare_counters(c);
    body_check_begin(c);
    strbuf_add(out, statements.data);
}
