#ifndef TASK_H
#define TASK_H
#include <stdint.h>

typedef struct task {
    uint32_t rows, columns;
    uint64_t result;
    float scale[4];
    uint8_t name[16];
} task; // of 48 bytes

#endif
