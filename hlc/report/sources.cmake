# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(HLC_REPORT_SOURCES report/draw_graph.c report/draw_memory.c report/draw_kernels.c report/draw_search.c report/input.c report/report.c)
