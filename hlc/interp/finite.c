// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finite filters, one firing at a time.
#include "hlc/interp/finite.h"

#include <string.h>

#include "hlc/interp/interp_int.h"

// The header leaves this function to its user. Nothing here divides.
#define svm_divideByZero vm_divide_by_zero
#include "runtime/include/svm/arith.h"

struct interp_finite {
    arena *arena;
    diag_engine *d;
    const sir_filter *filter;
    const int32_t *start; // of fields in the state
    vm_program program;
    vm machine;
    sir_actor source; // for messages
    vm_actor actor;
    vm_function *work;
    vm_gathered *gathered; // per field
};

// ---- Elements ----

// As they are stored: letters says of each scalar how, or NULL.
static const unsigned char *decode_scalar(const sir_type *t, char letter, const unsigned char *from, word *to)
{
    uint16_t two;
    uint32_t four;
    to->bits = 0;
    switch (letter) {
    case 'c': to->i = (signed char)from[0]; return from + 1;
    case 'b': to->i = from[0]; return from + 1;
    case 'x': to->f = svm_fromFixed(from[0]); return from + 1;
    case 'y':
        memcpy(&two, from, sizeof two);
        to->f = svm_fromShortFixed(two);
        return from + sizeof two;
    case 'u':
        memcpy(&four, from, sizeof four);
        to->i = (int32_t)four;
        return from + sizeof four;
    default: break;
    }
    size_t bytes = t->kind == SIR_DOUBLE ? sizeof to->d : sizeof to->f;
    memcpy(to, from, bytes);
    return from + bytes;
}

static unsigned char *encode_scalar(const sir_type *t, char letter, const word *from, unsigned char *to)
{
    uint16_t two;
    switch (letter) {
    case 'c':
    case 'b': to[0] = (unsigned char)from->i; return to + 1;
    case 'x': to[0] = svm_toFixed(from->f); return to + 1;
    case 'y':
        two = svm_toShortFixed(from->f);
        memcpy(to, &two, sizeof two);
        return to + sizeof two;
    default: break;
    }
    size_t bytes = t->kind == SIR_DOUBLE ? sizeof from->d : sizeof from->f;
    memcpy(to, from, bytes);
    return to + bytes;
}

static const unsigned char *decode(const sir_type *t, const char **letters, const unsigned char *from, word **to)
{
    if (t->kind == SIR_STRUCT) {
        for (size_t i = 0; i < t->decl->members.len; i++)
            from = decode(t->decl->members.data[i].type, letters, from, to);
        return from;
    }
    return decode_scalar(t, *letters == NULL ? '\0' : *(*letters)++, from, (*to)++);
}

static unsigned char *encode(const sir_type *t, const char **letters, const word **from, unsigned char *to)
{
    if (t->kind == SIR_STRUCT) {
        for (size_t i = 0; i < t->decl->members.len; i++)
            to = encode(t->decl->members.data[i].type, letters, from, to);
        return to;
    }
    return encode_scalar(t, *letters == NULL ? '\0' : *(*letters)++, (*from)++, to);
}

const unsigned char *interp_finite_set(interp_finite *f, uint32_t field, const unsigned char *element)
{
    word *to = f->actor.state + f->start[field];
    const char *letters = f->filter->fields.data[field].stored;
    return decode(f->filter->fields.data[field].type, &letters, element, &to);
}

unsigned char *interp_finite_get(const interp_finite *f, uint32_t field, unsigned char *element)
{
    const word *from = f->actor.state + f->start[field];
    const char *letters = f->filter->fields.data[field].stored;
    return encode(f->filter->fields.data[field].type, &letters, &from, element);
}

void interp_finite_gather(interp_finite *f, uint32_t field, const unsigned char *elements, const int64_t *extents)
{
    const sir_field *source = &f->filter->fields.data[field];
    vm_gathered *g = &f->gathered[field];
    size_t count = 1;
    g->item = source->type->words;
    for (uint32_t i = 0; i < source->rank; i++) {
        g->extent[i] = extents[i];
        count *= (size_t)extents[i];
    }
    word *data = ARENA_ARRAY(f->arena, word, count * g->item + 1), *to = data;
    for (size_t i = 0; i < count; i++) {
        const char *letters = source->stored;
        elements = decode(source->type, &letters, elements, &to);
    }
    g->data = data;
    f->actor.state[f->start[field]].g = g;
}

size_t interp_finite_pushed(const interp_finite *f)
{
    size_t words = f->filter->output->words;
    return words == 0 ? 0 : f->machine.kept.len / words;
}

void interp_finite_take(interp_finite *f, unsigned char *elements)
{
    const word *from = f->machine.kept.data;
    size_t count = interp_finite_pushed(f);
    const char *plain = NULL;
    for (size_t i = 0; i < count; i++)
        elements = encode(f->filter->output, &plain, &from, elements);
    f->machine.kept.len = 0;
}

// ---- Firings ----

bool interp_finite_fire(interp_finite *f)
{
    static const word nothing;
    word no_output = nothing;
    vm *v = &f->machine;
    v->pop = v->peek = v->push = 0;
    v->in_item = v->out_item = 1;
    v->in = &nothing;
    v->out = &no_output;
    if (vm_execute(v, &f->actor, f->work, 1))
        return true;
    vm_report_trap(v, f->d);
    return false;
}

const sir_filter *interp_finite_filter(const interp_finite *f)
{
    return f->filter;
}

// Constants of the module, as interp_build has them.
static void build_globals(interp_finite *f, const sir_module *m)
{
    size_t words = 1, at = 0;
    for (VEC_EACH(const sir_global, g, &m->globals))
        words += g->value.type->words;
    f->program.globals = ARENA_ARRAY(f->arena, word, words);
    f->program.global_start = ARENA_ARRAY(f->arena, int32_t, m->globals.len + 1);
    for (size_t i = 0; i < m->globals.len; i++) {
        f->program.global_start[i] = (int32_t)at;
        vm_store_value(f->program.globals + at, &m->globals.data[i].value);
        at += m->globals.data[i].value.type->words;
    }
}

interp_finite *interp_finite_new(arena *a, diag_engine *d, const sir_module *m, const char *filter)
{
    interp_finite *f = ARENA_NEW(a, interp_finite);
    f->arena = a;
    f->d = d;
    for (VEC_EACH(sir_filter *const, candidate, &m->filters))
        if ((*candidate)->finite && strcmp((*candidate)->name, filter) == 0)
            f->filter = *candidate;
    if (f->filter == NULL) {
        diag_error_at(d, NULL, "module '%s' has no finite filter '%s'", m->name, filter);
        return NULL;
    }
    f->program = (vm_program){.arena = a, .m = m, .d = d};
    hmap_init(&f->program.numbers, a);
    hmap_init(&f->program.field_starts, a);
    build_globals(f, m);
    f->start = vm_field_starts(&f->program, f->filter);
    f->work = vm_compile(&f->program, f->filter, f->filter->work);
    if (f->work == NULL || f->program.failed)
        return NULL;
    f->source = (sir_actor){.kind = SIR_FILTER, .name = f->filter->name, .filter = (sir_filter *)f->filter};
    f->actor.source = &f->source;
    f->actor.state = ARENA_ARRAY(a, word, (size_t)f->start[f->filter->fields.len] + 1);
    for (size_t i = 0; i < f->filter->fields.len; i++)
        vm_store_value(f->actor.state + f->start[i], &f->filter->fields.data[i].init);
    f->gathered = ARENA_ARRAY(a, vm_gathered, f->filter->fields.len + 1);
    f->machine = (vm){.program = &f->program, .arena = a};
    return f;
}
