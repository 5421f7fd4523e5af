// Streams that do not fit a call stop the program with the call's line, the names on both sides and their shapes; so does what is done to streams
// that cannot be done. Compiled and interpreted kernels say the same.
// RUN: split-file %s %t
// RUN: svmc --emit=header -x sir %t/k.sir -o %t/k.h
// RUN: svmc %t/k.sir %t/main.c -o %t/k
// RUN: svmc --c-level=0 --interpret-kernels %t/k.sir %t/main.c -o %t/i
// RUN: not %t/k 0 2>&1 | FileCheck %s --check-prefix=EXTENT
// RUN: not %t/i 0 2>&1 | FileCheck %s --check-prefix=EXTENT
// RUN: not %t/k 1 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not %t/k 2 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// RUN: not %t/k 3 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not %t/k 4 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not %t/k 5 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not %t/k 6 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not %t/k 7 2>&1 | FileCheck %s --check-prefix=DOMAIN
// RUN: not %t/k 8 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not %t/i 8 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not %t/k 9 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: not %t/k 10 2>&1 | FileCheck %s --check-prefix=ITERATOR
// RUN: not %t/k 11 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not %t/k 12 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not %t/k 13 2>&1 | FileCheck %s --check-prefix=INDEX
//
// EXTENT: host.br:30: error: both: input 'a', stream 's6' of shape <6> does not fit output 'x', stream 's4' of shape <4>
// RANK: host.br:31: error: both: input 'a', stream 's2x3' of shape <2, 3> does not fit output 'x', stream 's6' of shape <6>
// OUTPUTS: host.br:32: error: both: output 'y', stream 's3' of shape <3> does not fit output 'x', stream 's6' of shape <6>
// TYPE: host.br:33: error: both: output 'x', stream 'ints' of shape <6> has elements of type int, not float
// GATHER: host.br:34: error: pick: gather argument 'g', stream 's2x3' of shape <2, 3> is subscripted in 1 dimensions
// EMPTY: host.br:35: error: pick: gather argument 'g', stream 's0' of shape <0> has no elements
// NONE: host.br:36: error: pick: the stream 'nothing' has no elements yet: nothing was assigned to it
// DOMAIN: host.br:37: error: domain: 2 to 7 in dimension x of the stream 's6' of shape <6>
// BLOCKS: host.br:38: error: sum: input 'v', stream 's6' of shape <6> does not fit result 'r', stream 's4' of shape <4>
// OVERLAP: host.br:39: error: both: the outputs 'x' and 'y' are parts of one stream that overlap
// ITERATOR: host.br:40: error: both: output 'x', stream 'it' of shape <6> is an iterator
// NEGATIVE: host.br:41: error: stream 'n': the extent -1 of dimension 1 is negative
// LARGE: host.br:42: error: stream 'n': more bytes than this computer can address
// INDEX: host.br:43: error: streamGatherOp: the index 6 in dimension x is outside of the stream 's6' of shape <6>

//--- k.sir
module k
filter both: void -> void finite {
    in $a: float
    out $x: float
    out $y: float
    work {
        $x = $a
        $y = -$a
    }
}
filter pick: void -> void finite {
    gather $g: float rank 1
    out $x: float
    work {
        $x = $g[0]
    }
}
filter sum: void -> void finite {
    in $v: float
    reduced $r: float
    work {
        $r = $r + $v
    }
}
//--- main.c
#include <stdlib.h>

#include "k.h"

static const svm_BrookType real = {"float", "f"}, whole = {"int", "i"};

static svm_BrookStream make(const char *name, const svm_BrookType *type, int rank, ptrdiff_t a, ptrdiff_t b)
{
    const ptrdiff_t extents[] = {a, b};
    return svm_brookMake(SVM_BROOK_HERE, name, type, rank, extents);
}

int main(int argc, char **argv)
{
    svm_BrookStream s0 = make("s0", &real, 1, 0, 0), s3 = make("s3", &real, 1, 3, 0), s4 = make("s4", &real, 1, 4, 0),
                    s6 = make("s6", &real, 1, 6, 0), s2x3 = make("s2x3", &real, 2, 2, 3),
                    ints = make("ints", &whole, 1, 6, 0), nothing = {.name = "nothing"}, t6 = make("t6", &real, 1, 6, 0);
    const ptrdiff_t six = 6, minus[] = {-1}, large[] = {PTRDIFF_MAX, 4};
    const float from = 0, to = 7;
    const int two = 2, seven = 7, zero = 0, four = 4;
    svm_BrookStream it = svm_brookIterator(SVM_BROOK_HERE, "it", &real, 1, &six, &from, &to);
    const float indices[] = {0, 1, 2, 3, 4, 6};
    svm_brookRead(SVM_BROOK_HERE, t6, indices);
    (void)argc;
    const int test = atoi(argv[1]);
    const svm_BrookPlace place = {"host.br", 30 + test}, *at = &place;
    switch (test) {
    case 0: brook_both(at, s6, s4, s4); break;
    case 1: brook_both(at, s2x3, s6, s6); break;
    case 2: brook_both(at, s6, s6, s3); break;
    case 3: brook_both(at, s6, ints, s6); break;
    case 4: brook_pick(at, s2x3, s6); break;
    case 5: brook_pick(at, s0, s6); break;
    case 6: brook_pick(at, nothing, s6); break;
    case 7: svm_brookDomain(at, s6, 1, &two, &seven); break;
    case 8: brook_sum_partial(at, s6, s4); break;
    case 9:
        brook_both(at, s4, svm_brookDomain(at, s6, 1, &zero, &four), svm_brookDomain(at, s6, 1, &two, (const int[]){6}));
        break;
    case 10: brook_both(at, s6, it, s6); break;
    case 11: svm_brookMake(at, "n", &real, 1, minus); break;
    case 12: svm_brookMake(at, "n", &real, 2, large); break;
    case 13: svm_brookGatherOp(at, make("d", &real, 1, 6, 0), t6, s6, brook_sum_one); break;
    }
    return 0;
}
