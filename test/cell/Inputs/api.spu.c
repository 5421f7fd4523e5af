// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The SPE's side of api.c: does what the words of its mailbox say.
#include <spu_mfcio.h>
#include <stdio.h>

extern int __send_to_ppe(unsigned int code, unsigned int operation, void *data);

static unsigned int word[4] __attribute__((aligned(16)));
static char area[1024] __attribute__((aligned(128)));

// Writes 1 to the register whose address the next two words are, as any processor may, and reads it until it is 0.
static void synchronize(void)
{
    const unsigned long long high = spu_read_in_mbox(), ea = high << 32 | spu_read_in_mbox();
    word[0] = 1;
    mfc_put(word, ea, 4, 0, 0, 0);
    do {
        mfc_getf(word, ea, 4, 0, 0, 0);
        mfc_write_tag_mask(1);
        mfc_read_tag_status_all();
    } while (word[0] & 1);
    spu_write_out_intr_mbox(word[0]);
}

int main(unsigned long long id, unsigned long long argp, unsigned long long envp)
{
    (void)id;
    if (argp == 1)
        return (int)envp;
    for (;;) {
        const unsigned int what = spu_read_in_mbox();
        switch (what >> 24) {
        case 0: return (int)(what & 0xFF);
        case 1: spu_write_out_mbox(what & 0xFFFFFF); break;
        case 2: spu_write_out_intr_mbox(what & 0xFFFFFF); break;
        case 3: spu_write_out_intr_mbox(spu_read_signal1()); break;
        case 4: spu_stop(what & 0x3FFF); break;
        case 5:
            word[0] = what & 0xFF;
            __send_to_ppe(0x2100 | (what >> 8 & 0xFF), 5, word);
            spu_write_out_intr_mbox(word[0]);
            break;
        case 6: spu_write_out_intr_mbox((unsigned int)area); break;
        case 7: spu_write_out_intr_mbox((unsigned int)area[what & 0x3FF]); break;
        case 8:
            spu_write_event_mask(MFC_IN_MBOX_AVAILABLE_EVENT);
            spu_write_event_ack(~0u);
            spu_write_out_intr_mbox(0);
            spu_write_out_intr_mbox(spu_read_event_status());
            break;
        case 9: synchronize(); break;
        }
    }
}
