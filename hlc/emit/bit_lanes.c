// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firings one a bit of vectors: the Boolean network of a work function as C, with the type and functions of svm/bits.h.
//
// A function turns the items of svm_bits firings to vectors, calls the network's functions, and turns what they computed
// back. Permutations are no code: they are in the subscripts. A table is a function of its own, called for every look-up.
// Networks are cut into functions of some hundred statements, since a C compiler takes more than twice as long for twice as
// much in one; what later ones need of earlier ones is in `kept`.
//
// NOTE(names). A gate's name may stand for its inverse: sums take inversions along, products of inverses are the inverse
// of an alternative. Gates that are used once are written where they are used, up to a depth.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"
#include "hlc/ir/network.h"
#include "hlc/plan/bit_lanes.h"

enum { NET_STATEMENTS = 300, NET_DEPTH = 3 };
#define NET_NONE UINT32_MAX

typedef struct net_gate {
    uint32_t uses, inverted;  // of them so many of the inverse
    bool table_input, within; // within: written where it is used
    bool inverse;             // its name stands for the inverse
    uint8_t depth;
    uint32_t part; // the function that computes it
    uint32_t last; // and the last that uses it
    uint32_t slot; // in kept; NET_NONE: no later one does
} net_gate;

// Vectors that go in or out: of one bit of some items, of all bits of one, or of all bits of all, which are bytes.
typedef enum net_form { NET_BIT, NET_WORD, NET_PACKED } net_form;
typedef struct net_block {
    net_form form;
    uint32_t bit, first, count, base;
} net_block;
enum { NET_BYTE = 8 };

typedef struct net_text {
    program_emitter *x;
    arena *a;
    const sir_network *n;
    const char *base; // of its functions' names
    net_gate *gates;
    uint32_t parts, slots;
    bool is_table;       // inputs are parameters
    const char **tables; // names of the tables' functions
    VEC(net_block) in, out;
    uint32_t in_count, out_count;
    uint32_t part; // the one being written
    bool uses_in, uses_out, uses_kept;
} net_text;

// ---- What is written where ----

static void count_use(net_text *t, sir_wire w, bool table)
{
    net_gate *g = &t->gates[w / 2];
    g->uses++;
    g->inverted += w & 1;
    g->table_input |= table;
}

static bool is_operation(const sir_gate *g)
{
    return g->kind == GATE_AND || g->kind == GATE_XOR;
}

static void count_uses(net_text *t)
{
    for (size_t i = 1; i < t->n->gates.len; i++) {
        const sir_gate *g = &t->n->gates.data[i];
        if (!t->n->live[i])
            continue;
        if (is_operation(g)) {
            count_use(t, g->a, false);
            count_use(t, g->b, false);
        }
        const sir_table_use *u = g->kind == GATE_TABLE ? &t->n->uses.data[g->a] : NULL;
        for (uint32_t k = 0; u != NULL && k < t->n->tables.data[u->table].inputs; k++)
            count_use(t, u->in[k], true);
    }
    for (VEC_EACH(sir_wire, w, &t->n->outputs)) {
        count_use(t, *w, true); // a statement of its own
    }
}

static void choose_names(net_text *t)
{
    for (size_t i = 1; i < t->n->gates.len; i++) {
        const sir_gate *g = &t->n->gates.data[i];
        net_gate *own = &t->gates[i];
        if (!t->n->live[i] || !is_operation(g))
            continue;
        const net_gate *a = &t->gates[g->a / 2], *b = &t->gates[g->b / 2];
        own->inverse = g->kind == GATE_AND ? 2 * own->inverted > own->uses : a->inverse != b->inverse;
        uint8_t depth = a->within ? a->depth : 0, other = b->within ? b->depth : 0;
        own->depth = (uint8_t)(1 + (depth > other ? depth : other));
        own->within = own->uses == 1 && !own->table_input && own->depth < NET_DEPTH;
    }
}

// Gates are in the order of statements; a call of a table is one.
static void cut(net_text *t)
{
    uint32_t statements = 0, part = 0, use = NET_NONE;
    for (size_t i = 1; i < t->n->gates.len; i++) {
        const sir_gate *g = &t->n->gates.data[i];
        if (!t->n->live[i] || t->gates[i].within || g->kind == GATE_INPUT)
            continue;
        bool same = g->kind == GATE_TABLE && g->a == use;
        use = g->kind == GATE_TABLE ? g->a : use;
        if (!same && statements++ == NET_STATEMENTS && !t->is_table) {
            statements = 0;
            part++;
        }
        t->gates[i].part = part;
    }
    t->parts = part + 1;
}

static void note_use(net_text *t, sir_wire w, uint32_t part)
{
    net_gate *g = &t->gates[w / 2];
    if (t->n->gates.data[w / 2].kind == GATE_INPUT)
        return;
    if (g->within)
        g->part = part;
    g->last = part > g->last ? part : g->last;
}

// From the last gate to the first, since those that are written within others are where these are.
static void find_last_uses(net_text *t)
{
    for (size_t i = t->n->gates.len; i-- > 1;) {
        const sir_gate *g = &t->n->gates.data[i];
        if (!t->n->live[i])
            continue;
        if (is_operation(g)) {
            note_use(t, g->a, t->gates[i].part);
            note_use(t, g->b, t->gates[i].part);
        }
        const sir_table_use *u = g->kind == GATE_TABLE ? &t->n->uses.data[g->a] : NULL;
        for (uint32_t k = 0; u != NULL && k < t->n->tables.data[u->table].inputs; k++)
            note_use(t, u->in[k], t->gates[i].part);
    }
}

// A place is free again in the functions behind its last user's.
static void give_slots(net_text *t)
{
    VEC(uint32_t) until = {0}; // by slot
    for (size_t i = 1; i < t->n->gates.len; i++) {
        net_gate *g = &t->gates[i];
        g->slot = NET_NONE;
        if (!t->n->live[i] || g->last <= g->part || t->n->gates.data[i].kind == GATE_INPUT)
            continue;
        uint32_t slot = 0;
        while (slot < until.len && until.data[slot] >= g->part)
            slot++;
        if (slot == until.len)
            VEC_PUSH(t->a, &until, 0);
        until.data[slot] = g->last;
        g->slot = slot;
    }
    t->slots = (uint32_t)until.len;
}

// ---- Expressions ----

static const char *gate_expression(net_text *t, uint32_t gate);

static const char *input_text(net_text *t, const sir_gate *g)
{
    t->uses_in = true;
    if (t->is_table)
        return arena_printf(t->a, "b%" PRIu32, g->a);
    for (VEC_EACH(net_block, b, &t->in)) {
        if (b->form == NET_PACKED)
            return arena_printf(t->a, "in[%" PRIu32 "]", NET_BYTE * g->a + g->b);
        if (b->form == NET_WORD && b->first == g->a)
            return arena_printf(t->a, "in[%" PRIu32 "]", b->base + g->b);
        if (b->form == NET_BIT && b->bit == g->b)
            return arena_printf(t->a, "in[%" PRIu32 "]", b->base + g->a - b->first);
    }
    return "in[0]";
}

static const char *name_text(net_text *t, uint32_t gate)
{
    const sir_gate *g = &t->n->gates.data[gate];
    const net_gate *own = &t->gates[gate];
    if (g->kind == GATE_INPUT)
        return input_text(t, g);
    t->uses_kept |= own->part != t->part;
    if (own->part != t->part)
        return arena_printf(t->a, "kept[%" PRIu32 "]", own->slot);
    if (g->kind == GATE_TABLE)
        return arena_printf(t->a, "s%" PRIu32 "[%" PRIu32 "]", g->a, g->b);
    return arena_printf(t->a, "t%" PRIu32, gate);
}

static const char *wire_text(net_text *t, sir_wire w)
{
    const net_gate *g = &t->gates[w / 2];
    if (w <= WIRE_TRUE)
        return w == WIRE_TRUE ? "SVM_BITS_ALL" : "SVM_BITS_NONE";
    const char *text = g->within ? arena_printf(t->a, "(%s)", gate_expression(t, w / 2)) : name_text(t, w / 2);
    return (w & 1) == g->inverse ? text : arena_printf(t->a, "~%s", text);
}

// What the gate's name stands for.
static const char *gate_expression(net_text *t, uint32_t gate)
{
    const sir_gate *g = &t->n->gates.data[gate];
    sir_wire a = g->a, b = g->b;
    if (g->kind == GATE_XOR) // as their names stand for them
        return arena_printf(t->a, "%s ^ %s", wire_text(t, a | t->gates[a / 2].inverse),
                            wire_text(t, b | t->gates[b / 2].inverse));
    if (t->gates[gate].inverse)
        return arena_printf(t->a, "%s | %s", wire_text(t, sir_wire_not(a)), wire_text(t, sir_wire_not(b)));
    return arena_printf(t->a, "%s & %s", wire_text(t, a), wire_text(t, b));
}

// ---- Statements ----

static void call_table(net_text *t, uint32_t number)
{
    const sir_table_use *u = &t->n->uses.data[number];
    const sir_table *table = &t->n->tables.data[u->table];
    text_args args = {0};
    text_line(t->x, 1, "svm_Bits s%" PRIu32 "[%" PRIu32 "];", number, table->outputs);
    VEC_PUSH(t->a, &args, arena_printf(t->a, "s%" PRIu32, number));
    for (uint32_t k = 0; k < table->inputs; k++)
        VEC_PUSH(t->a, &args, wire_text(t, u->in[k]));
    text_call(t->x, 1, arena_printf(t->a, "%s(", t->tables[u->table]), &args, ");");
}

static void write_gates(net_text *t)
{
    uint32_t use = NET_NONE;
    for (uint32_t i = 1; i < t->n->gates.len; i++) {
        const sir_gate *g = &t->n->gates.data[i];
        if (!t->n->live[i] || t->gates[i].within || t->gates[i].part != t->part || g->kind == GATE_INPUT)
            continue;
        if (g->kind == GATE_TABLE && g->a != use)
            call_table(t, g->a);
        use = g->kind == GATE_TABLE ? g->a : use;
        if (is_operation(g))
            text_line(t->x, 1, "const svm_Bits t%" PRIu32 " = %s;", i, gate_expression(t, i));
        t->uses_kept |= t->gates[i].slot != NET_NONE;
        if (t->gates[i].slot != NET_NONE)
            text_line(t->x, 1, "kept[%" PRIu32 "] = %s;", t->gates[i].slot, name_text(t, i));
    }
}

// The wire of a block's vector k.
static sir_wire output_wire(const net_text *t, const net_block *b, uint32_t k)
{
    const sir_wire *wires = t->n->outputs.data;
    switch (b->form) {
    case NET_WORD: return wires[b->first * NETWORK_BITS + k];
    case NET_PACKED: return wires[k / NET_BYTE * NETWORK_BITS + k % NET_BYTE];
    default: return wires[t->is_table ? k : k * NETWORK_BITS + b->bit];
    }
}

// Outputs go out where they are computed, constants and items that only move at the end.
static void write_outputs(net_text *t)
{
    const sir_network *n = t->n;
    for (VEC_EACH(net_block, b, &t->out))
        for (uint32_t k = 0; k < b->count; k++) {
            sir_wire w = output_wire(t, b, k);
            if (b->form == NET_WORD && w == WIRE_FALSE)
                continue; // it is that before
            bool last = w <= WIRE_TRUE || n->gates.data[w / 2].kind == GATE_INPUT;
            if ((last ? t->parts - 1 : t->gates[w / 2].part) != t->part)
                continue;
            t->uses_out = true;
            text_line(t->x, 1, "out[%" PRIu32 "] = %s;", b->base + k, wire_text(t, w));
        }
}

static void write_table(program_emitter *x, const sir_table *table, const char *name)
{
    arena *a = x->e.arena;
    net_text t = {.x = x, .a = a, .n = table->gates, .is_table = true};
    t.gates = ARENA_ARRAY(a, net_gate, t.n->gates.len);
    count_uses(&t);
    choose_names(&t);
    cut(&t);
    find_last_uses(&t);
    give_slots(&t);
    VEC_PUSH(a, &t.out, (net_block){.count = table->outputs});
    text_args params = {0};
    VEC_PUSH(a, &params, "svm_Bits *restrict out");
    for (uint32_t i = 0; i < table->inputs; i++)
        VEC_PUSH(a, &params, arena_printf(a, "svm_Bits b%" PRIu32, i));
    text_line(x, 0,
              "/* A table of %d entries of %" PRIu32 " bits as %" PRId64
              " operations; b0 is the index's lowest bit. */",
              1 << table->inputs, table->outputs, sir_network_operations(table->gates));
    text_call(x, 0, arena_printf(a, "SVM_OUTLINED static void %s(", name), &params, ")");
    text_line(x, 0, "{");
    write_gates(&t);
    write_outputs(&t);
    text_line(x, 0, "}\n");
}

// ---- The items ----

static void add_block(net_text *t, bool input, net_block b)
{
    uint32_t *count = input ? &t->in_count : &t->out_count;
    b.base = *count;
    *count += b.count;
    if (input)
        VEC_PUSH(t->a, &t->in, b);
    else
        VEC_PUSH(t->a, &t->out, b);
}

// Inputs that the network has, of a bit of any item and of any bit of an item.
static void find_in_blocks(net_text *t, int64_t pop, bool words, bool packed)
{
    if (packed) {
        add_block(t, true, (net_block){.form = NET_PACKED, .count = NET_BYTE * (uint32_t)pop});
        return;
    }
    uint32_t first[NETWORK_BITS], end[NETWORK_BITS] = {0};
    bool *items = ARENA_ARRAY(t->a, bool, pop + 1);
    for (size_t i = 1; i < t->n->gates.len; i++) {
        const sir_gate *g = &t->n->gates.data[i];
        if (!t->n->live[i] || g->kind != GATE_INPUT)
            continue;
        items[g->a] = true;
        first[g->b] = end[g->b] == 0 || g->a < first[g->b] ? g->a : first[g->b];
        end[g->b] = g->a + 1 > end[g->b] ? g->a + 1 : end[g->b];
    }
    for (uint32_t k = 0; words && k < pop; k++)
        if (items[k])
            add_block(t, true, (net_block){.form = NET_WORD, .first = k, .count = NETWORK_BITS});
    for (uint32_t bit = 0; !words && bit < NETWORK_BITS; bit++)
        if (end[bit] > 0)
            add_block(t, true, (net_block){.bit = bit, .first = first[bit], .count = end[bit] - first[bit]});
}

static void find_out_blocks(net_text *t, int64_t push, bool words, bool packed)
{
    if (packed) {
        add_block(t, false, (net_block){.form = NET_PACKED, .count = NET_BYTE * (uint32_t)push});
        return;
    }
    for (uint32_t k = 0; words && k < push; k++)
        add_block(t, false, (net_block){.form = NET_WORD, .first = k, .count = NETWORK_BITS});
    for (uint32_t bit = 0; !words && bit < NETWORK_BITS; bit++) {
        bool any = bit == 0; // items of zeroes are written, too
        for (int64_t k = 0; k < push; k++)
            any = any || t->n->outputs.data[k * NETWORK_BITS + bit] != WIRE_FALSE;
        if (any)
            add_block(t, false, (net_block){.bit = bit, .count = (uint32_t)push});
    }
}

static const char *plus(arena *a, const char *name, uint32_t offset)
{
    return offset == 0 ? name : arena_printf(a, "%s + %" PRIu32, name, offset);
}

static bool are_bytes(const program_emitter *x, const sir_type *t)
{
    return t->kind == SIR_BIT && x->m->byte_bits;
}

// A function; gives the call of it.
static const char *write_part(net_text *t, const char *name)
{
    strbuf text, call, *out = t->x->e.out;
    strbuf_init(&text, t->a);
    strbuf_init(&call, t->a);
    t->uses_in = t->uses_out = t->uses_kept = false;
    t->x->e.out = &text;
    write_gates(t);
    write_outputs(t);
    t->x->e.out = out;
    text_args params = {0}, args = {0};
    const struct {
        bool used;
        const char *param, *arg;
    } all[] = {{t->uses_in, "const svm_Bits *restrict in", "in_bits"},
               {t->uses_out, "svm_Bits *restrict out", "out_bits"},
               {t->uses_kept, "svm_Bits *restrict kept", "kept"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!all[i].used)
            continue;
        VEC_PUSH(t->a, &params, all[i].param);
        VEC_PUSH(t->a, &args, all[i].arg);
    }
    if (params.len == 0)
        VEC_PUSH(t->a, &params, "void");
    text_call(t->x, 0, arena_printf(t->a, "SVM_OUTLINED static void %s(", name), &params, ")");
    text_line(t->x, 0, "{");
    strbuf_add(out, text.len == 0 ? "" : text.data);
    text_line(t->x, 0, "}\n");
    t->x->e.out = &call;
    text_call(t->x, 1, arena_printf(t->a, "%s(", name), &args, ");");
    t->x->e.out = out;
    return call.data;
}

static const char *part_name(net_text *t)
{
    if (t->parts == 1)
        return emit_unique_name(&t->x->e, arena_printf(t->a, "%s_bits", t->base));
    return emit_unique_name(&t->x->e, arena_printf(t->a, "%s_bits_%" PRIu32, t->base, t->part + 1));
}

static void write_fire(net_text *t, const emit_filter_info *info, const sir_function *f, const char *name, int lanes,
                       const char **parts)
{
    program_emitter *x = t->x;
    const sir_filter *filter = info->filter;
    text_line(x, 0, "/* svm_bits firings, one a bit of each vector. */");
    text_line(x, 0, "SVM_FIRE(stateless, pop(%" PRId64 "), push(%" PRId64 "), firings(%d))", lanes * f->pop.max,
              lanes * f->push.max, lanes);
    text_args params = {0};
    VEC_PUSH(t->a, &params, emit_declare_pointer(&x->e, filter->input, "const", "restrict", "in"));
    VEC_PUSH(t->a, &params, emit_declare_pointer(&x->e, filter->output, "", "restrict", "out"));
    text_call(x, 0, arena_printf(t->a, "static inline void %s(", name), &params, ")");
    text_line(x, 0, "{");
    if (t->in_count > 0)
        text_line(x, 1, "svm_Bits in_bits[%" PRIu32 "];", t->in_count);
    else
        text_line(x, 1, "(void)in;");
    text_line(x, 1, "svm_Bits out_bits[%" PRIu32 "]%s;", t->out_count,
              t->out.data[0].form == NET_WORD ? " = {SVM_BITS_NONE}" : "");
    if (t->slots > 0)
        text_line(x, 1, "svm_Bits kept[%" PRIu32 "];", t->slots);
    for (VEC_EACH(net_block, b, &t->in)) {
        if (b->form == NET_PACKED) {
            text_line(x, 1, "svm_bitsInPacked(in_bits, in, %" PRId64 ", %" PRId64 ");", f->pop.max, f->pop.max);
            continue;
        }
        if (b->form == NET_WORD) {
            text_line(x, 1, "svm_bitsInWord(%s, %s, %" PRId64 ");", plus(t->a, "in_bits", b->base),
                      plus(t->a, "in", b->first), f->pop.max);
            continue;
        }
        text_line(x, 1, "svm_bitsIn%s(%s, %s, %" PRIu32 ", %" PRId64 ", %" PRIu32 ");",
                  are_bytes(x, filter->input) ? "Bytes" : "Ints", plus(t->a, "in_bits", b->base),
                  plus(t->a, "in", b->first), b->count, f->pop.max, b->bit);
    }
    for (uint32_t i = 0; i < t->parts; i++)
        strbuf_add(x->e.out, parts[i]);
    for (VEC_EACH(net_block, b, &t->out)) {
        if (b->form == NET_PACKED) {
            text_line(x, 1, "svm_bitsOutPacked(out, out_bits, %" PRId64 ", %" PRId64 ");", f->push.max, f->push.max);
            continue;
        }
        if (b->form == NET_WORD) {
            text_line(x, 1, "svm_bitsOutWord(%s, %s, %" PRId64 ");", plus(t->a, "out", b->first),
                      plus(t->a, "out_bits", b->base), f->push.max);
            continue;
        }
        text_line(x, 1, "svm_bitsOut%s(out, %s, %" PRIu32 ", %" PRId64 ", %" PRIu32 ", %d);",
                  are_bytes(x, filter->output) ? "Bytes" : "Ints", plus(t->a, "out_bits", b->base), b->count,
                  f->push.max, b->bit, b != t->out.data);
    }
    text_line(x, 0, "}\n");
}

// The network's functions and the one that fires with them, whose name it gives.
static const char *write_network(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                 const plan_bit_lanes *b)
{
    const sir_network *n = b->network;
    int lanes = b->lanes;
    arena *a = x->e.arena;
    net_text t = {.x = x, .a = a, .n = n, .base = info->c_name};
    t.gates = ARENA_ARRAY(a, net_gate, n->gates.len);
    t.tables = ARENA_ARRAY(a, const char *, n->tables.len + 1);
    if (!x->bits_header) {
        text_line(x, 0, "#define SVM_BITS %d", lanes);
        text_line(x, 0, "#include <svm/bits.h>\n");
        x->bits_header = true;
    }
    for (size_t i = 0; i < n->gates.len; i++) {
        const sir_gate *g = &n->gates.data[i];
        uint32_t table = n->live[i] && g->kind == GATE_TABLE ? n->uses.data[g->a].table : UINT32_MAX;
        if (table == UINT32_MAX || t.tables[table] != NULL)
            continue;
        t.tables[table] = emit_unique_name(&x->e, arena_printf(a, "%s_table", info->c_name));
        write_table(x, &n->tables.data[table], t.tables[table]);
    }
    find_in_blocks(&t, f->pop.max, b->words_in, plan_bit_packed(info->filter->input));
    find_out_blocks(&t, f->push.max, b->words_out, plan_bit_packed(info->filter->output));
    count_uses(&t);
    choose_names(&t);
    cut(&t);
    find_last_uses(&t);
    give_slots(&t);
    const char **parts = ARENA_ARRAY(a, const char *, t.parts);
    for (t.part = 0; t.part < t.parts; t.part++) {
        parts[t.part] = write_part(&t, part_name(&t));
    }
    const char *name = emit_unique_name(&x->e, arena_printf(a, "%s_fire", info->c_name));
    write_fire(&t, info, f, name, lanes, parts);
    return name;
}

// ---- Strips ----

static bool is_contiguous(const plan_digits *d)
{
    int64_t stride = 1;
    for (size_t i = 0; i < d->len; stride *= d->data[i++].radix)
        if (d->data[i].stride != stride)
            return false;
    return true;
}

// Firing after firing without gaps.
static bool follow_each_other(const plan_digits *items, const plan_digits *firing, int64_t count)
{
    return is_contiguous(items) && firing->len == 1 && firing->data[0].radix == 0 && firing->data[0].stride == count;
}

// What does not fill vectors is fired with others beside it, of zeroes.
static void write_strip(program_emitter *x, const emit_filter_info *info, const sir_function *f, const char *fire,
                        const char *name, const char *lanes)
{
    arena *a = x->e.arena;
    const sir_type *in = info->filter->input, *out = info->filter->output;
    int64_t pop = f->pop.max, push = f->push.max;
    text_args params = {0};
    VEC_PUSH(a, &params, emit_declare_pointer(&x->e, in, "const", "restrict", "in"));
    VEC_PUSH(a, &params, emit_declare_pointer(&x->e, out, "", "restrict", "out"));
    VEC_PUSH(a, &params, "ptrdiff_t count");
    text_call(x, 0, arena_printf(a, "SVM_OUTLINED static void %s(", name), &params, ")");
    text_line(x, 0, "{");
    text_line(x, 1, "const ptrdiff_t whole = count / %s * %s;", lanes, lanes);
    text_line(x, 1, "for (ptrdiff_t i = 0; i < whole; i += %s)", lanes);
    text_line(x, 2, "%s(in + i * %" PRId64 ", out + i * %" PRId64 ");", fire, pop, push);
    text_line(x, 1, "if (whole < count) { /* the others are zeroes */");
    text_line(x, 2, "const size_t rest = (size_t)(count - whole);");
    text_line(x, 2, "%s = {0};",
              emit_declare_item(&x->e, in, arena_printf(a, "some_in[%s * %" PRId64 "]", lanes, pop)));
    text_line(x, 2, "%s;", emit_declare_item(&x->e, out, arena_printf(a, "some_out[%s * %" PRId64 "]", lanes, push)));
    text_line(x, 2, "memcpy(some_in, in + whole * %" PRId64 ", rest * %" PRId64 " * sizeof *in);", pop, pop);
    text_line(x, 2, "%s(some_in, some_out);", fire);
    text_line(x, 2, "memcpy(out + whole * %" PRId64 ", some_out, rest * %" PRId64 " * sizeof *out);", push, push);
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
}

bool program_bit_strip(program_emitter *x, const plan_item *item, const plan_stage *st, program_stage *code)
{
    const sir_actor *actor = x->m->actors.data[st->actor];
    const sir_function *f = actor->filter->work;
    const machine_processor *processor = machine_processor_by_name(x->p->machine, x->pl->processor);
    int64_t firings = x->s->reps[st->actor] * x->pl->strip;
    if (program_launches(x) || item->cycle >= 0 || st->others.len != 0 || code->has_prework ||
        plan_bit_lanes_of(x->p, processor) == 0 ||
        !follow_each_other(&code->walk.in_items, &code->walk.in_firing, f->pop.max) ||
        !follow_each_other(&code->walk.out_items, &code->walk.out_firing, f->push.max))
        return false;
    const plan_bit_lanes *b = plan_bit_lanes_for(x->p, processor, actor->filter);
    if (b->network == NULL || firings < b->lanes)
        return false;
    const char *key = arena_printf(x->e.arena, "bits %p", (const void *)actor->filter);
    program_strip *known = hmap_get(&x->strips, key);
    if (known == NULL) {
        known = ARENA_NEW(x->e.arena, program_strip);
        const char *fire =
            b->bytes != NULL ? program_byte_fire(x, code->info, f, b) : write_network(x, code->info, f, b);
        known->name = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_strip", code->info->c_name));
        known->fire = (emit_signature){.name = fire, .in = true, .out = true};
        write_strip(x, code->info, f, fire, known->name, b->bytes != NULL ? "svm_bytes" : "svm_bits");
        hmap_set(&x->strips, key, known);
        diag_remark(x->p->diag, sir_range(x->m, x->p->sources, f->loc),
                    "%d firings of '%s' go side by side, one a %s: %" PRId64
                    " operations, and %.0f around them, for %.0f [bit-lanes]",
                    b->lanes, actor->filter->name, b->bytes != NULL ? "byte" : "bit", b->gates, b->turns, b->single);
    }
    code->fire = known->fire;
    code->strip = known;
    return true;
}
