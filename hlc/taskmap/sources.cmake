# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(HLC_TASKMAP_SOURCES taskmap/build.c taskmap/model.c taskmap/print.c taskmap/search.c)
