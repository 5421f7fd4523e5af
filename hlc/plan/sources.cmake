# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(HLC_PLAN_SOURCES
    plan/abilities.c plan/abilities_varies.c plan/addresses.c plan/allocate.c plan/assign.c plan/assign_search.c
    plan/bit_lanes.c plan/build.c plan/coalesce.c plan/copies.c plan/cost.c plan/cut.c plan/cut_by_search.c
    plan/cut_group.c plan/cut_space.c plan/drain.c plan/evaluate.c plan/first_items.c plan/fiss.c plan/footprint.c plan/fuse.c
    plan/horizontal.c plan/horizontal_places.c plan/lanes.c plan/layout.c plan/map.c plan/net.c plan/net_assign.c
    plan/net_offload.c plan/parse.c plan/prime.c plan/print.c plan/profile.c plan/query.c plan/queues.c plan/reasons.c plan/record.c
    plan/remarks.c plan/replay.c plan/resources.c plan/settle.c plan/straight.c plan/strip_mine.c
    plan/sync_elim.c plan/thread_bounds.c plan/thread_domain.c plan/thread_ops.c plan/thread_order.c plan/thread_walk.c plan/threads.c
    plan/transfer.c plan/verify.c plan/ways.c plan/charges.c plan/zeros.c)
