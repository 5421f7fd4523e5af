# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(HLC_SCHEDULE_SOURCES
    schedule/balance.c schedule/cycles.c schedule/groups.c schedule/initial.c schedule/messages.c schedule/problems.c schedule/rates.c schedule/schedule.c schedule/sdep.c
    schedule/simulate.c schedule/units.c)
