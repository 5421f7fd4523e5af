// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The texts of both sides, and a Makefile for them.
#include <stdlib.h>
#include <string.h>

#include "llc/cell/cell.h"
#include "llc/contract/contract.h"

// ---- The SPEs' side ----

static void add_overlays(const cell_program *p, strbuf *out)
{
    strbuf_printf(
        out,
        "\n/* The kernels do not fit the local store together. Before a run a kernel's code comes from memory to a "
        "region that it shares with\n   others: {region, from, to, bytes}. The vendor's linker does this with "
        "%s.overlays.ld. */\n#ifndef SVM_LINKER_OVERLAYS\nconst svm_CellOverlay svm_cellOverlays[] = {\n",
        p->stem);
    for (VEC_EACH(const cell_kernel, k, &p->kernels)) {
        if (k->why != NULL)
            continue;
        const cell_region *r = k->region > 0 ? &p->regions.data[k->region - 1] : NULL;
        strbuf_printf(out, "    {%u, %lu, %lu, %lu}, /* %s */\n", r != NULL ? k->region - 1 : 0, k->from,
                      r != NULL ? r->at : 0, r != NULL ? k->code : 0, k->function->name);
    }
    strbuf_printf(out,
                  "};\nunsigned char svm_cellOverlayArea[%lu] __attribute__((aligned(128)));\n"
                  "uint32_t svm_cellRegions[%zu]; /* which kernel's code each has */\n#endif\n",
                  p->area, p->regions.len);
}

const char *cell_spu_text(cell_program *p, bool lines)
{
    strbuf out;
    strbuf_init(&out, p->session->arena);
    strbuf_printf(&out, "/* The SPEs' side of %s: its kernels, which the resident loop of svm-resident.o runs. */\n",
                  p->stem);
    strbuf_add(&out, "#include <svm_resident.h>\n\n");
    strbuf_add(&out, cell_quads(p, cell_cut(p, lines)));
    strbuf_add(&out,
               "\n/* The kernels, by their numbers in commands. */\nsvm_KernelFunction *const svm_cellKernels[] = {\n");
    for (VEC_EACH(const cell_kernel, k, &p->kernels))
        if (k->why == NULL)
            strbuf_printf(&out, "    %s,\n", k->function->name);
    strbuf_printf(&out,
                  "    NULL,\n};\n\n/* Commands from the PPE, until they are complete. */\n"
                  "unsigned char svm_cellRing[%llu] __attribute__((aligned(128)));\n"
                  "const uint32_t svm_cellRingBytes = sizeof svm_cellRing;\n",
                  (unsigned long long)p->ring);
    if (p->regions.len > 0)
        add_overlays(p, &out);
    if (p->streams > 0)
        strbuf_printf(&out,
                      "\n/* Kernels wait for streams in the local store; what is kept of %u of them. */\n"
                      "const svm_CellStreaming *const svm_cellStreaming = &svm_cellStreamsHere;\n"
                      "unsigned char svm_cellStreams[%u * 80] __attribute__((aligned(16)));\n",
                      p->streams, p->streams);
    bool late = false;
    for (VEC_EACH(const cell_kernel, k, &p->kernels))
        late |= k->why == NULL && cell_begins_late(p, k);
    if (late)
        strbuf_add(&out, "\n/* Kernels whose input is to come let others pass. */\n"
                         "const svm_CellTurning *const svm_cellTurning = &svm_cellTurnsHere;\n");
    if (p->instructions)
        strbuf_add(&out, "\n/* Stream instructions: what their kernels call, and loads and stores of words. */\n"
                         "const svm_CellInstructing *const svm_cellInstructing = &svm_cellInstructionsHere;\n");
    if (p->timed)
        strbuf_add(&out, "\n/* What a run counts. */\nuint64_t svm_simCounts[SVM_SIM_CLASSES], svm_simFirings;\n"
                         "double svm_simFiringCycles;\n");
    return out.data;
}

// ---- The PPE's side ----

static const char *const kind_names[] = {
    [CELL_BYTES] = "BYTES",   [CELL_INT] = "INT",       [CELL_UINT] = "UINT",       [CELL_BLOCK] = "BLOCK",
    [CELL_OBJECT] = "OBJECT", [CELL_STREAM] = "STREAM", [CELL_ADDRESS] = "ADDRESS", [CELL_NOTHING] = "NOTHING",
};

static void add_fields(const cell_kernel *k, strbuf *out)
{
    strbuf_printf(out, "\n/* The struct of %s: where the PPE has it, where an SPE has it, how many. */\n",
                  k->function->name);
    strbuf_printf(out, "static const svm_CellField %s_fields[] = {\n", k->function->name);
    for (VEC_EACH(const cell_field, f, &k->fields))
        strbuf_printf(out, "    {%llu, %llu, SVM_CELL_%s, %llu, \"%s\"},\n", (unsigned long long)f->ppe,
                      (unsigned long long)f->spe, kind_names[f->kind], (unsigned long long)f->count, f->name);
    strbuf_add(out, "};\n");
}

static void add_kernel(const cell_program *p, const cell_kernel *k, strbuf *out)
{
    const char *name = k->function->name;
    const char *end = "},";
    strbuf where;
    strbuf_init(&where, out->arena);
    if (cell_begins_late(p, k))
        strbuf_add(&where, ",\n     .inputFirst = true");
    if (k->region > 0)
        strbuf_printf(&where, ",\n     .region = %u, .codeBytes = %lu", k->region, k->code);
    if (where.len > 0) {
        strbuf_add(&where, "},");
        end = where.data;
    }
    if (k->number < 0)
        strbuf_printf(out, "    {.run = %s, .name = \"%s\", .number = -1}, /* %s */\n", name, name, k->why);
    else if (k->fields.len == 0)
        strbuf_printf(out, "    {.run = %s, .name = \"%s\", .number = %d, .bytes = %llu%s\n", name, name, k->number,
                      (unsigned long long)k->bytes, end);
    else
        strbuf_printf(out,
                      "    {.run = %s, .name = \"%s\", .number = %d, .bytes = %llu, .fields = %s_fields,\n"
                      "     .fieldCount = %zu%s\n",
                      name, name, k->number, (unsigned long long)k->bytes, name, k->fields.len, end);
}

const char *cell_ppu_text(cell_program *p, bool lines)
{
    const source_file *source = source_get(p->session->diag->sources, p->unit->file);
    strbuf out;
    strbuf_init(&out, p->session->arena);
    if (lines) {
        strbuf_add(&out, "#line 1 ");
        strbuf_add_c_string(&out, p->unit->path, strlen(p->unit->path));
        strbuf_addc(&out, '\n');
    } else {
        strbuf_printf(&out,
                      "/* The PPE's side of %s: the SVM C as it stands, and what the SPEs need of its kernels. */\n",
                      p->stem);
    }
    strbuf_addn(&out, source->text, source->len);
    strbuf_add(&out, "\n/* ---- What the PPE's runtime needs to know of the SPEs' side ---- */\n\n"
                     "#include <svm/cell_program.h>\n");
    for (VEC_EACH(const cell_kernel, k, &p->kernels))
        if (k->number >= 0 && k->fields.len > 0)
            add_fields(k, &out);
    strbuf_add(&out, "\nstatic const svm_CellKernel svm_cellKernelTable[] = {\n");
    for (VEC_EACH(const cell_kernel, k, &p->kernels))
        add_kernel(p, k, &out);
    strbuf_add(&out, "    {0},\n};\n");
    if (p->has_image)
        strbuf_add(&out, "\nextern struct spe_program_handle svm_cellImage; /* embedded by svm-embedspu */\n");
    if (p->regions.len > 0)
        strbuf_printf(&out,
                      "\n/* Code of kernels that is overlaid. The emulation runs it elsewhere: here its bytes are only "
                      "moved. */\n"
                      "static const unsigned char svm_cellOverlayCode[%lu] __attribute__((aligned(128)));\n",
                      p->in_memory);
    strbuf_printf(&out,
                  "\n#ifndef SVM_CELL_CODE_BYTES\n#define SVM_CELL_CODE_BYTES 0 /* where code lies in the local store "
                  "*/\n#endif\n"
                  "const svm_CellProgram svm_cellProgram = {\n    .image = %s,\n    .codeBytes = SVM_CELL_CODE_BYTES,\n"
                  "    .kernels = svm_cellKernelTable,\n    .kernelCount = %zu,\n",
                  p->has_image ? "&svm_cellImage" : "NULL", p->kernels.len);
    if (p->regions.len > 0)
        strbuf_printf(&out, "    .overlays = svm_cellOverlayCode,\n    .regionCount = %zu,\n", p->regions.len);
    if (p->instructions)
        strbuf_add(&out, "    .instructions = true, /* of streams: SPEs run them */\n");
    if (p->streams > 0)
        strbuf_printf(&out, "    .streams = %u, /* only SPEs use them */\n", p->streams);
    strbuf_add(&out, "};\n");
    return out.data;
}

// Flags of the session that both compilers need, and those that keep constants from being folded by another library.
static void add_makefile_flags(cell_program *p, strbuf *out)
{
    const llc_options *o = p->session->options;
    strbuf_add(out, "CFLAGS = -std=c11 -O2 -fwrapv -ffp-contract=off -fno-math-errno -isystem $(SVM)/include");
    char *folder = realpath(cell_folder(p), NULL); // for what the text includes
    strbuf_printf(out, " -iquote %s", folder != NULL ? folder : cell_folder(p));
    free(folder);
    for (VEC_EACH(const char *, dir, &o->includes))
        strbuf_printf(out, " -I%s", *dir);
    for (VEC_EACH(const char *, define, &o->defines))
        strbuf_printf(out, " -D%s", *define);
    strbuf_add(out, "\n# Functions that libraries round differently: no compiler computes them.\nCFLAGS +=");
    for (size_t i = 0; contract_inexact_function(i) != NULL; i++)
        strbuf_printf(out, "%s-fno-builtin-%s", i % 6 == 0 ? " \\\n    " : " ", contract_inexact_function(i));
    strbuf_addc(out, '\n');
}

static const char *overlay_flags(const cell_program *p)
{
    return arena_printf(p->session->arena,
                        "OVERLAYS='-DSVM_LINKER_OVERLAYS -ffunction-sections -Wl,-T,%s.overlays.ld' ", p->stem);
}

const char *cell_makefile(cell_program *p)
{
    const char *name = p->stem, *image = p->has_image ? arena_printf(p->session->arena, "%s_spu.o", name) : "";
    strbuf out;
    strbuf_init(&out, p->session->arena);
    strbuf_printf(
        &out,
        "# %s for the Cell: `make` builds it for the emulation. With the vendor's tools:\n"
        "#   make PPU_CC=ppu-gcc SPU_CC=spu-gcc EMBEDSPU=ppu-embedspu CODE= MEMORY= %sSVM=DIR\n"
        "# where DIR has the runtime (runtime/cell/svm of svmc) built for both processors.\n"
        "SVM = %s/..\n"
        "PPU_CC = $(SVM)/bin/svm-ppu-gcc\nSPU_CC = $(SVM)/bin/svm-spu-gcc\nEMBEDSPU = $(SVM)/bin/svm-embedspu\n",
        name, p->regions.len == 0 ? "" : overlay_flags(p), p->session->environment->library_directory);
    add_makefile_flags(p, &out);
    strbuf_printf(&out,
                  "# The emulation's code lies outside of the local store and is counted against it.\n"
                  "MEMORY = --memory=memory.txt\n# Room for the deepest calls.\nSTACK = %lu\n",
                  p->regions.len == 0 ? 16384 : p->stack);
    if (p->regions.len > 0)
        strbuf_printf(&out,
                      "# Of the code so many bytes are overlaid.\nCODE = -DSVM_CELL_CODE_BYTES=$$(($$(cut -d' ' -f2 "
                      "memory.txt) - %lu))\n\n",
                      p->overlaid);
    else
        strbuf_add(&out, "CODE = -DSVM_CELL_CODE_BYTES=$$(cut -d' ' -f2 memory.txt)\n\n");
    strbuf_printf(&out, "%s: %s.ppu.c machine.h %s\n", name, name, image);
    strbuf_printf(&out,
                  "\t$(PPU_CC) $(CFLAGS) -w -DSVM_MACHINE_TABLE='\"machine.h\"' -I. %s%s.ppu.c %s \\\n"
                  "\t    $(SVM)/lib/svm-cell/libsvm-cell.a -lspe2 -lpthread -lm -o $@\n\n",
                  p->has_image ? "$(CODE) " : "", name, image);
    strbuf_printf(
        &out,
        "%s_spu.o: %s.spu.c\n"
        "\t$(SPU_CC) $(CFLAGS) %s-w $(MEMORY) -Wl,-z,stack-size=$(STACK) $< $(SVM)/lib/svm-cell/svm-resident.o "
        "-o %s_spu\n"
        "\t$(EMBEDSPU) svm_cellImage %s_spu $@\n\n",
        name, name, p->regions.len == 0 ? "" : "$(OVERLAYS) ", name, name);
    strbuf_printf(&out, "clean:\n\trm -f %s %s_spu %s_spu.o memory.txt\n", name, name, name);
    return out.data;
}
