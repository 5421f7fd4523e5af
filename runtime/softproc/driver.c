// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver that host programs link: memory, commands, submissions. Commands are data from outside: every word is
// checked before it has an effect.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/softproc/cycle.h"

enum { ALIGNMENT = 2048, WORD_BYTES = 4, INSTRUCTION_BYTES = SP_WORDS * WORD_BYTES };

typedef struct loaded {
    uint32_t base, count, temps, flags;
    bool set;
} loaded;

struct svm_SoftProcessor {
    svm_SpParameters parameters;
    uint8_t *memory;
    size_t size, used;
    bool functional;
    sp_buffer input[SP_MAX_INPUTS], output[SP_MAX_OUTPUTS];
    loaded program;
    float floats[SP_MAX_CONSTANTS][4];
    sp_int_constant ints[SP_MAX_INTS];
    uint32_t bools, output_mask;
    int32_t domain[4];
    bool has_domain;
    svm_SpCounters counters;
    int64_t submissions;
    bool has_error;
    char error[500];
};

static int fail(svm_SoftProcessor *sp, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int fail(svm_SoftProcessor *sp, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(sp->error, sizeof sp->error, format, args);
    va_end(args);
    sp->has_error = true;
    return -1;
}

svm_SoftProcessor *svm_spOpen(const svm_SpParameters *parameters, size_t memoryBytes)
{
    if (sp_check_parameters(parameters) != NULL || memoryBytes > (size_t)1 << 31)
        return NULL;
    svm_SoftProcessor *sp = calloc(1, sizeof *sp);
    uint8_t *memory = calloc(memoryBytes > 0 ? memoryBytes : 1, 1);
    if (sp == NULL || memory == NULL) {
        free(sp);
        free(memory);
        return NULL;
    }
    sp->parameters = *parameters;
    sp->memory = memory;
    sp->size = memoryBytes;
    sp->output_mask = 0xffff;
    return sp;
}

void svm_spClose(svm_SoftProcessor *sp)
{
    if (sp == NULL)
        return;
    free(sp->memory);
    free(sp);
}

void svm_spSetFunctional(svm_SoftProcessor *sp, int functional)
{
    sp->functional = functional != 0;
}

uint32_t svm_spAllocate(svm_SoftProcessor *sp, size_t bytes)
{
    size_t at = (sp->used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (at > sp->size || bytes > sp->size - at)
        return UINT32_MAX;
    sp->used = at + bytes;
    return (uint32_t)at;
}

void *svm_spPointer(svm_SoftProcessor *sp, uint32_t address)
{
    return address <= sp->size ? sp->memory + address : NULL;
}

void svm_spCommand(svm_SpCommands *c, svm_SpCommand command, const uint32_t *parameters, uint32_t count)
{
    // Beyond the capacity only the count goes on; svm_spSubmit refuses what is cut off.
    if (c->count < c->capacity)
        c->words[c->count] = (uint32_t)command << 16 | count;
    c->count++;
    for (uint32_t i = 0; i < count; i++, c->count++)
        if (c->count < c->capacity)
            c->words[c->count] = parameters[i];
}

static void put_word(uint8_t *p, uint32_t v)
{
    for (unsigned i = 0; i < WORD_BYTES; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static uint32_t get_word(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void report(void *user, int instruction, const char *message)
{
    svm_SoftProcessor *sp = user;
    if (sp->has_error)
        return;
    if (instruction >= 0)
        fail(sp, "instruction %d: %s", instruction, message);
    else
        fail(sp, "%s", message);
}

static int load_values(svm_SoftProcessor *sp, const sp_program *p, svm_SpCommands *c)
{
    for (uint32_t i = 0; i < SP_MAX_CONSTANTS; i++) {
        if (!sp_bit(p->given_floats, i))
            continue;
        uint32_t at = svm_spAllocate(sp, 16);
        if (at == UINT32_MAX)
            return fail(sp, "no memory left for the program's constants");
        for (unsigned k = 0; k < 4; k++) {
            uint32_t bits;
            memcpy(&bits, &p->float_values[i][k], sizeof bits);
            put_word(sp->memory + at + 4 * k, bits);
        }
        svm_spCommand(c, SVM_SP_SET_FLOATS, (const uint32_t[]){at, i, 1}, 3);
    }
    uint32_t at = p->given_ints != 0 ? svm_spAllocate(sp, SP_MAX_INTS * WORD_BYTES) : 0;
    if (at == UINT32_MAX)
        return fail(sp, "no memory left for the program's constants");
    for (uint32_t i = 0; i < SP_MAX_INTS && p->given_ints != 0; i++) {
        const sp_int_constant *v = &p->int_values[i];
        put_word(sp->memory + at + 4 * i, v->count | (uint32_t)v->init << 8 | (uint32_t)(uint8_t)v->step << 16);
    }
    if (p->given_ints != 0)
        svm_spCommand(c, SVM_SP_SET_INTS, (const uint32_t[]){at, SP_MAX_INTS}, 2);
    if (p->given_bools != 0)
        svm_spCommand(c, SVM_SP_SET_BOOLS, (const uint32_t[]){p->bool_values}, 1);
    return 0;
}

int svm_spLoad(svm_SoftProcessor *sp, const void *container, size_t size, svm_SpCommands *c)
{
    sp_program *p = calloc(1, sizeof *p);
    sp_faults faults = {report, sp, 0};
    sp->has_error = false;
    if (p == NULL)
        return fail(sp, "out of memory");
    int status = -1;
    if (sp_container_read(p, container, size, &faults) && sp_verify(p, &faults)) {
        uint32_t at = svm_spAllocate(sp, p->count * INSTRUCTION_BYTES);
        if (at == UINT32_MAX) {
            fail(sp, "no memory left for the program");
        } else {
            for (uint32_t i = 0; i < p->count * SP_WORDS; i++)
                put_word(sp->memory + at + 4 * i, p->words[i / SP_WORDS][i % SP_WORDS]);
            svm_spCommand(c, SVM_SP_SET_PROGRAM,
                          (const uint32_t[]){at, p->count, p->temps, p->scatter ? SVM_SP_SCATTER : 0}, 4);
            status = load_values(sp, p, c);
        }
    }
    free(p);
    return status;
}

// ---- Commands ----

static int set_buffer(svm_SoftProcessor *sp, sp_buffer *b, const char *what, uint32_t base, uint32_t format,
                      uint32_t height)
{
    uint32_t pitch = format & 0x1fff, kind = format >> 24 & 7, tiling = format >> 16 & 3;
    if (base % ALIGNMENT != 0)
        return fail(sp, "%s begins at address %u; expected a multiple of %d", what, base, ALIGNMENT);
    if (kind >= SVM_SP_FORMAT_COUNT || (format & ~0x07031fffu) != 0 || pitch == 0 || pitch % 4 != 0)
        return fail(
            sp,
            "%s has format word 0x%08x; expected a pitch that is a multiple of 4 (at most 8188), a tiling and a format",
            what, format);
    if (height == 0 || height > 8191)
        return fail(sp, "%s has %u rows; expected 1 to 8191", what, height);
    *b = (sp_buffer){true,
                     base,
                     pitch,
                     pitch,
                     height,
                     sp_format_bytes((svm_SpFormat)kind),
                     (svm_SpFormat)kind,
                     (svm_SpTiling)tiling};
    return 0;
}

static bool in_memory(const svm_SoftProcessor *sp, uint32_t base, uint64_t bytes)
{
    return base <= sp->size && bytes <= sp->size - base;
}

static int set_floats(svm_SoftProcessor *sp, const uint32_t *w)
{
    if (w[1] > SP_MAX_CONSTANTS || w[2] > SP_MAX_CONSTANTS - w[1] || !in_memory(sp, w[0], (uint64_t)w[2] * 16))
        return fail(sp, "constants %u and %u more at address %u are outside of the %d constants or of memory", w[1],
                    w[2], w[0], SP_MAX_CONSTANTS);
    for (uint32_t i = 0; i < w[2] * 4; i++) {
        uint32_t bits = get_word(sp->memory + w[0] + 4 * i);
        memcpy(&sp->floats[w[1] + i / 4][i % 4], &bits, sizeof bits);
    }
    return 0;
}

static int set_ints(svm_SoftProcessor *sp, const uint32_t *w)
{
    if (w[1] > SP_MAX_INTS || !in_memory(sp, w[0], (uint64_t)w[1] * 4))
        return fail(sp, "%u int constants at address %u: expected at most %d, in memory", w[1], w[0], SP_MAX_INTS);
    for (uint32_t i = 0; i < w[1]; i++) {
        uint32_t v = get_word(sp->memory + w[0] + 4 * i);
        sp->ints[i] = (sp_int_constant){(uint8_t)v, (uint8_t)(v >> 8), (int8_t)(uint8_t)(v >> 16)};
    }
    return 0;
}

static int set_program(svm_SoftProcessor *sp, const uint32_t *w)
{
    if (w[1] == 0 || w[1] > SP_MAX_INSTRUCTIONS || w[1] > sp->parameters.instructions || w[2] == 0 ||
        w[2] > SP_MAX_TEMPS || w[2] > sp->parameters.registers || w[3] > SVM_SP_SCATTER ||
        !in_memory(sp, w[0], (uint64_t)w[1] * INSTRUCTION_BYTES))
        return fail(sp,
                    "a program of %u instructions and %u registers with flags %u at address %u; the machine has %u "
                    "instructions "
                    "and %u registers",
                    w[1], w[2], w[3], w[0], sp->parameters.instructions, sp->parameters.registers);
    sp->program = (loaded){w[0], w[1], w[2], w[3], true};
    return 0;
}

static void add_counters(svm_SoftProcessor *sp, const sp_results *r)
{
    const sp_stats *s = &r->whole;
    svm_SpCounters *n = &sp->counters;
    double contexts = sp->parameters.batches;
    n->cycles += s->cycles;
    n->threads += s->threads;
    n->batches += s->batches;
    n->aluInstructions += s->alu_threads;
    n->texInstructions += s->tex_threads;
    n->flowInstructions += s->flow_threads;
    n->reads += s->reads;
    n->readBytes += s->read_bytes;
    n->writeBytes += s->write_bytes;
    n->aluCycles += s->alu_cycles;
    n->semWait += (double)s->idle[SP_SEM_WAIT] / contexts;
    n->insideAlu += (double)s->idle[SP_INSIDE_ALU] / contexts;
    n->notAlu += (double)s->idle[SP_NOT_ALU] / contexts;
}

static int run_core(svm_SoftProcessor *sp, sp_core *core)
{
    memcpy(core->input, sp->input, sizeof core->input);
    memcpy(core->output, sp->output, sizeof core->output);
    for (unsigned i = 0; i < SP_MAX_CONSTANTS; i++)
        sp_set_constant(core, i, sp->floats[i]);
    memcpy(core->ints, sp->ints, sizeof core->ints);
    core->bools = sp->bools;
    core->output_mask = sp->output_mask;
    core->options.linear = sp->parameters.linearLookups != 0;
    core->memory = sp->memory;
    core->memory_size = sp->size;
    core->x0 = sp->domain[0];
    core->y0 = sp->domain[1];
    core->x1 = sp->domain[2];
    core->y1 = sp->domain[3];
    if (!sp_core_check(core))
        return fail(sp, "%s", core->fault);
    if (sp->functional)
        return sp_run_functional(core, UINT64_MAX, &sp->counters) ? 0 : fail(sp, "%s", core->fault);
    sp_results results;
    if (!sp_run_cycles(core, &sp->parameters, &(sp_cycle_options){.policy = SP_OLDEST}, &results, NULL))
        return fail(sp, "%s", core->fault);
    add_counters(sp, &results);
    return 0;
}

static int start(svm_SoftProcessor *sp)
{
    const loaded *l = &sp->program;
    if (!l->set || !sp->has_domain)
        return fail(sp, "start before %s is set", l->set ? "the domain" : "a program");
    sp_program *p = calloc(1, sizeof *p);
    if (p == NULL)
        return fail(sp, "out of memory");
    p->count = l->count;
    p->end = l->count - 1;
    p->scatter = (l->flags & SVM_SP_SCATTER) != 0;
    for (uint32_t i = 0; i < l->count * SP_WORDS; i++)
        p->words[i / SP_WORDS][i % SP_WORDS] = get_word(sp->memory + l->base + 4 * i);
    p->temps = l->temps;
    sp_collect_uses(p);
    sp_faults faults = {report, sp, 0};
    sp->has_error = false;
    int status = -1;
    if (p->temps > l->temps) {
        fail(sp, "the program uses %u registers; its frame has %u", p->temps, l->temps);
    } else if (sp_verify(p, &faults)) {
        sp_core core;
        if (sp_core_init(&core, p)) {
            status = run_core(sp, &core);
            sp_core_free(&core);
        } else {
            fail(sp, "out of memory");
        }
    }
    free(p);
    return status;
}

static int read_counters(svm_SoftProcessor *sp, uint32_t base)
{
    if (!in_memory(sp, base, sizeof sp->counters))
        return fail(sp, "counters at address %u are outside of memory", base);
    memcpy(sp->memory + base, &sp->counters, sizeof sp->counters);
    return 0;
}

static int execute(svm_SoftProcessor *sp, svm_SpCommand command, const uint32_t *w)
{
    char what[16];
    sp_buffer conditional;
    switch (command) {
    case SVM_SP_SET_INPUT:
    case SVM_SP_SET_OUTPUT: {
        bool input = command == SVM_SP_SET_INPUT;
        if (w[0] >= (input ? SP_MAX_INPUTS : SP_MAX_OUTPUTS))
            return fail(sp, "there is no %s %u", input ? "input" : "output", w[0]);
        snprintf(what, sizeof what, "%c%u", input ? 's' : 'o', w[0]);
        return set_buffer(sp, input ? &sp->input[w[0]] : &sp->output[w[0]], what, w[1], w[2], w[3]);
    }
    case SVM_SP_SET_COND_OUTPUT: return set_buffer(sp, &conditional, "conditional output", w[0], w[1], w[2]);
    case SVM_SP_SET_PROGRAM: return set_program(sp, w);
    case SVM_SP_SET_FLOATS: return set_floats(sp, w);
    case SVM_SP_SET_INTS: return set_ints(sp, w);
    case SVM_SP_SET_BOOLS: sp->bools = w[0]; return 0;
    case SVM_SP_SET_OUTPUT_MASK: sp->output_mask = w[0] & 0xffff; return 0;
    case SVM_SP_SET_DOMAIN:
        if (w[2] < w[0] || w[3] < w[1])
            return fail(sp, "the domain (%u, %u) to (%u, %u) is empty", w[0], w[1], w[2], w[3]);
        for (unsigned i = 0; i < 4; i++)
            sp->domain[i] = (int32_t)(w[i] > 1u << 24 ? 1u << 24 : w[i]);
        sp->has_domain = true;
        return 0;
    case SVM_SP_START: return start(sp);
    case SVM_SP_INIT_COUNTERS: sp->counters = (svm_SpCounters){0}; return 0;
    case SVM_SP_READ_COUNTERS: return read_counters(sp, w[0]);
    default: return 0; // caches, which there are none of
    }
}

static int execute_all(svm_SoftProcessor *sp, const uint32_t *words, size_t count)
{
    static const uint8_t parameters[SVM_SP_COMMAND_COUNT] = {
        [SVM_SP_SET_INPUT] = 4,  [SVM_SP_SET_OUTPUT] = 4,   [SVM_SP_SET_COND_OUTPUT] = 3, [SVM_SP_SET_PROGRAM] = 4,
        [SVM_SP_SET_FLOATS] = 3, [SVM_SP_SET_INTS] = 2,     [SVM_SP_SET_BOOLS] = 1,       [SVM_SP_SET_OUTPUT_MASK] = 1,
        [SVM_SP_SET_DOMAIN] = 4, [SVM_SP_READ_COUNTERS] = 1};
    for (size_t at = 0; at < count;) {
        uint32_t command = words[at] >> 16, n = words[at] & 0xffff;
        if (command == 0 || command >= SVM_SP_COMMAND_COUNT || n != parameters[command] || n > count - at - 1)
            return fail(sp, "word %zu of the commands, 0x%08x, is no command with its %s of parameters", at, words[at],
                        command > 0 && command < SVM_SP_COMMAND_COUNT ? "number" : "words");
        if (execute(sp, (svm_SpCommand)command, words + at + 1) != 0)
            return -1;
        at += n + 1;
    }
    return 0;
}

// The simulated machine runs at once, so a submission is consumed when this returns.
int64_t svm_spSubmit(svm_SoftProcessor *sp, const svm_SpCommands *c)
{
    sp->has_error = false;
    if (c->count > c->capacity)
        return fail(sp, "the commands have %zu words; the buffer has room for %zu", c->count, c->capacity);
    return execute_all(sp, c->words, c->count) == 0 ? ++sp->submissions : -1;
}

int svm_spConsumed(const svm_SoftProcessor *sp, int64_t submission)
{
    return submission >= 1 && submission <= sp->submissions;
}

int svm_spWait(svm_SoftProcessor *sp, int64_t submission)
{
    return svm_spConsumed(sp, submission) ? 0 : fail(sp, "there is no submission %lld", (long long)submission);
}

const char *svm_spError(const svm_SoftProcessor *sp)
{
    return sp->has_error ? sp->error : "";
}

void svm_spReadCounters(const svm_SoftProcessor *sp, svm_SpCounters *counters)
{
    *counters = sp->counters;
}
