// A program that crashes by itself.
#include <stdlib.h>
#include <svm/svm.h>
SVM_MACHINE("host");
int main(void)
{
    abort();
}
