// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of LLVM IR: which blocks they have, and how many rounds at most. The number of rounds is found by running what the way
// out depends on, as long as that begins with constants.
#include <math.h>
#include <string.h>

#include "llc/softproc/compile.h"

// ---- Blocks ----

static uint32_t index_of(const spc_loops *l, LLVMBasicBlockRef block)
{
    return (uint32_t)(uintptr_t)hmap_getn(&l->index, &block, sizeof block) - 1;
}

uint32_t spc_loop_of(const spc_loops *l, LLVMBasicBlockRef block)
{
    uint32_t i = index_of(l, block);
    return i == SPC_NONE ? SPC_NONE : l->blocks.data[i].loop;
}

bool spc_in_loop(const spc_loops *l, LLVMBasicBlockRef block, uint32_t loop)
{
    uint32_t i = spc_loop_of(l, block);
    while (i != loop && i != SPC_NONE)
        i = l->loops.data[i].parent;
    return i == loop;
}

// Blocks that can be reached, each in front of those that only it leads to; edges that go back are those to a block on the way.
static void walk_blocks(arena *a, LLVMValueRef function, spc_loops *out)
{
    struct visit {
        LLVMBasicBlockRef block;
        unsigned next; // successor
    } *walk = ARENA_ARRAY(a, struct visit, LLVMCountBasicBlocks(function) + 1);
    VEC(LLVMBasicBlockRef) left = {0};
    hmap state; // 1: on the way, 2: left
    size_t depth = 1;
    hmap_init(&state, a);
    walk[0].block = LLVMGetEntryBasicBlock(function);
    while (depth > 0) {
        struct visit *top = &walk[depth - 1];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(top->block);
        hmap_setn(&state, &top->block, sizeof top->block, (void *)1);
        if (top->next == LLVMGetNumSuccessors(end)) {
            hmap_setn(&state, &top->block, sizeof top->block, (void *)2);
            VEC_PUSH(a, &left, top->block);
            depth--;
            continue;
        }
        LLVMBasicBlockRef to = LLVMGetSuccessor(end, top->next++);
        uintptr_t seen = (uintptr_t)hmap_getn(&state, &to, sizeof to);
        if (seen == 1)
            VEC_PUSH(a, &out->back, (spc_edge){top->block, to});
        if (seen == 0)
            walk[depth++] = (struct visit){to, 0};
    }
    for (size_t i = left.len; i > 0; i--) {
        VEC_PUSH(a, &out->blocks, (spc_block){left.data[i - 1], SPC_NONE});
        hmap_setn(&out->index, &left.data[i - 1], sizeof left.data[i - 1], (void *)(uintptr_t)out->blocks.len);
    }
}

// Marks what leads to a block within the loop of a header, backwards.
static void mark_body(arena *a, const spc_loops *l, uint32_t header, uint32_t from, bool *inside)
{
    VEC(uint32_t) work = {0};
    inside[header] = true;
    VEC_PUSH(a, &work, from);
    while (work.len > 0) {
        uint32_t b = work.data[--work.len];
        if (inside[b])
            continue;
        inside[b] = true;
        for (uint32_t i = 0; i < l->blocks.len; i++) {
            LLVMValueRef end = LLVMGetBasicBlockTerminator(l->blocks.data[i].block);
            for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
                if (LLVMGetSuccessor(end, k) == l->blocks.data[b].block)
                    VEC_PUSH(a, &work, i);
        }
    }
}

// The one block in front of a loop, the one at its end, and the one behind it, where there is just one.
static void find_ends(const spc_loops *l, uint32_t number, spc_loop *loop)
{
    bool several[3] = {false, false, false};
    for (VEC_EACH(spc_block, b, &l->blocks)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b->block);
        bool inside = spc_in_loop(l, b->block, number);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(end, k), *one = NULL, block = b->block;
            unsigned which = 0;
            if (to == loop->header) {
                which = inside;
                one = inside ? &loop->latch : &loop->before;
            } else if (inside && !spc_in_loop(l, to, number)) {
                which = 2;
                loop->exits++;
                one = &loop->exit;
                block = to;
            }
            if (one == NULL)
                continue;
            several[which] = several[which] || (*one != NULL && *one != block);
            *one = block;
        }
    }
    loop->before = several[0] ? NULL : loop->before;
    loop->latch = several[1] ? NULL : loop->latch;
    loop->exit = several[2] ? NULL : loop->exit;
}

// ---- Rounds ----

// A value on the way: an int of some width, or a float.
typedef struct datum {
    bool known, real;
    int64_t i;
    float f;
} datum;

typedef struct counting {
    const spc_loop *loop;
    VEC(LLVMValueRef) phis;
    VEC(datum) now;
    bool counts; // something that is known has been looked at
} counting;

static datum wrapped(int64_t v, unsigned width)
{
    uint64_t bits = (uint64_t)v << (64 - width);
    return (datum){true, false, (int64_t)bits >> (64 - width), 0};
}

static uint64_t without_sign(int64_t v, unsigned width)
{
    return width == 64 ? (uint64_t)v : (uint64_t)v & ((UINT64_C(1) << width) - 1);
}

static bool compare_ints(LLVMIntPredicate p, int64_t a, int64_t b, unsigned width)
{
    uint64_t x = without_sign(a, width), y = without_sign(b, width);
    switch (p) {
    case LLVMIntEQ: return a == b;
    case LLVMIntNE: return a != b;
    case LLVMIntSLT: return a < b;
    case LLVMIntSLE: return a <= b;
    case LLVMIntSGT: return a > b;
    case LLVMIntSGE: return a >= b;
    case LLVMIntULT: return x < y;
    case LLVMIntULE: return x <= y;
    case LLVMIntUGT: return x > y;
    default: return x >= y;
    }
}

// False where the comparison is of another kind.
static bool compare_floats(LLVMRealPredicate p, float a, float b, bool *out)
{
    switch (p) {
    case LLVMRealOEQ:
    case LLVMRealUEQ: *out = a == b; return true;
    case LLVMRealONE:
    case LLVMRealUNE: *out = a != b; return true;
    case LLVMRealOLT:
    case LLVMRealULT: *out = a < b; return true;
    case LLVMRealOLE:
    case LLVMRealULE: *out = a <= b; return true;
    case LLVMRealOGT:
    case LLVMRealUGT: *out = a > b; return true;
    case LLVMRealOGE:
    case LLVMRealUGE: *out = a >= b; return true;
    default: return false;
    }
}

static datum compute_int(LLVMOpcode opcode, int64_t a, int64_t b, unsigned width)
{
    switch (opcode) {
    case LLVMAdd: return wrapped((int64_t)((uint64_t)a + (uint64_t)b), width);
    case LLVMSub: return wrapped((int64_t)((uint64_t)a - (uint64_t)b), width);
    case LLVMMul: return wrapped((int64_t)((uint64_t)a * (uint64_t)b), width);
    case LLVMShl: return b < 0 || b >= width ? (datum){0} : wrapped((int64_t)((uint64_t)a << b), width);
    case LLVMAShr: return b < 0 || b >= width ? (datum){0} : wrapped(a >> b, width);
    case LLVMAnd: return wrapped(a & b, width);
    case LLVMOr: return wrapped(a | b, width);
    case LLVMXor: return wrapped(a ^ b, width);
    default: return (datum){0};
    }
}

static datum compute_float(LLVMOpcode opcode, float a, float b)
{
    datum d = {.known = true, .real = true};
    switch (opcode) {
    case LLVMFAdd: d.f = a + b; break;
    case LLVMFSub: d.f = a - b; break;
    case LLVMFMul: d.f = a * b; break;
    default: d.known = false;
    }
    return d;
}

static datum evaluate(counting *c, LLVMValueRef v, unsigned depth);

// a || b and a && b are known when one of them is and decides.
static datum evaluate_selection(counting *c, LLVMValueRef v, unsigned depth)
{
    datum condition = evaluate(c, LLVMGetOperand(v, 0), depth);
    datum yes = evaluate(c, LLVMGetOperand(v, 1), depth), no = evaluate(c, LLVMGetOperand(v, 2), depth);
    if (condition.known)
        return condition.i != 0 ? yes : no;
    bool same = yes.known && no.known && yes.real == no.real && (yes.real ? yes.f == no.f : yes.i == no.i);
    return same ? yes : (datum){0};
}

static datum evaluate_binary(counting *c, LLVMValueRef v, unsigned depth)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
    datum a = evaluate(c, LLVMGetOperand(v, 0), depth), b = evaluate(c, LLVMGetOperand(v, 1), depth);
    unsigned width =
        a.real || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind ? 64 : LLVMGetIntTypeWidth(LLVMTypeOf(v));
    if (width == 1 && (opcode == LLVMOr || opcode == LLVMAnd)) {
        int64_t decides = opcode == LLVMOr ? -1 : 0;
        if ((a.known && a.i == decides) || (b.known && b.i == decides))
            return wrapped(decides, 1);
    }
    if (!a.known || !b.known || a.real != b.real)
        return (datum){0};
    return a.real ? compute_float(opcode, a.f, b.f) : compute_int(opcode, a.i, b.i, width);
}

static datum evaluate_instruction(counting *c, LLVMValueRef v, unsigned depth)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
    bool result;
    datum a, b;
    switch (opcode) {
    case LLVMICmp:
        a = evaluate(c, LLVMGetOperand(v, 0), depth);
        b = evaluate(c, LLVMGetOperand(v, 1), depth);
        if (!a.known || !b.known || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) != LLVMIntegerTypeKind)
            return (datum){0};
        result = compare_ints(LLVMGetICmpPredicate(v), a.i, b.i, LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))));
        return wrapped(result, 1);
    case LLVMFCmp:
        a = evaluate(c, LLVMGetOperand(v, 0), depth);
        b = evaluate(c, LLVMGetOperand(v, 1), depth);
        if (!a.known || !b.known || !a.real || !b.real || !compare_floats(LLVMGetFCmpPredicate(v), a.f, b.f, &result))
            return (datum){0};
        return wrapped(result, 1);
    case LLVMSelect: return evaluate_selection(c, v, depth);
    case LLVMFreeze: return evaluate(c, LLVMGetOperand(v, 0), depth);
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
        a = evaluate(c, LLVMGetOperand(v, 0), depth);
        if (!a.known)
            return a;
        if (opcode == LLVMZExt)
            a.i = (int64_t)without_sign(a.i, LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))));
        return wrapped(a.i, LLVMGetIntTypeWidth(type));
    case LLVMSIToFP:
        a = evaluate(c, LLVMGetOperand(v, 0), depth);
        return (datum){a.known && LLVMGetTypeKind(type) == LLVMFloatTypeKind, true, 0, (float)a.i};
    default:
        return LLVMGetNumOperands(v) == 2 && LLVMIsABinaryOperator(v) != NULL ? evaluate_binary(c, v, depth)
                                                                              : (datum){0};
    }
}

static datum evaluate(counting *c, LLVMValueRef v, unsigned depth)
{
    enum { DEEPEST = 12 };
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMBool loses;
    if (LLVMIsAConstantInt(v) != NULL && LLVMGetIntTypeWidth(type) <= 64)
        return (datum){true, false, LLVMConstIntGetSExtValue(v), 0};
    if (LLVMIsAConstantFP(v) != NULL && LLVMGetTypeKind(type) == LLVMFloatTypeKind)
        return (datum){true, true, 0, (float)LLVMConstRealGetDouble(v, &loses)};
    for (size_t i = 0; i < c->phis.len; i++)
        if (c->phis.data[i] == v) {
            c->counts = c->counts || c->now.data[i].known;
            return c->now.data[i];
        }
    if (depth == DEEPEST || LLVMIsAInstruction(v) == NULL ||
        (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 64))
        return (datum){0};
    return evaluate_instruction(c, v, depth + 1);
}

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == from)
            return LLVMGetIncomingValue(phi, i);
    return NULL;
}

// Whether the loop ends in a block in this round, as far as that is known.
static datum leaves_at(counting *c, const spc_loops *l, uint32_t number, LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (LLVMIsABranchInst(end) == NULL || LLVMGetNumSuccessors(end) != 2)
        return wrapped(0, 1);
    bool out[2] = {!spc_in_loop(l, LLVMGetSuccessor(end, 0), number),
                   !spc_in_loop(l, LLVMGetSuccessor(end, 1), number)};
    if (out[0] == out[1])
        return wrapped(0, 1);
    datum d = evaluate(c, LLVMGetCondition(end), 0);
    d.i = out[0] ? d.i : ~d.i;
    return d;
}

static void step(arena *a, counting *c)
{
    VEC(datum) next = {0};
    for (size_t i = 0; i < c->phis.len; i++) {
        LLVMValueRef v = incoming(c->phis.data[i], c->loop->latch);
        VEC_PUSH(a, &next, v == NULL ? (datum){0} : evaluate(c, v, 0));
    }
    if (next.len > 0)
        memcpy(c->now.data, next.data, next.len * sizeof *next.data);
}

static void count_rounds(arena *a, const spc_loops *l, uint32_t number, spc_loop *loop)
{
    counting c = {.loop = loop};
    if (loop->before == NULL || loop->latch == NULL)
        return;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(loop->header); LLVMIsAPHINode(phi) != NULL;
         phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef begin = incoming(phi, loop->before);
        VEC_PUSH(a, &c.phis, phi);
        VEC_PUSH(a, &c.now, begin == NULL ? (datum){0} : evaluate(&(counting){.loop = loop}, begin, 0));
    }
    bool known = true;
    loop->counted = true;
    arena *own = arena_create();
    for (uint32_t round = 1; round <= SPC_MOST_ROUNDS; round++) {
        datum first = loop->header == loop->latch ? wrapped(0, 1) : leaves_at(&c, l, number, loop->header);
        datum last = leaves_at(&c, l, number, loop->latch);
        loop->counted = loop->counted && last.known;
        known = known && ((loop->header != loop->latch && first.known) || last.known);
        if ((first.known && first.i != 0) || (last.known && last.i != 0)) {
            loop->rounds = round;
            loop->counted = loop->counted && last.i != 0;
            break;
        }
        if (!c.counts)
            break;
        step(own, &c);
        loop->many = known && round == SPC_MOST_ROUNDS;
    }
    arena_destroy(own);
}

void spc_find_loops(arena *a, LLVMValueRef function, spc_loops *out)
{
    memset(out, 0, sizeof *out);
    hmap_init(&out->index, a);
    walk_blocks(a, function, out);
    bool *inside = ARENA_ARRAY(a, bool, out->blocks.len);
    for (uint32_t h = 0; h < out->blocks.len; h++) {
        bool any = false;
        memset(inside, 0, out->blocks.len * sizeof *inside);
        for (VEC_EACH(spc_edge, e, &out->back))
            if (e->to == out->blocks.data[h].block) {
                mark_body(a, out, h, index_of(out, e->from), inside);
                any = true;
            }
        if (!any)
            continue;
        VEC_PUSH(a, &out->loops, (spc_loop){.header = out->blocks.data[h].block, .parent = out->blocks.data[h].loop});
        for (uint32_t i = 0; i < out->blocks.len; i++)
            if (inside[i])
                out->blocks.data[i].loop = (uint32_t)out->loops.len - 1;
    }
    for (uint32_t i = 0; i < out->loops.len; i++) {
        find_ends(out, i, &out->loops.data[i]);
        count_rounds(a, out, i, &out->loops.data[i]);
    }
}
