// Runs the stream program doubler.str on a file: embed IN OUT.
#include <stdio.h>

#include "doubler.h"

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    void *program = Doubler_create(&(svm_Settings){.in = argv[1], .out = argv[2], .iterations = -1});
    while (Doubler_run(program, 100))
        continue;
    Doubler_drain(program);
    printf("%d steady states\n", (int)Doubler_steadyStates(program));
    Doubler_destroy(program);
    return 0;
}
