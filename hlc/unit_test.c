// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of filters: one graph after the other from one syntax tree, and what comes out beside what is expected.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hlc/elaborate/elaborate.h"
#include "hlc/interp/interp.h"
#include "hlc/pipeline.h"

struct hlc_tests {
    hlc_program all; // what reads the files
    const ast_program *program;
    VEC(hlc_test) list;
    VEC(const ast_test *) tests; // the same
    hlc_program current;
    elaborate_test values; // of the current one
};

hlc_tests *hlc_tests_read(arena *a, diag_engine *d, const source_id *files, size_t count, const hlc_config *config)
{
    hlc_tests *t = ARENA_NEW(a, hlc_tests);
    t->all = pipeline_start(a, d, config);
    t->program = pipeline_read(&t->all, files, count, true);
    if (t->program == NULL)
        return NULL;
    for (VEC_EACH(ast_test *const, it, &t->program->tests)) {
        if ((*it)->imported)
            continue;
        VEC_PUSH(a, &t->tests, *it);
        VEC_PUSH(a, &t->list, (hlc_test){(*it)->name, (*it)->name_range});
    }
    return t;
}

const hlc_test *hlc_tests_list(const hlc_tests *tests, size_t *count)
{
    *count = tests->list.len;
    return tests->list.data;
}

bool hlc_test_begin(hlc_tests *tests, size_t number, diag_engine *d, strbuf *input, int64_t *iterations)
{
    hlc_program *p = &tests->current;
    *p = pipeline_start(tests->all.arena, d, tests->all.config);
    p->names = tests->all.names;
    tests->values = (elaborate_test){.test = tests->tests.data[number]};
    if (!pipeline_build(p, tests->program, &tests->values) || !pipeline_check_rates(p))
        return false;
    const elaborate_values *given = &tests->values.input;
    *iterations = -1;
    if (given->item == NULL && tests->values.expect.item == NULL)
        diag_error(d, tests->values.test->name_range,
                   "what the test '%s' runs has neither input nor output: test its parts", tests->values.test->name);
    else if (given->item == NULL)
        *iterations =
            (int64_t)(tests->values.expect.data.len / tests->values.expect.item->words); // each gives an item at least
    else if (given->item->kind == SIR_BIT && given->data.len % 8 != 0)
        diag_error(d, VEC_LAST(&given->places), "bits are given eight at a time, as files have them, not %zu",
                   given->data.len);
    else
        interp_encode_items(input, given->item, given->data.data, given->data.len);
    return !diag_has_errors(d);
}

int hlc_test_interpret(hlc_tests *tests, const struct interp_options *options)
{
    hlc_program *p = &tests->current;
    p->schedule = schedule_compute(p->arena, p->diag, p->sources, p->module);
    if (p->schedule == NULL || diag_has_errors(p->diag))
        return 1;
    return interp_run(p->module, p->schedule, p->diag, options);
}

const char *hlc_test_compile(hlc_tests *tests)
{
    return pipeline_finish(&tests->current);
}

// ---- Comparing ----

static double distance(const sir_type *t, sir_scalar a, sir_scalar b)
{
    switch (t->kind) {
    case SIR_FLOAT: return fabs((double)a.f - (double)b.f);
    case SIR_DOUBLE: return fabs(a.d - b.d);
    case SIR_COMPLEX: return hypot((double)a.c.re - (double)b.c.re, (double)a.c.im - (double)b.c.im);
    default: return fabs((double)a.i - (double)b.i);
    }
}

static bool is_nan(const sir_type *t, sir_scalar v)
{
    switch (t->kind) {
    case SIR_FLOAT: return isnan(v.f);
    case SIR_DOUBLE: return isnan(v.d);
    case SIR_COMPLEX: return isnan(v.c.re) || isnan(v.c.im);
    default: return false;
    }
}

static bool equals(const sir_type *t, sir_scalar a, sir_scalar b)
{
    switch (t->kind) {
    case SIR_FLOAT: return a.f == b.f;
    case SIR_DOUBLE: return a.d == b.d;
    case SIR_COMPLEX: return a.c.re == b.c.re && a.c.im == b.c.im;
    default: return a.i == b.i;
    }
}

static bool agrees(const elaborate_values *expect, size_t i, sir_scalar got)
{
    const sir_type *t = expect->types.data[i];
    sir_scalar want = expect->data.data[i];
    if (is_nan(t, got) || is_nan(t, want))
        return is_nan(t, got) && is_nan(t, want);
    if (equals(t, got, want)) // infinities too
        return true;
    return expect->within.data[i] >= 0 && distance(t, got, want) <= expect->within.data[i];
}

// With the fewest digits that tell it from its neighbours.
static void add_real(strbuf *b, double v, bool is_float)
{
    char text[64];
    for (int digits = is_float ? 6 : 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        double back = strtod(text, NULL);
        if (is_float ? (float)back == (float)v : back == v)
            break;
    }
    strbuf_add(b, text);
}

static void add_value(strbuf *b, const sir_type *t, sir_scalar v)
{
    switch (t->kind) {
    case SIR_BOOLEAN: strbuf_add(b, v.i != 0 ? "true" : "false"); break;
    case SIR_FLOAT: add_real(b, (double)v.f, true); break;
    case SIR_DOUBLE: add_real(b, v.d, false); break;
    case SIR_COMPLEX:
        add_real(b, (double)v.c.re, true);
        strbuf_add(b, v.c.im < 0 ? "" : "+");
        add_real(b, (double)v.c.im, true);
        strbuf_addc(b, 'i');
        break;
    default: strbuf_printf(b, "%" PRId32, v.i); break;
    }
}

static const char *value_text(arena *a, const sir_type *t, sir_scalar v)
{
    strbuf b;
    strbuf_init(&b, a);
    add_value(&b, t, v);
    return b.data;
}

// The whole output, or its beginning.
static void note_output(const hlc_tests *tests, diag_record *r, const sir_scalar *got, size_t count)
{
    enum { SHOWN = 64 };
    const hlc_program *p = &tests->current;
    const elaborate_values *expect = &tests->values.expect;
    strbuf b;
    strbuf_init(&b, p->arena);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        strbuf_add(&b, i == 0 ? "" : ", ");
        add_value(&b, expect->types.data[i % expect->types.len], got[i]);
    }
    diag_add_note(p->diag, r, (src_range){0}, "the output is %s%s", count == 0 ? "empty" : b.data,
                  count > SHOWN ? ", ..." : "");
}

static bool report_difference(const hlc_tests *tests, const sir_scalar *got, size_t count, size_t at)
{
    const hlc_program *p = &tests->current;
    const elaborate_values *expect = &tests->values.expect;
    const sir_type *t = expect->types.data[at];
    src_range where = expect->places.data[at];
    const char *is = value_text(p->arena, t, got[at]), *want = value_text(p->arena, t, expect->data.data[at]);
    diag_record *r;
    if (expect->within.data[at] < 0)
        r = diag_error(p->diag, where, "number %zu of the output is %s, but %s is expected", at + 1, is, want);
    else
        r = diag_error(p->diag, where, "number %zu of the output is %s, which is %.3g from %s; up to %g is allowed",
                       at + 1, is, distance(t, got[at], expect->data.data[at]), want, expect->within.data[at]);
    note_output(tests, r, got, count);
    return false;
}

bool hlc_test_has_output(const hlc_tests *tests)
{
    return tests->values.expect.item != NULL;
}

bool hlc_test_expects_text(const hlc_tests *tests)
{
    return tests->values.text_place.file != 0;
}

bool hlc_test_compare_text(hlc_tests *tests, const char *printed, size_t len)
{
    const hlc_program *p = &tests->current;
    const strbuf *want = &tests->values.text;
    if (!hlc_test_expects_text(tests) || (len == want->len && memcmp(printed, want->data, len) == 0))
        return true;
    strbuf is, wanted;
    strbuf_init(&is, p->arena);
    strbuf_init(&wanted, p->arena);
    enum { SHOWN = 200 };
    strbuf_add_quoted(&is, printed, len < SHOWN ? len : SHOWN);
    strbuf_add_quoted(&wanted, want->data, want->len < SHOWN ? want->len : SHOWN);
    diag_error(p->diag, tests->values.text_place, "%s%s is printed, but %s%s is expected", is.data,
               len > SHOWN ? "..." : "", wanted.data, want->len > SHOWN ? "..." : "");
    return false;
}

bool hlc_test_compare(hlc_tests *tests, const char *output, size_t len)
{
    if (tests->values.expect.item == NULL || (tests->values.expect.data.len == 0 && hlc_test_expects_text(tests)))
        return true;
    const hlc_program *p = &tests->current;
    const elaborate_values *expect = &tests->values.expect;
    size_t count, wanted = expect->data.len;
    const sir_scalar *got = interp_decode_items(p->arena, expect->item, output, len, &count);
    bool open_end = tests->values.input.item == NULL; // a source goes on
    if (expect->item->kind == SIR_BIT && count / 8 == (wanted + 7) / 8)
        open_end = true; // zeros fill the last byte
    for (size_t i = 0; i < count && i < wanted; i++)
        if (!agrees(expect, i, got[i]))
            return report_difference(tests, got, count, i);
    if (count == wanted || (count > wanted && open_end))
        return true;
    diag_record *r = diag_error(p->diag,
                                wanted == 0 ? tests->values.test->name_range
                                            : expect->places.data[count < wanted ? count : wanted - 1],
                                "the output has %zu number%s, but %zu %s expected", count, count == 1 ? "" : "s",
                                wanted, wanted == 1 ? "is" : "are");
    if (expect->types.len > 0)
        note_output(tests, r, got, count);
    return false;
}
