// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The assembler: the vector and the scalar half of an arithmetic instruction, and which source addresses their operands
// get. An instruction has three vector and three scalar addresses; an operand names one number for both, takes red,
// green and blue from the vector address of that number and alpha from the scalar one.
#include <string.h>

#include "llc/softproc/assembler.h"

typedef enum operand_kind { OPERAND_NUMBER, OPERAND_REGISTER, OPERAND_SOURCE, OPERAND_PRESUBTRACT } operand_kind;

enum { FREE = 0xffff, RELATIVE = 1 << 9, MOST_OPERANDS = 6 };

typedef struct operand {
    operand_kind kind;
    unsigned address;           // REGISTER: 9 bits of address and RELATIVE; SOURCE: 0 to 3
    unsigned op, first, second; // PRESUBTRACT: operation and addresses; second FREE: none
    unsigned swizzle[3], mod;
    unsigned half, place; // where it stands
    src_range range;
} operand;

// Other names of operations.
typedef enum alias_form { FORM_PLAIN, FORM_MOV, FORM_ADD, FORM_SUB, FORM_MUL } alias_form;
static const struct alias {
    const char *name, *stands_for;
    alias_form form;
    unsigned operands;
} aliases[] = {
    {"MOV", "MAX", FORM_MOV, 1},    {"mov", "max", FORM_MOV, 1},   {"ADD", "MAD", FORM_ADD, 2},
    {"add", "mad", FORM_ADD, 2},    {"SUB", "MAD", FORM_SUB, 2},   {"sub", "mad", FORM_SUB, 2},
    {"MUL", "MAD", FORM_MUL, 2},    {"mul", "mad", FORM_MUL, 2},   {"DOT3", "DP3", FORM_PLAIN, 2},
    {"DOT4", "DP4", FORM_PLAIN, 2}, {"dot3", "dp", FORM_PLAIN, 2}, {"dot4", "dp", FORM_PLAIN, 2},
};

static int find_operation(unsigned half, const char *name)
{
    for (int i = 0; i < 16; i++)
        if (sp_halves[half].ops[i].name != NULL && strcmp(sp_halves[half].ops[i].name, name) == 0)
            return i;
    return -1;
}

// ---- Operands ----

static void take_swizzle(sp_assembler *s, operand *o)
{
    static const char names[] = "rgba0h1_", others[] = "xyzw";
    unsigned n = 0, most = sp_halves[o->half].components;
    uint32_t begin = s->at;
    for (; s->at < s->line_end; s->at++) {
        const char *at = strchr(names, s->text[s->at]), *other = strchr(others, s->text[s->at]);
        if ((at == NULL && other == NULL) || s->text[s->at] == '\0')
            break;
        if (n < 3)
            o->swizzle[n] = (unsigned)(at != NULL ? at - names : other - others);
        n++;
    }
    if (n != 1 && n != most)
        sp_error(s, (src_range){s->file, begin, s->at},
                 most == 3 ? "a vector operand takes one component or three: of r, g, b, a, 0, h (a half) and 1"
                           : "a scalar operand takes one component: r, g, b, a, 0, h (a half) or 1");
    for (unsigned i = n; i < 3; i++)
        o->swizzle[i] = o->swizzle[0];
}

static void default_swizzle(operand *o)
{
    for (unsigned i = 0; i < 3; i++)
        o->swizzle[i] = o->half == SP_HALF_RGB ? i : SP_A;
}

static unsigned source_address(sp_assembler *s, const sp_reg *reg, src_range range)
{
    if (reg->class != SP_CLASS_TEMP && reg->class != SP_CLASS_CONST) {
        sp_error(s, range, "arithmetic reads registers, constants and numbers");
        return SP_ADDR_INLINE;
    }
    return (reg->class == SP_CLASS_CONST ? SP_ADDR_CONST : 0) + reg->number + (reg->relative ? RELATIVE : 0);
}

// A number as a source: its components or, if it has one, its small float.
static void set_number(sp_assembler *s, operand *o, double value)
{
    static const double easy[] = {0, 0.5, 1};
    double magnitude = value < 0 ? -value : value;
    if (value < 0)
        o->mod ^= SP_MOD_NEG;
    for (unsigned i = 0; i < 3; i++)
        if (magnitude == easy[i]) {
            o->kind = OPERAND_NUMBER;
            o->swizzle[0] = o->swizzle[1] = o->swizzle[2] = SP_ZERO + i;
            return;
        }
    int bits = (double)(float)magnitude == magnitude ? sp_inline_bits((float)magnitude) : -1;
    if (bits < 0)
        sp_error(s, o->range,
                 "an instruction cannot hold this number (four significant bits, at most 480); give it to a constant "
                 "with .const");
    o->kind = OPERAND_REGISTER;
    o->address = SP_ADDR_INLINE + (unsigned)(bits & 127);
    default_swizzle(o);
}

// Behind "(": 1-r0, 1-2*r0, r1-r0 or r1+r0.
static void take_presubtract(sp_assembler *s, operand *o)
{
    sp_reg reg;
    src_range range;
    o->kind = OPERAND_PRESUBTRACT;
    o->second = FREE;
    if (sp_take_word(s, "1")) {
        o->op = 3;
        if (!sp_take(s, '-'))
            sp_error(s, sp_here(s), "expected '-': (1-r0) or (1-2*r0)");
        if (sp_take_word(s, "2")) {
            o->op = 0;
            if (!sp_take(s, '*'))
                sp_error(s, sp_here(s), "expected '*': (1-2*r0)");
        }
        if (!s->failed && sp_take_register(s, &reg, &range))
            o->first = source_address(s, &reg, range);
    } else if (sp_take_register(s, &reg, &range)) {
        // (r1-r0): the second operand is source 0.
        o->second = source_address(s, &reg, range);
        o->op = sp_take(s, '+') ? 2 : 1;
        if (o->op == 1 && !sp_take(s, '-'))
            sp_error(s, sp_here(s), "expected '+' or '-' between the registers");
        if (!s->failed && sp_take_register(s, &reg, &range))
            o->first = source_address(s, &reg, range);
    }
    if (!s->failed && !sp_take(s, ')'))
        sp_error(s, sp_here(s), "expected ')'");
}

// "src0", "srcp": an address of the list in braces.
static bool take_source(sp_assembler *s, operand *o)
{
    static const char *const names[] = {"src0", "src1", "src2", "srcp"};
    for (unsigned i = 0; i < 4; i++)
        if (sp_take_word(s, names[i])) {
            o->kind = OPERAND_SOURCE;
            o->address = i;
            return true;
        }
    return false;
}

static void take_atom(sp_assembler *s, operand *o)
{
    double value;
    sp_reg reg;
    src_range range = sp_here(s);
    default_swizzle(o);
    if (sp_take(s, '(')) {
        take_presubtract(s, o);
    } else if (!take_source(s, o)) {
        if (sp_take_number(s, &value)) {
            o->range.end = s->at;
            set_number(s, o, value);
            return;
        }
        uint32_t begin = s->at;
        const char *name = sp_take_name(s, &range);
        const sp_symbol *symbol = name == NULL ? NULL : hmap_get(&s->symbols, name);
        if (symbol != NULL && symbol->class == SP_CLASS_NUMBER) {
            set_number(s, o, symbol->value);
            return;
        }
        s->at = begin;
        if (!sp_take_register(s, &reg, &range))
            return;
        o->kind = OPERAND_REGISTER;
        o->address = source_address(s, &reg, range);
    }
    if (!s->failed && s->at < s->line_end && s->text[s->at] == '.') {
        s->at++;
        take_swizzle(s, o);
    }
}

static void take_operand(sp_assembler *s, operand *o)
{
    sp_skip_blanks(s);
    o->range = sp_here(s);
    if (sp_take(s, '-'))
        o->mod |= SP_MOD_NEG;
    if (sp_take(s, '|')) {
        o->mod |= SP_MOD_ABS;
        take_atom(s, o);
        if (!s->failed && !sp_take(s, '|'))
            sp_error(s, sp_here(s), "expected '|' behind the absolute value");
    } else if (!s->failed) {
        take_atom(s, o);
    }
    o->range.end = s->at;
}

// ---- Destinations ----

static unsigned take_mask(sp_assembler *s, unsigned half)
{
    unsigned mask = 0;
    if (s->at >= s->line_end || s->text[s->at] != '.')
        return half == SP_HALF_RGB ? 7 : 1;
    s->at++;
    if (s->at < s->line_end && s->text[s->at] == '_') {
        s->at++;
        return 0;
    }
    src_range range = sp_here(s);
    const char *letters = half == SP_HALF_RGB ? "rgbxyz" : "aw", *at;
    for (; s->at < s->line_end && (at = strchr(letters, s->text[s->at])) != NULL && *at != '\0'; s->at++)
        mask |= 1u << (unsigned)(at - letters) % (half == SP_HALF_RGB ? 3 : 1);
    if (mask == 0)
        sp_error(s, range,
                 half == SP_HALF_RGB ? "the vector half writes r, g and b, or '_' for none of them"
                                     : "the scalar half writes a, or '_' for nothing");
    return mask;
}

static void set_type(sp_assembler *s, sp_item *item, sp_type type, src_range range)
{
    // A predicate is written by ALU, an output by OUT. The flag says that one of them has been written.
    if (type == SP_OUT) {
        item->in.f[SP_F_TYPE] = SP_OUT;
    } else if (item->in.f[SP_F_TYPE] == SP_OUT) {
        sp_error(s, range, "an instruction that writes an output cannot set predicates");
    }
}

static void take_predicate(sp_assembler *s, sp_item *item, const char *name, unsigned half, src_range range)
{
    static const char *const compares[] = {"p_eq", "p_lt", "p_ge", "p_ne"};
    const sp_half_fields *h = &sp_halves[half];
    for (unsigned i = 0; i < 4; i++)
        if (strcmp(name, compares[i]) == 0) {
            set_type(s, item, SP_ALU, range);
            item->in.f[h->target] = (uint16_t)i;
            item->in.f[h->omask] = (uint16_t)take_mask(s, half);
        }
}

static void take_destination(sp_assembler *s, sp_item *item, unsigned half)
{
    const sp_half_fields *h = &sp_halves[half];
    sp_reg reg;
    src_range range = sp_here(s);
    uint32_t begin = s->at;
    const char *name = sp_take_name(s, &range);
    if (name != NULL && strncmp(name, "p_", 2) == 0 && strlen(name) == 4 && strstr("eq lt ge ne", name + 2) != NULL) {
        take_predicate(s, item, name, half, range);
        return;
    }
    s->at = begin;
    if (!sp_take_register(s, &reg, &range))
        return;
    if (reg.class == SP_CLASS_OUTPUT) {
        if (item->has_scalar && item->in.f[SP_F_TYPE] == SP_ALU && item->in.f[sp_halves[SP_HALF_RGB].omask] != 0)
            sp_error(s, range, "an instruction that sets predicates cannot write an output");
        set_type(s, item, SP_OUT, range);
        item->in.f[h->target] = reg.number & 3;
        item->in.f[h->omask] = (uint16_t)take_mask(s, half);
    } else if (reg.class == SP_CLASS_TEMP) {
        item->in.f[h->addrd] = reg.number & 127;
        item->in.f[h->addrd_rel] = reg.relative;
        item->in.f[h->wmask] = (uint16_t)take_mask(s, half);
    } else {
        sp_error(s, range, "results go to registers, outputs and predicates");
    }
}

static void take_destinations(sp_assembler *s, sp_item *item, unsigned half)
{
    if (sp_take(s, '-'))
        return;
    do
        take_destination(s, item, half);
    while (!s->failed && sp_take(s, '+'));
}

// ---- Addresses ----

typedef struct allocation {
    unsigned address[2][3]; // FREE or an address with RELATIVE
    unsigned srcp[2];       // FREE or the operation
    unsigned sel[MOST_OPERANDS];
} allocation;

static bool put(allocation *a, unsigned half, unsigned k, unsigned address)
{
    if (a->address[half][k] != FREE && a->address[half][k] != address)
        return false;
    a->address[half][k] = address;
    return true;
}

// Which halves' addresses an operand reads: bit 0 vector, bit 1 scalar.
static unsigned halves_read(const operand *o)
{
    unsigned halves = 0;
    for (unsigned c = 0; c < sp_halves[o->half].components; c++)
        if (o->swizzle[c] <= SP_A)
            halves |= o->swizzle[c] == SP_A ? 2 : 1;
    return halves;
}

static bool put_operand(allocation *a, const operand *o, unsigned k)
{
    unsigned halves = halves_read(o);
    for (unsigned half = 0; half < 2; half++) {
        if ((halves >> half & 1) == 0)
            continue;
        if (o->kind == OPERAND_REGISTER) {
            if (!put(a, half, k, o->address))
                return false;
            continue;
        }
        if ((a->srcp[half] != FREE && a->srcp[half] != o->op) || !put(a, half, 0, o->first) ||
            (o->second != FREE && !put(a, half, 1, o->second)))
            return false;
        a->srcp[half] = o->op;
    }
    return true;
}

// Presubtracts first: they need certain places. The others take the first number that fits, with backtracking.
static bool allocate_from(allocation *a, const operand *operands, unsigned count, unsigned at)
{
    while (at < count && operands[at].kind != OPERAND_REGISTER)
        at++;
    if (at == count)
        return true;
    for (unsigned k = 0; k < 3; k++) {
        allocation saved = *a;
        a->sel[at] = k;
        if (put_operand(a, &operands[at], k) && allocate_from(a, operands, count, at + 1))
            return true;
        *a = saved;
    }
    return false;
}

static bool allocate(allocation *a, const operand *operands, unsigned count)
{
    *a = (allocation){.address = {{FREE, FREE, FREE}, {FREE, FREE, FREE}}, .srcp = {FREE, FREE}};
    for (unsigned i = 0; i < count; i++) {
        a->sel[i] = operands[i].kind == OPERAND_PRESUBTRACT ? SP_SRCP : 0;
        if (operands[i].kind == OPERAND_PRESUBTRACT && !put_operand(a, &operands[i], SP_SRCP))
            return false;
    }
    return allocate_from(a, operands, count, 0);
}

static void set_operand(sp_item *item, const operand *o, unsigned sel)
{
    const sp_half_fields *h = &sp_halves[o->half];
    item->in.f[h->sel[o->place]] = (uint16_t)sel;
    item->in.f[h->mod[o->place]] = (uint16_t)o->mod;
    for (unsigned c = 0; c < h->components; c++)
        item->in.f[h->swizzle[o->place][c]] = (uint16_t)o->swizzle[c];
}

static void set_addresses(sp_item *item, const allocation *a)
{
    for (unsigned half = 0; half < 2; half++) {
        const sp_half_fields *h = &sp_halves[half];
        for (unsigned k = 0; k < 3; k++) {
            unsigned address = a->address[half][k] == FREE ? SP_ADDR_INLINE : a->address[half][k];
            item->in.f[h->addr[k]] = address & 511;
            item->in.f[h->rel[k]] = (address & RELATIVE) != 0;
        }
        item->in.f[h->srcp_op] = (uint16_t)(a->srcp[half] == FREE ? 0 : a->srcp[half]);
    }
}

// ---- Halves ----

static void take_flags(sp_assembler *s, sp_item *item, unsigned half)
{
    static const char *const omods[] = {"x1", "x2", "x4", "x8", "d2", "d4", "d8", "mov"};
    const sp_half_fields *h = &sp_halves[half];
    while (!s->failed && s->at < s->line_end && s->text[s->at] == '.') {
        s->at++;
        src_range range = sp_here(s);
        const char *flag = sp_take_name(s, &range);
        bool known = flag != NULL && sp_set_flag(s, item, flag, range);
        for (unsigned i = 0; i < 8 && flag != NULL && !known; i++)
            if (strcmp(flag, omods[i]) == 0) {
                item->in.f[h->omod] = (uint16_t)i;
                known = true;
            }
        if (!known && flag != NULL && strcmp(flag, "sat") == 0)
            item->in.f[h->clamp] = 1;
        else if (!known && flag != NULL && strcmp(flag, "w") == 0 && half == SP_HALF_ALPHA)
            item->in.f[SP_F_W_OMASK] = 1;
        else if (!known)
            sp_error(s, range,
                     "expected a flag: sat, x2, x4, x8, d2, d4, d8, mov, wait, nop, last, aluwait, inactive, out, "
                     "statN or alu_r_lt and its like");
    }
}

// "{r0, c1, 0.5, srcp=1}": this half's addresses as they are.
static void take_addresses(sp_assembler *s, sp_item *item, unsigned half)
{
    const sp_half_fields *h = &sp_halves[half];
    for (unsigned k = 0; !s->failed && !sp_take(s, '}'); k++) {
        operand o = {.half = half, .range = sp_here(s)};
        unsigned op = 0;
        if (sp_take_word(s, "srcp")) {
            if (!sp_take(s, '=') || !sp_take_integer(s, &op) || op > 3)
                sp_error(s, sp_here(s), "expected srcp=0 (1-2*src0), 1 (src1-src0), 2 (src1+src0) or 3 (1-src0)");
            else
                item->in.f[h->srcp_op] = (uint16_t)op;
            continue;
        }
        if (sp_at_end(s) || k > 2) {
            sp_error(s, o.range, "expected up to three registers, constants or numbers, and '}'");
            return;
        }
        unsigned address = SP_ADDR_INLINE;
        if (sp_take_word(s, "-")) {
            // unused
        } else if (!s->failed) {
            sp_reg reg;
            src_range range;
            double value;
            if (sp_take_number(s, &value)) {
                int number = sp_inline_bits((float)value);
                if (number < 0 || (double)(float)value != value)
                    sp_error(s, o.range, "no source is this number; numbers have four significant bits, at most 480");
                address += (unsigned)number & 127;
            } else if (sp_take_register(s, &reg, &range)) {
                address = source_address(s, &reg, range);
            }
        }
        item->in.f[h->addr[k]] = address & 511;
        item->in.f[h->rel[k]] = (address & RELATIVE) != 0;
    }
}

static void expand_alias(operand *o, const struct alias *alias, unsigned *count)
{
    operand constant = {.kind = OPERAND_NUMBER, .half = o->half, .range = o[0].range};
    unsigned swizzle = alias->form == FORM_MUL ? SP_ZERO : SP_ONE;
    for (unsigned i = 0; i < 3; i++)
        constant.swizzle[i] = swizzle;
    if (alias->form == FORM_MOV) {
        o[1] = o[0];
    } else if (alias->form == FORM_MUL) {
        o[2] = constant;
    } else {
        o[2] = o[1];
        o[1] = constant;
        if (alias->form == FORM_SUB)
            o[2].mod ^= SP_MOD_NEG;
    }
    *count = alias->form == FORM_MOV ? 2 : 3;
    for (unsigned i = 0; i < *count; i++)
        o[i].place = i;
}

static bool any_source(const operand *o, unsigned count, operand_kind kind)
{
    for (unsigned i = 0; i < count; i++)
        if (o[i].kind == kind)
            return true;
    return false;
}

// The operands that the instruction's other half has been given, read back from its fields.
static unsigned operands_of_vector_half(const sp_item *item, operand out[3])
{
    const sp_half_fields *h = &sp_halves[SP_HALF_RGB];
    unsigned n = item->vector_operands;
    for (unsigned k = 0; k < n; k++) {
        unsigned sel = item->in.f[h->sel[k]];
        out[k] = (operand){.half = SP_HALF_RGB, .place = k, .mod = item->in.f[h->mod[k]], .range = item->range};
        bool vector = false, scalar = false;
        for (unsigned c = 0; c < 3; c++) {
            out[k].swizzle[c] = item->in.f[h->swizzle[k][c]];
            vector = vector || out[k].swizzle[c] < SP_A;
            scalar = scalar || out[k].swizzle[c] == SP_A;
        }
        bool reads = vector || scalar;
        unsigned from = vector ? SP_HALF_RGB : SP_HALF_ALPHA;
        const sp_half_fields *f = &sp_halves[from];
        out[k].kind = !reads ? OPERAND_NUMBER : sel == SP_SRCP ? OPERAND_PRESUBTRACT : OPERAND_REGISTER;
        if (sel == SP_SRCP) {
            out[k].op = item->in.f[f->srcp_op];
            out[k].first = item->in.f[f->addr[0]] + (item->in.f[f->rel[0]] ? RELATIVE : 0);
            out[k].second = out[k].op == 1 || out[k].op == 2
                                ? item->in.f[f->addr[1]] + (unsigned)(item->in.f[f->rel[1]] ? RELATIVE : 0)
                                : FREE;
        } else {
            out[k].address = item->in.f[f->addr[sel]] + (item->in.f[f->rel[sel]] ? RELATIVE : 0);
        }
    }
    return n;
}

// A DP4 without a scalar half takes its fourth factors from alpha of its own operands.
static unsigned add_fourth_factors(const sp_item *item, operand *operands, unsigned count)
{
    if (item->in.f[SP_F_RGB_OP] != SP_RGB_DP4 || item->has_scalar || count != 2)
        return count;
    for (unsigned k = 0; k < 2; k++) {
        operands[2 + k] = operands[k];
        operands[2 + k].half = SP_HALF_ALPHA;
        for (unsigned c = 0; c < 3; c++)
            operands[2 + k].swizzle[c] = operands[k].kind == OPERAND_NUMBER ? operands[k].swizzle[0] : SP_A;
    }
    return 4;
}

static void allocate_sources(sp_assembler *s, sp_item *item, unsigned half, const operand *own, unsigned count)
{
    operand all[MOST_OPERANDS];
    unsigned n = 0;
    allocation a;
    if (half == SP_HALF_ALPHA)
        n = operands_of_vector_half(item, all);
    memcpy(all + n, own, count * sizeof *own);
    n += count;
    if (half == SP_HALF_RGB)
        n = add_fourth_factors(item, all, n);
    if (!allocate(&a, all, n)) {
        sp_error(s, item->range,
                 "the operands need more sources than there are: three for r, g and b, three for alpha, and one "
                 "presubtract of sources 0 and 1 each");
        return;
    }
    for (unsigned i = 0; i < n; i++)
        set_operand(item, &all[i], a.sel[i]);
    set_addresses(item, &a);
}

static void take_operands(sp_assembler *s, sp_item *item, unsigned half, unsigned op, const struct alias *alias)
{
    operand own[3];
    unsigned count = 0, wanted = alias != NULL ? alias->operands : sp_halves[half].ops[op].operands;
    memset(own, 0, sizeof own);
    while (!s->failed && !sp_at_end(s) && s->text[s->at] != '{' && count < 3) {
        if (s->text[s->at] == '|' && s->at + 1 < s->line_end && s->text[s->at + 1] == ' ')
            break; // the scalar half follows
        own[count].half = half;
        own[count].place = count;
        take_operand(s, &own[count++]);
    }
    if (s->failed)
        return;
    bool listed = sp_take(s, '{');
    if (listed || any_source(own, count, OPERAND_SOURCE)) {
        if (any_source(own, count, OPERAND_REGISTER) || any_source(own, count, OPERAND_PRESUBTRACT) || alias != NULL ||
            item->sources == SP_SOURCES_ALLOCATED) {
            sp_error(s, item->range, "operands are src0 to srcp where addresses are listed in braces, in both halves");
            return;
        }
        item->sources = SP_SOURCES_LISTED;
        if (count < wanted && !(half == SP_HALF_ALPHA && op == SP_ALPHA_DP && count == 0))
            sp_error(s, item->range, "'%s' takes %u operands, %u given", sp_halves[half].ops[op].name, wanted, count);
        for (unsigned i = 0; i < count; i++)
            set_operand(item, &own[i], own[i].kind == OPERAND_SOURCE ? own[i].address : 0);
        if (listed)
            take_addresses(s, item, half);
        return;
    }
    if (half == SP_HALF_ALPHA && op == SP_ALPHA_DP && count == 0)
        wanted = 0;
    if (count != wanted) {
        sp_error(s, item->range, "'%s' takes %u operands, %u given",
                 alias != NULL ? alias->name : sp_halves[half].ops[op].name, wanted, count);
        return;
    }
    if (alias != NULL && alias->form != FORM_PLAIN)
        expand_alias(own, alias, &count);
    // A copy is exact, but for one that is scaled or kept within 0 and 1: exact bits are neither.
    if (alias != NULL && alias->form == FORM_MOV && item->in.f[sp_halves[half].omod] == 0 &&
        item->in.f[sp_halves[half].clamp] == 0)
        item->in.f[sp_halves[half].omod] = SP_OMOD_EXACT;
    bool needs = any_source(own, count, OPERAND_REGISTER) || any_source(own, count, OPERAND_PRESUBTRACT);
    if (item->sources == SP_SOURCES_LISTED && needs)
        sp_error(s, item->range, "operands are src0 to srcp where addresses are listed in braces, in both halves");
    for (unsigned i = 0; i < count && item->sources == SP_SOURCES_LISTED; i++)
        set_operand(item, &own[i], 0);
    if (item->sources == SP_SOURCES_LISTED)
        return;
    if (half == SP_HALF_ALPHA && count == 0)
        return; // dp: the vector half has its sources, those of a fourth factor included
    allocate_sources(s, item, half, own, count);
    if (half == SP_HALF_RGB)
        item->vector_operands = count;
    if (needs)
        item->sources = SP_SOURCES_ALLOCATED;
}

// The item that a half goes to: a scalar half joins an open vector half.
static sp_item *item_of_half(sp_assembler *s, unsigned half, src_range range)
{
    if (half == SP_HALF_ALPHA && s->pair_open) {
        sp_item *item = &VEC_LAST(&s->items);
        item->range = range;
        item->has_scalar = true;
        s->pair_open = false;
        return item;
    }
    sp_item *item = sp_add_item(s, range);
    sp_clear_arithmetic(&item->in, SP_ALU);
    item->has_scalar = half == SP_HALF_ALPHA;
    s->pair_open = half == SP_HALF_RGB;
    return item;
}

bool sp_assemble_half(sp_assembler *s, const char *name, src_range range, sp_guard guard)
{
    const struct alias *alias = NULL;
    const char *plain = name;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(name, aliases[i].name) == 0) {
            alias = &aliases[i];
            plain = alias->stands_for;
        }
    bool nothing = strcmp(name, "NOP") == 0;
    int op = nothing ? 0 : find_operation(SP_HALF_RGB, plain);
    unsigned half = SP_HALF_RGB;
    if (op < 0) {
        op = find_operation(SP_HALF_ALPHA, plain);
        half = SP_HALF_ALPHA;
    }
    if (op < 0)
        return false;
    sp_item *item = item_of_half(s, half, range);
    const sp_half_fields *h = &sp_halves[half];
    item->in.f[h->op] = (uint16_t)op;
    item->in.f[h->pred_sel] = (uint16_t)guard.sel;
    item->in.f[h->pred_inv] = (uint16_t)guard.inv;
    take_flags(s, item, half);
    if (nothing) {
        if (!s->failed && sp_take(s, '{')) {
            take_addresses(s, item, half);
            item->sources = SP_SOURCES_LISTED;
        }
        return true;
    }
    if (!s->failed)
        take_destinations(s, item, half);
    if (!s->failed)
        take_operands(s, item, half, (unsigned)op, alias);
    return true;
}
