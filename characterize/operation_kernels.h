// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The micro-kernels of one vector width, included by operations.c once for each. Before it are defined:
//   NAME(x)        the kernels' names
//   TARGET         attribute for functions that use the width
//   F, D, I        vectors of float, double and int
//   REG, REG_I     constraints of registers that have F and D, and I
//   SPLAT(T, v)    a vector with all elements v
//   SQRT_F(x), SQRT_D(x), CONVERT(x)                      I to F
//   COMPARE(x, y) of floats, to COMPARE_RESULT in REG_I
//   SELECT(m, x, y) of ints by a MASK from SELECT_MASK(x, y), which HOLD_MASK(m) hides
//
// KEEP makes the compiler forget what a value is, so that no operation is folded, moved or left out. CHAIN kernels keep
// twelve values, each depending on its own last value only: more than any latency times units of today's processors.
// EACH kernels compute from the same operands again and again, for operations whose results would run away.

// clang-format off
#define KEEP(x) __asm__ volatile("" : "+" REG(x))
#define KEEP_I(x) __asm__ volatile("" : "+" REG_I(x))
#define SINK(x) __asm__ volatile("" : : REG(x))
#define SINK_I(x) __asm__ volatile("" : : REG_I(x))
#define TWELVE(S) S(0) S(1) S(2) S(3) S(4) S(5) S(6) S(7) S(8) S(9) S(10) S(11)

#define DECLARE(i) value v##i = SPLAT(value, (element)(1 + i)); KEEP(v##i);
#define DECLARE_I(i) value v##i = SPLAT(value, (element)(1 + i)); KEEP_I(v##i);
#define CHAIN(name, T, E, operand, HOLD, VALUES, STEP)                                                                 \
    TARGET static void NAME(name)(void *context, uint64_t n)                                                           \
    {                                                                                                                  \
        (void)context;                                                                                                 \
        typedef T value;                                                                                               \
        typedef E element;                                                                                             \
        value b = SPLAT(value, (element)(operand));                                                                    \
        HOLD(b);                                                                                                       \
        TWELVE(VALUES)                                                                                                 \
        for (; n > 0; n--) {                                                                                           \
            TWELVE(STEP)                                                                                               \
            TWELVE(STEP)                                                                                               \
            TWELVE(STEP)                                                                                               \
        }                                                                                                              \
    }
#define EACH(name, T, E, first, second, RESULT)                                                                        \
    TARGET static void NAME(name)(void *context, uint64_t n)                                                           \
    {                                                                                                                  \
        (void)context;                                                                                                 \
        typedef T value;                                                                                               \
        value x = SPLAT(value, (E)(first)), y = SPLAT(value, (E)(second));                                             \
        KEEP(y);                                                                                                       \
        for (; n > 0; n--) {                                                                                           \
            TWELVE(RESULT)                                                                                             \
            TWELVE(RESULT)                                                                                             \
            TWELVE(RESULT)                                                                                             \
        }                                                                                                              \
    }

#define ADD_I(i) v##i = v##i + b; KEEP_I(v##i);
#define MUL_I(i) v##i = v##i * b; KEEP_I(v##i);
#define XOR_I(i) v##i = v##i ^ b; KEEP_I(v##i);
#define ADD(i) v##i = v##i + b; KEEP(v##i);
#define MUL(i) v##i = v##i * b; KEEP(v##i);
CHAIN(int_add, I, unsigned, 3, KEEP_I, DECLARE_I, ADD_I)
CHAIN(int_mul, I, unsigned, 3, KEEP_I, DECLARE_I, MUL_I)
CHAIN(bitwise, I, unsigned, 3, KEEP_I, DECLARE_I, XOR_I)
CHAIN(float_add, F, float, 0, KEEP, DECLARE, ADD)
CHAIN(float_mul, F, float, 1, KEEP, DECLARE, MUL)
CHAIN(double_add, D, double, 0, KEEP, DECLARE, ADD)
CHAIN(double_mul, D, double, 1, KEEP, DECLARE, MUL)
#undef ADD_I
#undef MUL_I
#undef XOR_I
#undef ADD
#undef MUL

#define DIV(i) KEEP(x); { value r = x / y; SINK(r); }
#define ROOT_F(i) KEEP(x); { value r = SQRT_F(x); SINK(r); }
#define ROOT_D(i) KEEP(x); { value r = SQRT_D(x); SINK(r); }
EACH(float_div, F, float, 1.7, 1.3, DIV)
EACH(double_div, D, double, 1.7, 1.3, DIV)
EACH(float_sqrt, F, float, 1.7, 1.3, ROOT_F)
EACH(double_sqrt, D, double, 1.7, 1.3, ROOT_D)
#undef DIV
#undef ROOT_F
#undef ROOT_D

#define GREATER(i) KEEP(x); { COMPARE_RESULT r = COMPARE(x, y); SINK_I(r); }
EACH(compare, F, float, 1.7, 1.3, GREATER)
#undef GREATER
#define CHOOSE(i) KEEP_I(x); HOLD_MASK(m); { value r = SELECT(m, x, y); SINK_I(r); }
TARGET static void NAME(select)(void *context, uint64_t n)
{
    (void)context;
    typedef I value;
    value x = SPLAT(value, 1), y = SPLAT(value, 2);
    MASK m = SELECT_MASK(x, y);
    KEEP_I(y);
    for (; n > 0; n--) {
        TWELVE(CHOOSE)
        TWELVE(CHOOSE)
        TWELVE(CHOOSE)
    }
}
#undef CHOOSE
#define TO_FLOAT(i) KEEP_I(x); { F r = CONVERT(x); SINK(r); }
TARGET static void NAME(convert)(void *context, uint64_t n)
{
    (void)context;
    typedef I value;
    value x = SPLAT(value, 7);
    for (; n > 0; n--) {
        TWELVE(TO_FLOAT)
        TWELVE(TO_FLOAT)
        TWELVE(TO_FLOAT)
    }
}
#undef TO_FLOAT

// Twelve vectors that are in the nearest cache.
#define LOAD(i) { F r = p[i]; SINK(r); }
#define STORE(i) p[i] = x; __asm__ volatile("" : : : "memory");
TARGET static void NAME(load)(void *context, uint64_t n)
{
    F *p = context;
    for (; n > 0; n--) {
        FORGET(p) TWELVE(LOAD)
        FORGET(p) TWELVE(LOAD)
        FORGET(p) TWELVE(LOAD)
    }
}
TARGET static void NAME(store)(void *context, uint64_t n)
{
    F *p = context, x = SPLAT(F, 1);
    for (; n > 0; n--) {
        FORGET(p) TWELVE(STORE)
        FORGET(p) TWELVE(STORE)
        FORGET(p) TWELVE(STORE)
    }
}
#undef LOAD
#undef STORE

static const operation_kernels NAME(kernels) = {
    .run = {
        [MACHINE_OP_INT_ADD] = NAME(int_add),
        [MACHINE_OP_INT_MUL] = NAME(int_mul),
        [MACHINE_OP_BITWISE] = NAME(bitwise),
        [MACHINE_OP_COMPARE] = NAME(compare),
        [MACHINE_OP_SELECT] = NAME(select),
        [MACHINE_OP_CONVERT] = NAME(convert),
        [MACHINE_OP_FLOAT_ADD] = NAME(float_add),
        [MACHINE_OP_FLOAT_MUL] = NAME(float_mul),
        [MACHINE_OP_FLOAT_DIV] = NAME(float_div),
        [MACHINE_OP_FLOAT_SQRT] = NAME(float_sqrt),
        [MACHINE_OP_DOUBLE_ADD] = NAME(double_add),
        [MACHINE_OP_DOUBLE_MUL] = NAME(double_mul),
        [MACHINE_OP_DOUBLE_DIV] = NAME(double_div),
        [MACHINE_OP_DOUBLE_SQRT] = NAME(double_sqrt),
        [MACHINE_OP_LOAD] = NAME(load),
        [MACHINE_OP_STORE] = NAME(store),
    },
};

#undef KEEP
#undef KEEP_I
#undef SINK
#undef SINK_I
#undef TWELVE
#undef DECLARE
#undef DECLARE_I
#undef CHAIN
#undef EACH
#undef NAME
#undef TARGET
#undef F
#undef D
#undef I
#undef REG
#undef REG_I
#undef SPLAT
#undef SQRT_F
#undef SQRT_D
#undef COMPARE
#undef COMPARE_RESULT
#undef SELECT
#undef SELECT_MASK
#undef MASK
#undef HOLD_MASK
#undef CONVERT
// clang-format on
