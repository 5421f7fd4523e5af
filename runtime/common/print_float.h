// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers as text.
#ifndef SVM_HOST_PRINT_FLOAT_H
#define SVM_HOST_PRINT_FLOAT_H

#include <stddef.h>
#include <stdint.h>

#define SVMR_FLOAT_BYTES 328 // "-", the 309 digits of the greatest double, ".", six digits, "\0" and some

// Decimal digits of v; gives where they end.
char *svmr_putUnsigned(char *at, uint64_t v);
// What printf("%f") writes, but "nan" for every NaN; gives how many characters.
size_t svmr_putFloat(char *at, double v);

#endif
