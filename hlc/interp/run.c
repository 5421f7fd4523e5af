// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run of a program: initialisation, steady states, the end of input, and printing in canonical order. The rules are
// in docs/order-and-end.md.
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "hlc/interp/interp_int.h"

// ---- Printing ----

static bool write_text(interp *r, const char *text, size_t len)
{
    if (r->failed || len == 0)
        return !r->failed;
    if (fwrite(text, 1, len, stdout) == len)
        return true;
    diag_error_at(r->d, NULL, "cannot write standard output: %s", strerror(errno));
    r->failed = true;
    return false;
}

// The lines that an actor has completed, each with its name; what is left of the text waits for its end.
static bool write_tagged(interp *r, uint32_t actor, strbuf *b)
{
    const char *name = r->m->actors.data[actor]->name, *at = b->data, *end = at + b->len, *newline;
    for (; (newline = memchr(at, '\n', (size_t)(end - at))) != NULL; at = newline + 1)
        if (!write_text(r, name, strlen(name)) || !write_text(r, ": ", 2) ||
            !write_text(r, at, (size_t)(newline + 1 - at)))
            return false;
    b->len = (size_t)(end - at);
    memmove(b->data, at, b->len);
    b->data[b->len] = '\0';
    return true;
}

static bool flush_print(interp *r, uint32_t actor)
{
    strbuf *b = r->actors[actor].print;
    if (b == NULL || b->len == 0)
        return true;
    if (r->options->tag_prints)
        return write_tagged(r, actor, b);
    size_t len = b->len;
    b->len = 0;
    return write_text(r, b->data, len);
}

// What was printed since the last time, actor by actor.
static bool flush_prints(interp *r)
{
    for (size_t i = 0; i < r->printers.len; i++)
        if (!flush_print(r, r->printers.data[i]))
            return false;
    return true;
}

#define MOST_TEXT 65536

// In a phase that may be endless, much text is not kept until its end. The order of texts of several actors is free there.
static bool flush_much(interp *r, uint32_t actor)
{
    const strbuf *b = r->actors[actor].print;
    return !r->endless || b == NULL || b->len < MOST_TEXT || flush_print(r, actor);
}

// ---- Phases ----

static bool is_stopped(const interp *r)
{
    return r->watch != NULL && r->watch->stopped;
}

// False also when the program is to stop here.
static bool fire(interp *r, uint32_t actor, int64_t k)
{
    int64_t done = r->watch == NULL ? interp_fire(r, actor, k) : interp_watch_fire(r, actor, k);
    if (done < 0) {
        vm *v = r->handlers.trap != VM_TRAP_NONE   ? &r->handlers
                : r->actors[actor].dynamic != NULL ? &r->actors[actor].dynamic->machine
                                                   : &r->machine;
        if (v->trap != VM_TRAP_NONE) {
            flush_prints(r);
            fflush(stdout);
            vm_report_trap(v, r->d);
        }
        r->failed = true;
        return false;
    }
    if (is_stopped(r)) {
        flush_prints(r);
        fflush(stdout);
        interp_watch_show(r);
        return false;
    }
    if (r->actors[actor].dynamic != NULL) {
        if (r->left[actor] > 0)
            r->left[actor] -= done;
        return true;
    }
    // A reader that found fewer items than it wanted has none left.
    r->left[actor] = done < k ? 0 : r->left[actor] < 0 ? -1 : r->left[actor] - k;
    return true;
}

static void mark_dirty(interp *r, uint32_t actor, size_t *w)
{
    r->dirty[actor / 64] |= UINT64_C(1) << (actor % 64);
    if (actor / 64 < *w)
        *w = actor / 64;
}

// Those whose firing may depend on this actor's.
static void mark_neighbours(interp *r, uint32_t actor, size_t *w)
{
    const vm_actor *a = &r->actors[actor];
    for (VEC_EACH(const sched_message, m, &r->s->messages))
        if (m->sender == actor && (m->upstream || m->held))
            mark_dirty(r, m->receiver, w);
    for (uint32_t i = 0; i < a->out_count; i++) {
        if (a->out[i].channel == SIR_NONE)
            continue;
        mark_dirty(r, r->m->channels.data[a->out[i].channel].consumer, w);
    }
    for (uint32_t i = 0; i < a->in_count; i++) {
        if (a->in[i].channel == SIR_NONE || !r->channels[a->in[i].channel].too_full)
            continue;
        r->channels[a->in[i].channel].too_full = false;
        mark_dirty(r, r->m->channels.data[a->in[i].channel].producer, w);
    }
}

// Fires every actor as often as its input and what is left for it allow, the first in canonical order that can first.
static bool fire_all(interp *r)
{
    size_t n = r->m->actors.len, words = n / 64 + 1;
    memset(r->dirty, 0xff, words * sizeof *r->dirty);
    r->dirty[words - 1] = (UINT64_C(1) << (n % 64)) - 1;
    for (size_t w = 0; w < words;) {
        if (r->dirty[w] == 0) {
            w++;
            continue;
        }
        uint32_t a = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(r->dirty[w]);
        r->dirty[w] &= r->dirty[w] - 1;
        int64_t k = interp_can_fire(r, a);
        if (k == 0)
            continue;
        do {
            if (!fire(r, a, k) || !flush_much(r, a))
                return false;
        } while ((k = interp_can_fire(r, a)) > 0);
        mark_neighbours(r, a, &w);
    }
    return true;
}

// The same, and no bound of a channel is in the way of what has to be.
static bool fire_on(interp *r)
{
    do {
        if (!fire_all(r))
            return false;
    } while (r->s->dynamic && (!r->input_ended || r->draining) && interp_grow_channel(r));
    return true;
}

// Nobody has firings left that are never made; otherwise that is a deadlock.
static bool is_complete(interp *r)
{
    uint32_t stuck = interp_stuck(r);
    if (stuck == SIR_NONE)
        return true;
    flush_prints(r);
    fflush(stdout);
    interp_report_deadlock(r, stuck);
    r->failed = true;
    return false;
}

// A phase of the static regions that have sources; the actors of the others fire as often as their input allows. What of
// a phase waits for what the next ones bring is left for these.
static bool run_paced(interp *r, const int64_t *counts)
{
    const schedule *s = r->s;
    for (uint32_t i = 0; i < r->m->actors.len; i++)
        r->left[i] = s->paced[s->static_region[i]] ? r->left[i] + counts[i] : -1;
    return fire_on(r) && (r->input_ended || is_complete(r));
}

// One phase: the initialisation or a steady state.
static bool run_phase(interp *r, const int64_t *counts)
{
    size_t n = r->m->actors.len;
    if (r->s->dynamic)
        return run_paced(r, counts);
    memcpy(r->left, counts, n * sizeof *counts);
    if (!r->in_order)
        return fire_all(r) && (r->input_ended || r->s->messages.len == 0 || is_complete(r));
    for (uint32_t i = 0; i < n && !r->input_ended; i++)
        if (counts[i] > 0 && !fire(r, i, counts[i]))
            return false;
    return true;
}

// No more items come from sources. When nothing can fire, senders that others wait for will send no more.
static bool fire_rest(interp *r)
{
    r->draining = true;
    if (!fire_on(r))
        return false;
    r->no_more_sends = true;
    return fire_on(r) && flush_prints(r);
}

// Input has ended: sources finish what they have begun, the others fire as often as their input allows.
static bool drain(interp *r)
{
    for (uint32_t i = 0; i < r->m->actors.len; i++)
        if (!r->s->source[i])
            r->left[i] = -1;
    return fire_rest(r);
}

// All steady states that were asked for have run: the static regions without sources do what they can with what there is.
static bool finish_regions(interp *r)
{
    for (uint32_t i = 0; i < r->m->actors.len; i++)
        if (!r->s->paced[r->s->static_region[i]])
            r->left[i] = -1;
    return fire_rest(r);
}

static bool any_paced(const schedule *s)
{
    for (int32_t i = 0; i < s->static_region_count; i++)
        if (s->paced[i])
            return true;
    return false;
}

static bool input_left(interp *r, bool *left)
{
    *left = true;
    for (size_t i = 0; i < r->readers.len && *left; i++) {
        uint32_t a = r->readers.data[i];
        bool end = false;
        if (r->s->reps[a] == 0)
            continue;
        if (!vm_reader_at_end(r->actors[a].reader, &end))
            return false;
        *left = !end;
    }
    return true;
}

static bool run_program(interp *r)
{
    if (!write_text(r, r->m->init_text, r->m->init_text_len) || !run_phase(r, r->s->init))
        return false;
    if (r->input_ended)
        return drain(r);
    if (!flush_prints(r))
        return false;
    if (r->s->dynamic && !any_paced(r->s)) // it has run until nothing could fire
        return finish_regions(r);
    for (int64_t n = 0; r->options->iterations < 0 || n < r->options->iterations; n++) {
        bool left;
        if (!input_left(r, &left))
            return false;
        if (!left)
            return drain(r);
        if (!run_phase(r, r->s->reps))
            return false;
        if (r->input_ended)
            return drain(r);
        if (!flush_prints(r))
            return false;
    }
    return !r->s->dynamic || finish_regions(r);
}

// Lines that were not ended.
static void end_tagged(interp *r)
{
    for (size_t i = 0; r->options->tag_prints && i < r->printers.len; i++) {
        strbuf *b = r->actors[r->printers.data[i]].print;
        if (b == NULL || b->len == 0)
            continue;
        strbuf_addc(b, '\n');
        if (!write_tagged(r, r->printers.data[i], b))
            return;
    }
}

static void finish(interp *r)
{
    end_tagged(r);
    for (size_t i = 0; i < r->writers.len; i++)
        vm_writer_close(r->actors[r->writers.data[i]].writer);
    for (size_t i = 0; i < r->readers.len; i++)
        if (r->actors[r->readers.data[i]].reader != NULL)
            vm_reader_close(r->actors[r->readers.data[i]].reader);
    if (fflush(stdout) != 0 && !r->failed) {
        diag_error_at(r->d, NULL, "cannot write standard output: %s", strerror(errno));
        r->failed = true;
    }
}

static bool has_own(const sir_module *m, sir_actor_kind kind)
{
    for (VEC_EACH(sir_actor *, actor, &m->actors))
        if ((*actor)->kind == kind && (*actor)->path == NULL)
            return true;
    return false;
}

// Emitted programs refuse the same.
static bool check_options(const sir_module *m, diag_engine *d, const interp_options *options)
{
    if (options->in != NULL && !has_own(m, SIR_READER))
        diag_error_at(d, NULL, "option '--in' is for programs that read items, and '%s' takes none", m->name);
    if (options->out != NULL && !has_own(m, SIR_WRITER))
        diag_error_at(d, NULL, "option '--out' is for programs that write items, and '%s' gives none", m->name);
    return !diag_has_errors(d);
}

// A stop that was asked for and did not come is said.
static void check_stopped(const interp *r)
{
    const interp_watch *w = r->watch;
    if (w == NULL || w->stop == SIR_NONE || w->stopped)
        return;
    int64_t n = w->actors[w->stop].completed;
    diag_error_at(r->d, NULL, "option '--stop-at=%s': the program has ended after %lld firing%s of '%s'",
                  r->options->stop_at, (long long)n, n == 1 ? "" : "s", r->m->actors.data[w->stop]->name);
}

static bool send_sets(interp *r)
{
    bool ok = true;
    for (const char *const *set = r->options->sets; set != NULL && *set != NULL; set++)
        ok &= interp_set(r, *set);
    return ok;
}

int interp_run(const sir_module *m, const schedule *s, diag_engine *d, const interp_options *options)
{
    if (!check_options(m, d, options))
        return 1;
    arena *a = arena_create();
    interp r = {.arena = a, .m = m, .s = s, .d = d, .options = options};
    r.program = (vm_program){.arena = a, .m = m, .d = d, .count = options->count, .check_rates = options->check_rates};
    hmap_init(&r.program.numbers, a);
    hmap_init(&r.program.field_starts, a);
    r.machine = (vm){.program = &r.program, .arena = a, .interp = &r};
    r.handlers = r.machine;
    r.left = ARENA_ARRAY(a, int64_t, m->actors.len + 1);
    r.walked = ARENA_ARRAY(a, uint64_t, m->actors.len + 1);
    r.dirty = ARENA_ARRAY(a, uint64_t, m->actors.len / 64 + 1);
    // A closed pipe is a failed write, which is reported.
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    bool ok = interp_watch_build(&r) && interp_build(&r) && send_sets(&r) && (run_program(&r) || is_stopped(&r));
    finish(&r);
    sigaction(SIGPIPE, &before, NULL);
    if (options->count)
        fprintf(stderr, "operations: %llu\n", (unsigned long long)r.machine.operations);
    if (ok && !r.failed)
        check_stopped(&r);
    ok = ok && !r.failed && !diag_has_errors(d);
    arena_destroy(a);
    return ok ? 0 : 1;
}
