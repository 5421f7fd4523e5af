// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of svm/elementary.h for programs that call them (SVM_ELEMENTARY_CALLS).
#define svm_atanf inline_atanf
#define svm_atan2f inline_atan2f
#define svm_expf inline_expf
#define svm_logf inline_logf
#define svm_log10f inline_log10f
#define svm_tanhf inline_tanhf
#define svm_powf inline_powf
#define svm_sinf inline_sinf
#define svm_cosf inline_cosf
#define svm_tanf inline_tanf
#include "svm/elementary.h"
#undef svm_atanf
#undef svm_atan2f
#undef svm_expf
#undef svm_logf
#undef svm_log10f
#undef svm_tanhf
#undef svm_powf
#undef svm_sinf
#undef svm_cosf
#undef svm_tanf

#define ONE(name)                                                                                                      \
    float svm_##name(float x);                                                                                         \
    float svm_##name(float x)                                                                                          \
    {                                                                                                                  \
        return inline_##name(x);                                                                                       \
    }
#define TWO(name)                                                                                                      \
    float svm_##name(float x, float y);                                                                                \
    float svm_##name(float x, float y)                                                                                 \
    {                                                                                                                  \
        return inline_##name(x, y);                                                                                    \
    }
ONE(atanf)
ONE(expf)
ONE(logf)
ONE(log10f)
ONE(tanhf)
ONE(sinf)
ONE(cosf)
ONE(tanf)
TWO(atan2f)
TWO(powf)
