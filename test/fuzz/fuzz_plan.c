// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target for the text of plans, and for all passes over stream IR: a text without a plan is planned; a text with one
// is read, verified and printed. What is printed must read back as the same text, and give SVM C.
#include "hlc/hlc.h"
#include "test/fuzz/fuzz.h"

static const char *compile(fuzz_session *s, hlc_emit emit, const char *text, size_t size)
{
    source_id file = fuzz_source(s, "fuzz.plan", text, size);
    const hlc_config config = {
        .emit = emit,
        .stream_ir = true,
        .opt_level = (int)(size % 4),
        .machine_dir = SVMC_MACHINES,
        .verify_each = true,
        .dump = s->sink,
    };
    const char *result = hlc_compile(s->arena, &s->diags, &file, 1, &config);
    if ((result == NULL) != diag_has_errors(&s->diags))
        fuzz_fail(s, "no result without an error, or both", NULL, NULL);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_session s;
    fuzz_begin(&s);
    const char *plan = compile(&s, HLC_EMIT_PLAN, (const char *)data, size);
    if (plan != NULL) {
        const char *again = compile(&s, HLC_EMIT_PLAN, plan, strlen(plan));
        if (again == NULL || strcmp(plan, again) != 0)
            fuzz_fail(&s, "the round trip changes the text", plan, again);
        compile(&s, HLC_EMIT_SVM_C, plan, strlen(plan));
    }
    fuzz_end(&s);
    return 0;
}
