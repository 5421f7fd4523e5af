// Shows: the words of SVM_FIRE and SVM_KERNEL are checked.
// RUN: not %svm-llc --target=null %s 2>&1 | FileCheck %s
#include <svm/svm.h>
SVM_MACHINE("simple-svm");

// CHECK: words.c:[[@LINE+1]]:10: error: SVM_FIRE: unknown word 'statless'; did you mean 'stateless'?
SVM_FIRE(statless, pop(1))
static void a(const float *in) { (void)in; }
// CHECK: words.c:[[@LINE+1]]:21: error: SVM_FIRE: 'pop' needs a number of items, for example 'pop(1)'
SVM_FIRE(stateless, pop(N))
static void b(const float *in) { (void)in; }
// CHECK: words.c:[[@LINE+1]]:21: error: SVM_FIRE: unknown word 'pop1'
SVM_FIRE(stateless, pop1(3))
static void c(const float *in) { (void)in; }
// CHECK: words.c:[[@LINE+1]]:12: error: SVM_KERNEL: 'cost' needs two numbers, for example cost(20, 3)
SVM_KERNEL(cost(3))
static void d(svm_Kernel *kernel) { (void)kernel; }
// CHECK: words.c:[[@LINE+1]]:12: error: SVM_KERNEL: unknown word 'price'; expected cost(START, PER_FIRING), estimate(START, PER_FIRING), holds_processor or input_first
SVM_KERNEL(price(3, 4))
static void e(svm_Kernel *kernel) { (void)kernel; }
// CHECK: words.c:[[@LINE+1]]:1: error: SVM_KERNEL, SVM_FIRE and SVM_CONTROL go before a function
SVM_KERNEL(cost(0, 0))
static int f;
// CHECK: words.c:[[@LINE+1]]:22: error: SVM_KERNEL: 'cost' takes finite numbers from 0 on, not '-3'
SVM_KERNEL(/* less */cost(1, -3))
static void g(svm_Kernel *kernel) { (void)kernel; }
// CHECK: words.c:[[@LINE+1]]:12: error: SVM_KERNEL: 'estimate' takes finite numbers from 0 on, not '1e999'
SVM_KERNEL(estimate(1e999, 3))
static void h(svm_Kernel *kernel) { (void)kernel; }
// CHECK: words.c:[[@LINE+1]]:12: error: SVM_KERNEL: 'estimate' needs two numbers, for example estimate(20, 3)
SVM_KERNEL(estimate(0x10, 3))
static void i(svm_Kernel *kernel) { (void)kernel; }
// CHECK: words.c:[[@LINE+1]]:24: error: SVM_KERNEL: give 'cost', which holds, or 'estimate', which only informs, not both
SVM_KERNEL(cost(1, 2), estimate(3, 4))
static void j(svm_Kernel *kernel) { (void)kernel; }
// CHECK: words.c:[[@LINE+1]]:12: error: SVM_KERNEL: 'cost' is given twice
SVM_KERNEL(cost(1, 2), cost(1, 2))
static void k(svm_Kernel *kernel) { (void)kernel; }
// CHECK: words.c:[[@LINE+1]]:12: error: SVM_KERNEL: a kernel that begins late holds its processor: it promises holds_processor, too
SVM_KERNEL(input_first)
static void late_one(svm_Kernel *kernel) { (void)kernel; }
// CHECK: words.c:[[@LINE+1]]:12: error: SVM_KERNEL: 'cost' needs two numbers, for example cost(20, 3)
SVM_KERNEL(cost(1, 2, 3))
static void l(svm_Kernel *kernel) { (void)kernel; }
// CHECK: words.c:[[@LINE+1]]:21: error: SVM_FIRE: 'cost' needs the cycles of one firing, for example cost(12)
SVM_FIRE(stateless, cost)
static void m(const float *in) { (void)in; }
// CHECK: words.c:[[@LINE+1]]:10: error: SVM_FIRE: 'cost' takes finite numbers from 0 on, not '-1'
SVM_FIRE(cost(-1))
static void n(const float *in) { (void)in; }
// CHECK: words.c:[[@LINE+1]]:10: error: SVM_FIRE: the cost is given twice
SVM_FIRE(cost(1), cost(1))
static void o(const float *in) { (void)in; }
// CHECK: words.c:[[@LINE+1]]:10: error: SVM_FIRE: 'firings' needs how many firings one call does, for example firings(8)
SVM_FIRE(firings(0))
static void p(const float *in) { (void)in; }
// CHECK: words.c:[[@LINE+1]]:10: error: SVM_FIRE: only threads have an estimate; other functions have cost(CYCLES)
SVM_FIRE(estimate(1, 2, 3))
static void q(const float *in) { (void)in; }
SVM_FIRE(stateful, cost(2.5), firings(4), pop(4))
static void fine_cost(const float *in) { (void)in; }
SVM_KERNEL(estimate(10, 1e3))
static void fine_estimate(svm_Kernel *kernel) { (void)kernel; }
SVM_FIRE(stateful, peek(8), pop(2), pop2(1), push(1), push3(0))
static void fine(const float *in, float *out) { *out = *in; }
SVM_KERNEL(cost(10.5, 3))
static void fine_kernel(svm_Kernel *kernel) { (void)kernel; }
SVM_KERNEL()
static void no_cost(svm_Kernel *kernel) { (void)kernel; }
// CHECK: 18 errors generated.
