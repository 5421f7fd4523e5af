// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host program of the soft processor's driver: softproc-driver PROGRAM adds two vectors, scaled, and compares; then
// it makes mistakes and prints what the driver says to each. PARAMETERS_H is what svm-spsim --print-parameters wrote,
// when it is compiled with it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "svm/softproc.h"

#ifdef PARAMETERS_H
#include PARAMETERS_H
#else
static const svm_SpParameters svm_spParameters = {.clock = 1e8,
                                                  .batches = 8,
                                                  .threads = 4,
                                                  .aluStages = 16,
                                                  .operandReads = 3,
                                                  .addressStages = 2,
                                                  .returnStages = 1,
                                                  .outstandingReads = 8,
                                                  .requestLatency = 2e-8,
                                                  .hostLatency = 5e-8,
                                                  .memoryLatency = 5e-8,
                                                  .responseLatency = 2e-8,
                                                  .linkBandwidth = 8e8,
                                                  .requestBytes = 8,
                                                  .responseHeader = 4,
                                                  .writeHeader = 8,
                                                  .largestPacket = 64,
                                                  .outputQueue = 4,
                                                  .registers = 128,
                                                  .registerBytes = 16,
                                                  .instructions = 512,
                                                  .blockSize = 65536,
                                                  .blocks = 9,
                                                  .smallBlockSize = 512,
                                                  .smallBlocks = 768};
#endif

enum { WIDTH = 64, HEIGHT = 9 };

static void *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    void *data = malloc(1 << 16);
    if (f == NULL || data == NULL) {
        perror(path);
        exit(1);
    }
    *size = fread(data, 1, 1 << 16, f);
    fclose(f);
    return data;
}

static void command(svm_SpCommands *c, svm_SpCommand which, uint32_t a, uint32_t b, uint32_t d, uint32_t e,
                    uint32_t count)
{
    svm_spCommand(c, which, (const uint32_t[]){a, b, d, e}, count);
}

static void try_commands(svm_SoftProcessor *sp, const char *what, const uint32_t *words, size_t count)
{
    svm_SpCommands c = {(uint32_t *)words, count, count};
    int64_t id = svm_spSubmit(sp, &c);
    printf("%s: %s\n", what, id < 0 ? svm_spError(sp) : "accepted");
}

static void make_mistakes(svm_SoftProcessor *sp)
{
    try_commands(sp, "unknown command", (const uint32_t[]){99u << 16}, 1);
    try_commands(sp, "cut off", (const uint32_t[]){SVM_SP_SET_DOMAIN << 16 | 4, 0, 0}, 3);
    try_commands(sp, "input 16", (const uint32_t[]){SVM_SP_SET_INPUT << 16 | 4, 16, 0, SVM_SP_FORMAT(4, 0, 4), 1}, 5);
    try_commands(sp, "unaligned", (const uint32_t[]){SVM_SP_SET_INPUT << 16 | 4, 0, 4, SVM_SP_FORMAT(4, 0, 4), 1}, 5);
    try_commands(sp, "odd pitch", (const uint32_t[]){SVM_SP_SET_OUTPUT << 16 | 4, 0, 0, SVM_SP_FORMAT(6, 0, 4), 1}, 5);
    try_commands(sp, "too many rows",
                 (const uint32_t[]){SVM_SP_SET_OUTPUT << 16 | 4, 0, 0, SVM_SP_FORMAT(4, 0, 4), 9000}, 5);
    try_commands(sp, "constants outside", (const uint32_t[]){SVM_SP_SET_FLOATS << 16 | 3, 0xfffffff0u, 0, 4}, 4);
    try_commands(sp, "large program", (const uint32_t[]){SVM_SP_SET_PROGRAM << 16 | 4, 0, 513, 4, 0}, 5);
    try_commands(sp, "no program there",
                 (const uint32_t[]){SVM_SP_SET_PROGRAM << 16 | 4, 0, 1, 4, 0, SVM_SP_START << 16}, 6);
    try_commands(sp, "empty domain", (const uint32_t[]){SVM_SP_SET_DOMAIN << 16 | 4, 5, 0, 4, 0}, 5);
    char bad[64] = "ELF";
    svm_SpCommands c = {NULL, 0, 0};
    int status = svm_spLoad(sp, bad, sizeof bad, &c);
    printf("bad container: %d %s\n", status, svm_spError(sp));
    svm_spCommand(&c, SVM_SP_START, NULL, 0);
    status = (int)svm_spSubmit(sp, &c);
    printf("no room for commands: %d %s\n", status, svm_spError(sp));
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    size_t size;
    void *program = read_file(argv[1], &size);
    svm_SoftProcessor *sp = svm_spOpen(&svm_spParameters, 1 << 20);
    if (sp == NULL)
        return 1;
    uint32_t words[256], bytes = WIDTH * HEIGHT * 16;
    svm_SpCommands c = {words, 0, 256};
    uint32_t a = svm_spAllocate(sp, bytes), b = svm_spAllocate(sp, bytes), out = svm_spAllocate(sp, bytes);
    uint32_t constants = svm_spAllocate(sp, 16), counters = svm_spAllocate(sp, sizeof(svm_SpCounters));
    float *pa = svm_spPointer(sp, a), *pb = svm_spPointer(sp, b), *po = svm_spPointer(sp, out);
    for (int i = 0; i < WIDTH * HEIGHT * 4; i++) {
        pa[i] = (float)i * 0.5f;
        pb[i] = (float)(i % 17) - 3;
    }
    memcpy(svm_spPointer(sp, constants), (const float[4]){1.5f, 2.5f, -1, 4}, 16);
    for (int functional = 0; functional < 2; functional++) {
        memset(po, 0, bytes);
        c.count = 0;
        svm_spSetFunctional(sp, functional);
        command(&c, SVM_SP_SET_OUTPUT, 0, out, SVM_SP_FORMAT(WIDTH, SVM_SP_LINEAR, SVM_SP_FLOAT32_4), HEIGHT, 4);
        command(&c, SVM_SP_SET_INPUT, 0, a, SVM_SP_FORMAT(WIDTH, SVM_SP_LINEAR, SVM_SP_FLOAT32_4), HEIGHT, 4);
        command(&c, SVM_SP_SET_INPUT, 1, b, SVM_SP_FORMAT(WIDTH, SVM_SP_LINEAR, SVM_SP_FLOAT32_4), HEIGHT, 4);
        command(&c, SVM_SP_INVALIDATE, 0, 0, 0, 0, 0);
        if (svm_spLoad(sp, program, size, &c) != 0) {
            printf("%s\n", svm_spError(sp));
            return 1;
        }
        command(&c, SVM_SP_SET_FLOATS, constants, 0, 1, 0, 3);
        command(&c, SVM_SP_SET_DOMAIN, 0, 0, WIDTH - 1, HEIGHT - 1, 4);
        command(&c, SVM_SP_INIT_COUNTERS, 0, 0, 0, 0, 0);
        command(&c, SVM_SP_START, 0, 0, 0, 0, 0);
        command(&c, SVM_SP_READ_COUNTERS, counters, 0, 0, 0, 1);
        command(&c, SVM_SP_FLUSH, 0, 0, 0, 0, 0);
        int64_t id = svm_spSubmit(sp, &c);
        if (id < 0 || svm_spWait(sp, id) != 0 || !svm_spConsumed(sp, id)) {
            printf("%s\n", svm_spError(sp));
            return 1;
        }
        int wrong = 0;
        for (int i = 0; i < WIDTH * HEIGHT * 4; i++)
            wrong += po[i] != pb[i] * pa[i] + ((const float[4]){1.5f, 2.5f, -1, 4})[i % 4];
        svm_SpCounters n;
        memcpy(&n, svm_spPointer(sp, counters), sizeof n);
        printf("%s: %d wrong; %llu threads, %llu arithmetic, %llu lookups, %llu reads%s\n",
               functional ? "functional" : "cycles", wrong, (unsigned long long)n.threads,
               (unsigned long long)n.aluInstructions, (unsigned long long)n.texInstructions,
               (unsigned long long)n.reads, n.cycles > 0 ? ", timed" : "");
    }
    make_mistakes(sp);
    svm_spClose(sp);
    free(program);
    return 0;
}
