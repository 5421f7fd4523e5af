// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters of fixed rates that take bits, keep one int of few values and push bits: what several bits do is looked up at once.
//
//     const ptrdiff_t whole = count / 8 * 8;
//     for (ptrdiff_t i = 0; i < whole; i += 8) {
//         const uint32_t looked = NRZI_looked[level][svm_stepBits8(in + i)];
//         svm_putBits8(out + i, looked >> 8);
//         level = looked & 255;
//     }
//
// The table (hlc/ir/steps.h) has a row for each value up to the greatest, and in it for what so many bits may be the next
// value, and above that the bits that are pushed, the first one lowest.
#include <inttypes.h>

#include "hlc/emit/program_int.h"
#include "hlc/ir/steps.h"

// Entries of a table in the text. Bits of an entry that are the int, and above them such for what is pushed. Bits that go
// together: a byte, where the table is not too large then, or half of one.
enum { LOOKED_ENTRIES = 1024, LOOKED_INT = 8, LOOKED_PUSHED = 32 - LOOKED_INT, LOOKED_BYTE = 8, LOOKED_HALF = 4 };

static uint32_t greatest_of(const sir_int_steps *s)
{
    int32_t greatest = 0;
    for (VEC_EACH(const int32_t, v, &s->values))
        greatest = *v > greatest ? *v : greatest;
    return (uint32_t)greatest;
}

// What `bits` bits do from a state on.
static uint32_t entry_of(const sir_int_steps *s, uint32_t state, uint32_t taken, int bits)
{
    uint32_t pushed = 0, at = 0;
    for (int i = bits; i-- > 0;) {
        const sir_step *step = &s->steps.steps.data[2 * state + (taken >> i & 1)];
        for (uint32_t k = 0; k < step->count; k++)
            pushed |= (uint32_t)s->steps.values.data[step->first + k].i << at++;
        state = step->next;
    }
    return pushed << LOOKED_INT | (uint32_t)s->values.data[state];
}

static void emit_table(program_emitter *x, const program_looked *l, const sir_int_steps *s, uint32_t values,
                       const char *name)
{
    arena *a = x->e.arena;
    text_args rows = {0};
    for (uint32_t v = 0; v < values; v++) {
        uint32_t state = 0; // values that are not come to are never looked up
        for (uint32_t i = 0; i < s->values.len; i++)
            state = (uint32_t)s->values.data[i] == v ? i : state;
        for (uint32_t taken = 0; taken < UINT32_C(1) << l->bits; taken++) {
            bool first = taken == 0, last = taken + 1 == UINT32_C(1) << l->bits;
            VEC_PUSH(a, &rows,
                     arena_printf(a, "%s%" PRIu32 "%s", first ? "{" : "", entry_of(s, state, taken, l->bits),
                                  last ? "}," : ","));
        }
    }
    text_line(x, 0,
              "/* What %d bits do, by what %s is and by them: what it becomes; and times 256, what is pushed, the",
              l->bits, name);
    text_line(x, 0, "   first bit lowest. */");
    text_line(x, 0, "static const uint32_t %s[%" PRIu32 "][%d] = {", l->table, values, 1 << l->bits);
    text_rows(x, 1, &rows);
    text_line(x, 0, "};\n");
}

// Whether the firing function takes a bit, changes an int, gives bits, or ints, and does no more.
static bool is_plain(const sir_filter *f, const emit_signature *fire)
{
    const sir_type *out = f->output;
    return f->input->kind == SIR_BIT &&
           (out->kind == SIR_BIT || (out->kind == SIR_INT && out->storage == SIR_STORED_WHOLE)) && fire->in &&
           fire->out && fire->fields.len == 1 && !fire->log && !fire->iter && !fire->random && !fire->sends;
}

// How many bits go together; 0: even few of them take too much.
static int choose_bits(uint32_t values, int64_t pushes)
{
    for (int bits = LOOKED_BYTE; bits >= LOOKED_HALF; bits /= 2)
        if (values << bits <= LOOKED_ENTRIES && bits * pushes <= LOOKED_PUSHED)
            return bits;
    return 0;
}

static const program_looked *make_looked(program_emitter *x, const emit_filter_info *info, const sir_filter *own,
                                         const emit_signature *fire)
{
    const int64_t pushes = own->work->push.max;
    sir_int_steps s;
    if (!is_plain(info->filter, fire) || pushes == 0 || !sir_find_int_steps(x->e.arena, x->m, own, &s) ||
        !sir_int_steps_are_few(&s))
        return NULL;
    const uint32_t values = greatest_of(&s) + 1;
    const int bits = choose_bits(values, pushes);
    if (bits == 0)
        return NULL;
    program_looked *l = ARENA_NEW(x->e.arena, program_looked);
    *l = (program_looked){.bits = bits, .pushes = pushes, .field = fire->fields.data[0]};
    l->table = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_looked", info->c_name));
    if (!x->steps_header && x->net == NULL)
        text_line(x, 0, "#include <svm/steps.h>\n");
    x->steps_header = true;
    emit_table(x, l, &s, values, info->field_names.data[l->field]);
    diag_remark(x->p->diag, sir_range(x->m, x->p->sources, own->work->loc),
                "'%s' keeps one of %zu values: what %d bits do is looked up at once [steps]", own->name, s.values.len,
                bits);
    return l;
}

const program_looked *program_find_looked(program_emitter *x, const emit_filter_info *info, const sir_filter *own,
                                          const emit_signature *fire, const program_walk *w)
{
    if (!pass_looks_up_bits(x->p, x->e.module) || x->in_cycle || w->general || w->tail || w->in.len != 1 ||
        w->in.data[0].stride != 1 || w->out.data[0].stride != own->work->push.max)
        return NULL;
    const program_looked **known = hmap_getn(&x->looked, &own, sizeof own);
    if (known == NULL) {
        known = ARENA_NEW(x->e.arena, const program_looked *);
        *known = make_looked(x, info, own, fire);
        hmap_setn(&x->looked, &own, sizeof own, known);
    }
    return *known;
}

void program_emit_looked(program_emitter *x, const program_looked *l, const emit_filter_info *info, const char *prefix)
{
    arena *a = x->e.arena;
    const char *state = arena_printf(a, "%s%s", prefix, info->field_names.data[l->field]);
    int64_t pushed = l->pushes * l->bits;
    text_line(x, 1, "const ptrdiff_t whole = count / %d * %d;", l->bits, l->bits);
    text_line(x, 1, "for (ptrdiff_t i = 0; i < whole; i += %d) {", l->bits);
    text_line(x, 2, "const uint32_t looked = %s[%s][svm_stepBits%d((const char *)in + i)];", l->table, state, l->bits);
    if (info->filter->output->kind == SIR_INT) {
        text_line(x, 2, "for (ptrdiff_t k = 0; k < %" PRId64 "; k++)", pushed);
        text_line(x, 3, "out[%s + k] = (int)(looked >> (%d + k) & 1);", text_times(x, "i", l->pushes), LOOKED_INT);
    } else {
        const char *at = text_times(x, "i", l->pushes);
        for (int64_t k = 0; k < pushed; k += LOOKED_BYTE)
            text_line(x, 2, "svm_putBits%d(out + %s%s, looked >> %d);",
                      pushed - k < LOOKED_BYTE ? LOOKED_HALF : LOOKED_BYTE, at,
                      k == 0 ? "" : arena_printf(a, " + %" PRId64, k), (int)k + LOOKED_INT);
    }
    text_line(x, 2, "%s = (int)(looked & %d);", state, (1 << LOOKED_INT) - 1);
    text_line(x, 1, "}");
}
