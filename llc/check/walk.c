// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements and functions of control code, in the order of execution.
#include <string.h>

#include "llc/check/model.h"
#include "llc/reader/reader.h"

typedef enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN } flow;

static flow walk(checker *c, CXCursor statement);

static const context *enter(checker *c, context_kind kind)
{
    const context *before = c->context;
    context *inner = ARENA_NEW(c->arena, context);
    *inner = (context){.parent = before, .kind = kind};
    c->context = inner;
    return before;
}

// ---- Branches ----

// Both ways of a condition that is not known. second may be null.
static flow walk_both(checker *c, CXCursor first, CXCursor second)
{
    branch b;
    branch_begin(c, &b);
    const context *before = enter(c, CONTEXT_BRANCH);
    flow x = walk(c, first), y = FLOW_NEXT;
    c->context = before;
    branch_turn(c, &b);
    if (!clang_Cursor_isNull(second)) {
        enter(c, CONTEXT_BRANCH);
        y = walk(c, second);
        c->context = before;
    }
    branch_end(c, &b);
    if (x == y)
        return x;
    enter(c, CONTEXT_REST);
    return FLOW_NEXT;
}

static flow walk_if(checker *c, const cursor_list *parts)
{
    if (parts->len < 2)
        return FLOW_NEXT;
    value condition = eval(c, parts->data[0]);
    CXCursor other = parts->len > 2 ? parts->data[2] : clang_getNullCursor();
    if (condition.kind == VALUE_UNKNOWN)
        return walk_both(c, parts->data[1], other);
    if (condition.kind != VALUE_INT || condition.number != 0)
        return walk(c, parts->data[1]);
    return clang_Cursor_isNull(other) ? FLOW_NEXT : walk(c, other);
}

// ---- Loops ----

// A loop's parts; null where there is none.
typedef struct loop {
    CXCursor condition, increment, body;
    bool body_first;
    cursor_list loose; // parts of a for of which it is not known which they are
} loop;

static value loop_condition(checker *c, const loop *l)
{
    return clang_Cursor_isNull(l->condition) ? (l->loose.len > 0 ? (value){0} : value_int(1)) : eval(c, l->condition);
}

static flow loop_pass(checker *c, const loop *l)
{
    for (VEC_EACH(CXCursor, part, &l->loose))
        eval(c, *part);
    const context *before = c->context;
    flow f = walk(c, l->body);
    c->context = before;
    if (!clang_Cursor_isNull(l->increment) && f != FLOW_BREAK && f != FLOW_RETURN)
        eval(c, l->increment);
    return f;
}

// The body may run any number of times: once for what it changes, then twice.
static flow walk_unknown_loop(checker *c, const loop *l)
{
    const context *before = enter(c, CONTEXT_LOOP), *inside = c->context;
    for (int pass = 0; pass < 3; pass++) {
        branch b;
        branch_begin(c, &b);
        c->context = inside;
        c->silent += pass == 0;
        loop_pass(c, l);
        loop_condition(c, l);
        c->silent -= pass == 0;
        branch_turn(c, &b);
        branch_end(c, &b);
    }
    c->context = before;
    return FLOW_NEXT;
}

// Follows the iterations one by one as long as the condition is known.
static flow walk_iterations(checker *c, const loop *l)
{
    for (int i = 0;; i++) {
        value condition = l->body_first && i == 0 ? value_int(1) : loop_condition(c, l);
        if (condition.kind == VALUE_INT && condition.number == 0)
            return FLOW_NEXT;
        if (condition.kind == VALUE_UNKNOWN || i == MAX_UNROLL || l->loose.len > 0 || !step(c))
            return walk_unknown_loop(c, l);
        flow f = loop_pass(c, l);
        if (f == FLOW_BREAK)
            return FLOW_NEXT;
        if (f == FLOW_RETURN)
            return f;
    }
}

static flow walk_loop(checker *c, const loop *l)
{
    const context *before = enter(c, CONTEXT_COUNTED);
    flow f = walk_iterations(c, l);
    c->context = before;
    return f;
}

static flow walk_for(checker *c, const cursor_list *parts)
{
    CXCursor none = clang_getNullCursor();
    if (parts->len == 0)
        return FLOW_NEXT;
    loop l = {.condition = none, .increment = none, .body = VEC_LAST(parts)};
    if (parts->len == 4) {
        walk(c, parts->data[0]);
        l.condition = parts->data[1];
        l.increment = parts->data[2];
    } else {
        for (size_t i = 0; i + 1 < parts->len; i++) {
            if (clang_getCursorKind(parts->data[i]) == CXCursor_DeclStmt)
                walk(c, parts->data[i]);
            else
                VEC_PUSH(c->arena, &l.loose, parts->data[i]);
        }
    }
    return walk_loop(c, &l);
}

// All cases in order, each in a context of its own.
static flow walk_switch(checker *c, const cursor_list *parts)
{
    if (parts->len < 2)
        return FLOW_NEXT;
    eval(c, parts->data[0]);
    const cursor_list *body = children_of(c, VEC_LAST(parts));
    const context *before = c->context;
    for (VEC_EACH(CXCursor, statement, body)) {
        branch b;
        branch_begin(c, &b);
        enter(c, CONTEXT_BRANCH);
        walk(c, *statement);
        c->context = before;
        branch_turn(c, &b);
        branch_end(c, &b);
    }
    return FLOW_NEXT;
}

// ---- Declarations ----

static void walk_variable(checker *c, CXCursor variable)
{
    node *n = node_of_variable(c, variable);
    CXCursor initialiser = clang_Cursor_getVarDeclInitializer(variable);
    if (clang_Cursor_getStorageClass(variable) == CX_SC_Static ||
        clang_Cursor_getStorageClass(variable) == CX_SC_Extern)
        return; // walk_globals has done it
    node_forget(c, n);
    if (!clang_Cursor_isNull(initialiser))
        eval_initialiser(c, n, initialiser);
}

static flow walk_declarations(checker *c, const cursor_list *declarations)
{
    for (VEC_EACH(CXCursor, d, declarations))
        if (clang_getCursorKind(*d) == CXCursor_VarDecl)
            walk_variable(c, *d);
    return FLOW_NEXT;
}

// ---- Statements ----

static flow walk_all(checker *c, const cursor_list *statements)
{
    for (VEC_EACH(CXCursor, s, statements)) {
        flow f = walk(c, *s);
        if (f != FLOW_NEXT)
            return f;
    }
    return FLOW_NEXT;
}

static flow walk_return(checker *c, const cursor_list *parts)
{
    frame *f = (frame *)c->frame;
    value v = parts->len == 1 ? eval(c, parts->data[0]) : (value){0};
    if (f == NULL)
        return FLOW_RETURN;
    if (f->returned && !value_same(&f->result, &v))
        v = (value){0};
    f->result = v;
    f->returned = true;
    return FLOW_RETURN;
}

static flow walk(checker *c, CXCursor statement)
{
    if (!step(c))
        return FLOW_NEXT;
    enum CXCursorKind kind = clang_getCursorKind(statement);
    const cursor_list *parts = children_of(c, statement);
    switch (kind) {
    case CXCursor_CompoundStmt: return walk_all(c, parts);
    case CXCursor_DeclStmt: return walk_declarations(c, parts);
    case CXCursor_IfStmt: return walk_if(c, parts);
    case CXCursor_ForStmt: return walk_for(c, parts);
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt: {
        bool body_first = kind == CXCursor_DoStmt;
        if (parts->len != 2)
            return FLOW_NEXT;
        loop l = {.condition = parts->data[body_first ? 1 : 0],
                  .increment = clang_getNullCursor(),
                  .body = parts->data[body_first ? 0 : 1],
                  .body_first = body_first};
        return walk_loop(c, &l);
    }
    case CXCursor_SwitchStmt: return walk_switch(c, parts);
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
    case CXCursor_LabelStmt: return parts->len > 0 ? walk(c, VEC_LAST(parts)) : FLOW_NEXT;
    case CXCursor_ReturnStmt: return walk_return(c, parts);
    case CXCursor_BreakStmt: return FLOW_BREAK;
    case CXCursor_ContinueStmt: return FLOW_CONTINUE;
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt: give_up(c, statement); return FLOW_NEXT;
    default: break;
    }
    if (clang_isExpression(kind))
        eval(c, statement);
    return FLOW_NEXT;
}

// ---- Functions ----

static CXCursor body_of(checker *c, CXCursor function)
{
    const cursor_list *parts = children_of(c, function);
    for (size_t i = parts->len; i > 0; i--)
        if (clang_getCursorKind(parts->data[i - 1]) == CXCursor_CompoundStmt)
            return parts->data[i - 1];
    return clang_getNullCursor();
}

value walk_call(checker *c, CXCursor function, const value *arguments, size_t count, src_range at)
{
    for (const frame *f = c->frame; f != NULL; f = f->caller)
        if (clang_equalCursors(f->function, function)) {
            give_up(c, function);
            return (value){0};
        }
    if (c->depth >= MAX_DEPTH || !step(c)) {
        give_up(c, function);
        return (value){0};
    }
    int parameters = clang_Cursor_getNumArguments(function);
    for (int i = 0; i < parameters; i++) {
        node *n = node_of_variable(c, clang_Cursor_getArgument(function, (unsigned)i));
        node_forget(c, n);
        if ((size_t)i < count)
            node_set(c, n, arguments[i]);
    }
    frame f = {.caller = c->frame, .function = function, .at = at};
    const context *before = enter(c, CONTEXT_CALL);
    c->frame = &f;
    c->depth++;
    walk(c, body_of(c, function));
    c->depth--;
    c->frame = f.caller;
    c->context = before;
    return f.result;
}

// ---- Roots ----

typedef struct survey {
    checker *checker;
    cursor_list functions; // that the file defines
    cursor_list variables; // with static storage
} survey;

static enum CXChildVisitResult survey_body(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    survey *s = data;
    checker *c = s->checker;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_CallExpr) {
        CXCursor function = clang_getCursorReferenced(cursor);
        if (clang_getCursorKind(function) == CXCursor_FunctionDecl) {
            const void *key = clang_getCanonicalCursor(function).data[0];
            hmap_setn(&c->called, &key, sizeof key, c);
        }
    } else if (kind == CXCursor_VarDecl && clang_Cursor_getStorageClass(cursor) == CX_SC_Static) {
        VEC_PUSH(c->arena, &s->variables, cursor);
    }
    return CXChildVisit_Recurse;
}

static enum CXChildVisitResult survey_file(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    survey *s = data;
    if (reader_is_foreign(cursor))
        return CXChildVisit_Continue;
    if (clang_getCursorKind(cursor) == CXCursor_VarDecl)
        VEC_PUSH(s->checker->arena, &s->variables, cursor);
    if (clang_getCursorKind(cursor) != CXCursor_FunctionDecl || !clang_isCursorDefinition(cursor))
        return CXChildVisit_Continue;
    VEC_PUSH(s->checker->arena, &s->functions, cursor);
    clang_visitChildren(cursor, survey_body, s);
    return CXChildVisit_Continue;
}

// Static data as the program begins.
static void walk_globals(checker *c, const cursor_list *variables)
{
    for (VEC_EACH(CXCursor, v, variables)) {
        CXCursor initialiser = clang_Cursor_getVarDeclInitializer(*v);
        if (!clang_Cursor_isNull(initialiser))
            eval_initialiser(c, node_of_variable(c, *v), initialiser);
    }
}

static void forget_numbers(checker *c, node *n)
{
    if (n->value.kind == VALUE_INT && clang_isConstQualifiedType(n->type) == 0)
        n->value = (value){0};
    for (node *child = n->first; child != NULL; child = child->next)
        forget_numbers(c, child);
}

// Another root may have run any number of times before this one: numbers that it left are not known.
static void forget_all_numbers(checker *c)
{
    for (size_t i = 0; i < c->variables.len; i++)
        forget_numbers(c, c->variables.entries[i].value);
    for (size_t i = 0; i < c->instances.len; i++)
        forget_numbers(c, c->instances.entries[i].value);
}

static void walk_root(checker *c, CXCursor function)
{
    hmap_init(&c->instance_users, c->arena);
    c->context = NULL;
    enter(c, CONTEXT_ROOT);
    c->thread = c->threads++;
    walk_call(c, function, NULL, 0, (src_range){0});
}

static bool is_main(checker *c, CXCursor function)
{
    return strcmp(reader_string(c->session, clang_getCursorSpelling(function)), "main") == 0;
}

// A function that may be called from outside: no kernel, and nothing in the file calls it.
static bool is_root(checker *c, CXCursor function)
{
    for (VEC_EACH(llc_function, f, &c->unit->functions))
        if (clang_equalCursors(f->cursor, function) && f->role != LLC_CONTROL)
            return false;
    const void *key = clang_getCanonicalCursor(function).data[0];
    return hmap_getn(&c->called, &key, sizeof key) == NULL;
}

void walk_unit(checker *c)
{
    survey s = {.checker = c};
    clang_visitChildren(clang_getTranslationUnitCursor(c->unit->tu), survey_file, &s);
    walk_globals(c, &s.variables);
    for (VEC_EACH(CXCursor, f, &s.functions))
        if (is_main(c, *f)) {
            c->main_found = true;
            c->main_function = *f;
            walk_root(c, *f);
        }
    for (VEC_EACH(CXCursor, f, &s.functions))
        if (!is_main(c, *f) && is_root(c, *f)) {
            forget_all_numbers(c);
            walk_root(c, *f);
        }
}
