// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DES of examples/des with nettle: bits lie in files as its bytes do.
#include "queue.h"
#include <nettle/des.h>

#define BLOCK 16384

int main(int argc, char **argv)
{
    static const uint8_t key[8] = {0x13, 0x34, 0x57, 0x79, 0x9b, 0xbc, 0xdf, 0xf1};
    files f = files_open(argc, argv);
    static uint8_t bytes[BLOCK];
    struct des_ctx context;
    des_set_key(&context, key);
    for (size_t n; (n = fread(bytes, 8, BLOCK / 8, f.in)) > 0;) {
        des_encrypt(&context, 8 * n, bytes, bytes);
        if (fwrite(bytes, 8, n, f.out) != n) {
            perror("output");
            return 1;
        }
    }
    files_close(f);
    return 0;
}
