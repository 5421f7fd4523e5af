// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bits of SVG and HTML text.
#ifndef SVMC_HLC_REPORT_SVG_H
#define SVMC_HLC_REPORT_SVG_H

#include "support/strbuf.h"

// Text with what means something in markup escaped; at most `most` bytes of it, "..." behind if there are more.
void svg_add_text(strbuf *out, const char *text, size_t most);
const char *svg_seconds(arena *a, double seconds); // "1.5 ms"
void svg_begin(strbuf *out, double width, double height, const char *title);
void svg_end(strbuf *out);
// A box with round corners. tip is shown when the mouse rests on it; NULL: none.
void svg_box(strbuf *out, double x, double y, double width, double height, const char *fill, const char *stroke,
             const char *tip);
// class: one of those that svg_begin defines: "name", "small", "region", "left".
void svg_text(strbuf *out, double x, double y, const char *class, const char *text, size_t most);
// An arrow down or up, bent so that it begins and ends upright.
void svg_arrow(strbuf *out, double x1, double y1, double x2, double y2, const char *tip);
// A colour of a fixed list, by number.
const char *svg_color(size_t number);
double svg_text_width(const char *text, size_t most);

#endif
