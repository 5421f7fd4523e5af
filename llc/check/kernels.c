// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels do with streams, as far as their functions show it.
#include <string.h>

#include "llc/check/model.h"
#include "llc/reader/reader.h"

typedef enum call_phase { PHASE_NONE, PHASE_ACQUIRE, PHASE_RELEASE } call_phase;
typedef struct stream_call {
    const char *function;
    stream_role role;
    call_phase phase;
} stream_call;

static const stream_call stream_calls[] = {
#define STREAM_CALL(function, role, phase) {#function, ROLE_##role, PHASE_##phase},
#include "llc/check/stream_calls.def"
#undef STREAM_CALL
};

typedef struct use_search {
    checker *checker;
    kernel_class *class;
    hmap reached;          // functions of the file
    cursor_list functions; // the same
} use_search;

// ---- Kernels of the program ----

static const stream_call *find_stream_call(const char *name)
{
    for (size_t i = 0; i < sizeof stream_calls / sizeof *stream_calls; i++) {
        size_t n = strlen(stream_calls[i].function);
        if (strncmp(name, stream_calls[i].function, n) == 0 && (name[n] == '\0' || strcmp(name + n, "At") == 0))
            return &stream_calls[i];
    }
    return NULL;
}

static CXCursor last_expression(checker *c, CXCursor cursor)
{
    const cursor_list *children = children_of(c, cursor);
    return children->len == 0 ? clang_getNullCursor() : VEC_LAST(children);
}

// The field of the kernel's struct that a stream argument comes from: self->in, or a local variable that begins as
// that.
static CXCursor field_of(checker *c, CXCursor argument)
{
    for (int depth = 0; depth < 32 && !clang_Cursor_isNull(argument); depth++) {
        CXCursor referenced = clang_getCursorReferenced(argument);
        switch (clang_getCursorKind(argument)) {
        case CXCursor_MemberRefExpr: return referenced;
        case CXCursor_DeclRefExpr:
            if (clang_getCursorKind(referenced) != CXCursor_VarDecl)
                return clang_getNullCursor();
            argument = clang_Cursor_getVarDeclInitializer(referenced);
            break;
        case CXCursor_ParenExpr:
        case CXCursor_UnexposedExpr:
        case CXCursor_CStyleCastExpr: argument = last_expression(c, argument); break;
        default: return clang_getNullCursor();
        }
    }
    return clang_getNullCursor();
}

static kernel_use *use_of_field(use_search *s, const char *name)
{
    for (VEC_EACH(kernel_use, u, &s->class->uses))
        if (strcmp(u->field, name) == 0)
            return u;
    kernel_use *u = VEC_ADD(s->checker->arena, &s->class->uses);
    u->field = name;
    return u;
}

static void add_use(use_search *s, CXCursor call, const stream_call *row)
{
    checker *c = s->checker;
    CXCursor field = field_of(c, clang_Cursor_getArgument(call, 0));
    if (clang_getCursorKind(field) != CXCursor_FieldDecl) {
        s->class->unknown = true;
        return;
    }
    kernel_use *use = use_of_field(s, reader_string(c->session, clang_getCursorSpelling(field)));
    use->role |= row->role;
    src_range *place = row->phase == PHASE_NONE      ? NULL
                       : row->phase == PHASE_ACQUIRE ? &use->acquired[row->role - 1]
                                                     : &use->released[row->role - 1];
    if (place != NULL && place->file == 0)
        *place = reader_range(c->session, call);
}

static bool takes_stream(CXCursor call)
{
    int count = clang_Cursor_getNumArguments(call);
    for (int i = 0; i < count; i++) {
        CXType type = clang_getCanonicalType(clang_getCursorType(clang_Cursor_getArgument(call, (unsigned)i)));
        while (type.kind == CXType_Pointer)
            type = clang_getCanonicalType(clang_getPointeeType(type));
        if (is_record(type, "svm_Stream"))
            return true;
    }
    return false;
}

static void take_call(use_search *s, CXCursor call)
{
    checker *c = s->checker;
    CXCursor function = clang_getCursorReferenced(call);
    char *name = reader_string(c->session, clang_getCursorSpelling(function));
    CXCursor definition = clang_getCursorDefinition(function);
    if (!clang_Cursor_isNull(definition) && !reader_is_foreign(definition)) {
        const void *key = definition.data[0];
        if (hmap_getn(&s->reached, &key, sizeof key) == NULL) {
            hmap_setn(&s->reached, &key, sizeof key, s);
            VEC_PUSH(c->arena, &s->functions, definition);
        }
        s->class->unknown |= takes_stream(call);
        return;
    }
    const stream_call *use = find_stream_call(name);
    if (use != NULL && clang_Cursor_getNumArguments(call) > 0)
        add_use(s, call, use);
    else if (takes_stream(call) && strncmp(name, "svm_streamCount", 15) != 0)
        s->class->unknown = true;
    if (strncmp(name, "svm_kernelPause", 15) == 0)
        s->class->pauses = true;
}

static enum CXChildVisitResult visit_call(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_CallExpr)
        take_call(data, cursor);
    return CXChildVisit_Recurse;
}

kernel_class *class_of_function(checker *c, CXCursor function)
{
    CXCursor definition = clang_getCursorDefinition(function);
    const void *key = clang_getCanonicalCursor(function).data[0];
    kernel_class *class = hmap_getn(&c->classes, &key, sizeof key);
    if (class != NULL)
        return class;
    class = ARENA_NEW(c->arena, kernel_class);
    *class = (kernel_class){.function = definition};
    class->name = reader_string(c->session, clang_getCursorSpelling(function));
    hmap_setn(&c->classes, &key, sizeof key, class);
    if (clang_Cursor_isNull(definition)) {
        class->unknown = true;
        return class;
    }
    use_search s = {.checker = c, .class = class};
    hmap_init(&s.reached, c->arena);
    VEC_PUSH(c->arena, &s.functions, definition);
    for (size_t i = 0; i < s.functions.len; i++)
        clang_visitChildren(s.functions.data[i], visit_call, &s);
    return class;
}

// ---- DMA kernels: they read all fields but the destination ----

typedef struct transfer_fields {
    checker *checker;
    kernel_class *class;
} transfer_fields;

static enum CXVisitorResult add_transfer_field(CXCursor field, CXClientData data)
{
    transfer_fields *t = data;
    CXType type = clang_getCanonicalType(clang_getCursorType(field));
    CXType pointee = type.kind == CXType_Pointer ? clang_getPointeeType(type) : type;
    if (!is_record(pointee, "svm_Stream") && !is_record(pointee, "svm_Block"))
        return CXVisit_Continue;
    char *name = reader_string(t->checker->session, clang_getCursorSpelling(field));
    stream_role role = strcmp(name, "destination") == 0 ? ROLE_PRODUCER : ROLE_CONSUMER;
    VEC_PUSH(t->checker->arena, &t->class->uses, (kernel_use){.field = name, .role = role});
    return CXVisit_Continue;
}

kernel_class *class_of_transfer(checker *c, CXType type)
{
    char *name = reader_string(c->session, clang_getTypeSpelling(type));
    const char *key = arena_printf(c->arena, "transfer %s", name);
    kernel_class *class = hmap_get(&c->classes, key);
    if (class != NULL)
        return class;
    const char *space = strrchr(name, ' ');
    class = ARENA_NEW(c->arena, kernel_class);
    *class = (kernel_class){.function = clang_getNullCursor(), .name = space == NULL ? name : space + 1};
    hmap_set(&c->classes, key, class);
    clang_Type_visitFields(type, add_transfer_field, &(transfer_fields){c, class});
    return class;
}

// ---- A run's streams ----

static void add_stream(checker *c, event *run, stream_use use)
{
    VEC_PUSH(c->arena, &run->streams, use);
    VEC_PUSH(c->arena, use.stream->vague ? &c->loose_users : &use.stream->users, (size_t)(run - c->events.data));
}

static value number_in(const node *owner, const char *field)
{
    const node *n = node_find_field(owner, field);
    return n == NULL || n->value.kind != VALUE_INT ? (value){0} : n->value;
}

// Of moves between streams, and of strided transfers whose groups lie in a stream.
static value elements_moved(const kernel_class *class, const node *owner)
{
    const char *name = class->name, *kinds = strchr(name, '2');
    if (strncmp(name, "svm_Move", 8) == 0)
        return number_in(owner, "length");
    bool gather = strncmp(name, "svm_GatherStrided", 17) == 0, scatter = strncmp(name, "svm_ScatterStrided", 18) == 0;
    if (kinds == NULL || (!gather && !scatter) || kinds[gather ? -1 : 1] != 'S')
        return (value){0};
    value records = number_in(owner, "records"), repeats = number_in(owner, "repeats");
    int64_t all;
    bool is_known = records.kind == VALUE_INT && repeats.kind == VALUE_INT &&
                    !__builtin_mul_overflow(records.number, repeats.number, &all);
    return is_known ? value_int(all) : (value){0};
}

void collect_uses(checker *c, event *run, const event *initialised)
{
    const kernel_class *class = initialised == NULL ? NULL : initialised->class;
    run->class = initialised == NULL ? NULL : initialised->class;
    run->processor = initialised == NULL ? NULL : initialised->processor;
    run->unknown_streams = class == NULL || class->unknown || run->object == NULL;
    const node *owner = run->object == NULL ? NULL : run->object->parent;
    if (class == NULL)
        return;
    if (owner != NULL && clang_Cursor_isNull(class->function))
        run->moved = elements_moved(class, owner);
    for (VEC_EACH(const kernel_use, use, &class->uses)) {
        node *field = owner == NULL ? NULL : node_find_field(owner, use->field);
        node *object = field == NULL || field->value.kind != VALUE_ADDRESS ? NULL : field->value.place;
        if (object == NULL)
            run->unknown_streams = true;
        else if (is_record(object->type, "svm_Block"))
            VEC_PUSH(c->arena, &run->blocks, (stream_use){object, use->role});
        else
            add_stream(c, run, (stream_use){object, use->role});
        bool transfer = clang_Cursor_isNull(class->function) != 0;
        if (transfer && strcmp(use->field, "source") == 0)
            run->source = object;
        else if (transfer && use->role == ROLE_PRODUCER)
            run->destination = object;
    }
}
