// Every kind of error, and what works after it.
#include "Divider.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static size_t a, b;

static void tell(const char *what, int result, const Divider *d)
{
    printf("%s: %d, %zu taken, %zu given: %s\n", what, result, a, b, Divider_error(d));
    a = b = 0;
}

int main(void)
{
    Divider *one = Divider_create(), *two = Divider_create();
    const int good[] = {8, 6, 4, 2}, bad[] = {1, 2, -1, 5, 7, 8};
    int out[8] = {0};

    tell("no input", Divider_process(one, NULL, 4, &a, out, 8, &b), one);
    tell("no output", Divider_process(one, good, 4, &a, NULL, 8, &b), one);
    tell("no consumed", Divider_process(one, good, 4, NULL, out, 8, &b), one);
    tell("no produced", Divider_process(one, good, 4, &a, out, 8, NULL), one);
    tell("too many", Divider_process(one, good, SIZE_MAX / 2, &a, out, 8, &b), one);
    tell("nothing", Divider_process(NULL, good, 4, &a, out, 8, &b), NULL);
    tell("nothing to do", Divider_process(one, NULL, 0, NULL, NULL, 0, NULL), one);

    tell("good", Divider_process(one, good, 4, &a, out, 8, &b), one);
    printf("%d %d\n", out[0], out[1]);
    tell("no room", Divider_process(one, good, 4, &a, out, 0, &b), one);
    tell("room for one", Divider_process(one, good, 4, &a, out, 1, &b), one);
    tell("division", Divider_process(one, bad, 6, &a, out, 8, &b), one);
    tell("after it", Divider_process(one, good, 4, &a, out, 8, &b), one);
    tell("drain after it", Divider_drain(one, out, 8, &b), one);
    tell("another", Divider_process(two, good, 3, &a, out, 8, &b), two);
    tell("reset", Divider_reset(one), one);
    tell("good again", Divider_process(one, good, 4, &a, out, 8, &b), one);

    tell("the end", Divider_drain(two, out, 8, &b), two);
    tell("the end again", Divider_drain(two, out, 8, &b), two);
    tell("after the end", Divider_process(two, good, 4, &a, out, 8, &b), two);
    tell("reset", Divider_reset(two), two);
    tell("division", Divider_process(two, bad, 6, &a, out, 8, &b), two);
    tell("destroyed", Divider_destroy(two), NULL);
    tell("destroyed", Divider_destroy(one), NULL);
    tell("nothing destroyed", Divider_destroy(NULL), NULL);
    return 0;
}
