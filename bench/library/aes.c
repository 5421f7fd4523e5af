// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AES-128 of examples/aes with nettle, which takes the processor's AES instructions where it has them.
#include "queue.h"
#include <nettle/aes.h>

#define BLOCK 16384

int main(int argc, char **argv)
{
    static const uint8_t key[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
    files f = files_open(argc, argv);
    ints in, out;
    static uint8_t bytes[BLOCK];
    struct aes128_ctx context;
    queue_init(&in, BLOCK);
    queue_init(&out, BLOCK);
    aes128_set_encrypt_key(&context, key);
    while (queue_read(&in, BLOCK - in.fill, f), in.fill >= 16) {
        ptrdiff_t n = in.fill / 16 * 16;
        for (ptrdiff_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)in.data[i];
        aes128_encrypt(&context, (size_t)n, bytes, bytes);
        for (ptrdiff_t i = 0; i < n; i++)
            out.data[i] = bytes[i];
        out.fill = n;
        queue_write(&out, f);
        queue_drop(&in, n);
    }
    files_close(f);
    return 0;
}
