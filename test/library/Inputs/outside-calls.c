// What the functions that send messages take and give.
#include <stdio.h>

#include "dynamic.h"
#include "source.h"
#include "types.h"

static void types(void)
{
    const int in[] = {1, 2, 3, 4}, v[] = {0, 1, 16, 0}, bits[] = {0, 7, 0};
    const T_Point p = {3, {0.5f, 2}, {false, true}};
    const T_Complex c = {1.5f, -2};
    int out[4] = {0};
    size_t taken, given;
    T *t = T_create();
    T_process(t, in, 4, &taken, out, 4, &given);
    printf("types: %d %d %d %d\n", out[0], out[1], out[2], out[3]);
    if (T_send_all(t, true, c, v, p, 1, 0.25, 5) != T_OK || T_send_bits(t, bits, 6) != T_OK)
        printf("%s\n", T_error(t));
    T_process(t, in, 3, &taken, out, 4, &given);
    printf("all: %d %d\n", out[0], out[1]);
    printf("bits: %d\n", out[2] - in[2]);
    if (T_send_all(t, true, c, v, p, 1, 0.25, 3) == T_ERROR)
        printf("past: %s\n", T_error(t));
    if (T_send_bits(t, bits, -2) == T_ERROR)
        printf("wrong: %s\n", T_error(t));
    T_send_bits(t, bits, 9); // which a reset forgets
    T_send_bits(t, bits, T_NOW);
    T_reset(t);
    T_process(t, in, 1, &taken, out, 4, &given);
    printf("reset: %d\n", out[0]);
    T_drain(t, out, 4, &given);
    if (T_send_mute(t, T_NOW) == T_ERROR)
        printf("ended: %s\n", T_error(t));
    T_destroy(t);
}

// A steady state is two items.
static void source(void)
{
    int out[64] = {0};
    size_t given, count = 0;
    S *s = S_create();
    S_send_b_set(s, 1000, S_NOW);
    S_send_b_set(s, 0, 0);
    S_send_a_set(s, 18, 1);
    S_send_a_set(s, 0, 2);
    S_process(s, out, 5, &given);
    S_send_b_set(s, 100, 20);
    for (count = given; count < 64; count += given)
        S_process(s, out + count, 64 - count, &given);
    printf("source: %d %d %d %d %d %d, %d %d\n", out[0], out[1], out[2], out[3], out[4], out[5], out[39], out[40]);
    if (S_send_a_set(s, 1, 5) == S_ERROR)
        printf("past: %s\n", S_error(s));
    S_destroy(s);
}

static void dynamic(void)
{
    const int in[] = {1, 0, 2};
    int out[3] = {0};
    size_t taken, given;
    D *d = D_create();
    if (D_send_set(d, 5, 2) == D_ERROR)
        printf("dynamic: %s\n", D_error(d));
    D_send_set(d, 10, D_NOW);
    D_process(d, in, 3, &taken, out, 3, &given);
    D_drain(d, out + given, 3 - given, &taken);
    printf("now: %d %d\n", out[0], out[1]);
    D_destroy(d);
}

int main(void)
{
    types();
    source();
    dynamic();
    return 0;
}
