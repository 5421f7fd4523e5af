// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plain functions of the stream instructions that kernels call, here and on an SPE: calls from a place that is not known
// (svm/places.h).
#define SVM_NO_PLACES
#include "svm/instructions.h"

int32_t svm_parameter(svm_Kernel *k, size_t parameter)
{
    return svm_parameterAt(k, parameter, NULL, 0);
}

float svm_parameterFloat(svm_Kernel *k, size_t parameter)
{
    return svm_parameterFloatAt(k, parameter, NULL, 0);
}

void svm_setParameter(svm_Kernel *k, size_t parameter, int32_t value)
{
    svm_setParameterAt(k, parameter, value, NULL, 0);
}

void svm_setParameterFloat(svm_Kernel *k, size_t parameter, float value)
{
    svm_setParameterFloatAt(k, parameter, value, NULL, 0);
}

void svm_reduceParameter(svm_Kernel *k, size_t parameter, svm_Operation operation, const void *value)
{
    svm_reduceParameterAt(k, parameter, operation, value, NULL, 0);
}

void svm_srfRead(svm_Kernel *k, size_t stream, void *record)
{
    svm_srfReadAt(k, stream, record, NULL, 0);
}

bool svm_srfReadIf(svm_Kernel *k, size_t stream, bool condition, void *record)
{
    return svm_srfReadIfAt(k, stream, condition, record, NULL, 0);
}

void svm_srfWrite(svm_Kernel *k, size_t stream, const void *record)
{
    svm_srfWriteAt(k, stream, record, NULL, 0);
}

void svm_srfWriteIf(svm_Kernel *k, size_t stream, bool condition, const void *record)
{
    svm_srfWriteIfAt(k, stream, condition, record, NULL, 0);
}

bool svm_EOS(svm_Kernel *k, size_t stream)
{
    return svm_EOSAt(k, stream, NULL, 0);
}

bool svm_Full(svm_Kernel *k, size_t stream)
{
    return svm_FullAt(k, stream, NULL, 0);
}

size_t svm_srfLeft(svm_Kernel *k, size_t stream)
{
    return svm_srfLeftAt(k, stream, NULL, 0);
}

ptrdiff_t svm_INSTANCE(svm_Kernel *k, size_t stream)
{
    return svm_INSTANCEAt(k, stream, NULL, 0);
}

bool svm_srfAt(svm_Kernel *k, size_t stream, ptrdiff_t position, void *record)
{
    return svm_srfAtAt(k, stream, position, record, NULL, 0);
}

void svm_suspend(svm_Kernel *k)
{
    svm_suspendAt(k, NULL, 0);
}

bool svm_restored(svm_Kernel *k)
{
    return svm_restoredAt(k, NULL, 0);
}
