// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fuse, simple form: consecutive stages become one kernel, so that a run of the kernels costs one start and what passes between them stays in the
// nearest cache. A small program is one kernel; a large one is cut where its top-level streams end, into kernels of some dozens of stages.
#include <inttypes.h>
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"

// Stages of a program that becomes one kernel; stages of a kernel at most, and before a cut at the end of a stream, otherwise.
enum { FUSE_WHOLE = 96, FUSE_MOST = 64, FUSE_ENOUGH = 24 };

static size_t count_stages(const plan_kernel *k)
{
    size_t n = 0;
    for (VEC_EACH(plan_item, item, &k->items))
        n += item->stages.len;
    return n;
}

// The child of the whole program that a region lies in.
static uint32_t top_region(const sir_module *m, uint32_t region)
{
    while (region < m->regions.len && m->regions.data[region].parent != SIR_NONE && m->regions.data[region].parent != 0)
        region = m->regions.data[region].parent;
    return region < m->regions.len ? region : 0;
}

static const char *unique_name(arena *a, hmap *taken, const char *wanted)
{
    const char *name = wanted;
    for (unsigned n = 2; hmap_get(taken, name) != NULL; n++)
        name = arena_printf(a, "%s_%u", wanted, n);
    hmap_set(taken, name, taken);
    return name;
}

typedef struct fuser {
    hlc_program *p;
    plan *pl;
    hmap names;
    VEC(plan_kernel) kernels;
    bool whole;
} fuser;

// Makes one kernel of kernels first..end-1.
static void fuse_range(fuser *f, size_t first, size_t end)
{
    const sir_module *m = f->p->module;
    plan_kernel k = f->pl->kernels.data[first];
    bool one_region = true;
    for (size_t i = first + 1; i < end; i++) {
        const plan_kernel *other = &f->pl->kernels.data[i];
        for (VEC_EACH(plan_item, item, &other->items))
            VEC_PUSH(f->p->arena, &k.items, *item);
        one_region &= top_region(m, other->region) == top_region(m, k.region);
    }
    k.after.len = 0;
    if (f->whole || !one_region)
        k.region = 0;
    else if (end - first > 1)
        k.region = top_region(m, k.region);
    if (f->whole || end - first > 1) {
        const char *region = m->regions.len != 0 ? m->regions.data[k.region].name : m->name;
        k.name = f->whole || k.region == 0 ? m->name : region;
    }
    k.name = unique_name(f->p->arena, &f->names, k.name);
    VEC_PUSH(f->p->arena, &f->kernels, k);
}

bool plan_pass_fuse(hlc_program *p)
{
    fuser f = {.p = p, .pl = p->plan};
    const plan *pl = p->plan;
    size_t n = pl->kernels.len, total = 0;
    for (size_t i = 0; i < n; i++)
        total += count_stages(&pl->kernels.data[i]);
    if (n < 2)
        return false;
    hmap_init(&f.names, p->arena);
    f.whole = total <= FUSE_WHOLE;
    for (size_t first = 0, end; first < n; first = end) {
        size_t stages = count_stages(&pl->kernels.data[first]);
        for (end = first + 1; end < n; end++) {
            size_t next = count_stages(&pl->kernels.data[end]);
            bool leaves = top_region(p->module, pl->kernels.data[end].region) != top_region(p->module, pl->kernels.data[end - 1].region);
            if (!f.whole && (stages + next > FUSE_MOST || (leaves && stages >= FUSE_ENOUGH)))
                break;
            stages += next;
        }
        fuse_range(&f, first, end);
    }
    if (f.kernels.len == n)
        return false;
    memcpy(&p->plan->kernels, &f.kernels, sizeof f.kernels);
    (void)plan_settle(p->arena, p->diag, p->plan, p->module, p->schedule);
    return true;
}
