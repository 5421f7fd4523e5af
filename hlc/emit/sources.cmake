# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(HLC_EMIT_SOURCES
    emit/alike.c emit/bit_lanes.c emit/body.c emit/body_analyse.c emit/body_bits.c emit/body_checks.c emit/body_early.c emit/body_expr.c
    emit/body_flags.c emit/body_halves.c emit/body_inlined.c emit/body_inverse.c emit/body_jam.c emit/body_ladder.c
    emit/body_guarded.c emit/body_lanes.c emit/body_lookup.c emit/body_message.c emit/body_needs.c emit/body_placed.c emit/body_places.c emit/body_rotations.c emit/body_rows.c
    emit/body_share.c emit/body_shifts.c emit/body_sides.c emit/body_stmt.c emit/body_struct.c emit/body_trips.c emit/body_uses.c
    emit/body_value.c emit/body_waits.c emit/byte_lanes.c emit/finite.c emit/finite_control.c emit/finite_folds.c
    emit/finite_interpreted.c emit/finite_kernel.c emit/finite_lanes.c emit/finite_mapped.c emit/finite_near.c
    emit/finite_parts.c emit/finite_past.c emit/finite_plane.c emit/finite_reduce.c emit/finite_rounds.c
    emit/finite_rows.c emit/finite_stay.c emit/finite_stored.c emit/finite_strips.c emit/finite_takes.c
    emit/finite_text.c emit/finite_tiles.c emit/finite_turned.c emit/finite_writes.c emit/lanes.c emit/lanes_text.c
    emit/mapped.c emit/mapped_blocks.c emit/mapped_control.c emit/mapped_facts.c emit/mapped_kernel.c
    emit/mapped_runs.c emit/mapped_streams.c emit/mapped_summary.c emit/program.c emit/program_across.c
    emit/program_again.c emit/program_behind.c emit/program_bytes.c emit/program_control.c emit/program_counters.c
    emit/program_cycle.c emit/program_drain.c emit/program_dynamic.c emit/program_items.c emit/program_kernel.c
    emit/program_library.c emit/program_lines.c emit/program_looked.c emit/program_loops.c
    emit/program_messages.c emit/program_net.c emit/program_offload.c
    emit/program_outside.c emit/program_profile.c emit/program_region.c emit/program_reversed.c emit/program_turned.c emit/program_skew.c
    emit/program_steps.c emit/program_strip.c emit/program_tables.c emit/program_text.c emit/program_tiles.c
    emit/program_walk.c emit/program_zeros.c emit/thread.c)
