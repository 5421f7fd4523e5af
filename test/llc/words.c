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
// CHECK: words.c:[[@LINE+1]]:12: error: SVM_KERNEL: unknown word 'price'; expected cost(START, PER_FIRING)
SVM_KERNEL(price(3, 4))
static void e(svm_Kernel *kernel) { (void)kernel; }
// CHECK: words.c:[[@LINE+1]]:1: error: SVM_KERNEL, SVM_FIRE and SVM_CONTROL go before a function
SVM_KERNEL(cost(0, 0))
static int f;
SVM_FIRE(stateful, peek(8), pop(2), pop2(1), push(1), push3(0))
static void fine(const float *in, float *out) { *out = *in; }
SVM_KERNEL(cost(10.5, 3))
static void fine_kernel(svm_Kernel *kernel) { (void)kernel; }
SVM_KERNEL()
static void no_cost(svm_Kernel *kernel) { (void)kernel; }
// CHECK: 6 errors generated.
