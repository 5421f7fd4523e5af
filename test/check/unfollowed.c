// Where control code cannot be followed, nothing is found that could be wrong: recursion, goto, unknown pointers, lists of
// kernels, functions of other files that get kernels.
// RUN: %svm-check %s
#include "Inputs/kernels.h"

typedef struct Item {
    Filter filter;
    struct Item *next;
} Item;

void elsewhere(svm_Kernel *k);

static void recursive(Filter *f, int n)
{
    if (n > 0) {
        svm_kernelRun(&f->kernel);
        recursive(f, n - 1);
        svm_kernelWait(&f->kernel);
    }
}

int main(int argc, char **argv)
{
    static Filter a, b, c;
    static Item items[10];
    (void)argv;
    plain_init(&a);
    plain_init(&b);
    plain_init(&c);
    for (Item *i = &items[argc]; i; i = i->next) {
        plain_init(&i->filter);
        svm_kernelAddDependence(&i->filter.kernel, &i->next->filter.kernel);
        svm_kernelRun(&i->filter.kernel);
        svm_kernelRun(&i->next->filter.kernel);
    }
    recursive(&a, argc);
    svm_kernelRun(&b.kernel);
    svm_kernelRun(&c.kernel);
    elsewhere(&c.kernel);
    return 0;
}
