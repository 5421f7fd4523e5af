// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pictures: what all charts and graphs are drawn with, as SVG, and text in HTML. What stands beside boxes has the colours of a class, which
// are others in the dark; boxes are pale, and the text in them dark, by day and by night.
#ifndef SVMC_SUPPORT_SVG_H
#define SVMC_SUPPORT_SVG_H

#include <stdbool.h>

#include "support/strbuf.h"

// Text with what means something in markup escaped; at most `most` bytes of it, "..." behind if there are more.
void svg_add_text(strbuf *out, const char *text, size_t most);
// class: of the whole picture, as it may be put into a page with others; NULL: "plan".
void svg_begin(strbuf *out, double width, double height, const char *class, const char *title);
void svg_end(strbuf *out);
// A box with round corners. tip is shown when the mouse rests on it; NULL: none.
void svg_box(strbuf *out, double x, double y, double width, double height, const char *fill, const char *stroke,
             const char *tip);
// class: one of those that svg_begin defines. In boxes: "name", "small" (below it), both in the middle; "light", on a dark one. Beside
// them: "left", "right" (it ends there) and "middle"; "region", grey; "edge", small and grey; "title".
void svg_text(strbuf *out, double x, double y, const char *class, const char *text, size_t most);
// An arrow down or up, bent so that it begins and ends upright.
void svg_arrow(strbuf *out, double x1, double y1, double x2, double y2, const char *tip);
// class: "scale", pale; "frame"; "mark".
void svg_line(strbuf *out, double x1, double y1, double x2, double y2, const char *class);
// A pale colour of a fixed list, by number, and one that lines and bars have.
const char *svg_color(size_t number);
const char *svg_strong_color(size_t number);
// What stands for a row of a legend: a square and a text. Gives where the next one begins.
double svg_legend(strbuf *out, double x, double y, const char *fill, const char *text);
// The least of 1, 2 and 5 times a power of ten that is not below (above, the greatest that is not above) value: what scales go by.
double svg_round(double value, bool above);
double svg_text_width(const char *text, size_t most);

#endif
