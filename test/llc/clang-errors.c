// Shows: what clang finds wrong with SVM C is reported in the tools' own form, as text and as JSON, with exit code 1; its warnings
// are warnings here, once, and can be turned off or into errors.
// RUN: not %svm-llc --target=null -DWRONG %s 2>&1 | FileCheck %s
// RUN: not %svm-llc --target=null -DWRONG --diagnostics-format=json %s 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: %svm-llc -c -o %t.o %s 2>&1 | FileCheck %s --check-prefix=WARNING
// RUN: %svm-llc -c -o %t.o -w %s 2>&1 | count 0
// RUN: not %svm-llc --target=null -Werror=clang %s 2>&1 | FileCheck %s --check-prefix=ERROR
#include <svm/svm.h>
SVM_MACHINE("simple-svm");
int f(int i)
{
#ifdef WRONG
    // CHECK: clang-errors.c:[[@LINE+2]]:12: error: use of undeclared identifier 'j'
    // JSON: "severity":"error",{{.*}}"line":15,"column":12,{{.*}}"message":"use of undeclared identifier 'j'"
    return j;
    // CHECK: clang-errors.c:[[@LINE+1]]:13: error: expected ';' after return statement
    return i
#endif
    // WARNING: clang-errors.c:[[@LINE+6]]:11: warning: using the result of an assignment as a condition without parentheses (-Wparentheses) [-Wclang]
    // WARNING: note: place parentheses around the assignment to silence this warning
    // WARNING: note: use '==' to turn this assignment into an equality comparison
    // WARNING: 1 warning generated.
    // WARNING-NOT: warning
    // ERROR: clang-errors.c:[[@LINE+1]]:11: error: using the result of an assignment
    if (i = 3)
        return 1;
    return 2;
}
