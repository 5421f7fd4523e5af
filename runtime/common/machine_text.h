// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The described machine that a program is simulated or replayed on, from the text that it brings along.
#ifndef SVM_COMMON_MACHINE_TEXT_H
#define SVM_COMMON_MACHINE_TEXT_H

#include <stdio.h>
#include <string.h>

#include "runtime/common/internal.h"
#include "sim/sim.h"
#include "svm/sim_table.h"

// target: what programs that bring it along are built for.
static inline const machine *svmr_readMachine(arena *a, const char *name, const char *target)
{
    const svm_SimMachine *row = NULL;
    for (size_t i = 0; i < svm_simTable.machineCount && !row; i++)
        if (strcmp(svm_simTable.machines[i].name, name) == 0)
            row = &svm_simTable.machines[i];
    if (!row)
        svmr_fatalProgram("the program was built without a description of its machine '%s'; build it with svm-llc "
                          "--target=%s",
                          name, target);
    source_set *sources = ARENA_NEW(a, source_set);
    diag_engine *d = ARENA_NEW(a, diag_engine);
    source_set_init(sources, a);
    diag_init(d, a, sources);
    d->no_warnings = true; // svm-llc gave them
    source_id file = source_add(sources, arena_printf(a, "%s.yaml", row->name), row->text, strlen(row->text));
    const machine *m = machine_parse(a, d, file);
    if (!m) {
        fflush(stdout);
        diag_flush(d, stderr, DIAG_FORMAT_TEXT, false);
        svmr_fatalProgram("the description of the machine '%s' that the program was built with is wrong", row->name);
    }
    return m;
}

#endif
