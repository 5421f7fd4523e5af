// Headers of lanes can be included together, whatever the processor: two of them gave one name to rows of different types, and programs that
// use both did not compile where there is AVX-512 VBMI.
// REQUIRES: x86
// RUN: %cc -std=c11 -O1 -Wall -Wextra -Werror -fsyntax-only -I %root/runtime/include -march=icelake-server %s
// RUN: %cc -std=c11 -O1 -Wall -Wextra -Werror -fsyntax-only -I %root/runtime/include -march=x86-64-v4 %s
// RUN: %cc -std=c11 -O1 -Wall -Wextra -Werror -fsyntax-only -I %root/runtime/include -march=x86-64-v3 %s
// RUN: %cc -std=c11 -O1 -Wall -Wextra -Werror -fsyntax-only -I %root/runtime/include %s
// RUN: %cc -std=c11 -O1 -Wall -Wextra -Werror -fsyntax-only -I %root/runtime/include -march=icelake-server -DBYTES_FIRST %s
#include <svm/program.h>
#define SVM_LANES 16
#ifdef BYTES_FIRST
#include <svm/byte_lanes.h>
#include <svm/lanes.h>
#else
#include <svm/lanes.h>

#include <svm/byte_lanes.h>
#endif
