// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <svm/svm.h>
SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM); SVM_MEMORY(LMEM1); SVM_PROCESSOR(PROC1); SVM_PROCESSOR(DMA_ENGINE1);
typedef struct Node { svm_Kernel kernel; struct Node *next; svm_Block b; } Node;
static int odd(Node *n, int i);
static int even(Node *n, int i) { svm_kernelWait(&n->kernel); return i == 0 ? 1 : odd(n->next, i - 1); }
static int odd(Node *n, int i) { svm_kernelRun(&n->next->next->kernel); return i == 0 ? 0 : even(n, i - 1); }
int main(int argc, char **argv) { (void)argv; Node n; n.next = &n; return even(&n, argc) + odd(0, 3); }
