// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The r5xx fragment instruction set: what isa.def lists, as constants and tables; words to fields and back; programs
// with what their containers say of them.
//
// This part (isa, container, verify) stands on C alone, because the soft processor's runtime is linked with it too.
#ifndef SVMC_LLC_SOFTPROC_ISA_H
#define SVMC_LLC_SOFTPROC_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SP_WORDS = 6, // 32-bit words of an instruction
    SP_MAX_INSTRUCTIONS = 512,
    SP_MAX_TEMPS = 128,
    SP_MAX_CONSTANTS = 256, // of four floats
    SP_MAX_INTS = 32,
    SP_MAX_BOOLS = 32,
    SP_MAX_INPUTS = 16,
    SP_MAX_OUTPUTS = 4,
    SP_MAX_BRANCHES = 32, // nested branches
    SP_MAX_NESTING = 4,   // nested loops, and calls
    SP_ADDR_INLINE = 128, // source addresses: temporaries below,
    SP_ADDR_CONST = 256,  // constants from here
};

typedef enum sp_type { SP_ALU, SP_OUT, SP_FC, SP_TEX } sp_type;
typedef enum sp_predicate { SP_PRED_NONE, SP_PRED_EACH, SP_PRED_R, SP_PRED_G, SP_PRED_B, SP_PRED_A } sp_predicate;
typedef enum sp_swizzle { SP_R, SP_G, SP_B, SP_A, SP_ZERO, SP_HALF, SP_ONE, SP_UNUSED } sp_swizzle;
typedef enum sp_compare { SP_EQ, SP_LT, SP_GE, SP_NE } sp_compare;
enum { SP_SRCP = 3 }; // SEL
enum { SP_MOD_NEG = 1, SP_MOD_ABS = 2 };
enum { SP_OMOD_EXACT = 7 };
enum { SP_BRANCH_NONE, SP_BRANCH_DECR, SP_BRANCH_INCR };
enum { SP_STACK_NONE, SP_STACK_POP, SP_STACK_PUSH };
// Truth tables of JUMP_FUNC.
enum { SP_IF_NEVER = 0x00, SP_IF_ALU = 0xf0, SP_IF_PRED = 0xcc, SP_IF_BOOL = 0xaa, SP_IF_ALWAYS = 0xff };
enum { SP_DOT = 1, SP_EXACT = 2, SP_TRANS = 4, SP_QUAD = 8 };

typedef enum sp_field {
#define SP_FIELD(id, word, shift, width, types) SP_F_##id,
#include "llc/softproc/isa.def"
    SP_FIELD_COUNT
} sp_field;

// clang-format off
enum {
#define SP_RGB_OP(id, code, name, operands, flags) SP_RGB_##id = code,
#include "llc/softproc/isa.def"
};
enum {
#define SP_ALPHA_OP(id, code, name, operands, flags) SP_ALPHA_##id = code,
#include "llc/softproc/isa.def"
};
enum {
#define SP_TEX_OP(id, code, name, reads) SP_TEX_##id = code,
#include "llc/softproc/isa.def"
};
enum {
#define SP_FC_OP(id, code, name) SP_FC_##id = code,
#include "llc/softproc/isa.def"
};
// clang-format on

typedef struct sp_field_info {
    const char *name;
    uint8_t word, shift, width, types;
} sp_field_info;
extern const sp_field_info sp_field_infos[SP_FIELD_COUNT];

typedef struct sp_op_info {
    const char *name; // NULL: reserved
    uint8_t operands, flags;
} sp_op_info;
extern const sp_op_info sp_rgb_ops[16], sp_alpha_ops[16];
extern const struct sp_tex_info {
    const char *name;
    bool reads;
} sp_tex_ops[8];
extern const char *const sp_fc_ops[8];

// An instruction as its fields. The two halves of arithmetic have the same kinds of fields in different places:
// sp_halves names them by half and by operand.
typedef struct sp_instruction {
    uint16_t f[SP_FIELD_COUNT];
} sp_instruction;

enum { SP_HALF_RGB, SP_HALF_ALPHA };
typedef struct sp_half_fields {
    sp_field addr[3], rel[3], srcp_op, sel[3], mod[3], swizzle[3][3]; // swizzle: one alone of the scalar half
    sp_field op, addrd, addrd_rel, wmask, omask, clamp, omod, target, pred_sel, pred_inv;
    unsigned components; // 3 or 1
    const sp_op_info *ops;
} sp_half_fields;
extern const sp_half_fields sp_halves[2];

// False when bits are set that no field of the type has.
bool sp_decode(const uint32_t words[SP_WORDS], sp_instruction *in);
void sp_encode(const sp_instruction *in, uint32_t words[SP_WORDS]);
// An ALU or OUT instruction that does nothing: its sources are unused.
void sp_clear_arithmetic(sp_instruction *in, sp_type type);

// The components of temporaries that an instruction reads and writes, as bits number * 4 + component; true in any:
// relative addresses, so it may be all of them.
enum { SP_TEMP_WORDS = SP_MAX_TEMPS * 4 / 64 };
typedef struct sp_temp_uses {
    uint64_t read[SP_TEMP_WORDS], written[SP_TEMP_WORDS];
    bool any;
} sp_temp_uses;

// The small floats of source addresses: 4 bits of exponent, 3 of mantissa, no sign.
float sp_inline_value(unsigned bits);
// The 7 bits for a value; -1 when it has none.
int sp_inline_bits(float value);

// Which sources a half's operation reads: bit k is the register of source k (the presubtract source stands for those
// that it is made of). Of both halves' operands: a vector operand may read alpha sources, and a scalar one vector
// sources.
typedef struct sp_reads {
    uint8_t sources[2];     // [half's addresses] bits of sources 0 to 2
    uint8_t components[3];  // of the vector addresses: bits of red, green and blue
    uint8_t presubtract[2]; // the sources that are read through presubtract or as a neighbour's
} sp_reads;
sp_reads sp_sources_read(const sp_instruction *in);
sp_temp_uses sp_temps_used(const sp_instruction *in);

// ---- Programs ----

typedef struct sp_int_constant {
    uint8_t count, init;
    int8_t step;
} sp_int_constant;

// What a container holds. The lists say what the program uses; the values are those that it brings along.
typedef struct sp_program {
    uint32_t words[SP_MAX_INSTRUCTIONS][SP_WORDS];
    uint32_t count; // instructions
    uint32_t end;   // the instruction behind which a program ends
    uint32_t temps; // size of a thread's frame of registers
    bool scatter;   // outputs are addressed by the program
    bool early_exit;
    uint32_t inputs, outputs, conditional_outputs; // bits
    uint32_t floats[SP_MAX_CONSTANTS / 32];        // bits
    uint32_t ints, bools;
    uint32_t given_floats[SP_MAX_CONSTANTS / 32]; // constants with values
    uint32_t given_ints, given_bools, bool_values;
    float float_values[SP_MAX_CONSTANTS][4];
    sp_int_constant int_values[SP_MAX_INTS];
    // Where the source has each instruction: as many lines of text, some empty, each with its line end. NULL: nobody says. Of a
    // program that was read it is part of what was read.
    const char *places;
    size_t places_size;
} sp_program;

static inline bool sp_bit(const uint32_t *bits, unsigned i)
{
    return (bits[i / 32] >> i % 32 & 1) != 0;
}

// Whether a JUMP_FUNC looks at the truth constant.
static inline bool sp_looks_at_bool(unsigned func)
{
    return ((func ^ func >> 1) & 0x55) != 0;
}

// Whether it looks at the ALU result.
static inline bool sp_looks_at_alu(unsigned func)
{
    return ((func ^ func >> 4) & 0x0f) != 0;
}

static inline void sp_set_bit(uint32_t *bits, unsigned i)
{
    bits[i / 32] |= 1u << i % 32;
}

// Fills in temps, inputs, outputs, constants and so on from what the instructions use, on top of what is there. temps 0
// is not known.
void sp_collect_uses(sp_program *p);

// Where faults go: the instruction, or -1, and a sentence.
typedef struct sp_faults {
    void (*report)(void *user, int instruction, const char *message);
    void *user;
    unsigned count;
} sp_faults;
void sp_fault(sp_faults *faults, int instruction, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Checks an instruction by itself, and a whole program: limits, hazards, semaphores, flow control, lists. Faults are
// reported; true when there are none (verify.c, hazards.c).
bool sp_verify(const sp_program *p, sp_faults *faults);
void sp_verify_hazards(const sp_program *p, const sp_instruction *code, sp_faults *faults);

// ---- Containers (container.c): ELF32, little-endian, as the CTM guide describes them ----

// Bytes of the container; written when out has room for them (capacity).
size_t sp_container_write(const sp_program *p, uint8_t *out, size_t capacity);
// Reads and checks everything but the instructions (sp_verify does that). False after faults.
bool sp_container_read(sp_program *p, const uint8_t *data, size_t size, sp_faults *faults);

#endif
