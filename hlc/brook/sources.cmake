# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(HLC_BROOK_SOURCES
    brook/as_filter.c brook/lower.c brook/lower_call.c brook/lower_expr.c brook/lower_math.c brook/lower_stmt.c brook/lower_value.c
    brook/lower_whole.c)
