// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A map of a memory: addresses upwards, the stages of a run from left to right; a box for all that lies there, as wide
// as it lives.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "hlc/report/draw.h"
#include "support/quantity.h"
#include "support/svg.h"

#define MAP_LEFT 84.0
#define MAP_TOP 34.0
#define MAP_WIDTH 860.0
#define MAP_HEIGHT 300.0
#define NAMES 22.0
enum { MOST_NAME_ROWS = 4 };

// Round numbers of bytes along the left side.
static void draw_scale(arena *a, strbuf *out, const draw_memory_map *map)
{
    uint64_t step = 1;
    while (map->bytes / step > 8)
        step *= 2;
    for (uint64_t at = 0; at <= map->bytes; at += step) {
        double y = MAP_TOP + MAP_HEIGHT * (1 - (double)at / (double)map->bytes);
        svg_line(out, MAP_LEFT - 4, y, MAP_LEFT + MAP_WIDTH, y, "scale");
        svg_text(out, MAP_LEFT - 8, y + 4, "right", quantity_bytes(a, (double)at), 30);
    }
}

// Rows of stage names, so that none is cut where a few rows are enough.
static uint32_t name_rows(const draw_memory_map *map)
{
    double width = MAP_WIDTH / map->stages, longest = 0;
    for (uint32_t i = 0; i < map->stages && map->stage_names != NULL; i++) {
        double needs = svg_text_width(map->stage_names[i], SIZE_MAX) + 6;
        longest = needs > longest ? needs : longest;
    }
    double rows = ceil(longest / width);
    return map->stage_names == NULL || rows < 1 ? 1 : rows > MOST_NAME_ROWS ? MOST_NAME_ROWS : (uint32_t)rows;
}

static void draw_stages(strbuf *out, const draw_memory_map *map)
{
    uint32_t rows = name_rows(map);
    double width = MAP_WIDTH / map->stages;
    size_t letters = (size_t)((width * rows - 6) / 6.3);
    for (uint32_t i = 0; i < map->stages && map->stage_names != NULL && letters >= 6; i++)
        svg_text(out, MAP_LEFT + (i + 0.5) * width, MAP_TOP + MAP_HEIGHT + 15 + 14 * (i % rows), "middle",
                 map->stage_names[i], letters);
}

static void draw_extent_box(arena *a, strbuf *out, const draw_memory_map *map, const draw_extent *e)
{
    double width = MAP_WIDTH / map->stages, scale = MAP_HEIGHT / (double)map->bytes;
    double x = MAP_LEFT + e->first * width, y = MAP_TOP + MAP_HEIGHT - (double)(e->from + e->bytes) * scale;
    double w = (e->last + 1 - e->first) * width, h = (double)e->bytes * scale;
    const char *tip =
        arena_printf(a, "%s: %" PRIu64 " bytes at %" PRIu64 "%s%s", e->name, e->bytes, e->from,
                     map->stage_names == NULL || e->last >= map->stages ? "" : ", from ",
                     map->stage_names == NULL || e->last >= map->stages
                         ? ""
                         : arena_printf(a, "%s to %s", map->stage_names[e->first], map->stage_names[e->last]));
    svg_box(out, x, y, w, h < 0.5 ? 0.5 : h, e->color == SIR_NONE ? "#eeeeee" : svg_color(e->color), "#777", tip);
    const char *text = arena_printf(a, "%s, %s", e->name, quantity_bytes(a, (double)e->bytes));
    if (h < 13)
        return;
    if (svg_text_width(text, 100) + 8 < w)
        svg_text(out, x + w / 2, y + h / 2 + 4, "name", text, 100);
    else if (w > 40)
        svg_text(out, x + w / 2, y + h / 2 + 4, "small", e->name, (size_t)((w - 26) / 5.4));
}

void draw_memory(arena *a, strbuf *out, const draw_memory_map *map)
{
    if (map->bytes == 0 || map->stages == 0)
        return;
    svg_begin(out, MAP_LEFT + MAP_WIDTH + 12, MAP_TOP + MAP_HEIGHT + NAMES + 14 * (name_rows(map) - 1), NULL,
              arena_printf(a, "what lies in memory %s", map->name));
    svg_text(out, 6, 16, "left",
             arena_printf(a, "%s: %s used of %s", map->name, quantity_bytes(a, (double)map->used),
                          quantity_bytes(a, (double)map->size)),
             200);
    draw_scale(a, out, map);
    for (VEC_EACH(const draw_extent, e, &map->extents))
        draw_extent_box(a, out, map, e);
    draw_stages(out, map);
    svg_end(out);
}
