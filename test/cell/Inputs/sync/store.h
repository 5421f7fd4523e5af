#ifndef STORE_H
#define STORE_H
#include <libsync.h>

enum { CUSTOMERS = 4, EACH = 20, STOCK = 100 };

typedef struct store {
    atomic_ea_t served, clocks, places;
    mutex_ea_t counter;
    unsigned long long stock; // of a word that only who has the lock changes, by itself
    completion_ea_t open;
    mutex_ea_t door;
    cond_ea_t closing;
} store __attribute__((aligned(16)));

#endif
