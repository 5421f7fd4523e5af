// Sends to outside-outer.str what outside-inner.str sends to itself: outside PORTION AHEAD IN OUT. Messages go AHEAD items
// before those that they are for; PORTION items are given at a time.
#include <stdio.h>
#include <stdlib.h>

#include "outer.h"

static int in[1 << 16], out[1 << 16];

static int check(Outer *o, int result)
{
    if (result != Outer_ERROR)
        return result;
    fprintf(stderr, "%s\n", Outer_error(o));
    exit(1);
}

static void write_out(FILE *to, size_t count)
{
    if (fwrite(out, sizeof *out, count, to) != count)
        exit(1);
}

int main(int argc, char **argv)
{
    size_t portion = (size_t)atoi(argv[1]), ahead = (size_t)atoi(argv[2]), sent = 0, taken, given;
    FILE *from = fopen(argv[3], "rb"), *to = fopen(argv[4], "wb");
    if (argc != 5 || from == NULL || to == NULL)
        return 1;
    size_t count = fread(in, sizeof *in, sizeof in / sizeof *in, from);
    Outer *o = Outer_create();
    for (size_t at = 0; at < count;) {
        size_t n = portion < count - at ? portion : count - at;
        for (; sent < at + n + ahead; sent++) {
            int k = (int)sent;
            if (k % 5 == 4)
                check(o, Outer_send_p_set(o, k, k % 3, k));
            if (k % 7 == 2)
                check(o, Outer_send_q_set(o, -k, 1, k));
        }
        check(o, Outer_process(o, in + at, n, &taken, out, sizeof out / sizeof *out, &given));
        write_out(to, given);
        at += taken;
    }
    while (check(o, Outer_drain(o, out, 7, &given)) == Outer_OK)
        write_out(to, given);
    write_out(to, given);
    fclose(from);
    fclose(to);
    return Outer_destroy(o);
}
