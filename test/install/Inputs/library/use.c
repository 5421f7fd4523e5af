#include <stdio.h>
#include <svm/softproc.h>

#include "three-times.h"

int main(void)
{
    const int in[] = {1, 2, 3};
    int out[3];
    size_t n, m;
    three *t = three_create();
    if (t == NULL || three_process(t, in, 3, &n, out, 3, &m) != three_OK || m != 3)
        return 1;
    three_destroy(t);
    const svm_SpParameters none = {0};
    printf("%d %d %d, %s\n", out[0], out[1], out[2], svm_spOpen(&none, 1 << 16) == NULL ? "no machine" : "a machine");
    return 0;
}
