# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(HLC_ELABORATE_SOURCES
    elaborate/build.c elaborate/deep_stack.c elaborate/elaborate.c elaborate/error.c elaborate/eval_call.c
    elaborate/eval_expr.c elaborate/eval_stmt.c elaborate/eval_text.c elaborate/eval_type.c elaborate/filter.c
    elaborate/graph.c elaborate/graph_check.c elaborate/graph_name.c elaborate/kernel.c elaborate/lower.c elaborate/lower_call.c
    elaborate/lower_effect.c elaborate/lower_expr.c elaborate/lower_print.c elaborate/lower_stmt.c
    elaborate/memory.c elaborate/mutation.c elaborate/test.c elaborate/value.c)
