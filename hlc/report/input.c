// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files for a program that is only tried: what it writes goes to a folder, and input that is not there is made up.
// Numbers are small and follow from a generator with a fixed start, so that a report comes out the same each time.
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"
#include "hlc/report/report.h"

// Items of a made-up file, and its bytes at most; programs read it again and again.
enum { INPUT_ITEMS = 65536, INPUT_BYTES = 1 << 20 };

typedef struct maker {
    strbuf *out;
    uint64_t state;
} maker;

static uint32_t next(maker *k)
{
    k->state = k->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(k->state >> 33);
}

static void add_bytes(maker *k, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        strbuf_addc(k->out, (char)(value >> (8 * i) & 0xff));
}

static void add_fraction(maker *k, bool wide)
{
    double v = (double)next(k) / (1u << 30) - 1; // -1 to 1
    float narrow = (float)v;
    uint64_t bits = 0;
    if (wide)
        memcpy(&bits, &v, sizeof v);
    else
        memcpy(&bits, &narrow, sizeof narrow);
    add_bytes(k, bits, wide ? 8 : 4);
}

static void add_item(maker *k, const sir_type *t)
{
    size_t start = k->out->len;
    uint64_t align, size = plan_item_size(t, &align);
    switch (t->kind) {
    case SIR_VOID: return;
    case SIR_BOOLEAN: add_bytes(k, next(k) & 1, 1); return;
    case SIR_BIT: add_bytes(k, next(k) & 1, 4); return;
    case SIR_INT: add_bytes(k, next(k) & 0xff, 4); return;
    case SIR_FLOAT: add_fraction(k, false); return;
    case SIR_DOUBLE: add_fraction(k, true); return;
    case SIR_COMPLEX:
        add_fraction(k, false);
        add_fraction(k, false);
        return;
    case SIR_ARRAY:
        for (uint32_t i = 0; i < t->length; i++)
            add_item(k, t->element);
        return;
    case SIR_STRUCT: break;
    }
    for (size_t i = 0; i < t->decl->members.len; i++) {
        uint64_t one;
        plan_item_size(t->decl->members.data[i].type, &one);
        strbuf_pad(k->out, '\0', (one - (k->out->len - start) % one) % one);
        add_item(k, t->decl->members.data[i].type);
    }
    strbuf_pad(k->out, '\0', start + size - k->out->len);
}

// The program's own bits are packed, eight to a byte.
static bool make_input(hlc_program *p, const sir_actor *reader, const char *path)
{
    strbuf b;
    strbuf_init(&b, p->arena);
    maker k = {.out = &b, .state = 1};
    uint64_t align, size = plan_item_size(reader->item, &align);
    for (uint64_t i = 0; i < INPUT_ITEMS && (i == 0 || (i + 1) * size <= INPUT_BYTES); i++) {
        if (reader->item->kind == SIR_BIT || size == 1)
            add_bytes(&k, next(&k) & 0xff, 1);
        else
            add_item(&k, reader->item);
    }
    if (file_write(path, b.data, b.len))
        return true;
    diag_error_at(p->diag, path, "cannot write the report's input: %s", strerror(errno));
    return false;
}

bool report_move_files(hlc_program *p, const sir_module *program, hlc_report *r)
{
    for (uint32_t i = 0; i < program->actors.len; i++) {
        sir_actor *a = program->actors.data[i];
        r->own_output |= a->kind == SIR_WRITER && a->path == NULL;
        if (a->kind == SIR_WRITER && a->path != NULL)
            a->path = arena_printf(p->arena, "%s/output%" PRIu32, r->folder, i);
        if (a->kind != SIR_READER || (a->path != NULL && access(a->path, R_OK) == 0))
            continue;
        const char *path = arena_printf(p->arena, "%s/input%" PRIu32, r->folder, i);
        if (!make_input(p, a, path))
            return false;
        r->invented_input = true;
        if (a->path == NULL)
            r->input = path;
        else
            a->path = path;
    }
    return true;
}
