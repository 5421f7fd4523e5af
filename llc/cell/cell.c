// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Cell backend: which machines and programs it takes, and the steps from the texts of both sides to a program of the
// emulation (docs/cell.md): svm-spu-gcc, svm-embedspu, svm-ppu-gcc.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "llc/cc/cc.h"
#include "llc/cell/cell.h"
#include "llc/check/check.h"
#include "llc/reader/reader.h"
#include "llc/sim/sim.h"

// What the resident loop and the libraries below kernels need of a stack; the least, in case a compiler tells less than it takes;
// of a function whose frame has no fixed size.
enum { LIBRARY_STACK = 2048, LEAST_STACK = 4096, DYNAMIC_FRAME = 8192, LEAST_RING = 4096 };

// ---- Machines ----

static bool control_reaches(const machine *m, size_t memory)
{
    for (VEC_EACH(const machine_processor, p, &m->processors))
        if (p->kind == MACHINE_processor_kind_CONTROL && machine_refers(&p->memories, MACHINE_MEMORY, memory))
            return true;
    return false;
}

// A processor for kernels that reaches one memory, which no control processor does.
static const machine_memory *local_store_of(const machine *m, const machine_processor *p)
{
    const machine_memory *local = NULL;
    if (p->kind != MACHINE_processor_kind_KERNEL)
        return NULL;
    for (VEC_EACH(const machine_ref, r, &p->memories)) {
        const machine_memory *memory = &m->memories.data[r->index];
        if (memory->kind == MACHINE_memory_kind_CACHE)
            continue;
        if (control_reaches(m, r->index) || local != NULL || memory->kind != MACHINE_memory_kind_RAM)
            return NULL;
        local = memory;
    }
    return local;
}

// The text names an SPE or its local store.
static bool uses_spes(const llc_unit *unit)
{
    const machine *m = unit->machine;
    for (VEC_EACH(const llc_name, n, &unit->names)) { // names that macros rename are not resolved
        const machine_processor *named = machine_processor_by_name(m, n->name);
        const machine_memory *memory = machine_memory_by_name(m, n->name);
        if (named != NULL && local_store_of(m, named) != NULL)
            return true;
        for (VEC_EACH(const machine_processor, p, &m->processors))
            if (memory != NULL && local_store_of(m, p) == memory)
                return true;
    }
    return false;
}

static bool check(llc_session *s, const llc_unit *unit)
{
    const machine *m = unit->machine;
    size_t spes = 0;
    for (VEC_EACH(const machine_processor, p, &m->processors)) {
        const machine_memory *local = local_store_of(m, p);
        if (local == NULL)
            continue;
        spes++;
        for (VEC_EACH(const machine_processor, other, &m->processors))
            if (other != p && local_store_of(m, other) == local) {
                diag_error(s->diag, unit->machine_range,
                           "target 'cell' takes processors with a local memory each, and '%s' and '%s' of machine '%s' "
                           "share '%s'",
                           p->element.name, other->element.name, m->name, local->element.name);
                return false;
            }
        if (local->size <= CELL_LOCAL_STORE)
            continue;
        diag_error(s->diag, unit->machine_range,
                   "target 'cell' takes local memories of at most %d bytes, and '%s' of machine '%s' has %llu",
                   CELL_LOCAL_STORE, local->element.name, m->name, (unsigned long long)local->size);
        return false;
    }
    if (spes > 0)
        return true;
    diag_error(
        s->diag, unit->machine_range,
        "target 'cell' needs processors for kernels with a local memory of their own and nothing else, as machine "
        "'cell-qs20' has them; '%s' has none: --machine= names another",
        m->name);
    return false;
}

// ---- The steps ----

static const char *installed(llc_session *s, const char *relative)
{
    return arena_printf(s->arena, "%s/%s", s->environment->library_directory, relative);
}

static const char *temporary(llc_session *s, const char *stem, const char *suffix)
{
    return s->environment->temporary(s->environment->context, stem, suffix);
}

static bool write_text(llc_session *s, const char *path, const char *text)
{
    if (s->environment->dry_run || file_write(path, text, strlen(text)))
        return true;
    diag_error_at(s->diag, LLC_TOOL, "cannot write '%s': %s", path, strerror(errno));
    return false;
}

static void add_all(llc_session *s, llc_strings *command, const char *const *words)
{
    for (; *words != NULL; words++)
        cc_add(s, command, *words);
}

// ---- The SPEs' stack ----

// clang's lines "file:line:function<tab>bytes<tab>static" or "dynamic", as bytes by function.
static void read_frames(cell_program *p, char *text, hmap *frames)
{
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        char *name = strsep(&line, "\t"), *bytes = strsep(&line, "\t");
        if (bytes == NULL || line == NULL || strrchr(name, ':') == NULL)
            continue;
        unsigned long *frame = ARENA_NEW(p->session->arena, unsigned long);
        *frame = (strtoul(bytes, NULL, 10) + 15) / 16 * 16 + (strstr(line, "dynamic") != NULL ? DYNAMIC_FRAME : 0);
        hmap_set(frames, strrchr(name, ':') + 1, frame);
    }
}

// The user's own: -Wl,-z,stack-size=BYTES.
static unsigned long wanted_stack(const llc_session *s)
{
    static const char option[] = "-Wl,-z,stack-size=";
    unsigned long wanted = 0;
    for (VEC_EACH(const char *const, word, &s->options->link))
        if (strncmp(*word, option, sizeof option - 1) == 0)
            wanted = strtoul(*word + sizeof option - 1, NULL, 0);
    return wanted;
}

// Room for the kernel that needs most: a frame of each function that it reaches.
static bool find_stack(cell_program *p, const char *usage)
{
    llc_session *s = p->session;
    char *text;
    size_t len;
    hmap frames;
    p->stack = LEAST_STACK;
    if (s->environment->dry_run || p->count == 0)
        return true;
    if (!file_read(s->arena, usage, &text, &len)) {
        diag_internal(s->diag, (src_range){0}, "clang has not told how much stack functions take");
        return false;
    }
    hmap_init(&frames, s->arena);
    read_frames(p, text, &frames);
    for (VEC_EACH(const cell_kernel, k, &p->kernels)) {
        unsigned long bytes = LIBRARY_STACK;
        for (VEC_EACH(const char *const, name, &k->reached)) {
            const unsigned long *frame = hmap_get(&frames, *name);
            bytes += frame != NULL ? *frame : 0;
        }
        if (k->number >= 0 && bytes > p->stack)
            p->stack = bytes;
    }
    if (wanted_stack(s) != 0)
        p->stack = wanted_stack(s);
    p->stack = (p->stack + 255) / 256 * 256;
    return true;
}

// ---- The SPEs' program ----

static bool run_spu_gcc(cell_program *p, const char *source, const char *const *words)
{
    llc_session *s = p->session;
    llc_strings command = {0};
    cc_add(s, &command, installed(s, "../bin/svm-spu-gcc"));
    cc_add_code_flags(s, &command);
    if (strcmp(s->options->level, "0") == 0)
        cc_add(s, &command, "-O1"); // frames would be large
    cc_add(s, &command, arena_printf(s->arena, "-iquote%s", cell_folder(p)));
    add_all(s, &command, (const char *const[]){"-w", "-c", source, NULL});
    add_all(s, &command, words);
    return llc_run_step(s, &command, "SPEs' compiler");
}

// Through the code that target 'sim' makes of it, with counters.
static bool compile_counting(cell_program *p, const char *source, const char *object)
{
    llc_session *s = p->session;
    const char *bitcode = temporary(s, "spu", ".bc"), *counting = temporary(s, "spu-counting", ".ll");
    return bitcode != NULL && counting != NULL &&
           run_spu_gcc(p, source,
                       (const char *const[]){"-DSVM_ELEMENTARY_CALLS", "-emit-llvm", "-Xclang", "-disable-llvm-passes",
                                             "-o", bitcode, NULL}) &&
           (s->environment->dry_run || sim_generate(s, p->unit, bitcode, NULL, LLC_OUTPUT_LLVM_IR, counting)) &&
           run_spu_gcc(p, counting,
                       (const char *const[]){"-Xclang", "-disable-llvm-passes", "-fstack-usage", "-o", object, NULL});
}

static bool compile_image(cell_program *p, const char *object)
{
    llc_session *s = p->session;
    const char *source = temporary(s, "spu", ".c");
    if (source == NULL || !write_text(s, source, cell_spu_text(p, true)))
        return false;
    return p->timed ? compile_counting(p, source, object)
                    : run_spu_gcc(p, source, (const char *const[]){"-fstack-usage", "-o", object, NULL});
}

// The SPEs' program, as an object of the PPE's.
static const char *build_image(cell_program *p, const char *memory)
{
    llc_session *s = p->session;
    const char *code = temporary(s, "spu", ".o"), *image = temporary(s, p->stem, ".spu");
    const char *object = temporary(s, "image", ".o");
    if (code == NULL || image == NULL || object == NULL || !compile_image(p, code) ||
        !find_stack(p, arena_printf(s->arena, "%.*s.su", (int)(strlen(code) - 2), code)))
        return NULL;
    llc_strings link = {0}, embed = {0};
    add_all(s, &link,
            (const char *const[]){installed(s, "../bin/svm-spu-gcc"), code, installed(s, "svm-cell/svm-resident.o"),
                                  arena_printf(s->arena, "-Wl,-z,stack-size=%lu", p->stack),
                                  arena_printf(s->arena, "--memory=%s", memory), "-o", image, NULL});
    if (!llc_run_step(s, &link, "SPEs' linker"))
        return NULL;
    add_all(s, &embed,
            (const char *const[]){installed(s, "../bin/svm-embedspu"), "svm_cellImage", image, object, NULL});
    return llc_run_step(s, &embed, "embedding") ? object : NULL;
}

// Blocks lie behind the SPEs' program, in whole lines. Where that cannot be told here the program tells it when it begins.
static bool check_room(cell_program *p, unsigned long data, unsigned long code)
{
    llc_session *s = p->session;
    const uint64_t program = (data + 127) / 128 * 128 + code;
    check_extents extents = {0};
    bool good = true;
    check_blocks(s, s->units.data[0], &extents);
    for (VEC_EACH(const check_extent, e, &extents)) {
        bool local = false;
        for (VEC_EACH(const machine_processor, spe, &p->unit->machine->processors))
            local |= local_store_of(p->unit->machine, spe) == e->memory;
        if (!local || e->end + program <= CELL_LOCAL_STORE)
            continue;
        diag_error(s->diag, e->at,
                   "blocks take %llu bytes of '%s' and the SPEs' program %llu, which are %llu more than its %d: the "
                   "program's code has %lu, "
                   "constants and the commands' ring %lu, the stack %lu",
                   (unsigned long long)e->end, e->memory->element.name, (unsigned long long)program,
                   (unsigned long long)(e->end + program - CELL_LOCAL_STORE), CELL_LOCAL_STORE, code, data - p->stack,
                   p->stack);
        good = false;
        break; // it is the same for the others
    }
    return good;
}

// What svm-spu-gcc tells of the linked program: bytes of data and stack, bytes of code.
static bool read_memory(cell_program *p, const char *path, unsigned long *code)
{
    llc_session *s = p->session;
    char *text, *end;
    size_t len;
    *code = 0;
    if (s->environment->dry_run)
        return true;
    if (!file_read(s->arena, path, &text, &len)) {
        diag_internal(s->diag, (src_range){0}, "svm-spu-gcc has not told how much memory the program takes");
        return false;
    }
    unsigned long data = strtoul(text, &end, 10);
    *code = strtoul(end, NULL, 10);
    if (data + *code <= CELL_LOCAL_STORE) {
        diag_remark(
            s->diag, p->unit->machine_range,
            "of each local store's %d bytes the SPEs' program takes %lu: code %lu, constants and the commands' ring "
            "%lu, the stack %lu; %lu are left for blocks",
            CELL_LOCAL_STORE, data + *code, *code, data - p->stack, p->stack, CELL_LOCAL_STORE - data - *code);
        return check_room(p, data, *code);
    }
    diag_error(
        s->diag, p->unit->machine_range,
        "the kernels do not fit the local store of %d bytes: their code has %lu, constants and the commands' ring %lu, "
        "the stack %lu",
        CELL_LOCAL_STORE, *code, data - p->stack, p->stack);
    return false;
}

// The PPE's side with counters, as target 'sim' compiles it.
static const char *compile_control(cell_program *p, const char *source, const char *code_bytes)
{
    llc_session *s = p->session;
    const char *bitcode = temporary(s, "ppu", ".bc"), *object = temporary(s, "ppu", ".o");
    sim_variant flags = {.flags = {code_bytes, arena_printf(s->arena, "-iquote%s", cell_folder(p))}};
    bool good = bitcode != NULL && object != NULL && sim_make_bitcode(s, p->unit, &flags, source, bitcode) &&
                (s->environment->dry_run || sim_generate(s, p->unit, bitcode, NULL, LLC_OUTPUT_OBJ, object));
    return good ? object : NULL;
}

static bool build(cell_program *p)
{
    llc_session *s = p->session;
    const char *memory = temporary(s, "memory", ".txt"), *source = temporary(s, "ppu", ".c"), *image = NULL;
    const char *table = cc_write_table(s, p->timed ? sim_table_text(s, p->unit) : "");
    unsigned long code = 0;
    if (memory == NULL || source == NULL || table == NULL || !write_text(s, source, cell_ppu_text(p, true)))
        return false;
    if (p->has_image && ((image = build_image(p, memory)) == NULL || !read_memory(p, memory, &code)))
        return false;
    llc_strings command = {0};
    add_all(s, &command,
            (const char *const[]){"env", arena_printf(s->arena, "SVM_PPU_CC=%s", s->environment->clang),
                                  installed(s, "../bin/svm-ppu-gcc"), NULL});
    cc_add_code_flags(s, &command);
    cc_add_table_flags(s, &command, NULL, table);
    const char *code_bytes = arena_printf(s->arena, "-DSVM_CELL_CODE_BYTES=%lu", code);
    cc_add(s, &command, code_bytes);
    cc_add(s, &command, arena_printf(s->arena, "-iquote%s", cell_folder(p)));
    if (p->timed && (source = compile_control(p, source, code_bytes)) == NULL)
        return false;
    cc_add(s, &command, source);
    for (VEC_EACH(const char *, other, &s->others))
        cc_add(s, &command, *other);
    if (image != NULL)
        cc_add(s, &command, image);
    cc_add_link_flags(s, &command);
    const char *library = installed(s, p->timed ? "svm-cell/libsvm-cell-timed.a" : "svm-cell/libsvm-cell.a");
    add_all(s, &command, (const char *const[]){library, "-o", s->output, p->timed ? "-lfyaml" : NULL, NULL});
    return llc_run_step(s, &command, "PPE's compiler and linker");
}

// ---- The sources as a folder ----

static bool write_sources(cell_program *p)
{
    llc_session *s = p->session;
    const char *folder = s->options->output_path != NULL ? s->output : arena_printf(s->arena, "%s.cell", p->stem);
    if (!s->environment->dry_run && mkdir(folder, 0777) != 0 && errno != EEXIST) {
        diag_error_at(s->diag, LLC_TOOL, "cannot make the folder '%s': %s", folder, strerror(errno));
        return false;
    }
    strbuf table;
    strbuf_init(&table, s->arena);
    machine_emit_table(&(machine_table_entry){p->unit->machine, p->unit->machine_name}, 1, &table);
    return write_text(s, arena_printf(s->arena, "%s/%s.ppu.c", folder, p->stem), cell_ppu_text(p, false)) &&
           write_text(s, arena_printf(s->arena, "%s/%s.spu.c", folder, p->stem), cell_spu_text(p, false)) &&
           write_text(s, arena_printf(s->arena, "%s/machine.h", folder), table.data) &&
           write_text(s, arena_printf(s->arena, "%s/Makefile", folder), cell_makefile(p));
}

// ---- The backend ----

// "dir/fm.svm.c" gives "fm".
static const char *stem_of(llc_session *s, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = strcmp(path, "-") == 0 ? "a" : slash == NULL ? path : slash + 1;
    return arena_strndup(s->arena, name, strcspn(name, "."));
}

static bool find_tools(llc_session *s)
{
    if (access(installed(s, "svm-cell/svm-resident.o"), R_OK) == 0)
        return true;
    diag_error_at(
        s->diag, LLC_TOOL,
        "target 'cell' is not there: svmc was built without the Debian packages clang-22, lld-22, wasi-libc and "
        "libclang-rt-22-dev-wasm32");
    return false;
}

static bool emit_program(llc_session *s, bool timed)
{
    if (s->units.len != 1) {
        diag_error_at(s->diag, LLC_TOOL, "target 'cell' makes a program of one file of SVM C, not of %zu",
                      s->units.len);
        return false;
    }
    if (!find_tools(s))
        return false;
    cell_program p = {.session = s, .unit = s->units.data[0], .ring = LEAST_RING, .timed = timed};
    p.stem = stem_of(s, p.unit->path);
    bool good = cell_find_kernels(&p);
    p.has_image = p.count > 0 || uses_spes(p.unit);
    good = good && (s->options->output == LLC_OUTPUT_EXE ? build(&p) : write_sources(&p));
    cell_close(&p);
    return good;
}

static bool emit(llc_session *s)
{
    return emit_program(s, false);
}

static bool emit_timed(llc_session *s)
{
    return emit_program(s, true);
}

const llc_backend llc_backend_cell = {
    .name = "cell",
    .summary = "program for the Cell's PPE and SPEs, which runs on the emulation; --emit=asm: its sources as a folder",
    .outputs = 1u << LLC_OUTPUT_ASM | 1u << LLC_OUTPUT_EXE,
    .check = check,
    .emit = emit,
    .run = cc_run,
};

const llc_backend llc_backend_cell_timed = {
    .name = "cell-timed",
    .summary = "the same, and the program predicts its time on the described machine: SVM_SIM_REPORT=FILE",
    .outputs = 1u << LLC_OUTPUT_EXE,
    .check = check,
    .emit = emit_timed,
    .run = cc_run,
};
