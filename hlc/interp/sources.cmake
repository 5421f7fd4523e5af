# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(HLC_INTERP_SOURCES
    interp/code.c interp/compile_expr.c interp/compile_place.c interp/compile_stmt.c interp/execute.c interp/finite.c interp/fire.c interp/dynamic.c interp/items.c interp/messages.c interp/outside.c
    interp/read.c interp/run.c interp/trap.c interp/watch.c interp/write.c)
# The arithmetic of the run time (hlc/CMakeLists.txt says the same of folding), and one indirect jump an instruction.
set_source_files_properties(interp/execute.c PROPERTIES COMPILE_OPTIONS
    "-fwrapv;-ffp-contract=off;-fno-math-errno;$<$<C_COMPILER_ID:GNU>:-fno-gcse;-fno-crossjumping>")
