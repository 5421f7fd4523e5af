# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(HLC_PLAN_SOURCES
    plan/build.c plan/coalesce.c plan/cost.c plan/fuse.c plan/gang.c plan/gang_places.c plan/layout.c plan/map.c plan/parse.c plan/pieces.c plan/print.c plan/query.c
    plan/remarks.c plan/replay.c plan/settle.c plan/strip_mine.c plan/sync_elim.c plan/verify.c)
