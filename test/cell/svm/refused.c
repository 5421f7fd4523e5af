// Shows what target cell refuses, with the place and the reason; what it tells with --remarks; errors of kernels on SPEs.
//
// RUN: printf '#include <svm/svm.h>\nSVM_MACHINE("host");\nint main(void) { return 0; }\n' > %t.c
// RUN: not %svm-llc --target=cell %t.c -o %t 2>&1 | FileCheck %s --check-prefix=MACHINE
// MACHINE: .c:2:13: error: target 'cell' needs processors for kernels with a local memory of their own
// RUN: not %svm-llc --target=cell --machine=merrimac %t.c -o %t 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: target 'cell' takes local memories of at most 262144 bytes, and 'LMEM0' of machine 'merrimac' has 1048576
// RUN: not %svm-llc --target=cell %s %S/blocks.c -o %t 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: target 'cell' makes a program of one file of SVM C, not of 2
// RUN: not %svm-llc --target=cell -c %s -o %t 2>&1 | FileCheck %s --check-prefix=OBJECT
// OBJECT: error: target 'cell' cannot write obj; it has --emit=asm, --emit=exe
// RUN: %svm-llc --target=cell --remarks %s -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: refused.c:21:13: remark: of each local store's 262144 bytes the SPEs' program takes {{[0-9]+}}: code {{[0-9]+}}, constants and the commands' ring {{[0-9]+}}, the stack 4096; {{[0-9]+}} are left for blocks
// REMARK: refused.c:53:13: remark: the PPE runs 'waits' (where it is placed on an SPE, in that SPE's local store): it calls 'svm_streamEnded', which SPEs have not
// REMARK: refused.c:57:10: note: here
#include <stdio.h>
#include <stdlib.h>

#include <svm/program.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_PROCESSOR(PPE);
SVM_PROCESSOR(SPE0);

typedef struct {
    svm_Kernel kernel;
    svm_Block *block;
    size_t index;
    svm_Stream *stream;
} Use;

SVM_KERNEL()
static void uses(svm_Kernel *kernel)
{
    Use *self = (Use *)kernel;
    int value = 7;
    svm_blockWrite(self->block, self->index, &value);
}

SVM_KERNEL()
static void divides(svm_Kernel *kernel)
{
    Use *self = (Use *)kernel;
    int value;
    svm_blockRead(self->block, 0, &value);
    if (value == 0)
        svm_divideByZero("divides at refused.c");
}

SVM_KERNEL()
static void waits(svm_Kernel *kernel)
{
    Use *self = (Use *)kernel;
    int value;
    if (!svm_streamEnded(self->stream)) svm_streamPop(self->stream, &value);
}

int main(int argc, char **argv)
{
    static Use use;
    svm_Block block, other;
    int which = argc > 1 ? atoi(argv[1]) : 0;
    svm_kernelInit(&use.kernel, &SPE0, which == 3 ? divides : uses, "use");
    svm_blockInit(&block, &LS0, 0, 16, 4);
    svm_blockInit(&other, &XDR, svm_alloc(&XDR, 64), 16, 4);
    use.block = which == 2 ? &other : &block;
    use.index = which == 1 ? 16 : 3;
    if (which == 4)
        use.index = (size_t)1 << 40;
    if (which == 5)
        svm_blockInit(&block, &LS0, 200000, 40000, 1);
    svm_kernelRun(&use.kernel);
    svm_kernelWait(&use.kernel);
    svm_kernelInit(&use.kernel, &SPE0, waits, "waits");
    puts("done");
    return 0;
}

// RUN: %t 0 | FileCheck %s --check-prefix=GOOD
// GOOD: done
// RUN: not %t 1 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: refused.c:39: error: svm_blockWrite{{.*}}: element 16 of a block of 16 [index-range]
// RUN: not %t 2 2>&1 | FileCheck %s --check-prefix=ELSEWHERE
// ELSEWHERE: refused.c:39: error: svm_blockWrite{{.*}}: the block is in a memory that the kernel's processor does not reach [bad-memory]
// RUN: not %t 3 2>&1 | FileCheck %s --check-prefix=DIVIDE
// DIVIDE: error: division by zero in divides
// RUN: not %t 4 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: error: svm_kernelRun of 'use': the field 'index' of its struct holds what does not fit the 32 bits that an SPE has for it [bad-argument]
// RUN: not %t 5 2>&1 | FileCheck %s --check-prefix=ROOM
// ROOM: refused.c:73: error: svm_blockInit: 40000 bytes at 200000 do not fit in the memory 'LS0'
