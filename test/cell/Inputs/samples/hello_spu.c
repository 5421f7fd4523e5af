/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>

int main(unsigned long long speid, unsigned long long argp, unsigned long long envp)
{
    (void)speid, (void)envp;
    printf("SPE %llu says hello\n", argp);
    return (int)argp;
}
