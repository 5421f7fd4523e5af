// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target: any bytes as a machine file give a machine or errors. A machine that loads must also print, and what
// it prints must load again.
#include <stdlib.h>

#include "targets/machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// libfyaml 0.7.12 leaks a little of the texts that it refuses.
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static machine *load(arena *a, diag_engine *d, const char *text, size_t len)
{
    return machine_parse(a, d, source_add(d->sources, "fuzz.yaml", arena_strndup(a, text, len), len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    arena *a = arena_create();
    source_set sources;
    source_set_init(&sources, a);
    diag_engine d;
    diag_init(&d, a, &sources);
    char *copy = arena_alloc(a, size + 1);
    for (size_t i = 0; i < size; i++)
        copy[i] = (char)data[i];
    machine *m = machine_parse(a, &d, source_add(&sources, "fuzz.yaml", copy, size));
    if ((m == NULL) != diag_has_errors(&d))
        abort();
    if (m != NULL) {
        strbuf printed, table;
        strbuf_init(&printed, a);
        strbuf_init(&table, a);
        machine_print(m, &sources, &printed);
        machine_emit_table(&(machine_table_entry){m, m->name}, 1, &table);
        if (load(a, &d, printed.data, printed.len) == NULL)
            abort();
    }
    FILE *sink = fopen("/dev/null", "w");
    if (sink != NULL) {
        diag_flush(&d, sink, DIAG_FORMAT_TEXT, false);
        fclose(sink);
    }
    arena_destroy(a);
    return 0;
}
