// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
#include <spu_intrinsics.h>
#include <spu_mfcio.h>

#define OUR_CALL 0x10

int __send_to_ppe(unsigned int code, unsigned int opcode, void *data);

static unsigned int arguments[4] __attribute__((aligned(16))) = {30, 12, 0, 0};
static char buffer[64] __attribute__((aligned(128)));

int main(unsigned long long id, unsigned long long argp, unsigned long long envp)
{
    (void)id;
    (void)envp;
    if (argp == 0) {
        spu_stop(0x123);
        spu_stop(0x124);
        return 9;
    }
    if (argp == 1) {
        __send_to_ppe(0x2100 | OUR_CALL, 0, arguments);
        exit((int)arguments[2]);
    }
    mfc_get(buffer + 1, (unsigned long long)0x1000, 16, 0, 0, 0);
    return 0;
}
