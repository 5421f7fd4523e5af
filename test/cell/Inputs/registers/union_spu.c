#include <spu_mfcio.h>
#include <stdio.h>

typedef union {
    unsigned long long ull;
    unsigned int ui[2];
} addr64;
static unsigned int words[4] __attribute__((aligned(16)));

int main(unsigned long long id, addr64 argp, addr64 envp)
{
    mfc_get(words, argp.ull, sizeof words, 1, 0, 0);
    mfc_write_tag_mask(1 << 1);
    mfc_read_tag_status_all();
    printf("words %u and %u, envp %llu, id %s\n", words[0], words[3], envp.ull, id != 0 ? "there" : "0");
    if (words[1] == 0) // in the machine's order
        spu_mfcdma64(words, argp.ui[0], argp.ui[1], 16, 1, MFC_GET_CMD);
    mfc_read_tag_status_all();
    return (int)words[1];
}
