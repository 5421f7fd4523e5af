// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread functions and launches. A thread function says what one thread of a rectangle does, of a *domain*; a kernel that
// runs it over a domain is a launch on a processor that has threads (a soft processor, a graphics processor), and two
// plain loops on any other.
//
//     SVM_FIRE(thread)
//     static inline void scale(float x, float y, const svm_Plane *in, svm_Plane *out, float factor)
//     {
//         float v[4];
//         svm_lookup(v, in, x, y);
//         for (int i = 0; i < 4; i++)
//             v[i] *= factor;
//         svm_output(out, x, y, v);
//     }
//
//     SVM_DOMAIN(64, rows, scale, &in, &out, self->factor);      in a kernel
//
// A thread reads elements of four floats of its inputs, wherever it likes, and writes one element of each output: that of its
// own place. It has no state. docs/softproc.md has the rules.
#ifndef SVM_LAUNCH_H
#define SVM_LAUNCH_H

#include "svm/arith.h"
#include "svm/svm.h"

#ifdef __cplusplus
extern "C" {
#endif

// Rows of elements of four floats, one after another without gaps. The last row may be shorter.
typedef struct svm_Plane {
    float *data;
    ptrdiff_t width, elements; // of a row; of all rows
} svm_Plane;

static inline svm_Plane svm_plane(const void *data, ptrdiff_t width, ptrdiff_t elements)
{
    svm_Plane p = {(float *)(uintptr_t)data, width, elements};
    return p;
}

SVM_NORETURN void svm_planeError(const svm_Plane *plane, float s, float t, int reading);

// Where element s of row t begins: number s + t * width, also where s is beyond the row. Coordinates are cut to whole numbers.
static inline ptrdiff_t svm_planeElement(const svm_Plane *plane, float s, float t, int reading)
{
    ptrdiff_t number = (ptrdiff_t)s + (ptrdiff_t)t * plane->width;
    if (__builtin_expect(number < 0 || number >= plane->elements, 0))
        svm_planeError(plane, s, t, reading);
    return 4 * number;
}

static inline void svm_lookup(float element[4], const svm_Plane *in, float s, float t)
{
    const float *from = in->data + svm_planeElement(in, s, t, 1);
    for (int i = 0; i < 4; i++)
        element[i] = from[i];
}

// x and y are the thread's own.
static inline void svm_output(svm_Plane *out, float x, float y, const float element[4])
{
    float *to = out->data + svm_planeElement(out, x, y, 0);
    for (int i = 0; i < 4; i++)
        to[i] = element[i];
}

// Runs thread(x, y, ...) for x from 0 to width - 1 and y from 0 to height - 1, in any order; what is behind `thread` are its
// planes and scalars, computed once for each thread on other processors, so they are to be the same each time.
#ifdef SVM_LAUNCHES
// False where the kernel's processor has no threads. svm-llc puts the program of `thread` there.
bool svm_launch(void (*thread)(void), ptrdiff_t width, ptrdiff_t height, ...);
#define SVM_DOMAIN(width, height, thread, ...)                                                                         \
    do {                                                                                                               \
        const ptrdiff_t svm_domainWidth = (width), svm_domainHeight = (height);                                        \
        if (svm_launch((void (*)(void))thread, svm_domainWidth, svm_domainHeight, __VA_ARGS__))                        \
            break;                                                                                                     \
        SVM_DOMAIN_LOOPS(thread, __VA_ARGS__);                                                                         \
    } while (0)
#else
#define SVM_DOMAIN(width, height, thread, ...)                                                                         \
    do {                                                                                                               \
        const ptrdiff_t svm_domainWidth = (width), svm_domainHeight = (height);                                        \
        SVM_DOMAIN_LOOPS(thread, __VA_ARGS__);                                                                         \
    } while (0)
#endif
#define SVM_DOMAIN_LOOPS(thread, ...)                                                                                  \
    for (ptrdiff_t svm_domainY = 0; svm_domainY < svm_domainHeight; svm_domainY++)                                     \
        for (ptrdiff_t svm_domainX = 0; svm_domainX < svm_domainWidth; svm_domainX++)                                  \
    thread((float)svm_domainX, (float)svm_domainY, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
