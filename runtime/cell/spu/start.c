// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every SPE program has beside its own code: the end of main, the tag manager, calls to the PPE. Compiled by
// svm-spu-gcc with the program.
#define _GNU_SOURCE // exp10
#include <malloc.h>
#include <math.h>
#include <spu_mfcio.h>
#include <stdlib.h>

extern void svm_spu_libcall(unsigned int code, unsigned int data) SVM_SPU_IMPORT("libcall");

__attribute__((export_name("svm_spu_finish"))) void svm_spu_finish(int code);
void svm_spu_finish(int code)
{
    exit(code);
}

static unsigned int reserved_tags;

static unsigned int tags_mask(unsigned int tag, unsigned int count)
{
    return (count >= 32 ? ~0u : (1u << count) - 1) << tag;
}

unsigned int __mfc_multi_tag_reserve(unsigned int count)
{
    for (unsigned int tag = 0; count && count <= 32 && tag + count <= 32; tag++)
        if (!(reserved_tags & tags_mask(tag, count))) {
            reserved_tags |= tags_mask(tag, count);
            return tag;
        }
    return MFC_TAG_INVALID;
}

unsigned int __mfc_multi_tag_release(unsigned int tag, unsigned int count)
{
    if (!count || tag >= 32 || count > 32 - tag || (reserved_tags & tags_mask(tag, count)) != tags_mask(tag, count))
        return MFC_TAG_INVALID;
    reserved_tags &= ~tags_mask(tag, count);
    return MFC_TAG_VALID;
}

unsigned int __mfc_tag_reserve(void)
{
    return __mfc_multi_tag_reserve(1);
}
unsigned int __mfc_tag_release(unsigned int tag)
{
    return __mfc_multi_tag_release(tag, 1);
}

// Of the vendor's C library. A program may have one of its own.
__attribute__((weak)) void *memalign(size_t alignment, size_t size)
{
    return aligned_alloc(alignment, size);
}

// Lets the PPE run the handler of a stop code 0x21nn on data in the local store.
int __send_to_ppe(unsigned int code, unsigned int operation, void *data);
int __send_to_ppe(unsigned int code, unsigned int operation, void *data)
{
    static unsigned int word __attribute__((aligned(16)));
    word = operation << 24 | (unsigned int)data;
    svm_spu_libcall(code, (unsigned int)&word);
    return 0;
}

// ---- Files ----

// The C library takes whole paths for those below the directory that it begins in; here its directories 3 and 4 are the root
// and that one (emulation/wasi_files.c).
int __wrap___wasilibc_find_relpath(const char *path, const char **prefix, char **relative, size_t size);
int __wrap___wasilibc_find_relpath(const char *path, const char **prefix, char **relative, size_t size)
{
    const int whole = *path == '/';
    (void)size;
    while (*path == '/')
        path++;
    *prefix = whole ? "/" : ".";
    *relative = (char *)(*path ? path : ".");
    return whole ? 3 : 4;
}

// ---- Math functions of the PPE's C library ----

#define SVM_MATH_IMPORT(name) __attribute__((import_module("math"), import_name(name)))
#define CELL_MATH_1(name)                                                                                              \
    extern double svm_math_##name(double x) SVM_MATH_IMPORT(#name);                                                    \
    extern float svm_math_##name##f(float x) SVM_MATH_IMPORT(#name "f");                                               \
    double name(double x)                                                                                              \
    {                                                                                                                  \
        return svm_math_##name(x);                                                                                     \
    }                                                                                                                  \
    float name##f(float x)                                                                                             \
    {                                                                                                                  \
        return svm_math_##name##f(x);                                                                                  \
    }
#define CELL_MATH_2(name)                                                                                              \
    extern double svm_math_##name(double x, double y) SVM_MATH_IMPORT(#name);                                          \
    extern float svm_math_##name##f(float x, float y) SVM_MATH_IMPORT(#name "f");                                      \
    double name(double x, double y)                                                                                    \
    {                                                                                                                  \
        return svm_math_##name(x, y);                                                                                  \
    }                                                                                                                  \
    float name##f(float x, float y)                                                                                    \
    {                                                                                                                  \
        return svm_math_##name##f(x, y);                                                                               \
    }
#include "math.def"
