# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a program of so many scramblers, each a filter of its own with a shift register of 15 bits.

    scramblers.py COUNT
"""
import sys

SCRAMBLER = """int->int filter Scrambler%d {
    int state = %d;
    work pop 1 push 1 {
        int key = 0;
        for (int i = 0; i < 8; i++) {
            int bit1 = ((state >> 1) ^ state) & 1;
            state = (state >> 1) | (bit1 << 14);
            key = (key << 1) | bit1;
        }
        push(pop() ^ key ^ %d);
    }
}"""
COUNT = int(sys.argv[1])
for k in range(COUNT):
    print(SCRAMBLER % (k, 19072 + k, k * k))
print("int->int pipeline Main {", " ".join(f"add Scrambler{k};" for k in range(COUNT)), "}")
