// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream programs on finite streams. The program is a C library's, which takes all that a stream has and is drained, as
// an executable is at the end of its input.
#include "svm/brook_program.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/common/brook.h"

enum { DROPPED = 4096 }; // bytes for what nobody wants: that of a program without input behind the last element

static long long outputOf(const svm_BrookProgram *p, long long states)
{
    return p->first_output + states * p->steady_output;
}

size_t svm_brookBytes(const svm_BrookStream *s)
{
    return svm_brookCount(*s) * svmr_brookSize(s);
}

static size_t itemSize(const char *leaves)
{
    return strlen(leaves) * (leaves[0] == 'd' ? sizeof(double) : sizeof(float));
}

// The scalars of elements are those of items.
static void needScalars(const svm_BrookPlace *at, const svm_BrookProgram *p, const svm_BrookStream *s, const char *item)
{
    const char letters[3] = {item[0], item[0] == 'i' ? 'u' : '\0', '\0'};
    const svm_BrookType *t = &s->storage->type;
    if (t->leaves[strspn(t->leaves, letters)] != '\0')
        svm_brookFail(at, "%s: the stream '%s' has elements of type '%s', which are not made of the program's items",
                      p->name, s->name, t->name);
}

// What counts are of, in a message about a stream.
static const char *things(const svm_BrookStream *s, const char *item, long long count)
{
    const bool elements = svmr_brookSize(s) == itemSize(item);
    return count == 1 ? elements ? "element" : "item" : elements ? "elements" : "items";
}

// "3 first and then 4 at a time".
static const char *rates(char text[80], long long first, long long steady)
{
    if (first == 0)
        snprintf(text, 80, "%lld at a time", steady);
    else
        snprintf(text, 80, "%lld first and then %lld at a time", first, steady);
    return text;
}

// Steady states that move so many items; a rest ends the program.
static long long statesOf(const svm_BrookPlace *at, const svm_BrookProgram *p, const svm_BrookStream *s, bool takes)
{
    const char *item = takes ? p->input_item : p->output_item;
    const long long first = takes ? p->first_input : p->first_output, size = (long long)itemSize(item);
    const long long steady = takes ? p->steady_input : p->steady_output, count = (long long)svm_brookBytes(s) / size;
    char text[80];
    if (count < first)
        svm_brookFail(at, "%s: the stream '%s' of shape %s has too few %s: it %s %s", p->name, s->name,
                      svmr_brookShape(s), things(s, item, 0), takes ? "takes" : "gives", rates(text, first, steady));
    const long long rest = steady == 0 ? count - first : (count - first) % steady;
    if ((long long)svm_brookBytes(s) % size != 0)
        svm_brookFail(at, "%s: the stream '%s' of shape %s ends within an item", p->name, s->name, svmr_brookShape(s));
    if (rest != 0)
        svm_brookFail(at, "%s: of the stream '%s' of shape %s %lld %s %s left over: it %s %s", p->name, s->name,
                      svmr_brookShape(s), rest, things(s, item, rest), rest == 1 ? "is" : "are",
                      takes ? "takes" : "gives", rates(text, first, steady));
    return steady == 0 ? 0 : (count - first) / steady;
}

long long svm_brookSteadyStates(const svm_BrookPlace *at, const svm_BrookProgram *p, const svm_BrookStream *in,
                                const svm_BrookStream *out)
{
    if (in)
        svmr_brookNeed(at, in, p->name);
    svmr_brookNeed(at, out, p->name);
    if (out->storage->iterator)
        svm_brookFail(at, "%s: '%s' is an iterator", p->name, out->name);
    if (in)
        needScalars(at, p, in, p->input_item);
    needScalars(at, p, out, p->output_item);
    if (svm_brookCount(*out) == 0 && (!in || svm_brookCount(*in) == 0))
        return -1;
    const long long states = statesOf(at, p, in ? in : out, in != NULL);
    const long long gives = outputOf(p, states);
    if (in && (size_t)gives * itemSize(p->output_item) != svm_brookBytes(out))
        svm_brookFail(at, "%s: %lld %s come of the stream '%s' of shape %s, but the stream '%s' of shape %s has %zu",
                      p->name, gives, things(out, p->output_item, gives), in->name, svmr_brookShape(in), out->name,
                      svmr_brookShape(out), svm_brookBytes(out) / itemSize(p->output_item));
    return states;
}

typedef struct Run {
    const svm_BrookPlace *at;
    const svm_BrookProgram *program;
    void *self;
    char *out; // where the next element goes
    size_t size, wanted;
} Run;

static _Noreturn void fail(const Run *r)
{
    svm_brookFail(r->at, "%s: %s", r->program->name, r->program->error(r->self));
}

// Gives elements, until all are taken; of a program without input until it has given what is wanted.
static int feed(Run *r, const char *in, size_t size, size_t count)
{
    char dropped[DROPPED];
    int result = 0;
    while (result == 0 && (r->program->takes ? count != 0 : r->wanted != 0)) {
        size_t consumed = 0, produced = 0;
        result = r->program->process(r->self, in, count, &consumed, r->wanted != 0 ? r->out : dropped,
                                     r->wanted != 0 ? r->wanted : DROPPED / r->size, &produced);
        in += consumed * size;
        count -= consumed;
        if (r->wanted != 0) {
            r->out += produced * r->size;
            r->wanted -= produced;
        }
    }
    return result;
}

static int drain(Run *r)
{
    char dropped[DROPPED];
    int result = 0;
    while (result == 0) {
        size_t produced = 0;
        result = r->program->drain(r->self, r->wanted != 0 ? r->out : dropped,
                                   r->wanted != 0 ? r->wanted : DROPPED / r->size, &produced);
        if (r->wanted != 0) {
            r->out += produced * r->size;
            r->wanted -= produced;
        }
    }
    return result;
}

void svm_brookRunProgram(const svm_BrookPlace *at, const svm_BrookProgram *p, const svm_BrookStream *in,
                         const svm_BrookStream *out)
{
    if (svm_brookSteadyStates(at, p, in, out) < 0)
        return;
    if (in)
        svmr_brookSettle(in->storage, false);
    svmr_brookSettle(out->storage, true);
    const bool plain_in = in && !in->storage->iterator && svmr_brookIsPlain(in);
    const bool plain_out = svmr_brookIsPlain(out) && !(in && in->storage == out->storage);
    const size_t size = itemSize(p->output_item), wanted = svm_brookBytes(out) / size;
    const size_t count = in ? svm_brookBytes(in) / itemSize(p->input_item) : 0;
    char *copied = in && !plain_in ? svmr_brookGather(at, *in) : NULL;
    char *made = plain_out ? NULL : svmr_allocate(wanted, size);
    Run r = {at, p, p->create(), plain_out ? svmr_brookData(out) : made, size, wanted};
    if (!r.self)
        fail(&r);
    const char *from = plain_in ? svmr_brookData(in) : copied;
    int result = feed(&r, from, in ? itemSize(p->input_item) : 0, count);
    if (result == 0 && p->takes)
        result = drain(&r);
    if (result < 0)
        fail(&r);
    if (r.wanted != 0)
        svm_brookFail(at, "%s: it has ended after %zu of the %zu items of the stream '%s'", p->name, wanted - r.wanted,
                      wanted, out->name);
    p->destroy(r.self);
    if (made)
        svm_brookRead(at, *out, made);
    free(made);
    free(copied);
}
