// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verifier: modules, filters, the graph.
#include <string.h>

#include "hlc/ir/verify_int.h"
#include "support/strbuf.h"

const char *sir_type_text(sir_verifier *v, const sir_type *t)
{
    strbuf b;
    strbuf_init(&b, v->scratch);
    sir_type_print(&b, t);
    return b.data;
}

void sir_broken(sir_verifier *v, sir_loc loc, const char *format, ...)
{
    v->ok = false;
    va_list args;
    va_start(args, format);
    const char *what = arena_vprintf(v->scratch, format, args);
    va_end(args);
    if (v->function != NULL && v->function->name != NULL) {
        const char *function = v->function->name;
        if (v->filter != NULL && v->filter->name != NULL)
            what = arena_printf(v->scratch, "%s, in '%s' of filter '%s'", what, function, v->filter->name);
        else
            what = arena_printf(v->scratch, "%s, in function '%s'", what, function);
    }
    sir_error(v->module, v->d, loc, "stream IR: %s", what);
}

diag_record *sir_error(const sir_module *m, diag_engine *d, sir_loc loc, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(d->arena, format, args);
    va_end(args);
    const char *place = sir_place_text(d->arena, m, d->sources, loc);
    if (place != NULL)
        return diag_error_at(d, place, "%s", message);
    return diag_error(d, sir_range(m, d->sources, loc), "%s", message);
}

const char *sir_place_text(arena *a, const sir_module *m, source_set *sources, sir_loc loc)
{
    if (loc.file == 0 || loc.file >= m->files.len)
        return NULL;
    source_id source = m->sources.data[loc.file];
    if (source != 0 && source_load(sources, source))
        return NULL;
    return arena_printf(a, "%s:%u:%u", m->files.data[loc.file], (unsigned)loc.line, (unsigned)loc.column);
}

// ---- Names and values ----

static void check_unique(sir_verifier *v, hmap *names, const char *name, sir_loc loc, const char *what)
{
    if (name == NULL || name[0] == '\0') {
        sir_broken(v, loc, "a %s has no name", what);
        return;
    }
    if (hmap_get(names, name) != NULL)
        sir_broken(v, loc, "two %ss are named '%s'", what, name);
    hmap_set(names, name, names);
}

static void check_value(sir_verifier *v, const sir_value *value, const sir_type *wanted, sir_loc loc, const char *what)
{
    if (value->type == NULL || (wanted != NULL && value->type != wanted))
        sir_broken(v, loc, "the value of %s is not of its type", what);
    else if (value->type->words > SIR_MAX_WORDS)
        sir_broken(v, loc, "the value of %s is too large", what);
    else if (!value->zero && value->data == NULL)
        sir_broken(v, loc, "the value of %s is missing", what);
}

static void check_structs(sir_verifier *v)
{
    hmap names;
    hmap_init(&names, v->scratch);
    for (size_t i = 0; i < v->module->structs.len; i++) {
        const sir_struct *s = v->module->structs.data[i];
        check_unique(v, &names, s->name, (sir_loc){0}, "struct");
        hmap members;
        hmap_init(&members, v->scratch);
        for (size_t k = 0; k < s->members.len; k++) {
            check_unique(v, &members, s->members.data[k].name, (sir_loc){0}, "member of one struct");
            const sir_type *t = s->members.data[k].type;
            if (t == NULL || t->kind == SIR_VOID)
                sir_broken(v, (sir_loc){0}, "a member of struct '%s' has no type", s->name);
        }
    }
}

// ---- Functions and filters ----

static void check_module_functions(sir_verifier *v)
{
    const sir_module *m = v->module;
    hmap names;
    hmap_init(&names, v->scratch);
    hmap_init(&v->functions, v->scratch);
    sir_effects effects;
    sir_effects_init(&effects, v->scratch, NULL);
    for (size_t i = 0; i < m->functions.len; i++) {
        sir_function *f = m->functions.data[i];
        check_unique(v, &names, f->name, f->loc, "function");
        hmap_setn(&v->functions, &f, sizeof f, f);
        if (f->kind != SIR_HELPER && f->kind != SIR_NATIVE)
            sir_broken(v, f->loc, "a function of the module is neither helper nor native");
        sir_effects_add(&effects, f);
    }
    sir_effects_solve(&effects);
    for (size_t i = 0; i < m->functions.len; i++)
        sir_verify_function(v, NULL, m->functions.data[i], &effects);
}

static void check_fields(sir_verifier *v, const sir_filter *f)
{
    hmap names;
    hmap_init(&names, v->scratch);
    for (size_t i = 0; i < f->fields.len; i++) {
        const sir_field *field = &f->fields.data[i];
        check_unique(v, &names, field->name, field->loc, "field of one filter");
        if (field->type == NULL || field->type->kind == SIR_VOID)
            sir_broken(v, field->loc, "a field of filter '%s' has no type", f->name);
        else
            check_value(v, &field->init, field->type, field->loc, "a field");
    }
}

// ---- Finite filters ----

// Scalars of numbers, and structs of such: what streams have as elements.
static bool is_element(const sir_type *t)
{
    if (t->kind == SIR_STRUCT) {
        for (size_t i = 0; i < t->decl->members.len; i++)
            if (!is_element(t->decl->members.data[i].type))
                return false;
        return t->decl->members.len > 0;
    }
    return t->kind == SIR_INT || t->kind == SIR_FLOAT || t->kind == SIR_DOUBLE;
}

static bool is_float_element(const sir_type *t)
{
    bool all = t->kind == SIR_FLOAT || t->kind == SIR_STRUCT;
    for (size_t i = 0; t->kind == SIR_STRUCT && i < t->decl->members.len; i++)
        all = all && t->decl->members.data[i].type->kind == SIR_FLOAT;
    return all;
}

// A letter for each scalar, in memory order; gives how many it looked at, or SIZE_MAX.
static size_t stored_scalars(const sir_type *t, const char *letters)
{
    size_t at = 0;
    if (t->kind != SIR_STRUCT)
        return letters[0] != '\0' && sir_stored_kind(letters[0]) == t->kind ? 1 : SIZE_MAX;
    for (size_t i = 0; i < t->decl->members.len; i++) {
        size_t n = stored_scalars(t->decl->members.data[i].type, letters + at);
        if (n == SIZE_MAX)
            return n;
        at += n;
    }
    return at;
}

static void check_stored(sir_verifier *v, const sir_filter *f, const sir_field *field)
{
    if (field->stored == NULL || !is_element(field->type))
        return;
    bool stream = field->role == SIR_INPUT || field->role == SIR_OUTPUT || field->role == SIR_GATHER ||
                  field->role == SIR_REDUCED;
    size_t n = stored_scalars(field->type, field->stored);
    if (!stream || n == SIZE_MAX || field->stored[n] != '\0')
        sir_broken(v, field->loc, "the field '%s' of filter '%s' cannot be stored as '%s'", field->name, f->name,
                   field->stored);
}

static void check_coordinate(sir_verifier *v, const sir_filter *f, const sir_field *c)
{
    sir_role of = c->of < f->fields.len ? f->fields.data[c->of].role : SIR_STATE;
    if (c->type->kind != SIR_INT)
        sir_broken(v, c->loc, "the coordinate '%s' of filter '%s' is no int", c->name, f->name);
    if (of != SIR_INPUT && of != SIR_OUTPUT && of != SIR_ITERATOR)
        sir_broken(v, c->loc, "the coordinate '%s' of filter '%s' is one of no 'in', 'out' or 'iterator'", c->name,
                   f->name);
    if (c->dimension >= SIR_RANK)
        sir_broken(v, c->loc, "the coordinate '%s' of filter '%s' has no dimension", c->name, f->name);
}

static void check_role(sir_verifier *v, const sir_filter *f, const sir_field *field)
{
    switch (field->role) {
    case SIR_STATE:
        if (f->finite && !field->constant)
            sir_broken(v, field->loc, "the finite filter '%s' has state", f->name);
        break;
    case SIR_COORDINATE: check_coordinate(v, f, field); break;
    case SIR_GATHER:
        if (field->rank < 1 || field->rank > SIR_RANK)
            sir_broken(v, field->loc, "the gathered stream '%s' has no rank", field->name);
        break;
    case SIR_ITERATOR:
        if (!is_float_element(field->type))
            sir_broken(v, field->loc, "the iterator '%s' has other elements than floats", field->name);
        break;
    case SIR_VARIABLE:
        if (field->type != f->output)
            sir_broken(v, field->loc, "'%s' is of another type than what filter '%s' pushes", field->name, f->name);
        break;
    default: break;
    }
    if (field->role != SIR_STATE && !is_element(field->type))
        sir_broken(v, field->loc, "the field '%s' of filter '%s' is no number and no struct of numbers", field->name,
                   f->name);
}

// A reduction takes the elements of one input, or what prework makes of those of several.
static void check_reduction(sir_verifier *v, const sir_filter *f, const size_t *count)
{
    const bool maps = count[SIR_MAPPED] > 0;
    if (maps != (f->prework != NULL) || (maps && (count[SIR_REDUCED] != 1 || count[SIR_MAPPED] != 1)))
        sir_broken(v, f->loc, "the finite filter '%s' is to have one 'mapped' and a prework, and be a reduction",
                   f->name);
    if (count[SIR_REDUCED] == 1 &&
        ((maps ? count[SIR_INPUT] == 0 : count[SIR_INPUT] != 1) || count[SIR_ITERATOR] + count[SIR_COORDINATE] > 0))
        sir_broken(v, f->loc, "the reduction '%s' is to have one 'in', and no iterators or coordinates", f->name);
}

// What a finite filter is called for: outputs, or one reduction, or one stream of what is pushed.
static void check_finite(sir_verifier *v, const sir_filter *f)
{
    size_t count[SIR_ROLE_COUNT] = {0};
    for (size_t i = 0; i < f->fields.len; i++) {
        sir_role role = f->fields.data[i].role;
        if (role >= SIR_ROLE_COUNT) {
            sir_broken(v, f->fields.data[i].loc, "a field of filter '%s' is of no role", f->name);
            return;
        }
        count[role]++;
        check_role(v, f, &f->fields.data[i]);
        check_stored(v, f, &f->fields.data[i]);
    }
    if (!f->finite)
        return;
    size_t reduced = count[SIR_REDUCED], variable = count[SIR_VARIABLE];
    if (f->input->kind != SIR_VOID || (f->output->kind != SIR_VOID && variable == 0) || f->handlers.len > 0)
        sir_broken(v, f->loc, "the finite filter '%s' has an input, an output or handlers", f->name);
    if (f->uses_iter || f->uses_random || f->prints || f->sends)
        sir_broken(v, f->loc, "the finite filter '%s' does what depends on the firings before", f->name);
    if ((count[SIR_OUTPUT] > 0) + (reduced > 0) + (variable > 0) != 1 || reduced > 1 || variable > 1)
        sir_broken(v, f->loc, "the finite filter '%s' is to have outputs, or one 'reduced', or one 'variable'",
                   f->name);
    if (count[SIR_INSIDE] > 0 && count[SIR_OUTPUT] + count[SIR_MAPPED] == 0)
        sir_broken(v, f->loc, "the finite filter '%s' has an 'inside' and no 'out' that it is shaped as", f->name);
    check_reduction(v, f, count);
}

// The flags in the filter are those that follow from its bodies.
static void check_derived(sir_verifier *v, const sir_filter *f)
{
    sir_filter again = *f;
    again.fields.data = ARENA_ARRAY(v->scratch, sir_field, f->fields.len);
    for (size_t i = 0; i < f->fields.len; i++)
        again.fields.data[i] = f->fields.data[i];
    sir_filter_derive((sir_module *)v->module, &again);
    bool same = again.stateful == f->stateful && again.uses_iter == f->uses_iter &&
                again.uses_random == f->uses_random && again.prints == f->prints && again.sends == f->sends &&
                again.natives == f->natives && again.finite == f->finite;
    // Where ints are stored in few bits, both ends of a filter that widened its items may have become alike.
    same = same && (again.identity == f->identity || (again.identity && v->module->narrow));
    for (size_t i = 0; i < f->fields.len; i++)
        same = same && again.fields.data[i].constant == f->fields.data[i].constant;
    if (!same)
        sir_broken(v, f->loc, "what filter '%s' is said to do is not what its bodies do", f->name);
}

static void check_filter_function(sir_verifier *v, const sir_filter *f, const sir_function *function,
                                  sir_function_kind kind, const sir_effects *effects)
{
    if (function->kind != kind)
        sir_broken(v, function->loc, "a function of filter '%s' has another kind than its place says", f->name);
    if ((kind == SIR_WORK || kind == SIR_PREWORK) && function->param_count != 0)
        sir_broken(v, function->loc, "a work function of filter '%s' has parameters", f->name);
    if (kind != SIR_HELPER && function->result != v->module->scalar[SIR_VOID])
        sir_broken(v, function->loc, "'%s' of filter '%s' has a result", function->name, f->name);
    sir_verify_function(v, f, function, effects);
}

static bool is_times(const sir_rate *many, const sir_rate *one, int64_t n)
{
    return !many->dynamic && !one->dynamic && many->max % n == 0 && many->max / n == one->max;
}

// A window of several firings, which move so many items as these do, and nothing else.
static void check_ahead(sir_verifier *v, const sir_filter *f)
{
    const sir_function *one = f->work, *many = f->ahead;
    int64_t n = one->push.max > 0 ? many->push.max / one->push.max : 0;
    bool fine = n > 1 && is_times(&many->pop, &one->pop, n) && is_times(&many->push, &one->push, n) &&
                !one->peek.dynamic && !many->peek.dynamic &&
                many->peek.max - many->pop.max <= one->peek.max - one->pop.max;
    if (!fine || f->finite || f->handlers.len != 0 || f->uses_iter || f->uses_random || f->prints || f->sends)
        sir_broken(v, many->loc, "'ahead' of filter '%s' is not what several firings of work move", f->name);
}

static void check_filter(sir_verifier *v, const sir_filter *f)
{
    if (f->input == NULL || f->output == NULL) {
        sir_broken(v, f->loc, "filter '%s' has no input or output type", f->name);
        return;
    }
    if (f->input->words > SIR_MAX_WORDS || f->output->words > SIR_MAX_WORDS)
        sir_broken(v, f->loc, "the items of filter '%s' are too large", f->name);
    check_fields(v, f);
    if (f->work == NULL) {
        sir_broken(v, f->loc, "filter '%s' has no work function", f->name);
        return;
    }
    sir_effects effects;
    sir_effects_init(&effects, v->scratch, f);
    hmap names;
    hmap_init(&names, v->scratch);
    sir_effects_add(&effects, f->work);
    if (f->prework != NULL)
        sir_effects_add(&effects, f->prework);
    if (f->ahead != NULL)
        sir_effects_add(&effects, f->ahead);
    for (size_t i = 0; i < f->functions.len; i++) {
        check_unique(v, &names, f->functions.data[i]->name, f->functions.data[i]->loc, "function of one filter");
        sir_effects_add(&effects, f->functions.data[i]);
    }
    for (size_t i = 0; i < f->handlers.len; i++) {
        check_unique(v, &names, f->handlers.data[i]->name, f->handlers.data[i]->loc, "function of one filter");
        sir_effects_add(&effects, f->handlers.data[i]);
    }
    sir_effects_solve(&effects);
    check_filter_function(v, f, f->work, SIR_WORK, &effects);
    if (f->prework != NULL)
        check_filter_function(v, f, f->prework, SIR_PREWORK, &effects);
    if (f->ahead != NULL) {
        check_filter_function(v, f, f->ahead, SIR_WORK, &effects);
        check_ahead(v, f);
    }
    for (size_t i = 0; i < f->functions.len; i++)
        check_filter_function(v, f, f->functions.data[i], SIR_HELPER, &effects);
    for (size_t i = 0; i < f->handlers.len; i++)
        check_filter_function(v, f, f->handlers.data[i], SIR_HANDLER, &effects);
    check_finite(v, f);
    if (v->ok)
        check_derived(v, f);
}

static void check_filters(sir_verifier *v, hmap *filters)
{
    hmap names;
    hmap_init(&names, v->scratch);
    for (size_t i = 0; i < v->module->filters.len; i++) {
        const sir_filter *f = v->module->filters.data[i];
        check_unique(v, &names, f->name, f->loc, "filter");
        hmap_setn(filters, &f, sizeof f, (void *)f);
        check_filter(v, f);
        v->filter = NULL;
        v->function = NULL;
    }
}

// ---- The graph ----

static void check_regions(sir_verifier *v)
{
    const sir_module *m = v->module;
    for (size_t i = 0; i < m->regions.len; i++) {
        const sir_region *r = &m->regions.data[i];
        bool root = i == 0;
        if (r->name == NULL || r->kind > SIR_FILTER_REGION)
            sir_broken(v, r->loc, "region %zu has no name or kind", i);
        if (root ? r->parent != SIR_NONE : r->parent >= i)
            sir_broken(v, r->loc, "the parent of region %zu does not come before it", i);
    }
}

// The one channel at a side that has at most one; NULL: none.
static const sir_channel *only_channel(sir_verifier *v, const sir_actor *a, bool input)
{
    const uint32_t *ports = input ? a->inputs.data : a->outputs.data;
    size_t count = input ? a->inputs.len : a->outputs.len;
    if (count > 1)
        sir_broken(v, a->loc, "actor '%s' has several %s", a->name, input ? "inputs" : "outputs");
    return count == 0 || ports[0] >= v->module->channels.len ? NULL : &v->module->channels.data[ports[0]];
}

static void expect_side(sir_verifier *v, const sir_actor *a, bool input, const sir_type *t)
{
    const sir_channel *c = only_channel(v, a, input);
    const char *side = input ? "input" : "output";
    if (t->kind == SIR_VOID) {
        if (c != NULL)
            sir_broken(v, a->loc, "actor '%s' has an %s but its type says it has none", a->name, side);
    } else if (c == NULL) {
        sir_broken(v, a->loc, "the %s of actor '%s' is not connected", side, a->name);
    } else if (c->type != t) {
        bool stored = sir_same_values(c->type, t);
        sir_broken(v, a->loc, "the %s of actor '%s' is a channel of '%s', but it takes '%s'%s", side, a->name,
                   sir_type_text(v, c->type), sir_type_text(v, t),
                   stored ? " stored otherwise: its filter is at a file of bytes too" : "");
    }
}

static void check_fan(sir_verifier *v, const sir_actor *a, bool split)
{
    const uint32_t *ports = split ? a->outputs.data : a->inputs.data;
    size_t count = split ? a->outputs.len : a->inputs.len;
    bool weighted = !a->duplicate;
    if (weighted && a->weights.len != count) {
        sir_broken(v, a->loc, "actor '%s' has %zu weights for %zu channels", a->name, a->weights.len, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        bool connected = ports[i] < v->module->channels.len;
        if (!connected && (!weighted || a->weights.data[i] != 0))
            sir_broken(v, a->loc, "port %zu of actor '%s' is not connected", i, a->name);
        if (connected && v->module->channels.data[ports[i]].type != a->item)
            sir_broken(v, a->loc, "port %zu of actor '%s' is a channel of another type", i, a->name);
    }
    const sir_channel *other = only_channel(v, a, split);
    if (other != NULL && other->type != a->item)
        sir_broken(v, a->loc, "a channel of actor '%s' is of another type", a->name);
    uint64_t sum = 0;
    for (size_t i = 0; i < a->weights.len; i++)
        sum += a->weights.data[i];
    if (other == NULL && (sum != 0 || !weighted))
        sir_broken(v, a->loc, "actor '%s' is not connected at its %s", a->name, split ? "input" : "output");
}

static void check_actor(sir_verifier *v, const sir_actor *a, const hmap *filters)
{
    const sir_type *none = v->module->scalar[SIR_VOID];
    if (a->region >= v->module->regions.len)
        sir_broken(v, a->loc, "actor '%s' is in no region", a->name);
    if (a->kind == SIR_FILTER && a->filter != NULL && a->filter->finite)
        sir_broken(v, a->loc, "the filter of actor '%s' is finite", a->name);
    if (a->kind == SIR_FILTER ? hmap_getn(filters, &a->filter, sizeof a->filter) == NULL : a->item == NULL) {
        sir_broken(v, a->loc, "actor '%s' has no filter or item type", a->name);
        return;
    }
    if (a->kind != SIR_FILTER && a->item->words > SIR_MAX_WORDS)
        sir_broken(v, a->loc, "the items of actor '%s' are too large", a->name);
    switch (a->kind) {
    case SIR_FILTER:
        expect_side(v, a, true, a->filter->input != NULL ? a->filter->input : none);
        expect_side(v, a, false, a->filter->output != NULL ? a->filter->output : none);
        break;
    case SIR_SPLIT: check_fan(v, a, true); break;
    case SIR_JOIN:
        if (a->duplicate)
            sir_broken(v, a->loc, "joiner '%s' duplicates", a->name);
        else
            check_fan(v, a, false);
        break;
    case SIR_READER:
        expect_side(v, a, true, none);
        expect_side(v, a, false, a->item);
        break;
    case SIR_WRITER:
        expect_side(v, a, true, a->item);
        expect_side(v, a, false, none);
        break;
    default: sir_broken(v, a->loc, "actor '%s' is of no kind", a->name); break;
    }
}

static void check_ports(sir_verifier *v, uint32_t number)
{
    const sir_actor *a = v->module->actors.data[number];
    for (int side = 0; side < 2; side++) {
        const uint32_t *ports = side == 0 ? a->inputs.data : a->outputs.data;
        size_t count = side == 0 ? a->inputs.len : a->outputs.len;
        for (size_t i = 0; i < count; i++) {
            if (ports[i] == SIR_NONE)
                continue;
            const sir_channel *c = ports[i] < v->module->channels.len ? &v->module->channels.data[ports[i]] : NULL;
            bool mine = c != NULL && (side == 0 ? c->consumer == number && c->consumer_port == i
                                                : c->producer == number && c->producer_port == i);
            if (!mine)
                sir_broken(v, a->loc, "actor '%s' and its channel %u do not agree", a->name, (unsigned)ports[i]);
        }
    }
}

static bool has_rates(const sir_filter *f, int64_t pop, int64_t push)
{
    const sir_function *w = f->work;
    return f->prework == NULL && !f->stateful && f->handlers.len == 0 && f->input != NULL && w->pop.max == pop &&
           w->push.max == push && !w->peek.dynamic && !w->pop.dynamic && !w->push.dynamic;
}

// What stands for the ends of a channel of zeros moves what they move.
static void check_zeros(sir_verifier *v, const sir_channel *c, const sir_actor *from, const sir_actor *to)
{
    const sir_zeros *z = c->zeros;
    bool filters = from->kind == SIR_FILTER && to->kind == SIR_FILTER && c->initial.len == 0;
    bool fits = filters && z->every > 1 && z->first < z->every && has_rates(from->filter, 1, z->every) &&
                has_rates(z->samples, 1, 1) && z->samples->input == from->filter->input &&
                z->samples->output == c->type && z->phases->input == c->type && z->phases->output == to->filter->output;
    if (fits) {
        const sir_function *work = to->filter->work, *many = z->phases->work;
        int64_t firings = work->push.max > 0 ? many->push.max / work->push.max : 0;
        fits = firings > 0 && has_rates(to->filter, work->pop.max, work->push.max) &&
               has_rates(z->phases, many->pop.max, firings * work->push.max) &&
               firings * work->pop.max == many->pop.max * z->every &&
               many->peek.max <= ((firings - 1) * work->pop.max + work->peek.max - z->first + z->every - 1) / z->every;
    }
    if (!fits)
        sir_broken(v, c->loc,
                   "the filters '%s' and '%s' do not do what the ends of a channel with %lld zeros behind each item do",
                   z->samples->name, z->phases->name, (long long)z->every - 1);
}

static void check_channels(sir_verifier *v)
{
    const sir_module *m = v->module;
    for (size_t i = 0; i < m->channels.len; i++) {
        const sir_channel *c = &m->channels.data[i];
        bool ends = c->type != NULL && c->producer < m->actors.len && c->consumer < m->actors.len;
        const sir_actor *from = ends ? m->actors.data[c->producer] : NULL,
                        *to = ends ? m->actors.data[c->consumer] : NULL;
        if (!ends || c->producer_port >= from->outputs.len || from->outputs.data[c->producer_port] != i ||
            c->consumer_port >= to->inputs.len || to->inputs.data[c->consumer_port] != i)
            sir_broken(v, c->loc, "channel %zu does not end at the ports that it names", i);
        for (size_t k = 0; ends && k < c->initial.len; k++)
            check_value(v, &c->initial.data[k], c->type, c->loc, "an initial item");
        if (ends && c->zeros != NULL)
            check_zeros(v, c, from, to);
    }
}

static void check_graph(sir_verifier *v, const hmap *filters)
{
    const sir_module *m = v->module;
    check_regions(v);
    hmap names;
    hmap_init(&names, v->scratch);
    for (size_t i = 0; i < m->actors.len; i++) {
        check_unique(v, &names, m->actors.data[i]->name, m->actors.data[i]->loc, "actor");
        check_actor(v, m->actors.data[i], filters);
        check_ports(v, (uint32_t)i);
    }
    check_channels(v);
    hmap_init(&names, v->scratch);
    for (size_t i = 0; i < m->portals.len; i++) {
        const sir_portal *p = &m->portals.data[i];
        check_unique(v, &names, p->name, p->loc, "portal");
        for (size_t k = 0; k < p->receivers.len; k++)
            if (p->receivers.data[k] >= m->actors.len || m->actors.data[p->receivers.data[k]]->kind != SIR_FILTER)
                sir_broken(v, p->loc, "a receiver of portal '%s' is no filter", p->name);
    }
}

bool sir_verify(const sir_module *m, diag_engine *d)
{
    sir_verifier v = {.module = m, .d = d, .scratch = arena_create(), .ok = true};
    hmap filters, globals;
    hmap_init(&filters, v.scratch);
    hmap_init(&globals, v.scratch);
    if (m->files.len != m->sources.len || m->name == NULL)
        sir_broken(&v, (sir_loc){0}, "the module has no name, or files without texts");
    check_structs(&v);
    for (size_t i = 0; i < m->globals.len; i++) {
        check_unique(&v, &globals, m->globals.data[i].name, m->globals.data[i].loc, "global");
        check_value(&v, &m->globals.data[i].value, NULL, m->globals.data[i].loc, "a global");
    }
    if (v.ok) {
        check_module_functions(&v);
        v.function = NULL;
        check_filters(&v, &filters);
        check_graph(&v, &filters);
    }
    arena_destroy(v.scratch);
    return v.ok;
}
