// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counter cipher of bench/programs with nettle's ChaCha, which begins at the same state: the counter is its words 12 and 13.
#include "queue.h"
#include <nettle/chacha.h>

#define BLOCK 16384

int main(int argc, char **argv)
{
    files f = files_open(argc, argv);
    static uint8_t bytes[BLOCK];
    uint32_t key[8];
    static const uint8_t nonce[8] = {11, 0, 0, 0, 13}, counter[8] = {0, 0, 0, 0, 7};
    struct chacha_ctx context;
    for (uint32_t i = 0; i < 8; i++)
        key[i] = i * 0x01234567U + 0x89abcdefU;
    chacha_set_key(&context, (const uint8_t *)key);
    chacha_set_nonce(&context, nonce);
    chacha_set_counter(&context, counter);
    for (size_t n; (n = fread(bytes, 64, BLOCK / 64, f.in)) > 0;) {
        chacha_crypt(&context, 64 * n, bytes, bytes);
        if (fwrite(bytes, 64, n, f.out) != n) {
            perror("output");
            return 1;
        }
    }
    files_close(f);
    return 0;
}
