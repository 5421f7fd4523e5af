// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Cell backend: which machines and programs it takes, and the steps from the texts of both sides to a program of the
// emulation (docs/cell.md): svm-spu-gcc, svm-embedspu, svm-ppu-gcc.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "llc/cc/cc.h"
#include "llc/cell/cell.h"
#include "llc/reader/reader.h"
#include "llc/sim/sim.h"

enum { LEAST_RING = 4096 };

// ---- Machines ----

static bool control_reaches(const machine *m, size_t memory)
{
    for (VEC_EACH(const machine_processor, p, &m->processors))
        if (p->kind == MACHINE_processor_kind_CONTROL && machine_refers(&p->memories, MACHINE_MEMORY, memory))
            return true;
    return false;
}

// A processor for kernels that reaches one memory, which no control processor does.
const machine_memory *cell_local_store(const machine *m, const machine_processor *p)
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
        if (named != NULL && cell_local_store(m, named) != NULL)
            return true;
        for (VEC_EACH(const machine_processor, p, &m->processors))
            if (memory != NULL && cell_local_store(m, p) == memory)
                return true;
    }
    return false;
}

static bool check(llc_session *s, const llc_unit *unit)
{
    const machine *m = unit->machine;
    size_t spes = 0;
    for (VEC_EACH(const machine_processor, p, &m->processors)) {
        const machine_memory *local = cell_local_store(m, p);
        if (local == NULL)
            continue;
        spes++;
        for (VEC_EACH(const machine_processor, other, &m->processors))
            if (other != p && cell_local_store(m, other) == local) {
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

const char *cell_installed(llc_session *s, const char *relative)
{
    return arena_printf(s->arena, "%s/%s", s->environment->library_directory, relative);
}

const char *cell_temporary(llc_session *s, const char *stem, const char *suffix)
{
    return s->environment->temporary(s->environment->context, stem, suffix);
}

bool cell_write_text(llc_session *s, const char *path, const char *text)
{
    if (s->environment->dry_run || file_write(path, text, strlen(text)))
        return true;
    diag_error_at(s->diag, LLC_TOOL, "cannot write '%s': %s", path, strerror(errno));
    return false;
}

void cell_add_all(llc_session *s, llc_strings *command, const char *const *words)
{
    for (; *words != NULL; words++)
        cc_add(s, command, *words);
}

// The PPE's side with counters, as target 'sim' compiles it.
static const char *compile_control(cell_program *p, const char *source, const char *code_bytes)
{
    llc_session *s = p->session;
    const char *bitcode = cell_temporary(s, "ppu", ".bc"), *object = cell_temporary(s, "ppu", ".o");
    sim_variant flags = {.flags = {code_bytes, arena_printf(s->arena, "-iquote%s", cell_folder(p))}};
    bool good = bitcode != NULL && object != NULL && sim_make_bitcode(s, p->unit, &flags, source, bitcode) &&
                (s->environment->dry_run || sim_generate(s, p->unit, bitcode, NULL, LLC_OUTPUT_OBJ, object));
    return good ? object : NULL;
}

static bool build(cell_program *p)
{
    llc_session *s = p->session;
    const char *source = cell_temporary(s, "ppu", ".c"), *image = NULL;
    const char *table = cc_write_table(s, p->timed ? sim_table_text(s, p->unit) : "");
    if (source == NULL || table == NULL || (p->has_image && (image = cell_build_image(p)) == NULL) ||
        !cell_write_text(s, source, cell_ppu_text(p, true)))
        return false;
    llc_strings command = {0};
    cell_add_all(s, &command,
                 (const char *const[]){"env", arena_printf(s->arena, "SVM_PPU_CC=%s", s->environment->clang),
                                       cell_installed(s, "../bin/svm-ppu-gcc"), NULL});
    cc_add_code_flags(s, &command);
    cc_add_table_flags(s, &command, NULL, table);
    const char *code_bytes = arena_printf(s->arena, "-DSVM_CELL_CODE_BYTES=%lu", p->code);
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
    const char *library = cell_installed(s, p->timed ? "svm-cell/libsvm-cell-timed.a" : "svm-cell/libsvm-cell.a");
    cell_add_all(s, &command, (const char *const[]){library, "-o", s->output, p->timed ? "-lfyaml" : NULL, NULL});
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
    if (p->has_image && !cell_measure_image(p))
        return false;
    strbuf table;
    strbuf_init(&table, s->arena);
    machine_emit_table(&(machine_table_entry){p->unit->machine, p->unit->machine_name}, 1, &table);
    return cell_write_text(s, arena_printf(s->arena, "%s/%s.ppu.c", folder, p->stem), cell_ppu_text(p, false)) &&
           cell_write_text(s, arena_printf(s->arena, "%s/%s.spu.c", folder, p->stem), cell_spu_text(p, false)) &&
           cell_write_text(s, arena_printf(s->arena, "%s/machine.h", folder), table.data) &&
           (p->regions.len == 0 ||
            cell_write_text(s, arena_printf(s->arena, "%s/%s.overlays.ld", folder, p->stem), cell_overlay_script(p))) &&
           cell_write_text(s, arena_printf(s->arena, "%s/Makefile", folder), cell_makefile(p));
}

// ---- The backend ----

// "dir/fm.svm.c" gives "fm".
static const char *stem_of(llc_session *s, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = strcmp(path, "-") == 0 ? "a" : slash == NULL ? path : slash + 1;
    // Files are named by it, and what begins with a dash is an option of the tools.
    return arena_printf(s->arena, "%s%.*s", *name == '-' ? "_" : "", (int)strcspn(name, "."), name);
}

static bool find_tools(llc_session *s)
{
    if (access(cell_installed(s, "svm-cell/svm-resident.o"), R_OK) == 0)
        return true;
    diag_error_at(
        s->diag, LLC_TOOL,
        "target 'cell' is not there: svmc was built without the Debian packages clang-22, lld-22, wasi-libc and "
        "libclang-rt-22-dev-wasm32");
    return false;
}

// too_large: why streams and stream instructions are to be the PPE's, or NULL; set where it turns out that they have to.
static bool make_program(llc_session *s, bool timed, const char **too_large)
{
    cell_program p = {
        .session = s, .unit = s->units.data[0], .ring = LEAST_RING, .timed = timed, .too_large = *too_large};
    p.stem = stem_of(s, p.unit->path);
    bool good = cell_find_kernels(&p);
    p.has_image = p.count > 0 || uses_spes(p.unit);
    good = good && (s->options->output == LLC_OUTPUT_EXE ? build(&p) : write_sources(&p));
    cell_close(&p);
    *too_large = p.streams > 0 || p.instructions ? p.too_large : NULL;
    return good;
}

static bool emit_program(llc_session *s, bool timed)
{
    const char *too_large = NULL;
    if (s->units.len != 1) {
        diag_error_at(s->diag, LLC_TOOL, "target 'cell' makes a program of one file of SVM C, not of %zu",
                      s->units.len);
        return false;
    }
    if (!find_tools(s))
        return false;
    return make_program(s, timed, &too_large) || (too_large != NULL && make_program(s, timed, &too_large));
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
