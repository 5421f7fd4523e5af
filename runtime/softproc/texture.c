// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory as threads see it: lookups in inputs, outputs at a program's end. Formats and tilings of the soft processor's
// buffers.
#include <math.h>
#include <string.h>

#include "runtime/softproc/core.h"

static const struct {
    uint8_t bytes, components;
} formats[SVM_SP_FORMAT_COUNT] = {{2, 1}, {4, 4}, {4, 1}, {8, 2}, {16, 4}};

uint32_t sp_format_bytes(svm_SpFormat format)
{
    return formats[format].bytes;
}

static float load_float(const uint8_t *p)
{
    uint32_t u = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    float v;
    memcpy(&v, &u, sizeof v);
    return v;
}

// Components that a format lacks are 0, alpha 1. Integers are numbers, not fractions.
static void load_element(const sp_core *c, const sp_buffer *in, size_t at, float v[4])
{
    const uint8_t *p = c->memory + in->base + at * in->element;
    v[0] = v[1] = v[2] = 0;
    v[3] = 1;
    switch (in->format) {
    case SVM_SP_UINT16_1: v[0] = (float)(p[0] | p[1] << 8); break;
    case SVM_SP_UINT8_4:
        for (unsigned i = 0; i < 4; i++)
            v[i] = p[i];
        break;
    default:
        for (unsigned i = 0; i < formats[in->format].components; i++)
            v[i] = load_float(p + 4 * i);
    }
}

// The paper's rule: the element s + t * pitch of the input, whatever s and t are by themselves.
static bool place_by_address(sp_core *c, const sp_batch *b, const sp_group *g, unsigned lane, unsigned input, float s,
                             float t, size_t *at)
{
    const sp_buffer *in = &c->input[input];
    double number = truncf(s) + (double)truncf(t) * in->pitch, count = (double)in->pitch * in->height;
    bool clamp = c->options.bounds == SP_BOUNDS_CLAMP;
    if (number >= 0 && number < count) {
        *at = (size_t)number;
        return true;
    }
    if (c->options.bounds == SP_BOUNDS_ERROR)
        sp_fail_at(c, b, g, lane, "reads s%u at (%g, %g), element %.0f of %.0f", input, (double)s, (double)t, number,
                   count);
    *at = number > 0 ? (size_t)count - 1 : 0;
    return clamp;
}

// An element's number, counted along rows that are pitch apart; false when there is none and the lookup gives zeros, or
// has failed.
static bool place(sp_core *c, const sp_batch *b, const sp_group *g, unsigned lane, unsigned input, float s, float t,
                  size_t *at)
{
    if (c->options.linear)
        return place_by_address(c, b, g, lane, input, s, t, at);
    const sp_buffer *in = &c->input[input];
    float width = (float)in->width, height = (float)in->height;
    s = truncf(s);
    t = truncf(t);
    if (s >= 0 && s < width && t >= 0 && t < height) {
        *at = (size_t)t * in->pitch + (size_t)s;
        return true;
    }
    if (c->options.bounds == SP_BOUNDS_ERROR)
        sp_fail_at(c, b, g, lane, "reads s%u at (%g, %g), outside of its %u x %u elements", input, (double)s, (double)t,
                   in->width, in->height);
    if (c->options.bounds != SP_BOUNDS_CLAMP)
        return false;
    size_t x = !(s > 0) ? 0 : s < width ? (size_t)s : in->width - 1;
    *at = x + in->pitch * (!(t > 0) ? 0 : t < height ? (size_t)t : in->height - 1);
    return true;
}

// Of one thread. The 2 x 2 tiling gives the red components of a square: right, below, below right, itself.
static void lookup(sp_core *c, const sp_batch *b, const sp_group *g, unsigned lane, unsigned input, float s, float t,
                   float v[4])
{
    static const uint8_t dx[4] = {1, 0, 1, 0}, dy[4] = {0, 1, 1, 0};
    const sp_buffer *in = &c->input[input];
    size_t at = 0;
    v[0] = v[1] = v[2] = v[3] = 0;
    if (in->tiling != SVM_SP_LINEAR_2X2) {
        if (place(c, b, g, lane, input, s, t, &at))
            load_element(c, in, at, v);
        return;
    }
    for (unsigned i = 0; i < 4 && !c->failed; i++) {
        float one[4] = {0};
        if (place(c, b, g, lane, input, s + dx[i], t + dy[i], &at))
            load_element(c, in, at, one);
        v[i] = one[0];
    }
}

static bool check_relative(sp_core *c, const sp_batch *b, const sp_ready *r, int al)
{
    int src = r->src + (r->src_rel ? al : 0), dst = r->dst + (r->dst_rel ? al : 0);
    if (src >= 0 && src < (int)c->temps && (!r->reads || (dst >= 0 && dst < (int)c->temps)))
        return true;
    sp_fail_at(c, b, &b->groups[0], 0, "register %d or %d, relative to the loop register, is outside of 0 to %u", src,
               dst, c->temps - 1);
    return false;
}

// A coordinate below 0 kills, and so does the 0 with a sign.
static void kill_threads(sp_group *g, const sp_v4 coordinate[4], sp_m4 mask)
{
    sp_m4 killed = mask & 0;
    for (unsigned i = 0; i < 4; i++)
        killed |= mask & ((coordinate[i] < 0) | ((sp_m4)coordinate[i] == INT32_MIN));
    g->active &= ~killed;
    for (unsigned i = 0; i < SP_LANES; i++)
        if (killed[i])
            g->state[i] = SP_DEAD;
}

// Threads that any component's mask lets read.
static sp_m4 reading_threads(const sp_group *g, const sp_ready *r, sp_lookup *out)
{
    sp_m4 threads = r->write_inactive ? g->covered : g->active, any = threads & 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned half = i < 3 ? SP_HALF_RGB : SP_HALF_ALPHA;
        out->mask[i] = r->tex_mask >> i & 1
                           ? threads & sp_predicate_of(g, r->tex_pred_sel[half], r->tex_pred_inv[half], i)
                           : any & 0;
        any |= out->mask[i];
    }
    return any;
}

static void read_group(sp_core *c, const sp_batch *b, sp_group *g, const sp_ready *r, int al, sp_lookup *out,
                       unsigned *reads)
{
    const sp_v4 *source = g->registers + 4 * (r->src + (r->src_rel ? al : 0));
    const sp_buffer *in = &c->input[r->tex_id];
    sp_v4 at[4];
    for (unsigned i = 0; i < 4; i++)
        at[i] = source[r->tex_swizzle[i]];
    if (r->tex_op == SP_TEX_KILL) {
        kill_threads(g, at, g->active & sp_predicate_of(g, r->tex_pred_sel[0], r->tex_pred_inv[0], 0));
        return;
    }
    sp_m4 any = reading_threads(g, r, out);
    for (unsigned lane = 0; lane < SP_LANES && !c->failed; lane++) {
        if (any[lane] == 0)
            continue;
        float s = at[0][lane], t = at[1][lane], v[4];
        if (r->tex_op == SP_TEX_PROJ) {
            s /= at[3][lane];
            t /= at[3][lane];
        }
        if (!r->unscaled) {
            s *= (float)in->width;
            t *= (float)in->height;
        }
        lookup(c, b, g, lane, r->tex_id, s, t, v);
        for (unsigned i = 0; i < 4; i++)
            out->value[i][lane] = v[r->tex_out[i]];
        *reads += in->tiling == SVM_SP_LINEAR_2X2 ? 4 : 1;
    }
}

void sp_texture_read(sp_core *c, sp_batch *b, const sp_ready *r, sp_lookup *results, unsigned *reads)
{
    int al = r->relative ? sp_loop_register(b) : 0;
    *reads = 0;
    if (r->tex_op == SP_TEX_NOP || (r->relative && !check_relative(c, b, r, al)))
        return;
    for (uint32_t i = 0; i < c->groups && !c->failed; i++)
        read_group(c, b, &b->groups[i], r, al, &results[i], reads);
}

void sp_texture_write(sp_batch *b, uint32_t groups, const sp_ready *r, const sp_lookup *results, int al)
{
    if (!r->reads)
        return;
    for (uint32_t i = 0; i < groups; i++) {
        sp_v4 *to = b->groups[i].registers + 4 * (r->dst + (r->dst_rel ? al : 0));
        for (unsigned k = 0; k < 4; k++) {
            sp_m4 mask = results[i].mask[k];
            to[k] = (sp_v4)(((sp_m4)results[i].value[k] & mask) | ((sp_m4)to[k] & ~mask));
        }
    }
}

// ---- Outputs ----

static uint32_t to_integer(float v, float most)
{
    return v >= most ? (uint32_t)most : v > 0 ? (uint32_t)(v + 0.5f) : 0;
}

static void store_float(uint8_t *to, float v)
{
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(u >> 8 * i);
}

static void store_element(const sp_core *c, const sp_buffer *out, unsigned mask, const sp_group *g, unsigned output,
                          unsigned lane)
{
    uint8_t *p = c->memory + out->base + ((size_t)g->y[lane] * out->pitch + (uint32_t)g->x[lane]) * out->element;
    for (unsigned i = 0; i < formats[out->format].components; i++) {
        float v = g->out[output][i][lane];
        if ((mask >> i & 1) == 0)
            continue;
        if (out->format == SVM_SP_UINT16_1) {
            uint32_t u = to_integer(v, 65535);
            p[0] = (uint8_t)u;
            p[1] = (uint8_t)(u >> 8);
        } else if (out->format == SVM_SP_UINT8_4) {
            p[i] = (uint8_t)to_integer(v, 255);
        } else {
            store_float(p + 4 * i, v);
        }
    }
}

void sp_batch_end(sp_core *c, sp_batch *b)
{
    b->done = true;
    for (unsigned output = 0; output < SP_MAX_OUTPUTS && !c->scatter; output++) {
        const sp_buffer *out = &c->output[output];
        unsigned mask = c->output_mask >> 4 * output & 15;
        if ((c->outputs >> output & 1) == 0 || !out->set)
            continue;
        for (uint32_t i = 0; i < c->groups; i++)
            for (unsigned lane = 0; lane < SP_LANES; lane++)
                if (b->groups[i].covered[lane] && b->groups[i].state[lane] != SP_DEAD)
                    store_element(c, out, mask, &b->groups[i], output, lane);
    }
}
