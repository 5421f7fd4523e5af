// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Profiles of kernels: collecting, fitting, writing and reading.
#include "runtime/common/profile.h"

#include <svm/program.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/common/internal.h"

const char *const svmr_profileUnits[SVMR_UNIT_COUNT] = {"firings", "elements", "runs"};

// ---- Rows ----

static size_t hashOf(const char *kernel, const char *processor)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (const char *s = kernel; *s; s++)
        h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    h = (h ^ 0xff) * UINT64_C(0x100000001b3);
    for (const char *s = processor; *s; s++)
        h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    return (size_t)(h ^ h >> 29);
}

static size_t *slotOf(const svmr_Profile *p, const char *kernel, const char *processor)
{
    size_t mask = p->slotCount - 1, i = hashOf(kernel, processor) & mask;
    for (; p->slots[i]; i = (i + 1) & mask) {
        const svmr_ProfileRow *row = &p->rows[p->slots[i] - 1];
        if (strcmp(row->kernel, kernel) == 0 && strcmp(row->processor, processor) == 0)
            break;
    }
    return &p->slots[i];
}

svmr_ProfileRow *svmr_profileFind(const svmr_Profile *p, const char *kernel, const char *processor)
{
    if (!p->slotCount)
        return NULL;
    size_t slot = *slotOf(p, kernel, processor);
    return slot ? &p->rows[slot - 1] : NULL;
}

static char *copyText(const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(svmr_allocate(n, 1), text, n);
}

static void growSlots(svmr_Profile *p)
{
    free(p->slots);
    p->slotCount = p->slotCount ? p->slotCount * 2 : 32;
    p->slots = svmr_allocate(p->slotCount, sizeof *p->slots);
    for (size_t i = 0; i < p->count; i++)
        *slotOf(p, p->rows[i].kernel, p->rows[i].processor) = i + 1;
}

svmr_ProfileRow *svmr_profileRow(svmr_Profile *p, const char *kernel, const char *processor)
{
    svmr_ProfileRow *row = svmr_profileFind(p, kernel, processor);
    if (row)
        return row;
    if ((p->count + 1) * 2 > p->slotCount)
        growSlots(p);
    p->rows = svmr_grow(p->rows, &p->cap, p->count + 1, sizeof *p->rows);
    row = &p->rows[p->count];
    *row = (svmr_ProfileRow){.kernel = copyText(kernel), .processor = copyText(processor)};
    *slotOf(p, kernel, processor) = ++p->count;
    return row;
}

void svmr_profileFree(svmr_Profile *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->rows[i].kernel);
        free(p->rows[i].processor);
    }
    free(p->rows);
    free(p->slots);
    *p = (svmr_Profile){0};
}

// ---- The fit ----

static void addTo(svmr_ProfileSums *s, double units, double seconds)
{
    s->runs++;
    s->units += units;
    s->seconds += seconds;
    s->unitsUnits += units * units;
    s->unitsSeconds += units * seconds;
}

void svmr_profileAdd(svmr_Profile *p, svmr_ProfileRow *row, svmr_ProfileUnit unit, double units, double seconds)
{
    if (unit > row->unit) { // what was counted before cannot be compared with this
        svmr_ProfileSums all = row->first;
        row->unit = unit;
        row->first = (svmr_ProfileSums){0};
        if (unit == SVMR_UNIT_RUNS) {
            uint64_t runs = all.runs + row->later.runs;
            double total = all.seconds + row->later.seconds;
            row->later = (svmr_ProfileSums){runs, (double)runs, total, (double)runs, total};
        } else {
            row->later = (svmr_ProfileSums){0};
        }
    }
    if (unit < row->unit)
        units = row->unit == SVMR_UNIT_RUNS ? 1 : units;
    row->runs++;
    row->total += seconds;
    addTo(!p->keepFirst && row->first.runs == 0 && row->later.runs == 0 ? &row->first : &row->later, units, seconds);
}

void svmr_profileFit(const svmr_ProfileRow *row, double *start, double *perUnit)
{
    const svmr_ProfileSums *s = row->later.runs ? &row->later : &row->first;
    double n = (double)s->runs, spread = n * s->unitsUnits - s->units * s->units;
    *start = 0;
    *perUnit = s->unitsUnits > 0 ? s->unitsSeconds / s->unitsUnits : 0; // a line through the origin
    if (s->units <= 0) {
        *start = n > 0 ? s->seconds / n : 0;
        return;
    }
    if (spread <= 1e-9 * n * s->unitsUnits)
        return;
    double slope = (n * s->unitsSeconds - s->units * s->seconds) / spread;
    double offset = (s->seconds - slope * s->units) / n;
    if (offset < 0)
        return;
    *perUnit = slope < 0 ? 0 : slope;
    *start = slope < 0 ? s->seconds / n : offset;
}

// ---- Writing ----

static void writeName(FILE *f, const char *text)
{
    putc('"', f);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < 32 || c == 127)
            fprintf(f, "\\x%02x", c);
        else
            putc(c, f);
    }
    putc('"', f);
}

static struct {
    const svm_KernelFires *kernels;
    int64_t steadyStates;
} profiled;

void svmr_profileProgram(const svm_KernelFires *kernels, int64_t steadyStates)
{
    profiled.kernels = kernels;
    profiled.steadyStates = steadyStates;
}

const char *svmr_profileFires(const char *kernel)
{
    const svm_KernelFires *k = profiled.kernels;
    while (k && k->kernel && strcmp(k->kernel, kernel) != 0)
        k++;
    return k ? k->fires : NULL;
}

int64_t svmr_profileSteadyStates(void)
{
    return profiled.steadyStates > 0 ? profiled.steadyStates : 0;
}

void svmr_profileWrite(const svmr_Profile *p, const char *comment, double seconds, FILE *f)
{
    fprintf(f, "svm-profile 1\n# %s\n", comment);
    for (size_t i = 0; i < p->count; i++) {
        const svmr_ProfileRow *row = &p->rows[i];
        double start, perUnit;
        svmr_profileFit(row, &start, &perUnit);
        fputs("kernel ", f);
        writeName(f, row->kernel);
        fputs(" processor ", f);
        writeName(f, row->processor);
        fprintf(f, " unit %s runs %llu start %.9g per-unit %.9g total %.9g\n", svmr_profileUnits[row->unit],
                (unsigned long long)row->runs, start, perUnit, row->total);
    }
    fprintf(f, "seconds %.9g\n", seconds);
    if (profiled.steadyStates > 0)
        fprintf(f, "steady-states %lld\n", (long long)profiled.steadyStates);
    for (const svm_KernelFires *k = profiled.kernels; k && k->kernel; k++) {
        fputs("fires ", f);
        writeName(f, k->kernel);
        fprintf(f, " %s\n", k->fires);
    }
}

// ---- Reading ----

typedef struct Line {
    const char *at;
    const char *wrong; // what was expected, once something was not there
} Line;

static void skipSpace(Line *l)
{
    while (*l->at == ' ' || *l->at == '\t')
        l->at++;
}

static void expectWord(Line *l, const char *word)
{
    if (l->wrong)
        return;
    skipSpace(l);
    size_t n = strlen(word);
    if (strncmp(l->at, word, n) != 0 || (l->at[n] && l->at[n] != ' ' && l->at[n] != '\t' && l->at[n] != '\n'))
        l->wrong = word;
    else
        l->at += n;
}

static int hexDigit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Into `text`, which is as long as the line.
static void expectName(Line *l, char *text)
{
    *text = 0;
    if (l->wrong)
        return;
    skipSpace(l);
    const char *s = l->at;
    if (*s++ != '"') {
        l->wrong = "a name in quotes";
        return;
    }
    for (; *s && *s != '"' && *s != '\n'; s++) {
        if (*s == '\\' && s[1] == 'x' && hexDigit(s[2]) >= 0 && hexDigit(s[3]) >= 0) {
            *text++ = (char)(hexDigit(s[2]) << 4 | hexDigit(s[3]));
            s += 3;
        } else {
            s += *s == '\\' && s[1] && s[1] != '\n';
            *text++ = *s;
        }
    }
    *text = 0;
    if (*s != '"')
        l->wrong = "a name that ends with a quote";
    l->at = s + (*s == '"');
}

static double expectNumber(Line *l, const char *what)
{
    expectWord(l, what);
    if (l->wrong)
        return 0;
    skipSpace(l);
    char *end;
    double v = strtod(l->at, &end);
    if (end == l->at || !isfinite(v) || v < 0)
        l->wrong = "a number that is not negative";
    l->at = end;
    return v;
}

static svmr_ProfileUnit expectUnit(Line *l)
{
    expectWord(l, "unit");
    if (l->wrong)
        return SVMR_UNIT_RUNS;
    skipSpace(l);
    for (int i = 0; i < SVMR_UNIT_COUNT; i++) {
        Line there = *l;
        expectWord(&there, svmr_profileUnits[i]);
        if (!there.wrong) {
            *l = there;
            return (svmr_ProfileUnit)i;
        }
    }
    l->wrong = "firings, elements or runs";
    return SVMR_UNIT_RUNS;
}

static bool isBlank(const char *s)
{
    s += strspn(s, " \t\r\n");
    return !*s || *s == '#';
}

static void readRow(svmr_Profile *p, Line *l, char *kernel, char *processor)
{
    expectWord(l, "kernel");
    expectName(l, kernel);
    expectWord(l, "processor");
    expectName(l, processor);
    svmr_ProfileUnit unit = expectUnit(l);
    double runs = expectNumber(l, "runs"), start = expectNumber(l, "start");
    double perUnit = expectNumber(l, "per-unit"), total = expectNumber(l, "total");
    if (!l->wrong && !isBlank(l->at))
        l->wrong = "the end of the line";
    if (!l->wrong && svmr_profileFind(p, kernel, processor))
        l->wrong = "each kernel once on a processor";
    if (l->wrong)
        return;
    svmr_ProfileRow *row = svmr_profileRow(p, kernel, processor);
    row->unit = unit;
    row->runs = runs < 1e18 ? (uint64_t)runs : 0;
    row->start = start;
    row->perUnit = perUnit;
    row->total = total;
}

bool svmr_profileRead(svmr_Profile *p, const char *path, FILE *f, char **message)
{
    char *text = NULL;
    size_t cap = 0, number = 0;
    bool begun = false;
    Line line = {NULL, NULL};
    *message = NULL;
    for (ssize_t n; !line.wrong && (n = getline(&text, &cap, f)) >= 0;) {
        number++;
        line.at = text;
        if (strlen(text) != (size_t)n) {
            line.wrong = "text";
        } else if (isBlank(text)) {
            continue;
        } else if (!begun) {
            expectWord(&line, "svm-profile");
            expectWord(&line, "1");
            begun = true;
        } else if (strncmp(text, "seconds ", 8) == 0) {
            p->seconds = expectNumber(&line, "seconds");
        } else if (strncmp(text, "steady-states ", 14) == 0) {
            p->steadyStates = expectNumber(&line, "steady-states");
        } else if (strncmp(text, "fires ", 6) != 0) {
            char *names = svmr_allocate(2, (size_t)n + 1);
            readRow(p, &line, names, names + n + 1);
            free(names);
        }
    }
    if (!line.wrong && !begun)
        line.wrong = "a profile, which begins with svm-profile 1";
    if (line.wrong && asprintf(message, "%s:%zu: error: expected %s", path, number ? number : 1, line.wrong) < 0)
        *message = NULL;
    free(text);
    return !line.wrong;
}
