// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear forms of filters in a row and side by side.
#include "hlc/passes/linear_int.h"

// A product and a sum.
enum { PRODUCT_OPERATIONS = 2 };
// What keeping a weight is like.
enum { WEIGHT_WORK = 16 };

linear_form *linear_new(arena *a, int64_t peek, int64_t pop, int64_t push)
{
    if (peek <= 0 || push <= 0 || peek > LINEAR_WEIGHTS / push)
        return NULL;
    linear_form *f = ARENA_NEW(a, linear_form);
    *f = (linear_form){.peek = peek, .pop = pop, .push = push};
    f->weights = ARENA_ARRAY(a, double, (size_t)(push * peek));
    f->constants = ARENA_ARRAY(a, double, (size_t)push);
    return f;
}

void linear_count(linear_form *f)
{
    int64_t products = 0, sums = 0;
    for (int64_t i = 0; i < f->push * f->peek; i++)
        products += f->weights[i] != 0;
    for (int64_t i = 0; i < f->push; i++)
        sums += f->constants[i] != 0;
    f->cost = (double)(PRODUCT_OPERATIONS * products + sums);
}

// Weights are kept until the end.
static bool spend(double *work, const linear_form *f, double operations)
{
    *work -= operations + WEIGHT_WORK * (double)f->push * (double)f->peek;
    return *work >= 0;
}

static int64_t quotient_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

// The firing of the first filter that gives an item is item / push of it, the row item % push.
linear_form *linear_in_row(arena *a, const linear_form *first, const linear_form *second, int64_t *firings,
                           double *work)
{
    if (second->pop % first->push != 0)
        return NULL;
    *firings = second->pop / first->push;
    int64_t ahead = quotient_up(second->peek, first->push);
    linear_form *f = linear_new(a, (ahead - 1) * first->pop + first->peek, *firings * first->pop, second->push);
    double rows = (double)second->push * (double)second->peek;
    if (f == NULL || f->pop > f->peek || !spend(work, f, rows * (double)first->peek))
        return NULL;
    for (int64_t r = 0; r < f->push; r++) {
        f->constants[r] = second->constants[r];
        for (int64_t i = 0; i < second->peek; i++) {
            double weight = second->weights[r * second->peek + i];
            const double *row = first->weights + i % first->push * first->peek;
            double *to = f->weights + r * f->peek + i / first->push * first->pop;
            f->constants[r] += weight * first->constants[i % first->push];
            for (int64_t k = 0; k < first->peek && weight != 0; k++)
                to[k] += weight * row[k];
        }
    }
    linear_count(f);
    return f;
}

// ---- Splitjoins ----

typedef struct sides {
    const linear_form *const *branches;
    const uint32_t *split, *join;
    int64_t round;  // items that the splitter takes in a round
    int64_t rounds; // of the splitter, for one of the joiner
} sides;

static int64_t pop_of(const sides *s, size_t i)
{
    return s->branches[i] == NULL ? 1 : s->branches[i]->pop;
}

static int64_t push_of(const sides *s, size_t i)
{
    return s->branches[i] == NULL ? 1 : s->branches[i]->push;
}

static int64_t weight_of(const sides *s, size_t i)
{
    return s->split == NULL ? 1 : s->split[i];
}

// Rounds of the splitter that a branch needs for the joiner's; 0: no whole number.
static int64_t rounds_of(const sides *s, size_t i, int64_t *firings)
{
    int64_t given = s->join[i], taken = weight_of(s, i);
    if (given <= 0 || taken <= 0 || given % push_of(s, i) != 0)
        return 0;
    *firings = given / push_of(s, i);
    int64_t items = *firings * pop_of(s, i);
    return items % taken == 0 ? items / taken : 0;
}

// The rows that the joiner takes from a branch. offset: of its first item in the splitter's round.
static void add_branch(const sides *s, size_t i, int64_t offset, linear_form *f, int64_t row)
{
    const linear_form *b = s->branches[i];
    int64_t weight = weight_of(s, i), push = push_of(s, i), peek = b == NULL ? 1 : b->peek;
    for (int64_t k = 0; k < s->join[i]; k++) {
        double *to = f->weights + (row + k) * f->peek;
        f->constants[row + k] = b == NULL ? 0 : b->constants[k % push];
        for (int64_t c = 0; c < peek; c++) {
            int64_t at = k / push * pop_of(s, i) + c;
            to[at / weight * s->round + offset + at % weight] += b == NULL ? 1 : b->weights[k % push * peek + c];
        }
    }
}

linear_form *linear_side_by_side(arena *a, const linear_form *const *branches, const uint32_t *split,
                                 const uint32_t *join, size_t count, int64_t *firings, double *work)
{
    sides s = {.branches = branches, .split = split, .join = join, .round = 1};
    int64_t push = 0, ahead = 0;
    for (size_t i = 0; i < count && split != NULL; i++)
        s.round += (int64_t)split[i] - (i == 0);
    for (size_t i = 0; i < count; i++) {
        int64_t rounds = rounds_of(&s, i, &firings[i]);
        if (rounds == 0 || (i > 0 && rounds != s.rounds))
            return NULL;
        s.rounds = rounds;
        push += join[i];
        int64_t window = (firings[i] - 1) * pop_of(&s, i) + (branches[i] == NULL ? 1 : branches[i]->peek);
        int64_t needs = quotient_up(window, weight_of(&s, i));
        ahead = needs > ahead ? needs : ahead;
    }
    ahead = ahead > s.rounds ? ahead : s.rounds;
    linear_form *f = linear_new(a, ahead * s.round, s.rounds * s.round, push);
    if (f == NULL || !spend(work, f, 0))
        return NULL;
    int64_t row = 0, offset = 0;
    for (size_t i = 0; i < count; i++) {
        add_branch(&s, i, offset, f, row);
        row += join[i];
        offset += split == NULL ? 0 : split[i];
    }
    linear_count(f);
    return f;
}
