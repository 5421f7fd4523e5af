// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target: bytes as assembly of the soft processor or, behind a first byte of 1, as the changes to be made to a
// container. What assembles, or reads and verifies, disassembles and assembles to the same program; both models run it,
// and stop.
#include "llc/softproc/softproc.h"
#include "runtime/softproc/cycle.h"
#include "test/fuzz/fuzz.h"

enum { MEMORY = 1 << 14, STEPS = 2000 };

static uint8_t memory[MEMORY];

static void set_buffers(sp_core *c)
{
    for (unsigned i = 0; i < SP_MAX_INPUTS; i++)
        c->input[i] = (sp_buffer){true, 2048, 8, 7, 8, 16, SVM_SP_FLOAT32_4, i % 2 ? SVM_SP_LINEAR_2X2 : SVM_SP_LINEAR};
    for (unsigned i = 0; i < SP_MAX_OUTPUTS; i++)
        c->output[i] = (sp_buffer){true, 4096, 8, 8, 8, 4, SVM_SP_FLOAT32_1, SVM_SP_LINEAR};
    c->memory = memory;
    c->memory_size = MEMORY;
    c->x1 = 4;
    c->y1 = 2;
}

static void run(const sp_program *p)
{
    static const svm_SpParameters parameters = {.clock = 1e8,
                                                .batches = 2,
                                                .threads = 4,
                                                .aluStages = 5,
                                                .operandReads = 3,
                                                .addressStages = 1,
                                                .returnStages = 1,
                                                .outstandingReads = 4,
                                                .requestLatency = 1e-8,
                                                .hostLatency = 1e-8,
                                                .memoryLatency = 1e-8,
                                                .responseLatency = 1e-8,
                                                .linkBandwidth = 8e8,
                                                .requestBytes = 8,
                                                .responseHeader = 4,
                                                .writeHeader = 8,
                                                .largestPacket = 64,
                                                .outputQueue = 2,
                                                .registers = 128,
                                                .registerBytes = 16,
                                                .instructions = 512,
                                                .blockSize = 65536,
                                                .blocks = 9,
                                                .smallBlockSize = 512,
                                                .smallBlocks = 768};
    sp_core c;
    svm_SpCounters counters = {0};
    sp_results results;
    sp_standing standings[2];
    if (!sp_core_init(&c, p))
        abort();
    set_buffers(&c);
    c.options.bounds = SP_BOUNDS_ZERO;
    if (sp_core_check(&c)) {
        sp_run_functional(&c, STEPS, &counters);
        c.failed = false;
        c.options.bounds = SP_BOUNDS_ERROR;
        sp_run_cycles(&c, &parameters, &(sp_cycle_options){.max_cycles = STEPS * 8}, &results, standings);
    }
    sp_core_free(&c);
}

static void check_program(fuzz_session *s, const sp_program *p)
{
    strbuf text;
    strbuf_init(&text, s->arena);
    sp_disassemble(p, true, &text);
    sp_program *again = sp_assemble(s->arena, &s->diags, fuzz_source(s, "again.sp", text.data, text.len));
    if (again == NULL)
        fuzz_fail(s, "the disassembly does not assemble", text.data, NULL);
    size_t size, again_size;
    uint8_t *bytes = sp_container(s->arena, p, &size), *again_bytes = sp_container(s->arena, again, &again_size);
    if (size != again_size || memcmp(bytes, again_bytes, size) != 0)
        fuzz_fail(s, "the disassembly assembles to another program", text.data, NULL);
    run(p);
}

// A small container with bytes exchanged: pairs of place and value.
static sp_program *changed_container(fuzz_session *s, const uint8_t *data, size_t size)
{
    static const char text[] =
        " .const c1 = 1 2 3 4\n .int i0 = 2\n TEX r1 r0.rg s0\n LOOP i0\n MAD.alu_r_lt r2.rgb r1 c1 (1-r1).rgb\n rcp r2.a r1.a\n"
        " IF alu\n BRK p.r\n ELSE\n ADD p_lt.rg r2 r1\n ENDIF\n ENDLOOP\n MOV o1 r2 | mov o1 r2\n END\n";
    sp_program *p = sp_assemble(s->arena, &s->diags, fuzz_source(s, "base.sp", text, sizeof text - 1));
    if (p == NULL)
        fuzz_fail(s, "the container's text does not assemble", text, NULL);
    size_t n;
    uint8_t *bytes = sp_container(s->arena, p, &n);
    for (size_t i = 0; i + 2 < size; i += 3) {
        size_t at = (data[i] | (size_t)data[i + 1] << 8) % (n + 16);
        if (at < n)
            bytes[at] = data[i + 2];
        else
            n = n * data[i + 2] / 255; // cut off
        if (n == 0)
            break;
    }
    return sp_read_program(s->arena, &s->diags, "fuzz.spo", bytes, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_session s;
    fuzz_begin(&s);
    sp_program *p;
    if (size > 0 && data[0] == 1)
        p = changed_container(&s, data + 1, size - 1);
    else if (size > 3 && data[0] == 0x7f)
        p = sp_read_program(s.arena, &s.diags, "fuzz.spo", data, size);
    else
        p = sp_assemble(s.arena, &s.diags, fuzz_source(&s, "fuzz.sp", data, size));
    if ((p == NULL) != diag_has_errors(&s.diags))
        fuzz_fail(&s, "no program without an error, or both", NULL, NULL);
    if (p != NULL)
        check_program(&s, p);
    fuzz_end(&s);
    return 0;
}
