// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of the program and what is stored in them.
#include <string.h>

#include "llc/check/model.h"
#include "llc/reader/reader.h"

static node *new_node(checker *c, node *parent, const char *name, CXType type)
{
    node *n = ARENA_NEW(c->arena, node);
    *n = (node){.parent = parent, .name = name, .index = -1, .type = clang_getCanonicalType(type)};
    n->vague = parent != NULL && parent->vague;
    n->serial = c->nodes++;
    if (c->nodes > MAX_NODES)
        c->incomplete = true;
    if (parent != NULL) {
        n->next = parent->first;
        parent->first = n;
    }
    return n;
}

node *node_of_variable(checker *c, CXCursor declaration)
{
    CXCursor canonical = clang_getCanonicalCursor(declaration);
    const void *key = canonical.data[0];
    node *n = hmap_getn(&c->variables, &key, sizeof key);
    if (n == NULL) {
        n = new_node(c, NULL, reader_string(c->session, clang_getCursorSpelling(declaration)),
                     clang_getCursorType(declaration));
        n->own = clang_getCursorKind(declaration) == CXCursor_VarDecl &&
                 clang_getCursorLinkage(declaration) != CXLinkage_External;
        hmap_setn(&c->variables, &key, sizeof key, n);
    }
    return n;
}

node *node_temporary(checker *c, CXType type)
{
    return new_node(c, NULL, "(temporary)", type);
}

node *node_instance(checker *c, CXType pointee, CXCursor user)
{
    char *type =
        reader_string(c->session, clang_getTypeSpelling(clang_getUnqualifiedType(clang_getCanonicalType(pointee))));
    bool vague = clang_Cursor_isNull(user) || hmap_get(&c->instance_users, type) != NULL;
    if (!vague)
        hmap_set(&c->instance_users, type, c);
    const char *key = arena_printf(c->arena, "%s%s", vague ? "?" : "", type);
    node *n = hmap_get(&c->instances, key);
    if (n == NULL) {
        const char *space = strrchr(type, ' ');
        n = new_node(c, NULL, space == NULL ? type : space + 1, pointee);
        n->vague = vague;
        hmap_set(&c->instances, key, n);
    }
    return n;
}

node *node_find_field(const node *of, const char *name)
{
    for (node *n = of->first; n != NULL; n = n->next)
        if (n->name != NULL && strcmp(n->name, name) == 0)
            return n;
    return NULL;
}

node *node_field(checker *c, node *of, const char *name, CXType type)
{
    node *n = node_find_field(of, name);
    return n != NULL ? n : new_node(c, of, name, type);
}

node *node_element(checker *c, node *of, int64_t index, CXType type)
{
    for (node *n = of->first; n != NULL; n = n->next)
        if (n->name == NULL && n->index == index)
            return n;
    node *n = new_node(c, of, NULL, type);
    n->index = index;
    n->vague = n->vague || index < 0;
    return n;
}

node *node_neighbour(checker *c, node *element, int64_t steps)
{
    if (element->parent == NULL || element->name != NULL)
        return NULL;
    int64_t index;
    bool known = element->index >= 0 && !__builtin_add_overflow(element->index, steps, &index) && index >= 0;
    return node_element(c, element->parent, known ? index : -1, element->type);
}

bool value_same(const value *a, const value *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case VALUE_UNKNOWN: return true;
    case VALUE_INT: return a->number == b->number;
    case VALUE_ADDRESS: return a->place == b->place;
    case VALUE_REGION: return a->region == b->region && a->number == b->number;
    case VALUE_FUNCTION: return clang_equalCursors(a->function, b->function) != 0;
    }
    return false;
}

static void set_raw(checker *c, node *n, value v)
{
    if (c->branches > 0)
        VEC_PUSH(c->arena, &c->changes, (change){n, n->value});
    n->value = v;
}

// What is stored at a vague place may be stored at any place like it: those become unknown.
void node_set(checker *c, node *n, value v)
{
    if (!n->vague) {
        set_raw(c, n, v);
        return;
    }
    if (n->value.kind != VALUE_UNKNOWN && !value_same(&n->value, &v))
        v = (value){0};
    set_raw(c, n, v);
    if (n->parent == NULL || n->name != NULL)
        return;
    for (node *sibling = n->parent->first; sibling != NULL; sibling = sibling->next)
        if (sibling != n && sibling->name == NULL)
            node_forget(c, sibling);
}

void node_forget(checker *c, node *n)
{
    if (n->value.kind != VALUE_UNKNOWN)
        set_raw(c, n, (value){0});
    for (node *child = n->first; child != NULL; child = child->next)
        node_forget(c, child);
}

void node_copy(checker *c, node *to, const node *from)
{
    if (to == from)
        return;
    node_forget(c, to);
    node_set(c, to, from->value);
    for (const node *child = from->first; child != NULL; child = child->next) {
        if (!step(c))
            return;
        node_copy(c,
                  child->name != NULL ? node_field(c, to, child->name, child->type)
                                      : node_element(c, to, child->index, child->type),
                  child);
    }
}

// ---- Branches ----

void branch_begin(checker *c, branch *b)
{
    c->branches++;
    *b = (branch){.begin = c->changes.len};
}

// Takes back the changes since the branch began, keeping what the places held at last.
static void take_back(checker *c, size_t begin, change_list *after)
{
    for (size_t i = begin; i < c->changes.len; i++) {
        node *place = c->changes.data[i].place;
        VEC_PUSH(c->arena, after, (change){place, place->value});
    }
    for (size_t i = c->changes.len; i > begin; i--)
        c->changes.data[i - 1].place->value = c->changes.data[i - 1].value;
    c->changes.len = begin;
}

void branch_turn(checker *c, branch *b)
{
    take_back(c, b->begin, &b->first);
}

static void merge(checker *c, const branch *b)
{
    size_t mark = ++c->merges, second = c->changes.len;
    for (VEC_EACH(change, f, &b->first)) {
        f->place->mark = mark;
        if (!value_same(&f->value, &f->place->value))
            set_raw(c, f->place, (value){0});
    }
    for (size_t i = b->begin; i < second; i++) {
        change before = c->changes.data[i];
        if (before.place->mark == mark)
            continue;
        before.place->mark = mark;
        if (!value_same(&before.value, &before.place->value))
            set_raw(c, before.place, (value){0});
    }
}

void branch_end(checker *c, branch *b)
{
    merge(c, b);
    if (--c->branches == 0)
        c->changes.len = 0;
}

// ---- Texts ----

static void add_text(checker *c, strbuf *b, const node *n)
{
    if (n->parent != NULL)
        add_text(c, b, n->parent);
    if (n->name == NULL && n->index >= 0)
        strbuf_printf(b, "[%lld]", (long long)n->index);
    else if (n->name == NULL)
        strbuf_add(b, "[...]");
    else
        strbuf_printf(b, "%s%s", n->parent == NULL ? "" : ".", n->name);
}

const char *node_text(checker *c, const node *n)
{
    strbuf b;
    strbuf_init(&b, c->arena);
    // A kernel is known by the object that encloses it.
    bool inner = n->parent != NULL && n->name != NULL && is_record(n->type, "svm_Kernel");
    add_text(c, &b, inner ? n->parent : n);
    return b.data;
}

bool is_record(CXType type, const char *name)
{
    type = clang_getCanonicalType(type);
    if (type.kind != CXType_Record)
        return false;
    CXString spelling = clang_getCursorSpelling(clang_getTypeDeclaration(type));
    bool same = strcmp(clang_getCString(spelling), name) == 0;
    clang_disposeString(spelling);
    return same;
}
