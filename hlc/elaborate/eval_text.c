// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text: strings, concatenations, numbers as programs print them, and the files of init_array_1D_*.
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hlc/elaborate/elab.h"
#include "support/file.h"

static void add_number(strbuf *out, double v)
{
    if (isnan(v))
        strbuf_add(out, "nan");
    else
        strbuf_printf(out, "%f", v);
}

static void add_scalar(elab *x, strbuf *out, const ast_expr *e)
{
    sir_scalar v = elab_scalar(x, e);
    switch (e->type->kind) {
    case TYPE_BOOLEAN: strbuf_add(out, v.i ? "true" : "false"); break;
    case TYPE_BIT:
    case TYPE_INT: strbuf_printf(out, "%" PRId32, v.i); break;
    case TYPE_FLOAT: add_number(out, (double)v.f); break;
    case TYPE_DOUBLE: add_number(out, v.d); break;
    default: elab_error(x, e->range, "a value of this type cannot be printed");
    }
}

void elab_text(elab *x, strbuf *out, const ast_expr *e)
{
    if (e->type->kind != TYPE_STRING) {
        if (e->kind == EXPR_STRING)
            strbuf_addn(out, e->u.string.text, e->u.string.len);
        else
            add_scalar(x, out, e);
        return;
    }
    switch (e->kind) {
    case EXPR_STRING: strbuf_addn(out, e->u.string.text, e->u.string.len); break;
    case EXPR_NAME: {
        elab_slot *slot = elab_find(x, e->u.name.var, e->range);
        if (slot != NULL && slot->text != NULL)
            strbuf_addn(out, slot->text, slot->len);
        break;
    }
    case EXPR_BINARY:
        elab_text(x, out, e->u.binary.left);
        elab_text(x, out, e->u.binary.right);
        break;
    case EXPR_COND: {
        bool chosen = elab_scalar(x, e->u.cond.cond).i != 0;
        if (!x->failed)
            elab_text(x, out, chosen ? e->u.cond.then : e->u.cond.otherwise);
        break;
    }
    case EXPR_CAST:
    case EXPR_CONVERT: elab_text(x, out, e->u.cast.operand); break;
    default: elab_error(x, e->range, "this text cannot be evaluated while the graph is built");
    }
}

// ---- Files of numbers ----

enum { NUMBER_FILE_LIMIT = 1 << 30 };

typedef struct number_file {
    char *text;
    size_t len;
    int error;
} number_file;

// Relative to the working directory, then to the folder of the source file.
static const number_file *open_numbers(elab *x, const ast_expr *call, const char *path)
{
    const source_file *source = source_get(x->diags->sources, call->range.file);
    const char *slash = source->name == NULL ? NULL : strrchr(source->name, '/');
    const char *folder =
        slash == NULL ? "" : arena_strndup(x->scratch, source->name, (size_t)(slash - source->name) + 1);
    const char *key = arena_printf(x->scratch, "%s|%s", path, folder);
    number_file *file = hmap_get(&x->number_files, key);
    if (file != NULL)
        return file;
    file = ARENA_NEW(x->scratch, number_file);
    hmap_set(&x->number_files, key, file);
    if (file_read_limited(x->scratch, path, NUMBER_FILE_LIMIT, true, &file->text, &file->len))
        return file;
    file->error = errno;
    if (path[0] != '/' && slash != NULL) {
        const char *beside = arena_printf(x->scratch, "%s%s", folder, path);
        if (file_read_limited(x->scratch, beside, NUMBER_FILE_LIMIT, true, &file->text, &file->len))
            file->error = 0;
    }
    return file;
}

static bool read_number(const char **at, bool floats, sir_scalar *to)
{
    char *end;
    memset(to, 0, sizeof *to);
    errno = 0;
    if (floats) {
        to->f = strtof(*at, &end);
    } else {
        long v = strtol(*at, &end, 10);
        if (errno == ERANGE || v < INT32_MIN || v > INT32_MAX)
            return false;
        to->i = (int32_t)v;
    }
    if (end == *at || (*end != '\0' && !isspace((unsigned char)*end)))
        return false;
    *at = end;
    return true;
}

bool elab_read_numbers(elab *x, const ast_expr *call, const char *path, uint64_t count, bool floats, sir_scalar *data)
{
    src_range where = call->u.call.args.data[0]->range;
    const number_file *file = open_numbers(x, call, path);
    if (file->error != 0) {
        elab_error(x, where, "cannot read '%s': %s", path, strerror(file->error));
        return false;
    }
    uint64_t line = 1, n = 0, extra = 0;
    for (const char *at = file->text;;) {
        for (; isspace((unsigned char)*at); at++)
            line += *at == '\n';
        if (at >= file->text + file->len)
            break;
        sir_scalar ignored;
        if (!read_number(&at, floats, n < count ? &data[n] : &ignored)) {
            elab_error(x, where, "line %" PRIu64 " of '%s' is not %s", line, path, floats ? "a number" : "an int");
            return false;
        }
        if (n < count)
            n++;
        else
            extra++;
    }
    if (n < count) {
        elab_error(x, where, "'%s' has %" PRIu64 " numbers, but the array needs %" PRIu64, path, n, count);
        return false;
    }
    if (extra > 0)
        diag_warning(x->diags, WARN_EXTRA_NUMBERS, where,
                     "'%s' has %" PRIu64 " numbers; the array takes the first %" PRIu64, path, count + extra, count);
    return true;
}
