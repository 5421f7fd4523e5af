// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of one vector width with N values live, included by registers.c once for each width. Before it are defined
// NAME(x), TARGET, F and REG, as for operation_kernels.h. Each value is multiplied in turn; those that no register is
// left for go through the stack, as in any program.

// clang-format off
#define DECLARE(i) F v##i = (F){0} + (float)1; __asm__ volatile("" : "+" REG(v##i));
#define STEP(i) v##i = v##i * b; __asm__ volatile("" : "+" REG(v##i));
#define LIVE(count)                                                                                                    \
    TARGET static void NAME(live##count)(void *context, uint64_t n)                                                    \
    {                                                                                                                  \
        (void)context;                                                                                                 \
        F b = (F){0} + (float)1;                                                                                       \
        __asm__ volatile("" : "+" REG(b));                                                                             \
        LIST##count(DECLARE)                                                                                           \
        for (; n > 0; n--) {                                                                                           \
            LIST##count(STEP)                                                                                          \
        }                                                                                                              \
    }
COUNTS(LIVE)

#define ROW(count) {count, NAME(live##count)},
static const register_kernel NAME(registers)[] = {COUNTS(ROW)};

#undef DECLARE
#undef STEP
#undef LIVE
#undef ROW
#undef NAME
#undef TARGET
#undef F
#undef REG
// clang-format on
