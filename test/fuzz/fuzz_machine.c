// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target: any bytes as a machine file give a machine or errors. A machine that loads must also print, and what
// it prints must load again.
#include "targets/machine.h"
#include "test/fuzz/fuzz.h"

// libfyaml 0.7.12 leaks a little of the texts that it refuses.
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_session s;
    fuzz_begin(&s);
    machine *m = machine_parse(s.arena, &s.diags, fuzz_source(&s, "fuzz.yaml", data, size));
    if ((m == NULL) != diag_has_errors(&s.diags))
        fuzz_fail(&s, "no machine without an error, or both", NULL, NULL);
    if (m != NULL) {
        strbuf printed, table;
        strbuf_init(&printed, s.arena);
        strbuf_init(&table, s.arena);
        machine_print(m, &s.sources, &printed);
        machine_emit_table(&(machine_table_entry){m, m->name}, 1, &table);
        if (machine_parse(s.arena, &s.diags, fuzz_source(&s, "fuzz.yaml", printed.data, printed.len)) == NULL)
            fuzz_fail(&s, "what was printed does not load", printed.data, NULL);
    }
    fuzz_end(&s);
    return 0;
}
