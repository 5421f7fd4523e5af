#include <stdbool.h>
#define LIMIT (1 < 2)
static const int table[] = {1, 2, 3};

/* a < b is not code */
static int count(const int *items, int n)
{
    int found = 0;
    for (int i = 0; i < n; i++) // i < n
        if (items[i] > 1 && !(items[i] == table[0]))
            found++;
    print("n > 1");
    return n > 0 ? found + 1 : -1;
}
