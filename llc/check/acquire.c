// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two-phase access to streams in kernels: what is acquired and never released, or released and never acquired.
#include "llc/check/model.h"

static void check_phase(checker *c, const kernel_class *class, const kernel_use *use, int side)
{
    static const char *const releases[] = {"sent", "discarded"};
    static const char *const acquires[] = {"svm_streamPushAcquire", "svm_streamPopAcquire"};
    const src_range *acquired = &use->acquired[side], *released = &use->released[side];
    if (acquired->file != 0 && released->file == 0)
        diag_warning(c->session->diag, WARN_CHECK_ACQUIRE, *acquired,
                     "kernel '%s' acquires elements of '%s', which are never %s", class->name, use->field,
                     releases[side]);
    else if (acquired->file == 0 && released->file != 0)
        diag_warning(c->session->diag, WARN_CHECK_ACQUIRE, *released,
                     "elements of '%s' are %s in kernel '%s' without %s", use->field, releases[side], class->name,
                     acquires[side]);
}

void find_acquires(checker *c)
{
    for (VEC_EACH(llc_function, f, &c->unit->functions)) {
        const kernel_class *class = f->role == LLC_KERNEL ? class_of_function(c, f->cursor) : NULL;
        if (class == NULL || class->unknown)
            continue;
        for (VEC_EACH(const kernel_use, use, &class->uses))
            for (int side = 0; side < 2; side++)
                check_phase(c, class, use, side);
    }
}
