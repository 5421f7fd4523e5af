// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Overlays: kernels that do not fit the local store together have their code in memory, and regions in the local store
// where it comes before a run. There is one program for all SPEs, so two kernels that no SPE runs both share a region at
// no cost; those of one SPE do only where there is no room for both.
#include <stdlib.h>
#include <string.h>

#include "llc/cell/cell.h"

enum { LINE = 128 };

// ---- Which code belongs to whom ----

typedef struct linked_function {
    unsigned long bytes;
    bool root; // called by pointer or from outside
    llc_strings calls;
    const cell_kernel *kernel; // whose it is, or that reaches it,
    bool shared;               // unless others do too
} linked_function;

typedef struct linked {
    hmap functions;
    VEC(const char *) names;
} linked;

// Functions of one name, such as static ones of two files, count as one that is always there.
static void read_line(cell_program *p, linked *l, char *line)
{
    arena *a = p->session->arena;
    const char *name = strsep(&line, " "), *bytes = strsep(&line, " "), *root = strsep(&line, " ");
    if (root == NULL)
        return;
    linked_function *f = hmap_get(&l->functions, name);
    if (f == NULL) {
        f = ARENA_NEW(a, linked_function);
        hmap_set(&l->functions, name, f);
        VEC_PUSH(a, &l->names, name);
    } else {
        f->shared = true;
    }
    f->bytes += strtoul(bytes, NULL, 10);
    f->root |= *root == '1';
    for (const char *word; (word = strsep(&line, " ")) != NULL;)
        VEC_PUSH(a, &f->calls, word);
}

static void reach(linked *l, linked_function *f, const cell_kernel *k)
{
    const bool known = f->shared || f->kernel == k;
    if (k == NULL || (f->kernel != NULL && f->kernel != k))
        f->shared = true;
    f->kernel = k;
    if (known)
        return;
    for (VEC_EACH(const char *const, name, &f->calls)) {
        linked_function *to = hmap_get(&l->functions, *name);
        if (to != NULL)
            reach(l, to, f->shared ? NULL : k);
    }
}

static cell_kernel *kernel_named(cell_program *p, const char *name)
{
    for (VEC_EACH(cell_kernel, k, &p->kernels))
        if (k->number >= 0 && strcmp(k->function->name, name) == 0)
            return k;
    return NULL;
}

bool cell_read_functions(cell_program *p, const char *path)
{
    arena *a = p->session->arena;
    linked l = {0};
    char *text;
    size_t len;
    hmap_init(&l.functions, a);
    if (!file_read(a, path, &text, &len)) {
        diag_internal(p->session->diag, (src_range){0}, "svm-spu-gcc has not told which functions the program has");
        return false;
    }
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;)
        read_line(p, &l, line);
    for (VEC_EACH(const char *const, name, &l.names)) { // kernels are called by pointer, too
        linked_function *f = hmap_get(&l.functions, *name);
        const cell_kernel *k = kernel_named(p, *name);
        if (k != NULL || f->root)
            reach(&l, f, k);
    }
    p->resident = p->code;
    for (VEC_EACH(const char *const, name, &l.names)) {
        const linked_function *f = hmap_get(&l.functions, *name);
        cell_kernel *k = f->kernel == NULL || f->shared ? NULL : kernel_named(p, f->kernel->function->name);
        if (k == NULL)
            continue;
        k->code += f->bytes;
        p->resident -= f->bytes;
        VEC_PUSH(a, &k->own, *name);
    }
    return true;
}

// ---- Regions ----

static bool runs_on(const cell_program *p, const cell_kernel *k, const machine_processor *on)
{
    for (VEC_EACH(const check_placement, at, &p->layout.placements))
        if (at->processor == on && strcmp(at->function, k->function->name) == 0)
            return true;
    return false;
}

// An SPE that runs both, as far as that is known; *unknown: where one of them runs is not.
static const machine_processor *meet(const cell_program *p, const cell_kernel *a, const cell_kernel *b, bool *unknown)
{
    bool known[2] = {false, false};
    const machine_processor *both = NULL;
    for (VEC_EACH(const machine_processor, on, &p->unit->machine->processors)) {
        const bool here[2] = {runs_on(p, a, on), runs_on(p, b, on)};
        known[0] |= here[0];
        known[1] |= here[1];
        both = here[0] && here[1] && both == NULL ? on : both;
    }
    *unknown = !known[0] || !known[1];
    return both;
}

// What comes in turn if k has its code in a region: bytes of those that an SPE runs besides.
static unsigned long disturbs(const cell_program *p, const cell_kernel *k, unsigned region)
{
    unsigned long bytes = 0;
    for (VEC_EACH(const cell_kernel, other, &p->kernels)) {
        bool unknown;
        if (other->number >= 0 && other->region == region && (meet(p, k, other, &unknown) != NULL || unknown))
            bytes += other->code;
    }
    return bytes;
}

static int larger_first(const void *a, const void *b)
{
    const cell_kernel *x = *(cell_kernel *const *)a, *y = *(cell_kernel *const *)b;
    return x->code != y->code ? (x->code < y->code ? 1 : -1) : x->number - y->number;
}

// The larger kernels come first, so each fits every region that is there.
static bool place(cell_program *p, cell_kernel *k, unsigned long room)
{
    unsigned best = 0;
    unsigned long least = 0;
    for (unsigned r = 1; r <= p->regions.len; r++) {
        const unsigned long bytes = disturbs(p, k, r);
        if (best == 0 || bytes <= least) { // later ones are smaller
            best = r;
            least = bytes;
        }
    }
    if ((best == 0 || least > 0) && p->area + k->code <= room) {
        VEC_PUSH(p->session->arena, &p->regions, ((cell_region){p->area, k->code}));
        p->area += k->code;
        best = (unsigned)p->regions.len;
    }
    k->region = best;
    return best > 0;
}

bool cell_overlay(cell_program *p, long room, bool least, const cell_kernel **largest)
{
    VEC(cell_kernel *) order = {0};
    const long tables = (long)(p->kernels.len * (sizeof(uint32_t) * 5) + 2 * LINE); // and what alignment costs
    for (VEC_EACH(cell_kernel, k, &p->kernels)) {
        if (k->number < 0)
            continue;
        p->overlaid += k->code;
        k->code = (k->code + LINE - 1) / LINE * LINE;
        k->from = p->in_memory;
        p->in_memory += k->code;
        VEC_PUSH(p->session->arena, &order, k);
    }
    if (order.len == 0)
        return false;
    qsort(order.data, order.len, sizeof *order.data, larger_first);
    *largest = order.data[0];
    room -= (long)p->resident + tables;
    if (least && room < (long)(*largest)->code)
        room = (long)(*largest)->code;
    for (VEC_EACH(cell_kernel *const, k, &order))
        if (room < 0 || !place(p, *k, (unsigned long)room))
            return false;
    return true;
}

// ---- What is said of them ----

static double load_seconds(const cell_program *p, const machine_processor *spe, unsigned long bytes)
{
    const machine *m = p->unit->machine;
    const machine_memory *local = cell_local_store(m, spe), *memory = NULL;
    for (VEC_EACH(const machine_processor, c, &m->processors))
        if (memory == NULL && c->kind == MACHINE_processor_kind_CONTROL && c->memories.len > 0)
            memory = &m->memories.data[c->memories.data[0].index];
    if (memory == NULL || local == NULL)
        return 0;
    return machine_seconds(memory->latency, memory->clock) +
           (double)bytes / machine_bytes_per_second(memory->sequential, memory->clock);
}

static void tell_shared(cell_program *p, diag_record *d, const cell_kernel *k)
{
    diag_engine *diag = p->session->diag;
    for (VEC_EACH(const cell_kernel, other, &p->kernels)) {
        bool unknown;
        if (other == k || other->number < 0 || other->region != k->region)
            continue;
        const machine_processor *both = meet(p, k, other, &unknown);
        if (both != NULL) {
            diag_add_note(diag, d, k->function->range,
                          "the code of '%s', %lu bytes, comes again after a run of '%s' on '%s', which takes %.2f us",
                          k->function->name, k->code, other->function->name, both->element.name,
                          1e6 * load_seconds(p, both, k->code));
            return;
        }
    }
}

void cell_tell_overlays(cell_program *p)
{
    diag_record *d = diag_remark(p->session->diag, p->unit->machine_range,
                                 "the kernels do not fit the local store together: the code of %d, %lu bytes, is "
                                 "overlaid in %zu regions of %lu bytes, and comes by DMA before a run; %lu bytes are "
                                 "always there",
                                 p->count, p->in_memory, p->regions.len, p->area, p->resident);
    for (VEC_EACH(const cell_kernel, k, &p->kernels))
        if (k->region > 0)
            tell_shared(p, d, k);
}

const char *cell_overlay_script(cell_program *p)
{
    strbuf out;
    strbuf_init(&out, p->session->arena);
    strbuf_printf(
        &out,
        "/* For the vendor's linker: regions of the local store where the code of %s's kernels comes in turn, each "
        "function in a\n   section of its own (-ffunction-sections). */\nSECTIONS\n{\n",
        p->stem);
    for (unsigned r = 1; r <= p->regions.len; r++) {
        strbuf_add(&out, "    OVERLAY :\n    {\n");
        for (VEC_EACH(const cell_kernel, k, &p->kernels)) {
            if (k->number < 0 || k->region != r)
                continue;
            strbuf_printf(&out, "        .ovly_%s {", k->function->name);
            for (VEC_EACH(const char *const, name, &k->own))
                strbuf_printf(&out, " *(.text.%s)", *name);
            strbuf_add(&out, " }\n");
        }
        strbuf_add(&out, "    }\n");
    }
    strbuf_add(&out, "}\nINSERT BEFORE .text;\n");
    return out.data;
}
