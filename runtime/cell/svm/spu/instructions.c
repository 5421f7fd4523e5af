// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels of stream instructions call: streams in the local store, parameter registers in memory. Registers that a run
// has used are kept here until it ends.
#define SVM_NO_PLACES
#include <spu_mfcio.h>
#include <string.h>

#include "instructions.h"
#include "runtime/common/instructions_errors.h"
#include "svm_resident.h"

enum { TAG = 31, KEPT = 16 };

// A parameter register.
typedef struct Word {
    uint32_t number;
    int32_t value;
    bool there, changed;
} Word;

static svm_CellInstruction *running; // NULL: none is
static uint64_t home;                // where it goes back to
static Word words[KEPT];

// Where a function was called.
typedef struct Call {
    svmr_InstructionFunction function;
    const char *file;
    int line;
} Call;
#define CALL(name) ((Call){SVMR_CALL_OF_##name, file, line})

static void end(void);

static _Noreturn void fail(svmr_InstructionError error, size_t number, Call at)
{
    const uint64_t object = running && error != SVMR_NO_KERNEL ? running->object : 0;
    if (running)
        end();
    svm_cellInstructionError(at.function, at.file, at.line, error, object, number);
}

static svm_CellInstruction *check(const svm_Kernel *k, Call at)
{
    if (!k)
        fail(SVMR_NO_KERNEL, 0, at);
    if ((const svm_Kernel *)running != k)
        fail(SVMR_NOT_STARTED, 0, at);
    return running;
}

static void wait(void)
{
    mfc_write_tag_mask(1u << TAG);
    mfc_read_tag_status_all();
}

// ---- Parameters ----

// A word moves from and to a place with the same low four bits.
static void move_word(Word *w, bool put)
{
    static int32_t quadword[4] __attribute__((aligned(16)));
    const uint64_t ea = running->parameters + (uint64_t)w->number * sizeof w->value;
    int32_t *const at = &quadword[ea / sizeof *quadword % 4];
    *at = w->value;
    if (put)
        mfc_put(at, ea, sizeof *at, TAG, 0, 0);
    else
        mfc_get(at, ea, sizeof *at, TAG, 0, 0);
    wait();
    w->value = *at;
}

static void put_back(Word *w)
{
    if (w->there && w->changed)
        move_word(w, true);
    w->there = w->changed = false;
}

// read: what is there matters.
static Word *word_of(const svm_Kernel *k, size_t parameter, bool read, Call at)
{
    const svm_CellInstruction *i = check(k, at);
    if (parameter >= i->parameterCount)
        fail(SVMR_NO_PARAMETER, parameter, at);
    const uint32_t number = (uint32_t)(((uint64_t)i->firstParameter + parameter) % i->parameterCount);
    Word *w = &words[number % KEPT];
    if (w->there && w->number == number)
        return w;
    put_back(w);
    w->number = number;
    if (read)
        move_word(w, false);
    w->there = true;
    return w;
}

static void set(const svm_Kernel *k, size_t parameter, const void *value, Call at)
{
    Word *w = word_of(k, parameter, false, at);
    memcpy(&w->value, value, sizeof w->value);
    w->changed = true;
}

int32_t svm_parameterAt(svm_Kernel *k, size_t parameter, const char *file, int line)
{
    return word_of(k, parameter, true, CALL(parameter))->value;
}

float svm_parameterFloatAt(svm_Kernel *k, size_t parameter, const char *file, int line)
{
    float value;
    memcpy(&value, &word_of(k, parameter, true, CALL(parameterFloat))->value, sizeof value);
    return value;
}

void svm_setParameterAt(svm_Kernel *k, size_t parameter, int32_t value, const char *file, int line)
{
    set(k, parameter, &value, CALL(setParameter));
}

void svm_setParameterFloatAt(svm_Kernel *k, size_t parameter, float value, const char *file, int line)
{
    set(k, parameter, &value, CALL(setParameterFloat));
}

void svm_reduceParameterAt(svm_Kernel *k, size_t parameter, svm_Operation operation, const void *value,
                           const char *file, int line)
{
    const Call at = CALL(reduceParameter);
    Word *w = word_of(k, parameter, true, at);
    const size_t bytes = svm_cellOperandBytes(operation);
    if (bytes == 0)
        fail(SVMR_NO_OPERATION, (size_t)operation, at);
    if (bytes != sizeof w->value)
        fail(SVMR_NO_WORDS, bytes, at);
    if (!value)
        fail(SVMR_NO_VALUE, parameter, at);
    svm_cellCombine(operation, &w->value, value, 1);
    w->changed = true;
}

// ---- Streams ----

static svm_CellPort *ports(svm_CellInstruction *i)
{
    return (svm_CellPort *)(i + 1);
}

static svm_CellPort *port_of(const svm_Kernel *k, size_t stream, bool input, Call at)
{
    svm_CellInstruction *i = check(k, at);
    if (stream >= i->ports)
        fail(SVMR_NO_STREAM, stream, at);
    if ((stream < i->inputs) != input)
        fail(input ? SVMR_IS_OUTPUT : SVMR_IS_INPUT, stream, at);
    return &ports(i)[stream];
}

static void *record_at(const svm_CellPort *p, size_t position)
{
    return (void *)(p->data + position * p->bytes);
}

static size_t left_to_read(const svm_CellPort *p)
{
    return p->position < p->its.records ? (size_t)p->its.records - p->position : 0;
}

static size_t left_to_write(const svm_CellPort *p)
{
    return p->length - p->position;
}

// NULL: nobody wants it.
static void give(const svm_CellPort *p, void *record, const void *found)
{
    if (record && found)
        memcpy(record, found, p->bytes);
    else if (record)
        memset(record, 0, p->bytes);
}

static bool read_next(svm_CellPort *p, void *record)
{
    const bool any = left_to_read(p) != 0;
    give(p, record, any ? record_at(p, p->position) : NULL);
    p->position += any;
    return any;
}

void svm_srfReadAt(svm_Kernel *k, size_t stream, void *record, const char *file, int line)
{
    const Call at = CALL(srfRead);
    if (!read_next(port_of(k, stream, true, at), record))
        fail(SVMR_AT_END, stream, at);
}

bool svm_srfReadIfAt(svm_Kernel *k, size_t stream, bool condition, void *record, const char *file, int line)
{
    svm_CellPort *p = port_of(k, stream, true, CALL(srfReadIf));
    if (condition)
        return read_next(p, record);
    give(p, record, NULL);
    return false;
}

static void write_next(svm_Kernel *k, size_t stream, bool condition, const void *record, Call at)
{
    svm_CellPort *p = port_of(k, stream, false, at);
    if (!condition)
        return;
    if (!record)
        fail(SVMR_NO_RECORD, stream, at);
    if (left_to_write(p) == 0)
        fail(SVMR_IS_FULL, stream, at);
    memcpy(record_at(p, p->position++), record, p->bytes);
}

void svm_srfWriteAt(svm_Kernel *k, size_t stream, const void *record, const char *file, int line)
{
    write_next(k, stream, true, record, CALL(srfWrite));
}

void svm_srfWriteIfAt(svm_Kernel *k, size_t stream, bool condition, const void *record, const char *file, int line)
{
    write_next(k, stream, condition, record, CALL(srfWriteIf));
}

bool svm_EOSAt(svm_Kernel *k, size_t stream, const char *file, int line)
{
    return left_to_read(port_of(k, stream, true, CALL(EOS))) == 0;
}

bool svm_FullAt(svm_Kernel *k, size_t stream, const char *file, int line)
{
    return left_to_write(port_of(k, stream, false, CALL(Full))) == 0;
}

size_t svm_srfLeftAt(svm_Kernel *k, size_t stream, const char *file, int line)
{
    const Call at = CALL(srfLeft);
    const bool input = stream < check(k, at)->inputs;
    const svm_CellPort *p = port_of(k, stream, input, at);
    return input ? left_to_read(p) : left_to_write(p);
}

ptrdiff_t svm_INSTANCEAt(svm_Kernel *k, size_t stream, const char *file, int line)
{
    return (ptrdiff_t)port_of(k, stream, true, CALL(INSTANCE))->position - 1;
}

bool svm_srfAtAt(svm_Kernel *k, size_t stream, ptrdiff_t position, void *record, const char *file, int line)
{
    const svm_CellPort *p = port_of(k, stream, true, CALL(srfAt));
    const bool inside = position >= 0 && (uint64_t)position < p->its.records;
    give(p, record, inside ? record_at(p, (size_t)position) : NULL);
    return inside;
}

// ---- Suspension ----

void svm_suspendAt(svm_Kernel *k, const char *file, int line)
{
    svm_CellInstruction *i = check(k, CALL(suspend));
    i->suspended = true;
    for (uint32_t s = 0; s < i->inputs; s++)
        ports(i)[s].its.resume = ports(i)[s].position;
}

bool svm_restoredAt(svm_Kernel *k, const char *file, int line)
{
    return check(k, CALL(restored))->restored;
}

// ---- Runs ----

static void begin(svm_CellInstruction *i, uint64_t ea)
{
    running = i;
    home = ea;
    for (uint32_t s = 0; s < i->ports; s++)
        mfc_get(&ports(i)[s].its, ports(i)[s].where, sizeof(svm_CellRecords), TAG, 0, 0);
    wait();
    for (uint32_t s = 0; s < i->inputs; s++)
        ports(i)[s].position = i->restored ? (uint32_t)ports(i)[s].its.resume : 0;
}

// What it has written has so many records, and what it has read, if it is to go on, ends there. All is there before what waits
// for the command looks.
static void end(void)
{
    for (uint32_t n = 0; n < KEPT; n++)
        put_back(&words[n]);
    for (uint32_t s = 0; s < running->ports; s++) {
        svm_CellPort *p = &ports(running)[s];
        if (s >= running->inputs)
            p->its.records = p->position;
        if (s >= running->inputs || running->suspended)
            mfc_putf(&p->its, p->where, sizeof p->its, TAG, 0, 0);
    }
    mfc_put(running, home, sizeof *running, TAG, 0, 0);
    wait();
    running = NULL;
}

static void run(const svm_CellCommand *c)
{
    svm_CellInstruction *i = (svm_CellInstruction *)((unsigned char *)c + c->ls);
    svm_cellLoadCode(c->kernel);
    begin(i, c->ea);
    svm_cellKernels[c->kernel]((svm_Kernel *)i);
    end();
}

const svm_CellInstructing svm_cellInstructionsHere = {.run = run, .words = svm_cellWords};
