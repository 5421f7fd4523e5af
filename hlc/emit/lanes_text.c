// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements and expressions on vectors, with the types and functions of svm/lanes.h. What is the same for all lanes stays
// scalar: loops, subscripts, coefficients; the other files of the room write it.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

static bool is_float(const sir_type *t)
{
    return t->kind == SIR_FLOAT;
}

static const char *kind_name(const sir_type *t)
{
    while (t->kind == SIR_ARRAY)
        t = t->element;
    return is_float(t) ? "Floats" : "Ints";
}

// "svm_loadFloats16" of "load".
static const char *function(body_context *c, const char *verb, const sir_type *t)
{
    return arena_printf(c->e->arena, "svm_%s%s%d", verb, kind_name(t), c->vectors);
}

// "svm_Floats16 x[8]".
static const char *declaration(body_context *c, uint32_t local)
{
    const sir_type *t = c->function->locals.data[local].type;
    const char *plain = emit_declare(c->e, t, c->locals[local].c_name);
    return arena_printf(c->e->arena, "svm_%s%d%s", kind_name(t), c->vectors, plain + strlen(body_type_name(c->e, t)));
}

// ---- Expressions ----

static const char *value_text(body_context *c, const sir_expr *e, int precedence);

static bool counts(const body_context *c, const sir_expr *e)
{
    if (e->kind == SIR_CONST)
        return false;
    if (e->kind == SIR_LOCAL)
        return c->locals[e->index].is_for;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (counts(c, e->u.arg[i]))
            return true;
    return false;
}

// A value that is the same for all lanes, as a scalar: of a boolean the mask.
static const char *scalar_text(body_context *c, const sir_expr *e, int precedence)
{
    if (e->type->kind == SIR_BOOLEAN && e->kind == SIR_CONST)
        return e->u.value.i ? "-1" : "0";
    if (e->type->kind == SIR_BOOLEAN)
        return arena_printf(c->e->arena, "-(int)%s", body_expr_text(c, e, PREC_UNARY));
    if (!is_float(e->type) && counts(c, e)) // 64 bits wide
        return arena_printf(c->e->arena, "(int)%s", body_expr_text(c, e, PREC_UNARY));
    return body_expr_text(c, e, precedence);
}

// As an operand that may be a scalar.
static const char *operand_text(body_context *c, const sir_expr *e, int precedence)
{
    return lanes_differ(c, e) ? value_text(c, e, precedence) : scalar_text(c, e, precedence);
}

// As a vector, also where all lanes have the same.
static const char *vector_text(body_context *c, const sir_expr *e, int precedence)
{
    if (lanes_differ(c, e))
        return value_text(c, e, precedence);
    return arena_printf(c->e->arena, "%s(%s)", function(c, "same", e->type), scalar_text(c, e, PREC_COND));
}

static const char *paren(body_context *c, const char *text, int own, int precedence)
{
    return own < precedence ? arena_printf(c->e->arena, "(%s)", text) : text;
}

static const char *choose_text(body_context *c, const sir_type *t, const char *mask, const char *a, const char *b)
{
    return arena_printf(c->e->arena, "%s(%s, %s, %s)", function(c, "choose", t), mask, a, b);
}

static const char *shift_count(body_context *c, const sir_expr *e)
{
    if (e->kind == SIR_CONST)
        return arena_printf(c->e->arena, "%" PRId64, body_const_int(e) & 31);
    return arena_printf(c->e->arena, "(%s & 31)", operand_text(c, e, PREC_UNARY));
}

static const char *binary_text(body_context *c, const sir_expr *e, int precedence)
{
    static const char *const spelling[LANG_BINARY_COUNT] = {
        [LANG_OP_ADD] = "+", [LANG_OP_SUB] = "-",  [LANG_OP_MUL] = "*", [LANG_OP_DIV] = "/",  [LANG_OP_REM] = "%",
        [LANG_OP_AND] = "&", [LANG_OP_OR] = "|",   [LANG_OP_XOR] = "^", [LANG_OP_SHL] = "<<", [LANG_OP_SHR] = ">>",
        [LANG_OP_EQ] = "==", [LANG_OP_NE] = "!=",  [LANG_OP_LT] = "<",  [LANG_OP_LE] = "<=",  [LANG_OP_GT] = ">",
        [LANG_OP_GE] = ">=", [LANG_OP_LAND] = "&", [LANG_OP_LOR] = "|",
    };
    const sir_expr *a = e->u.arg[0], *b = e->u.arg[1];
    arena *m = c->e->arena;
    c->e->stops |= emit_may_divide_by_zero(c->info != NULL ? c->info->filter : NULL, e);
    if (e->op == LANG_OP_DIV && !is_float(a->type) && b->kind != SIR_CONST)
        return arena_printf(m, "%s(%s, %s, %s)", function(c, "div", e->type), vector_text(c, a, PREC_COND),
                            vector_text(c, b, PREC_COND), body_where(c, e->loc));
    if (e->known == SIR_KNOWN_ONCE)
        return arena_printf(m, "%s(%s, %s)", function(c, "remOnce", e->type), vector_text(c, a, PREC_COND),
                            vector_text(c, b, PREC_COND));
    bool shift = e->op == LANG_OP_SHL || e->op == LANG_OP_SHR;
    bool compare = e->op >= LANG_OP_EQ && e->op <= LANG_OP_GE;
    int own = compare                                                                ? PREC_COMPARE
              : e->op == LANG_OP_MUL || e->op == LANG_OP_DIV || e->op == LANG_OP_REM ? PREC_MUL
              : e->op == LANG_OP_ADD || e->op == LANG_OP_SUB                         ? PREC_ADD
              : shift                                                                ? PREC_SHIFT
                                                                                     : PREC_BITS;
    bool plain = own == PREC_MUL || own == PREC_ADD; // others are grouped, so that no compiler asks for parentheses
    bool chain = own == PREC_BITS && a->kind == SIR_BINARY && a->op == e->op;
    const char *left = shift ? vector_text(c, a, PREC_UNARY)
                             : operand_text(c, a,
                                            plain   ? own
                                            : chain ? PREC_BITS
                                                    : PREC_UNARY);
    const char *right = shift ? shift_count(c, b) : operand_text(c, b, plain ? own + 1 : PREC_UNARY);
    const char *text = arena_printf(m, "%s %s %s", left, spelling[e->op], right);
    if (compare)
        return arena_printf(m, "SVM_MASK(%s)", text);
    return paren(c, text, own, precedence);
}

static const char *convert_text(body_context *c, const sir_expr *e, int precedence)
{
    const sir_expr *a = e->u.arg[0];
    if (is_float(a->type) == is_float(e->type))
        return value_text(c, a, precedence);
    if (e->known == SIR_KNOWN_SIZE)
        return arena_printf(c->e->arena, "%s(%s)", function(c, "abs", e->type),
                            value_text(c, a->u.arg[0]->u.arg[0], PREC_COND));
    if (e->known == SIR_KNOWN_SAME)
        return value_text(c, a->u.arg[0], precedence);
    if (is_float(a->type) && a->kind == SIR_CONVERT && a->u.arg[0]->type->kind == SIR_INT)
        return arena_printf(c->e->arena, "%s(%s)", function(c, "round", e->type),
                            value_text(c, a->u.arg[0], PREC_COND));
    const char *verb = e->known == SIR_KNOWN_FITS && c->mask == 0 ? "fit" : "to";
    return arena_printf(c->e->arena, "%s(%s)", function(c, verb, e->type), value_text(c, a, PREC_COND));
}

static const char *math_text(body_context *c, const sir_expr *e)
{
    const char *verb = lang_math_mnemonic[e->op], *name = function(c, verb, e->type);
    if (lang_math_arity[e->op] == 1)
        return arena_printf(c->e->arena, "%s(%s)", name, value_text(c, e->u.arg[0], PREC_COND));
    return arena_printf(c->e->arena, "%s(%s, %s)", name, vector_text(c, e->u.arg[0], PREC_COND),
                        vector_text(c, e->u.arg[1], PREC_COND));
}

// The element's place without brackets; peek NULL: at the present position.
static const char *element_place(body_context *c, bool input, const sir_expr *peek)
{
    strbuf b, *out = c->e->out;
    strbuf_init(&b, c->e->arena);
    c->e->out = &b;
    body_tape_index(c, input ? &c->in : &c->out, peek);
    c->e->out = out;
    return arena_strndup(c->e->arena, b.data + 1, b.len - 2);
}

static bool is_number(const char *text)
{
    return strspn(text, "0123456789") == strlen(text);
}

// The place of an item in a tile of rows of `columns`.
static const char *tile_place(body_context *c, bool input, const char *place)
{
    const body_tape *t = input ? &c->in : &c->out;
    const char *name = input ? c->in_tile : c->out_tile;
    int64_t window = input ? c->in_window : c->function->push.max;
    if (window <= t->lane_stride)
        return arena_printf(c->e->arena, "%s[%s]", name, place);
    if (!is_number(place))
        return arena_printf(c->e->arena, "&%s[(%s) %% %" PRId64 "][(%s) / %" PRId64 "]", name, place, t->lane_stride,
                            place, t->lane_stride);
    int64_t at = strtoll(place, NULL, 10);
    return arena_printf(c->e->arena, "&%s[%" PRId64 "][%" PRId64 "]", name, at % t->lane_stride, at / t->lane_stride);
}

static const char *pointer(body_context *c, const char *base, const char *place)
{
    return strcmp(place, "0") == 0 ? base : arena_printf(c->e->arena, "%s + %s", base, place);
}

static const char *load_text(body_context *c, const sir_expr *peek)
{
    const sir_type *t = c->info->filter->input;
    const char *place = element_place(c, true, peek);
    if (c->in_tile != NULL)
        return arena_printf(c->e->arena, "%s(%s)", function(c, "load", t), tile_place(c, true, place));
    if (c->in.lane_stride == 1)
        return arena_printf(c->e->arena, "%s(%s)", function(c, "load", t), pointer(c, body_named(c, BODY_IN), place));
    return arena_printf(c->e->arena, "%s(%s, %" PRId64 ")", function(c, "gather", t),
                        pointer(c, body_named(c, BODY_IN), place), c->in.lane_stride);
}

static const char *mask_named(body_context *c, uint32_t mask)
{
    body_use(c, BODY_MASK, mask);
    return arena_printf(c->e->arena, "svm_mask%" PRIu32, mask);
}

// ---- Subscripts that differ: svm_lookUpInts16(rows, stride, count, which) ----

// A vector of ints also where all lanes have the same. added: something is added to it.
static const char *subscript_text(body_context *c, const sir_expr *e, bool added)
{
    return vector_text(c, e, added ? PREC_ADD : PREC_LOWEST);
}

// The array that an element is of, as pointer to scalars; how many it has, and which of them the element is.
static const char *rows_of(body_context *c, const sir_expr *e, int64_t *count, const char **which)
{
    *count = 1;
    *which = NULL;
    for (; e->kind == SIR_INDEX; e = e->u.arg[0]) {
        const char *own = subscript_text(c, e->u.arg[1], *which == NULL && e->u.arg[0]->kind == SIR_INDEX);
        if (*which == NULL)
            *which = own;
        else
            *which = arena_printf(c->e->arena, "(%s) * %" PRId64 " + %s", own, *count, *which);
        *count *= (int64_t)e->u.arg[0]->type->length;
    }
    const sir_type *t = e->type;
    while (t->kind == SIR_ARRAY)
        t = t->element;
    if (e->kind != SIR_LOCAL)
        return arena_printf(c->e->arena, "(const %s *)%s", body_type_name(c->e, lanes_table(c, e)),
                            body_expr_text(c, e, PREC_UNARY));
    return arena_printf(c->e->arena, "(%s *)%s", is_float(t) ? "float" : "int", c->locals[e->index].c_name);
}

// Elements of tables, as they are stored, in names of functions.
static const char *const stored_names[SIR_STORAGE_COUNT] = {
    [SIR_STORED_WHOLE] = "Ints",
    [SIR_STORED_UINT8] = "Bytes",
    [SIR_STORED_INT8] = "SignedBytes",
    [SIR_STORED_INT16] = "Shorts",
};

static const char *element_text(body_context *c, const sir_expr *e)
{
    int64_t count;
    const char *which, *rows = rows_of(c, e, &count, &which);
    const sir_type *table = lanes_table(c, e);
    if (table != NULL)
        return arena_printf(c->e->arena, "svm_take%s%d(%s, %" PRId64 ", %s)",
                            is_float(table) ? "Floats" : stored_names[table->storage], c->vectors, rows, count, which);
    return arena_printf(c->e->arena, "%s(%s, svm_lanes%d, %" PRId64 ", %s)", function(c, "lookUp", e->type), rows,
                        c->vectors, count, which);
}

static void set_element(body_context *c, const sir_expr *target, const char *value)
{
    int64_t count;
    const char *which, *rows = rows_of(c, target, &count, &which);
    const char *mask =
        c->mask != 0 ? mask_named(c, c->mask) : arena_printf(c->e->arena, "svm_sameInts%d(-1)", c->vectors);
    body_line(c, "%s(%s, svm_lanes%d, %" PRId64 ", %s, %s, %s);", function(c, "set", target->type), rows, c->vectors,
              count, which, value, mask);
}

static const char *item_text(body_context *c, const sir_expr *peek)
{
    arena *m = c->e->arena;
    const sir_type *t = c->info->filter->input;
    const body_affine *at = &c->in.position;
    bool moved = at->constant != 0 || at->terms.len != 0;
    const char *which = subscript_text(c, peek->u.arg[0], moved), *base = body_named(c, BODY_IN);
    if (moved)
        which = arena_printf(m, "%s + (int)(%s)", which, body_affine_text(c, at));
    int64_t count = c->function->peek.max, stride = c->in.view.count == 0 ? 1 : c->in.view.digits[0].stride;
    if (c->in_tile == NULL && c->in.lane_stride != 1)
        return arena_printf(m, "%s(%s, %" PRId64 ", %" PRId64 ", %" PRId64 ", %s)", function(c, "fetch", t), base,
                            stride, c->in.lane_stride, count, which);
    if (c->in_tile != NULL) {
        base = arena_printf(m, "%s[0]", c->in_tile);
        stride = c->in_columns;
    }
    return arena_printf(m, "%s(%s, %" PRId64 ", %" PRId64 ", %s)", function(c, "lookUp", t), base, stride, count,
                        which);
}

static const char *value_text(body_context *c, const sir_expr *e, int precedence)
{
    arena *m = c->e->arena;
    const sir_expr *a = e->kind == SIR_CONST || sir_expr_arity(e) == 0 ? NULL : e->u.arg[0];
    const sir_expr *turned, *by;
    if ((e->kind == SIR_BINARY || e->kind == SIR_SELECT) && body_is_rotation(c, e, &turned, &by))
        return arena_printf(m, "%s(%s, %s)", function(c, "rotl", e->type), vector_text(c, turned, PREC_COND),
                            vector_text(c, by, PREC_COND));
    switch ((sir_expr_kind)e->kind) {
    case SIR_UNARY: {
        const char *op = e->op == LANG_OP_NEG ? "-" : "~", *text = value_text(c, a, PREC_UNARY);
        return paren(c, arena_printf(m, text[0] == '-' ? "%s(%s)" : "%s%s", op, text), PREC_UNARY, precedence);
    }
    case SIR_BINARY: return binary_text(c, e, precedence);
    case SIR_SELECT:
        if (!lanes_differ(c, a))
            return paren(c,
                         arena_printf(m, "%s ? %s : %s", body_expr_text(c, a, PREC_UNARY),
                                      vector_text(c, e->u.arg[1], PREC_UNARY), vector_text(c, e->u.arg[2], PREC_UNARY)),
                         PREC_COND, precedence);
        return choose_text(c, e->type, value_text(c, a, PREC_COND), vector_text(c, e->u.arg[1], PREC_COND),
                           vector_text(c, e->u.arg[2], PREC_COND));
    case SIR_CONVERT: return convert_text(c, e, precedence);
    case SIR_MATH: return math_text(c, e);
    case SIR_PEEK: return lanes_look_up(c, e) ? item_text(c, e) : load_text(c, e);
    case SIR_ITER: // lanes are firings that follow each other
        return paren(c, arena_printf(m, "svm_numberInts%d() + %s", c->vectors, body_named(c, BODY_ITER)), PREC_ADD,
                     precedence);
    case SIR_INDEX: return lanes_look_up(c, e) ? element_text(c, e) : body_expr_text(c, e, precedence);
    default: return body_expr_text(c, e, precedence); // locals
    }
}

// ---- Statements ----

static bool is_dead(const body_context *c, const sir_expr *target)
{
    return target->kind == SIR_LOCAL && c->locals[target->index].dead;
}

static bool is_vector(const body_context *c, const sir_expr *target)
{
    while (target->kind == SIR_INDEX)
        target = target->u.arg[0];
    return target->kind == SIR_LOCAL && c->locals[target->index].vector;
}

// Whether nothing is asked of a local's value for the lanes that have left the present loop.
static bool lives_here(const body_context *c, const sir_expr *target)
{
    return target->kind == SIR_LOCAL && c->mask_of != NULL && c->locals[target->index].lives_in == c->mask_of;
}

static void assign(body_context *c, const sir_stmt *s, const sir_expr *target, const char *value)
{
    if (target->kind == SIR_LOCAL && c->locals[target->index].home == s) {
        body_line(c, "%s = %s;", declaration(c, target->index), value);
        return;
    }
    if (lanes_look_up(c, target)) {
        set_element(c, target, value);
        return;
    }
    const char *name = body_expr_text(c, target, PREC_LOWEST);
    if (c->mask != 0 && !lives_here(c, target))
        value = choose_text(c, target->type, mask_named(c, c->mask), value, name);
    body_line(c, "%s = %s;", name, value);
}

// Nobody reads the value, but the program may stop in it.
static void compute_only(body_context *c, const sir_expr *value)
{
    if (body_may_trap(c, value))
        body_line(c, "(void)%s;", vector_text(c, value, PREC_UNARY));
}

static bool set(body_context *c, const sir_stmt *s)
{
    const sir_expr *target = s->u.set.target, *value = s->u.set.value;
    if (!is_vector(c, target))
        return false;
    const char *op = body_compound_operator(target, value);
    if (is_dead(c, target)) { // not declared: nor does its own update read it
        compute_only(c, op == NULL ? value : value->u.arg[1]);
        return true;
    }
    bool declares = target->kind == SIR_LOCAL && c->locals[target->index].home == s;
    if (op != NULL && !declares && (c->mask == 0 || lives_here(c, target)) && !lanes_look_up(c, target))
        body_line(c, "%s %s %s;", body_expr_text(c, target, PREC_LOWEST), op,
                  operand_text(c, value->u.arg[1], PREC_COND));
    else
        assign(c, s, target, vector_text(c, value, PREC_COND));
    return true;
}

typedef struct choice {
    uint32_t local;
    bool found;
} choice;

static void find_choice(void *context, sir_stmt *s)
{
    choice *x = context;
    x->found |= s->kind == SIR_IF &&
                (sir_sets_local(&s->u.if_.then, x->local) || sir_sets_local(&s->u.if_.otherwise, x->local));
}

// Whether some lanes get a value while others keep what they have.
static bool is_chosen(const body_context *c, uint32_t local)
{
    choice x = {.local = local};
    sir_visit_stmts(&c->function->body, find_choice, &x);
    return x.found;
}

static void zero(body_context *c, const sir_stmt *s, uint32_t local)
{
    const sir_type *t = c->function->locals.data[local].type;
    const char *name = c->locals[local].c_name;
    const bool none = s->u.decl.uninitialised && (t->kind == SIR_ARRAY || !is_chosen(c, local));
    if (c->locals[local].home == s && (t->kind == SIR_ARRAY || none))
        body_line(c, "%s;", declaration(c, local));
    if (none)
        return;
    if (t->kind == SIR_ARRAY)
        body_line(c, "memset(%s, 0, sizeof %s);", name, name);
    else
        body_line(c, "%s = %s(0);", c->locals[local].home == s ? declaration(c, local) : name, function(c, "same", t));
}

static bool decl(body_context *c, const sir_stmt *s)
{
    uint32_t local = s->u.decl.local;
    const body_local *l = &c->locals[local];
    if (!l->vector)
        return false;
    if (l->dead && s->u.decl.init != NULL)
        compute_only(c, s->u.decl.init);
    if (l->dead || l->forward != NULL)
        return true;
    const sir_expr target = {
        .kind = SIR_LOCAL, .index = local, .type = c->function->locals.data[local].type, .loc = s->loc};
    if (s->u.decl.init != NULL)
        assign(c, s, &target, vector_text(c, s->u.decl.init, PREC_COND));
    else if (l->home == s || l->declared_on_top)
        zero(c, s, local);
    return true;
}

// Rows of the tile that are turned at once: four by four are.
enum { LATE_ROWS = 4 };

typedef struct order_look {
    bool pops, peeks;
} order_look;

static void find_pop(void *context, sir_stmt *s)
{
    ((order_look *)context)->pops |= s->kind == SIR_POP;
}

static void find_peek(void *context, sir_expr *e, bool written)
{
    (void)written;
    ((order_look *)context)->peeks |= e->kind == SIR_PEEK;
}

static void find_peeks(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_peek, context);
}

static bool pop_always(const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++) {
        const sir_stmt *s = b->data[i];
        const sir_block one = {.data = (sir_stmt **)(uintptr_t)&s, .len = 1};
        int64_t trips;
        order_look l = {0};
        sir_visit_stmts(&one, find_pop, &l);
        if (!l.pops || s->kind == SIR_POP)
            continue;
        if (s->kind == SIR_BLOCK ? !pop_always(&s->u.block)
                                 : s->kind != SIR_FOR || !sir_for_trips(s, &trips) || !pop_always(&s->u.for_.body))
            return false;
    }
    return true;
}

bool lanes_pop_in_order(const body_context *c)
{
    order_look l = {0};
    const sir_function *f = c->function;
    sir_visit_stmts(&f->body, find_peeks, &l);
    return c->in_tile != NULL && !l.peeks && f->peek.max == f->pop.max && f->pop.max <= c->in.lane_stride &&
           f->pop.max % LATE_ROWS == 0 && pop_always(&f->body);
}

// The next rows of the tile, where the item that is popped is the first one's.
static void turn_rows(body_context *c)
{
    const char *place = element_place(c, true, NULL), *in = pointer(c, body_named(c, BODY_IN), place);
    bool known = is_number(place);
    if (known && strtoll(place, NULL, 10) % LATE_ROWS != 0)
        return;
    if (!known) {
        in = arena_printf(c->e->arena, "%s + (%s)", body_named(c, BODY_IN), place);
        body_line(c, "if ((%s) %% %d == 0)", place, LATE_ROWS);
    }
    body_line(c, "%ssvm_tileIn(%s[%s], %s, %d, %" PRId64 ", %" PRId64 ");", known ? "" : "    ", c->in_tile, place, in,
              LATE_ROWS, c->in_columns, c->in.lane_stride);
}

static void pop(body_context *c, const sir_stmt *s)
{
    if (c->late)
        turn_rows(c);
    const sir_expr *target = s->u.set.target;
    if (target != NULL && target->kind == SIR_LOCAL && c->locals[target->index].forward != NULL) {
        size_t uses = c->uses.len;
        c->locals[target->index].forward = load_text(c, NULL);
        c->locals[target->index].forward_uses = body_take_uses(c, uses);
    } else if (target != NULL && !is_dead(c, target)) {
        assign(c, s, target, load_text(c, NULL));
    }
    body_advance(c, true);
}

// Writes the item at a place among those of a firing.
static void store(body_context *c, const char *place, const char *value)
{
    const sir_type *t = c->info->filter->output;
    const char *at, *stride = "";
    if (c->vectors > 0 && c->out_tile != NULL)
        at = tile_place(c, false, place);
    else
        at = pointer(c, body_named(c, BODY_OUT), place);
    bool apart = c->out_tile == NULL && c->out.lane_stride != 1;
    if (apart)
        stride = arena_printf(c->e->arena, ", %" PRId64, c->out.lane_stride);
    // The branch before pushed the item of all lanes.
    if (c->mask != 0 && !c->first_branch)
        value =
            choose_text(c, t, mask_named(c, c->mask), value,
                        arena_printf(c->e->arena, "%s(%s%s)", function(c, apart ? "gather" : "load", t), at, stride));
    body_line(c, "%s(%s%s, %s);", function(c, apart ? "scatter" : "store", t), at, stride, value);
}

static void push(body_context *c, const sir_stmt *s)
{
    const char *value = vector_text(c, s->u.value, PREC_COND);
    store(c, element_place(c, false, NULL), value);
    body_advance(c, false);
}

void lanes_store(body_context *c, const sir_expr *index, const sir_expr *value)
{
    const char *text = vector_text(c, value, PREC_COND), *place = body_placed_index(c, index);
    store(c, arena_strndup(c->e->arena, place + 1, strlen(place) - 2), text);
}

static void declare_mask(body_context *c, uint32_t mask, const char *value)
{
    body_line(c, "const svm_Ints%d %s = %s;", c->vectors, mask_named(c, mask), value);
}

// Statements for the lanes of a mask, which those that need it name.
static const char *branch_text(body_context *c, const sir_block *b, uint32_t mask, bool first)
{
    uint32_t outer = c->mask;
    const sir_stmt *outer_of = c->mask_of;
    bool outer_first = c->first_branch;
    strbuf text, *out = c->e->out;
    strbuf_init(&text, c->e->arena);
    c->e->out = &text;
    c->first_branch = first && (outer == 0 || outer_first);
    c->mask = mask;
    c->mask_of = NULL;
    body_block(c, b);
    c->mask = outer;
    c->mask_of = outer_of;
    c->first_branch = outer_first;
    c->e->out = out;
    return text.len == 0 ? "" : text.data;
}

static const char *and_outer(body_context *c, const char *cond)
{
    return c->mask == 0 ? cond : arena_printf(c->e->arena, "%s & %s", mask_named(c, c->mask), cond);
}

static const char *condition_text(body_context *c, const lanes_parts *parts, size_t first)
{
    const char *cond = operand_text(c, parts->data[first], PREC_UNARY);
    for (size_t i = first + 1; i < parts->len; i++)
        cond = arena_printf(c->e->arena, i + 1 == parts->len ? "(%s & %s)" : "%s & %s", cond,
                            operand_text(c, parts->data[i], PREC_UNARY));
    return cond;
}

// Trips of loops from which a branch is left out where no lane takes it.
enum { LONG_BRANCH = 256 };

static int64_t trips_in(const sir_block *b)
{
    int64_t all = 0;
    for (size_t i = 0; i < b->len && all < LONG_BRANCH; i++) {
        sir_parts parts = sir_stmt_parts(b->data[i]);
        int64_t trips = 1, inside = b->data[i]->kind == SIR_FOR;
        if (inside != 0 && !sir_for_trips(b->data[i], &trips))
            trips = LONG_BRANCH;
        for (uint8_t k = 0; k < parts.block_count; k++)
            inside += trips_in(parts.block[k]);
        all += trips < LONG_BRANCH ? trips * inside : inside * LONG_BRANCH;
    }
    return all;
}

// As branch_text; a branch of much work, which may never be taken, only where some lane takes it.
static const char *whole_branch(body_context *c, const sir_block *b, uint32_t mask, bool first)
{
    if (trips_in(b) < LONG_BRANCH)
        return branch_text(c, b, mask, first);
    c->indent++;
    const char *text = branch_text(c, b, mask, first);
    c->indent--;
    return *text == '\0' ? text
                         : arena_printf(c->e->arena, "%*sif (svm_anyInts%d(%s)) {\n%s%*s}\n", 4 * c->indent, "",
                                        c->vectors, mask_named(c, mask), text, 4 * c->indent, "");
}

// Both branches are done, one after the other, each for its lanes.
static void both_branches(body_context *c, const sir_stmt *s, const lanes_parts *parts, size_t first)
{
    body_affine in = c->in.position, out = c->out.position;
    size_t uses = c->uses.len;
    const char *cond = condition_text(c, parts, first);
    body_use_list cond_uses = body_take_uses(c, uses);
    uint32_t mask = c->mask == 0 ? 0 : ++c->masks, either = ++c->masks, others = ++c->masks;
    c->indent++;
    const char *then = whole_branch(c, &s->u.if_.then, mask == 0 ? either : mask, true), *otherwise = "";
    if (s->u.if_.otherwise.len != 0) {
        c->in.position.constant = in.constant;
        c->out.position.constant = out.constant;
        c->indent++;
        otherwise = whole_branch(c, &s->u.if_.otherwise, others, false);
        c->indent--;
    }
    bool of_then = mask != 0 && body_uses(c, BODY_MASK, mask), of_otherwise = body_uses(c, BODY_MASK, others);
    if (of_then || of_otherwise || body_uses(c, BODY_MASK, either)) {
        declare_mask(c, either, cond);
        body_give_uses(c, &cond_uses);
    }
    if (of_then)
        declare_mask(c, mask, and_outer(c, mask_named(c, either)));
    strbuf_add(c->e->out, then);
    if (*otherwise != '\0') { // what the first branch declares has its names
        body_line(c, "{");
        c->indent++;
        if (of_otherwise)
            declare_mask(c, others, and_outer(c, arena_printf(c->e->arena, "~%s", mask_named(c, either))));
        strbuf_add(c->e->out, otherwise);
        c->indent--;
        body_line(c, "}");
    }
    c->indent--;
}

static bool if_(body_context *c, const sir_stmt *s)
{
    if (!lanes_differ(c, s->u.if_.cond))
        return false;
    size_t first;
    lanes_parts parts = lanes_condition(c, s, &first);
    for (size_t i = 0; i < first; i++)
        body_line(c, i == 0 ? "if (%s%s" : "    && %s%s", body_expr_text(c, parts.data[i], PREC_EQUAL),
                  i + 1 == first ? ") {" : "");
    if (first == 0)
        body_line(c, "{");
    both_branches(c, s, &parts, first);
    body_line(c, "}");
    return true;
}

static void leave_unless(body_context *c, const lanes_parts *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        body_line(c, "if (!%s)", body_expr_text(c, parts->data[i], PREC_UNARY));
        body_line(c, "    break;");
    }
}

static void stay_while(body_context *c, const sir_stmt *s, const char *mask)
{
    size_t first;
    body_block(c, &s->u.loop.pre);
    lanes_parts parts = lanes_condition(c, s, &first);
    leave_unless(c, &parts, first);
    body_line(c, "%s &= %s;", mask, condition_text(c, &parts, first));
    body_line(c, "if (!svm_anyInts%d(%s))", c->vectors, mask);
    body_line(c, "    break;");
}

// A loop that ends for one lane before it ends for another: until it has for all.
static bool loop(body_context *c, const sir_stmt *s)
{
    if (!lanes_differ(c, s->u.loop.cond))
        return false;
    uint32_t outer = c->mask, own = ++c->masks;
    const char *mask = mask_named(c, own);
    const sir_stmt *outer_of = c->mask_of;
    bool outer_first = c->first_branch;
    body_line(c, "{");
    c->indent++;
    body_line(c, "svm_Ints%d %s = %s;", c->vectors, mask,
              outer != 0 ? mask_named(c, outer) : arena_printf(c->e->arena, "svm_sameInts%d(-1)", c->vectors));
    c->mask = own;
    c->mask_of = s;
    c->first_branch = false;
    if (outer != 0)
        body_line(c, "while (svm_anyInts%d(%s)) {", c->vectors, mask);
    else
        body_line(c, "for (;;) {");
    c->indent++;
    if (!s->u.loop.post_test)
        stay_while(c, s, mask);
    body_block(c, &s->u.loop.body); // whose variables the step may name
    if (s->u.loop.post_test)
        stay_while(c, s, mask);
    body_block(c, &s->u.loop.step);
    c->indent--;
    body_line(c, "}");
    c->indent--;
    body_line(c, "}");
    c->mask = outer;
    c->mask_of = outer_of;
    c->first_branch = outer_first;
    return true;
}

bool lanes_stmt(body_context *c, const sir_stmt *s)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_SET: return set(c, s);
    case SIR_DECL: return decl(c, s);
    case SIR_POP: pop(c, s); return true;
    case SIR_PUSH: push(c, s); return true;
    case SIR_IF: return if_(c, s);
    case SIR_LOOP: return loop(c, s);
    default: return false;
    }
}

// ---- Around them ----

void lanes_declare_top(body_context *c, uint32_t local)
{
    const sir_type *t = c->function->locals.data[local].type;
    const char *name = c->locals[local].c_name;
    if (c->locals[local].forward != NULL || !c->locals[local].declared_on_top)
        return;
    if (t->kind != SIR_ARRAY) {
        body_line(c, "%s = %s(0);", declaration(c, local), function(c, "same", t));
        return;
    }
    body_line(c, "%s;", declaration(c, local));
    body_line(c, "memset(%s, 0, sizeof %s);", name, name);
}

void lanes_begin(body_context *c)
{
    if (c->vectors > 0 && c->in_tile != NULL) {
        int64_t stride = c->in.lane_stride, rows = c->in_window < stride ? c->in_window : stride;
        body_line(c, "%s %s[%" PRId64 "][%" PRId64 "];", body_type_name(c->e, c->info->filter->input), c->in_tile, rows,
                  c->in_columns);
        int64_t last = (c->in_window - 1) % stride + 1; // rows of the last column
        const char *in = body_named(c, BODY_IN);
        if (c->late)
            ;
        else if (last >= rows)
            body_line(c, "svm_tileIn(%s, %s, %" PRId64 ", %" PRId64 ", %" PRId64 ");", c->in_tile, in, rows,
                      c->in_columns, stride);
        else
            body_line(c, "svm_tileInPart(%s, %s, %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ");", c->in_tile, in,
                      rows, c->in_columns, stride, last);
    }
    if (c->vectors > 0 && c->out_tile != NULL)
        body_line(c, "%s %s[%" PRId64 "][%d];", body_type_name(c->e, c->info->filter->output), c->out_tile,
                  c->function->push.max, c->vectors);
}

void lanes_end(body_context *c)
{
    if (c->vectors > 0 && c->out_tile != NULL)
        body_line(c, "svm_tileOut(%s, %s, %" PRId64 ", %d, %" PRId64 ");", body_named(c, BODY_OUT), c->out_tile,
                  c->function->push.max, c->vectors, c->out.lane_stride);
}
