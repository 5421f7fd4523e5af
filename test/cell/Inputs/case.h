// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the PPE gives the SPE for one case: EAs and a number.
typedef struct case_block {
    unsigned long long memory;                                    // 64 KiB, aligned to 128, at byte i the value i * 7
    unsigned long long readonly;                                  // 64 KiB that only can be read
    unsigned long long ls[4], signal1[4], signal2[4], control[4]; // of the SPEs
    unsigned int number, spe, spes;
    char padding[128 - 12];
} case_block;
