// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix of floats in bands of rows, one band an SPE: every element becomes 3x + 1; the largest of every 16th column
// goes, from SPE to SPE, to the first SPE, which hands the maximum of each to the PPE.
#ifndef BANDS_H
#define BANDS_H

#define SPES 4
#define WIDTH 1024
#define ROWS_PER_SPE 24
#define PICKED (WIDTH / 16)

typedef struct band {
    unsigned long long in, out;  // of the band's first row
    unsigned long long result;   // PICKED floats
    unsigned long long first_ls; // where the first SPE's local store is mapped
    unsigned long long first_signal;
    unsigned int index, rows;
    unsigned int padding[20];
} band;

#endif
