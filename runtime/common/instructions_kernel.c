// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream instructions: what the kernels that svm_KernelStart starts call.
#include "runtime/common/dma.h"
#include "runtime/common/instructions.h"

#include <string.h>

const svmr_InstructionErrorRow svmr_instructionErrors[] = {
#define INSTRUCTION_ERROR(id, error, text) [SVMR_##id] = {SVM_ERROR_##error, text},
#include "runtime/common/instructions_errors.def"
};

static SVMR_COLD _Noreturn void fail(const svm_Kernel *k, svmr_InstructionError error, svmr_Place at, size_t number)
{
    const svmr_InstructionErrorRow *row = &svmr_instructionErrors[error];
    svmr_fail(k->private_->machine, row->error, svmr_name(k->private_), at, row->text, number);
}

static svmr_Instruction *checkInstruction(const svm_Kernel *k, svmr_Place at)
{
    svmr_Kernel *p = svmr_checkKernel(k, at);
    svmr_Instruction *i = p->instruction;
    if (SVMR_UNLIKELY(!i))
        fail(k, SVMR_NOT_STARTED, at, 0);
    return i;
}

// ---- Parameters ----

static int32_t *parameterOf(const svm_Kernel *k, size_t parameter, svmr_Place at)
{
    const svmr_Instruction *i = checkInstruction(k, at);
    size_t count = i->unit->parameterRegisters;
    if (SVMR_UNLIKELY(parameter >= count))
        fail(k, SVMR_NO_PARAMETER, at, parameter);
    return &i->unit->KernelParamRf[(i->firstParameter + parameter) % count];
}

int32_t svm_parameterAt(svm_Kernel *k, size_t parameter, const char *file, int line)
{
    return *parameterOf(k, parameter, SVMR_PLACE("svm_parameter"));
}

float svm_parameterFloatAt(svm_Kernel *k, size_t parameter, const char *file, int line)
{
    float value;
    memcpy(&value, parameterOf(k, parameter, SVMR_PLACE("svm_parameterFloat")), sizeof value);
    return value;
}

void svm_setParameterAt(svm_Kernel *k, size_t parameter, int32_t value, const char *file, int line)
{
    *parameterOf(k, parameter, SVMR_PLACE("svm_setParameter")) = value;
}

void svm_setParameterFloatAt(svm_Kernel *k, size_t parameter, float value, const char *file, int line)
{
    memcpy(parameterOf(k, parameter, SVMR_PLACE("svm_setParameterFloat")), &value, sizeof value);
}

void svm_reduceParameterAt(svm_Kernel *k, size_t parameter, svm_Operation operation, const void *value,
                           const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_reduceParameter");
    int32_t *word = parameterOf(k, parameter, at);
    const svmr_OperationRow *row = svmr_operation(operation);
    if (!row || !row->apply)
        fail(k, SVMR_NO_OPERATION, at, (size_t)operation);
    if (row->size != sizeof *word)
        fail(k, SVMR_NO_WORDS, at, row->size);
    if (!value)
        fail(k, SVMR_NO_VALUE, at, parameter);
    row->apply(word, value, 1);
}

// ---- Streams ----

static svmr_SrfPort *portOf(const svm_Kernel *k, size_t stream, bool input, svmr_Place at)
{
    const svmr_Instruction *i = checkInstruction(k, at);
    if (SVMR_UNLIKELY(stream >= i->portCount))
        fail(k, SVMR_NO_STREAM, at, stream);
    if (SVMR_UNLIKELY((stream < i->inputs) != input))
        fail(k, input ? SVMR_IS_OUTPUT : SVMR_IS_INPUT, at, stream);
    svmr_SrfPort *port = &i->ports[stream];
    if (SVMR_UNLIKELY(!port->reached)) {
        svmr_Kernel *p = k->private_;
        svmr_checkReach(p->machine, p, i->unit->srf, port->block.name, at);
        port->reached = true;
        port->position = input && i->restored ? port->stream->resume : 0;
    }
    return port;
}

static size_t recordBytes(const svmr_SrfPort *port)
{
    return port->stream->reg.stream_record_size * SVM_WORD;
}

static char *recordAt(const svmr_SrfPort *port, size_t position)
{
    return (char *)svm_blockData(&port->block) + position * recordBytes(port);
}

static size_t leftToRead(const svmr_SrfPort *port)
{
    return port->position < port->stream->records ? port->stream->records - port->position : 0;
}

static size_t leftToWrite(const svmr_SrfPort *port)
{
    return port->stream->reg.stream_length - port->position;
}

// NULL: nobody wants it.
static void give(const svmr_SrfPort *port, void *record, const char *found)
{
    if (record && found)
        memcpy(record, found, recordBytes(port));
    else if (record)
        memset(record, 0, recordBytes(port));
}

static bool readNext(svmr_SrfPort *port, void *record)
{
    bool any = leftToRead(port) != 0;
    give(port, record, any ? recordAt(port, port->position) : NULL);
    port->position += any;
    return any;
}

void svm_srfReadAt(svm_Kernel *k, size_t stream, void *record, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_srfRead");
    if (SVMR_UNLIKELY(!readNext(portOf(k, stream, true, at), record)))
        fail(k, SVMR_AT_END, at, stream);
}

bool svm_srfReadIfAt(svm_Kernel *k, size_t stream, bool condition, void *record, const char *file, int line)
{
    svmr_SrfPort *port = portOf(k, stream, true, SVMR_PLACE("svm_srfReadIf"));
    if (condition)
        return readNext(port, record);
    give(port, record, NULL);
    return false;
}

static void writeNext(svm_Kernel *k, size_t stream, bool condition, const void *record, svmr_Place at)
{
    svmr_SrfPort *port = portOf(k, stream, false, at);
    if (!condition)
        return;
    if (SVMR_UNLIKELY(!record))
        fail(k, SVMR_NO_RECORD, at, stream);
    if (SVMR_UNLIKELY(leftToWrite(port) == 0))
        fail(k, SVMR_IS_FULL, at, stream);
    memcpy(recordAt(port, port->position++), record, recordBytes(port));
    port->stream->records = port->position;
}

void svm_srfWriteAt(svm_Kernel *k, size_t stream, const void *record, const char *file, int line)
{
    writeNext(k, stream, true, record, SVMR_PLACE("svm_srfWrite"));
}

void svm_srfWriteIfAt(svm_Kernel *k, size_t stream, bool condition, const void *record, const char *file, int line)
{
    writeNext(k, stream, condition, record, SVMR_PLACE("svm_srfWriteIf"));
}

bool svm_EOSAt(svm_Kernel *k, size_t stream, const char *file, int line)
{
    return leftToRead(portOf(k, stream, true, SVMR_PLACE("svm_EOS"))) == 0;
}

bool svm_FullAt(svm_Kernel *k, size_t stream, const char *file, int line)
{
    return leftToWrite(portOf(k, stream, false, SVMR_PLACE("svm_Full"))) == 0;
}

size_t svm_srfLeftAt(svm_Kernel *k, size_t stream, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_srfLeft");
    const svmr_Instruction *i = checkInstruction(k, at);
    bool input = stream < i->inputs;
    const svmr_SrfPort *port = portOf(k, stream, input, at);
    return input ? leftToRead(port) : leftToWrite(port);
}

ptrdiff_t svm_INSTANCEAt(svm_Kernel *k, size_t stream, const char *file, int line)
{
    return (ptrdiff_t)portOf(k, stream, true, SVMR_PLACE("svm_INSTANCE"))->position - 1;
}

bool svm_srfAtAt(svm_Kernel *k, size_t stream, ptrdiff_t position, void *record, const char *file, int line)
{
    const svmr_SrfPort *port = portOf(k, stream, true, SVMR_PLACE("svm_srfAt"));
    bool inside = position >= 0 && (size_t)position < port->stream->records;
    give(port, record, inside ? recordAt(port, (size_t)position) : NULL);
    return inside;
}

// ---- Suspension ----

void svm_suspendAt(svm_Kernel *k, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_suspend");
    svmr_Instruction *i = checkInstruction(k, at);
    i->suspended = true;
    for (size_t s = 0; s < i->inputs; s++) {
        const svmr_SrfPort *port = portOf(k, s, true, at);
        port->stream->resume = port->position;
    }
}

bool svm_restoredAt(svm_Kernel *k, const char *file, int line)
{
    return checkInstruction(k, SVMR_PLACE("svm_restored"))->restored;
}
