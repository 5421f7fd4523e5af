// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bits of SVG and HTML text.
#include "hlc/report/svg.h"

#include <stdint.h>
#include <string.h>

// Pale, so that dark text is read on all of them; neighbours differ in hue.
static const char *const colors[] = {
    "#cfe3f5", "#fbdcb8", "#cdebc9", "#f5cdd2", "#ddd3ef", "#f7efb5", "#c6ebe8", "#e6d5c6", "#f3cfe8", "#dbe4ba",
};

const char *svg_color(size_t number)
{
    return colors[number % (sizeof colors / sizeof *colors)];
}

void svg_add_text(strbuf *out, const char *text, size_t most)
{
    size_t n = 0;
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if ((c & 0xc0) != 0x80 && n++ == most) { // not within a character of several bytes
            strbuf_add(out, "...");
            return;
        }
        switch (c) {
        case '<': strbuf_add(out, "&lt;"); break;
        case '>': strbuf_add(out, "&gt;"); break;
        case '&': strbuf_add(out, "&amp;"); break;
        case '"': strbuf_add(out, "&quot;"); break;
        default: strbuf_addc(out, c < 0x20 || c == 0x7f ? ' ' : (char)c); break;
        }
    }
}

double svg_text_width(const char *text, size_t most)
{
    size_t n = strlen(text);
    return 6.3 * (double)(n < most ? n : most + 3);
}

const char *svg_seconds(arena *a, double seconds)
{
    static const struct {
        double least;
        const char *unit;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {0, "ns"}};
    size_t i = 0;
    while (seconds < units[i].least)
        i++;
    return arena_printf(a, "%.4g %s", units[i].least == 0 ? seconds * 1e9 : seconds / units[i].least, units[i].unit);
}

void svg_begin(strbuf *out, double width, double height, const char *title)
{
    strbuf_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
                  "role=\"img\" class=\"plan\">\n<title>",
                  width, height, width, height);
    svg_add_text(out, title, SIZE_MAX);
    strbuf_add(out,
               "</title>\n<style>.plan text { font: 11px sans-serif; fill: #222 } .plan .name { text-anchor: middle }\n"
               ".plan .small { font-size: 9.5px; text-anchor: middle; fill: #555 } .plan .region { font-size: 10px; "
               "fill: #777 }\n"
               ".plan .left { text-anchor: start } .plan .right { text-anchor: end; fill: #555 }</style>\n"
               "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"6\" "
               "markerHeight=\"6\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#666\"/></marker></defs>\n");
}

void svg_end(strbuf *out)
{
    strbuf_add(out, "</svg>\n");
}

static void add_tip(strbuf *out, const char *tip)
{
    if (tip == NULL) {
        strbuf_add(out, "/>\n");
        return;
    }
    strbuf_add(out, "><title>");
    svg_add_text(out, tip, SIZE_MAX);
    strbuf_add(out, "</title>");
}

void svg_box(strbuf *out, double x, double y, double width, double height, const char *fill, const char *stroke,
             const char *tip)
{
    strbuf_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\" fill=\"%s\" stroke=\"%s\"",
                  x, y, width, height, fill, stroke);
    add_tip(out, tip);
    if (tip != NULL)
        strbuf_add(out, "</rect>\n");
}

void svg_text(strbuf *out, double x, double y, const char *class, const char *text, size_t most)
{
    strbuf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    svg_add_text(out, text, most);
    strbuf_add(out, "</text>\n");
}

void svg_arrow(strbuf *out, double x1, double y1, double x2, double y2, const char *tip)
{
    double bend = (y2 - y1) / 2;
    strbuf_printf(out,
                  "<path d=\"M%.1f,%.1f C%.1f,%.1f %.1f,%.1f %.1f,%.1f\" fill=\"none\" stroke=\"#888\" "
                  "marker-end=\"url(#tip)\"",
                  x1, y1, x1, y1 + bend, x2, y2 - bend, x2, y2);
    add_tip(out, tip);
    if (tip != NULL)
        strbuf_add(out, "</path>\n");
}
