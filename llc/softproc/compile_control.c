// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selection of what is no straight code.
//
// Both ways of a short branch are computed, and what joins behind them is chosen. A long branch, or one with lookups or loops in
// it, becomes IF and ENDIF; what joins behind it is a variable, which both ways write. A loop is REP and ENDREP around its code, with
// BRK for all ways out but that which counts rounds alone; the phis of its header and of the block behind it are variables.
//
// BRK and IF leave threads inactive, and an inactive thread writes nothing: what a thread had when it left is what it has behind
// the loop.
#include <string.h>

#include "llc/softproc/select.h"

// ---- Truths ----

truth sel_truth(selector *s, LLVMValueRef value)
{
    const meaning *m = sel_meaning(s, value);
    if (m != NULL && m->count == 0)
        return m->truth;
    if (LLVMIsAConstantInt(value) != NULL)
        return (truth){sel_number(s, 1), LLVMConstIntGetZExtValue(value) == 0};
    if (m != NULL || !LLVMIsConstant(value)) // undefined is as good as any
        sel_fail(s, "a condition that is no comparison of floats");
    return (truth){sel_number(s, 1), false};
}

static bool is_known(const selector *s, truth t)
{
    return s->f->values.data[t.value.value].op == SPC_NUMBER;
}

// Of a truth that is known.
static bool is_true(const selector *s, truth t)
{
    return (s->f->values.data[t.value.value].bits >> 31 == 0) != t.inverted;
}

// A value that is 0 or more where the truth holds.
static spc_operand upright(selector *s, truth t)
{
    if (is_known(s, t))
        return sel_number(s, is_true(s, t) ? 1 : -1);
    return t.inverted ? sel_operation(s, SPC_CMP, sel_number(s, -1), sel_number(s, 1), t.value) : t.value;
}

// A half reads one difference by presubtracting: the second of two is computed, 1 - 2 * v as a sum, which rounds it alike.
static spc_operand beside(selector *s, spc_operand first, spc_operand o)
{
    if (!first.presubtract || !o.presubtract)
        return o;
    spc_operand sum = sel_operation(s, SPC_MAD, (spc_operand){.value = o.value}, sel_number(s, -2), sel_number(s, 1));
    sum.neg = o.neg;
    sum.abs = o.abs;
    return sum;
}

truth sel_both(selector *s, truth a, truth b)
{
    spc_operand none = {0};
    if (is_known(s, a))
        return is_true(s, a) ? b : a;
    if (is_known(s, b))
        return is_true(s, b) ? a : b;
    if (a.inverted && b.inverted)
        return (truth){sel_operation(s, SPC_MAX, a.value, beside(s, a.value, b.value), none), true};
    spc_operand left = upright(s, a), right = upright(s, b);
    return (truth){sel_operation(s, SPC_MIN, left, beside(s, left, right), none), false};
}

truth sel_opposite(truth t)
{
    return (truth){t.value, !t.inverted};
}

static truth either(selector *s, truth a, truth b)
{
    return sel_opposite(sel_both(s, sel_opposite(a), sel_opposite(b)));
}

spc_operand sel_chosen(selector *s, truth t, spc_operand yes, spc_operand no)
{
    return sel_operation(s, SPC_CMP, t.inverted ? no : yes, t.inverted ? yes : no, t.value);
}

// Operations on truths.
void sel_logic(selector *s, LLVMValueRef in)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(in);
    truth a = sel_truth(s, LLVMGetOperand(in, 0)), b = sel_truth(s, LLVMGetOperand(in, 1));
    LLVMValueRef second = LLVMGetOperand(in, 1);
    bool known = LLVMIsAConstantInt(second) != NULL;
    if (opcode == LLVMSelect) {
        truth c = sel_truth(s, LLVMGetOperand(in, 2));
        // a && b and a || c are selections.
        bool is_and = LLVMIsAConstantInt(LLVMGetOperand(in, 2)) != NULL && c.inverted, is_or = known && !b.inverted;
        sel_give_truth(s, in,
                       is_and  ? sel_both(s, a, b)
                       : is_or ? either(s, a, c)
                               : either(s, sel_both(s, a, b), sel_both(s, sel_opposite(a), c)));
    } else if (opcode == LLVMXor && known) {
        sel_give_truth(s, in, b.inverted ? a : sel_opposite(a));
    } else if (opcode == LLVMXor) {
        sel_give_truth(s, in, either(s, sel_both(s, a, sel_opposite(b)), sel_both(s, sel_opposite(a), b)));
    } else {
        sel_give_truth(s, in, opcode == LLVMAnd ? sel_both(s, a, b) : either(s, a, b));
    }
}

// ---- Conditions ----

static uint32_t add_condition(selector *s, uint32_t base, truth t)
{
    VEC_PUSH(s->f->arena, &s->conditions, (path){base, t});
    return (uint32_t)s->conditions.len - 1;
}

static truth whole(selector *s, uint32_t number_of)
{
    path c = s->conditions.data[number_of];
    return c.base == 0 ? c.truth : sel_both(s, whole(s, c.base), c.truth);
}

static bool complementary(const selector *s, uint32_t a, uint32_t b)
{
    const path *c = &s->conditions.data[a], *d = &s->conditions.data[b];
    return a != 0 && b != 0 && c->base == d->base && c->truth.inverted != d->truth.inverted &&
           c->truth.value.value == d->truth.value.value && c->truth.value.neg == d->truth.value.neg &&
           c->truth.value.abs == d->truth.value.abs;
}

// ---- Nodes ----

// The place of a block, or of the loop that it is the header of; SPC_NONE: it is elsewhere.
static uint32_t place_of(const selector *s, LLVMBasicBlockRef b)
{
    for (size_t i = 0; i < s->nodes.len; i++)
        if (s->nodes.data[i].block == b)
            return (uint32_t)i;
    return SPC_NONE;
}

// Places that a node leads to, of those here and behind it.
static unsigned successors(const selector *s, size_t at, uint32_t next[2])
{
    const node *n = &s->nodes.data[at];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(n->block);
    unsigned count = n->loop != SPC_NONE ? 1 : LLVMGetNumSuccessors(end), found = 0;
    for (unsigned k = 0; k < count && k < 2; k++) {
        LLVMBasicBlockRef to = n->loop != SPC_NONE ? s->loops.loops.data[n->loop].exit : LLVMGetSuccessor(end, k);
        uint32_t p = to == NULL ? SPC_NONE : place_of(s, to);
        if (p != SPC_NONE && p > at && !(found == 1 && next[0] == p))
            next[found++] = p;
    }
    return found;
}

// The condition of the edge from one node to another.
static uint32_t edge(selector *s, size_t from, LLVMBasicBlockRef to)
{
    uint32_t next[2], condition = s->nodes.data[from].condition;
    if (successors(s, from, next) < 2)
        return condition;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(s->nodes.data[from].block);
    truth t = sel_truth(s, LLVMGetCondition(end));
    return add_condition(s, condition, LLVMGetSuccessor(end, 0) == to ? t : sel_opposite(t));
}

// Whether no way from the first node to an end goes around one.
static bool is_certain(const selector *s, size_t at)
{
    bool *around = ARENA_ARRAY(s->f->arena, bool, s->nodes.len + 1);
    uint32_t next[2];
    around[0] = true;
    for (size_t i = 0; i < s->nodes.len && at != 0; i++) {
        if (i == at || !around[i])
            continue;
        unsigned count = successors(s, i, next);
        if (count == 0)
            return false;
        for (unsigned k = 0; k < count; k++)
            around[next[k]] = true;
    }
    return true;
}

// The condition under which a node is reached: its edges', where two that exclude each other are what they part from.
static uint32_t reach(selector *s, size_t at)
{
    VEC(uint32_t) edges = {0};
    uint32_t next[2];
    if (is_certain(s, at))
        return 0;
    for (size_t i = 0; i < at; i++)
        for (unsigned k = successors(s, i, next); k > 0; k--)
            if (next[k - 1] == at)
                VEC_PUSH(s->f->arena, &edges, edge(s, i, s->nodes.data[at].block));
    for (size_t i = 0; i < edges.len; i++)
        for (size_t k = i + 1; k < edges.len; k++) {
            uint32_t a = edges.data[i], b = edges.data[k];
            if (a != b && !complementary(s, a, b))
                continue;
            edges.data[i] = a == b ? a : s->conditions.data[a].base;
            edges.data[k] = VEC_LAST(&edges);
            edges.len--;
            i = SIZE_MAX; // from the beginning
            break;
        }
    while (edges.len > 1) {
        truth t = either(s, whole(s, edges.data[0]), whole(s, VEC_LAST(&edges)));
        edges.data[0] = add_condition(s, 0, t);
        edges.len--;
    }
    return edges.len == 0 ? 0 : edges.data[0];
}

// ---- Phis ----

static bool is_truth(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 1;
}

static truth joined_truth(selector *s, LLVMValueRef in, LLVMBasicBlockRef here)
{
    truth result = {sel_number(s, 1), false};
    bool any = false;
    for (unsigned i = 0; i < LLVMCountIncoming(in) && !s->failed; i++) {
        uint32_t from = place_of(s, LLVMGetIncomingBlock(in, i));
        if (from == SPC_NONE)
            continue;
        truth v = sel_truth(s, LLVMGetIncomingValue(in, i));
        uint32_t e = edge(s, from, here);
        if (any) {
            truth way = whole(s, e);
            v = either(s, sel_both(s, way, v), sel_both(s, sel_opposite(way), result));
        }
        result = v;
        any = true;
    }
    return result;
}

// What joins from those blocks that are here.
static spc_operand joined(selector *s, LLVMValueRef in, LLVMBasicBlockRef here)
{
    unsigned count = LLVMCountIncoming(in);
    spc_operand result = sel_number(s, 0);
    uint32_t first = SPC_NONE;
    if (is_truth(in))
        return upright(s, joined_truth(s, in, here));
    for (unsigned i = 0; i < count && !s->failed; i++) {
        uint32_t from = place_of(s, LLVMGetIncomingBlock(in, i));
        if (from == SPC_NONE)
            continue;
        uint32_t e = edge(s, from, here);
        spc_operand v = sel_scalar(s, LLVMGetIncomingValue(in, i));
        if (first != SPC_NONE)
            v = sel_chosen(s, count == 2 && complementary(s, first, e) ? s->conditions.data[e].truth : whole(s, e), v,
                           result);
        else
            first = e;
        result = v;
    }
    return result;
}

void sel_phi(selector *s, LLVMValueRef in)
{
    if (sel_meaning(s, in) != NULL)
        return; // a variable
    if (is_truth(in))
        sel_give_truth(s, in, joined_truth(s, in, LLVMGetInstructionParent(in)));
    else
        sel_give(s, in, joined(s, in, LLVMGetInstructionParent(in)));
}

// ---- Variables and steps ----

static uint32_t add_variable(selector *s)
{
    return spc_add_value(s->f, (spc_value){.op = SPC_VARIABLE});
}

static spc_operand copied(selector *s, spc_operand o)
{
    return sel_operation(s, SPC_COPY, o, (spc_operand){0}, (spc_operand){0});
}

static void write_variable(selector *s, uint32_t variable, spc_operand o)
{
    uint32_t w = copied(s, o).value;
    s->f->values.data[w].into = variable;
    s->f->values.data[w].writer = s->f->values.data[variable].writer;
    s->f->values.data[variable].writer = w;
}

static void give_variable(selector *s, LLVMValueRef phi, uint32_t variable)
{
    spc_operand o = {.value = variable};
    if (is_truth(phi))
        sel_give_truth(s, phi, (truth){o, false});
    else
        sel_give(s, phi, o);
}

// What an IR value is, as what a variable can be.
static spc_operand storable(selector *s, LLVMValueRef v)
{
    return is_truth(v) ? upright(s, sel_truth(s, v)) : sel_scalar(s, v);
}

static uint32_t add_step(selector *s, spc_step step)
{
    step.place = s->f->place;
    VEC_PUSH(s->f->arena, &s->f->steps, step);
    s->f->region = (uint32_t)s->f->steps.len;
    return s->f->region - 1;
}

// A step that is taken where the truth holds. The value that decides is computed in front of it.
static uint32_t add_decision(selector *s, spc_step step, truth t)
{
    const spc_value *v = &s->f->values.data[t.value.value];
    bool own = spc_is_arithmetic(v->op) && v->region == s->f->region && v->into == SPC_NONE && !spc_is_special(v->op) &&
               v->decides == SPC_NO_DECISION && v->output == SPC_NO_OUTPUT && !t.value.neg && !t.value.abs &&
               !t.value.presubtract;
    step.value = own ? t.value.value : copied(s, t.value).value;
    s->f->values.data[step.value].decides = t.inverted ? SPC_IF_NEGATIVE : SPC_IF_POSITIVE;
    return add_step(s, step);
}

// ---- Branches ----

static void select_nodes(selector *s);

// A way of a branch: the nodes from its first one to the place where the ways join.
typedef struct way {
    bool *inside;
    size_t count;
} way;

typedef struct branch {
    way way[2];
    uint32_t from, join;
} branch;

static way reached_from(selector *s, uint32_t first)
{
    way w = {ARENA_ARRAY(s->f->arena, bool, s->nodes.len), 0};
    uint32_t next[2];
    w.inside[first] = true;
    for (size_t i = first; i < s->nodes.len; i++)
        for (unsigned k = w.inside[i] ? successors(s, i, next) : 0; k > 0; k--)
            w.inside[next[k - 1]] = true;
    return w;
}

// Whether a node's two ways join in a place through which all that they lead to goes, and nothing else leads into them.
static bool find_branch(selector *s, uint32_t at, branch *b)
{
    uint32_t next[2], to[2];
    if (successors(s, at, to) < 2)
        return false;
    b->from = at;
    // The first successor is that of the condition's being true.
    LLVMValueRef end = LLVMGetBasicBlockTerminator(s->nodes.data[at].block);
    bool swapped = s->nodes.data[to[0]].block != LLVMGetSuccessor(end, 0);
    for (unsigned k = 0; k < 2; k++)
        b->way[k] = reached_from(s, to[swapped ? 1 - k : k]);
    b->join = at + 1;
    while (b->join < s->nodes.len && !(b->way[0].inside[b->join] && b->way[1].inside[b->join]))
        b->join++;
    if (b->join == s->nodes.len)
        return false;
    for (uint32_t i = 0; i < s->nodes.len; i++) {
        bool inside[2] = {b->way[0].inside[i] && i < b->join, b->way[1].inside[i] && i < b->join};
        unsigned count = successors(s, i, next);
        for (unsigned k = 0; k < 2; k++)
            b->way[k].count += inside[k];
        for (unsigned j = 0; j < count; j++)
            for (unsigned k = 0; k < 2; k++) {
                bool into = b->way[k].inside[next[j]] && next[j] < b->join;
                if ((inside[k] && !into && next[j] != b->join) || (into && !inside[k] && i != at))
                    return false;
            }
        // Nothing else joins there, and no way ends in between.
        for (unsigned j = 0; j < count; j++)
            if (next[j] == b->join && !inside[0] && !inside[1] && i != at)
                return false;
        if ((inside[0] || inside[1]) && count == 0)
            return false;
    }
    return true;
}

// Ways of more instructions than this are worth the instructions of a branch: threads of a batch that all go the same way leave
// the other one out.
enum { LONG_WAYS = 40 };

static bool is_special_call(LLVMValueRef in)
{
    size_t length;
    LLVMValueRef callee = LLVMIsACallInst(in) != NULL ? LLVMGetCalledValue(in) : NULL;
    return callee != NULL && LLVMIsAFunction(callee) != NULL &&
           strcmp(LLVMGetValueName2(callee, &length), "svm_spLookup") == 0;
}

// Whether a branch is one of the machine's.
static bool is_worth(const selector *s, const branch *b)
{
    unsigned length = 0;
    if (s->levels + 1 >= SP_MAX_BRANCHES)
        return false;
    for (uint32_t i = b->from + 1; i < b->join; i++) {
        if (!b->way[0].inside[i] && !b->way[1].inside[i])
            continue;
        if (s->nodes.data[i].loop != SPC_NONE)
            return true;
        for (LLVMValueRef in = LLVMGetFirstInstruction(s->nodes.data[i].block); in != NULL;
             in = LLVMGetNextInstruction(in)) {
            if (is_special_call(in))
                return true;
            length += LLVMIsAPHINode(in) == NULL;
        }
    }
    return length > LONG_WAYS;
}

static LLVMValueRef first_phi(LLVMBasicBlockRef b)
{
    LLVMValueRef in = LLVMGetFirstInstruction(b);
    return LLVMIsAPHINode(in) != NULL ? in : NULL;
}

static LLVMValueRef next_phi(LLVMValueRef phi)
{
    LLVMValueRef in = LLVMGetNextInstruction(phi);
    return LLVMIsAPHINode(in) != NULL ? in : NULL;
}

static bool has_edge(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
        if (LLVMGetSuccessor(end, k) == to)
            return true;
    return false;
}

// The variables' numbers follow each other, from first, in the order of phis.
static void write_joined(selector *s, LLVMBasicBlockRef join, uint32_t first)
{
    for (LLVMValueRef phi = first_phi(join); phi != NULL && !s->failed; phi = next_phi(phi))
        write_variable(s, first++, joined(s, phi, join));
}

static void select_way(selector *s, const way *w, uint32_t join, uint32_t first)
{
    nodes all = s->nodes, own = {0};
    LLVMBasicBlockRef behind = all.data[join].block;
    for (uint32_t i = 0; i < join; i++)
        if (w->inside[i]) {
            node n = all.data[i];
            n.given = own.len == 0;
            n.condition = 0;
            VEC_PUSH(s->f->arena, &own, n);
            all.data[i].done = true;
        }
    // Where the ways join is the end here.
    VEC_PUSH(s->f->arena, &own, (node){.block = behind, .loop = SPC_NONE, .given = true, .done = true, .first = first});
    s->nodes = own;
    select_nodes(s);
    if (!VEC_LAST(&s->nodes).written)
        write_joined(s, behind, first);
    s->nodes = all;
}

static void select_branch(selector *s, branch *b)
{
    LLVMBasicBlockRef here = s->nodes.data[b->from].block, join = s->nodes.data[b->join].block;
    truth t = sel_truth(s, LLVMGetCondition(LLVMGetBasicBlockTerminator(here)));
    if (b->way[0].count == 0) {
        way other = b->way[0];
        b->way[0] = b->way[1];
        b->way[1] = other;
        t = sel_opposite(t);
    }
    // Where a way of the branch around this one ends, its variables are written.
    node *end_of_way = s->nodes.data[b->join].done ? &s->nodes.data[b->join] : NULL;
    uint32_t first = end_of_way != NULL ? end_of_way->first : (uint32_t)s->f->values.len, next = first, outer = s->now;
    for (LLVMValueRef phi = first_phi(join); phi != NULL && end_of_way == NULL; phi = next_phi(phi))
        add_variable(s);
    // A way without code is what holds before the other one.
    if (b->way[1].count == 0 && has_edge(here, join)) {
        nodes all = s->nodes, own = {0};
        VEC_PUSH(s->f->arena, &own, (node){.block = here, .loop = SPC_NONE, .given = true, .done = true});
        s->nodes = own;
        write_joined(s, join, first);
        s->nodes = all;
    }
    uint32_t begin = add_decision(s, (spc_step){.flow = SPC_IF}, t);
    s->branches++;
    s->levels++;
    select_way(s, &b->way[0], b->join, first);
    if (b->way[1].count > 0) {
        uint32_t otherwise = add_step(s, (spc_step){.flow = SPC_ELSE, .begin = begin});
        s->f->steps.data[begin].end = otherwise;
        select_way(s, &b->way[1], b->join, first);
        uint32_t end = add_step(s, (spc_step){.flow = SPC_ENDIF, .begin = begin});
        s->f->steps.data[otherwise].end = end;
    } else {
        uint32_t end = add_step(s, (spc_step){.flow = SPC_ENDIF, .begin = begin});
        s->f->steps.data[begin].end = end;
    }
    s->branches--;
    s->levels--;
    s->now = outer;
    if (end_of_way != NULL) {
        end_of_way->written = true;
        return;
    }
    for (LLVMValueRef phi = first_phi(join); phi != NULL; phi = next_phi(phi))
        give_variable(s, phi, next++);
    s->nodes.data[b->join].given = true;
    s->nodes.data[b->join].condition = s->nodes.data[b->from].condition;
}

// ---- Loops ----

// The nodes of a loop, or of the function, each behind those that lead to it.
static void order_nodes(selector *s, uint32_t loop, LLVMBasicBlockRef first)
{
    struct visit {
        node at;
        unsigned next;
    } *walk = ARENA_ARRAY(s->f->arena, struct visit, s->loops.blocks.len + 1);
    hmap seen;
    nodes left = {0};
    size_t depth = 1;
    hmap_init(&seen, s->f->arena);
    walk[0].at = (node){.block = first, .loop = SPC_NONE};
    hmap_setn(&seen, &first, sizeof first, s);
    while (depth > 0) {
        struct visit *top = &walk[depth - 1];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(top->at.block);
        const spc_loop *inner = top->at.loop == SPC_NONE ? NULL : &s->loops.loops.data[top->at.loop];
        if (top->next == (inner != NULL ? inner->exit != NULL : LLVMGetNumSuccessors(end))) {
            VEC_PUSH(s->f->arena, &left, top->at);
            depth--;
            continue;
        }
        LLVMBasicBlockRef to = inner != NULL ? inner->exit : LLVMGetSuccessor(end, top->next);
        top->next++;
        if ((loop != SPC_NONE && !spc_in_loop(&s->loops, to, loop)) || hmap_getn(&seen, &to, sizeof to) != NULL)
            continue;
        hmap_setn(&seen, &to, sizeof to, s);
        uint32_t child = spc_loop_of(&s->loops, to);
        while (child != loop && child != SPC_NONE && s->loops.loops.data[child].parent != loop)
            child = s->loops.loops.data[child].parent;
        walk[depth++] = (struct visit){{.block = to, .loop = child == loop ? SPC_NONE : child}, 0};
    }
    s->nodes = (nodes){0};
    for (size_t i = left.len; i > 0; i--)
        VEC_PUSH(s->f->arena, &s->nodes, left.data[i - 1]);
    s->nodes.data[0].given = true;
}

// Numbers of rounds that give a product of rounds, or the next larger one; how many of the machine's loops that takes.
static unsigned split_rounds(uint32_t rounds, uint32_t part[SP_MAX_NESTING])
{
    enum { MOST = 255 };
    if (rounds <= MOST) {
        part[0] = rounds;
        return 1;
    }
    uint32_t best = MOST, over = UINT32_MAX;
    for (uint32_t n = MOST; n > 1; n--) {
        uint32_t other = (rounds + n - 1) / n;
        if (other <= MOST && other * n - rounds < over) {
            over = other * n - rounds;
            best = n;
        }
    }
    part[0] = (rounds + best - 1) / best;
    part[1] = best;
    return 2;
}

// Writes what goes out with a block's edge to the block behind the loop.
static void write_leaving(selector *s, LLVMBasicBlockRef from)
{
    for (VEC_EACH(leaving, l, &s->leaving))
        for (unsigned i = 0; i < LLVMCountIncoming(l->phi) && l->variable != SPC_NONE && !s->failed; i++)
            if (LLVMGetIncomingBlock(l->phi, i) == from)
                write_variable(s, l->variable, storable(s, LLVMGetIncomingValue(l->phi, i)));
}

static uint32_t innermost_rep(const selector *s)
{
    unsigned ended = 0;
    for (size_t i = s->f->steps.len; i > 0; i--) {
        const spc_step *step = &s->f->steps.data[i - 1];
        ended += step->flow == SPC_ENDREP;
        if (step->flow == SPC_REP && ended-- == 0)
            return (uint32_t)i - 1;
    }
    return SPC_NONE;
}

static void add_break(selector *s, truth t)
{
    if (s->stopped != SPC_NONE) {
        spc_operand o = upright(s, t);
        write_variable(s, s->stopped, o);
        t = (truth){copied(s, o), false};
    }
    add_decision(s, (spc_step){.flow = SPC_BRK, .begin = innermost_rep(s), .branches = s->branches}, t);
}

// Behind a block: the way out of the loop that it may have.
static void select_leaving(selector *s, const node *n)
{
    const spc_loop *loop = &s->loops.loops.data[s->loop];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(n->block);
    unsigned count = LLVMGetNumSuccessors(end);
    bool out[2] = {false, false};
    for (unsigned k = 0; k < count && k < 2; k++)
        out[k] = !spc_in_loop(&s->loops, LLVMGetSuccessor(end, k), s->loop);
    if (!out[0] && !out[1])
        return;
    write_leaving(s, n->block);
    if (n->block == loop->latch && loop->counted && s->stopped == SPC_NONE)
        return;
    truth t = {sel_number(s, 1), false};
    if (count == 2 && out[0] != out[1]) {
        t = sel_truth(s, LLVMGetCondition(end));
        t = out[0] ? t : sel_opposite(t);
    }
    if (n->condition != 0)
        t = sel_both(s, whole(s, n->condition), t);
    add_break(s, t);
}

static bool check_loop(selector *s, const spc_loop *loop)
{
    sel_at(s, LLVMGetBasicBlockTerminator(loop->latch != NULL ? loop->latch : loop->header));
    if (loop->many)
        sel_fail(s, "a loop of more than %d rounds", SPC_MOST_ROUNDS);
    else if (loop->rounds == 0)
        sel_fail(s, "a loop without constant trips; a thread's loops need a number of rounds that is known, at least "
                    "the most that they may have");
    else if (loop->before == NULL || loop->latch == NULL || loop->exit == NULL ||
             spc_loop_of(&s->loops, loop->exit) != loop->parent)
        sel_fail(s, "a loop that is entered or left in several places");
    return !s->failed;
}

// The header's phis as variables, written from the edge of one block. What is a variable of the same loop is copied first, as all are
// written at once.
static void write_phis(selector *s, const spc_loop *loop, LLVMBasicBlockRef from, uint32_t first, uint32_t count)
{
    spc_operand *next = ARENA_ARRAY(s->f->arena, spc_operand, count + 1);
    uint32_t i = 0;
    for (LLVMValueRef phi = first_phi(loop->header); phi != NULL; phi = next_phi(phi), i++)
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
            if (LLVMGetIncomingBlock(phi, k) == from) {
                next[i] = storable(s, LLVMGetIncomingValue(phi, k));
                if (next[i].value >= first && next[i].value < first + count)
                    next[i] = copied(s, next[i]);
            }
    for (i = 0; i < count && !s->failed; i++)
        write_variable(s, first + i, next[i]);
}

// first: the variable of the header's first phi.
static void give_leaving(selector *s, uint32_t first)
{
    for (VEC_EACH(leaving, l, &s->leaving)) {
        LLVMValueRef v = LLVMGetIncomingValue(l->phi, 0);
        if (l->variable != SPC_NONE)
            give_variable(s, l->phi, l->variable);
        else if (l->next > 0)
            give_variable(s, l->phi, first + l->next - 1);
        else if (is_truth(v))
            sel_give_truth(s, l->phi, sel_truth(s, v));
        else
            sel_give(s, l->phi, sel_scalar(s, v));
    }
}

// Whether a value is the result of an operation of the machine's, and so never a variable itself.
static bool is_computed(LLVMValueRef v)
{
    if (LLVMIsAInstruction(v) == NULL)
        return LLVMIsConstant(v);
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul: return true;
    case LLVMSelect: return !is_truth(v);
    default: return false;
    }
}

// The number of the header's phi, plus 1, that a value is the next round's of: behind a loop that only ends when all rounds are done, its
// variable has that value. 0: there is none.
static uint32_t next_phi_of(const spc_loop *loop, LLVMValueRef v)
{
    enum { MOST = 255 };
    uint32_t number = 0;
    if (loop->exits != 1 || !loop->counted || loop->rounds > MOST)
        return 0;
    for (LLVMValueRef phi = first_phi(loop->header); phi != NULL; phi = next_phi(phi)) {
        number++;
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
            if (LLVMGetIncomingBlock(phi, k) == loop->latch && LLVMGetIncomingValue(phi, k) == v)
                return number;
    }
    return 0;
}

// A phi behind the loop is a variable unless all ways out give it one value that the loop's code computes, or that a variable of the loop
// has.
static void find_leaving(selector *s, const spc_loop *loop)
{
    s->leaving.len = s->leaving.cap = 0;
    s->leaving.data = NULL;
    for (LLVMValueRef phi = first_phi(loop->exit); phi != NULL; phi = next_phi(phi)) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, 0);
        bool same = true;
        for (unsigned i = 1; i < LLVMCountIncoming(phi); i++)
            same = same && LLVMGetIncomingValue(phi, i) == v;
        bool computed = same && is_computed(v);
        uint32_t next = computed ? 0 : next_phi_of(loop, v);
        VEC_PUSH(s->f->arena, &s->leaving, (leaving){phi, computed || next > 0 ? SPC_NONE : add_variable(s), next});
    }
}

static void select_loop(selector *s, const node *n)
{
    const spc_loop *loop = &s->loops.loops.data[n->loop];
    uint32_t part[SP_MAX_NESTING], first, count = 0;
    if (!check_loop(s, loop))
        return;
    unsigned parts = split_rounds(loop->rounds, part);
    if (s->nesting + parts > SP_MAX_NESTING) {
        sel_fail(s, "loops are nested more than %d deep; one of more than 255 rounds counts twice", SP_MAX_NESTING);
        return;
    }
    selector outer = *s; // of which the place is what is restored
    find_leaving(s, loop);
    first = (uint32_t)s->f->values.len;
    for (LLVMValueRef phi = first_phi(loop->header); phi != NULL; phi = next_phi(phi), count++) {
        sel_at(s, phi);
        spc_range_of(&s->ranges, phi); // outer loops' before those in them
        if (sel_is_whole(phi) && !sel_check_int(s, phi))
            return;
        add_variable(s);
    }
    // Several of the machine's loops need to know who has left the inner one, unless all their rounds are wanted.
    bool breaks = parts > 1 && (part[0] * part[1] != loop->rounds || !loop->counted);
    for (VEC_EACH(spc_block, b, &s->loops.blocks))
        if (parts > 1 && b->block != loop->latch && spc_in_loop(&s->loops, b->block, n->loop))
            for (unsigned k = 0; k < LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(b->block)); k++)
                breaks = breaks ||
                         !spc_in_loop(&s->loops, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(b->block), k), n->loop);
    s->stopped = breaks ? add_variable(s) : SPC_NONE;
    write_phis(s, loop, loop->before, first, count);
    if (breaks)
        write_variable(s, s->stopped, sel_number(s, -1));
    uint32_t begin = (uint32_t)s->f->steps.len;
    for (unsigned i = 0; i < parts; i++)
        add_step(s, (spc_step){.flow = SPC_REP, .rounds = part[i]});
    uint32_t i = first;
    for (LLVMValueRef phi = first_phi(loop->header); phi != NULL; phi = next_phi(phi))
        give_variable(s, phi, i++);
    s->nesting += parts;
    s->branches = 0;
    s->loop = n->loop;
    order_nodes(s, n->loop, loop->header);
    select_nodes(s);
    if (!s->failed)
        write_phis(s, loop, loop->latch, first, count);
    for (unsigned k = parts; k > 0; k--) {
        if (k < parts && s->stopped != SPC_NONE)
            add_decision(s, (spc_step){.flow = SPC_BRK, .begin = begin + k - 1},
                         (truth){copied(s, (spc_operand){.value = s->stopped}), false});
        uint32_t end = add_step(s, (spc_step){.flow = SPC_ENDREP, .begin = begin + k - 1});
        s->f->steps.data[begin + k - 1].end = end;
    }
    if (!s->failed)
        give_leaving(s, first);
    s->nodes = outer.nodes;
    s->loop = outer.loop;
    s->nesting = outer.nesting;
    s->branches = outer.branches;
    s->leaving.data = outer.leaving.data;
    s->leaving.len = outer.leaving.len;
    s->leaving.cap = outer.leaving.cap;
    s->stopped = outer.stopped;
}

// ---- Everything ----

static void select_block(selector *s, const node *n)
{
    for (LLVMValueRef in = LLVMGetFirstInstruction(n->block); in != NULL && !s->failed;
         in = LLVMGetNextInstruction(in)) {
        sel_at(s, in);
        sel_instruction(s, in);
    }
    LLVMValueRef end = LLVMGetBasicBlockTerminator(n->block);
    if (LLVMGetNumSuccessors(end) > 2 && !s->failed)
        sel_fail(s, "a switch; conditions are comparisons of floats");
    if (s->loop != SPC_NONE && !s->failed)
        select_leaving(s, n);
}

static void select_nodes(selector *s)
{
    for (uint32_t i = 0; i < s->nodes.len && !s->failed; i++) {
        branch b = {0};
        if (s->nodes.data[i].done)
            continue;
        if (!s->nodes.data[i].given)
            s->nodes.data[i].condition = reach(s, i);
        node n = s->nodes.data[i];
        s->now = n.condition;
        if (n.loop != SPC_NONE)
            select_loop(s, &n);
        else
            select_block(s, &n);
        if (!s->failed && n.loop == SPC_NONE && find_branch(s, i, &b) && is_worth(s, &b))
            select_branch(s, &b);
    }
}

void sel_function(selector *s, LLVMValueRef function)
{
    spc_find_loops(s->f->arena, function, &s->loops);
    s->ranges = (spc_ranges){.arena = s->f->arena, .loops = &s->loops};
    hmap_init(&s->ranges.known, s->f->arena);
    s->ranges.items = (spc_range){s->f->least, s->f->most};
    s->ranges.x = LLVMGetParam(function, 0);
    s->ranges.y = LLVMGetParam(function, 1);
    s->loop = s->stopped = SPC_NONE;
    VEC_PUSH(s->f->arena, &s->conditions, (path){0, {sel_number(s, 1), false}});
    order_nodes(s, SPC_NONE, LLVMGetEntryBasicBlock(function));
    if (!s->failed)
        select_nodes(s);
}
