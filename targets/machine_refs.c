// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// References between the elements of a machine. A reference is a name ("LMEM1"), all of a replicated entry
// ("SPE*"), the one of the same number ("LS#", in an entry that is itself replicated), the one that several share
// ("L3#/8": that of numbers 0 to 7 is L30), or a range ("SPE0..SPE7").
#include <stdlib.h>
#include <string.h>

#include "support/hmap.h"
#include "targets/machine_schema.h"

// What a name stands for: an element, or an entry with several.
typedef struct named {
    machine_element_kind kind;
    size_t first, count;
    src_range range;
} named;

typedef struct resolver {
    arena *arena;
    diag_engine *diag;
    machine *machine;
    hmap elements; // name -> named of one
    hmap entries;  // entry's name -> named
    size_t refs;
    bool too_many;
    size_t errors_before; // the entry that is being resolved
} resolver;

static void add_name(resolver *r, const machine_element *e, machine_element_kind kind, size_t index)
{
    named *earlier = hmap_get(&r->elements, e->name);
    if (earlier != NULL) {
        diag_record *error =
            diag_error(r->diag, e->entry->name_range, "the name '%s' is given to two elements", e->name);
        diag_add_note(r->diag, error, earlier->range, "the other one is here");
        return;
    }
    named *n = ARENA_NEW(r->arena, named);
    *n = (named){kind, index, 1, e->entry->name_range};
    hmap_set(&r->elements, e->name, n);
    named *entry = hmap_get(&r->entries, e->entry->name);
    if (entry == NULL) {
        entry = ARENA_NEW(r->arena, named);
        *entry = *n;
        hmap_set(&r->entries, e->entry->name, entry);
    } else {
        entry->count++;
    }
}

static const char *kind_text(machine_element_kind kind)
{
    return kind == MACHINE_PROCESSOR ? "processor" : kind == MACHINE_MEMORY ? "memory" : "link";
}

// What a reference may name.
static const char *kinds_text(unsigned kinds)
{
    return kinds == MACHINE_MEMORY ? "memory" : kinds == MACHINE_PROCESSOR ? "processor" : "element";
}

// One reference being resolved.
typedef struct reference {
    const machine_element *from;
    const machine_key *key;
    const yaml_node *node;
    machine_refs *refs;
} reference;

static void report(resolver *r, const reference *ref, const char *name, const char *why)
{
    const char *near = machine_nearest(r->machine, ref->key->detail, name);
    const char *hint = near == NULL ? "" : arena_printf(r->arena, "; did you mean '%s'?", near);
    diag_record *e = diag_error(r->diag, ref->node->range, "%s names '%.60s', %s%s",
                                machine_describe(r->arena, ref->from->entry, ref->key), name, why, hint);
    if (near != NULL && strcmp(name, ref->node->text) == 0)
        diag_add_fixit(r->diag, e, ref->node->range, near);
}

static void add_ref(resolver *r, const reference *ref, machine_element_kind kind, size_t index)
{
    if (++r->refs > MACHINE_MAX_REFS) {
        if (!r->too_many)
            diag_error(r->diag, ref->node->range, "the machine has more than %d references", MACHINE_MAX_REFS);
        r->too_many = true;
        return;
    }
    VEC_PUSH(r->arena, ref->refs, (machine_ref){kind, index});
}

static const named *look_up(resolver *r, const reference *ref, const hmap *map, const char *name)
{
    const named *n = hmap_get(map, name);
    if (n == NULL) {
        const named *entry = hmap_get(&r->entries, name);
        if (entry != NULL && entry->count > 1)
            report(r, ref, name,
                   arena_printf(r->arena, "of which there are %zu: '%s0', '%s*' for all, or '%s#' for the same number",
                                entry->count, name, name, name));
        else
            report(r, ref, name,
                   arena_printf(r->arena, "which is no %s of this machine", kinds_text(ref->key->detail)));
        return NULL;
    }
    if (!(n->kind & ref->key->detail)) {
        diag_record *e = diag_error(r->diag, ref->node->range, "%s names '%s', which is a %s; expected a %s",
                                    machine_describe(r->arena, ref->from->entry, ref->key), name, kind_text(n->kind),
                                    kinds_text(ref->key->detail));
        diag_add_note(r->diag, e, n->range, "'%s' is described here", name);
        return NULL;
    }
    return n;
}

static void resolve_range(resolver *r, const reference *ref, const char *from, const char *to)
{
    const named *a = look_up(r, ref, &r->elements, from), *b = look_up(r, ref, &r->elements, to);
    if (a == NULL || b == NULL)
        return;
    if (a->kind != b->kind || b->first < a->first) {
        diag_error(r->diag, ref->node->range, "%s: '%s' is no range of elements",
                   machine_describe(r->arena, ref->from->entry, ref->key), ref->node->text);
        return;
    }
    for (size_t i = a->first; i <= b->first && !r->too_many; i++)
        add_ref(r, ref, a->kind, i);
}

// The number after the slash of "L3#/8"; 0 after an error.
static uint64_t read_share(resolver *r, const reference *ref, const char *slash)
{
    size_t digits = strspn(slash + 1, "0123456789");
    uint64_t share = digits > 0 && digits <= 6 && slash[1 + digits] == '\0' ? strtoull(slash + 1, NULL, 10) : 0;
    if (share == 0 || slash == ref->node->text || slash[-1] != '#') {
        diag_error(r->diag, ref->node->range,
                   "%s: '%.60s' is no reference; the one that 8 elements share is written 'NAME#/8'",
                   machine_describe(r->arena, ref->from->entry, ref->key), ref->node->text);
        return 0;
    }
    return share;
}

// "NAME*" (share 0), "NAME#" (share 1) or "NAME#/share".
static void resolve_replicas(resolver *r, const reference *ref, const char *name, uint64_t share)
{
    const named *n = look_up(r, ref, &r->entries, name);
    if (n == NULL)
        return;
    if (share == 0) {
        for (size_t i = 0; i < n->count && !r->too_many; i++)
            add_ref(r, ref, n->kind, n->first + i);
        return;
    }
    uint64_t number = ref->from->number / share;
    if (number < n->count)
        add_ref(r, ref, n->kind, n->first + number);
    else
        diag_error(r->diag, ref->node->range, "%s: '%s' has no number %llu, which '%s' would need",
                   machine_describe(r->arena, ref->from->entry, ref->key), ref->node->text, (unsigned long long)number,
                   ref->from->name);
}

static void resolve_one(resolver *r, const reference *ref)
{
    if (ref->node->kind != YAML_SCALAR || ref->node->text[0] == '\0') {
        diag_error(r->diag, ref->node->range, "%s: expected %s, not %s",
                   machine_describe(r->arena, ref->from->entry, ref->key), machine_expected(r->arena, ref->key),
                   ref->node->kind == YAML_SCALAR ? "nothing" : yaml_kind_text(ref->node));
        return;
    }
    const char *text = ref->node->text, *dots = strstr(text, "..");
    if (dots != NULL) {
        resolve_range(r, ref, arena_strndup(r->arena, text, (size_t)(dots - text)), dots + 2);
        return;
    }
    const char *slash = strchr(text, '/');
    uint64_t share = slash == NULL ? 1 : read_share(r, ref, slash);
    if (share == 0)
        return;
    size_t len = slash == NULL ? strlen(text) : (size_t)(slash - text);
    char last = text[len - 1];
    if (last == '*' || last == '#') {
        resolve_replicas(r, ref, arena_strndup(r->arena, text, len - 1), last == '#' ? share : 0);
        return;
    }
    const named *n = look_up(r, ref, &r->elements, text);
    if (n != NULL)
        add_ref(r, ref, n->kind, n->first);
}

// Replicas of an entry whose first one is wrong would only repeat the error; and searching names for suggestions is
// not free.
static bool may_continue(const resolver *r)
{
    return !r->too_many && r->diag->error_count < 20;
}

static void resolve_setting(resolver *r, const machine_element *from, const machine_setting *s, char *object)
{
    machine_refs refs = {0};
    reference ref = {from, s->key, s->value, &refs};
    if (s->key->type == TYPE_REF) {
        resolve_one(r, &ref);
        if (refs.len > 1)
            diag_error(r->diag, s->value->range, "%s: expected one name; this names %zu",
                       machine_describe(r->arena, from->entry, s->key), refs.len);
        if (refs.len == 1)
            *(machine_ref *)(object + s->key->offset) = refs.data[0];
        return;
    }
    if (s->value->kind != YAML_SEQUENCE) {
        diag_error(r->diag, s->value->range, "%s: expected %s, not %s", machine_describe(r->arena, from->entry, s->key),
                   machine_expected(r->arena, s->key),
                   s->value->kind == YAML_SCALAR ? arena_printf(r->arena, "'%.60s'", s->value->text)
                                                 : yaml_kind_text(s->value));
        return;
    }
    for (VEC_EACH(yaml_node *, item, &s->value->items)) {
        if (!may_continue(r))
            return;
        ref.node = *item;
        resolve_one(r, &ref);
    }
    *(machine_refs *)(object + s->key->offset) = refs;
}

static void resolve_element(resolver *r, const machine_element *e, void *object)
{
    if (e->number > 0 && r->diag->error_count > r->errors_before)
        return;
    if (e->number == 0)
        r->errors_before = r->diag->error_count;
    for (size_t i = 0; i < e->entry->setting_count && may_continue(r); i++) {
        const machine_setting *s = &e->entry->settings[i];
        if (s->value != NULL && (s->key->type == TYPE_REF || s->key->type == TYPE_REFS))
            resolve_setting(r, e, s, object);
    }
}

void machine_resolve(arena *a, diag_engine *d, machine *m)
{
    resolver r = {.arena = a, .diag = d, .machine = m};
    hmap_init(&r.elements, a);
    hmap_init(&r.entries, a);
    for (size_t i = 0; i < m->processors.len; i++)
        add_name(&r, &m->processors.data[i].element, MACHINE_PROCESSOR, i);
    for (size_t i = 0; i < m->memories.len; i++)
        add_name(&r, &m->memories.data[i].element, MACHINE_MEMORY, i);
    for (size_t i = 0; i < m->links.len; i++)
        add_name(&r, &m->links.data[i].element, MACHINE_LINK, i);
    for (VEC_EACH(machine_processor, p, &m->processors))
        resolve_element(&r, &p->element, p);
    for (VEC_EACH(machine_memory, memory, &m->memories))
        resolve_element(&r, &memory->element, memory);
    for (VEC_EACH(machine_link, k, &m->links))
        resolve_element(&r, &k->element, k);
}
