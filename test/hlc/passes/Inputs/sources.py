# A program of sys.argv[1] sources whose state is long in coming round, and one behind them whose items come round early.
import sys

count = int(sys.argv[1])
print('''void->int filter S(int k) {
    int s;
    work push 64 { for (int i = 0; i < 64; i++) { s = s * 1664525 + 1013904223 + k; push((s >> 8) & 0xffff); } }
}
void->int filter Ramp {
    int x;
    work push 100 { for (int i = 0; i < 100; i++) { push(x * x * 3 + x / 3 + (x >> 1) + x % 5); x++; if (x > 22) x = 0; } }
}
void->int splitjoin Main {
    split roundrobin(0);''')
print(f'    for (int i = 0; i < {count}; i++) add S(i);')
print(f'    add Ramp;\n    join roundrobin({"64, " * count}100);\n}}')
