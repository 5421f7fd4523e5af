# A program of sys.argv[1] sources that never come round, behind them one that does after 5 firings, and one that does after
# 200, each of which takes many steps.
import sys

count = int(sys.argv[1])
print('''void->int filter S(int k) {
    int s = k;
    work push 1 { int t = 0; for (int i = 0; i < 20; i++) { s = s * 1664525 + 1013904223 + k; t = t + (s >> i); } push(t); }
}
void->int filter Round(int n) {
    int x;
    work push 1 { push(x * x * 3 + x / 3 + (x >> 1) + x % 5); x++; if (x == n) x = 0; }
}
void->int filter Slow(int n) {
    int x;
    work push 1 { int t = 0; for (int i = 0; i < 20; i++) t = t * 31 + (x >> i); push(t); x++; if (x == n) x = 0; }
}
void->int splitjoin Main {
    split roundrobin(0);''')
print(f'    for (int i = 0; i < {count}; i++) add S(i);')
print('    add Round(5);\n    add Slow(200);\n    join roundrobin;\n}')
