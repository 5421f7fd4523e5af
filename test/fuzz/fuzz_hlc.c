// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target of the whole high-level compiler: any bytes as StreamIt give SVM C or errors, with the program's invariants
// checked after each pass. The length chooses the optimisation level.
#include "hlc/hlc.h"
#include "test/fuzz/fuzz.h"

enum { ELABORATION_STEPS = 20000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_session s;
    fuzz_begin(&s);
    source_id file = fuzz_source(&s, "fuzz.str", data, size);
    const hlc_config config = {
        .emit = HLC_EMIT_SVM_C,
        .opt_level = (int)(size % 4),
        .machine_dir = SVMC_MACHINES,
        .verify_each = true,
        .elaboration_steps = ELABORATION_STEPS,
        .dump = s.sink,
    };
    const char *text = hlc_compile(s.arena, &s.diags, &file, 1, &config);
    if ((text == NULL) != diag_has_errors(&s.diags))
        fuzz_fail(&s, "no result without an error, or both", NULL, NULL);
    fuzz_end(&s);
    return 0;
}
