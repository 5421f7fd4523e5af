// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fuse, simple form: consecutive stages become one kernel, so that a run of the kernels costs one start and what passes
// between them stays in the nearest cache, and stages of equal branches are fused horizontally (horizontal.c). A small program is one
// kernel; a large one is cut where its top-level streams end, into kernels of some dozens of stages.
#include <inttypes.h>
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"

// The child of the whole program that an item lies in.
static uint32_t top_region(const sir_module *m, const plan_item *item)
{
    uint32_t region = m->actors.data[item->stages.data[0].actor]->region;
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
    plan_item_list items;
    hmap names;
    VEC(plan_kernel) kernels;
    bool whole;
} fuser;

// Makes one kernel of items first..end-1.
static void fuse_range(fuser *f, size_t first, size_t end)
{
    const sir_module *m = f->p->module;
    plan_kernel k = {.region = top_region(m, &f->items.data[first])};
    bool one_region = !f->whole;
    for (size_t i = first; i < end; i++) {
        VEC_PUSH(f->p->arena, &k.items, f->items.data[i]);
        one_region &= top_region(m, &f->items.data[i]) == k.region;
    }
    k.region = one_region ? k.region : 0;
    k.name = m->name;
    if (k.region != 0)
        k.name = end - first == 1 ? m->actors.data[f->items.data[first].stages.data[0].actor]->name
                                  : m->regions.data[k.region].name;
    k.name = unique_name(f->p->arena, &f->names, k.name);
    VEC_PUSH(f->p->arena, &f->kernels, k);
}

static void fuse_items(fuser *f)
{
    const sir_module *m = f->p->module;
    size_t n = f->items.len, total = 0;
    for (VEC_EACH(plan_item, item, &f->items))
        total += item->stages.len;
    f->whole = total <= FUSE_WHOLE;
    for (size_t first = 0, end; first < n; first = end) {
        size_t stages = f->items.data[first].stages.len;
        for (end = first + 1; end < n; end++) {
            size_t next = f->items.data[end].stages.len;
            bool leaves = top_region(m, &f->items.data[end]) != top_region(m, &f->items.data[end - 1]);
            if (!f->whole && (stages + next > FUSE_MOST || (leaves && stages >= FUSE_ENOUGH)))
                break;
            stages += next;
        }
        fuse_range(f, first, end);
    }
}

bool plan_pass_fuse(hlc_program *p)
{
    fuser f = {.p = p};
    hmap_init(&f.names, p->arena);
    for (VEC_EACH(plan_kernel, k, &p->plan->kernels))
        for (VEC_EACH(plan_item, item, &k->items))
            VEC_PUSH(p->arena, &f.items, *item);
    bool fused = plan_fuse_horizontally(p, &f.items);
    bool cut = plan_graph_of(p->plan) != NULL;
    if ((p->plan->kernels.len < 2 || cut) && !fused)
        return false;
    if (cut) { // there are as few kernels as can be
        plan_kernel all = {0};
        memcpy(&all.items, &f.items, sizeof f.items);
        p->plan->kernels.len = 0;
        VEC_PUSH(p->arena, &p->plan->kernels, all);
        plan_gather_kernels(p->arena, p->plan);
    } else {
        fuse_items(&f);
        memcpy(&p->plan->kernels, &f.kernels, sizeof f.kernels);
    }
    if (p->cut != NULL)
        plan_cut_gather(p->cut);
    (void)plan_settle(p->arena, p->diag, p->plan, p->module, p->schedule);
    plan_remark_fuse(p);
    return true;
}
