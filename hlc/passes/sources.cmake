# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(HLC_PASSES_SOURCES
    passes/abreast.c passes/ahead_text.c passes/beside.c passes/borders.c passes/borders_trip.c passes/bundle.c
    passes/canonicalize.c passes/canonicalize_dead.c passes/canonicalize_fold.c passes/canonicalize_jumps.c
    passes/canonicalize_loops.c passes/canonicalize_propagate.c passes/canonicalize_temps.c
    passes/canonicalize_tree.c passes/chain.c passes/chain_frames.c passes/chain_regions.c passes/count.c
    passes/decimate.c passes/delays.c passes/exchange.c
    passes/filters.c passes/fourier.c passes/fourier_filter.c passes/frequency.c passes/in_place.c passes/int_bits.c
    passes/inline.c passes/interchange.c
    passes/interchange_nests.c passes/join_bits.c passes/linear.c passes/linear_bits.c passes/linear_bits_follow.c
    passes/linear_bits_tables.c passes/linear_compose.c passes/linear_extract.c passes/linear_filter.c
    passes/look_ahead.c passes/moves.c passes/names.c passes/orbit.c passes/orbit_sources.c passes/orbit_tables.c passes/pack_bits.c
    passes/parts.c passes/places.c passes/polyphase.c passes/privatize.c passes/processors.c
    passes/quotients.c passes/regions.c
    passes/registers.c passes/reorder.c passes/reorder_rounds.c passes/rings.c passes/runner.c passes/schedule.c passes/sever.c passes/share.c passes/siblings.c
    passes/stages.c passes/stages_follow.c passes/stages_order.c passes/stages_region.c passes/stages_write.c
    passes/tabulate.c passes/tabulate_bits.c passes/tabulate_chosen.c passes/tabulate_few.c passes/tabulate_keys.c
    passes/tabulate_masks.c passes/tabulate_regions.c passes/tabulate_values.c passes/unfold.c passes/uniform.c passes/windows.c
    passes/windows_channels.c passes/windows_rewrite.c pipeline.c)
