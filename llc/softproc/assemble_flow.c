// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The assembler: flow control. FC is an instruction as it is, every field named; IF, ELSE, ENDIF, LOOP, REP, BRK, CONT,
// JMP, CALL and RET are the usual shapes made of it.
#include <string.h>

#include "llc/softproc/assembler.h"

static sp_item *add_flow(sp_assembler *s, src_range range, unsigned op)
{
    sp_item *item = sp_add_item(s, range);
    item->in.f[SP_F_TYPE] = SP_FC;
    item->in.f[SP_F_FC_OP] = (uint16_t)op;
    item->in.f[SP_F_ALU_WAIT] = 1;
    return item;
}

static void take_flow_flags(sp_assembler *s, sp_item *item)
{
    while (!s->failed && s->at < s->line_end && s->text[s->at] == '.') {
        s->at++;
        src_range range = sp_here(s);
        const char *flag = sp_take_name(s, &range);
        if (flag != NULL && strcmp(flag, "noaluwait") == 0)
            item->in.f[SP_F_ALU_WAIT] = 0;
        else if (flag == NULL || !sp_set_flag(s, item, flag, range))
            sp_error(s, range, "expected a flag of flow control: wait, nop, last, noaluwait or uncovered");
    }
}

static void take_label(sp_assembler *s, sp_item *item)
{
    item->jump_range = sp_here(s);
    item->jump = sp_take_name(s, &item->jump_range);
    if (item->jump == NULL)
        sp_error(s, item->jump_range, "expected a label to jump to");
}

// A condition: alu, p.r, b3, each with '!' or not. Gives the truth table of its being true (or, inverted, false).
static unsigned take_condition(sp_assembler *s, sp_item *item, bool inverted, bool optional)
{
    bool negative = sp_take(s, '!');
    src_range range = sp_here(s);
    uint32_t begin = s->at;
    const char *name = sp_take_name(s, &range);
    unsigned func = SP_IF_ALWAYS;
    sp_symbol symbol;
    if (name == NULL && optional && !negative)
        return func;
    if (name != NULL && strcmp(name, "alu") == 0) {
        func = SP_IF_ALU;
    } else if (name != NULL && strcmp(name, "p") == 0 && sp_take(s, '.')) {
        static const char bits[] = "rgba";
        const char *at = s->at < s->line_end && s->text[s->at] != '\0' ? strchr(bits, s->text[s->at]) : NULL;
        if (at == NULL)
            sp_error(s, sp_here(s), "expected a predicate bit: p.r, p.g, p.b or p.a");
        else
            s->at++;
        item->in.f[SP_F_RGB_PRED_SEL] = (uint16_t)(SP_PRED_R + (at == NULL ? 0 : at - bits));
        func = SP_IF_PRED;
    } else if (name != NULL && sp_is_register(s, name, &symbol) && symbol.class == SP_CLASS_BOOL &&
               symbol.number < SP_MAX_BOOLS) {
        item->in.f[SP_F_FC_BOOL] = (uint16_t)symbol.number;
        func = SP_IF_BOOL;
    } else if (optional && !negative) {
        s->at = begin; // a label
        return func;
    } else {
        sp_error(s, range, "expected a condition: alu, p.r (g, b, a) or a truth constant b0, perhaps behind '!'");
    }
    return negative != inverted ? func ^ SP_IF_ALWAYS : func;
}

static void assemble_if(sp_assembler *s, sp_item *item, src_range range)
{
    item->in.f[SP_F_JUMP_FUNC] = (uint16_t)take_condition(s, item, true, false);
    item->in.f[SP_F_B_OP0] = SP_BRANCH_INCR;
    VEC_PUSH(s->arena, &s->open, (sp_open){SP_OPEN_IF, (unsigned)s->items.len - 1, 0, s->branches, range});
    s->branches++;
}

static void assemble_else(sp_assembler *s, sp_item *item, src_range range)
{
    if (s->open.len == 0 || VEC_LAST(&s->open).kind != SP_OPEN_IF) {
        sp_error(s, range, "ELSE without IF");
        return;
    }
    sp_open *top = &VEC_LAST(&s->open);
    unsigned self = (unsigned)s->items.len - 1;
    top->kind = SP_OPEN_ELSE;
    top->otherwise = self;
    s->items.data[top->at].in.f[SP_F_B_OP1] = SP_BRANCH_INCR;
    s->items.data[top->at].in.f[SP_F_FC_JUMP] = (uint16_t)((self + 1) & 511);
    item->in.f[SP_F_B_ELSE] = 1;
    item->in.f[SP_F_B_OP1] = SP_BRANCH_DECR;
    item->in.f[SP_F_B_POP_CNT] = 1;
}

static void assemble_endif(sp_assembler *s, sp_item *item, src_range range)
{
    if (s->open.len == 0 || VEC_LAST(&s->open).kind > SP_OPEN_ELSE) {
        sp_error(s, range, "ENDIF without IF");
        return;
    }
    const sp_open *top = &VEC_LAST(&s->open);
    unsigned next = (unsigned)s->items.len & 511;
    s->items.data[top->kind == SP_OPEN_IF ? top->at : top->otherwise].in.f[SP_F_FC_JUMP] = (uint16_t)next;
    item->in.f[SP_F_JUMP_ANY] = 1;
    item->in.f[SP_F_B_OP0] = SP_BRANCH_DECR;
    item->in.f[SP_F_B_POP_CNT] = 1;
    item->in.f[SP_F_FC_JUMP] = (uint16_t)next;
    s->open.len--;
    s->branches--;
}

static void assemble_loop(sp_assembler *s, sp_item *item, src_range range, bool rep)
{
    sp_reg reg;
    src_range at;
    if (!sp_take_register(s, &reg, &at))
        return;
    if (reg.class != SP_CLASS_INT)
        sp_error(s, at, "expected an int constant with the number of rounds: i0 to i%d", SP_MAX_INTS - 1);
    item->in.f[SP_F_FC_INT] = reg.number & 31;
    VEC_PUSH(s->arena, &s->open,
             (sp_open){rep ? SP_OPEN_REP : SP_OPEN_LOOP, (unsigned)s->items.len - 1, 0, s->branches, range});
}

static void assemble_endloop(sp_assembler *s, sp_item *item, src_range range, bool rep)
{
    if (s->open.len == 0 || VEC_LAST(&s->open).kind != (rep ? SP_OPEN_REP : SP_OPEN_LOOP)) {
        sp_error(s, range, rep ? "ENDREP without REP" : "ENDLOOP without LOOP");
        return;
    }
    unsigned begin = VEC_LAST(&s->open).at, behind = (unsigned)s->items.len;
    s->items.data[begin].in.f[SP_F_FC_JUMP] = behind & 511;
    item->in.f[SP_F_FC_INT] = s->items.data[begin].in.f[SP_F_FC_INT];
    item->in.f[SP_F_JUMP_FUNC] = SP_IF_ALWAYS;
    item->in.f[SP_F_JUMP_ANY] = 1;
    item->in.f[SP_F_FC_JUMP] = (uint16_t)(begin + 1);
    s->open.len--;
}

// BRK and CONT; the loop's end is not known yet: its begin is remembered as the target and replaced by assemble_finish.
// CONT goes to the end, BRK behind it.
static void assemble_leave(sp_assembler *s, sp_item *item, src_range range, bool go_on)
{
    size_t i = s->open.len;
    while (i > 0 && s->open.data[i - 1].kind <= SP_OPEN_ELSE)
        i--;
    if (i == 0) {
        sp_error(s, range, "%s outside of a loop", go_on ? "CONT" : "BRK");
        return;
    }
    const sp_open *loop = &s->open.data[i - 1];
    unsigned op = go_on ? SP_FC_CONTINUE : loop->kind == SP_OPEN_LOOP ? SP_FC_BREAKLOOP : SP_FC_BREAKREP;
    item->in.f[SP_F_FC_OP] = (uint16_t)op;
    item->in.f[SP_F_JUMP_FUNC] = (uint16_t)take_condition(s, item, false, true);
    item->in.f[SP_F_B_POP_CNT] = (uint16_t)((s->branches - loop->branches) & 31);
    item->in.f[SP_F_B_OP1] = s->branches > loop->branches ? SP_BRANCH_DECR : SP_BRANCH_NONE;
    item->jump = arena_printf(s->arena, "@%u", loop->at); // no label of a text has this name
    item->jump_range = range;
}

// "name=value" settings of FC.
static void take_setting(sp_assembler *s, sp_item *item)
{
    static const struct {
        const char *name;
        sp_field field;
    } flags[] = {{"any", SP_F_JUMP_ANY}, {"else", SP_F_B_ELSE}, {"global", SP_F_FC_GLOBAL}};
    static const struct {
        const char *name;
        sp_field field;
        unsigned most;
    } values[] = {{"func", SP_F_JUMP_FUNC, 255}, {"pop", SP_F_B_POP_CNT, 31}, {"stay", SP_F_B_OP0, 2},
                  {"go", SP_F_B_OP1, 2},         {"stack", SP_F_A_OP, 2},     {"bool", SP_F_FC_BOOL, 31},
                  {"int", SP_F_FC_INT, 31}};
    src_range range = sp_here(s);
    const char *name = sp_take_name(s, &range);
    unsigned value = 0;
    for (size_t i = 0; name != NULL && i < sizeof flags / sizeof *flags; i++)
        if (strcmp(name, flags[i].name) == 0) {
            item->in.f[flags[i].field] = 1;
            return;
        }
    for (size_t i = 0; name != NULL && i < sizeof values / sizeof *values; i++)
        if (strcmp(name, values[i].name) == 0) {
            if (!sp_take(s, '=') || !sp_take_integer(s, &value) || value > values[i].most)
                sp_error(s, range, "'%s' takes a number of 0 to %u", name, values[i].most);
            item->in.f[values[i].field] = (uint16_t)value;
            return;
        }
    sp_error(s, range,
             "expected a setting of flow control: func=, any, else, pop=, stay=, go=, stack=, bool=, int= or global");
}

// FC OP TARGET settings: TARGET is a label or an instruction's number.
static void assemble_raw(sp_assembler *s, sp_item *item)
{
    src_range range = sp_here(s);
    const char *name = sp_take_name(s, &range);
    unsigned op = 0, target = 0;
    while (op < 8 && (name == NULL || strcmp(name, sp_fc_ops[op]) != 0))
        op++;
    if (op == 8) {
        sp_error(s, range, "expected jump, loop, endloop, rep, endrep, breakloop, breakrep or continue");
        return;
    }
    item->in.f[SP_F_FC_OP] = (uint16_t)op;
    if (sp_take_integer(s, &target)) {
        if (target > SP_MAX_INSTRUCTIONS - 1)
            sp_error(s, range, "there is no instruction %u", target);
        item->in.f[SP_F_FC_JUMP] = target & 511;
    } else {
        take_label(s, item);
    }
    while (!s->failed && !sp_at_end(s))
        take_setting(s, item);
}

static void assemble_jump(sp_assembler *s, sp_item *item, unsigned stack, bool to_label)
{
    item->in.f[SP_F_JUMP_FUNC] = (uint16_t)take_condition(s, item, false, true);
    item->in.f[SP_F_A_OP] = (uint16_t)stack;
    if (to_label && !s->failed)
        take_label(s, item);
}

// The usual shapes. Those that decide about threads leave the ones outside of the domain out (uncovered), as other
// compilers' code does.
static const struct shape {
    const char *name;
    uint8_t op;
    bool uncovered;
} shapes[] = {
    {"FC", SP_FC_JUMP, false},      {"IF", SP_FC_JUMP, true},       {"ELSE", SP_FC_JUMP, false},
    {"ENDIF", SP_FC_JUMP, false},   {"LOOP", SP_FC_LOOP, true},     {"ENDLOOP", SP_FC_ENDLOOP, true},
    {"REP", SP_FC_REP, true},       {"ENDREP", SP_FC_ENDREP, true}, {"BRK", SP_FC_BREAKLOOP, true},
    {"CONT", SP_FC_CONTINUE, true}, {"JMP", SP_FC_JUMP, false},     {"CALL", SP_FC_JUMP, false},
    {"RET", SP_FC_JUMP, false},
};

bool sp_assemble_flow(sp_assembler *s, const char *name, src_range range, sp_guard guard)
{
    unsigned i = 0, count = sizeof shapes / sizeof *shapes;
    while (i < count && strcmp(name, shapes[i].name) != 0)
        i++;
    if (i == count)
        return false;
    sp_item *item = add_flow(s, range, shapes[i].op);
    item->in.f[SP_F_FC_UNCOVERED] = shapes[i].uncovered;
    item->in.f[SP_F_RGB_PRED_SEL] = (uint16_t)guard.sel;
    item->in.f[SP_F_RGB_PRED_INV] = (uint16_t)guard.inv;
    take_flow_flags(s, item);
    if (s->failed)
        return true;
    switch (i) {
    case 0: assemble_raw(s, item); break;
    case 1: assemble_if(s, item, range); break;
    case 2: assemble_else(s, item, range); break;
    case 3: assemble_endif(s, item, range); break;
    case 4: assemble_loop(s, item, range, false); break;
    case 5: assemble_endloop(s, item, range, false); break;
    case 6: assemble_loop(s, item, range, true); break;
    case 7: assemble_endloop(s, item, range, true); break;
    case 8: assemble_leave(s, item, range, false); break;
    case 9: assemble_leave(s, item, range, true); break;
    case 10: assemble_jump(s, item, SP_STACK_NONE, true); break;
    case 11: assemble_jump(s, item, SP_STACK_PUSH, true); break;
    default: assemble_jump(s, item, SP_STACK_POP, false);
    }
    return true;
}
