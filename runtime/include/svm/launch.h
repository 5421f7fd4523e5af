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

// Rows of elements of four floats, one after another. The last row may be shorter.
typedef struct svm_Plane {
    float *data;
    ptrdiff_t width, elements; // of a row; of all rows
    ptrdiff_t row, step;       // floats from a row to the next, and from an element to the next
    bool ints; // `data` are ints, which the machine has as floats: of magnitudes up to 2^24, or the launch is loops
    ptrdiff_t stride, second; // from its first float to its second one, and to its third; the fourth is beyond that
    const ptrdiff_t *places;  // of each row, in floats from `data`; NULL: `row` apart
    ptrdiff_t items;          // floats of a row, where its last elements have fewer; 0: all are whole
} svm_Plane;

// Elements and their floats without gaps.
static inline svm_Plane svm_plane(const void *data, ptrdiff_t width, ptrdiff_t elements)
{
    svm_Plane p = {(float *)(uintptr_t)data, width, elements, 4 * width, 4, false, 1, 2, 0, 0};
    return p;
}

// With gaps, or over each other: a driver copies them.
static inline svm_Plane svm_planeApart(const void *data, ptrdiff_t width, ptrdiff_t elements, ptrdiff_t step,
                                       ptrdiff_t stride, ptrdiff_t second)
{
    svm_Plane p = {(float *)(uintptr_t)data, width, elements, step * width, step, false, stride, second, 0, 0};
    return p;
}

// With rows that do not continue each other: no coordinate s is beyond its row then.
static inline svm_Plane svm_planeRows(const void *data, ptrdiff_t width, ptrdiff_t rows, ptrdiff_t row, ptrdiff_t step,
                                      ptrdiff_t stride, ptrdiff_t second)
{
    svm_Plane p = {(float *)(uintptr_t)data, width, width * rows, row, step, false, stride, second, 0, 0};
    return p;
}

// The same with rows anywhere.
static inline svm_Plane svm_planePlaces(const void *data, ptrdiff_t width, ptrdiff_t rows, const ptrdiff_t *places,
                                        ptrdiff_t step, ptrdiff_t stride, ptrdiff_t second)
{
    svm_Plane p = svm_planeRows(data, width, rows, 0, step, stride, second);
    p.places = places;
    return p;
}

// The same with rows of so many floats, which may be no whole elements: what an element has beyond them is 0, and is not written.
static inline svm_Plane svm_planeItems(svm_Plane p, ptrdiff_t items)
{
    p.items = items;
    return p;
}

// Places of rows in loops in loops: turns[i] is how many rounds loop i has, strides[i] how far apart they are; the first loop is
// the innermost one.
static inline void svm_rowPlaces(ptrdiff_t *places, int loops, const ptrdiff_t *turns, const ptrdiff_t *strides)
{
    ptrdiff_t count = 1;
    places[0] = 0;
    for (int i = 0; i < loops; i++) {
        for (ptrdiff_t k = count; k < count * turns[i]; k++)
            places[k] = places[k % count] + k / count * strides[i];
        count *= turns[i];
    }
}

// The same of ints, which svm_lookupInts and svm_outputInts read and write. Threads compare and choose them.
static inline svm_Plane svm_planeInts(svm_Plane p)
{
    p.ints = true;
    return p;
}

// Of a long row of threads, the rectangle with rows of at most `most`, multiples of 4, that leaves few of them over.
typedef struct svm_Extent {
    ptrdiff_t width, rows, threads;
} svm_Extent;

static inline svm_Extent svm_extent(ptrdiff_t threads, ptrdiff_t most)
{
    ptrdiff_t rows = threads <= 0 ? 0 : (threads + most - 1) / most;
    rows = rows < 8000 ? rows : 8000;
    ptrdiff_t width = rows == 0 ? 0 : threads / rows < most ? threads / rows / 4 * 4 : most / 4 * 4;
    svm_Extent e = {width, rows, width * rows};
    return e;
}

// How many threads of `each` firings there are in so many firings, if a thread reads `items` and a firing pops and peeks that
// much: none reads what is not there.
static inline ptrdiff_t svm_threads(ptrdiff_t firings, ptrdiff_t each, ptrdiff_t items, ptrdiff_t pop, ptrdiff_t peek)
{
    ptrdiff_t spare = (firings - 1) * pop + peek - items, whole = firings / each;
    ptrdiff_t fit = firings <= 0 || spare < 0 ? 0 : spare / (each * pop) + 1;
    return fit < whole ? fit : whole;
}

SVM_NORETURN void svm_planeError(const svm_Plane *plane, float s, float t, int reading);

// Where element s of row t begins: number s + t * width, also where s is beyond the row. Coordinates are cut to whole numbers.
static inline ptrdiff_t svm_planeElement(const svm_Plane *plane, float s, float t, int reading)
{
    ptrdiff_t number = (ptrdiff_t)s + (ptrdiff_t)t * plane->width;
    if (number < 0 || number >= plane->elements)
        svm_planeError(plane, s, t, reading);
    if (!plane->places && plane->row == plane->width * plane->step)
        return number * plane->step;
    ptrdiff_t row = number / plane->width;
    return (plane->places ? plane->places[row] : row * plane->row) + number % plane->width * plane->step;
}

// Floats that the element has.
static inline int svm_planeFloats(const svm_Plane *plane, float s, float t)
{
    if (plane->items == 0)
        return 4;
    ptrdiff_t left = plane->items - ((ptrdiff_t)s + (ptrdiff_t)t * plane->width) % plane->width * 4;
    return left >= 4 ? 4 : left > 0 ? (int)left : 0;
}

static inline void svm_lookup(float element[4], const svm_Plane *in, float s, float t)
{
    const float *from = in->data + svm_planeElement(in, s, t, 1);
    for (int i = 0, floats = svm_planeFloats(in, s, t); i < 4; i++)
        element[i] = i < floats ? from[i % 2 * in->stride + i / 2 * in->second] : 0;
}

static inline void svm_lookupInts(int element[4], const svm_Plane *in, float s, float t)
{
    const int *from = (const int *)(const void *)in->data + svm_planeElement(in, s, t, 1);
    for (int i = 0, floats = svm_planeFloats(in, s, t); i < 4; i++)
        element[i] = i < floats ? from[i % 2 * in->stride + i / 2 * in->second] : 0;
}

// x and y are the thread's own.
static inline void svm_output(svm_Plane *out, float x, float y, const float element[4])
{
    float *to = out->data + svm_planeElement(out, x, y, 0);
    for (int i = 0, floats = svm_planeFloats(out, x, y); i < floats; i++)
        to[i % 2 * out->stride + i / 2 * out->second] = element[i];
}

static inline void svm_outputInts(svm_Plane *out, float x, float y, const int element[4])
{
    int *to = (int *)(void *)out->data + svm_planeElement(out, x, y, 0);
    for (int i = 0, floats = svm_planeFloats(out, x, y); i < floats; i++)
        to[i % 2 * out->stride + i / 2 * out->second] = element[i];
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
