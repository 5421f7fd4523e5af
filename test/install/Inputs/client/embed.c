// Runs the stream program doubler.str on numbers.
#include <stdio.h>

#include "doubler.h"

int main(void)
{
    const int in[] = {1, 5};
    int out[2];
    size_t taken, given;
    Doubler *program = Doubler_create();
    if (program == NULL || Doubler_process(program, in, 2, &taken, out, 2, &given) != Doubler_OK)
        return 1;
    printf("%zu taken, %zu given: %d %d\n", taken, given, out[0], out[1]);
    return Doubler_destroy(program);
}
