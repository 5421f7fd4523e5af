// MATMATMULT: C = A * B, dense. A thread makes four rows by four columns of C, over 64 steps of the inner dimension.
//
// Thread (x, y) writes C's columns 4x to 4x+3 of row 4y+i to output i. s0 holds A in squares of 4 x 4: element (4k+i, y) is row
// 4y+i, columns 4k to 4k+3. s1 holds B in rows: element (x, j) is row j, columns 4x to 4x+3. So both are read at j = 4k+i.
//
// 288 arithmetic instructions and 128 lookups: 2.25 to 1. 15 registers.
        .name first r1          // (x, y, j, j+1)
        .name second r2         // (x, y, j+2, j+3)
        .name sum0 r3
        .name sum1 r4
        .name sum2 r5
        .name sum3 r6
        .name left0 r7
        .name left1 r8
        .name left2 r9
        .name left3 r10
        .name right0 r11
        .name right1 r12
        .name right2 r13
        .name right3 r14
        .const c0 = 0 0 0 1
        .const c1 = 0 0 2 3

        MAD first r0.rg0 1 c0
        mad first 0 0 c0.a
        MAD second r0.rg0 1 c1
        mad second 0 0 c1.a

// The first four steps set the sums.
        TEX left0 first.bg s0
        TEX left1 first.ag s0
        TEX left2 second.bg s0
        TEX left3 second.ag s0
        TEX right0 first.rb s1
        TEX right1 first.ra s1
        TEX right2 second.rb s1
        TEX right3 second.ra s1
        ADD first.b first 4
        add first first 4
        ADD second.b second 4
        add second second 4
        MUL sum0 left0.r right0    | mul sum0 left0.r right0
        MUL sum1 left1.r right0    | mul sum1 left1.r right0
        MUL sum2 left2.r right0    | mul sum2 left2.r right0
        MUL sum3 left3.r right0    | mul sum3 left3.r right0
        MAD sum0 left0.g right1 sum0    | mad sum0 left0.g right1 sum0
        MAD sum1 left1.g right1 sum1    | mad sum1 left1.g right1 sum1
        MAD sum2 left2.g right1 sum2    | mad sum2 left2.g right1 sum2
        MAD sum3 left3.g right1 sum3    | mad sum3 left3.g right1 sum3
        MAD sum0 left0.b right2 sum0    | mad sum0 left0.b right2 sum0
        MAD sum1 left1.b right2 sum1    | mad sum1 left1.b right2 sum1
        MAD sum2 left2.b right2 sum2    | mad sum2 left2.b right2 sum2
        MAD sum3 left3.b right2 sum3    | mad sum3 left3.b right2 sum3
        MAD sum0 left0.a right3 sum0    | mad sum0 left0.a right3 sum0
        MAD sum1 left1.a right3 sum1    | mad sum1 left1.a right3 sum1
        MAD sum2 left2.a right3 sum2    | mad sum2 left2.a right3 sum2
        MAD sum3 left3.a right3 sum3    | mad sum3 left3.a right3 sum3

        .repeat 14
        TEX left0 first.bg s0
        TEX left1 first.ag s0
        TEX left2 second.bg s0
        TEX left3 second.ag s0
        TEX right0 first.rb s1
        TEX right1 first.ra s1
        TEX right2 second.rb s1
        TEX right3 second.ra s1
        ADD first.b first 4
        add first first 4
        ADD second.b second 4
        add second second 4
        MAD sum0 left0.r right0 sum0    | mad sum0 left0.r right0 sum0
        MAD sum1 left1.r right0 sum1    | mad sum1 left1.r right0 sum1
        MAD sum2 left2.r right0 sum2    | mad sum2 left2.r right0 sum2
        MAD sum3 left3.r right0 sum3    | mad sum3 left3.r right0 sum3
        MAD sum0 left0.g right1 sum0    | mad sum0 left0.g right1 sum0
        MAD sum1 left1.g right1 sum1    | mad sum1 left1.g right1 sum1
        MAD sum2 left2.g right1 sum2    | mad sum2 left2.g right1 sum2
        MAD sum3 left3.g right1 sum3    | mad sum3 left3.g right1 sum3
        MAD sum0 left0.b right2 sum0    | mad sum0 left0.b right2 sum0
        MAD sum1 left1.b right2 sum1    | mad sum1 left1.b right2 sum1
        MAD sum2 left2.b right2 sum2    | mad sum2 left2.b right2 sum2
        MAD sum3 left3.b right2 sum3    | mad sum3 left3.b right2 sum3
        MAD sum0 left0.a right3 sum0    | mad sum0 left0.a right3 sum0
        MAD sum1 left1.a right3 sum1    | mad sum1 left1.a right3 sum1
        MAD sum2 left2.a right3 sum2    | mad sum2 left2.a right3 sum2
        MAD sum3 left3.a right3 sum3    | mad sum3 left3.a right3 sum3
        .endrepeat

// The last four steps go to the outputs.
        TEX left0 first.bg s0
        TEX left1 first.ag s0
        TEX left2 second.bg s0
        TEX left3 second.ag s0
        TEX right0 first.rb s1
        TEX right1 first.ra s1
        TEX right2 second.rb s1
        TEX right3 second.ra s1
        MAD sum0 left0.r right0 sum0    | mad sum0 left0.r right0 sum0
        MAD sum1 left1.r right0 sum1    | mad sum1 left1.r right0 sum1
        MAD sum2 left2.r right0 sum2    | mad sum2 left2.r right0 sum2
        MAD sum3 left3.r right0 sum3    | mad sum3 left3.r right0 sum3
        MAD sum0 left0.g right1 sum0    | mad sum0 left0.g right1 sum0
        MAD sum1 left1.g right1 sum1    | mad sum1 left1.g right1 sum1
        MAD sum2 left2.g right1 sum2    | mad sum2 left2.g right1 sum2
        MAD sum3 left3.g right1 sum3    | mad sum3 left3.g right1 sum3
        MAD sum0 left0.b right2 sum0    | mad sum0 left0.b right2 sum0
        MAD sum1 left1.b right2 sum1    | mad sum1 left1.b right2 sum1
        MAD sum2 left2.b right2 sum2    | mad sum2 left2.b right2 sum2
        MAD sum3 left3.b right2 sum3    | mad sum3 left3.b right2 sum3
        MAD o0 left0.a right3 sum0    | mad o0 left0.a right3 sum0
        MAD o1 left1.a right3 sum1    | mad o1 left1.a right3 sum1
        MAD o2 left2.a right3 sum2    | mad o2 left2.a right3 sum2
        MAD o3 left3.a right3 sum3    | mad o3 left3.a right3 sum3
        END
