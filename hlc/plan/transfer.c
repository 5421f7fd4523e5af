// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transfer: how items get to processors that work in memories of their own. map gives each of them an engine that joins
// its memory with the shared one; here it gets a second one for the way back where one is free, and each end of a queue
// gets two windows, so that one is moved while the other is in use, if the shortest strip leaves room for them. strip-mine
// then looks for the longest strip with these windows.
#include "hlc/passes/pass.h"
#include "hlc/plan/evaluate.h"
#include "hlc/plan/plan_int.h"

bool plan_pass_transfer(hlc_program *p)
{
    bool moves = p->cut != NULL && plan_cut_move(p->cut);
    if (moves) {
        plan_cut *most = plan_cut_copy(p->arena, p->cut), *fewest = plan_cut_copy(p->arena, p->cut);
        most->resources = fewest->resources = plan_resources_pair_engines(p->arena, p->cut->resources);
        most->depth = plan_cut_most_windows(most);
        fewest->depth = plan_cut_fewest_windows(fewest);
        plan_candidate c = {.cut = most};
        plan_evaluation e = plan_evaluate_shortest(p, &c);
        if (e.fails != NULL) {
            c.cut = fewest;
            e = plan_evaluate_shortest(p, &c); // whether it fits now, strip-mine says
        }
        plan_take(p, &e);
    }
    plan_remark_transfer(p);
    return moves;
}
