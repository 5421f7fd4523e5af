// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rate of operations against the number of live values (figure 7 of the SVM paper).
#include "characterize/characterize.h"

typedef struct register_kernel {
    unsigned count; // of values that are multiplied; their common factor is live too
    work_function *run;
} register_kernel;

// clang-format off
#define LIST1(S) S(00)
#define LIST2(S) LIST1(S) S(01)
#define LIST3(S) LIST2(S) S(02)
#define LIST4(S) LIST3(S) S(03)
#define LIST6(S) LIST4(S) S(04) S(05)
#define LIST8(S) LIST6(S) S(06) S(07)
#define LIST10(S) LIST8(S) S(10) S(11)
#define LIST12(S) LIST10(S) S(12) S(13)
#define LIST14(S) LIST12(S) S(14) S(15)
#define LIST15(S) LIST14(S) S(16)
#define LIST16(S) LIST15(S) S(17)
#define LIST17(S) LIST16(S) S(20)
#define LIST19(S) LIST17(S) S(21) S(22)
#define LIST23(S) LIST19(S) S(23) S(24) S(25) S(26)
#define LIST27(S) LIST23(S) S(27) S(30) S(31) S(32)
#define LIST31(S) LIST27(S) S(33) S(34) S(35) S(36)
#define LIST35(S) LIST31(S) S(37) S(40) S(41) S(42)
#define LIST39(S) LIST35(S) S(43) S(44) S(45) S(46)
#define LIST47(S) LIST39(S) S(47) S(50) S(51) S(52) S(53) S(54) S(55) S(56)
#define LIST63(S) LIST47(S) S(57) S(60) S(61) S(62) S(63) S(64) S(65) S(66) S(67) S(70) \
    S(71) S(72) S(73) S(74) S(75) S(76)
#define COUNTS(S) S(1) S(2) S(3) S(4) S(6) S(8) S(10) S(12) S(14) S(15) S(16) S(17) \
    S(19) S(23) S(27) S(31) S(35) S(39) S(47) S(63)
// clang-format on

#if defined __aarch64__
#define VECTOR "w"
#elif defined __x86_64__
#define VECTOR "x"
#else
#define VECTOR "m"
#endif

typedef float f16 __attribute__((vector_size(16)));
#define NAME(x) vector16_##x
#define TARGET
#define F f16
#define REG VECTOR
#include "characterize/register_kernels.h"

#ifdef __x86_64__
typedef float f32 __attribute__((vector_size(32)));
#define NAME(x) vector32_##x
#define TARGET __attribute__((target("avx2")))
#define F f32
#define REG "x"
#include "characterize/register_kernels.h"

typedef float f64 __attribute__((vector_size(64)));
#define NAME(x) vector64_##x
#define TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))
#define F f64
#define REG "v"
#include "characterize/register_kernels.h"
#endif

void measure_registers(const settings *s, arena *a, unsigned width, figure *f)
{
    const register_kernel *kernels = vector16_registers;
#ifdef __x86_64__
    if (width == 32)
        kernels = vector32_registers;
    else if (width == 64)
        kernels = vector64_registers;
#endif
    curve *c = figure_add(a, f, arena_printf(a, "float multiplication, %u B", width));
    for (size_t i = 0; i < sizeof vector16_registers / sizeof *vector16_registers; i++) {
        measurement m = measure(s, kernels[i].run, NULL, kernels[i].count);
        curve_add(a, c, kernels[i].count + 1, 1e-9 / m.seconds, m.spread);
    }
}
