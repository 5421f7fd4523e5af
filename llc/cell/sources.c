// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The texts of both sides. The SPEs' is the SVM C without the declarations at file scope that no kernel reaches: text is
// taken as it is, so that macros, comments and names are the programmer's. A *chunk* is a declaration, or several that
// share text (a struct and the typedef around it).
#include <stdlib.h>
#include <string.h>

#include "llc/cell/cell.h"
#include "llc/reader/reader.h"

typedef struct chunk {
    unsigned begin, end; // offsets in the file
    bool reached;
} chunk;

typedef struct cutting {
    cell_program *program;
    const source_file *source;
    CXFile file;
    VEC(chunk) chunks; // in order
    VEC(CXCursor) declarations;
    VEC(size_t) pending; // reached, and not walked yet
} cutting;

// The offset where a place lies in the main file, or false. In a macro's expansion that is where the macro is used.
static bool in_main_file(const cutting *c, CXSourceLocation location, unsigned *offset)
{
    CXFile file;
    clang_getFileLocation(location, &file, NULL, NULL, offset);
    return file != NULL && clang_File_isEqual(file, c->file);
}

static bool extent_of(const cutting *c, CXCursor cursor, unsigned *begin, unsigned *end)
{
    CXSourceRange extent = clang_getCursorExtent(cursor);
    return in_main_file(c, clang_getRangeStart(extent), begin) && in_main_file(c, clang_getRangeEnd(extent), end) &&
           *end > *begin;
}

static enum CXChildVisitResult gather(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    cutting *c = data;
    arena *a = c->program->session->arena;
    unsigned begin, end;
    if (!extent_of(c, cursor, &begin, &end))
        return CXChildVisit_Continue;
    VEC_PUSH(a, &c->declarations, cursor);
    if (c->chunks.len > 0 && begin < VEC_LAST(&c->chunks).end) {
        if (end > VEC_LAST(&c->chunks).end)
            VEC_LAST(&c->chunks).end = end;
        if (begin < VEC_LAST(&c->chunks).begin)
            VEC_LAST(&c->chunks).begin = begin;
    } else {
        VEC_PUSH(a, &c->chunks, ((chunk){begin, end, false}));
    }
    return CXChildVisit_Continue;
}

static chunk *chunk_at(cutting *c, unsigned offset)
{
    for (VEC_EACH(chunk, k, &c->chunks))
        if (offset >= k->begin && offset < k->end)
            return k;
    return NULL;
}

static void reach(cutting *c, CXCursor declaration)
{
    unsigned offset;
    if (!in_main_file(c, clang_getCursorLocation(declaration), &offset))
        return;
    chunk *k = chunk_at(c, offset);
    if (k == NULL || k->reached)
        return;
    k->reached = true;
    VEC_PUSH(c->program->session->arena, &c->pending, (size_t)(k - c->chunks.data));
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    CXCursor referenced = clang_getCursorReferenced(cursor);
    if (!clang_Cursor_isNull(referenced) && !clang_equalCursors(referenced, cursor))
        reach(data, referenced);
    CXCursor definition = clang_getCursorDefinition(referenced);
    if (!clang_Cursor_isNull(definition))
        reach(data, definition);
    return CXChildVisit_Recurse;
}

static void reach_all(cutting *c)
{
    for (VEC_EACH(const cell_kernel, k, &c->program->kernels))
        if (k->number >= 0)
            reach(c, k->function->cursor);
    for (size_t i = 0; i < c->pending.len; i++) {
        chunk k = c->chunks.data[c->pending.data[i]];
        for (VEC_EACH(const CXCursor, d, &c->declarations)) {
            unsigned begin, end;
            if (extent_of(c, *d, &begin, &end) && begin >= k.begin && begin < k.end)
                clang_visitChildren(*d, visit, c);
        }
    }
}

// ---- Text ----

static unsigned line_of(const source_file *source, unsigned offset)
{
    unsigned line = 1;
    for (unsigned i = 0; i < offset; i++)
        line += source->text[i] == '\n';
    return line;
}

static unsigned line_end(const source_file *source, unsigned at, unsigned end)
{
    while (at < end && source->text[at] != '\n')
        at++;
    return at < end ? at + 1 : end;
}

static bool is_directive(const source_file *source, unsigned at, unsigned end)
{
    while (at < end && (source->text[at] == ' ' || source->text[at] == '\t'))
        at++;
    return at < end && source->text[at] == '#';
}

// Of text between declarations, the directives.
static void add_directives(const source_file *source, unsigned at, unsigned end, strbuf *out)
{
    while (at < end) {
        unsigned next = line_end(source, at, end);
        bool directive = is_directive(source, at, end);
        while (directive && next < end && next >= 2 && source->text[next - 2] == '\\')
            next = line_end(source, next, end);
        if (directive)
            strbuf_addn(out, source->text + at, next - at);
        at = next;
    }
}

// What follows a declaration up to its line's end, without its semicolon where it is left out.
static unsigned behind(const source_file *source, unsigned at, unsigned end)
{
    while (at < end && strchr(" \t;", source->text[at]) != NULL)
        at++;
    return at < end && source->text[at] == '\n' ? at + 1 : at;
}

// The beginning of the comments directly before a declaration.
static unsigned before(const source_file *source, unsigned at, unsigned end)
{
    unsigned begin = end;
    for (unsigned i = at; i < end; i = line_end(source, i, end)) {
        bool blank = line_end(source, i, end) == i + 1;
        if (blank || is_directive(source, i, end))
            begin = end;
        else if (begin == end)
            begin = i;
    }
    return begin;
}

static void add_line(cell_program *p, unsigned line, strbuf *out)
{
    strbuf_printf(out, "#line %u \"", line);
    for (const char *c = p->unit->path; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            strbuf_addc(out, '\\');
        strbuf_addc(out, *c);
    }
    strbuf_add(out, "\"\n");
}

static void add_reached(cutting *c, bool lines, strbuf *out)
{
    const source_file *source = c->source;
    unsigned at = 0;
    for (VEC_EACH(const chunk, k, &c->chunks)) {
        unsigned begin = k->begin;
        if (k->reached)
            begin = before(source, at, k->begin);
        add_directives(source, at, begin, out);
        if (!k->reached) {
            at = behind(source, k->end, (unsigned)source->len);
            continue;
        }
        strbuf_addc(out, '\n');
        if (lines)
            add_line(c->program, line_of(source, begin), out);
        unsigned end = behind(source, k->end, (unsigned)source->len);
        strbuf_addn(out, source->text + begin, end - begin);
        if (source->text[end - 1] != '\n')
            strbuf_addc(out, '\n');
        at = end;
    }
    add_directives(source, at, (unsigned)source->len, out);
}

const char *cell_spu_text(cell_program *p, bool lines)
{
    cutting c = {.program = p, .source = source_get(p->session->diag->sources, p->unit->file)};
    c.file = clang_getFile(p->unit->tu, c.source->name);
    clang_visitChildren(clang_getTranslationUnitCursor(p->unit->tu), gather, &c);
    reach_all(&c);
    strbuf out;
    strbuf_init(&out, p->session->arena);
    strbuf_printf(&out, "/* The SPEs' side of %s: its kernels, which the resident loop of svm-resident.o runs. */\n",
                  p->stem);
    strbuf_add(&out, "#include <svm_resident.h>\n\n");
    add_reached(&c, lines, &out);
    strbuf_add(&out,
               "\n/* The kernels, by their numbers in commands. */\nsvm_KernelFunction *const svm_cellKernels[] = {\n");
    for (VEC_EACH(const cell_kernel, k, &p->kernels))
        if (k->number >= 0)
            strbuf_printf(&out, "    %s,\n", k->function->name);
    strbuf_printf(&out,
                  "};\n\n/* Commands from the PPE, until they are complete. */\n"
                  "unsigned char svm_cellRing[%llu] __attribute__((aligned(128)));\n"
                  "const uint32_t svm_cellRingBytes = sizeof svm_cellRing;\n",
                  (unsigned long long)p->ring);
    return out.data;
}

// ---- The PPE's side ----

static const char *const kind_names[] = {
    [CELL_BYTES] = "BYTES",   [CELL_INT] = "INT",         [CELL_UINT] = "UINT",       [CELL_BLOCK] = "BLOCK",
    [CELL_OBJECT] = "OBJECT", [CELL_ADDRESS] = "ADDRESS", [CELL_NOTHING] = "NOTHING",
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

static void add_kernel(const cell_kernel *k, strbuf *out)
{
    const char *name = k->function->name;
    if (k->number < 0)
        strbuf_printf(out, "    {.run = %s, .name = \"%s\", .number = -1, .why = \"%s\"},\n", name, name, k->why);
    else if (k->fields.len == 0)
        strbuf_printf(out, "    {.run = %s, .name = \"%s\", .number = %d, .bytes = %llu},\n", name, name, k->number,
                      (unsigned long long)k->bytes);
    else
        strbuf_printf(out,
                      "    {.run = %s, .name = \"%s\", .number = %d, .bytes = %llu, .fields = %s_fields,\n"
                      "     .fieldCount = %zu},\n",
                      name, name, k->number, (unsigned long long)k->bytes, name, k->fields.len);
}

const char *cell_ppu_text(cell_program *p, bool lines)
{
    const source_file *source = source_get(p->session->diag->sources, p->unit->file);
    strbuf out;
    strbuf_init(&out, p->session->arena);
    if (lines)
        add_line(p, 1, &out);
    else
        strbuf_printf(&out,
                      "/* The PPE's side of %s: the SVM C as it stands, and what the SPEs need of its kernels. */\n",
                      p->stem);
    strbuf_addn(&out, source->text, source->len);
    strbuf_add(&out, "\n/* ---- What the PPE's runtime needs to know of the SPEs' side ---- */\n\n"
                     "#include <svm/cell_program.h>\n");
    for (VEC_EACH(const cell_kernel, k, &p->kernels))
        if (k->number >= 0 && k->fields.len > 0)
            add_fields(k, &out);
    strbuf_add(&out, "\nstatic const svm_CellKernel svm_cellKernelTable[] = {\n");
    for (VEC_EACH(const cell_kernel, k, &p->kernels))
        add_kernel(k, &out);
    strbuf_add(&out, "    {0},\n};\n");
    if (p->count > 0)
        strbuf_add(&out, "\nextern spe_program_handle_t svm_cellImage; /* embedded by svm-embedspu */\n");
    strbuf_printf(&out,
                  "\n#ifndef SVM_CELL_CODE_BYTES\n#define SVM_CELL_CODE_BYTES 0 /* where code lies in the local store "
                  "*/\n#endif\n"
                  "const svm_CellProgram svm_cellProgram = {\n    .image = %s,\n    .codeBytes = SVM_CELL_CODE_BYTES,\n"
                  "    .kernels = svm_cellKernelTable,\n    .kernelCount = %zu,\n};\n",
                  p->count > 0 ? "&svm_cellImage" : "NULL", p->kernels.len);
    return out.data;
}

const char *cell_makefile(cell_program *p)
{
    const char *const image = p->count > 0 ? arena_printf(p->session->arena, "%s_spu.o", p->stem) : "";
    return arena_printf(
        p->session->arena,
        "# %s for the Cell: `make` builds it for the emulation. With the vendor's tools:\n"
        "#   make PPU_CC=ppu-gcc SPU_CC=spu-gcc EMBEDSPU=ppu-embedspu CODE= PPU_LIBS='-lspe2 -lpthread -lm' SVM=...\n"
        "# where SVM has the runtime (runtime/cell/svm of svmc) built for both processors.\n"
        "SVM = %s/..\n"
        "PPU_CC = $(SVM)/bin/svm-ppu-gcc\n"
        "SPU_CC = $(SVM)/bin/svm-spu-gcc\n"
        "EMBEDSPU = $(SVM)/bin/svm-embedspu\n"
        "CFLAGS = -std=c11 -O2 -fwrapv -ffp-contract=off -fno-math-errno -isystem $(SVM)/include\n"
        "# The emulation's code lies outside of the local store and is counted against it.\n"
        "CODE = -DSVM_CELL_CODE_BYTES=$$(cut -d' ' -f2 memory.txt)\n"
        "PPU_LIBS =\n\n"
        "%s: %s.ppu.c machine.h %s\n"
        "\t$(PPU_CC) $(CFLAGS) -w -DSVM_MACHINE_TABLE='\"machine.h\"' -I. $(CODE) $< %s "
        "$(SVM)/lib/svm-cell/libsvm-cell.a $(PPU_LIBS) -o $@\n\n"
        "%s_spu.o: %s_spu\n"
        "\t$(EMBEDSPU) svm_cellImage $< $@\n\n"
        "%s_spu: %s.spu.c\n"
        "\t$(SPU_CC) $(CFLAGS) -w $< $(SVM)/lib/svm-cell/svm-resident.o -Wl,-z,stack-size=8192 --memory=memory.txt -o "
        "$@\n\n"
        "clean:\n"
        "\trm -f %s %s_spu %s_spu.o memory.txt\n",
        p->stem, p->session->environment->library_directory, p->stem, p->stem, image, image, p->stem, p->stem, p->stem,
        p->stem, p->stem, p->stem, p->stem);
}
