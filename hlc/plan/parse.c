// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses the text of a plan. Only its form is checked here, and that actors, channels and buffers exist; plan_verify
// checks the rest.
#include <inttypes.h>
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"

typedef enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_STRING, TOKEN_NUMBER, TOKEN_SIGN } token_kind;

typedef struct parser {
    arena *a;
    diag_engine *d;
    const sir_module *m;
    const schedule *s;
    source_id file;
    const char *text;
    size_t len, at, begin, end; // of the token
    token_kind kind;
    const char *word; // WORD, STRING; SIGN: its character, or "->"
    int64_t number;
    bool failed;
    hmap actors;
    plan *pl;
    hlc_program *program;
} parser;

// Nesting of repeats, so that hostile text cannot use up the stack.
enum { PARSE_MAX_DEPTH = 200 };

static void fail(parser *p, const char *expected)
{
    if (p->failed)
        return;
    p->failed = true;
    src_range r = {p->file, (uint32_t)p->begin, (uint32_t)p->end};
    diag_error(p->d, r, "expected %s in the text of a plan", expected);
}

src_range plan_line_range(const plan *pl, plan_line line, size_t number)
{
    const uint64_t keys[] = {(uint64_t)line << 32 | number, (uint64_t)PLAN_LINE_NAME << 32};
    for (size_t i = 0; pl->lines != NULL && i < 2; i++) {
        const src_range *range = hmap_getn(pl->lines, &keys[i], sizeof keys[i]);
        if (range != NULL)
            return *range;
    }
    return (src_range){0};
}

// Of several stages of an actor the first is told.
static void note_range(parser *p, plan_line line, size_t number, src_range range)
{
    const uint64_t key = (uint64_t)line << 32 | number;
    if (hmap_getn(p->pl->lines, &key, sizeof key) != NULL)
        return;
    src_range *known = ARENA_NEW(p->a, src_range);
    *known = range;
    hmap_setn(p->pl->lines, &key, sizeof key, known);
}

static void note_line(parser *p, plan_line line, size_t number)
{
    note_range(p, line, number, (src_range){p->file, (uint32_t)p->begin, (uint32_t)p->end});
}

static bool is_word_char(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void read_string(parser *p)
{
    strbuf b;
    strbuf_init(&b, p->a);
    for (p->at++; p->at < p->len && p->text[p->at] != '"' && p->text[p->at] != '\n'; p->at++) {
        if (p->text[p->at] == '\\' && p->at + 1 < p->len)
            p->at++;
        strbuf_addc(&b, p->text[p->at]);
    }
    p->kind = TOKEN_STRING;
    p->word = b.data;
    p->end = p->at;
    if (p->at >= p->len || p->text[p->at] != '"')
        fail(p, "'\"' at the end of a string");
    else
        p->end = ++p->at;
}

static void read_number(parser *p)
{
    p->kind = TOKEN_NUMBER;
    p->number = 0;
    bool fits = true;
    for (; p->at < p->len && p->text[p->at] >= '0' && p->text[p->at] <= '9'; p->at++)
        fits &= !__builtin_mul_overflow(p->number, (int64_t)10, &p->number) &&
                !__builtin_add_overflow(p->number, p->text[p->at] - '0', &p->number);
    p->end = p->at;
    if (!fits || p->number > INT64_MAX / 8)
        fail(p, "a smaller number");
}

static void next(parser *p)
{
    for (;;) {
        while (p->at < p->len &&
               (p->text[p->at] == ' ' || p->text[p->at] == '\n' || p->text[p->at] == '\t' || p->text[p->at] == '\r'))
            p->at++;
        if (p->at + 1 >= p->len || p->text[p->at] != '/' || p->text[p->at + 1] != '/')
            break;
        while (p->at < p->len && p->text[p->at] != '\n')
            p->at++;
    }
    p->begin = p->at;
    p->end = p->at;
    p->word = "";
    if (p->at >= p->len) {
        p->kind = TOKEN_END;
    } else if (p->text[p->at] == '"') {
        read_string(p);
    } else if (p->text[p->at] >= '0' && p->text[p->at] <= '9') {
        read_number(p);
    } else if (is_word_char(p->text[p->at])) {
        while (p->at < p->len && is_word_char(p->text[p->at]))
            p->at++;
        p->kind = TOKEN_WORD;
        p->word = arena_strndup(p->a, p->text + p->begin, p->at - p->begin);
        p->end = p->at;
    } else {
        size_t n = p->text[p->at] == '-' && p->at + 1 < p->len && p->text[p->at + 1] == '>' ? 2 : 1;
        p->kind = TOKEN_SIGN;
        p->word = arena_strndup(p->a, p->text + p->at, n);
        p->at += n;
        p->end = p->at;
    }
}

static bool is(const parser *p, token_kind kind, const char *word)
{
    return !p->failed && p->kind == kind && strcmp(p->word, word) == 0;
}

static bool accept(parser *p, token_kind kind, const char *word)
{
    bool found = is(p, kind, word);
    if (found)
        next(p);
    return found;
}

static void expect(parser *p, token_kind kind, const char *word)
{
    if (!accept(p, kind, word))
        fail(p, arena_printf(p->a, "'%s'", word));
}

static int64_t number(parser *p, const char *what)
{
    int64_t n = p->number;
    if (p->kind != TOKEN_NUMBER) {
        fail(p, what);
        return 0;
    }
    next(p);
    return p->failed ? 0 : n;
}

static int64_t keyed(parser *p, const char *word)
{
    expect(p, TOKEN_WORD, word);
    return number(p, "a number");
}

static const char *string(parser *p, const char *word)
{
    expect(p, TOKEN_WORD, word);
    const char *text = p->word;
    if (p->kind != TOKEN_STRING)
        fail(p, "a string");
    else
        next(p);
    return text;
}

static const char *name(parser *p, const char *what)
{
    const char *text = p->word;
    if (p->kind != TOKEN_WORD)
        fail(p, what);
    else
        next(p);
    return text;
}

static uint32_t actor(parser *p)
{
    size_t index = p->kind == TOKEN_WORD ? (size_t)hmap_get(&p->actors, p->word) : 0;
    if (index == 0) {
        fail(p, "the name of an actor");
        return 0;
    }
    next(p);
    return (uint32_t)(index - 1);
}

// A channel, as the output of its producer: "LowPass_1.0".
static uint32_t channel(parser *p)
{
    uint32_t producer = actor(p);
    expect(p, TOKEN_SIGN, ".");
    if (p->failed)
        return 0;
    size_t begin = p->begin, end = p->end;
    int64_t output = number(p, "an output");
    const sir_actor *from = p->m->actors.data[producer];
    if (!p->failed && ((uint64_t)output >= from->outputs.len || from->outputs.data[output] == SIR_NONE)) {
        p->begin = begin;
        p->end = end;
        fail(p, arena_printf(p->a, "an output of '%s'", from->name));
    }
    return p->failed ? 0 : from->outputs.data[output];
}

static uint32_t buffer(parser *p)
{
    expect(p, TOKEN_SIGN, "%");
    if (!p->failed && p->kind == TOKEN_NUMBER && (uint64_t)p->number >= p->pl->buffers.len)
        fail(p, "the number of a buffer declared above");
    return (uint32_t)number(p, "the number of a buffer");
}

static plan_access access(parser *p)
{
    plan_access result = {.buffer = PLAN_NONE};
    if (accept(p, TOKEN_SIGN, "-"))
        return result;
    result.buffer = buffer(p);
    expect(p, TOKEN_SIGN, "[");
    result.view.offset = number(p, "an offset");
    expect(p, TOKEN_SIGN, "+");
    while (!p->failed && !is(p, TOKEN_SIGN, "]")) {
        plan_digit d = {0};
        if (!accept(p, TOKEN_SIGN, "*")) {
            d.radix = number(p, "a radix, '*' or ']'");
            if (!p->failed && d.radix < 2)
                fail(p, "a radix of 2 or more");
        }
        expect(p, TOKEN_SIGN, ":");
        d.stride = number(p, "a stride");
        if (result.view.digits.len == PLAN_MAX_DIGITS)
            fail(p, "fewer digits");
        VEC_PUSH(p->a, &result.view.digits, d);
    }
    expect(p, TOKEN_SIGN, "]");
    return result;
}

static plan_digits member_digits(parser *p)
{
    plan_digits digits = {0};
    while (!p->failed && p->kind == TOKEN_NUMBER) {
        plan_digit d = {.radix = number(p, "a radix")};
        expect(p, TOKEN_SIGN, ":");
        d.stride = number(p, "a stride");
        if (d.radix < 2)
            fail(p, "a radix of 2 or more");
        if (digits.len == PLAN_MAX_DIGITS)
            fail(p, "fewer digits");
        VEC_PUSH(p->a, &digits, d);
    }
    return digits;
}

static uint32_t port(parser *p)
{
    expect(p, TOKEN_SIGN, ".");
    int64_t n = number(p, "a port");
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static void members(parser *p, plan_stage *st)
{
    st->in_members = member_digits(p);
    expect(p, TOKEN_SIGN, "->");
    st->out_members = member_digits(p);
    expect(p, TOKEN_SIGN, "{");
    while (!p->failed && !is(p, TOKEN_SIGN, "}")) {
        plan_member other = {.actor = actor(p)};
        if (st->kind == PLAN_COPY)
            other.port = port(p);
        VEC_PUSH(p->a, &st->others, other);
    }
    expect(p, TOKEN_SIGN, "}");
}

static plan_stage stage(parser *p)
{
    plan_stage st = {.kind = PLAN_FIRE};
    if (accept(p, TOKEN_WORD, "copy"))
        st.kind = PLAN_COPY;
    else
        expect(p, TOKEN_WORD, "fire");
    src_range here = {p->file, (uint32_t)p->begin, (uint32_t)p->end};
    st.actor = actor(p);
    note_range(p, PLAN_LINE_STAGE, st.actor, here);
    if (st.kind == PLAN_COPY)
        st.port = port(p);
    st.in = access(p);
    expect(p, TOKEN_SIGN, "->");
    st.out = access(p);
    if (accept(p, TOKEN_WORD, "members"))
        members(p, &st);
    return st;
}

static plan_steps steps(parser *p, int depth)
{
    plan_steps list = {0};
    if (depth > PARSE_MAX_DEPTH)
        fail(p, "fewer repeats inside each other");
    expect(p, TOKEN_SIGN, "{");
    while (!p->failed && !is(p, TOKEN_SIGN, "}")) {
        plan_step step = {.stage = PLAN_NONE};
        if (accept(p, TOKEN_WORD, "repeat")) {
            step.count = number(p, "a count");
            plan_steps inner = steps(p, depth + 1);
            memcpy(&step.steps, &inner, sizeof inner);
        } else {
            int64_t index = keyed(p, "stage");
            step.stage = index >= PLAN_NONE ? PLAN_NONE - 1 : (uint32_t)index;
            step.count = keyed(p, "times");
        }
        VEC_PUSH(p->a, &list, step);
    }
    expect(p, TOKEN_SIGN, "}");
    return list;
}

static plan_item item(parser *p)
{
    plan_item it = {.cycle = -1, .block = 1};
    if (!accept(p, TOKEN_WORD, "cycle")) {
        plan_stage st = stage(p);
        VEC_PUSH(p->a, &it.stages, st);
        return it;
    }
    int64_t cycle = number(p, "the number of a cycle");
    it.cycle = cycle > INT32_MAX ? INT32_MAX : (int32_t)cycle;
    it.block = keyed(p, "block");
    expect(p, TOKEN_SIGN, "{");
    while (is(p, TOKEN_WORD, "fire") || is(p, TOKEN_WORD, "copy")) {
        plan_stage st = stage(p);
        VEC_PUSH(p->a, &it.stages, st);
    }
    if (accept(p, TOKEN_WORD, "steps")) {
        plan_steps list = steps(p, 0);
        memcpy(&it.steps, &list, sizeof list);
    }
    expect(p, TOKEN_SIGN, "}");
    return it;
}

static void kernel(parser *p)
{
    note_line(p, PLAN_LINE_KERNEL, p->pl->kernels.len);
    plan_kernel k = {.name = name(p, "the name of a kernel")};
    int64_t region = keyed(p, "region");
    k.region = region >= (int64_t)p->m->regions.len ? PLAN_NONE : (uint32_t)region;
    if (k.region == PLAN_NONE && region != 0)
        fail(p, "a region of the program");
    k.region = (uint32_t)region;
    if (accept(p, TOKEN_WORD, "after"))
        while (!p->failed && p->kind == TOKEN_NUMBER) {
            int64_t on = number(p, "a kernel");
            VEC_PUSH(p->a, &k.after, on >= PLAN_NONE ? PLAN_NONE : (uint32_t)on);
        }
    expect(p, TOKEN_SIGN, "{");
    while (!p->failed && !is(p, TOKEN_SIGN, "}")) {
        plan_item it = item(p);
        VEC_PUSH(p->a, &k.items, it);
    }
    expect(p, TOKEN_SIGN, "}");
    VEC_PUSH(p->a, &p->pl->kernels, k);
}

static void buffer_line(parser *p)
{
    note_line(p, PLAN_LINE_BUFFER, p->pl->buffers.len);
    expect(p, TOKEN_SIGN, "%");
    if (!p->failed && p->kind == TOKEN_NUMBER && p->number != (int64_t)p->pl->buffers.len)
        fail(p, arena_printf(p->a, "number %zu: buffers are numbered in order", p->pl->buffers.len));
    number(p, "the number of a buffer");
    plan_buffer b = {.channel = channel(p)};
    b.base = keyed(p, "base");
    b.keep = keyed(p, "keep");
    b.step = keyed(p, "step");
    b.capacity = keyed(p, "capacity");
    if (p->pl->allocated)
        b.address = (uint64_t)keyed(p, "at");
    VEC_PUSH(p->a, &p->pl->buffers, b);
}

static void stream_line(parser *p)
{
    const plan_net *graph = p->pl->net;
    size_t number = p->pl->capacities.len;
    note_line(p, PLAN_LINE_STREAM, number);
    if (graph == NULL || number >= graph->streams.len)
        fail(p, "as many streams as channels are cut");
    else if (!is(p, TOKEN_WORD, graph->streams.data[number].name))
        fail(p, arena_printf(p->a, "the stream '%s'", graph->streams.data[number].name));
    name(p, "the name of a stream");
    int64_t capacity = keyed(p, "capacity");
    VEC_PUSH(p->a, &p->pl->capacities, capacity);
}

static const char *net_processor(parser *p)
{
    size_t begin = p->begin;
    const char *text = name(p, "the name of a processor");
    const machine_processor *x = p->failed ? NULL : machine_processor_by_name(p->program->machine, text);
    if (!p->failed && (x == NULL || !plan_net_may_run_on(p->program, p->pl, x))) {
        p->begin = begin;
        fail(p, arena_printf(p->a, "a kernel processor that works in '%s' and can run all kernels", p->pl->memory));
    }
    return text;
}

// Others that do strips of its runs in memories of their own.
static void offload(parser *p, plan_net_place *where)
{
    const plan_resources *r = plan_offload_resources(p->program, p->pl);
    where->least = number(p, "the steady states of a run");
    if (where->least < 1 || where->least > PLAN_OFFLOAD_MOST)
        fail(p, "a run of at least one steady state");
    if (is(p, TOKEN_WORD, "strip")) {
        where->strip = keyed(p, "strip");
        if (where->strip < 1 || where->strip > PLAN_OFFLOAD_MOST)
            fail(p, "a strip of at least one steady state");
        int64_t windows = keyed(p, "windows");
        if (windows != 1 && windows != 2)
            fail(p, "1 or 2 windows");
        where->turns = (uint32_t)windows;
        where->at = (uint64_t)keyed(p, "at");
    }
    expect(p, TOKEN_SIGN, "{");
    while (!p->failed && p->kind == TOKEN_WORD) {
        size_t begin = p->begin;
        const char *text = name(p, "the name of a processor");
        if (!p->failed && plan_offload_processor(r, text) == NULL) {
            p->begin = begin;
            fail(p, arena_printf(p->a, "a kernel processor with a memory of its own, which engines join with '%s'",
                                 p->pl->memory));
        }
        VEC_PUSH(p->a, &where->offload, text);
    }
    if (where->offload.len == 0)
        fail(p, "the name of a processor");
    expect(p, TOKEN_SIGN, "}");
}

// A kernel of a net, its processor, and others that help it.
static void net_assign_line(parser *p)
{
    plan *pl = p->pl;
    size_t at = pl->where.len;
    note_line(p, PLAN_LINE_ASSIGN, at);
    if (pl->net == NULL || at >= pl->net->kernels.len || !plan_load_machine(p->program, pl)) {
        fail(p, "as many kernels as the program is cut into");
        return;
    }
    expect(p, TOKEN_WORD, pl->net->whole->actors.data[pl->net->kernels.data[at].actors.data[0]]->name);
    plan_net_place where = {.processor = net_processor(p)};
    if (!p->failed && accept(p, TOKEN_WORD, "parallel")) {
        where.least = number(p, "the steady states of a chunk");
        if (where.least < 1)
            fail(p, "a chunk of at least one steady state");
        expect(p, TOKEN_SIGN, "{");
        while (!p->failed && p->kind == TOKEN_WORD) {
            const char *helper = net_processor(p);
            VEC_PUSH(p->a, &where.helpers, helper);
        }
        expect(p, TOKEN_SIGN, "}");
    } else if (!p->failed && accept(p, TOKEN_WORD, "offload")) {
        offload(p, &where);
    }
    VEC_PUSH(p->a, &pl->where, where);
}

static plan_io io(parser *p)
{
    plan_io result = {.actor = actor(p)};
    result.access = access(p);
    return result;
}

// ---- Kernels ----

static void know_actors(parser *p)
{
    hmap_init(&p->actors, p->a);
    for (size_t i = 0; i < p->m->actors.len; i++)
        hmap_set(&p->actors, p->m->actors.data[i]->name, (void *)(i + 1));
}

// What stands behind "kernel", in order: 'r' for "parallel", 'k' for "pinned", 0 for nothing.
typedef VEC(char) flag_list;

// "kernel parallel {", of the cut; "kernel parallel region 0 {" is one of that name.
static bool accept_cut_kernel(parser *p)
{
    parser before = *p;
    if (!accept(p, TOKEN_WORD, "kernel"))
        return false;
    parser behind = *p;
    if (!accept(p, TOKEN_WORD, "parallel"))
        (void)accept(p, TOKEN_WORD, "pinned");
    bool cut = accept(p, TOKEN_SIGN, "{");
    if (!p->failed)
        *p = cut ? behind : before;
    return cut;
}

static void kernel_line(parser *p, uint32_t *kernel_of, flag_list *flags)
{
    char flag = 0;
    if (accept(p, TOKEN_WORD, "parallel"))
        flag = 'r';
    else if (accept(p, TOKEN_WORD, "pinned"))
        flag = 'k';
    expect(p, TOKEN_SIGN, "{");
    while (!p->failed && p->kind == TOKEN_WORD) {
        uint32_t a = actor(p);
        if (!p->failed && kernel_of[a] != SIR_NONE)
            fail(p, "each actor in one kernel only");
        if (!p->failed)
            kernel_of[a] = (uint32_t)flags->len;
    }
    expect(p, TOKEN_SIGN, "}");
    VEC_PUSH(p->a, flags, flag);
}

static void assign_line(parser *p, plan_cut *cut)
{
    VEC(uint32_t) strips = {0};
    while (!p->failed && p->kind == TOKEN_NUMBER) {
        int64_t processor = number(p, "a processor's number");
        expect(p, TOKEN_SIGN, ":");
        int64_t count = number(p, "how many strips");
        if (processor >= (int64_t)cut->resources->processors.len || count > (int64_t)cut->strips - (int64_t)strips.len)
            fail(p, "processors that there are, and as many strips as a round has");
        for (int64_t i = 0; i < count && !p->failed; i++)
            VEC_PUSH(p->a, &strips, (uint32_t)processor);
    }
    if (!p->failed && strips.len != cut->strips)
        fail(p, "a processor for each strip of the round");
    if (!p->failed)
        memcpy(cut->where, strips.data, cut->strips * sizeof *strips.data);
    cut->where += cut->strips;
}

static void queue_line(parser *p, plan_cut *cut)
{
    size_t i = cut->queues.len;
    note_line(p, PLAN_LINE_QUEUE, i);
    if (i >= cut->graph->streams.len || !is(p, TOKEN_WORD, cut->graph->streams.data[i].name))
        fail(p, i >= cut->graph->streams.len ? "as many queues as channels are cut"
                                             : arena_printf(p->a, "the queue '%s'", cut->graph->streams.data[i].name));
    name(p, "the name of a queue");
    plan_queue queue = {.stream = (uint32_t)i, .delay = keyed(p, "delay")};
    queue.halo = keyed(p, "halo");
    queue.history = keyed(p, "history");
    queue.room = keyed(p, "room");
    queue.straight = !p->failed && accept(p, TOKEN_WORD, "straight");
    VEC_PUSH(p->a, &cut->queues, queue);
}

// What fiss, transfer and strip-mine add.
static void round_lines(parser *p, plan_cut *cut)
{
    int64_t strips = keyed(p, "strips"), slots = keyed(p, "slots"), rounds = keyed(p, "rounds");
    if (!p->failed && (strips < 1 || strips > PLAN_MOST_STRIPS || slots < 2 || slots > PLAN_MOST_STRIPS || rounds < 1 ||
                       rounds > slots))
        fail(p, "a round of 1 to 65536 strips, and 2 slots or more, of which as many or fewer are under way,");
    if (!p->failed && !cut->streams && slots % cut->depth != 0) // rounds use the blocks of windows in turn
        fail(p, "as many slots as windows, or a multiple of that,");
    cut->strips = p->failed ? 0 : (uint32_t)strips;
    cut->slots = (uint32_t)slots;
    cut->rounds = (uint32_t)rounds;
    uint32_t *where = ARENA_ARRAY(p->a, uint32_t, cut->kernels.len * cut->strips + 1);
    cut->where = where;
    for (size_t i = 0; i < cut->kernels.len && !p->failed; i++) {
        expect(p, TOKEN_WORD, "assign");
        assign_line(p, cut);
    }
    cut->where = where;
    while (accept(p, TOKEN_WORD, "queue"))
        queue_line(p, cut);
}

static const machine_processor *engine(parser *p, const char *word)
{
    const machine *m = p->program->machine;
    expect(p, TOKEN_WORD, word);
    const machine_processor *found = p->failed ? NULL : machine_processor_by_name(m, p->word);
    if (found == NULL)
        fail(p, "the name of a processor of the machine");
    name(p, "the name of an engine");
    return found;
}

// One line for each processor whose items are moved, in order.
static void engines_lines(parser *p, plan_cut *cut)
{
    for (size_t i = 0; i < cut->resources->processors.len && !p->failed; i++) {
        const plan_processor *q = &cut->resources->processors.data[i];
        if (q->direct)
            continue;
        expect(p, TOKEN_WORD, "engines");
        expect(p, TOKEN_WORD, q->processor->element.name);
        size_t begin = p->begin;
        const machine_processor *load = engine(p, "in"), *store = engine(p, "out");
        if (p->failed)
            return;
        const plan_resources *with = plan_resources_use_engines(p->a, cut->resources, i, load, store);
        if (with != NULL) {
            cut->resources = with;
            continue;
        }
        p->begin = begin;
        fail(p, arena_printf(p->a, "engines that join '%s' with '%s'", q->memory->element.name,
                             cut->resources->shared->element.name));
    }
}

// Cuts the program as the text says. The rest of the plan is about the cut graph.
static void cut_lines(parser *p)
{
    size_t n = p->m->actors.len;
    flag_list flags = {0};
    int64_t processors = keyed(p, "processors");
    bool fallbacks = !p->failed && accept(p, TOKEN_WORD, "fallbacks");
    int64_t priming = keyed(p, "priming"), windows = keyed(p, "windows");
    bool streams = !p->failed && accept(p, TOKEN_WORD, "streams");
    if (!p->failed &&
        (streams ? windows != 2 && windows != PLAN_STREAM_WINDOWS : windows != 1 && windows != PLAN_WINDOWS))
        fail(p, streams ? "2 or 3 windows for each end with streams" : "1 or 2 windows for each end");
    uint32_t *kernel_of = ARENA_ARRAY(p->a, uint32_t, n + 1);
    memset(kernel_of, 0xff, (n + 1) * sizeof *kernel_of);
    while (!p->failed && accept_cut_kernel(p))
        kernel_line(p, kernel_of, &flags);
    if (p->failed)
        return;
    if (p->program->net != NULL || !plan_load_machine(p->program, p->pl) ||
        !plan_cut_restore(p->program, kernel_of, flags.len, flags.data, processors, fallbacks)) {
        if (!diag_has_errors(p->d))
            fail(p, "kernels of a program that can be cut so");
        p->failed = true;
        return;
    }
    plan_cut *cut = p->program->cut;
    p->m = p->program->module;
    p->s = p->program->schedule;
    p->pl->cut = cut;
    cut->priming = priming;
    cut->depth = (uint32_t)windows;
    cut->streams = streams;
    know_actors(p);
    engines_lines(p, cut);
    if (accept(p, TOKEN_WORD, "round"))
        round_lines(p, cut);
}

// Cuts a program with dynamic rates or messages. The rest of the plan is about its static regions.
static void net_lines(parser *p)
{
    bool *apart = NULL;
    while (!p->failed && accept(p, TOKEN_WORD, "cut")) {
        uint32_t at = channel(p);
        if (apart == NULL)
            apart = ARENA_ARRAY(p->a, bool, p->m->channels.len + 1);
        if (!p->failed)
            apart[at] = true;
    }
    if (p->failed || !plan_find_net(p->program, apart)) {
        p->failed = true;
        return;
    }
    if (p->program->net == NULL) {
        if (apart != NULL)
            fail(p, "'cut' only of a program with dynamic rates");
        return;
    }
    p->pl->net = p->program->net;
    p->m = p->program->module;
    p->s = p->program->schedule;
    know_actors(p);
}

static void body(parser *p)
{
    plan *pl = p->pl;
    pl->machine = string(p, "machine");
    pl->control = string(p, "control");
    pl->processor = string(p, "processor");
    pl->memory = string(p, "memory");
    if (!p->failed && accept(p, TOKEN_WORD, "narrow") && plan_load_machine(p->program, p->pl))
        plan_narrow(p->program);
    if (is(p, TOKEN_WORD, "processors"))
        cut_lines(p);
    else if (!p->failed)
        net_lines(p);
    note_line(p, PLAN_LINE_STRIP, 0);
    pl->strip = keyed(p, "strip");
    if (is(p, TOKEN_WORD, "most"))
        pl->most = keyed(p, "most");
    bool spread = accept(p, TOKEN_WORD, "rounds");
    if (spread)
        pl->rounds = number(p, "how many strips run at once");
    pl->allocated = accept(p, TOKEN_WORD, "bytes");
    if (pl->allocated) {
        note_line(p, PLAN_LINE_BYTES, 0);
        pl->bytes = (uint64_t)number(p, "how many bytes buffers take");
        pl->least_bytes = (uint64_t)keyed(p, "least");
    }
    while (accept(p, TOKEN_WORD, "buffer"))
        buffer_line(p);
    while (accept(p, TOKEN_WORD, "initial")) {
        note_line(p, PLAN_LINE_INITIAL, pl->initials.len);
        plan_initial i = {.channel = channel(p)};
        i.access = access(p);
        VEC_PUSH(p->a, &pl->initials, i);
    }
    while (accept(p, TOKEN_WORD, "stream"))
        stream_line(p);
    while (spread && accept(p, TOKEN_WORD, "assign"))
        net_assign_line(p);
    if (!p->failed && spread &&
        (pl->net == NULL || pl->where.len != pl->net->kernels.len || pl->rounds < 1 ||
         pl->rounds > PLAN_NET_MOST_ROUNDS))
        fail(p, "a line 'assign' for each kernel, and 1 to 4096 rounds");
    while (accept(p, TOKEN_WORD, "read")) {
        note_line(p, PLAN_LINE_READER, pl->readers.len);
        plan_io r = io(p);
        VEC_PUSH(p->a, &pl->readers, r);
    }
    while (accept(p, TOKEN_WORD, "kernel"))
        kernel(p);
    while (accept(p, TOKEN_WORD, "write")) {
        note_line(p, PLAN_LINE_WRITER, pl->writers.len);
        plan_io w = io(p);
        VEC_PUSH(p->a, &pl->writers, w);
    }
}

// Primings follow from the stages and from which kernels are data-parallel.
static bool check_priming(parser *p)
{
    plan_cut *cut = p->program->cut;
    const int64_t priming = cut->priming;
    for (VEC_EACH(const plan_kernel, k, &p->pl->kernels))
        for (VEC_EACH(const plan_item, item, &k->items))
            for (VEC_EACH(const plan_stage, st, &item->stages))
                if (st->actor >= p->m->actors.len)
                    return true; // the verifier says so
    plan_cut_prime(cut);
    if (cut->priming == priming)
        return true;
    diag_error(p->d, plan_line_range(p->pl, PLAN_LINE_NAME, 0),
               "plan of '%s': chunks begin with a priming of %" PRId64 " steady states", p->pl->name, cut->priming);
    return false;
}

// What is data-parallel must be able to be.
static bool check_helpers(parser *p)
{
    const plan *pl = p->pl;
    const plan_reason *const *why = pl->where.len == 0 ? NULL : plan_net_keepers(p->program, pl);
    for (size_t i = 0; i < pl->where.len; i++) {
        if (pl->where.data[i].helpers.len == 0 || why[i] == NULL)
            continue;
        diag_error(p->d, plan_line_range(pl, PLAN_LINE_ASSIGN, i),
                   "plan of '%s': the kernel of '%s' cannot be parallel: %s", pl->name,
                   pl->net->whole->actors.data[pl->net->kernels.data[i].actors.data[0]]->name,
                   plan_reason_text(p->a, why[i]));
        return false;
    }
    return true;
}

// What is offloaded must be able to be.
static bool check_offloads(parser *p)
{
    plan *before = p->program->plan;
    p->program->plan = p->pl;
    uint32_t kernel = 0;
    const plan_reason *why = p->pl->where.len == 0 ? NULL : plan_net_wrong_offload(p->program, p->pl, &kernel);
    p->program->plan = before;
    if (why != NULL)
        diag_error(p->d, plan_line_range(p->pl, PLAN_LINE_ASSIGN, kernel), "plan of '%s': %s", p->pl->name,
                   plan_reason_text(p->a, why));
    return why == NULL;
}

plan *plan_parse(hlc_program *program, source_id file, uint32_t begin)
{
    const source_file *f = source_get(program->sources, file);
    parser p = {.a = program->arena,
                .d = program->diag,
                .m = program->module,
                .s = program->schedule,
                .file = file,
                .text = f->text,
                .len = f->len,
                .at = begin,
                .program = program};
    p.pl = ARENA_NEW(p.a, plan);
    p.pl->net = program->net;
    know_actors(&p);
    next(&p);
    expect(&p, TOKEN_WORD, "plan");
    p.pl->lines = ARENA_NEW(p.a, hmap);
    hmap_init(p.pl->lines, p.a);
    note_line(&p, PLAN_LINE_NAME, 0);
    p.pl->name = name(&p, "the name of the program");
    expect(&p, TOKEN_SIGN, "{");
    body(&p);
    expect(&p, TOKEN_SIGN, "}");
    if (p.kind != TOKEN_END)
        fail(&p, "the end of the text");
    if (p.failed)
        return NULL;
    plan_know_ends(p.a, p.pl);
    plan_count_drains(p.a, p.m, p.s, p.pl);
    return check_helpers(&p) && check_offloads(&p) && (p.pl->cut == NULL || check_priming(&p)) ? p.pl : NULL;
}
