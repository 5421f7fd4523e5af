// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interpreter of plays: expressions, statements, calls. In kernels a function that gets nothing but numbers and
// pointers into blocks is followed once for the same numbers, for what it reads and writes from each pointer on.
#include <string.h>

#include "llc/check/play.h"

typedef enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN } flow;

static flow follow(play *p, const code *c);

_Noreturn void play_stop(play *p)
{
    longjmp(*p->stuck, 1);
}

static void count_step(play *p)
{
    if (++p->steps > p->limit)
        play_stop(p);
}

// ---- Numbers ----

static val convert(val v, ctype to)
{
    if (v.unknown || to.shape == SHAPE_REAL)
        return nothing();
    if (to.shape != SHAPE_INT || to.size >= 8 || to.size <= 0)
        return v;
    if (to.is_bool)
        return known(v.i != 0);
    int shift = 64 - 8 * (int)to.size;
    uint64_t raw = (uint64_t)v.i << shift;
    return known(to.is_unsigned ? (int64_t)(raw >> shift) : (int64_t)raw >> shift);
}

static val compare(enum CXBinaryOperatorKind op, int64_t a, int64_t b, bool is_unsigned)
{
    bool less = is_unsigned ? (uint64_t)a < (uint64_t)b : a < b;
    switch (op) {
    case CXBinaryOperator_LT: return known(less);
    case CXBinaryOperator_GE: return known(!less);
    case CXBinaryOperator_GT: return known(!less && a != b);
    case CXBinaryOperator_LE: return known(less || a == b);
    case CXBinaryOperator_EQ: return known(a == b);
    default: return known(a != b);
    }
}

static val divide(int64_t a, int64_t b, bool is_unsigned, bool remainder)
{
    if (b == 0 || (!is_unsigned && a == INT64_MIN && b == -1))
        return nothing();
    if (is_unsigned)
        return known((int64_t)(remainder ? (uint64_t)a % (uint64_t)b : (uint64_t)a / (uint64_t)b));
    return known(remainder ? a % b : a / b);
}

static val compute(enum CXBinaryOperatorKind op, int64_t a, int64_t b, ctype type)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case CXBinaryOperator_Mul: return known((int64_t)(x * y));
    case CXBinaryOperator_Add: return known((int64_t)(x + y));
    case CXBinaryOperator_Sub: return known((int64_t)(x - y));
    case CXBinaryOperator_Div: return divide(a, b, type.is_unsigned, false);
    case CXBinaryOperator_Rem: return divide(a, b, type.is_unsigned, true);
    case CXBinaryOperator_Shl: return y > 63 ? nothing() : known((int64_t)(x << y));
    case CXBinaryOperator_Shr: return y > 63 ? nothing() : known(type.is_unsigned ? (int64_t)(x >> y) : a >> y);
    case CXBinaryOperator_And: return known(a & b);
    case CXBinaryOperator_Or: return known(a | b);
    case CXBinaryOperator_Xor: return known(a ^ b);
    default: return nothing();
    }
}

static val binary(enum CXBinaryOperatorKind op, val a, val b, ctype ta, ctype tb, ctype result)
{
    if (a.unknown || b.unknown || ta.shape == SHAPE_REAL || tb.shape == SHAPE_REAL)
        return nothing();
    if (op == CXBinaryOperator_LT || op == CXBinaryOperator_GT || op == CXBinaryOperator_LE ||
        op == CXBinaryOperator_GE || op == CXBinaryOperator_EQ || op == CXBinaryOperator_NE)
        return compare(op, a.i, b.i, ta.is_unsigned && ta.shape == SHAPE_INT);
    bool left = ta.shape == SHAPE_POINTER, right = tb.shape == SHAPE_POINTER;
    if (left && right)
        return ta.element <= 0 ? nothing() : known((a.i - b.i) / ta.element);
    if (left)
        return known(op == CXBinaryOperator_Sub ? a.i - b.i * ta.element : a.i + b.i * ta.element);
    if (right)
        return known(b.i + a.i * tb.element);
    ctype type = op == CXBinaryOperator_Shr ? ta : result;
    return convert(compute(op, a.i, b.i, type), result);
}

// ---- Places ----

static val global_place(play *p, global *g)
{
    if (g->object == 0)
        g->object = object_new(p, g->type.size, g->type.shape == SHAPE_REAL);
    if (!g->ready) {
        g->ready = true;
        object *o = &p->objects.data[g->object];
        o->global = g;
        memset(o->bytes, 0, (size_t)o->size);
        memset(o->unknown, 0, (size_t)o->size);
        const code *initialiser = tree_initialiser(&p->tree, g);
        access_list *accesses = p->accesses;
        if (initialiser != NULL && initialiser->op != CODE_TEXT)
            store(p, known(pointer_to(g->object, 0)), g->type, convert(play_eval(p, initialiser), g->type));
        p->accesses = accesses;
    }
    return known(pointer_to(g->object, 0));
}

static val text_place(play *p, code *c)
{
    if (c->object == 0) {
        size_t n = c->text == NULL ? 0 : strlen(c->text) + 1;
        c->object = object_new(p, c->type.size, true);
        object *o = &p->objects.data[c->object];
        if (n > 0 && (int64_t)n <= o->size) {
            memcpy(o->bytes, c->text, n);
            memset(o->unknown, 0, n);
        }
    }
    return known(pointer_to(c->object, 0));
}

static val place(play *p, const code *c)
{
    count_step(p);
    switch (c->op) {
    case CODE_LOCAL: return known(pointer_to(p->frame, c->number));
    case CODE_GLOBAL: return global_place(p, c->global);
    case CODE_MEMBER: {
        val of = place(p, c->parts[0]);
        of.i += c->number;
        return of;
    }
    case CODE_ARROW: {
        val of = play_eval(p, c->parts[0]);
        of.i += c->number;
        return of;
    }
    case CODE_ELEMENT: {
        if (c->parts[0]->type.shape == SHAPE_REAL) { // a lane of a vector, which is no address
            val of = place(p, c->parts[0]), lane = play_eval(p, c->parts[1]);
            return of.unknown || lane.unknown ? nothing() : known(of.i + lane.i * c->type.size);
        }
        val a = play_eval(p, c->parts[0]), b = play_eval(p, c->parts[1]);
        if (a.unknown != b.unknown && p->in_kernel) { // some element
            val base = c->parts[0]->type.shape == SHAPE_POINTER ? a : b;
            touch(p, base, nothing(), false);
        }
        return binary(CXBinaryOperator_Add, a, b, c->parts[0]->type, c->parts[1]->type, c->parts[0]->type);
    }
    case CODE_DEREF: return play_eval(p, c->parts[0]);
    case CODE_CONVERT: return place(p, c->parts[0]);
    case CODE_LITERAL: {
        val at = known(pointer_to(object_new(p, c->type.size, false), 0));
        store(p, at, c->type, play_eval(p, c->parts[0]));
        return at;
    }
    case CODE_TEXT: return text_place(p, (code *)c);
    default: return play_eval(p, c); // a struct's value is where it lies
    }
}

static bool is_aggregate(ctype t)
{
    return t.shape == SHAPE_RECORD || t.shape == SHAPE_ARRAY;
}

// An unknown element of a block may be any.
static void store_at(play *p, const code *to, val at, val v)
{
    if (at.unknown && p->in_kernel && to->op == CODE_ELEMENT) {
        val base = play_eval(p, to->parts[0]);
        if (!base.unknown) {
            touch(p, base, nothing(), true);
            forget_bytes(p, base, -1);
            return;
        }
    }
    store(p, at, to->type, v);
}

// ---- Operators ----

static val list_value(play *p, const code *c)
{
    uint32_t list = object_new(p, c->type.size, false);
    for (size_t i = 0; i < c->count; i++) {
        const code *part = c->parts[i];
        if (part->op != CODE_PART)
            play_stop(p);
        val v = convert(play_eval(p, part->parts[0]), part->type);
        if (part->parts[0]->op == CODE_TEXT && part->type.shape == SHAPE_ARRAY)
            continue;
        store(p, known(pointer_to(list, part->number)), part->type, v);
    }
    val at = known(pointer_to(list, 0));
    return is_aggregate(c->type) ? at : load(p, at, c->type);
}

static val unary(play *p, const code *c)
{
    val v = play_eval(p, c->parts[0]);
    if (v.unknown || c->parts[0]->type.shape == SHAPE_REAL)
        return nothing();
    switch ((enum CXUnaryOperatorKind)c->detail) {
    case CXUnaryOperator_Plus: return v;
    case CXUnaryOperator_Minus: return convert(known((int64_t)(0 - (uint64_t)v.i)), c->type);
    case CXUnaryOperator_Not: return convert(known(~v.i), c->type);
    case CXUnaryOperator_LNot: return known(v.i == 0);
    case CXUnaryOperator_Extension: return v;
    default: return nothing();
    }
}

static val increment(play *p, const code *c)
{
    val at = place(p, c->parts[0]), before = load(p, at, c->parts[0]->type);
    ctype type = c->parts[0]->type, one = {.shape = SHAPE_INT, .size = 8};
    val after = convert(binary(CXBinaryOperator_Add, before, known(c->number), type, one, type), type);
    store_at(p, c->parts[0], at, after);
    return c->prefix ? after : before;
}

static val update(play *p, const code *c)
{
    val at = place(p, c->parts[0]), before = load(p, at, c->parts[0]->type);
    val by = play_eval(p, c->parts[1]);
    ctype type = c->parts[0]->type, wide = {.shape = SHAPE_INT, .size = 8, .is_unsigned = type.is_unsigned};
    ctype result = type.shape == SHAPE_INT ? wide : type;
    enum CXBinaryOperatorKind op = (enum CXBinaryOperatorKind)c->detail;
    val after = convert(binary(op, before, by, type, c->parts[1]->type, result), type);
    store_at(p, c->parts[0], at, after);
    return after;
}

static val choose(play *p, const code *c)
{
    val condition = play_eval(p, c->parts[0]);
    if (!condition.unknown)
        return play_eval(p, c->parts[condition.i != 0 ? 1 : 2]);
    if (!p->in_kernel)
        play_stop(p);
    p->unsure++;
    val a = play_eval(p, c->parts[1]), b = play_eval(p, c->parts[2]);
    p->unsure--;
    return !a.unknown && !b.unknown && a.i == b.i ? a : nothing();
}

static val logical(play *p, const code *c)
{
    bool is_and = c->op == CODE_AND;
    val a = play_eval(p, c->parts[0]);
    if (!a.unknown && (a.i != 0) != is_and)
        return known(a.i != 0);
    if (a.unknown && !p->in_kernel)
        play_stop(p);
    p->unsure += a.unknown;
    val b = play_eval(p, c->parts[1]);
    p->unsure -= a.unknown;
    if (!b.unknown && (!a.unknown || (b.i != 0) != is_and))
        return known(b.i != 0);
    return nothing();
}

static val call(play *p, const code *c)
{
    enum { MOST = 24 };
    val f = c->count == 0 ? nothing() : play_eval(p, c->parts[0]), arguments[MOST];
    size_t count = c->count - (c->count > 0);
    int64_t offset;
    const object *o = f.unknown ? NULL : pointed(p, f.i, &offset);
    if (o == NULL || o->kind != OBJECT_FUNCTION || count > MOST)
        play_stop(p);
    callee *to = o->function;
    for (size_t i = 0; i < count; i++)
        arguments[i] = play_eval(p, c->parts[i + 1]);
    const code *where = p->where;
    if (to->foreign) {
        const code *before = p->at;
        p->at = c;
        val v = play_foreign(p, c, to, arguments, count);
        p->at = before;
        p->where = where;
        return v;
    }
    const code *before = p->caller;
    const bool apart = p->apart;
    p->caller = apart ? before : c;
    p->apart = to->apart;
    val v = play_call(p, to, arguments, count);
    p->caller = before;
    p->apart = apart;
    p->where = where;
    return v;
}

static val function_value(play *p, callee *f)
{
    return known(pointer_to(object_function(p, f), 0));
}

val play_eval(play *p, const code *c)
{
    count_step(p);
    switch (c->op) {
    case CODE_NUMBER: return known(c->number);
    case CODE_FUNCTION: return function_value(p, c->callee);
    case CODE_LOCAL:
    case CODE_GLOBAL:
    case CODE_MEMBER:
    case CODE_ARROW:
    case CODE_ELEMENT:
    case CODE_DEREF: {
        if (c->op == CODE_DEREF && c->type.shape == SHAPE_VOID) // of a pointer to a function
            return play_eval(p, c->parts[0]);
        val at = place(p, c);
        return is_aggregate(c->type) ? at : load(p, at, c->type);
    }
    case CODE_LITERAL:
    case CODE_TEXT: {
        val at = place(p, c);
        return is_aggregate(c->type) ? at : load(p, at, c->type);
    }
    case CODE_ADDRESS:
    case CODE_DECAY: return place(p, c->parts[0]);
    case CODE_CONVERT: return convert(play_eval(p, c->parts[0]), c->type);
    case CODE_LIST: return list_value(p, c);
    case CODE_UNARY: return unary(p, c);
    case CODE_INCREMENT: return increment(p, c);
    case CODE_BINARY: {
        val a = play_eval(p, c->parts[0]), b = play_eval(p, c->parts[1]);
        return binary((enum CXBinaryOperatorKind)c->detail, a, b, c->parts[0]->type, c->parts[1]->type, c->type);
    }
    case CODE_AND:
    case CODE_OR: return logical(p, c);
    case CODE_COMMA: play_eval(p, c->parts[0]); return play_eval(p, c->parts[1]);
    case CODE_ASSIGN: {
        val at = place(p, c->parts[0]), v = play_eval(p, c->parts[1]);
        store_at(p, c->parts[0], at, v);
        return v;
    }
    case CODE_UPDATE: return update(p, c);
    case CODE_CHOOSE: return choose(p, c);
    case CODE_CALL: return call(p, c);
    case CODE_UNKNOWN: return nothing();
    default: play_stop(p);
    }
}

// ---- Statements ----

static flow run_all(play *p, const code *c, size_t from)
{
    for (size_t i = from; i < c->count; i++) {
        flow f = follow(p, c->parts[i]);
        if (f != FLOW_NEXT)
            return f;
    }
    return FLOW_NEXT;
}

// What the changes from a number on left, in their order.
static undo *results(play *p, size_t from)
{
    undo *all = ARENA_ARRAY(p->arena, undo, p->undos.len - from + 1);
    for (size_t i = from; i < p->undos.len; i++)
        all[i - from] = undo_copy(p, &p->undos.data[i]);
    return all;
}

static void take_back(play *p, size_t from)
{
    for (size_t i = p->undos.len; i-- > from;) {
        undo before = p->undos.data[i];
        undo_swap(p, &before);
    }
}

// Bytes that hold something else than they did after the other way are unknown.
static void forget_different(play *p, const undo *other)
{
    object *o = &p->objects.data[other->object];
    for (int64_t i = 0; i < other->size; i++) {
        uint8_t *unknown = &o->unknown[other->offset + i];
        bool differs = other->bytes[i] != o->bytes[other->offset + i];
        if (*unknown != other->bytes[other->size + i] || (*unknown == 0 && differs))
            *unknown = 1;
    }
}

// A condition that is not known: both ways, and what they leave different is unknown.
static flow run_both(play *p, const code *c)
{
    if (!p->in_kernel)
        play_stop(p);
    size_t begin = p->undos.len;
    p->both++;
    flow f = follow(p, c->parts[1]), g = FLOW_NEXT;
    undo *first = results(p, begin);
    size_t turn = p->undos.len;
    take_back(p, begin);
    if (c->count > 2)
        g = follow(p, c->parts[2]);
    if (f != g)
        play_stop(p);
    undo *second = results(p, begin); // where either way changed something
    size_t end = p->undos.len;
    take_back(p, turn);
    for (size_t i = begin; i < turn; i++)
        undo_swap(p, &first[i - begin]);
    for (size_t i = begin; i < end; i++)
        forget_different(p, &second[i - begin]);
    if (--p->both == 0) {
        p->undos.len = 0;
        p->undo_bytes = 0;
    }
    return f;
}

static flow run_if(play *p, const code *c)
{
    val condition = play_eval(p, c->parts[0]);
    if (condition.unknown)
        return run_both(p, c);
    if (condition.i != 0)
        return follow(p, c->parts[1]);
    return c->count > 2 ? follow(p, c->parts[2]) : FLOW_NEXT;
}

// ---- Loops of many calls ----

static const code *bare(const code *c)
{
    while (c->op == CODE_CONVERT || (c->op == CODE_BLOCK && c->count == 1))
        c = c->parts[0];
    return c;
}

// A loop that counts a local up to a bound, and does nothing but call a function, or go through another loop, for each
// number: in *variable the local's offset, in *by the step.
static bool is_loop_of_calls(const code *c, int64_t *variable, int64_t *by)
{
    const code *body = bare(c->parts[3]);
    if (c->parts[1] == NULL || c->parts[2] == NULL || c->detail || (body->op != CODE_CALL && body->op != CODE_LOOP))
        return false;
    const code *condition = bare(c->parts[1]), *step = bare(c->parts[2]);
    if (condition->op != CODE_BINARY || condition->detail != CXBinaryOperator_LT ||
        bare(condition->parts[0])->op != CODE_LOCAL)
        return false;
    *variable = bare(condition->parts[0])->number;
    if (step->op == CODE_INCREMENT)
        *by = step->number;
    else if (step->op == CODE_UPDATE && step->detail == CXBinaryOperator_Add && bare(step->parts[1])->op == CODE_NUMBER)
        *by = bare(step->parts[1])->number;
    else
        return false;
    return *by > 0 && bare(step->parts[0])->op == CODE_LOCAL && bare(step->parts[0])->number == *variable;
}

typedef VEC(int64_t) local_list; // by offset

static bool is_number(const code *c)
{
    return c->type.shape == SHAPE_INT || c->type.shape == SHAPE_POINTER;
}

// Whether code leaves another number behind in a local that is not its own, so that what it does next time depends on how
// often it was done.
static bool goes_on(play *p, const code *c, local_list *own)
{
    if (c == NULL)
        return false;
    if (c->op == CODE_DECLARE)
        VEC_PUSH(p->arena, own, c->number);
    if (c->op == CODE_INCREMENT || c->op == CODE_ASSIGN || c->op == CODE_UPDATE || c->op == CODE_ADDRESS) {
        const code *to = bare(c->parts[0]);
        bool inside = false;
        for (VEC_EACH(const int64_t, offset, own))
            inside |= *offset == to->number;
        if (is_number(to) && ((to->op == CODE_LOCAL && !inside) || (to->op == CODE_DEREF && c->op != CODE_ADDRESS)))
            return true;
    }
    for (size_t i = 0; i < c->count; i++)
        if (goes_on(p, c->parts[i], own))
            return true;
    return false;
}

// The first two calls and the last, and all that lies between what they use.
static bool run_loop_of_calls(play *p, const code *c)
{
    enum { WORTH_IT = 8 };
    int64_t variable, by;
    if (p->memo_depth == 0 || p->accesses == NULL || !is_loop_of_calls(c, &variable, &by))
        return false;
    val at = known(pointer_to(p->frame, variable));
    const code *condition = bare(c->parts[1]);
    ctype type = bare(condition->parts[0])->type;
    val begin = load(p, at, type), end = play_eval(p, condition->parts[1]);
    local_list own = {0};
    if (begin.unknown || end.unknown || end.i - begin.i <= WORTH_IT * by || goes_on(p, c->parts[3], &own))
        return false;
    const int64_t numbers[3] = {begin.i, begin.i + by, begin.i + (end.i - begin.i - 1) / by * by};
    access_list here = {0}, *outer = p->accesses;
    p->accesses = &here;
    for (int i = 0; i < 3; i++) {
        store(p, at, type, known(numbers[i]));
        follow(p, c->parts[3]);
    }
    p->accesses = outer;
    store(p, at, type, known(numbers[2] + by));
    for (size_t i = 0; i < here.len; i++) {
        access all = here.data[i];
        bool told = false;
        for (size_t j = 0; j < here.len; j++) {
            const access *b = &here.data[j];
            if (b->view != all.view || b->write != all.write || b->anywhere != all.anywhere)
                continue;
            told |= j < i;
            all.begin = b->begin < all.begin ? b->begin : all.begin;
            all.end = b->end > all.end ? b->end : all.end;
            all.loose |= b->loose;
        }
        if (!told)
            note_access(p, outer, all);
    }
    return true;
}

// Parts of a loop's head are places of their own: they come after the body.
static val eval_head(play *p, const code *c)
{
    if (!p->in_kernel)
        p->where = c;
    return play_eval(p, c);
}

static flow run_loop(play *p, const code *c)
{
    if (c->parts[0] != NULL)
        follow(p, c->parts[0]);
    if (run_loop_of_calls(p, c))
        return FLOW_NEXT;
    for (bool first = true;; first = false) {
        if (c->parts[1] != NULL && !(first && c->detail)) {
            val condition = eval_head(p, c->parts[1]);
            if (condition.unknown)
                play_stop(p);
            if (condition.i == 0)
                return FLOW_NEXT;
        }
        flow f = follow(p, c->parts[3]);
        if (f == FLOW_BREAK)
            return FLOW_NEXT;
        if (f == FLOW_RETURN)
            return f;
        if (c->parts[2] != NULL)
            eval_head(p, c->parts[2]);
    }
}

static bool is_case(play *p, const code *c, int64_t number, bool otherwise)
{
    for (; c->op == CODE_CASE || c->op == CODE_DEFAULT; c = c->parts[c->count - 1]) {
        if (c->op == CODE_DEFAULT && otherwise)
            return true;
        if (c->op == CODE_CASE && !otherwise && play_eval(p, c->parts[0]).i == number)
            return true;
        if (c->count == 0)
            return false;
    }
    return false;
}

static flow run_switch(play *p, const code *c)
{
    val v = play_eval(p, c->parts[0]);
    const code *body = c->parts[c->count - 1];
    if (v.unknown || body->op != CODE_BLOCK)
        play_stop(p);
    for (int otherwise = 0; otherwise < 2; otherwise++)
        for (size_t i = 0; i < body->count; i++)
            if (is_case(p, body->parts[i], v.i, otherwise != 0)) {
                flow f = run_all(p, body, i);
                return f == FLOW_BREAK ? FLOW_NEXT : f;
            }
    return FLOW_NEXT;
}

static flow run_declaration(play *p, const code *c)
{
    val at = known(pointer_to(p->frame, c->number));
    if (c->count == 0)
        fresh_bytes(p, at, c->type.size);
    else if (c->parts[0]->op == CODE_TEXT)
        forget_bytes(p, at, c->type.size);
    else
        store(p, at, c->type, convert(play_eval(p, c->parts[0]), c->type));
    return FLOW_NEXT;
}

static flow follow(play *p, const code *c)
{
    count_step(p);
    if (!p->in_kernel)
        p->where = c;
    switch (c->op) {
    case CODE_BLOCK: return run_all(p, c, 0);
    case CODE_DECLARE: return run_declaration(p, c);
    case CODE_IF: return run_if(p, c);
    case CODE_LOOP: return run_loop(p, c);
    case CODE_SWITCH: return run_switch(p, c);
    case CODE_CASE:
    case CODE_DEFAULT: return c->count > 0 ? follow(p, c->parts[c->count - 1]) : FLOW_NEXT;
    case CODE_RETURN: p->result = c->count > 0 ? play_eval(p, c->parts[0]) : nothing(); return FLOW_RETURN;
    case CODE_BREAK: return FLOW_BREAK;
    case CODE_CONTINUE: return FLOW_CONTINUE;
    default: play_eval(p, c); return FLOW_NEXT;
    }
}

// ---- Calls ----

static uint32_t take_frame(play *p, int64_t bytes)
{
    if (p->depth >= PLAY_DEPTH)
        play_stop(p);
    if (p->depth == p->frames.len)
        VEC_PUSH(p->arena, &p->frames, object_new(p, bytes < 512 ? 512 : bytes, true));
    uint32_t locals = p->frames.data[p->depth++];
    if (p->objects.data[locals].size < bytes) {
        locals = object_new(p, bytes, true);
        p->frames.data[p->depth - 1] = locals;
    }
    memset(p->objects.data[locals].unknown, 1, (size_t)bytes);
    return locals;
}

static val call_plain(play *p, callee *f, const val *arguments, size_t count)
{
    uint32_t before = p->frame, locals = take_frame(p, f->frame);
    for (size_t i = 0; i < f->parameters.len && i < count; i++)
        store(p, known(pointer_to(locals, f->offsets.data[i])), f->parameters.data[i],
              convert(arguments[i], f->parameters.data[i]));
    p->frame = locals;
    p->result = nothing();
    follow(p, f->body);
    val v = p->result;
    if (f->result.shape == SHAPE_RECORD) { // out of the frame
        val at = known(pointer_to(object_new(p, f->result.size, true), 0));
        copy_bytes(p, at, v, known(f->result.size));
        v = at;
    } else {
        v = convert(v, f->result);
    }
    p->depth--;
    p->frame = before;
    return v;
}

// What a function does with the same numbers: accesses from each pointer on, by parameter.
typedef struct memo {
    bool whole; // it could not be followed: all of each block, written unless the parameter says const
    val result;
    access_list accesses;
} memo;

// A key of a call that its arguments' numbers determine; 0 bytes: they do not.
static size_t memo_key(play *p, const callee *f, const val *arguments, size_t count, int64_t *key)
{
    size_t n = 0;
    key[n++] = (int64_t)(uintptr_t)f;
    for (size_t i = 0; i < count; i++) {
        ctype type = f->parameters.data[i];
        int64_t offset;
        if (type.shape == SHAPE_RECORD)
            return 0;
        object *o = type.shape != SHAPE_POINTER || arguments[i].unknown ? NULL : pointed(p, arguments[i].i, &offset);
        if (o != NULL && o->kind == OBJECT_BYTES && (o->global == NULL || !o->global->constant))
            return 0;
        bool block = o != NULL && o->kind == OBJECT_VIEW;
        key[n++] = block ? 1 : arguments[i].unknown ? 2 : 3;
        key[n++] = block || arguments[i].unknown ? 0 : arguments[i].i;
    }
    return n * sizeof *key;
}

static bool is_block_pointer(play *p, ctype type, val v)
{
    int64_t offset;
    const object *o = type.shape != SHAPE_POINTER || v.unknown ? NULL : pointed(p, v.i, &offset);
    return o != NULL && o->kind == OBJECT_VIEW;
}

static void follow_memo(play *p, memo *m, callee *f, const val *arguments, size_t count)
{
    enum { MOST = 24 };
    val own[MOST];
    uint32_t views[MOST] = {0};
    for (size_t i = 0; i < count; i++) {
        own[i] = arguments[i];
        if (is_block_pointer(p, f->parameters.data[i], arguments[i])) {
            views[i] = object_view(p, &(view){0});
            own[i] = known(pointer_to(views[i], 0));
        }
    }
    jmp_buf here, *outer = p->stuck;
    access_list *accesses = p->accesses;
    size_t depth = p->depth, limit = p->limit, memo_depth = p->memo_depth, both = p->both;
    const size_t unsure = p->unsure;
    uint32_t locals = p->frame;
    const code *at = p->at, *caller = p->caller;
    const bool apart = p->apart;
    p->accesses = &m->accesses;
    p->stuck = &here;
    p->memo_depth++;
    if (memo_depth == 0 && p->limit - p->steps > MEMO_STEPS)
        p->limit = p->steps + MEMO_STEPS;
    if (setjmp(here) == 0) {
        m->result = call_plain(p, f, own, count);
        if (f->result.shape == SHAPE_POINTER)
            m->result = nothing();
    } else {
        m->whole = true;
        m->result = nothing();
    }
    p->accesses = accesses;
    p->stuck = outer;
    p->depth = depth;
    p->limit = limit;
    p->memo_depth = memo_depth;
    p->both = both;
    p->unsure = unsure;
    p->frame = locals;
    p->at = at;
    p->caller = caller;
    p->apart = apart;
    simplify_accesses(&m->accesses);
    size_t kept = 0;
    for (VEC_EACH(access, a, &m->accesses)) {
        size_t i = 0;
        while (i < count && views[i] != a->view)
            i++;
        if (i == count)
            continue; // it leads elsewhere than to what it was given
        m->accesses.data[kept] = *a;
        m->accesses.data[kept++].view = (uint32_t)i;
    }
    m->accesses.len = kept;
}

static val call_memo(play *p, callee *f, const val *arguments, size_t count, const int64_t *key, size_t bytes)
{
    memo *m = hmap_getn(&p->memos, key, bytes);
    if (m == NULL) {
        m = ARENA_NEW(p->arena, memo);
        *m = (memo){0};
        follow_memo(p, m, f, arguments, count);
        hmap_setn(&p->memos, key, bytes, m);
    }
    if (m->whole) {
        for (size_t i = 0; i < count; i++)
            if (is_block_pointer(p, f->parameters.data[i], arguments[i])) {
                touch(p, arguments[i], nothing(), false);
                if (!f->parameters.data[i].to_const)
                    touch(p, arguments[i], nothing(), true);
            }
        return m->result;
    }
    for (VEC_EACH(const access, a, &m->accesses)) {
        val from = arguments[a->view];
        from.i += a->anywhere ? 0 : a->begin;
        touch(p, from, a->anywhere ? nothing() : known(a->end - a->begin), a->write);
    }
    return m->result;
}

val play_call(play *p, callee *f, const val *arguments, size_t count)
{
    enum { MOST = 24 };
    tree_build(&p->tree, f);
    if (f->body == NULL || f->frame > 1 << 26)
        play_stop(p);
    int64_t key[2 * MOST + 1];
    bool could = p->in_kernel && count == f->parameters.len && count <= MOST && count > 0;
    size_t bytes = could ? memo_key(p, f, arguments, count, key) : 0;
    return bytes > 0 ? call_memo(p, f, arguments, count, key, bytes) : call_plain(p, f, arguments, count);
}
