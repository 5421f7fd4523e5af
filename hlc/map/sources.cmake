# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A library of its own: svm-sim uses it without the rest of the compiler.
set(HLC_MAP_SOURCES map/anneal.c map/check.c map/costs.c map/exact.c map/greedy.c map/history.c map/result.c map/search.c)
