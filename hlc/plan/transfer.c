// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transfer: how items get to processors that work in memories of their own. map gives each of them an engine that joins
// its memory with the shared one; here it gets a second one for the way back where one is free, and each end of a queue
// gets two windows, so that one is moved while the other is in use, if the shortest strip leaves room for them. To find
// that out, the strip is assigned and its buffers get addresses, which are not kept. strip-mine then looks for the longest
// strip with these windows.
#include "hlc/passes/pass.h"
#include "hlc/plan/cut.h"
#include "hlc/plan/plan_int.h"

bool plan_pass_transfer(hlc_program *p)
{
    plan_cut *cut = p->cut;
    if (cut != NULL && plan_cut_move(cut)) {
        cut->resources = plan_resources_pair_engines(p->arena, cut->resources);
        cut->depth = plan_cut_most_windows(cut);
        if (!plan_cut_shortest_fit(p) && !diag_has_errors(p->diag)) {
            cut->depth = plan_cut_fewest_windows(cut);
            (void)plan_cut_shortest(p); // whether it fits now, strip-mine says
        }
    }
    plan_remark_transfer(p);
    return cut != NULL && plan_cut_move(cut);
}
