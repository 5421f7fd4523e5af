// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers as text.
#ifndef SVM_HOST_PRINT_FLOAT_H
#define SVM_HOST_PRINT_FLOAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SVMR_FLOAT_BYTES 328 // "-", the 309 digits of the greatest double, ".", six digits, "\0" and some
#define SVMR_INT_BYTES 32    // the 20 digits of the greatest, and what is written behind them

// Decimal digits of v; gives where they end. Up to seven characters behind them may be written.
char *svmr_putUnsigned(char *at, uint64_t v);
// What printf("%f") writes, but "nan" for every NaN; gives how many characters. One behind them may be written.
size_t svmr_putFloat(char *at, double v);

#endif
