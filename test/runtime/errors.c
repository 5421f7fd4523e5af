// What the default error handler prints: calling place, function, object, sentence and name, after what the program printed; and the
// report of a deadlock says who waits for what.
// RUN: %host -o %t
// RUN: sh -c '%t range; echo "code $?"' 2>&1 | FileCheck --check-prefix=RANGE --match-full-lines %s
//      RANGE: printed before
// RANGE-NEXT: {{.*}}errors.c:[[# @LINE + 30]]: error: svm_blockRead of 'numbers': element 4 of a block of 4 [index-range]
// RANGE-NEXT: code 1
// RUN: not %t deadlock 2>&1 | FileCheck --check-prefix=DEADLOCK --match-full-lines %s
// DEADLOCK: {{.*}}errors.c:{{[0-9]+}}: error: svm_kernelWait of 'last': the control thread waits for 'last' to finish; 'first' waits to pop from 'a', which is empty; 'second' waits to push to 'b', which is full with 4 elements; 'third' waits for 3 elements of 'c', which has 2; 'last' waits for 'first', 'second'{{(; it is .*)?}} [deadlock]
// RUN: not %t plain 2>&1 | FileCheck --check-prefix=PLAIN --match-full-lines %s
// PLAIN: error: svm_kernelWait of 'last': the kernel was never run, so this would wait for ever [never-run]
// RUN: not %t many 2>&1 | FileCheck --check-prefix=MANY %s
// MANY: and 80 kernels more{{(; it is .*)?}} [deadlock]
// RUN: not %t rate 2>&1 | FileCheck --check-prefix=RATE --match-full-lines %s
// RATE: fm.str:12: error: a firing declares push 3 but did push 2 in LowPass_1
// RUN: not %t returns 2>&1 | FileCheck --check-prefix=RETURNS %s
// RETURNS: error: the error handler returned
#include "check.h"

SVM_MACHINE("host");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(CORE0);

typedef struct Kernel {
    svm_Kernel kernel;
    svm_Stream *stream;
    svm_Block *block;
    svm_Log log;
} Kernel;

static void reads(svm_Kernel *k)
{
    Kernel *self = (Kernel *)k;
    int v;
    svm_printText(&self->log, "printed before\n");
    svm_blockRead(self->block, 4, &v);
}

static void pops(svm_Kernel *k) { svm_streamPop(((Kernel *)k)->stream, NULL); }
static void peeks(svm_Kernel *k)
{
    int v;
    svm_streamPeek(((Kernel *)k)->stream, 2, &v);
}
static void pushes(svm_Kernel *k)
{
    for (int i = 0;; i++)
        svm_streamPush(((Kernel *)k)->stream, &i);
}

static void handler(const svm_ErrorReport *r, void *context)
{
    (void)r;
    (void)context;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    size_t g = svm_alloc(&GMEM, 1000);
    static Kernel first, second, third, last, many[100];
    if (strcmp(what, "range") == 0) {
        svm_Block b;
        svm_blockInit(&b, &GMEM, g, 4, 4);
        svm_blockName(&b, "numbers");
        first.block = &b;
        svm_kernelInit(&first.kernel, &CORE0, reads, "first");
        svm_kernelRun(&first.kernel);
        svm_kernelWait(&first.kernel);
    } else if (strcmp(what, "deadlock") == 0) {
        svm_Stream a, b, c;
        int v = 0;
        svm_streamInitRAM(&a, &GMEM, g, 4, 4);
        svm_streamInitRAM(&b, &GMEM, g + 16, 4, 4);
        svm_streamInitRAM(&c, &GMEM, g + 32, 4, 4);
        svm_streamName(&a, "a");
        svm_streamName(&b, "b");
        svm_streamName(&c, "c");
        svm_streamPush(&c, &v);
        svm_streamPush(&c, &v);
        first.stream = &a;
        second.stream = &b;
        third.stream = &c;
        svm_kernelInit(&first.kernel, &CORE0, pops, "first");
        svm_kernelInit(&second.kernel, &CORE0, pushes, "second");
        svm_kernelInit(&third.kernel, &CORE0, peeks, "third");
        svm_kernelInit(&last.kernel, &CORE0, pops, "last");
        svm_kernelAddDependence(&last.kernel, &first.kernel);
        svm_kernelAddDependence(&last.kernel, &second.kernel);
        svm_kernelRun(&first.kernel);
        svm_kernelRun(&second.kernel);
        svm_kernelRun(&third.kernel);
        svm_kernelRun(&last.kernel);
        svm_kernelWait(&last.kernel);
    } else if (strcmp(what, "plain") == 0) {
        svm_kernelInit(&last.kernel, &CORE0, pops, "last");
        (svm_kernelWait)(&last.kernel); // the function itself knows no place
    } else if (strcmp(what, "many") == 0) {
        static svm_Stream s[100];
        for (int i = 0; i < 100; i++) {
            svm_streamInitRAM(&s[i], &GMEM, g + 4 * (size_t)i, 1, 4);
            many[i].stream = &s[i];
            svm_kernelInit(&many[i].kernel, &CORE0, pops, "one of many");
            svm_kernelRun(&many[i].kernel);
        }
        svm_kernelWait(&many[0].kernel);
    } else if (strcmp(what, "rate") == 0) {
        svm_rateError("LowPass_1 at fm.str:12", "push", 3, 2);
    } else if (strcmp(what, "returns") == 0) {
        svm_setErrorHandler(handler, NULL);
        svm_free(&GMEM, 1);
    }
    return 0;
}
