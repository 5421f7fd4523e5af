/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <spu_mfcio.h>

enum { LINES = 64, LINE_WORDS = 32, TAG = 7 };

static unsigned int lines[LINES][LINE_WORDS] __attribute__((aligned(128)));
static unsigned long long line_at[LINES];
static unsigned int result[4] __attribute__((aligned(16)));

static unsigned int word_at(unsigned long long ea)
{
    const unsigned long long line = ea & ~127ull;
    const unsigned int set = (unsigned int)(line >> 7) % LINES;
    if (__builtin_expect(line_at[set] != line, 0)) {
        mfc_get(lines[set], line, 128, TAG, 0, 0);
        mfc_write_tag_mask(1 << TAG);
        mfc_read_tag_status_any();
        line_at[set] = line;
        result[1]++;
    }
    return lines[set][(ea & 127) / 4];
}

int main(unsigned long long speid, unsigned long long argp, unsigned long long envp)
{
    unsigned int at = 1;
    (void)speid;
    for (int i = 0; i < 5000; i++) {
        at = at * 1103515245u + 12345;
        result[0] += word_at(argp + 4 * (i % 8 ? at >> 16 & 1023 : at >> 16 & 65535));
    }
    mfc_put(result, envp, sizeof result, TAG, 0, 0);
    mfc_write_tag_mask(1 << TAG);
    mfc_read_tag_status_all();
    return 0;
}
