// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random programs for the soft processor: softproc-random COUNT [SEED]. Of each program
//   - the container reads back, disassembles, and assembles to the same bytes;
//   - the functional model, the cycle model with a random machine, and a plain interpreter of one thread at a time give
//     the same memory, bit for bit.
// A program that fails is printed with its seed; softproc-random 1 SEED makes it again.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llc/softproc/softproc.h"
#include "runtime/softproc/cycle.h"
#include "test/softproc/Inputs/reference.h"

enum { TEMPS = 12, CONSTANTS = 12, INPUTS = 3, WIDTH = 16, HEIGHT = 8, MEMORY = 1 << 16 };

typedef struct session {
    uint64_t random, seed;
    arena *arena;
    source_set sources;
    diag_engine diags;
    strbuf text;
    unsigned depth, branches, instructions;
    bool in_loop, flow, quads;
    sp_program *program;
    uint8_t memory[2][MEMORY];
    sp_core core;
} session;

static uint32_t draw(session *s, uint32_t n)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = (s->random ^ s->random >> 31) * 0x9e3779b97f4a7c15u;
    return (uint32_t)((x >> 32) * n >> 32);
}

static bool chance(session *s, uint32_t percent)
{
    return draw(s, 100) < percent;
}

static void failed(session *s, const char *what)
{
    printf("seed %llu: %s\n%s", (unsigned long long)s->seed, what, s->text.data);
    fflush(stdout);
    diag_flush(&s->diags, stdout, DIAG_FORMAT_TEXT, false);
    exit(1);
}

// ---- Instructions ----

static void draw_address(session *s, sp_instruction *in, const sp_half_fields *h, unsigned k)
{
    unsigned kind = draw(s, 10), address = kind < 6   ? draw(s, TEMPS)
                                           : kind < 8 ? SP_ADDR_CONST + draw(s, CONSTANTS)
                                           : kind < 9 ? SP_ADDR_INLINE + draw(s, 128)
                                                      : SP_ADDR_INLINE;
    bool relative = s->in_loop && chance(s, 15) && (address < SP_ADDR_INLINE || address >= SP_ADDR_CONST);
    if (relative)
        address = (address < SP_ADDR_INLINE ? 0 : SP_ADDR_CONST) + draw(s, 4);
    in->f[h->addr[k]] = (uint16_t)address;
    in->f[h->rel[k]] = relative;
}

static void draw_half(session *s, sp_instruction *in, unsigned half)
{
    const sp_half_fields *h = &sp_halves[half];
    unsigned op;
    do
        op = draw(s, 16);
    while (h->ops[op].name == NULL || (!s->quads && (h->ops[op].flags & SP_QUAD)));
    in->f[h->op] = (uint16_t)(chance(s, 35) ? 0 : op);
    for (unsigned k = 0; k < 3; k++) {
        draw_address(s, in, h, k);
        in->f[h->sel[k]] = (uint16_t)(chance(s, 15) ? 3 : draw(s, 3));
        in->f[h->mod[k]] = (uint16_t)(chance(s, 30) ? draw(s, 4) : 0);
        for (unsigned c = 0; c < h->components; c++)
            in->f[h->swizzle[k][c]] = (uint16_t)(chance(s, 60) ? (half ? SP_A : c) : draw(s, 8));
    }
    in->f[h->srcp_op] = (uint16_t)draw(s, 4);
    in->f[h->wmask] = (uint16_t)(half ? draw(s, 2) : draw(s, 8));
    in->f[h->addrd] = (uint16_t)draw(s, TEMPS);
    if (s->in_loop && chance(s, 10)) {
        in->f[h->addrd] = (uint16_t)draw(s, 4);
        in->f[h->addrd_rel] = 1;
    }
    if (in->f[SP_F_TYPE] == SP_OUT || chance(s, 20)) {
        in->f[h->omask] = (uint16_t)(half ? draw(s, 2) : draw(s, 8));
        in->f[h->target] = (uint16_t)draw(s, 4);
    }
    in->f[h->clamp] = chance(s, 10);
    in->f[h->omod] = (uint16_t)(chance(s, 15) ? draw(s, 8) : 0);
    if (chance(s, 25)) {
        in->f[h->pred_sel] = (uint16_t)draw(s, 6);
        in->f[h->pred_inv] = (uint16_t)draw(s, 2);
    }
}

static void make_legal(sp_instruction *in)
{
    unsigned rgb = in->f[SP_F_RGB_OP], alpha = in->f[SP_F_ALPHA_OP];
    if (rgb == SP_RGB_SOP && !(sp_alpha_ops[alpha].flags & SP_TRANS))
        in->f[SP_F_RGB_OP] = SP_RGB_MAX;
    if (alpha == SP_ALPHA_DP && !(sp_rgb_ops[in->f[SP_F_RGB_OP]].flags & SP_DOT))
        in->f[SP_F_ALPHA_OP] = SP_ALPHA_MIN;
    for (unsigned half = 0; half < 2; half++) {
        const sp_half_fields *h = &sp_halves[half];
        if (in->f[h->omod] == SP_OMOD_EXACT && !(h->ops[in->f[h->op]].flags & SP_EXACT))
            in->f[h->omod] = 1;
    }
}

static void draw_arithmetic(session *s, sp_instruction *in, bool out)
{
    sp_clear_arithmetic(in, out ? SP_OUT : SP_ALU);
    draw_half(s, in, SP_HALF_RGB);
    draw_half(s, in, SP_HALF_ALPHA);
    in->f[SP_F_ALU_WMASK] = !out && chance(s, 25);
    in->f[SP_F_ALU_RESULT_SEL] = (uint16_t)draw(s, 2);
    in->f[SP_F_ALU_RESULT_OP] = (uint16_t)draw(s, 4);
    in->f[SP_F_STAT_WE] = (uint16_t)(chance(s, 5) ? draw(s, 16) : 0);
    in->f[SP_F_NOP] = chance(s, 5);
    in->f[SP_F_ALU_WAIT] = chance(s, 5);
    in->f[SP_F_LAST] = out && !s->flow && chance(s, 2);
    make_legal(in);
}

static void draw_texture(session *s, sp_instruction *in)
{
    static const sp_field swizzles[8] = {SP_F_TEX_SWZ_S, SP_F_TEX_SWZ_T, SP_F_TEX_SWZ_R, SP_F_TEX_SWZ_Q,
                                         SP_F_TEX_OUT_R, SP_F_TEX_OUT_G, SP_F_TEX_OUT_B, SP_F_TEX_OUT_A};
    memset(in, 0, sizeof *in);
    unsigned op = chance(s, 85) ? SP_TEX_LD : draw(s, 7);
    in->f[SP_F_TYPE] = SP_TEX;
    in->f[SP_F_TEX_OP] = (uint16_t)op;
    if (op == SP_TEX_NOP)
        return;
    in->f[SP_F_TEX_SRC] = (uint16_t)draw(s, TEMPS);
    in->f[SP_F_UNSCALED] = chance(s, 85);
    for (unsigned i = 0; i < 8; i++)
        in->f[swizzles[i]] = (uint16_t)(op == SP_TEX_KILL || chance(s, 70) ? i % 4 : draw(s, 4));
    in->f[SP_F_RGB_PRED_SEL] = (uint16_t)(chance(s, 20) ? draw(s, 6) : 0);
    in->f[SP_F_RGB_PRED_INV] = (uint16_t)draw(s, 2);
    if (op == SP_TEX_KILL)
        return;
    in->f[SP_F_TEX_ID] = (uint16_t)draw(s, INPUTS);
    in->f[SP_F_TEX_DST] = (uint16_t)draw(s, TEMPS);
    in->f[SP_F_RGB_WMASK] = (uint16_t)draw(s, 8);
    in->f[SP_F_ALPHA_WMASK] = (uint16_t)draw(s, 2);
    in->f[SP_F_ALPHA_PRED_SEL] = (uint16_t)(chance(s, 20) ? draw(s, 6) : 0);
    if (s->in_loop && chance(s, 10)) {
        in->f[SP_F_TEX_DST] = (uint16_t)draw(s, 4);
        in->f[SP_F_TEX_DST_REL] = 1;
    }
    if (op == SP_TEX_DXDY) {
        in->f[SP_F_DX_ADDR] = (uint16_t)draw(s, TEMPS);
        in->f[SP_F_DY_SWZ] = (uint16_t)draw(s, 256);
    }
}

// ---- Programs ----

static void add_instruction(session *s)
{
    sp_instruction in;
    if (chance(s, 25))
        draw_texture(s, &in);
    else
        draw_arithmetic(s, &in, chance(s, 10));
    sp_print_instruction(&in, &s->text);
    s->instructions++;
}

// A condition for the flow control that comes next. The ALU result needs an instruction that writes it.
static const char *condition(session *s)
{
    static const char *const texts[] = {"alu", "!alu", "p.r", "!p.g", "p.b", "!p.a", "b0", "!b1"};
    unsigned i = draw(s, 8);
    sp_instruction in;
    if (i < 2) {
        draw_arithmetic(s, &in, false);
        in.f[SP_F_ALU_WMASK] = 1;
        sp_print_instruction(&in, &s->text);
        s->instructions++;
    }
    return texts[i];
}

static void add_block(session *s);

static void add_branch(session *s)
{
    const char *when = condition(s);
    strbuf_printf(&s->text, "        IF %s\n", when);
    s->depth++;
    add_block(s);
    if (chance(s, 50)) {
        strbuf_add(&s->text, "        ELSE\n");
        add_block(s);
    }
    s->depth--;
    strbuf_add(&s->text, "        ENDIF\n");
    s->instructions += 3;
}

static void add_loop(session *s, unsigned loops)
{
    bool rep = chance(s, 30), before = s->in_loop;
    strbuf_printf(&s->text, "        %s i%u\n", rep ? "REP" : "LOOP", draw(s, 3));
    s->depth++;
    s->in_loop = s->in_loop || !rep;
    for (unsigned n = 1 + draw(s, 3); n > 0; n--) {
        add_block(s);
        if (chance(s, 50)) {
            bool inside = chance(s, 50);
            const char *outer = inside ? condition(s) : "";
            if (inside)
                strbuf_printf(&s->text, "        IF %s\n", outer);
            const char *when = chance(s, 60) ? condition(s) : "";
            strbuf_printf(&s->text, "        %s %s\n", chance(s, 50) ? "BRK" : "CONT", when);
            if (inside)
                strbuf_add(&s->text, "        ENDIF\n");
        }
    }
    s->depth--;
    s->in_loop = before;
    strbuf_add(&s->text, rep ? "        ENDREP\n" : "        ENDLOOP\n");
    s->instructions += 6 + loops;
}

static void add_block(session *s)
{
    for (unsigned n = 1 + draw(s, 5); n > 0; n--) {
        unsigned kind = draw(s, 12);
        if (s->flow && kind == 0 && s->depth < 3)
            add_branch(s);
        else if (s->flow && kind == 1 && s->depth < 3)
            add_loop(s, 0);
        else if (s->flow && kind == 2 && s->depth == 0)
            strbuf_add(&s->text, "        CALL sub\n");
        else
            add_instruction(s);
    }
}

static void add_constants(session *s)
{
    for (unsigned i = 0; i < CONSTANTS + 4; i++) {
        strbuf_printf(&s->text, "        .const c%u =", i);
        for (unsigned c = 0; c < 4; c++)
            if (chance(s, 3))
                strbuf_printf(&s->text, " 0x%08lx", (unsigned long)(draw(s, 65536) << 16 | draw(s, 65536)));
            else
                strbuf_printf(&s->text, " %d.%02u", (int)draw(s, 17) - 8, draw(s, 100));
        strbuf_addc(&s->text, '\n');
    }
    strbuf_printf(&s->text, "        .int i0 = %u %u %u\n        .int i1 = %u %u %d\n        .int i2 = 0 1 1\n",
                  1 + draw(s, 4), draw(s, 3), draw(s, 2), 1 + draw(s, 3), draw(s, 3), (int)draw(s, 2));
    strbuf_printf(&s->text, "        .bool b0 = %s\n        .bool b1 = true\n", chance(s, 50) ? "true" : "false");
    strbuf_printf(&s->text, "        .temps %u\n", TEMPS);
}

static void write_program(session *s)
{
    strbuf_init(&s->text, s->arena);
    s->flow = chance(s, 40);
    s->quads = chance(s, 15);
    s->instructions = s->depth = 0;
    s->in_loop = false;
    add_constants(s);
    for (unsigned n = 1 + draw(s, 4); n > 0; n--)
        add_block(s);
    if (s->flow) {
        strbuf_add(&s->text, "        JMP end\nsub:\n");
        s->depth = 3; // nothing nested within the subroutine
        add_block(s);
        strbuf_add(&s->text, "        RET\nend:\n");
    }
    sp_instruction in;
    draw_arithmetic(s, &in, true);
    sp_print_instruction(&in, &s->text);
    strbuf_add(&s->text, "        END\n");
}

static sp_program *assemble(session *s, const strbuf *text)
{
    source_id id = source_add(&s->sources, "random.sp", arena_strndup(s->arena, text->data, text->len), text->len);
    return sp_assemble(s->arena, &s->diags, id);
}

static void check_round_trip(session *s)
{
    size_t size, again_size;
    uint8_t *bytes = sp_container(s->arena, s->program, &size);
    sp_program *read = sp_read_program(s->arena, &s->diags, "random.spo", bytes, size);
    if (read == NULL)
        failed(s, "the container does not read back");
    strbuf text;
    strbuf_init(&text, s->arena);
    sp_disassemble(read, chance(s, 50), &text);
    sp_program *again = assemble(s, &text);
    if (again == NULL) {
        printf("%s", text.data);
        failed(s, "the disassembly does not assemble");
    }
    uint8_t *again_bytes = sp_container(s->arena, again, &again_size);
    if (size != again_size || memcmp(bytes, again_bytes, size) != 0) {
        printf("%s", text.data);
        failed(s, "the disassembly assembles to another program");
    }
}

// ---- Runs ----

static void fill_memory(session *s)
{
    for (size_t i = 0; i < MEMORY; i += 4) {
        float v = chance(s, 50) ? (float)draw(s, WIDTH) : ((float)draw(s, 2000) - 1000) / 64;
        memcpy(s->memory[0] + i, &v, 4);
    }
    memcpy(s->memory[1], s->memory[0], MEMORY);
}

static void set_buffers(session *s, unsigned width, unsigned height)
{
    sp_core *c = &s->core;
    uint32_t at = 0;
    for (unsigned i = 0; i < INPUTS; i++) {
        svm_SpFormat format = (svm_SpFormat)draw(s, SVM_SP_FORMAT_COUNT);
        c->input[i] = (sp_buffer){true,
                                  at,
                                  WIDTH,
                                  WIDTH - draw(s, 4),
                                  HEIGHT - draw(s, 3),
                                  sp_format_bytes(format),
                                  format,
                                  chance(s, 15) ? SVM_SP_LINEAR_2X2 : SVM_SP_LINEAR};
        at += WIDTH * HEIGHT * 16;
    }
    for (unsigned i = 0; i < SP_MAX_OUTPUTS; i++) {
        svm_SpFormat format = chance(s, 70) ? SVM_SP_FLOAT32_4 : (svm_SpFormat)draw(s, SVM_SP_FORMAT_COUNT);
        c->output[i] = (sp_buffer){true, at, 32, width, height, sp_format_bytes(format), format, SVM_SP_LINEAR};
        at += 32 * 8 * 16;
    }
    c->output_mask = chance(s, 80) ? 0xffff : draw(s, 65536);
}

static void draw_parameters(session *s, svm_SpParameters *p)
{
    static const uint32_t batches[] = {1, 2, 3, 5, 8, 16, 32, 64}, stages[] = {1, 7, 8, 64, 100};
    *p = (svm_SpParameters){.clock = 1e8,
                            .batches = batches[draw(s, 8)],
                            .threads = 4 * (1 + draw(s, 4)),
                            .aluStages = stages[draw(s, 5)],
                            .operandReads = 1 + draw(s, 4),
                            .addressStages = draw(s, 9),
                            .returnStages = draw(s, 4),
                            .outstandingReads = 1 + draw(s, 40),
                            .requestLatency = 60e-9,
                            .hostLatency = draw(s, 300) * 1e-9,
                            .memoryLatency = 51e-9,
                            .responseLatency = 10e-9,
                            .linkBandwidth = (1 + draw(s, 30)) * 1e8,
                            .requestBytes = draw(s, 12),
                            .responseHeader = draw(s, 8),
                            .writeHeader = draw(s, 8),
                            .largestPacket = 4 + draw(s, 100),
                            .outputQueue = 1 + draw(s, 8),
                            .registers = 128,
                            .registerBytes = 16,
                            .instructions = 512,
                            .blockSize = 65536,
                            .blocks = 9,
                            .smallBlockSize = 512,
                            .smallBlocks = 768};
}

static void read_for_reference(void *user, unsigned input, float x, float y, float out[4])
{
    session *s = user;
    const sp_buffer *b = &s->core.input[input & 255];
    bool scaled = input >= 256;
    unsigned count = b->tiling == SVM_SP_LINEAR_2X2 ? 4 : 1;
    if (scaled) {
        x *= (float)b->width;
        y *= (float)b->height;
    }
    static const float dx[4] = {1, 0, 1, 0}, dy[4] = {0, 1, 1, 0};
    memset(out, 0, 4 * sizeof *out);
    for (unsigned i = 0; i < count; i++) {
        float tx = truncf(count == 4 ? x + dx[i] : x), ty = truncf(count == 4 ? y + dy[i] : y), v[4] = {0, 0, 0, 1};
        bool inside = tx >= 0 && tx < (float)b->width && ty >= 0 && ty < (float)b->height;
        if (s->core.options.linear) {
            // One row of all elements.
            double at = tx + (double)ty * b->pitch, most = (double)b->pitch * b->height - 1;
            inside = at >= 0 && at <= most;
            tx = (float)fmin(fmax(at, 0), most); // fmax ignores what is no number
            ty = 0;
        }
        if (!inside && s->core.options.bounds == SP_BOUNDS_ZERO) {
            memset(v, 0, sizeof v);
        } else {
            // What is no number is the first element.
            if (!s->core.options.linear)
                tx = tx > 0 ? fminf(tx, (float)b->width - 1) : 0;
            ty = ty > 0 ? fminf(ty, (float)b->height - 1) : 0;
            const uint8_t *p = s->memory[1] + b->base + ((size_t)ty * b->pitch + (size_t)tx) * b->element;
            uint16_t u;
            memcpy(&u, p, 2);
            switch (b->format) {
            case SVM_SP_UINT16_1: v[0] = u; break;
            case SVM_SP_UINT8_4:
                for (unsigned k = 0; k < 4; k++)
                    v[k] = p[k];
                break;
            default: memcpy(v, p, b->element);
            }
        }
        if (count == 4)
            out[i] = v[0];
        else
            memcpy(out, v, sizeof v);
    }
}

static bool same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

// Compares the float outputs of every thread.
static void check_reference(session *s)
{
    reference r = {.program = s->program, .read = read_for_reference, .user = s, .bools = s->program->bool_values};
    memcpy(r.constants, s->program->float_values, sizeof r.constants);
    memcpy(r.ints, s->program->int_values, sizeof r.ints);
    float out[SP_MAX_OUTPUTS][4];
    for (int y = s->core.y0; y <= s->core.y1; y++)
        for (int x = s->core.x0; x <= s->core.x1; x++) {
            if (!reference_run(&r, x, y, out))
                continue;
            for (unsigned o = 0; o < SP_MAX_OUTPUTS; o++) {
                const sp_buffer *b = &s->core.output[o];
                if (!(s->core.outputs >> o & 1) || b->format < SVM_SP_FLOAT32_1)
                    continue;
                for (unsigned c = 0; c < b->element / 4; c++) {
                    float got;
                    memcpy(&got, s->memory[0] + b->base + ((size_t)y * b->pitch + (size_t)x) * b->element + 4 * c, 4);
                    if ((s->core.output_mask >> (4 * o + c) & 1) && !same(got, out[o][c])) {
                        printf("thread (%d, %d), o%u component %u: %a, expected %a\n", x, y, o, c, (double)got,
                               (double)out[o][c]);
                        failed(s, "the functional model and the reference differ");
                    }
                }
            }
        }
}

static void check_runs(session *s)
{
    sp_core *c = &s->core;
    svm_SpParameters p;
    svm_SpCounters counters = {0};
    sp_results results;
    if (!sp_core_init(c, s->program))
        failed(s, "out of memory");
    unsigned width = 1 + draw(s, 24), height = 1 + draw(s, 6);
    c->x1 = (int32_t)width - 1;
    c->y1 = (int32_t)height - 1;
    c->x0 = (int32_t)draw(s, width);
    set_buffers(s, width, height);
    draw_parameters(s, &p);
    fill_memory(s);
    c->memory = s->memory[0];
    c->memory_size = MEMORY;
    c->options = (sp_options){.flush = chance(s, 20),
                              .zero_product = chance(s, 20),
                              .linear = chance(s, 20),
                              .bounds = chance(s, 50) ? SP_BOUNDS_CLAMP : SP_BOUNDS_ZERO};
    if (!sp_core_check(c) || !sp_run_functional(c, 1000000, &counters)) {
        printf("%s\n", c->fault);
        failed(s, "the functional model fails");
    }
    if (!c->quads && !c->options.flush && !c->options.zero_product)
        check_reference(s);
    c->memory = s->memory[1];
    sp_cycle_options o = {.policy = (sp_policy)draw(s, SP_POLICY_COUNT), .max_cycles = 100000000};
    if (!sp_run_cycles(c, &p, &o, &results, NULL)) {
        printf("%s\n", c->fault);
        failed(s, "the cycle model fails");
    }
    for (size_t i = 0; i < MEMORY; i++)
        if (s->memory[0][i] != s->memory[1][i]) {
            printf("byte %zu of memory; %s, %u threads a batch\n", i, c->quads ? "squares" : "rows", p.threads);
            break;
        }
    if (memcmp(s->memory[0], s->memory[1], MEMORY) != 0)
        failed(s, "the functional and the cycle model differ");
    if (results.whole.threads != counters.threads)
        failed(s, "the two models count different threads");
    sp_core_free(c);
}

static void run_one(session *s, uint64_t seed)
{
    s->random = s->seed = seed;
    s->arena = arena_create();
    source_set_init(&s->sources, s->arena);
    diag_init(&s->diags, s->arena, &s->sources);
    for (unsigned i = 0; i < 5; i++)
        draw(s, 2);
    write_program(s);
    // Too long by chance: another one.
    if (s->instructions < SP_MAX_INSTRUCTIONS - 30) {
        s->program = assemble(s, &s->text);
        if (s->program == NULL)
            failed(s, "the program does not assemble");
        check_round_trip(s);
        check_runs(s);
    }
    arena_destroy(s->arena);
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    session *s = calloc(1, sizeof *s);
    if (count == 0 || s == NULL) {
        fprintf(stderr, "usage: softproc-random COUNT [SEED]\n");
        return 2;
    }
    for (unsigned long i = 0; i < count; i++)
        run_one(s, seed + i);
    printf("%lu programs: round trip, functional model, cycle model and reference agree\n", count);
    free(s);
    return 0;
}
