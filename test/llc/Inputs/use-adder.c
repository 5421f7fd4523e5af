#include <adder.h>
#include <stdio.h>
int adder_main(void);
int main(void)
{
    Adder *a = adder_get();
    adder_reset(a, 0);
    adder_add(a, 2);
    printf("sum %d, main %d\n", adder_add(a, 3), adder_main());
    return 0;
}
