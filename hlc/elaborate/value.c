// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants by content, keys of filters, unique names, and argument lists as a reader wants to see them.
#include <inttypes.h>
#include <string.h>

#include "hlc/elaborate/elab.h"

// ---- Packing: scalars as the bytes that matter ----

static size_t packed_size(const sir_type *t)
{
    return t->kind == SIR_DOUBLE || t->kind == SIR_COMPLEX ? 8 : 4;
}

static void pack(strbuf *out, const sir_type *t, const sir_scalar *data)
{
    if (t->kind == SIR_STRUCT) {
        for (size_t i = 0; i < t->decl->members.len; i++) {
            const sir_type *member = t->decl->members.data[i].type;
            pack(out, member, data);
            data += member->words;
        }
        return;
    }
    if (t->kind != SIR_ARRAY) {
        strbuf_addn(out, (const char *)data, packed_size(t));
        return;
    }
    for (uint32_t i = 0; i < t->length; i++)
        pack(out, t->element, data + i * t->element->words);
}

static bool all_zero(const char *bytes, size_t n)
{
    return n == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0);
}

// Copies only the member that is meant, so that equal values have equal bytes.
static sir_scalar *copy_scalars(sir_scalar *to, const sir_type *t, const sir_scalar *from)
{
    if (t->kind == SIR_STRUCT) {
        for (size_t i = 0; i < t->decl->members.len; i++) {
            const sir_type *member = t->decl->members.data[i].type;
            copy_scalars(to, member, from);
            to += member->words;
            from += member->words;
        }
    } else if (t->kind == SIR_ARRAY) {
        for (uint32_t i = 0; i < t->length; i++)
            copy_scalars(to + i * t->element->words, t->element, from + i * t->element->words);
    } else {
        memcpy(to, from, packed_size(t));
    }
    return to;
}

static bool is_zero(const sir_type *t, const sir_scalar *data)
{
    if (t->kind == SIR_STRUCT) {
        for (size_t i = 0; i < t->decl->members.len; data += t->decl->members.data[i++].type->words)
            if (!is_zero(t->decl->members.data[i].type, data))
                return false;
        return true;
    }
    if (t->kind == SIR_ARRAY) {
        for (uint32_t i = 0; i < t->length; i++)
            if (!is_zero(t->element, data + i * t->element->words))
                return false;
        return true;
    }
    return all_zero((const char *)data, packed_size(t));
}

sir_value elab_value(elab *x, const sir_type *t, const sir_scalar *data)
{
    if (is_zero(t, data))
        return sir_value_zero(t);
    sir_value v = sir_value_new(x->arena, t);
    copy_scalars(v.data, t, data);
    return v;
}

// ---- Aggregate constants ----

elab_content *elab_intern(elab *x, const sir_type *t, const sir_scalar *data)
{
    strbuf filter_key = x->key; // may be under construction
    x->key = x->content_key;
    x->key.len = 0;
    elab_key_pointer(x, t);
    if (!is_zero(t, data))
        pack(&x->key, t, data);
    elab_content *c = hmap_getn(&x->contents, x->key.data, x->key.len);
    if (c == NULL) {
        c = ARENA_NEW(x->scratch, elab_content);
        c->id = (uint32_t)x->contents.len;
        c->global = SIR_NONE;
        hmap_setn(&x->contents, x->key.data, x->key.len, c);
    }
    x->content_key = x->key;
    x->key = filter_key;
    return c;
}

uint32_t elab_global(elab *x, const sir_type *t, const sir_scalar *data, const char *name, src_range where)
{
    elab_content *c = elab_intern(x, t, data);
    if (c->global == SIR_NONE) {
        c->global = (uint32_t)x->module->globals.len;
        VEC_PUSH(x->arena, &x->module->globals,
                 (sir_global){.name = elab_unique(x, &x->global_names, name, false),
                              .value = elab_value(x, t, data),
                              .loc = elab_loc(x, where)});
    }
    return c->global;
}

// ---- Keys ----

void elab_key_pointer(elab *x, const void *p)
{
    strbuf_addn(&x->key, (const char *)&p, sizeof p);
}

void elab_key_slot(elab *x, const elab_slot *slot)
{
    elab_key_pointer(x, slot->type);
    if (slot->type->kind == SIR_VOID) {
        strbuf_addn(&x->key, (const char *)&slot->len, sizeof slot->len);
        strbuf_addn(&x->key, slot->text, slot->len);
    } else if (slot->type->kind < SIR_STRUCT) {
        pack(&x->key, slot->type, slot->data);
    } else {
        uint32_t id = elab_intern(x, slot->type, slot->data)->id;
        strbuf_addn(&x->key, (const char *)&id, sizeof id);
    }
}

// ---- Names ----

const char *elab_unique(elab *x, hmap *taken, const char *base, bool numbered)
{
    uintptr_t n = (uintptr_t)hmap_get(taken, base);
    if (n == 0 && !numbered) {
        hmap_set(taken, base, (void *)(uintptr_t)1);
        return intern(x->module->names, base);
    }
    for (;;) {
        n++;
        strbuf name;
        strbuf_init(&name, x->scratch);
        strbuf_printf(&name, "%s_%" PRIuPTR, base, n);
        if (hmap_get(taken, name.data) == NULL) {
            hmap_set(taken, base, (void *)n);
            hmap_set(taken, name.data, (void *)(uintptr_t)1);
            return intern(x->module->names, name.data);
        }
    }
}

// ---- Argument lists ----

enum { SHOWN_ELEMENTS = 4, SHOWN_TEXT = 40 };

static void show(strbuf *out, const sir_type *t, const sir_scalar *data)
{
    switch (t->kind) {
    case SIR_VOID: break;
    case SIR_BOOLEAN: strbuf_add(out, data->i ? "true" : "false"); break;
    case SIR_BIT:
    case SIR_INT: strbuf_printf(out, "%" PRId32, data->i); break;
    case SIR_FLOAT: strbuf_add_float(out, data->f); break;
    case SIR_DOUBLE: strbuf_add_double(out, data->d); break;
    case SIR_COMPLEX:
        strbuf_add_float(out, data->c.re);
        if (!(data->c.im < 0))
            strbuf_addc(out, '+');
        strbuf_add_float(out, data->c.im);
        strbuf_addc(out, 'i');
        break;
    case SIR_STRUCT:
    case SIR_ARRAY: {
        uint32_t count = t->kind == SIR_ARRAY ? t->length : (uint32_t)t->decl->members.len;
        strbuf_addc(out, '{');
        for (uint32_t i = 0; i < count; i++) {
            const sir_type *part = t->kind == SIR_ARRAY ? t->element : t->decl->members.data[i].type;
            strbuf_add(out, i == 0 ? "" : ", ");
            if (i == SHOWN_ELEMENTS) {
                strbuf_add(out, "...");
                break;
            }
            show(out, part, data);
            data += part->words;
        }
        strbuf_addc(out, '}');
    }
    }
}

const char *elab_args_text(elab *x, const ast_var_list *vars, elab_slot *const *slots, bool named)
{
    if (vars->len == 0)
        return "";
    strbuf out;
    strbuf_init(&out, x->scratch);
    strbuf_addc(&out, '(');
    for (size_t i = 0; i < vars->len; i++) {
        const ast_var *v = vars->data[i];
        const elab_slot *slot = slots[i];
        strbuf_add(&out, i == 0 ? "" : ", ");
        if (named)
            strbuf_printf(&out, "%s = ", v->name);
        if (slot->type->kind == SIR_VOID)
            strbuf_add_quoted(&out, slot->text, slot->len < SHOWN_TEXT ? slot->len : SHOWN_TEXT);
        else if (v->type->kind == TYPE_PORTAL)
            strbuf_add(&out, x->portals.data[slot->data->i].var->name);
        else
            show(&out, slot->type, slot->data);
    }
    strbuf_addc(&out, ')');
    return arena_strndup(x->arena, out.data, out.len);
}
