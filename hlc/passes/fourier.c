// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'fourier', of -Ofast alone: filters, rows of them and splitjoins that are a discrete Fourier transform, however
// they are written, are one filter that does it by fast steps.
//
//     Reorder(8) Reorder(4) Combine(2) Combine(4) Combine(8)  ->  Fourier (8 points)
//     push(sum of peek(i) * cos(2 pi k i / n)) ...             ->  Fourier (n points)
//
// What a filter pushes are sums of weighted items if executing it finds so (linear_probe), and then filters in a row and
// side by side are. So what a row of them does to a block of items is a matrix, and all that has to be known is whether
// that is a transform's. It never is made: a matrix that differs has other products with nearly all vectors (Freivalds,
// 1977), so it is enough to look at what becomes of a few, one of which is the first unit vector, which tells the size.
// Their products are computed along with the proof that the filters are such sums.
//
// NOTE(weights). Weights are rounded, and so are the angles of which they are cosines, where they are floats: that of
// the point k of n and the item i is 2 pi k i / n, and as wrong as its last bit. So the weights of what is written may
// differ from those of the transform by as much, and by no more: a window that is 1 but for its ends, or a gain near 1, is
// another matrix. Those of the new filter are as good as they can be.
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "hlc/passes/fourier_int.h"
#include "hlc/passes/linear_int.h"
#include "hlc/passes/pass.h"
#include "hlc/schedule/schedule.h"

// Vectors that are looked at; items of a block; elements of a row that are looked at from one on.
enum { PROBES = 4, MOST_ITEMS = 4 * FOURIER_MOST, MOST_ROW = 64 };
// What following the filters of one program may take, as linear_probe counts it.
#define FOURIER_WORK 2e7
// What remains of the operations before, so that a transform is worth it.
static const double WORTH = 0.9;
// NOTE(weights): last bits by which a weight may be off, and by how many more for each time that its angle goes round.
static const double BITS = 256, BITS_A_TURN = 16;

static const double PI = 3.14159265358979323846;

typedef struct element element;
typedef struct row {
    VEC(element *) elements;
    uint32_t out; // the channel behind it
} row;

// A filter, or a splitjoin.
struct element {
    uint32_t first, last; // actors: the filter; the splitter and the joiner
    uint32_t in, out;     // channels
    row *branches;        // of a splitjoin
    size_t count;
    int64_t pop, push; // numbers, two of a complex item, of the least block that leaves nothing inside
};

typedef struct finder {
    hlc_program *hlc;
    sir_module *m;
    arena *a;
    double work;
    bool alone;    // rows of several stay as they are: processors share them out
    bool *visited; // per channel: a row has it
    bool *gone_actor, *gone_channel;
    bool any;
} finder;

// ---- Rows ----

// Numbers of an item; 0: it is none.
static int64_t numbers_of(const sir_type *t)
{
    return t == NULL ? 0 : t->kind == SIR_COMPLEX ? 2 : t->kind == SIR_FLOAT || t->kind == SIR_DOUBLE;
}

static bool is_plain(const finder *x, const sir_actor *a)
{
    const sir_filter *f = a->filter;
    if (a->kind != SIR_FILTER || a->inputs.len != 1 || a->outputs.len != 1 || a->least != 0 || f->finite ||
        f->work == NULL || f->stateful || f->prework != NULL || f->handlers.len != 0 || f->uses_iter ||
        f->uses_random || f->prints || f->sends || f->work->peek.dynamic || f->work->pop.dynamic ||
        f->work->push.dynamic)
        return false;
    return numbers_of(f->input) != 0 && numbers_of(f->output) != 0 &&
           (f->input->kind == SIR_DOUBLE) == (f->output->kind == SIR_DOUBLE) && f->work->pop.max > 0 &&
           f->work->push.max > 0 && f->work->peek.max <= f->work->pop.max && f->work->pop.max <= MOST_ITEMS &&
           f->work->push.max <= MOST_ITEMS && !pass_in_loop(x->m, a->region);
}

static bool is_clear(const finder *x, uint32_t channel)
{
    return channel != SIR_NONE && x->m->channels.data[channel].initial.len == 0 &&
           x->m->channels.data[channel].zeros == NULL;
}

// The least number that both divide, and 0 where that is too large.
static int64_t common(int64_t a, int64_t b)
{
    int64_t r = a / sched_gcd(a, b);
    return r > MOST_ITEMS / b ? 0 : r * b;
}

// The least block of elements `from` to `to` that leaves nothing inside. False: it is too large.
static bool find_block(const row *r, size_t from, size_t to, int64_t *pop, int64_t *push)
{
    *pop = *push = 1;
    for (size_t i = from; i <= to && i < r->elements.len; i++) {
        const element *e = r->elements.data[i];
        int64_t all = common(*push, e->pop);
        if (all == 0 || all / *push > MOST_ITEMS / *pop || all / e->pop > MOST_ITEMS / e->push)
            return false;
        *pop *= all / *push;
        *push = all / e->pop * e->push;
    }
    return true;
}

static bool find_row(finder *x, uint32_t channel, row *r);

// Numbers of a round: what a splitter gives one branch or a joiner takes, and what a splitter takes in all.
static int64_t share_of(const sir_actor *a, size_t i)
{
    return numbers_of(a->item) * (a->duplicate ? 1 : (int64_t)a->weights.data[i]);
}

static int64_t round_of(const sir_actor *split)
{
    int64_t numbers = 0;
    for (size_t i = 0; i < split->outputs.len; i++)
        numbers += share_of(split, i);
    return split->duplicate ? numbers_of(split->item) : numbers;
}

// Rounds of the splitter, and of the joiner, after which nothing is left between them.
static bool find_rounds(const finder *x, element *e)
{
    const sir_actor *split = x->m->actors.data[e->first], *join = x->m->actors.data[e->last];
    int64_t rounds = 1, joined = 0, all = 0, pop, push;
    for (size_t i = 0; i < e->count; i++) {
        int64_t share = share_of(split, i), taken = share_of(join, i);
        if (share <= 0 || taken <= 0 || !find_block(&e->branches[i], 0, SIZE_MAX - 1, &pop, &push))
            return false;
        int64_t items = common(share, pop);
        int64_t given = items == 0 || items / pop > MOST_ITEMS / push ? 0 : common(items / pop * push, taken);
        // Rounds of the splitter that this branch asks for.
        int64_t least = given == 0 ? 0 : items / share * (given / (items / pop * push));
        rounds = least == 0 || least > MOST_ITEMS ? 0 : common(rounds, least);
        if (rounds == 0)
            return false;
        all += taken;
    }
    for (size_t i = 0; i < e->count; i++) {
        find_block(&e->branches[i], 0, SIZE_MAX - 1, &pop, &push);
        int64_t own = rounds * share_of(split, i) / pop * push / share_of(join, i);
        if (i > 0 && own != joined)
            return false;
        joined = own;
    }
    e->pop = rounds * round_of(split);
    e->push = joined * all;
    return e->pop <= MOST_ITEMS && e->push <= MOST_ITEMS;
}

// The splitjoin that a splitter begins; NULL: there are others than such rows between it and the joiner.
static element *find_sides(finder *x, uint32_t splitter)
{
    const sir_module *m = x->m;
    const sir_actor *split = m->actors.data[splitter];
    size_t n = split->outputs.len;
    if (split->inputs.len != 1 || n == 0 || numbers_of(split->item) == 0 || split->least != 0 ||
        pass_in_loop(m, split->region))
        return NULL;
    element *e = ARENA_NEW(x->a, element);
    *e = (element){.first = splitter, .in = split->inputs.data[0], .count = n};
    e->branches = ARENA_ARRAY(x->a, row, n);
    for (size_t i = 0; i < n; i++) {
        if (split->outputs.data[i] == SIR_NONE || !find_row(x, split->outputs.data[i], &e->branches[i]))
            return NULL;
        const sir_channel *c = &m->channels.data[e->branches[i].out];
        if (m->actors.data[c->consumer]->kind != SIR_JOIN || c->consumer_port != i ||
            !is_clear(x, e->branches[i].out) || (i > 0 && c->consumer != e->last))
            return NULL;
        e->last = c->consumer;
    }
    const sir_actor *join = m->actors.data[e->last];
    if (join->inputs.len != n || join->outputs.len != 1 || join->outputs.data[0] == SIR_NONE || join->least != 0 ||
        !find_rounds(x, e))
        return NULL;
    e->out = join->outputs.data[0];
    return e;
}

// The filters and splitjoins behind a channel, which may be none, as far as items are clear between them. False: the
// channel itself is not.
static bool find_row(finder *x, uint32_t channel, row *r)
{
    if (!is_clear(x, channel))
        return false;
    r->out = channel;
    while (is_clear(x, r->out)) {
        uint32_t number = x->m->channels.data[r->out].consumer;
        const sir_actor *a = x->m->actors.data[number];
        element *e = NULL;
        if (is_plain(x, a)) {
            e = ARENA_NEW(x->a, element);
            *e = (element){.first = number,
                           .last = number,
                           .in = r->out,
                           .out = a->outputs.data[0],
                           .pop = numbers_of(a->filter->input) * a->filter->work->pop.max,
                           .push = numbers_of(a->filter->output) * a->filter->work->push.max};
        } else if (a->kind == SIR_SPLIT) {
            e = find_sides(x, number);
        }
        if (e == NULL || e->out == SIR_NONE)
            return true;
        VEC_PUSH(x->a, &r->elements, e);
        r->out = e->out;
    }
    return true;
}

// ---- What comes out, and how much ----

// Items that are pushed if so many are there, where nobody waits for more than it needs.
static int64_t given_by_row(const finder *x, const row *r, size_t from, size_t to, int64_t items);

static int64_t given_by(const finder *x, const element *e, int64_t items)
{
    if (e->count == 0)
        return items / e->pop * e->push;
    const sir_actor *split = x->m->actors.data[e->first], *join = x->m->actors.data[e->last];
    int64_t rounds = items / round_of(split), joined = INT64_MAX, all = 0;
    for (size_t i = 0; i < e->count; i++) {
        int64_t there = given_by_row(x, &e->branches[i], 0, SIZE_MAX - 1, rounds * share_of(split, i));
        int64_t own = there / share_of(join, i);
        joined = own < joined ? own : joined;
        all += share_of(join, i);
    }
    return joined * all;
}

static int64_t given_by_row(const finder *x, const row *r, size_t from, size_t to, int64_t items)
{
    for (size_t i = from; i <= to && i < r->elements.len; i++)
        items = given_by(x, r->elements.data[i], items);
    return items;
}

// The vectors: of number i, that of number p is data[i * PROBES + p].
typedef struct probes {
    double *data;
    int64_t items;
} probes;

static probes new_probes(arena *a, int64_t items)
{
    return (probes){ARENA_ARRAY(a, double, (size_t)(items * PROBES) + 1), items};
}

// What becomes of vectors of whole blocks; false: some filter is no sum of weighted items. cost: of it, with moves, is
// added.
static bool follow(finder *x, arena *a, const element *e, const probes *in, probes *out, double *cost);

static bool follow_row(finder *x, arena *a, const row *r, const probes *in, probes *out, double *cost)
{
    *out = *in;
    for (size_t i = 0; i < r->elements.len; i++) {
        probes next;
        if (!follow(x, a, r->elements.data[i], out, &next, cost))
            return false;
        *out = next;
    }
    return true;
}

static void copy_items(double *to, const double *from, int64_t items)
{
    memcpy(to, from, (size_t)(items * PROBES) * sizeof *to);
}

static bool follow_sides(finder *x, arena *a, const element *e, const probes *in, probes *out, double *cost)
{
    const sir_actor *split = x->m->actors.data[e->first], *join = x->m->actors.data[e->last];
    int64_t round = round_of(split), rounds = in->items / round, offset = 0, all = 0, before = 0;
    for (size_t i = 0; i < e->count; i++)
        all += share_of(join, i);
    for (size_t i = 0; i < e->count; i++) {
        int64_t share = share_of(split, i), taken = share_of(join, i);
        probes own = new_probes(a, rounds * share), given;
        for (int64_t k = 0; k < rounds; k++)
            copy_items(own.data + k * share * PROBES, in->data + (k * round + offset) * PROBES, share);
        if (!follow_row(x, a, &e->branches[i], &own, &given, cost))
            return false;
        for (int64_t k = 0; k * taken < given.items; k++)
            copy_items(out->data + (k * all + before) * PROBES, given.data + k * taken * PROBES, taken);
        offset += split->duplicate ? 0 : share;
        before += taken;
    }
    *cost += (double)out->items;
    return true;
}

static bool follow(finder *x, arena *a, const element *e, const probes *in, probes *out, double *cost)
{
    *out = new_probes(a, in->items / e->pop * e->push);
    x->work -= PROBES * (double)(in->items + out->items);
    if (x->work < 0)
        return false;
    if (e->count != 0)
        return follow_sides(x, a, e, in, out, cost);
    *cost += (double)out->items;
    return linear_probe(x->m, x->m->actors.data[e->first]->filter, in->items / e->pop, in->data, PROBES, out->data,
                        cost, &x->work);
}

// ---- Whether it is a transform ----

// The transform of points in place, without a factor.
static void transform(double *re, double *im, int64_t points, int sign)
{
    for (int64_t i = 1, j = 0; i < points; i++) {
        int64_t bit = points / 2;
        for (; (j & bit) != 0; bit /= 2)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double r = re[i], s = im[i];
            re[i] = re[j];
            im[i] = im[j];
            re[j] = r;
            im[j] = s;
        }
    }
    for (int64_t half = 1; half < points; half *= 2)
        for (int64_t k = 0; k < half; k++) {
            double c = cos(PI * (double)k / (double)half), s = sign * sin(PI * (double)k / (double)half);
            for (int64_t i = k; i < points; i += 2 * half) {
                double r = re[i + half] * c - im[i + half] * s, t = re[i + half] * s + im[i + half] * c;
                re[i + half] = re[i] - r;
                im[i + half] = im[i] - t;
                re[i] += r;
                im[i] += t;
            }
        }
}

static double at(const probes *x, int64_t item, int probe)
{
    return x->data[item * PROBES + probe];
}

// Whether a vector's points are those of its transforms, block for block; bit: the last one of a weight.
static bool is_transform_of(arena *a, const fourier_form *f, const probes *in, const probes *out, int probe, double bit)
{
    int64_t n = f->points;
    double *re = ARENA_ARRAY(a, double, (size_t)n), *im = ARENA_ARRAY(a, double, (size_t)n);
    for (int64_t block = 0; block * 2 * f->kept < out->items; block++) {
        double square = 0, turned = 0; // of the vector's length, and with each item by its place in the block
        for (int64_t i = 0; i < n; i++) {
            int64_t item = block * fourier_taken(f) + (f->real ? i : 2 * i);
            re[i] = at(in, item, probe);
            im[i] = f->real ? 0 : at(in, item + 1, probe);
            double own = re[i] * re[i] + im[i] * im[i], place = (double)i / (double)n;
            square += own;
            turned += own * place * place;
        }
        transform(re, im, n, f->sign);
        for (int64_t k = 0; k < f->kept; k++) {
            double most = bit * fabs(f->scale) * (BITS * sqrt(square) + BITS_A_TURN * (double)k * sqrt(turned));
            if (!(fabs(at(out, (block * f->kept + k) * 2, probe) - f->scale * re[k]) <= most) ||
                !(fabs(at(out, (block * f->kept + k) * 2 + 1, probe) - f->scale * im[k]) <= most))
                return false;
        }
    }
    return true;
}

// Finds the sign of a transform, if all vectors become what it makes of them; taken: numbers that it would have to take.
static bool is_form(arena *a, const probes *in, const probes *out, const sir_type *item, int64_t taken, fourier_form *f)
{
    int64_t n = f->points;
    if (n < FOURIER_LEAST || n > FOURIER_MOST || (n & (n - 1)) != 0 || taken != fourier_taken(f))
        return false;
    double bit = (item->kind == SIR_DOUBLE ? DBL_EPSILON : FLT_EPSILON) / 2;
    if (fabs(f->scale - 1) <= 2 * bit)
        f->scale = 1;
    for (f->sign = -1; f->sign <= 1; f->sign += 2) {
        bool all = true;
        for (int i = 0; i < PROBES && all; i++)
            all = is_transform_of(a, f, in, out, i, bit);
        if (all)
            return true;
    }
    return false;
}

// What becomes of the first item, if that is 1 and the others are 0, tells how many points there are, and the scale.
static bool find_form(arena *a, const probes *in, const probes *out, const sir_type *item, fourier_form *f)
{
    double first = at(out, 0, 0);
    int64_t kept = 0;
    if (!(fabs(first) <= FLT_MAX) || fabs(first) < FLT_MIN)
        return false;
    while (2 * kept < out->items && fabs(at(out, 2 * kept, 0) / first - 1) < 0.1)
        kept++;
    int64_t blocks = out->items / (2 * kept);
    if (out->items % (2 * kept) != 0 || in->items % blocks != 0)
        return false;
    const fourier_form forms[] = {{.points = kept},
                                  {.points = kept, .real = true},
                                  {.points = 2 * kept, .real = true},
                                  {.points = 2 * kept - 2, .real = true}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        *f = forms[i];
        f->kept = kept;
        f->scale = first;
        if (is_form(a, in, out, item, in->items / blocks, f))
            return true;
    }
    return false;
}

// Whether elements of a row give the points of each transform as soon as its items are there, and not before. No item of
// it can come earlier than the first, which all of them are needed for, so more is not to be asked for what lies between.
static bool comes_whole(const finder *x, const row *r, size_t from, size_t to, const fourier_form *f, int64_t items)
{
    int64_t taken = fourier_taken(f);
    for (int64_t n = taken; n <= items; n += taken)
        if (given_by_row(x, r, from, to, n) != n / taken * 2 * f->kept ||
            given_by_row(x, r, from, to, n - 1) != (n / taken - 1) * 2 * f->kept)
            return false;
    return true;
}

// Operations and what is pushed.
static double cost_of(const fourier_form *f)
{
    return fourier_cost(f) + 2 * (double)f->kept;
}

// ---- The graph ----

// Takes away actors and channels of an element, but for those at its ends. Gives how many actors.
static size_t take_away(finder *x, const element *e)
{
    size_t taken = e->first == e->last ? 1 : 2;
    x->gone_actor[e->first] = x->gone_actor[e->last] = true;
    for (size_t i = 0; i < e->count; i++) {
        const row *r = &e->branches[i];
        x->gone_channel[x->m->actors.data[e->first]->outputs.data[i]] = x->gone_channel[r->out] = true;
        for (size_t k = 0; k < r->elements.len; k++) {
            x->gone_channel[r->elements.data[k]->out] = true;
            taken += take_away(x, r->elements.data[k]);
        }
    }
    return taken;
}

static void make_one(finder *x, const row *r, size_t from, size_t to, const fourier_form *f, double before)
{
    sir_module *m = x->m;
    const element *first = r->elements.data[from], *last = r->elements.data[to];
    const sir_actor *begin = m->actors.data[first->first], *end = m->actors.data[last->last];
    bool same = first->first == last->last;
    const char *name = same ? begin->name : arena_printf(m->arena, "%s_to_%s", begin->name, end->name),
               *source = same ? begin->name : arena_printf(m->arena, "%s to %s", begin->name, end->name);
    sir_actor *one = ARENA_NEW(m->arena, sir_actor);
    *one = (sir_actor){.kind = SIR_FILTER, .region = begin->region, .loc = begin->loc};
    one->name = same ? begin->name : pass_unique_actor_name(m, m->arena, name);
    one->filter = fourier_filter(m, f, m->channels.data[first->in].type, m->channels.data[last->out].type,
                                 pass_unique_filter_name(m, m->arena, name), source, begin->loc);
    VEC_PUSH(m->arena, &one->inputs, first->in);
    VEC_PUSH(m->arena, &one->outputs, last->out);
    size_t taken = 0;
    for (size_t i = from; i <= to; i++) {
        taken += take_away(x, r->elements.data[i]);
        if (i < to)
            x->gone_channel[r->elements.data[i]->out] = true;
    }
    m->channels.data[first->in].consumer_port = 0;
    m->channels.data[last->out].producer = first->first;
    m->channels.data[last->out].producer_port = 0;
    m->actors.data[first->first] = one;
    x->gone_actor[first->first] = false;
    x->any = true;
    if (!x->hlc->diag->remarks)
        return;
    const char *what = same ? arena_printf(x->a, "'%s' is", begin->name)
                            : arena_printf(x->a, "%zu actors from '%s' to '%s' are", taken, begin->name, end->name);
    diag_remark(x->hlc->diag, sir_range(m, x->hlc->sources, one->loc),
                "%s a Fourier transform of %" PRId64 " %s, and now done by steps: %.0f operations instead of %.0f "
                "[fourier]",
                what, f->points, f->real ? "real numbers" : "points", cost_of(f), before);
}

// ---- The pass ----

// Numbers between -1 and 1, the same ones every time. The first vector is 1 and zeros.
static probes first_probes(arena *a, int64_t items)
{
    probes p = new_probes(a, items);
    uint64_t state = 0x9e3779b97f4a7c15u;
    for (int64_t i = 0; i < items; i++) {
        p.data[i * PROBES] = i == 0;
        for (int k = 1; k < PROBES; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            p.data[i * PROBES + k] = (double)(state >> 11) / (double)((uint64_t)1 << 52) - 1;
        }
    }
    return p;
}

// Looks for a transform that begins with an element, the longest one, and makes it. Gives the element behind it, or
// `from`.
static size_t look_from(finder *x, const row *r, size_t from)
{
    size_t end = from, found = from;
    int64_t pop, push;
    size_t most = x->alone ? 1 : MOST_ROW;
    for (size_t i = from; i < r->elements.len && i - from < most && find_block(r, from, i, &pop, &push); i++)
        if (pop >= FOURIER_LEAST && push >= pop && push <= 2 * pop)
            end = i + 1;
    if (end == from || (x->alone && r->elements.data[from]->count != 0) || !find_block(r, from, end - 1, &pop, &push))
        return from;
    arena *a = arena_create();
    probes in = first_probes(a, pop), out = in, next;
    fourier_form form, best = {0};
    double cost = 0, before = 0;
    const sir_type *item = x->m->channels.data[r->elements.data[from]->in].type;
    for (size_t i = from; i < end && follow(x, a, r->elements.data[i], &out, &next, &cost); i++) {
        out = next;
        if (!find_form(a, &in, &out, item, &form) || !comes_whole(x, r, from, i, &form, pop))
            continue;
        best = form;
        before = cost * (double)fourier_taken(&form) / (double)pop;
        found = i + 1;
    }
    arena_destroy(a);
    if (found == from)
        return from;
    if (!(cost_of(&best) < WORTH * before) || fourier_bytes(&best, item) > pass_table_bytes(x->hlc))
        return from;
    make_one(x, r, from, found - 1, &best, before);
    return found;
}

static void look_at(finder *x, const row *r)
{
    for (size_t i = 0; i < r->elements.len && x->work > 0;) {
        size_t next = look_from(x, r, i);
        const element *e = r->elements.data[i];
        for (size_t k = 0; next == i && k < e->count; k++)
            look_at(x, &e->branches[k]);
        i = next == i ? i + 1 : next;
    }
}

static void mark(finder *x, const row *r)
{
    x->visited[r->out] = true;
    for (size_t i = 0; i < r->elements.len; i++) {
        x->visited[r->elements.data[i]->in] = true;
        for (size_t k = 0; k < r->elements.data[i]->count; k++)
            mark(x, &r->elements.data[i]->branches[k]);
    }
}

// Rows that begin behind what is in none, first, so that each is as long as it can be.
static void look_behind(finder *x, bool behind_others)
{
    for (uint32_t c = 0; c < x->m->channels.len; c++) {
        const sir_actor *from = x->m->actors.data[x->m->channels.data[c].producer];
        bool other = from->kind != SIR_SPLIT && from->kind != SIR_JOIN && !is_plain(x, from);
        row r = {0};
        if (x->visited[c] || other != behind_others || !find_row(x, c, &r))
            continue;
        mark(x, &r);
        look_at(x, &r);
    }
}

bool pass_fourier(hlc_program *p)
{
    sir_module *m = p->module;
    if (!p->config->fast_math || !pass_may_change_more(p) || m->portals.len != 0)
        return false;
    finder x = {.hlc = p, .m = m, .a = arena_create(), .work = FOURIER_WORK, .alone = pass_shares_out(p)};
    x.visited = ARENA_ARRAY(x.a, bool, m->channels.len + 1);
    x.gone_actor = ARENA_ARRAY(x.a, bool, m->actors.len + 1);
    x.gone_channel = ARENA_ARRAY(x.a, bool, m->channels.len + 1);
    look_behind(&x, true);
    look_behind(&x, false);
    if (x.any) {
        pass_sweep(m, x.a, x.gone_actor, x.gone_channel);
        pass_tidy(m);
    }
    arena_destroy(x.a);
    return x.any;
}
