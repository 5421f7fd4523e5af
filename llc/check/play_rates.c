// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm_exhaust in a play: how often each actor fires on the items that are left, from the program's tables.
#include "llc/check/play.h"

// Numbers of the program's that lie one after the other.
static int64_t *take_numbers(play *p, int64_t at, int64_t count, int64_t size)
{
    int64_t *numbers = ARENA_ARRAY(p->arena, int64_t, (size_t)count + 1);
    for (int64_t i = 0; i < count; i++) {
        val v = load(p, known(at + i * size), (ctype){.shape = SHAPE_INT, .size = size});
        if (v.unknown)
            play_stop(p);
        numbers[i] = v.i;
    }
    return numbers;
}

enum { PORT = 3, OUT_PORT = 2 }; // words of 4 bytes: channel, peek, pop; channel, push

typedef struct rates {
    int64_t actors, channels;
    const int64_t *input_start, *inputs, *output_start, *outputs;
} rates;

static rates take_rates(play *p, int64_t table, CXType type)
{
    static const char *const fields[] = {"inputStart", "inputs", "outputStart", "outputs"};
    static const ctype pointer = {.shape = SHAPE_POINTER, .size = 8};
    int64_t at[4];
    for (int i = 0; i < 4; i++) {
        val v = load(p, known(table + field_offset(p, type, fields[i])), pointer);
        if (v.unknown)
            play_stop(p);
        at[i] = v.i;
    }
    rates r = {.actors = *take_numbers(p, table + field_offset(p, type, "actors"), 1, 4),
               .channels = *take_numbers(p, table + field_offset(p, type, "channels"), 1, 4)};
    if (r.actors < 0 || r.actors > 1 << 20 || r.channels < 0 || r.channels > 1 << 20)
        play_stop(p);
    r.input_start = take_numbers(p, at[0], r.actors + 1, 4);
    r.output_start = take_numbers(p, at[2], r.actors + 1, 4);
    r.inputs = take_numbers(p, at[1], r.input_start[r.actors] * PORT, 4);
    r.outputs = take_numbers(p, at[3], r.output_start[r.actors] * OUT_PORT, 4);
    return r;
}

// How often an actor can fire; -1: nothing limits it.
static int64_t allowed(const rates *r, int64_t one, const int64_t *tokens)
{
    int64_t least = -1;
    for (int64_t i = r->input_start[one]; i < r->input_start[one + 1]; i++) {
        const int64_t *in = &r->inputs[i * PORT];
        int64_t need = in[1] > in[2] ? in[1] : in[2], have = tokens[in[0]];
        if (have < need)
            return 0;
        if (in[2] > 0 && (least < 0 || (have - need) / in[2] + 1 < least))
            least = (have - need) / in[2] + 1;
    }
    return least;
}

static void fire(const rates *r, int64_t one, int64_t times, int64_t *tokens)
{
    for (int64_t i = r->input_start[one]; i < r->input_start[one + 1]; i++)
        tokens[r->inputs[i * PORT]] -= times * r->inputs[i * PORT + 2];
    for (int64_t i = r->output_start[one]; i < r->output_start[one + 1]; i++)
        tokens[r->outputs[i * OUT_PORT]] += times * r->outputs[i * OUT_PORT + 1];
}

static bool channels_exist(const rates *r)
{
    for (int64_t i = 0; i < r->input_start[r->actors]; i++)
        if (r->inputs[i * PORT] < 0 || r->inputs[i * PORT] >= r->channels)
            return false;
    for (int64_t i = 0; i < r->output_start[r->actors]; i++)
        if (r->outputs[i * OUT_PORT] < 0 || r->outputs[i * OUT_PORT] >= r->channels)
            return false;
    return true;
}

void play_exhaust(play *p, CXType type, const val *arguments)
{
    for (int i = 0; i < 4; i++)
        if (arguments[i].unknown)
            play_stop(p);
    rates r = take_rates(p, arguments[0].i, type);
    if (!channels_exist(&r) || arguments[2].i == 0)
        play_stop(p);
    int64_t *tokens = take_numbers(p, arguments[1].i, r.channels, 8);
    const int64_t *limits = take_numbers(p, arguments[2].i, r.actors, 8);
    int64_t *firings = ARENA_ARRAY(p->arena, int64_t, (size_t)r.actors + 1);
    for (int64_t a = 0; a < r.actors; a++)
        firings[a] = 0;
    for (bool fired = true; fired;) {
        fired = false;
        for (int64_t a = 0; a < r.actors; a++) {
            int64_t n = allowed(&r, a, tokens), left = limits[a] < 0 ? -1 : limits[a] - firings[a];
            if (left >= 0 && (n < 0 || n > left))
                n = left;
            if (n <= 0)
                continue;
            if (++p->steps > p->limit || n > INT64_C(1) << 32)
                play_stop(p);
            fire(&r, a, n, tokens);
            firings[a] += n;
            fired = true;
        }
    }
    for (int64_t a = 0; a < r.actors; a++)
        store_number(p, arguments[3].i + 8 * a, 8, firings[a]);
}
