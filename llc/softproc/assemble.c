// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The assembler: lines, directives, labels, texture instructions.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "llc/softproc/assembler.h"

// More lines than this, repeated ones counted each time, are a mistake.
enum { MOST_LINES = 1 << 18, MOST_REPEATS = 16 };

// ---- Scanning ----

void sp_skip_blanks(sp_assembler *s)
{
    while (s->at < s->line_end &&
           (s->text[s->at] == ' ' || s->text[s->at] == '\t' || s->text[s->at] == ',' || s->text[s->at] == '\r'))
        s->at++;
}

bool sp_at_end(sp_assembler *s)
{
    sp_skip_blanks(s);
    return s->at >= s->line_end;
}

bool sp_take(sp_assembler *s, char c)
{
    sp_skip_blanks(s);
    if (s->at >= s->line_end || s->text[s->at] != c)
        return false;
    s->at++;
    return true;
}

static bool word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool sp_take_word(sp_assembler *s, const char *word)
{
    sp_skip_blanks(s);
    size_t n = strlen(word);
    if (s->line_end - s->at < n || memcmp(s->text + s->at, word, n) != 0 ||
        (s->at + n < s->line_end && word_char(word[n - 1]) && word_char(s->text[s->at + n])))
        return false;
    s->at += (uint32_t)n;
    return true;
}

const char *sp_take_name(sp_assembler *s, src_range *range)
{
    sp_skip_blanks(s);
    uint32_t begin = s->at;
    if (begin >= s->line_end || !(isalpha((unsigned char)s->text[begin]) || s->text[begin] == '_'))
        return NULL;
    while (s->at < s->line_end && word_char(s->text[s->at]))
        s->at++;
    *range = (src_range){s->file, begin, s->at};
    return arena_strndup(s->arena, s->text + begin, s->at - begin);
}

bool sp_take_integer(sp_assembler *s, unsigned *value)
{
    sp_skip_blanks(s);
    if (s->at >= s->line_end || !isdigit((unsigned char)s->text[s->at]))
        return false;
    bool hex = s->line_end - s->at > 2 && s->text[s->at] == '0' && s->text[s->at + 1] == 'x';
    uint64_t v = 0;
    s->at += hex ? 2 : 0;
    while (s->at < s->line_end &&
           (hex ? isxdigit((unsigned char)s->text[s->at]) : isdigit((unsigned char)s->text[s->at]))) {
        char c = s->text[s->at++];
        v = v * (hex ? 16 : 10) + (unsigned)(isdigit((unsigned char)c) ? c - '0' : tolower(c) - 'a' + 10);
        if (v > UINT32_MAX)
            v = UINT32_MAX;
    }
    *value = (unsigned)v;
    return true;
}

bool sp_take_number(sp_assembler *s, double *value)
{
    sp_skip_blanks(s);
    uint32_t at = s->at;
    if (at < s->line_end && (s->text[at] == '-' || s->text[at] == '+'))
        at++;
    if (at >= s->line_end || !(isdigit((unsigned char)s->text[at]) ||
                               (s->text[at] == '.' && at + 1 < s->line_end && isdigit((unsigned char)s->text[at + 1]))))
        return false;
    uint32_t end = at;
    while (end < s->line_end &&
           (isdigit((unsigned char)s->text[end]) || s->text[end] == '.' ||
            ((s->text[end] == 'e' || s->text[end] == 'E') && end > at) ||
            ((s->text[end] == '-' || s->text[end] == '+') && (s->text[end - 1] == 'e' || s->text[end - 1] == 'E'))))
        end++;
    const char *text = arena_strndup(s->arena, s->text + s->at, end - s->at);
    char *rest;
    *value = strtod(text, &rest);
    if (*rest != '\0')
        return false;
    s->at = end;
    return true;
}

src_range sp_here(const sp_assembler *s)
{
    uint32_t end = s->at < s->line_end ? s->at + 1 : s->at;
    return (src_range){s->file, s->at, end};
}

void sp_error(sp_assembler *s, src_range r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!s->failed)
        diag_error(s->diag, r, "%s", arena_vprintf(s->arena, format, args));
    va_end(args);
    s->failed = true;
}

// ---- Registers ----

static const struct {
    char letter;
    sp_class class;
    unsigned most;
    const char *noun;
} classes[] = {
    {'r', SP_CLASS_TEMP, SP_MAX_TEMPS, "register"},   {'c', SP_CLASS_CONST, SP_MAX_CONSTANTS, "constant"},
    {'o', SP_CLASS_OUTPUT, SP_MAX_OUTPUTS, "output"}, {'s', SP_CLASS_INPUT, SP_MAX_INPUTS, "input"},
    {'i', SP_CLASS_INT, SP_MAX_INTS, "int constant"}, {'b', SP_CLASS_BOOL, SP_MAX_BOOLS, "truth constant"},
};

bool sp_is_register(const sp_assembler *s, const char *name, sp_symbol *symbol)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (name[0] != classes[i].letter || !isdigit((unsigned char)name[1]))
            continue;
        char *rest;
        unsigned long n = strtoul(name + 1, &rest, 10);
        if (*rest != '\0' || strlen(name) > 4)
            continue;
        *symbol = (sp_symbol){classes[i].class, (unsigned)n, 0};
        return true;
    }
    const sp_symbol *known = hmap_get(&s->symbols, name);
    if (known != NULL)
        *symbol = *known;
    return known != NULL && known->class != SP_CLASS_NUMBER;
}

static bool check_register(sp_assembler *s, const sp_reg *reg, src_range range)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].class == reg->class && reg->number >= classes[i].most) {
            sp_error(s, range, "there is no %s %c%u; the last is %c%u", classes[i].noun, classes[i].letter, reg->number,
                     classes[i].letter, classes[i].most - 1);
            return false;
        }
    return true;
}

// "[aL+3]" behind a register's letter.
static bool take_relative(sp_assembler *s, sp_reg *reg, src_range *range)
{
    unsigned n = 0;
    if (!sp_take_word(s, "aL")) {
        sp_error(s, sp_here(s), "expected 'aL', the loop register: r[aL+3]");
        return false;
    }
    if (sp_take(s, '+') && !sp_take_integer(s, &n)) {
        sp_error(s, sp_here(s), "expected a number behind 'aL+'");
        return false;
    }
    if (!sp_take(s, ']')) {
        sp_error(s, sp_here(s), "expected ']' behind the loop register");
        return false;
    }
    reg->number = n;
    reg->relative = true;
    range->end = s->at;
    return check_register(s, reg, *range);
}

bool sp_take_register(sp_assembler *s, sp_reg *reg, src_range *range)
{
    const char *name = sp_take_name(s, range);
    sp_symbol symbol;
    *reg = (sp_reg){0};
    if (name == NULL) {
        *range = sp_here(s);
        sp_error(s, *range, "expected a register");
        return false;
    }
    if (s->at < s->line_end && s->text[s->at] == '[' && (strcmp(name, "r") == 0 || strcmp(name, "c") == 0)) {
        reg->class = name[0] == 'r' ? SP_CLASS_TEMP : SP_CLASS_CONST;
        s->at++;
        return take_relative(s, reg, range);
    }
    if (!sp_is_register(s, name, &symbol)) {
        VEC(const char *) names = {0};
        for (size_t i = 0; i < s->symbols.len; i++)
            VEC_PUSH(s->arena, &names, s->symbols.entries[i].key);
        const char *near = diag_nearest(name, names.data, names.len);
        if (near != NULL)
            sp_error(s, *range, "'%.40s' is no register; did you mean '%s'?", name, near);
        else
            sp_error(s, *range, "'%.40s' is no register", name);
        return false;
    }
    *reg = (sp_reg){symbol.class, symbol.number, false};
    return check_register(s, reg, *range);
}

// ---- Items ----

sp_item *sp_add_item(sp_assembler *s, src_range range)
{
    if (s->ended)
        sp_error(s, range, "an instruction behind END");
    if (s->items.len >= SP_MAX_INSTRUCTIONS)
        sp_error(s, range, "the program has more than %d instructions", SP_MAX_INSTRUCTIONS);
    sp_item *item = VEC_ADD(s->arena, &s->items);
    item->range = range;
    s->pair_open = false;
    return item;
}

// Flags of the whole instruction. types: those that have the flag.
static const struct {
    const char *name;
    sp_field field;
    unsigned value, types;
} flags[] = {
    {"wait", SP_F_SEM_WAIT, 1, 15},
    {"last", SP_F_LAST, 1, 15},
    {"nop", SP_F_NOP, 1, 15},
    {"aluwait", SP_F_ALU_WAIT, 1, 15},
    {"inactive", SP_F_WRITE_INACTIVE, 1, 11},
    {"out", SP_F_TYPE, SP_OUT, 3},
    {"acq", SP_F_SEM_ACQUIRE, 1, 8},
    {"scaled", SP_F_UNSCALED, 0, 8},
    {"uncovered", SP_F_TEX_UNCOVERED, 1, 8},
    {"uncovered", SP_F_FC_UNCOVERED, 1, 4},
};

bool sp_set_flag(sp_assembler *s, sp_item *item, const char *flag, src_range range)
{
    unsigned type = 1u << item->in.f[SP_F_TYPE];
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(flag, flags[i].name) != 0 || (flags[i].types & type) == 0)
            continue;
        item->in.f[flags[i].field] = (uint16_t)flags[i].value;
        if (flags[i].field == SP_F_SEM_ACQUIRE || flags[i].field == SP_F_SEM_WAIT)
            s->semaphores = true;
        return true;
    }
    if ((type & 3) == 0)
        return false;
    static const char *const compares[] = {"eq", "lt", "ge", "ne"};
    char *rest;
    if (strncmp(flag, "stat", 4) == 0 && isdigit((unsigned char)flag[4])) {
        unsigned long n = strtoul(flag + 4, &rest, 10);
        if (*rest != '\0' || n > 15)
            sp_error(s, range, "'.%s': expected .stat0 to .stat15", flag);
        item->in.f[SP_F_STAT_WE] = (uint16_t)(n & 15);
        return true;
    }
    // .alu_r_lt: the ALU result bit is (red < 0). .noalu_...: its selection without the bit, for words that have it.
    bool write = strncmp(flag, "alu_", 4) == 0;
    const char *rest_of = write ? flag + 4 : strncmp(flag, "noalu_", 6) == 0 ? flag + 6 : NULL;
    if (rest_of == NULL || (rest_of[0] != 'r' && rest_of[0] != 'a') || rest_of[1] != '_')
        return false;
    for (unsigned i = 0; i < 4; i++)
        if (strcmp(rest_of + 2, compares[i]) == 0) {
            item->in.f[SP_F_ALU_WMASK] = write;
            item->in.f[SP_F_ALU_RESULT_SEL] = rest_of[0] == 'a';
            item->in.f[SP_F_ALU_RESULT_OP] = (uint16_t)i;
            return true;
        }
    return false;
}

sp_guard sp_take_guard(sp_assembler *s)
{
    sp_guard g = {0, 0};
    static const char names[] = "rgba";
    if (!sp_take(s, '('))
        return g;
    g.inv = sp_take(s, '!');
    if (g.inv && sp_take(s, ')')) // the bit without a predicate: no effect
        return g;
    src_range range = sp_here(s);
    if (!sp_take_word(s, "p")) {
        sp_error(s, range, "expected a predicate: (p), (p.r) or (!p.r)");
        return g;
    }
    g.sel = SP_PRED_EACH;
    if (sp_take(s, '.')) {
        const char *at = s->at < s->line_end ? strchr(names, s->text[s->at]) : NULL;
        if (at == NULL || *at == '\0' || s->text[s->at] == '\0') {
            sp_error(s, sp_here(s), "expected a predicate bit: r, g, b or a");
            return g;
        }
        g.sel = SP_PRED_R + (unsigned)(at - names);
        s->at++;
    }
    if (!sp_take(s, ')'))
        sp_error(s, sp_here(s), "expected ')' behind the predicate");
    return g;
}

// ---- Texture instructions ----

// Letters of registers' components behind a '.'; missing ones are the last's or, of coordinates, alpha. Gives their
// number.
static unsigned take_components(sp_assembler *s, unsigned out[4], bool allow_empty)
{
    static const char names[] = "rgbaxyzw";
    unsigned n = 0;
    if (allow_empty && s->at < s->line_end && s->text[s->at] == '_') {
        s->at++;
        return 0;
    }
    while (s->at < s->line_end && word_char(s->text[s->at])) {
        const char *at = strchr(names, s->text[s->at]);
        if (at == NULL || n == 4) {
            sp_error(s, sp_here(s), "expected one to four of the components r, g, b and a");
            return n;
        }
        out[n++] = (unsigned)(at - names) % 4;
        s->at++;
    }
    if (n == 0)
        sp_error(s, sp_here(s), "expected components: r, g, b, a");
    return n;
}

static void take_texture_source(sp_assembler *s, sp_item *item, sp_field address, sp_field relative,
                                unsigned swizzle[4])
{
    sp_reg reg;
    src_range range;
    if (!sp_take_register(s, &reg, &range))
        return;
    if (reg.class != SP_CLASS_TEMP)
        sp_error(s, range, "coordinates come from a register r0 to r%d", SP_MAX_TEMPS - 1);
    item->in.f[address] = (uint16_t)reg.number;
    item->in.f[relative] = reg.relative;
    if (!sp_take(s, '.')) {
        for (unsigned i = 0; i < 4; i++)
            swizzle[i] = i;
        return;
    }
    unsigned n = take_components(s, swizzle, false);
    for (unsigned i = n; i < 4; i++)
        swizzle[i] = SP_A;
}

static void set_mask(sp_item *item, unsigned mask)
{
    item->in.f[SP_F_RGB_WMASK] = mask & 7;
    item->in.f[SP_F_ALPHA_WMASK] = (uint16_t)(mask >> 3 & 1);
}

static void take_texture_destination(sp_assembler *s, sp_item *item)
{
    sp_reg reg;
    src_range range;
    unsigned parts[4], mask = 15;
    if (!sp_take_register(s, &reg, &range))
        return;
    if (reg.class != SP_CLASS_TEMP)
        sp_error(s, range, "what is read goes to a register r0 to r%d", SP_MAX_TEMPS - 1);
    item->in.f[SP_F_TEX_DST] = (uint16_t)reg.number;
    item->in.f[SP_F_TEX_DST_REL] = reg.relative;
    if (sp_take(s, '.')) {
        unsigned n = take_components(s, parts, true);
        mask = 0;
        for (unsigned i = 0; i < n; i++)
            mask |= 1u << parts[i];
    }
    set_mask(item, mask);
}

static void take_texture_operands(sp_assembler *s, sp_item *item, unsigned op)
{
    static const sp_field coordinate[4] = {SP_F_TEX_SWZ_S, SP_F_TEX_SWZ_T, SP_F_TEX_SWZ_R, SP_F_TEX_SWZ_Q};
    static const sp_field result[4] = {SP_F_TEX_OUT_R, SP_F_TEX_OUT_G, SP_F_TEX_OUT_B, SP_F_TEX_OUT_A};
    unsigned swizzle[4] = {0, 1, 2, 3};
    sp_reg reg;
    src_range range;
    if (op != SP_TEX_KILL)
        take_texture_destination(s, item);
    take_texture_source(s, item, SP_F_TEX_SRC, SP_F_TEX_SRC_REL, swizzle);
    for (unsigned i = 0; i < 4; i++)
        item->in.f[coordinate[i]] = (uint16_t)swizzle[i];
    for (unsigned i = 0; i < 4; i++)
        item->in.f[result[i]] = (uint16_t)i;
    if (op == SP_TEX_KILL || s->failed)
        return;
    if (!sp_take_register(s, &reg, &range))
        return;
    if (reg.class != SP_CLASS_INPUT)
        sp_error(s, range, "expected an input s0 to s%d", SP_MAX_INPUTS - 1);
    item->in.f[SP_F_TEX_ID] = reg.number & 15;
    if (sp_take(s, '.')) {
        unsigned n = take_components(s, swizzle, false);
        for (unsigned i = 0; i < 4; i++)
            item->in.f[result[i]] = (uint16_t)swizzle[i < n ? i : n > 0 ? n - 1 : 0];
    }
    if (op != SP_TEX_DXDY)
        return;
    static const sp_field address[2] = {SP_F_DX_ADDR, SP_F_DY_ADDR}, relative[2] = {SP_F_DX_REL, SP_F_DY_REL},
                          swizzles[2] = {SP_F_DX_SWZ, SP_F_DY_SWZ};
    for (unsigned i = 0; i < 2 && !s->failed; i++) {
        take_texture_source(s, item, address[i], relative[i], swizzle);
        item->in.f[swizzles[i]] = (uint16_t)(swizzle[0] | swizzle[1] << 2 | swizzle[2] << 4 | swizzle[3] << 6);
    }
}

static bool assemble_texture(sp_assembler *s, const char *name, src_range range, sp_guard guard)
{
    unsigned op = 0;
    while (op < 8 && (sp_tex_ops[op].name == NULL || strcmp(name, sp_tex_ops[op].name) != 0))
        op++;
    if (op == 8)
        return false;
    sp_item *item = sp_add_item(s, range);
    item->in.f[SP_F_TYPE] = SP_TEX;
    item->in.f[SP_F_TEX_OP] = (uint16_t)op;
    item->in.f[SP_F_UNSCALED] = op != SP_TEX_NOP;
    item->in.f[SP_F_RGB_PRED_SEL] = item->in.f[SP_F_ALPHA_PRED_SEL] = (uint16_t)guard.sel;
    item->in.f[SP_F_RGB_PRED_INV] = item->in.f[SP_F_ALPHA_PRED_INV] = (uint16_t)guard.inv;
    while (s->at < s->line_end && s->text[s->at] == '.') {
        s->at++;
        src_range at = sp_here(s);
        const char *flag = sp_take_name(s, &at);
        if (flag == NULL || !sp_set_flag(s, item, flag, at))
            sp_error(s, at,
                     "expected a flag of texture instructions: acq, wait, scaled, nop, last, aluwait, inactive or "
                     "uncovered");
        if (s->failed)
            return true;
    }
    // The scalar half's predicate where it is another one: the words allow that.
    if (sp_take_word(s, "alpha")) {
        sp_guard own = sp_take_guard(s);
        item->in.f[SP_F_ALPHA_PRED_SEL] = (uint16_t)own.sel;
        item->in.f[SP_F_ALPHA_PRED_INV] = (uint16_t)own.inv;
    }
    if (op != SP_TEX_NOP || !sp_at_end(s))
        take_texture_operands(s, item, op);
    return true;
}

// ---- Directives ----

static bool define_symbol(sp_assembler *s, const char *name, src_range range, sp_symbol value)
{
    sp_symbol known;
    if (sp_is_register(s, name, &known) || hmap_get(&s->symbols, name) != NULL) {
        sp_error(s, range, "'%.40s' has a meaning already", name);
        return false;
    }
    sp_symbol *symbol = ARENA_NEW(s->arena, sp_symbol);
    *symbol = value;
    hmap_set(&s->symbols, name, symbol);
    return true;
}

// A number, or a name that .equ gave to one.
static bool take_value(sp_assembler *s, double *value)
{
    src_range range = sp_here(s);
    uint32_t begin = s->at;
    bool negative = sp_take(s, '-');
    const char *name = sp_take_name(s, &range);
    const sp_symbol *symbol = name == NULL ? NULL : hmap_get(&s->symbols, name);
    if (symbol != NULL && symbol->class == SP_CLASS_NUMBER) {
        *value = negative ? -symbol->value : symbol->value;
        return true;
    }
    s->at = begin;
    if (name == NULL && sp_take_number(s, value))
        return true;
    sp_error(s, name == NULL ? sp_here(s) : range, "expected a number");
    return false;
}

static void take_float(sp_assembler *s, float *out)
{
    unsigned bits;
    double value;
    sp_skip_blanks(s);
    if (s->line_end - s->at > 2 && s->text[s->at] == '0' && s->text[s->at + 1] == 'x' && sp_take_integer(s, &bits)) {
        memcpy(out, &bits, sizeof *out);
        return;
    }
    if (take_value(s, &value))
        *out = (float)value;
}

static void directive_const(sp_assembler *s)
{
    sp_reg reg;
    src_range range;
    float v[4] = {0};
    unsigned n = 0;
    if (!sp_take_register(s, &reg, &range))
        return;
    if (reg.class != SP_CLASS_CONST || reg.relative) {
        sp_error(s, range, "expected a constant c0 to c%d", SP_MAX_CONSTANTS - 1);
        return;
    }
    if (!sp_take(s, '=')) {
        sp_error(s, sp_here(s), "expected '=' and one or four numbers");
        return;
    }
    while (!s->failed && !sp_at_end(s) && n < 4)
        take_float(s, &v[n++]);
    if (s->failed)
        return;
    if (n != 1 && n != 4) {
        sp_error(s, range, "constant c%u has %u numbers; expected one for all components, or four", reg.number, n);
        return;
    }
    if (sp_bit(s->program->given_floats, reg.number))
        sp_error(s, range, "constant c%u has a value already", reg.number);
    sp_set_bit(s->program->given_floats, reg.number);
    for (unsigned c = 0; c < 4; c++)
        s->program->float_values[reg.number][c] = v[n == 1 ? 0 : c];
}

static void directive_int(sp_assembler *s)
{
    sp_reg reg;
    src_range range;
    double v[3] = {0, 0, 1};
    if (!sp_take_register(s, &reg, &range))
        return;
    if (reg.class != SP_CLASS_INT || !sp_take(s, '=')) {
        sp_error(s, range, "expected an int constant: .int i0 = count [, first [, step]]");
        return;
    }
    for (unsigned i = 0; i < 3 && !sp_at_end(s) && !s->failed; i++)
        take_value(s, &v[i]);
    if (s->failed)
        return;
    if (!(v[0] >= 0 && v[0] <= 255 && v[1] >= 0 && v[1] <= 255 && v[2] >= -128 && v[2] <= 127)) {
        sp_error(s, range, "int constants have a count and a first value of 0 to 255 and a step of -128 to 127");
        return;
    }
    s->program->given_ints |= 1u << reg.number;
    s->program->int_values[reg.number] = (sp_int_constant){(uint8_t)v[0], (uint8_t)v[1], (int8_t)v[2]};
}

static void directive_bool(sp_assembler *s)
{
    sp_reg reg;
    src_range range;
    if (!sp_take_register(s, &reg, &range))
        return;
    bool is = reg.class == SP_CLASS_BOOL && sp_take(s, '='), yes = is && sp_take_word(s, "true");
    if (!is || (!yes && !sp_take_word(s, "false"))) {
        sp_error(s, range, "expected a truth constant: .bool b0 = true");
        return;
    }
    s->program->given_bools |= 1u << reg.number;
    s->program->bool_values |= (uint32_t)yes << reg.number;
}

// Registers that the container's lists name without the program using them.
static void directive_use(sp_assembler *s)
{
    while (!sp_at_end(s) && !s->failed) {
        sp_reg reg;
        src_range range;
        if (!sp_take_register(s, &reg, &range))
            return;
        uint32_t bit = reg.number < 32 ? 1u << reg.number : 0;
        switch (reg.class) {
        case SP_CLASS_CONST: sp_set_bit(s->program->floats, reg.number); break;
        case SP_CLASS_INPUT: s->program->inputs |= bit; break;
        case SP_CLASS_OUTPUT: s->program->outputs |= bit; break;
        case SP_CLASS_INT: s->program->ints |= bit; break;
        case SP_CLASS_BOOL: s->program->bools |= bit; break;
        default: sp_error(s, range, "expected constants, inputs or outputs; .temps gives the number of registers");
        }
    }
}

static void directive_name(sp_assembler *s)
{
    src_range range = sp_here(s), of;
    const char *name = sp_take_name(s, &range);
    sp_reg reg;
    if (name == NULL)
        sp_error(s, range, "expected a name and a register: .name sum r3");
    else if (sp_take_register(s, &reg, &of))
        define_symbol(s, name, range, (sp_symbol){reg.class, reg.number, 0});
}

static void directive_equ(sp_assembler *s)
{
    src_range range = sp_here(s);
    const char *name = sp_take_name(s, &range);
    double value;
    if (name == NULL)
        sp_error(s, range, "expected a name and a number: .equ STEPS 16");
    else if (take_value(s, &value))
        define_symbol(s, name, range, (sp_symbol){SP_CLASS_NUMBER, 0, value});
}

static void directive_temps(sp_assembler *s)
{
    double v = 0;
    src_range range = sp_here(s);
    if (take_value(s, &v) && !(v >= 1 && v <= SP_MAX_TEMPS))
        sp_error(s, range, "a frame has 1 to %d registers", SP_MAX_TEMPS);
    else if (!s->failed)
        s->program->temps = (uint32_t)v;
}

static void directive_repeat(sp_assembler *s, src_range range)
{
    double v = 0;
    if (!take_value(s, &v))
        return;
    if (!(v >= 1 && v <= SP_MAX_INSTRUCTIONS) || s->repeats.len >= MOST_REPEATS)
        sp_error(s, range, ".repeat takes a number of 1 to %d and may be nested %d deep", SP_MAX_INSTRUCTIONS,
                 MOST_REPEATS);
    else
        VEC_PUSH(s->arena, &s->repeats, (sp_repeat){s->line_end, (unsigned)v, range});
}

static void directive_conditional(sp_assembler *s)
{
    sp_reg reg;
    src_range range;
    if (sp_take_register(s, &reg, &range) && reg.class == SP_CLASS_OUTPUT)
        s->program->conditional_outputs |= 1u << reg.number;
    else
        sp_error(s, range, "expected an output o0 to o%d", SP_MAX_OUTPUTS - 1);
}

static void assemble_directive(sp_assembler *s)
{
    static const struct {
        const char *name;
        void (*take)(sp_assembler *);
    } rows[] = {
        {"const", directive_const}, {"int", directive_int},
        {"bool", directive_bool},   {"name", directive_name},
        {"equ", directive_equ},     {"temps", directive_temps},
        {"use", directive_use},     {"conditional", directive_conditional},
    };
    src_range range = sp_here(s);
    const char *name = sp_take_name(s, &range);
    const char *names[] = {"const",       "int",    "bool",    "name",       "equ",    "temps",    "use",
                           "conditional", "manual", "scatter", "early_exit", "repeat", "endrepeat"};
    for (size_t i = 0; name != NULL && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(name, rows[i].name) == 0) {
            rows[i].take(s);
            return;
        }
    if (name != NULL && strcmp(name, "manual") == 0) {
        s->manual = true;
    } else if (name != NULL && strcmp(name, "scatter") == 0) {
        s->program->scatter = true;
    } else if (name != NULL && strcmp(name, "early_exit") == 0) {
        s->program->early_exit = true;
    } else if (name != NULL && strcmp(name, "repeat") == 0) {
        directive_repeat(s, range);
    } else if (name != NULL && strcmp(name, "endrepeat") == 0) {
        if (s->repeats.len == 0) {
            sp_error(s, range, ".endrepeat without .repeat");
            return;
        }
        sp_repeat *top = &VEC_LAST(&s->repeats);
        if (!sp_at_end(s))
            return;
        if (--top->left == 0)
            s->repeats.len--;
        else
            s->at = s->line_end = top->begin;
    } else {
        const char *near = name == NULL ? NULL : diag_nearest(name, names, sizeof names / sizeof *names);
        if (near != NULL)
            sp_error(s, range, "unknown directive '.%.40s'; did you mean '.%s'?", name, near);
        else
            sp_error(s, range, "unknown directive");
    }
}

// ---- Lines ----

static void define_label(sp_assembler *s, const char *name, src_range range)
{
    const sp_label *known = hmap_get(&s->labels, name);
    if (known != NULL) {
        sp_error(s, range, "label '%.40s' is set twice", name);
        diag_add_note(s->diag, VEC_LAST(&s->diag->records), known->range, "it is set here first");
        return;
    }
    sp_label *label = ARENA_NEW(s->arena, sp_label);
    *label = (sp_label){(unsigned)s->items.len, range};
    hmap_set(&s->labels, name, label);
    s->pair_open = false;
}

static void unknown_mnemonic(sp_assembler *s, const char *name, src_range range)
{
    VEC(const char *) names = {0};
    for (unsigned i = 0; i < 16; i++) {
        const char *both[2] = {sp_rgb_ops[i].name, sp_alpha_ops[i].name};
        for (unsigned k = 0; k < 2; k++)
            if (both[k] != NULL)
                VEC_PUSH(s->arena, &names, both[k]);
    }
    for (unsigned i = 0; i < 8; i++)
        if (sp_tex_ops[i].name != NULL)
            VEC_PUSH(s->arena, &names, sp_tex_ops[i].name);
    const char *near = diag_nearest(name, names.data, names.len);
    if (near != NULL)
        sp_error(s, range, "unknown instruction '%.40s'; did you mean '%s'?", name, near);
    else
        sp_error(s, range, "unknown instruction '%.40s'", name);
}

static void assemble_instruction(sp_assembler *s)
{
    sp_guard guard = sp_take_guard(s);
    src_range range = sp_here(s);
    const char *name = sp_take_name(s, &range);
    if (s->failed)
        return;
    if (name == NULL) {
        sp_error(s, range, "expected an instruction, a label or a directive");
        return;
    }
    if (strcmp(name, "END") == 0) {
        if (s->ended || guard.sel != 0)
            sp_error(s, range, "END stands alone, and once");
        s->ended = true;
        s->pair_open = false;
        return;
    }
    if (!sp_assemble_half(s, name, range, guard) && !assemble_texture(s, name, range, guard) &&
        !sp_assemble_flow(s, name, range, guard))
        unknown_mnemonic(s, name, range);
}

static void assemble_line(sp_assembler *s)
{
    s->failed = false;
    if (sp_at_end(s))
        return;
    uint32_t begin = s->at;
    src_range range;
    const char *name = sp_take_name(s, &range);
    if (name != NULL && sp_take(s, ':')) {
        define_label(s, name, range);
        if (sp_at_end(s) || s->failed)
            return;
    } else {
        s->at = begin;
    }
    uint32_t end = s->line_end;
    if (sp_take(s, '.')) {
        assemble_directive(s);
    } else {
        assemble_instruction(s);
        if (!s->failed && sp_take(s, '|')) {
            if (!s->pair_open)
                sp_error(s, sp_here(s), "'|' stands between a vector half and its scalar half");
            else
                assemble_instruction(s);
        }
    }
    if (!s->failed && s->line_end == end && !sp_at_end(s))
        sp_error(s, sp_here(s), "unexpected text behind the instruction");
}

// A comment begins at // or ;.
static uint32_t find_line_end(const char *text, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++)
        if (text[i] == ';' || (text[i] == '/' && i + 1 < end && text[i + 1] == '/'))
            return i;
    return end;
}

static void assemble_lines(sp_assembler *s, uint32_t len)
{
    for (unsigned lines = 0; s->at < len; lines++) {
        const char *newline = memchr(s->text + s->at, '\n', len - s->at);
        uint32_t end = newline == NULL ? len : (uint32_t)(newline - s->text);
        s->line_begin = s->at;
        s->line_end = find_line_end(s->text, s->at, end);
        uint32_t before = s->line_end;
        if (lines >= MOST_LINES || s->items.len > SP_MAX_INSTRUCTIONS) {
            if (s->items.len <= SP_MAX_INSTRUCTIONS)
                diag_error(s->diag, (src_range){s->file, s->at, s->at}, "more than %d lines, repeated ones included",
                           MOST_LINES);
            return;
        }
        assemble_line(s);
        // A repetition goes on behind its first line, whose end it has set.
        if (s->line_end == before)
            s->at = end + 1;
        else
            s->at = s->line_end;
        while (s->line_end != before && s->at < len && s->text[s->at] != '\n')
            s->at++;
    }
}

static sp_assembler begin(arena *a, diag_engine *d, source_id file)
{
    sp_assembler s = {.arena = a, .diag = d, .file = file, .program = ARENA_NEW(a, sp_program)};
    s.text = source_get(d->sources, file)->text;
    hmap_init(&s.symbols, a);
    hmap_init(&s.labels, a);
    return s;
}

bool sp_assemble_one(arena *a, diag_engine *d, source_id file, sp_instruction *out)
{
    sp_assembler s = begin(a, d, file);
    assemble_lines(&s, (uint32_t)source_get(d->sources, file)->len);
    if (d->error_count > 0 || s.items.len != 1)
        return false;
    *out = s.items.data[0].in;
    return true;
}

sp_program *sp_assemble(arena *a, diag_engine *d, source_id file)
{
    size_t errors = d->error_count;
    sp_assembler s = begin(a, d, file);
    assemble_lines(&s, (uint32_t)source_get(d->sources, file)->len);
    for (VEC_EACH(sp_repeat, r, &s.repeats))
        diag_error(d, r->range, ".repeat without .endrepeat");
    for (VEC_EACH(sp_open, o, &s.open))
        diag_error(d, o->range, "%s is not closed", o->kind <= SP_OPEN_ELSE ? "IF" : "the loop");
    if (d->error_count == errors)
        sp_assemble_finish(&s);
    return d->error_count == errors ? s.program : NULL;
}
