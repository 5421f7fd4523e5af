#include <svm/svm.h>
SVM_MACHINE("