// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A backend to copy: complete and small. It "lowers" an SVM C file to commented pseudo-C that lists what a real
// backend starts from: the machine, the kernels with their costs, the firing functions with their rates and text,
// the control threads. HACKING.md walks through it.
#include <errno.h>
#include <string.h>

#include "llc/backend.h"

// What this backend cannot take: kernels of which it cannot tell what a firing costs. A real backend looks at
// types, operations and sizes here; whatever it refuses, it refuses with the place and what to do.
static bool check(llc_session *s, const llc_unit *unit)
{
    for (VEC_EACH(llc_function, f, &unit->functions))
        if (f->role == LLC_FIRE && f->rates.len > 64) {
            diag_error(s->diag, f->range, "target 'template' takes firing functions of at most 64 ports; '%s' has %zu",
                       f->name, f->rates.len);
            return false;
        }
    return true;
}

static void emit_names(const llc_unit *unit, strbuf *out)
{
    strbuf_printf(out, "// machine %s\n", unit->machine->name);
    for (VEC_EACH(llc_name, n, &unit->names)) {
        if (n->memory != NULL)
            strbuf_printf(out, "//   memory %s: %llu bytes\n", n->name, (unsigned long long)machine_usable(n->memory));
        if (n->processor != NULL)
            strbuf_printf(out, "//   processor %s: %.0f MHz\n", n->name, n->processor->clock / 1e6);
    }
}

// The function's own text, commented out.
static void emit_body(llc_session *s, const llc_function *f, strbuf *out)
{
    CXFile file;
    unsigned begin, end;
    CXSourceRange extent = clang_getCursorExtent(f->cursor);
    clang_getFileLocation(clang_getRangeStart(extent), &file, NULL, NULL, &begin);
    clang_getFileLocation(clang_getRangeEnd(extent), NULL, NULL, NULL, &end);
    bool loaded = source_load(s->diag->sources, f->range.file); // it may be in a header
    const source_file *source = source_get(s->diag->sources, f->range.file);
    if (!loaded || end > source->len || begin > end)
        return;
    strbuf_add(out, "//   ");
    for (unsigned i = begin; i < end; i++) {
        strbuf_addc(out, source->text[i]);
        if (source->text[i] == '\n')
            strbuf_add(out, "//   ");
    }
    strbuf_addc(out, '\n');
}

static void emit_function(llc_session *s, const llc_function *f, strbuf *out)
{
    static const char *const rate_names[] = {[LLC_PEEK] = "peek", [LLC_POP] = "pop", [LLC_PUSH] = "push"};
    switch (f->role) {
    case LLC_KERNEL:
        strbuf_printf(out, "\n// kernel %s: cost %g + %g a firing\n", f->name, f->start, f->per_firing);
        break;
    case LLC_FIRE:
        strbuf_printf(out, "\n// firing function %s: %s", f->name, f->stateless ? "stateless" : "stateful");
        for (VEC_EACH(llc_rate, r, &f->rates))
            strbuf_printf(out, ", port %u %s %llu", r->port, rate_names[r->what], (unsigned long long)r->items);
        strbuf_addc(out, '\n');
        break;
    case LLC_CONTROL: strbuf_printf(out, "\n// control thread %s on %s\n", f->name, f->processor->element.name); return;
    }
    emit_body(s, f, out);
}

static bool emit(llc_session *s)
{
    strbuf out;
    strbuf_init(&out, s->arena);
    for (VEC_EACH(llc_unit *, unit, &s->units)) {
        emit_names(*unit, &out);
        for (VEC_EACH(llc_function, f, &(*unit)->functions))
            emit_function(s, f, &out);
    }
    if (file_write(s->output, out.data, out.len))
        return true;
    diag_error_at(s->diag, LLC_TOOL, "cannot write '%s': %s", s->output, strerror(errno));
    return false;
}

const llc_backend llc_backend_template = {
    .name = "template",
    .summary = "pseudo-C that lists kernels and firing functions; an example of a backend",
    .outputs = 1u << LLC_OUTPUT_ASM,
    .check = check,
    .emit = emit,
};
