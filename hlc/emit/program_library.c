// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program as a C library: the functions that it offers instead of a main, and the header that declares them.
// docs/library.md describes them; svm/library.h does what they do.
//
// NOTE(names). A library offers PREFIX_create and so on, and everything else in its file is static. The header stands
// alone: it repeats the types of items, laid out as in the emitted program, under names that begin with the prefix.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"

struct program_library {
    const char *prefix; // of the functions' names
    const char *type;   // of the opaque struct
    const char *row;    // the table for the runtime
    const char *forget;
    const sir_type *input, *output;     // NULL: no such items
    const sir_type *in_unit, *out_unit; // what the caller's pointers point to: the innermost elements of arrays
    uint64_t in_length, out_length;     // how many of them make an item
    int64_t first_input, steady_input, steady_output; // items
    VEC(const char *) sends;                          // functions that send messages, in the order of x->outside->given
};

// Words of C, C++ or their headers, which no name in the header may be.
static bool is_language_word(const char *name)
{
    static const char words[] =
        " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t "
        "char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
        "constinit continue decltype default delete do double dynamic_cast else enum explicit export extern "
        "false float for friend goto if inline int linux long mutable namespace new noexcept not not_eq "
        "nullptr offsetof operator or or_eq private protected ptrdiff_t public register reinterpret_cast "
        "requires restrict return short signed size_t sizeof static static_assert static_cast struct switch "
        "template this thread_local throw true try typedef typeid typename typeof typeof_unqual union unix "
        "unsigned using virtual void volatile wchar_t while xor xor_eq NULL ";
    for (const char *at = words; (at = strstr(at, name)) != NULL; at++)
        if (at > words && at[-1] == ' ' && at[strlen(name)] == ' ')
            return true;
    return false;
}

static const sir_type *unit_of(const sir_type *t, uint64_t *length)
{
    *length = 1;
    for (; t != NULL && t->kind == SIR_ARRAY; t = t->element)
        *length *= t->length == 0 ? 1 : t->length;
    return t;
}

// What a program that is cut up was before; NULL: it is whole.
static const plan_net *cut_of(const program_emitter *x)
{
    return x->net != NULL ? x->net : x->pl->cut != NULL ? x->pl->cut->graph : NULL;
}

// The program's own input and output: their items, and how many a steady state has.
static void find_items(program_emitter *x, struct program_library *l)
{
    const plan_net *graph = cut_of(x);
    const sir_module *m = graph != NULL ? graph->whole : x->m;
    const schedule *s = graph != NULL ? graph->whole_schedule : x->s;
    for (uint32_t i = 0; i < m->actors.len; i++) {
        const sir_actor *a = m->actors.data[i];
        if (a->kind == SIR_READER && a->path == NULL) {
            l->input = a->item;
            l->first_input = s->init[i];
            l->steady_input = s->reps[i];
        }
        if (a->kind == SIR_WRITER && a->path == NULL) {
            l->output = a->item;
            l->steady_output = x->net != NULL ? -1 : s->reps[i];
        }
    }
    l->in_unit = unit_of(l->input, &l->in_length);
    l->out_unit = unit_of(l->output, &l->out_length);
}

// Named after the handler; where several portals have such a one, after the portal too.
static void find_sends(program_emitter *x, struct program_library *l)
{
    arena *a = x->e.arena;
    if (x->outside == NULL)
        return;
    hmap seen;
    hmap_init(&seen, a);
    for (VEC_EACH(const program_given, given, &x->outside->given)) {
        bool alone = true;
        for (VEC_EACH(const program_given, other, &x->outside->given))
            alone &= other == given || strcmp(other->handler->name, given->handler->name) != 0;
        const char *handler = body_identifier(a, given->handler->name);
        const char *base = alone ? arena_printf(a, "send_%s", handler)
                                 : arena_printf(a, "send_%s_%s", body_identifier(a, given->portal), handler);
        const char *name = base;
        for (int k = 2; hmap_get(&seen, name) != NULL; k++)
            name = arena_printf(a, "%s_%d", base, k);
        hmap_set(&seen, name, x);
        VEC_PUSH(a, &l->sends, name);
    }
}

void program_library_names(program_emitter *x)
{
    static const char *const functions[] = {
        "create", "process",        "run",         "drain",         "reset",          "destroy",
        "error",  "createInstance", "runInstance", "drainInstance", "destroyInstance"};
    arena *a = x->e.arena;
    struct program_library *l = ARENA_NEW(a, struct program_library);
    const char *prefix = x->p->config->prefix;
    l->prefix = body_identifier(a, prefix != NULL ? prefix : x->m->name);
    find_sends(x, l);
    for (VEC_EACH(const char *, name, &l->sends))
        emit_unique_name(&x->e, arena_printf(a, "%s_%s", l->prefix, *name));
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        emit_unique_name(&x->e, arena_printf(a, "%s_%s", l->prefix, functions[i]));
        if (strcmp(l->prefix, x->name) != 0)
            emit_unique_name(&x->e, arena_printf(a, "%s_%s", x->name, functions[i]));
    }
    l->type =
        emit_unique_name(&x->e, is_language_word(l->prefix) ? arena_printf(a, "%s_stream", l->prefix) : l->prefix);
    l->row = emit_unique_name(&x->e, arena_printf(a, "%s_row", x->name));
    l->forget = emit_unique_name(&x->e, arena_printf(a, "%s_forgetInstance", x->name));
    find_items(x, l);
    x->library = l;
}

const char *program_linkage(const program_emitter *x)
{
    return x->library != NULL ? "static " : "";
}

const char *program_entry(const program_emitter *x, const char *what)
{
    return arena_printf(x->e.arena, "%s_%s%s", x->name, what, x->library != NULL ? "Instance" : "");
}

void program_new_instance(program_emitter *x)
{
    text_line(x, 1, "%s *self = calloc(1, sizeof *self);", x->type);
    text_line(x, 1, "if (self == NULL)");
    text_line(x, 2, "return NULL;");
    if (x->library != NULL)
        text_line(x, 1, "svm_libraryKeep(settings, self);");
}

void program_forget(program_emitter *x, size_t readers, size_t writers, size_t logs)
{
    if (x->library == NULL)
        return;
    const sir_module *m = cut_of(x) != NULL ? cut_of(x)->whole : x->m;
    text_line(x, 0, "/* Frees what is left when an error has stopped it; its machine is gone. */");
    text_line(x, 0, "static void %s(void *instance)", x->library->forget);
    text_line(x, 0, "{");
    text_line(x, 1, "%s *self = instance;", x->type);
    if (x->net != NULL)
        text_line(x, 1, "svm_netForget(&self->net);");
    for (size_t i = 0; i < readers; i++)
        text_line(x, 1, "svm_readerClose(&self->readers[%zu]%s);", i, x->net != NULL ? "" : ".file");
    for (size_t i = 0; i < writers; i++)
        text_line(x, 1, "svm_writerForget(&self->writers[%zu]);", i);
    if (logs != 0) {
        text_line(x, 1, "for (size_t i = 0; i < %zu; i++)", logs);
        text_line(x, 2, "if (self->logs[i] != NULL)");
        text_line(x, 3, "svm_logDestroy(self->logs[i]);");
    }
    if (m->init_text_len != 0)
        text_line(x, 1, "svm_logDestroy(&self->start);");
    if (x->fails)
        text_line(x, 1, "svm_stripDestroy(&self->strip);");
    text_line(x, 1, "free(self);");
    text_line(x, 0, "}\n");
}

// ---- The functions ----

// The parameters of process and drain; in, out: how their items are declared, NULL: there are none.
static text_args item_parameters(program_emitter *x, const char *in, const char *out)
{
    arena *a = x->e.arena;
    text_args params = {0};
    VEC_PUSH(a, &params, arena_printf(a, "%s *self", x->library->type));
    if (in != NULL) {
        VEC_PUSH(a, &params, arena_printf(a, "const %s *in", in));
        VEC_PUSH(a, &params, "size_t count");
        VEC_PUSH(a, &params, "size_t *consumed");
    }
    if (out != NULL) {
        VEC_PUSH(a, &params, arena_printf(a, "%s *out", out));
        VEC_PUSH(a, &params, "size_t capacity");
        VEC_PUSH(a, &params, "size_t *produced");
    }
    return params;
}

static void emit_prototype(program_emitter *x, const char *result, const char *name, const text_args *params,
                           const char *tail)
{
    text_call(x, 0, arena_printf(x->e.arena, "%s%s_%s(", result, x->library->prefix, name), params, tail);
}

static void emit_function(program_emitter *x, const char *result, const char *name, text_args params, const char *call)
{
    emit_prototype(x, result, name, &params, ")");
    text_line(x, 0, "{");
    text_line(x, 1, "return %s;", call);
    text_line(x, 0, "}\n");
}

static void emit_row(program_emitter *x)
{
    const struct program_library *l = x->library;
    text_line(x, 0, "/* What the library's functions have to know. */");
    text_line(x, 0, "static const svm_LibraryRow %s = {", l->row);
    text_line(x, 1, ".program = &%s_program,", x->name);
    text_line(x, 1, ".forget = %s,", l->forget);
    text_line(x, 1, ".prefix = \"%s\",", l->prefix);
    if (l->input != NULL) {
        text_line(x, 1, ".inputSize = sizeof(%s),", emit_declare(&x->e, l->input, ""));
        text_line(x, 1, ".initInput = %" PRId64 ",", l->first_input);
        text_line(x, 1, ".steadyInput = %" PRId64 ",", l->steady_input);
    }
    if (l->output != NULL) {
        text_line(x, 1, ".outputSize = sizeof(%s),", emit_declare(&x->e, l->output, ""));
        text_line(x, 1, ".steadyOutput = %" PRId64 ",", l->steady_output);
    }
    text_line(x, 0, "};\n");
}

// The name of a parameter, which is none of C's, C++'s, or the function's own.
static const char *parameter_name(program_emitter *x, const sir_function *handler, uint32_t index)
{
    const char *name = body_identifier(x->e.arena, handler->locals.data[index].name);
    bool taken = is_language_word(name) || strcmp(name, "self") == 0 || strcmp(name, "when") == 0 ||
                 strcmp(name, "svm_message") == 0;
    for (uint32_t i = 0; i < index; i++)
        taken |= strcmp(name, parameter_name(x, handler, i)) == 0;
    return taken ? arena_printf(x->e.arena, "%s_%" PRIu32, name, index + 1) : name;
}

// Arrays are pointers to their innermost elements. type: its C name.
static const char *parameter(program_emitter *x, const sir_function *handler, uint32_t index, const char *type)
{
    const char *name = parameter_name(x, handler, index);
    return arena_printf(x->e.arena, handler->locals.data[index].type->kind == SIR_ARRAY ? "const %s *%s" : "%s %s",
                        type, name);
}

static void emit_send(program_emitter *x, size_t index)
{
    const struct program_library *l = x->library;
    const sir_function *handler = x->outside->given.data[index].handler;
    arena *a = x->e.arena;
    const char *message = emit_message_type(&x->e, handler);
    text_args params = {0};
    VEC_PUSH(a, &params, arena_printf(a, "%s *self", l->type));
    for (uint32_t i = 0; i < handler->param_count; i++)
        VEC_PUSH(a, &params, parameter(x, handler, i, body_type_name(&x->e, handler->locals.data[i].type)));
    VEC_PUSH(a, &params, "int64_t when");
    emit_prototype(x, "int ", l->sends.data[index], &params, ")");
    text_line(x, 0, "{");
    if (message != NULL)
        text_line(x, 1, "%s svm_message;", message);
    for (uint32_t i = 0; i < handler->param_count; i++) {
        const sir_type *t = handler->locals.data[i].type;
        const char *name = parameter_name(x, handler, i);
        if (t->kind == SIR_ARRAY && t->words == 0)
            text_line(x, 1, "(void)%s;", name);
        else if (t->kind == SIR_ARRAY)
            text_line(x, 1, "memcpy(svm_message.a%" PRIu32 ", %s, sizeof svm_message.a%" PRIu32 ");", i, name, i);
        else
            text_line(x, 1, "svm_message.a%" PRIu32 " = %s;", i, name);
    }
    text_line(x, 1, "return svm_librarySend((svm_Library *)self, \"%s\", %zu, %s, when);", l->sends.data[index], index,
              message == NULL ? "NULL" : "&svm_message");
    text_line(x, 0, "}\n");
}

void program_library(program_emitter *x)
{
    const struct program_library *l = x->library;
    arena *a = x->e.arena;
    const char *in = l->input == NULL ? NULL : body_type_name(&x->e, l->in_unit);
    const char *out = l->output == NULL ? NULL : body_type_name(&x->e, l->out_unit);
    const char *library = "(svm_Library *)self", *given = out == NULL ? "NULL, 0, NULL" : "out, capacity, produced";
    text_args nothing = {0}, self = item_parameters(x, NULL, NULL), steady = item_parameters(x, NULL, NULL);
    VEC_PUSH(a, &nothing, "void");
    VEC_PUSH(a, &steady, "int64_t steady_states");
    emit_row(x);
    text_line(x, 0, "/* The library's functions. */");
    text_line(x, 0, "typedef struct %s %s; /* svm_Library, to others */\n", l->type, l->type);
    emit_function(x, arena_printf(a, "%s *", l->type), "create", nothing,
                  arena_printf(a, "(%s *)svm_libraryCreate(&%s)", l->type, l->row));
    if (in == NULL && out == NULL)
        emit_function(x, "int ", "run", steady, arena_printf(a, "svm_libraryRun(%s, steady_states)", library));
    else
        emit_function(x, "int ", "process", item_parameters(x, in, out),
                      arena_printf(a, "svm_libraryProcess(%s, %s, %s)", library,
                                   in == NULL ? "NULL, 0, NULL" : "in, count, consumed", given));
    emit_function(x, "int ", "drain", item_parameters(x, NULL, out),
                  arena_printf(a, "svm_libraryDrain(%s, %s)", library, given));
    for (size_t i = 0; i < l->sends.len; i++)
        emit_send(x, i);
    emit_function(x, "int ", "reset", self, arena_printf(a, "svm_libraryReset(%s)", library));
    emit_function(x, "int ", "destroy", self, arena_printf(a, "svm_libraryDestroy(%s)", library));
    text_line(x, 0, "const char *%s_error(const %s *self)", l->prefix, l->type);
    text_line(x, 0, "{");
    text_line(x, 1, "return svm_libraryError((const svm_Library *)self);");
    text_line(x, 0, "}");
}

// ---- The header ----

typedef struct header {
    program_emitter *x;
    const struct program_library *l;
    strbuf *out;
    hmap names; // of structs
    hmap taken;
    const char *complex; // the type for complex numbers; NULL: none needed yet
    bool boolean;
} header;

static const char *header_name(header *h, const char *wanted)
{
    arena *a = h->x->e.arena;
    const char *base = arena_printf(a, "%s_%s", h->l->prefix, body_identifier(a, wanted)), *name = base;
    for (uint32_t k = 2; hmap_get(&h->taken, name) != NULL; k++)
        name = arena_printf(a, "%s_%" PRIu32, base, k);
    hmap_set(&h->taken, name, h);
    return name;
}

static const char *header_type(header *h, const sir_type *t)
{
    uint64_t length;
    t = unit_of(t, &length);
    switch (t->kind) {
    case SIR_BOOLEAN: return "bool";
    case SIR_FLOAT: return "float";
    case SIR_DOUBLE: return "double";
    case SIR_COMPLEX: return h->complex;
    case SIR_STRUCT: return hmap_get(&h->names, t->decl->name);
    default: return "int";
    }
}

static void add_member(header *h, const struct sir_member *member, hmap *taken)
{
    arena *a = h->x->e.arena;
    const char *name = body_identifier(a, member->name);
    while (is_language_word(name) || hmap_get(taken, name) != NULL)
        name = arena_printf(a, "%s_", name);
    hmap_set(taken, name, h);
    strbuf_printf(h->out, "    %s %s", header_type(h, member->type), name);
    for (const sir_type *t = member->type; t->kind == SIR_ARRAY; t = t->element)
        strbuf_printf(h->out, "[%" PRIu32 "]", t->length == 0 ? 1 : t->length);
    strbuf_add(h->out, ";\n");
}

// Declares what a type consists of.
static void declare_type(header *h, const sir_type *t)
{
    uint64_t length;
    t = t == NULL ? NULL : unit_of(t, &length);
    if (t == NULL)
        return;
    h->boolean |= t->kind == SIR_BOOLEAN;
    if (t->kind == SIR_COMPLEX && h->complex == NULL) {
        h->complex = header_name(h, "Complex");
        strbuf_printf(h->out, "/* A complex number. */\ntypedef struct %s {\n    float real, imag;\n} %s;\n\n",
                      h->complex, h->complex);
    }
    if (t->kind != SIR_STRUCT || hmap_get(&h->names, t->decl->name) != NULL)
        return;
    for (VEC_EACH(const struct sir_member, member, &t->decl->members))
        declare_type(h, member->type);
    const char *name = header_name(h, t->decl->name);
    hmap_set(&h->names, t->decl->name, (void *)(uintptr_t)name);
    hmap taken;
    hmap_init(&taken, h->x->e.arena);
    strbuf_printf(h->out, "typedef struct %s {\n", name);
    for (VEC_EACH(const struct sir_member, member, &t->decl->members))
        add_member(h, member, &taken);
    if (t->decl->members.len == 0)
        strbuf_add(h->out, "    char empty;\n");
    strbuf_printf(h->out, "} %s;\n\n", name);
}

// "items of float", "items of float[4][2], each 8 float side by side"
static const char *describe(header *h, const sir_type *t, uint64_t length)
{
    strbuf b;
    strbuf_init(&b, h->x->e.arena);
    strbuf_add(&b, "items of ");
    sir_type_print(&b, t);
    if (t->kind == SIR_ARRAY)
        strbuf_printf(&b, ", each %" PRIu64 " %s side by side", length, header_type(h, t));
    uint64_t n;
    if (unit_of(t, &n)->kind == SIR_BIT)
        strbuf_add(&b, " (0 or 1)");
    return b.data;
}

static void add_about(header *h)
{
    program_emitter *x = h->x;
    const struct program_library *l = h->l;
    strbuf_printf(h->out, "/* %s as a C library, %s.\n", x->m->name, text_made_by(x));
    if (l->input != NULL)
        strbuf_printf(h->out, "   It takes %s", describe(h, l->input, l->in_length));
    if (l->output != NULL)
        strbuf_printf(h->out, "%s %s", l->input != NULL ? "\n   and gives" : "   It gives",
                      describe(h, l->output, l->out_length));
    strbuf_add(h->out, l->input != NULL || l->output != NULL ? ".\n" : "");
    if (l->input != NULL && l->steady_input != 0 && l->steady_output >= 0) {
        strbuf_printf(h->out, "   It runs for each %" PRId64 " items that it has been given", l->steady_input);
        if (l->first_input != 0)
            strbuf_printf(h->out, " after the first %" PRId64, l->first_input);
        if (l->output != NULL)
            strbuf_printf(h->out, ", and then gives %" PRId64, l->steady_output);
        strbuf_add(h->out, ".\n");
    }
    strbuf_add(h->out, "   Link with the library and the host runtime: pkg-config --libs svm-host, or CMake's "
                       "svmc::svm-host. */\n");
}

static void add_results(header *h)
{
    const char *p = h->l->prefix;
    strbuf_add(h->out,
               "/* What the functions give. After an error of the program itself an instance can only be reset or "
               "destroyed. */\n");
    strbuf_printf(h->out,
                  "enum {\n    %s_OK = 0,\n    %s_ENDED = 1, /* the program has ended%s */\n"
                  "    %s_ERROR = -1 /* %s_error tells which */\n};\n\n",
                  p, p, h->l->output != NULL ? ", and all that it gave has been taken" : "", p, p);
}

static void add_process(header *h, const char *in, const char *out)
{
    const struct program_library *l = h->l;
    strbuf *b = h->out;
    if (in == NULL && out == NULL) {
        strbuf_printf(b, "/* Up to so many steady states. */\nint %s_run(%s *self, int64_t steady_states);\n\n",
                      l->prefix, l->type);
        return;
    }
    if (in == NULL)
        strbuf_add(b,
                   "/* Gives up to capacity items: fewer only when the program ends. *produced tells how many. */\n");
    else if (out == NULL)
        strbuf_add(b, "/* Takes count items, or fewer if the program ends. *consumed tells how many. */\n");
    else
        strbuf_printf(
            b,
            "/* Takes up to count items and gives up to capacity ones; *consumed and *produced tell how many. It takes "
            "all\n   unless there is no room for what comes out, or the program ends: call it again with the rest. In "
            "what\n   portions items come and go makes no difference%s. */\n",
            h->x->p->config != NULL && h->x->p->config->fast_math ? " but for rounding (-Ofast)" : "");
    const text_args params = item_parameters(h->x, in, out);
    emit_prototype(h->x, "int ", "process", &params, ");\n");
}

static void add_sends(header *h)
{
    program_emitter *x = h->x;
    const struct program_library *l = h->l;
    arena *a = x->e.arena;
    if (l->sends.len == 0)
        return;
    if (l->input != NULL)
        strbuf_printf(
            h->out,
            "/* Messages to the program's portals. One for item number `when` of the input, counted from 0, arrives "
            "just before\n   the first firing that depends on that item; one for %s_NOW before the receiver's next "
            "firing. An item that has\n   not been given yet is always in time; too late is an error, and nothing is "
            "sent then. */\n",
            l->prefix);
    else
        strbuf_printf(
            h->out,
            "/* Messages to the program's portals. One for steady state number `when`, counted from 0, arrives just "
            "before the\n   receiver's first firing in it; one for %s_NOW before its next firing. Too late is an "
            "error, "
            "and nothing is sent\n   then. */\n",
            l->prefix);
    strbuf_printf(h->out, "enum { %s_NOW = -1 };\n", l->prefix);
    for (size_t k = 0; k < l->sends.len; k++) {
        const program_given *given = &x->outside->given.data[k];
        text_args params = {0};
        VEC_PUSH(a, &params, arena_printf(a, "%s *self", l->type));
        for (uint32_t i = 0; i < given->handler->param_count; i++)
            VEC_PUSH(a, &params, parameter(x, given->handler, i, header_type(h, given->handler->locals.data[i].type)));
        VEC_PUSH(a, &params, "int64_t when");
        text_line(x, 0, "/* %s.%s(%s) */", text_comment(x, given->portal), text_comment(x, given->handler->name),
                  text_comment(x, program_parameters_text(x, given->handler)));
        emit_prototype(x, "int ", l->sends.data[k], &params, ");");
    }
    strbuf_addc(h->out, '\n');
}

static void add_functions(header *h)
{
    const struct program_library *l = h->l;
    const char *p = l->prefix, *t = l->type;
    const char *in = l->input == NULL ? NULL : header_type(h, l->input);
    const char *out = l->output == NULL ? NULL : header_type(h, l->output);
    strbuf *b = h->out;
    strbuf_printf(b, "/* A new one, which has run nothing yet; NULL after an error, which %s_error(NULL) tells. */\n",
                  p);
    strbuf_printf(b, "%s *%s_create(void);\n\n", t, p);
    add_process(h, in, out);
    if (out != NULL)
        strbuf_printf(
            b,
            "/* There is no more input: gives what is left, up to capacity items at a time, until the result is "
            "%s_ENDED. */\n",
            p);
    else
        strbuf_add(b, "/* There is no more input: the program does what is left to do. */\n");
    const text_args params = item_parameters(h->x, NULL, out);
    emit_prototype(h->x, "int ", "drain", &params, ");\n");
    add_sends(h);
    strbuf_printf(b, "/* Makes it as if it were new. */\nint %s_reset(%s *self);\n\n", p, t);
    strbuf_printf(b, "/* Closes its files and frees it; NULL is allowed. */\nint %s_destroy(%s *self);\n\n", p, t);
    strbuf_printf(
        b,
        "/* The last error's message, \"\" if there was none; of NULL: that of this thread's last %s_create or "
        "%s_destroy\n   with an error. It stays until the next error, reset or destroy. */\n",
        p, p);
    strbuf_printf(b, "const char *%s_error(const %s *self);\n\n", p, t);
}

static void declare_arguments(header *h)
{
    for (size_t k = 0; k < h->l->sends.len; k++) {
        const sir_function *handler = h->x->outside->given.data[k].handler;
        for (uint32_t i = 0; i < handler->param_count; i++)
            declare_type(h, handler->locals.data[i].type);
    }
}

const char *program_library_header(program_emitter *x)
{
    strbuf out, types;
    arena *a = x->e.arena;
    strbuf_init(&out, a);
    strbuf_init(&types, a);
    header h = {.x = x, .l = x->library, .out = &types};
    hmap_init(&h.names, a);
    hmap_init(&h.taken, a);
    static const char *const own[] = {"create", "process", "run",   "drain", "reset", "destroy",
                                      "error",  "OK",      "ENDED", "ERROR", "NOW"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        (void)header_name(&h, own[i]);
    for (VEC_EACH(const char *const, name, &h.l->sends))
        (void)header_name(&h, *name);
    declare_type(&h, h.l->input);
    declare_type(&h, h.l->output);
    declare_arguments(&h);
    x->e.out = h.out = &out;
    add_about(&h);
    const char *p = h.l->prefix;
    strbuf_printf(&out, "#ifndef SVMC_LIBRARY_%s_H\n#define SVMC_LIBRARY_%s_H\n\n", p, p);
    if (h.boolean)
        strbuf_add(&out, "#include <stdbool.h>\n");
    strbuf_add(&out, "#include <stddef.h>\n");
    if ((h.l->input == NULL && h.l->output == NULL) || h.l->sends.len != 0)
        strbuf_add(&out, "#include <stdint.h>\n");
    strbuf_add(&out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    strbuf_printf(&out,
                  "/* One running %s. Several can be used side by side, each by one thread at a time. */\n"
                  "typedef struct %s %s;\n\n",
                  x->m->name, h.l->type, h.l->type);
    strbuf_add(&out, types.data);
    add_results(&h);
    add_functions(&h);
    strbuf_add(&out, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    return out.data;
}
