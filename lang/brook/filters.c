// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels as declarations of filters. An element is as many items as it has scalars, so that elements of several streams
// follow each other in one channel; parameters that are no streams are the filter's.
#include "lang/brook/filters.h"

#include <string.h>

typedef struct declarer {
    brook_program *program;
    const brook_kernel *kernel;
    ast_stream *stream;
} declarer;

static void refuse(declarer *d, src_range where, const char *why)
{
    if (d->stream->unfit != NULL)
        return;
    d->stream->unfit = why;
    d->stream->unfit_range = where;
}

// What a scalar of the elements is to the stream language; void after an error.
static const lang_type *scalar_type(declarer *d, const brook_var *v)
{
    arena *a = d->program->arena;
    strbuf leaves;
    strbuf_init(&leaves, a);
    brook_type_leaves(&leaves, v->type);
    const lang_type *found = NULL;
    for (size_t i = 0; i < leaves.len; i++) {
        char c = leaves.data[i];
        bool byte = (c == 'c' || c == 'b') && v->type.element != BROOK_STRUCT; // an int that wraps
        const lang_type *t = c == 'f'                       ? &lang_type_float
                             : c == 'd'                     ? &lang_type_double
                             : c == 'i' || c == 'u' || byte ? &lang_type_int
                                                            : NULL;
        if (t != NULL && (found == NULL || found == t)) {
            found = t;
            continue;
        }
        refuse(d, v->range,
               t == NULL ? arena_printf(a, "'%s' has the type '%s'; expected floats, doubles, ints or bytes", v->name,
                                        brook_type_name(a, v->type))
                         : arena_printf(a, "'%s' has the type '%s', which is made of several types", v->name,
                                        brook_type_name(a, v->type)));
        return &lang_type_void;
    }
    return found != NULL ? found : &lang_type_void;
}

static const lang_type *array_of(declarer *d, const lang_type *element, int64_t length)
{
    arena *a = d->program->arena;
    lang_type *t = ARENA_NEW(a, lang_type);
    *t = (lang_type){.kind = TYPE_ARRAY, .element = element};
    if (length < 0) // as long as the argument
        return t;
    ast_expr *e = ARENA_NEW(a, ast_expr);
    *e = (ast_expr){.kind = EXPR_INT, .type = &lang_type_int, .u.integer = length};
    t->length = e;
    return t;
}

static void add_param(declarer *d, const char *name, const lang_type *type, src_range range, src_range type_range)
{
    ast_var *p = ARENA_NEW(d->program->arena, ast_var);
    *p = (ast_var){.kind = VAR_STREAM_PARAM,
                   .name = name,
                   .type = type,
                   .range = range,
                   .type_range = type_range,
                   .owner = d->stream,
                   .index = (uint32_t)d->stream->params.len};
    VEC_PUSH(d->program->arena, &d->stream->params, p);
}

// A gather or a value that is the same for all elements. Vectors and structs are arrays of their scalars.
static void declare_param(declarer *d, const brook_var *v)
{
    const lang_type *t = scalar_type(d, v);
    strbuf leaves;
    strbuf_init(&leaves, d->program->arena);
    brook_type_leaves(&leaves, v->type);
    if (v->type.element == BROOK_STRUCT || leaves.len > 1)
        t = array_of(d, t, (int64_t)leaves.len);
    for (uint8_t i = 0; i < v->rank && v->kind == BROOK_GATHER; i++)
        t = array_of(d, t, -1);
    add_param(d, v->name, t, v->range, v->type_range);
}

// The channel of all elements that come in, or that go out.
static void declare_channel(declarer *d, const lang_type **channel, const brook_var **first, const brook_var *v)
{
    const lang_type *t = scalar_type(d, v);
    if (*first == NULL) {
        *channel = t;
        *first = v;
    } else if (*channel != t) {
        arena *a = d->program->arena;
        refuse(d, v->range,
               arena_printf(a, "'%s' is of '%s' and '%s' of '%s'; the items of a channel have one type", (*first)->name,
                            brook_type_name(a, (*first)->type), v->name, brook_type_name(a, v->type)));
    }
}

static void declare_parameters(declarer *d)
{
    const brook_kernel *k = d->kernel;
    ast_stream *s = d->stream;
    const brook_var *in = NULL, *out = NULL;
    for (VEC_EACH(brook_var *const, v, &k->params)) {
        switch ((*v)->kind) {
        case BROOK_INPUT: declare_channel(d, &s->input, &in, *v); break;
        case BROOK_OUTPUT:
        case BROOK_VOUT:
        case BROOK_REDUCE: declare_channel(d, &s->output, &out, *v); break;
        case BROOK_ITERATOR:
            refuse(d, (*v)->range,
                   arena_printf(d->program->arena,
                                "'%s' is an iterator, which divides an extent, and a channel has none; 'indexof' tells "
                                "how many elements came before",
                                (*v)->name));
            break;
        default: declare_param(d, *v); break;
        }
    }
    if (k->reduce)
        add_param(d, "count", &lang_type_int, k->name_range, k->name_range);
    else if (out == NULL)
        refuse(d, k->name_range, "it has no output");
}

static ast_stream *declare(brook_program *program, const brook_kernel *k)
{
    ast_stream *s = ARENA_NEW(program->arena, ast_stream);
    *s = (ast_stream){.kind = STREAM_FILTER,
                      .builtin = BUILTIN_KERNEL,
                      .kernel = k,
                      .name = k->name,
                      .range = k->range,
                      .name_range = k->name_range,
                      .type_range = k->name_range,
                      .imported = true,
                      .input = &lang_type_void,
                      .output = &lang_type_void};
    declarer d = {.program = program, .kernel = k, .stream = s};
    if (k->result.element != BROOK_VOID)
        refuse(&d, k->name_range, "it returns a value and is called by kernels");
    else
        declare_parameters(&d);
    if (s->unfit != NULL)
        s->input = s->output = &lang_type_error;
    return s;
}

void brook_declare_filters(brook_program *program, ast_program *to)
{
    to->brook = program;
    for (VEC_EACH(brook_kernel *const, k, &program->kernels))
        if ((*k)->body != NULL && !(*k)->broken)
            VEC_PUSH(to->arena, &to->kernels, declare(program, *k));
}
