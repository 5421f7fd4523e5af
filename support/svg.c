// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pictures as SVG, and text in HTML.
#include "support/svg.h"

#include <math.h>
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

// Told apart by people who do not tell red from green, too.
static const char *const strong_colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9"};

const char *svg_strong_color(size_t number)
{
    return strong_colors[number % (sizeof strong_colors / sizeof *strong_colors)];
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
    return 6.3 * (double)(n <= most ? n : most + 3);
}

double svg_round(double value, bool above)
{
    static const double steps[] = {1, 2, 5, 10};
    double decade = pow(10, floor(log10(value) + 1e-9)), best = decade;
    for (int i = 0; i < 4; i++) {
        if (!above && steps[i] * decade <= value * (1 + 1e-9))
            best = steps[i] * decade;
        if (above && steps[i] * decade >= value * (1 - 1e-9))
            return steps[i] * decade;
    }
    return best;
}

// What a class looks like, by day and in the dark; $ stands for the picture's own class.
static const char style[] =
    "$ text { font: 11px sans-serif; fill: #222 } $ .name { text-anchor: middle }\n"
    "$ .small { font-size: 9.5px; text-anchor: middle; fill: #444 } $ .light { text-anchor: middle; fill: #fff }\n"
    "$ .left { text-anchor: start } $ .right { text-anchor: end; fill: #555 } $ .middle { text-anchor: middle; fill: "
    "#555 }\n"
    "$ .region { font-size: 10px; fill: #666 } $ .edge { font-size: 9.5px; fill: #666 }\n"
    "$ .title { font-size: 15px; font-weight: bold }\n"
    "$ .scale { stroke: #ddd } $ .frame { stroke: #999 } $ .mark { stroke: #888; stroke-dasharray: 5 4 }\n"
    "$ .ground { fill: #fff } $ .band { fill: #f5f5f5 }\n"
    "@media (prefers-color-scheme: dark) { $ .left, $ .title { fill: #ddd }\n"
    "$ .right, $ .middle, $ .region, $ .edge { fill: #aaa } $ .scale { stroke: #3a3a3a } $ .frame { stroke: #888 }\n"
    "$ .ground { fill: #1b1b1b } $ .band { fill: #242424 } }\n";

void svg_begin(strbuf *out, double width, double height, const char *class, const char *title)
{
    class = class == NULL ? "plan" : class;
    strbuf_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
                  "role=\"img\" class=\"%s\">\n<title>",
                  width, height, width, height, class);
    svg_add_text(out, title, SIZE_MAX);
    strbuf_add(out, "</title>\n<style>");
    for (const char *s = style; *s != '\0'; s++)
        if (*s == '$')
            strbuf_printf(out, ".%s", class);
        else
            strbuf_addc(out, *s);
    strbuf_add(out,
               "</style>\n<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"6\" "
               "markerHeight=\"6\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#888\"/></marker></defs>\n");
    strbuf_printf(out, "<rect class=\"ground\" width=\"%.0f\" height=\"%.0f\"/>\n", width, height);
}

void svg_line(strbuf *out, double x1, double y1, double x2, double y2, const char *class)
{
    strbuf_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1, x2, y2, class);
}

double svg_legend(strbuf *out, double x, double y, const char *fill, const char *text)
{
    strbuf_printf(
        out,
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"%s\" stroke=\"#999\" stroke-width=\"0.4\"/>\n",
        x, y, fill);
    svg_text(out, x + 17, y + 10, "left", text, SIZE_MAX);
    return x + 32 + svg_text_width(text, SIZE_MAX);
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
