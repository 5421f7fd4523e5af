// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measured times of kernels. A kernel fires several actors; what it took is divided among them as the estimates say, so
// that programs measured with a kernel each tell most, and those with one tell the scale.
//
// The file's lines are told in runtime/common/profile.h; of the simulator's and the host's own ones ("kernel ...") the
// name and the total are used.
#include "hlc/plan/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/bit_lanes.h"
#include "hlc/plan/plan_int.h"

typedef struct fired {
    const char *actor;
    double times; // in a steady state
} fired;
typedef struct profiled_kernel {
    const char *name;
    double seconds; // in all
    VEC(fired) fires;
    bool used;
} profiled_kernel;

struct plan_profile {
    source_id file;
    double steady_states; // 0: the file does not tell
    VEC(profiled_kernel) kernels;
    hmap by_name;
    bool told; // of what fits nothing
};

// ---- Reading ----

typedef struct reader {
    arena *arena;
    diag_engine *diag;
    plan_profile *profile;
    const char *text, *at;
    bool ok;
} reader;

static void expected(reader *r, const char *what)
{
    uint32_t at = (uint32_t)(r->at - r->text);
    if (r->ok)
        diag_error(r->diag, (src_range){r->profile->file, at, at}, "profile: expected %s", what);
    r->ok = false;
}

static void skip_blanks(reader *r)
{
    while (*r->at == ' ' || *r->at == '\t')
        r->at++;
}

static bool at_end(reader *r)
{
    skip_blanks(r);
    return *r->at == '\n' || *r->at == '\r' || *r->at == '\0' || *r->at == '#';
}

static bool take(reader *r, const char *word)
{
    skip_blanks(r);
    size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0 || strchr(" \t\r\n", r->at[n]) == NULL)
        return false;
    r->at += n;
    return true;
}

static double take_number(reader *r)
{
    skip_blanks(r);
    char *end;
    double v = strtod(r->at, &end);
    if (end == r->at || !isfinite(v) || v < 0)
        expected(r, "a number that is not negative");
    r->at = end;
    return v;
}

// A name in quotes. Kernels' names are C identifiers, or escaped; what is escaped is no kernel of ours.
static const char *take_name(reader *r)
{
    skip_blanks(r);
    if (*r->at != '"') {
        expected(r, "a name in quotes");
        return "";
    }
    const char *begin = ++r->at;
    while (*r->at != '"' && *r->at != '\n' && *r->at != '\0')
        r->at += *r->at == '\\' && r->at[1] != '\0' && r->at[1] != '\n' ? 2 : 1;
    const char *name = arena_strndup(r->arena, begin, (size_t)(r->at - begin));
    if (*r->at != '"')
        expected(r, "a quote at the end of the name");
    else
        r->at++;
    return name;
}

static profiled_kernel *kernel_of(reader *r, const char *name)
{
    size_t number = (size_t)hmap_get(&r->profile->by_name, name);
    if (number == 0) {
        VEC_PUSH(r->arena, &r->profile->kernels, (profiled_kernel){.name = name});
        number = r->profile->kernels.len;
        hmap_set(&r->profile->by_name, name, (void *)number);
    }
    return &r->profile->kernels.data[number - 1];
}

// kernel "K" processor "P" unit U runs N start S per-unit S total S
static void read_kernel(reader *r)
{
    static const char *const before[] = {"runs", "start", "per-unit", "total"};
    const char *name = take_name(r);
    if (r->ok && !take(r, "processor"))
        expected(r, "'processor'");
    if (r->ok)
        take_name(r);
    if (r->ok && (!take(r, "unit") || (!take(r, "firings") && !take(r, "elements") && !take(r, "runs"))))
        expected(r, "'unit firings', 'unit elements' or 'unit runs'");
    double total = 0;
    for (size_t i = 0; r->ok && i < sizeof before / sizeof *before; i++) {
        if (!take(r, before[i]))
            expected(r, arena_printf(r->arena, "'%s'", before[i]));
        else
            total = take_number(r);
    }
    if (r->ok)
        kernel_of(r, name)->seconds += total;
}

// fires "K" A 5 B 1
static void read_fires(reader *r)
{
    profiled_kernel *k = kernel_of(r, take_name(r));
    while (r->ok && !at_end(r)) {
        size_t n = strcspn(r->at, " \t\r\n");
        fired f = {.actor = arena_strndup(r->arena, r->at, n)};
        r->at += n;
        f.times = take_number(r);
        VEC_PUSH(r->arena, &k->fires, f);
    }
}

static void read_line(reader *r, bool *begun)
{
    if (!*begun) {
        if (!take(r, "svm-profile") || !take(r, "1"))
            expected(r, "a profile, which begins with svm-profile 1");
        *begun = true;
    } else if (take(r, "kernel")) {
        read_kernel(r);
    } else if (take(r, "fires")) {
        read_fires(r);
    } else if (take(r, "steady-states")) {
        r->profile->steady_states = take_number(r);
    } else if (take(r, "seconds")) {
        take_number(r); // of the whole program
    } else {
        expected(r, "'kernel', 'fires', 'seconds' or 'steady-states'");
    }
    if (r->ok && !at_end(r))
        expected(r, "the end of the line");
}

plan_profile *plan_profile_read(arena *a, diag_engine *d, const char *path)
{
    plan_profile *p = ARENA_NEW(a, plan_profile);
    p->file = source_read(d->sources, path);
    if (p->file == 0) {
        diag_error_at(d, path, "cannot read the profile: %s", strerror(errno));
        return NULL;
    }
    hmap_init(&p->by_name, a);
    const source_file *f = source_get(d->sources, p->file);
    reader r = {.arena = a, .diag = d, .profile = p, .text = f->text, .at = f->text, .ok = true};
    bool begun = false;
    while (r.ok && *r.at != '\0') {
        if (!at_end(&r))
            read_line(&r, &begun);
        r.at += strcspn(r.at, "\n");
        r.at += *r.at == '\n';
    }
    if (r.ok && !begun)
        expected(&r, "a profile, which begins with svm-profile 1");
    return r.ok ? p : NULL;
}

// ---- Use ----

typedef struct costs {
    hlc_program *p;
    const double *estimates;  // per actor of the module
    hmap actors;              // by name: number from 1
    double *factor;           // per actor: 0: not measured
    double cycles, estimated; // of all that was measured, in a steady state
} costs;

static double estimate_of(costs *c, const profiled_kernel *k)
{
    double sum = 0;
    for (VEC_EACH(const fired, f, &k->fires)) {
        size_t actor = (size_t)hmap_get(&c->actors, f->actor);
        sum += actor == 0 ? 0 : c->estimates[actor - 1] * f->times;
    }
    return sum;
}

static void use_kernel(costs *c, profiled_kernel *k, double clock)
{
    double estimate = estimate_of(c, k);
    double cycles = k->seconds * clock / (c->p->profile->steady_states > 0 ? c->p->profile->steady_states : 1);
    if (estimate <= 0 || cycles <= 0)
        return;
    k->used = true;
    for (VEC_EACH(const fired, f, &k->fires)) {
        size_t actor = (size_t)hmap_get(&c->actors, f->actor);
        if (actor != 0)
            c->factor[actor - 1] = cycles / estimate;
    }
    c->cycles += cycles;
    c->estimated += estimate;
}

static double kernel_clock(const machine *m)
{
    for (size_t i = 0; m != NULL && i < m->processors.len; i++)
        if (m->processors.data[i].kind == MACHINE_processor_kind_KERNEL && m->processors.data[i].clock > 0)
            return m->processors.data[i].clock;
    return 1e9;
}

static void tell_unused(hlc_program *p, bool any)
{
    if (p->profile->told)
        return;
    p->profile->told = true;
    if (!any) {
        diag_warning(p->diag, WARN_PROFILE, (src_range){p->profile->file, 0, 0},
                     "the profile measures no kernel of '%s': estimates are used", p->module->name);
        return;
    }
    for (VEC_EACH(const profiled_kernel, k, &p->profile->kernels))
        if (!k->used && k->seconds > 0)
            diag_warning(p->diag, WARN_PROFILE, (src_range){p->profile->file, 0, 0},
                         "the profile's kernel '%s' fires no filter of '%s'", k->name, p->module->name);
}

double *plan_costs(hlc_program *p, const sir_module *m)
{
    double *all = plan_operations(p->arena, m);
    plan_bit_costs(p, m, all);
    if (p->profile == NULL)
        return all;
    costs c = {.p = p, .estimates = all, .factor = ARENA_ARRAY(p->arena, double, m->actors.len + 1)};
    hmap_init(&c.actors, p->arena);
    for (size_t i = 0; i < m->actors.len; i++)
        hmap_set(&c.actors, m->actors.data[i]->name, (void *)(i + 1));
    double clock = kernel_clock(p->machine);
    for (VEC_EACH(profiled_kernel, k, &p->profile->kernels))
        use_kernel(&c, k, clock);
    tell_unused(p, c.estimated > 0);
    if (c.estimated <= 0)
        return all;
    // Without the number of steady states only what kernels take of the whole is known.
    double mean = c.cycles / c.estimated, scale = p->profile->steady_states > 0 ? 1 : 1 / mean;
    for (size_t i = 0; i < m->actors.len; i++)
        all[i] *= (c.factor[i] > 0 ? c.factor[i] : mean) * scale;
    return all;
}
