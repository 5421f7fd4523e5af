// Shows: --emit=lib makes an archive and a header with the program's functions; another C program uses both. main becomes NAME_main.
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: %svm-llc --emit=lib %s -o %t.dir/libadder.a && FileCheck %s --check-prefix=HEADER < %t.dir/adder.h
// RUN: %svm-llc -I%t.dir %S/Inputs/use-adder.c %t.dir/libadder.a -o %t && %t | FileCheck %s
#include <svm/program.h>
SVM_MACHINE("host");
struct Plain { int i; };
typedef struct Adder { int sum; } Adder;
static int hidden(int i) { return i; }
void adder_reset(Adder *a, const struct Plain *p) { a->sum = hidden(p == NULL ? 0 : p->i); }
Adder *adder_get(void) { static Adder a; return &a; }
int adder_add(Adder *a, int i) { return a->sum += i; }
int main(void) { return 7; }
// HEADER: #include <svm/program.h>
// HEADER: typedef struct Adder Adder;
// HEADER: struct Plain;
// HEADER: void adder_reset(Adder *a, const struct Plain *p);
// HEADER-NEXT: Adder *adder_get(void);
// HEADER-NEXT: int adder_add(Adder *a, int i);
// HEADER-NOT: hidden
// HEADER-NOT: main
// CHECK: sum 5, main 7
