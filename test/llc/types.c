// Shows: kernels, firing functions and control threads have the types that the API calls them with.
// RUN: not %svm-llc --target=null %s 2>&1 | FileCheck %s
#include <svm/svm.h>
SVM_MACHINE("simple-svm");
SVM_PROCESSOR(PROC0);

// CHECK: types.c:[[@LINE+2]]:12: error: 'a' has type 'int (svm_Kernel *)'; a kernel is void f(svm_Kernel *kernel)
SVM_KERNEL(cost(1, 1))
static int a(svm_Kernel *kernel) { return kernel == 0; }
// CHECK: types.c:[[@LINE+2]]:13: error: 'b' has type 'void (int *)'; a kernel is void f(svm_Kernel *kernel)
SVM_KERNEL(cost(1, 1))
static void b(int *kernel) { *kernel = 0; }
// CHECK: types.c:[[@LINE+2]]:12: error: 'c' has type 'int (void)'; a firing function returns void
SVM_FIRE(stateless)
static int c(void) { return 0; }
// CHECK: types.c:[[@LINE+2]]:13: error: 'd' has type 'void (int)'; a control thread is int f(T *argument)
SVM_CONTROL(PROC0)
static void d(int i) { (void)i; }
// CHECK: types.c:[[@LINE+2]]:6: error: function 'e' is not defined in this file
SVM_KERNEL(cost(1, 1))
void e(svm_Kernel *kernel);
