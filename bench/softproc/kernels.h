// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread functions as svm-llc compiles them, one by the name KERNEL. The same text is OpenCL C for clang's r600 backend (r600.cl):
// TABLE is `static const` here, `constant` there.
#define GLUE2(a, b) a##b
#define GLUE(a, b) GLUE2(a, b)
#define IS(kernel) (GLUE(IS_, KERNEL) == GLUE2(IS_, kernel))

// For conditions of the preprocessor.
#define IS_matmatmult 1
#define IS_sgemm 2
#define IS_photon 3
#define IS_fir 4
#define IS_dct_rows 5
#define IS_dct_columns 6
#define IS_mandelbrot 7
#define IS_convolve 8
#define IS_bitonic 9
#define IS_fft_stage 10
#define IS_decimate 11
#define IS_sobel 12
#define IS_black_scholes 13
#define IS_grey 14
#define IS_gather 15
#define IS_decay 16
#define IS_escape 17
#define IS_luma 18

#define TABLE_65(e)                                                                                                    \
    e(0) e(1) e(2) e(3) e(4) e(5) e(6) e(7) e(8) e(9) e(10) e(11) e(12) e(13) e(14) e(15) e(16) e(17) e(18) e(19)      \
        e(20) e(21) e(22) e(23) e(24) e(25) e(26) e(27) e(28) e(29) e(30) e(31) e(32) e(33) e(34) e(35) e(36) e(37)    \
            e(38) e(39) e(40) e(41) e(42) e(43) e(44) e(45) e(46) e(47) e(48) e(49) e(50) e(51) e(52) e(53) e(54)      \
                e(55) e(56) e(57) e(58) e(59) e(60) e(61) e(62) e(63) e(64)
#define TAP(i) (0.3f + 0.011f * (i)-0.0007f * (i) * (i)),
#define ALL _Pragma("unroll")

// ---- Of the paper ----

// Four rows by four columns of A * B over 64 steps. `a` has A in squares: element (j, y) is columns 4 (j / 4) to that + 3 of row
// 4 y + j % 4. `b` has B in rows.
THREAD void matmatmult(float x, float y, INPUT a, INPUT b, OUTPUT o0, OUTPUT o1, OUTPUT o2, OUTPUT o3)
{
    float sum[4][4];
    ALL for (int i = 0; i < 4; i++)
        for (int c = 0; c < 4; c++)
            sum[i][c] = 0;
    ALL for (int k = 0; k < 16; k++) {
        float left[4][4], right[4][4];
        ALL for (int i = 0; i < 4; i++) {
            svm_lookup(left[i], a, (float)(4 * k + i), y);
            svm_lookup(right[i], b, x, (float)(4 * k + i));
        }
        ALL for (int j = 0; j < 4; j++)
            ALL for (int i = 0; i < 4; i++)
                ALL for (int c = 0; c < 4; c++)
                    sum[i][c] += left[i][j] * right[j][c];
    }
    svm_output(o0, x, y, sum[0]);
    svm_output(o1, x, y, sum[1]);
    svm_output(o2, x, y, sum[2]);
    svm_output(o3, x, y, sum[3]);
}

// alpha * A * B + beta * C, all in rows, over 40 steps.
THREAD void sgemm(float x, float y, INPUT a, INPUT b, INPUT c, OUTPUT o0, OUTPUT o1, OUTPUT o2, OUTPUT o3, float alpha, float beta)
{
    float sum[4][4], row[4] = {4 * y, 4 * y + 1, 4 * y + 2, 4 * y + 3};
    ALL for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            sum[i][k] = 0;
    ALL for (int k = 0; k < 10; k++) {
        float left[4][4], right[4][4];
        ALL for (int i = 0; i < 4; i++) {
            svm_lookup(left[i], a, (float)k, row[i]);
            svm_lookup(right[i], b, x, (float)(4 * k + i));
        }
        ALL for (int j = 0; j < 4; j++)
            ALL for (int i = 0; i < 4; i++)
                ALL for (int n = 0; n < 4; n++)
                    sum[i][n] += left[i][j] * right[j][n];
    }
    ALL for (int i = 0; i < 4; i++) {
        float old[4];
        svm_lookup(old, c, x, row[i]);
        ALL for (int n = 0; n < 4; n++)
            sum[i][n] = alpha * sum[i][n] + beta * old[n];
    }
    svm_output(o0, x, y, sum[0]);
    svm_output(o1, x, y, sum[1]);
    svm_output(o2, x, y, sum[2]);
    svm_output(o3, x, y, sum[3]);
}

// Sixteen flights of a photon through a slab of cells. `random` has numbers of 0 to 1 in red and green, `cells` mean flights in red.
THREAD void photon(float x, float y, INPUT random, INPUT cells, OUTPUT out, float depth, float rest, float albedo, float last)
{
    float z = 0, weight = 1, top = 0, bottom = 0, absorbed = 0, row = y;
    ALL for (int flight = 0; flight < 16; flight++) {
        float number[4], cell[4];
        svm_lookup(number, random, x, row);
        svm_lookup(cell, cells, z, 0);
        float length = LOG2(number[0]) * cell[0];
        row += 2;
        z += flight == 0 ? length : length * (number[1] * 2 - 1);
        int above = z < 0, below = z > depth;
        top += above ? weight : 0;
        bottom += below ? weight : 0;
        weight = above || below ? 0 : weight;
        z = z > 0 ? z : 0;
        z = z < last ? z : last;
        absorbed += weight * rest;
        weight *= albedo;
    }
    float result[4] = {top, bottom, absorbed, weight};
    svm_output(out, x, y, result);
}

// ---- Signals and pictures ----

TABLE float fir_taps[65] = {TABLE_65(TAP)};
THREAD void fir(float x, float y, INPUT in, OUTPUT out)
{
    float items[68], sum[4] = {0, 0, 0, 0};
    ALL for (int i = 0; i < 17; i++)
        svm_lookup(items + 4 * i, in, x + (float)i, y);
    ALL for (int i = 0; i < 65; i++)
        ALL for (int k = 0; k < 4; k++)
            sum[k] += fir_taps[i] * items[i + k];
    svm_output(out, x, y, sum);
}

// One of four results of a filter of 32 taps.
THREAD void decimate(float x, float y, INPUT in, OUTPUT out)
{
    float items[44], sum[4] = {0, 0, 0, 0};
    ALL for (int i = 0; i < 11; i++)
        svm_lookup(items + 4 * i, in, 4 * x + (float)i, y);
    ALL for (int i = 0; i < 32; i++)
        ALL for (int k = 0; k < 4; k++)
            sum[k] += fir_taps[i] * items[i + 4 * k];
    svm_output(out, x, y, sum);
}

#define C1 0.98078528f
#define C2 0.92387953f
#define C3 0.83146961f
#define C4 0.70710678f
#define C5 0.55557023f
#define C6 0.38268343f
#define C7 0.19509032f
TABLE float dct_row[8][8] = {
    {1, 1, 1, 1, 1, 1, 1, 1},
    {C1, C3, C5, C7, -C7, -C5, -C3, -C1},
    {C2, C6, -C6, -C2, -C2, -C6, C6, C2},
    {C3, -C7, -C1, -C5, C5, C1, C7, -C3},
    {C4, -C4, -C4, C4, C4, -C4, -C4, C4},
    {C5, -C1, C7, C3, -C3, -C7, C1, -C5},
    {C6, -C2, C2, -C6, -C6, C2, -C2, C6},
    {C7, -C5, C3, -C1, C1, -C3, C5, -C7},
};
THREAD void dct_rows(float x, float y, INPUT in, OUTPUT low, OUTPUT high)
{
    float items[8], result[8];
    svm_lookup(items, in, 2 * x, y);
    svm_lookup(items + 4, in, 2 * x + 1, y);
    ALL for (int k = 0; k < 8; k++) {
        result[k] = items[0] * dct_row[k][0];
        ALL for (int n = 1; n < 8; n++)
            result[k] += items[n] * dct_row[k][n];
    }
    svm_output(low, x, y, result);
    svm_output(high, x, y, result + 4);
}

// Four columns at once, half of the rows of the result.
THREAD void dct_columns(float x, float y, INPUT in, OUTPUT o0, OUTPUT o1, OUTPUT o2, OUTPUT o3)
{
    float items[8][4], result[4][4];
    ALL for (int n = 0; n < 8; n++)
        svm_lookup(items[n], in, x, 8 * y + (float)n);
    ALL for (int k = 0; k < 4; k++)
        ALL for (int c = 0; c < 4; c++) {
            result[k][c] = items[0][c] * dct_row[k][0];
            ALL for (int n = 1; n < 8; n++)
                result[k][c] += items[n][c] * dct_row[k][n];
        }
    svm_output(o0, x, y, result[0]);
    svm_output(o1, x, y, result[1]);
    svm_output(o2, x, y, result[2]);
    svm_output(o3, x, y, result[3]);
}

// Two butterflies of complex numbers: `low` and `high` are halves, `turn` the factors.
THREAD void fft_stage(float x, float y, INPUT low, INPUT high, INPUT turn, OUTPUT sum, OUTPUT difference)
{
    float a[4], b[4], w[4], s[4], d[4];
    svm_lookup(a, low, x, y);
    svm_lookup(b, high, x, y);
    svm_lookup(w, turn, x, y);
    ALL for (int i = 0; i < 4; i += 2) {
        float re = b[i] * w[i] - b[i + 1] * w[i + 1], im = b[i] * w[i + 1] + b[i + 1] * w[i];
        s[i] = a[i] + re;
        s[i + 1] = a[i + 1] + im;
        d[i] = a[i] - re;
        d[i + 1] = a[i + 1] - im;
    }
    svm_output(sum, x, y, s);
    svm_output(difference, x, y, d);
}

TABLE float convolve_taps[3][3] = {{0.1f, -0.2f, 0.3f}, {0.4f, 1.7f, -0.6f}, {0.7f, 0.8f, -0.9f}};
THREAD void convolve(float x, float y, INPUT in, OUTPUT out)
{
    float sum[4] = {0, 0, 0, 0};
    ALL for (int row = 0; row < 3; row++) {
        float items[8];
        svm_lookup(items, in, x, y + (float)row);
        svm_lookup(items + 4, in, x + 1, y + (float)row);
        ALL for (int i = 0; i < 3; i++)
            ALL for (int k = 0; k < 4; k++)
                sum[k] += convolve_taps[row][i] * items[i + k];
    }
    svm_output(out, x, y, sum);
}

// The sum of the slopes' sizes.
THREAD void sobel(float x, float y, INPUT in, OUTPUT out)
{
    float items[3][8], edge[4];
    ALL for (int row = 0; row < 3; row++) {
        svm_lookup(items[row], in, x, y + (float)row);
        svm_lookup(items[row] + 4, in, x + 1, y + (float)row);
    }
    ALL for (int k = 0; k < 4; k++) {
        float across = items[0][k + 2] - items[0][k] + 2 * (items[1][k + 2] - items[1][k]) + items[2][k + 2] - items[2][k];
        float down = items[2][k] - items[0][k] + 2 * (items[2][k + 1] - items[0][k + 1]) + items[2][k + 2] - items[0][k + 2];
        edge[k] = FABS(across) + FABS(down);
    }
    svm_output(out, x, y, edge);
}

// Of elements of red, green, blue and nothing, four at a time.
THREAD void grey(float x, float y, INPUT in, OUTPUT out)
{
    float pixel[4][4], result[4];
    ALL for (int i = 0; i < 4; i++)
        svm_lookup(pixel[i], in, 4 * x + (float)i, y);
    ALL for (int i = 0; i < 4; i++)
        result[i] = FLOOR(pixel[i][0] * 0.299f + pixel[i][1] * 0.587f + pixel[i][2] * 0.114f + 0.5f);
    svm_output(out, x, y, result);
}

// ---- Others ----

// 16 rounds of z = z * z + c for four points; the rounds that each stays within a circle of radius 2.
THREAD void mandelbrot(float x, float y, INPUT re, INPUT im, OUTPUT out)
{
    float cr[4], ci[4], zr[4], zi[4], count[4] = {0, 0, 0, 0};
    svm_lookup(cr, re, x, y);
    svm_lookup(ci, im, x, y);
    for (int i = 0; i < 4; i++) {
        zr[i] = cr[i];
        zi[i] = ci[i];
    }
    ALL for (int round = 0; round < 16; round++)
        ALL for (int i = 0; i < 4; i++) {
            float rr = zr[i] * zr[i], ii = zi[i] * zi[i];
            count[i] += rr + ii <= 4.0f ? 1.0f : 0.0f;
            zi[i] = 2 * zr[i] * zi[i] + ci[i];
            zr[i] = rr - ii + cr[i];
        }
    svm_output(out, x, y, count);
}

// Four pairs: the lower ones, and the higher ones.
THREAD void bitonic(float x, float y, INPUT in, OUTPUT lower, OUTPUT higher)
{
    float a[4], b[4], low[4], high[4];
    svm_lookup(a, in, x, y);
    svm_lookup(b, in, x, y + 8);
    for (int i = 0; i < 4; i++) {
        low[i] = a[i] < b[i] ? a[i] : b[i];
        high[i] = a[i] > b[i] ? a[i] : b[i];
    }
    svm_output(lower, x, y, low);
    svm_output(higher, x, y, high);
}

// Prices of four options: spot, strike and years are inputs; the rate and the volatility are scalars.
THREAD void black_scholes(float x, float y, INPUT spot, INPUT strike, INPUT years, OUTPUT out, float rate, float volatility)
{
    float s[4], k[4], t[4], price[4];
    svm_lookup(s, spot, x, y);
    svm_lookup(k, strike, x, y);
    svm_lookup(t, years, x, y);
    ALL for (int i = 0; i < 4; i++) {
        float root = SQRT(t[i]), spread = volatility * root;
        float d[2], n[2];
        d[0] = (0.6931472f * LOG2(s[i] / k[i]) + (rate + 0.5f * volatility * volatility) * t[i]) / spread;
        d[1] = d[0] - spread;
        ALL for (int j = 0; j < 2; j++) {
            float size = FABS(d[j]), u = 1 / (1 + 0.2316419f * size);
            float tail = 0.39894228f * EXP2(-0.72134752f * size * size) *
                         (u * (0.31938153f + u * (-0.35656378f + u * (1.7814779f + u * (-1.8212560f + u * 1.3302744f)))));
            n[j] = d[j] < 0 ? tail : 1 - tail;
        }
        price[i] = s[i] * n[0] - k[i] * EXP2(-1.442695f * rate * t[i]) * n[1];
    }
    svm_output(out, x, y, price);
}

// A table of 64 elements, looked up by what is in the input.
THREAD void gather(float x, float y, INPUT in, INPUT table, OUTPUT out)
{
    float v[4], result[4];
    svm_lookup(v, in, x, y);
    ALL for (int i = 0; i < 4; i++) {
        float place = FLOOR(FABS(v[i]) * 31), low[4];
        svm_lookup(low, table, place, 0);
        result[i] = low[0] + (FABS(v[i]) * 31 - place) * low[1];
    }
    svm_output(out, x, y, result);
}

// ---- Loops and ints ----

// Sums that forget, over 300 elements of a row and the next ones.
THREAD void decay(float x, float y, INPUT in, OUTPUT out)
{
    float sum[4] = {0, 0, 0, 0};
    for (int i = 0; i < 300; i++) {
        float item[4];
        svm_lookup(item, in, (float)(i & 63), y + (float)(i >> 6));
        for (int k = 0; k < 4; k++)
            sum[k] = sum[k] * 0.96875f + item[k];
    }
    sum[0] += x;
    svm_output(out, x, y, sum);
}

// Rounds that a point stays within a circle of radius 2, of 200 at most.
THREAD void escape(float x, float y, INPUT in, OUTPUT out)
{
    float c[4], z[2] = {0, 0}, result[4];
    int count = 0;
    svm_lookup(c, in, x, y);
    for (int i = 0; i < 200; i++) {
        float re = z[0] * z[0] - z[1] * z[1] + c[0];
        z[1] = 2 * z[0] * z[1] + c[1];
        z[0] = re;
        if (z[0] * z[0] + z[1] * z[1] > 4.0f)
            break;
        count++;
    }
    result[0] = z[0];
    result[1] = z[1];
    result[2] = (float)count;
    result[3] = (float)(count / 3);
    svm_output(out, x, y, result);
}

// Brightness of three bytes in ints, and its high and low digits.
THREAD void luma(float x, float y, INPUT in, OUTPUT out)
{
    float v[4], result[4];
    int byte[3];
    svm_lookup(v, in, x, y);
    ALL for (int i = 0; i < 3; i++) {
        float bounded = FABS(v[i]);
        byte[i] = (int)((bounded > 1 ? 1.0f : bounded) * 255);
    }
    int bright = (byte[0] * 77 + byte[1] * 150 + byte[2] * 29) >> 8;
    result[0] = (float)bright;
    result[1] = (float)(bright >> 4);
    result[2] = (float)(bright & 15);
    result[3] = (float)(bright / 10);
    svm_output(out, x, y, result);
}
