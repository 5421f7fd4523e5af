// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What plays choose. A program that calls svm_main is played twice: asked for as many steady states as its input has,
// then, anew, for one, for a part of those of the first play, and for the rest. Each reader gives what is wanted some
// times, then half of it, then nothing; where there is none the first play ends once a kernel has been run several
// times. Where the program asks to let kernels use files themselves, that is refused in some plays, granted in others,
// and in turn. Where it asks for a sequence it gets none in the first, and there are more items, so that it comes to use
// it.
#include <string.h>

#include "llc/check/play.h"
#include "llc/reader/reader.h"

enum { ENOUGH_RUNS = 4, PLAY_STEPS = 60000000 };
#define ENDLESS (INT64_C(1) << 40)

// ---- Texts and places ----

src_range play_place(play *p, const code *c)
{
    return c == NULL ? (src_range){0} : reader_range(p->checker->session, c->at);
}

const char *play_text(play *p, CXCursor expression)
{
    source_set *sources = p->checker->session->diag->sources;
    src_range range = reader_range(p->checker->session, expression);
    if (range.file == 0 || !source_load(sources, range.file))
        return "(unnamed)";
    const source_file *f = source_get(sources, range.file);
    if (range.end > f->len || range.begin >= range.end)
        return "(unnamed)";
    const char *text = f->text + range.begin;
    size_t skip = text[0] == '&';
    return arena_strndup(p->checker->arena, text + skip, range.end - range.begin - skip);
}

const char *view_name(play *p, const view *v)
{
    return play_text(p, clang_Cursor_getArgument(v->at->at, 0));
}

// ---- svm_main ----

static val call_member(play *p, int64_t program, CXType type, const char *field, const val *arguments, size_t count)
{
    static const ctype pointer = {.shape = SHAPE_POINTER, .size = 8};
    val f = load(p, known(program + field_offset(p, type, field)), pointer);
    int64_t offset;
    const object *o = f.unknown ? NULL : pointed(p, f.i, &offset);
    if (o == NULL || o->kind != OBJECT_FUNCTION || o->function->foreign)
        play_stop(p);
    p->at = p->caller = NULL;
    p->apart = false;
    return play_call(p, o->function, arguments, count);
}

static bool has_more(val more)
{
    return more.unknown || more.i != 0;
}

// As many steady states as there is input for; without input until kernels have been run several times: *stopped.
static val run_endless(play *p, int64_t program, CXType type, int64_t self, bool *stopped)
{
    const val call[2] = {known(self), known(ENDLESS)};
    jmp_buf here, *outer = p->stuck;
    uint32_t locals = p->frame;
    size_t depth = p->depth;
    *stopped = false;
    p->ending = true;
    p->stuck = &here;
    p->most_runs = ENOUGH_RUNS;
    if (setjmp(here) == 0) {
        val more = call_member(p, program, type, "run", call, 2);
        p->stuck = outer;
        p->most_runs = 0;
        return more;
    }
    p->stuck = outer;
    p->frame = locals;
    p->depth = depth;
    bool enough = p->orders.most >= p->most_runs;
    p->most_runs = 0;
    if (!enough)
        play_stop(p);
    *stopped = true;
    return known(1);
}

val play_main(play *p, const val *arguments, size_t count, CXType type)
{
    if (count == 0 || arguments[0].unknown)
        play_stop(p);
    int64_t program = arguments[0].i;
    val settings = known(pointer_to(object_new(p, 256, true), 0));
    val self = call_member(p, program, type, "create", &settings, 1), more = known(1);
    if (self.unknown || p->layout != NULL)
        play_stop(p);
    val call[2] = {self, known(1)};
    bool stopped = false, first = p->states == 0;
    if (!first) {
        more = call_member(p, program, type, "run", call, 2);
        call[1] = known(p->states);
        if (has_more(more))
            more = call_member(p, program, type, "run", call, 2);
    }
    if (has_more(more) && (first || p->reads))
        more = run_endless(p, program, type, self.i, &stopped);
    if (first) {
        val states = call_member(p, program, type, "steady_states", call, 1);
        p->found_states = states.unknown ? 0 : states.i;
    }
    if (stopped)
        play_stop(p);
    if (!has_more(more))
        call_member(p, program, type, "drain", call, 1);
    call_member(p, program, type, "destroy", call, 1);
    return known(0);
}

// ---- Plays ----

static void begin(play *p)
{
    for (size_t i = 0; i < p->tree.globals.len; i++) {
        global *g = p->tree.globals.entries[i].value;
        g->ready = g->ready && g->constant;
    }
    p->pieces.len = p->freed.len = 0;
    p->next_address = INT64_C(1) << 24;
    p->depth = 0;
    p->frame = 0;
    p->in_kernel = false;
    p->running = NULL;
    p->unsure = 0;
    p->accesses = NULL;
    p->memo_depth = p->both = 0;
    p->undos.len = p->undo_bytes = 0;
    p->at = p->caller = NULL;
    p->apart = false;
    p->claimed = 0;
    p->reads = p->ending = p->outside = false;
    p->found_states = 0;
    p->most_runs = 0;
    hmap_init(&p->readers, p->arena);
    hmap_init(&p->sequences, p->arena);
    orders_init(p);
}

static void play_once(play *p, callee *main_function)
{
    val arguments[2] = {known(1), nothing()};
    jmp_buf here;
    begin(p);
    p->stuck = &here;
    p->limit = p->steps + (p->layout == NULL ? PLAY_STEPS : PLAY_STEPS / 20);
    if (setjmp(here) != 0)
        return;
    play_call(p, main_function, arguments, main_function->parameters.len);
    order_end(p);
}

static callee *start(play *p, checker *c, CXCursor main_function)
{
    *p = (play){.checker = c, .arena = c->arena};
    tree_init(&p->tree, c);
    hmap_init(&p->memos, c->arena);
    hmap_init(&p->offsets, c->arena);
    hmap_init(&p->reported, c->arena);
    VEC_PUSH(p->arena, &p->objects, (object){0}); // no pointer points to it
    callee *f = tree_callee(&p->tree, main_function);
    tree_build(&p->tree, f);
    return f;
}

void play_set_up(checker *c, CXCursor main_function, check_layout *out)
{
    play *p = ARENA_NEW(c->arena, play);
    callee *f = start(p, c, main_function);
    p->layout = out;
    play_once(p, f);
}

void play_program(checker *c, CXCursor main_function)
{
    play *p = ARENA_NEW(c->arena, play);
    callee *f = start(p, c, main_function);
    for (p->claims = 0; p->claims < (p->repeats ? 4 : 3); p->claims++) {
        p->states = 0;
        play_once(p, f);
        p->states = p->found_states * 3 / 4 + 1;
        if (p->found_states > 0)
            play_once(p, f);
        if (p->claimed == 0)
            break;
    }
}
