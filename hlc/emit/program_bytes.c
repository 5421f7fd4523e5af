// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strips of firings that do nothing but look bytes up in a table of 256 bytes: a substitution box, a gamma curve, a
// logarithm of a finite field. One call of svm_lookUpBytes (svm/bytes.h) looks 64 up at a time, where the C compiler's
// loop takes them one by one.
#include <inttypes.h>

#include "hlc/emit/program_int.h"

enum { BYTES = 256, AT_ONCE = 64 };

// What a work function is found to do.
typedef struct found {
    const sir_filter *filter;
    const sir_function *function;
    const sir_module *m;
    const sir_expr *table;
    uint32_t popped; // local that holds the item; SIR_NONE: none does
} found;

static bool is_byte(const sir_type *t)
{
    return t->kind == SIR_INT && t->storage == SIR_STORED_UINT8;
}

static const sir_type *table_type(const found *f, const sir_expr *e)
{
    if (e->kind == SIR_GLOBAL)
        return f->m->globals.data[e->index].value.type;
    const sir_field *field = e->kind == SIR_FIELD ? &f->filter->fields.data[e->index] : NULL;
    return field != NULL && field->constant ? field->type : NULL;
}

static bool is_number(const sir_expr *e, int64_t n)
{
    return e->kind == SIR_CONST && e->type->kind == SIR_INT && e->u.value.i == n;
}

// "push table[item]", of the item that was popped before.
static bool looks_up(found *f, const sir_expr *e)
{
    const sir_type *t = e->kind == SIR_INDEX ? table_type(f, e->u.arg[0]) : NULL;
    f->table = t == NULL ? NULL : e->u.arg[0];
    return t != NULL && t->kind == SIR_ARRAY && t->length == BYTES && is_byte(t->element) &&
           e->u.arg[1]->kind == SIR_LOCAL && e->u.arg[1]->index == f->popped;
}

// Pops an item into a local, and pushes what the table has for it.
static bool is_look_up(found *f, const sir_block *b)
{
    f->popped = SIR_NONE;
    bool pushed = false;
    for (VEC_EACH(sir_stmt *const, s, b)) {
        if ((*s)->kind == SIR_DECL && (*s)->u.decl.init == NULL)
            continue;
        if ((*s)->kind == SIR_POP && f->popped == SIR_NONE && (*s)->u.set.target != NULL &&
            (*s)->u.set.target->kind == SIR_LOCAL && (*s)->u.set.target->type->kind == SIR_INT)
            f->popped = (*s)->u.set.target->index;
        else if ((*s)->kind == SIR_PUSH && !pushed && looks_up(f, (*s)->u.value))
            pushed = true;
        else
            return false;
    }
    return pushed;
}

// A work function that is such a look-up, or a loop of as many as it pops.
static bool is_look_ups(found *f)
{
    const sir_block *b = &f->function->body;
    const sir_function *g = f->function;
    if (g->pop.dynamic || g->pop.max != g->push.max || g->peek.max > g->pop.max)
        return false;
    if (g->pop.max == 1)
        return is_look_up(f, b);
    const sir_stmt *loop = b->len == 1 ? b->data[0] : NULL;
    return loop != NULL && loop->kind == SIR_FOR && loop->u.for_.step == 1 && is_number(loop->u.for_.lo, 0) &&
           is_number(loop->u.for_.hi, g->pop.max) && is_look_up(f, &loop->u.for_.body);
}

program_bytes program_find_bytes(program_emitter *x, const emit_filter_info *info, const sir_function *f,
                                 const program_walk *w)
{
    found what = {info->filter, f, x->e.module, NULL, SIR_NONE};
    if (w->general || w->tail || w->in.len != 1 || !is_byte(info->filter->input) || !is_byte(info->filter->output) ||
        f->kind != SIR_WORK || !is_look_ups(&what) || w->in.data[0].stride != f->pop.max ||
        w->out.data[0].stride != f->push.max)
        return (program_bytes){0};
    if (!x->bytes_header)
        text_line(x, 0, "#include <svm/bytes.h>\n");
    x->bytes_header = true;
    const char *table = what.table->kind == SIR_GLOBAL ? emit_global(&x->e, what.table->index)
                                                       : info->field_names.data[what.table->index];
    return (program_bytes){table, f->pop.max};
}

void program_emit_bytes(program_emitter *x, const program_bytes *b)
{
    int64_t firings = AT_ONCE;
    for (int64_t n = b->items; n % 2 == 0 && firings > 1; n /= 2)
        firings /= 2;
    text_line(x, 1, "const ptrdiff_t whole = count / %" PRId64 " * %" PRId64 ";", firings, firings);
    text_line(x, 1, "svm_lookUpBytes(in, out, %s, %s);", text_times(x, "whole", b->items), b->table);
}
