// The thin main: options, -i and the end of input, exit codes, --time; a program that doubles ints, prints each and sums two.
// RUN: %host -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: printf '\001\000\000\000\002\000\000\000\003\000\000\000' > in.raw
// RUN: %t -i2 --in=in.raw --out=out.raw | FileCheck --check-prefix=TWO --match-full-lines %s
//      TWO: init
// TWO-NEXT: 1
// TWO-NEXT: 2
//  TWO-NOT: {{.}}
// RUN: od -An -td4 out.raw | FileCheck --check-prefix=OUT2 --match-full-lines %s
// OUT2: {{ +}}2{{ +}}4
// RUN: %t -i 0 --in=in.raw --out=out.raw | FileCheck --check-prefix=ZERO --match-full-lines %s
//      ZERO: init
//  ZERO-NOT: {{.}}
// RUN: %t --out=out.raw < in.raw | FileCheck --check-prefix=ALL --match-full-lines %s
//      ALL: init
// ALL-NEXT: 1
// ALL-NEXT: 2
// ALL-NEXT: 3
// ALL-NEXT: drained
//  ALL-NOT: {{.}}
// RUN: %t -i 5 --loop-input --in=in.raw --out=out.raw | FileCheck --check-prefix=LOOP --match-full-lines %s
//      LOOP: 3
// LOOP-NEXT: 1
// LOOP-NEXT: 2
//  LOOP-NOT: {{.}}
// RUN: %t -i2 --adversary=5 --in=in.raw --out=out.raw | FileCheck --check-prefix=TWO --match-full-lines %s
// RUN: not %t --adversary=five 2>&1 | FileCheck --check-prefix=ADVERSARY %s
// ADVERSARY: error: the seed (SVM_ADVERSARY or --adversary=) must be a number from 0 to 18446744073709551615, with or without ',zeroes', not 'five'
// RUN: %t --time --in=in.raw --out=out.raw 2>&1 >/dev/null | FileCheck --check-prefix=TIME %s
// TIME: main.c.tmp: 3 steady states ({{.*}} a second), {{.*}} seconds, 3 items read ({{.*}} a second), 3 items written
// RUN: %t --help | FileCheck --check-prefix=HELP %s
//      HELP: usage: main.c.tmp [options]
//      HELP: -i N
//      HELP: --loop-input
//      HELP: --in=FILE
//      HELP: --out=FILE
//      HELP: --time
//      HELP: --help
//
// Exit code 2 and a message for a wrong call; 1 for a wrong input or an error of the program.
// RUN: sh -c '%t --frobnicate; echo "code $?"' 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// UNKNOWN: main.c.tmp: error: unknown option '--frobnicate'; see 'main.c.tmp --help'
// UNKNOWN: code 2
// RUN: sh -c '%t -i; echo "code $?"' 2>&1 | FileCheck --check-prefix=NUMBER %s
// RUN: sh -c '%t -i -3; echo "code $?"' 2>&1 | FileCheck --check-prefix=NUMBER %s
// RUN: sh -c '%t -i 9999999999999999999; echo "code $?"' 2>&1 | FileCheck --check-prefix=NUMBER %s
// RUN: sh -c '%t -i 3x; echo "code $?"' 2>&1 | FileCheck --check-prefix=NUMBER %s
// NUMBER: error: {{option '-i' needs a number of steady states, not '|'9999999999999999999' for option '-i' is too large}}
// NUMBER: code 2
// RUN: sh -c '%t file; echo "code $?"' 2>&1 | FileCheck --check-prefix=ARGUMENT %s
// ARGUMENT: error: unexpected argument 'file'
// ARGUMENT: code 2
// RUN: sh -c '%t --in=none.raw; echo "code $?"' 2>&1 | FileCheck --check-prefix=NONE %s
// NONE: main.c.tmp: error: cannot open 'none.raw': No such file or directory
// NONE: code 1
// RUN: sh -c '%t --in=in.raw --out=out.raw > /dev/full; echo "code $?" >&2' 2>&1 | FileCheck --check-prefix=FULL %s
// FULL: main.c.tmp: error: cannot write standard output: No space left on device
// FULL: code 1
//
// A division by zero prints first what was printed before it.
// RUN: printf '\005\000\000\000\000\000\000\000\003\000\000\000' > zero.raw
// RUN: not %t --in=zero.raw --out=out.raw 2>&1 | FileCheck --check-prefix=DIVIDE --match-full-lines %s
//      DIVIDE: init
// DIVIDE-NEXT: 5
// DIVIDE-NEXT: 0
// DIVIDE-NEXT: test.str:12: error: division by zero in Doubler_1
//  DIVIDE-NOT: {{.}}
#include "svm/program.h"

#include <stdio.h>
#include <stdlib.h>

SVM_MACHINE("host");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(CORE0);

typedef struct Doubler {
    svm_Kernel kernel;
    int32_t in, out;
    svm_Log log;
} Doubler;

typedef struct Instance {
    svm_Machine *machine;
    Doubler doubler;
    svm_Log *logs[1];
    svm_Reader reader;
    svm_Writer writer;
    int64_t steadyStates;
    bool started;
} Instance;

static void doubler(svm_Kernel *kernel)
{
    Doubler *self = (Doubler *)kernel;
    svm_printInt(&self->log, self->in);
    svm_printText(&self->log, "\n");
    svm_printMark(&self->log);
    self->out = self->in * 2 + svm_idiv(0, self->in, "Doubler_1 at test.str:12");
}

static void *create(const svm_Settings *settings)
{
    Instance *self = calloc(1, sizeof *self);
    self->machine = svm_machineCreate();
    svm_Machine *before = svm_machineUse(self->machine);
    self->reader = (svm_Reader){.where = "input", .item = SVM_ITEM_INT, .elementSize = 4};
    self->writer = (svm_Writer){.where = "output", .item = SVM_ITEM_INT, .elementSize = 4};
    svm_readerOpen(&self->reader, settings);
    svm_writerOpen(&self->writer, settings);
    svm_kernelInit(&self->doubler.kernel, &CORE0, doubler, "Doubler");
    self->logs[0] = &self->doubler.log;
    svm_printOrder(self->logs, 1);
    svm_machineUse(before);
    return self;
}

static bool run(void *instance, int64_t iterations)
{
    Instance *self = instance;
    if (!self->started)
        svm_printText(&self->doubler.log, "init\n");
    self->started = true;
    bool more = true;
    for (; more && iterations > 0; iterations--) {
        more = svm_readerRead(&self->reader, &self->doubler.in, 1) == 1;
        if (!more)
            break;
        svm_kernelRun(&self->doubler.kernel);
        svm_kernelWait(&self->doubler.kernel);
        svm_writerWrite(&self->writer, &self->doubler.out, 1);
        self->steadyStates++;
    }
    svm_printMerge(self->logs, 1);
    return more;
}

static void drain(void *instance)
{
    Instance *self = instance;
    svm_printText(&self->doubler.log, "drained\n");
    svm_printMerge(self->logs, 1);
}

static void destroy(void *instance)
{
    Instance *self = instance;
    svm_readerClose(&self->reader);
    svm_writerClose(&self->writer);
    svm_logDestroy(&self->doubler.log);
    svm_machineDestroy(self->machine);
    free(self);
}

static int64_t steadyStates(const void *instance)
{
    return ((const Instance *)instance)->steadyStates;
}

int main(int argc, char **argv)
{
    static const svm_Program program = {.name = "doubler",
                                        .create = create,
                                        .run = run,
                                        .drain = drain,
                                        .destroy = destroy,
                                        .reads_input = true,
                                        .writes_output = true,
                                        .steady_states = steadyStates};
    return svm_main(&program, argc, argv);
}
