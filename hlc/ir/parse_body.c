// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream IR text: functions, statements, expressions. Operations are typed as they are read, so that a wrong one is
// reported at its place in this text.
#include <string.h>

#include "hlc/ir/ops.h"
#include "hlc/ir/parse_int.h"
#include "hlc/ir/type_rules.h"
#include "hlc/ir/walk.h"
#include "support/strbuf.h"

// An expression under construction, with the depth of its tree.
typedef struct operand {
    sir_expr *e;
    uint32_t depth;
} operand;

static operand parse_operation(sir_parser *p, int precedence);

static const char *type_text(sir_parser *p, const sir_type *t)
{
    strbuf b;
    strbuf_init(&b, p->scratch);
    sir_type_print(&b, t);
    return b.data;
}

static bool enter(sir_parser *p)
{
    if (++p->nesting > SIR_PARSE_NESTING)
        sir_parse_error(p, &p->token, "nested more than %d levels deep", SIR_PARSE_NESTING);
    return !p->failed;
}

static void leave(sir_parser *p)
{
    p->nesting--;
}

// Something to go on with after an error.
static operand nothing(sir_parser *p)
{
    return (operand){.e = sir_const_int(p->module, 0, (sir_loc){0}), .depth = 1};
}

static uint32_t depth_over(sir_parser *p, uint32_t a, uint32_t b)
{
    uint32_t depth = (a > b ? a : b) + 1;
    if (depth > SIR_PARSE_DEPTH)
        sir_parse_error(p, &p->token, "an expression of more than %d levels", SIR_PARSE_DEPTH);
    return depth;
}

// ---- Expressions ----

static operand parse_expr(sir_parser *p)
{
    if (!enter(p))
        return nothing(p);
    operand x = parse_operation(p, 0);
    leave(p);
    return x;
}

// The position of a name, or an error.
static uint32_t look_up(sir_parser *p, const hmap *map, const char *what)
{
    uintptr_t found = (uintptr_t)hmap_get(map, p->token.text);
    if (found == 0) {
        sir_unknown(p, &p->token, what, p->token.text, map);
        return SIR_NONE;
    }
    sir_advance(p);
    return (uint32_t)(found - 1);
}

// "[E, E]" behind the name of a gathered stream.
static operand parse_fetch(sir_parser *p, uint32_t field, const sir_token *at)
{
    const sir_field *f = &p->filter->fields.data[field];
    sir_expr *subscripts[SIR_RANK] = {0};
    uint32_t count = 0, depth = 0;
    sir_expect_sign(p, "[");
    do {
        if (count == f->rank)
            break;
        operand x = parse_expr(p);
        if (!p->failed && x.e->type->kind != SIR_INT)
            sir_parse_error(p, at, "a subscript of type '%s' on a gathered stream; expected an int",
                            type_text(p, x.e->type));
        subscripts[count++] = x.e;
        depth = x.depth > depth ? x.depth : depth;
    } while (!p->failed && sir_accept_sign(p, ","));
    if (!p->failed && (count != f->rank || !sir_at_sign(p, "]")))
        sir_parse_error(p, at, "'%s' has %u dimensions and takes as many subscripts", f->name, (unsigned)f->rank);
    sir_expect_sign(p, "]");
    if (p->failed)
        return nothing(p);
    return (operand){sir_fetch(p->module, field, f->type, subscripts, count, (sir_loc){0}), depth_over(p, depth, 0)};
}

static operand parse_field(sir_parser *p)
{
    sir_token t = p->token;
    uint32_t index = look_up(p, &p->fields, "field");
    if (p->failed)
        return nothing(p);
    const sir_field *f = &p->filter->fields.data[index];
    if (f->role == SIR_GATHER)
        return parse_fetch(p, index, &t);
    if (f->role == SIR_VARIABLE)
        sir_parse_error(p, &t, "'%s' stands for what is pushed and has no value", f->name);
    return (operand){sir_ref(p->module, SIR_FIELD, index, f->type, (sir_loc){0}), 1};
}

static operand parse_reference(sir_parser *p)
{
    sir_module *m = p->module;
    sir_token_kind kind = p->token.kind;
    uint32_t index;
    switch (kind) {
    case TOKEN_LOCAL:
        index = look_up(p, &p->locals, "local");
        return p->failed
                   ? nothing(p)
                   : (operand){sir_ref(m, SIR_LOCAL, index, p->function->locals.data[index].type, (sir_loc){0}), 1};
    case TOKEN_FIELD: return parse_field(p);
    default:
        index = look_up(p, &p->globals, "global");
        return p->failed ? nothing(p)
                         : (operand){sir_ref(m, SIR_GLOBAL, index, m->globals.data[index].value.type, (sir_loc){0}), 1};
    }
}

static operand parse_constant(sir_parser *p)
{
    static const sir_type_kind kinds[] = {
        [TOKEN_INT] = SIR_INT, [TOKEN_FLOAT] = SIR_FLOAT, [TOKEN_DOUBLE] = SIR_DOUBLE, [TOKEN_BIT] = SIR_BIT};
    sir_token t = p->token;
    if (t.kind == TOKEN_SIGN && t.text[0] == '-') {
        // What is behind the sign tells the type.
        size_t next = p->next;
        sir_advance(p);
        if (p->failed)
            return nothing(p);
        sir_token behind = p->token;
        p->token = t;
        p->next = next;
        t = behind;
    }
    sir_type_kind kind = SIR_FLOAT;
    if (t.kind == TOKEN_WORD)
        kind = t.text[0] == 't' || (t.text[0] == 'f') ? SIR_BOOLEAN : t.text[3] == 'd' ? SIR_DOUBLE : SIR_FLOAT;
    else if (t.kind == TOKEN_SIGN)
        kind = SIR_COMPLEX;
    else
        kind = kinds[t.kind];
    sir_scalar v;
    memset(&v, 0, sizeof v);
    const sir_type *type = p->module->scalar[kind];
    if (!sir_parse_scalar(p, type, &v))
        return nothing(p);
    return (operand){sir_const(p->module, type, v, (sir_loc){0}), 1};
}

static bool is_real_word(const char *s)
{
    return strcmp(s, "inf") == 0 || strcmp(s, "nan") == 0 || strcmp(s, "infd") == 0 || strcmp(s, "nand") == 0;
}

// Whether a constant begins here; a minus belongs to it only right before a number.
static bool at_constant(const sir_parser *p)
{
    const sir_token *t = &p->token;
    switch (t->kind) {
    case TOKEN_INT:
    case TOKEN_FLOAT:
    case TOKEN_DOUBLE:
    case TOKEN_BIT: return true;
    case TOKEN_WORD: return strcmp(t->text, "true") == 0 || strcmp(t->text, "false") == 0 || is_real_word(t->text);
    case TOKEN_SIGN:
        if (t->text[0] == '<' && t->text[1] == '\0')
            return true;
        if (t->text[0] == '-' && t->text[1] == '\0' && p->next < p->len) {
            const char *after = p->text + p->next;
            return (*after >= '0' && *after <= '9') || strncmp(after, "inf", 3) == 0 || strncmp(after, "nan", 3) == 0;
        }
        return false;
    default: return false;
    }
}

// "(a, b)": up to two operands; gives how many.
static size_t parse_operands(sir_parser *p, operand *x)
{
    size_t count = 0;
    sir_expect_sign(p, "(");
    while (!p->failed && !sir_at_sign(p, ")")) {
        if (count == 2) {
            sir_expected(p, "')'");
            break;
        }
        x[count++] = parse_expr(p);
        if (!sir_accept_sign(p, ","))
            break;
    }
    sir_expect_sign(p, ")");
    for (size_t i = count; i < 2; i++)
        x[i] = (operand){0};
    return count;
}

static operand parse_conversion(sir_parser *p, const sir_token *at, const sir_type *to)
{
    operand x[2];
    size_t count = parse_operands(p, x);
    if (p->failed)
        return nothing(p);
    const sir_type *a = x[0].e == NULL ? NULL : x[0].e->type;
    if (count == 2 && to->kind == SIR_COMPLEX) {
        if (a->kind != SIR_FLOAT || x[1].e->type->kind != SIR_FLOAT)
            sir_parse_error(p, at, "the parts of a complex have types '%s' and '%s'; expected two of 'float'",
                            type_text(p, a), type_text(p, x[1].e->type));
        return (operand){sir_expr2(p->module, SIR_MAKE_COMPLEX, 0, to, x[0].e, x[1].e, (sir_loc){0}),
                         depth_over(p, x[0].depth, x[1].depth)};
    }
    if (count != 1 || !sir_converts(a, to)) {
        sir_parse_error(p, at, "a conversion to '%s' takes one number", type_text(p, to));
        return nothing(p);
    }
    return (operand){sir_expr1(p->module, SIR_CONVERT, 0, to, x[0].e, (sir_loc){0}), depth_over(p, x[0].depth, 0)};
}

static operand parse_math(sir_parser *p, const sir_token *at, lang_math_op op)
{
    operand x[2];
    size_t count = parse_operands(p, x);
    if (p->failed)
        return nothing(p);
    const sir_math_info *info = &sir_math_ops[op];
    const sir_type *a = count > 0 ? x[0].e->type : NULL, *b = count > 1 ? x[1].e->type : a;
    const sir_type *t = count == (size_t)info->arity ? sir_math_type(p->module, op, a, b) : NULL;
    if (t == NULL) {
        sir_parse_error(p, at, "'%s' takes %d operand%s of one type: float, double%s", info->name, info->arity,
                        info->arity == 1 ? "" : "s", info->complex ? " or complex" : "");
        return nothing(p);
    }
    return (operand){sir_expr2(p->module, SIR_MATH, op, t, x[0].e, x[1].e, (sir_loc){0}),
                     depth_over(p, x[0].depth, x[1].depth)};
}

static operand parse_peek(sir_parser *p, const sir_token *at)
{
    operand x[2];
    size_t count = parse_operands(p, x);
    if (p->failed)
        return nothing(p);
    if (p->filter == NULL || p->filter->input->kind == SIR_VOID || count != 1 || !sir_is_integer(x[0].e->type)) {
        sir_parse_error(p, at, "peek takes one integer, in a filter with input");
        return nothing(p);
    }
    return (operand){sir_expr1(p->module, SIR_PEEK, 0, p->filter->input, x[0].e, (sir_loc){0}),
                     depth_over(p, x[0].depth, 0)};
}

// What begins with a word: a conversion, a function, peek, iter.
static operand parse_word(sir_parser *p)
{
    sir_token t = p->token;
    static const char *const words[] = {"int", "float", "double", "complex", "bit", "peek", "iter", "true", "false"};
    sir_advance(p);
    for (int kind = SIR_BIT; kind < SIR_SCALAR_KINDS; kind++)
        if (strcmp(t.text, sir_scalar_name((sir_type_kind)kind)) == 0)
            return parse_conversion(p, &t, p->module->scalar[kind]);
    for (int op = 0; op < LANG_MATH_COUNT; op++)
        if (strcmp(t.text, sir_math_ops[op].name) == 0)
            return parse_math(p, &t, (lang_math_op)op);
    if (strcmp(t.text, "peek") == 0)
        return parse_peek(p, &t);
    if (strcmp(t.text, "iter") == 0) {
        sir_expect_sign(p, "(");
        sir_expect_sign(p, ")");
        return (operand){sir_ref(p->module, SIR_ITER, 0, p->module->scalar[SIR_INT], (sir_loc){0}), 1};
    }
    hmap known;
    hmap_init(&known, p->scratch);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        hmap_set(&known, words[i], &known);
    for (int op = 0; op < LANG_MATH_COUNT; op++)
        hmap_set(&known, sir_math_ops[op].name, &known);
    sir_unknown(p, &t, "operation", t.text, &known);
    return nothing(p);
}

static operand parse_primary(sir_parser *p)
{
    if (at_constant(p))
        return parse_constant(p);
    switch (p->token.kind) {
    case TOKEN_LOCAL:
    case TOKEN_FIELD:
    case TOKEN_GLOBAL: return parse_reference(p);
    case TOKEN_WORD: return parse_word(p);
    default: break;
    }
    if (sir_accept_sign(p, "(")) {
        operand x = parse_expr(p);
        sir_expect_sign(p, ")");
        return x;
    }
    sir_expected(p, "an expression");
    return nothing(p);
}

static operand parse_member(sir_parser *p, operand base)
{
    sir_token t = p->token;
    if (t.kind != TOKEN_WORD && t.kind != TOKEN_STRING) {
        sir_expected(p, "the name of a member");
        return base;
    }
    const sir_type *type = base.e->type;
    uint32_t index = SIR_NONE;
    hmap known;
    hmap_init(&known, p->scratch);
    if (type->kind == SIR_COMPLEX) {
        hmap_set(&known, "real", &known);
        hmap_set(&known, "imag", &known);
        index = strcmp(t.text, "real") == 0 ? 0 : strcmp(t.text, "imag") == 0 ? 1 : SIR_NONE;
    }
    for (size_t i = 0; type->kind == SIR_STRUCT && i < type->decl->members.len; i++) {
        hmap_set(&known, type->decl->members.data[i].name, &known);
        if (strcmp(type->decl->members.data[i].name, t.text) == 0)
            index = (uint32_t)i;
    }
    if (index == SIR_NONE) {
        sir_unknown(p, &t, "member", t.text, &known);
        return base;
    }
    if (type->kind == SIR_STRUCT && sir_lvalue_root(base.e) == NULL)
        sir_parse_error(p, &t, "a member of what is no variable");
    sir_advance(p);
    return (operand){sir_member(p->module, base.e, index, (sir_loc){0}), depth_over(p, base.depth, 0)};
}

static operand parse_postfix(sir_parser *p)
{
    operand x = parse_primary(p);
    while (!p->failed) {
        if (sir_accept_sign(p, ".")) {
            x = parse_member(p, x);
            continue;
        }
        sir_token t = p->token;
        if (!sir_accept_sign(p, "["))
            break;
        operand index = parse_expr(p);
        sir_expect_sign(p, "]");
        if (p->failed)
            break;
        if (x.e->type->kind != SIR_ARRAY || sir_lvalue_root(x.e) == NULL || !sir_is_integer(index.e->type)) {
            sir_parse_error(p, &t, "a subscript of type '%s' on a '%s'; expected an integer on an array variable",
                            type_text(p, index.e->type), type_text(p, x.e->type));
            break;
        }
        x = (operand){sir_expr2(p->module, SIR_INDEX, 0, x.e->type->element, x.e, index.e, (sir_loc){0}),
                      depth_over(p, x.depth, index.depth)};
    }
    return x;
}

static operand parse_unary(sir_parser *p)
{
    sir_token t = p->token;
    int op = -1;
    if (t.kind == TOKEN_SIGN && !at_constant(p))
        for (int i = 0; i < LANG_UNARY_COUNT; i++)
            if (strcmp(t.text, sir_unary_spelling[i]) == 0)
                op = i;
    if (op < 0)
        return parse_postfix(p);
    sir_advance(p);
    if (!enter(p))
        return nothing(p);
    operand x = parse_unary(p);
    leave(p);
    const sir_type *type = p->failed ? NULL : sir_unary_type((lang_unary_op)op, x.e->type);
    if (type == NULL) {
        sir_parse_error(p, &t, "'%s' of a '%s'", t.text, type_text(p, x.e->type));
        return nothing(p);
    }
    return (operand){sir_expr1(p->module, SIR_UNARY, op, type, x.e, (sir_loc){0}), depth_over(p, x.depth, 0)};
}

static int binary_at(const sir_parser *p)
{
    if (p->token.kind == TOKEN_SIGN)
        for (int i = 0; i < LANG_BINARY_COUNT; i++)
            if (strcmp(p->token.text, sir_binary_ops[i].spelling) == 0)
                return i;
    return -1;
}

static operand parse_select(sir_parser *p, operand c)
{
    sir_token t = p->token;
    sir_advance(p);
    if (!enter(p))
        return nothing(p);
    operand a = parse_operation(p, SIR_PREC_SELECT + 1);
    sir_expect_sign(p, ":");
    operand b = parse_operation(p, SIR_PREC_SELECT);
    leave(p);
    if (p->failed)
        return nothing(p);
    if (c.e->type->kind != SIR_BOOLEAN || a.e->type != b.e->type) {
        sir_parse_error(p, &t, "'?' of a '%s' with '%s' and '%s'; expected a boolean and two of one type",
                        type_text(p, c.e->type), type_text(p, a.e->type), type_text(p, b.e->type));
        return nothing(p);
    }
    uint32_t depth = depth_over(p, c.depth, a.depth > b.depth ? a.depth : b.depth);
    return (operand){sir_expr3(p->module, SIR_SELECT, a.e->type, c.e, a.e, b.e, (sir_loc){0}), depth};
}

static operand parse_operation(sir_parser *p, int precedence)
{
    operand x = parse_unary(p);
    while (!p->failed) {
        if (precedence <= SIR_PREC_SELECT && sir_at_sign(p, "?"))
            return parse_select(p, x);
        int op = binary_at(p);
        if (op < 0 || sir_binary_ops[op].precedence < precedence)
            break;
        sir_token t = p->token;
        sir_advance(p);
        operand y = parse_operation(p, sir_binary_ops[op].precedence + 1);
        if (p->failed)
            break;
        const sir_type *type = sir_binary_type(p->module, (lang_binary_op)op, x.e->type, y.e->type);
        if (type == NULL) {
            sir_parse_error(p, &t, "'%s' of '%s' and '%s'", t.text, type_text(p, x.e->type), type_text(p, y.e->type));
            break;
        }
        x = (operand){sir_expr2(p->module, SIR_BINARY, op, type, x.e, y.e, (sir_loc){0}),
                      depth_over(p, x.depth, y.depth)};
    }
    return x;
}

// ---- Places of parts ----

static void place_part(void *context, sir_expr *e, bool written)
{
    (void)written;
    e->loc = sir_take_part(context);
}

static void place_parts(sir_parser *p, sir_expr *e)
{
    if (e != NULL)
        sir_visit_tree(e, false, place_part, p);
}

// Ends the line of a statement and gives places to it and the expressions given (NULL: none).
static void end_stmt(sir_parser *p, sir_stmt *s, sir_expr *a, sir_expr *b)
{
    sir_end_line(p);
    s->loc = p->place;
    place_parts(p, a);
    place_parts(p, b);
    sir_no_more_parts(p);
}

// ---- Statements ----

static void parse_block(sir_parser *p, sir_block *b);

static void check_type(sir_parser *p, const sir_token *at, const sir_type *found, const sir_type *wanted,
                       const char *what)
{
    if (!p->failed && found != wanted)
        sir_parse_error(p, at, "%s has type '%s'; expected '%s'", what, type_text(p, found), type_text(p, wanted));
}

static void add_local(sir_parser *p, const char *name, const sir_type *t, bool by_reference)
{
    sir_function *f = p->function;
    VEC_PUSH(p->module->arena, &f->locals,
             (sir_local){.name = intern(p->module->names, name), .type = t, .by_reference = by_reference});
    hmap_set(&p->locals, name, (void *)(uintptr_t)f->locals.len);
}

// "%name: type"; gives the local's number. One that was declared before may be declared again with the same type.
static uint32_t parse_typed_local(sir_parser *p)
{
    sir_token t = p->token;
    if (t.kind != TOKEN_LOCAL) {
        sir_expected(p, "a local such as '%x'");
        return 0;
    }
    sir_advance(p);
    sir_expect_sign(p, ":");
    const sir_type *type = sir_parse_type(p);
    if (p->failed)
        return 0;
    uintptr_t known = (uintptr_t)hmap_get(&p->locals, t.text);
    if (known == 0)
        add_local(p, t.text, type, false);
    else
        check_type(p, &t, type, p->function->locals.data[known - 1].type, "a local declared before");
    if (type->kind == SIR_VOID)
        sir_parse_error(p, &t, "a local of type 'void'");
    return (uint32_t)(known == 0 ? p->function->locals.len - 1 : known - 1);
}

static sir_stmt *parse_decl(sir_parser *p)
{
    sir_stmt *s = sir_stmt_new(p->module, SIR_DECL, (sir_loc){0});
    sir_advance(p);
    s->u.decl.local = parse_typed_local(p);
    if (sir_accept_word(p, "uninitialised")) {
        s->u.decl.uninitialised = true;
    } else if (sir_accept_sign(p, "=")) {
        sir_token t = p->token;
        s->u.decl.init = parse_expr(p).e;
        if (!p->failed)
            check_type(p, &t, s->u.decl.init->type, p->function->locals.data[s->u.decl.local].type,
                       "the initial value");
    }
    sir_end_line(p);
    if (p->failed)
        return s;
    s->loc = p->place;
    sir_loc local_place = sir_take_part(p);
    sir_local *local = &p->function->locals.data[s->u.decl.local];
    if (local->loc.file == 0)
        local->loc = local_place;
    place_parts(p, s->u.decl.init);
    sir_no_more_parts(p);
    return s;
}

static void parse_arguments(sir_parser *p, void *args)
{
    VEC(sir_expr *) *list = args;
    sir_expect_sign(p, "(");
    while (!p->failed && !sir_at_sign(p, ")")) {
        VEC_PUSH(p->module->arena, list, parse_expr(p).e);
        if (!sir_accept_sign(p, ","))
            break;
    }
    sir_expect_sign(p, ")");
}

// From the function's name on. Functions may be called before they are read; parse.c resolves the names.
static sir_stmt *parse_call(sir_parser *p, sir_expr *target)
{
    sir_stmt *s = sir_stmt_new(p->module, SIR_CALL, (sir_loc){0});
    s->u.call.target = target;
    sir_token t = p->token;
    const char *name = sir_expect_name(p, "the name of a function");
    VEC_PUSH(p->scratch, &p->calls, (sir_pending_call){.stmt = s, .name = name, .filter = p->filter, .token = t});
    parse_arguments(p, &s->u.call.args);
    sir_end_line(p);
    s->loc = p->place;
    place_parts(p, target);
    for (size_t i = 0; i < s->u.call.args.len; i++)
        place_parts(p, s->u.call.args.data[i]);
    sir_no_more_parts(p);
    return s;
}

static sir_stmt *parse_send(sir_parser *p)
{
    sir_stmt *s = sir_stmt_new(p->module, SIR_SEND, (sir_loc){0});
    sir_advance(p);
    sir_token t = p->token;
    const char *portal = sir_expect_name(p, "the name of a portal");
    VEC_PUSH(p->scratch, &p->names, (sir_pending_name){.index = SIZE_MAX, .stmt = s, .name = portal, .token = t});
    s->u.send.handler = sir_expect_name(p, "the name of a handler");
    parse_arguments(p, &s->u.send.args);
    if (sir_accept_word(p, "best_effort")) {
        s->u.send.best_effort = true;
    } else {
        if (sir_accept_word(p, "min"))
            s->u.send.min = parse_expr(p).e;
        if (sir_accept_word(p, "max"))
            s->u.send.max = parse_expr(p).e;
    }
    sir_end_line(p);
    s->loc = p->place;
    for (size_t i = 0; i < s->u.send.args.len; i++)
        place_parts(p, s->u.send.args.data[i]);
    place_parts(p, s->u.send.min);
    place_parts(p, s->u.send.max);
    sir_no_more_parts(p);
    return s;
}

// "lvalue = ..."
static sir_stmt *parse_assignment(sir_parser *p)
{
    sir_token at = p->token;
    sir_expr *target = parse_postfix(p).e;
    const sir_expr *root = p->failed ? NULL : sir_lvalue_root(target);
    if (root == NULL || root->kind == SIR_GLOBAL)
        sir_parse_error(p, &at, "what is assigned is no variable");
    sir_expect_sign(p, "=");
    if (sir_accept_word(p, "call"))
        return parse_call(p, target);
    bool pop = sir_at_word(p, "pop"), random = sir_at_word(p, "random");
    sir_stmt *s = sir_stmt_new(p->module, pop ? SIR_POP : random ? SIR_RANDOM : SIR_SET, (sir_loc){0});
    s->u.set.target = target;
    if (pop || random) {
        sir_advance(p);
        end_stmt(p, s, target, NULL);
        return s;
    }
    sir_token t = p->token;
    s->u.set.value = parse_expr(p).e;
    check_type(p, &t, s->u.set.value->type, target->type, "the assigned value");
    end_stmt(p, s, target, s->u.set.value);
    return s;
}

static sir_expr *parse_condition(sir_parser *p)
{
    sir_token t = p->token;
    sir_expr *e = parse_expr(p).e;
    check_type(p, &t, e->type, p->module->scalar[SIR_BOOLEAN], "the condition");
    return e;
}

static sir_stmt *parse_if(sir_parser *p)
{
    sir_stmt *s = sir_stmt_new(p->module, SIR_IF, (sir_loc){0});
    sir_advance(p);
    s->u.if_.cond = parse_condition(p);
    sir_expect_sign(p, "{");
    end_stmt(p, s, s->u.if_.cond, NULL);
    parse_block(p, &s->u.if_.then);
    if (sir_accept_word(p, "else")) {
        sir_expect_sign(p, "{");
        sir_end_line(p);
        parse_block(p, &s->u.if_.otherwise);
    }
    sir_end_line(p);
    return s;
}

static sir_stmt *parse_for(sir_parser *p)
{
    sir_stmt *s = sir_stmt_new(p->module, SIR_FOR, (sir_loc){0});
    sir_advance(p);
    sir_token t = p->token;
    if (t.kind != TOKEN_LOCAL) {
        sir_expected(p, "a local such as '%i'");
        return s;
    }
    sir_advance(p);
    sir_expect_sign(p, "=");
    sir_token at = p->token;
    s->u.for_.lo = parse_expr(p).e;
    sir_expect_word(p, "to");
    s->u.for_.hi = parse_expr(p).e;
    const sir_type *int_type = p->module->scalar[SIR_INT];
    check_type(p, &at, s->u.for_.lo->type, int_type, "a bound");
    check_type(p, &at, s->u.for_.hi->type, int_type, "a bound");
    s->u.for_.step = 1;
    if (sir_accept_word(p, "step")) {
        sir_scalar step = {.i = 1};
        sir_parse_scalar(p, int_type, &step);
        s->u.for_.step = step.i;
        if (step.i == 0)
            sir_parse_error(p, &at, "a counted loop with step 0");
    }
    sir_expect_sign(p, "{");
    sir_end_line(p);
    if (p->failed)
        return s;
    uintptr_t known = (uintptr_t)hmap_get(&p->locals, t.text);
    if (known == 0) {
        add_local(p, t.text, int_type, false);
        known = p->function->locals.len;
    }
    s->u.for_.local = (uint32_t)(known - 1);
    s->loc = p->place;
    sir_loc local_place = sir_take_part(p);
    if (p->function->locals.data[known - 1].loc.file == 0)
        p->function->locals.data[known - 1].loc = local_place;
    place_parts(p, s->u.for_.lo);
    place_parts(p, s->u.for_.hi);
    sir_no_more_parts(p);
    parse_block(p, &s->u.for_.body);
    sir_end_line(p);
    return s;
}

// The places of a loop's condition are on the loop's first line, which may come long before it.
typedef struct saved_places {
    sir_loc place, *parts;
    size_t count;
} saved_places;

static saved_places save_places(sir_parser *p)
{
    saved_places s = {.place = p->place, .count = p->parts.len};
    s.parts = ARENA_ARRAY(p->scratch, sir_loc, s.count);
    for (size_t i = 0; i < s.count; i++)
        s.parts[i] = p->parts.data[i];
    return s;
}

static void place_condition(sir_parser *p, const saved_places *s, sir_expr *cond)
{
    p->place = s->place;
    p->parts.len = p->parts_used = 0;
    for (size_t i = 0; i < s->count; i++)
        VEC_PUSH(p->scratch, &p->parts, s->parts[i]);
    place_parts(p, cond);
    sir_no_more_parts(p);
}

static void parse_opened_block(sir_parser *p, sir_block *b)
{
    sir_expect_sign(p, "{");
    sir_end_line(p);
    parse_block(p, b);
}

// loop [pre {..}] [while cond] {..} [step {..}]
static sir_stmt *parse_loop(sir_parser *p)
{
    sir_stmt *s = sir_stmt_new(p->module, SIR_LOOP, (sir_loc){0});
    sir_advance(p);
    saved_places places = {0};
    bool pre = sir_accept_word(p, "pre");
    if (pre) {
        sir_expect_sign(p, "{");
        sir_end_line(p);
        places = save_places(p);
        parse_block(p, &s->u.loop.pre);
    }
    if (sir_accept_word(p, "while"))
        s->u.loop.cond = parse_condition(p);
    sir_expect_sign(p, "{");
    sir_end_line(p);
    if (!pre)
        places = save_places(p);
    s->loc = places.place;
    place_condition(p, &places, s->u.loop.cond);
    parse_block(p, &s->u.loop.body);
    if (sir_accept_word(p, "step"))
        parse_opened_block(p, &s->u.loop.step);
    sir_end_line(p);
    return s;
}

// do {..} [step {..}] [pre {..}] [while cond]
static sir_stmt *parse_do(sir_parser *p)
{
    sir_stmt *s = sir_stmt_new(p->module, SIR_LOOP, (sir_loc){0});
    s->u.loop.post_test = true;
    sir_advance(p);
    sir_expect_sign(p, "{");
    sir_end_line(p);
    saved_places places = save_places(p);
    s->loc = places.place;
    parse_block(p, &s->u.loop.body);
    if (sir_accept_word(p, "step"))
        parse_opened_block(p, &s->u.loop.step);
    if (sir_accept_word(p, "pre"))
        parse_opened_block(p, &s->u.loop.pre);
    if (sir_accept_word(p, "while"))
        s->u.loop.cond = parse_condition(p);
    sir_end_line(p);
    place_condition(p, &places, s->u.loop.cond);
    return s;
}

static sir_stmt *parse_print(sir_parser *p)
{
    sir_stmt *s = sir_stmt_new(p->module, SIR_PRINT, (sir_loc){0});
    sir_advance(p);
    if (p->token.kind == TOKEN_STRING) {
        char *text = ARENA_ARRAY(p->module->arena, char, p->token.len + 1);
        memcpy(text, p->token.text, p->token.len);
        s->u.print.text = text;
        s->u.print.len = p->token.len;
        sir_advance(p);
    } else {
        s->u.print.value = parse_expr(p).e;
    }
    end_stmt(p, s, s->u.print.value, NULL);
    return s;
}

static sir_stmt *parse_push(sir_parser *p)
{
    sir_stmt *s = sir_stmt_new(p->module, SIR_PUSH, (sir_loc){0});
    sir_token at = p->token;
    sir_advance(p);
    s->u.value = parse_expr(p).e;
    if (!p->failed && (p->filter == NULL || p->filter->output->kind == SIR_VOID))
        sir_parse_error(p, &at, "push where there is no output");
    else if (!p->failed)
        check_type(p, &at, s->u.value->type, p->filter->output, "the pushed item");
    end_stmt(p, s, s->u.value, NULL);
    return s;
}

// "@f1:" or "@-"; a global at the begin of an expression is never followed by a colon.
static bool at_place(const sir_parser *p)
{
    const char *s = p->text + p->token.begin;
    if (s[0] != '@')
        return false;
    size_t digits = s[1] == 'f' ? strspn(s + 2, "0123456789") : 0;
    return s[1] == '-' || (digits > 0 && s[2 + digits] == ':');
}

// A statement that is a word, with or without a value behind it.
static sir_stmt *parse_simple(sir_parser *p, sir_stmt_kind kind)
{
    sir_stmt *s = sir_stmt_new(p->module, kind, (sir_loc){0});
    sir_advance(p);
    sir_expr *value = NULL;
    bool ends = p->token.kind == TOKEN_NEWLINE || p->token.kind == TOKEN_END;
    if (kind == SIR_RETURN && !ends && !at_place(p) && !p->failed)
        s->u.value = value = parse_expr(p).e;
    end_stmt(p, s, value, NULL);
    return s;
}

static sir_stmt *parse_nested(sir_parser *p)
{
    sir_stmt *s = sir_stmt_new(p->module, SIR_BLOCK, (sir_loc){0});
    sir_advance(p);
    end_stmt(p, s, NULL, NULL);
    parse_block(p, &s->u.block);
    sir_end_line(p);
    return s;
}

static sir_stmt *parse_stmt(sir_parser *p)
{
    static const struct {
        const char *word;
        sir_stmt *(*parse)(sir_parser *);
    } forms[] = {
        {"var", parse_decl}, {"if", parse_if},     {"for", parse_for},     {"loop", parse_loop},
        {"do", parse_do},    {"push", parse_push}, {"print", parse_print}, {"send", parse_send},
    };
    static const struct {
        const char *word;
        sir_stmt_kind kind;
    } words[] = {
        {"pop", SIR_POP},       {"break", SIR_BREAK},   {"continue", SIR_CONTINUE},
        {"return", SIR_RETURN}, {"random", SIR_RANDOM},
    };
    if (p->token.kind == TOKEN_LOCAL || p->token.kind == TOKEN_FIELD || p->token.kind == TOKEN_GLOBAL)
        return parse_assignment(p);
    if (sir_at_sign(p, "{"))
        return parse_nested(p);
    if (p->token.kind != TOKEN_WORD) {
        sir_expected(p, "a statement or '}'");
        return NULL;
    }
    hmap known;
    hmap_init(&known, p->scratch);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (sir_at_word(p, forms[i].word))
            return forms[i].parse(p);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (sir_at_word(p, words[i].word))
            return parse_simple(p, words[i].kind);
    if (sir_accept_word(p, "call"))
        return parse_call(p, NULL);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        hmap_set(&known, forms[i].word, &known);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        hmap_set(&known, words[i].word, &known);
    hmap_set(&known, "call", &known);
    sir_unknown(p, &p->token, "statement", p->token.text, &known);
    return NULL;
}

// Up to and with '}'.
static void parse_block(sir_parser *p, sir_block *b)
{
    if (!enter(p))
        return;
    while (!p->failed && !sir_at_sign(p, "}")) {
        sir_stmt *s = parse_stmt(p);
        if (!p->failed)
            VEC_PUSH(p->module->arena, b, s);
    }
    sir_expect_sign(p, "}");
    leave(p);
}

// ---- Functions ----

static void parse_params(sir_parser *p, sir_function *f)
{
    sir_expect_sign(p, "(");
    while (!p->failed && !sir_at_sign(p, ")")) {
        size_t before = f->locals.len;
        sir_token t = p->token;
        uint32_t local = parse_typed_local(p);
        if (!p->failed && f->locals.len == before)
            sir_parse_error(p, &t, "two parameters are named '%s'", t.text);
        bool by_reference = sir_accept_sign(p, "&");
        if (!p->failed)
            f->locals.data[local].by_reference = by_reference;
        f->param_count = (uint32_t)f->locals.len;
        if (!sir_accept_sign(p, ","))
            break;
    }
    sir_expect_sign(p, ")");
    if (sir_accept_sign(p, "->"))
        f->result = sir_parse_type(p);
}

static sir_rate parse_rate(sir_parser *p)
{
    sir_rate r = {0};
    if (sir_accept_sign(p, "[")) {
        r.dynamic = true;
        r.min = (int64_t)sir_expect_integer(p, INT32_MAX, "a rate");
        sir_expect_sign(p, ",");
        if (sir_accept_sign(p, "*"))
            r.max = -1;
        else
            r.max = (int64_t)sir_expect_integer(p, INT32_MAX, "a rate");
        sir_expect_sign(p, "]");
    } else {
        r.min = r.max = (int64_t)sir_expect_integer(p, INT32_MAX, "a rate");
    }
    return r;
}

static void parse_rates(sir_parser *p, sir_function *f)
{
    bool peek = sir_accept_word(p, "peek");
    if (peek)
        f->peek = parse_rate(p);
    if (sir_accept_word(p, "pop"))
        f->pop = parse_rate(p);
    if (!peek)
        f->peek = f->pop;
    if (sir_accept_word(p, "push"))
        f->push = parse_rate(p);
}

static void parse_undeclared(sir_parser *p)
{
    while (sir_accept_word(p, "local")) {
        uint32_t local = parse_typed_local(p);
        sir_end_line(p);
        if (!p->failed)
            p->function->locals.data[local].loc = p->place;
    }
}

sir_function *sir_parse_function(sir_parser *p, sir_function_kind kind)
{
    sir_module *m = p->module;
    sir_function *f = ARENA_NEW(m->arena, sir_function);
    f->kind = kind;
    f->result = m->scalar[SIR_VOID];
    f->name = intern(m->names, kind == SIR_PREWORK ? "prework" : "work");
    p->function = f;
    hmap_init(&p->locals, p->scratch);
    if (kind != SIR_WORK && kind != SIR_PREWORK) {
        f->name = sir_expect_name(p, "the name of a function");
        parse_params(p, f);
    }
    parse_rates(p, f);
    if (kind != SIR_NATIVE)
        sir_expect_sign(p, "{");
    sir_end_line(p);
    f->loc = p->place;
    for (size_t i = 0; i < f->param_count; i++)
        f->locals.data[i].loc = sir_take_part(p);
    if (p->parts_used < p->parts.len) {
        f->peek.loc = sir_take_part(p);
        f->pop.loc = sir_take_part(p);
        f->push.loc = sir_take_part(p);
    }
    sir_no_more_parts(p);
    if (kind != SIR_NATIVE) {
        parse_undeclared(p);
        parse_block(p, &f->body);
        sir_end_line(p);
    }
    p->function = NULL;
    return f;
}
