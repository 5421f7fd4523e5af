// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread functions that stay loops and branches, and ints; for threads.c, with -DOTHER='"control.c"'.

// 300 rounds, each with a lookup.
void rounds(float x, float y)
{
    float4 sum = {0, 0, 0, 0};
    for (int i = 0; i < 300; i++) {
        float4 v = svm_spLookup(0, (float)(i % 60), y);
        for (int c = 0; c < 4; c++)
            sum[c] = sum[c] * 0.75f + v[c] * (float)i;
    }
    svm_spOutput(0, (float4){sum[0], sum[1], sum[2], sum[3] + x});
}

// Threads of a batch leave the loop at different times.
void escape(float x, float y)
{
    float4 c = svm_spLookup(0, x, y);
    float re = 0, im = 0, size = 0, last = -1;
    int count = 0;
    for (int i = 0; i < 200; i++) {
        float r = re * re - im * im + c[0];
        im = 2 * re * im + c[1];
        re = r;
        size = re * re + im * im;
        if (size > 4)
            break;
        last = size;
        count++;
    }
    svm_spOutput(0, (float4){re, im, (float)count, last});
    svm_spOutput(1, (float4){size, (float)(count / 3), (float)(count % 7), c[2]});
}

// 307 is prime: two of the machine's loops have more rounds, and both must be left.
void prime(float x, float y)
{
    float4 v = svm_spLookup(0, x, y);
    float a = 1, b = v[0], steps = 0;
    for (int i = 0; i < 307; i++) {
        if (a > 40.0f)
            break;
        float next = a * 1.015625f + b * 0.03125f * v[1];
        b = a * 0.5f - b;
        a = next;
        steps++;
    }
    svm_spOutput(0, (float4){a, b, steps, v[3]});
}

// What a round has is the next round's, in turns.
void turns(float x, float y)
{
    float4 v = svm_spLookup(0, x, y);
    float a = v[0], b = v[1], c = v[2], d = 0;
    for (int i = 0; i < 600; i++) {
        float first = a;
        d = d * 0.5f + a;
        a = b;
        b = c;
        c = first * 0.984375f;
    }
    svm_spOutput(0, (float4){a, b, c, d});
}

// A loop in a loop, which begins with what the outer one has, and ends where another input says.
void nested(float x, float y)
{
    float4 v = svm_spLookup(0, x, y);
    float total = 0, row = v[0];
    for (int j = 0; j < 40; j++) {
        float part = row;
        for (int i = 0; i < 30; i++) {
            float4 w = svm_spLookup(1, (float)i, (float)j);
            part = part * 0.9375f + w[0];
            if (w[1] * v[1] > 3.0f)
                break;
        }
        total += part * v[2];
        row = part - total * 0.015625f;
    }
    svm_spOutput(0, (float4){total, row, v[3], 0});
}

// Lookups under a condition: only threads that want them have coordinates within the input.
void guarded(float x, float y)
{
    float4 v = svm_spLookup(0, x, y), o = {v[0], v[1], v[2], v[3]};
    float s = 40.0f * v[0];
    if (s >= 0 && s <= 63) {
        float4 w = svm_spLookup(1, __builtin_floorf(s), y);
        if (w[0] > 0) {
            o[0] = w[1] * v[1];
            float4 u = svm_spLookup(2, x, y);
            o[3] = u[3];
        } else {
            o[0] = w[2];
        }
        o[1] += w[3];
    } else {
        float4 w = svm_spLookup(2, __builtin_fabsf(__builtin_floorf(v[1] * 30)), y);
        for (int i = 0; i < 500; i++)
            o[2] = o[2] * 0.5f + w[1];
    }
    svm_spOutput(0, o);
}

// A long branch without lookups, in a loop.
void seldom(float x, float y)
{
    float4 v = svm_spLookup(0, x, y), o = v;
    for (int i = 0; i < 100; i++) {
        float4 w = svm_spLookup(1, (float)(i & 31), y);
        if (w[0] > v[0]) {
            for (int k = 0; k < 4; k++) {
                o[k] = o[k] * w[k] - v[k] * 0.25f;
                o[k] = o[k] * 0.125f + w[3 - k] * v[k];
                o[k] = o[k] * o[k] * 0.0625f + 1;
            }
        }
    }
    svm_spOutput(0, o);
}

// Ints: bytes, grids, hashes that stay small, division and shifts of negative numbers.
void ints(float x, float y)
{
    float4 v = svm_spLookup(0, x, y);
    int column = (int)x, row = (int)y, place = (row & 63) * 48 + (column & 63);
    float u = v[0] < -2 ? -2 : v[0], w = v[1] < -1 ? -1 : v[1];
    int a = (int)((u > 2 ? 2 : u) * 1000), b = (int)((w > 1 ? 1 : w) * 255);
    int byte = (a * 5 + b * 3) & 255, shifted = a >> 3, masked = a & ~15;
    int q = a / 7, r = a % 7, n = a / -12, big = place * 700 / 1000, odd = (place * 1717) % 5003;
    int low = a < b ? a : b, size = a < 0 ? -a : a, clamped = size > 255 ? 255 : size;
    svm_spOutput(0, (float4){(float)byte, (float)shifted, (float)masked, (float)q});
    svm_spOutput(1, (float4){(float)r, (float)n, (float)big, (float)odd});
    svm_spOutput(2, (float4){(float)low, (float)clamped, (float)(place / 48 == (row & 63)), (float)((unsigned)(a + 1000) < 500u)});
    svm_spOutput(3, (float4){(float)(~a) + (float)(a ^ 63), (float)(column << 4 | (row & 15)), a == b ? 1.0f : 0.0f, (float)(-a)});
}

// Ints that a loop carries.
void counters(float x, float y)
{
    float4 v = svm_spLookup(0, x, y);
    int seed = (int)x * 7 + (int)y, hits = 0, turn = 0;
    float sum = 0;
    for (int i = 0; i < 280; i++) {
        seed = (seed * 37 + 11) & 1023;
        if (seed > 500)
            hits += 3;
        turn = turn == 4 ? 0 : turn + 1;
        float4 w = svm_spLookup(1, (float)(seed & 63), (float)turn);
        sum += w[0] * v[0];
    }
    svm_spOutput(0, (float4){(float)seed, (float)hits, (float)turn, sum});
}

// What is looked up in a loop is used behind it.
void later(float x, float y)
{
    float4 v = {0, 0, 0, 0};
    float sum = x;
    for (int i = 0; i < 300; i++) {
        v = svm_spLookup(1, (float)(i % 40), y);
        sum = sum * 0.5f + v[0];
    }
    svm_spOutput(0, (float4){v[1], v[2], v[3], sum});
}

#define OTHER_KERNELS                                                                                                  \
    {"rounds", rounds}, {"escape", escape}, {"prime", prime}, {"turns", turns}, {"nested", nested},                    \
        {"guarded", guarded}, {"seldom", seldom}, {"ints", ints}, {"counters", counters}, {"later", later},
