// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a report names the error, the API function, the object and the place of the call; the machine can be used
// after it.
// Machine: simple-svm
// Prints:
//   index-range in svm_blockRead of 'numbers' here
//   has a message
//   the block still holds 7
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);

static jmp_buf back;
static int misuse_line;

static void handle(const svm_ErrorReport *r, void *context)
{
    bool here = r->file != NULL && strstr(r->file, "error-report.c") != NULL && r->line == misuse_line;
    printf("%s in %s of '%s' %s\n", r->error_name, r->function, r->object, here ? "here" : "elsewhere");
    *(bool *)context = r->error == SVM_ERROR_INDEX_RANGE && r->message[0] != '\0';
    longjmp(back, 1);
}

int main(void)
{
    static bool message;
    static svm_Block b;
    size_t g = svm_alloc(&GMEM, 16);
    svm_blockInit(&b, &GMEM, g, 4, 4);
    svm_blockName(&b, "numbers");
    svm_blockWrite(&b, 2, &(int32_t){7});
    int32_t v = 0;
    svm_setErrorHandler(handle, &message);
    if (setjmp(back) == 0) {
        misuse_line = __LINE__ + 1;
        svm_blockRead(&b, 4, &v);
    }
    svm_setErrorHandler(NULL, NULL);
    puts(message ? "has a message" : "has no message");
    svm_blockRead(&b, 2, &v);
    printf("the block still holds %d\n", v);
    return 0;
}
