// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions in C.
//
// NOTE(index arithmetic). Loop variables are ptrdiff_t: with -fwrapv, int ones keep clang from vectorising (a factor of 10, measured). An int expression over them is computed
// in 64 bits, where it cannot wrap; its interval is tracked, and where it may leave int's range a cast wraps it as the language says. So both agree on every input.
#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

#include <inttypes.h>
#include <string.h>

#define INT_LO ((int64_t)INT32_MIN)
#define INT_HI ((int64_t)INT32_MAX)
static const body_interval whole_int = {INT32_MIN, INT32_MAX};

// What printing an expression tells about it.
typedef struct expr_info {
    bool wide;           // the C expression has type ptrdiff_t
    body_interval range; // of an int expression; within int's
} expr_info;

static expr_info print(body_context *c, const sir_expr *e, int precedence);

// ---- Affine forms ----

void body_affine_add(body_context *c, body_affine *a, uint32_t local, int64_t coefficient)
{
    for (size_t i = 0; i < a->terms.len; i++) {
        if (a->terms.data[i].local != local)
            continue;
        a->terms.data[i].coefficient += coefficient;
        if (a->terms.data[i].coefficient == 0) {
            memmove(&a->terms.data[i], &a->terms.data[i + 1], (a->terms.len - i - 1) * sizeof(body_term));
            a->terms.len--;
        }
        return;
    }
    if (coefficient != 0)
        VEC_PUSH(c->e->arena, &a->terms, (body_term){local, coefficient});
}

static void affine_sum(body_context *c, body_affine *a, const body_affine *b, int64_t factor)
{
    a->constant += b->constant * factor;
    for (size_t i = 0; i < b->terms.len; i++)
        body_affine_add(c, a, b->terms.data[i].local, b->terms.data[i].coefficient * factor);
}

int64_t body_const_int(const sir_expr *e)
{
    return e->u.value.i;
}

bool body_may_trap(const body_context *c, const sir_expr *e)
{
    if (e == NULL)
        return false;
    if (e->kind == SIR_PEEK && c->dynamic)
        return true;
    if (body_is_checked(c, e))
        return true;
    bool integer = e->type->kind == SIR_INT || e->type->kind == SIR_BIT;
    if (e->kind == SIR_BINARY && integer && (e->op == LANG_OP_DIV || e->op == LANG_OP_REM) &&
        (e->u.arg[1]->kind != SIR_CONST || body_const_int(e->u.arg[1]) == 0))
        return true;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (body_may_trap(c, e->u.arg[i]))
            return true;
    return false;
}

#define AFFINE_LIMIT (INT64_C(1) << 31)

body_interval body_affine_range(const body_context *c, const body_affine *a)
{
    body_interval r = {a->constant, a->constant};
    for (size_t i = 0; i < a->terms.len; i++) {
        body_interval v = c->locals[a->terms.data[i].local].range;
        int64_t k = a->terms.data[i].coefficient;
        r.lo += k > 0 ? k * v.lo : k * v.hi;
        r.hi += k > 0 ? k * v.hi : k * v.lo;
    }
    return r;
}

// Gives up (false) where the value could leave int's range: there the language wraps and an affine form does not.
bool body_affine_of(body_context *c, const sir_expr *e, body_affine *result)
{
    *result = (body_affine){0};
    if (e->kind == SIR_CONST) {
        result->constant = body_const_int(e);
        return true;
    }
    if (e->kind == SIR_LOCAL && c->locals[e->index].is_for) {
        body_affine_add(c, result, e->index, 1);
        return true;
    }
    if (e->kind == SIR_UNARY && e->op == LANG_OP_NEG) {
        body_affine a;
        if (!body_affine_of(c, e->u.arg[0], &a))
            return false;
        affine_sum(c, result, &a, -1);
    } else if (e->kind == SIR_BINARY && (e->op == LANG_OP_ADD || e->op == LANG_OP_SUB || e->op == LANG_OP_MUL)) {
        body_affine a, b;
        if (!body_affine_of(c, e->u.arg[0], &a) || !body_affine_of(c, e->u.arg[1], &b))
            return false;
        if (e->op != LANG_OP_MUL) {
            affine_sum(c, result, &a, 1);
            affine_sum(c, result, &b, e->op == LANG_OP_ADD ? 1 : -1);
        } else if (a.terms.len == 0) {
            affine_sum(c, result, &b, a.constant);
        } else if (b.terms.len == 0) {
            affine_sum(c, result, &a, b.constant);
        } else {
            return false;
        }
    } else {
        return false;
    }
    for (size_t i = 0; i < result->terms.len; i++)
        if (result->terms.data[i].coefficient > AFFINE_LIMIT || result->terms.data[i].coefficient < -AFFINE_LIMIT)
            return false;
    body_interval r = body_affine_range(c, result);
    return r.lo >= INT_LO && r.hi <= INT_HI;
}

static void print_affine(body_context *c, const body_affine *a, int precedence)
{
    strbuf *out = c->e->out;
    size_t parts = a->terms.len + (a->constant != 0);
    bool paren = parts > 1 && precedence > PREC_ADD;
    if (paren)
        strbuf_addc(out, '(');
    bool first = true;
    for (size_t i = 0; i < a->terms.len; i++) {
        int64_t k = a->terms.data[i].coefficient;
        if (!first)
            strbuf_add(out, k < 0 ? " - " : " + ");
        else if (k < 0)
            strbuf_addc(out, '-');
        int64_t magnitude = k < 0 ? -k : k;
        if (magnitude != 1)
            strbuf_printf(out, "%" PRId64 " * ", magnitude);
        strbuf_add(out, body_local_named(c, a->terms.data[i].local));
        first = false;
    }
    if (first)
        strbuf_printf(out, "%" PRId64, a->constant);
    else if (a->constant != 0)
        strbuf_printf(out, " %c %" PRId64, a->constant < 0 ? '-' : '+', a->constant < 0 ? -a->constant : a->constant);
    if (paren)
        strbuf_addc(out, ')');
}

// ---- Tapes ----

// Splits a into high * radix + low where low certainly lies in 0 .. radix - 1.
static bool affine_split(body_context *c, const body_affine *a, int64_t radix, body_affine *high, body_affine *low)
{
    *high = *low = (body_affine){0};
    int64_t rest = ((a->constant % radix) + radix) % radix;
    high->constant = (a->constant - rest) / radix;
    low->constant = rest;
    for (size_t i = 0; i < a->terms.len; i++) {
        body_term t = a->terms.data[i];
        if (t.coefficient % radix == 0)
            body_affine_add(c, high, t.local, t.coefficient / radix);
        else
            body_affine_add(c, low, t.local, t.coefficient);
    }
    body_interval r = body_affine_range(c, low);
    return r.lo >= 0 && r.hi < radix;
}

static bool print_affine_view(body_context *c, emit_view view, const body_affine *position, int64_t lane_stride)
{
    body_affine total = {0}, rest = *position;
    for (size_t d = 0; d < view.count; d++) {
        body_affine high = {0}, low = rest;
        if (view.digits[d].radix != 0 && !affine_split(c, &rest, view.digits[d].radix, &high, &low))
            return false;
        affine_sum(c, &total, &low, view.digits[d].stride);
        rest = high;
    }
    if (lane_stride != 0)
        body_affine_add(c, &total, c->lane, lane_stride);
    print_affine(c, &total, PREC_LOWEST);
    return true;
}

// The general form: digits by division; index is C text without side effects, bound tightly enough for * and %.
static void print_divided_view(strbuf *out, emit_view view, const char *index)
{
    int64_t divisor = 1;
    for (size_t d = 0; d < view.count; d++) {
        if (d > 0)
            strbuf_add(out, " + ");
        if (divisor == 1)
            strbuf_add(out, index);
        else
            strbuf_printf(out, "%s / %" PRId64, index, divisor);
        if (view.digits[d].radix != 0) {
            strbuf_printf(out, " %% %" PRId64, view.digits[d].radix);
            divisor *= view.digits[d].radix;
        }
        if (view.digits[d].stride != 1)
            strbuf_printf(out, " * %" PRId64, view.digits[d].stride);
    }
}

const char *body_affine_text(body_context *c, const body_affine *a)
{
    strbuf text, *out = c->e->out;
    strbuf_init(&text, c->e->arena);
    c->e->out = &text;
    print_affine(c, a, PREC_LOWEST);
    c->e->out = out;
    return text.data;
}

// Whether an item peeked at is surely within the window.
static bool is_within_window(body_context *c, const body_affine *position, bool affine, body_interval offset)
{
    const sir_function *f = c->function;
    if (!c->in.affine || f->kind == SIR_HELPER || offset.lo < 0)
        return false;
    body_interval at = body_affine_range(c, &c->in.position);
    if (at.hi + offset.hi < f->peek.max)
        return true;
    return affine && body_affine_range(c, position).hi < f->peek.max;
}

bool body_surely_there(body_context *c, const sir_expr *peek)
{
    body_affine position = {0}, offset = {0};
    if (!c->in.affine || !body_affine_of(c, peek->u.arg[0], &offset))
        return false;
    affine_sum(c, &position, &c->in.position, 1);
    affine_sum(c, &position, &offset, 1);
    body_interval at = body_affine_range(c, &position);
    return at.lo >= 0 && at.hi < c->function->peek.max;
}

const char *body_counter(body_context *c, bool input)
{
    const char *name = body_named(c, input ? BODY_IN_COUNT : BODY_OUT_COUNT);
    return c->function->kind == SIR_HELPER ? arena_printf(c->e->arena, "*%s", name) : name;
}

static void print_checked_index(body_context *c, const body_tape *tape, const char *checked)
{
    strbuf *out = c->e->out;
    if (!tape->affine)
        strbuf_printf(out, "%s + ", body_counter(c, tape == &c->in));
    else if (tape->position.terms.len > 0 || tape->position.constant != 0)
        strbuf_printf(out, "%s + ", body_affine_text(c, &tape->position));
    strbuf_add(out, checked);
}

static void print_index_text(body_context *c, const body_tape *tape, const sir_expr *offset)
{
    strbuf *out = c->e->out;
    if (!tape->affine)
        strbuf_add(out, body_counter(c, tape == &c->in));
    else if (tape->position.terms.len > 0 || tape->position.constant != 0 || offset == NULL)
        print_affine(c, &tape->position, PREC_ADD);
    if (offset == NULL || (!tape->affine && offset->kind == SIR_CONST && body_const_int(offset) == 0))
        return;
    if (!tape->affine || tape->position.terms.len > 0 || tape->position.constant != 0)
        strbuf_add(out, " + ");
    print(c, offset, PREC_ADD + 1);
}

void body_tape_index(body_context *c, body_tape *tape, const sir_expr *peek)
{
    strbuf *out = c->e->out;
    strbuf_addc(out, '[');
    const sir_expr *offset = peek == NULL ? NULL : peek->u.arg[0];
    body_affine position = {0}, extra = {0};
    bool affine = tape->affine && (offset == NULL || body_affine_of(c, offset, &extra));
    if (affine) {
        affine_sum(c, &position, &tape->position, 1);
        affine_sum(c, &position, &extra, 1);
    }
    const char *checked = NULL;
    bool open = body_is_checked(c, peek);
    if (peek != NULL && open) {
        body_spot start = body_here(c);
        body_interval range = print(c, offset, PREC_COND).range;
        if (affine)
            range = body_affine_range(c, &extra);
        if (!is_within_window(c, &position, affine, range)) {
            checked = body_checked_offset(c, peek, arena_strdup(c->e->arena, out->data + start.text));
            body_forget_text(c, start.text);
        } else {
            body_forget(c, start);
        }
        affine = affine && checked == NULL;
    }
    int64_t lane_stride = c->lanes > 0 ? tape->lane_stride : 0;
    bool done = false;
    if (tape->view.count == 0 && checked != NULL) {
        print_checked_index(c, tape, checked);
    } else if (tape->view.count == 0 && affine) {
        if (lane_stride != 0)
            body_affine_add(c, &position, c->lane, lane_stride);
        print_affine(c, &position, PREC_LOWEST);
        done = true;
    } else if (tape->view.count == 0) {
        print_index_text(c, tape, offset);
    } else if (affine && print_affine_view(c, tape->view, &position, lane_stride)) {
        done = true;
    } else {
        size_t start = out->len;
        if (checked != NULL)
            print_checked_index(c, tape, checked);
        else
            print_index_text(c, tape, offset);
        const char *index = arena_printf(c->e->arena, "(%s)", out->data + start);
        body_forget_text(c, start);
        print_divided_view(out, tape->view, index);
    }
    if (!done && lane_stride != 0)
        strbuf_printf(out, " + %" PRId64 " * %s", lane_stride, c->locals[c->lane].c_name);
    strbuf_addc(out, ']');
}

// ---- Expressions ----

static void insert(strbuf *out, size_t at, const char *text)
{
    size_t n = strlen(text), tail = out->len - at;
    strbuf_pad(out, ' ', n);
    memmove(out->data + at + n, out->data + at, tail);
    memcpy(out->data + at, text, n);
}

static bool is_int(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BIT;
}

// Prints with parentheses when the operator binds less tightly than its surroundings ask.
static size_t open(strbuf *out, int own, int precedence)
{
    if (own < precedence)
        strbuf_addc(out, '(');
    return out->len;
}

static void close(strbuf *out, int own, int precedence)
{
    if (own < precedence)
        strbuf_addc(out, ')');
}

static const char *const binary_c[LANG_BINARY_COUNT] = {
    [LANG_OP_ADD] = "+", [LANG_OP_SUB] = "-",   [LANG_OP_MUL] = "*",  [LANG_OP_DIV] = "/",  [LANG_OP_REM] = "%",
    [LANG_OP_AND] = "&", [LANG_OP_OR] = "|",    [LANG_OP_XOR] = "^",  [LANG_OP_SHL] = "<<", [LANG_OP_SHR] = ">>",
    [LANG_OP_EQ] = "==", [LANG_OP_NE] = "!=",   [LANG_OP_LT] = "<",   [LANG_OP_LE] = "<=",  [LANG_OP_GT] = ">",
    [LANG_OP_GE] = ">=", [LANG_OP_LAND] = "&&", [LANG_OP_LOR] = "||",
};

static int binary_precedence(int op)
{
    switch (op) {
    case LANG_OP_MUL:
    case LANG_OP_DIV:
    case LANG_OP_REM: return PREC_MUL;
    case LANG_OP_ADD:
    case LANG_OP_SUB: return PREC_ADD;
    case LANG_OP_SHL:
    case LANG_OP_SHR: return PREC_SHIFT;
    case LANG_OP_LT:
    case LANG_OP_LE:
    case LANG_OP_GT:
    case LANG_OP_GE: return PREC_COMPARE;
    case LANG_OP_EQ:
    case LANG_OP_NE: return PREC_EQUAL;
    case LANG_OP_LAND: return PREC_LAND;
    case LANG_OP_LOR: return PREC_LOR;
    default: return PREC_BITS;
    }
}

// What the operands of an operator must bind like, so that no compiler asks for parentheses: operators of different families are always grouped explicitly.
static void operand_precedences(int op, int *left, int *right)
{
    int own = binary_precedence(op);
    switch (own) {
    case PREC_MUL:
    case PREC_ADD:
        *left = own;
        *right = own + 1;
        break;
    case PREC_LAND:
    case PREC_LOR:
        *left = own == PREC_LOR ? PREC_EQUAL : PREC_LAND;
        *right = PREC_EQUAL;
        break;
    case PREC_SHIFT: *left = *right = PREC_UNARY; break;
    case PREC_COMPARE:
    case PREC_EQUAL: *left = *right = PREC_SHIFT; break;
    default: // & | ^
        *left = *right = PREC_UNARY;
        break;
    }
}

// An int expression whose C form is wide is wrapped when its value may leave int's range.
static expr_info finish_int(body_context *c, size_t start, bool wide, body_interval range)
{
    if (range.lo >= INT_LO && range.hi <= INT_HI)
        return (expr_info){wide, range};
    if (wide) {
        insert(c->e->out, start, "(int)(");
        strbuf_addc(c->e->out, ')');
    }
    return (expr_info){false, whole_int};
}

// where: of the operation that may stop the program; NULL: it cannot.
static expr_info print_call2(body_context *c, const char *function, const sir_expr *a, const sir_expr *b,
                             const sir_loc *where)
{
    strbuf *out = c->e->out;
    strbuf_printf(out, "%s(", function);
    print(c, a, PREC_COND);
    if (b != NULL) {
        strbuf_add(out, ", ");
        print(c, b, PREC_COND);
    }
    if (where != NULL)
        strbuf_printf(out, ", %s", body_where(c, *where));
    strbuf_addc(out, ')');
    return (expr_info){false, whole_int};
}

static const char *const complex_binary[LANG_BINARY_COUNT] = {
    [LANG_OP_ADD] = "svm_cadd", [LANG_OP_SUB] = "svm_csub", [LANG_OP_MUL] = "svm_cmul",
    [LANG_OP_DIV] = "svm_cdiv", [LANG_OP_EQ] = "svm_ceq",   [LANG_OP_NE] = "!svm_ceq",
};

static bool is_const_between(const sir_expr *e, int64_t lo, int64_t hi)
{
    return e->kind == SIR_CONST && body_const_int(e) >= lo && body_const_int(e) <= hi;
}

// Operations on int that C leaves open, unless an operand shows that nothing is.
static const char *int_helper(body_context *c, const sir_expr *e)
{
    const sir_expr *b = e->u.arg[1];
    bool divides = e->op == LANG_OP_DIV || e->op == LANG_OP_REM;
    if (divides && (is_const_between(b, 1, INT32_MAX) || is_const_between(b, INT32_MIN, -2) || body_divides_well(c, b)))
        return NULL;
    switch (e->op) {
    case LANG_OP_DIV: return "svm_idiv";
    case LANG_OP_REM: return "svm_irem";
    case LANG_OP_SHL: return is_const_between(b, 0, 31) ? NULL : "svm_shl";
    case LANG_OP_SHR: return is_const_between(b, 0, 31) ? NULL : "svm_shr";
    default: return NULL;
    }
}

static bool has_loop_variable(const body_context *c, const sir_expr *e)
{
    if (e->kind == SIR_LOCAL)
        return c->locals[e->index].is_for;
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        if (has_loop_variable(c, e->u.arg[i]))
            return true;
    return false;
}

// A division of which it is known that the number is not below zero (hlc/ir/narrow.c, NOTE(divided)); NULL: it is none. C compilers
// see by themselves what a loop's variable is.
static const char *known_division(const body_context *c, const sir_expr *e)
{
    if (e->known == SIR_KNOWN_NOTHING || c->e->keep_names || has_loop_variable(c, e->u.arg[0]))
        return NULL;
    if (e->known == SIR_KNOWN_ONCE)
        return "svm_iremOnce";
    return e->op == LANG_OP_DIV ? "svm_idivUp" : "svm_iremUp";
}

static void print_int(body_context *c, const sir_expr *e)
{
    size_t start = c->e->out->len;
    if (print(c, e, PREC_UNARY).wide)
        insert(c->e->out, start, "(int)");
}

static expr_info print_quotient(body_context *c, const sir_expr *e, int precedence)
{
    strbuf *out = c->e->out;
    const char *inverse = e->op == LANG_OP_DIV ? body_inverse_text(c, e->u.arg[1]) : NULL;
    int own = inverse != NULL ? PREC_UNARY : PREC_MUL;
    (void)open(out, own, precedence);
    strbuf_add(out, inverse != NULL ? "(int)((double)" : "");
    print_int(c, e->u.arg[0]);
    if (inverse != NULL)
        strbuf_printf(out, " * %s)", inverse);
    else
        strbuf_printf(out, " %s %s", binary_c[e->op], body_expr_text(c, e->u.arg[1], PREC_UNARY));
    close(out, own, precedence);
    return (expr_info){false, whole_int};
}

// Before it wraps. A shift to the left by a constant is a product: a wide one keeps the bits that an int loses.
static body_interval binary_range(const sir_expr *e, body_interval a, body_interval b)
{
    if (e->op != LANG_OP_SHL)
        return sir_interval_binary((lang_binary_op)e->op, a, b);
    int64_t factor = INT64_C(1) << body_const_int(e->u.arg[1]);
    return sir_interval_binary(LANG_OP_MUL, a, (body_interval){factor, factor});
}

static expr_info print_binary(body_context *c, const sir_expr *e, int precedence)
{
    strbuf *out = c->e->out;
    const sir_expr *a = e->u.arg[0], *b = e->u.arg[1];
    const sir_expr *turned, *by;
    if (a->type->kind == SIR_COMPLEX)
        return print_call2(c, complex_binary[e->op], a, b, NULL);
    if (body_is_rotation(c, e, &turned, &by))
        return print_call2(c, "svm_rotl", turned, by, NULL);
    bool ints = is_int(a->type);
    const char *helper = known_division(c, e);
    if (helper != NULL)
        return print_call2(c, helper, a, b, NULL);
    helper = ints ? int_helper(c, e) : NULL;
    c->e->stops |= helper != NULL && emit_may_divide_by_zero(c->info != NULL ? c->info->filter : NULL, e);
    if (helper != NULL)
        return print_call2(c, helper, a, b, e->op == LANG_OP_DIV || e->op == LANG_OP_REM ? &e->loc : NULL);
    if (ints && (e->op == LANG_OP_DIV || e->op == LANG_OP_REM) && b->kind != SIR_CONST)
        return print_quotient(c, e, precedence);
    const bool both = body_both_sides(c, e);
    const int op = !both ? e->op : e->op == LANG_OP_LAND ? LANG_OP_AND : LANG_OP_OR;
    int own = binary_precedence(op), left, right;
    operand_precedences(op, &left, &right);
    if (own == PREC_BITS && a->kind == SIR_BINARY && a->op == e->op) // a ^ b ^ c
        left = PREC_BITS;
    size_t start = open(out, own, precedence);
    expr_info ia = print(c, a, left);
    strbuf_printf(out, " %s ", binary_c[op]);
    expr_info ib = print(c, b, right);
    expr_info info = {false, whole_int};
    if (ints && is_int(e->type))
        info = finish_int(c, start, ia.wide || ib.wide, binary_range(e, ia.range, ib.range));
    close(out, own, precedence);
    return info;
}

static expr_info print_unary(body_context *c, const sir_expr *e, int precedence)
{
    strbuf *out = c->e->out;
    const sir_expr *a = e->u.arg[0];
    if (a->type->kind == SIR_COMPLEX)
        return print_call2(c, "svm_cneg", a, NULL, NULL);
    size_t start = open(out, PREC_UNARY, precedence);
    strbuf_addc(out, e->op == LANG_OP_NEG ? '-' : e->op == LANG_OP_NOT ? '!' : '~');
    size_t operand = out->len;
    expr_info ia = print(c, a, PREC_UNARY);
    if (out->data[operand] == '-') { // not "--x"
        insert(out, operand, "(");
        strbuf_addc(out, ')');
    }
    expr_info info = {false, whole_int};
    if (is_int(e->type))
        info = finish_int(c, start, ia.wide,
                          e->op == LANG_OP_NEG ? (body_interval){-ia.range.hi, -ia.range.lo}
                                               : (body_interval){~ia.range.hi, ~ia.range.lo});
    close(out, PREC_UNARY, precedence);
    return info;
}

// Whether an int becomes a float and an int again, in whose range it stays: a place of a firing, which is so large at most.
static bool is_place_and_back(const body_context *c, const sir_expr *e)
{
    const sir_expr *place = e->kind == SIR_CONVERT && e->type->kind == SIR_FLOAT ? e->u.arg[0] : NULL;
    if (place == NULL || c->info == NULL || !c->info->filter->finite)
        return false;
    if (c->info->lanes > 0 && place->kind == SIR_BINARY && place->op == LANG_OP_ADD &&
        place->u.arg[1]->kind == SIR_LOCAL && place->u.arg[1]->index == c->info->lane)
        place = place->u.arg[0];
    return place->kind == SIR_FIELD && c->info->filter->fields.data[place->index].role == SIR_COORDINATE;
}

static expr_info print_convert(body_context *c, const sir_expr *e, int precedence)
{
    strbuf *out = c->e->out;
    const sir_expr *a = e->u.arg[0];
    sir_type_kind from = (sir_type_kind)a->type->kind, to = (sir_type_kind)e->type->kind;
    bool int_from = is_int(a->type), int_to = is_int(e->type);
    if (from == to || (int_from && int_to))
        return print(c, a, precedence);
    if (int_to && is_place_and_back(c, a)) {
        (void)open(out, PREC_UNARY, precedence);
        strbuf_add(out, "(int)");
        print(c, a, PREC_UNARY);
        close(out, PREC_UNARY, precedence);
        return (expr_info){false, {0, INT32_MAX}};
    }
    if (e->known == SIR_KNOWN_SIZE && !c->e->keep_names)
        return print_call2(c, "svm_iabs", a->u.arg[0]->u.arg[0], NULL, NULL);
    if (e->known == SIR_KNOWN_SAME && !c->e->keep_names)
        return print(c, a->u.arg[0], precedence);
    if (int_to && e->known != SIR_KNOWN_NOTHING && !c->e->keep_names) { // NOTE(fits) in hlc/ir/narrow.c
        (void)open(out, PREC_UNARY, precedence);
        strbuf_add(out, "(int)");
        print(c, a, PREC_UNARY);
        close(out, PREC_UNARY, precedence);
        return (expr_info){false, whole_int};
    }
    if (int_to)
        return print_call2(c, from == SIR_DOUBLE ? "svm_d2i" : "svm_f2i", a, NULL, NULL);
    if (to == SIR_COMPLEX) {
        strbuf_add(out, "(svm_Complex){");
        if (from != SIR_FLOAT)
            strbuf_add(out, "(float)");
        size_t start = out->len;
        expr_info ia = print(c, a, from != SIR_FLOAT ? PREC_UNARY : PREC_COND);
        if (ia.wide)
            insert(out, start, "(int)");
        strbuf_add(out, ", 0.0f}");
        return (expr_info){false, whole_int};
    }
    (void)open(out, PREC_UNARY, precedence);
    strbuf_add(out, to == SIR_DOUBLE ? "(double)" : "(float)");
    size_t start = out->len;
    expr_info ia = print(c, a, PREC_UNARY);
    if (int_from && ia.wide) // conversions from int vectorise, those from 64 bits do not
        insert(out, start, "(int)");
    close(out, PREC_UNARY, precedence);
    return (expr_info){false, whole_int};
}

typedef struct math_names {
    const char *f, *d, *complex;
} math_names;
static const math_names math_c[LANG_MATH_COUNT] = {
    [LANG_MATH_SIN] = {"svm_sinf", "sin", "svm_csin"}, [LANG_MATH_COS] = {"svm_cosf", "cos", "svm_ccos"},
    [LANG_MATH_TAN] = {"svm_tanf", "tan", NULL},       [LANG_MATH_ASIN] = {"asinf", "asin", NULL},
    [LANG_MATH_ACOS] = {"acosf", "acos", NULL},        [LANG_MATH_ATAN] = {"svm_atanf", "atan", NULL},
    [LANG_MATH_SINH] = {"sinhf", "sinh", NULL},        [LANG_MATH_COSH] = {"coshf", "cosh", NULL},
    [LANG_MATH_TANH] = {"svm_tanhf", "tanh", NULL},    [LANG_MATH_EXP] = {"svm_expf", "exp", "svm_cexp"},
    [LANG_MATH_LOG] = {"svm_logf", "log", "svm_clog"}, [LANG_MATH_LOG10] = {"svm_log10f", "log10", NULL},
    [LANG_MATH_SQRT] = {"sqrtf", "sqrt", "svm_csqrt"}, [LANG_MATH_CSQRT] = {NULL, NULL, "svm_csqrt"},
    [LANG_MATH_ARG] = {NULL, NULL, "svm_carg"},        [LANG_MATH_FLOOR] = {"floorf", "floor", NULL},
    [LANG_MATH_CEIL] = {"ceilf", "ceil", NULL},        [LANG_MATH_ROUND] = {"svm_fround", "svm_dround", NULL},
    [LANG_MATH_RINT] = {"rintf", "rint", NULL},        [LANG_MATH_ABS] = {"fabsf", "fabs", "svm_cabs"},
    [LANG_MATH_FMOD] = {"fmodf", "fmod", NULL},        [LANG_MATH_ATAN2] = {"svm_atan2f", "atan2", NULL},
    [LANG_MATH_POW] = {"svm_powf", "pow", "svm_cpow"}, [LANG_MATH_MAX] = {"svm_fmax", "svm_dmax", NULL},
    [LANG_MATH_MIN] = {"svm_fmin", "svm_dmin", NULL},
};

// svm_atanf is, svm_fmax is not.
bool body_is_elementary(const sir_expr *e)
{
    const char *name = math_c[e->op].f, *source = lang_math_name[e->op];
    return e->u.arg[0]->type->kind == SIR_FLOAT && name != NULL && source != NULL && strncmp(name, "svm_", 4) == 0 &&
           strncmp(name + 4, source, strlen(source)) == 0;
}

// Whether firings wait for a number, so that they do not go side by side, and no loop is around whose trips may.
static bool is_alone(const body_context *c)
{
    if (c->lanes > 0 || c->vectors > 0 || c->info == NULL || !c->info->filter->stateful)
        return false;
    for (size_t i = 0; i < c->function->locals.len; i++)
        if (c->locals[i].is_for)
            return false;
    for (VEC_EACH(const sir_field, f, &c->info->filter->fields))
        if (!f->constant && f->type->kind == SIR_FLOAT)
            return true;
    return false;
}

static expr_info print_math(body_context *c, const sir_expr *e)
{
    const sir_expr *a = e->u.arg[0];
    const math_names *n = &math_c[e->op];
    const char *name = a->type->kind == SIR_COMPLEX ? n->complex : a->type->kind == SIR_DOUBLE ? n->d : n->f;
    if (name == n->f && (e->op == LANG_MATH_SIN || e->op == LANG_MATH_COS || e->op == LANG_MATH_TAN) && is_alone(c))
        name = e->op == LANG_MATH_SIN ? "svm_sinAlonef" : e->op == LANG_MATH_COS ? "svm_cosAlonef" : "svm_tanAlonef";
    return print_call2(c, name, a, lang_math_arity[e->op] == 2 ? e->u.arg[1] : NULL, NULL);
}

static void print_field(body_context *c, const sir_expr *e, int precedence)
{
    strbuf *out = c->e->out;
    const sir_field *f = &c->info->filter->fields.data[e->index];
    if (f->constant && f->type->kind != SIR_ARRAY && f->type->kind != SIR_STRUCT) {
        sir_scalar v = f->init.zero ? (sir_scalar){0} : f->init.data[0];
        if (f->type->kind == SIR_COMPLEX)
            strbuf_add(out, "(svm_Complex)");
        emit_scalar(out, f->type, v);
    } else if (f->constant || f->type->kind == SIR_ARRAY || body_is_copied(c->e, f)) {
        strbuf_add(out, body_field_named(c, e->index));
    } else {
        (void)open(out, PREC_UNARY, precedence);
        strbuf_printf(out, "*%s", body_field_named(c, e->index));
        close(out, PREC_UNARY, precedence);
    }
}

static expr_info print_local(body_context *c, const sir_expr *e)
{
    const body_local *l = &c->locals[e->index];
    if (l->forward == NULL) {
        strbuf_add(c->e->out, body_local_named(c, e->index));
    } else {
        strbuf_add(c->e->out, l->forward);
        body_give_uses(c, &l->forward_uses);
    }
    if (l->laned)
        strbuf_printf(c->e->out, "[%s]", c->locals[c->lane].c_name);
    return l->is_for ? (expr_info){true, l->range} : (expr_info){false, whole_int};
}

static expr_info print_index(body_context *c, const sir_expr *e)
{
    strbuf *out = c->e->out;
    print(c, e->u.arg[0], PREC_POSTFIX);
    strbuf_addc(out, '[');
    size_t start = out->len;
    body_affine a;
    body_interval range;
    if (body_affine_of(c, e->u.arg[1], &a)) {
        print_affine(c, &a, PREC_LOWEST);
        range = body_affine_range(c, &a);
    } else {
        range = print(c, e->u.arg[1], PREC_LOWEST).range;
    }
    const char *checked = body_checked_index(c, e, out->data + start, range);
    if (checked != NULL) {
        body_forget_text(c, start);
        strbuf_add(out, checked);
    }
    strbuf_addc(out, ']');
    return (expr_info){false, whole_int};
}

// Whether an operand of a selection may be worked out where it is not selected: it costs little, and stops no program.
static bool is_cheap(const body_context *c, const sir_expr *e, bool *fetches)
{
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST:
    case SIR_LOCAL:
    case SIR_FIELD:
    case SIR_MEMBER:
    case SIR_UNARY:
    case SIR_CONVERT:
    case SIR_SELECT: break;
    case SIR_BINARY:
        if (e->op == LANG_OP_DIV || e->op == LANG_OP_REM)
            return false;
        break;
    case SIR_MATH:
        if (e->op != LANG_MATH_MIN && e->op != LANG_MATH_MAX && e->op != LANG_MATH_ABS)
            return false;
        break;
    case SIR_FETCH: *fetches = true; break;
    case SIR_INDEX:
        if (c->info->lanes == 0 || e->u.arg[1]->kind != SIR_LOCAL || e->u.arg[1]->index != c->info->lane)
            return false;
        break;
    default: return false;
    }
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (!is_cheap(c, e->u.arg[i], fetches))
            return false;
    return true;
}

static bool is_extreme(const sir_expr *e)
{
    return e->kind == SIR_MATH && (e->op == LANG_MATH_MIN || e->op == LANG_MATH_MAX);
}

// Elements that are fetched in one case only: C compilers make no vectors of a loop with such loads. And of a choice of a
// minimum or a maximum they make conditions of conditions, where a vector has an operation for either.
static bool print_either(body_context *c, const sir_expr *e)
{
    bool fetches = false;
    if (c->info == NULL || !c->info->filter->finite || c->e->check_bounds || e->type->kind != SIR_FLOAT ||
        !is_cheap(c, e->u.arg[1], &fetches) || !is_cheap(c, e->u.arg[2], &fetches) ||
        !(fetches || (is_extreme(e->u.arg[1]) && is_extreme(e->u.arg[2]))))
        return false;
    strbuf_add(c->e->out, "svm_brookEither(");
    for (size_t i = 0; i < 3; i++) {
        print(c, e->u.arg[i], PREC_COND);
        strbuf_add(c->e->out, i < 2 ? ", " : ")");
    }
    return true;
}

static expr_info print_select(body_context *c, const sir_expr *e, int precedence)
{
    strbuf *out = c->e->out;
    const sir_expr *turned, *by;
    if (body_is_rotation(c, e, &turned, &by))
        return print_call2(c, "svm_rotl", turned, by, NULL);
    if (print_either(c, e))
        return (expr_info){false, whole_int};
    size_t start = open(out, PREC_COND, precedence);
    const sir_expr *cond = e->u.arg[0]; // clang asks for parentheses around & | ^ there
    bool bits = cond->kind == SIR_BINARY && binary_precedence(cond->op) == PREC_BITS;
    print(c, cond, bits ? PREC_UNARY : PREC_LOR);
    strbuf_add(out, " ? ");
    expr_info a = print(c, e->u.arg[1], PREC_COND + 1);
    strbuf_add(out, " : ");
    expr_info b = print(c, e->u.arg[2], PREC_COND);
    expr_info info = {false, whole_int};
    if (is_int(e->type)) {
        body_interval r = {a.range.lo < b.range.lo ? a.range.lo : b.range.lo,
                           a.range.hi > b.range.hi ? a.range.hi : b.range.hi};
        info = finish_int(c, start, a.wide || b.wide, r);
    }
    close(out, PREC_COND, precedence);
    return info;
}

// An item of a static-rate filter's window.
static void print_peek(body_context *c, const sir_expr *e)
{
    strbuf *out = c->e->out;
    size_t start = out->len;
    strbuf_add(out, body_named(c, BODY_IN));
    body_tape_index(c, &c->in, e);
    const char *early = body_early_name(c, out->data + start);
    if (early != NULL) {
        body_forget_text(c, start);
        strbuf_add(out, early);
    }
}

static expr_info print_const(body_context *c, const sir_expr *e, int precedence)
{
    strbuf *out = c->e->out;
    if (e->type->kind == SIR_COMPLEX)
        strbuf_add(out, "(svm_Complex)");
    size_t start = out->len;
    emit_scalar(out, e->type, e->u.value);
    if (out->data[start] == '-' && precedence > PREC_ADD) {
        insert(out, start, "(");
        strbuf_addc(out, ')');
    }
    if (is_int(e->type))
        return (expr_info){false, {e->u.value.i, e->u.value.i}};
    return (expr_info){false, whole_int};
}

const emit_lane_run *emit_lane_run_of(const emit_filter_info *info, const sir_expr *fetch)
{
    for (VEC_EACH(const emit_lane_run, r, &info->runs))
        if (r->fetch == fetch)
            return r;
    return NULL;
}

const emit_lane_take *emit_lane_take_of(const emit_filter_info *info, const void *part)
{
    for (size_t i = 0; info != NULL && i < info->takes.len; i++)
        if (info->takes.data[i].place == part || info->takes.data[i].stmt == part || info->takes.data[i].fails == part)
            return &info->takes.data[i];
    return NULL;
}

static bool near_offset(const body_context *c, const sir_expr *e, int64_t *offset)
{
    const emit_filter_info *info = c->info;
    return info->near != SIR_NONE && c->function->kind == SIR_WORK &&
           body_near_offset(info->filter, info->near, info->lanes > 0 ? info->lane : SIR_NONE, e, offset);
}

bool body_is_near(const body_context *c, const sir_expr *fetch)
{
    int64_t offset;
    return near_offset(c, fetch, &offset);
}

// The last subscript of what is near or of a run.
static void print_last(body_context *c, const sir_expr *e, const emit_lane_run *run, bool near, int64_t offset)
{
    strbuf *out = c->e->out;
    const emit_filter_info *info = c->info;
    const char *lane = info->lanes > 0 ? c->locals[info->lane].c_name : "";
    if (near) {
        strbuf_printf(out, "svm_column%s%s", info->lanes > 0 ? " + " : "", lane);
        if (offset != 0)
            strbuf_printf(out, " %c %" PRId64, offset < 0 ? '-' : '+', offset < 0 ? -offset : offset);
    } else if (body_is_inside(c, e)) {
        print(c, run->first, PREC_POSTFIX);
        strbuf_printf(out, " + %s", lane);
    } else {
        strbuf_printf(out, "svm_first%zu + %s", (size_t)(run - info->runs.data), lane);
    }
}

// "(ptrdiff_t)y - 1, ": the row beside that of the firing.
static void print_row(body_context *c, const sir_expr *coordinate, int64_t rows)
{
    strbuf *out = c->e->out;
    if (rows != 0)
        strbuf_add(out, "(ptrdiff_t)");
    print(c, coordinate, PREC_UNARY);
    if (rows != 0)
        strbuf_printf(out, " %c %" PRId64, rows < 0 ? '-' : '+', rows < 0 ? -rows : rows);
    strbuf_add(out, ", ");
}

static bool mentions(const sir_expr *e, uint32_t local)
{
    bool found = e->kind == SIR_LOCAL && e->index == local;
    for (size_t i = 0; !found && i < sir_expr_arity(e); i++)
        found = mentions(e->u.arg[i], local);
    return found;
}

// "svm_brookIn2(image_walk, i, j)" in a loop that stays inside.
static void print_inside(body_context *c, const sir_expr *e, const emit_lane_run *run, bool near, int64_t offset)
{
    strbuf *out = c->e->out;
    const char *name = c->info->field_names.data[e->index];
    body_local *counter = &c->locals[c->trips->counter];
    const char *saved = counter->forward;
    if (!counter->is_for) // a subscript is that of the first trip, and the trip, which does not wrap
        counter->forward = "svm_from";
    strbuf_printf(out, "svm_brookIn%d(%s_walk", (int)e->op, name);
    for (size_t i = 0; i < e->op; i++) {
        bool last = i + 1 == e->op && (near || run != NULL);
        strbuf_add(out, ", ");
        bool counts = !counter->is_for && mentions(e->u.arg[i], c->trips->counter);
        if (last && near)
            strbuf_printf(out, "svm_brookNear1(%s_walk, %s, ", name, body_named(c, BODY_INSIDE));
        if (counts)
            strbuf_add(out, "svm_trip + ");
        if (last)
            print_last(c, e, run, near, offset);
        else
            print(c, e->u.arg[i], counts ? PREC_POSTFIX : PREC_COND);
        if (last && near)
            strbuf_addc(out, ')');
    }
    strbuf_addc(out, ')');
    counter->forward = saved;
}

// The float that a subscript is rounded down from; NULL: it is made otherwise.
static const sir_expr *rounded_down(body_context *c, const sir_expr *e)
{
    const sir_expr *down = e->kind == SIR_CONVERT ? e->u.arg[0] : e;
    bool is_down = down->kind == SIR_MATH && down->op == LANG_MATH_FLOOR && down->type->kind == SIR_FLOAT;
    return is_down && body_given(c, e) == NULL && body_given(c, down) == NULL ? down->u.arg[0] : NULL;
}

static bool has_rounded_down(body_context *c, const sir_expr *fetch)
{
    bool found = false;
    for (size_t i = 0; i < fetch->op; i++)
        found = found || rounded_down(c, fetch->u.arg[i]) != NULL;
    return found;
}

// "svm_brookIn2(image_walk, svm_brookDown(image_walk, 2, y), svm_brookClamp(i, image_walk->extent[3]))": clamped one by one;
// of an int's 32 bits "svm_brookClampInt(image_walk, 3, i)".
static void print_rounded_down(body_context *c, const sir_expr *e, bool ints)
{
    strbuf *out = c->e->out;
    const char *name = c->info->field_names.data[e->index];
    strbuf_printf(out, "svm_brookIn%d(%s_walk", (int)e->op, name);
    for (int i = 0; i < (int)e->op; i++) {
        const int dimension = SIR_RANK - (int)e->op + i;
        const sir_expr *from = rounded_down(c, e->u.arg[i]);
        strbuf_add(out, ", ");
        if (from != NULL)
            strbuf_printf(out, "svm_brookDown(%s_walk, %d, ", name, dimension);
        else if (ints)
            strbuf_printf(out, "svm_brookClampInt(%s_walk, %d, ", name, dimension);
        else
            strbuf_add(out, "svm_brookClamp(");
        if (ints && from == NULL)
            strbuf_add(out, body_expr_text(c, e->u.arg[i], PREC_COND));
        else
            print(c, from != NULL ? from : e->u.arg[i], PREC_COND);
        if (from == NULL && !ints)
            strbuf_printf(out, ", %s_walk->extent[%d]", name, dimension);
        strbuf_addc(out, ')');
    }
    strbuf_addc(out, ')');
}

// "SVM_BROOK_BESIDE(image, 1, svm_inside, y - 1, svm_column + 1)": a pointer to the element, in a row that may be given.
static bool print_beside(body_context *c, const sir_expr *e, bool stored, int64_t offset)
{
    strbuf *out = c->e->out;
    const char *name = body_field_named(c, e->index);
    int64_t rows = 0;
    const sir_expr *coordinate = body_row_offset(c->info->filter, e, &rows);
    const int number = emit_beside_of(c->info, e->index, coordinate == NULL ? 0 : rows);
    if (number < 0)
        return false;
    if (stored)
        strbuf_printf(out, "%s(", body_stored_name(c->e, c->info, e->index, "load"));
    strbuf_printf(out, "SVM_BROOK_BESIDE%d(%s, %d, %s, ", (int)e->op, name, number, body_named(c, BODY_INSIDE));
    if (coordinate != NULL)
        print_row(c, coordinate, rows);
    print_last(c, e, NULL, true, offset);
    strbuf_add(out, stored ? "))" : ")[0]");
    return true;
}

// "image[svm_brookAt2(image_walk, i, j)]": subscripts are clamped; or "image[svm_brookNear2(image_walk, svm_inside, i, svm_column + 1)]"; or, of a run,
// "image[svm_brookNear2(image_walk, svm_straight, i, svm_first0 + lane)]"; or "image[svm_brookTurned2(image_walk, svm_inside, svm_column, i)]".
static void print_fetch(body_context *c, const sir_expr *e)
{
    strbuf *out = c->e->out;
    const emit_filter_info *info = c->info;
    const char *name = body_field_named(c, e->index);
    bool stored = info->filter->fields.data[e->index].stored != NULL;
    int64_t offset;
    bool near = near_offset(c, e, &offset);
    const emit_lane_run *run = near ? NULL : emit_lane_run_of(info, e);
    if (emit_lane_take_of(info, e) != NULL) {
        strbuf_add(out, "(int32_t)");
        print_rounded_down(c, e, true);
        return;
    }
    if (near && print_beside(c, e, stored, offset))
        return;
    if (stored)
        strbuf_printf(out, "%s(%s + ", body_stored_name(c->e, info, e->index, "load"), name);
    else
        strbuf_printf(out, "%s[", name);
    if (body_is_inside(c, e)) {
        print_inside(c, e, run, near, offset);
        strbuf_addc(out, stored ? ')' : ']');
        return;
    }
    if (info->near != SIR_NONE && c->function->kind == SIR_WORK &&
        body_turned_offset(info->filter, info->near, info->lanes > 0 ? info->lane : SIR_NONE, e, &offset)) {
        strbuf_printf(out, "svm_brookTurned2(%s_walk, %s, ", name, body_named(c, BODY_INSIDE));
        print_last(c, e, NULL, true, offset);
        strbuf_add(out, ", ");
        print(c, e->u.arg[1], PREC_COND);
        strbuf_add(out, stored ? "))" : ")]");
        return;
    }
    int64_t rows;
    const sir_expr *coordinate = near ? body_row_offset(info->filter, e, &rows) : NULL;
    if (coordinate != NULL) {
        strbuf_printf(out, "svm_brookBeside2(%s_walk, %s, ", name, body_named(c, BODY_INSIDE));
        print_row(c, coordinate, rows);
        print_last(c, e, NULL, true, offset);
        strbuf_add(out, stored ? "))" : ")]");
        return;
    }
    if (!near && run == NULL && has_rounded_down(c, e)) {
        print_rounded_down(c, e, false);
        strbuf_addc(out, stored ? ')' : ']');
        return;
    }
    strbuf_printf(out, "svm_brook%s%d(%s_walk", near || run != NULL ? "Near" : "At", (int)e->op, name);
    if (near || run != NULL)
        strbuf_printf(out, ", %s", near ? body_named(c, BODY_INSIDE) : "svm_straight");
    for (size_t i = 0; i + (near || run != NULL) < e->op; i++) {
        strbuf_add(out, ", ");
        print(c, e->u.arg[i], PREC_COND);
    }
    if (near || run != NULL) {
        strbuf_add(out, ", ");
        print_last(c, e, run, near, offset);
    }
    strbuf_add(out, stored ? "))" : ")]");
}

// "!svm_brookTakeTurned(taken, image + svm_brookAt2(image_walk, i, 0), image_walk->extent[3], x, x ^ far, turned)"
static void print_turned(body_context *c, const emit_lane_take *take)
{
    strbuf *out = c->e->out;
    const sir_expr *fetch = take->fails->u.arg[1];
    const char *name = body_field_named(c, fetch->index);
    strbuf_printf(out, "!svm_brookTakeTurned(%s, %s", c->locals[take->taken].c_name, name);
    if (fetch->op > 1)
        strbuf_printf(out, " + svm_brookAt%d(%s_walk", (int)fetch->op, name);
    for (size_t i = 0; i + 1 < fetch->op; i++) {
        strbuf_add(out, ", ");
        print(c, fetch->u.arg[i], PREC_COND);
    }
    const sir_expr place = {.kind = SIR_FIELD, .index = take->coordinate, .type = fetch->type};
    strbuf_printf(out, "%s, %s_walk->extent[3], ", fetch->op > 1 ? ", 0)" : "", name);
    print(c, &place, PREC_COND);
    strbuf_add(out, ", ");
    print(c, fetch->u.arg[fetch->op - 1], PREC_COND);
    strbuf_printf(out, ", %s)", c->locals[take->turned].c_name);
}

static expr_info print(body_context *c, const sir_expr *e, int precedence)
{
    strbuf *out = c->e->out;
    expr_info plain = {false, whole_int};
    const emit_lane_take *take = emit_lane_take_of(c->info, e);
    if (take != NULL && take->fails == e) {
        print_turned(c, take);
        return plain;
    }
    const char *given = body_given(c, e);
    if (given != NULL) {
        strbuf_add(out, given);
        return plain;
    }
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return print_const(c, e, precedence);
    case SIR_LOCAL: return print_local(c, e);
    case SIR_FIELD: print_field(c, e, precedence); return plain;
    case SIR_GLOBAL: strbuf_add(out, emit_global(c->e, e->index)); return plain;
    case SIR_INDEX: return print_index(c, e);
    case SIR_MEMBER:
        print(c, e->u.arg[0], PREC_POSTFIX);
        if (e->u.arg[0]->type->kind == SIR_COMPLEX)
            strbuf_add(out, e->index == 0 ? ".real" : ".imag");
        else
            strbuf_printf(out, ".%s", body_member_name(c->e, e->u.arg[0]->type->decl, e->index));
        return plain;
    case SIR_UNARY: return print_unary(c, e, precedence);
    case SIR_BINARY: return print_binary(c, e, precedence);
    case SIR_SELECT: return print_select(c, e, precedence);
    case SIR_CONVERT: return print_convert(c, e, precedence);
    case SIR_MATH: return print_math(c, e);
    case SIR_PEEK:
        if (c->dynamic) {
            const sir_type *t = e->type;
            strbuf_printf(out, "(*(%s)svm_dynamicPeek(%s, ", emit_declare_pointer(c->e, t, "const", "", ""),
                          body_named(c, BODY_DYNAMIC));
            print(c, e->u.arg[0], PREC_COND);
            strbuf_printf(out, ", sizeof(%s)))", emit_declare_item(c->e, t, ""));
            return plain;
        }
        print_peek(c, e);
        return plain;
    case SIR_ITER: strbuf_add(out, body_named(c, BODY_ITER)); return plain;
    case SIR_MAKE_COMPLEX:
        strbuf_add(out, "(svm_Complex){");
        print(c, e->u.arg[0], PREC_COND);
        strbuf_add(out, ", ");
        print(c, e->u.arg[1], PREC_COND);
        strbuf_addc(out, '}');
        return plain;
    case SIR_FETCH: print_fetch(c, e); return plain;
    }
    return plain;
}

void body_expr(body_context *c, const sir_expr *e, int precedence)
{
    (void)print(c, e, precedence);
}

const char *body_expr_text(body_context *c, const sir_expr *e, int precedence)
{
    strbuf text, *out = c->e->out;
    strbuf_init(&text, c->e->arena);
    c->e->out = &text;
    (void)print(c, e, precedence);
    c->e->out = out;
    return text.data;
}
