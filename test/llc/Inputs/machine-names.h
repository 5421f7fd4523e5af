#include <svm/svm.h>
SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
