// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls in control code: those to functions of the file are followed, those to the API become events, others may change
// what they get the address of.
#include <string.h>

#include "llc/check/model.h"
#include "llc/reader/reader.h"

typedef enum effect {
    EFFECT_NONE, // no row
    EFFECT_ALLOC,
    EFFECT_MAP,
    EFFECT_NOTHING,
    EFFECT_OUTPUT, // changes what pointers point to
    EFFECT_BLOCK,
    EFFECT_STREAM,
    EFFECT_FIFO,
    EFFECT_DESTROY_STREAM,
    EFFECT_CONTROL_IO,
    EFFECT_KERNEL,
    EFFECT_DEPEND,
    EFFECT_RUN,
    EFFECT_WAIT,
    EFFECT_WAIT_MULTIPLE,
    EFFECT_PAUSE,
    EFFECT_END,
    EFFECT_ASK,
    EFFECT_THREAD,
    EFFECT_MEETING // control threads wait for each other
} effect;

typedef struct call_row {
    const char *function;
    effect effect;
} call_row;

static const call_row call_rows[] = {
#define CALL(function, effect) {#function, EFFECT_##effect},
#include "llc/check/api_calls.def"
#undef CALL
};

enum { MAX_ARGUMENTS = 16 };

typedef struct call {
    CXCursor cursor, function;
    size_t count;
    CXCursor expressions[MAX_ARGUMENTS];
    value values[MAX_ARGUMENTS];
} call;

// svm_fAt is what the headers make of svm_f.
static bool is_name(const char *called, const char *name)
{
    size_t n = strlen(name);
    return strncmp(called, name, n) == 0 && (called[n] == '\0' || strcmp(called + n, "At") == 0);
}

static effect effect_of(const char *name)
{
    for (size_t i = 0; i < sizeof call_rows / sizeof *call_rows; i++)
        if (is_name(name, call_rows[i].function))
            return call_rows[i].effect;
    return EFFECT_NONE;
}

bool call_is_harmless(const char *name)
{
    effect e = effect_of(name);
    return e == EFFECT_NOTHING || e == EFFECT_OUTPUT;
}

// ---- Events ----

static event *add_event(checker *c, event_kind kind, node *object, CXCursor at)
{
    event *e = VEC_ADD(c->arena, &c->events);
    *e = (event){.kind = kind, .object = object, .context = c->context, .thread = c->thread};
    e->at = reader_range(c->session, at);
    e->from = c->frame == NULL ? (src_range){0} : c->frame->at;
    bool loose = object == NULL || object->vague;
    VEC_PUSH(c->arena, loose ? &c->loose : &object->events, c->events.len - 1);
    return e;
}

void give_up(checker *c, CXCursor at)
{
    c->incomplete = true;
    if (c->silent == 0)
        add_event(c, EVENT_CONTROL_IO, NULL, at);
}

// The variable of SVM_MEMORY or SVM_PROCESSOR that a pointer points to.
static const llc_name *named(const checker *c, value v)
{
    if (v.kind != VALUE_ADDRESS || v.place->parent != NULL || v.place->name == NULL)
        return NULL;
    for (VEC_EACH(llc_name, n, &c->unit->names))
        if (strcmp(n->name, v.place->name) == 0)
            return n;
    return NULL;
}

typedef struct first_field {
    CXCursor field;
} first_field;

static enum CXVisitorResult take_first(CXCursor field, CXClientData data)
{
    ((first_field *)data)->field = field;
    return CXVisit_Break;
}

// The svm_Kernel that a pointer to it, or to the object that encloses it, points to.
static node *kernel_of(checker *c, value v)
{
    node *n = v.kind == VALUE_ADDRESS ? v.place : NULL;
    for (int depth = 0; n != NULL && depth < 8; depth++) {
        if (is_record(n->type, "svm_Kernel"))
            return n;
        first_field first = {clang_getNullCursor()};
        if (n->type.kind == CXType_Record)
            clang_Type_visitFields(n->type, take_first, &first);
        if (clang_Cursor_isNull(first.field))
            return NULL;
        char *name = reader_string(c->session, clang_getCursorSpelling(first.field));
        n = node_field(c, n, name, clang_getCursorType(first.field));
    }
    return NULL;
}

static node *object_of(value v)
{
    return v.kind == VALUE_ADDRESS ? v.place : NULL;
}

static value take_region(checker *c, const call *k, size_t bytes_at)
{
    src_range at = reader_range(c->session, k->cursor);
    struct {
        uint32_t file, begin;
    } key = {at.file, at.begin};
    region *r = hmap_getn(&c->regions, &key, sizeof key);
    const llc_name *memory = named(c, k->values[0]);
    value bytes = k->values[bytes_at];
    int64_t size = bytes.kind == VALUE_INT ? bytes.number : -1;
    if (r == NULL) {
        r = ARENA_NEW(c->arena, region);
        *r = (region){memory == NULL ? NULL : memory->memory, size, at};
        hmap_setn(&c->regions, &key, sizeof key, r);
    } else if (r->bytes != size) {
        // Another size at the same place: a region of its own, so that both are checked by theirs.
        region *other = ARENA_NEW(c->arena, region);
        *other = (region){memory == NULL ? NULL : memory->memory, size, at};
        r = other;
    }
    return (value){.kind = VALUE_REGION, .region = r};
}

static void add_placed(checker *c, event_kind kind, const call *k)
{
    event *e = add_event(c, kind, object_of(k->values[0]), k->cursor);
    e->memory = named(c, k->values[1]);
    e->address = k->values[2];
    e->capacity = k->values[3];
    e->element_size = k->values[4];
}

// A stream in a hardware queue begins at its begin.
static void add_fifo(checker *c, const call *k)
{
    event *e = add_event(c, EVENT_STREAM, object_of(k->values[0]), k->cursor);
    e->memory = named(c, k->values[1]);
    e->fifo = true;
    e->address = value_int(0);
    e->capacity = k->values[2];
    e->element_size = k->values[3];
}

static void add_kernel(checker *c, const call *k)
{
    event *e = add_event(c, EVENT_KERNEL, kernel_of(c, k->values[0]), k->cursor);
    e->processor = named(c, k->values[1]);
    if (k->values[2].kind == VALUE_FUNCTION)
        e->class = class_of_function(c, k->values[2].function);
}

static void add_run(checker *c, const call *k)
{
    node *kernel = kernel_of(c, k->values[0]);
    event *e = add_event(c, EVENT_RUN, kernel, k->cursor);
    collect_uses(c, e, initialisation_of(c, kernel, e));
}

static void add_waits(checker *c, const call *k)
{
    node *first = object_of(k->values[1]);
    value count = k->values[0];
    if (first == NULL || count.kind != VALUE_INT || count.number > MAX_UNROLL * 16) {
        if (count.kind != VALUE_INT || count.number != 0)
            add_event(c, EVENT_WAIT, NULL, k->cursor);
        return;
    }
    for (int64_t i = 0; i < count.number; i++) {
        node *element = i == 0 ? first : node_neighbour(c, first, i);
        value kernel = element == NULL ? (value){0} : element->value;
        add_event(c, EVENT_WAIT, kernel_of(c, kernel), k->cursor);
    }
}

// A function as a control thread of its own. What it does comes here in the order of events, but may happen at any
// time.
static void follow_thread(checker *c, const call *k)
{
    bool known = k->count >= 4 && k->values[2].kind == VALUE_FUNCTION;
    CXCursor function = known ? clang_getCursorDefinition(k->values[2].function) : clang_getNullCursor();
    if (clang_Cursor_isNull(function)) {
        give_up(c, k->cursor);
        return;
    }
    const void *key = clang_getCanonicalCursor(function).data[0];
    hmap_setn(&c->called, &key, sizeof key, c);
    unsigned thread = c->thread;
    const frame *outer = c->frame;
    c->thread = c->threads++;
    c->frame = NULL;
    walk_call(c, function, &k->values[3], 1, (src_range){0});
    c->frame = outer;
    c->thread = thread;
}

// ---- DMA kernels ----

static bool is_transfer(const call *k, const char *name)
{
    if (strncmp(name, "svm_", 4) != 0 || clang_Cursor_getNumArguments(k->function) < 3)
        return false;
    CXType first = clang_getCanonicalType(clang_getCursorType(clang_Cursor_getArgument(k->function, 0)));
    CXType object = clang_getCanonicalType(clang_getPointeeType(first));
    if (object.kind != CXType_Record || is_record(object, "svm_Kernel") || strstr(name, "Init") == NULL)
        return false;
    first_field field = {clang_getNullCursor()};
    clang_Type_visitFields(object, take_first, &field);
    return !clang_Cursor_isNull(field.field) && is_record(clang_getCursorType(field.field), "svm_Kernel");
}

static void add_transfer(checker *c, const call *k)
{
    node *kernel = kernel_of(c, k->values[0]);
    event *e = add_event(c, EVENT_KERNEL, kernel, k->cursor);
    e->processor = named(c, k->values[1]);
    CXType type =
        clang_getPointeeType(clang_getCanonicalType(clang_getCursorType(clang_Cursor_getArgument(k->function, 0))));
    e->class = class_of_transfer(c, clang_getCanonicalType(type));
    for (size_t i = 2; kernel != NULL && kernel->parent != NULL && i < k->count; i++) {
        CXCursor parameter = clang_Cursor_getArgument(k->function, (unsigned)i);
        char *field = reader_string(c->session, clang_getCursorSpelling(parameter));
        if (strcmp(field, "file") != 0 && strcmp(field, "line") != 0)
            node_set(c, node_field(c, kernel->parent, field, clang_getCursorType(parameter)), k->values[i]);
    }
}

// ---- Calls ----

// What may be changed through a pointer: the array or object that it points into.
static void forget_pointed(checker *c, value v)
{
    if (v.kind != VALUE_ADDRESS)
        return;
    node *n = v.place;
    node_forget(c, n->parent != NULL && n->name == NULL ? n->parent : n);
}

static void forget_arguments(checker *c, const call *k)
{
    for (size_t i = 0; i < k->count; i++)
        forget_pointed(c, k->values[i]);
}

// A function of which nothing is known may run and wait for kernels that it can get at.
static void unknown_call(checker *c, const call *k)
{
    bool pointers = false;
    for (size_t i = 0; i < k->count; i++)
        pointers = pointers || k->values[i].kind == VALUE_ADDRESS || k->values[i].kind == VALUE_UNKNOWN;
    forget_arguments(c, k);
    if (pointers)
        give_up(c, k->cursor);
}

static value api_call(checker *c, const call *k, const char *name)
{
    effect what = effect_of(name);
    bool silent = c->silent > 0;
    if (what == EFFECT_ALLOC && k->count >= 2)
        return take_region(c, k, 1);
    if (what == EFFECT_MAP && k->count >= 3)
        return take_region(c, k, 2);
    if (what == EFFECT_NONE && is_transfer(k, name)) {
        if (!silent)
            add_transfer(c, k);
        return (value){0};
    }
    if (what == EFFECT_OUTPUT || what == EFFECT_CONTROL_IO || what == EFFECT_NONE)
        for (size_t i = 1; i < k->count; i++)
            forget_pointed(c, k->values[i]);
    if (silent)
        return (value){0};
    switch (what) {
    case EFFECT_NONE: give_up(c, k->cursor); break;
    case EFFECT_BLOCK:
    case EFFECT_STREAM:
        if (k->count >= 5)
            add_placed(c, what == EFFECT_BLOCK ? EVENT_BLOCK : EVENT_STREAM, k);
        break;
    case EFFECT_FIFO:
        if (k->count >= 4)
            add_fifo(c, k);
        break;
    case EFFECT_DESTROY_STREAM: add_event(c, EVENT_DESTROY, object_of(k->values[0]), k->cursor); break;
    case EFFECT_KERNEL:
        if (k->count >= 3)
            add_kernel(c, k);
        break;
    case EFFECT_DEPEND: {
        node *on = kernel_of(c, k->values[1]);
        add_event(c, EVENT_DEPEND, kernel_of(c, k->values[0]), k->cursor)->other = on;
        break;
    }
    case EFFECT_RUN: add_run(c, k); break;
    case EFFECT_WAIT: add_event(c, EVENT_WAIT, kernel_of(c, k->values[0]), k->cursor); break;
    case EFFECT_WAIT_MULTIPLE: add_waits(c, k); break;
    case EFFECT_PAUSE: add_event(c, EVENT_PAUSE, kernel_of(c, k->values[0]), k->cursor); break;
    case EFFECT_END: add_event(c, EVENT_END, kernel_of(c, k->values[0]), k->cursor); break;
    case EFFECT_ASK: add_event(c, EVENT_ASK, kernel_of(c, k->values[0]), k->cursor); break;
    case EFFECT_CONTROL_IO: add_event(c, EVENT_CONTROL_IO, object_of(k->values[0]), k->cursor); break;
    case EFFECT_MEETING: add_event(c, EVENT_CONTROL_IO, NULL, k->cursor); break;
    case EFFECT_THREAD: follow_thread(c, k); break;
    default: break;
    }
    return (value){0};
}

static void take_arguments(checker *c, call *k)
{
    int count = clang_Cursor_getNumArguments(k->cursor);
    for (int i = 0; i < count; i++) {
        CXCursor argument = clang_Cursor_getArgument(k->cursor, (unsigned)i);
        value v = eval(c, argument);
        if (i >= MAX_ARGUMENTS) {
            forget_pointed(c, v);
            continue;
        }
        k->expressions[i] = argument;
        k->values[i] = v;
        k->count++;
    }
}

value call_evaluate(checker *c, CXCursor cursor)
{
    call k = {.cursor = cursor, .function = clang_getCursorReferenced(cursor)};
    if (clang_getCursorKind(k.function) != CXCursor_FunctionDecl) {
        // Through a pointer: followed where it is known.
        const cursor_list *parts = children_of(c, cursor);
        value f = parts->len > 0 ? eval(c, parts->data[0]) : (value){0};
        take_arguments(c, &k);
        if (f.kind != VALUE_FUNCTION) {
            c->elsewhere = true;
            unknown_call(c, &k);
            return (value){0};
        }
        k.function = f.function;
    } else {
        take_arguments(c, &k);
    }
    char *name = reader_string(c->session, clang_getCursorSpelling(k.function));
    CXCursor definition = clang_getCursorDefinition(k.function);
    if (!clang_Cursor_isNull(definition) && !reader_is_foreign(definition))
        return walk_call(c, definition, k.values, k.count, reader_range(c->session, cursor));
    if (reader_is_foreign(k.function) && strncmp(name, "svm_", 4) == 0)
        return api_call(c, &k, name);
    c->elsewhere |= !reader_is_foreign(k.function);
    if (reader_is_foreign(k.function))
        forget_arguments(c, &k);
    else
        unknown_call(c, &k);
    return (value){0};
}
