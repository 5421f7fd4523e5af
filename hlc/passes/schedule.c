// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'schedule'.
#include "hlc/schedule/schedule.h"
#include "hlc/passes/pass.h"

bool pass_schedule(hlc_program *p)
{
    p->schedule = schedule_compute(p->arena, p->diag, p->sources, p->module);
    return false; // what it finds is beside the text
}
