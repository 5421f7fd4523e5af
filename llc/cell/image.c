// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The SPEs' program: compiled, linked, counted against the local store; with overlays where its kernels do not fit together.
#include <stdlib.h>
#include <string.h>

#include "llc/cc/cc.h"
#include "llc/cell/cell.h"
#include "llc/sim/sim.h"

// What the resident loop and the libraries below kernels need of a stack; the least, in case a compiler tells less than it takes;
// of a function whose frame has no fixed size.
enum { LIBRARY_STACK = 2048, LEAST_STACK = 4096, DYNAMIC_FRAME = 8192 };

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
    cc_add(s, &command, cell_installed(s, "../bin/svm-spu-gcc"));
    cc_add_code_flags(s, &command);
    if (strcmp(s->options->level, "0") == 0)
        cc_add(s, &command, "-O1"); // frames would be large
    cc_add(s, &command, arena_printf(s->arena, "-iquote%s", cell_folder(p)));
    cell_add_all(s, &command, (const char *const[]){"-w", "-c", source, NULL});
    cell_add_all(s, &command, words);
    return llc_run_step(s, &command, "SPEs' compiler");
}

// Through the code that target 'sim' makes of it, with counters.
static bool compile_counting(cell_program *p, const char *source, const char *object)
{
    llc_session *s = p->session;
    const char *bitcode = cell_temporary(s, "spu", ".bc"), *counting = cell_temporary(s, "spu-counting", ".ll");
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
    const char *source = cell_temporary(s, "spu", ".c");
    if (source == NULL || !cell_write_text(s, source, cell_spu_text(p, true)))
        return false;
    return p->timed ? compile_counting(p, source, object)
                    : run_spu_gcc(p, source, (const char *const[]){"-fstack-usage", "-o", object, NULL});
}

// The block that reaches farthest into a local store; NULL where that cannot be told here: then blocks may reach as far as
// the machine file lets them, and the program tells when it begins what does not fit.
static const check_extent *farthest(const cell_program *p)
{
    const machine *m = p->unit->machine;
    const check_extent *found = NULL;
    for (VEC_EACH(const check_extent, e, &p->layout.extents)) {
        bool local = false;
        for (VEC_EACH(const machine_processor, spe, &m->processors))
            local |= cell_local_store(m, spe) == e->memory;
        if (local && (found == NULL || e->end > found->end))
            found = e;
    }
    return found;
}

// Bytes that blocks leave of a local store; negative: so many lack.
static long room(const cell_program *p)
{
    const check_extent *e = farthest(p);
    const machine *m = p->unit->machine;
    uint64_t end = e != NULL ? e->end : 0;
    for (VEC_EACH(const machine_processor, spe, &m->processors)) {
        const machine_memory *local = e != NULL ? NULL : cell_local_store(m, spe);
        if (local != NULL && machine_usable(local) > end)
            end = machine_usable(local);
    }
    return CELL_LOCAL_STORE - (long)end;
}

// What code may take of it: data and stack lie in whole lines.
static long left(const cell_program *p)
{
    return room(p) - (long)((p->data + 127) / 128 * 128);
}

// Compiles and links, and tells how much memory that takes. measure: nothing else is wanted of it; nor is it where it does not
// fit.
static const char *link_image(cell_program *p, const char *memory, const char *functions, bool measure)
{
    llc_session *s = p->session;
    const char *code = cell_temporary(s, "spu", ".o"), *image = cell_temporary(s, p->stem, ".spu");
    if (code == NULL || image == NULL || !compile_image(p, code) ||
        !find_stack(p, arena_printf(s->arena, "%.*s.su", (int)(strlen(code) - 2), code)))
        return NULL;
    const char *enough = measure               ? "--measure"
                         : p->regions.len == 0 ? arena_printf(s->arena, "--room=%ld", room(p))
                                               : NULL;
    llc_strings link = {0};
    cell_add_all(s, &link,
                 (const char *const[]){cell_installed(s, "../bin/svm-spu-gcc"), code,
                                       cell_installed(s, "svm-cell/svm-resident.o"),
                                       arena_printf(s->arena, "-Wl,-z,stack-size=%lu", p->stack),
                                       arena_printf(s->arena, "--memory=%s", memory),
                                       arena_printf(s->arena, "--functions=%s", functions), "-o", image, enough, NULL});
    return llc_run_step(s, &link, "SPEs' linker") ? image : NULL;
}

// What svm-spu-gcc tells of the linked program: bytes of data and stack, bytes of code.
static bool read_memory(cell_program *p, const char *path)
{
    llc_session *s = p->session;
    char *text, *end;
    size_t len;
    if (s->environment->dry_run)
        return true;
    if (!file_read(s->arena, path, &text, &len)) {
        diag_internal(s->diag, (src_range){0}, "svm-spu-gcc has not told how much memory the program takes");
        return false;
    }
    p->data = strtoul(text, &end, 10);
    p->code = strtoul(end, NULL, 10) - p->overlaid;
    return true;
}

// Where kernels with streams, or what stream instructions need, are too large together the PPE can run them.
static void refuse(cell_program *p, const cell_kernel *largest)
{
    llc_session *s = p->session;
    const check_extent *e = farthest(p);
    const unsigned long code = p->resident + (largest != NULL ? largest->code : 0);
    const unsigned long program = (p->data + 127) / 128 * 128 + code;
    if (p->streams > 0 || p->instructions) {
        p->too_large = arena_printf(
            s->arena, "the SPEs' program would take %lu bytes with them, which blocks do not leave", program);
        return;
    }
    diag_record *d =
        e == NULL || program > CELL_LOCAL_STORE
            ? diag_error(s->diag, p->unit->machine_range,
                         "the kernels do not fit the local store of %d bytes: their code has %lu, constants and the "
                         "commands' ring %lu, the stack %lu",
                         CELL_LOCAL_STORE, code, p->data - p->stack, p->stack)
            : diag_error(s->diag, e->at,
                         "blocks take %llu bytes of '%s' and the SPEs' program %lu, which are %lld more than its %d: "
                         "the program's code has %lu, constants and the commands' ring %lu, the stack %lu",
                         (unsigned long long)e->end, e->memory->element.name, program,
                         (long long)(e->end + program) - CELL_LOCAL_STORE, CELL_LOCAL_STORE, code, p->data - p->stack,
                         p->stack);
    if (largest != NULL)
        diag_add_note(s->diag, d, largest->function->range,
                      "'%s' has %lu bytes of the code, and %lu always have to be there; the code of other kernels, %lu "
                      "bytes, could be overlaid",
                      largest->function->name, largest->code, p->resident, p->code - p->resident - largest->code);
}

static void tell_room(cell_program *p)
{
    const unsigned long program = (p->data + 127) / 128 * 128 + p->code;
    diag_remark(
        p->session->diag, p->unit->machine_range,
        "of each local store's %d bytes the SPEs' program takes %lu: code %lu, constants and the commands' ring "
        "%lu, the stack %lu; %lu are left for blocks",
        CELL_LOCAL_STORE, program, p->code + p->area, p->data - p->area - p->stack, p->stack,
        CELL_LOCAL_STORE - program);
}

static const char *fit_image(cell_program *p, const char *memory, bool measure)
{
    llc_session *s = p->session;
    const char *functions = cell_temporary(s, "functions", ".txt");
    if (!s->environment->dry_run)
        check_set_up(s, s->units.data[0], &p->layout);
    const char *image = functions == NULL ? NULL : link_image(p, memory, functions, measure);
    if (image == NULL || !read_memory(p, memory) || s->environment->dry_run)
        return image;
    if ((long)p->code > left(p)) {
        const cell_kernel *largest = NULL;
        if (!cell_read_functions(p, functions))
            return NULL;
        const bool known = farthest(p) != NULL;
        if (!cell_overlay(p, left(p), !known, &largest)) {
            refuse(p, largest);
            return NULL;
        }
        image = link_image(p, memory, functions, measure);
        if (image == NULL || !read_memory(p, memory))
            return NULL;
        if (known ? (long)p->code > left(p) : p->data + p->code > CELL_LOCAL_STORE) {
            refuse(p, NULL);
            return NULL;
        }
        cell_tell_overlays(p);
    }
    tell_room(p);
    return image;
}

bool cell_measure_image(cell_program *p)
{
    const char *memory = cell_temporary(p->session, "memory", ".txt");
    return memory != NULL && fit_image(p, memory, true) != NULL;
}

const char *cell_build_image(cell_program *p)
{
    llc_session *s = p->session;
    const char *memory = cell_temporary(s, "memory", ".txt"), *object = cell_temporary(s, "image", ".o");
    const char *image = memory == NULL || object == NULL ? NULL : fit_image(p, memory, false);
    if (image == NULL)
        return NULL;
    llc_strings embed = {0};
    cell_add_all(s, &embed,
                 (const char *const[]){cell_installed(s, "../bin/svm-embedspu"), "svm_cellImage", image, object, NULL});
    return llc_run_step(s, &embed, "embedding") ? object : NULL;
}
