// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which calls of kernels in host code become one kernel (fuse.c), so that the streams between them need no elements.
//
// NOTE(fuse). Candidates are calls that stand one behind the other as statements: a run. Nothing of the host program
// happens between them. A part of a run is fused if each of its calls is tied to the others by a stream inside: one that
// a call writes whole, that later ones of the part take element by element, and whose elements nobody sees afterwards.
// Nobody does if it is a variable of the function that is used for nothing but arguments of calls in runs, and each run
// writes it whole before it takes it; so it does not matter how runs follow each other.
// A reduction is the last of a part whose other calls make but what it reduces: the fused kernel makes an element, reduces
// it, and stores none.
// What tokens do not tell is found out when the program runs: the fused kernel returns false if shapes differ or handles
// share storage, and the calls behind it are done one by one, as they are written.
#include <string.h>

#include "lang/brook/host.h"

typedef struct run_call {
    const brook_kernel *kernel;
    host_pieces args;
    size_t first, end; // tokens, ';' included
    bool fusable;
} run_call;

// A stream that a run uses.
typedef struct run_stream {
    const char *word;
    bool hidden; // nobody sees its elements but calls of runs, each of which writes it first
} run_stream;

typedef struct run {
    VEC(run_call) calls;
    VEC(run_stream) streams;
} run;

typedef enum usage { UNUSED, READ, WRITTEN } usage; // what a call does first with a stream

// ---- Runs ----

bool host_begins_statement(const host_writer *w, size_t i)
{
    while (i > 0 && host_kind(w, i - 1) == TOK_DIRECTIVE)
        i--;
    int before = i == 0 ? 0 : host_kind(w, i - 1);
    return before == ';' || before == '{' || before == '}';
}

static bool read_call(const host_writer *w, size_t i, run_call *c)
{
    if (host_kind(w, i) != TOK_ID || host_kind(w, i + 1) != '(')
        return false;
    *c = (run_call){.kernel = hmap_get(&w->program->kernel_names, host_word(w, i)), .first = i};
    if (c->kernel == NULL || c->kernel->wrong || c->kernel->broken)
        return false;
    size_t close = host_closing(w, i + 1);
    if (host_kind(w, close) != ')' || host_kind(w, close + 1) != ';')
        return false;
    c->end = close + 2;
    host_split(w, i + 2, close, &c->args);
    for (VEC_EACH(const host_piece, a, &c->args))
        if (a->first == a->last)
            return false;
    return c->args.len == c->kernel->params.len;
}

static void read_run(const host_writer *w, size_t i, run *r)
{
    run_call c;
    for (; read_call(w, i, &c); i = c.end)
        VEC_PUSH(w->arena, &r->calls, c);
}

static bool is_word(const host_writer *w, const host_piece *a, const char *word)
{
    return a->last == a->first + 1 && host_is(w, a->first, word);
}

// What a call does with a stream first; all of it, if it writes it.
static usage usage_of(const host_writer *w, const run_call *c, const char *word)
{
    usage u = UNUSED;
    for (size_t i = 0; i < c->args.len; i++) {
        if (!is_word(w, &c->args.data[i], word))
            continue;
        const brook_var *v = c->kernel->params.data[i];
        u = u != UNUSED || v->kind != BROOK_OUTPUT || !v->whole ? READ : WRITTEN;
    }
    return u;
}

static bool writes(const host_writer *w, const run_call *c, const char *word)
{
    for (size_t i = 0; i < c->args.len; i++)
        if (c->kernel->params.data[i]->kind == BROOK_OUTPUT && is_word(w, &c->args.data[i], word))
            return true;
    return false;
}

static bool gathers(const host_writer *w, const run_call *c, const char *word)
{
    for (size_t i = 0; i < c->args.len; i++)
        if (c->kernel->params.data[i]->kind == BROOK_GATHER && is_word(w, &c->args.data[i], word))
            return true;
    return false;
}

// ---- Who sees a stream ----

static bool is_name_char(char c)
{
    return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool names(const host_writer *w, const brook_token *directive, const char *word)
{
    size_t n = strlen(word);
    const char *begin = w->text + directive->begin, *end = w->text + directive->end;
    for (const char *at = begin; (at = memmem(at, (size_t)(end - at), word, n)) != NULL; at += n)
        if ((at == begin || !is_name_char(at[-1])) && (at + n == end || !is_name_char(at[n])))
            return true;
    return false;
}

// Macros may name what they do not get.
static bool in_directive(const host_writer *w, const char *word)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->t[i].kind == TOK_DIRECTIVE && names(w, &w->t[i], word))
            return true;
    return hmap_get(&w->program->header_words, word) != NULL;
}

// Whether a call has the word elsewhere than as an argument, and nothing but the word.
static bool is_hidden_in(const host_writer *w, const run_call *c, const char *word)
{
    size_t arguments = 0, all = 0;
    for (VEC_EACH(const host_piece, a, &c->args))
        arguments += is_word(w, a, word);
    for (size_t i = c->first; i < c->end; i++)
        all += host_is(w, i, word);
    return arguments == all;
}

static bool is_hidden(const host_writer *w, const host_name *n)
{
    if (n->kind != HOST_STREAM || n->end == 0 || in_directive(w, n->name))
        return false;
    for (size_t i = n->begin; i < n->end;) {
        run r = {0};
        if (host_begins_statement(w, i))
            read_run(w, i, &r);
        usage first = UNUSED;
        for (VEC_EACH(const run_call, c, &r.calls)) {
            if (!is_hidden_in(w, c, n->name))
                return false;
            first = first == UNUSED ? usage_of(w, c, n->name) : first;
        }
        if (first == READ || (r.calls.len == 0 && host_is(w, i, n->name)))
            return false;
        i = r.calls.len == 0 ? i + 1 : VEC_LAST(&r.calls).end;
    }
    return true;
}

static void note_stream(const host_writer *w, run *r, const host_name *n)
{
    for (VEC_EACH(const run_stream, s, &r->streams))
        if (strcmp(s->word, n->name) == 0)
            return;
    VEC_PUSH(w->arena, &r->streams, ((run_stream){n->name, is_hidden(w, n)}));
}

// ---- Which calls can be fused ----

// Whether a directive may make a macro that changes something, or that is a call.
static bool has_effects(const host_writer *w, const brook_token *directive)
{
    for (const char *at = w->text + directive->begin, *end = w->text + directive->end; at < end; at++)
        if (*at == '=' || (at[0] == at[1] && (*at == '+' || *at == '-')) || (*at == '(' && is_name_char(at[-1])))
            return true;
    return false;
}

static bool is_steady_word(const host_writer *w, size_t word)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->t[i].kind == TOK_DIRECTIVE && names(w, &w->t[i], host_word(w, word)) && has_effects(w, &w->t[i]))
            return false;
    return true;
}

// A value whose evaluation changes nothing, so that all values can be found before the first call.
static bool is_steady(const host_writer *w, const host_piece *a)
{
    for (size_t i = a->first; i < a->last; i++) {
        int kind = host_kind(w, i);
        bool call = host_kind(w, i + 1) == '(' && i + 1 < a->last;
        if (brook_token_is_type(kind) || kind == TOK_NUMBER)
            continue;
        if (kind == TOK_ID && !call && is_steady_word(w, i))
            continue;
        if (kind > ' ' && kind < 127 && strchr("+-*/%().?:[]", kind) != NULL)
            continue;
        if (kind != TOK_ARROW)
            return false;
    }
    return true;
}

static bool is_fusable_argument(host_writer *w, run *r, const brook_var *v, const host_piece *a)
{
    if (v->kind == BROOK_UNIFORM)
        return is_steady(w, a);
    if (v->kind == BROOK_REDUCE && host_is_no_stream(w, a))
        return is_steady(w, a);
    const host_name *n = a->last == a->first + 1 ? host_find(w, host_word(w, a->first)) : NULL;
    if (n == NULL || n->kind == HOST_POINTER || !brook_type_same(n->type, v->type))
        return false;
    note_stream(w, r, n);
    switch (v->kind) {
    case BROOK_INPUT: return true;
    case BROOK_ITERATOR: return n->kind == HOST_ITERATOR;
    case BROOK_OUTPUT:
    case BROOK_REDUCE: return n->kind == HOST_STREAM && !brook_type_is_small(v->type);
    case BROOK_GATHER: return n->rank == 0 || n->rank == v->rank;
    default: return false;
    }
}

// No stream is written twice by a call, or gathered from and written.
static bool has_clear_outputs(const host_writer *w, const run_call *c)
{
    for (size_t i = 0; i < c->args.len; i++)
        for (size_t k = 0; k < c->args.len; k++) {
            brook_var_kind other = c->kernel->params.data[k]->kind;
            if (c->kernel->params.data[i]->kind == BROOK_OUTPUT && i != k &&
                (other == BROOK_OUTPUT || other == BROOK_GATHER) &&
                is_word(w, &c->args.data[k], host_word(w, c->args.data[i].first)))
                return false;
        }
    return true;
}

static void find_fusable(host_writer *w, run *r)
{
    for (VEC_EACH(run_call, c, &r->calls)) {
        c->fusable = c->kernel->body != NULL && c->kernel->result.element == BROOK_VOID && has_clear_outputs(w, c);
        for (size_t i = 0; i < c->args.len; i++)
            c->fusable &= is_fusable_argument(w, r, c->kernel->params.data[i], &c->args.data[i]);
    }
}

// ---- Which of them are ----

// A part of a run: calls from the first up to `end`.
typedef struct part {
    size_t first, end;
} part;

static usage first_usage(const host_writer *w, const run *r, const char *word, size_t from, size_t to)
{
    usage u = UNUSED;
    for (size_t i = from; i < to && u == UNUSED; i++)
        u = usage_of(w, &r->calls.data[i], word);
    return u;
}

// Whether no elements of a stream come into the part, or leave it.
static bool is_inside(const host_writer *w, const run *r, part p, const run_stream *s)
{
    return s->hidden && first_usage(w, r, s->word, p.first, p.end) == WRITTEN &&
           first_usage(w, r, s->word, p.end, r->calls.len) != READ;
}

// What one call writes, another gathers from.
static bool is_torn(const host_writer *w, const run *r, part p, const char *word)
{
    bool written = false, gathered = false;
    for (size_t i = p.first; i < p.end; i++) {
        written |= writes(w, &r->calls.data[i], word);
        gathered |= gathers(w, &r->calls.data[i], word);
    }
    return written && gathered;
}

static bool reduces(const run *r, part p)
{
    return r->calls.data[p.end - 1].kernel->reduce;
}

static bool is_inside_word(const host_writer *w, const run *r, part p, const host_piece *a)
{
    for (VEC_EACH(const run_stream, s, &r->streams))
        if (is_word(w, a, s->word))
            return is_inside(w, r, p, s);
    return false;
}

// Whether calls before a reduction make but what it takes, and of elements: places are not known where it goes through them.
static bool is_mapped(const host_writer *w, const run *r, part p)
{
    size_t inputs = 0;
    for (size_t i = p.first; i < p.end; i++) {
        const run_call *c = &r->calls.data[i];
        for (size_t k = 0; k < c->args.len; k++) {
            const brook_var *v = c->kernel->params.data[k];
            const bool inside = is_inside_word(w, r, p, &c->args.data[k]), last = i + 1 == p.end;
            inputs += v->kind == BROOK_INPUT && !inside;
            if (v->indexed || v->kind == BROOK_ITERATOR || (v->kind == BROOK_OUTPUT && !inside) ||
                (v->kind == BROOK_REDUCE && inside) || (v->kind == BROOK_INPUT && last && !inside))
                return false;
        }
    }
    return inputs > 0;
}

// Whether the streams inside tie all calls together, and some other stream is written.
static bool is_one(const host_writer *w, const run *r, part p)
{
    size_t n = p.end - p.first, tied = 1;
    bool *reached = ARENA_ARRAY(w->arena, bool, n);
    bool more = true, outputs = reduces(r, p);
    reached[0] = true;
    while (more) {
        more = false;
        for (VEC_EACH(const run_stream, s, &r->streams)) {
            bool inside = is_inside(w, r, p, s), any = false;
            for (size_t i = 0; i < n; i++) {
                usage u = usage_of(w, &r->calls.data[p.first + i], s->word);
                any |= reached[i] && u != UNUSED;
                outputs |= !inside && writes(w, &r->calls.data[p.first + i], s->word);
            }
            for (size_t i = 0; inside && any && i < n; i++)
                if (!reached[i] && usage_of(w, &r->calls.data[p.first + i], s->word) != UNUSED) {
                    reached[i] = more = true;
                    tied++;
                }
        }
    }
    return tied == n && outputs;
}

static bool is_good(const host_writer *w, const run *r, part p)
{
    enum { MOST_SIZE = 20000 }; // a larger one takes long to compile, and gains little
    size_t left = MOST_SIZE;
    for (size_t i = p.first; i < p.end; i++) {
        const brook_kernel *k = r->calls.data[i].kernel;
        if (!r->calls.data[i].fusable || (k->reduce && i + 1 < p.end) || k->size > left)
            return false;
        left -= k->size;
    }
    for (VEC_EACH(const run_stream, s, &r->streams))
        if (is_torn(w, r, p, s->word))
            return false;
    return is_one(w, r, p) && (!reduces(r, p) || is_mapped(w, r, p));
}

// The longest part that begins with a call; an empty one: there is none. One of many calls would be slow to compile.
static part longest_part(const host_writer *w, const run *r, size_t first)
{
    enum { MOST = 24 };
    size_t end = r->calls.len < first + MOST ? r->calls.len : first + MOST;
    for (; end > first + 1; end--)
        if (is_good(w, r, (part){first, end}))
            return (part){first, end};
    return (part){first, first};
}

// ---- The fused kernel ----

typedef struct fusing {
    host_writer *w;
    const run *run;
    part part;
    host_fused fused;
    VEC(const host_piece *) given; // by parameter
} fusing;

static const char *unused_name(const fusing *f, const char *name)
{
    for (VEC_EACH(brook_var *const, v, &f->fused.params))
        if (strcmp((*v)->name, name) == 0)
            return unused_name(f, arena_printf(f->w->arena, "%s_", name));
    return intern(f->w->program->names, name);
}

static brook_var_kind kind_of(const fusing *f, const brook_var *v, const char *word)
{
    if (v->kind != BROOK_INPUT && v->kind != BROOK_OUTPUT)
        return v->kind;
    bool written = false;
    for (size_t i = f->part.first; i < f->part.end; i++)
        written |= writes(f->w, &f->run->calls.data[i], word);
    const run_call *last = &f->run->calls.data[f->part.end - 1];
    for (VEC_EACH(const run_stream, s, &f->run->streams))
        if (written && strcmp(s->word, word) == 0 && is_inside(f->w, f->run, f->part, s))
            return last->kernel->reduce && usage_of(f->w, last, word) == READ ? BROOK_MAPPED : BROOK_INSIDE;
    return written ? BROOK_OUTPUT : BROOK_INPUT;
}

// The fused kernel's parameter for an argument: one for each stream and way of using it, one for each value.
static size_t param_for(fusing *f, const brook_var *v, const host_piece *a)
{
    const bool stream = v->kind != BROOK_UNIFORM && v->kind != BROOK_REDUCE;
    const char *word = host_word(f->w, a->first), *name = stream ? word : v->name;
    brook_var_kind kind = kind_of(f, v, word);
    for (size_t i = 0; stream && i < f->fused.params.len; i++)
        if (f->fused.params.data[i]->kind == kind && is_word(f->w, f->given.data[i], word))
            return i;
    brook_var *param = ARENA_NEW(f->w->arena, brook_var);
    src_range range = host_range(f->w, a->first, a->last - 1);
    *param = (brook_var){.kind = kind,
                         .name = unused_name(f, name),
                         .type = v->type,
                         .range = range,
                         .type_range = range,
                         .rank = v->rank};
    VEC_PUSH(f->w->arena, &f->fused.params, param);
    VEC_PUSH(f->w->arena, &f->given, a);
    return f->fused.params.len - 1;
}

static void make_params(fusing *f)
{
    for (size_t i = f->part.first; i < f->part.end; i++) {
        const run_call *c = &f->run->calls.data[i];
        host_fused_call *call = VEC_ADD(f->w->arena, &f->fused.calls);
        *call = (host_fused_call){.kernel = c->kernel, .range = host_range(f->w, c->first, c->end - 1)};
        for (size_t k = 0; k < c->args.len; k++)
            VEC_PUSH(f->w->arena, &call->args, param_for(f, c->kernel->params.data[k], &c->args.data[k]));
    }
}

static void remark(const fusing *f)
{
    const source_set *sources = f->w->diags->sources;
    strbuf calls, streams;
    strbuf_init(&calls, f->w->arena);
    strbuf_init(&streams, f->w->arena);
    for (VEC_EACH(const host_fused_call, c, &f->fused.calls))
        strbuf_printf(&calls, "%s'%s' (line %u)", calls.len > 0 ? ", " : "", c->kernel->name,
                      source_pos(sources, c->range.file, c->range.begin).line);
    for (size_t i = 0; i < f->fused.params.len; i++)
        if (f->fused.params.data[i]->kind == BROOK_INSIDE || f->fused.params.data[i]->kind == BROOK_MAPPED)
            strbuf_printf(&streams, "%s'%s'", streams.len > 0 ? ", " : "", host_word(f->w, f->given.data[i]->first));
    diag_remark(f->w->diags, f->fused.calls.data[0].range,
                "the calls %s become one kernel, in which no elements are stored for %s [fuse]", calls.data,
                streams.data);
}

// An argument, on one line.
static void write_argument(const host_writer *w, const brook_var *v, const host_piece *a)
{
    bool scalar = v->kind != BROOK_UNIFORM || (v->type.width == 1 && v->type.element != BROOK_STRUCT);
    const char *type = host_c_type(w->arena, v->type);
    if (!scalar)
        strbuf_printf(w->out, "(const %s[]){({const %s svm_brook_value =", type, type);
    for (size_t i = a->first; i < a->last; i++)
        strbuf_printf(w->out, "%s%.*s", i > a->first || !scalar ? " " : "", (int)(w->t[i].end - w->t[i].begin),
                      w->text + w->t[i].begin);
    if (!scalar)
        strbuf_add(w->out, "; svm_brook_value;})}");
}

static void fuse_part(host_writer *w, const run *r, part p, bool tell);

// The calls one by one; those before a reduction may still be one.
static void write_apart(fusing *f)
{
    const run *r = f->run;
    part p = f->part;
    const size_t end = r->calls.data[p.end - 1].end;
    const part maps = {p.first, p.end - 1};
    const bool fuses = reduces(r, p) && maps.end > maps.first + 1 && is_good(f->w, r, maps);
    if (fuses)
        fuse_part(f->w, r, maps, false);
    host_expr(f->w, r->calls.data[fuses ? maps.end : p.first].first, end);
}

// What a reduction to a variable gives, is given to that behind the call.
static void write_fused(fusing *f, const brook_kernel *k)
{
    host_writer *w = f->w;
    const host_piece *result = NULL;
    const brook_var *reduced = NULL;
    for (size_t i = 0; i < k->params.len; i++)
        if (k->params.data[i]->kind == BROOK_REDUCE) {
            reduced = k->params.data[i];
            result = host_is_no_stream(w, f->given.data[i]) ? f->given.data[i] : NULL;
        }
    const bool partial = reduced != NULL && result == NULL;
    const char *name = arena_printf(w->arena, "brook_%s%s", k->name, partial ? "_partial" : "");
    host_copy_to(w, f->run->calls.data[f->part.first].first);
    strbuf_printf(w->out, "{_Bool %s", name);
    host_parameters(w->out, k, partial);
    w->out->len--; // its line break
    if (result != NULL)
        strbuf_printf(w->out, " %s svm_brook_result;", host_c_type(w->arena, reduced->type));
    strbuf_printf(w->out, " if (!%s(SVM_BROOK_HERE", name);
    for (size_t i = 0; i < k->params.len; i++) {
        strbuf_add(w->out, ", ");
        if (k->params.data[i] == reduced && result != NULL)
            strbuf_add(w->out, "&svm_brook_result");
        else
            write_argument(w, k->params.data[i], f->given.data[i]);
    }
    strbuf_add(w->out, ")) {");
    write_apart(f);
    strbuf_add(w->out, "}");
    if (result != NULL) {
        strbuf_add(w->out, " else (");
        write_argument(w, reduced, result);
        strbuf_add(w->out, ") = svm_brook_result;");
    }
    strbuf_add(w->out, "}");
}

static void fuse_part(host_writer *w, const run *r, part p, bool tell)
{
    fusing f = {.w = w, .run = r, .part = p};
    make_params(&f);
    if (tell)
        remark(&f);
    write_fused(&f, brook_fuse(w->program, &f.fused));
}

size_t host_fused_calls(host_writer *w, size_t i)
{
    run r = {0};
    if (!w->program->fuse || w->expanding || w->braces == 0 || i < w->fused || !host_begins_statement(w, i))
        return 0;
    read_run(w, i, &r);
    if (r.calls.len < 2)
        return 0;
    w->fused = VEC_LAST(&r.calls).end;
    find_fusable(w, &r);
    size_t written = 0; // calls
    for (size_t k = 0; k < r.calls.len;) {
        part p = longest_part(w, &r, k);
        if (p.end == p.first) {
            k++;
            continue;
        }
        if (written < k)
            host_expr(w, r.calls.data[written].first, r.calls.data[k].first);
        fuse_part(w, &r, p, true);
        written = k = p.end;
    }
    return written == 0 ? 0 : r.calls.data[written - 1].end;
}
