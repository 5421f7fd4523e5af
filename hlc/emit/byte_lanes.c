// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firings one a byte of vectors: what the Boolean network of a work function computes by bytes (hlc/ir/network_bytes.h) as C,
// with the type and functions of svm/byte_lanes.h. An item is a vector, a sum is a statement, and so is a function of a byte.
// Permutations of items are no code.
#include <inttypes.h>

#include "hlc/emit/program_int.h"
#include "hlc/plan/bit_lanes.h"

typedef struct byte_text {
    program_emitter *x;
    arena *a;
    const sir_bytes *b;
    const char *base;    // of its tables' names
    const char **tables; // names, by function
    hmap values;         // names of what is computed, by node and function
    uint32_t count;      // of these
} byte_text;

static const char *node_text(const byte_text *t, uint32_t node)
{
    const sir_byte_node *n = &t->b->nodes.data[node];
    return n->input ? arena_printf(t->a, "in[%" PRIu32 "]", n->item) : arena_printf(t->a, "s%" PRIu32, node);
}

static const char *with_constant(const byte_text *t, const char *text, uint8_t constant)
{
    return constant == 0 ? text : arena_printf(t->a, "%s ^ SVM_BYTES(0x%02x)", text, constant);
}

// A function of a node, without what it adds to the sum; it is written where it is first used.
static const char *value_text(byte_text *t, const sir_byte_term *term)
{
    const sir_byte_function *f = &t->b->functions.data[term->function];
    const char *name = hmap_getn(&t->values, term, sizeof *term);
    if (f->kind == BYTE_SAME || name != NULL)
        return f->kind == BYTE_SAME ? node_text(t, term->node) : name;
    const char *of = f->of == 0 ? node_text(t, term->node) : value_text(t, &(sir_byte_term){term->node, f->of - 1});
    name = arena_printf(t->a, "t%" PRIu32, t->count++);
    hmap_setn(&t->values, term, sizeof *term, (void *)(size_t)name);
    if (f->kind == BYTE_TABLE)
        text_line(t->x, 1, "const svm_Bytes %s = svm_bytesLookUp(%s, %s);", name, of, t->tables[term->function]);
    else if (f->kind == BYTE_LINEAR)
        text_line(t->x, 1, "const svm_Bytes %s = svm_bytesLinear(%s, UINT64_C(0x%016" PRIx64 "));", name, of,
                  f->matrix);
    else
        text_line(t->x, 1, "const svm_Bytes %s = svm_bytesInverse(%s, UINT64_C(0x%016" PRIx64 "));", name,
                  with_constant(t, of, f->before), f->matrix);
    return name;
}

static const char *sum_text(byte_text *t, const sir_byte_node *n)
{
    const char *text = NULL;
    uint8_t constant = n->constant;
    for (VEC_EACH(const sir_byte_term, term, &n->terms)) {
        const char *value = value_text(t, term);
        text = text == NULL ? value : arena_printf(t->a, "%s ^ %s", text, value);
        constant ^= t->b->functions.data[term->function].after;
    }
    return text == NULL ? arena_printf(t->a, "SVM_BYTES(0x%02x)", constant) : with_constant(t, text, constant);
}

static void write_sums(byte_text *t)
{
    for (uint32_t i = 0; i < t->b->nodes.len; i++) {
        const sir_byte_node *n = &t->b->nodes.data[i];
        if (n->live && !n->input)
            text_line(t->x, 1, "const svm_Bytes s%" PRIu32 " = %s;", i, sum_text(t, n));
    }
    for (uint32_t i = 0; i < t->b->outputs.len; i++)
        text_line(t->x, 1, "out[%" PRIu32 "] = %s;", i, node_text(t, t->b->outputs.data[i]));
}

static void write_table(byte_text *t, uint32_t function)
{
    strbuf text;
    strbuf_init(&text, t->a);
    t->tables[function] = emit_unique_name(&t->x->e, arena_printf(t->a, "%s_bytes", t->base));
    for (int i = 0; i < BYTE_VALUES; i++)
        strbuf_printf(&text, "%s%s%d", i == 0 ? "" : ",",
                      i == 0        ? ""
                      : i % 16 == 0 ? "\n    "
                                    : " ",
                      t->b->functions.data[function].value[i]);
    text_line(t->x, 0, "static const unsigned char %s[256] SVM_TABLE = {\n    %s};\n", t->tables[function], text.data);
}

static void write_tables(byte_text *t)
{
    for (VEC_EACH(const sir_byte_node, n, &t->b->nodes))
        for (size_t i = 0; i < (n->live ? n->terms.len : 0); i++) {
            uint32_t function = n->terms.data[i].function;
            if (t->b->functions.data[function].kind == BYTE_TABLE && t->tables[function] == NULL)
                write_table(t, function);
        }
}

static bool reads(const sir_bytes *b)
{
    bool any = false;
    for (VEC_EACH(const sir_byte_node, n, &b->nodes))
        any = any || (n->input && n->live);
    return any;
}

const char *program_byte_fire(program_emitter *x, const emit_filter_info *info, const sir_function *f,
                              const plan_bit_lanes *b)
{
    arena *a = x->e.arena;
    byte_text t = {.x = x, .a = a, .b = b->bytes, .base = info->c_name};
    t.tables = ARENA_ARRAY(a, const char *, b->bytes->functions.len + 1);
    hmap_init(&t.values, a);
    if (!x->byte_lanes_header)
        text_line(x, 0, "#include <svm/byte_lanes.h>\n");
    x->byte_lanes_header = true;
    write_tables(&t);
    const char *sums = emit_unique_name(&x->e, arena_printf(a, "%s_sums", info->c_name));
    const char *name = emit_unique_name(&x->e, arena_printf(a, "%s_fire", info->c_name));
    const bool in = reads(b->bytes);
    text_line(x, 0, "SVM_OUTLINED static void %s(%ssvm_Bytes *restrict out)", sums,
              in ? "const svm_Bytes *restrict in, " : "");
    text_line(x, 0, "{");
    write_sums(&t);
    text_line(x, 0, "}\n");
    text_line(x, 0, "/* svm_bytes firings, one a byte of each vector. */");
    text_line(x, 0, "SVM_FIRE(stateless, pop(%" PRId64 "), push(%" PRId64 "), firings(%d))", b->lanes * f->pop.max,
              b->lanes * f->push.max, b->lanes);
    text_line(x, 0, "static inline void %s(const int *restrict in, int *restrict out)", name);
    text_line(x, 0, "{");
    if (in) {
        text_line(x, 1, "svm_Bytes in_bytes[%" PRId64 "];", f->pop.max);
        text_line(x, 1, "svm_bytesIn(in_bytes, in, %" PRId64 ");", f->pop.max);
    } else {
        text_line(x, 1, "(void)in;");
    }
    text_line(x, 1, "svm_Bytes out_bytes[%" PRId64 "];", f->push.max);
    text_line(x, 1, "%s(%sout_bytes);", sums, in ? "in_bytes, " : "");
    text_line(x, 1, "svm_bytesOut(out, out_bytes, %" PRId64 ");", f->push.max);
    text_line(x, 0, "}\n");
    return name;
}
