// Two libraries, one of them twice, in C++.
#include "again.h"
#include "doubler.h"
#include "names.hpp"

#include <cstdio>

int main()
{
    const int in[3] = {1, 2, 3};
    int once[3], twice[3];
    std::size_t n, m;
    Doubler *one = Doubler_create();
    again *two = again_create();
    names *three = names_create();
    if (Doubler_process(one, in, 3, &n, once, 3, &m) != Doubler_OK || n != 3 || m != 3)
        return 1;
    if (again_process(two, once, 3, &n, twice, 3, &m) != again_OK || n != 3 || m != 3)
        return 1;
    names_error_2 e = {7, 1.5f, {1, 1, 2}}, f;
    if (names_process(three, &e, 1, &n, &f, 1, &m) != names_OK || m != 1)
        return 1;
    std::printf("%d %d %d\n%d %d %d\n%d %g %d\n", once[0], once[1], once[2], twice[0], twice[1], twice[2], f.new_, f.log,
                f.int_[2]);
    return Doubler_destroy(one) | again_destroy(two) | names_destroy(three);
}
