// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// softproc-stages [--inexact] FILE FUNCTION...: compiles thread functions of a file of LLVM IR, runs the programs on the functional
// model over a small domain, and then executes what each stage of each strategy has: the outputs must be the same, bit for bit.
// Inputs have random numbers below 1, and zeros outside; scalars are 1.5, 2.5, ...
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/IRReader.h>

#include "runtime/softproc/core.h"
#include "test/softproc/Inputs/evaluate.h"

enum { WIDTH = 8, HEIGHT = 2, THREADS = WIDTH * HEIGHT, SIDE = 64, SCALARS = 16, STAGES = SPC_COLOURED + 1 };
enum { ELEMENT = 16, INPUT_BYTES = SIDE * SIDE * ELEMENT, OUTPUT_BYTES = THREADS * ELEMENT };
enum { MOST_STEPS = 1000000 };

typedef struct session {
    float input[SP_MAX_INPUTS][SIDE][SIDE][4];
    float expected[SP_MAX_OUTPUTS][THREADS][4];
    float scalars[SCALARS];
    uint8_t memory[SP_MAX_INPUTS * INPUT_BYTES + SP_MAX_OUTPUTS * OUTPUT_BYTES];
    unsigned seen[STAGES]; // of a function
    const char *name;
    bool bad;
} session;

static void fill(session *s)
{
    uint32_t random = 1;
    for (unsigned i = 0; i < SP_MAX_INPUTS * SIDE * SIDE * 4; i++) {
        random = random * 1664525u + 1013904223u;
        s->input[i / 4 / SIDE / SIDE][i / 4 / SIDE % SIDE][i / 4 % SIDE][i % 4] = (float)((random >> 12) + 1) / 1048577;
    }
    for (unsigned i = 0; i < SCALARS; i++)
        s->scalars[i] = 1.5f + (float)i;
    memcpy(s->memory, s->input, sizeof s->input);
}

static void set_scalars(const session *s, const spc_program *p)
{
    for (size_t i = 0; i < p->scalar_count; i++) {
        const struct spc_scalar_place *at = &p->scalars[i];
        p->program->float_values[at->constant][at->component] = s->scalars[at->scalar % SCALARS];
        sp_set_bit(p->program->given_floats, at->constant);
    }
}

static bool run_program(session *s, const spc_program *p)
{
    sp_core c;
    svm_SpCounters counters = {0};
    set_scalars(s, p);
    if (!sp_core_init(&c, p->program))
        return false;
    for (unsigned n = 0; n < SP_MAX_INPUTS; n++)
        c.input[n] = (sp_buffer){true, n * INPUT_BYTES, SIDE, SIDE, SIDE, ELEMENT, SVM_SP_FLOAT32_4, SVM_SP_LINEAR};
    for (unsigned n = 0; n < SP_MAX_OUTPUTS; n++)
        c.output[n] = (sp_buffer){true,
                                  SP_MAX_INPUTS * INPUT_BYTES + n * OUTPUT_BYTES,
                                  WIDTH,
                                  WIDTH,
                                  HEIGHT,
                                  ELEMENT,
                                  SVM_SP_FLOAT32_4,
                                  SVM_SP_LINEAR};
    c.memory = s->memory;
    c.memory_size = sizeof s->memory;
    c.x1 = WIDTH - 1;
    c.y1 = HEIGHT - 1;
    c.options.bounds = SP_BOUNDS_ZERO;
    memset(s->memory + sizeof s->input, 0, sizeof s->memory - sizeof s->input);
    bool ran = sp_core_check(&c) && sp_run_functional(&c, MOST_STEPS, &counters);
    if (!ran)
        printf("%s: %s\n", s->name, c.fault);
    memcpy(s->expected, s->memory + sizeof s->input, sizeof s->expected);
    sp_core_free(&c);
    return ran;
}

static void read_element(void *user, unsigned input, float s, float t, float out[4])
{
    const session *from = user;
    bool inside = s >= 0 && s < SIDE && t >= 0 && t < SIDE;
    memset(out, 0, 4 * sizeof *out);
    if (inside)
        memcpy(out, from->input[input][(int)t][(int)s], 4 * sizeof *out);
}

static void see_stage(void *user, spc_stage stage, const spc_function *f)
{
    session *s = user;
    evaluator *e = evaluator_create(&(evaluated){f, stage, s->scalars, read_element, s});
    s->seen[stage]++;
    for (unsigned i = 0; i < THREADS && !s->bad; i++) {
        float out[SP_MAX_OUTPUTS][4] = {{0}};
        const char *fault = evaluator_run(e, (float)(i % WIDTH), (float)(i / WIDTH), out);
        if (fault != NULL)
            printf("%s, %s: %s\n", s->name, stage_names[stage], fault);
        s->bad = fault != NULL;
        for (unsigned k = 0; k < SP_MAX_OUTPUTS * 4 && !s->bad; k++)
            if (memcmp(&out[k / 4][k % 4], &s->expected[k / 4][i][k % 4], sizeof(float)) != 0) {
                printf("%s, %s: thread (%u, %u), o%u component %u: %a, expected %a\n", s->name, stage_names[stage],
                       i % WIDTH, i / WIDTH, k / 4, k % 4, (double)out[k / 4][k % 4],
                       (double)s->expected[k / 4][i][k % 4]);
                s->bad = true;
            }
    }
}

// Compiled twice: for what is to be expected, and to be looked at.
static bool check(session *s, LLVMModuleRef module, const char *name, bool inexact)
{
    arena *a = arena_create();
    source_set sources;
    diag_engine diags;
    spc_program program;
    source_set_init(&sources, a);
    diag_init(&diags, a, &sources);
    memset(s->seen, 0, sizeof s->seen);
    s->name = name;
    spc_request plain = {.arena = a, .diag = &diags, .inexact = inexact}, watched = plain;
    watched.watcher = &(spc_watcher){see_stage, s};
    s->bad = !spc_compile(&plain, module, name, &program) || !run_program(s, &program) ||
             !spc_compile(&watched, module, name, &program) || s->bad;
    diag_flush(&diags, stderr, DIAG_FORMAT_TEXT, false);
    printf("%s:", name);
    for (unsigned i = 0; i < STAGES; i++)
        printf(" %u %s%s", s->seen[i], stage_names[i], i + 1 < STAGES ? "," : "");
    printf("; %s\n", s->bad ? "NOT EQUAL" : "equal");
    arena_destroy(a);
    return !s->bad;
}

int main(int argc, char **argv)
{
    bool inexact = argc > 1 && strcmp(argv[1], "--inexact") == 0, good = true;
    LLVMContextRef context = LLVMContextCreate();
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef module;
    char *message = NULL;
    argc -= inexact;
    argv += inexact;
    session *s = calloc(1, sizeof *s);
    if (argc < 3 || s == NULL) {
        fprintf(stderr, "usage: softproc-stages [--inexact] FILE FUNCTION...\n");
        return 2;
    }
    if (LLVMCreateMemoryBufferWithContentsOfFile(argv[1], &buffer, &message) != 0 ||
        LLVMParseIRInContext(context, buffer, &module, &message) != 0) {
        fprintf(stderr, "softproc-stages: error: %s: %s\n", argv[1], message);
        return 1;
    }
    fill(s);
    for (int i = 2; i < argc; i++) {
        bool there = LLVMGetNamedFunction(module, argv[i]) != NULL;
        if (!there)
            printf("there is no function '%s'\n", argv[i]);
        good = there && check(s, module, argv[i], inexact) && good;
    }
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    free(s);
    return good ? 0 : 1;
}
