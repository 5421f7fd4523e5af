// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#error                                                                                                                 \
    "altivec.h: vectors of the PPE (VMX) are not emulated, as the PPE's code runs on this computer's processor: write scalar code there, or move the loop to an SPE"
